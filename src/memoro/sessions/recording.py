"""The operations on sessions: start, record, show, replay, archive; and what became of what was given."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from memoro.errors import KeyReused, QueryError, Refused, SessionNotFound, StoreError
from memoro.ledger.access import LedgerAccess
from memoro.model.memories import stamp
from memoro.model.notes import MEMORY
from memoro.model.recall import LeftOut, Recalled, RecalledItem, Section
from memoro.model.recalls import StoredItem, StoredRecall
from memoro.model.sessions import FULL, PROACTIVE, Bound, GivenItem, RecordedRecall, Session, SessionTurn, Use, Uses
from memoro.model.vocabulary import FEEDBACK, Feedback, parse_choice
from memoro.search.filters import Names, filters
from memoro.sessions import blocks
from memoro.sessions.compare import Difference, difference
from memoro.sessions.given import Held, is_loaded, passages

if TYPE_CHECKING:
    from memoro.ledger.ports import Transaction

# What of a recall and of an item has a place of its own, and is not told in `detail`.
_APART = {"message", "form", "block", "boundary", "items"}
_TOLD = set(Recalled._fields) - _APART

MAX_MESSAGE = 8000  # characters of a message that are kept: it may hold a whole log
MAX_LEFT_OUT = 10  # of what was left out: the nearest misses come first, and most of the others were far from it


class Asked(NamedTuple):
    """How a message was asked: for a prompt or a recall, in which form, seeing what, in how many tokens."""

    bound: Bound
    prompt: bool = False
    proactive: bool = False
    budget: int | None = None


Anew = Callable[[str, Asked, Held], Recalled]  # recalls for who holds this already


class Shown(NamedTuple):
    session: Session
    recalls: tuple[RecordedRecall, ...]


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

    def __init__(self, access: LedgerAccess, anew: Anew) -> None:
        self._access = access
        self._anew = anew

    def start(
        self,
        id: str | None = None,
        *,
        project: str | None = None,
        agent: str | None = None,
        title: str | None = None,
        paths: Names = (),
        tiers: Names = (),
        tags: Names = (),
    ) -> Session:
        """Begin the record of a conversation; where it has begun already, that record.

        What is named here binds it: of a project or an agent it sees what belongs to it or to none, and of
        paths, tiers and tags what is in the set. What binds a session does not change.
        """
        bound = self._bound(project, agent, paths, tiers, tags)
        session = self._start(id, bound, title)
        if bound not in (Bound(), session.bound):
            raise _bound_otherwise(session)
        return session

    def _start(self, id: str | None, bound: Bound, title: str | None) -> Session:
        access, at = self._access, stamp(self._access.now())
        name = access.name(id, "session") or f"{at[:10]}-{os.urandom(4).hex()}"
        called = access.name(title, "title")
        with access.ledger.reading() as tx:  # most often it is there already, and reading waits for nobody
            known = tx.sessions.find(name)
        if known is None:
            with access.ledger.writing() as tx:
                known = tx.sessions.find(name)
                if known is None:
                    known = Session(name, at, None, called, bound)
                    tx.sessions.insert(known)
        return known

    def _bound(self, project: str | None, agent: str | None, paths: Names, tiers: Names, tags: Names) -> Bound:
        chosen = filters(path=paths, tier=tiers, tag=tags, today=self._access.now().date)
        access = self._access
        return Bound(
            access.name(project, "project"), access.name(agent, "agent"), chosen.paths, chosen.tiers, chosen.tags
        )  # fmt: skip

    def get(self, id: str) -> Session:
        with self._access.ledger.reading() as tx:
            return self._get(tx, id)

    def _get(self, tx: Transaction, id: str) -> Session:
        name = self._access.name(id, "session") or ""
        found = tx.sessions.find(name)
        if found is None:
            raise SessionNotFound(f"There is no session {name!r}. `memoro session list --archived` lists all.")
        return found

    def all(self, *, archived: bool = False, limit: int = -1) -> list[Session]:
        """The sessions, the one that was given something last first; archived ones on request."""
        with self._access.ledger.reading() as tx:
            return tx.sessions.all(archived=archived, limit=limit)

    def show(self, id: str) -> Shown:
        """A session with all that was given to it, and what became of that."""
        with self._access.ledger.reading() as tx:
            session = self._get(tx, id)
            return Shown(session, tuple(_recorded(tx, row) for row in tx.sessions.recalls(session.id)))

    def turn(
        self,
        id: str,
        *,
        project: Names = (),
        agent: Names = (),
        paths: Names = (),
        tiers: Names = (),
        tags: Names = (),
    ) -> SessionTurn:
        """What the next message of a conversation is to be answered by.

        A session that is not known begins with what is recorded for this turn, bound to what is named. One that is
        known can be narrowed for this once in ways that do not bind it yet, and is never led out of what binds it.
        """
        name = self._access.name(id, "session") or ""
        named = self._bound(_one(project, "project"), _one(agent, "agent"), paths, tiers, tags)
        with self._access.ledger.reading() as tx:
            known = tx.sessions.find(name)
            recalls = tx.sessions.recalls(name) if known and known.recalls else []
            held = _held(tx, recalls)
        session = known or Session(name, stamp(self._access.now()), None, None, named)
        form, forms = PROACTIVE if recalls else FULL, tuple(row.form for row in recalls)
        return SessionTurn(session, form, _narrowed(session, named), *held, forms, known is not None)

    def converse(
        self,
        turn: SessionTurn,
        message: str,
        *,
        key: str | None = None,
        prompt: bool = False,
        proactive: bool | None = None,
        budget: int | None = None,
        given: Collection[str] = (),
    ) -> Recalled:
        """Recall for a turn, and record it. With a key that was recorded, that very answer again.

        `proactive` goes before what the turn would get, and `given` is held beside what the session holds. Where it
        cannot be recorded, the answer says so, and is given all the same; but no session begins unrecorded, for
        nobody would know what binds it.
        """
        known = self.recorded(key) if key is not None else None
        if known:
            said = self._access.clean(message).text[:MAX_MESSAGE]
            if known.session != turn.session.id or known.recalled.message not in ("", said):  # "": it was forgotten
                raise KeyReused(key or "")
            return known.recalled
        asked = Asked(turn.bound, prompt, turn.form == PROACTIVE if proactive is None else proactive, budget)
        found = self._anew(message, asked, Held(turn.given | set(given), turn.loaded))
        try:
            self.record(found, turn.session, key=key, asked=asked)
        except StoreError as error:
            if not turn.begun and turn.session.bound != Bound():
                raise  # what it may see would be on no record
            return found._replace(degraded=(*found.degraded, f"session: this was not recorded. {error}"))
        return found

    def record(
        self, recalled: Recalled, session: str | Session, *, key: str | None = None, asked: Asked | None = None
    ) -> int:
        """Keep what was given to a session; the number of the recall. With a key it is kept once.

        A session that a turn told of begins here, if it has not. What was forgotten since it was recalled is not
        kept, nor are secrets: a replay says so.
        """
        access, at = self._access, stamp(self._access.now())
        name = access.name(session, "session") or "" if isinstance(session, str) else session.id
        message = access.clean(recalled.message).text[:MAX_MESSAGE]
        parts = blocks.taken_apart(recalled.block, recalled.boundary, [item.text for item in recalled.items])
        pieces = [access.clean(part).text if isinstance(part, str) else part for part in parts]
        cleaned = [access.clean(item.text) for item in recalled.items]
        altered = pieces != parts or [one.text for one in cleaned] != [item.text for item in recalled.items]
        hashed = _hash(key) if key is not None else None
        with access.ledger.writing() as tx:
            known = tx.sessions.by_key(hashed) if hashed else None
            if known:
                if (known.session, known.message) != (name, message):
                    raise KeyReused(key or "")
                return known.number
            if isinstance(session, str):
                self._get(tx, name)  # or there is none of that name
            else:
                _begin(tx, session)
            gone = self._forgotten(tx)
            texts = [None if gone(one.text) else one.text for one in cleaned]
            detail = {
                **{field: value for field, value in recalled._asdict().items() if field in _TOLD},
                "left_out": recalled.left_out[:MAX_LEFT_OUT],
                "items": [_detail(item) for item in recalled.items],
                "asked": asked,
                "block": blocks.to_json(pieces, tx.sessions.keep),
                **({"altered": True} if altered else {}),
                **({} if message.strip() else {"unasked": True}),
            }
            items = [StoredItem(item.id, text) for item, text in zip(recalled.items, texts, strict=True)]
            row = StoredRecall(0, name, at, recalled.form, message, recalled.boundary, detail)
            number = tx.sessions.add(row, items, hashed)
            memories = [int(item.id.removeprefix(MEMORY)) for item in recalled.items if item.kind == "memory"]
            if memories:
                tx.given.add(name, memories, at)
        return number

    def _forgotten(self, tx: Transaction) -> Callable[[str], bool]:
        """Tells what was forgotten while it was being recalled: it must not come back by the record of that."""
        gone = tx.forgotten.digests()
        if not gone:
            return lambda _text: False

        def is_gone(text: str) -> bool:
            lines = [" ".join(line.strip().lstrip("-*+").split()) for line in text.split("\n")]
            return any(self._access.digest(tx, one) in gone for one in (text, *lines) if one)

        return is_gone

    def recorded(self, key: str) -> RecordedRecall | None:
        """What was kept with a key."""
        with self._access.ledger.reading() as tx:
            row = tx.sessions.by_key(_hash(key))
            return _recorded(tx, row) if row else None

    def replay(self, id: str, recall: int | None = None, *, now: bool = False) -> Replay:
        """The very block that was given, to the byte; by default the last one of the session.

        With `now`, also what would be given today for the same message after the same items, and the difference.
        """
        with self._access.ledger.reading() as tx:
            session = self._get(tx, id)
            row = tx.sessions.recall(session.id, recall)
            if row is None:
                which = f"has no recall {recall}" if recall is not None else "was given nothing yet"
                raise SessionNotFound(f"The session {session.id!r} {which}. `memoro session show` lists its recalls.")
            then = _recorded(tx, row)
            earlier = _held(tx, [one for one in tx.sessions.recalls(session.id) if one.number < row.number])
        if not now:
            return Replay(then)
        if not row.message and not then.unasked:
            raise SessionNotFound(
                f"What recall {row.number} was for has been forgotten, so it cannot be asked again."
            )
        anew = self._anew(row.message, _asked(row, session), earlier)
        return Replay(then, anew, difference(then.recalled, anew))

    def archive(self, id: str) -> Session:
        """Put a session out of the way: it is listed on request only. All of it stays."""
        return self._put_archived(id, stamp(self._access.now()))

    def unarchive(self, id: str) -> Session:
        return self._put_archived(id, None)

    def _put_archived(self, id: str, at: str | None) -> Session:
        with self._access.ledger.writing() as tx:
            session = self._get(tx, id)
            if (session.archived_at is None) != (at is None):
                tx.sessions.put_archived(session.id, at)
            return self._get(tx, session.id)

    def used(self, item: str) -> list[Use]:
        """In which sessions an item was given, for which message, and what became of it; the last first."""
        with self._access.ledger.reading() as tx:
            return tx.sessions.uses(item)

    def uses(self, items: Sequence[str]) -> dict[str, Uses]:
        """Of each of these items, how often it was given, and what became of it."""
        with self._access.ledger.reading() as tx:
            found: dict[str, list[tuple[Feedback, ...]]] = {item: [] for item in items}
            for item, words in tx.sessions.feedback(items):
                found[item].append(words)
        return {item: _counted(each) for item, each in found.items()}

    def note(self, item: str, feedback: Feedback, *, session: str | None = None) -> bool:
        """Say what became of an item where it was given last; whether that is news.

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
        return Totals(sessions, archived, recalls, uses)


