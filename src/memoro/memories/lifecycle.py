"""The operations on memories: store, query, reinforce, demote, update, supersede, remove, and their history."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from memoro.errors import MemoryNotFound, MemoryRefused, QueryError
from memoro.ledger import times
from memoro.ledger.access import LedgerAccess, Tags
from memoro.ledger.archive import Archiving, Stats
from memoro.ledger.forget import Forgetting, Forgotten
from memoro.memories.links import Neighbourhood, link, linked, neighbourhood
from memoro.memories.rank import Recalled, fair, memory_of, weighed
from memoro.memories.view import View, ranked, ranked_archived
from memoro.model import journal
from memoro.model.journal import Entry, as_memory, snapshot, with_first_words
from memoro.model.memories import (
    Link,
    Memory,
    PrunePlan,
    faded,
    is_current,
    stamp,
    strength,
    trust_of,
)
from memoro.model.notes import MEMORY
from memoro.model.scope import EVERYTHING
from memoro.model.sessions import CORRECTED, DEMOTED, REINFORCED
from memoro.model.vocabulary import TRUSTS, Feedback, LedgerMode, Trust, parse_choice
from memoro.search.item_words import ItemWords, best_fits

if TYPE_CHECKING:
    from memoro.index.item_index import ItemIndex
    from memoro.ledger.ports import Transaction

MAX_RESULTS = 200
MODES: tuple[LedgerMode, ...] = ("words", "hybrid")
# Two memories that share this much of their words say much the same.
_SIMILAR = 0.7
_LOOK_FOR_SIMILAR = 8  # of those that hold the words a similar one must hold, the ones that fit best


# What a change of a memory says about its last having been recalled.
_FEEDBACK: dict[str, Feedback] = {
    "reinforce": REINFORCED,
    "demote": DEMOTED,
    "update": CORRECTED,
    "supersede": CORRECTED,
}


class Weights(NamedTuple):
    reinforce: int = 3
    demote: int = 1


class Similar(NamedTuple):
    """A memory that says much the same as a new one: `supersede` keeps one of the two."""

    memory: Memory
    alike: float


class Stored(NamedTuple):
    memory: Memory
    new: bool  # False: it was known already, word for word
    similar: tuple[Similar, ...] = ()
    redacted: tuple[str, ...] = ()  # kinds of secrets that were taken out


class Recollection(NamedTuple):
    query: str
    results: tuple[Recalled, ...]
    degraded: tuple[str, ...] = ()


class Shown(NamedTuple):
    """One memory with what is known around it."""

    memory: Memory
    archived: bool
    links: tuple[Link, ...]
    narratives: tuple[int, ...]
    supersedes: tuple[int, ...]


Found = Callable[[str, int], tuple[Sequence[tuple[int, float]], tuple[str, ...]]]


class MemorySearch(NamedTuple):
    """The ways to find memories: by their own words, or as `search` does by words and meaning."""

    words: ItemIndex
    by_meaning: Found


class Memories:
    """`m.memories`. Every write takes a `key`: repeated with the same key it is done once."""

    def __init__(
        self,
        access: LedgerAccess,
        archiving: Archiving,
        forgetting: Forgetting,
        weights: Weights,
        whose: tuple[str | None, str | None],
        search: MemorySearch,
    ) -> None:
        self._access = access
        self._archiving = archiving
        self._forgetting = forgetting
        self._weights = weights
        self._agent, self._project = whose
        self._search = search

    def store(
        self,
        content: str,
        tags: Tags = (),
        *,
        source: str = "agent",
        trust: Trust | None = None,
        session: str | None = None,
        task: str | None = None,
        narrative: int | None = None,
        agent: str | None = None,
        project: str | None = None,
        valid_from: str | None = None,
        valid_to: str | None = None,
        parents: Sequence[int] = (),
        origin: str | None = None,
        created_at: str | None = None,
        key: str | None = None,
    ) -> Stored:
        """Keep one fact. What is known already, word for word, is not kept twice; what is much alike is named.

        Secrets are taken out first. `trust` is by default that of the source, and never above that of the
        `parents` it was made from. `created_at` is for what was known before it came here.
        """
        access, now = self._access, self._access.now()
        cleaned = access.content(content)
        if trust is not None:
            trust = parse_choice(trust, TRUSTS[::-1], "trust")
        actor = access.name(source, "source") or "agent"
        wanted = Memory(
            id=0,
            content=cleaned.text,
            source=actor,
            trust=trust_of(actor, trust, ()),
            created_at=times.beginning(created_at, now) if created_at else stamp(now),
            tags=access.tags(tags),
            agent=access.name(agent or self._agent, "agent"),
            project=access.name(project or self._project, "project"),
            session=access.name(session, "session"),
            task=access.name(task, "task"),
            narrative=narrative,
            valid_from=times.beginning(valid_from, now) if valid_from else None,
            valid_to=times.end(valid_to, now) if valid_to else None,
            parents=tuple(dict.fromkeys(parents)),
            origin=access.name(origin, "origin"),
        )
        similar = self._similar(wanted, now)
        fields = {**wanted._asdict(), "trust": trust or "", "created_at": created_at or "", "session": None}
        request = ("store", *fields.values())
        done = access.once(key, request, lambda tx: self._store(tx, wanted, now))
        with access.ledger.reading() as tx:
            kept = tx.memories.find(done["id"]) or wanted._replace(id=done["id"])
        others = tuple(one for one in similar if one.memory.id != kept.id) if done["new"] else ()
        return Stored(kept, done["new"], others, cleaned.redacted)

    def _store(self, tx: Transaction, wanted: Memory, now: datetime) -> dict[str, Any]:
        digest = self._access.refuse_forgotten(tx, wanted.content)
        for same in tx.memories.by_digest(digest):
            if is_current(same, now) and not tx.items.find(same.id):  # an item goes when its framework says so
                return {"id": same.id, "new": False}
        parents = [tx.memories.get(number) for number in wanted.parents]
        trusted = wanted._replace(trust=trust_of(wanted.source, wanted.trust, parents))
        if trusted.narrative is not None:
            tx.narratives.get(trusted.narrative)  # or there is none
        elif trusted.session:
            of_session = tx.narratives.last_of_session(trusted.session)
            trusted = trusted._replace(narrative=of_session.id if of_session else None)
        kept = tx.memories.insert(trusted, digest)
        tx.journal.add(
            Entry(
                id=0,
                at=stamp(now),
                operation="store",
                actor=kept.source,
                kind="memory",
                item=kept.id,
                before=None,
                after={},
                agent=kept.agent,
            )
        )
        return {"id": kept.id, "new": True}

    def _similar(self, wanted: Memory, now: datetime) -> tuple[Similar, ...]:
        def alike(words: ItemWords) -> list[Similar]:
            terms = words.terms(wanted.content)
            own = {term.stem for term in terms}
            with words.fits(words.telling(terms, _SIMILAR)) as fits:
                numbers = [one.number for one in best_fits(fits, _LOOK_FOR_SIMILAR)]
            with self._access.ledger.reading() as tx:
                known = [memory for number in numbers if (memory := tx.memories.find(number))]
            said = [(memory, words.stems(memory.content)) for memory in known if is_current(memory, now)]
            return [Similar(memory, len(own & theirs) / max(1, len(own | theirs))) for memory, theirs in said]

        found = [one for one in self._search.words.read("memory", alike, writes=False) if one.alike >= _SIMILAR]
        return tuple(sorted(found, key=lambda one: (-one.alike, -one.memory.id)))

    def query(
        self,
        query: str,
        limit: int = 5,
        *,
        mode: LedgerMode = "words",
        session: str | None = None,
        as_of: str | None = None,
        tags: Tags = (),
        agent: str | None = None,
        project: str | None = None,
        links: bool = False,
        archived: bool = False,
    ) -> Recollection:
        """The memories that answer best: by their words, by what use has shown, and by how lately.

        Leaves no trace, but that with `session` the ledger notes which were given to it; it sees what binds that
        session, and nothing else. `as_of` shows what was known and held true at that time; `links` adds memories
        that are linked with those found.
        """
        if not 1 <= limit <= MAX_RESULTS:
            raise QueryError(f"The number of results must be from 1 to {MAX_RESULTS}, not {limit}.")
        mode = parse_choice(mode, MODES, "mode")
        access = self._access
        now = times.last(as_of, access.now()) if as_of else access.now()
        name = access.name(session, "session")
        with access.ledger.reading() as tx:
            known = tx.sessions.find(name) if name else None
        view = View(now, set(access.tags(tags)), agent, project, known.scope if known else EVERYTHING)
        degraded: tuple[str, ...] = ()
        if as_of:
            with access.ledger.reading() as tx:
                view.look_back(tx)
        if mode == "words":
            results, degraded = self._by_words(query, limit, view)
        else:
            results, degraded = self._meant(query, limit, view)
        if archived:
            with access.archive.reading() as archive:
                old = [one._replace(archived=True) for one in ranked_archived(archive, query, limit, view)]
            with access.ledger.reading() as tx:  # a move that was broken off leaves a memory in both
                old = [one for one in old if tx.memories.find(one.memory.id) is None]
            results = fair(sorted([*results, *old], key=lambda one: -one.score), limit, memory_of)
        if links:
            with access.ledger.reading() as tx:
                results = [*results, *linked(tx, results, limit, view, now)]
        if name and results:
            with access.ledger.writing() as tx:
                tx.given.add(name, [one.memory.id for one in results if not one.archived], stamp(access.now()))
        return Recollection(query, tuple(results), degraded)

    def _by_words(self, query: str, limit: int, view: View) -> tuple[list[Recalled], tuple[str, ...]]:
        def best(words: ItemWords) -> list[Recalled]:
            with self._access.ledger.reading() as tx:
                return ranked(tx, words, query, limit, view)

        notices: list[str] = []
        return self._search.words.read("memory", best, notices), tuple(notices)

    def _meant(self, query: str, limit: int, view: View) -> tuple[list[Recalled], tuple[str, ...]]:
        """By words and meaning, as the search finds them; a memory that changed this moment may be missing."""
        found, degraded = self._search.by_meaning(query, MAX_RESULTS)  # not `limit`: the view leaves some of them out
        with self._access.ledger.reading() as tx:
            known = [(tx.memories.find(number), score) for number, score in found]
        seen = [(view(memory), score) for memory, score in known if memory]
        results = [weighed(m, score, view.now)._replace(score=score) for m, score in seen if m]
        return fair(results, limit, memory_of), degraded

    def reinforce(
        self, number: int, *, session: str | None = None, source: str = "agent", key: str | None = None
    ) -> Memory:
        """It helped: raise its feedback, start its recency anew, and link it with what helped along with it.

        Without a session, the last one that was given it is meant.
        """
        weight = self._weights.reinforce

        def change(memory: Memory, now: datetime) -> Memory:
            return memory._replace(feedback=_added(memory.feedback, weight), hit_at=stamp(now))

        return self._change("reinforce", number, change, source, key, session=session)

    def demote(
        self, number: int, *, session: str | None = None, source: str = "agent", key: str | None = None
    ) -> Memory:
        """It was wrong, stale or beside the point: lower its feedback. Its recency stays."""
        weight = self._weights.demote
        return self._change(
            "demote",
            number,
            lambda memory, _now: memory._replace(feedback=_added(memory.feedback, -weight)),
            source,
            key,
            session=session,
        )

    def update(
        self,
        number: int,
        content: str | None = None,
        tags: Tags | None = None,
        *,
        valid_from: str | None = None,
        valid_to: str | None = None,
        session: str | None = None,
        source: str = "agent",
        key: str | None = None,
    ) -> Memory:
        """Say it better, in place: the feedback stays, the recency starts anew. What it said is in its history."""
        access, now = self._access, self._access.now()
        fields: dict[str, Any] = {}
        if content is not None:
            fields["content"] = access.content(content).text
        if tags is not None:
            fields["tags"] = access.tags(tags)
        if valid_from is not None:
            fields["valid_from"] = times.beginning(valid_from, now)
        if valid_to is not None:
            fields["valid_to"] = times.end(valid_to, now)
        if not fields:
            raise MemoryRefused(f"Nothing to change in [id:{number}]. Give a new text, tags or validity.")

        def change(memory: Memory, now: datetime) -> Memory:
            # What an untrusted hand rewrites is worth no more than that hand.
            trust = trust_of(source, None, [memory]) if "content" in fields else memory.trust
            return memory._replace(**fields, hit_at=stamp(now), trust=trust)

        def check(tx: Transaction, memory: Memory) -> None:
            if "content" in fields and (item := tx.items.find(memory.id)):
                raise MemoryRefused(
                    f"[id:{memory.id}] is what an item of {item.store} says, and changes with it. Remove it, or "
                    "store what you know better as a memory of its own."
                )

        return self._change(
            "update", number, change, source, key, session=session, request=tuple(fields.items()), check=check
        )  # fmt: skip

    def supersede(
        self, old: int, new: int, *, session: str | None = None, source: str = "agent", key: str | None = None
    ) -> Memory:
        """The newer memory holds in place of the older, which leaves the present view but not the ledger."""
        if old == new:
            raise MemoryRefused("A memory cannot supersede itself.")

        def change(memory: Memory, now: datetime) -> Memory:
            return memory._replace(superseded_by=new, superseded_at=stamp(now))

        def check(tx: Transaction, memory: Memory) -> None:
            later: Memory | None = tx.memories.get(new)
            while later is not None:
                if later.id == memory.id:
                    raise MemoryRefused(f"[id:{new}] was itself superseded by [id:{old}].")
                later = tx.memories.find(later.superseded_by or 0)

        return self._change("supersede", old, change, source, key, session=session, request=(new,), check=check)

    def trust(self, number: int, level: Trust, *, key: str | None = None) -> Memory:
        """A person says how far a memory is to be believed. Nothing else raises it."""
        level = parse_choice(level, TRUSTS[::-1], "trust")
        return self._change(
            "trust", number, lambda memory, _now: memory._replace(trust=level), "user", key, request=(level,)
        )

    def remove(self, number: int, *, source: str = "agent", key: str | None = None) -> Memory:
        """Take a memory out. `undo` brings it back with all it had."""
        access = self._access
        gone: list[Memory] = []

        def work(tx: Transaction) -> dict[str, Any]:
            memory = tx.memories.get(number)
            item = tx.items.find(number)
            tx.memories.delete(number)
            tx.items.delete(number)
            tx.journal.add(
                Entry(
                    id=0,
                    at=stamp(access.now()),
                    operation="remove",
                    actor=access.name(source, "source") or "",
                    kind="item" if item else "memory",
                    item=number,
                    before=snapshot(item, memory) if item else memory._asdict(),
                    after=None,
                    agent=self._agent,
                )
            )
            gone.append(memory)
            return {"id": number}

        access.with_room(lambda: access.once(key, ("remove", number), work))
        return gone[0] if gone else self._last_removed(number)

    def _last_removed(self, number: int) -> Memory:
        with self._access.ledger.reading() as tx:
            removed = [entry for entry in tx.journal.history("memory", number) if entry.operation == "remove"]
        if not removed or not removed[-1].before:
            raise MemoryNotFound(f"There is no memory [id:{number}] any more.")
        return as_memory(removed[-1].before)

    def _change(
        self,
        operation: str,
        number: int,
        change: Callable[[Memory, datetime], Memory],
        source: str,
        key: str | None,
        *,
        session: str | None = None,
        request: tuple[Any, ...] = (),
        check: Callable[[Transaction, Memory], None] = lambda _pages, _memory: None,
    ) -> Memory:
        """Change one memory by a rule, with an entry in the journal, all in one transaction."""
        access, now = self._access, self._access.now()
        actor = access.name(source, "source") or ""
        named = access.name(session, "session")
        made: list[Memory] = []

        def work(tx: Transaction) -> dict[str, Any]:
            old = tx.memories.get(number)
            check(tx, old)
            new = change(old, now)
            same = new.content == old.content
            digest = access.digest(tx, new.content) if same else access.refuse_forgotten(tx, new.content)
            tx.memories.replace(old, new, digest)
            before, after = journal.difference(old, new)
            if operation == "reinforce":
                links = link(tx, number, named or tx.given.last_session(number), now)
                after |= {"links": links} if links else {}
            if word := _FEEDBACK.get(operation):
                recall = tx.sessions.note(f"{MEMORY}{number}", word, named)
                after |= {"given": (recall, word)} if recall else {}
            tx.journal.add(
                Entry(
                    id=0,
                    at=stamp(now),
                    operation=operation,
                    actor=actor,
                    kind="memory",
                    item=number,
                    before=before,
                    after=after,
                    agent=self._agent,
                )
            )
            made.append(new)
            return {"id": number}

        # Without the session: whoever repeats a write may do so over another connection.
        access.once(key, (operation, number, *request), work)
        return made[0] if made else self._present_or_last(number)

    def _present_or_last(self, number: int) -> Memory:
        """A memory after a write that was done before: it may be elsewhere by now."""
        try:
            return self.get(number)
        except MemoryNotFound:
            return self._last_removed(number)

    def archive(self, number: int, *, source: str = "user", key: str | None = None) -> Memory:
        """Move one to the archive: found by `query(archived=True)`, brought back by `unarchive`."""
        return self._moved("archive", number, key, lambda: self._archiving.archive(number, source=source))

    def unarchive(self, number: int, *, source: str = "user", key: str | None = None) -> Memory:
        return self._moved("unarchive", number, key, lambda: self._archiving.unarchive(number, source=source))

    def _moved(self, operation: str, number: int, key: str | None, move: Callable[[], Memory]) -> Memory:
        """With a key, a move that was made already, or by half, is made whole and is no error."""
        if key is None:
            return move()
        self._access.once(key, (operation, number), lambda _pages: {"id": number})
        try:
            return move()
        except MemoryNotFound:
            return self._present_or_last(number)

    def prune(self, *, dry_run: bool = False) -> PrunePlan:
        """Where the memories have outgrown `memory.max_size`, move the weakest to the archive."""
        return self._access.with_room(lambda: self._archiving.prune(dry_run=dry_run))

    def forget(
        self,
        numbers: int | Sequence[int] = (),
        *,
        query: str | None = None,
        limit: int = 5,
        source: str | None = None,
        session: str | None = None,
        since: str | None = None,
        until: str | None = None,
        yes: bool = False,
        dry_run: bool = False,
    ) -> Forgotten:
        """Scrub memories for good: by number, by query, or all of a source or session in a time.

        This cannot be undone, and so needs `yes`. `dry_run` tells what would go.
        """
        listed = [numbers] if isinstance(numbers, int) else list(numbers)
        if yes and not dry_run:
            self._forgetting.finish()
        if query is not None:
            listed += [one.memory.id for one in self.query(query, limit, archived=True).results]
            if not listed:
                return Forgotten((), False)
        chosen = self._forgetting.chosen(listed, source=source, session=session, since=since, until=until)
        return self._forgetting.forget(chosen, yes=yes, dry_run=dry_run)

    def stats(self) -> Stats:
        """How many there are, and what takes the space."""
        return self._archiving.stats()

    def get(self, number: int) -> Memory:
        return self.show(number).memory

    def show(self, number: int) -> Shown:
        """A memory, in the ledger or the archive, with its links and the narratives that rest on it."""
        access, now = self._access, self._access.now()
        with access.archive.reading() as archive:
            archived = archive.memories.find(number)
        with access.ledger.reading() as tx:
            memory = tx.memories.find(number) or archived
            if memory is None:
                memory = tx.memories.get(number)  # says what is wrong
            links = tuple(link._replace(strength=faded(link, now)) for link in tx.links.of(number))
            older = tuple(m.id for m in tx.memories.superseded_by(number))
            in_ledger = tx.memories.find(number) is not None
            return Shown(memory, not in_ledger, links, tuple(tx.narratives.resting_on(number)), older)

    def all(self, *, source: str | None = None, session: str | None = None, tag: str | None = None) -> list[Memory]:
        """Memories of the present view, by their numbers."""
        now = self._access.now()
        with self._access.ledger.reading() as tx:
            return [
                memory
                for memory in tx.memories.all()
                if is_current(memory, now)
                and source in (None, memory.source)
                and session in (None, memory.session)
                and (tag is None or tag in memory.tags)
            ]

    def standing(self, numbers: Sequence[int]) -> dict[int, float]:
        """Of these, the memories that hold now, each with what it is worth."""
        now = self._access.now()
        with self._access.ledger.reading() as tx:
            found = [tx.memories.find(number) for number in numbers]
        return {memory.id: strength(memory, now) for memory in found if memory and is_current(memory, now)}

    def history(self, number: int) -> list[Entry]:
        """All that a memory went through, oldest first, whether it is still there or not."""
        with self._access.ledger.reading() as tx:
            entries = tx.journal.history("memory", number)
            now = tx.memories.find(number)
        if not entries:
            raise MemoryNotFound(f"There never was a memory [id:{number}].")
        with self._access.archive.reading() as archive:
            now = now or archive.memories.find(number)
        return with_first_words(entries, now)

    def links(self, number: int, depth: int = 2) -> Neighbourhood:
        """The memories that hang together with one, each once, as a tree of the strongest ways to it."""
        now = self._access.now()
        with self._access.ledger.reading() as tx:
            root = tx.memories.get(number)
            seen = {number}
            return neighbourhood(tx, root, 1.0, depth, seen, now)


def _added(feedback: int, weight: int) -> int:
    """Exact, up to what a database can count to."""
    return max(-(2**62), min(2**62, feedback + weight))
