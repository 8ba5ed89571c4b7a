"""The operations on sessions: start, record, show, replay, archive; and what became of what was given."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from typing import TYPE_CHECKING, NamedTuple, TypedDict

from memoro.errors import SessionNotFound
from memoro.ledger.access import LedgerAccess
from memoro.model.memories import moment, stamp
from memoro.model.options import reject_unknown
from memoro.model.recall import Recalled
from memoro.model.recalls import StoredRecall
from memoro.model.scope import EVERYTHING, Scope
from memoro.model.sessions import RecordedRecall, Session, SessionTurn, Use, Uses
from memoro.model.vocabulary import FEEDBACK, Feedback, ProjectOrigin, parse_choice
from memoro.model.withheld import without_withheld
from memoro.search.filters import Names, filters
from memoro.sessions.compare import Difference, difference
from memoro.sessions.encoding import decode_recall, is_unasked, tokens_of
from memoro.sessions.recording import SessionRecorder

if TYPE_CHECKING:
    from typing import Unpack

    from memoro.ledger.ports import Transaction
    from memoro.recall.recaller import Recaller


class SessionOptions(TypedDict, total=False):
    """The title and the scope of a new session."""

    title: str | None
    project: str | None
    agent: str | None
    paths: Names
    tiers: Names
    tags: Names


class ShownSession(NamedTuple):
    session: Session
    recalls: tuple[RecordedRecall, ...]
    project_by: ProjectOrigin | None = None  # what says which project it has


class ListedSession(NamedTuple):
    """A session as a list shows it."""

    session: Session
    about: str  # its title, or else the first message that it was given something for
    tokens: int  # how many it was given, in all


class GivenTotals(NamedTuple):
    """The totals of what sessions were given."""

    sessions: int = 0
    prompts: int = 0  # messages, answered or not
    silent: int = 0  # of the prompts: nothing was given
    items: int = 0
    tokens: int = 0  # of all blocks, those with which sessions began among them


class GivenOnDay(NamedTuple):
    """All that was given on one day: the sessions in the order of their first recall, each with that day's alone."""

    day: str  # YYYY-MM-DD
    sessions: tuple[ShownSession, ...]

    @property
    def totals(self) -> GivenTotals:
        return _total(self.sessions)

    @property
    def by_agent(self) -> dict[str, GivenTotals]:
        """The totals of each agent; the name is empty for sessions of none."""
        agents = dict.fromkeys(one.session.scope.agent or "" for one in self.sessions)
        return {
            agent: _total([one for one in self.sessions if (one.session.scope.agent or "") == agent])
            for agent in agents
        }


class SessionOfDay(NamedTuple):
    """A session with some of what it was given on a day, the last first."""

    listed: ListedSession  # its tokens are those of the whole day
    recalls: tuple[RecordedRecall, ...]


class DayPage(NamedTuple):
    """A part of what was given on one day: the session that was given something last comes first."""

    day: str  # YYYY-MM-DD
    totals: GivenTotals  # of the whole day
    sessions: tuple[SessionOfDay, ...]
    skip: int  # recalls of the day that come before these
    recalls: int  # of the whole day
    day_before: str | None  # the last day before, and the first one after it, with a recall
    day_after: str | None


class Replay(NamedTuple):
    """A recall as it was; with `now`, also as it would be, and how the two differ."""

    then: RecordedRecall
    now: Recalled | None = None
    difference: Difference | None = None


class Totals(NamedTuple):
    """All sessions counted."""

    sessions: int
    archived: int
    recalls: int
    uses: Uses


