"""Where the work of a project was left: at the start of a session, after a compaction, and when a message asks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from typing import TYPE_CHECKING

from memoro.model.answers import Where
from memoro.model.calendar_words import Span
from memoro.model.content_words import content_words
from memoro.model.extracted_lines import is_extracted
from memoro.model.feedback import told_line, told_text
from memoro.model.open_items import OpenItem, ToldItems, still_open
from memoro.model.phrases import compiled
from memoro.model.projects import belongs, short_name
from memoro.model.recall import RecalledItem
from memoro.recall import fence
from memoro.unasked.done_later import without_done
from memoro.unasked.finding import UnaskedRequest
from memoro.unasked.judged import Finding
from memoro.unasked.past_sessions import PastSession, SessionSources, last_sessions, of_log, own_session
from memoro.unasked.session_text import SessionLines, only_open, what_was_done, where_it_was_left, within

if TYPE_CHECKING:
    from memoro.model.answers import Passage
    from memoro.model.asked_time import AskedTime
    from memoro.search.rank import Ranked
    from memoro.store.ports import Index
    from memoro.vault.files import VaultFiles

START_TOKENS = 300
_LAST_TOKENS = 210  # of them for the last session
_ASKED_TOKENS = 300
_AGAIN_TOKENS = 200  # where the conversation holds it already
_TIME_TOKENS = 400
_BEFORE = 2  # sessions before the last one that the start of a session names
_LOOKED_AT = 8  # sessions among which open items may have been closed
_OPEN_AT_START = timedelta(days=14)  # before the last session: older items are told to those who ask
_MOST_OF_A_TIME = 8
_MOST_DAILY = 200
_STATEMENTS = 12  # looked at to date an event
# What happens again and again: its last time is meant.
_REPEATED = (
    r"\b(?:releases?|deploy\w*|meetings?|demos?|sprints?|stand-?ups?|reviews?|incidents?|outages?|calls?|last"
    r"|letzte\w*|auslieferung|besprechung)\b"
)
_LINES = r":\d+(?:-\d+)?$"
_CALL = r"\s*- (?:\d\d:\d\d )?tool:"
_SURE, _SURE_OF_TIME = 0.95, 0.9
_ROOT = 5  # letters by which forms of one word are compared
LAST, EARLIER, COMPACTED = "where we left off", "an earlier session of this project", "what was compacted"


def session_start(sources: SessionSources) -> list[Finding]:
    """Return where the project was left: the last session, the two before it, and what is open of those."""
    sessions = last_sessions(sources, _LOOKED_AT)
    if not sessions:
        return []
    newest = _day(sessions[0])
    left = [one for one in _still_open(sources, sessions) if newest - _day(sessions[one.session]) <= _OPEN_AT_START]
    first = within(sessions[0], where_it_was_left(sessions[0], _of(left, 0)), _LAST_TOKENS)
    found = [Finding(first, _SURE, LAST)] if first else []
    room = START_TOKENS - sum(one.item.tokens for one in found)
    for number, session in enumerate(sessions[1:], 1):
        items = _of(left, number)
        if number > _BEFORE and not items:
            continue
        made = within(session, only_open(session, items), room) if session.digest.title or items else None
        if made is None:
            break
        found.append(Finding(made, _SURE, EARLIER))
        room -= made.tokens
    return found


def after_compaction(sources: SessionSources, log: tuple[VaultFiles, str] | None) -> list[Finding]:
    """Return what the compacted part of this conversation was about, by its note, else by its log."""
    session = own_session(sources) or (of_log(sources._replace(vault=log[0]), log[1]) if log else None)
    if session is None:
        return []
    made = within(session, where_it_was_left(session, session.digest.open), START_TOKENS)
    return [Finding(made, _SURE, COMPACTED)] if made else []


def where_we_left_off(request: UnaskedRequest) -> list[Finding]:
    """Return what a message such as "where were we?" or "what is still open?" asks for, the newest first.

    Nothing where it asks about a topic that no session of the project had.
    """
    from memoro.model.continuity_phrases import continuity_question  # the start of a session needs no patterns

    asked, sources = continuity_question(request.message), sources_of(request)
    if asked is None or sources is None:
        return []
    sessions = last_sessions(sources, _LOOKED_AT)
    topic = _topic_words(asked.topic, request.scope.project)
    left = _still_open(sources, sessions)
    if topic:
        last, (sessions, left) = sessions[:1], _about(topic, sessions, left)
        if sessions and sessions[:1] != last and asked.asks == "where":
            return _told([*last, sessions[0]], [], _ASKED_TOKENS, whole=2)  # the topic may be the whole project
    if not sessions:
        return []
    room = _AGAIN_TOKENS if sessions[0].path in request.held.loaded else _ASKED_TOKENS
    return _told(sessions, left, room, whole=0 if asked.asks == "open" and left else 1)


def of_time(request: UnaskedRequest, span: Span | None = None) -> list[Finding]:
    """Return what happened in the project at the time that the message names, the newest first."""
    sources = sources_of(request)
    days = span or _days(request)
    if sources is None or days is None:
        return []
    sessions = last_sessions(sources, _MOST_OF_A_TIME, days)
    is_recent = days.last >= sources.now.astimezone().date() - timedelta(days=1)  # what was left may still be open
    told = [what_was_done(one, one.digest.open if is_recent and not n else ()) for n, one in enumerate(sessions)]
    items = _shared_out(sessions, told, _TIME_TOKENS)
    found = [Finding(one, _SURE_OF_TIME, "of that time") for one in items]
    room = _TIME_TOKENS - sum(one.tokens for one in items)
    return [*found, *_daily_lines(request, days, room, [one.digest.title for one in sessions])]


def sources_of(request: UnaskedRequest) -> SessionSources | None:
    """Return the sources of a prompt's sessions; None where there is no vault to read."""
    given = request.sources
    if given.vault is None:
        return None
    held = request.held.passages  # the log of this conversation by its path, and items by their lines
    own = next((path for path in held if path.startswith("@") and not compiled(_LINES).search(path)), "")
    return SessionSources(
        vault=given.vault(),
        read=given.search.read,
        where=request.where,
        now=given.runtime.now(),
        own=own.rpartition("/")[2].partition(".")[0],
        hidden=given.hidden,
    )


