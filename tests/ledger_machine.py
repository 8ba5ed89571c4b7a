"""Changes to a ledger in any order, done to a store and to the plain ledger, which must agree on every query."""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from memoro.ledger.ports import Ledger, Transaction
from memoro.model.change_codec import ChangeColumns, decode, encode
from memoro.model.changes import (
    Change,
    ItemRemoved,
    ItemSnapshot,
    MemoryChanged,
    MemoryRemoved,
    NoteAppended,
    NoteWritten,
    memory_difference,
)
from memoro.model.experiences import Experience
from memoro.model.items import Item
from memoro.model.journal import ChangeFilter, JournalEntry
from memoro.model.ledger import NUMBERED, KeptResult, WatchedLine
from memoro.model.listing import (
    EXPERIENCE_SORTS,
    MEMORY_SORTS,
    MEMORY_STATES,
    ExperienceFilter,
    ListOrder,
    MemoryFilter,
)
from memoro.model.memories import Link, Memory, Narrative
from memoro.model.proposals import Evidence, Proposal, RememberEntry, StoreMemory
from memoro.model.recalls import StoredItem, StoredRecall
from memoro.model.scope import Scope
from memoro.model.sessions import Session
from memoro.store.plain.ledger import PlainLedger
from tests.ledger_stores import LedgerStore

T = TypeVar("T")
Action = Callable[[Transaction], object]

times = st.integers(1, 9).map(lambda hour: f"2026-01-01T0{hour}:00:00.000Z")
maybe_times = st.none() | times
texts = st.sampled_from(["tea", "green tea", "a pot of tea", "cups", "naïve café", "日本茶", "x\n- y"])
tags = st.lists(st.sampled_from(["a", "b/c", "ü"]), max_size=2, unique=True).map(tuple)
names = st.sampled_from(["s1", "s2"])
maybe_names = st.none() | names
choices = st.integers(0, 7)
numbers = st.sampled_from([0, 1, 2, 3, 5, 99, -1, 2**63, 10**19])
digests = st.sampled_from([b"d" * 16, b"e" * 16, b"f" * 16])
fields = st.none() | st.fixed_dictionaries(
    {}, optional={"content": texts, "tags": st.lists(texts, max_size=2), "n": st.integers(-5, 5), "ü": st.none()}
)
kinds = st.sampled_from(["memory", "item", "experience", "narrative", "note", "transcript"])
operations = st.sampled_from(["store", "undo", "forget", "remove", "episode"])
namespaces = st.sampled_from([("a",), ("a", "b"), ("ab",), ('a"', ",")])
words = st.sampled_from(["reinforced", "demoted", "corrected"])
memories = st.builds(
    Memory,
    id=st.just(0),
    content=texts,
    source=st.sampled_from(["agent", "extraction"]),
    trust=st.sampled_from(["user_said", "tool_or_web"]),
    created_at=times,
    tags=tags,
    feedback=st.integers(-3, 3),
    hit_at=maybe_times,
    agent=maybe_names,
    project=maybe_names,
    session=maybe_names,
    valid_from=maybe_times,
    valid_to=maybe_times,
    parents=st.lists(st.integers(1, 4), max_size=2, unique=True).map(tuple),
    origin=st.none() | st.sampled_from(["o1", "o2"]),
    task=st.none(),
    narrative=st.none(),
    superseded_by=st.none() | st.integers(1, 4),
    superseded_at=maybe_times,
)
experiences = st.builds(
    Experience,
    id=st.just(0),
    type=st.sampled_from(["tool_chain", "user_preference"]),
    intent=texts,
    solution_json=st.just('"x"'),
    success=st.sampled_from([0.0, 0.25, 1.0]),
    source=st.just("agent"),
    trust=st.just("agent_inferred"),
    created_at=times,
    tags=tags,
    used_at=maybe_times,
    archived_at=maybe_times,
    project=maybe_names,
    uses=st.integers(0, 3),
    outcomes=st.integers(0, 3),
    agent=st.none(),
    session=st.none(),
)
narratives = st.builds(
    Narrative,
    id=st.just(0),
    summary=texts,
    created_at=times,
    source=st.just("agent"),
    memories=st.lists(st.integers(1, 4), max_size=3, unique=True).map(tuple),
    session=maybe_names,
    project=maybe_names,
    previous=st.none(),
    next=st.none(),
    agent=st.none(),
)

