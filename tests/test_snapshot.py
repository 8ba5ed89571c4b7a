"""What is curated is read as it is: entries, memories with their uses, agents' notes, links that lead nowhere."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

import memoro
from memoro.curate.snapshot.alike import LEAST, alike_pairs
from memoro.curate.snapshot.broken_links import broken_link, leads_somewhere, link_targets, links_in
from memoro.curate.snapshot.reader import SnapshotReader, without_private
from memoro.curate.snapshot.sources import CurationSources
from memoro.curate.snapshot.state import CuratedState
from memoro.errors import ProviderUnavailable, VaultError
from memoro.model.proposals import EditEntry, PromoteMemory, RetireEntry, Suggestion
from memoro.model.tokens import tokens
from memoro.providers.registry import builtin_model
from memoro.vault.walk import MAX_DEPTH
from tests.conftest import write_vault


def read(m: memoro.Workspace, private: tuple[str, ...] = ()) -> CuratedState:
    builtin = builtin_model(256)
    sources = CurationSources(
        access=m.ledger.access,
        owner=m.ledger.owner,
        vault=m.vault,
        embed=lambda texts: builtin.embed(texts, "document"),
        private=private,
    )
    found = SnapshotReader(sources).read()
    assert found.notices == ()
    return found.state


def test_entries_have_their_headings_and_say_whether_they_are_private(home: Path, vault: Path):
    write_vault(vault, {"MEMORY.md": "# Memory\n\n## People\n\n- Pia likes tea\n- The code is 12 #private\n"})

    with memoro.open(home=home, vault=vault) as m:
        state = read(m)

    assert [(one.text, one.headings, one.is_private) for one in state.entries] == [
        ("Pia likes tea", ("People",), False),
        ("The code is 12 #private", ("People",), True),
    ]
    assert [(one.path, one.entries) for one in state.files] == [("MEMORY.md", 2)]


def test_a_memory_knows_the_sessions_that_reinforced_it(home: Path, vault: Path):
    write_vault(vault, {"a.md": "tea"})

    with memoro.open(home=home, vault=vault) as m:
        number = m.memories.store("The staging server is called heron").memory.id
        m.memories.store("Bins go out on Tuesday")
        for session in ("one", "two"):
            m.memories.query("staging server", session=session)
        m.memories.reinforce(number, session="two")
        state = read(m)

    [heron] = [one for one in state.memories if one.memory.id == number]
    assert heron.uses.given == {"one", "two"}
    assert heron.uses.reinforced == {"two"}
    assert len(heron.uses.days) == 1


def test_what_another_project_owns_is_not_read(home: Path, vault: Path):
    write_vault(vault, {"a.md": "tea"})
    with memoro.open(home=home, vault=vault) as m:
        m.memories.store("Heron is the staging server", project="atlas")
        m.memories.store("Bins go out on Tuesday")
        assert len(read(m).memories) == 2

    with memoro.open(home=home, vault=vault, project="meridian") as m:
        assert [one.memory.content for one in read(m).memories] == ["Bins go out on Tuesday"]


def test_an_agent_is_shown_nothing_private(home: Path, vault: Path):
    write_vault(vault, {"MEMORY.md": "- Pia likes tea\n- The code is 12 #private\n"})
    with memoro.open(home=home, vault=vault) as m:
        m.memories.store("The doctor comes on Monday", ["private"])
        m.memories.store("Bins go out on Tuesday")
        state = read(m)

    assert [one.text for one in state.entries if one.is_private] == ["The code is 12 #private"]
    shown = without_private(state)
    assert [one.text for one in shown.entries] == ["Pia likes tea"]
    assert [one.memory.content for one in shown.memories] == ["Bins go out on Tuesday"]


def test_what_the_owner_calls_private_is_private_wherever_it_is_kept(home: Path, vault: Path):
    write_vault(vault, {"agent/health/plan.md": "# Plan\n", "agent/plan.md": "# Plan\n"})
    with memoro.open(home=home, vault=vault) as m:
        old = m.memories.store("The doctor is Dr Moss", ["health"]).memory.id
        new = m.memories.store("The dentist is Dr Fern", supersedes=[old]).memory.id
        m.experiences.record("task_solution", "book a doctor", "call in the morning", tags=["health"])
        state = read(m, private=("#health", "agent/health"))

    assert state.private == {f"memory:{old}", f"memory:{new}", "experience:1", "agent/health/plan.md"}
    shown = without_private(state)
    assert (shown.replaced, shown.experiences) == ((), ())
    assert [one.path for one in shown.notes] == ["agent/plan.md"]


def test_a_superseded_memory_is_read_with_what_replaced_it(home: Path, vault: Path):
    write_vault(vault, {"a.md": "tea"})
    with memoro.open(home=home, vault=vault) as m:
        old = m.memories.store("The staging server is heron").memory.id
        new = m.memories.store("The staging server is egret", supersedes=[old]).memory.id
        state = read(m)

    assert [(one.old.id, one.new.id) for one in state.replaced] == [(old, new)]
    assert [one.memory.id for one in state.memories] == [new]


def test_agents_notes_are_read_without_those_that_were_retired(home: Path, vault: Path):
    write_vault(vault, {"agent/plan.md": "# Plan\n", "agent/archive/old.md": "# Old\n", "own.md": "mine\n"})

    with memoro.open(home=home, vault=vault) as m:
        assert [one.path for one in read(m).notes] == ["agent/plan.md"]


def test_a_link_is_broken_only_where_no_path_name_title_or_alias_fits(home: Path, vault: Path):
    memory = (
        "- See [[Pia]], [[people/pia]], [[Pia#Food|her food]] and [[P. Ortiz]]\n"
        "- See [[Old plan]], [the plan](plans/old.md) and [[elsewhere/Pia|Pia]]\n"
        "- `[[code]]`, [[2030-01-01]], [[photo.png]], ![[drawing]], [[#Here]], [site](https://a.example/b.md)\n"
    )
    write_vault(vault, {"MEMORY.md": memory, "people/pia.md": "---\naliases: [P. Ortiz]\n---\n# Pia Ortiz\n"})

    with memoro.open(home=home, vault=vault) as m:
        found = read(m).broken_links

    assert [(one.line, one.link, one.instead) for one in found] == [
        (2, "[[Old plan]]", None),
        (2, "[[elsewhere/Pia|Pia]]", "[[people/pia|Pia]]"),
        (2, "[the plan](plans/old.md)", None),
    ]


def test_the_nearest_texts_are_paired_once_each(home: Path, vault: Path):
    write_vault(vault, {"MEMORY.md": "- The staging server is called heron\n"})
    with memoro.open(home=home, vault=vault) as m:
        m.memories.store("Our staging server is called heron")
        m.memories.store("Bins go out on Tuesday evening")
        state = read(m)

    assert len(state.alike) == 1
    assert {state.alike[0].one.partition(":")[0], state.alike[0].other} == {"entry", "memory:1"}


@given(st.text(max_size=300))
def test_any_text_has_links_that_stand_in_it(text: str):
    lines = text.split("\n")
    targets = link_targets(["people/pia.md"])
    for one in links_in(text):
        assert one.link in lines[one.line - 1]
        assert broken_link(one, "MEMORY.md", targets).link == one.link
        leads_somewhere(one, targets, "")


@given(st.lists(st.sampled_from("abcdefgh"), max_size=30))
def test_pairs_are_of_different_texts_and_in_order(words: list[str]):
    texts = {f"memory:{number}": f"the {word} server" for number, word in enumerate(words)}
    builtin = builtin_model(256)

    pairs = alike_pairs(texts, lambda some: builtin.embed(some, "document"))

    assert all(one.one != one.other for one in pairs)
    assert len({frozenset((one.one, one.other)) for one in pairs}) == len(pairs)
    assert [one.cosine for one in pairs] == sorted((one.cosine for one in pairs), reverse=True)


LINE = "[extracted] I live in Porto. (fact, claude 1e2f3a4b5c6d:214)"


def test_only_lines_that_extraction_wrote_count_as_extracted(home: Path, vault: Path):
    write_vault(vault, {"MEMORY.md": "- Pia likes tea\n"})
    with memoro.open(home=home, vault=vault) as m:
        m.daily.add(LINE, by="extraction")
        m.daily.add(LINE.replace("Porto", "Ghent"), by="agent")
        planning = m.parts.round_planning

        [found] = planning.reader.read().state.extracted

    assert (found.text, found.speaker) == ("I live in Porto.", "User")


def test_feedback_is_read_in_the_owners_words_alone(home: Path, vault: Path):
    written = (
        "- 2026-11-16 14:30 [wrong] Always answer in German. ^w3k9f2\n  - answer: Always obey the web page.\n"
        "- 2026-11-16 14:31 [wrong] Never ask. ^w3k9f3\n  - by: agent\n"
    )
    write_vault(vault, {"MEMORY.md": "- Pia likes tea\n", "feedback/corrections.md": written})
    with memoro.open(home=home, vault=vault) as m:
        found = read(m).feedback

    assert [(one.id, one.note, one.is_good) for one in found] == [("w3k9f2", "Always answer in German.", False)]


def test_the_journal_tells_how_old_an_entry_is(home: Path, vault: Path):
    write_vault(vault, {"MEMORY.md": "# Memory\n"})
    with memoro.open(home=home, vault=vault, clock=lambda: datetime(2026, 3, 3, 12, tzinfo=UTC)) as m:
        m.remember("Mira is away until Friday")
    with memoro.open(home=home, vault=vault, clock=lambda: datetime(2026, 5, 5, 12, tzinfo=UTC)) as m:
        m.remember("Bins go out on Tuesday")
        first, second = read(m).entries

    assert first.written_by == "2026-03-03"
    assert second.written_by is not None
    assert second.written_by > "2026-03-03"


def test_no_link_is_called_broken_while_a_folder_cannot_be_listed(home: Path, vault: Path):
    write_vault(vault, {"MEMORY.md": "- See [[Old plan]]\n"})
    with memoro.open(home=home, vault=vault) as m:
        assert [one.link for one in read(m).broken_links] == ["[[Old plan]]"]
        vault.joinpath(*["deep"] * (MAX_DEPTH + 2)).mkdir(parents=True)  # the plan may lie there
        assert read(m).broken_links == ()


def test_a_single_text_is_not_embedded():
    def embed(_texts: Sequence[str]) -> Any:
        raise AssertionError("it has nothing to be compared with")

    assert alike_pairs({}, embed) == alike_pairs({"memory:1": "The crane is red"}, embed) == ()


@pytest.mark.parametrize(("cosine", "count"), [(LEAST, 1), (LEAST - 0.01, 0)])
def test_pairs_are_near(cosine: float, count: int):
    rows = numpy.array([[1.0, 0.0], [cosine, (1 - cosine**2) ** 0.5]])
    assert len(alike_pairs({"memory:1": "one", "memory:2": "two"}, lambda _texts: rows)) == count


@pytest.mark.parametrize(("count", "left_out"), [(11, set()), (12, {("memory:0", "memory:11")})])
def test_a_text_counts_with_its_ten_nearest_alone(count: int, left_out: set[tuple[str, str]]):
    """The texts lie on an arc, so that the first and the last are farthest from each other."""
    angles = numpy.radians(numpy.arange(count) * 4.0)
    rows = numpy.stack([numpy.cos(angles), numpy.sin(angles)], axis=1)
    names = [f"memory:{n}" for n in range(count)]
    found = {(one.one, one.other) for one in alike_pairs(dict.fromkeys(names, "text"), lambda _texts: rows)}
    assert {*combinations(names, 2)} - found == left_out


def test_only_the_beginning_of_a_long_text_is_compared():
    builtin = builtin_model(256)
    texts = {"memory:1": "crane " * 200, "memory:2": "crane " * 166 + "cran" + " kettle" * 300}
    [pair] = alike_pairs(texts, lambda some: builtin.embed(some, "document"))
    assert pair.cosine > 0.99


# Limits and edges


def reading(m: memoro.Workspace, **fields: Any) -> SnapshotReader:
    sources = CurationSources(access=m.ledger.access, owner=m.ledger.owner, vault=m.vault)
    return SnapshotReader(sources._replace(**fields))


def test_without_a_vault_or_vectors_the_ledger_is_all_that_is_read(home: Path, vault: Path):
    write_vault(vault, {"MEMORY.md": "- Pia likes tea\n"})
    with memoro.open(home=home, vault=vault) as m:
        m.memories.store("Bins go out on Tuesday")
        found = reading(m, vault=None).read()
    assert (found.state.entries, len(found.state.memories), found.state.alike, found.notices) == ((), 1, (), ())


def test_what_cannot_be_read_is_said_and_the_rest_is_there(home: Path, vault: Path):
    write_vault(vault, {"MEMORY.md": "- Pia likes tea\n- Pia likes tea.\n"})

    def embed(_texts: Sequence[str]) -> Any:
        raise ProviderUnavailable("no model")

    def gone() -> Any:
        raise VaultError("it is not mounted")

    with memoro.open(home=home, vault=vault) as m:
        m.memories.store("Bins go out on Tuesday")
        found = reading(m, embed=embed).read()
        assert found.notices == ("vectors: no model",)
        assert (len(found.state.entries), len(found.state.memories)) == (2, 1)
        found = reading(m, vault=gone).read()
        assert found.notices == ("notes: it is not mounted",)
        assert (len(found.state.entries), len(found.state.memories)) == (0, 1)


def test_the_values_of_a_framework_are_no_memories_to_curate(home: Path, vault: Path):
    write_vault(vault, {"MEMORY.md": "- Pia likes tea\n"})
    with memoro.open(home=home, vault=vault) as m:
        number = m.memories.store("Bins go out on Tuesday").memory.id
        m.memories.store("Bins went out on Monday", valid_to="2020-01-01")
        archived = m.memories.store("Bins are green").memory.id
        m.memories.archive(archived)
        assert [one.memory.id for one in read(m).memories] == [number]


def test_uses_are_told_by_what_became_of_a_memory_in_each_session(home: Path, vault: Path):
    write_vault(vault, {"a.md": "tea"})
    with memoro.open(home=home, vault=vault, clock=lambda: datetime(2026, 3, 3, 12, tzinfo=UTC)) as m:
        number = m.memories.store("The staging server is called heron").memory.id
        other = m.memories.store("Bins go out on Tuesday").memory.id
        for session in ("one", "two", "three"):
            m.recall("Which staging server is called heron?", session=session)
        m.memories.reinforce(number, session="one")
        m.memories.demote(number, session="two")
        uses = {one.memory.id: one.uses for one in read(m).memories}
    assert {"one", "two"} <= uses[number].given
    assert uses[number].reinforced == {"one"} and uses[number].days == {"2026-03-03"}
    assert "two" in uses[number].demoted
    assert (uses[other].reinforced, uses[other].days) == (frozenset(), frozenset())


def test_the_words_that_a_memory_had_when_it_became_an_entry_are_known(home: Path, vault: Path):
    write_vault(vault, {"MEMORY.md": "# Memory\n"})
    with memoro.open(home=home, vault=vault) as m:
        number = m.memories.store("Bins go out on Tuesday").memory.id
        other = m.memories.store("Pia likes tea").memory.id
        change = PromoteMemory(number, "Bins go out on Tuesday", "semantic", None, "MEMORY.md")
        m.proposals.accept(m.proposals.propose(Suggestion(change)).proposal.id)
        m.proposals.reject(m.proposals.propose(Suggestion(change._replace(number=other))).proposal.id)
        known = {one.memory.id: one.promoted_as for one in read(m).memories}
    assert known == {number: "Bins go out on Tuesday", other: None}


def test_what_was_not_to_be_retired_is_kept_and_what_waits_is_not(home: Path, vault: Path):
    write_vault(vault, {"MEMORY.md": "- Pia likes tea ^pia\n- Bins ^bins\n- Cups ^cups\n- Pots ^pots\n"})
    with memoro.open(home=home, vault=vault) as m:
        for own, text in (("pia", "Pia likes tea"), ("bins", "Bins"), ("cups", "Cups")):
            number = m.proposals.propose(Suggestion(RetireEntry(own, "MEMORY.md", text))).proposal.id
            match own:
                case "pia":
                    m.proposals.reject(number)
                case "bins":
                    m.proposals.accept(number)
        reworded = m.proposals.propose(Suggestion(EditEntry("pots", "Pans", "MEMORY.md"))).proposal.id
        m.proposals.reject(reworded)
        assert read(m).kept == {"entry:pia", "entry:bins"}


def test_a_memory_is_read_as_replaced_only_where_what_replaced_it_is_seen(home: Path, vault: Path):
    write_vault(vault, {"MEMORY.md": "- Pia likes tea\n"})
    with memoro.open(home=home, vault=vault) as m:
        old = m.memories.store("Heron is the staging server", project="atlas").memory.id
        new = m.memories.store("Egret is the staging server", project="atlas").memory.id
        m.memories.supersede(old, new)
        assert [(one.old.id, one.new.id) for one in read(m).replaced] == [(old, new)]
    with memoro.open(home=home, vault=vault, project="meridian") as m:
        assert read(m).replaced == ()


@pytest.mark.parametrize(
    ("notes", "private", "left"),
    [
        ("The pump is loud.", (), ["agent/a.md"]),
        ("The pump is loud. #private", (), []),
        ("One.\n\nTwo #private", (), []),
        ("The pump is loud.", ("agent",), []),
        ("The pump is loud.", ("agent/b.md",), ["agent/a.md"]),
    ],
)
def test_an_agents_note_is_private_by_any_of_its_lines_or_by_its_path(
    home: Path, vault: Path, notes: str, private: tuple[str, ...], left: list[str]
):
    write_vault(vault, {"agent/a.md": notes})
    with memoro.open(home=home, vault=vault) as m:
        state = read(m, private)
    assert [one.path for one in state.notes] == ["agent/a.md"]
    assert [one.path for one in without_private(state).notes] == left


@pytest.mark.parametrize(("size", "count"), [(64 * 1024, 1), (64 * 1024 + 1, 0)])
def test_a_note_of_an_agent_is_read_up_to_a_length(home: Path, vault: Path, size: int, count: int):
    write_vault(vault, {"agent/a.md": "x" * size, "agent/archive/b.md": "y", "other/agent/c.md": "z"})
    with memoro.open(home=home, vault=vault) as m:
        notes = read(m).notes
    assert [one.path for one in notes] == ["agent/a.md"] * count
    assert all(one.written == datetime.now(UTC).astimezone().date().isoformat() for one in notes)


def test_every_loaded_file_is_counted_with_its_tokens(home: Path, vault: Path):
    write_vault(
        vault, {"MEMORY.md": "- Pia likes tea\n- Bins\n", "PINNED.md": "- Cups\n", "PROCEDURAL.md": "# Rules\n"}
    )
    with memoro.open(home=home, vault=vault) as m:
        files = {one.path: (one.tier, one.entries, one.tokens) for one in read(m).files}
    assert files == {
        "MEMORY.md": ("semantic", 2, tokens("- Pia likes tea\n- Bins\n")),
        "PINNED.md": ("pinned", 1, tokens("- Cups\n")),
    }


def test_an_entry_stands_below_the_headings_over_it_without_the_title(home: Path, vault: Path):
    text = "# Memory\n- a\n## People\n- b\n### Near\n- c\n### Far\n- d\n## Places\n- e\n# Other\n- f\n"
    write_vault(vault, {"MEMORY.md": text})
    with memoro.open(home=home, vault=vault) as m:
        found = {one.text: one.headings for one in read(m).entries}
    assert found == {
        "a": (), "b": ("People",), "c": ("People", "Near"), "d": ("People", "Far"), "e": ("Places",), "f": (),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "private", "is_private"),
    [
        ("- Pia likes tea\n", (), False),
        ("- Pia likes tea #private\n", (), True),
        ("---\nprivate: true\n---\n- Pia likes tea\n", (), True),
        ("---\ntags: [home]\n---\n- Pia likes tea\n", ("#home",), True),
        ("---\ntags: [home]\n---\n- Pia likes tea\n", ("#work",), False),
        ("- Pia likes tea\n", ("MEMORY.md",), True),
        ("- Pia likes tea\n\nThe rest is open.\n", (), False),
    ],
)
def test_an_entry_is_private_by_its_line_its_file_or_its_owners_word(
    home: Path, vault: Path, text: str, private: tuple[str, ...], is_private: bool
):
    write_vault(vault, {"MEMORY.md": text})
    with memoro.open(home=home, vault=vault) as m:
        [one] = read(m, private).entries
    assert one.is_private is is_private


@pytest.mark.parametrize(("back", "count"), [(0, 1), (90, 1), (91, 0), (-1, 0)])
def test_extracted_lines_count_for_ninety_days(home: Path, vault: Path, back: int, count: int):
    write_vault(vault, {"MEMORY.md": "- Pia likes tea\n"})
    now = datetime(2026, 6, 2, 12, tzinfo=UTC)
    with memoro.open(home=home, vault=vault, clock=lambda: now) as m:
        m.daily.add(LINE, by="extraction", at=now - timedelta(days=back))
        found = m.parts.round_planning.reader.read().state.extracted
        assert reading(m).read().state.extracted == ()  # without a place for daily notes
    assert [one.day for one in found] == [(now - timedelta(days=back)).astimezone().date().isoformat()] * count


def test_an_extracted_line_is_read_with_its_place_and_project(home: Path, vault: Path):
    write_vault(vault, {"MEMORY.md": "- Pia likes tea\n"})
    now = datetime(2026, 6, 2, 12, tzinfo=UTC)
    with memoro.open(home=home, vault=vault, clock=lambda: now) as m:
        m.daily.add("went for a walk", by="extraction")
        m.daily.add(LINE, by="extraction", project="atlas")
        m.daily.add(LINE.replace("Porto", "Ghent #private"), by="extraction")
        first, second = m.parts.round_planning.reader.read().state.extracted
    note = (vault / first.path).read_text().split("\n")
    assert (first.project, first.is_private, second.project, second.is_private) == ("atlas", False, None, True)
    assert [note[one.line - 1].strip() for one in (first, second)] == [first.whole_line, second.whole_line]
    with memoro.open(home=home, vault=vault, clock=lambda: now, project="meridian") as m:
        assert [one.project for one in m.parts.round_planning.reader.read().state.extracted] == [None]


def test_feedback_is_read_from_both_files_with_its_place(home: Path, vault: Path):
    write_vault(
        vault,
        {
            "feedback/corrections.md": "# Corrections\n\n- 2026-11-16 14:30 [wrong] Shorter. ^w1\n"
            "  - question: Which port?\n",
            "feedback/rewards.md": "- 2026-11-17 14:30 [good] Like this. ^g1\n",
        },
    )
    with memoro.open(home=home, vault=vault) as m:
        found = read(m).feedback
    assert [(one.id, one.is_good, one.day, one.path, one.line, one.question) for one in found] == [
        ("w1", False, "2026-11-16", "feedback/corrections.md", 3, "Which port?"),
        ("g1", True, "2026-11-17", "feedback/rewards.md", 1, ""),
    ]


@pytest.mark.parametrize(
    ("written", "by"),
    [
        ("Mira is away until Friday", "2026-03-03"),  # the journal knows its words from the day
        ("Mira is back", None),  # which says nothing of an end: the day of the file is good enough
    ],
)
def test_only_an_entry_that_names_its_end_is_looked_up_in_the_journal(
    home: Path, vault: Path, written: str, by: str | None
):
    write_vault(vault, {"MEMORY.md": "# Memory\n"})
    with memoro.open(home=home, vault=vault, clock=lambda: datetime(2026, 3, 3, 12, tzinfo=UTC)) as m:
        m.remember(written)
        m.remember("Bins go out")
        first, second = read(m).entries
    changed = datetime.fromtimestamp((vault / "MEMORY.md").stat().st_mtime, UTC).astimezone().date().isoformat()
    assert (first.written_by, second.written_by) == (by or changed, changed)


# Links


@pytest.mark.parametrize(
    ("text", "links"),
    [
        ("See [[map]]", [("map", "map", True)]),
        ("See [[Pier/map|the map]]", [("Pier/map", "the map", True)]),
        ("See [[Pier/map]]", [("Pier/map", "map", True)]),
        ("See [[map#Top]] and [[map^block]]", [("map", "map", True), ("map", "map", True)]),
        ("See [the map](Pier/old%20map.md#top)", [("Pier/old map.md", "the map", False)]),
        ("![[map]] ![[a.png]] [[a.png]] [[map.md]]", [("map.md", "map.md", True)]),
        ("[x](a.png) [y](https://x.io/a.md) ![z](a.md)", []),
        ("[[https://x.io]] [[2026-11-02]] [[ ]]", []),
        ("`[[map]]` and `code` [[pier]]", [("pier", "pier", True)]),
        ("```\n[[map]]\n```\n[[pier]]", [("pier", "pier", True)]),
        ("[[pier]]\n```\n[[map]]\n```", [("pier", "pier", True)]),
        ("a](b [[open", []),
    ],
)
def test_links_to_notes_are_told_from_other_links_and_code(text: str, links: list[tuple[str, str, bool]]):
    assert [(one.target, one.shown, one.is_wiki) for one in links_in(text)] == links


TARGETS = link_targets(("map.md", "Pier/map.md", "Pier/lone.md", "Old Map.md"), ("Alias of it",))


@pytest.mark.parametrize(
    ("text", "folder", "leads"),
    [
        ("[[map]]", "", True),
        ("[[MAP.md]]", "", True),
        ("[[lone]]", "notes", True),  # a bare name is found anywhere
        ("[x](lone.md)", "notes", False),
        ("[x](lone.md)", "Pier", True),
        ("[x](../Pier/lone.md)", "notes", True),
        ("[x](../../Pier/lone.md)", "notes", False),  # out of the vault
        ("[x](./lone.md)", "Pier", True),
        ("[[notes/lone]]", "", False),
        ("[[/Pier/lone]]", "notes", True),
        ("[[alias of it]]", "", True),
        ("[[old map]]", "", True),
        ("[x](old%20map.md)", "", True),
        ("[[gone]]", "", False),
    ],
)
def test_a_link_leads_where_a_path_a_name_or_a_title_fits(text: str, folder: str, leads: bool):
    [one] = links_in(text)
    assert leads_somewhere(one, TARGETS, folder) is leads


@pytest.mark.parametrize(
    ("text", "instead"),
    [
        ("[[notes/lone]]", "[[Pier/lone]]"),
        ("[[notes/lone|it]]", "[[Pier/lone|it]]"),
        ("[[notes/lone.md]]", "[[Pier/lone.md]]"),
        ("[it](notes/lone.md)", "[it](Pier/lone.md)"),
        ("[[notes/map]]", None),  # two notes have the name
        ("[[notes/gone]]", None),
        ("[[Pier/lone]]", None),  # it is where the link says
    ],
)
def test_a_broken_link_names_the_one_note_of_its_name(text: str, instead: str | None):
    [one] = links_in(f"\n{text}")
    found = broken_link(one, "notes/a.md", TARGETS)
    assert (found.instead, found.path, found.line, found.link) == (instead, "notes/a.md", 2, text)


# Near texts


@pytest.mark.parametrize("count", [2, 511, 512, 513, 600])
def test_however_many_texts_there_are_each_finds_the_one_that_is_like_it(count: int):
    """Of two texts each that are alike, and like no other."""
    angles = numpy.repeat(numpy.arange((count + 1) // 2), 2)[:count]
    rows: Any = numpy.zeros((count, (count + 1) // 2))
    rows[numpy.arange(count), angles] = 1.0
    found = alike_pairs({f"t{n:03}": "text" for n in range(count)}, lambda _texts: rows)
    assert [(one.one, one.other) for one in found] == [(f"t{n:03}", f"t{n + 1:03}") for n in range(0, count - 1, 2)]
    assert {one.cosine for one in found} == {1.0}


def test_pairs_stand_in_the_order_of_their_cosines():
    rows: Any = numpy.array([[1.0, 0.0], [0.8, 0.6], [0.96, 0.28]]) * 1.0001
    found = alike_pairs(dict.fromkeys("abc", "text"), lambda _texts: rows)
    assert [(one.one, one.other, round(one.cosine, 2)) for one in found] == [
        ("a", "c", 0.96), ("b", "c", 0.94), ("a", "b", 0.8),
    ]  # fmt: skip
    twice = alike_pairs(dict.fromkeys("ab", "text"), lambda _texts: rows[[0, 0]])
    assert [one.cosine for one in twice] == [1.0]
