"""Every error that Memoro raises on purpose.

MemoroError
├── ConfigError            a setting, file or argument cannot be used
│   ├── QueryError         a filter or choice is not understood (a query itself never fails)
│   ├── Refused            a text to keep is empty, too long, or was forgotten on purpose
│   │   ├── MemoryRefused  the same for a memory
│   │   │   ├── ChangeProposed  an agent may not change it; the change waits for a person, as a proposal
│   │   │   └── MemoryOutdated  it was changed since it was read
│   │   ├── ProposalOutdated  the target of a proposal has changed since it was made
│   │   ├── OutOfScope     it belongs to a project or agent outside the scope of the session
│   │   ├── NotInSeat         a team's server does not have this operation for the people whom it serves
│   │   └── NeedsCommandLine  only a person at the command line may change this setting
│   ├── KeyReused          an idempotency key already belongs to another write
│   └── ConversationUnreadable  a list of messages has no known shape
├── LedgerError            the ledger cannot carry out a request
│   ├── NotFound           no such experience, narrative, change, proposal or backup
│   │   ├── MemoryNotFound   no such memory
│   │   └── SessionNotFound  no such session, or nothing was recalled in it
│   ├── UndoConflict       a later change prevents an undo
│   └── NeedsConsent       an operation that cannot be undone needs a yes
├── VaultError
│   ├── NoVault            no setting says where the notes are
│   ├── VaultMissing       the folder does not exist, or cannot be listed
│   ├── VaultChanged       another folder is in the vault's place
│   ├── TooManyGone        so many notes vanished at once that a person must confirm it
│   ├── NoteNotFound       no such note, passage, line or entry
│   ├── NoteExists         a note of that name exists already
│   ├── NoteUnwritable     the note cannot be written, has changed, or another program keeps writing it
│   │   └── NotFlushed     the notes could not be saved before a compaction, so nothing was dropped
│   └── NoteUnreadable     the file exists, but cannot be read as a note
│       └── NoteTooLarge   the file is too long for a note
├── ProviderError
│   ├── ProviderUnavailable  trying again may work
│   │   ├── PartialResponse  only some of the texts came back with a vector that can be used
│   │   ├── ServerFailed     the server broke on this request (status 500), perhaps because of one text in it
│   │   ├── LeftAlone        the provider failed lately, and is paused for a while
│   │   ├── CapReached       the owner's daily cap is reached
│   │   └── AgreementSpent   filling a space has cost the price that its owner agreed to
│   └── ProviderRejected     trying again will not work
│       ├── KeyRefused       there is no key, or the provider does not accept it
│       ├── QuotaExhausted   the account has no money or requests left
│       ├── AddressRefused   text may not be sent to that address
│       ├── WrongWidth       the vectors have another width than the space
│       ├── TextsNotToldApart  the model has one vector for all texts
│       ├── RequestTooLarge  the request has more texts or tokens than the provider takes; fewer may pass
│       ├── TextRejected     the provider cannot embed this text
│       ├── AnswerUnusable   a language model's answer is refused, cut off, or not what was asked for
│       ├── NothingThere     the server has nothing at the address that was asked for
│       └── BatchesUnavailable  the provider, or its model, takes no batch jobs
├── Interrupted            the caller stopped a sync; the next one continues
├── AlreadyServed          another process serves this home
└── StoreError
    ├── WaitsInOutbox      a write waits until the server of a shared ledger answers again
    ├── StoreUnavailable   the home cannot be opened or written
    │   ├── LedgerUnreachable  the server of a shared ledger cannot be reached, or cannot do this now
    │   ├── LedgerServerRefused  the server of a shared ledger answers, but cannot be used
    │   │   └── PersonUnknown  the tenant does not have the person whom this home names, or has them no more
    │   ├── TenantNotEmpty  a ledger cannot be moved to a tenant that holds another one
    │   └── LedgerMoved    the ledger was moved elsewhere while this program had it open
    ├── StorageFull        no space left
    ├── IndexTooNew        a later version of Memoro wrote the index
    ├── EmbeddingsTooNew   a later version of Memoro wrote the cache of vectors
    ├── IndexDamaged       the index does not hold the bytes that were written; a rebuild repairs it
    │   ├── IndexOutdated  an earlier version of Memoro wrote the index; the next search rebuilds it
    │   └── VectorsDamaged the vector files alone are damaged; a sync writes them again from embeddings.db
    ├── LedgerTooNew       a later version of Memoro wrote the ledger
    ├── LedgerDamaged      the ledger does not hold the bytes that were written; a backup has them
    └── LedgerNotRecognised  ledger or archive is missing, older or another one than the home records
        └── SharedLedgerNotRecognised  the server of a shared ledger holds an older state, or another ledger
"""

from __future__ import annotations

from collections.abc import Mapping