class Sessions:
    """`m.sessions`."""

    def __init__(self, access: LedgerAccess, recaller: Recaller, *, is_owner: bool = True) -> None:
        """An agent, who is no owner, is not shown what was withheld from it."""
        self._access = access
        self._is_owner = is_owner
        self._recorder = SessionRecorder(access)
        self._recaller = recaller

    def start(self, id: str | None = None, **options: Unpack[SessionOptions]) -> Session:
        """Start the record of a session; if it exists already, return it.

        The options restrict what it sees: items of the project and the agent or of none, and items of the paths,
        tiers and tags. What a session sees does not change.
        """
        reject_unknown("start", options, SessionOptions.__optional_keys__)
        chosen = filters(
            path=options.get("paths", ()),
            tier=options.get("tiers", ()),
            tag=options.get("tags", ()),
            today=self._access.now().date,
        )
        scope = Scope(
            agent=options.get("agent"),
            project=options.get("project"),
            paths=chosen.paths,
            tiers=chosen.tiers,
            tags=chosen.tags,
        )
        return self._recorder.start(id, scope, options.get("title"))

    def turn(self, id: str, scope: Scope = EVERYTHING) -> SessionTurn:
        """Return the next turn of a session, before its message is answered."""
        return self._recorder.turn(id, scope)

    def record(self, recalled: Recalled, session: str, *, key: str | None = None) -> int:
        """Record what a session was given; returns the number of the recall. With a key, a repetition does nothing.

        What was forgotten since it was recalled is not kept, nor are secrets: a replay says so.
        """
        return self._recorder.record(recalled, session, key=key)

    def get(self, id: str) -> Session:
        with self._access.ledger.reading() as tx:
            return self._recorder.find(tx, id)

    def all(self, *, archived: bool = False, limit: int = -1) -> list[Session]:
        """The sessions, the one that was given something last first; archived ones on request."""
        with self._access.ledger.reading() as tx:
            return tx.sessions.all(archived=archived, limit=limit)

    def listed(
        self, *, archived: bool = False, limit: int = -1, after: tuple[str, str] | None = None
    ) -> list[ListedSession]:
        """The same sessions, each with what it was about and how much it was given.

        `after` names a place in the list: when a session was given something last, and its id.
        """
        with self._access.ledger.reading() as tx:
            chosen = tx.sessions.all(archived=archived, limit=limit, after=after)
            return [_listed(one, tx.sessions.recalls(one.id)) for one in chosen]

    def last_of_projects(self, limit: int) -> list[ListedSession]:
        """The last session of each project, and that of no project; the last first."""
        with self._access.ledger.reading() as tx:
            return [_listed(one, tx.sessions.recalls(one.id)) for one in tx.sessions.last_of_projects(limit)]

    def show(self, id: str) -> ShownSession:
        """Return a session with all that it was given, and the feedback on it."""
        with self._access.ledger.reading() as tx:
            session = self._recorder.find(tx, id)
            return ShownSession(session, tuple(self._decoded(tx, row) for row in tx.sessions.recalls(session.id)))

    def _decoded(self, tx: Transaction, row: StoredRecall) -> RecordedRecall:
        return self._readable(decode_recall(tx, row))

    def _readable(self, found: RecordedRecall) -> RecordedRecall:
        return found if self._is_owner else found._replace(recalled=without_withheld(found.recalled))

    def given_on(self, day: date) -> GivenOnDay:
        """All that sessions were given on one day of this machine's calendar."""
        begin, end = _bounds(day)
        with self._access.ledger.reading() as tx:
            by_session: dict[str, list[StoredRecall]] = {}
            for row in tx.sessions.recalls_between(begin, end):
                by_session.setdefault(row.session, []).append(row)
            found = tuple(
                ShownSession(self._recorder.find(tx, name), tuple(self._decoded(tx, row) for row in rows))
                for name, rows in by_session.items()
            )
        return GivenOnDay(day.isoformat(), found)

    def day_page(self, day: date, skip: int = 0, limit: int = 50) -> DayPage:
        """Return one page of what sessions were given on one day, the last first; nothing beyond the page is read."""
        with self._access.ledger.reading() as tx:
            by_session: dict[str, list[StoredRecall]] = {}
            for row in reversed(tx.sessions.recalls_between(*_bounds(day))):
                by_session.setdefault(row.session, []).append(row)
            rows = [row for own in by_session.values() for row in own]
            shown: dict[str, list[RecordedRecall]] = {}
            for row in rows[skip : skip + max(0, limit)]:
                shown.setdefault(row.session, []).append(self._decoded(tx, row))
            sessions = [SessionOfDay(self._of_day(tx, by_session[name]), tuple(own)) for name, own in shown.items()]
            before, after = tx.sessions.neighbours(*_bounds(day))
        return DayPage(
            day=day.isoformat(),
            totals=_total_of_rows(by_session),
            sessions=tuple(sessions),
            skip=skip,
            recalls=len(rows),
            day_before=_iso_day(before),
            day_after=_iso_day(after),
        )

    def _of_day(self, tx: Transaction, newest_first: Sequence[StoredRecall]) -> ListedSession:
        session = self._recorder.find(tx, newest_first[0].session)
        return _listed(session, newest_first[::-1])

    def replay(self, id: str, recall: int | None = None, *, now: bool = False) -> Replay:
        """Return the block that was given, byte for byte; by default the last one of the session.

        With `now`, also what would be given today for the same message after the same items, and the difference.
        """
        earlier = self._recorder.earlier(id, recall)
        then = self._readable(earlier.recall)
        if not now:
            return Replay(then)
        if not then.recalled.message and not then.unasked:
            raise SessionNotFound(
                f"What recall {then.number} was for has been forgotten, so it cannot be asked again."
            )
        again = self._recaller.repeat(then.recalled, earlier.options, earlier.held)
        return Replay(then, again, difference(then.recalled, again))

    def archive(self, id: str) -> Session:
        """Hide a session from the list. Nothing is deleted."""
        return self._put_archived(id, stamp(self._access.now()))

    def unarchive(self, id: str) -> Session:
        return self._put_archived(id, None)

    def _put_archived(self, id: str, at: str | None) -> Session:
        with self._access.ledger.writing() as tx:
            session = self._recorder.find(tx, id)
            if (session.archived_at is None) != (at is None):
                tx.sessions.put_archived(session.id, at)
            return self._recorder.find(tx, session.id)

    def used(self, item: str) -> list[Use]:
        """Return the sessions that were given an item, with the message and the feedback; the last first."""
        with self._access.ledger.reading() as tx:
            return tx.sessions.uses(item)

    def uses(self, items: Sequence[str]) -> dict[str, Uses]:
        """Return for each item how often it was given, with its feedback."""
        with self._access.ledger.reading() as tx:
            found: dict[str, list[tuple[Feedback, ...]]] = {item: [] for item in items}
            for item, words in tx.sessions.feedback(items):
                found[item].append(words)
        return {item: _counted(each) for item, each in found.items()}

    def note(self, item: str, feedback: Feedback, *, session: str | None = None) -> bool:
        """Record what became of an item where it was given last; returns whether that is new.

        Memories are noted by themselves when they are reinforced, demoted, updated or superseded.
        """
        feedback = parse_choice(feedback, FEEDBACK, "feedback")
        name = self._access.name(session, "session")
        with self._access.ledger.writing() as tx:
            return tx.sessions.note(item, feedback, name) is not None

    def totals(self) -> Totals:
        with self._access.ledger.reading() as tx:
            sessions, archived, recalls = tx.sessions.totals()
            uses = _counted(words for _, words in tx.sessions.feedback())
        return Totals(sessions=sessions, archived=archived, recalls=recalls, uses=uses)


