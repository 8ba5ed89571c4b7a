"""The record of what each session was given."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from memoro.errors import (
    KeyReused,
    LedgerDamaged,
    LedgerNotRecognised,
    QueryError,
    Refused,
    SessionNotFound,
    StoreError,
)
from memoro.ledger.access import LedgerAccess
from memoro.model.ledger import UNRECORDED
from memoro.model.memories import stamp
from memoro.model.notes import MEMORY
from memoro.model.projects import belongs
from memoro.model.recall import Recalled, RecallOptions
from memoro.model.recalls import StoredItem, StoredRecall
from memoro.model.scope import EVERYTHING, Scope
from memoro.model.sessions import HeldContext, RecordedRecall, Session, SessionTurn
from memoro.sessions import blocks
from memoro.sessions.encoding import decode_held, decode_options, decode_recall, encode_detail, is_unasked

if TYPE_CHECKING:
    from memoro.ledger.ports import Transaction

MAX_MESSAGE = 8000  # characters of a message that are kept: it may hold a whole log


class Earlier(NamedTuple):
    """One recall of a session, and all that is needed to ask for it again."""

    recall: RecordedRecall
    options: RecallOptions
    held: HeldContext  # by the session before it


class SessionRecorder:
    """Reads and writes the record of sessions."""

    def __init__(self, access: LedgerAccess) -> None:
        self._access = access

    def start(self, id: str | None, scope: Scope, title: str | None) -> Session:
        """Begin the record of a conversation; where it has begun already, that record."""
        access, at = self._access, stamp(self._access.now())
        name = access.name(id, "session") or f"{at[:10]}-{os.urandom(4).hex()}"
        session = Session(
            id=name,
            started_at=at,
            archived_at=None,
            title=access.name(title, "title"),
            scope=self._named(scope),
        )
        with access.ledger.reading() as tx:  # most often it is there already, and reading waits for nobody
            known = tx.sessions.find(name)
        if known is None:
            with access.ledger.writing() as tx:
                known = tx.sessions.find(name)
                if known is None:
                    known = session
                    tx.sessions.insert(known)
        if session.scope not in (EVERYTHING, known.scope):
            raise _scope_differs(known)
        return known

    def find(self, tx: Transaction, id: str) -> Session:
        name = self._access.name(id, "session") or ""
        found = tx.sessions.find(name)
        if found is None:
            raise SessionNotFound(f"There is no session {name!r}. `memoro session list --archived` lists all.")
        return found

    def turn(self, id: str, scope: Scope = EVERYTHING) -> SessionTurn:
        """The next message of a conversation, before it is answered.

        A session that is not known begins with what is recorded for this turn, and keeps this scope. The scope of
        a known one can be narrowed for this turn in ways that it is not restricted yet, and is never widened.
        """
        name, wanted = self._access.name(id, "session") or "", self._named(scope)
        with self._access.ledger.reading() as tx:
            known = tx.sessions.find(name)
            recalls = tx.sessions.recalls(name) if known and known.recalls else []
            held = decode_held(tx, recalls)
        session = known or Session(
            id=name, started_at=stamp(self._access.now()), archived_at=None, title=None, scope=wanted
        )
        # The prompt that a session begins with answers no message.
        is_first = all(row.form == "prompt" and is_unasked(row) for row in recalls)
        return SessionTurn(
            session=session,
            form="full" if is_first else "proactive",
            scope=_narrowed(
                session, wanted._replace(known_as=scope.known_as, allies=scope.allies).with_privacy_of(scope)
            ),
            held=held,
            begun=known is not None,
        )

    def answered(self, turn: SessionTurn, message: str, key: str, options: RecallOptions) -> Recalled | None:
        """The answer that was recorded with this key, also for another session: a retry may have begun a new one.

        Raises where the key stands for another message, form or budget, or for a session that sees something else.
        """
        with self._access.ledger.reading() as tx:
            row = tx.sessions.by_key(_hash(key))
            known = decode_recall(tx, row) if row else None
        if row is None or known is None:
            return None
        budget = decode_options(row, turn.session).budget
        if options.prompt != (row.form == "prompt") or (options.budget or budget) != (budget or options.budget):
            raise KeyReused(key)
        said = self._access.clean_replacing(message).text[:MAX_MESSAGE]
        if known.recalled.message not in ("", said) or not self._sees_alike(known.session, turn):  # "": forgotten
            raise KeyReused(key)
        return known.recalled

    def _sees_alike(self, session: str, turn: SessionTurn) -> bool:
        with self._access.ledger.reading() as tx:
            known = tx.sessions.find(session)
        return known is None or known.id == turn.session.id or known.scope == turn.session.scope

    def recorded(self, key: str) -> RecordedRecall | None:
        """The recall that was kept with a key."""
        with self._access.ledger.reading() as tx:
            row = tx.sessions.by_key(_hash(key))
            return decode_recall(tx, row) if row else None

    def record_turn(
        self, turn: SessionTurn, recalled: Recalled, options: RecallOptions, connection: Scope, key: str | None = None
    ) -> Recalled:
        """Record what answers a turn. Where that fails the answer says so, and is given all the same.

        No session with a scope of its own begins in a ledger that is damaged or not ours: the scope would be on no
        record. That of its connection binds it all the same. Where there is only no room, the caller names the scope
        again with the next message.
        """
        try:
            self.record(recalled, turn.session, options, key)
        except StoreError as error:
            is_lost = isinstance(error, (LedgerDamaged, LedgerNotRecognised))
            if is_lost and not turn.begun and turn.session.scope not in (EVERYTHING, self._named(connection)):
                raise
            notice = f"{UNRECORDED}{error}"
            return recalled._replace(degraded=(*recalled.degraded, notice))
        return recalled

    def record(
        self,
        recalled: Recalled,
        session: str | Session,
        options: RecallOptions | None = None,
        key: str | None = None,
    ) -> int:
        """Keep what was given to a session; returns the number of the recall. With a key it is kept once.

        A session given as a value begins here, if it has not. What was forgotten since it was recalled is not
        kept, nor are secrets: a replay says so.
        """
        access, at = self._access, stamp(self._access.now())
        name = access.name(session, "session") or "" if isinstance(session, str) else session.id
        message = access.clean_replacing(recalled.message).text[:MAX_MESSAGE]
        parts = blocks.taken_apart(recalled.block, recalled.boundary, [item.text for item in recalled.items])
        pieces = [access.clean_replacing(part).text if isinstance(part, str) else part for part in parts]
        texts = [access.clean_replacing(item.text).text for item in recalled.items]
        altered = pieces != parts or texts != [item.text for item in recalled.items]
        hashed = _hash(key) if key is not None else None
        with access.ledger.writing() as tx:
            known = tx.sessions.by_key(hashed) if hashed else None
            if known:
                if known.message != message:
                    raise KeyReused(key or "")
                return known.number
            if isinstance(session, str):
                self.find(tx, name)  # raises where there is none
            else:
                _begin(tx, session)
            detail = {
                **encode_detail(recalled, options),
                "block": blocks.to_json(pieces, tx.sessions.keep),
                **({"altered": True} if altered else {}),
                **({} if message.strip() else {"unasked": True}),
            }
            is_gone = self._is_forgotten(tx)
            items = [
                StoredItem(item.id, None if is_gone(text) else text)
                for item, text in zip(recalled.items, texts, strict=True)
            ]
            row = StoredRecall(
                number=0,
                session=name,
                at=at,
                form=recalled.form,
                message=message,
                boundary=recalled.boundary,
                detail=detail,
            )
            number = tx.sessions.add(row, items, hashed)
            memories = [int(item.id.removeprefix(MEMORY)) for item in recalled.items if item.kind == "memory"]
            if memories:
                tx.given.add(name, memories, at)
        return number

    def recalls(self, id: str) -> tuple[RecordedRecall, ...]:
        """Everything that a session was given."""
        with self._access.ledger.reading() as tx:
            session = self.find(tx, id)
            return tuple(decode_recall(tx, row) for row in tx.sessions.recalls(session.id))

    def earlier(self, id: str, number: int | None) -> Earlier:
        """One recall of a session, by default the last."""
        with self._access.ledger.reading() as tx:
            session = self.find(tx, id)
            row = tx.sessions.recall(session.id, number)
            if row is None:
                which = f"has no recall {number}" if number is not None else "was given nothing yet"
                raise SessionNotFound(f"The session {session.id!r} {which}. `memoro session show` lists its recalls.")
            before = [one for one in tx.sessions.recalls(session.id) if one.number < row.number]
            return Earlier(decode_recall(tx, row), decode_options(row, session), decode_held(tx, before))

    def _named(self, scope: Scope) -> Scope:
        name = self._access.name
        project, agent = name(scope.project, "project"), name(scope.agent, "agent")
        return scope.recorded()._replace(project=project, agent=agent)

    def _is_forgotten(self, tx: Transaction) -> Callable[[str], bool]:
        """Tells texts that were forgotten while they were being recalled: the record must not bring them back."""
        gone = tx.forgotten.digests()
        if not gone:
            return lambda _text: False

        def is_gone(text: str) -> bool:
            lines = [" ".join(line.strip().lstrip("-*+").split()) for line in text.split("\n")]
            return any(self._access.digest(tx, one) in gone for one in (text, *lines) if one)

        return is_gone


def _begin(tx: Transaction, session: Session) -> None:
    """Another process may have begun it meanwhile with another scope: what was recalled is not for it then."""
    known = tx.sessions.find(session.id)
    if known is None:
        tx.sessions.insert(session)
    elif known.scope != session.scope:
        raise _scope_differs(known)


def _scope_differs(session: Session) -> Refused:
    return Refused(
        f"The session {session.id!r} sees {_described(session.scope)}, and what binds a session does not change. "
        "Start another one."
    )


_NAMES = ("project", "agent", "paths", "tiers", "tags")


def _narrowed(session: Session, wanted: Scope) -> Scope:
    """The scope of the session, and where it restricts nothing, the one that is wanted for now."""
    ever, now = session.scope._asdict(), wanted._asdict()
    if wanted.project and belongs(session.scope.project, wanted.projects):  # the same one by another name
        ever["project"] = wanted.project
    for name in _NAMES:
        if now[name] and ever[name] and now[name] != ever[name]:
            raise QueryError(
                f"The session {session.id!r} is bound by {name}, and sees {_described(session.scope)} alone. "
                f"Leave {name} out, or start another session."
            )
    chosen = {name: ever[name] or now[name] for name in _NAMES}
    return session.scope._replace(
        **chosen,
        private=wanted.private,
        hidden=wanted.hidden,
        known_as=wanted.known_as if chosen["project"] == wanted.project else (),
        allies=wanted.allies if chosen["agent"] == wanted.agent else (),
    )


def _described(scope: Scope) -> str:
    named = [f"{name} {value}" for name, value in (("project", scope.project), ("agent", scope.agent)) if value]
    sets: Sequence[tuple[str, tuple[str, ...]]] = (
        ("paths", scope.paths),
        ("tiers", scope.tiers),
        ("tags", scope.tags),
    )
    named += [f"{name} {', '.join(values)}" for name, values in sets if values]
    return " · ".join(named) or "everything"


def _hash(key: str) -> bytes:
    return hashlib.sha256(key.encode("utf-8", "replace")).digest()[:16]