def _recorded(tx: Transaction, row: StoredRecall) -> RecordedRecall:
    parts, whole = blocks.from_json(row.detail["block"], tx.sessions.kept)
    given = _given(tx, row)
    rest = {name: _tuples(value) for name, value in row.detail.items() if name in _TOLD}
    rest["left_out"] = tuple(LeftOut(*one) for one in rest["left_out"])
    rest["sections"] = tuple(Section(*one) for one in rest["sections"])
    recalled = Recalled(
        message=row.message,
        form=row.form,
        block=blocks.put_together(parts, row.boundary, [None if one.forgotten else one.item.text for one in given]),
        boundary=row.boundary,
        items=tuple(one.item for one in given),
        **rest,
    )
    altered = [f"{one.item.id} was forgotten" for one in given if one.forgotten]
    altered += ["a piece of it was forgotten"] if not whole else []
    altered += ["a secret in it, or what no database holds, was not kept"] if row.detail.get("altered") else []
    unasked = bool(row.detail.get("unasked"))
    return RecordedRecall(row.number, row.session, row.at, recalled, given, not altered, tuple(altered), unasked)


def _asked(row: StoredRecall, session: Session) -> Asked:
    told = row.detail.get("asked")
    if not told:
        return Asked(session.bound, proactive=row.form == PROACTIVE)
    bound, *rest = told
    return Asked(Bound(*_tuples(bound)), *rest)


