"""The timeline: what happened on each of some days, read from the ledger, the index and the daily notes."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import date, datetime, time, timedelta
from typing import TYPE_CHECKING, NamedTuple

from memoro.errors import MemoroError, QueryError
from memoro.ledger.change_texts import fill_text_with_subject
from memoro.ledger.history import fill_first_words
from memoro.model.journal import ChangeCount, ChangeFilter, JournalEntry
from memoro.model.local_time import local_day
from memoro.model.memories import stamp
from memoro.model.projects import short_name
from memoro.model.recalls import StoredRecall
from memoro.model.timeline import (
    ChangeGroup,
    Timeline,
    TimelineChange,
    TimelineDay,
    TimelineNote,
    TimelineSession,
)
from memoro.sessions.encoding import is_unasked, tokens_of
from memoro.sessions.history import first_message
from memoro.store.ports import DatedFile, FilesOfDay, WrittenBetween

if TYPE_CHECKING:
    from memoro.ledger.ports import Transaction
    from memoro.model.sessions import Session
    from memoro.wiring import Collaborators

MOST_DAYS = 366
_MOST_SESSIONS = 40  # of a day
_MOST_NOTES = 12
_MOST_FILES = 200  # of a day: logs among them belong to sessions
_MOST_READ = 16  # changes of a day whose texts are read
_MOST_EXAMPLES = 4  # of a group
_MOST_LINES = 12  # of a daily note
_SECOND = 10**9


class DaySpan(NamedTuple):
    """The days that are wanted, and the project."""

    first: date
    last: date
    project: str | None = None


class _Day(NamedTuple):
    """One day as times: of the ledger, and of files."""

    day: date
    begin: str
    end: str
    written: WrittenBetween


def timeline(parts: Collaborators, span: DaySpan) -> Timeline:
    """The days of the span on which something happened, newest first. Only these days are read."""
    if span.first > span.last:
        raise QueryError(f"{span.first} is after {span.last}. Name the earlier day with --since.")
    if (span.last - span.first).days >= MOST_DAYS:
        raise QueryError(f"That is more than {MOST_DAYS} days. Ask for fewer at once.")
    reading = _DayReading(parts, span.project)
    days = [span.last - timedelta(days=back) for back in range((span.last - span.first).days + 1)]
    found = tuple(day for day in map(reading.day, days) if not day.is_empty)
    return Timeline(
        first=span.first.isoformat(), last=span.last.isoformat(), days=found, earlier=reading.before(span.first)
    )


class _DayReading:
    def __init__(self, parts: Collaborators, project: str | None) -> None:
        self._parts = parts
        self._project = project

    def day(self, day: date) -> TimelineDay:
        times = _times(day)
        files = self._files(times)
        with self._parts.ledger.services.access.ledger.reading() as tx:
            sessions = self._sessions(tx, times, files.files)
            changes = () if self._project else _changes(tx, times)
        notes = self._notes(day, files)
        return TimelineDay(
            day=day.isoformat(),
            sessions=tuple(sessions[:_MOST_SESSIONS]),
            more_sessions=len(sessions[_MOST_SESSIONS:]),
            notes=tuple(notes[:_MOST_NOTES]),
            more_notes=len(notes[_MOST_NOTES:]) + max(0, files.total - len(files.files)),
            changes=changes,
        )

    def before(self, day: date) -> str | None:
        """The last day before this one on which something happened."""
        begin = _times(day).begin
        with self._parts.ledger.services.access.ledger.reading() as tx:
            moments = [tx.sessions.neighbours(begin, begin)[0], tx.journal.last_before(begin)]
        days = [local_day(at) for at in moments if at is not None]
        indexed = self._index_day_before(day.isoformat())
        return max([*days, *([indexed] if indexed else [])], default=None)

    def _index_day_before(self, day: str) -> str | None:
        if not self._parts.indexing.is_ready():
            return None
        return self._parts.indexing.read(lambda index: index.last_day_before(day))

    def _files(self, times: _Day) -> FilesOfDay:
        if not self._parts.indexing.is_ready():
            return FilesOfDay((), 0)
        found = self._parts.indexing.read(
            lambda index: index.files_of_day(times.day.isoformat(), times.written, _MOST_FILES)
        )
        shows_private = self._parts.home.runtime.scope.private
        shown = tuple(one for one in found.files if shows_private or not one.is_private)
        if self._project:
            shown = tuple(one for one in shown if one.project and self._is_wanted(one.project))
            return FilesOfDay(shown, len(shown))
        return FilesOfDay(shown, found.total - (len(found.files) - len(shown)))

    def _is_wanted(self, project: str | None) -> bool:
        if self._project is None:
            return True
        names = (project.lower(), short_name(project).lower()) if project else ()
        return self._project.lower() in names

    def _sessions(self, tx: Transaction, times: _Day, files: Sequence[DatedFile]) -> list[TimelineSession]:
        logs = {_stem(one.path): one for one in files if one.tier == "transcript"}
        about = {one.session: one for one in files if one.tier == "episodic" and one.session}
        recalls: dict[str, list[StoredRecall]] = {}
        for row in tx.sessions.recalls_between(times.begin, times.end):
            recalls.setdefault(row.session, []).append(row)
        found: list[TimelineSession] = []
        for name, rows in recalls.items():
            session = tx.sessions.find(name)
            if session is not None and self._is_wanted(session.scope.project):
                found.append(_session(session, rows, logs.get(name) or about.get(name)))
        day = times.day.isoformat()
        own = [one for one in logs.values() if one.day == day and _stem(one.path) not in recalls]
        own += [one for name, one in about.items() if one.day == day and name not in recalls and name not in logs]
        return [*found, *(_from_file(one) for one in own)]

    def _notes(self, day: date, files: FilesOfDay) -> list[TimelineNote]:
        order = ("daily", "note", "written")
        shown = (one for one in files.files if one.tier not in ("transcript", "episodic"))
        return sorted((self._note(day.isoformat(), one) for one in shown), key=lambda one: order.index(one.why))

    def _note(self, day: str, one: DatedFile) -> TimelineNote:
        if one.tier == "daily" and one.day == day:
            return TimelineNote(path=one.path, title=one.title, why="daily", lines=self._lines(one.path))
        return TimelineNote(path=one.path, title=one.title, why="note" if one.day == day else "written")

    def _lines(self, path: str) -> tuple[str, ...]:
        """The entries of a daily note; none where it cannot be read."""
        with suppress(MemoroError):
            lines = self._parts.targets.get(path, scope="all").text.splitlines()
            said = [line.strip()[2:] for line in lines if line.strip().startswith(("- ", "* ", "+ "))]
            return tuple(said[:_MOST_LINES])
        return ()


def _times(day: date) -> _Day:
    begin, end = (datetime.combine(one, time()).astimezone() for one in (day, day + timedelta(days=1)))
    written = WrittenBetween(int(begin.timestamp()) * _SECOND, int(end.timestamp()) * _SECOND)
    return _Day(day=day, begin=stamp(begin), end=stamp(end), written=written)


def _stem(path: str) -> str:
    return path.rpartition("/")[2].rpartition(".")[0]


def _session(session: Session, rows: Sequence[StoredRecall], file: DatedFile | None) -> TimelineSession:
    prompts = [row for row in rows if not is_unasked(row)]
    messages = [(" ".join(row.message.split()), bool(row.detail["items"])) for row in prompts]
    return TimelineSession(
        id=session.id,
        agent=session.scope.agent,
        project=session.scope.project,
        title=session.title or first_message(messages) or (file.title if file else ""),
        prompts=len(prompts),
        items=sum(len(row.detail["items"]) for row in rows),
        tokens=sum(tokens_of(row) for row in rows),
        at=rows[0].at,
        path=file.path if file else None,
    )


def _from_file(file: DatedFile) -> TimelineSession:
    return TimelineSession(
        id=file.session or "", agent=file.agent, project=file.project, title=file.title, path=file.path
    )


def _changes(tx: Transaction, times: _Day) -> tuple[ChangeGroup, ...]:
    counts = tx.journal.counts_between(times.begin, times.end)
    read = tx.journal.latest(_MOST_READ, ChangeFilter(since=times.begin, until=times.end)) if counts else []
    return tuple(_group(tx, one, read) for one in counts)


def _group(tx: Transaction, counted: ChangeCount, read: Sequence[JournalEntry]) -> ChangeGroup:
    own = [one for one in read if (one.actor, one.agent, one.kind, one.operation) == counted[:4]]
    told = [fill_text_with_subject(tx, fill_first_words(tx, one)) for one in own[:_MOST_EXAMPLES]]
    return ChangeGroup(
        **counted._asdict(),
        changes=tuple(TimelineChange(number=one.id, item=one.item, text=one.text) for one in told),
    )
