"""The notes that are always loaded, and the day's own, as they are on the disk now."""

from __future__ import annotations

from datetime import date
from typing import Literal, NamedTuple

from memoro.errors import NoteNotFound, NoteUnreadable, VaultError
from memoro.model.vocabulary import LoadedTier
from memoro.vault.days import named
from memoro.vault.encoding import decode
from memoro.vault.files import VaultFiles
from memoro.vault.layout import ROLES, folder_of
from memoro.vault.markdown import split_lines

LOADED: tuple[LoadedTier, ...] = ("procedural", "semantic", "pinned")
DAILY: Literal["daily"] = "daily"
PageSection = Literal[LoadedTier, "daily"]


class Page(NamedTuple):
    """Lines of one note for one section of a prompt."""

    section: PageSection
    path: str
    lines: tuple[str, ...]
    first: int = 1  # the number of the first of them
    date: str | None = None


class Pages(NamedTuple):
    found: tuple[Page, ...]
    missing: tuple[tuple[str, str], ...]  # path, why


class Day(NamedTuple):
    """Which note is today's, and how many of its last lines are wanted."""

    today: date
    folder: str
    pattern: str
    lines: int


def pages(vault: VaultFiles, day: Day) -> Pages:
    """What there is of them. One that is missing or cannot be read is said."""
    found: list[Page] = []
    missing: list[tuple[str, str]] = []
    for section in LOADED:
        page = next((page for name in ROLES[section] if (page := _page(vault, section, name, missing))), None)
        if page:
            found.append(page)
        elif not any(path in ROLES[section] for path, _ in missing):
            missing.append((ROLES[section][0], "there is no such note"))
    if day.lines:
        folder = folder_of(day.folder)
        path = f"{folder}/{named(day.pattern, day.today)}.md" if folder else f"{named(day.pattern, day.today)}.md"
        if page := _page(vault, DAILY, path, missing):
            first = max(1, len(page.lines) - day.lines + 1)
            found.append(page._replace(lines=page.lines[first - 1 :], first=first, date=day.today.isoformat()))
        else:
            missing.append((path, "there is no note of today"))
    return Pages(tuple(found), tuple(missing))


def _page(vault: VaultFiles, section: PageSection, path: str, missing: list[tuple[str, str]]) -> Page | None:
    try:
        lines = split_lines(decode(vault.read(path).data)[0])
    except NoteNotFound:
        return None
    except (NoteUnreadable, VaultError) as error:
        missing.append((path, str(error)))
        return None
    while lines and not lines[-1].strip():
        lines = lines[:-1]
    return Page(section, path, tuple(lines)) if lines else None
