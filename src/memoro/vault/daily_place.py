"""Where the daily notes of a vault are: their folder, and the pattern of their names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from datetime import date
from typing import NamedTuple

from memoro.errors import NoteUnwritable
from memoro.vault.days import is_dated, named
from memoro.vault.layout import ISO, ROLES, folder_of

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}\.md")
_ROLE_NAMES = {name.casefold() for names in ROLES.values() for name in names}


class FolderEntry(NamedTuple):
    name: str
    is_folder: bool


class DailyPlace(NamedTuple):
    folder: str  # empty: the top of the vault
    pattern: str = ISO

    @classmethod
    def of_settings(cls, folder: str, pattern: str) -> DailyPlace:
        return cls(folder_of(folder), pattern)

    def path(self, day: date) -> str:
        return self.below(f"{named(self.pattern, day)}.md")

    def below(self, name: str) -> str:
        return f"{self.folder}/{name}" if self.folder else name

    def paths_to_read(self, day: date) -> tuple[str, ...]:
        """Return where the note of a day may be: its own place, then those of other layouts that are understood."""
        others = (f"{day:%Y-%m-%d}.md", f"memory/{day:%Y-%m-%d}.md")
        return tuple(dict.fromkeys([self.path(day), *others]))

    def check(self, day: date) -> None:
        """Raise NoteUnwritable where a daily note would be a file that is no note of a day."""
        path = self.path(day)
        what = "is always loaded" if path.casefold() in _ROLE_NAMES else "has the same name on every day"
        if path.casefold() in _ROLE_NAMES or not is_dated(self.pattern):
            raise NoteUnwritable(
                f"The settings for daily notes name {path}, which {what}, so nothing was written. A daily note has "
                "the day in its name: correct `format` in .obsidian/daily-notes.json, or set daily.folder and "
                "daily.pattern in memoro.toml, with daily.obsidian = false."
            )


def find_folder(entries: Callable[[str], Iterable[FolderEntry]]) -> str:
    """Return the folder in which a vault keeps its daily notes; `daily` where it has none yet.

    An existing `daily` folder comes first, in any case; then dated notes at the top of the vault; then in `memory`.
    """
    top = list(entries(""))
    folders = sorted((one.name for one in top if one.is_folder), reverse=True)  # `daily` before `Daily`
    if found := next((name for name in folders if name.lower() == "daily"), None):
        return found
    if _has_days(top):
        return "."
    return next((name for name in folders if name.lower() == "memory" and _has_days(entries(name))), "daily")


def _has_days(entries: Iterable[FolderEntry]) -> bool:
    return any(not one.is_folder and _DAY.fullmatch(one.name) for one in entries)
