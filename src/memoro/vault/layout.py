"""Tell the purpose of a file from its path."""

import re
from collections.abc import Iterable
from typing import NamedTuple

from memoro.model.daily_folders import daily_folders
from memoro.model.notes import kind_of
from memoro.model.vocabulary import LoadedTier, Tier

# Names of the always-loaded files in order of preference: existing layouts work as they are.
ROLES: dict[LoadedTier, tuple[str, ...]] = {
    "semantic": ("MEMORY.md", "Memory.md", "memory.md", "GEMINI.md"),
    "procedural": ("PROCEDURAL.md", "Procedural.md", "procedural.md"),
    "pinned": ("PINNED.md", "Pinned.md", "pinned.md"),
}
ARCHIVE = "archive/"  # retired entries of an always-loaded file are in a note of its name in this folder
AGENTS_FOLDER = "agent/"  # notes that agents write
AGENTS_ARCHIVE = f"{AGENTS_FOLDER}archive/"  # those of them that were retired
_LOADED_NAMES = {name for names in ROLES.values() for name in names}
ISO = "YYYY-MM-DD"  # the default pattern of daily notes
_DATED = r"(?i)\d{4}-\d{2}-\d{2}\.md"
_ARCHIVE_OF_DAYS = re.compile(r"(?i)archive/\d{4}")  # where old days from the top of a vault are moved
_DATED_WITH_TOPIC = re.compile(r"(?is)\d{4}-\d{2}-\d{2}(?:[-_ ].*)?\.md")

FRESH_MEMORY = """# Memory

## Preferences and style

## Project context

## Patterns and conventions

## Operational notes
"""


def is_retired(path: str) -> bool:
    """Return whether a note holds what was retired: entries of an always-loaded file, or a note of an agent.

    The index keeps it, and only a search that names its path finds it.
    """
    return path.startswith(AGENTS_ARCHIVE) or (path.startswith(ARCHIVE) and path[len(ARCHIVE) :] in _LOADED_NAMES)


class Layout(NamedTuple):
    roles: dict[str, LoadedTier]  # path -> tier, for the always-loaded files
    doubles: tuple[str, ...]  # one sentence for each role that two files claim
    daily_folder: str  # of the settings
    daily_pattern: str = ISO
    other_daily_folders: frozenset[str] = frozenset()  # that hold daily notes by their names, or by their notes

    def tier(self, path: str) -> Tier:
        if path in self.roles:
            return self.roles[path]
        if kind_of(path) == "transcript":
            return "transcript"
        folder, _, name = path.rpartition("/")
        top = path.partition("/")[0].lower() if folder else ""
        if self._is_daily(folder, name):
            return "daily"
        if top == "sessions":
            return "episodic"
        return "skill" if top == "skills" else "note"

    def day(self, path: str) -> str | None:
        """Return the day of a daily note, by the pattern that its owner has chosen."""
        from memoro.vault.days import day_of  # few vaults set a pattern

        inside = f"{self.daily_folder}/" if self.daily_folder else ""
        if not path.startswith(inside):
            return None
        below = path[len(inside) : -3]
        kept = below.removeprefix("archive/")  # old days move there, below their year
        names = (kept,) if kept == below else (kept, kept.partition("/")[2])
        found = next((day for name in names if (day := day_of(self.daily_pattern, name))), None)
        return found.isoformat() if found else None

    def _is_daily(self, folder: str, name: str) -> bool:
        if self.daily_pattern != ISO and self.day(f"{folder}/{name}" if folder else name):
            return True
        if folder == "":
            return bool(re.fullmatch(_DATED, name))
        is_for_days = (
            folder in self.other_daily_folders
            or self._is_daily_folder(folder)
            or bool(_ARCHIVE_OF_DAYS.fullmatch(folder))
        )
        return is_for_days and bool(_DATED_WITH_TOPIC.fullmatch(name))

    def _is_daily_folder(self, folder: str) -> bool:
        """Return whether a folder is that of daily notes or below it, in any case: `Daily` is `daily`."""
        return bool(self.daily_folder) and f"{folder}/".lower().startswith(f"{self.daily_folder}/".lower())

    def may_be_retiered(self, path: str, tier: Tier) -> bool:
        """Return whether other files, or another version of Memoro, may give a path another tier than it had.

        Each sync asks this of every file, so it compares no more than it must.
        """
        folder, _, name = path.rpartition("/")
        if not folder:
            return True
        if self._is_daily_folder(folder):
            return not path.startswith(f"{self.daily_folder}/")
        return (folder in self.other_daily_folders) != (tier == "daily") and bool(_DATED_WITH_TOPIC.fullmatch(name))


def folder_of(setting: str) -> str:
    """Return the folder of daily notes as paths have it: the settings write `.` for the top of the vault."""
    return setting.strip("/").removesuffix("/.").removeprefix("./") if setting.strip("/") != "." else ""


def layout(paths: Iterable[str], *, daily_folder: str, daily_pattern: str = ISO) -> Layout:
    """Assign each role to a file. If two claim one role, the first in order gets it; the other is a note."""
    paths = frozenset(paths)
    top = {path for path in paths if "/" not in path}
    roles: dict[str, LoadedTier] = {}
    doubles: list[str] = []
    for tier, names in ROLES.items():
        present = [name for name in names if name in top]
        if present:
            roles[present[0]] = tier
        doubles.extend(
            f"{present[0]} is the {tier} file; {other} is read as an ordinary note. "
            "Merge the two, or rename one, to have a single home for it."
            for other in present[1:]
        )
    return Layout(
        roles=roles,
        doubles=tuple(doubles),
        daily_folder=folder_of(daily_folder),
        daily_pattern=daily_pattern,
        other_daily_folders=daily_folders(paths),
    )
