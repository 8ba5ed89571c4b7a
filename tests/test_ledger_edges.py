"""Operations of the ledger at their edges: who may read, what a key stands for, what an undo leaves alone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

import memoro
from memoro.errors import (
    ChangeProposed,
    ConfigError,
    KeyReused,
    MemoryNotFound,
    MemoryRefused,
    NeedsConsent,
    NotFound,
    OutOfScope,
    ProposalOutdated,
    QueryError,
    Refused,
    UndoConflict,
)
from memoro.experiences.fading import Fading
from memoro.experiences.finding import ExperienceSearch
from memoro.experiences.forget import ExperienceForgetting
from memoro.experiences.lifecycle import Experiences
from memoro.experiences.retiring import ExperienceRetiring
from memoro.ledger.access import Once, Owner
from memoro.ledger.archive import PruneLimits
from memoro.ledger.ended_facts import ended_facts, said_again
from memoro.ledger.forget import DropFromIndex
from memoro.ledger.proposals import ProposalQueue
from memoro.ledger.services import Choices, LedgerServices, OpenStores, Who
from memoro.ledger.visibility import ShownVisibility
from memoro.memories.lifecycle import Weights
from memoro.memories.results import Stored
from memoro.model.changes import MemoryRemoved, UnknownChange
from memoro.model.experiences import identity
from memoro.model.items import ItemPut
from memoro.model.journal import Authorship, entry_of
from memoro.model.listing import ExperienceFilter, MemoryFilter
from memoro.model.memories import Link, Memory, Narrative, stamp
from memoro.model.proposals import (
    AddDailyLine,
    ChangeMemory,
    EditEntry,
    Evidence,
    PromoteMemory,
    ProposedChange,
    RememberEntry,
    RemoveMemory,
    RetireExperience,
    StoreMemory,
    Suggestion,
    SupersedeMemory,
)
from memoro.model.results import AddResult, ChangeResult, RepetitionResult
from memoro.model.scope import Scope
from memoro.store.opening import LedgerStores, open_ledger
from memoro.store.plain.ledger import PlainLedger
from memoro.workspace import Workspace
from tests.ledgers import index_in_memory
from tests.shared_plain import SharedPlainLedger
from tests.test_memories import NOON, Clock, a_memory, put
from tests.test_sessions import feedback, item, recalled

SECRET = "ghp_0123456789abcdefghijklmnopqrstuvwxyzA"


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def m(clock: Clock) -> Iterator[Workspace]:
    with memoro.open(":memory:", clock=clock) as opened:
        yield opened


@pytest.fixture
def alice(home: Path, clock: Clock) -> Iterator[Workspace]:
    """An agent who sees its own and what belongs to nobody; 1 is hers, 2 is Bob's, 3 is nobody's."""
    with memoro.open(home, clock=clock, agent="bob") as bob, memoro.open(home, clock=clock, agent="alice") as opened:
        opened.memories.store("tea is green")
        bob.memories.store("tea is served at four")
        bob.experiences.record("task_solution", "brew tea", "boil water")
        bob.narratives.update("Bob brews tea")
        yield opened


# Who may read


def test_what_belongs_to_another_agent_is_read_only_by_who_asks_for_everything(alice: Workspace) -> None:
    assert alice.memories.get(1).content == "tea is green"
    assert alice.memories.get(2, scope="all").content == "tea is served at four"
    assert alice.memories.show(2, scope="all").memory.id == 2
    assert [one.operation for one in alice.memories.history(2, scope="all")] == ["store"]
    assert alice.memories.links(2, scope="all").memory.id == 2
    assert alice.experiences.get(1, scope="all").intent == "brew tea"
    for work in (
        lambda: alice.memories.get(2),
        lambda: alice.memories.show(2),
        lambda: alice.memories.history(2),
        lambda: alice.memories.links(2),
        lambda: alice.experiences.get(1),
        lambda: alice.experiences.show(1),
        lambda: alice.narratives.chain(1),
        lambda: alice.narratives.search("1"),
        lambda: alice.narratives.update("I drink tea", [2]),
    ):
        with pytest.raises(OutOfScope):
            work()
    assert [one.id for one in alice.memories.all()] == [1]
    assert alice.narratives.search(None, 5) == []
    assert alice.narratives.search("brews", 5) == []
    assert [one.narrative.id for one in alice.narratives.search("brews", 5, scope="all")] == [1]


def test_what_belongs_to_another_agent_is_not_changed(alice: Workspace) -> None:
    retiring = ExperienceRetiring(alice.ledger.access, alice.ledger.owner)
    for work in (
        lambda: alice.memories.update(2, "tea is cold"),
        lambda: alice.memories.remove(2),
        lambda: alice.memories.reinforce(2),
        lambda: alice.memories.supersede(2, 1),
        lambda: alice.memories.store("tea is late", supersedes=[2]),
        lambda: retiring.retire(1, source="user", key="k"),
    ):
        with pytest.raises(OutOfScope):
            work()
    assert alice.memories.get(2, scope="all").superseded_by is None


def test_the_history_of_what_never_was_is_not_refused_as_another_agents(alice: Workspace) -> None:
    with pytest.raises(MemoryNotFound):
        alice.memories.history(77)
    alice.memories.remove(1)
    assert [one.operation for one in alice.memories.history(1)] == ["store", "remove"]


def test_nobody_sees_or_sets_who_sees_a_memory_of_a_ledger_that_is_not_shared(m: Workspace) -> None:
    m.memories.store("tea is green")
    m.experiences.record("task_solution", "brew tea", "boil water")
    assert m.memories.visibilities([1]) is None
    for work in (
        lambda: m.memories.visibility(1),
        lambda: m.memories.visibility(1, "private"),
        lambda: m.experiences.visibility(1),
        lambda: m.experiences.visibility(1, "private"),
    ):
        with pytest.raises(Refused, match="keeps its own ledger"):
            work()


# Links


def linked(m: Workspace, *pairs: tuple[int, int, float]) -> None:
    for number in range(1, 6):
        m.memories.store(f"fact {number} of tea")
    with m.ledger.access.ledger.writing() as tx:
        for low, high, strength in pairs:
            tx.links.put(Link(low, high, strength, stamp(NOON)))


def tree(one: Any) -> Any:
    return [one.memory.id, one.strength, [tree(other) for other in one.linked]]


def test_links_are_a_tree_of_the_strongest_ways_each_memory_once_as_deep_as_asked(m: Workspace) -> None:
    linked(m, (1, 2, 1.0), (1, 3, 2.0), (2, 3, 4.0), (3, 4, 0.5), (4, 5, 0.5))
    assert tree(m.memories.links(1, 0)) == [1, 1.0, []]
    assert tree(m.memories.links(1, 1)) == [1, 1.0, [[3, 2.0, []], [2, 1.0, []]]]
    assert tree(m.memories.links(1)) == [1, 1.0, [[3, 2.0, [[4, 0.5, []]]], [2, 1.0, []]]]
    assert tree(m.memories.links(1, 3))[2][0] == [3, 2.0, [[4, 0.5, [[5, 0.5, []]]]]]


def test_a_link_below_a_tenth_is_not_followed(m: Workspace) -> None:
    linked(m, (1, 2, 0.1), (1, 3, 0.099))
    assert [one.memory.id for one in m.memories.links(1).linked] == [2]
    assert linked_results(m) == [2]


def linked_results(m: Workspace) -> list[int]:
    found = m.memories.query("fact 1", 1, links=True).results
    return [one.memory.id for one in found if one.linked_to == 1]


def test_a_linked_memory_gets_the_share_of_the_score_that_its_link_is_strong(m: Workspace) -> None:
    m.memories.store("the kettle whistles")
    m.memories.store("Ines plays chess")
    m.memories.store("the fence is red")
    with m.ledger.access.ledger.writing() as tx:
        tx.links.put(Link(1, 2, 1.0, stamp(NOON)))
        tx.links.put(Link(1, 3, 3.0, stamp(NOON)))
    first, *more = m.memories.query("kettle", 5, links=True).results
    assert [(one.memory.id, one.linked_to) for one in more] == [(3, 1), (2, 1)]
    assert [one.score for one in more] == pytest.approx([first.score * 0.75, first.score * 0.5])


def test_memories_reinforced_in_one_session_are_linked_and_undo_takes_the_link_back(m: Workspace) -> None:
    m.memories.store("tea is green")
    m.memories.store("tea is hot")
    m.memories.query("tea", session="s")
    m.memories.reinforce(1)
    assert m.memories.links(1).linked == ()
    m.memories.reinforce(2)
    assert tree(m.memories.links(2)) == [2, 1.0, [[1, 1.0, []]]]
    m.memories.query("tea", session="t")
    m.memories.reinforce(1)
    m.memories.reinforce(2)
    assert m.memories.links(2).linked[0].strength == 2.0
    m.journal.undo()
    assert m.memories.links(2).linked[0].strength == 1.0


# Experiences


@pytest.mark.parametrize(
    ("success", "word"), [(None, "reinforced"), (1.0, "reinforced"), (0.5, "reinforced"), (0.49, "demoted")]
)
def test_a_use_speaks_for_an_experience_from_one_half(success: float | None, word: str, m: Workspace) -> None:
    m.experiences.record("task_solution", "brew tea", "boil water")
    m.sessions.start("s")
    m.sessions.record(recalled("tea?", item("experience:1", "boil water")), "s")
    m.experiences.mark_used(1, success, session="s")
    assert feedback(m, "s") == [(word,)]


def test_offering_nothing_uses_up_no_key(m: Workspace) -> None:
    m.experiences.record("task_solution", "brew tea", "boil water")
    m.experiences.offered([], key="k")
    m.experiences.offered([1, "experience:1"], key="k")
    assert m.experiences.get(1).uses == 1
    m.experiences.offered([1], key="k")
    assert m.experiences.get(1).uses == 1


def test_a_preference_holds_at_once_and_in_its_project(m: Workspace) -> None:
    first = m.experiences.prefer("editor", "vim", project="pier")
    assert (first.recorded.experience.success, first.recorded.new) == (0.4, True)
    second = m.experiences.prefer("editor", "emacs", project="harbor")
    assert second.recorded.experience.id == 2
    assert [one.experience.solution for one in m.experiences.list(project="pier")] == ["vim"]


def test_a_retired_experience_is_archived_once_and_its_key_may_be_repeated(m: Workspace, clock: Clock) -> None:
    m.experiences.record("task_solution", "brew tea", "boil water")
    retiring = ExperienceRetiring(m.ledger.access, m.ledger.owner)
    first = retiring.retire(1, source="user", key="a")
    assert first.archived_at == stamp(NOON)
    assert m.experiences.list() == ()
    [change] = m.journal.log(1)
    assert (change.operation, change.actor, change.at) == ("archive", "user", stamp(NOON))
    clock.go(days=1)
    for key in ("a", "b"):
        assert retiring.retire(1, source="user", key=key) == first
    assert len(m.journal.log(10)) == 2
    with pytest.raises(KeyReused):
        retiring.retire(2, source="user", key="a")
    m.journal.undo()
    assert [one.experience.id for one in m.experiences.list()] == [1]


def test_experiences_are_pruned_by_the_given_limit_and_many_need_force(m: Workspace, clock: Clock) -> None:
    for number in range(21):
        m.experiences.record("task_solution", f"brew tea {number}", "boil water")
    assert not m.experiences.may_prune()
    clock.go(days=40)
    assert m.experiences.plan_expiry(0.3).archive == ()
    assert len(m.experiences.plan_expiry(0.5).archive) == 21
    with pytest.raises(NeedsConsent):
        m.experiences.prune_expired(0.5)
    assert len(m.experiences.list()) == 21
    m.experiences.prune_expired(0.5, force=True)
    assert m.experiences.list() == ()
    assert len(m.experiences.list(archived=True)) == 21


# Undo


def test_an_item_that_was_put_again_since_is_not_undone(m: Workspace) -> None:
    def put_item(value: dict[str, str] | None) -> int:
        m.items.put("langgraph", [ItemPut(("shelf",), "a", value, says=lambda one: one["text"])])
        return m.journal.log(1)[0].id

    first, second = put_item({"text": "green tea"}), put_item({"text": "black tea"})
    with pytest.raises(UndoConflict, match="has been changed again since"):
        m.journal.undo(first)
    m.journal.undo(second)
    assert [one.content for one in m.memories.all()] == ["green tea"]
    gone = put_item(None)
    assert m.memories.all() == []
    m.journal.undo(gone)
    assert [one.content for one in m.memories.all()] == ["green tea"]
    again = put_item(None)
    put_item({"text": "white tea"})
    with pytest.raises(UndoConflict):
        m.journal.undo(again)
    assert [one.content for one in m.memories.all()] == ["white tea"]


def test_undoing_a_put_of_an_item_keeps_the_feedback_that_it_got_since(m: Workspace) -> None:
    for text in ("green tea", "black tea"):
        m.items.put("langgraph", [ItemPut(("shelf",), "a", {"text": text}, says=lambda one: one["text"])])
    m.memories.reinforce(1)
    m.journal.undo(2)
    one = m.memories.get(1)
    assert (one.content, one.feedback) == ("green tea", 3)


def test_an_item_whose_words_were_forgotten_does_not_come_back_by_undo(m: Workspace) -> None:
    for text in ("green tea", "black tea"):
        m.items.put("langgraph", [ItemPut(("shelf",), "a", {"text": text}, says=lambda one: one["text"])])
    m.memories.forget(m.memories.store("green tea").memory.id, yes=True)
    with pytest.raises((UndoConflict, MemoryNotFound)):
        m.journal.undo(2)


def test_a_removed_experience_does_not_come_back_beside_the_same_of_its_project(m: Workspace) -> None:
    m.experiences.record("task_solution", "brew tea", "boil water", project="pier")
    m.experiences.remove(1)
    removal = m.journal.log(1)[0].id
    m.experiences.record("task_solution", "brew tea", "boil water", project="harbor")
    m.experiences.record("task_solution", "brew tea", "boil water", project="pier")
    with pytest.raises(UndoConflict, match="recorded again since, as experience:3"):
        m.journal.undo(removal)
    m.experiences.remove(3)
    m.journal.undo(removal)
    assert m.experiences.get(1).intent == "brew tea"
    with pytest.raises(UndoConflict, match="undone already"):
        m.journal.undo(removal)


def test_what_was_removed_since_cannot_be_removed_by_an_undo(m: Workspace) -> None:
    m.memories.store("tea is green")
    m.experiences.record("task_solution", "brew tea", "boil water")
    m.memories.remove(1)
    m.experiences.remove(1)
    with pytest.raises(UndoConflict, match=r"\[id:1\] is not in the ledger any more"):
        m.journal.undo(1)
    with pytest.raises(UndoConflict, match="experience:1 is not in the ledger any more"):
        m.journal.undo(2)


def test_archiving_is_undone_by_restoring_and_restoring_by_archiving(m: Workspace) -> None:
    m.memories.store("tea is green")
    m.memories.archive(1)
    m.journal.undo()
    assert [one.id for one in m.memories.all()] == [1]
    m.memories.archive(1)
    m.memories.unarchive(1)
    entry = m.journal.log(1)[0].id
    m.journal.undo(entry)
    assert m.memories.all() == []
    with pytest.raises(UndoConflict, match="undone already"):
        m.journal.undo(entry)
    assert m.memories.stats().archived == 1


def test_undoing_a_store_brings_back_what_it_superseded_unless_that_was_brought_back_before(m: Workspace) -> None:
    m.memories.store("tea is green")
    m.memories.store("tea is black", supersedes=[1])
    stored = m.journal.log(1)[0]
    assert stored.operation == "store"
    seen = m.journal.undo(stored.id, dry_run=True)
    assert [one.operation for one in seen.entries] == ["store", "supersede"]
    assert [one.id for one in m.memories.all()] == [2]
    m.journal.undo(stored.id)
    assert [one.id for one in m.memories.all()] == [1]


def test_undo_of_a_source_since_a_moment_takes_that_moment_along(m: Workspace, clock: Clock) -> None:
    for number in range(3):
        m.memories.store(f"fact {number}", source="codex")
        clock.go(minutes=1)
    m.memories.store("by another", source="user")
    seen = m.journal.undo(by="codex", since="2026-03-05T12:01Z", dry_run=True)
    assert [one.item for one in seen.entries] == [3, 2]
    done = m.journal.undo(by="codex", since="2026-03-05T12:01Z", key="k")
    assert [one.item for one in done.entries] == [3, 2]
    m.memories.store("fact 9", source="codex")
    m.journal.undo(by="codex", since="2026-03-05T12:01Z", key="k")
    assert [one.content for one in m.memories.all()] == ["fact 0", "by another", "fact 9"]
    with pytest.raises(UndoConflict, match="name either"):
        m.journal.undo(1, by="codex")


def test_what_derives_from_a_memory_that_was_taken_back_goes_with_it(m: Workspace) -> None:
    m.memories.store("tea is green", source="codex")
    m.memories.store("Anna drinks green tea", parents=[1], source="user")
    m.memories.store("Anna is awake", parents=[2], source="user")
    m.memories.store("the fence is red", source="user")
    done = m.journal.undo(by="codex")
    assert done.derived == (2, 3)
    assert [one.id for one in m.memories.all()] == [4]


# Proposals


def queue(m: Workspace) -> ProposalQueue:
    return ProposalQueue(m.ledger.access, m.ledger.owner)


def test_who_proposes_may_keep_a_key_in_the_same_transaction(m: Workspace) -> None:
    kept: list[tuple[int, bool]] = []
    for _ in range(2):
        queue(m).propose(Suggestion(StoreMemory("a fact")), keep=lambda _tx, number, new: kept.append((number, new)))
    assert kept == [(1, True), (1, False)]


def test_a_proposal_waits_as_long_as_it_says_and_then_the_same_may_wait_anew(m: Workspace, clock: Clock) -> None:
    wanted = Suggestion(StoreMemory("a fact"), waits=timedelta(days=2), score=0.5, origin="tidy")
    first = queue(m).propose(wanted, by="codex").proposal
    assert (first.expires_at, first.actor, first.score, first.origin) == (
        stamp(NOON + timedelta(days=2)), "codex", 0.5, "tidy",
    )  # fmt: skip
    assert queue(m).propose(Suggestion(RemoveMemory(5))).proposal.expires_at is None
    assert queue(m).propose(Suggestion(RetireExperience(5))).new, "another thing of the same number"
    clock.go(days=2, seconds=-1)
    assert not queue(m).propose(wanted).new
    assert queue(m).get_open(1).id == 1
    clock.go(seconds=2)
    assert [one.id for one in queue(m).all()] == [2, 3]
    assert [one.id for one in queue(m).all("expired")] == [1]
    assert [one.id for one in queue(m).all(None)] == [1, 2, 3]
    with pytest.raises(Refused, match="Proposal 1 expired on"):
        queue(m).get_open(1)
    assert queue(m).propose(wanted).new


def test_a_withdrawn_proposal_expires_and_is_not_rejected(m: Workspace, clock: Clock) -> None:
    queue(m).propose(Suggestion(StoreMemory("a fact")))
    queue(m).withdraw(1)
    clock.go(seconds=1)
    assert [(one.id, one.state) for one in queue(m).all(None)] == [(1, "expired")]
    assert all(one.state != "rejected" for one in queue(m).settled(5))


def test_the_settled_are_listed_newest_decision_first_and_a_settled_one_is_not_open(
    m: Workspace, clock: Clock
) -> None:
    for number in range(3):
        m.proposals.propose(Suggestion(StoreMemory(f"fact {number}")))
    for number in (2, 1, 3):
        clock.go(minutes=1)
        m.proposals.reject(number) if number != 3 else m.proposals.accept(number)
    assert [(one.id, one.state) for one in queue(m).settled(2)] == [(3, "accepted"), (1, "rejected")]
    with pytest.raises(Refused, match="Proposal 1 was rejected on"):
        queue(m).get_open(1)
    with pytest.raises(Refused, match="was accepted"):
        queue(m).reopen(3)
    assert (queue(m).reopen(1).id, queue(m).reopen(1).state) == (1, "open")
    m.journal.undo_proposal(3)
    again = queue(m).reopen(3)
    assert (again.id, again.state, again.settled_at, again.at) == (4, "open", None, stamp(clock.now))


@pytest.mark.parametrize(
    ("change", "field"),
    [
        (RememberEntry(text=f"key {SECRET}", tier="semantic", section=None, path="MEMORY.md"), "text"),
        (EditEntry(id="a", text=f"key {SECRET}", path="MEMORY.md"), "text"),
        (EditEntry(id="a", text="x", path="MEMORY.md", was=f"key {SECRET}"), "was"),
        (AddDailyLine(text=f"key {SECRET}", at=stamp(NOON)), "text"),
        (PromoteMemory(1, f"key {SECRET}", "semantic", None, "MEMORY.md"), "text"),
        (StoreMemory(f"key {SECRET}"), "content"),
        (StoreMemory("x", was=f"key {SECRET}"), "was"),
        (SupersedeMemory(1, 2, was=f"key {SECRET}"), "was"),
        (ChangeMemory(1, content=f"key {SECRET}"), "content"),
        (ChangeMemory(1, was=f"key {SECRET}"), "was"),
    ],
)
def test_no_proposal_keeps_a_secret(change: ProposedChange, field: str, m: Workspace) -> None:
    queued = queue(m).propose(
        Suggestion(change, evidence=(Evidence(f"said {SECRET}"),), reason=f"for  {SECRET}\nnow")
    )
    kept = queued.proposal
    assert SECRET not in repr(kept)
    assert getattr(kept.change, field).startswith("key ")
    assert kept.evidence[0].quote.startswith("said ")
    assert kept.reason.startswith("for ") and kept.reason.endswith(" now")
    assert bool(queued.redacted) == (field != "was")


@pytest.mark.parametrize(
    "change",
    [
        RememberEntry(text="tea  is green", tier="semantic", section=None, path="MEMORY.md"),
        EditEntry(id="a", text="tea is\ngreen", path="MEMORY.md"),
        AddDailyLine(text="tea is green", at=stamp(NOON)),
        PromoteMemory(2, "tea is green", "semantic", None, "MEMORY.md"),
        StoreMemory("tea is green"),
        ChangeMemory(2, content="tea is green"),
    ],
)
def test_what_was_forgotten_cannot_be_proposed(change: ProposedChange, m: Workspace) -> None:
    m.memories.store("tea is green")
    m.memories.store("tea is black")
    m.memories.forget(1, yes=True)
    with pytest.raises(Refused, match="Exactly this was forgotten"):
        queue(m).propose(Suggestion(change))
    assert queue(m).propose(Suggestion(RemoveMemory(2))).new


# Facts that ended


def test_an_ended_fact_names_the_last_of_those_that_took_each_others_place(m: Workspace) -> None:
    count = 53
    chain = [
        a_memory(
            f"fact {n}", source="extraction", origin=f"@log/{n}", superseded_by=n + 1 if n < count else None,
            superseded_at=stamp(NOON), valid_to=stamp(NOON) if n < count else None,
        )
        for n in range(1, count + 1)
    ]  # fmt: skip
    put(m, *chain)

    def newest(number: int) -> str | None:
        [found] = ended_facts(m.ledger.access, [f"@log/{number}"], [])
        return found.superseded_by

    assert newest(52) == "memory:53"
    assert newest(2) == "memory:53"
    assert newest(1) == "memory:52", "no more than fifty changes are followed"
    assert ended_facts(m.ledger.access, ["@log/53"], ["fact 53"]) == []
    assert [one.text for one in ended_facts(m.ledger.access, [], ["fact 3", "no fact"])] == ["fact 3"]


# Narratives


def test_narratives_are_found_by_number_words_and_age_and_a_chain_goes_so_far(m: Workspace) -> None:
    for number in range(1, 8):
        m.narratives.update(f"step {number} is done")
    assert [one.narrative.id for one in m.narratives.search()] == [7, 6, 5, 4, 3]
    assert [one.narrative.id for one in m.narratives.search(" ", 1)] == [7]
    assert [(one.narrative.id, one.score) for one in m.narratives.search("3")] == [(3, 1.0)]
    assert len(m.narratives.search("step", 2)) == 2
    with pytest.raises(QueryError, match="must be 1 or more, not 0"):
        m.narratives.search(None, 0)

    def chain(number: int, **span: int) -> list[int]:
        return [one.id for one in m.narratives.chain(number, **span)]

    assert chain(4) == [1, 2, 3, 4, 5, 6, 7]
    assert chain(7) == [2, 3, 4, 5, 6, 7]
    assert chain(1) == [1, 2, 3, 4, 5, 6]
    assert chain(4, before=1, after=2) == [3, 4, 5, 6]
    assert chain(4, before=0, after=0) == [4]


def test_narratives_of_a_project_are_one_chain_and_found_by_its_name(m: Workspace) -> None:
    for project in ("pier", None, "pier", "harbor"):
        m.narratives.update(f"work on {project}", project=project)
    assert [m.narratives.get(n).previous for n in (1, 2, 3, 4)] == [None, None, 1, None]
    assert [one.narrative.id for one in m.narratives.search(None, 1, project="pier")] == [3]
    assert [one.narrative.id for one in m.narratives.search("work", project="harbor")] == [4]
    assert len(m.narratives.search("work")) == 4


def test_a_narrative_told_again_with_its_key_is_one_and_rests_on_each_memory_once(m: Workspace) -> None:
    m.memories.store("tea is green")
    made = [m.narratives.update("we  brew\ntea", [1, 1], key="k", session=one) for one in ("s", "t")]
    assert made[0] == made[1]
    assert (made[0].summary, made[0].memories, made[0].session) == ("we brew tea", (1,), "s")
    with pytest.raises(KeyReused):
        m.narratives.update("we brew coffee", [1], key="k")
    with pytest.raises(MemoryNotFound):
        m.narratives.update("we brew coffee", [9])


def test_a_memory_of_a_session_belongs_to_the_last_narrative_of_the_session(m: Workspace) -> None:
    m.narratives.update("we brew tea", session="s")
    m.narratives.update("we drink tea", session="s")
    m.narratives.update("others paint", session="t")
    assert m.memories.store("tea is green", session="s").memory.narrative == 2
    assert m.memories.store("tea is hot", session="u").memory.narrative is None
    assert m.memories.store("tea is cold", session="s", narrative=1).memory.narrative == 1


# Superseding


def test_a_memory_supersedes_neither_itself_nor_what_superseded_it(m: Workspace) -> None:
    for text in ("tea is green", "tea is black", "tea is white"):
        m.memories.store(text)
    m.memories.supersede(1, 2)
    m.memories.supersede(2, 3)
    for old in (2, 3):
        with pytest.raises(MemoryRefused, match=rf"\[id:1\] was itself superseded by \[id:{old}\]"):
            m.memories.supersede(old, 1)
    with pytest.raises(MemoryRefused, match="cannot supersede itself"):
        m.memories.supersede(3, 3)
    with pytest.raises(MemoryRefused, match="says exactly this"):
        m.memories.store("tea is white", supersedes=[3])


def test_what_is_trusted_less_waits_to_supersede_and_a_person_need_not_wait(m: Workspace) -> None:
    m.memories.store("tea is green", source="user")
    stored = m.memories.store("tea is black", source="web", supersedes=[1])
    assert [(one.memory.id, one.proposal) for one in stored.waiting] == [(1, 1)]
    assert stored.superseded == ()
    with pytest.raises(ChangeProposed, match="trusted less"):
        m.memories.supersede(1, 2, source="web")
    assert m.memories.get(1).superseded_by is None
    m.memories.supersede(1, 2, source="user")
    assert m.memories.get(1).superseded_by == 2
    again = m.memories.store("tea is black", source="web", supersedes=[1])
    assert (again.new, [one.id for one in again.superseded]) == (False, [1])


def test_a_confirmed_memory_is_changed_and_removed_by_a_person_alone(m: Workspace) -> None:
    m.memories.store("tea is green", source="user")
    m.memories.trust(1, "user_confirmed")
    for work in (
        lambda: m.memories.update(1, "tea is black"),
        lambda: m.memories.update(1, tags=["hot"]),
        lambda: m.memories.remove(1),
    ):
        with pytest.raises(ChangeProposed, match="confirmed"):
            work()
    assert len(m.proposals.all()) == 3
    assert m.memories.update(1, "tea is black", source="user").trust == "user_confirmed"
    m.memories.remove(1, source="user")
    assert m.memories.all() == []


# Changes and their authors


def journal(m: Workspace, limit: int = 20) -> list[tuple[str, object]]:
    return [(one.operation, one.item) for one in m.journal.log(limit)]


def forgotten_elsewhere(m: Workspace, text: str) -> None:
    """Another machine forgot a text, and nothing has been erased here yet."""
    access = m.ledger.access
    with access.ledger.writing() as tx:
        tx.forgotten.add(access.digest(tx, text), stamp(NOON))


def test_an_undo_is_no_part_of_the_proposal_during_which_it_is_made(m: Workspace) -> None:
    number = m.proposals.propose(Suggestion(StoreMemory("unrelated"))).proposal.id
    with m.ledger.access.carrying_out(number):
        m.memories.store("tea is green")
        m.memories.archive(1)
        m.memories.unarchive(1)
        m.journal.undo()
        m.journal.undo()
    made = [(one.operation, one.proposal) for one in m.journal.log()]
    assert made == [*[("undo", None)] * 3, ("unarchive", None), ("archive", number), ("store", number)]
    assert [one.id for one in m.journal.of_proposal(number)] == [2, 1]


def test_who_moves_or_removes_a_memory_is_named_in_the_journal(m: Workspace) -> None:
    m.memories.store("tea is green", source="codex")
    m.memories.archive(1, source="ci")
    m.memories.unarchive(1, source="cd")
    m.memories.archive(1)
    m.memories.unarchive(1)
    m.memories.demote(1, source="codex")
    m.memories.remove(1, source="gemini")
    authors = [one.actor for one in m.journal.log()]
    assert authors == ["gemini", "codex", "user", "user", "cd", "ci", "codex"]


def test_what_was_forgotten_elsewhere_can_still_be_weakened_and_nothing_is_reworded_to_it(m: Workspace) -> None:
    m.memories.store("tea is green")
    m.memories.store("tea is black")
    forgotten_elsewhere(m, "tea is green")
    assert m.memories.demote(1).feedback == -1
    m.journal.undo()
    assert m.memories.get(1).feedback == 0
    with pytest.raises(MemoryRefused, match="Exactly this was forgotten"):
        m.memories.update(2, "tea is green")


def test_no_undo_brings_back_what_was_forgotten_elsewhere(m: Workspace) -> None:
    m.memories.store("tea is green")
    m.memories.update(1, "tea is hot")
    reworded = m.journal.log(1)[0].id
    m.memories.remove(m.memories.store("tea is black").memory.id)
    removed = m.journal.log(1)[0].id
    for text in ("white tea", "blue tea"):
        m.items.put("langgraph", [ItemPut(("shelf",), "a", {"text": text}, says=lambda one: one["text"])])
    put_again = m.journal.log(1)[0].id
    recorded = m.experiences.record("task_solution", "brew tea", "boil water").experience
    m.experiences.remove(1)
    experience_removed = m.journal.log(1)[0].id
    for text in ("tea is green", "tea is black", "white tea", identity(recorded)):
        forgotten_elsewhere(m, text)
    before = contents(m)
    for change in (reworded, removed, put_again, experience_removed):
        with pytest.raises(UndoConflict, match="what it would bring back was forgotten on 2026-03-05"):
            m.journal.undo(change)
    assert contents(m) == before
    assert m.experiences.list() == ()


def contents(m: Workspace) -> list[str]:
    return [one.content for one in m.memories.all()]


def test_what_is_there_by_another_way_is_not_put_back_beside_itself(m: Workspace) -> None:
    access = m.ledger.access
    m.memories.store("tea is green")
    memory = m.memories.get(1)
    with access.ledger.reading() as tx:
        digest = access.digest(tx, memory.content)
    with access.archive.writing() as archive:  # as a crash leaves it
        archive.memories.insert(memory, digest)
    m.memories.remove(1)
    removal = m.journal.log(1)[0].id
    m.memories.unarchive(1)
    with pytest.raises(UndoConflict, match=r"\[id:1\] is there already"):
        m.journal.undo(removal)

    experience = m.experiences.record("task_solution", "brew tea", "boil water").experience
    m.experiences.remove(1)
    removal = m.journal.log(1)[0].id
    with access.ledger.writing() as tx:
        tx.experiences.insert(experience, digest)
    with pytest.raises(UndoConflict, match="experience:1 is there already"):
        m.journal.undo(removal)


def test_either_move_completes_one_that_a_crash_broke_off(m: Workspace) -> None:
    access = m.ledger.access

    def break_off() -> None:
        with access.ledger.reading() as tx:
            digest = access.digest(tx, "tea is green")
        with access.archive.writing() as archive:
            archive.memories.insert(m.memories.get(1), digest)

    m.memories.store("tea is green")
    break_off()
    m.memories.unarchive(1)
    assert (contents(m), m.memories.stats().archived, journal(m)) == (["tea is green"], 0, [("store", 1)])
    break_off()
    m.memories.archive(1)
    assert (contents(m), m.memories.stats().archived) == ([], 1)
    assert journal(m) == [("archive", 1), ("store", 1)]


def test_undoing_a_store_leaves_alone_what_it_superseded_and_was_removed_or_freed_or_superseded_anew(
    m: Workspace,
) -> None:
    for text in ("tea is green", "tea is hot", "tea is strong"):
        m.memories.store(text)
    m.memories.store("tea is black", supersedes=[1, 2, 3])
    stored = m.journal.log(1)[0].id
    superseding = {one.item: one.id for one in m.journal.log() if one.operation == "supersede"}
    m.memories.remove(1)
    m.journal.undo(superseding[2])
    m.journal.undo(superseding[3])
    m.memories.store("tea is mild", supersedes=[3])
    assert [one.operation for one in m.journal.undo(stored, dry_run=True).entries] == ["store"]
    m.journal.undo(stored)
    assert contents(m) == ["tea is hot", "tea is mild"]


def test_archiving_is_undone_once(m: Workspace) -> None:
    m.memories.store("tea is green")
    m.memories.archive(1)
    entry = m.journal.log(1)[0].id
    m.journal.undo(entry)
    with pytest.raises(UndoConflict, match="undone already"):
        m.journal.undo(entry)
    assert contents(m) == ["tea is green"]


def test_undoing_the_first_put_of_an_item_takes_it_away_with_its_memory_and_again_brings_both(m: Workspace) -> None:
    m.items.put("langgraph", [ItemPut(("shelf",), "a", {"text": "green tea"}, says=lambda one: one["text"])])
    m.journal.undo()
    assert m.items.get("langgraph", ("shelf",), "a") is None
    assert contents(m) == []
    m.journal.undo(m.journal.log(1)[0].id)
    item = m.items.get("langgraph", ("shelf",), "a")
    assert item and item.value == '{"text": "green tea"}'
    assert contents(m) == ["green tea"]
    m.items.put("langgraph", [ItemPut(("shelf",), "a", {"text": "black tea"}, says=lambda one: one["text"])])
    assert (journal(m, 1), contents(m)) == ([("put", 1)], ["black tea"])


def test_undo_gives_an_item_the_words_back_that_it_had_also_if_it_had_none(m: Workspace) -> None:
    def put_item(text: str | None) -> None:
        m.items.put("langgraph", [ItemPut(("shelf",), "a", {"n": 1}, says=lambda _one: text, tags=("x",))])

    put_item(None)
    put_item("green tea")
    m.journal.undo()
    assert contents(m) == []
    put_item("black tea")
    put_item(None)
    assert contents(m) == []
    m.journal.undo()
    assert [(one.content, one.tags) for one in m.memories.all()] == [("black tea", ("x",))]


def test_an_item_that_was_put_under_its_key_again_keeps_a_deleted_one_from_coming_back(m: Workspace) -> None:
    def put_item(value: dict[str, int] | None) -> int:
        m.items.put("langgraph", [ItemPut(("shelf",), "a", value)])
        return m.journal.log(1)[0].id

    put_item({"n": 1})
    deleted = put_item(None)
    put_item({"n": 2})
    with pytest.raises(UndoConflict, match="'a' is there again, as item 2"):
        m.journal.undo(deleted)


def test_undoing_a_rating_takes_it_out_of_the_recall_and_undoing_that_brings_it_back(m: Workspace) -> None:
    given = "note:tea.md#0a1b2c3d.1"
    m.sessions.start("s")
    m.sessions.record(recalled("tea?", item(given, "Tea is green.")), "s")
    m.ratings.good(given)
    assert feedback(m, "s") == [("reinforced",)]
    m.journal.undo()
    assert feedback(m, "s") == [()]
    m.journal.undo(m.journal.log(1)[0].id)
    assert feedback(m, "s") == [("reinforced",)]


def test_a_change_to_a_note_cannot_be_undone_where_no_vault_is_open(home: Path, vault: Path) -> None:
    with memoro.open(home, vault) as m:
        m.remember("Tea is at four.")
        entry = m.journal.log(1)[0].id
    with closing(without_vault(home)) as bare, pytest.raises(UndoConflict, match="none is open here"):
        bare.journal.undo(entry)
    with memoro.open(home, vault) as m:
        m.journal.undo(entry, key="k")
        with pytest.raises(UndoConflict, match="undone already"):
            m.journal.undo(entry)
    with closing(without_vault(home)) as bare:
        assert [one.id for one in bare.journal.undo(entry, key="k").entries] == [entry]


def without_vault(
    home: Path, open_stores: OpenStores = open_ledger, drop: DropFromIndex | None = None
) -> LedgerServices:
    index = index_in_memory() if drop is None else index_in_memory()._replace(drop=drop)
    choices = Choices(Weights(), PruneLimits(10**9, 1.0, 0), "0 4 * * *")
    made = LedgerServices(str(home), choices, Who(None, None, (), Clock()), index, open_stores)
    made.access.after_write = lambda: None
    return made


# The log, and what undo chooses


def test_the_log_shows_twenty_changes_by_default_and_those_that_are_asked_for(m: Workspace, clock: Clock) -> None:
    for number in range(1, 23):
        m.memories.store(f"fact {number}", source="codex" if number % 2 else "user")
        clock.go(minutes=1)
    m.experiences.record("task_solution", "brew tea", "boil water")
    assert [one.id for one in m.journal.log()] == list(range(23, 3, -1))
    assert [one.id for one in m.journal.log(2, before=10)] == [9, 8]
    assert [one.id for one in m.journal.log(2, by="codex")] == [21, 19]
    assert [one.id for one in m.journal.log(2, kind="memory")] == [22, 21]
    assert [one.id for one in m.journal.log(since="2026-03-05T12:21Z")] == [23, 22]
    assert m.journal.log(1)[0].text == "brew tea"


def test_a_change_is_shown_with_both_sides_the_way_back_and_what_came_later(m: Workspace) -> None:
    m.memories.store("tea is green")
    m.memories.store("tea is hot")
    m.memories.update(1, "tea is black")
    m.memories.demote(1)
    shown = m.journal.show(3)
    assert (shown.before, shown.after) == (
        "content: tea is green\nvalid from: none", f"content: tea is black\nvalid from: {stamp(NOON)}",
    )  # fmt: skip
    assert (shown.undo, shown.why_not, [one.id for one in shown.later]) == ("memoro undo 3", "", [4])
    assert [one.id for one in m.journal.show(1).later] == [4, 3]
    assert m.journal.show(2).later == ()
    m.journal.undo(4)
    undone = m.journal.show(4)
    assert (undone.undo, undone.why_not) == (None, "It was undone by change 5.")
    m.memories.forget(1, yes=True)
    assert m.journal.show(3).undo is None
    assert "forgotten or has expired" in m.journal.show(3).why_not
    with m.ledger.access.ledger.writing() as tx:
        change = UnknownChange("twist", "memory", 2, "{}", None)
        twisted = tx.journal.add(entry_of(change, Authorship(stamp(NOON), "user")))
    assert (m.journal.show(twisted).undo, m.journal.show(twisted).why_not) == (
        None, "This version cannot take back such a change.",
    )  # fmt: skip
    with pytest.raises(UndoConflict, match="this version cannot revert it"):
        m.journal.undo(twisted)


def test_of_the_changes_to_one_thing_the_newest_fifty_are_looked_at(m: Workspace) -> None:
    m.memories.store("tea is green")
    for _ in range(52):
        m.memories.demote(1)
    assert [one.id for one in m.journal.show(1).later] == list(range(53, 3, -1))


def test_a_dry_run_settles_nothing_for_its_key(m: Workspace) -> None:
    for text in ("tea is green", "tea is hot"):
        m.memories.store(text, source="codex")
        assert len(m.journal.undo(key="one", dry_run=True).entries) == 1
        assert len(m.journal.undo(by="codex", key="all", dry_run=True).entries) == len(contents(m))
    assert [one.item for one in m.journal.undo(key="one").entries] == [2]
    assert [one.item for one in m.journal.undo(by="codex", key="all").entries] == [1]
    assert contents(m) == []


def test_undo_since_a_time_takes_back_what_anybody_did_since_and_tells_what_it_left(
    m: Workspace, clock: Clock
) -> None:
    m.memories.store("tea is green", source="codex")
    clock.go(hours=1)
    m.memories.store("tea is hot", source="user")
    m.memories.demote(1)
    m.memories.forget(m.memories.store("tea is wet").memory.id, yes=True)
    done = m.journal.undo(since="2026-03-05T13:00Z")
    assert [(one.operation, one.item) for one in done.entries] == [("demote", 1), ("store", 2)]
    assert (done.refused, done.derived) == ((), ())
    assert contents(m) == ["tea is green"]
    assert m.journal.undo(since="2026-03-05T13:00Z").entries == ()


def test_undo_of_a_source_leaves_what_was_undone_before_and_what_rests_on_it(m: Workspace) -> None:
    m.memories.store("tea is green", source="codex")
    m.memories.store("Anna drinks green tea", source="user", parents=[1])
    m.memories.store("tea is hot", source="codex")
    m.memories.promote(2, "abc")
    m.journal.undo(1)
    done = m.journal.undo(by="codex")
    assert [(one.operation, one.item) for one in done.entries] == [("store", 3)]
    assert m.memories.get(2).origin == "entry:abc"


def test_undo_of_a_source_takes_back_the_promotion_and_superseding_by_what_it_stored(m: Workspace) -> None:
    m.memories.store("tea is mild", source="user")
    m.memories.store("tea is green", source="codex")
    m.memories.store("Anna drinks green tea", source="user", parents=[2])
    m.memories.promote(3, "abc", source="user")
    m.memories.supersede(1, 3, source="user")
    m.memories.store("tea is cheap", source="user")
    m.memories.promote(4, "def", source="user")
    done = m.journal.undo(by="codex")
    assert [(one.operation, one.item) for one in done.entries] == [("supersede", 1), ("promote", 3), ("store", 2)]
    assert done.derived == (3,)
    assert [(one.content, one.origin) for one in m.memories.all()] == [
        ("tea is mild", None), ("tea is cheap", "entry:def"),
    ]  # fmt: skip


def test_undo_of_a_source_counts_the_moment_from_which_its_proposals_were_carried_out(
    m: Workspace, clock: Clock
) -> None:
    for number in range(2):
        m.proposals.propose(Suggestion(StoreMemory(f"fact {number}", source="conversation"), origin="tidy"))
        m.proposals.accept(number + 1)
        clock.go(minutes=1)
    done = m.journal.undo(by="tidy", since="2026-03-05T12:01Z")
    assert [one.item for one in done.entries] == [2]
    assert contents(m) == ["fact 0"]


def test_an_accepted_proposal_that_changed_nothing_has_nothing_to_take_back(m: Workspace) -> None:
    m.memories.store("tea is green", source="user")
    number = m.proposals.propose(Suggestion(StoreMemory("tea is green"))).proposal.id
    m.proposals.accept(number)
    with pytest.raises(NotFound, match=r"has no changes to take back: it changed nothing\."):
        m.journal.undo_proposal(number)
    waiting = m.proposals.propose(Suggestion(StoreMemory("tea is hot"))).proposal.id
    with pytest.raises(NotFound, match="it is open, not accepted"):
        m.journal.undo_proposal(waiting)
    m.proposals.reject(waiting)
    with pytest.raises(NotFound, match="it is rejected, not accepted"):
        m.journal.undo_proposal(waiting)


def test_a_proposal_that_superseded_is_undone_whole_and_a_second_time_only_if_that_is_wanted(m: Workspace) -> None:
    m.memories.store("tea is green", source="user")
    number = m.proposals.propose(Suggestion(StoreMemory("tea is black", supersedes=1))).proposal.id
    m.proposals.accept(number)
    seen = m.journal.undo_proposal(number, dry_run=True)
    assert [(one.operation, one.item) for one in seen.entries][:2] == [("supersede", 1), ("store", 2)]
    assert contents(m) == ["tea is black"]
    assert m.journal.undo_proposal(number).refused == ()
    assert contents(m) == ["tea is green"]
    with pytest.raises(UndoConflict, match="Change 3 cannot be undone: it was undone already"):
        m.journal.undo_proposal(number)
    again = m.journal.undo_proposal(number, is_repeatable=True)
    assert [(one.operation, one.item) for one in again.entries] == [("supersede", 1), ("store", 2)]
    assert contents(m) == ["tea is green"]


def test_what_an_origin_of_proposals_did_and_was_undone_is_not_undone_again(m: Workspace) -> None:
    for number in (1, 2):
        m.proposals.propose(Suggestion(StoreMemory(f"fact {number}"), origin="tidy"))
        m.proposals.accept(number)
    m.journal.undo_proposal(1)
    assert [one.item for one in m.journal.undo(by="tidy", dry_run=True).entries] == [2]
    assert [one.item for one in m.journal.undo(by="tidy").entries] == [2]
    assert m.journal.undo(by="tidy").entries == ()


def replaced_by_proposal(m: Workspace) -> int:
    """The number of an accepted proposal that stored 2, as change 2, and superseded 1 with it, as change 3."""
    m.memories.store("tea is green", source="user")
    wanted = Suggestion(StoreMemory("tea is black", supersedes=1), origin="tidy")
    number = m.proposals.propose(wanted).proposal.id
    m.proposals.accept(number)
    return number


def test_of_an_origin_a_proposal_is_taken_back_whole_or_not_at_all(m: Workspace) -> None:
    replaced_by_proposal(m)
    m.memories.update(1, valid_to="2026-03-09T00:00Z", source="user")
    m.proposals.propose(Suggestion(StoreMemory("tea is hot"), origin="tidy"))
    m.proposals.accept(2)
    done = m.journal.undo(by="tidy")
    assert [(one.operation, one.item) for one in done.entries] == [("store", 3)]
    assert [text.startswith("Change 3 cannot be undone") for text in done.refused] == [True]
    assert m.memories.get(1).superseded_by == 2


def test_an_undo_of_a_part_of_a_proposal_is_undone_alone(m: Workspace) -> None:
    replaced_by_proposal(m)
    m.ledger.reverter.revert(m.journal.show(3).entry)
    assert m.memories.get(1).superseded_by is None
    assert [one.id for one in m.journal.undo(4).entries] == [4]
    assert m.memories.get(1).superseded_by == 2


def test_what_one_write_of_a_proposal_superseded_goes_back_with_it_once(m: Workspace) -> None:
    m.memories.store("tea is green")
    number = m.proposals.propose(Suggestion(StoreMemory("unrelated"))).proposal.id
    with m.ledger.access.carrying_out(number):
        m.memories.store("tea is black", supersedes=[1])
    m.journal.undo_proposal(number)
    assert contents(m) == ["tea is green"]
    assert [one for one, _ in journal(m)] == ["undo", "undo", "store", "supersede", "store"]


def test_a_forgetting_is_no_change_that_undo_takes_back_and_the_one_before_is_named(m: Workspace) -> None:
    with pytest.raises(NotFound, match="There is nothing to undo"):
        m.journal.undo()
    m.memories.store("tea is green")
    m.memories.store("tea is hot")
    m.memories.forget(2, yes=True)
    with pytest.raises(UndoConflict, match=r"Change 3 .* run `memoro undo 1`"):
        m.journal.undo()
    m.memories.store("tea is black")
    assert [one.item for one in m.journal.undo().entries] == [3]
    m.memories.forget(1, yes=True)
    with pytest.raises(UndoConflict, match="nothing brings that back") as caught:
        m.journal.undo()
    assert "To undo the change before it" not in str(caught.value)


# Keys


def test_a_key_stands_for_the_trust_and_time_that_were_asked_for_and_not_for_the_session(m: Workspace) -> None:
    first = m.memories.store("tea is green", trust="agent_inferred", key="a", session="s")
    again = m.memories.store("tea is green", trust="agent_inferred", key="a", session="t")
    assert (first.new, again.memory) == (True, first.memory)
    m.memories.store("tea is hot", created_at="2026-03-01", key="b")
    for text, key, options in (
        ("tea is green", "a", {"trust": "tool_or_web"}),
        ("tea is green", "a", {}),
        ("tea is hot", "b", {"created_at": "2026-03-02"}),
        ("tea is hot", "b", {}),
        ("tea is hot", "b", {"created_at": "2026-03-01", "supersedes": [1]}),
        ("tea is hot", "b", {"created_at": "2026-03-01", "project": "pier"}),
    ):
        with pytest.raises(KeyReused):
            m.memories.store(text, key=key, **options)


def test_a_key_of_an_earlier_version_stands_for_what_it_stored_unless_more_is_asked_for(m: Workspace) -> None:
    m.memories.store("tea is black")
    m.memories.store("tea is green")
    asked = {**a_memory("tea is green")._asdict(), "trust": "", "created_at": "", "session": None}
    m.ledger.access.once(Once("k", ("store", *asked.values()), AddResult), lambda _tx: AddResult(2, new=True))
    assert m.memories.store("tea is green", key="k").memory.id == 2
    with pytest.raises(KeyReused):
        m.memories.store("tea is green", key="k", supersedes=[1])

    m.narratives.update("we brew tea")
    told = Narrative(id=0, summary="we brew tea", created_at="", source="agent")
    m.ledger.access.once(Once("n", ("narrative", *told), ChangeResult), lambda _tx: ChangeResult(1))
    assert m.narratives.update("we brew tea", key="n").id == 1
    assert len(m.narratives.search()) == 1


def test_a_write_that_is_repeated_by_its_key_returns_the_memory_as_it_is_now_also_after_it_is_gone(
    m: Workspace,
) -> None:
    m.memories.store("tea is green", key="a")
    m.memories.trust(1, "user_said")
    assert m.memories.store("tea is green", key="a").memory.trust == "user_said"
    assert m.memories.demote(1, key="b").feedback == -1
    m.memories.demote(1)
    assert m.memories.demote(1, key="b").feedback == -2
    m.memories.remove(1, key="c")
    m.memories.store("tea is hot")
    assert m.memories.store("tea is green", key="a").memory.id == 1
    assert m.memories.remove(1, key="c").content == "tea is green"
    assert m.memories.demote(1, key="b").content == "tea is green"
    with pytest.raises(MemoryNotFound):
        m.memories.remove(1)


# Storing


def test_a_memory_is_stored_with_all_that_is_told_of_it_and_by_default_as_an_agent(m: Workspace) -> None:
    m.memories.store("tea is green")
    m.narratives.update("we brew tea")
    stored = m.memories.store(
        "tea is hot", ["a", "#b"], source="user", trust="tool_or_web", session="s", task="t", narrative=1,
        agent="x", project="y", valid_from="2026-03-01T00:00Z", valid_to="2026-03-09T00:00Z", parents=[1, 1],
        origin="mem0:4", created_at="2026-03-02T00:00Z",
    ).memory  # fmt: skip
    assert stored == Memory(
        id=2, content="tea is hot", source="user", trust="tool_or_web", created_at="2026-03-02T00:00:00.000Z",
        tags=("a", "b"), agent="x", project="y", session="s", task="t", narrative=1,
        valid_from="2026-03-01T00:00:00.000Z", valid_to="2026-03-09T00:00:00.000Z", parents=(1,), origin="mem0:4",
    )  # fmt: skip
    plain = m.memories.store("tea is wet", valid_from="", valid_to="", created_at="", agent="", project="")
    assert plain.memory == a_memory("tea is wet")._replace(id=3)
    assert m.memories.store("tea is dry", source=None).memory.source == "agent"  # type: ignore[arg-type]
    with pytest.raises(NotFound):
        m.memories.store("tea is old", narrative=9)
    with pytest.raises(MemoryNotFound):
        m.memories.store("tea is old", parents=[9])
    with pytest.raises(QueryError):
        m.memories.store("tea is old", trust="none")  # type: ignore[arg-type]


def test_what_an_item_says_is_no_memory_that_is_known_already(m: Workspace) -> None:
    m.items.put("langgraph", [ItemPut(("shelf",), "a", {"n": 1}, says=lambda _one: "green tea")])
    assert m.memories.store("green tea").new
    assert not m.memories.store("green tea").new


def test_the_same_words_are_known_already_without_a_project_and_in_their_own(m: Workspace) -> None:
    numbers = [m.memories.store("tea is green", project=one).memory.id for one in ("pier", None, "pier", "harbor")]
    assert numbers == [1, 2, 1, 2]


def test_a_store_names_what_waits_for_it_alone_and_what_it_superseded_itself(m: Workspace) -> None:
    m.memories.store("tea is green", source="user")
    m.memories.store("tea is hot", source="web")
    first = m.memories.store("tea is black", source="web", supersedes=[1, 2])
    assert ([one.id for one in first.superseded], [one.memory.id for one in first.waiting]) == ([2], [1])
    second = m.memories.store("tea is white", source="web", supersedes=["memory:1", 1])
    assert [(one.memory.id, one.proposal) for one in second.waiting] == [(1, 2)]
    assert [one.actor for one in m.proposals.all()] == ["web", "web"]
    m.proposals.reject(2)
    again = m.memories.store("tea is white", source="user", supersedes=[2])
    assert (again.new, again.waiting, [one.id for one in again.superseded]) == (False, (), [2])


def test_what_superseded_a_memory_already_does_so_once(m: Workspace, clock: Clock) -> None:
    m.memories.store("tea is green")
    m.memories.store("tea is black", supersedes=[1])
    before = m.memories.get(1)
    clock.go(days=1)
    again = m.memories.store("tea is black", supersedes=[1])
    assert (again.new, [one.id for one in again.superseded]) == (False, [1])
    assert m.memories.get(1) == before
    assert journal(m) == [("store", 2), ("supersede", 1), ("store", 1)]


def test_superseding_corrects_the_recall_of_the_session_and_undo_takes_the_word_back(m: Workspace) -> None:
    m.memories.store("tea is green")
    for name in ("s", "t"):
        m.sessions.start(name)
        m.sessions.record(recalled("tea?", item("memory:1", "tea is green")), name)
    m.memories.store("tea is black", supersedes=[1], session="s")
    assert (feedback(m, "s"), feedback(m, "t")) == ([("corrected",)], [()])
    m.journal.undo()
    assert feedback(m, "s") == [()]
    m.journal.undo(next(one.id for one in m.journal.log() if one.operation == "undo" and one.item == 1))
    assert feedback(m, "s") == [("corrected",)]


# Changing a memory


def test_only_what_is_given_is_changed_and_nothing_is_refused(m: Workspace, clock: Clock) -> None:
    m.memories.store("tea is green", ["a"], source="user")
    clock.go(hours=1)
    with pytest.raises(MemoryRefused, match=r"Nothing to change in \[id:1\]"):
        m.memories.update(1)
    tagged = m.memories.update(1, tags=["b"], source="web")
    assert tagged == a_memory("tea is green")._replace(
        id=1, source="user", trust="user_said", tags=("b",), hit_at=stamp(clock.now)
    )
    dated = m.memories.update(1, valid_to="2026-03-09T00:00Z", source="user")
    assert dated == tagged._replace(valid_to="2026-03-09T00:00:00.000Z")
    begun = m.memories.update(1, "tea is black", valid_from="2026-03-04T00:00Z", source="user")
    assert (begun.valid_from, begun.content, begun.tags) == ("2026-03-04T00:00:00.000Z", "tea is black", ("b",))
    assert m.memories.update(1, tags=[], source="user").tags == ()
    assert m.memories.update(1, "tea is white", source="web").trust == "tool_or_web"


def test_another_text_holds_from_now_on_unless_its_time_is_to_come(m: Workspace, clock: Clock) -> None:
    m.memories.store("tea is green")
    m.memories.store("tea is cold", valid_from="2026-03-09T00:00Z")
    clock.go(hours=1)
    assert m.memories.update(1, "tea is green").valid_from is None
    assert m.memories.update(1, "tea is black").valid_from == stamp(clock.now)
    assert m.memories.update(2, "tea is warm").valid_from == "2026-03-09T00:00:00.000Z"


def test_the_words_of_an_item_are_its_own_and_its_tags_are_not(m: Workspace) -> None:
    m.items.put("langgraph", [ItemPut(("shelf",), "a", {"n": 1}, says=lambda _one: "green tea")])
    with pytest.raises(MemoryRefused, match="is what an item of langgraph says"):
        m.memories.update(1, "black tea")
    assert m.memories.update(1, tags=["x"]).tags == ("x",)
    m.memories.remove(1)
    assert (contents(m), m.items.get("langgraph", ("shelf",), "a")) == ([], None)
    assert journal(m, 1) == [("remove", 1)]
    m.journal.undo()
    assert (contents(m), m.items.get("langgraph", ("shelf",), "a") is None) == (["green tea"], False)


def test_what_an_agent_would_change_in_a_confirmed_memory_waits_with_all_of_it(m: Workspace) -> None:
    m.memories.store("tea is green")
    m.memories.trust(1, "user_confirmed")
    before = m.memories.get(1)
    with pytest.raises(ChangeProposed, match="The user has confirmed this memory") as caught:
        m.memories.update(
            1, "tea is black", ["x"], valid_from="2026-03-01T00:00Z", valid_to="2026-03-09T00:00Z", source="codex",
            key="k",
        )  # fmt: skip
    [waiting] = m.proposals.all()
    assert (waiting.id, waiting.actor) == (caught.value.proposal, "codex")
    assert waiting.change == ChangeMemory(
        1, content="tea is black", tags=("x",), valid_from="2026-03-01T00:00:00.000Z",
        valid_to="2026-03-09T00:00:00.000Z",
    )  # fmt: skip
    with pytest.raises(ChangeProposed) as again:
        m.memories.remove(1, source="codex")
    assert again.value.proposal == 2
    assert m.proposals.all()[1].change == RemoveMemory(1)
    assert m.memories.get(1) == before
    m.memories.store("tea is blue")
    assert m.memories.remove(2, source="codex").content == "tea is blue"


def test_a_memory_is_changed_as_proposed_only_while_it_holds_and_says_the_same(m: Workspace, clock: Clock) -> None:
    for text in ("tea is green", "tea is black", "tea is white", "tea is blue"):
        m.memories.store(text)
    m.memories.update(4, valid_to="2026-03-05T13:00Z")
    m.memories.supersede(1, 2)
    m.memories.remove(3)
    clock.go(hours=2)
    for number, was, why in (
        (1, "tea is green", r"was superseded by \[id:2\] since"),
        (2, "tea is red", "says something else now"),
        (3, "tea is white", "was removed or archived since"),
        (4, "tea is blue", "does not hold any more"),
    ):
        with pytest.raises(ProposalOutdated, match=why):
            m.memories.update(number, "tea is hot", was=was)
    with pytest.raises(ProposalOutdated, match="says something else now"):
        m.memories.supersede(2, 4, was="tea is red")
    assert m.memories.update(2, "tea is hot", was="tea is black").content == "tea is hot"


def test_only_what_holds_is_promoted(m: Workspace) -> None:
    m.memories.store("tea is green")
    m.memories.store("tea is black", supersedes=[1])
    with pytest.raises(MemoryRefused, match=r"\[id:1\] does not hold any more"):
        m.memories.promote(1, "abc")
    assert m.memories.promote(2, "abc").origin == "entry:abc"
    [entry] = m.journal.log(1)
    assert (entry.operation, entry.actor) == ("promote", "user")


def test_which_feedback_a_change_gives_to_the_recall_of_the_memory(m: Workspace) -> None:
    words = {}
    for name in ("reinforce", "demote", "update", "trust", "promote"):
        number = m.memories.store(f"fact about {name}").memory.id
        m.sessions.start(name)
        m.sessions.record(recalled("?", item(f"memory:{number}", "a fact")), name)
        match name:
            case "update":
                m.memories.update(number, "said better")
            case "trust":
                m.memories.trust(number, "user_said")
            case "promote":
                m.memories.promote(number, "abc")
            case _:
                getattr(m.memories, name)(number)
        words[name] = feedback(m, name)[0]
        m.journal.undo()
        assert feedback(m, name) == [()]
    assert words == {
        "reinforce": ("reinforced",), "demote": ("demoted",), "update": ("corrected",), "trust": (), "promote": (),
    }  # fmt: skip


def test_memories_are_reinforced_by_three_and_demoted_by_one(home: Path) -> None:
    with closing(without_vault(home)) as made:
        made.memories.store("tea is green")
        assert [made.memories.reinforce(1).feedback, made.memories.demote(1).feedback] == [3, 2]


# Lists


def test_a_query_returns_five_a_page_twenty_and_a_forgetting_by_words_five_by_default(m: Workspace) -> None:
    put(m, *(a_memory(f"tea {number}") for number in range(22)))
    assert len(m.memories.query("tea").results) == 5
    assert len(m.memories.page(MemoryFilter())[0]) == 20
    assert len(m.memories.forget(query="tea", dry_run=True).memories) == 5
    assert len(m.memories.forget(query="tea", limit=7, dry_run=True).memories) == 7
    assert m.memories.forget(query="coffee", dry_run=True).memories == ()
    for number in range(21):
        m.experiences.record("task_solution", f"brew tea {number}", "boil water")
    assert len(m.experiences.page(ExperienceFilter())[0]) == 20
    assert len(m.experiences.find_similar("brew tea").results) == 5


def test_memories_are_listed_by_source_session_and_tag(m: Workspace) -> None:
    m.memories.store("tea is green", ["x"], source="codex", session="s")
    m.memories.store("tea is hot", ["y"], source="user")
    assert [one.id for one in m.memories.all()] == [1, 2]
    for wanted in ({"source": "codex"}, {"session": "s"}, {"tag": "x"}):
        assert [one.id for one in m.memories.all(**wanted)] == [1]


def test_what_to_forget_is_named_by_number_or_id_one_or_many(m: Workspace) -> None:
    for number in range(12):
        m.memories.store(f"fact {number}")

    def chosen(named: Any) -> list[int]:
        return [one.id for one in m.memories.forget(named, dry_run=True).memories]

    assert [chosen(1), chosen("memory:12"), chosen([2, "memory:1", 2])] == [[1], [12], [2, 1]]
    with pytest.raises(ConfigError, match="Name what to forget"):
        m.memories.forget(dry_run=True)


def test_a_move_without_a_key_is_refused_where_there_is_nothing_to_move(m: Workspace) -> None:
    m.memories.store("tea is green")
    with pytest.raises(MemoryNotFound, match="in the archive"):
        m.memories.unarchive(1)
    with pytest.raises(MemoryNotFound):
        m.memories.archive(2)
    assert m.memories.unarchive(1, key="k").content == "tea is green"
    with pytest.raises(KeyReused):
        m.memories.archive(1, key="k")
    with pytest.raises(QueryError):
        m.memories.page(MemoryFilter(state="lost"))  # type: ignore[arg-type]


# Narratives of projects


def test_narratives_of_no_project_or_another_are_not_among_those_of_one(m: Workspace) -> None:
    for project in ("pier", None, "pier", "harbor"):
        m.narratives.update(f"work on {project}", project=project)
    assert [one.narrative.id for one in m.narratives.search(None, project="pier")] == [3, 1]
    assert [one.narrative.id for one in m.narratives.search(None, 1, project="harbor")] == [4]
    assert sorted(one.narrative.id for one in m.narratives.search("work", project="pier")) == [1, 3]
    assert [one.narrative.id for one in m.narratives.search("work", 1, project="pier")] in ([1], [3])
    assert [one.narrative.id for one in m.narratives.search(None)] == [4, 3, 2, 1]


def test_a_narrative_is_told_by_a_source_of_the_project_of_the_home(home: Path, clock: Clock) -> None:
    with memoro.open(home, clock=clock, agent="alice", project="pier") as m:
        told = m.narratives.update("we brew tea", source="codex", session="s")
        other = m.narratives.update("we mend it", project="harbor")
    assert told == Narrative(
        id=1, summary="we brew tea", created_at=stamp(NOON), source="codex", session="s", agent="alice",
        project="pier",
    )  # fmt: skip
    assert (other.source, other.project) == ("agent", "harbor")


def test_digits_are_the_number_of_a_narrative_unless_there_are_too_many(m: Workspace) -> None:
    m.narratives.update("we brew tea")
    with pytest.raises(NotFound):
        m.narratives.search("1" * 19)
    assert m.narratives.search("1" * 20) == []
    assert m.narratives.search("１") == [], "a digit, and not of ASCII"
    assert [one.narrative.id for one in m.narratives.search(" 1 ")] == [1]


# Facts that ended, by what said them


def test_a_fact_ended_is_found_by_its_message_its_text_and_what_said_it_again(m: Workspace, clock: Clock) -> None:
    def extracted(text: str, origin: str | None, ends: str | None) -> None:
        m.memories.store(text, source="extraction", origin=origin, valid_to=ends)

    extracted("tea is green", "@log/1", "2026-03-05T13:00Z")
    extracted("tea is hot", "@log/2", None)
    extracted("tea is wet", None, "2026-03-05T13:00Z")
    m.memories.store("tea is dry", origin="@log/3", valid_to="2026-03-05T13:00Z")
    m.memories.store("tea is old", source="extraction", origin="@log/5", valid_to="2026-03-20T00:00Z")
    access = m.ledger.access
    access.once(said_again("@log/4"), lambda _tx: RepetitionResult(1))
    access.once(said_again("@log/6"), lambda _tx: RepetitionResult(99))
    texts = ["tea is green", "tea is hot", "tea is wet", "tea is dry", "tea is old"]
    origins = [f"@log/{number}" for number in range(1, 7)]
    assert ended_facts(access, origins, texts) == []
    clock.go(hours=2)
    found = ended_facts(access, origins, texts)
    assert [(one.origin, one.text) for one in found] == [("@log/1", "tea is green"), ("@log/4", "")]
    assert [one.origin for one in ended_facts(access, [], texts)] == ["@log/1"]
    [first, _] = found
    assert (first.first, first.last, first.superseded_by) == ("2026-03-05", "2026-03-05", None)


# Who sees what in a ledger that people share


@pytest.fixture
def shared(tmp_path: Path) -> Iterator[tuple[SharedPlainLedger, LedgerServices, list[Any]]]:
    """The services of Mia on a ledger that others use too, and what they dropped from the index."""
    ledger, dropped = SharedPlainLedger(), []  # type: tuple[SharedPlainLedger, list[Any]]
    made = without_vault(
        tmp_path,
        lambda _home, _hook, _newest: LedgerStores(ledger, PlainLedger()),
        lambda paths, digests: dropped.append((list(paths), list(digests))),
    )
    for text in ("tea is green", "tea is hot"):
        made.memories.store(text)
    ledger.sign()
    yield ledger, made, dropped
    made.close()


def test_who_sees_a_memory_of_a_shared_ledger_is_set_shown_and_undone(
    shared: tuple[SharedPlainLedger, LedgerServices, list[Any]],
) -> None:
    _, made, _ = shared
    memories = made.memories
    made.narratives.update("we drink tea", [1])
    assert memories.visibility(1) == ShownVisibility(1, "shared", "mia")
    assert memories.visibility(1, "private", source="cli") == ShownVisibility(1, "private", "mia", True, (1,))
    assert memories.visibility("memory:1") == ShownVisibility(1, "private", "mia")
    assert memories.visibilities([1, 2]) == {1: "private", 2: "shared"}
    with pytest.raises(QueryError):
        memories.visibility(1, "hidden")  # type: ignore[arg-type]
    [change] = made.journal.log(1)
    assert (change.operation, change.item, change.actor) == ("visibility", 1, "cli")

    made.journal.undo(change.id)
    assert memories.visibility(1) == ShownVisibility(1, "shared", "mia")
    assert [one.operation for one in made.journal.log(2)] == ["undo", "visibility"]
    made.journal.undo(made.journal.log(1)[0].id)
    assert memories.visibility(1).visibility == "private"


def test_who_sees_a_memory_is_not_set_back_where_it_was_set_again_or_the_memory_is_anothers(
    shared: tuple[SharedPlainLedger, LedgerServices, list[Any]],
) -> None:
    ledger, made, _ = shared
    made.memories.visibility(1, "private")
    first = made.journal.log(1)[0].id
    made.memories.visibility(1, "shared")
    second = made.journal.log(1)[0].id
    with pytest.raises(UndoConflict, match="who sees memory:1 has been changed again since"):
        made.journal.undo(first)
    ledger.person = "tom"
    with pytest.raises(Refused, match="only mia can make it private"):
        made.journal.undo(second)
    assert made.memories.visibilities([1]) == {1: "shared"}


def test_what_another_machine_forgot_leaves_the_index_here_and_that_is_noted_once(
    shared: tuple[SharedPlainLedger, LedgerServices, list[Any]],
) -> None:
    ledger, made, dropped = shared
    made.forgetting.finish()
    assert dropped == []
    ledger.elsewhere[:] = [("memory:7", "ab"), ("memory:8", "cd")]
    made.forgetting.finish()
    made.forgetting.finish()
    assert dropped == [(["memory:7", "memory:8"], ["ab", "cd"])]


def test_a_change_of_which_nothing_is_left_and_one_of_a_later_version_are_told_apart(m: Workspace) -> None:
    with m.ledger.access.ledger.writing() as tx:
        by = Authorship(stamp(NOON), "user")
        blank = tx.journal.add(entry_of(UnknownChange("twist", "memory", 2, None, None), by))
        later = tx.journal.add(entry_of(UnknownChange("twist", "memory", 2, None, "{}"), by))
    with pytest.raises(UndoConflict, match="its text was forgotten"):
        m.journal.undo(blank)
    with pytest.raises(UndoConflict, match="this version cannot revert it"):
        m.journal.undo(later)


def test_a_narrative_is_taken_back_and_told_again_with_an_entry_each(m: Workspace) -> None:
    m.narratives.update("we brew tea")
    m.journal.undo()
    assert m.narratives.search() == []
    m.journal.undo(m.journal.log(1)[0].id)
    assert [one.narrative.summary for one in m.narratives.search()] == ["we brew tea"]
    assert journal(m) == [("undo", 1), ("undo", 1), ("narrative", 1)]
    m.journal.undo(m.journal.log(1)[0].id)
    assert m.narratives.search() == []


def test_an_experience_is_taken_back_and_put_back_by_undo(m: Workspace) -> None:
    m.experiences.record("task_solution", "brew tea", "boil water")
    m.journal.undo()
    assert m.experiences.list() == ()
    m.journal.undo(m.journal.log(1)[0].id)
    m.experiences.mark_used(1)
    m.journal.undo()
    assert [one.experience.uses for one in m.experiences.list()] == [0]
    assert [one for one, _ in journal(m)] == ["undo", "use", "undo", "undo", "record"]


def test_the_changes_of_a_proposal_are_listed_without_an_undo_that_an_earlier_version_counted_to_it(
    m: Workspace,
) -> None:
    number = m.proposals.propose(Suggestion(StoreMemory("tea is green"))).proposal.id
    m.proposals.accept(number)
    with m.ledger.access.ledger.writing() as tx:
        by = Authorship(stamp(NOON), "user", undoes=1, proposal=number)
        tx.journal.add(entry_of(MemoryRemoved("undo", tx.memories.get(1)), by))
        tx.memories.delete(1)
    assert [one.id for one in m.journal.of_proposal(number)] == [1]
    again = m.journal.undo_proposal(number, is_repeatable=True)
    assert [one.id for one in again.entries] == [1]


def test_an_undo_by_key_means_what_it_meant_first(m: Workspace) -> None:
    for text in ("tea is green", "tea is hot"):
        m.memories.store(text)
    for _ in range(2):
        assert [one.item for one in m.journal.undo(key="k").entries] == [2]
    assert contents(m) == ["tea is green"]
    with pytest.raises(KeyReused):
        m.journal.undo(1, key="k")


def test_of_one_source_what_cannot_be_taken_back_is_told_and_the_rest_goes(m: Workspace) -> None:
    m.memories.store("tea is green", source="codex")
    m.memories.store("tea is hot", source="codex")
    m.memories.update(1, "tea is white", source="codex")
    m.memories.update(1, "tea is black", source="user")
    done = m.journal.undo(by="codex")
    assert [(one.operation, one.item) for one in done.entries] == [("store", 2), ("store", 1)]
    assert [text.startswith("Change 3 cannot be undone") for text in done.refused] == [True]
    assert contents(m) == []


def test_the_same_change_waits_once_for_each_project_and_its_owner_lists_it(m: Workspace) -> None:
    def owned(agent: str | None, project: str | None) -> ProposalQueue:
        return ProposalQueue(m.ledger.access, Owner(agent, project, Scope(agent, project)))

    pier, harbor, alice = owned(None, "pier"), owned(None, "harbor"), owned("alice", None)
    wanted = Suggestion(StoreMemory("a fact"))
    assert [one.propose(wanted).new for one in (pier, pier, harbor, alice, alice)] == [True, False, True, True, False]
    assert [(one.agent, one.project) for one in queue(m).all()] == [
        (None, "pier"), (None, "harbor"), ("alice", None),
    ]  # fmt: skip
    assert [[one.id for one in owner.all()] for owner in (pier, harbor, owned("bob", None))] == [
        [1, 3],
        [2, 3],
        [1, 2],
    ]
    for number in (1, 2, 3):
        queue(m).settle(number, "rejected", Once(None, (), ChangeResult))
    assert sorted(one.id for one in harbor.settled(9)) == [2, 3]
    other = StoreMemory("another fact")
    assert (queue(m).propose(Suggestion(other)).proposal.id, queue(m).get(4).change) == (4, other)


def test_what_an_accepted_proposal_did_not_change_does_not_wait_again(m: Workspace) -> None:
    m.memories.store("tea is green", source="user")
    number = m.proposals.propose(Suggestion(StoreMemory("tea is green"))).proposal.id
    m.proposals.accept(number)
    with pytest.raises(Refused, match=f"Proposal {number} was accepted"):
        m.proposals.reopen(number)
    waiting = m.proposals.propose(Suggestion(StoreMemory("tea is hot"))).proposal.id
    assert m.proposals.reopen(waiting).state == "open"


def test_a_decision_is_settled_once_for_its_key(m: Workspace) -> None:
    queue(m).propose(Suggestion(StoreMemory("a fact")))
    once = Once("k", ("reject", 1), ChangeResult)
    assert not queue(m).is_settled(once)
    queue(m).settle(1, "rejected", once)
    assert queue(m).is_settled(once)
    assert queue(m).get(1).settled_at == stamp(NOON)


# Experiences by default


def test_an_experience_is_recorded_as_a_success_and_two_hints_are_enough(m: Workspace) -> None:
    for number, solution in enumerate(("boil water", "ask Ines", "use the samovar", "warm the pot"), 1):
        recorded = m.experiences.record("task_solution", "brew green tea", solution)
        assert (recorded.experience.id, recorded.experience.success, recorded.new) == (number, 1.0, True)
    assert len(m.experiences.hints("How do I brew green tea?")) == 2
    assert len(m.experiences.hints("How do I brew green tea?", 3)) == 3
    assert m.experiences.hints("How do I brew green tea?", 0) == ()
    assert m.experiences.record("task_solution", "brew green tea", "ask Ben", success=0.4).experience.success == 0.4


def test_a_preference_that_was_just_told_is_returned_though_another_value_or_nothing_holds(alice: Workspace) -> None:
    first = alice.experiences.prefer("editor", "vim")
    alice.experiences.trust(first.recorded.experience.id, "user_confirmed")
    other = alice.experiences.prefer("editor", "emacs")
    assert (other.recorded.experience.solution, other.preference.experience.solution) == ("emacs", "vim")
    unseen = alice.experiences.prefer("shell", "fish", agent="bob")
    assert unseen.preference.experience == unseen.recorded.experience


def test_an_experience_is_shown_listed_trusted_removed_and_its_history_stays(m: Workspace, clock: Clock) -> None:
    m.experiences.record("task_solution", "brew tea", "boil water", tags=["hot"], project="pier")
    m.experiences.record("tool_chain", "mend the pot", "glue it")
    clock.go(days=30)
    shown = m.experiences.show("experience:1")
    assert (shown.experience.intent, shown.weight) == ("brew tea", 0.5)
    assert m.experiences.standing([1, 2, 9]) == {1: 0.5, 2: 0.5}
    assert [one.experience.id for one in m.experiences.list()] == [2, 1]
    for wanted in ({"type": "tool_chain"}, {"limit": 1}):
        assert [one.experience.id for one in m.experiences.list(**wanted)] == [2]
    assert [one.experience.id for one in m.experiences.list(tag="hot")] == [1]
    used = m.experiences.mark_used(1, 0.0, source="codex", key="k")
    assert (used.weight, used.experience.uses) == (1.0, 1)
    assert used.experience.success == pytest.approx(1 / 3)
    assert m.experiences.mark_used(1, 0.0, key="k").experience.uses == 1
    with pytest.raises(KeyReused):
        m.experiences.mark_used(1, 1.0, key="k")
    assert m.experiences.trust(1, "user_said", key="t").experience.trust == "user_said"
    with pytest.raises(KeyReused):
        m.experiences.trust(1, "user_confirmed", key="t")
    assert m.experiences.remove(1, source="codex").experience.intent == "brew tea"
    told = [(one.operation, one.actor) for one in m.experiences.history(1)]
    assert told == [("record", "agent"), ("use", "codex"), ("trust", "user"), ("remove", "codex")]
    assert m.experiences.stats().experiences == 1


# Who keeps what for whom


def test_a_key_stands_for_who_may_see_what_was_stored(
    shared: tuple[SharedPlainLedger, LedgerServices, list[Any]],
) -> None:
    _, made, _ = shared
    first = made.memories.store("tea is wet", visibility="private", key="a")
    assert made.memories.store("tea is wet", visibility="private", key="a").memory == first.memory
    for wanted in ({"visibility": "shared"}, {}):
        with pytest.raises(KeyReused):
            made.memories.store("tea is wet", key="a", **wanted)  # type: ignore[arg-type]
    asked = {**a_memory("tea is dry")._asdict(), "trust": "", "created_at": "", "session": None}
    made.access.once(Once("k", ("store", *asked.values()), AddResult), lambda _tx: AddResult(2, new=True))
    assert made.memories.store("tea is dry", key="k").memory.id == 2
    with pytest.raises(KeyReused):
        made.memories.store("tea is dry", key="k", visibility="private")


def test_a_key_of_an_earlier_version_named_the_agent_and_later_ones_do_not(home: Path, clock: Clock) -> None:
    with memoro.open(home, clock=clock, agent="alice") as m:
        for text in ("tea is green", "tea is hot"):
            m.memories.store(text)
        for key, text, agent in (("early", "tea is green", "alice"), ("later", "tea is hot", None)):
            fields = {"trust": "", "created_at": "", "session": None, "agent": agent}
            asked = ("store", *{**a_memory(text)._asdict(), **fields}.values())
            m.ledger.access.once(Once(key, asked, AddResult), lambda _tx: AddResult(2, new=True))
            assert m.memories.store(text, key=key).memory.id == 2


def test_what_waits_is_not_named_as_near_and_waits_no_longer_once_it_is_rejected(m: Workspace) -> None:
    m.memories.store("tea is served at four in the garden", source="user")

    def stored() -> Stored:
        return m.memories.store("tea is served at five in the garden", source="web", supersedes=[1], key="k")

    first = stored()
    assert ([one.memory.id for one in first.waiting], first.nearest) == ([1], ())
    m.proposals.reject(1)
    assert (stored().waiting, stored().memory.id) == ((), 2)
    third = m.memories.store("tea is served at six in the garden", source="web")
    assert {one.memory.id for one in third.nearest} == {1, 2}


def test_a_memory_that_was_removed_since_it_helped_is_linked_with_nothing(m: Workspace) -> None:
    for text in ("tea is green", "tea is hot"):
        m.memories.store(text)
    m.memories.query("tea", session="s")
    m.memories.reinforce(1)
    m.memories.remove(1)
    removal = m.journal.log(1)[0].id
    m.memories.reinforce(2)
    m.journal.undo(removal)
    assert m.memories.links(1).linked == ()


def test_only_what_helped_is_linked_with_what_helped(m: Workspace) -> None:
    for text in ("tea is green", "tea is hot"):
        m.memories.store(text)
    m.memories.query("tea", session="s")
    m.memories.reinforce(1)
    m.memories.demote(2)
    assert m.memories.links(1).linked == ()


def test_what_is_linked_comes_once_and_not_beside_itself_nor_by_a_faint_link(m: Workspace) -> None:
    for text in ("the kettle whistles", "the kettle sings", "Ines plays chess", "the fence is red"):
        m.memories.store(text)
    with m.ledger.access.ledger.writing() as tx:
        for low, high, strength in ((1, 2, 1.0), (1, 3, 1.0), (2, 3, 1.0), (1, 4, 0.099)):
            tx.links.put(Link(low, high, strength, stamp(NOON)))
    found = m.memories.query("kettle", 5, links=True, mode="words").results
    assert sorted(one.memory.id for one in found) == [1, 2, 3]
    assert (found[-1].memory.id, found[-1].fit) == (3, 0.0)


def test_what_faded_may_be_pruned(m: Workspace, clock: Clock) -> None:
    m.experiences.record("task_solution", "brew tea", "boil water")
    assert not m.experiences.may_prune()
    clock.go(days=200)
    assert m.experiences.may_prune()
    m.experiences.prune_expired()
    assert not m.experiences.may_prune()


def test_an_ended_fact_held_to_the_last_of_its_days(m: Workspace) -> None:
    m.memories.store(
        "tea is green", source="extraction", origin="@log/1", valid_from="2026-03-01T12:00Z",
        valid_to="2026-03-04T12:00Z",
    )  # fmt: skip
    [found] = ended_facts(m.ledger.access, ["@log/1"], [])
    assert (found.first, found.last) == ("2026-03-01", "2026-03-04")


def test_who_sees_an_experience_of_a_shared_ledger_is_set_and_undone(
    shared: tuple[SharedPlainLedger, LedgerServices, list[Any]],
) -> None:
    ledger, made, _ = shared
    experiences = Experiences(
        made.access,
        ExperienceForgetting(made.access, made.backups, made.forgetting),
        Fading(),
        made.owner,
        ExperienceSearch(made.item_index, lambda _asked, _limit, _scope: (None, ())),
    )
    experiences.record("task_solution", "brew tea", "boil water")
    ledger.sign()
    assert experiences.visibility(1) == ShownVisibility(1, "shared", "mia")
    assert experiences.visibility("experience:1", "private").changed
    assert experiences.visibility(1).visibility == "private"
    [last] = made.journal.log(1)
    assert last.actor == "user"
    ledger.sign()
    with pytest.raises(Refused, match="To show it to everybody"):
        made.journal.undo()
    made.journal.undo(last.id)
    assert experiences.visibility(1).visibility == "shared"
