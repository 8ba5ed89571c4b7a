"""Memories, experiences and narratives are found in the index, and every query sees the writes before it."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import memoro
from memoro.errors import LedgerDamaged
from memoro.store.sqlite.engine import engine
from memoro.store.sqlite.home import SqliteIndexHome
from memoro.workspace import Workspace
from tests.conftest import write_vault
from tests.damage import overwrite, overwrite_table
from tests.ledgers import database_of


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@contextmanager
def somebody_syncs(home: Path) -> Iterator[None]:
    """Holds the sync lock as another process does."""
    indexes = SqliteIndexHome(str(home), engine(str(home)))
    try:
        with indexes.syncing.held():
            yield
    finally:
        indexes.close()


def contents(m: Workspace, query: str, as_of: str | None = None) -> list[str]:
    return [one.memory.content for one in m.memories.query(query, as_of=as_of, mode="words").results]


def test_a_query_sees_the_write_before_it(home: Path) -> None:
    with memoro.open(home) as m:
        assert contents(m, "tea") == []
        m.memories.store("green tea at four")
        assert contents(m, "tea") == ["green tea at four"]
        m.memories.update(1, "black coffee at five")
        assert contents(m, "tea") == []
        assert contents(m, "coffee") == ["black coffee at five"]
        m.memories.remove(1)
        assert contents(m, "coffee") == []
        m.journal.undo(3)
        assert contents(m, "coffee") == ["black coffee at five"]


def test_a_walk_that_was_left_early_keeps_nobody_from_writing(home: Path) -> None:
    with memoro.open(home) as m:
        for number in range(5):
            m.memories.store(f"green tea at {number}")
        contents(m, "tea")
        indexes, others = (SqliteIndexHome(str(home), engine(str(home))) for _ in range(2))
        index = indexes.first()
        asked = index.terms("tea")

        with index.item_matches("memory", asked, {"tea": 1.0}) as matches:
            next(matches)
        others.first().put_meta({"by another process": "yes"})
        index.put_meta({"by this one": "yes"})

        assert list(matches) == []
        assert index.get_meta("by another process") == index.get_meta("by this one") == "yes"
        indexes.close()
        others.close()


def test_writes_are_seen_while_another_process_syncs_and_nobody_waits(home: Path) -> None:
    with memoro.open(home) as m:
        m.memories.store("green tea at four")
        m.memories.store("the tea is too hot")
        m.experiences.record("task_solution", "brew tea", "boil water")
        m.narratives.update("tea time")
        assert len(contents(m, "tea")) == 2
        with somebody_syncs(home):
            started = time.monotonic()
            m.memories.update(1, "green coffee at four")
            m.memories.remove(2)
            m.memories.store("white tea at six")
            m.experiences.record("task_solution", "brew white tea", "boil less water")
            m.narratives.update("white tea time")
            assert contents(m, "tea") == ["white tea at six"]
            assert contents(m, "coffee") == ["green coffee at four"]
            assert m.memories.store("white tea at six, too").nearest
            found = m.experiences.find_similar("white tea", mode="words").results
            assert [one.experience.intent for one in found] == ["brew white tea", "brew tea"]
            assert [one.narrative.summary for one in m.narratives.search("white")] == ["white tea time"]
            assert time.monotonic() - started < 5
        assert contents(m, "tea") == ["white tea at six", "white tea at six, too"]


@pytest.mark.slow
def test_without_any_index_and_while_another_process_makes_one_all_is_found(home: Path) -> None:
    with memoro.open(home) as m:
        for number in range(100):
            m.memories.store(f"lamp {number} hangs over table {number}")
    for file in home.glob("index.*"):
        file.unlink()
    with memoro.open(home) as m, somebody_syncs(home):
        assert len(m.memories.query("lamp", 200).results) == 100
        assert contents(m, "lamp 77")[0] == "lamp 77 hangs over table 77"


def test_what_no_longer_holds_is_found_only_as_of_then(home: Path) -> None:
    with memoro.open(home) as m:
        m.memories.store("the office is in Bonn", created_at="2026-01-01T00:00Z")
        m.memories.store("the office is in Kiel", created_at="2026-02-01T00:00Z")
        m.memories.store("the office party is on Friday", valid_to="2026-01-20")
        with database_of(m.ledger.access.ledger).write() as db:
            db.execute(
                "UPDATE memories SET superseded_by = 2, superseded_at = '2026-02-01T00:00:00.000Z' WHERE id = 1"
            )
            db.execute("UPDATE memories SET created_at = '2026-01-01T00:00:00.000Z' WHERE id = 3")
            db.execute("UPDATE meta SET value = 'another' WHERE key = 'identity'")  # so that all are mirrored again
        m.narratives.update("the office moves")
        assert contents(m, "office") == ["the office is in Kiel"]
        assert set(contents(m, "office", as_of="2026-01-10")) == {
            "the office is in Bonn",
            "the office party is on Friday",
        }
        for mode in ("words", "hybrid", "vectors"):
            assert [hit.path for hit in m.search("office", mode=mode).results] == ["memory:2"]


def test_a_damaged_index_is_made_anew_and_it_is_said(home: Path, tmp_path: Path) -> None:
    vault = write_vault(tmp_path / "vault", {"tea.md": "Green tea is steeped at eighty degrees."})
    with memoro.open(home, vault) as m:
        m.memories.store("green tea at four")
        m.sync()
    for file in home.glob("index.*.db"):
        overwrite(file, 0, os.urandom(file.stat().st_size))
    with memoro.open(home, vault) as m:
        found = m.memories.query("tea")
        assert [one.memory.content for one in found.results] == ["green tea at four"]
        assert any("damaged" in notice for notice in found.degraded)
        assert m.memories.query("tea").degraded == ()
        assert {hit.path for hit in m.search("green tea").results} == {"tea.md", "memory:1"}


@pytest.mark.parametrize("later", [0, 1, 2, 3], ids="{} changes after it went back".format)
def test_a_ledger_that_went_back_is_mirrored_anew(later: int, home: Path, tmp_path: Path) -> None:
    """The index has seen changes that the ledger has no longer, whether or not others have their positions now."""
    with memoro.open(home) as m:
        for text in ("green tea", "black tea", "hot coffee"):
            m.memories.store(text)
    shutil.copy(home / "ledger.db", tmp_path / "earlier.db")
    with memoro.open(home) as m:
        m.memories.update(1, "green lamp")
        m.memories.store("lost tea")
        assert set(contents(m, "tea")) == {"black tea", "lost tea"}
        assert {hit.path for hit in m.search("tea", mode="words").results} == {"memory:2", "memory:4"}
    shutil.copy(tmp_path / "earlier.db", home / "ledger.db")
    with memoro.open(home) as m:
        m.backups.adopt("ledger")
        kept = [m.memories.store(f"cup {number} of tea").memory for number in range(later)]
        found = m.memories.query("tea", 20, mode="words").results
        assert {one.memory.content for one in found} == {"green tea", "black tea", *(one.content for one in kept)}
        assert contents(m, "lost lamp") == []
        everywhere = {"memory:1", "memory:2", *(f"memory:{one.id}" for one in kept)}
        assert {hit.path for hit in m.search("tea", mode="words").results} == everywhere
        assert m.search("lost lamp", mode="words").results == ()
    for file in home.glob("index*"):
        file.unlink()
    with memoro.open(home) as m:
        fits = {(one.memory.id, one.fit) for one in m.memories.query("tea", 20, mode="words").results}
    assert fits == {(one.memory.id, one.fit) for one in found}, "it counted words of what is lost"


@pytest.mark.slow
def test_damage_of_the_ledger_met_while_items_are_ranked_is_not_blamed_on_the_index(home: Path) -> None:
    with memoro.open(home) as m:
        for number in range(200):
            m.memories.store(f"lamp {number} hangs over table {number}")
        assert contents(m, "lamp")
    before = sorted(file.name for file in home.glob("index*.db"))
    overwrite_table(home / "ledger.db", "memories", 0, b"\xff\x00 damage" * 300)
    with memoro.open(home) as m:
        for _ in range(2):
            with pytest.raises(LedgerDamaged):
                m.memories.query("lamp")
    assert sorted(file.name for file in home.glob("index*.db")) == before
    assert (home / "ledger.damaged.db").exists()


def test_a_query_counts_document_frequencies_over_memories_alone(home: Path, tmp_path: Path) -> None:
    """Notes about tea do not make tea a word that says little about memories."""
    vault = write_vault(tmp_path / "vault", {f"{n}.md": "tea and more tea" for n in range(50)})
    with memoro.open(tmp_path / "without") as m:
        fill(m)
        expected = m.memories.query("tea coffee", mode="words").results
    with memoro.open(home, vault) as m:
        fill(m)
        m.sync()
        found = m.memories.query("tea coffee", mode="words").results
    assert [(one.memory.id, one.fit) for one in found] == [(one.memory.id, one.fit) for one in expected]


def fill(m: Workspace) -> None:
    for text in ("tea is hot", "coffee is hot", "more coffee", "coffee again and again", "milk"):
        m.memories.store(text)