class MemoroError(Exception):
    """The message says what is wrong, what to do, and what is safe, in one or two sentences for a person."""


class ConfigError(MemoroError):
    pass


class QueryError(ConfigError):
    pass


class Refused(ConfigError):
    pass


class MemoryRefused(Refused):
    pass


class ChangeProposed(MemoryRefused):
    """Nothing was changed; the change waits as a proposal."""

    def __init__(self, memory: int, why: str, proposal: int) -> None:
        super().__init__(
            f"{why} The change of [id:{memory}] waits as proposal {proposal}: the user decides "
            f"(`memoro accept {proposal}`)."
        )
        self.memory = memory
        self.why = why
        self.proposal = proposal


class MemoryOutdated(MemoryRefused):
    def __init__(self, memory: int) -> None:
        super().__init__(f"[id:{memory}] has changed since it was read. Read it again.")
        self.memory = memory


class ProposalOutdated(Refused):
    def __init__(self, why: str, *, withdrawn: bool = False) -> None:
        rest = "the proposal is withdrawn" if withdrawn else "the proposal still waits (`memoro reject` drops it)"
        super().__init__(f"{why} Nothing was changed, and {rest}.")
        self.why = why


class OutOfScope(Refused):
    pass


class NotInSeat(Refused):
    """An operation that a team's server does not have for the people whom it serves."""

    def __init__(self, operation: str, why: str) -> None:
        super().__init__(f"{operation!r} is not offered by a team's server. {why}")
        self.operation = operation


class NeedsCommandLine(Refused):
    def __init__(self, key: str, why: str) -> None:
        super().__init__(
            f"Only the command line changes {key}, because {why}. "
            f"Run `memoro config set {key} VALUE` in a terminal; nothing was changed."
        )
        self.key = key


