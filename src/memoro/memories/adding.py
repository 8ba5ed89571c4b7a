"""Storing memories."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from memoro.ledger import times
from memoro.ledger.access import LedgerAccess, Once, Owner, Tags
from memoro.ledger.apply import ChangeWriter
from memoro.memories.nearest import Found, NearestMemories
from memoro.memories.options import StoreOptions
from memoro.memories.querying import MemorySearch
from memoro.memories.reading import number_of_memory
from memoro.memories.results import Stored, WaitingSupersession
from memoro.memories.superseding import Superseding, proposals_of
from memoro.model.journal import Authorship
from memoro.model.memories import Memory, is_current, stamp, trust_of
from memoro.model.results import AddResult
from memoro.model.vocabulary import TRUSTS, Visibility, parse_choice

if TYPE_CHECKING:
    from memoro.ledger.ports import Transaction


class _Replacing(NamedTuple):
    """The memories that a new one replaces, and what the caller named for it."""

    supersedes: tuple[int, ...]
    inherits: tuple[int, ...]
    named: StoreOptions


class MemoryAdding:
    def __init__(self, access: LedgerAccess, owner: Owner, search: MemorySearch, private: Sequence[str]) -> None:
        self._access = access
        self._owner = owner
        self._private = private
        self._nearest = NearestMemories(access, owner, search)

    def store(self, content: str, tags: Tags, options: StoreOptions) -> Stored:
        access, now = self._access, self._access.now()
        cleaned = access.content(content)
        wanted = self._memory(cleaned.text, tags, options, now)
        supersedes = tuple(
            dict.fromkeys(number_of_memory(one, "supersedes") for one in options.get("supersedes", ()))
        )
        named = options.get("visibility")
        inherits = tuple(number_of_memory(one, "inherits") for one in options.get("inherits", ()))
        replacing = _Replacing(supersedes, inherits, options)
        asked = {"trust": options.get("trust") or "", "created_at": options.get("created_at") or "", "session": None}
        earlier = {**wanted._asdict(), **asked}
        # Without the session, the agent and the project of the home: whoever repeats a write may do so over another
        # connection, and under another name.
        request = {**earlier, "agent": None, "project": options.get("project")}
        once = Once(
            key=options.get("key"),
            request=("store", *request.values(), *((supersedes,) if supersedes else ()), *_given(named)),
            result=AddResult,
            earlier=None if supersedes or named else ("store", *earlier.values()),
        )
        with access.seen_as(named or self._inherited_visibility((*supersedes, *inherits))):
            done = access.once(once, lambda tx: self._store(tx, wanted, replacing, now))
        with access.ledger.reading() as tx:
            kept = tx.memories.find(done.id) or wanted._replace(id=done.id)
            old = [memory for number in supersedes if (memory := tx.memories.find(number))]
            proposals = proposals_of(tx, kept.id, supersedes) if supersedes else {}
            seen = tx.visibility.of("memory", kept.id)
        found = self._nearest.find(kept, now) if done.new else Found(())
        return Stored(
            memory=kept,
            new=done.new,
            nearest=tuple(one for one in found.nearest if one.memory.id not in supersedes),
            superseded=tuple(one for one in old if one.superseded_by == kept.id),
            waiting=tuple(WaitingSupersession(one, proposals[one.id]) for one in old if one.id in proposals),
            redacted=cleaned.redacted,
            degraded=found.degraded,
            visibility=seen,
        )

    def _memory(self, content: str, tags: Tags, options: StoreOptions, now: datetime) -> Memory:
        """The memory as it was asked for. Its trust is lowered to that of its parents when it is stored."""
        access = self._access
        trust = options.get("trust")
        wanted_trust = parse_choice(trust, TRUSTS[::-1], "trust") if trust is not None else None
        source = access.name(options.get("source", "agent"), "source") or "agent"
        created_at = options.get("created_at")
        valid_from, valid_to = times.span_of(options.get("valid_from") or None, options.get("valid_to") or None, now)
        return Memory(
            id=0,
            content=content,
            source=source,
            trust=trust_of(source, wanted_trust, ()),
            created_at=times.beginning(created_at, now) if created_at else stamp(now),
            tags=access.tags(tags),
            agent=access.name(options.get("agent") or self._owner.agent, "agent"),
            project=access.name(options.get("project") or self._owner.project, "project"),
            session=access.name(options.get("session"), "session"),
            task=access.name(options.get("task"), "task"),
            narrative=options.get("narrative"),
            valid_from=valid_from,
            valid_to=valid_to,
            parents=tuple(dict.fromkeys(options.get("parents", ()))),
            origin=access.name(options.get("origin"), "origin"),
        )

    def _inherited_visibility(self, numbers: Sequence[int]) -> Visibility | None:
        """Return "private" where one of these memories of a shared ledger is."""
        if not numbers or self._access.ledger.person is None:
            return None
        with self._access.ledger.reading() as tx:
            is_private = any(tx.visibility.of("memory", number) == "private" for number in numbers)
        return "private" if is_private else None

    def _store(self, tx: Transaction, wanted: Memory, replacing: _Replacing, now: datetime) -> AddResult:
        supersedes = replacing.supersedes
        by = Authorship(stamp(now), wanted.source, wanted.agent)
        writer = ChangeWriter(self._access, tx, by)
        superseding = Superseding(access=self._access, owner=self._owner, tx=tx, writer=writer, source=wanted.source)
        digest = self._access.refuse_forgotten(tx, wanted.content)
        if supersedes or replacing.inherits:
            wanted = self._with_scope(tx, wanted, replacing, superseding)
        for same in tx.memories.by_digest(digest):
            is_ours = self._owner.scope.owns(same.agent, same.project)  # others' memories are not ours to know
            is_here = same.project in (None, wanted.project)  # "we use Postgres" says of each project another thing
            if (
                is_ours and is_here and is_current(same, now) and not tx.items.find(same.id)
            ):  # an item goes with its framework
                superseding.supersede(same, supersedes, now)
                return AddResult(same.id, new=False)
        parents = [tx.memories.get(number) for number in wanted.parents]
        trusted = wanted._replace(trust=trust_of(wanted.source, wanted.trust, parents))
        if trusted.narrative is not None:
            tx.narratives.get(trusted.narrative)  # raises where there is none
        elif trusted.session:
            of_session = tx.narratives.last_of_session(trusted.session)
            trusted = trusted._replace(narrative=of_session.id if of_session else None)
        kept = writer.add_memory(trusted, "store", lambda memory: superseding.supersede(memory, supersedes, now))
        return AddResult(kept.id, new=True)

    def _with_scope(self, tx: Transaction, wanted: Memory, replacing: _Replacing, superseding: Superseding) -> Memory:
        from memoro.memories.inheriting import with_scope_of  # only where something is replaced

        old = [superseding.checked(number) for number in replacing.supersedes]
        old += [memory for number in replacing.inherits if (memory := tx.memories.find(number))]
        return with_scope_of(old, wanted, replacing.named, self._private)


def _given(visibility: Visibility | None) -> tuple[object, ...]:
    """A key stands for it only where it was given: the requests of earlier versions have none."""
    return () if visibility is None else (("visibility", visibility),)