items = st.builds(
    Item,
    id=st.integers(1, 4),
    store=st.just("langgraph"),
    namespace=namespaces,
    key=st.just("k1"),
    value=st.just('{"a": 1}'),
    created_at=times,
    updated_at=times,
    version=st.integers(1, 3),
    ttl=st.none(),
    expires_at=maybe_times,
    session=st.none(),
)
contents = st.none() | st.sampled_from(["tea", "cup"])
numbered = st.builds(lambda memory, number: memory._replace(id=number), memories, st.integers(1, 4))
typed_changes: st.SearchStrategy[Change] = st.one_of(
    st.builds(MemoryRemoved, st.sampled_from(["remove", "undo"]), numbered),
    st.builds(
        lambda old, new: MemoryChanged("update", old.id, *memory_difference(old, new._replace(id=old.id))),
        numbered,
        memories,
    ),
    st.builds(lambda item: ItemRemoved("delete", ItemSnapshot(item, None)), items),
    st.builds(
        NoteWritten,
        st.sampled_from(["edit", "episode"]),
        st.just("n1.md"),
        contents,
        contents.filter(bool),
        st.just(()),
    ),
    st.builds(NoteAppended, st.just("daily"), st.just("n2.md"), st.none(), texts),
)


def row(kind: str, operation: str, item: int, before: Any, after: Any) -> Change:
    """A row of any kind, most of which nobody can read."""
    named: int | str = f"n{item}.md" if kind in ("note", "transcript") else item
    sides = [None if side is None else json.dumps(side, ensure_ascii=False) for side in (before, after)]
    return decode(ChangeColumns(operation=operation, kind=kind, item=named, before=sides[0], after=sides[1]))


any_rows = st.builds(row, kinds, operations, st.integers(1, 4), fields, fields)


def pick(found: Iterable[T], choice: int) -> T | None:
    """One of what there is: the same in two ledgers that say the same."""
    listed = list(found)
    return listed[choice % len(listed)] if listed else None


class Broken(Exception):
    """Raised inside a transaction, to break it off."""


