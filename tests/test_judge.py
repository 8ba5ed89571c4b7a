"""New facts beside what is known: repetitions are not kept twice, and what one may replace waits for a person."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy
import pytest

import memoro
from memoro.curate.judging.facts import Candidate, CurrentFact, EntryPlace, NewFact, may_repeat, may_replace
from memoro.curate.judging.judge import JudgedFacts, judge_facts, judge_in_passing
from memoro.curate.judging.nearest_facts import NEAREST_FACTS, interleaved
from memoro.curate.judging.rules import judge_by_rules
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
from memoro.model.targets import MemoryId
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


GRAZ = "I live in Graz."


@pytest.mark.parametrize(
    ("entry", "text"),
    [
        (GRAZ, "I moved to Linz in October."),
        (GRAZ, "I have moved to Linz."),
        (GRAZ, "We moved to Linz."),
        (GRAZ, "I moved to Klagenfurt."),
        ("We live in Bath.", "We've moved to York last week."),
        ("Lives in Ghent.", "I moved to Leuven."),
        ("Residence: Graz", "I moved to Bad Ischl."),
        ("Ich wohne in Graz.", "Wir sind im Oktober nach Zürich umgezogen."),
        ("I work for Kapsch.", "I now work at Frequentis."),
        ("We use Jenkins for CI.", "We switched to Buildkite in May."),
        ("I use Vim.", "I switched to Helix."),
    ],
)
def test_a_change_told_in_other_words_is_found_whether_or_not_the_model_knows_the_names(
    opened: Open, tmp_path: Path, entry: str, text: str
) -> None:
    others = "\n".join(f"- My cousin {name} works in Oslo." for name in ("Ana", "Ben", "Cleo", "Dora", "Emil"))
    (tmp_path / "vault" / "MEMORY.md").write_text(f"{others}\n- {entry} ^entry1\n")
    m = opened()
    judged(m, new(text, is_just_said=True))
    assert edits(m) == [("entry1", text)]


@pytest.mark.parametrize(
    ("entry", "text"),
    [
        (GRAZ, "We moved to Postgres in October."),
        (GRAZ, "I moved to Outline for my notes."),
        (GRAZ, "We moved to Linz GmbH as our supplier."),
        (GRAZ, "I moved to Graz in 2019."),
        ("I live with two cats.", "I moved to Linz."),
        ("My parents live in Graz.", "We moved to Linz."),
        ("I work in Graz.", "I moved to Linz."),
        ("We use Postgres.", "We switched to Buildkite."),
        ("We use Jenkins for the nightly builds of the old apps.", "We switched to Buildkite."),
    ],
)
def test_a_change_of_something_else_replaces_nothing(opened: Open, tmp_path: Path, entry: str, text: str) -> None:
    (tmp_path / "vault" / "MEMORY.md").write_text(f"- {entry} ^entry1\n")
    m = opened()
    judged(m, new(text, is_just_said=True))
    assert edits(m) == []


@pytest.mark.parametrize(
    ("entry", "text"),
    [
        ("Stand-up is at 9:15.", "Our stand-up is at 9:30 now instead of 9:15."),
        ("Stand-up is at 9:15 every day.", "Our stand-up is at 9:30 rather than 9:15."),
        ("Stand-up is at 9:15.", "Our stand-up is no longer at 9:15 but at 9:30."),
        ("Stand-up is at 9:15.", "Our stand-up is at 9:30 now, not 9:15."),
        ("Das Stand-up ist um 9:15.", "Unser Stand-up ist jetzt um 9:30 statt 9:15."),
        ("Das Stand-up ist um 9:15.", "Unser Stand-up ist nicht mehr um 9:15, sondern um 9:30."),
        ("All services run Python 3.11.", "All services run Python 3.12 instead of 3.11."),
    ],
)
def test_a_change_that_names_the_old_time_or_number_replaces_it_whatever_words_lead_to_it(
    opened: Open, tmp_path: Path, entry: str, text: str
) -> None:
    (tmp_path / "vault" / "MEMORY.md").write_text(f"- {entry} ^entry1\n")
    m = opened()
    judged(m, new(text, is_just_said=True))
    assert edits(m) == [("entry1", text)]


AMSEL, DPD = "The staging server is called amsel.", "The parcel carrier is DPD."


@pytest.mark.parametrize(
    ("entry", "text", "others"),
    [
        (AMSEL, "The staging server is called drossel now, not amsel.", 0),
        (AMSEL, "The staging server is called drossel now, not amsel.", 2),
        (AMSEL, "Our staging server is called drossel now.", 0),
        (AMSEL, "Our staging server is called drossel now, not amsel.", 2),
        (f"Our{AMSEL[3:]}", "The staging server is called drossel now, not amsel.", 2),
        (AMSEL, "The staging server is called drossel now.", 2),
        ("The staging server of the shop is called amsel.", "The staging server is called drossel, not amsel.", 0),
        (DPD, "The parcel carrier is Post AG now, not DPD.", 0),
        (DPD, "We ship with Post AG instead of DPD.", 0),
        ("The database is Postgres.", "The database is MySQL.", 0),
    ],
)
@pytest.mark.parametrize("in_passing", [False, True])
def test_an_entry_that_names_no_project_may_be_replaced_in_every_project(
    opened: Open, tmp_path: Path, entry: str, text: str, others: int, in_passing: bool
) -> None:
    assert project_edits(opened, tmp_path, entry, text, others, in_passing) == [("entry1", text)]


@pytest.mark.parametrize(
    ("entry", "text", "others"),
    [
        ("The database is Postgres.", "The database is MySQL.", 2),  # each of them may have its own
        (AMSEL, "Our staging server is called drossel now.", 2),
        ("The staging server of atlas is called amsel.", "The staging server is called drossel now, not amsel.", 2),
        (AMSEL, "The staging server is slow now.", 0),
        ("The database is Postgres.", "The database is full now.", 0),
        (AMSEL, "The test server is called drossel now.", 0),
        ("My dentist is Dr. Huber.", "The release is Dr. Strange now.", 0),
        ("I use Jenkins.", "We use Buildkite now.", 0),
    ],
)
def test_what_is_not_said_to_have_changed_leaves_the_entries_of_all_projects(
    opened: Open, tmp_path: Path, entry: str, text: str, others: int
) -> None:
    assert project_edits(opened, tmp_path, entry, text, others, True) == []


def project_edits(
    opened: Open, tmp_path: Path, entry: str, text: str, others: int, in_passing: bool
) -> list[tuple[str, str]]:
    """What is proposed for an entry by the words of a project, in a home that knows some others as well."""
    (tmp_path / "vault" / "MEMORY.md").write_text(f"- {entry} ^entry1\n")
    m = opened()
    for name in ("atlas", "tidewater")[:others]:
        store(m, f"The logo of {name} is blue.", project=f"~/src/{name}")
    said = new(text, "~/src/laden", in_passing=in_passing, is_just_said=True)
    judge_in_passing([said], m.parts.judging) if in_passing else judged(m, said)
    return edits(m)


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


# Limits and edges


@pytest.mark.parametrize(
    ("text", "private", "is_private"),
    [
        ("The safe opens with 1234.", (), False),
        ("The safe opens with 1234. #private", (), True),
        ("The safe opens with 1234.", ("MEMORY.md",), True),
        ("The safe opens with 1234.", ("PINNED.md",), False),
    ],
)
def test_an_entry_is_private_by_its_tag_or_because_its_owner_calls_the_file_so(
    m: Workspace, tmp_path: Path, text: str, private: tuple[str, ...], is_private: bool
) -> None:
    (tmp_path / "vault" / "MEMORY.md").write_text(f"- {text}\n")
    [found] = m.parts.judging.nearest._replace(private=private).find_entries("The safe opens with 99.").facts
    assert found.is_private is is_private


@pytest.mark.parametrize(
    ("tags", "private", "is_private"),
    [
        ((), (), False),
        (("private",), (), True),
        ((), ("memory:4",), True),
        (("home",), ("#home",), True),
        (("home",), ("memory:1", "#work"), False),
    ],
)
def test_a_memory_is_private_by_its_tags_or_because_its_owner_calls_it_so(
    m: Workspace, tags: Sequence[str], private: tuple[str, ...], is_private: bool
) -> None:
    m.memories.store("The safe opens with 1234.", list(tags), source="user")
    found = m.parts.judging.nearest._replace(private=private).find(new("The safe opens with 99."), JUNE).facts
    assert [one.is_private for one in found if one.text == "The safe opens with 1234."] == [is_private]


def test_a_memory_is_found_with_its_trust_its_day_and_its_audience(m: Workspace) -> None:
    found = nearest(m, new("The database of lantern is Postgres.", project="lantern"))
    assert found[0] == CurrentFact(
        MemoryId(1), "The database of lantern is MySQL 8.", "user_said", "2025-01-10", project="lantern"
    )


def test_as_many_facts_are_found_as_are_wanted(m: Workspace) -> None:
    entries = [LoadedEntry(f"e{n}", "semantic", "MEMORY.md", n, n, f"The desk {n} is oak", True) for n in range(20)]
    found = m.parts.judging.nearest._replace(entries=lambda: entries)
    asked = "The desk is oak"
    assert [len(found.find(new(asked), JUNE, limit).facts) for limit in (1, 3)] == [1, 3]
    assert [len(found.find_entries(asked, limit).facts) for limit in (1, 3)] == [1, 3]
    assert len(found.find_entries(asked).facts) == len(found.find(new(asked), JUNE).facts) == NEAREST_FACTS


def test_words_alone_find_entries_that_share_some_the_best_first(m: Workspace) -> None:
    texts = ("The desk is oak", "The oak desk in the hall is new", "Plums")
    entries = [LoadedEntry(f"e{n}", "semantic", "MEMORY.md", n, n, text, True) for n, text in enumerate(texts)]
    found = m.parts.judging.nearest._replace(entries=lambda: entries, embed=None)
    shown = [one.text for one in found.find_entries("The oak desk in the hall is old").facts]
    assert shown == [texts[1], texts[0]]
    assert found._replace(entries=tuple).find_entries("The oak desk").facts == ()


def test_a_fact_holds_as_long_as_it_says_the_same_in_its_place(m: Workspace) -> None:
    cup = LoadedEntry("redcup", "semantic", "MEMORY.md", 3, 3, "The cup is red.", True)
    fact = CurrentFact(EntryPlace("redcup", "MEMORY.md", 3), "The cup is red.")
    for entries, holds in (
        ([cup], True),
        ([cup._replace(line=9, last_line=9)], True),
        ([cup._replace(text="The cup is blue.")], False),
        ([cup._replace(path="PINNED.md")], False),
        ([cup._replace(address="other1")], False),
        ([cup, cup], False),
        ([], False),
    ):
        found = m.parts.judging.nearest._replace(entries=lambda entries=entries: entries)  # type: ignore[misc]
        assert found.holds(fact, JUNE) is holds, entries


@pytest.mark.parametrize(
    ("change", "holds"), [("none", True), ("trust", False), ("reword", False), ("archive", False)]
)
def test_a_memory_holds_as_it_was_found_until_it_changes(m: Workspace, change: str, holds: bool) -> None:
    judging = m.parts.judging
    [fact] = [one for one in nearest(m, new("Anna Berg works at Fabrikam.")) if one.place == MemoryId(2)]
    match change:
        case "trust":
            m.memories.trust(2, "user_confirmed")
        case "reword":
            m.memories.update(2, "Anna Berg works for Contoso.", source="user")
        case "archive":
            m.memories.archive(2)
    assert judging.nearest.holds(fact, JUNE) is holds


def current(*texts: str, **fields: Any) -> dict[int, CurrentFact]:
    """Memories of January, under the numbers by which a judge knows them."""
    return {100 + n: CurrentFact(MemoryId(n), text, day="2025-01-10", **fields) for n, text in enumerate(texts, 1)}


def by_rules(known: dict[int, CurrentFact], *facts: NewFact) -> list[tuple[str, tuple[int, ...]]]:
    candidates = [Candidate(n, one, tuple(known)) for n, one in enumerate(facts, 1)]
    return [(one.step, one.targets) for one in judge_by_rules(candidates, known, None)]


def test_no_fact_is_superseded_twice() -> None:
    known = current("Anna Berg works at Contoso.")
    found = by_rules(known, new("Anna Berg works at Fabrikam."), new("Anna Berg works at Initech."))
    assert found == [("supersede", (101,)), ("add", ())]


def test_what_was_said_again_is_not_replaced_by_what_was_said_beside_it() -> None:
    known = current("Anna Berg works at Contoso.")
    again, other = new("Anna Berg works at Contoso!"), new("Anna Berg works at Fabrikam.")
    assert by_rules(known, again, other) == [("merge", (101,)), ("add", ())]
    assert by_rules(known, other, again) == [("add", ()), ("merge", (101,))]


def test_a_fact_ends_in_at_most_three_places() -> None:
    known = current(*(f"Anna Berg works at {name}." for name in ("Contoso", "Initech", "Hooli", "Umbrella")))
    assert by_rules(known, new("Anna Berg works at Fabrikam.")) == [("supersede", (101, 102, 103))]


@pytest.mark.parametrize("text", ["Where does Anna Berg work?", "Anna Berg started at Fabrikam yesterday."])
def test_questions_and_events_replace_nothing(text: str) -> None:
    assert by_rules(current("Anna Berg works at Contoso."), new(text)) == [("add", ())]


@pytest.mark.parametrize(
    ("day", "step"), [("2025-01-10", "supersede"), ("2025-06-02", "supersede"), ("2025-06-03", "add")]
)
def test_what_was_said_later_is_not_replaced_by_an_earlier_statement(day: str, step: str) -> None:
    known = {101: current("Anna Berg works at Contoso.")[101]._replace(day=day)}
    assert by_rules(known, new("Anna Berg works at Fabrikam."))[0][0] == step


@pytest.mark.parametrize(
    ("fact", "old", "may"),
    [
        (new("x"), CurrentFact(MemoryId(1), "y"), True),
        (new("x", trust="quarantined"), CurrentFact(MemoryId(1), "y"), False),
        (new("x", in_passing=True), CurrentFact(MemoryId(1), "y"), False),
        (new("x", in_passing=True), CurrentFact(EntryPlace("e1", "MEMORY.md", 1), "y"), True),
        (new("x", "lantern"), CurrentFact(EntryPlace("e1", "MEMORY.md", 1), "y"), True),
        (new("x", "lantern"), CurrentFact(MemoryId(1), "y"), False),
        (new("x", "lantern"), CurrentFact(MemoryId(1), "y", project="lantern"), True),
        (new("x", "lantern"), CurrentFact(MemoryId(1), "y", project="quarry"), False),
        (new("x", "github.com/acme/lantern"), CurrentFact(MemoryId(1), "y", project="lantern"), True),
        (new("x"), CurrentFact(MemoryId(1), "y", project="lantern"), False),
        (new("x"), CurrentFact(MemoryId(1), "y", agent="codex"), True),
        (new("x", agent="alice"), CurrentFact(MemoryId(1), "y", agent="bob"), False),
        (new("x", agent="codex"), CurrentFact(MemoryId(1), "y", agent="codex"), True),
        (new("x", agent="codex"), CurrentFact(MemoryId(1), "y"), True),
    ],
)
def test_a_fact_may_replace_what_its_own_agent_and_project_are_told(
    fact: NewFact, old: CurrentFact, may: bool
) -> None:
    assert may_replace(fact, old) is may


@pytest.mark.parametrize(
    ("fact", "old", "may"),
    [
        (new("x"), CurrentFact(MemoryId(1), "y"), True),
        (new("x", trust="quarantined"), CurrentFact(MemoryId(1), "y"), True),
        (new("x", "lantern"), CurrentFact(MemoryId(1), "y"), True),
        (new("x", "lantern"), CurrentFact(MemoryId(1), "y", project="lantern"), True),
        (new("x", "lantern"), CurrentFact(MemoryId(1), "y", project="quarry"), False),
        (new("x", "github.com/acme/lantern"), CurrentFact(MemoryId(1), "y", project="lantern"), True),
        (new("x"), CurrentFact(MemoryId(1), "y", project="quarry"), False),
        (new("x", agent="alice"), CurrentFact(MemoryId(1), "y", agent="bob"), False),
    ],
)
def test_a_fact_is_left_out_only_where_its_readers_are_told_the_other(
    fact: NewFact, old: CurrentFact, may: bool
) -> None:
    assert may_repeat(fact, old) is may


def test_a_new_fact_has_the_day_on_which_it_was_said() -> None:
    said = new("x")
    dated = said._replace(fact=said.fact._replace(evidence=Evidence("x", date="2025-06-02T08:00")))
    undated = said._replace(fact=said.fact._replace(evidence=Evidence("x")))
    assert (dated.day, undated.day) == ("2025-06-02", None)


# A model, and what is left for the rules


def test_five_facts_are_asked_about_at_once(m: Workspace, opened: Open) -> None:
    asked: list[list[object]] = []

    def answer(prompt: Prompt) -> dict[str, object]:
        asked.append([one["candidate"] for one in records_of(prompt) if "candidate" in one])
        rows = [{"reason": "new", "candidate": number, "step": "add", "targets": []} for number in asked[-1]]
        return {"reason": "", "decisions": rows}

    facts = [new(f"Anna Berg has desk {number}.") for number in range(12)]
    judged(opened(language_model=ScriptedModel(answer)), *facts)
    assert asked == [[1, 2, 3, 4, 5], [6, 7, 8, 9, 10], [11, 12]]
    assert len(m.memories.all()) == 3


def test_what_a_model_ends_is_shown_in_no_later_question_and_replaced_by_no_rule(m: Workspace, opened: Open) -> None:
    old, shown = "Anna Berg works at Contoso.", list[bool]()

    def answer(prompt: Prompt) -> dict[str, object]:
        facts = {str(one["text"]): one["fact"] for one in records_of(prompt) if "fact" in one}
        shown.append(old in facts)
        numbers = [one["candidate"] for one in records_of(prompt) if "candidate" in one]
        if len(shown) > 1:
            raise TimeoutError("too slow")
        rows: list[dict[str, object]] = [
            {"reason": "So it is.", "candidate": number, "step": "keep", "targets": []} for number in numbers
        ]
        rows[0] |= {"step": "supersede", "targets": [facts[old]]}
        return {"reason": "", "decisions": rows}

    names = ("Fabrikam", "Initech", "Hooli", "Umbrella", "Globex", "Soylent")
    facts = [new(f"Anna Berg works at {name} in Lisbon near the dentist.") for name in names]
    found = judged(opened(language_model=ScriptedModel(answer)), *facts)
    assert shown == [True, False]
    assert [str(one.place) for one in found.facts[0].targets] == ["memory:2"]
    assert not any(str(place.place) == "memory:2" for one in found.facts[1:] for place in one.targets)
    assert found.notices == ("The rules judged instead of the model: scripted-1 failed: TimeoutError.",)
    assert found.by_model
    assert found.facts[0].decision.reason == "A model judged: So it is."
    assert m.proposals.all()


def test_of_two_facts_that_end_the_one_that_changed_meanwhile_is_left_out(m: Workspace, opened: Open) -> None:
    store(m, "Anna Berg has worked at Contoso since May.")
    texts = ["Anna Berg works at Contoso.", "Anna Berg has worked at Contoso since May."]
    model = scripted((1, "supersede", texts))
    answer = model.answer

    def slow(prompt: Prompt) -> Any:
        done = answer(prompt)
        m.memories.update(2, "Anna Berg works at Initech.", source="user")
        return done

    model.answer = slow  # type: ignore[method-assign]
    found = judged(opened(language_model=model), new("Fabrikam has hired Anna Berg."))
    assert steps(found) == [("supersede", ["memory:4"])]
    assert found.notices == ("judge: memory:2 changed while it was judged; nothing is proposed about it",)


@pytest.mark.parametrize(
    ("is_home", "sends", "is_asked"), [(False, False, False), (True, False, True), (False, True, True)]
)
def test_a_private_fact_goes_to_a_model_at_home_or_where_its_owner_allows_it(
    m: Workspace, is_home: bool, sends: bool, is_asked: bool
) -> None:
    info = LanguageModelInfo(provider="testing", model="far", host="far.test", is_home=is_home)
    model = scripted((1, "add", []), info=info)
    judging = m.parts.judging._replace(model=model, sends_private=sends)
    judge_facts([new("Anna Berg works at Fabrikam, just between us.")], judging)
    assert bool(model.prompts) is is_asked


def test_a_model_is_asked_about_nothing_that_is_near_to_no_fact(opened: Open) -> None:
    model = scripted((1, "add", []))
    found = judged(opened(language_model=model), new("Zebras graze quietly."))
    assert (model.prompts, steps(found), found.by_model) == ([], [("add", [])], False)


def test_a_model_whose_answer_was_not_used_is_reported_with_the_reason(m: Workspace) -> None:
    wrong = ScriptedModel([{"reason": "x", "decisions": []}])
    found = judge_facts([new("Anna Berg works at Fabrikam now.")], m.parts.judging._replace(model=wrong))
    [notice] = found.notices
    assert notice == (
        "The rules judged instead of the model, whose answer was not used: candidate 1 has 0 decisions instead of one"
    )
    assert not found.by_model and steps(found) == [("supersede", ["memory:2"])]


def test_nothing_is_offered_where_nothing_ends(m: Workspace) -> None:
    offered: list[Sequence[Suggestion]] = []

    def offer(suggestions: Sequence[Suggestion]) -> Any:
        offered.append(suggestions)
        return m.parts.judging.offer(suggestions)

    judging = m.parts.judging._replace(offer=offer)
    assert judge_facts([new("Zebras graze quietly.")], judging).queued == ()
    assert judge_in_passing([new("Zebras graze quietly.", in_passing=True)], judging).queued == ()
    assert offered == []


def test_a_problem_is_reported_once_however_many_facts_it_met(m: Workspace, tmp_path: Path) -> None:
    (tmp_path / "vault" / "MEMORY.md").write_bytes(b"\xff\xfe\x00broken")
    found = judged(m, new("Anna Berg works at Fabrikam now."), new("Deploys happen on Mondays."))
    [notice] = found.notices
    assert notice.startswith("entries: MEMORY.md: ")
