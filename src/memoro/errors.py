"""Every error that Memoro raises on purpose.

MemoroError
├── ConfigError            a setting, file or argument that cannot be used
│   ├── QueryError         a filter that cannot be understood (a query itself never fails)
│   ├── Refused            what was to be kept is empty, too long, or was forgotten on purpose
│   │   └── MemoryRefused  the same of a memory
│   ├── KeyReused          an idempotency key that stands for another write already
│   └── ConversationUnreadable  a list of messages of no shape that is known
├── LedgerError            what was asked of the ledger cannot be done
│   ├── NotFound           no such experience, narrative, change, proposal or backup
│   │   ├── MemoryNotFound   no such memory
│   │   └── SessionNotFound  no such session, or nothing was recalled in it
│   ├── UndoConflict       it has been changed again since
│   └── NeedsConsent       it cannot be undone, and nobody said yes
├── VaultError
│   ├── NoVault            nothing says where the notes are
│   ├── VaultMissing       the folder is not there, or cannot be listed
│   ├── VaultChanged       another folder stands where the vault was
│   ├── TooManyGone        so many notes vanished at once that a person must say it is right
│   ├── NoteNotFound       no such note, passage, line or entry
│   ├── NoteExists         there is a note of that name already
│   ├── NoteUnwritable     it cannot be written, or someone else keeps writing it
│   │   └── NotFlushed     what a compaction would drop could not be kept first, so that nothing was dropped
│   └── NoteUnreadable     it is there, and cannot be read as a note
│       └── NoteTooLarge   it is longer than any note should be
├── ProviderError
│   ├── ProviderUnavailable  trying again may work
│   └── ProviderRejected     it will not
├── Interrupted            it was told to stop; what is left is done the next time
├── AlreadyServed          another process serves this home
└── StoreError
    ├── StoreUnavailable   the home cannot be written or opened
    ├── StorageFull        no space left
    ├── IndexTooNew        a later version wrote it
    ├── IndexDamaged       its bytes are not what was written; a rebuild mends it
    │   └── VectorsDamaged those of its vector files alone; they are written anew from what embeddings.db keeps
    ├── LedgerTooNew       a later version wrote it
    └── LedgerDamaged      its bytes are not what was written; a backup has them
"""

from __future__ import annotations


class MemoroError(Exception):
    """What is the matter, what to do, what is safe: one or two sentences for a person."""


class ConfigError(MemoroError):
    pass


class QueryError(ConfigError):
    pass


class Refused(ConfigError):
    pass


class MemoryRefused(Refused):
    pass


class KeyReused(ConfigError):
    def __init__(self, key: str) -> None:
        super().__init__(
            f"The key {key!r} was used for another write. A key stands for one write and its repetitions: "
            "give this one a key of its own."
        )


class ConversationUnreadable(ConfigError):
    pass


class LedgerError(MemoroError):
    pass


class NotFound(LedgerError):
    pass


class MemoryNotFound(NotFound):
    pass


class SessionNotFound(NotFound):
    pass


class UndoConflict(LedgerError):
    def __init__(self, entry: int, why: str) -> None:
        super().__init__(f"Change {entry} cannot be undone: {why}. `memoro log` shows what came after it.")
        self.entry = entry


class NeedsConsent(LedgerError):
    pass


class VaultError(MemoroError):
    pass


class NoVault(VaultError):
    def __init__(self) -> None:
        super().__init__(
            "No vault is set. Run `memoro init FOLDER` with the folder of your Markdown notes, "
            "or set MEMORO_VAULT; `memoro demo` shows Memoro on sample notes."
        )


class VaultMissing(VaultError):
    def __init__(self, folder: str, why: str) -> None:
        super().__init__(
            f"The vault {folder} cannot be read: {why}. Mount or restore it, or name another with "
            "`memoro init FOLDER`; the index is kept as it was."
        )
        self.folder = folder