class AgainstThePlainLedger(RuleBasedStateMachine):
    """Rules plan changes; `commit` does what is planned in one transaction, `break_off` does it in vain."""

    store: LedgerStore

    def __init__(self, make: Callable[[Path], LedgerStore]) -> None:
        super().__init__()
        self._folder = Path(tempfile.mkdtemp())
        self.store = make(self._folder / "home")
        self.ledger: Ledger = self.store.open()
        self.oracle: Ledger = PlainLedger()
        self.planned: list[Action] = []

    @initialize()
    def begin(self) -> None:
        for ledger in (self.ledger, self.oracle):
            with ledger.writing() as tx:
                tx.meta.put("identity", "one")  # drawn at random in each
                tx.meta.put("salt", "00")
        self.same()

    def teardown(self) -> None:
        self.ledger.close()
        shutil.rmtree(self._folder)

    def plan(self, action: Action) -> None:
        self.planned.append(action)

    @rule()
    def commit(self) -> None:
        planned, self.planned = self.planned, []
        results = []
        for ledger in (self.ledger, self.oracle):
            with ledger.writing() as tx:
                results.append([action(tx) for action in planned])
                inside = observed(tx)
                with ledger.reading() as nested:  # sees what its own thread has written
                    assert observed(nested) == inside
        assert results[0] == results[1]
        self.same()

    @rule()
    def break_off(self) -> None:
        planned, self.planned = self.planned, []
        for ledger in (self.ledger, self.oracle):
            with pytest.raises(Broken), ledger.writing() as tx:
                for action in planned:
                    action(tx)
                raise Broken
        self.same()

    @rule()
    def reopen(self) -> None:
        if self.store.is_durable:
            self.ledger.close()
            self.ledger = self.store.open()
            self.same()

    @rule()
    def clean_up(self) -> None:
        self.ledger.scrub()
        self.ledger.compact()
        assert self.ledger.check() == []
        self.same()

    def same(self) -> None:
        with self.ledger.reading() as tx, self.oracle.reading() as plain:
            assert observed(tx) == observed(plain)

    # Memories and experiences

    @rule(memory=memories, digest=digests)
    def insert_a_memory(self, memory: Memory, digest: bytes) -> None:
        self.plan(lambda tx: tx.memories.insert(memory, digest))

    @rule(choice=choices, other=memories, digest=digests, by=st.none() | st.integers(1, 4))
    def replace_a_memory(self, choice: int, other: Memory, digest: bytes, by: int | None) -> None:
        def action(tx: Transaction) -> None:
            if old := pick(tx.memories.all(), choice):
                new = old._replace(content=other.content, tags=other.tags, feedback=other.feedback, superseded_by=by)
                tx.memories.replace(old, new, digest)

        self.plan(action)

    @rule(number=numbers | st.integers(1, 6))
    def delete_a_memory(self, number: int) -> None:
        if abs(number) < 2**63:
            self.plan(lambda tx: tx.memories.delete(number))

    @rule(experience=experiences, digest=digests)
    def insert_an_experience(self, experience: Experience, digest: bytes) -> None:
        self.plan(lambda tx: tx.experiences.insert(experience, digest))

    @rule(choice=choices, other=experiences)
    def replace_an_experience(self, choice: int, other: Experience) -> None:
        def action(tx: Transaction) -> None:
            if old := pick(tx.experiences.all(), choice):
                tx.experiences.replace(old, old._replace(tags=other.tags, archived_at=other.archived_at, uses=4))

        self.plan(action)

    @rule(number=st.integers(1, 6))
    def delete_an_experience(self, number: int) -> None:
        self.plan(lambda tx: tx.experiences.delete(number))

    # The journal

    @rule(
        change=typed_changes | any_rows,
        actor=st.integers(1, 4),
        at=times,
        proposal=st.none() | st.integers(1, 3),
        person=st.sampled_from(("mia", "tom")),
    )
    def add_an_entry(self, change: Change, actor: int, at: str, proposal: int | None, person: str) -> None:
        # Always a person: a shared ledger fills in who writes, and others leave it open.
        entry = JournalEntry(id=0, at=at, actor=f"by {actor}", change=change, proposal=proposal, person=person)
        self.plan(lambda tx: tx.journal.add(entry))

    @rule(choice=choices, at=times)
    def undo_an_entry(self, choice: int, at: str) -> None:
        def action(tx: Transaction) -> object:
            undone = pick(tx.journal.all(), choice)
            if undone is None:
                return None
            columns = encode(undone.change)
            back = decode(columns._replace(operation="undo", before=columns.after, after=columns.before))
            return tx.journal.add(undone._replace(at=at, undoes=undone.id, change=back))

        self.plan(action)

    @rule(choice=choices, whole=st.booleans())
    def blank_an_entry(self, choice: int, whole: bool) -> None:
        def action(tx: Transaction) -> None:
            if entry := pick(tx.journal.all(), choice):
                tx.journal.blank_history(entry.kind, entry.item) if whole else tx.journal.blank(entry.id)

        self.plan(action)

    @rule()
    def delete_the_last_entry(self) -> None:
        def action(tx: Transaction) -> None:
            last = tx.journal.last()
            if last and last not in tx.pending.all() and last not in {one.entry for one in tx.lines.all()}:
                tx.journal.delete(last)

        self.plan(action)

    # What belongs to memories

    @rule(narrative=narratives)
    def insert_a_narrative(self, narrative: Narrative) -> None:
        def action(tx: Transaction) -> object:
            last = tx.narratives.last_of_project(narrative.project)
            return tx.narratives.insert(narrative._replace(previous=last.id if last else None))

        self.plan(action)

    @rule(choice=choices, back=st.booleans())
    def delete_a_narrative(self, choice: int, back: bool) -> None:
        def action(tx: Transaction) -> None:
            if narrative := pick(tx.narratives.all(), choice):
                tx.narratives.delete(narrative)
                if back:
                    tx.narratives.put_back(narrative)

        self.plan(action)

    @rule(memory=st.integers(1, 4))
    def delete_what_belongs_to_a_memory(self, memory: int) -> None:
        self.plan(lambda tx: tx.narratives.detach(memory))
        self.plan(lambda tx: tx.links.delete_of(memory))
        self.plan(lambda tx: tx.given.delete_of(memory))

    @rule(low=st.integers(1, 3), more=st.integers(1, 3), strength=st.sampled_from([-1.0, 0.0, 0.5, 2.0]), at=times)
    def put_a_link(self, low: int, more: int, strength: float, at: str) -> None:
        self.plan(lambda tx: tx.links.put(Link(low=low, high=low + more, strength=strength, at=at)))

    @rule(session=names, given=st.lists(st.integers(1, 4), max_size=3), at=times)
    def give_memories(self, session: str, given: list[int], at: str) -> None:
        self.plan(lambda tx: tx.given.add(session, given, at))

    @rule(session=names, memory=st.integers(1, 4))
    def reinforce_a_given_memory(self, session: str, memory: int) -> None:
        self.plan(lambda tx: tx.given.mark_reinforced(session, memory))

    # Notes

    @rule(text=texts)
    def keep_a_content(self, text: str) -> None:
        self.plan(lambda tx: tx.contents.keep(text.encode()))

    @rule(text=texts)
    def delete_a_content(self, text: str) -> None:
        self.plan(lambda tx: tx.contents.delete(hashlib.sha256(text.encode()).hexdigest()))

    @rule(choice=choices, path=texts, line=texts, seen=digests)
    def write_a_line(self, choice: int, path: str, line: str, seen: bytes) -> None:
        def action(tx: Transaction) -> None:
            watched = {one.entry for one in tx.lines.all()}
            entry = pick((one for one in tx.journal.all() if one.id not in watched), choice)
            if entry and entry.id not in tx.pending.all():
                tx.pending.begin(entry.id)
            if entry:
                tx.lines.watch(WatchedLine(entry=entry.id, path=path, line=line, seen=seen, returned=False))

        self.plan(action)

    @rule(choice=choices, state=digests | st.just(b""), returned=st.none() | st.booleans(), other=texts)
    def settle_a_line(self, choice: int, state: bytes, returned: bool | None, other: str) -> None:
        def action(tx: Transaction) -> None:
            if line := pick(tx.lines.all(), choice):
                tx.pending.end(line.entry)
                tx.lines.saw(line.entry, state, returned=returned)
                tx.lines.note_changed(line.path, state, b"g" * 16)
                tx.lines.note_moved(line.path, other)
                if choice % 2:
                    tx.lines.unwatch(line.entry)

        self.plan(action)

    @rule(text=texts, at=times, end=maybe_times, score=st.none() | st.floats(0, 1), entry=st.booleans())
    def propose(self, text: str, at: str, end: str | None, score: float | None, entry: bool) -> None:
        proposal = Proposal(
            id=0,
            at=at,
            actor="agent",
            agent=None,
            change=RememberEntry(text=text, tier="pinned", section=None, path="PINNED.md")
            if entry
            else StoreMemory(text, tags=("a", "ü"), supersedes=1),
            state="open",
            evidence=(Evidence(quote=text, path="@logs/a", line=3), Evidence(quote="")),
            origin="extraction",
            score=score,
            expires_at=end,
            reason=text,
        )
        self.plan(lambda tx: tx.proposals.add(proposal))

    @rule(choice=choices, at=times)
    def settle_a_proposal(self, choice: int, at: str) -> None:
        def action(tx: Transaction) -> None:
            if proposal := pick(tx.proposals.all("open"), choice):
                match choice % 3:
                    case 0:
                        tx.proposals.settle(proposal.id, "accepted", at)
                    case 1:
                        tx.proposals.blank(proposal.id)
                    case _:
                        tx.proposals.expire(proposal.id, at)

        self.plan(action)

    # Items

    @rule(
        namespace=namespaces, key=st.sampled_from(["k1", "k2"]), at=times, end=maybe_times, version=st.integers(1, 3)
    )
    def put_an_item(self, namespace: tuple[str, ...], key: str, at: str, end: str | None, version: int) -> None:
        def action(tx: Transaction) -> int:
            old = tx.items.named("langgraph", namespace, key)
            number = old.id if old else tx.numbers.highest("memories") + 1
            tx.numbers.reserve("memories", number)
            tx.items.put(
                Item(
                    id=number,
                    store="langgraph",
                    namespace=namespace,
                    key=key,
                    value='{"a": 1}',
                    created_at=at,
                    updated_at=at,
                    version=version,
                    expires_at=end,
                )
            )
            return number

        self.plan(action)

    @rule(choice=choices, end=times)
    def end_an_item(self, choice: int, end: str) -> None:
        def action(tx: Transaction) -> None:
            if item := pick(tx.items.all(), choice):
                tx.items.delete(item.id) if choice % 2 else tx.items.keep_until([item.id], [end])

        self.plan(action)

    # Sessions

    @rule(session=names, at=times, project=maybe_names, title=st.none() | texts)
    def start_a_session(self, session: str, at: str, project: str | None, title: str | None) -> None:
        def action(tx: Transaction) -> None:
            if tx.sessions.find(session) is None:
                scope = Scope(project=project, paths=("a", "b"), tiers=("daily",))
                tx.sessions.insert(Session(id=session, started_at=at, archived_at=None, title=title, scope=scope))

        self.plan(action)

    @rule(session=names, at=times, message=texts, given=st.lists(texts, max_size=2, unique=True), key=digests)
    def record_a_recall(self, session: str, at: str, message: str, given: list[str], key: bytes) -> None:
        def action(tx: Transaction) -> object:
            if tx.sessions.find(session) is None or tx.sessions.by_key(key):
                return None
            items = [StoredItem(f"note:{text}#{number}", text) for number, text in enumerate(given)]
            recall = StoredRecall(
                number=0,
                session=session,
                at=at,
                form="full",
                message=message,
                boundary="-",
                detail={"items": [{"id": one.item} for one in items], "block": (message, {"content": ""})},
            )
            return tx.sessions.add(recall, [*items, StoredItem("memory:1", None)], key)

        self.plan(action)

    @rule(choice=choices, word=words, session=maybe_names, back=st.booleans())
    def tell_how_it_went(self, choice: int, word: Any, session: str | None, back: bool) -> None:
        def action(tx: Transaction) -> object:
            item = pick(sorted({item for item, _ in tx.sessions.feedback()}), choice)
            if item is None:
                return None
            recall = tx.sessions.note(item, word, session)
            if recall and back:
                tx.sessions.take_back(recall, item, word)
                tx.sessions.note_again(recall, item, word)
                tx.sessions.take_back(recall, "memory:1", word)
            return recall

        self.plan(action)

    @rule(choice=choices, at=maybe_times, session=names)
    def forget_in_sessions(self, choice: int, at: str | None, session: str) -> None:
        def action(tx: Transaction) -> None:
            tx.sessions.put_archived(session, at)
            if digest := pick(sorted(tx.sessions.given_texts()), choice):
                tx.sessions.forget_text(digest)
            if recall := pick(list(tx.sessions.all_recalls()), choice):
                tx.sessions.replace_recall(recall._replace(message="", detail={**recall.detail, "block": []}))

        self.plan(action)

    # Registers

    @rule(key=digests, at=times, result=fields)
    def keep_a_result(self, key: bytes, at: str, result: Any) -> None:
        def action(tx: Transaction) -> None:
            if tx.keys.find(key.hex()) is None:
                tx.keys.add(KeptResult(key=key.hex(), request="00", result=result or {}, at=at))

        self.plan(action)

    @rule(digest=digests, at=times)
    def add_a_forgotten_digest(self, digest: bytes, at: str) -> None:
        self.plan(lambda tx: tx.forgotten.add(digest, at))

    @rule(value=st.none() | texts)
    def put_a_value(self, value: str | None) -> None:
        self.plan(lambda tx: tx.meta.put("value", value))

    @rule(kind=st.sampled_from(NUMBERED), number=st.integers(0, 12))
    def reserve_a_number(self, kind: Any, number: int) -> None:
        self.plan(lambda tx: tx.numbers.reserve(kind, number))


