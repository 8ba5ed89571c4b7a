"""Whole notes: new, edited, moved, deleted, and restored to what they were."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple, TypedDict, Unpack

from memoro.errors import NoteExists, NoteNotFound, NoteUnwritable, ProposalOutdated
from memoro.ledger import times
from memoro.ledger.access import Clean, Once
from memoro.model.changes import NoteAppended, NoteMoved, NoteWritten
from memoro.model.digests import digest_of
from memoro.model.journal import JournalEntry
from memoro.model.memories import stamp
from memoro.model.placeholders import check_restorable, placeholders_in, resolve, restore
from memoro.model.results import NoteResult, PathsResult
from memoro.model.values import require_storable, require_text
from memoro.model.vocabulary import PERSON
from memoro.notes.journaled_writer import JournaledWriter, NoteWrite
from memoro.notes.keyed import KeyedWrite
from memoro.vault.layout import AGENTS_ARCHIVE, AGENTS_FOLDER, ROLES
from memoro.vault.writer import Change

if TYPE_CHECKING:
    from memoro.ledger.ports import Transaction

_LOADED = {name.casefold() for names in ROLES.values() for name in names}


class NoteChange(NamedTuple):
    path: str
    change: int  # of the journal
    redacted: tuple[str, ...] = ()


class EditOptions(TypedDict, total=False):
    old: str | None  # only this is replaced, and must stand in the note exactly once
    expected: str | None  # the SHA-256 of what was read
    key: str | None


class Files:
    """`m.notes`. What agents write in the always-loaded files goes by `m.entries`, as proposals."""

    def __init__(self, journaled: JournaledWriter, *, direct: bool) -> None:
        self._journaled = journaled
        self._direct = direct

    def new(self, path: str, text: str, *, by: str = PERSON, key: str | None = None) -> NoteChange:
        self._check_allowed(path, by)
        check_restorable(text, "")
        said, redacted = self._journaled.access.authored(text, by_agent=by != PERSON)

        def create(before: bytes | None) -> bytes:
            if before is not None:
                raise NoteExists(f"There is a note {path!r} already. `memoro note edit` changes it.")
            return said.encode()

        return self._write(NoteWrite("new", path, by), create, key, (text,))._replace(redacted=redacted)

    def edit(self, path: str, text: str, *, by: str = PERSON, **options: Unpack[EditOptions]) -> NoteChange:
        """Replace the note's text, or `old`, which must stand in it exactly once.

        `expected` is the SHA-256 of what was read: a note that has changed since is not touched. Secrets are
        taken out of what an agent puts in, and not of the lines that were there. Placeholders of secrets that the
        replaced text holds become these secrets again; others are refused.
        """
        self._check_allowed(path, by)
        require_storable(text, "text")
        old, expected = options.get("old"), options.get("expected")
        redacted: tuple[str, ...] = ()

        def change(before: bytes | None) -> bytes:
            if before is None:
                raise NoteNotFound(f"There is no note {path!r}. `memoro note new` creates it.")
            _check(before, expected, path)
            replaced = self._as_it_stands(old, before) if old is not None else before
            count = before.count(replaced) if replaced else int(old is None)
            if count != 1:
                raise NoteUnwritable(f"{old!r} occurs {count} times in {path}; it must occur exactly once.")
            nonlocal redacted
            said, redacted = self._edited(text, replaced, by)
            new = said.encode()
            return new if old is None else before.replace(replaced, new)

        done = self._write(NoteWrite("edit", path, by), change, options.get("key"), (text, old, expected))
        return done._replace(redacted=redacted)

    def put(self, path: str, text: str, *, expected: str | None, key: str | None = None) -> NoteChange:
        """Makes a note what `text` says, by a person's word; a note that says it already stays as it is.

        `expected` is the SHA-256 of what was read. None: there must be no note yet.
        """
        new = require_storable(text, "text").encode()

        def change(before: bytes | None) -> bytes:
            if before == new:
                return new
            if before is None and expected is not None:
                raise NoteNotFound(f"There is no note {path!r} any more.")
            if before is not None and expected is None:
                raise NoteExists(f"There is a note {path!r} already. `memoro note edit` changes it.")
            _check(before or b"", expected, path)
            return new

        wanted = NoteWrite("edit" if expected else "new", path, PERSON)
        return self._write(wanted, change, key, ("put", text, expected))

    def text_of(self, path: str) -> str | None:
        """Returns what a note says now; None where there is none."""
        data = self._journaled.bytes_of(path)
        return None if data is None else data.decode("utf-8", "replace")

    def digest_of(self, path: str) -> str | None:
        """Returns the SHA-256 of a note as it is now; None where there is none."""
        data = self._journaled.bytes_of(path)
        return None if data is None else digest_of(data)

    def insert(self, path: str, line: int, text: str, *, by: str = PERSON, key: str | None = None) -> NoteChange:
        """Put a text below a line (0: at the top); the note ends with a line's end then."""
        self._check_allowed(path, by)
        check_restorable(text, "")
        said, redacted = self._journaled.access.authored(text, by_agent=by != PERSON)

        def change(before: bytes | None) -> bytes:
            if before is None:
                raise NoteNotFound(f"There is no note {path!r}.")
            lines = before.removesuffix(b"\n").split(b"\n") if before else []
            if not 0 <= line <= len(lines):
                raise NoteUnwritable(f"{path} has {len(lines)} lines, and so no place below line {line}.")
            lines.insert(line, said.rstrip("\n").encode())
            return b"\n".join(lines).removesuffix(b"\n") + b"\n"

        done = self._write(NoteWrite("edit", path, by), change, key, ("insert", line, text))
        return done._replace(redacted=redacted)

    def move(self, path: str, new: str, *, by: str = PERSON, key: str | None = None) -> NoteChange:
        self._check_allowed(path, by)
        self._check_allowed(new, by)
        write = KeyedWrite(self._journaled, Once(key, ("note", "move", path, new, by), NoteResult))
        made = write.run(
            lambda: self._journaled.move(path, new, by=by, keep=write.keep), lambda entry: NoteResult(new, entry)
        )
        return NoteChange(made.path, made.change)

    def retire(self, path: str, expected: str, *, key: str | None = None) -> NoteChange:
        """Move an agent's note to `agent/archive/`, by a person's word; a note that changed since stays.

        `expected` is the SHA-256 of what was read.
        """
        below = path.removeprefix(AGENTS_FOLDER)
        if below == path or path.startswith(AGENTS_ARCHIVE):
            raise NoteUnwritable(f"{path} is no note of an agent: only those in {AGENTS_FOLDER} are retired.")
        write = KeyedWrite(self._journaled, Once(key, ("note", "retire", path, expected), NoteResult))
        if (first := write.first()) is not None:
            return NoteChange(first.path, first.change)
        now = self._journaled.bytes_of(path)
        if now is None:
            raise ProposalOutdated(f"There is no note {path!r} any more.")
        if digest_of(now) != expected:
            raise ProposalOutdated(f"{path} has changed since this was proposed.")
        new = self._free_name(f"{AGENTS_ARCHIVE}{below}")
        made = write.run(
            lambda: self._journaled.move(path, new, by=PERSON, keep=write.keep), lambda entry: NoteResult(new, entry)
        )
        return NoteChange(made.path, made.change)

    def _free_name(self, path: str) -> str:
        """Return the path, with a number behind it where there is such a note already."""
        stem = path.removesuffix(".md")
        names = (path, *(f"{stem}-{number}.md" for number in range(2, 1000)))
        return next((name for name in names if self._journaled.bytes_of(name) is None), path)

    def delete(self, path: str, *, by: str = PERSON, key: str | None = None) -> NoteChange:
        """Take a note out of the vault. Its bytes stay in the journal, from which `undo` brings it back."""
        self._check_allowed(path, by)

        def change(before: bytes | None) -> None:
            if before is None:
                raise NoteNotFound(f"There is no note {path!r}.")

        return self._write(NoteWrite("delete", path, by), change, key, ())

    def restore(self, path: str, at: str, *, by: str = PERSON, key: str | None = None) -> NoteChange:
        """Make a note what it was at a time, as far as the journal tells; what it is now is in the journal then."""
        self._check_allowed(path, by)
        moment = stamp(times.last(at, self._journaled.access.now()))
        if self.is_done(key):  # the journal tells of the restoring by now, and must not be asked again
            return self._write(NoteWrite("restore", path, by), lambda before: before, key, (at,))
        data = self._as_of(path, moment)
        return self._write(NoteWrite("restore", path, by), lambda _before: data, key, (at,))

    def names_once(self, key: str | None, asked: tuple[object, ...], find: Callable[[], list[str]]) -> Sequence[str]:
        """Return the names that a command is about; with a key, those that `find` gave when it was first asked."""
        if key is None:
            return find()
        access, once = self._journaled.access, Once(key, ("names", *asked), PathsResult)
        if kept := access.done(once):
            return kept.paths
        found = tuple(find())  # which reads the vault, and so not in a transaction
        return access.once(once, lambda _tx: PathsResult(found)).paths

    def is_done(self, key: str | None) -> bool:
        """Return whether a write with this key was done, whatever it was about."""
        return key is not None and self._journaled.is_done(key)

    def _write(self, wanted: NoteWrite, change: Change, key: str | None, asked: tuple[object, ...]) -> NoteChange:
        """Write a note; `asked` is what the key stands for besides the operation, the path and the writer."""
        once = Once(key, ("note", wanted.operation, wanted.path, wanted.by, *asked), NoteResult)
        write = KeyedWrite(self._journaled, once)
        made = write.run(
            lambda: self._journaled.write(wanted._replace(keep=write.keep), change),
            lambda entry: NoteResult(wanted.path, entry),
        )
        return NoteChange(made.path, made.change)

    def _as_of(self, path: str, at: str) -> bytes | None:
        with self._journaled.access.ledger.reading() as tx:
            later = [entry for entry in tx.journal.history("note", path) if entry.at > at]
            if not later:
                raise NoteNotFound(
                    f"The journal has no change of {path!r} since then. `memoro log --kind note` lists all."
                )
            appended: list[bytes] = []
            for entry in later:
                if isinstance(entry.change, NoteAppended):
                    appended.append(entry.change.added.encode())
                    continue
                data = self._before(tx, entry, path)
                break
            else:
                data = self._journaled.bytes_of(path)
        for added in reversed(appended):
            at_last = (data or b"").rfind(added)
            data = data[:at_last] + data[at_last + len(added) :] if data and at_last >= 0 else data
        return data

    def _before(self, tx: Transaction, entry: JournalEntry, path: str) -> bytes | None:
        """Returns what a note was before an entry; None where there was no note."""
        match entry.change:
            case NoteMoved(new=new):
                return self._moved(new, entry.at)
            case NoteWritten(before=None):
                return None
            case NoteWritten(before=digest) if digest and (data := tx.contents.get(digest)) is not None:
                return data
            case _:
                raise NoteNotFound(f"What {path!r} was then is not known any more: something in it was forgotten.")

    def _moved(self, new: str, at: str) -> bytes | None:
        """Return the bytes of a note at the time it was moved to this path."""
        try:
            return self._as_of(new, at)
        except NoteNotFound:  # nothing has happened to it since
            return self._journaled.bytes_of(new)

    def _check_allowed(self, path: str, by: str) -> None:
        require_text(path, "path")
        if by == PERSON or self._direct:
            return
        if path.casefold() in _LOADED:
            raise NoteUnwritable(f"{path} is always loaded: an agent proposes an entry for it (`remember`).")
        if not path.startswith(AGENTS_FOLDER):
            raise NoteUnwritable(
                f"{path} is its owner's: agents write notes in {AGENTS_FOLDER}, and elsewhere only where "
                'agent_writes is "direct".'
            )

    def _as_it_stands(self, old: str, before: bytes) -> bytes:
        """The bytes of a part of a note that its editor may have read without its secrets."""
        whole = before.decode("utf-8", "replace")
        return resolve(old, whole, self._journaled.access.known).encode("utf-8", "replace")

    def _edited(self, text: str, replaced: bytes, by: str) -> Clean:
        """Without the secrets that an agent puts in, and with those that stood there: they are their owner's."""
        access, before = self._journaled.access, replaced.decode("utf-8", "replace")
        check_restorable(text, before, access.known)
        said = new_lines_cleaned(text, replaced, access.clean) if by != PERSON else Clean(text, ())
        return said._replace(text=restore(said.text, before, placeholders_in(text), access.known))


def new_lines_cleaned(text: str, before: bytes, clean: Callable[[str], Clean]) -> Clean:
    old = set(before.decode("utf-8", "replace").split("\n"))
    parts: list[str] = []
    found: list[str] = []
    for known, lines in groupby(text.split("\n"), key=old.__contains__):
        joined = "\n".join(lines)
        said, redacted = (joined, ()) if known else clean(joined)
        parts.append(said)
        found += redacted
    return Clean("\n".join(parts), tuple(found))


def _check(data: bytes, expected: str | None, path: str) -> None:
    if expected is None:
        return
    if digest_of(data) != expected:
        raise NoteUnwritable(f"{path} has changed since it was read. Read it again.")
