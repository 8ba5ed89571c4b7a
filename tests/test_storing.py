"""Storing a memory names what it may replace, and supersedes it in the same write."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memoro
from memoro.cli import main
from memoro.errors import KeyReused, MemoryNotFound, MemoryRefused, OutOfScope
from memoro.ledger.ended_facts import ended_facts
from memoro.mcp import render
from memoro.memories.results import Stored
from memoro.model.corrections import is_correction, subject_words
from memoro.model.memories import Memory, holds_since, is_current, may_supersede, moment, stamp, superseded
from memoro.model.privacy import item_is_private
from memoro.model.vocabulary import TRUSTS, Trust
from memoro.store.sqlite.schema import FORMAT
from memoro.testing import HashEmbedder
from memoro.workspace import Workspace
from tests.clocks import Clock
from tests.test_corruption import set_format

if TYPE_CHECKING:
    from memoro.model.vocabulary import Role
    from memoro.providers.ports import Vectors

NOW = datetime(2026, 3, 5, 12, tzinfo=UTC)


@pytest.fixture
def clock() -> Clock:
    return Clock(NOW)


@pytest.fixture
def m(clock: Clock) -> Iterator[Workspace]:
    with memoro.open(":memory:", clock=clock) as opened:
        yield opened


def ids(stored: Stored) -> list[int]:
    return [one.memory.id for one in stored.nearest]


def current(m: Workspace) -> list[int]:
    return [memory.id for memory in m.memories.all()]


# What is named

_LIFE = (
    "Ana lives in Bern",
    "The staging server is called heron",
    "Deploys happen on Mondays",
    "Ben prefers tea",
    "The API port is 8080",
    "The retro with Ben on Friday is at four",
    "We use Jenkins for builds",
    "The car is parked in the garage",
    "The invoice template is kept in Dropbox",
)


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("Ana moved to Basel", 1),
        ("Ana no longer lives in Bern", 1),
        ("The staging server is not heron but egret", 2),
        ("Deploys are on Thursdays now", 3),
        ("The API port is 8081", 5),
        ("The Friday retro is cancelled", 6),
        ("We don't use Jenkins anymore", 7),
        ("Wir nutzen Jenkins nicht mehr", 7),
        ("Invoice template: done", 9),
    ],
)
@pytest.mark.parametrize("is_indexed", [True, False])
def test_what_a_correction_replaces_is_named_first_and_does_not_say_the_same(
    m: Workspace, new: str, old: int, is_indexed: bool
) -> None:
    for text in _LIFE:
        m.memories.store(text)
    if is_indexed:
        m.sync()

    stored = m.memories.store(new)

    assert 1 <= len(stored.nearest) <= 3
    assert (ids(stored)[0], stored.nearest[0].says_the_same) == (old, False)
    assert stored.degraded == ()


def test_the_nearest_need_share_no_word(m: Workspace) -> None:
    for text in _LIFE:
        m.memories.store(text)
    m.sync()
    assert 8 in ids(m.memories.store("My vehicle stands in the street"))


def test_only_current_memories_are_named(m: Workspace) -> None:
    m.memories.store("Ana lives in Bern")
    m.memories.store("Ana lives in Basel", supersedes=[1])
    m.memories.store("Ana lives in Chur", valid_to="2026-01-01")
    m.sync()
    assert ids(m.memories.store("Ana lives in Zug")) == [2]


def test_a_fact_of_one_project_is_not_compared_with_those_of_another(m: Workspace) -> None:
    m.memories.store("The database is Postgres", project="api")
    m.memories.store("The database is MySQL", project="web")
    m.memories.store("The database is backed up daily")
    m.sync()
    assert sorted(ids(m.memories.store("The database is SQLite", project="web"))) == [2, 3]


def test_the_same_words_are_another_fact_in_another_project(m: Workspace) -> None:
    first = m.memories.store("Our dev server runs on port 7070", project="quill")
    other = m.memories.store("Our dev server runs on port 7070", project="harbor")
    again = m.memories.store("Our dev server runs on port 7070", project="harbor")
    assert (first.memory.id, other.memory.id, again.memory.id) == (1, 2, 2)
    shared = m.memories.store("The office opens at nine")
    assert m.memories.store("The office opens at nine", project="quill").memory.id == shared.memory.id


def test_what_states_the_same_attribute_of_the_same_subject_is_named_first(m: Workspace) -> None:
    for text in ("Ben likes tea", "harbor is written in Rust", "harbor runs on Postgres", "harbor has four users"):
        m.memories.store(text, project="harbor")
    m.sync()
    assert ids(m.memories.store("We switched to MySQL", project="harbor"))[0] == 3


def test_a_memory_that_is_known_already_names_nothing(m: Workspace) -> None:
    m.memories.store("Ana lives in Bern")
    m.memories.store("Ana lives in Basel")
    again = m.memories.store("Ana lives in Basel")
    assert (again.new, again.nearest) == (False, ())


class _Failing(HashEmbedder):
    is_down = False

    def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        if self.is_down:
            raise RuntimeError("the model is on fire")
        return super().embed(texts, role)


def test_a_store_names_the_nearest_though_the_embedder_fails(tmp_path: Path) -> None:
    embedder = _Failing()
    with memoro.open(tmp_path / "home", embedder=embedder) as m:
        m.memories.store("Ana lives in Bern")
        m.sync()
        embedder.is_down = True
        assert ids(m.memories.store("Ana lives in Basel")) == [1]


def test_a_store_whose_search_fails_is_kept_and_says_why(tmp_path: Path) -> None:
    with memoro.open(tmp_path / "home") as m:
        m.memories.store("Ana lives in Bern")
        m.sync()
    set_format(tmp_path / "home", FORMAT + 1)  # an index that this version cannot read
    with memoro.open(tmp_path / "home") as m:
        stored = m.memories.store("Ana lives in Basel")
        assert current(m) == [1, 2]
    assert stored.new and ids(stored) == [1]  # by the ledger's own words
    assert stored.degraded and "format" in stored.degraded[0]


@pytest.mark.parametrize("text", ["The port is 8080", "Mira is on leave", "Deploys happen on Mondays"])
def test_plain_statements_are_no_corrections(text: str) -> None:
    assert not is_correction(text) and subject_words(text) == text


@given(st.text(max_size=200))
def test_what_is_searched_for_is_never_empty_unless_the_text_is(text: str) -> None:
    assert bool(subject_words(text)) == bool(text)


# Superseding in the same write


def test_storing_supersedes_in_one_transaction_and_ends_the_old(m: Workspace, clock: Clock) -> None:
    m.memories.store("Ana lives in Bern")
    clock.now += timedelta(days=2)
    stored = m.memories.store("Ana lives in Basel", supersedes=[1])

    assert [one.id for one in stored.superseded] == [1]
    assert current(m) == [2]
    old = m.memories.get(1)
    assert (old.superseded_by, old.valid_to) == (2, stamp(clock.now))
    with pytest.raises(MemoryNotFound):
        m.memories.store("Ana lives in Chur", supersedes=[2, 77])
    assert current(m) == [2]  # neither stored nor superseded


def test_storing_the_same_again_supersedes_what_is_named_then(m: Workspace) -> None:
    m.memories.store("Ana lives in Bern")
    m.memories.store("Ana lives in Basel")
    for _ in range(2):
        again = m.memories.store("Ana lives in Basel", supersedes=[1])
        assert (again.memory.id, again.new, [one.id for one in again.superseded]) == (2, False, [1])
    assert current(m) == [2]
    with pytest.raises(MemoryRefused, match="itself"):
        m.memories.store("Ana lives in Basel", supersedes=[2])


def test_a_key_stands_for_what_is_superseded_too(m: Workspace) -> None:
    m.memories.store("Ana lives in Bern")
    m.memories.store("Ben prefers tea")
    for _ in range(2):
        stored = m.memories.store("Ana lives in Basel", supersedes=[1], key="k")
        assert (stored.memory.id, stored.new, [one.id for one in stored.superseded]) == (3, True, [1])
    with pytest.raises(KeyReused):
        m.memories.store("Ana lives in Basel", supersedes=[2], key="k")
    assert current(m) == [2, 3]


def test_undo_takes_back_the_store_and_what_it_superseded(m: Workspace) -> None:
    m.memories.store("Ana lives in Bern", valid_from="2026-01-01")
    before = m.memories.get(1)
    m.memories.store("Ana lives in Basel", supersedes=[1])

    assert len(m.journal.undo(dry_run=True).entries) == 2
    undone = m.journal.undo()

    assert [entry.operation for entry in undone.entries] == ["store", "supersede"]
    assert m.memories.get(1) == before
    assert current(m) == [1]


def test_undoing_all_of_a_source_takes_back_each_change_once(m: Workspace) -> None:
    m.memories.store("Ana lives in Bern", source="user")
    m.memories.trust(1, "agent_inferred")
    m.memories.store("Ana lives in Basel", source="agent", supersedes=[1])
    assert m.journal.undo(by="agent", since="2026-01-01").refused == ()
    assert current(m) == [1]


def test_undoing_the_superseding_alone_leaves_the_new_memory(m: Workspace) -> None:
    m.memories.store("Ana lives in Bern")
    m.memories.store("Ana lives in Basel", supersedes=[1])
    entry = next(one for one in m.journal.log() if one.operation == "supersede")
    m.journal.undo(entry.id)
    assert current(m) == [1, 2]
    m.journal.undo()
    assert current(m) == [1]


def test_a_memory_of_another_project_is_not_superseded(tmp_path: Path) -> None:
    with memoro.open(tmp_path / "home", project="web") as m:
        m.memories.store("The database is MySQL")
    with memoro.open(tmp_path / "home", project="api") as m, pytest.raises(OutOfScope):
        m.memories.store("The database is Postgres", supersedes=[1])


# What the new one inherits


def test_what_replaces_a_memory_keeps_its_project_its_agent_and_its_tags(m: Workspace) -> None:
    old = m.memories.store("The scanner listens on port 7000", "seeds,lab", project="~/src/seedbox", agent="crane")
    new = m.memories.store("The scanner listens on port 7100", source="user", supersedes=[1]).memory
    assert (new.project, new.agent, new.tags) == ("~/src/seedbox", "crane", ("seeds", "lab"))
    assert m.journal.log(1)[0].agent is None, "the memory is the agent's, the change is not"
    again = m.memories.store("The scanner listens on port 7100", source="user", supersedes=[1])
    assert (again.new, again.memory) == (False, new)
    named = m.memories.store("The scanner has no port", "gone", project="heron", supersedes=[2]).memory
    assert (named.project, named.tags) == ("heron", ("gone",))
    assert old.memory.project == m.memories.get(1).project


@pytest.mark.parametrize(
    ("text", "tags"), [("The pay is 5", "private/pay"), ("Keep this between us: the pay is 5", "pay")]
)
def test_what_replaces_a_private_memory_is_private_whatever_is_named(m: Workspace, text: str, tags: str) -> None:
    m.memories.store(text, tags)
    assert item_is_private("", m.memories.store("The pay is 6", supersedes=[1]).memory.tags)
    new = m.memories.store("The pay is 7", "pay,new", supersedes=[2]).memory
    assert new.tags == ("pay", "new", "private")


def test_what_the_settings_call_private_stays_private_when_it_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "memoro.toml").write_text('privacy.private = ["#health"]\n')
    with memoro.open(tmp_path) as m:
        m.memories.store("The dentist is Dr Fern", "health")
        new = m.memories.store("The dentist is Dr Oak", "people", supersedes=[1]).memory
        assert new.tags == ("people", "private")


def test_memories_of_two_projects_are_replaced_by_one_only_if_its_project_is_named(m: Workspace) -> None:
    m.memories.store("The port is 1", project="github.com/acme/api")
    m.memories.store("The port is 2", project="api")
    m.memories.store("The port is 3", project="web")
    assert m.memories.store("The port is 4", supersedes=[1, 2]).memory.project == "github.com/acme/api"
    with pytest.raises(MemoryRefused, match="the projects api and web"):
        m.memories.store("The port is 5", supersedes=[4, 3])
    assert m.memories.store("The port is 5", project="web", supersedes=[4, 3]).memory.project == "web"


def test_what_waits_for_a_persons_word_to_replace_another_is_of_its_project_already(m: Workspace) -> None:
    m.memories.store("The port is 1", source="user", project="api")
    stored = m.memories.store("The port is 2", source="web", supersedes=[1])
    assert [one.memory.id for one in stored.waiting] == [1]
    assert stored.memory.project == "api"


# Trust


@given(st.sampled_from(TRUSTS), st.sampled_from(TRUSTS))
def test_no_memory_takes_the_place_of_one_that_is_trusted_further(new: Trust, old: Trust) -> None:
    assert may_supersede(new, old) is (TRUSTS.index(new) >= TRUSTS.index(old))


def test_where_the_trust_does_not_suffice_both_stay_and_a_proposal_waits(home: Path, vault: Path) -> None:
    with memoro.open(home, vault) as m:
        m.memories.store("Ana lives in Bern", source="user")
        stored = m.memories.store("Ana lives in Basel", supersedes=[1])

        assert stored.superseded == () and current(m) == [1, 2]
        [waiting] = stored.waiting
        assert (waiting.memory.id, [one.id for one in m.proposals.all()]) == (1, [waiting.proposal])
        m.proposals.accept(waiting.proposal)
        assert current(m) == [2]


def test_the_word_of_a_person_is_enough(m: Workspace) -> None:
    m.memories.store("Ana lives in Bern")
    m.memories.trust(1, "user_confirmed")
    m.memories.store("Ana lives in Basel", source="user", supersedes=[1])
    assert current(m) == [2]


# When a memory holds


def test_an_update_dates_the_memory_by_the_change(m: Workspace, clock: Clock) -> None:
    m.memories.store("Ana lives in Bern")
    clock.now += timedelta(days=30)
    changed = m.memories.update(1, "Ana lives in Basel")
    assert holds_since(changed) == stamp(clock.now)
    m.sync()
    assert m.search("Ana lives", kind="memory").results[0].date == clock.now.date().isoformat()
    assert [one.memory.content for one in m.memories.query("Ana lives", as_of="2026-03-10").results] == [
        "Ana lives in Bern"
    ]
    clock.now += timedelta(days=1)
    assert m.memories.update(1, tags="people").valid_from == changed.valid_from
    assert m.memories.update(1, "Ana lives in Zug", valid_from="2026-02-01").valid_from != stamp(clock.now)


def test_an_updated_memory_is_current_though_the_clock_is_set_back(m: Workspace, clock: Clock) -> None:
    m.memories.store("Ana lives in Bern")
    m.memories.update(1, "Ana lives in Basel")
    clock.now -= timedelta(hours=1)
    assert current(m) == [1]
    m.sync()
    assert m.search("Ana lives", kind="memory").results


_TIMES = st.none() | st.datetimes(datetime(2026, 1, 1), datetime(2026, 12, 31)).map(
    lambda at: stamp(at.replace(tzinfo=UTC))
)


def _memory(number: int, begins: str | None, ends: str | None) -> Memory:
    return Memory(
        id=number,
        content="x",
        source="agent",
        trust="agent_inferred",
        created_at="2026-01-01T00:00:00.000Z",
        valid_from=begins,
        valid_to=ends,
    )


@given(begins=_TIMES, ends=_TIMES, later=_TIMES)
def test_a_superseded_memory_has_an_end_and_is_not_current(
    begins: str | None, ends: str | None, later: str | None
) -> None:
    old = superseded(_memory(1, begins, ends), _memory(2, later, None), NOW)
    assert old.superseded_by == 2 and not is_current(old, NOW)
    assert old.valid_to is not None and (old.valid_to == ends or moment(old.valid_to) <= NOW)


# What a person and a model read


def test_the_command_supersedes_and_names_the_nearest(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    home = ["--home", str(tmp_path / "home")]
    for words in (["Ana lives in Bern"], ["Ana lives in Basel"], ["Ana lives in Chur", "--supersedes", "1"]):
        assert main([*home, "memory", "store", *words]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said == [
        "[id:1] stored",
        "[id:2] stored",
        "   nearest to it:",
        "   [id:1] Ana lives in Bern",
        "   if it replaces [id:1]: memoro memory supersede 1 2",
        "[id:3] stored",
        "   supersedes [id:1] Ana lives in Bern",
        "   nearest to it:",
        "   [id:2] Ana lives in Basel",
        "   if it replaces [id:2]: memoro memory supersede 2 3",
    ]


def test_a_model_reads_one_line_for_each_and_what_to_do(m: Workspace) -> None:
    m.memories.store("Ana lives in\nBern. " + "She likes it. " * 40)
    m.memories.store("The payment API signs requests with HMAC")
    said = render.stored(m.memories.store("The payment API signs all requests with HMAC")).splitlines()
    assert said[1:3] == ["Nearest:", "[id:2] (says the same) The payment API signs requests with HMAC"]
    assert "supersedes=[their ids]" in said[-1]
    said = render.stored(m.memories.store("Ana lives in Basel")).splitlines()
    assert said[2].startswith("[id:1] Ana lives in Bern.") and len(said[2]) < 180


def test_a_fact_of_a_conversation_that_was_replaced_twice_names_what_holds_now(m: Workspace, clock: Clock) -> None:
    m.memories.store("Ana lives in Bern", source="extraction", origin="log:1")
    for number, town in enumerate(("Basel", "Chur"), start=1):
        clock.now += timedelta(days=1)
        m.memories.store(f"Ana lives in {town}", source="extraction", origin=f"log:{number + 1}", supersedes=[number])
    clock.now += timedelta(days=1)

    found = ended_facts(m.ledger.access, ["log:1", "log:2", "log:3", "log:4"], [])

    assert [(one.origin, one.text, one.superseded_by) for one in found] == [
        ("log:1", "Ana lives in Bern", "memory:3"),
        ("log:2", "Ana lives in Basel", "memory:3"),
    ]
    assert [one.origin for one in ended_facts(m.ledger.access, [], ["Ana lives in Bern"])] == ["log:1"]