class KeyReused(ConfigError):
    def __init__(self, key: str) -> None:
        super().__init__(
            f"The key {key!r} was used for another write. A key names one write and its retries: "
            "use a new key for this one."
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
        super().__init__(f"Change {entry} cannot be undone: {why}. `memoro log` shows the later changes.")
        self.entry = entry
        self.why = why


class NeedsConsent(LedgerError):
    """Its sentence names the option of the command, and after it the argument of the library."""

    @property
    def at_a_terminal(self) -> str:
        return str(self).replace(" (yes=True)", "")

    @property
    def over_http(self) -> str:
        return str(self).replace("--yes (yes=True)", '"yes": true')


class VaultError(MemoroError):
    pass


class NoVault(VaultError):
    """`indexed` is the vault whose notes the index holds all the same, and `held` says how many they are."""

    def __init__(self, indexed: str | None = None, *, held: str = "") -> None:
        if indexed is None:
            sentence = (
                "No vault is set. Run `memoro init FOLDER` with the folder of your Markdown notes, "
                "or set MEMORO_VAULT; `memoro demo` shows Memoro on sample notes."
            )
        else:
            from shlex import quote  # seldom needed

            sentence = (
                f"No vault is set, but the index holds {held} of {indexed}, which cannot be compared with the disk. "
                f"Run `memoro init {quote(indexed)}`, or set MEMORO_VAULT. If you want memories alone, run "
                "`memoro sync --accept-deletions`."
            )
        super().__init__(sentence)
        self.indexed = indexed


class VaultMissing(VaultError):
    def __init__(
        self, folder: str, why: str, remedy: str = "Mount or restore it, or set another with `memoro init FOLDER`"
    ) -> None:
        super().__init__(f"The vault {folder} cannot be read: {why}. {remedy}; the index is unchanged.")
        self.folder = folder
        self.why = why


class VaultChanged(VaultError):
    def __init__(self, folder: str, *, indexed: str, is_empty: bool = False) -> None:
        named = "" if indexed == folder else f" ({indexed})"
        wrong = f"{folder} is not the vault that was indexed{named}: it is another folder"
        found = ", and there are no notes in it. Is a drive not mounted?" if is_empty else " with other notes."
        super().__init__(
            f"{wrong}{found} If that is right, run `memoro sync --accept-deletions`; "
            "until then the index is unchanged."
        )


class TooManyGone(VaultError):
    def __init__(self, *, gone: int, known: int, examples: list[str]) -> None:
        listed = ", ".join(examples)
        super().__init__(
            f"{gone} of {known} notes have disappeared from the vault at once ({listed}, …). If that is right, run "
            "`memoro sync --accept-deletions`; until then the index is unchanged."
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
    def __init__(self, why: str, remedy: str = "") -> None:
        super().__init__(
            f"The conversation was not compacted: its content could not be written to the notes first. {why} "
            + (remedy or "To compact it without saving it, pass `flush=False` (at the command line, `--no-flush`).")
        )
        self.why = why


class NoteUnreadable(VaultError):
    """The message is only the reason: reports put it after a path."""


class NoteTooLarge(NoteUnreadable):
    """Carries the stamp of the file; its first field is the size."""

    def __init__(self, stamp: tuple[int, int, int, int], *, limit: int) -> None:
        super().__init__(
            f"It has {stamp[0]:,} bytes; Memoro indexes up to {limit:,}. Only its name can be found; "
            "split it to make its text findable."
        )
        self.stamp = stamp


class ProviderError(MemoroError):
    pass


class ProviderUnavailable(ProviderError):
    """`retry_after`: after how many seconds the provider wants to be asked again; None if it does not say."""

    def __init__(self, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class PartialResponse(ProviderUnavailable):
    """`rows` holds the vectors that came back, by the place of their text in the request."""

    def __init__(self, message: str, rows: Mapping[int, object]) -> None:
        super().__init__(message)
        self.rows = rows


class ServerFailed(ProviderUnavailable):
    pass


class LeftAlone(ProviderUnavailable):
    pass


class CapReached(ProviderUnavailable):
    pass


class AgreementSpent(ProviderUnavailable):
    pass


class ProviderRejected(ProviderError):
    pass


class KeyRefused(ProviderRejected):
    pass


class QuotaExhausted(ProviderRejected):
    pass


class AddressRefused(ProviderRejected):
    pass


class WrongWidth(ProviderRejected):
    pass


class TextsNotToldApart(ProviderRejected):
    pass


class RequestTooLarge(ProviderRejected):
    """`most_texts`: how many texts the provider said that it takes at once; None if it did not say."""

    def __init__(self, message: str, *, most_texts: int | None = None) -> None:
        super().__init__(message)
        self.most_texts = most_texts


class TextRejected(ProviderRejected):
    pass


class AnswerUnusable(ProviderRejected):
    pass


class NothingThere(ProviderRejected):
    pass


class BatchesUnavailable(ProviderRejected):
    pass


class Interrupted(MemoroError):
    def __init__(self) -> None:
        super().__init__("The sync was stopped. What it wrote so far is complete; the next sync does the rest.")


class AlreadyServed(MemoroError):
    def __init__(self, home: str, pid: int | None, since: str | None) -> None:
        who = f"process {pid}" if pid else "another process"
        when = f" since {since}" if since else ""
        end = f"`kill {pid}` ends it" if pid else "End that one first"
        super().__init__(f"{home} is already served by {who}{when}. {end}.")
        self.pid = pid


class StoreError(MemoroError):
    pass


class StoreUnavailable(StoreError):
    pass


class LedgerUnreachable(StoreUnavailable):
    """The server cannot do this now, and may do it later: it is away, hangs, fails over, or is full.

    `why` says what it does: "does not answer". `is_done_known` is False where a write may have been made.
    """

    def __init__(self, server: str, why: str, *, is_done_known: bool = True) -> None:
        told = (
            "Nothing was written; try again when it is back."
            if is_done_known
            else "It is not known whether this was written; with the same key it can be repeated safely."
        )
        super().__init__(f"{_server(server)} {why}. {told}")
        self.server = server
        self.why = why

    @property
    def sentence(self) -> str:
        """The problem, as a sentence for people."""
        return f"{_server(self.server)} {self.why}."


def _server(name: str) -> str:
    return f"The server of the shared ledger ({name})"


class WaitsInOutbox(StoreError):
    """The server of the shared ledger is away, and the write is kept until it is back: nothing is lost."""

    def __init__(self, number: int, why: str) -> None:
        super().__init__(
            f"{why} This waits in the outbox as {number}, and is done once when the server is back: do not repeat it."
        )
        self.number = number


class LedgerServerRefused(StoreUnavailable):
    pass


class PersonUnknown(LedgerServerRefused):
    def __init__(self, person: str, tenant: str) -> None:
        super().__init__(
            f"The tenant {tenant!r} does not know {person!r}, so nothing was read or written. Set ledger.person to "
            f"your name there, or let the owner of the database run `memoro admin person add {tenant} {person}`."
        )
        self.person = person
        self.tenant = tenant


class TenantNotEmpty(StoreUnavailable):
    def __init__(self, tenant: str, server: str) -> None:
        super().__init__(
            f"The tenant {tenant!r} on {server} holds a ledger already, so this one cannot take its place. "
            "Nothing was changed. `memoro move-ledger --merge` adds this home's own memories to it."
        )


class LedgerMoved(StoreUnavailable):
    """`to` names where it is now."""

    def __init__(self, to: str) -> None:
        super().__init__(
            f"The ledger was moved to {to}, so nothing is written here any more. Start this program again: it uses "
            "the new place then. If the move was broken off, `memoro move-ledger` completes it."
        )
        self.to = to


class StorageFull(StoreError):
    def __init__(self, where: str) -> None:
        super().__init__(
            f"No space is left for {where}. Free some and run the command again; "
            "nothing saved before is lost, and your notes are not touched."
        )


class IndexTooNew(StoreError):
    def __init__(self, *, found: int, known: int) -> None:
        super().__init__(
            f"The index has format {found}, this version knows {known}. "
            "Update Memoro, or run `memoro sync --force` to rebuild it; your notes are not touched."
        )
        self.found = found
        self.known = known


class EmbeddingsTooNew(StoreError):
    def __init__(self, *, file: str, found: int, known: int) -> None:
        super().__init__(
            f"{file} has format {found}, this version knows {known}. Update Memoro, or move the file away: "
            "the next sync computes the vectors again. Your notes are not touched."
        )


OLD_FORMAT = "it has the old format"  # begins the reason why an index of an earlier version is not used
REBUILT_NEXT = "The next search or `memoro sync` rebuilds it; your notes are not touched."


def rebuilding(why: str) -> str:
    """Say why an index is not used; one of an earlier version is not damaged."""
    return f"an earlier version wrote it ({why})" if why.startswith(OLD_FORMAT) else f"it was damaged ({why})"


class IndexDamaged(StoreError):
    def __init__(self, why: str) -> None:
        super().__init__(
            f"The index is damaged ({why}). Run `memoro sync --force` to rebuild it; your notes are not touched."
        )
        self.why = why


class IndexOutdated(IndexDamaged):
    """Rebuilt where a damaged index is, but nothing is wrong with it."""

    def __init__(self, found: int) -> None:
        super().__init__(f"{OLD_FORMAT} {found}")
        self.args = (f"An earlier version wrote the index ({self.why}). {REBUILT_NEXT}",)
        self.found = found


class VectorsDamaged(IndexDamaged):
    """`space` names the space of the damaged files."""

    def __init__(self, why: str, *, space: str) -> None:
        super().__init__(why)
        self.args = (f"The vector files of {space} are damaged ({why}). `memoro sync` writes them again.",)
        self.space = space


class LedgerTooNew(StoreError):
    def __init__(self, *, file: str, found: int, known: int) -> None:
        super().__init__(
            f"{file} has format {found}, this version knows {known}. Update Memoro; nothing was changed."
        )


class LedgerDamaged(StoreError):
    """`part` is "ledger" or "archive"."""

    def __init__(self, file: str, why: str, part: str = "ledger") -> None:
        super().__init__(
            f"{file} is damaged ({why}); Memoro no longer writes to it. `memoro backup list` shows the backups, "
            f"and `memoro backup restore NAME{_only(part)}` restores one and keeps the damaged file beside it."
        )
        self.why = why
        self.part = part


def _only(part: str) -> str:
    """Return the option of `memoro backup restore` that brings this part back.

    The archive is restored alone, so that the ledger keeps what is newer than the backup. The ledger never is: what
    was moved out of the archive since the backup would then be in neither.
    """
    return "" if part == "ledger" else f" --part {part}"


class LedgerNotRecognised(StoreError):
    """`part` is "ledger" or "archive"; `state` is "missing", "older" or "foreign"; `backup` would restore it."""

    def __init__(self, file: str, *, part: str, state: str, backup: str | None) -> None:
        what = {
            "missing": "is missing, though this home had one",
            "older": "is an older copy than this home used last",
            "foreign": "is not the one that this home used: another file has taken its place",
        }[state]
        restore = (
            f"`memoro backup restore {backup}{_only(part)}` restores the newest backup that verifies"
            if backup
            else "There is no backup that verifies: put the file back"
        )
        instead = "start with an empty one" if state == "missing" else "keep this one as it is"
        super().__init__(
            f"{file} {what}. Memoro wrote nothing. {restore}; to {instead}, run `memoro backup adopt {part} --yes`."
        )
        self.part = part
        self.state = state
        self.backup = backup


class SharedLedgerNotRecognised(LedgerNotRecognised):
    """`server` names the database and the tenant."""

    def __init__(self, server: str, *, part: str, state: str, backup: str | None) -> None:
        what = (
            "holds an older state than this machine has seen, as after a restored dump"
            if state == "older"
            else "is not the one that this machine used: another database, an emptied tenant or another history "
            "has taken its place"
        )
        then = (
            f"; after that, `memoro backup restore {backup}` writes this home's newest backup of it there"
            if backup
            else ". This home has no backup of it; the owner of the server may have one (`memoro admin backup`)"
        )
        super().__init__(server, part=part, state=state, backup=backup)
        self.args = (
            f"The shared {part} on {server} {what}. Memoro reads and writes nothing there, and the local copy is "
            f"unchanged. Ask the owner of the server; to go on with what it holds now, run "
            f"`memoro backup adopt {part} --yes`{then}.",
        )
        self.server = server
