"""The gate: which automatic suggestions may wait for a person, and why the others may not."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from benchmarks import rewording
from hypothesis import given
from hypothesis import strategies as st

import memoro
from memoro.curate.gating.gate import NO_FILES, GateSources, LoadedFiles, Offered, ProposalGate
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
from memoro.errors import Refused
from memoro.ledger.proposals import ProposalQueue
from memoro.model.losses import most_lost
from memoro.model.proposals import (
    AddRule,
    ChangeMemory,
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


def gate_of(m: Workspace, **sources: Any) -> ProposalGate:
    """A gate to the proposals of a home, with other sources than its files."""
    access, owner = m.ledger.access, m.ledger.owner
    given: dict[str, Any] = {
        "per_round": 10,
        "files": lambda: NO_FILES,
        "is_vault_of": lambda _project: False,
    } | sources
    return ProposalGate(ProposalQueue(access, owner), access, owner, GateSources(**given))


def test_where_nothing_is_offered_no_file_is_read(m: Workspace) -> None:
    def files() -> LoadedFiles:
        raise AssertionError("nobody asked")

    assert gate_of(m, files=files).offer([], by="review") == Offered()


@pytest.mark.parametrize(("overtaken", "is_kept"), [(0, True), (2, True), (3, False)])
def test_a_round_that_is_overtaken_decides_anew_three_times_at_most(
    m: Workspace, overtaken: int, is_kept: bool
) -> None:
    left = iter(range(overtaken))

    def is_vault_of(_project: str) -> bool:
        if (number := next(left, None)) is not None:
            m.proposals.propose(Suggestion(TEA._replace(text=f"The lamp {number} is green")))
        return True

    number = m.memories.store("The kettle is old", source="user", project="mill").memory.id
    rests = Suggestion(TEA, (Evidence("x", path=f"memory:{number}"),), origin="review")
    gate = gate_of(m, is_vault_of=is_vault_of)
    if is_kept:
        [queued] = gate.offer([rests], by="review").queued
        assert queued.new and queued.proposal.change == TEA
    else:
        with pytest.raises(Refused, match="Another process is deciding"):
            gate.offer([rests], by="review")
    assert len(m.proposals.all()) == overtaken + is_kept


@pytest.mark.parametrize(("after", "left"), [(timedelta(days=7), 1), (timedelta(days=7, seconds=-1), 0)])
def test_a_proposal_counts_for_seven_days(tmp_path: Path, after: timedelta, left: int) -> None:
    now = [NOON]
    with memoro.open(tmp_path / "home", clock=lambda: now[0]) as m:
        gate = gate_of(m, per_round=1)
        assert len(gate.offer([Suggestion(TEA, origin="review")], by="review").queued) == 1
        now[0] = NOON + after
        found = gate.offer([Suggestion(TEA._replace(text="The lamp is green"), origin="review")], by="review")
    assert (len(found.queued), len(found.withheld)) == (left, 1 - left)


def test_what_is_withheld_stands_beside_what_is_queued(m: Workspace) -> None:
    forgotten = m.memories.store("The key lies under the mat", source="user").memory
    m.memories.forget(forgotten.id, yes=True)
    m.proposals.propose(Suggestion(TEA))
    offered = [
        Suggestion(StoreMemory("The key lies under the mat"), origin="review", score=0.9),
        Suggestion(TEA_AGAIN, origin="review", score=0.8),
        Suggestion(TEA._replace(text="The lamp is green"), origin="review", score=0.7),
    ]
    found = m.gate.offer(offered, by="review")
    assert [one.proposal.change for one in found.queued] == [offered[2].change]
    assert {one.reason: one.suggestion for one in found.withheld} == {"waits": offered[1], "forgotten": offered[0]}


def test_a_memory_of_another_project_or_agent_is_no_ground_for_a_proposal(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with memoro.open(home) as m:
        number = m.memories.store("The kettle is old", source="user", project="mill").memory.id
    with memoro.open(home, project="pier") as m:
        [refused] = m.gate.offer([Suggestion(RetireMemory(number), origin="review")], by="review").withheld
    assert (refused.reason, refused.sentence) == ("project", f"memory:{number} belongs to another project or agent.")


def test_texts_are_compared_by_their_first_thousand_characters(m: Workspace) -> None:
    long = "The kettle is blue. " * 50
    assert len(long) == 1000
    numbers = [m.memories.store(long + end, source="user").memory.id for end in ("It is 7.", "It is 8.")]
    m.proposals.reject(m.proposals.propose(Suggestion(RetireMemory(numbers[0]))).proposal.id)
    [refused] = m.gate.offer([Suggestion(RetireMemory(numbers[1]), origin="review")], by="review").withheld
    assert refused.reason == "rejected"


ITEMS = {
    "memory:1": GatedItem("user_said", "harbor"),
    "memory:2": GatedItem("user_said", "mill"),
    "memory:3": GatedItem("user_said"),
    "memory:4": GatedItem("tool_or_web"),
    "memory:5": GatedItem("user_said", None, is_visible=False),
}


def resting(change: ProposedChange, *places: str, speaker: str | None = None) -> Suggestion:
    return Suggestion(change, tuple(Evidence("x", path=one, speaker=speaker) for one in places), origin="review")


@pytest.mark.parametrize(
    ("suggestion", "reason"),
    [
        (resting(TEA, "memory:3"), None),
        (resting(TEA, "memory:4"), "untrusted"),
        (resting(TEA, "daily/2026-03-01.md"), None),
        (resting(RetireMemory(4), "memory:4"), None),  # what goes need not be trusted
        (resting(TEA, "notes/a.md", speaker="Tool"), "untrusted"),
        (resting(TEA, "notes/a.md", speaker="web"), "untrusted"),
        (resting(TEA, "notes/a.md", speaker="User"), None),
        (resting(TEA, "memory:5"), "project"),
        (resting(RetireMemory(5)), "project"),
        (resting(TEA, "memory:1"), "project"),  # it does not name the project
        (resting(TEA._replace(text="Tea in the harbor is at four"), "memory:1"), None),
        (resting(TEA._replace(text="Tea in harbor and mill is at four"), "memory:1", "memory:2"), "project"),
        (resting(RetireMemory(1), "memory:1"), None),
        (resting(StoreMemory("Tea is at four", project="mill", supersedes=1), "memory:1"), "project"),
        (resting(StoreMemory("Tea is at four", project="harbor", supersedes=1), "memory:1"), None),
        (resting(StoreMemory("Tea is at four", supersedes=1), "memory:1"), None),
        (resting(AddRule("Tea first", "PROCEDURAL.md", None, ()), "memory:1"), "project"),
        (resting(EditEntry("e1", "Tea first", "MEMORY.md"), "memory:1"), "project"),
        (resting(PromoteMemory(1, "Tea first", "semantic", None, "MEMORY.md")), "project"),
        (resting(PutBackLines("a.md", (), ())), "whole_file"),
    ],
)
def test_nothing_rests_on_what_is_untrusted_or_belongs_elsewhere(
    suggestion: Suggestion, reason: WithheldFor | None
) -> None:
    current = CurrentItems({}, {}, ITEMS, {})
    assert reasons(decide([suggestion], current=current)) == ([reason] if reason else [])


def test_the_project_of_the_whole_vault_needs_no_name() -> None:
    current = CurrentItems({}, {}, ITEMS, {}, is_vault_of=lambda project: project == "harbor")
    found = decide([resting(TEA, "memory:1"), resting(TEA._replace(text="Milk first"), "memory:2")], current=current)
    assert [one.sentence for one in found.withheld] == [
        "It is about project mill without its name, and every project loads that file."
    ]


@pytest.mark.parametrize(
    ("change", "added"),
    [
        (TEA, "MEMORY.md"),
        (AddRule("Milk first", "PROCEDURAL.md", None, ()), "PROCEDURAL.md"),
        (PromoteMemory(1, "Milk first", "semantic", None, "MEMORY.md"), "MEMORY.md"),
        (MoveEntry("e1", "MEMORY.md", "procedural", "Milk first"), "PROCEDURAL.md"),
        (MoveEntry("e1", "MEMORY.md", "pinned", "Milk first"), None),
        (EditEntry("e1", "Milk first", "MEMORY.md"), None),
        (RetireEntry("e1", "MEMORY.md", "Milk first"), None),
        (StoreMemory("Milk first"), None),
    ],
)
def test_what_a_change_adds_to_a_file_is_known_by_its_kind(change: ProposedChange, added: str | None) -> None:
    found = addition_of(change, {"semantic": "MEMORY.md", "procedural": "PROCEDURAL.md"})
    assert (found.path if found else None) == added
    assert found is None or found.tokens >= 2


@pytest.mark.parametrize(
    ("proposals", "first", "again"),
    [
        ([(RetireMemory(7), "accepted")], ["accepted"], ["accepted"]),
        ([(RetireMemory(7), "accepted"), (ChangeMemory(7, "Milk"), "accepted")], [], []),
        ([(ChangeMemory(7, "Milk"), "accepted"), (RetireMemory(7), "accepted")], ["accepted"], ["accepted"]),
    ],
)
def test_a_decision_that_a_later_one_has_overtaken_binds_nobody(
    proposals: list[tuple[ProposedChange, ProposalState]], first: list[str], again: list[str]
) -> None:
    made = [proposal(change, state, number) for number, (change, state) in enumerate(proposals, 1)]
    assert reasons(decide([RetireMemory(7)], made)) == first
    assert reasons(decide([RetireMemory(7)], made[::-1])) == again


@pytest.mark.parametrize(
    ("waiting", "suggested", "sentence"),
    [
        (TEA, TEA_AGAIN, "Proposal 1 asks for the same."),
        (ChangeMemory(7, "Milk"), RetireMemory(7), "Proposal 1 is about memory:7 too; decide that one first."),
        (SupersedeMemory(old=7, new=8), RetireMemory(8), "Proposal 1 is about memory:8 too; decide that one first."),
        (RetireMemory(8), SupersedeMemory(old=7, new=8), "Proposal 1 is about memory:8 too; decide that one first."),
        (SupersedeMemory(old=7, new=8), SupersedeMemory(old=6, new=8), ""),  # nothing changes under the other
    ],
)
def test_a_suggestion_waits_for_a_proposal_about_its_items(
    waiting: ProposedChange, suggested: ProposedChange, sentence: str
) -> None:
    found = decide([suggested], [proposal(waiting, "open")])
    assert "".join(one.sentence for one in found.withheld) == sentence


def test_of_one_round_the_first_keeps_the_second_about_its_item_waiting() -> None:
    sure, other = Suggestion(RetireMemory(7), score=0.9), Suggestion(ChangeMemory(7, "Milk"), score=0.5)
    found = decide([other, sure])
    assert found.suggestions == (sure,)
    assert [one.sentence for one in found.withheld] == [
        "Another one of this round is about memory:7 too; decide that one first."
    ]


@pytest.mark.parametrize(
    ("per_round", "made", "left"), [(10, 0, 10), (10, 4, 6), (10, 10, 0), (10, 12, 0), (0, 0, 0)]
)
def test_a_week_leaves_what_was_not_made_in_it(per_round: int, made: int, left: int) -> None:
    assert GateLimits(per_round, made).left == left


@pytest.mark.parametrize(("spare", "reason"), [(0, []), (-1, ["budget"])])
def test_what_waits_counts_against_the_budget_of_its_file_alone(spare: int, reason: list[str]) -> None:
    milk, rule = TEA._replace(text="Milk comes first"), AddRule("Salt comes last", "PROCEDURAL.md", None, ())
    wanted = [addition_of(one, {}) for one in (TEA, milk)]
    full = 20 + sum(one.tokens for one in wanted if one)
    current = CurrentItems({"MEMORY.md": GatedFile(4, 20, full + spare)}, {}, {}, {})
    waiting = [proposal(milk, "open"), proposal(rule, "open", 2), proposal(RetireMemory(3), "open", 3)]
    found = decide([TEA], waiting, current)
    assert reasons(found) == reason
    assert not reason or f"MEMORY.md would have {full} tokens" in found.withheld[0].sentence


def test_where_nothing_may_wait_it_does_not_matter_what_others_decide_meanwhile(m: Workspace) -> None:
    def is_vault_of(_project: str) -> bool:
        m.proposals.propose(Suggestion(TEA._replace(text=f"The lamp {len(m.proposals.all())} is green")))
        return False

    number = m.memories.store("The kettle is old", source="user", project="mill").memory.id
    found = gate_of(m, is_vault_of=is_vault_of).offer([resting(TEA, f"memory:{number}")], by="review")
    assert ([one.reason for one in found.withheld], len(m.proposals.all())) == (["project"], 1)


def test_an_experience_does_not_have_the_words_of_the_memory_of_its_number(m: Workspace) -> None:
    numbers = [m.memories.store(text, source="user").memory.id for text in ("Pump the crane", "pump the crane!")]
    m.proposals.reject(m.proposals.propose(Suggestion(RetireExperience(numbers[0]))).proposal.id)
    assert m.gate.offer([Suggestion(RetireExperience(numbers[1]), origin="tidy")], by="tidy").withheld == ()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Pump the crane", "pump the crane valve gear"),
        ("Mara feeds the cat", "Mara feeds"),
        ("Light lamp", "Light lamp feather weight"),
        ("Ana plays chess", "Ana plays chess and paints boats"),
    ],
)
def test_what_is_offered_is_compared_by_the_meaning_of_its_words(m: Workspace, one: str, other: str) -> None:
    for asked, again in ((one, other), (other, one)):
        made = m.proposals.propose(Suggestion(TEA._replace(text=asked), origin="tidy"))
        m.proposals.reject(made.proposal.id)
        found = m.gate.offer([Suggestion(TEA._replace(text=again), origin="review")], by="review")
        assert [each.reason for each in found.withheld] == ["rejected"]