MOMENTS = ("", "2026-01-01T03:00:00.000Z", "2026-01-01T06:00:00.000Z", "9")
MEMORY_FILTERS = (
    *(MemoryFilter(state=state) for state in MEMORY_STATES),
    MemoryFilter(words=("TEA", "pot"), state="all"),
    MemoryFilter(words=("NAÏVE",), state="all"),
    MemoryFilter(tag="b/c", trust="user_said", state="all"),
    MemoryFilter(agent="s1", source="extraction", state="all"),
    MemoryFilter(project="s1", session="s2", state="all"),
)
EXPERIENCE_FILTERS = (
    ExperienceFilter(),
    ExperienceFilter(archived=True),
    ExperienceFilter(outcome="failed"),
    ExperienceFilter(outcome="worked", project="s1"),
    ExperienceFilter(type="user_preference", tag="a"),
    ExperienceFilter(words=("cups",), trust="agent_inferred"),
)
NUMBERS = (0, 1, 2, 3, 99, -1, 2**63)
DIGESTS = (b"d" * 16, b"e" * 16)
NAMES = ("s1", "s2", "none")
CHANGE_FILTERS = (
    (2, ChangeFilter()),
    (None, ChangeFilter(actor="by 1")),
    (None, ChangeFilter(by="by 1")),
    (None, ChangeFilter(by="alice")),
    (None, ChangeFilter(by="mia", kind="memory")),
    (3, ChangeFilter(since=MOMENTS[1])),
    (None, ChangeFilter(since=MOMENTS[1], until=MOMENTS[2])),
    (None, ChangeFilter(until=MOMENTS[2], kind="memory")),
    *((2, ChangeFilter(before=number)) for number in NUMBERS),
    (2, ChangeFilter(kind="memory", item=1)),
    (None, ChangeFilter(kind="note", item="n1.md", before=9)),
    (1, ChangeFilter(actor="by 1", kind="note", since=MOMENTS[1], until="9", before=4)),
)


