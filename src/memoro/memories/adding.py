"""Storing memories."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from memoro.ledger import times
from memoro.ledger.access import LedgerAccess, Once, Owner, Tags
from memoro.ledger.apply import ChangeWriter
from memoro.memories.options import StoreOptions
from memoro.memories.results import SimilarMemory, Stored
from memoro.model.journal import Authorship
from memoro.model.memories import Memory, is_current, stamp, trust_of
from memoro.model.results import AddResult
from memoro.model.vocabulary import TRUSTS, parse_choice
from memoro.search.item_words import ItemWords, best_fits

if TYPE_CHECKING:
    from memoro.ledger.item_index import ItemIndex
    from memoro.ledger.ports import Transaction

# Two memories that share this much of their words say much the same.
_SIMILAR = 0.7
_LOOK_FOR_SIMILAR = 8  # of those that hold the words a similar one must hold, the ones that fit best


class MemoryAdding:
    def __init__(self, access: LedgerAccess, owner: Owner, items: ItemIndex) -> None:
        self._access = access
        self._owner = owner
        self._items = items

    def store(self, content: str, tags: Tags, options: StoreOptions) -> Stored:
        access, now = self._access, self._access.now()
        cleaned = access.content(content)
        wanted = self._memory(cleaned.text, tags, options, now)
        similar = self._similar(wanted, now)
        asked = {"trust": options.get("trust") or "", "created_at": options.get("created_at") or "", "session": None}
        earlier = {**wanted._asdict(), **asked}
        # Without the session, the agent and the project of the home: whoever repeats a write may do so over another
        # connection, and under another name.
        request = {**earlier, "agent": None, "project": options.get("project")}
        once = Once(
            key=options.get("key"),
            request=("store", *request.values()),
            result=AddResult,
            earlier=("store", *earlier.values()),
        )
        done = access.once(once, lambda tx: self._store(tx, wanted, now))
        with access.ledger.reading() as tx:
            kept = tx.memories.find(done.id) or wanted._replace(id=done.id)
        others = tuple(one for one in similar if one.memory.id != kept.id) if done.new else ()
        return Stored(memory=kept, new=done.new, similar=others, redacted=cleaned.redacted)

    def _memory(self, content: str, tags: Tags, options: StoreOptions, now: datetime) -> Memory:
        """The memory as it was asked for. Its trust is lowered to that of its parents when it is stored."""
        access = self._access
        trust = options.get("trust")
        wanted_trust = parse_choice(trust, TRUSTS[::-1], "trust") if trust is not None else None
        source = access.name(options.get("source", "agent"), "source") or "agent"
        created_at, valid_from = options.get("created_at"), options.get("valid_from")
        valid_to = options.get("valid_to")
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
            valid_from=times.beginning(valid_from, now) if valid_from else None,
            valid_to=times.end(valid_to, now) if valid_to else None,
            parents=tuple(dict.fromkeys(options.get("parents", ()))),
            origin=access.name(options.get("origin"), "origin"),
        )

    def _store(self, tx: Transaction, wanted: Memory, now: datetime) -> AddResult:
        digest = self._access.refuse_forgotten(tx, wanted.content)
        for same in tx.memories.by_digest(digest):
            if is_current(same, now) and not tx.items.find(same.id):  # an item goes when its framework says so
                return AddResult(same.id, new=False)
        parents = [tx.memories.get(number) for number in wanted.parents]
        trusted = wanted._replace(trust=trust_of(wanted.source, wanted.trust, parents))
        if trusted.narrative is not None:
            tx.narratives.get(trusted.narrative)  # raises where there is none
        elif trusted.session:
            of_session = tx.narratives.last_of_session(trusted.session)
            trusted = trusted._replace(narrative=of_session.id if of_session else None)
        by = Authorship(stamp(now), trusted.source, trusted.agent)
        kept = ChangeWriter(self._access, tx, by).add_memory(trusted, "store")
        return AddResult(kept.id, new=True)

    def _similar(self, wanted: Memory, now: datetime) -> tuple[SimilarMemory, ...]:
        """Current memories that share most of their words with the new one, the most alike first."""

        def alike(words: ItemWords) -> list[SimilarMemory]:
            terms = words.terms(wanted.content)
            own = {term.stem for term in terms}
            with words.fits(words.telling(terms, _SIMILAR)) as fits:
                numbers = [one.number for one in best_fits(fits, _LOOK_FOR_SIMILAR)]
            with self._access.ledger.reading() as tx:
                known = [memory for number in numbers if (memory := tx.memories.find(number))]
            said = [(memory, words.stems(memory.content)) for memory in known if is_current(memory, now)]
            return [SimilarMemory(memory, len(own & other) / max(1, len(own | other))) for memory, other in said]

        found = [one for one in self._items.read("memory", alike, writes=False) if one.alike >= _SIMILAR]
        return tuple(sorted(found, key=lambda one: (-one.alike, -one.memory.id)))