class VaultChanged(VaultError):
    def __init__(self, folder: str, *, indexed: str) -> None:
        super().__init__(
            f"{folder} is not the vault that was indexed ({indexed}): it is another folder and holds "
            "other notes. If that is right, run `memoro sync --accept-deletions`; until then the index "
            "is kept as it was."
        )


class TooManyGone(VaultError):
    def __init__(self, *, gone: int, known: int, examples: list[str]) -> None:
        listed = ", ".join(examples)
        super().__init__(
            f"{gone} of {known} notes are gone from the vault at once ({listed}, …). If that is right, run "
            "`memoro sync --accept-deletions`; until then the index is kept as it was."
        )
        self.gone = gone
        self.known = known


class NoteNotFound(VaultError):
    pass


class NoteExists(VaultError):
    pass


class NoteUnwritable(VaultError):
    pass


class NotFlushed(NoteUnwritable):
    def __init__(self, why: str) -> None:
        super().__init__(
            f"The conversation was left as it is: what would go could not be written to the notes first. {why} "
            "Then compact again; or compact without keeping it (--no-flush, flush=False)."
        )
        self.why = why


class NoteUnreadable(VaultError):
    """The reason alone, to stand behind a path in a report."""


class NoteTooLarge(NoteUnreadable):
    """Carries what the file system said about the file: its size first."""

    def __init__(self, stamp: tuple[int, int, int, int], *, limit: int) -> None:
        super().__init__(
            f"It has {stamp[0]:,} bytes; up to {limit:,} are indexed. Only its name can be found; "
            "split it to make its text findable."
        )
        self.stamp = stamp


class ProviderError(MemoroError):
    pass


class ProviderUnavailable(ProviderError):
    pass


class ProviderRejected(ProviderError):
    pass


class Interrupted(MemoroError):
    def __init__(self) -> None:
        super().__init__("The sync was told to stop. What is written so far is whole; the next sync does the rest.")


class AlreadyServed(MemoroError):
    def __init__(self, home: str, pid: int | None, since: str | None) -> None:
        who = f"process {pid}" if pid else "another process"
        when = f" since {since}" if since else ""
        end = f"`kill {pid}` ends it" if pid else "End that one first"
        super().__init__(f"{home} is served by {who}{when}; one is enough. {end}.")
        self.pid = pid


class StoreError(MemoroError):
    pass


class StoreUnavailable(StoreError):
    pass


class StorageFull(StoreError):
    def __init__(self, where: str) -> None:
        super().__init__(
            f"No space is left for {where}. Free some and run the command again; "
            "nothing that was saved before is lost, and your notes are not touched."
        )


class IndexTooNew(StoreError):
    def __init__(self, *, found: int, known: int) -> None:
        super().__init__(
            f"The index has format {found}, this version knows {known}. "
            "Update Memoro, or run `memoro sync --force` to rebuild it; your notes are not touched."
        )
        self.found = found
        self.known = known


class IndexDamaged(StoreError):
    def __init__(self, why: str) -> None:
        super().__init__(
            f"The index is damaged ({why}). Run `memoro sync --force` to rebuild it; your notes are not touched."
        )
        self.why = why


class VectorsDamaged(IndexDamaged):
    """`space` says whose files they are."""

    def __init__(self, why: str, *, space: str) -> None:
        super().__init__(why)
        self.args = (f"The vector files of {space} are damaged ({why}). `memoro sync` writes them anew.",)
        self.space = space


class LedgerTooNew(StoreError):
    def __init__(self, *, file: str, found: int, known: int) -> None:
        super().__init__(
            f"{file} has format {found}, this version knows {known}. Update Memoro; nothing was changed."
        )


class LedgerDamaged(StoreError):
    def __init__(self, file: str, why: str) -> None:
        super().__init__(
            f"{file} is damaged ({why}), and nothing is written to it any more. `memoro backup list` shows the "
            "backups, `memoro backup restore NAME` puts one in its place and keeps the damaged file beside it."
        )
        self.why = why