def observed(tx: Transaction) -> dict[str, object]:
    """The answers to all queries. What a port leaves in no order is put into one."""
    return {
        **_memories(tx),
        **_experiences(tx),
        **_journal(tx),
        **_belonging(tx),
        **_notes(tx),
        **_items(tx),
        **_sessions(tx),
        "keys": list(tx.keys.all()),
        "key": [tx.keys.find(digest.hex()) for digest in DIGESTS],
        "forgotten": [list(tx.forgotten.all()), tx.forgotten.digests(), *map(tx.forgotten.at, DIGESTS)],
        "meta": [tx.meta.get(key) for key in ("identity", "salt", "value", "none")],
        "numbers": [tx.numbers.highest(kind) for kind in NUMBERED],
        "empty": tx.is_empty(),
    }


def _memories(tx: Transaction) -> dict[str, object]:
    found = tx.memories
    return {
        "memories": list(found.all()),
        "memory": [found.find(number) for number in NUMBERS],
        "derived": list(found.derived()),
        "superseded": [found.superseded_by(number) for number in NUMBERS],
        "unsuperseded": list(found.unsuperseded()),
        "memories by digest": [found.by_digest(digest) for digest in DIGESTS],
        "origins": list(found.origins()),
        "ended facts": [found.has_ended_facts(), found.ended_facts(["o2", "none"]), found.ended_facts(["o1", "o2"])],
        "count of memories": (found.count(), [found.count_current(at) for at in MOMENTS]),
        "feedback": found.highest_feedback(),
        "begun or ended": [sorted(found.begun_or_ended(one, other)) for one in MOMENTS for other in MOMENTS],
        "next change": [found.next_change(at) for at in MOMENTS],
        "lists": [
            [one.id for one, _ in found.page(wanted, ListOrder(sort, MOMENTS[2]), 100)]
            for wanted in MEMORY_FILTERS
            for sort in MEMORY_SORTS
        ],
    }