def _begin(tx: Transaction, session: Session) -> None:
    """Somebody else may have begun it meanwhile, bound to something else: what was recalled is not for it then."""
    known = tx.sessions.find(session.id)
    if known is None:
        tx.sessions.insert(session)
    elif known.bound != session.bound:
        raise _bound_otherwise(known)


def _bound_otherwise(session: Session) -> Refused:
    return Refused(
        f"The session {session.id!r} sees {_said(session.bound)}, and what binds a session does not change. "
        "Start another one."
    )


def _held(tx: Transaction, recalls: Sequence[StoredRecall]) -> Held:
    """What a session holds after these recalls."""
    items = [(row, at, _item(told)) for row in recalls for at, told in enumerate(row.detail["items"])]
    loaded: dict[str, tuple[str, ...]] = {}
    for row, at, item in items:
        if is_loaded(item):
            text = tx.sessions.items(row.number)[at].text or ""
            loaded[item.path] = (*loaded.get(item.path, ()), text)
    return Held(passages(item for _, _, item in items), loaded)


def _detail(item: RecalledItem) -> dict[str, Any]:
    """What is to be told of an item; not what goes without saying."""
    usual = RecalledItem._field_defaults
    told = {name: value for name, value in item._asdict().items() if name != "text"}
    return {name: value for name, value in told.items() if name not in usual or value != usual[name]}


