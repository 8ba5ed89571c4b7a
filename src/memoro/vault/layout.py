"""What a file is for, told by where it stands."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from memoro.model.notes import kind_of

# The always-loaded files, by their names in order of preference: existing layouts work as they are.
ROLES = {
    "semantic": ("MEMORY.md", "Memory.md", "memory.md", "GEMINI.md"),
    "procedural": ("PROCEDURAL.md", "Procedural.md", "procedural.md"),
    "pinned": ("PINNED.md", "Pinned.md", "pinned.md"),
}
_DATED = r"(?i)\d{4}-\d{2}-\d{2}\.md"
_DATED_WITH_TOPIC = r"(?is)\d{4}-\d{2}-\d{2}(?:[-_ ].*)?\.md"

FRESH_MEMORY = """# Memory

## Preferences and style

## Project context

## Patterns and conventions

## Operational notes
"""


class Layout(NamedTuple):
    roles: dict[str, str]  # path -> tier, for the always-loaded files
    doubles: tuple[str, ...]  # a sentence for each role that two files claim
    daily_folder: str

    def tier(self, path: str) -> str:
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

    def _is_daily(self, folder: str, name: str) -> bool:
        if folder == "":
            return bool(re.fullmatch(_DATED, name))
        below = f"{folder}/".startswith(f"{self.daily_folder}/")
        return (below or folder.lower() == "memory") and bool(re.fullmatch(_DATED_WITH_TOPIC, name))


def layout(paths: Iterable[str], *, daily_folder: str) -> Layout:
    """Settle which file has which role. Two for one role: the first in order has it, the other is a note."""
    top = {path for path in paths if "/" not in path}
    roles: dict[str, str] = {}
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
    return Layout(roles, tuple(doubles), daily_folder.strip("/"))
