"""The notes that are always loaded, and the day's own, as they are on the disk now."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Literal, NamedTuple

from memoro.errors import NoteNotFound, NoteUnreadable, NoteUnwritable, VaultError
from memoro.model.belonging import known_project
from memoro.model.extracted_lines import is_extracted
from memoro.model.feedback import told_line
from memoro.model.privacy import is_hidden, private_lines, tagged_lines
from memoro.model.ratings import MutedWords
from memoro.model.scope import Scope
from memoro.model.vocabulary import LoadedTier
from memoro.vault.daily_lines import lines_that, of_project_test, without_foreign
from memoro.vault.daily_place import DailyPlace
from memoro.vault.encoding import decode
from memoro.vault.files import VaultFiles
from memoro.vault.layout import ROLES
from memoro.vault.markdown import outline, parse, split_lines

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
    is_private: bool = False


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
        note = _worth_a_prompt(note) if note else None
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


def _worth_a_prompt(note: LoadedNote) -> LoadedNote | None:
    """Return the note with nothing for lines that every prompt can do without.

    No person has approved what was extracted, and "an answer was good" tells an agent nothing. A correction stays.
    """
    lines = ["" if is_extracted(line) else told_line(line) for line in note.lines]
    while lines and not lines[-1].strip():
        lines.pop()
    has_text = any(line.strip() and not line.startswith("#") for line in lines)
    return note._replace(lines=tuple(lines)) if has_text or note.lines == tuple(lines) else None


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
        is_private=note is not None and note.privacy == "private",
    )


def within(loaded: AlwaysLoaded, scope: Scope, *, is_vault: bool = False) -> AlwaysLoaded:
    """The notes and the lines that a session with this scope is given.

    Of the day's note these are the lines of the session's project; without a project, and where the project is the
    vault itself, all that is not private.
    """
    own = known_project(scope.project, scope.known_as) if scope.project and not is_vault else None

    def seen(note: LoadedNote) -> LoadedNote | None:
        if not scope.owns(note.agent, note.project) or _is_hidden(note, scope):
            return None
        lines = note.lines if scope.private else _open_lines(note)
        if note.section == DAILY and own:
            kept = set(lines_that(lines, of_project_test(own)))
            lines = tuple(line if number in kept else "" for number, line in enumerate(lines))
        elif note.section == DAILY:
            lines = tuple(without_foreign(lines, scope.projects))
        if lines == note.lines:
            return note
        has_text = any(line.strip() and not line.startswith("#") for line in lines)
        return _trimmed(note._replace(lines=lines)) if has_text else None

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


def without_muted_lines(loaded: AlwaysLoaded, muted: MutedWords) -> AlwaysLoaded:
    """The notes, with nothing for lines that are not to be given: the numbers of the others stay true."""
    if not muted.said:
        return loaded
    notes = [one._replace(lines=tuple(map(muted.line_without, one.lines))) for one in loaded.found]
    return loaded._replace(found=tuple(notes))


def _is_hidden(note: LoadedNote, scope: Scope) -> bool:
    return not scope.private and (note.is_private or is_hidden(note.path, (), scope.hidden))


def _open_lines(note: LoadedNote) -> tuple[str, ...]:
    """The lines, with nothing for those that are private: the numbers of the others stay true."""
    if note.section == DAILY:
        private = private_lines(note.lines, outline(list(note.lines), 0).headings, (), whole_sections=False)
    else:
        private = tagged_lines(note.lines, ())
    return tuple("" if number in private else line for number, line in enumerate(note.lines, 1))


def _trimmed(note: LoadedNote) -> LoadedNote:
    """The note without blank lines at its beginning and end; the numbers of the others stay true."""
    written = [number for number, line in enumerate(note.lines) if line.strip()]
    return note._replace(lines=note.lines[written[0] : written[-1] + 1], first=note.first + written[0])