def _given(tx: Transaction, row: StoredRecall) -> tuple[GivenItem, ...]:
    rows = tx.sessions.items(row.number)
    return tuple(
        GivenItem(_item(told, one.text or ""), one.feedback, one.text is None)
        for one, told in zip(rows, row.detail["items"], strict=True)
    )


def _item(told: Mapping[str, Any], text: str = "") -> RecalledItem:
    return RecalledItem(
        text=text, **{name: _tuples(value) for name, value in told.items() if name in RecalledItem._fields}
    )


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


def _counted(feedback: Iterable[tuple[Feedback, ...]]) -> Uses:
    each = list(feedback)
    counts = {word: sum(word in words for words in each) for word in FEEDBACK}
    return Uses(recalled=len(each), unused=sum(not words for words in each), **counts)


def _one(names: Names, what: str) -> str | None:
    several = (names,) if isinstance(names, str) else tuple(names)
    if len(several) > 1:
        raise QueryError(f"A session sees one {what}, and not {', '.join(several)}.")
    return several[0] if several else None


def _narrowed(session: Session, wanted: Bound) -> Bound:
    """What binds the session, and where nothing does, what is wanted for now."""
    for name, now, ever in zip(Bound._fields, wanted, session.bound, strict=True):
        if now and ever and now != ever:
            raise QueryError(
                f"The session {session.id!r} is bound by {name}, and sees {_said(session.bound)} alone. "
                f"Leave {name} out, or start another session."
            )
    bound = session.bound
    return Bound(
        bound.project or wanted.project,
        bound.agent or wanted.agent,
        bound.paths or wanted.paths,
        bound.tiers or wanted.tiers,
        bound.tags or wanted.tags,
    )


def _said(bound: Bound) -> str:
    named = [f"{name} {value}" for name, value in (("project", bound.project), ("agent", bound.agent)) if value]
    named += [
        f"{name} {', '.join(values)}"
        for name, values in bound._asdict().items()
        if isinstance(values, tuple) and values
    ]
    return " · ".join(named) or "everything"


def _hash(key: str) -> bytes:
    return hashlib.sha256(key.encode("utf-8", "replace")).digest()[:16]