def _still_open(sources: SessionSources, sessions: Sequence[PastSession]) -> list[OpenItem]:
    return without_done(sources, sessions, still_open([ToldItems(one.digest, _day(one)) for one in sessions]))


def _day(session: PastSession) -> date:
    return date.fromisoformat(session.ended[:10])


def _of(left: Sequence[OpenItem], session: int) -> list[str]:
    return [one.text for one in left if one.session == session]


def _told(sessions: Sequence[PastSession], left: Sequence[OpenItem], room: int, *, whole: int) -> list[Finding]:
    """Return the first sessions with all that tells where they were left, and of the others what is open."""
    found: list[Finding] = []
    for number, session in enumerate(sessions):
        items = _of(left, number)
        if number >= whole and not items:
            continue
        lines = where_it_was_left(session, items) if number < whole else only_open(session, items)
        made = within(session, lines, room // (whole - number) if number < whole else room)
        if made is None:
            break
        found.append(Finding(made, _SURE, EARLIER if number else LAST))
        room -= made.tokens
    return found


def _topic_words(topic: str, project: str | None) -> frozenset[str]:
    """Return the roots of the words of a topic; none where it means the project itself."""
    words = frozenset(word[:_ROOT] for word in content_words(topic))
    named = frozenset(word[:_ROOT] for word in content_words(short_name(project or "").replace("-", " ")))
    return frozenset() if words <= named else words - named


def _about(
    topic: frozenset[str], sessions: Sequence[PastSession], left: Sequence[OpenItem]
) -> tuple[list[PastSession], list[OpenItem]]:
    """Return the sessions about a topic, and the open items of these."""

    def share(text: str) -> float:
        return len(topic & {word[:_ROOT] for word in content_words(text)}) / len(topic)

    kept = [n for n, one in enumerate(sessions) if share(" ".join((one.digest.title, *_flat(one)))) >= 0.5]
    place = {number: at for at, number in enumerate(kept)}
    return [sessions[n] for n in kept], [
        one._replace(session=place[one.session]) for one in left if one.session in place
    ]


def _flat(session: PastSession) -> Iterable[str]:
    digest = session.digest
    return (*digest.decisions, *digest.open, *digest.files, *digest.errors)


def _shared_out(sessions: Sequence[PastSession], told: Sequence[SessionLines], room: int) -> list[RecalledItem]:
    """Return each session with as many lines as there is room for: every session gets its share."""
    found: list[RecalledItem] = []
    for number, (session, lines) in enumerate(zip(sessions, told, strict=True)):
        share = room // (len(sessions) - number)
        made = within(session, lines, share) or within(session, SessionLines(title=lines.title), room)
        if made is None:
            break
        found.append(made)
        room -= made.tokens
    return found


def _days(request: UnaskedRequest) -> Span | None:
    """Return the days that the message names; an event is looked for."""
    from memoro.model.continuity_phrases import happened_when

    today = request.sources.runtime.today()
    when = happened_when(request.message, today)
    if when is None:
        return None
    return _dated(request, when, today) if when.event else when.span


def _dated(request: UnaskedRequest, when: AskedTime, today: date) -> Span | None:
    """Return the days before or after an event: that of the statement about it that was made first.

    Of what happens again and again, the last time is meant.
    """
    from memoro.model.asked_time import dated

    days = _days_of_event(request.sources.search.search(when.event, request.where, _STATEMENTS).ranked, when.event)
    if not days:
        return None
    day = max(days) if compiled(_REPEATED).search(when.event) else min(days)
    if when.phrase.lower().startswith(("since", "seit")):
        return Span(date.fromisoformat(day), today)  # with the day itself
    return dated(when, date.fromisoformat(day), today).span


def _days_of_event(found: Sequence[Ranked], event: str) -> list[str]:
    """Return the days of the statements that name all of an event, or hold most of its words."""
    wanted = content_words(event)
    names = {word for word in wanted if word not in event}  # written with a capital
    told = [(one.match.passage, content_words(one.match.passage.text)) for one in found]
    shares = [len(wanted & words) for _, words in told]
    most = max(shares, default=0)
    return [
        passage.date
        for (passage, words), share in zip(told, shares, strict=True)
        if passage.date and 2 * share > len(wanted) - 1 and share and (share == most or names) and names <= words
    ]


def _daily_lines(request: UnaskedRequest, days: Span, room: int, titles: Sequence[str]) -> list[Finding]:
    """Return the lines of daily notes of these days that carry the project, without those about these sessions."""
    projects = request.where.bound_projects
    if not projects or room <= 0:
        return []
    where = request.where._replace(tiers=("daily",), since=days.first.isoformat(), until=days.last.isoformat())
    passages = request.sources.search.read(lambda index: _passages(index, where))
    found: list[Finding] = []
    for passage in sorted(passages, key=lambda one: (one.date or "", one.start_line), reverse=True):
        is_told = any(title and title in passage.text for title in titles)
        if is_told or not _is_own(passage, projects):
            continue
        made = _daily_item(passage)
        if made.tokens <= room:
            found.append(Finding(made, _SURE_OF_TIME, "a daily line of this project"))
            room -= made.tokens
    return found


def _is_own(passage: Passage, projects: tuple[str, ...]) -> bool:
    """Return whether lines of a day carry the project, and tell more than tool calls, extracted facts and marks.

    The session in which a fact was stated is told of by itself.
    """
    is_of_project = passage.project is not None and belongs(passage.project, projects)
    lines = passage.text.split("\n")
    return is_of_project and not all(map(_tells_nothing, lines))


def _tells_nothing(line: str) -> bool:
    is_heading = line.startswith("# ")
    return is_heading or compiled(_CALL).match(line) is not None or is_extracted(line) or not told_line(line)


def _passages(index: Index, where: Where) -> list[Passage]:
    return [one.passage for one in index.look_up((index.admitted(where) or [])[-_MOST_DAILY:], [])]


def _daily_item(passage: Passage) -> RecalledItem:
    from memoro.search.retrieve import identifier

    name = identifier(passage)
    made = RecalledItem(
        id=name,
        kind="note",
        tier="daily",
        path=passage.path,
        start_line=passage.start_line,
        end_line=passage.end_line,
        heading=(),
        date=passage.date,
        trust=None,
        score=1.0,
        tokens=0,
        text=told_text(passage.text),
        passages=(name,),
    )
    return fence.weighed([made])[0]
