"""Days with what happened on each: conversations, notes and changes."""

from __future__ import annotations

from typing import Literal, NamedTuple

NoteOfDay = Literal["daily", "note", "written"]  # the day's own note; a note of that day; a note last written then


class TimelineSession(NamedTuple):
    """A conversation on one day."""

    id: str  # empty: only its log is known
    agent: str | None
    project: str | None
    title: str
    prompts: int = 0  # messages for which context was looked for
    items: int = 0  # that were given
    tokens: int = 0
    at: str | None = None  # when something was given first
    path: str | None = None  # of its log, or of the note about it


class TimelineNote(NamedTuple):
    path: str
    title: str
    why: NoteOfDay
    lines: tuple[str, ...] = ()  # of the daily note: its entries


class TimelineChange(NamedTuple):
    """One change, as an example of its group."""

    number: int
    item: int | str
    text: str


class ChangeGroup(NamedTuple):
    """The changes by one source to one kind of item on one day."""

    actor: str
    agent: str | None
    kind: str
    operation: str
    total: int
    last: int  # the number of the last of these changes
    changes: tuple[TimelineChange, ...] = ()  # the last of them, the newest first


class TimelineDay(NamedTuple):
    day: str  # YYYY-MM-DD
    sessions: tuple[TimelineSession, ...] = ()
    more_sessions: int = 0  # that are not listed
    notes: tuple[TimelineNote, ...] = ()
    more_notes: int = 0
    changes: tuple[ChangeGroup, ...] = ()

    @property
    def is_empty(self) -> bool:
        return not (self.sessions or self.notes or self.changes)


class Timeline(NamedTuple):
    """Days on which something happened, the newest first."""

    first: str  # the days that were looked at, as YYYY-MM-DD
    last: str
    days: tuple[TimelineDay, ...]
    earlier: str | None = None  # the last day before these on which something happened
