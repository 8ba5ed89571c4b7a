"""Projects tell statements apart: by their names, and by "our" in the session of one of them."""

from __future__ import annotations

from pathlib import Path

import pytest

import memoro
from memoro.curate.judging.facts import CurrentFact, EntryPlace, NewFact
from memoro.curate.judging.project_names import may_be_about_one_thing, named_projects, with_project_name
from memoro.model.belonging import known_project
from memoro.model.facts import Fact
from memoro.model.proposals import Evidence
from memoro.model.targets import MemoryId

ATLAS, FERN, LEDGER = "~/src/atlas", "~/src/fern", "~/src/fern-ledger"
KNOWN = [known_project(one) for one in (ATLAS, FERN, LEDGER)]


def said(text: str, project: str | None = None) -> NewFact:
    return NewFact(Fact(text, "fact", Evidence(text), 0.9), project=project)


def entry(text: str) -> CurrentFact:
    return CurrentFact(EntryPlace("abc123", "MEMORY.md", 3), text)


def memory(text: str, project: str | None) -> CurrentFact:
    return CurrentFact(MemoryId(1), text, project=project)


@pytest.mark.parametrize(
    ("new", "old"),
    [
        (said("atlas builds run on Jenkins", ATLAS), entry("fern-ledger builds run on Buildkite")),
        (said("fern builds run on Jenkins", FERN), entry("fern-ledger builds run on Buildkite")),
        (said("Our standup is at 13:30", ATLAS), entry("The standup of fern-ledger is at 9:00")),
        (said("Our standup is at 13:30", ATLAS), entry("Our standup is at 9:00")),
        (said("The standup is at 13:30", ATLAS), entry("Our standup is at 9:00")),
        (said("Our standup is at 13:30"), entry("The standup of fern-ledger is at 9:00")),
        (said("The standup of atlas is at 13:30"), entry("The standup is at 9:00")),
        (said("Our cluster runs in eu-west-1", ATLAS), entry("The cluster of tidewater runs in us-east-2")),
        (said("The standup of fern-ledger is at 13:30", ATLAS), memory("Our standup is at 9:00", ATLAS)),
    ],
)
def test_what_is_about_another_project_is_about_another_thing(new: NewFact, old: CurrentFact) -> None:
    assert not may_be_about_one_thing(new, old, KNOWN)


@pytest.mark.parametrize(
    ("new", "old"),
    [
        (said("Fern Ledger builds run on Jenkins"), entry("fern-ledger builds run on Buildkite")),
        (said("Our builds run on Jenkins", LEDGER), entry("fern-ledger builds run on Buildkite")),
        (said("The builds run on Jenkins", LEDGER), entry("fern-ledger builds run on Buildkite")),
        (said("Our standup is at 13:30", ATLAS), memory("Our standup is at 9:00", ATLAS)),
        (said("The standup of atlas is at 13:30", ATLAS), memory("Our standup is at 9:00", ATLAS)),
        (said("I live in Porto", ATLAS), entry("I live in Lisbon")),
        (said("Anna Berg works at Fabrikam", ATLAS), entry("Anna Berg works at Contoso")),
        (said("Our standup is at 13:30"), entry("Our standup is at 9:00")),
    ],
)
def test_what_may_be_about_the_same_project_may_be_about_one_thing(new: NewFact, old: CurrentFact) -> None:
    assert may_be_about_one_thing(new, old, KNOWN)


def test_where_one_project_is_known_ours_is_that_one() -> None:
    new, old = said("Our standup is at 13:30", ATLAS), entry("Our standup is at 9:00")
    assert may_be_about_one_thing(new, old, KNOWN[:1])
    assert not may_be_about_one_thing(new, old, KNOWN[:2])
    assert may_be_about_one_thing(new, old, ())
    assert may_be_about_one_thing(said("The standup of atlas is at 13:30"), old, KNOWN[:1])


def test_a_region_of_a_cloud_does_not_mean_us() -> None:
    new = said("The cluster runs in eu-west-1", ATLAS)
    assert may_be_about_one_thing(new, entry("The cluster runs in us-east-2"), KNOWN)
    assert not may_be_about_one_thing(new, entry("The cluster of us runs in Ohio"), KNOWN)


def test_a_name_within_the_name_of_another_project_is_none() -> None:
    assert named_projects("The CI of fern-ledger is Jenkins", KNOWN) == {LEDGER}
    assert named_projects("The CI of fern is Jenkins", KNOWN) == {FERN}
    assert named_projects("atlas and fern share a CI", KNOWN) == {ATLAS, FERN}


def test_an_entry_that_names_its_project_goes_on_naming_it() -> None:
    old = entry("fern-ledger builds run on Buildkite")
    assert with_project_name(said("Our builds run on Jenkins", LEDGER), old, KNOWN) == (
        "fern-ledger: Our builds run on Jenkins"
    )
    for new in (said("fern-ledger builds run on Jenkins", LEDGER), said("I live in Porto")):
        assert with_project_name(new, old, KNOWN) == new.fact.text
    assert with_project_name(said("I live in Porto", ATLAS), entry("I live in Lisbon"), KNOWN) == "I live in Porto"


@pytest.mark.parametrize("longer", ["~/src/old-fern", "~/src/my-fern-shop", "~/src/fern-shop"])
def test_a_name_is_none_wherever_in_the_longer_name_it_stands(longer: str) -> None:
    known = [known_project(FERN), known_project(longer)]
    assert named_projects(f"The CI of {longer.rpartition('/')[2]} is Jenkins", known) == {longer}


def test_a_home_knows_the_projects_of_its_memories_and_sessions(home: Path, vault: Path) -> None:
    with memoro.open(home=home, vault=vault) as m:
        m.memories.store("The CI is Jenkins", project=FERN)
        m.memories.store("The CI is slow", project=FERN)
        m.memories.store("I live in Porto")
        with memoro.open(home=home, vault=vault, project=LEDGER) as other:
            other.recall("Which CI?", session="s1")
        names = [one.name for one in m.parts.judging.projects()]
    assert sorted(names) == sorted({*names}), "each is known once"
    assert {FERN, LEDGER} <= {*names}


@pytest.mark.parametrize("is_enabled", [True, False])
def test_facts_are_compared_by_vectors_only_where_embedding_is_on(home: Path, vault: Path, is_enabled: bool) -> None:
    home.mkdir(0o700, exist_ok=True)
    (home / "memoro.toml").write_text(f"[embedding]\nenabled = {str(is_enabled).lower()}\n")
    with memoro.open(home=home, vault=vault) as m:
        embed = m.parts.judging.embed
        assert (embed is not None) == is_enabled
        assert (m.parts.judging.nearest.embed is not None) == is_enabled
        assert embed is None or len(embed(["one", "two"])) == 2
