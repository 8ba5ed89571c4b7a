"""Operations of the ledger at their edges: who may read, what a key stands for, what an undo leaves alone."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

import memoro
from memoro.errors import (
    ChangeProposed,
    KeyReused,
    MemoryNotFound,
    MemoryRefused,
    NeedsConsent,
    OutOfScope,
    QueryError,
    Refused,
    UndoConflict,
)
from memoro.experiences.retiring import ExperienceRetiring
from memoro.ledger.ended_facts import ended_facts
from memoro.ledger.proposals import ProposalQueue
from memoro.model.items import ItemPut
from memoro.model.memories import Link, stamp
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
from memoro.workspace import Workspace
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