def _listed(session: Session, recalls: Sequence[StoredRecall]) -> ListedSession:
    messages = [(" ".join(row.message.split()), bool(row.detail["items"])) for row in recalls if not is_unasked(row)]
    about = session.title or first_message(messages)
    return ListedSession(session, about, sum(tokens_of(row) for row in recalls))


def first_message(messages: Sequence[tuple[str, bool]]) -> str:
    """Return the first message for which something was given, else the first of all: a greeting tells little."""
    said = [(text, is_answered) for text, is_answered in messages if text]
    return next((text for text, is_answered in said if is_answered), said[0][0] if said else "")


def _total(sessions: Sequence[ShownSession]) -> GivenTotals:
    recalls = [recall for one in sessions for recall in one.recalls]
    prompts = [recall for recall in recalls if not recall.unasked]
    return GivenTotals(
        sessions=len(sessions),
        prompts=len(prompts),
        silent=sum(not recall.given for recall in prompts),
        items=sum(len(recall.given) for recall in recalls),
        tokens=sum(recall.recalled.tokens for recall in recalls),
    )


def _total_of_rows(by_session: Mapping[str, Sequence[StoredRecall]]) -> GivenTotals:
    rows = [row for own in by_session.values() for row in own]
    prompts = [row for row in rows if not is_unasked(row)]
    return GivenTotals(
        sessions=len(by_session),
        prompts=len(prompts),
        silent=sum(not row.detail["items"] for row in prompts),
        items=sum(len(row.detail["items"]) for row in rows),
        tokens=sum(map(tokens_of, rows)),
    )


def _iso_day(at: str | None) -> str | None:
    return moment(at).astimezone().date().isoformat() if at is not None else None


def _bounds(day: date) -> tuple[str, str]:
    """The time at which a day begins on this machine, and that at which the next one does."""
    return stamp(_midnight(day)), stamp(_midnight(day + timedelta(days=1)))


def _midnight(day: date) -> datetime:
    """The moment at which a day begins on this machine."""
    return datetime.combine(day, time()).astimezone()


def _counted(feedback: Iterable[tuple[Feedback, ...]]) -> Uses:
    each = list(feedback)
    counts = {word: sum(word in words for words in each) for word in FEEDBACK}
    return Uses(recalled=len(each), unused=sum(not words for words in each), **counts)
