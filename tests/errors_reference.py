"""The tables of the list of errors, made from `memoro.errors`, the exit codes and the HTTP statuses."""

from __future__ import annotations

import re
from collections.abc import Sequence

from memoro import errors
from memoro.api.problems import STATUSES
from memoro.cli.run import EXIT_CODES

# What a reader does about each error. A class without a row here is only a base of others.
REMEDIES = {
    "ConfigError": "correct the setting or argument that the message names; `memoro config show` lists settings",
    "QueryError": "correct the filter; `memoro search --help` lists the choices",
    "Refused": "shorten the text, or leave it: a text that was forgotten does not come back",
    "MemoryRefused": "store one sentence of at most 16 KiB; put longer text into a note",
    "ChangeProposed": "decide with `memoro review`",
    "MemoryOutdated": "read the memory again, and decide whether your text still fits",
    "ProposalOutdated": "look at the present text; `memoro reject N` drops the proposal",
    "OutOfScope": "widen this one call with `--scope all`",
    "NotInSeat": "run the command on a machine with a home of its own",
    "NeedsCommandLine": "run `memoro config set` in a terminal",
    "KeyReused": "use a new key for another write",
    "ConversationUnreadable": "send the messages in the shape of a known interface ([formats](context.md))",
    "LedgerError": "read the message; nothing was changed",
    "NotFound": "look up the number: `memoro log`, `memoro proposals`, `memoro backup list`",
    "MemoryNotFound": "look up the number with `memoro memory query`",
    "SessionNotFound": "look up the id with `memoro session list`",
    "UndoConflict": "undo the later change first; `memoro log` lists it",
    "NeedsConsent": "add `--yes` if you want it",
    "NoVault": "run `memoro init FOLDER`",
    "VaultMissing": "mount or restore the folder, or choose another with `memoro init FOLDER`",
    "VaultChanged": "put the right folder back, or run `memoro sync --accept-deletions`",
    "TooManyGone": "restore the notes, or run `memoro sync --accept-deletions`",
    "NoteNotFound": "check the path; `memoro search` finds it",
    "NoteExists": "choose another name, or `memoro note edit`",
    "NoteUnwritable": "check the permissions, close the program that writes the note, and repeat",
    "NotFlushed": "make the vault writable and compact again",
    "NoteUnreadable": "save the file as UTF-8 text",
    "NoteTooLarge": "split the note",
    "ProviderUnavailable": "wait; Memoro tries again and uses the built-in model meanwhile",
    "PartialResponse": "nothing: Memoro asks again for the rest",
    "ServerFailed": "look at the server's log; Memoro tries again",
    "LeftAlone": "wait until the time that the message names, or run `memoro provider resume`",
    "CapReached": "wait until tomorrow, or raise `usage.daily_cap`",
    "AgreementSpent": "run `memoro sync` and agree to the rest",
    "ProviderRejected": "correct what the message names; `memoro provider test` checks it",
    "KeyRefused": "set the key, or correct it",
    "QuotaExhausted": "add money or requests to the account",
    "AddressRefused": "use https, or an address of this machine",
    "WrongWidth": "drop the space and sync, or set `embedding.dimensions`, as the sentence says",
    "TextsNotToldApart": "run a model for embeddings, then drop the space and sync",
    "RequestTooLarge": "nothing: Memoro sends smaller requests",
    "TextRejected": "nothing: the passage is found by words",
    "AnswerUnusable": "nothing: the rules decide instead",
    "NothingThere": "correct the address or the name of the model",
    "BatchesUnavailable": "nothing: Memoro sends plain requests",
    "Interrupted": "run the command again",
    "AlreadyServed": "use the running `serve`, or end it",
    "WaitsInOutbox": "nothing; do not repeat it. `memoro outbox list` shows it",
    "StoreUnavailable": "do what the message says: permissions, folder, or another program",
    "LedgerUnreachable": "wait, or look at the server ([outages](teams-outages.md))",
    "LedgerServerRefused": "ask the owner of the server: password, role, tenant or format",
    "PersonUnknown": "correct `ledger.person`, or ask the owner of the server to add you",
    "TenantNotEmpty": "move to an empty tenant, or add to it with `memoro move-ledger --merge`",
    "LedgerMoved": "start the program again",
    "StorageFull": "free space and repeat",
    "IndexTooNew": "update Memoro, or run `memoro sync --force`",
    "EmbeddingsTooNew": "update Memoro, or move the file away",
    "IndexDamaged": "run `memoro sync --force`",
    "IndexOutdated": "nothing: the next search rebuilds it, or run `memoro sync`",
    "VectorsDamaged": "run `memoro sync`",
    "LedgerTooNew": "update Memoro",
    "LedgerDamaged": "restore a backup with the command that the message names",
    "LedgerNotRecognised": "restore a backup, or keep the file with `memoro backup adopt`",
    "SharedLedgerNotRecognised": "ask the owner of the server",
}

