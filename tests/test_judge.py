"""New facts beside what is known: repetitions are not kept twice, and what one may replace waits for a person."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy
import pytest

import memoro
from memoro.curate.judging.facts import CurrentFact, NewFact
from memoro.curate.judging.judge import JudgedFacts, judge_facts, judge_in_passing
from memoro.curate.judging.nearest_facts import NEAREST_FACTS, interleaved
from memoro.errors import ProposalOutdated
from memoro.model.facts import Fact
from memoro.model.proposals import (
    ChangeMemory,
    EditEntry,
    Evidence,
    RetireEntry,
    StoreMemory,
    Suggestion,
    SupersedeMemory,
)
from memoro.model.vocabulary import Trust
from memoro.notes.loaded_entries import LoadedEntry
from memoro.providers.language.ports import LanguageModelInfo, Prompt
from memoro.testing import ScriptedModel, records_of
from memoro.workspace import Workspace

ENTRIES = (
    "# Memory\n\n- I live in Lisbon. ^livein\n- My dentist is Dr. Achterberg. ^dentst\n- The cup is red. ^redcup\n"
)
JANUARY, JUNE = datetime(2025, 1, 10, 12, tzinfo=UTC), datetime(2025, 6, 2, 12, tzinfo=UTC)

Open = Callable[..., Workspace]


class Clock:
    now = JANUARY

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def opened(tmp_path: Path, clock: Clock) -> Iterator[Open]:
    vault = tmp_path / "vault"
    vault.mkdir()
    (vault / "MEMORY.md").write_text(ENTRIES)
    made: list[Workspace] = []

    def opened(**options: Any) -> Workspace:
        made.append(memoro.open(tmp_path / "home", vault, clock=clock, **options))
        return made[-1]

    yield opened
    for one in made:
        one.close()


@pytest.fixture
def m(opened: Open, clock: Clock) -> Workspace:
    workspace = opened()
    store(workspace, "The database of lantern is MySQL 8.", project="lantern")
    store(workspace, "Anna Berg works at Contoso.")
    store(workspace, "Deploys happen on Fridays at 16:00.")
    clock.now = JUNE
    return workspace


def store(m: Workspace, text: str, project: str | None = None, trust: Trust = "user_said") -> int:
    return m.memories.store(text, source="user", trust=trust, project=project).memory.id


def new(text: str, project: str | None = None, **fields: Any) -> NewFact:
    said = Evidence(text, path="@logs/a.jsonl", line=7, date="2025-06-02", speaker="User")
    return NewFact(Fact(text, "fact", said, 0.9), project=project, **fields)


def judged(m: Workspace, *facts: NewFact, **options: Any) -> JudgedFacts:
    return judge_facts(facts, m.parts.judging, **options)


def steps(found: JudgedFacts) -> list[tuple[str, list[str]]]:
    return [(one.decision.step, [str(target.place) for target in one.targets]) for one in found.facts]


def scripted(*rows: tuple[int, str, Sequence[str]], info: LanguageModelInfo | None = None) -> ScriptedModel:
    """A model that names facts by their texts."""

    def answer(prompt: Prompt) -> dict[str, object]:
        facts = {str(one["text"]): one["fact"] for one in records_of(prompt) if "fact" in one}
        decisions = [
            {"reason": "So it is.", "candidate": number, "step": step, "targets": [facts[text] for text in texts]}
            for number, step, texts in rows
        ]
        return {"reason": "As asked.", "decisions": decisions}

    return ScriptedModel(answer, info)


# Nearest facts


def nearest(m: Workspace, fact: NewFact) -> list[CurrentFact]:
    return list(m.parts.judging.nearest.find(fact, m.parts.judging.now()).facts)


def test_the_nearest_facts_are_memories_and_entries_and_the_best_stands_first(m: Workspace) -> None:
    assert nearest(m, new("Anna Berg works at Fabrikam now."))[0].text == "Anna Berg works at Contoso."
    assert nearest(m, new("I live in Porto now."))[0].text == "I live in Lisbon."
    found = nearest(m, new("My dentist is Dr. Molina now."))
    assert found[0].text == "My dentist is Dr. Achterberg."
    assert found[0].trust == "user_confirmed"


def test_at_most_ten_are_found_and_each_once(m: Workspace) -> None:
    for number in range(30):
        store(m, f"Anna Berg works on ticket {number}.")
    found = nearest(m, new("Anna Berg works at Fabrikam now."))
    assert len(found) == NEAREST_FACTS
    assert len(set(found)) == NEAREST_FACTS
    assert "Anna Berg works at Contoso." in [one.text for one in found]


def test_what_is_superseded_expired_archived_or_of_another_project_is_no_current_fact(
    m: Workspace, clock: Clock
) -> None:
    old, newer = store(m, "The port of lantern is 80."), store(m, "The port of lantern is 81.")
    m.memories.supersede(old, newer, source="user")
    ended = m.memories.store("The port of lantern is 79.", source="user", valid_to="2025-05-01").memory.id
    archived = store(m, "The port of lantern is 78.")
    m.memories.archive(archived)
    store(m, "The port of lantern is 77.", project="quarry")
    texts = [one.text for one in nearest(m, new("The port of lantern is 90.", project="lantern"))]
    assert "The port of lantern is 81." in texts
    assert not {f"The port of lantern is {number}." for number in (80, 79, 78, 77)} & set(texts)
    assert ended
    assert clock.now == JUNE


def test_a_fact_is_not_near_to_itself(m: Workspace) -> None:
    own = store(m, "Anna Berg works at Fabrikam.")
    assert own not in [getattr(one.place, "number", 0) for one in nearest(m, new("Anna Berg works.", memory=own))]


def test_a_file_that_cannot_be_read_leaves_the_memories(m: Workspace, tmp_path: Path) -> None:
    (tmp_path / "vault" / "MEMORY.md").write_bytes(b"\xff\xfe\x00broken")
    found = m.parts.judging.nearest.find(new("Anna Berg works at Fabrikam now."), JUNE)
    assert found.facts[0].text == "Anna Berg works at Contoso."


def test_arms_take_turns_and_none_is_named_twice() -> None:
    assert list(interleaved((["a", "b", "c"], ["b", "d"], []))) == ["a", "b", "d", "c"]
    assert list(interleaved(())) == []


# By rules


def test_a_repetition_is_merged_and_not_kept(m: Workspace) -> None:
    kept: list[str] = []
    found = judged(
        m,
        new("deploys happen on Fridays at 16:00"),
        new("I live in Lisbon!"),
        keep=lambda one: kept.append(one[0][0]),
    )
    assert steps(found) == [("merge", ["memory:3"]), ("merge", ["MEMORY.md:3"])]
    assert kept == []
    assert len(found.repeated) == 2
    assert m.proposals.all() == []


def test_what_a_fact_may_replace_waits_for_a_person_with_both_texts(m: Workspace) -> None:
    found = judged(m, new("Anna Berg works at Fabrikam now."))
    (proposal,) = m.proposals.all()
    assert [one.proposal for one in found.queued] == [proposal]
    assert isinstance(proposal.change, StoreMemory)
    assert (proposal.change.supersedes, proposal.change.valid_from) == (2, "2025-06-02")
    assert proposal.change.was == "Anna Berg works at Contoso."
    assert [one.quote for one in proposal.evidence] == ["Anna Berg works at Fabrikam now."]
    assert (proposal.evidence[0].path, proposal.evidence[0].line) == ("@logs/a.jsonl", 7)
    assert proposal.origin == "extraction"
    assert proposal.reason == "The new statement has the same words with another value; perhaps that changed."
    assert proposal.score is not None
    assert proposal.score < 0.9
    assert m.memories.get(2).superseded_by is None


def test_accepting_supersedes_from_the_day_on_which_it_was_said(m: Workspace, clock: Clock) -> None:
    clock.now = datetime(2025, 6, 9, tzinfo=UTC)
    judged(m, new("Anna Berg works at Fabrikam now."))
    m.proposals.accept(m.proposals.all()[0].id)
    old = m.memories.get(2)
    assert old.superseded_by is not None
    assert (old.valid_to or "")[:10] == "2025-06-02"
    assert m.memories.get(old.superseded_by).trust == "user_confirmed"
    assert "Contoso" in m.memories.query("Where does Anna Berg work?", as_of="2025-05-01").results[0].memory.content


def test_a_fact_that_is_stored_supersedes_by_its_number(m: Workspace) -> None:
    def keep(one: NewFact) -> int:
        stored = m.memories.store(one.fact.text, source="extraction", valid_from=one.day)
        return stored.memory.id

    judged(m, new("Anna Berg works at Fabrikam now."), keep=keep)
    (proposal,) = m.proposals.all()
    assert proposal.change == SupersedeMemory(2, 4, was="Anna Berg works at Contoso.")
    assert m.memories.get(4).trust == "agent_inferred"


def test_an_entry_is_edited_only_when_a_person_accepts(m: Workspace, tmp_path: Path) -> None:
    judged(m, new("I moved to Porto, Lisbon is history.", project="lantern"))
    (proposal,) = m.proposals.all()
    assert isinstance(proposal.change, EditEntry)
    assert (tmp_path / "vault" / "MEMORY.md").read_text() == ENTRIES
    m.proposals.accept(proposal.id)
    assert "- I moved to Porto, Lisbon is history. ^livein\n" in (tmp_path / "vault" / "MEMORY.md").read_text()
    m.journal.undo()
    assert (tmp_path / "vault" / "MEMORY.md").read_text() == ENTRIES


def test_a_project_replaces_nothing_of_another_and_nothing_that_all_share(m: Workspace) -> None:
    found = judged(
        m,
        new("We moved the database of lantern from MySQL 8 to Postgres.", project="quarry"),
        new("Anna Berg works at Fabrikam now.", project="quarry"),
    )
    assert [step for step, _ in steps(found)] == ["add", "add"]
    assert steps(judged(m, new("We moved the database of lantern from MySQL 8 to Postgres.", project="lantern"))) == [
        ("supersede", ["memory:1"])
    ]


def test_a_fact_of_a_web_page_replaces_nothing(m: Workspace) -> None:
    heard = new("Anna Berg works at Fabrikam now.", trust="tool_or_web")
    assert steps(judged(m, heard)) == [("add", [])]


def test_a_plan_a_question_and_another_subject_replace_nothing(m: Workspace) -> None:
    found = judged(
        m,
        new("Maybe Anna Berg works at Fabrikam soon."),
        new("Anna Keller works at Fabrikam now."),
        new("Deploys of the website happen from Berlin."),
    )
    assert [step for step, _ in steps(found)] == ["add", "add", "add"]


def test_without_vectors_the_words_still_tell_repetitions(opened: Open, tmp_path: Path, clock: Clock) -> None:
    (tmp_path / "home").mkdir(mode=0o700)
    (tmp_path / "home" / "memoro.toml").write_text("[embedding]\nenabled = false\n")
    m = opened()
    store(m, "Deploys happen on Fridays at 16:00.")
    clock.now = JUNE
    found = judged(m, new("deploys happen on fridays at 16:00"), new("Deploys happen on Fridays at 17:00."))
    assert steps(found)[0] == ("merge", ["memory:1"])
    assert found.notices == ()


# Outdated proposals


@pytest.mark.parametrize("change", ["update", "supersede", "archive", "remove"])
def test_a_proposal_is_refused_once_its_memory_has_changed(m: Workspace, change: str) -> None:
    judged(m, new("Anna Berg works at Fabrikam now."))
    (proposal,) = m.proposals.all()
    match change:
        case "update":
            m.memories.update(2, "Anna Berg works at Initech.", source="user")
        case "supersede":
            m.memories.supersede(2, store(m, "Anna Berg is retired."), source="user")
        case "archive":
            m.memories.archive(2)
        case _:
            m.memories.remove(2, source="user")
    before = m.memories.all()
    with pytest.raises(ProposalOutdated, match=r"\[id:2\].* Nothing was changed, and the proposal is withdrawn"):
        m.proposals.accept(proposal.id)
    assert m.memories.all() == before
    assert m.proposals.all() == []


def test_feedback_on_a_memory_outdates_no_proposal(m: Workspace) -> None:
    judged(m, new("Anna Berg works at Fabrikam now."))
    m.memories.reinforce(2)
    m.proposals.accept(m.proposals.all()[0].id)
    assert m.memories.get(2).superseded_by is not None


def test_accepting_twice_with_a_key_has_the_effect_of_once(m: Workspace) -> None:
    judged(m, new("Anna Berg works at Fabrikam now."))
    number = m.proposals.all()[0].id
    first = m.proposals.accept(number, key="k")
    assert m.proposals.accept(number, key="k").id == first.id
    assert len(m.memories.all()) == 3


def test_of_a_memory_that_is_to_end_the_text_is_compared_too(m: Workspace) -> None:
    wanted = ChangeMemory(2, valid_to="2025-06-01", was="Anna Berg works at Initech.")
    queued = m.proposals.propose(Suggestion(wanted, origin="extraction"), by="extraction")
    with pytest.raises(ProposalOutdated, match="says something else"):
        m.proposals.accept(queued.proposal.id)
    queued = m.proposals.propose(Suggestion(wanted._replace(was="Anna Berg works at Contoso.")), by="extraction")
    m.proposals.accept(queued.proposal.id)
    assert 2 not in [one.id for one in m.memories.all()]


# By a model


def test_a_model_chooses_among_what_it_is_shown_and_a_person_decides(m: Workspace, opened: Open) -> None:
    model = scripted((1, "supersede", ["Anna Berg works at Contoso."]), (2, "retire", ["The cup is red."]))
    asked = opened(language_model=model)
    found = judged(asked, new("Fabrikam has hired Anna Berg."), new("The red cup broke."))
    assert found.by_model
    assert found.notices == ()
    assert {type(one.change) for one in m.proposals.all()} == {StoreMemory, RetireEntry}
    assert {one.reason for one in m.proposals.all()} == {"A model judged: So it is."}
    (prompt,) = model.prompts
    assert prompt.purpose == "judge"
    assert "memory:" not in prompt.material  # numbers of its own, and no paths
    assert m.memories.get(2).superseded_by is None


def test_a_plain_repetition_needs_no_model(m: Workspace, opened: Open) -> None:
    model = ScriptedModel([])
    found = judged(opened(language_model=model), new("deploys happen on fridays at 16:00"))
    assert steps(found) == [("merge", ["memory:3"])]
    assert model.prompts == []
    assert len(m.memories.all()) == 3


def test_where_the_answer_is_wrong_the_rules_judge_and_a_notice_says_so(m: Workspace, opened: Open) -> None:
    model = scripted((1, "add", ["Anna Berg works at Contoso."]))
    found = judged(opened(language_model=model), new("Anna Berg works at Fabrikam now."))
    assert not found.by_model
    why = "candidate 1, step add: it takes no target"
    assert found.notices == (f"The rules judged instead of the model, whose answer was not used: {why}",)
    assert steps(found) == [("supersede", ["memory:2"])]
    assert [one.origin for one in m.proposals.all()] == ["extraction"]


@pytest.mark.parametrize("failure", [TimeoutError("too slow"), ValueError(), '{"reason": "x", "decis'])
def test_where_the_model_fails_the_rules_judge(m: Workspace, opened: Open, failure: Exception | str) -> None:
    found = judged(opened(language_model=ScriptedModel([failure])), new("Anna Berg works at Fabrikam now."))
    assert steps(found) == [("supersede", ["memory:2"])]
    assert len(found.notices) == 1
    assert len(m.proposals.all()) == 1


PROJECTS = """# Memory