def _experiences(tx: Transaction) -> dict[str, object]:
    found = tx.experiences
    return {
        "experiences": list(found.all()),
        "experience": [found.find(number) for number in NUMBERS],
        "live": [list(found.live()), list(found.live("user_preference"))],
        "archived": list(found.archived()),
        "experiences by digest": [found.by_digest(digest) for digest in DIGESTS],
        "lists of experiences": [
            [one.id for one, _ in found.page(wanted, ListOrder(sort, MOMENTS[2]), 100)]
            for wanted in EXPERIENCE_FILTERS
            for sort in EXPERIENCE_SORTS
        ],
        "count of experiences": found.count(),
        "unused": [found.any_unused(since, now) for since in MOMENTS for now in MOMENTS],
    }


def _journal(tx: Transaction) -> dict[str, object]:
    found = tx.journal
    return {
        "journal": list(found.all()),
        "positions": (found.last(), found.count(), [list(found.after(position)) for position in (0, 1, 3, 99)]),
        "counts": [found.counts_between(one, other) for one in MOMENTS for other in MOMENTS],
        "last before": [found.last_before(at) for at in MOMENTS],
        "latest": [found.latest(limit, wanted) for limit, wanted in CHANGE_FILTERS],
        "in force": [found.last_in_force(()), found.last_in_force(("undo", "forget"))],
        "in force of people": [found.last_in_force(("undo",), person) for person in ("mia", "tom")],
        "of": [found.of("memory"), found.of("note", "episode")],
        "history": [found.history(kind, item) for kind in ("memory", "item", "note") for item in (1, 2, "n1.md")],
        "removals": [found.removals("memory"), found.removals("experience")],
        "changed since": [found.changed_since(at, "memory") for at in MOMENTS],
        "contents of entries": sorted(found.contents()),
        "keeps content": [found.keeps_content(text) for text in ("tea", "none")],
        "of proposals": [found.of_proposals(numbers) for numbers in ((1,), (2, 3), ())],
    }


