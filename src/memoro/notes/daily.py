"""Daily notes: a line for what happened, in the file of its owner's day."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from datetime import date, timedelta
from typing import NamedTuple

from memoro.memories.book import Clean
from memoro.model import dates
from memoro.notes.scribe import PERSON, Scribe

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

    def __init__(
        self,
        scribe: Scribe,
        folder: str,
        pattern: str,
        paths: Callable[[], Iterable[str]],
        keep_days: int | None = None,
    ) -> None:
        self._keep_days = keep_days
        self._scribe = scribe
        self._paths = paths  # of all notes
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
        if done.written.before is None and self._keep_days is not None:  # the first line of a day
            self.tidy(self._keep_days)
        return DailyLine(path, line, done.entry, redacted)

    def path(self, day: date) -> str:
        return "/".join(part for part in (self._folder.strip("/"), f"{named(self._pattern, day)}.md") if part)

    def tidy(self, keep_days: int) -> list[str]:
        """Move days that are older than that to `archive/YYYY` in their folder, where they stay findable."""
        folder = self._folder.strip("/")
        oldest = self._scribe.book.now().astimezone().date() - timedelta(days=keep_days)
        moved = []
        for path in self._paths():
            name = path.rpartition("/")[2]
            day = dates.find_date(name)
            in_place = path == (f"{folder}/{name}" if folder else name)
            if day and in_place and name == f"{day}.md" and day < oldest.isoformat():
                moved.append(
                    self._scribe.move(path, f"{folder}/archive/{day[:4]}/{name}", by="schedule").written.path
                )
        return moved


def named(pattern: str, day: date) -> str:
    """The name of a day's note, by a pattern as Obsidian writes it: YYYY-MM-DD, YYYY/MM-MMMM/DD, …"""

    def token(found: re.Match[str]) -> str:
        if found[1] is not None:
            return found[1]
        code = _TOKENS[found[2]]
        return code.format(month=day.month, day=day.day) if "{" in code else day.strftime(code)

    return _TOKEN.sub(token, pattern)
