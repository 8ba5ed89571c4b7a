"""Daily notes: a line for what happened, in the file of its owner's day."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from typing import NamedTuple

from memoro.memories.book import Clean
from memoro.notes.scribe import PERSON, Scribe
from memoro.store.sqlite.ledger.notes import Line, seen

# How Obsidian's daily notes are named (moment.js), as far as names of days are made of it.
_TOKENS = {
    "YYYY": "%Y", "YY": "%y", "MMMM": "%B", "MMM": "%b", "MM": "%m", "M": "{month}", "DD": "%d", "D": "{day}",
    "dddd": "%A", "ddd": "%a", "ww": "%V", "WW": "%V", "gggg": "%G", "GGGG": "%G",
}  # fmt: skip
_TOKEN = re.compile(r"\[([^\]]*)\]|(" + "|".join(sorted(_TOKENS, key=len, reverse=True)) + ")")


class DailyLine(NamedTuple):
    path: str
    line: str
    change: int
    redacted: tuple[str, ...] = ()


class Daily:
    """`m.daily`: appending, so that no line is lost or overwritten, whoever else writes."""

    def __init__(self, scribe: Scribe, folder: str, pattern: str) -> None:
        self._scribe = scribe
        self._folder = folder
        self._pattern = pattern

    def add(self, text: str, *, by: str = PERSON) -> DailyLine:
        """Append `- HH:MM text` to today's note, by the clock on its owner's wall."""
        said, redacted = self._scribe.book.clean(text) if by != PERSON else Clean(text, ())
        now = self._scribe.book.now().astimezone()
        line = f"- {now:%H:%M} {' '.join(said.split())}"
        path = self.path(now.date())

        def appended(before: bytes | None) -> bytes:
            if before is None:
                return f"# {now:%Y-%m-%d}\n\n{line}\n".encode()
            newline = "\r\n" if before.count(b"\r\n") * 2 > before.count(b"\n") else "\n"
            missing = "" if not before or before.endswith(b"\n") else newline
            return f"{missing}{line}{newline}".encode()

        done = self._scribe.append("daily", path, appended, line, by=by)
        return DailyLine(path, line, done.entry, redacted)

    def path(self, day: date) -> str:
        return "/".join(part for part in (self._folder.strip("/"), f"{named(self._pattern, day)}.md") if part)

    def put_back(self) -> list[str]:
        """Put back once what a save of an older version dropped; the paths of the notes that got a line back.

        A line that is dropped a second time was deleted by its owner, and so was one that had survived a
        save of theirs: those stay deleted.
        """
        with self._scribe.book.ledger.reading() as pages:
            lines = pages.notes.looked_after()
        paths = dict.fromkeys(one.path for one in lines)
        return [path for path in paths if self._put_back(path, [one for one in lines if one.path == path])]

    def _put_back(self, path: str, lines: Sequence[Line]) -> bool:
        now = self._scribe.bytes_of(path) or b""
        if seen(now) == lines[-1].seen:  # nobody else has saved it since
            return False
        dropped = [one for one in lines if one.line.encode() not in now and not one.returned]
        after = now + b"".join(_at_end(now, one.line) for one in dropped)
        with self._scribe.book.ledger.writing() as pages:
            for one in lines:
                if one in dropped:
                    pages.notes.put_back(one.entry, seen(after))
                else:
                    pages.notes.leave(one.entry)
        for one in dropped:
            self._scribe.pen.append(path, lambda before, line=one.line: _at_end(before, line))  # type: ignore[misc]
        return bool(dropped)


def _at_end(before: bytes | None, line: str) -> bytes:
    missing = "\n" if before and not before.endswith(b"\n") else ""
    return f"{missing}{line}\n".encode()


def named(pattern: str, day: date) -> str:
    """The name of a day's note, by a pattern as Obsidian writes it: YYYY-MM-DD, YYYY/MM-MMMM/DD, …"""

    def token(found: re.Match[str]) -> str:
        if found[1] is not None:
            return found[1]
        code = _TOKENS[found[2]]
        return code.format(month=day.month, day=day.day) if "{" in code else day.strftime(code)

    return _TOKEN.sub(token, pattern)
