"""Daily notes: a line for what happened, in the file of its owner's day."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime
from typing import NamedTuple, TypedDict, Unpack

from memoro.errors import Refused
from memoro.ledger.access import Once
from memoro.model.results import DailyResult
from memoro.model.vocabulary import PERSON
from memoro.notes.journaled_writer import JournaledWriter, NoteWrite
from memoro.notes.keyed import KeyedWrite
from memoro.vault.conflict_marks import refuse_conflicted
from memoro.vault.daily_lines import tagged
from memoro.vault.daily_place import DailyPlace
from memoro.vault.entries import plain
from memoro.vault.markdown import split_lines


class DailyLine(NamedTuple):
    path: str
    line: str
    change: int  # 0: it stood there already
    redacted: tuple[str, ...] = ()


class DailyOptions(TypedDict, total=False):
    by: str  # the person by default
    at: datetime | None  # when it happened, where that is told later
    key: str | None
    project: str | None


class Daily:
    """`m.daily`: appending, so that no line is lost or overwritten, whoever else writes."""

    def __init__(self, journaled: JournaledWriter, place: Callable[[], DailyPlace]) -> None:
        self._journaled = journaled
        self._place = place  # it may change while a process runs: the owner makes the folder
        self.project: str | None = None  # of the lines that agents add, where they name no other

    def add(
        self,
        text: str,
        *,
        by: str = PERSON,
        at: datetime | None = None,
        key: str | None = None,
        project: str | None = None,
    ) -> DailyLine:
        """Append `- HH:MM text` to today's note, by the clock on its owner's wall.

        `at` is when it happened, where that is told later; the line then stands there once, however often it is told.
        With a `key`, a line that was added is not added again, also where a process died on the way.
        A line of an agent ends with the tag of its project.
        """
        access = self._journaled.access
        said, redacted = access.authored(text, by_agent=by != PERSON)
        said = plain(said)
        if not said:
            raise Refused("An empty line says nothing. Give it a sentence.")
        if by != PERSON:
            said = tagged(said, project or self.project)
        once = Once(key, ("daily", text, by), DailyResult)
        write = KeyedWrite(self._journaled, once)
        if kept := write.first():
            return DailyLine(path=kept.path, line=f"- {kept.at} {said}", change=kept.change, redacted=redacted)
        now = (at or access.now()).astimezone()
        line = f"- {now:%H:%M} {said}"
        self._place().check(now.date())
        path = self.path(now.date())
        if at and line in split_lines((self._journaled.bytes_of(path) or b"").decode("utf-8", "replace")):
            if key is not None:
                access.once(once, lambda _tx: DailyResult(path, f"{now:%H:%M}", 0))
            return DailyLine(path=path, line=line, change=0, redacted=redacted)

        def appended(before: bytes | None) -> bytes:
            refuse_conflicted(path, before)
            if before is None:
                return f"# {now:%Y-%m-%d}\n\n{line}\n".encode()
            newline = "\r\n" if before.count(b"\r\n") * 2 > before.count(b"\n") else "\n"
            missing = "" if not before or before.endswith(b"\n") else newline
            return f"{missing}{line}{newline}".encode()

        made = write.run(
            lambda: self._journaled.append(path, appended, line, by=by, keep=write.keep),
            lambda entry: DailyResult(path, f"{now:%H:%M}", entry),
        )
        return DailyLine(path=made.path, line=f"- {made.at} {said}", change=made.change, redacted=redacted)

    def replace(self, old: str, text: str, **options: Unpack[DailyOptions]) -> DailyLine | None:
        """Put `- HH:MM text` in the place of a line that an agent added that day; None where it stands no more.

        With a `key`, `add` does not add the same text again.
        """
        by, at, project = options.get("by", PERSON), options.get("at"), options.get("project")
        said, redacted = self._journaled.access.authored(text, by_agent=by != PERSON)
        now = (at or self._journaled.access.now()).astimezone()
        line = f"- {now:%H:%M} {tagged(plain(said), project or self.project)}"
        path = self.path(now.date())

        def replaced(before: bytes | None) -> bytes | None:
            refuse_conflicted(path, before)
            lines = (before or b"").split(b"\n")
            place = next((n for n, one in enumerate(lines) if one.removesuffix(b"\r") == old.encode()), None)
            if place is None:
                return before
            lines[place] = line.encode() + (b"\r" if lines[place].endswith(b"\r") else b"")
            return b"\n".join(lines)

        if old not in split_lines((self._journaled.bytes_of(path) or b"").decode("utf-8", "replace")):
            return None
        done = self._journaled.write(NoteWrite("edit", path, by, line=lambda: line), replaced)
        if key := options.get("key"):
            kept = DailyResult(path, f"{now:%H:%M}", done.entry)
            self._journaled.access.once(Once(key, ("daily", text, by), DailyResult), lambda _tx: kept)
        return DailyLine(path=path, line=line, change=done.entry, redacted=redacted)

    def path(self, day: date) -> str:
        return self._place().path(day)
