"""The last sessions of a project: from their notes, else from the logs of conversations that have none."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeVar

from memoro.errors import MemoroError, StoreError, VaultError
from memoro.model.answers import Where
from memoro.model.calendar_words import Span
from memoro.model.privacy import fields_say_private, is_hidden, line_is_private
from memoro.model.projects import means
from memoro.model.session_digest import SessionDigest

if TYPE_CHECKING:
    from memoro.model.notes import Hidden
    from memoro.store.ports import Index, IndexedSession
    from memoro.vault.files import VaultFiles

T = TypeVar("T")

FOLDER = "sessions"  # of the vault
_TOPICS = "## Topics"
_FRESH = 24  # names at the end of the folder that the index may not know yet
_FRONT_LINES = 20
_MOST_LOGS = 3  # conversations without a note that are read for one answer
_ENOUGH_NOTES = 3  # before which conversations without a note are not looked at
_RUNNING = timedelta(minutes=10)  # a conversation in which something was said since then is going on elsewhere
_AFTER_END = timedelta(minutes=2)  # a log may have a last line of its host after the end
_TAIL = 64 * 1024  # bytes at the end of a log, with its last time


class IndexAccess(Protocol):
    """Does something with the index, and returns its result."""

    def __call__(self, work: Callable[[Index], T]) -> T: ...


class SessionSources(NamedTuple):
    """Where past sessions are read, and who asks."""

    vault: VaultFiles
    read: IndexAccess
    where: Where  # whose bound projects and agents decide
    now: datetime
    own: str = ""  # the session that asks: its host's id, or the name of its log, which holds that
    hidden: Callable[[], Hidden | None] | None = None  # what its owner has forgotten


class PastSession(NamedTuple):
    """One session that has ended."""

    path: str  # of its note, else of its log
    began: str  # local time, as YYYY-MM-DDTHH:MM:SS; of a log, the day
    ended: str
    digest: SessionDigest
    session: str = ""  # by its host's id
    lines: tuple[str, ...] = ()  # of its note
    answers: tuple[str, ...] = ()  # the last of its agent, where nothing else tells what was done

    @property
    def is_note(self) -> bool:
        return not self.path.startswith("@")


def last_sessions(sources: SessionSources, most: int, days: Span | None = None) -> list[PastSession]:
    """Return the last sessions of the project, the latest first, without the one that asks and those going on."""
    where = sources.where
    if days is not None:
        where = where._replace(since=days.first.isoformat(), until=days.last.isoformat())
    listed: list[IndexedSession] = []
    with suppress(StoreError):  # no index yet: the folder has the notes
        listed = sources.read(lambda index: index.sessions(where, 4 * most + _MOST_LOGS))
    logs = [one for one in listed if one.tier == "transcript"]
    known = [one.path for one in listed if one.tier == "episodic"]
    found = [one for one in _notes(sources, known, most, days) if not _is_outdated(sources, one, logs)]
    noted = [one.session for one in found if one.session]
    alone = [one for one in logs if not any(session in one.path for session in noted)]
    # Sessions that deserve a note have one, but for the last and those from before there were notes; of a time, each
    # may be the one that is asked for.
    ends = sorted((one.ended for one in found), reverse=True)
    since = ends[_ENOUGH_NOTES - 1] if days is None and len(ends) >= _ENOUGH_NOTES else ""
    found += _of_logs(sources, alone, since)
    latest = _latest([one for one in found if _is_within(one, days)], most)
    return [_completed(sources, latest[0], logs), *latest[1:]] if latest else []


def _completed(sources: SessionSources, one: PastSession, logs: Sequence[IndexedSession]) -> PastSession:
    """Return the last session with what its log tells better than its note.

    Notes of version 0.1.0 have topics, and hardly an open item. Of a session with neither decisions nor open items,
    the last answers tell what was done.
    """
    log = one.path if not one.is_note else next((log.path for log in logs if one.session in log.path), None)
    if log is None:
        return one
    if _TOPICS in one.lines and (digest := _digest_of_log(sources, log)):
        one = one._replace(path=log, digest=digest, lines=())
    if one.digest.decisions or one.digest.open:
        return one
    from memoro.unasked.log_end import last_answers

    where, hidden = sources.where, sources.hidden() if sources.hidden else None
    said = last_answers(sources.vault, log, hidden, private=where.private)
    return one._replace(answers=tuple(line for line in said if where.private or not line_is_private(line)))


def _latest(found: Sequence[PastSession], most: int) -> list[PastSession]:
    return sorted(found, key=lambda one: (one.ended, one.began), reverse=True)[:most]


def _is_within(one: PastSession, days: Span | None) -> bool:
    return days is None or (one.ended[:10] >= days.first.isoformat() and one.began[:10] <= days.last.isoformat())


def own_session(sources: SessionSources) -> PastSession | None:
    """Return what is noted of the session that asks: its context was compacted."""
    if not sources.own:
        return None
    asks = sources._replace(own="")
    return next((one for one in _notes(asks, [], _FRESH) if one.session == sources.own), None)


def of_log(sources: SessionSources, path: str) -> PastSession | None:
    """Return a session by its log alone."""
    digest = _digest_of_log(sources, path)
    day = sources.now.astimezone().isoformat()[:19]
    return PastSession(path=path, began=day, ended=day, digest=digest) if digest else None


def _notes(sources: SessionSources, known: Sequence[str], most: int, days: Span | None = None) -> list[PastSession]:
    """Return the sessions of these notes and of the newest in the folder, which the index may not know yet."""
    names = sorted((one.name for one in sources.vault.entries(FOLDER) if one.name.endswith(".md")), reverse=True)
    found: list[PastSession] = []
    for path in dict.fromkeys([*(f"{FOLDER}/{name}" for name in names[:_FRESH]), *known]):
        with suppress(VaultError):
            read = _note(sources, path, is_known=path in known)
            if read is not None and _is_within(read, days) and not _is_own(sources, read.session):
                found.append(read)
        if len(found) == most:
            break
    return _latest(found, most)


def _note(sources: SessionSources, path: str, *, is_known: bool) -> PastSession | None:
    """Return the session of a note; None where it belongs to another project or says nothing.

    The index may know the project of a note that does not name it.
    """
    from memoro.notes.session_note import read_digest
    from memoro.vault.encoding import decode

    text = decode(sources.vault.read(path).data)[0]
    lines = text.split("\n")
    about = _frontmatter(lines)
    is_own = is_known and "project" not in about
    if "session" not in about or not (is_own or _is_of(about.get("project"), about.get("agent"), sources.where)):
        return None
    if not sources.where.private and fields_say_private(about):
        return None
    digest = _visible(read_digest(text), path, sources.where)
    began = about.get("started", "")
    ended = max(about.get("ended", ""), began)
    if not digest or not _is_time(ended):
        return None
    return PastSession(
        path=path, began=began, ended=ended, digest=digest, session=about["session"], lines=tuple(lines)
    )


def _is_own(sources: SessionSources, name: str) -> bool:
    """Return whether an id or a path is that of the session that asks."""
    return bool(sources.own and name) and (sources.own in name or name in sources.own)


def _is_time(text: str) -> bool:
    with suppress(ValueError):
        return bool(datetime.fromisoformat(text[:19]))
    return False


def _is_of(project: str | None, agent: str | None, where: Where) -> bool:
    if where.bound_agents and agent not in (None, *where.bound_agents):
        return False
    if project is None or not where.bound_projects:
        return project is None and not where.bound_projects
    return any(means(pattern, project) for pattern in where.bound_projects)


def _frontmatter(lines: Sequence[str]) -> dict[str, str]:
    """Return the plain fields at the top of a note that Memoro wrote. The YAML reader would take longer to load."""
    if not lines or lines[0].rstrip() != "---":
        return {}
    found: dict[str, str] = {}
    for line in lines[1:_FRONT_LINES]:
        if line.rstrip() == "---":
            return found
        name, _, value = line.partition(":")
        value = value.strip()
        if value.startswith('"'):
            with suppress(ValueError):
                value = str(json.loads(value))
        found[name.strip().lower()] = value.strip("'")
    return {}


def _is_outdated(sources: SessionSources, one: PastSession, logs: Sequence[IndexedSession]) -> bool:
    """Return whether something was said after the end that a note names: the session went on, and may still do."""
    own = next((log.path for log in logs if one.session and one.session in log.path), None)
    last = last_time(sources.vault, own) if own else None
    if last is None:
        return False
    with suppress(ValueError):
        return datetime.fromisoformat(last[:19]) - datetime.fromisoformat(one.ended[:19]) > _AFTER_END
    return False


def _of_logs(sources: SessionSources, logs: Sequence[IndexedSession], since: str) -> Iterator[PastSession]:
    """Yield the sessions of the latest logs without a note, after this time."""
    read = 0
    for log in logs:
        if read == _MOST_LOGS or log.last < since[:10]:
            return
        if _is_own(sources, log.path):
            continue
        last = last_time(sources.vault, log.path)
        if last is not None and (_is_running(last, sources.now) or last[:19] <= since):
            continue
        read += 1
        digest = _digest_of_log(sources, log.path)
        if digest:
            yield PastSession(path=log.path, began=log.first, ended=(last or log.last)[:19], digest=digest)


def _is_running(last: str, now: datetime) -> bool:
    with suppress(ValueError):
        return abs(now - datetime.fromisoformat(last).astimezone(UTC)) < _RUNNING
    return False


def last_time(vault: VaultFiles, path: str) -> str | None:
    """Return when the last message of a log was written, by the local clock; None where its format does not say."""
    from memoro.model.notes import WITHIN

    if WITHIN in path:
        return None
    try:
        with vault.log(path) as log:
            tail = log.read(max(0, log.size - _TAIL), _TAIL)
    except (MemoroError, OSError):
        return None
    mark = tail.rfind(b'"timestamp":')
    value = tail[mark + 12 :].split(b'"', 2)[1:2] if mark >= 0 else []
    with suppress(ValueError, IndexError, UnicodeDecodeError):
        return datetime.fromisoformat(value[0].decode()).astimezone().isoformat(timespec="seconds")
    return None


def _digest_of_log(sources: SessionSources, path: str) -> SessionDigest | None:
    from memoro.unasked.log_end import digest_of_end

    hidden = sources.hidden() if sources.hidden else None
    digest = digest_of_end(sources.vault, path, hidden, private=sources.where.private)
    return _visible(digest, path, sources.where) if digest else None


def _visible(digest: SessionDigest, path: str, where: Where) -> SessionDigest:
    """Return what of a session may be seen: nothing of what its owner calls private, where the filter says so."""
    if where.private:
        return digest
    if is_hidden(path, (), where.hidden):
        return SessionDigest()

    def kept(lines: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(line for line in lines if not line_is_private(line))

    return SessionDigest(
        title="" if line_is_private(digest.title) else digest.title,
        decisions=kept(digest.decisions),
        files=digest.files,
        commands=kept(digest.commands),
        errors=kept(digest.errors),
        open=kept(digest.open),
    )