def _belonging(tx: Transaction) -> dict[str, object]:
    chains, given = tx.narratives, tx.given
    return {
        "narratives": chains.all(),
        "count of narratives": chains.count(),
        "latest narratives": [chains.latest(2), chains.latest(9, "s1")],
        "last narratives": [chains.last_of_project(None), *map(chains.last_of_project, NAMES)],
        "of sessions": [chains.last_of_session(name) for name in NAMES],
        "same narratives": [chains.find_same(one) for one in chains.all()],
        "resting on": [chains.resting_on(number) for number in NUMBERS],
        "links": tx.links.all(),
        "link": [tx.links.between(low, high) for low in (1, 2, 3) for high in (2, 3, 4)],
        "links of": [sorted(tx.links.of(number)) for number in NUMBERS],
        "count of links": tx.links.count(),
        "given": list(given.all()),
        "given to": [given.of(name) for name in NAMES],
    }


def _notes(tx: Transaction) -> dict[str, object]:
    return {
        "contents": list(tx.contents.all()),
        "content": [tx.contents.get(digest) for digest, _ in tx.contents.all()],
        "holds": [tx.contents.holds(text) for text in (b"tea", b"none")],
        "pending": tx.pending.all(),
        "lines": tx.lines.all(),
        "lines in notes": [tx.lines.in_note("tea"), tx.lines.in_note("tea", but=b"d" * 16)],
        "proposals": tx.proposals.all(),
        "open proposals": tx.proposals.all("open"),
        "settled proposals": [tx.proposals.settled(limit) for limit in (0, 1, 9)],
    }


def _items(tx: Transaction) -> dict[str, object]:
    found = tx.items
    prefixes: Sequence[tuple[str, ...]] = ((), ("a",), ("a", "b"), ('a"',))
    return {
        "items": list(found.all()),
        "item": [found.find(number) for number in NUMBERS],
        "named": [found.named("langgraph", ("a",), "k1"), found.named("other", ("a",), "k1")],
        "below": [list(found.below("langgraph", prefix, at)) for prefix in prefixes for at in MOMENTS],
        "by key": [[one.key for one in found.below("langgraph", p, "", by_key=True)] for p in prefixes],
        "namespaces": [sorted(found.namespaces("langgraph", at)) for at in MOMENTS],
        "last keys": [found.last_key("langgraph", prefix) for prefix in prefixes],
        "expired": [sorted(found.expired(at, 99)) for at in MOMENTS],
    }


def _sessions(tx: Transaction) -> dict[str, object]:
    found = tx.sessions
    recalls = list(found.all_recalls())
    items = sorted({item for item, _ in found.feedback()})
    return {
        "sessions": [found.all(archived=True), found.all(archived=False), found.all(archived=True, limit=1)],
        "sessions after": [found.all(archived=True, after=(at, name)) for at in MOMENTS for name in NAMES],
        "session": [found.find(name) for name in NAMES],
        "totals": found.totals(),
        "figures": [
            tx.figures.memories(),
            tx.figures.experiences(),
            tx.figures.changes(""),
            tx.figures.recalls("", 9),
        ],
        "recalls": recalls,
        "recalls of sessions": [found.recalls(name) for name in NAMES],
        "recall": [found.recall(name, number) for name in NAMES for number in (None, *NUMBERS)],
        "recalls by key": [found.by_key(digest) for digest in DIGESTS],
        "recalls between": [found.recalls_between(one, other) for one in MOMENTS for other in MOMENTS],
        "neighbours": [found.neighbours(one, other) for one in MOMENTS for other in MOMENTS],
        "numbered": [found.numbered(number) for number in (*NUMBERS, 0, 2**70)],
        "last with an item": [found.last_with(item, name) for item in items for name in (None, *NAMES)],
        "last of projects": [found.last_of_projects(limit) for limit in (0, 1, 9)],
        "recalls of a note": [one.number for one in found.recalls_of("note:tea#")],
        "recalled": [found.items(recall.number) for recall in recalls],
        "given texts": found.given_texts(),
        "uses": [found.uses(item) for item in items],
        "feedback": [list(found.feedback()), list(found.feedback(items))],
        "of notes": [sorted(found.of_note(path)) for path in ("tea", "green tea")],
    }