- fern-ledger builds run on Buildkite. ^fernb1
- The standup of atlas is at 9:00. ^atlas1
- The database behind tidewater is Oracle. ^tided1
- Anna Keller's phone number is 4417. ^annak1
"""


@pytest.fixture
def several(opened: Open, tmp_path: Path, clock: Clock) -> Workspace:
    """A home that knows several projects, with entries about them."""
    (tmp_path / "vault" / "MEMORY.md").write_text(PROJECTS)
    workspace = opened()
    for name in ("fern-ledger", "atlas", "tidewater"):
        store(workspace, f"The logo of {name} is blue.", project=f"~/src/{name}")
    clock.now = JUNE
    return workspace


def edits(m: Workspace) -> list[tuple[str, str]]:
    changes = (one.change for one in m.proposals.all())
    return [(one.id, one.text) for one in changes if isinstance(one, EditEntry)]


@pytest.mark.parametrize(
    ("text", "project"),
    [
        ("Our builds run on Jenkins.", "~/src/atlas"),
        ("atlas builds run on Jenkins.", "~/src/atlas"),
        ("tidewater builds moved from Buildkite to Jenkins.", "~/src/tidewater"),
        ("Our standup is at 13:30.", "~/src/fern-ledger"),
        ("The standup of fern-ledger is at 13:30.", None),
        ("Anna Keller lives in Gdansk.", None),
        ("Priya Nair's phone number is 5580.", None),
    ],
)
def test_facts_about_different_subjects_do_not_contradict_each_other(
    several: Workspace, text: str, project: str | None
) -> None:
    judged(several, new(text, project))
    judge_in_passing([new(text, project, in_passing=True, is_just_said=True)], several.parts.judging)
    assert edits(several) == []


@pytest.mark.parametrize(
    ("text", "project", "edit"),
    [
        ("Our builds run on Jenkins.", "~/src/fern-ledger", ("fernb1", "fern-ledger: Our builds run on Jenkins.")),
        ("fern-ledger builds run on Jenkins.", None, ("fernb1", "fern-ledger builds run on Jenkins.")),
        ("The standup of atlas is at 13:30.", "~/src/atlas", ("atlas1", "The standup of atlas is at 13:30.")),
        ("Anna Keller's phone number is 5580.", None, ("annak1", "Anna Keller's phone number is 5580.")),
    ],
)
def test_facts_about_one_subject_do(
    several: Workspace, text: str, project: str | None, edit: tuple[str, str]
) -> None:
    judged(several, new(text, project))
    assert edits(several) == [edit]


def test_what_was_said_in_passing_may_replace_an_entry_and_nothing_else(several: Workspace) -> None:
    store(several, "The database behind tidewater is Oracle.")
    said = [
        "tidewater no longer runs on Oracle, the database is Postgres 15 now.",
        "The tidewater build was red again.",
    ]
    passing = [new(one, "~/src/tidewater", in_passing=True, is_just_said=True) for one in said]
    offered = judge_in_passing(passing, several.parts.judging)
    assert [one.proposal.reason for one in offered.queued] == [
        "The new statement says that the older one has ceased to hold."
    ]
    assert edits(several) == [("tided1", said[0])]
    assert len(several.proposals.all()) == 1


def test_an_entry_is_older_than_what_was_just_said_whatever_its_words(several: Workspace, tmp_path: Path) -> None:
    (tmp_path / "vault" / "MEMORY.md").write_text("- tidewater now uses Postgres 15 as its database. ^tided1\n")
    text = "All tables of tidewater live in a MariaDB database since today."
    assert steps(judged(several, new(text)))[0][0] == "add"
    judged(several, new(text, is_just_said=True))
    assert edits(several) == [("tided1", text)]


def test_what_changes_while_the_model_thinks_is_not_proposed(m: Workspace, opened: Open) -> None:
    model = scripted((1, "supersede", ["Anna Berg works at Contoso."]))
    answer = model.answer

    def slow(prompt: Prompt) -> Any:
        m.memories.update(2, "Anna Berg works at Initech.", source="user")
        return answer(prompt)

    model.answer = slow  # type: ignore[method-assign]
    found = judged(opened(language_model=model), new("Fabrikam has hired Anna Berg."))
    assert found.notices == ("judge: memory:2 changed while it was judged; nothing is proposed about it",)
    assert steps(found) == [("add", [])]
    assert m.proposals.all() == []


def test_private_facts_are_not_sent_to_another_machine(m: Workspace, opened: Open, clock: Clock) -> None:
    clock.now = JANUARY
    m.memories.store("Anna Berg earns 70,000 euros.", ["private"], source="user")
    clock.now = JUNE
    away = LanguageModelInfo(provider="testing", model="far", host="far.test", is_home=False)
    for info, sends in ((away, False), (None, True)):
        model = scripted((1, "add", []), info=info)
        judged(opened(language_model=model), new("Anna Berg got a raise to 80,000 euros."))
        assert any("70,000" in prompt.material for prompt in model.prompts) is sends


def test_many_facts_are_asked_about_in_several_questions(m: Workspace, opened: Open) -> None:
    def answer(prompt: Prompt) -> dict[str, object]:
        numbers = [one["candidate"] for one in records_of(prompt) if "candidate" in one]
        rows = [{"reason": "new", "candidate": number, "step": "add", "targets": []} for number in numbers]
        return {"reason": "", "decisions": rows}

    model = ScriptedModel(answer)
    found = judged(opened(language_model=model), *(new(f"Anna Berg has desk {number}.") for number in range(12)))
    assert [len(records_of(prompt)) > 0 for prompt in model.prompts] == [True] * 3
    assert [one.decision.candidate for one in found.facts] == list(range(1, 13))
    assert found.by_model
    assert len(m.memories.all()) == 3


def test_without_a_vault_facts_are_compared_with_memories_and_nothing_is_missing(
    tmp_path: Path, clock: Clock
) -> None:
    with memoro.open(tmp_path / "alone", clock=clock) as alone:
        store(alone, "The staging server is called heron.")
        found = judged(alone, new("The staging server is called heron."))
        assert [one.decision.step for one in found.facts] == ["merge"]
        assert found.notices == ()
        assert alone.curation.run().plan.notices == ()


def test_an_entry_of_other_words_is_near_from_a_cosine_of_three_tenths(m: Workspace) -> None:
    texts = ("Figs", "Plums", "Pears")
    entries = [LoadedEntry(f"e{n}", "semantic", "MEMORY.md", n, n, text, True) for n, text in enumerate(texts, 1)]
    rows = numpy.array([[1.0, 0.0], [0.29, 0.0], [0.9, 0.0], [0.3, 0.0]])
    nearest = m.parts.judging.nearest._replace(entries=lambda: entries, embed=lambda _texts: rows)
    found = nearest.find_entries("The crane is red")
    assert [one.text for one in found.facts] == ["Plums", "Pears"]


def test_a_model_is_shown_candidates_and_current_facts_under_numbers_that_differ(m: Workspace, opened: Open) -> None:
    assert m.memories.all()
    shown: list[Any] = []

    def answer(prompt: Prompt) -> Any:
        shown.extend(records_of(prompt))
        raise RuntimeError

    facts = [new("Anna Berg works at Fabrikam now."), new("I live in Porto now, not in Lisbon.")]
    judged(opened(language_model=ScriptedModel(answer)), *facts)
    numbers = [one["fact"] for one in shown if "fact" in one]
    assert len(numbers) >= 2
    assert sorted(numbers) == list(range(101, 101 + len(numbers)))
