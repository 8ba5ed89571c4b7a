"""The notes that are always loaded, and the day's own, as they are on the disk now."""

from __future__ import annotations

from datetime import date
from typing import Literal, NamedTuple

from memoro.errors import NoteNotFound, NoteUnreadable, NoteUnwritable, VaultError
from memoro.model.vocabulary import LoadedTier
from memoro.vault.daily_place import DailyPlace
from memoro.vault.encoding import decode
from memoro.vault.files import VaultFiles
from memoro.vault.layout import ROLES
from memoro.vault.markdown import split_lines

LOADED: tuple[LoadedTier, ...] = ("procedural", "semantic", "pinned")
DAILY: Literal["daily"] = "daily"
LoadedSection = Literal[LoadedTier, "daily"]


class LoadedNote(NamedTuple):
    """Lines of one note for one section of a prompt."""

    section: LoadedSection
    path: str
    lines: tuple[str, ...]
    first: int = 1  # the number of the first of them
    date: str | None = None


class AlwaysLoaded(NamedTuple):
    """The notes for a prompt, and those that are missing."""

    found: tuple[LoadedNote, ...]
    missing: tuple[tuple[str, str], ...]  # path, why


class TodaysNote(NamedTuple):
    """Which note is today's, and how many of its last lines are wanted."""

    today: date
    place: DailyPlace
    lines: int


def read_always_loaded(vault: VaultFiles, day: TodaysNote) -> AlwaysLoaded:
    """Read those that there are; one that is missing or cannot be read is reported."""
    found: list[LoadedNote] = []
    missing: list[tuple[str, str]] = []
    for section in LOADED:
        note = next((note for name in ROLES[section] if (note := _read(vault, section, name, missing))), None)
        if note:
            found.append(note)
        elif not any(path in ROLES[section] for path, _ in missing):
            missing.append((ROLES[section][0], "there is no such note"))
    if day.lines:
        note = _todays(vault, day, missing)
        if note:
            first = max(1, len(note.lines) - day.lines + 1)
            found.append(note._replace(lines=note.lines[first - 1 :], first=first, date=day.today.isoformat()))
    return AlwaysLoaded(tuple(found), tuple(missing))


def _todays(vault: VaultFiles, day: TodaysNote, missing: list[tuple[str, str]]) -> LoadedNote | None:
    paths = day.place.paths_to_read(day.today)
    try:
        day.place.check(day.today)
    except NoteUnwritable as error:
        missing.append((paths[0], str(error)))
        return None
    note = next((note for path in paths if (note := _read(vault, DAILY, path, missing))), None)
    if note is None:
        missing.append((paths[0], "there is no note of today"))
    return note


def _read(vault: VaultFiles, section: LoadedSection, path: str, missing: list[tuple[str, str]]) -> LoadedNote | None:
    try:
        lines = split_lines(decode(vault.read(path).data)[0])
    except NoteNotFound:
        return None
    except (NoteUnreadable, VaultError) as error:
        missing.append((path, str(error)))
        return None
    while lines and not lines[-1].strip():
        lines = lines[:-1]
    return LoadedNote(section, path, tuple(lines)) if lines else None
