"""A query for memories ranks as every search does, sees every write before it, and lets feedback decide."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import memoro
from memoro.cli import main
from memoro.model.memories import Memory, stamp
from memoro.testing import HashEmbedder
from memoro.workspace import Workspace
from tests.clocks import Clock
from tests.test_item_index import somebody_syncs
from tests.test_memories import put

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


def contents(m: Workspace, query: str, limit: int = 5, as_of: str | None = None) -> list[str]:
    return [one.memory.content for one in m.memories.query(query, limit, as_of=as_of).results]


_LIFE = (
    "The cat sleeps on the warm windowsill",
    "Invoices are paid on the first of the month",
    "The server restarts at midnight",
    "Ana drives a red car",
)


def test_a_query_finds_what_shares_no_word_with_it_and_ranks_as_a_search_does(m: Workspace) -> None:
    for text in _LIFE:
        m.memories.store(text)
    for asked in ("when do we settle what we owe", "Who has a vehicle?", "server at midnight"):
        found = m.memories.query(asked)
        searched = m.search(asked, kind="memory").results
        assert (found.mode, found.degraded) == ("hybrid", ())
        assert [f"memory:{one.memory.id}" for one in found.results][:1] == [hit.path for hit in searched][:1]


def test_a_query_needs_no_look_at_the_vault(tmp_path: Path) -> None:
    with memoro.open(tmp_path / "home", tmp_path / "there is no such vault") as m:
        for text in _LIFE:
            m.memories.store(text)
        found = m.memories.query("Who has a vehicle?", 1)
        assert ([one.memory.id for one in found.results], found.mode, found.degraded) == ([4], "hybrid", ())


def test_a_query_by_meaning_sees_every_write_before_it(m: Workspace) -> None:
    m.memories.store("Ana drives a red car")
    assert contents(m, "vehicle") == ["Ana drives a red car"]
    m.memories.update(1, "Ana rides a red bicycle")
    assert contents(m, "vehicle") == ["Ana rides a red bicycle"]
    m.memories.store("Ben owns a truck")
    assert set(contents(m, "vehicle")) == {"Ana rides a red bicycle", "Ben owns a truck"}
    m.memories.supersede(1, 2)
    assert contents(m, "vehicle") == ["Ben owns a truck"]
    m.memories.remove(2)
    assert contents(m, "vehicle") == []


def test_words_answer_and_say_so_while_another_process_keeps_the_index_from_following(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with memoro.open(home) as m:
        m.memories.store("Ana drives a red car")
        assert m.memories.query("car").mode == "hybrid"
        with somebody_syncs(home):
            unchanged = m.memories.query("car")
            m.memories.store("Ben's car is blue")
            found = m.memories.query("car")
        assert (unchanged.mode, unchanged.degraded) == ("hybrid", ())
        assert {one.memory.id for one in found.results} == {1, 2}
        assert found.mode == "words"
        assert ["found by words alone" in notice for notice in found.degraded] == [True]
        assert m.memories.query("car").degraded == ()


class _Failing(HashEmbedder):
    is_down = False

    def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        if self.is_down:
            raise RuntimeError("the model is on fire")
        return super().embed(texts, role)


def test_a_query_is_answered_though_the_embedder_fails(tmp_path: Path) -> None:
    embedder = _Failing()
    with memoro.open(tmp_path / "home", embedder=embedder) as m:
        m.memories.store("Ana drives a red car")
        assert contents(m, "car") == ["Ana drives a red car"]
        embedder.is_down = True
        found = m.memories.query("car")
        assert [one.memory.id for one in found.results] == [1]
        assert any("the model is on fire" in notice for notice in found.degraded)


@pytest.mark.parametrize("setting", ["[embedding]\nenabled = false\n", '[query]\nmode = "words"\n'])
def test_settings_without_meaning_leave_the_formula_alone(tmp_path: Path, setting: str) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    (home / "memoro.toml").write_text(setting)
    with memoro.open(home, clock=lambda: NOW) as m:
        m.memories.store("Ana drives a red car")
        found = m.memories.query("car")
        assert (found.mode, found.degraded) == ("words", ())
        assert found == m.memories.query("car", mode="words")


def test_feedback_decides_between_memories_that_fit_alike(m: Workspace) -> None:
    for name in ("Ana", "Ben", "Cleo"):
        m.memories.store(f"{name} likes green tea in the morning")
    for _ in range(2):
        m.memories.reinforce(3)
    for _ in range(5):
        m.memories.demote(2)
    found = [one.memory.id for one in m.memories.query("green tea in the morning").results]
    assert found == [3, 1, 2]


def test_a_memory_that_helped_is_not_lost_among_hundreds_that_hold_the_same_words(m: Workspace) -> None:
    put(m, *(_memory(f"tea number {n} is green") for n in range(400)))
    [helped] = put(m, _memory("tea number 400 is green", feedback=9))
    put(m, *(_memory(f"tea number {n} is green") for n in range(401, 600)))
    assert m.memories.query("green tea", 1).results[0].memory.id == helped


def _memory(content: str, feedback: int = 0) -> Memory:
    return Memory(
        id=0, content=content, source="agent", trust="agent_inferred", created_at=stamp(NOW), feedback=feedback
    )


def test_a_fact_of_last_year_is_found_before_a_weaker_match_of_today(m: Workspace, clock: Clock) -> None:
    m.memories.store("Ana's passport is in the blue drawer")
    clock.now += timedelta(days=365)
    m.memories.store("Ana bought a new drawer")
    assert contents(m, "Where is Ana's passport?")[0] == "Ana's passport is in the blue drawer"


def test_of_two_memories_of_one_day_about_the_same_thing_the_later_comes_first(m: Workspace) -> None:
    for text in ("Ana lives in Bern", "The staging server is called heron", "Ana lives in Chur now"):
        m.memories.store(text)
    found = m.memories.query("Where does Ana live?").results
    assert [one.memory.id for one in found[:2]] == [3, 1]
    older = found[1].replaced_by
    assert (found[0].replaced_by, older and older.id) == (None, "memory:3")


def test_a_past_time_in_a_query_finds_what_held_then_and_says_until_when(m: Workspace, clock: Clock) -> None:
    m.memories.store("Ana lives in Bern")
    clock.now += timedelta(days=60)
    m.memories.store("Ana lives in Chur", supersedes=[1])
    clock.now += timedelta(days=10)
    assert contents(m, "Where does Ana live?") == ["Ana lives in Chur"]
    [then] = m.memories.query("Where did Ana live in March?", 1).results
    assert (then.memory.content, then.since, then.until) == ("Ana lives in Bern", "2026-03-05", "2026-05-04")


def test_as_of_a_day_memories_are_found_by_what_they_meant_then(m: Workspace, clock: Clock) -> None:
    m.memories.store("Ana drives a red car")
    m.memories.store("The cat sleeps on the windowsill")
    clock.now += timedelta(days=2)
    m.memories.store("Ana drives a bus", supersedes=[1])
    m.memories.update(2, "Ben owns a truck")
    assert contents(m, "vehicle", as_of="2026-03-05") == ["Ana drives a red car"]
    assert set(contents(m, "vehicle")) == {"Ana drives a bus", "Ben owns a truck"}
    assert "The cat sleeps on the windowsill" in contents(m, "cat", as_of="2026-03-05")


def test_filters_hold_by_meaning_however_many_others_there_are(m: Workspace) -> None:
    put(m, *(_memory(f"car {n} is red") for n in range(300)))
    m.memories.store("Ana drives a car", "ana,wheels", agent="codex", project="garage")
    for options in ({"tags": "wheels,ana"}, {"tags": "Ana"}):
        assert [one.memory.id for one in m.memories.query("vehicle", **options).results] == (  # type: ignore[arg-type]
            [301] if options["tags"] != "Ana" else []
        )
    everybody = {one.memory.id for one in m.memories.query("car", 200, agent="claude").results}
    assert everybody and 301 not in everybody
    assert 301 in {one.memory.id for one in m.memories.query("Ana's car", project="garage").results}
    assert 301 not in {one.memory.id for one in m.memories.query("Ana's car", project="kitchen").results}


def test_the_command_explains_a_place_as_a_search_does(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    home = str(tmp_path / "home")
    for text in _LIFE:
        assert main(["--home", home, "memory", "store", text]) == 0
    capsys.readouterr()
    assert main(["--home", home, "memory", "query", "who has a vehicle", "-n", "1", "--explain"]) == 0
    shown = capsys.readouterr().out
    assert "[id:4] Ana drives a red car" in shown
    assert "its place comes from a total of" in shown
    assert "What the parts measure" in shown
    assert main(["--home", home, "memory", "query", "car", "--mode", "words", "--explain"]) == 0
    assert "fit 0." in capsys.readouterr().out


@pytest.mark.parametrize("settings", ["", "[embedding]\nenabled = false\n"])
def test_the_day_in_a_statement_does_not_bring_memories_of_that_day(
    tmp_path: Path, clock: Clock, settings: str
) -> None:
    (tmp_path / "vault").mkdir()
    (tmp_path / "memoro.toml").write_text(settings)
    with memoro.open(tmp_path, vault=tmp_path / "vault", clock=clock) as m:
        m.sync()  # of an empty vault: memories that come later have no vectors yet, and are found by their words
        m.memories.store("Invoices are paid on the first of the month")
        m.memories.store("The sandbox key rotates on Mondays")
        stored = m.memories.store(f"The sandbox key rotates on {NOW:%A}s now")
    assert [one.memory.id for one in stored.nearest] == [2]