# One error of each class that has a sentence of its own. The others are worded where they are raised.
EXAMPLES: tuple[errors.MemoroError, ...] = (
    errors.MemoryOutdated(memory=7),
    errors.ChangeProposed(memory=7, why="The user confirmed it.", proposal=12),
    errors.ProposalOutdated("The entry has changed since."),
    errors.NotInSeat("sync", "Your own machine does it."),
    errors.NeedsCommandLine("vault.path", "it says which files are read"),
    errors.KeyReused("monday-1"),
    errors.UndoConflict(4, "change 9 edited the same lines"),
    errors.NoVault(),
    errors.NoVault("/srv/notes", held="45 notes"),
    errors.VaultMissing("~/notes", "no such file or directory"),
    errors.VaultChanged("~/notes", indexed="~/notes"),
    errors.TooManyGone(gone=40, known=45, examples=["a.md", "b.md"]),
    errors.NotFlushed("The vault is read-only."),
    errors.NoteTooLarge((3_000_000, 0, 0, 0), limit=2_097_152),
    errors.Interrupted(),
    errors.AlreadyServed("~/.memoro", 4711, "2026-03-05 09:12:04"),
    errors.LedgerUnreachable("db.example.org/memoro", "does not answer"),
    errors.PersonUnknown("annn", "heron"),
    errors.WaitsInOutbox(1, errors.LedgerUnreachable("db.example.org/memoro", "does not answer").sentence),
    errors.TenantNotEmpty("acme", "db.example.org/memoro"),
    errors.LedgerMoved("db.example.org/memoro"),
    errors.StorageFull("~/.memoro/ledger.db"),
    errors.IndexTooNew(found=99, known=12),
    errors.EmbeddingsTooNew(file="~/.memoro/embeddings.db", found=99, known=3),
    errors.IndexDamaged("a page does not match its checksum"),
    errors.IndexOutdated(3),
    errors.VectorsDamaged("a row is not what was written", space="builtin/minilm-static-1/256/text"),
    errors.LedgerTooNew(file="~/.memoro/ledger.db", found=99, known=8),
    errors.LedgerDamaged("~/.memoro/ledger.db", "a page does not match its checksum"),
    errors.LedgerNotRecognised("~/.memoro/ledger.db", part="ledger", state="missing", backup="20260305T140211Z"),
    errors.SharedLedgerNotRecognised("db.example.org/memoro", part="ledger", state="older", backup=None),
)


def class_rows() -> list[Sequence[str]]:
    """The tree that opens `memoro.errors`: each class, its meaning, exit code, HTTP status and remedy."""
    rows: list[Sequence[str]] = []
    for line in (errors.__doc__ or "").splitlines():
        if found := re.fullmatch(r"([│├└─ ]*)(\w+Error|(?<=─ )\w+)(?:\s+(.*))?", line):
            kind = getattr(errors, found[2])
            rows.append(
                (
                    "· " * (len(found[1]) // 4) + f"`{found[2]}`",
                    found[3] or "",
                    str(next(code for one, code, _ in EXIT_CODES if issubclass(kind, one))),
                    str(next(status for one, status in STATUSES if issubclass(kind, one))),
                    REMEDIES.get(found[2], ""),
                )
            )
    return rows


def message_rows() -> list[Sequence[str]]:
    return [(f"`{type(error).__name__}`", str(error)) for error in EXAMPLES]
