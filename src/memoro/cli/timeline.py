"""The view of `memoro timeline`: what a person sees."""

from __future__ import annotations

from memoro.cli.command import command
from memoro.cli.journal import verb
from memoro.cli.lines import say
from memoro.cli.show import printable
from memoro.model.local_time import local
from memoro.model.notes import counted
from memoro.model.projects import short_name
from memoro.model.timeline import ChangeGroup, Timeline, TimelineDay, TimelineNote, TimelineSession
from memoro.operations.timeline import TIMELINE, ShowTimeline

_SHORT = 70  # letters of a title or a text
# The operations that read wrong before "a memory"; `memoro log` names the change or the item behind them.
_VERBS = {"undo": "undo a change of", "trust": "set the trust of", "visibility": "set the visibility of"}


def _show(found: Timeline, _request: ShowTimeline) -> None:
    for day in found.days:
        _show_day(day)
    if not found.days:
        say(f"No conversation, note or change from {found.first} to {found.last}.")
    if found.earlier:
        say(f"Earlier: `memoro timeline --until {found.earlier}`.")


def _show_day(day: TimelineDay) -> None:
    say(day.day)
    for session in day.sessions:
        say(printable(f"   {_session(session)}"), hang=5)
    if day.more_sessions:
        say(f"   … and {counted(day.more_sessions, 'more session')}")
    for note in day.notes:
        say(printable(f"   {_note(note)}"), hang=5)
        for line in note.lines:
            say(printable(f"     - {_short(line)}"), hang=7)
    if day.more_notes:
        say(f"   … and {counted(day.more_notes, 'more note')}")
    for group in day.changes:
        say(printable(f"   {_group(group)}"), hang=5)


def _session(one: TimelineSession) -> str:
    at = f"{local(one.at)[-5:]} " if one.at else ""
    who = one.agent or "a conversation"
    where = f" in {short_name(one.project)}" if one.project else ""
    given = f", {counted(one.prompts, 'prompt')}, {one.tokens:,} tokens" if one.prompts or one.tokens else ""
    title = f": {_short(one.title)}" if one.title else ""
    return f"{at}{who}{where}{given}{title}"


def _note(one: TimelineNote) -> str:
    said = {"daily": "daily note", "note": "note", "written": "written"}[one.why]
    return f"{said} {one.path}"


def _group(one: ChangeGroup) -> str:
    agent = f" ({one.agent})" if one.agent and one.agent != one.actor else ""
    told = "; ".join(_short(change.text or str(change.item)) for change in one.changes[:2])
    more = f", {one.total} times" if one.total > 1 else ""
    return f"{one.actor}{agent}: {_done(one)}{more}{f': {told}' if told else ''}"


def _done(one: ChangeGroup) -> str:
    item = f"an {one.kind}" if one.kind[0] in "aeiou" else f"a {one.kind}"
    return f"{_VERBS.get(one.operation) or verb(one.kind, one.operation)} {item}"


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _SHORT else f"{line[: _SHORT - 1]}…"


VIEWS = {"timeline": command(TIMELINE, _show)}
