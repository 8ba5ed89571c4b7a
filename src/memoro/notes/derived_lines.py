"""Lines of notes that hooks and agents made from a text: found, so that forgetting the text can erase them too."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from memoro.errors import VaultError
from memoro.ledger.erasure import forgetting
from memoro.ledger.forget import begin
from memoro.model.changes import NoteAppended, NoteWritten
from memoro.model.derivation import DerivedLine, made_from, statement_of
from memoro.model.memories import stamp
from memoro.model.vocabulary import PERSON
from memoro.notes.forget import erase_from_history
from memoro.notes.journaled_writer import JournaledWriter
from memoro.vault.markdown import split_lines

if TYPE_CHECKING:
    from memoro.ledger.ports import Transaction
    from memoro.model.journal import JournalEntry

_UNTITLED = "# Session"  # as the note of a session without a title is headed


class DerivedLines:
    def __init__(
        self,
        journaled: JournaledWriter,
        paths: Callable[[], Iterable[str]],  # of all notes
        digests: Callable[[str], Sequence[str]],  # of the passages of a note, as the index knows them
    ) -> None:
        self._journaled = journaled
        self._paths = paths
        self._digests = digests

    def find(self, sources: Sequence[str]) -> list[DerivedLine]:
        """Find the lines that repeat one of these texts, in notes and in history. A person's lines are left out."""
        is_made = made_from(sources)
        with self._journaled.access.ledger.reading() as tx:
            written = [(line, str(entry.item)) for entry in tx.journal.of("note") for line in _added(tx, entry)]
        wanted = {line: path for line, path in written if is_made(line)}
        found = [one for path in self._paths() for one in self._in_note(path, wanted)] if wanted else []
        standing = {one.text.strip() for one in found}
        return [*found, *(DerivedLine(path, None, line) for line, path in wanted.items() if line not in standing)]

    def _in_note(self, path: str, wanted: Container[str]) -> Iterator[DerivedLine]:
        data = None
        with suppress(VaultError):
            data = self._journaled.bytes_of(path)
        for number, line in enumerate(split_lines((data or b"").decode("utf-8", "replace")), 1):
            if line.strip() in wanted:
                yield DerivedLine(path, number, line)

    def forget(self, lines: Sequence[DerivedLine]) -> None:
        """Erase lines from their notes and from history. The caller completes the forgetting."""
        by_path: dict[str, set[str]] = {}
        for one in lines:
            if one.line is not None:
                by_path.setdefault(one.path, set()).add(one.text.strip())
        passages = [digest for path in by_path for digest in self._digests(path)]
        with_room = self._journaled.access.with_room
        # The journal first: broken off in between, the lines are still there to be forgotten again.
        with_room(lambda: self._erase_history(lines, passages))
        for path, texts in by_path.items():
            with_room(partial(self._journaled.scrub, path, partial(_without, gone=texts)))
        self._journaled.indexed(list(by_path))

    def _erase_history(self, lines: Sequence[DerivedLine], passages: Sequence[str]) -> None:
        said = sorted({statement_of(one.text).encode() for one in lines})
        with self._journaled.access.ledger.writing() as tx:
            erase_from_history(tx, said)
            at = stamp(self._journaled.access.now())
            for path in sorted({one.path for one in lines}):
                tx.journal.add(forgetting("note", path, at))
            begin(tx, [], list(passages))


def _added(tx: Transaction, entry: JournalEntry) -> Iterator[str]:
    """Yield the lines that a change added, if a person did not make it."""
    match entry.change:
        case _ if entry.actor == PERSON:
            return
        case NoteAppended(added=added):
            yield from (line.strip() for line in added.splitlines())
        case NoteWritten(before=before, after=after):
            had, has = ((tx.contents.get(one) if one else None) or b"" for one in (before, after))
            known = set(split_lines(had.decode("utf-8", "replace")))
            yield from (line.strip() for line in split_lines(has.decode("utf-8", "replace")) if line not in known)


def _without(data: bytes | None, *, gone: set[str]) -> bytes | None:
    """Remove lines; every other byte stays. A heading keeps its place without its words."""
    if data is None:
        return None
    kept = []
    for line in data.split(b"\n"):
        text = line.decode("utf-8", "replace").removesuffix("\r").strip()
        if text not in gone:
            kept.append(line)
        elif text.startswith("# "):
            kept.append(_UNTITLED.encode() + (b"\r" if line.endswith(b"\r") else b""))
    return b"\n".join(kept)
