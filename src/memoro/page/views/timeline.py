"""Timeline: days with their conversations, notes and changes."""

from __future__ import annotations

from datetime import date, timedelta
from typing import NamedTuple
from urllib.parse import urlencode

from memoro.model.projects import short_name
from memoro.model.timeline import ChangeGroup, Timeline, TimelineChange, TimelineDay, TimelineNote, TimelineSession
from memoro.operations.timeline import TIMELINE, ShowTimeline
from memoro.page.change_words import actor_name, group_title
from memoro.page.lists import without_block_ids
from memoro.page.proposal_words import reading_path
from memoro.page.view import PageRequest, Shown, View, Views

_DAYS = 7  # on a page


class SessionRow(NamedTuple):
    title: str
    href: str  # the conversation, or what it was given; empty: neither is known
    agent: str
    project: str
    at: str | None
    prompts: int
    tokens: int
    given: str  # the page of all that was given on that day; empty: nothing was
    is_note: bool


class NoteRow(NamedTuple):
    title: str
    path: str
    href: str
    why: str
    lines: tuple[str, ...]


class ChangeRow(NamedTuple):
    href: str  # of the change
    text: str


class GroupRow(NamedTuple):
    title: str
    actor: str
    agent: str
    changes: tuple[ChangeRow, ...]
    more: int


class DayRow(NamedTuple):
    day: str
    sessions: tuple[SessionRow, ...]
    more_sessions: int
    notes: tuple[NoteRow, ...]
    more_notes: int
    groups: tuple[GroupRow, ...]
    log: str  # the log up to the last change of the day; empty: nothing was changed


def timeline(request: PageRequest) -> Shown:
    query = request.query
    until, project = query.get("until"), query.get("project")
    found: Timeline = request.call(TIMELINE, ShowTimeline(until=until or None, project=project or None, days=_DAYS))
    today = request.m.today()
    last = date.fromisoformat(found.last)
    newer = min(last + timedelta(days=_DAYS), today)
    return Shown(
        "timeline.html",
        {
            "days": tuple(_day(one) for one in found.days),
            "until": found.last if until else "",
            "today": today.isoformat(),
            "first": found.first,
            "last": found.last,
            "project": project,
            "older": _url(found.earlier, project) if found.earlier else "",
            "newer": _url("" if newer >= today else newer.isoformat(), project) if last < today else "",
            "is_narrowed": bool(until or project or found.earlier),
        },
        part="days",
    )


def _url(until: str, project: str) -> str:
    given = [(name, value) for name, value in (("until", until), ("project", project)) if value]
    return f"/timeline?{urlencode(given)}" if given else "/timeline"


def _day(one: TimelineDay) -> DayRow:
    return DayRow(
        day=one.day,
        sessions=tuple(_session(each, one.day) for each in one.sessions),
        more_sessions=one.more_sessions,
        notes=tuple(_note(each) for each in one.notes),
        more_notes=one.more_notes,
        groups=tuple(_group(each) for each in one.changes),
        log=f"/log?{urlencode({'before': max(each.last for each in one.changes) + 1})}" if one.changes else "",
    )


def _session(one: TimelineSession, day: str) -> SessionRow:
    given = f"/?{urlencode({'day': day})}" if one.prompts or one.tokens else ""
    return SessionRow(
        title=one.title,
        href=reading_path(one.path) if one.path else given,
        agent=one.agent or "",
        project=short_name(one.project) if one.project else "",
        at=one.at,
        prompts=one.prompts,
        tokens=one.tokens,
        given=given,
        is_note=bool(one.path and one.path.endswith(".md")),
    )


def _note(one: TimelineNote) -> NoteRow:
    return NoteRow(title=one.title, path=one.path, href=reading_path(one.path), why=one.why, lines=one.lines)


def _group(one: ChangeGroup) -> GroupRow:
    return GroupRow(
        title=group_title(one),
        actor=actor_name(one.actor),
        agent=one.agent if one.agent and one.agent != one.actor else "",
        changes=tuple(
            ChangeRow(f"/log/{each.number}", without_block_ids(each.text) or str(each.item)) for each in one.changes
        ),
        more=one.total - len(one.changes),
    )


def _change(one: TimelineChange) -> ChangeRow:
    return ChangeRow(f"/log/{one.number}", without_block_ids(one.text) or str(one.item))


VIEWS: Views = (View("/timeline", timeline, menu="timeline"),)
