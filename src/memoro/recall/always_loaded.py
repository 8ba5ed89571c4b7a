"""The notes that are always loaded, and the day's own, as they are on the disk now."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Literal, NamedTuple

from memoro.errors import NoteNotFound, NoteUnreadable, NoteUnwritable, VaultError
from memoro.model.projects import belongs
from memoro.model.vocabulary import LoadedTier
from memoro.vault.daily_lines import without_foreign
from memoro.vault.daily_place import DailyPlace
from memoro.vault.encoding import decode
from memoro.vault.files import VaultFiles
from memoro.vault.layout import ROLES
from memoro.vault.markdown import parse, split_lines

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
    agent: str | None = None  # by its frontmatter
    project: str | None = None


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
    if not lines:
        return None
    note = parse("\n".join(lines), path).note if lines[0].startswith("---") else None
    return LoadedNote(
        section=section,
        path=path,
        lines=tuple(lines),
        agent=note.agent if note else None,
        project=note.project if note else None,
    )


def within(loaded: AlwaysLoaded, agents: tuple[str, ...], projects: tuple[str, ...]) -> AlwaysLoaded:
    """The notes, and the lines of the daily note, that a session bound to these agents and projects sees."""

    def seen(note: LoadedNote) -> LoadedNote | None:
        if not belongs(note.project, projects) or (agents and note.agent not in (None, *agents)):
            return None
        if note.section != DAILY:
            return note
        lines = without_foreign(note.lines, projects)
        own = [line for line in lines if line.strip() and not line.startswith("#")]
        return note._replace(lines=tuple(lines)) if own or lines == list(note.lines) else None

    return loaded._replace(found=tuple(note for one in loaded.found if (note := seen(one))))


def without_lines_about(loaded: AlwaysLoaded, titles: Sequence[str]) -> AlwaysLoaded:
    """The notes, and of today's no lines about sessions of these titles: the prompt tells of them already."""
    if not titles:
        return loaded

    def rest(note: LoadedNote) -> LoadedNote | None:
        if note.section != DAILY:
            return note
        lines = tuple("" if any(title in line for title in titles) else line for line in note.lines)
        is_empty = not any(line.strip() and not line.startswith("#") for line in lines)
        return None if is_empty else note._replace(lines=lines)

    return loaded._replace(found=tuple(note for one in loaded.found if (note := rest(one))))
