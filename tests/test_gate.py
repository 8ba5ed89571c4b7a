"""The gate: which automatic suggestions may wait for a person, and why the others may not."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from benchmarks import rewording
from hypothesis import given
from hypothesis import strategies as st

import memoro
from memoro.curate.gating.loaded_files import read_loaded_files
from memoro.curate.gating.rules import (
    AdmittedSuggestions,
    CurrentItems,
    GatedFile,
    GatedItem,
    GateLimits,
    addition_of,
    admit,
    is_automatic,
)
from memoro.curate.gating.subjects import has_same_key, meet, proposal_subject
from memoro.curate.reviewing.losses import lost_from
from memoro.model.losses import most_lost
from memoro.model.proposals import (
    AddRule,
    EditEntry,
    Evidence,
    MoveEntry,
    PromoteMemory,
    Proposal,
    ProposedChange,
    PutBackLines,
    RememberEntry,
    RemoveEntry,
    RemoveMemory,
    RetireEntry,
    RetireExperience,
    RetireMemory,
    RetireNote,
    StoreMemory,
    Suggestion,
    SupersedeMemory,
    WriteNote,
)
from memoro.model.rewording import is_rewording, statement_words
from memoro.model.vocabulary import ProposalState, WithheldFor
from memoro.vault.files import VaultFiles
from memoro.workspace import Workspace

NOON = datetime(2026, 3, 5, 12, 0, tzinfo=UTC)
TEA = RememberEntry(text="Tea is served at four", tier="semantic", section=None, path="MEMORY.md")
TEA_AGAIN = TEA._replace(text="Tea is at four o'clock")
NO_ITEMS = CurrentItems({}, {}, {}, {})


def plain_cosine(one: str, other: str) -> float:
    """As near as two texts share words: for properties that need no model."""
    first, second = set(one.lower().split()), set(other.lower().split())
    return len(first & second) / max(1, len(first | second))


def proposal(change: ProposedChange, state: ProposalState, number: int = 1) -> Proposal:
    settled = None if state == "open" else f"2026-03-0{number}T12:00:00.000Z"
    return Proposal(
        id=number, at="2026-03-01T12:00:00.000Z", actor="tidy", agent=None, change=change, state=state,
        settled_at=settled, origin="tidy",
    )  # fmt: skip


def decide(
    changes: Sequence[ProposedChange | Suggestion],
    proposals: Sequence[Proposal] = (),
    current: CurrentItems = NO_ITEMS,
    left: int = 10,
) -> AdmittedSuggestions:
    suggestions = [one if isinstance(one, Suggestion) else Suggestion(one, origin="tidy") for one in changes]
    return admit(suggestions, proposals, current, GateLimits(left), rewording.cosine)


def reasons(found: AdmittedSuggestions) -> list[WithheldFor]:
    return [one.reason for one in found.withheld]


@pytest.mark.parametrize("state", ["rejected", "accepted", "open"])
def test_a_fact_never_returns_in_other_words(state: ProposalState) -> None:
    found = decide([TEA_AGAIN], [proposal(TEA, state)])

    assert reasons(found) == ["waits" if state == "open" else state]
    assert "Proposal 1 ask" in found.withheld[0].sentence


def test_another_value_is_another_fact() -> None:
    assert decide([TEA._replace(text="Tea is served at five")], [proposal(TEA, "rejected")]).withheld == ()


def test_an_expired_proposal_may_be_made_again() -> None:
    assert decide([TEA_AGAIN], [proposal(TEA, "expired")]).withheld == ()


@pytest.mark.parametrize(
    ("rejected", "suggested"),
    [
        (RemoveMemory(7), RetireMemory(7)),
        (RemoveMemory(7), RetireMemory(8)),  # which says the same
        (RetireEntry("kettle", "MEMORY.md", "The kettle is blue"), RemoveEntry("kettle", "MEMORY.md")),
        (RemoveEntry("kettle", "MEMORY.md"), RetireEntry("other", "MEMORY.md", "Blue is the kettle")),
        (SupersedeMemory(7, 9), SupersedeMemory(9, 7)),
        (SupersedeMemory(7, 9), SupersedeMemory(8, 9)),
        (RetireExperience(3), RetireExperience(3)),
        (RetireNote("agent/a.md", "1"), RetireNote("agent/a.md", "2")),
        (
            MoveEntry("kettle", "MEMORY.md", "procedural", "The kettle is blue"),
            MoveEntry("kettle", "MEMORY.md", "procedural", "The kettle is blue!"),
        ),
        (
            PromoteMemory(7, "The kettle is blue", "semantic", None, "MEMORY.md"),
            PromoteMemory(7, "Water is boiled in a blue pot", "semantic", None, "MEMORY.md"),
        ),
        (AddRule("Never push to main", "PROCEDURAL.md"), TEA._replace(text="Do not push to main")),
    ],
)
def test_what_was_rejected_is_known_by_its_items_and_by_their_words(
    rejected: ProposedChange, suggested: ProposedChange
) -> None:
    said = {
        "memory:7": "The kettle is blue",
        "memory:8": "Blue is the kettle",
        "memory:9": "The kettle is green",
        "entry:kettle": "The kettle is blue",
    }
    found = decide([suggested], [proposal(rejected, "rejected")], NO_ITEMS._replace(words=said))

    assert reasons(found) == ["rejected"]


@pytest.mark.parametrize(
    ("earlier", "suggested"),
    [
        (RetireMemory(7), TEA),
        (TEA, RetireEntry("tea", "MEMORY.md", TEA.text)),  # to keep a fact out is not to keep it
        (MoveEntry("tea", "MEMORY.md", "pinned", TEA.text), MoveEntry("tea", "MEMORY.md", "procedural", TEA.text)),
        (SupersedeMemory(7, 9), SupersedeMemory(7, 12)),
    ],
)
def test_a_rejection_is_about_what_was_asked_alone(earlier: ProposedChange, suggested: ProposedChange) -> None:
    assert decide([suggested], [proposal(earlier, "rejected")]).withheld == ()


def test_a_third_duplicate_may_be_retired_after_the_second() -> None:
    said = {"memory:7": "The kettle is blue", "memory:8": "The kettle is blue"}

    assert decide([RetireMemory(8)], [proposal(RetireMemory(7), "accepted")], NO_ITEMS._replace(words=said)) == (
        (Suggestion(RetireMemory(8), origin="tidy"),),
        (),
    )


def test_a_fact_may_become_true_again() -> None:
    berlin, munich = (EditEntry("home", f"I live in {city}", "MEMORY.md") for city in ("Berlin", "Munich"))

    assert reasons(decide([berlin], [proposal(berlin, "accepted", 1)])) == ["accepted"]
    assert decide([berlin], [proposal(berlin, "accepted", 1), proposal(munich, "accepted", 2)]).withheld == ()


def test_one_item_waits_for_one_decision_at_a_time() -> None:
    found = decide([EditEntry("kettle", "The kettle is red", "MEMORY.md"), RemoveEntry("kettle", "MEMORY.md")])

    assert [one.change for one in found.suggestions] == [EditEntry("kettle", "The kettle is red", "MEMORY.md")]
    assert reasons(found) == ["waits"]


@pytest.mark.parametrize("trust", ["tool_or_web", "quarantined"])
def test_nothing_rests_on_untrusted_sources(trust: str) -> None:
    items = {"memory:7": GatedItem(trust), "memory:8": GatedItem("user_said")}  # type: ignore[arg-type]
    current = NO_ITEMS._replace(items=items)
    promoted = PromoteMemory(7, "x y z", "semantic", None, "MEMORY.md")
    quoted = Suggestion(TEA, (Evidence("Tea", path="memory:7"),), "review")
    spoken = Suggestion(TEA, (Evidence("Tea", path="@logs/a.jsonl", speaker="Tool"),), "extraction")

    assert reasons(decide([promoted], current=current)) == ["untrusted"]
    assert reasons(decide([quoted], current=current)) == ["untrusted"]
    assert reasons(decide([spoken])) == ["untrusted"]
    assert reasons(decide([SupersedeMemory(8, 7)], current=current)) == ["untrusted"]
    assert decide([SupersedeMemory(7, 8)], current=current).withheld == ()
    dropped = Suggestion(RetireMemory(7), (Evidence("Tea", path="memory:7"),), "tidy")
    assert decide([dropped], current=current).withheld == ()


def test_projects_never_mix() -> None:
    items = {
        "memory:7": GatedItem("user_said", "github.com/acme/api"),
        "memory:8": GatedItem("user_said", "github.com/acme/web"),
        "memory:9": GatedItem("user_said", "github.com/acme/api", is_visible=False),
    }
    current = NO_ITEMS._replace(items=items)
    promoted = PromoteMemory(7, "Deploys run at noon", "semantic", None, "MEMORY.md")
    stored = StoreMemory("Deploys run at one", project="github.com/acme/web", supersedes=7)

    assert reasons(decide([SupersedeMemory(7, 8)], current=current)) == ["project"]
    assert reasons(decide([RetireMemory(9)], current=current)) == ["project"]
    assert reasons(decide([stored], current=current)) == ["project"]
    assert reasons(decide([promoted], current=current)) == ["project"]
    named = PromoteMemory(7, "Deploys of acme/api run at noon #api", "semantic", None, "MEMORY.md")
    assert decide([named], current=current).withheld == ()
    whole = current._replace(is_vault_of=lambda project: project == "github.com/acme/api")
    assert decide([promoted], current=whole).withheld == ()


def test_an_always_loaded_file_is_never_rewritten_as_a_whole() -> None:
    current = NO_ITEMS._replace(files={"MEMORY.md": GatedFile(8, 100, 1000)})

    assert reasons(decide([WriteNote("MEMORY.md", "- less", "1")], current=current)) == ["whole_file"]
    assert decide([WriteNote("agent/a.md", "- less", "1")], current=current).withheld == ()


@pytest.mark.parametrize(("entries", "most"), [(0, 3), (1, 3), (12, 3), (16, 4), (19, 4), (40, 10)])
def test_at_most_a_quarter_of_a_file_goes(entries: int, most: int) -> None:
    current = NO_ITEMS._replace(files={"MEMORY.md": GatedFile(entries, 100, 1000)})
    retired = [RetireEntry(f"e{n}", "MEMORY.md", f"word{n} only{n}") for n in range(12)]

    assert len(decide(retired, current=current, left=100).suggestions) == most
    waiting = [proposal(RemoveEntry("first", "MEMORY.md"), "open")]
    assert len(decide(retired, waiting, current, left=100).suggestions) == most - 1


def test_a_file_stays_within_its_budget_unless_an_entry_is_replaced() -> None:
    current = NO_ITEMS._replace(
        files={"MEMORY.md": GatedFile(8, 90, 100), "PROCEDURAL.md": GatedFile(1, 10, 100)},
        paths={"semantic": "MEMORY.md", "procedural": "PROCEDURAL.md"},
    )
    long, short = TEA._replace(text="Tea is always taken with the large blue kettle"), TEA
    moved = MoveEntry("e", "PROCEDURAL.md", "semantic", long.text)

    assert reasons(decide([long], current=current)) == ["budget"]
    assert reasons(decide([moved], current=current)) == ["budget"]
    assert decide([short], current=current).withheld == ()
    assert reasons(decide([TEA._replace(text="Coffee comes black")], [proposal(short, "open")], current)) == [
        "budget"
    ]
    assert decide([EditEntry("kettle", long.text, "MEMORY.md")], current=current).withheld == ()


def test_the_surest_come_first_and_the_rest_may_come_later() -> None:
    facts = [Suggestion(TEA._replace(text=f"Thing {n} is red"), origin="tidy", score=n / 10) for n in range(9)]
    found = decide([*facts, TEA], left=3)

    assert [one.score for one in found.suggestions] == [0.8, 0.7, 0.6]
    assert set(reasons(found)) == {"too_many"}


WORDS = ["tea", "coffee", "four", "five", "blue", "green", "never", "not", "kettle", "main", "push", "7", "8"]
texts = st.lists(st.sampled_from(WORDS), min_size=1)
said = texts.map(" ".join)
ids = st.sampled_from(["a", "b", "c"])
paths = st.sampled_from(["MEMORY.md", "PROCEDURAL.md"])
numbers = st.integers(1, 4)
tiers = st.sampled_from(["semantic", "procedural"])
changes: st.SearchStrategy[ProposedChange] = st.one_of(
    st.builds(RememberEntry, said, tiers, st.none(), paths),
    st.builds(EditEntry, ids, said, paths),
    st.builds(RemoveEntry, ids, paths),
    st.builds(RetireEntry, ids, paths, said),
    st.builds(MoveEntry, ids, paths, tiers, said),
    st.builds(PromoteMemory, numbers, said, tiers, st.none(), paths),
    st.builds(AddRule, said, paths),
    st.builds(StoreMemory, said, supersedes=st.none() | numbers),
    st.builds(SupersedeMemory, numbers, numbers),
    st.builds(RemoveMemory, numbers),
    st.builds(RetireMemory, numbers),
    st.builds(RetireExperience, numbers),
    st.builds(WriteNote, paths, said),
    st.builds(PutBackLines, paths, st.just(()), st.just(())),
)
suggestions = st.lists(st.builds(Suggestion, changes, score=st.none() | st.floats(0, 1)), max_size=8)
states: st.SearchStrategy[ProposalState] = st.sampled_from(["open", "accepted", "rejected", "expired"])
histories = st.lists(st.tuples(changes, states), max_size=6).map(
    lambda made: [proposal(change, state, number) for number, (change, state) in enumerate(made, 1)]
)
CURRENT = CurrentItems(
    files={"MEMORY.md": GatedFile(6, 60, 80), "PROCEDURAL.md": GatedFile(12, 20, 60)},
    words={"memory:1": "tea at four", "memory:2": "coffee is green", "entry:a": "the kettle is blue"},
    items={
        "memory:1": GatedItem("user_said", "api"),
        "memory:2": GatedItem("tool_or_web"),
        "memory:3": GatedItem("agent_inferred", "web"),
        "memory:4": GatedItem("user_confirmed"),
    },
    paths={"semantic": "MEMORY.md", "procedural": "PROCEDURAL.md"},
)


@given(suggestions, histories, st.integers(0, 5))
def test_every_suggestion_is_admitted_or_withheld_with_a_reason(
    offered: list[Suggestion], history: list[Proposal], left: int
) -> None:
    found = admit(offered, history, CURRENT, GateLimits(left), plain_cosine)

    assert sorted(map(repr, (*found.suggestions, *(one.suggestion for one in found.withheld)))) == sorted(
        map(repr, offered)
    )
    assert len(found.suggestions) <= left
    assert all(one.sentence.endswith(".") for one in found.withheld)


@given(suggestions, histories)
def test_what_is_admitted_breaks_no_rule(offered: list[Suggestion], history: list[Proposal]) -> None:
    found = admit(offered, history, CURRENT, GateLimits(10), plain_cosine)
    admitted = [one.change for one in found.suggestions]
    waiting = [one.change for one in history if one.state == "open"]
    rejected = [proposal_subject(one.change, CURRENT.words) for one in history if one.state == "rejected"]
    subjects = [proposal_subject(one, CURRENT.words) for one in admitted]

    assert all(subjects)
    for one, other in itertools.product(subjects, rejected):
        assert other is None or not has_same_key(one, other)  # type: ignore[arg-type]
    for one, other in itertools.combinations(subjects, 2):
        assert not meet(one, other)  # type: ignore[arg-type]
    for path, file in CURRENT.files.items():
        gone = sum(lost_from(one) == path for one in admitted)
        assert gone == 0 or gone + sum(lost_from(one) == path for one in waiting) <= most_lost(file.entries)
        additions = [addition_of(one, CURRENT.paths) for one in admitted]
        added = [one for one in additions if one and one.path == path]
        assert not added or file.tokens + sum(one.tokens for one in added) <= (file.most_tokens or 0)


@given(suggestions, histories)
def test_what_was_withheld_in_one_round_is_not_admitted_by_asking_twice(
    offered: list[Suggestion], history: list[Proposal]
) -> None:
    first = admit(offered, history, CURRENT, GateLimits(10), plain_cosine)
    made = [proposal(one.change, "open", 7 + n) for n, one in enumerate(first.suggestions)]
    again = admit(offered, [*history, *made], CURRENT, GateLimits(10, len(made)), plain_cosine)

    assert again.suggestions == ()


@given(said, said)
def test_rewording_has_no_direction(one: str, other: str) -> None:
    assert is_rewording(one, other, plain_cosine) == is_rewording(other, one, plain_cosine)
    assert is_rewording(one, one, plain_cosine)


def test_exchanged_names_make_another_statement() -> None:
    assert not is_rewording("Ana reports to Ben", "Ben reports to Ana", plain_cosine)
    assert is_rewording("On Friday Ana meets Ben", "Ana meets Ben on Friday", plain_cosine)


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_text_can_be_compared(one: str, other: str) -> None:
    if is_rewording(one, other, plain_cosine):
        assert (
            statement_words(one).numbers == statement_words(other).numbers
            or one.split() == other.split()
            or (" ".join(one.split()).casefold() == " ".join(other.split()).casefold())
        )


def test_labelled_pairs_are_told_apart() -> None:
    """The figures of `python -m benchmarks rewording`, with a margin below them."""
    for name in rewording.SETS:
        found = rewording.measure(name)
        assert found.pairs >= 40
        assert found.precision >= 0.95
        assert found.recall >= 0.9


# In a home


class Clock:
    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def m(tmp_path: Path, clock: Clock) -> Iterator[Workspace]:
    vault = tmp_path / "vault"
    vault.mkdir()
    (vault / "MEMORY.md").write_text("# Memory\n\n- The kettle is blue ^kettle\n- Anna likes figs ^figs\n")
    with memoro.open(tmp_path / "home", vault, clock=clock) as workspace:
        yield workspace


def test_what_is_offered_waits_and_is_withheld_once_it_is_rejected(m: Workspace) -> None:
    first = m.gate.offer([Suggestion(TEA, origin="extraction")], by="extraction")
    (queued,) = first.queued
    assert (queued.new, queued.proposal.origin, queued.proposal.actor) == (True, "extraction", "extraction")

    m.proposals.reject(queued.proposal.id)
    again = m.gate.offer([Suggestion(TEA_AGAIN, origin="review")], by="review")

    assert again.queued == ()
    assert [one.reason for one in again.withheld] == ["rejected"]
    assert m.proposals.all() == []


def test_an_entry_that_was_to_stay_is_known_by_its_words(m: Workspace) -> None:
    (made,) = m.gate.offer([Suggestion(RemoveEntry("kettle", "MEMORY.md"), origin="tidy")], by="tidy").queued
    m.proposals.reject(made.proposal.id)
    again = Suggestion(RetireEntry("other", "MEMORY.md", "Blue is the kettle"), origin="tidy")

    assert [one.reason for one in m.gate.offer([again], by="tidy").withheld] == ["rejected"]


def test_a_week_has_one_budget_and_agents_are_not_counted(m: Workspace, clock: Clock) -> None:
    things = iter(["lamp", "door", "roof", "wall", "sink", "oven", "desk", "sofa", "shed", "gate", "well", "barn"])

    def facts(count: int) -> list[Suggestion]:
        return [Suggestion(TEA._replace(text=f"The {next(things)} is green"), origin="review") for _ in range(count)]

    for text in ("Milk first", "Bread second", "Salt last"):
        m.proposals.propose(Suggestion(TEA._replace(text=text)))
    assert len(m.gate.offer(facts(6), by="review").queued) == 6
    late = m.gate.offer(facts(6), by="review")
    assert (len(late.queued), [one.reason for one in late.withheld]) == (4, ["too_many"] * 2)

    clock.now += timedelta(days=8)
    rest = [one.suggestion for one in late.withheld]
    assert len(m.gate.offer(rest, by="review").queued) == 2


def test_what_was_forgotten_is_withheld(m: Workspace) -> None:
    stored = m.memories.store("The key lies under the mat", source="user").memory
    m.memories.forget(stored.id, yes=True)

    found = m.gate.offer(
        [Suggestion(StoreMemory("The key lies under the mat"), origin="extraction")], by="extraction"
    )

    assert [one.reason for one in found.withheld] == ["forgotten"]


def test_a_preview_changes_nothing(m: Workspace) -> None:
    assert m.gate.preview([Suggestion(TEA, origin="tidy")]).suggestions == (Suggestion(TEA, origin="tidy"),)
    assert m.proposals.all() == []


def test_lines_to_put_back_and_agents_do_not_count_as_automatic() -> None:
    assert is_automatic(proposal(TEA, "open"))
    assert not is_automatic(proposal(TEA, "open")._replace(origin="agent"))
    assert not is_automatic(proposal(PutBackLines("a.md", (), ()), "open"))


def test_a_statement_within_a_much_longer_one_is_no_wording_of_it() -> None:
    short = "Ana plays chess"
    assert not is_rewording(short, "Ana plays chess, speaks Dutch, paints boats and repairs clocks", lambda *_: 1.0)


def test_a_loaded_file_that_cannot_be_read_counts_as_full_and_a_missing_one_as_empty(tmp_path: Path) -> None:
    (tmp_path / "MEMORY.md").mkdir()
    (tmp_path / "PROCEDURAL.md").write_text("# Rules\n\n- Use uv ^useuv\n- Use tabs\n")
    found = read_loaded_files(VaultFiles(str(tmp_path)), {"semantic": 300})
    assert found.files["MEMORY.md"] == GatedFile(0, 300, 300)
    rules = found.files["PROCEDURAL.md"]
    assert (rules.entries, rules.tokens > 5, rules.most_tokens) == (2, True, None)
    assert found.files[found.paths["pinned"]] == GatedFile(0, 0, None)
    assert found.words["useuv"] == "Use uv"
