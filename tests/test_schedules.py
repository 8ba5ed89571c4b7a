"""Daily backups and pruning: on their schedule, said aloud, and whatever the clock once said."""

from __future__ import annotations

import json
import os
import time
from datetime import datetime, timedelta
from pathlib import Path

import pytest

import memoro as library
from memoro.hooks import capture, spool
from memoro.hooks.events import Capture
from memoro.ledger import housekeeping
from memoro.workspace import Workspace
from tests.command import Memoro, run_memoro
from tests.raw_sqlite import index_file, table_bytes
from tests.test_memories import Clock, a_memory, put, settings

NOON = datetime(2026, 3, 5, 12).astimezone()


@pytest.fixture(autouse=True)
def look_after_each_write(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(housekeeping, "LOOK_EVERY_SECONDS", 0)


# A wrong clock


@pytest.mark.parametrize("wrong", [timedelta(hours=1), timedelta(days=365), timedelta(days=-365)], ids=str)
def test_a_clock_that_was_wrong_once_does_not_stop_the_daily_backups(wrong: timedelta, home: Path):
    clock = Clock(NOON)
    with library.open(home, clock=clock) as m:
        m.memories.store("before")
        clock.now = NOON + wrong
        m.memories.store("by a wrong clock")
        set_file_times(home, clock.now)
        clock.now = NOON + timedelta(minutes=5)
        for day in range(1, 10):
            clock.now = NOON + timedelta(days=day)
            m.memories.store(f"on day {day}")
            set_file_times(home, clock.now)
            newest = m.backups.newest()
            assert newest
            assert newest.created_at[:10] == clock.now.isoformat()[:10], f"no backup on day {day}"
        assert [check.state for check in m.doctor() if check.name == "backups"] == ["ok"]
        daily = [backup for backup in m.backups.all() if backup.why == "daily"]
        assert len(daily) == 7, "and no more are kept"


def set_file_times(home: Path, now: datetime) -> None:
    """A file gets the time of the clock, which the test sets."""
    for file in home.glob("ledger.db*"):
        os.utime(file, (now.timestamp(), now.timestamp()))


def test_many_backups_from_the_future_do_not_push_out_those_of_today(home: Path):
    clock = Clock(NOON + timedelta(days=365))
    with library.open(home, clock=clock) as m:
        for day in range(8):
            clock.go(days=1)
            m.memories.store(f"ahead {day}")
            set_file_times(home, clock.now)
        clock.now = NOON
        m.memories.store("today")
        assert [check.state for check in m.doctor() if check.name == "backups"] == ["ok"]
        newest = m.backups.newest()
        assert newest
        with m.ledger.access.ledger.reading_copy(str(home / "backups" / newest.name)) as tx:
            assert tx.memories.count() == 9


def test_doctor_says_that_the_last_backup_is_dated_in_the_future(home: Path):
    clock = Clock(NOON + timedelta(days=365))
    with library.open(home, clock=clock) as m:
        m.memories.store("ahead")
        clock.now = NOON
        [found] = [check for check in m.doctor() if check.name == "backups"]
        assert found.state == "warning"
        assert "in the future" in found.found


def test_a_memory_that_holds_today_is_found_after_the_clock_was_a_year_ahead(home: Path, vault: Path):
    clock = Clock(NOON)
    with library.open(home, vault, clock=clock) as m:
        m.memories.store("the summer sale ends", valid_to="2026-04-01")
        clock.now = NOON + timedelta(days=365)
        assert m.search("summer sale", mode="words").results == ()
        clock.now = NOON + timedelta(hours=1)
        assert [hit.path for hit in m.search("summer sale", mode="words").results] == ["memory:1"]
        assert [hit.path for hit in m.search("summer sale", mode="words").results] == ["memory:1"]


def test_a_turn_that_was_spooled_by_a_clock_ahead_does_not_wait_for_that_day(home: Path):
    now = time.time()
    event = Capture("claude-code", "turn", "s")
    spool.append(str(home), event, now=now + 365 * 86400)
    assert capture.is_due(str(home), now=now)


# Pruning


def too_large(home: Path, clock: Clock, count: int = 100) -> Workspace:
    m = library.open(settings(home, max_size="60KB"), clock=clock)
    put(m, *(a_memory(f"tea {n} " + f"w{n} " * 60) for n in range(count)))
    return m


def test_what_was_never_found_too_large_is_not_pruned_at_once(home: Path):
    clock = Clock(NOON)
    with too_large(home, clock) as m:
        m.memories.store("the write after which upkeep looks")
        assert m.memories.stats().archived == 0
        clock.now = NOON.replace(hour=23)
        m.memories.store("later that day")
        assert m.memories.stats().archived == 0
        clock.now = NOON.replace(hour=5) + timedelta(days=1)
        m.memories.store("after four in the morning")
        assert m.memories.stats().archived > 0


def test_a_home_that_was_pruned_long_ago_waits_for_the_schedule_too(home: Path):
    clock = Clock(NOON)
    with too_large(home, clock) as m:
        m.upkeep()
        clock.go(days=1)
        m.upkeep()
        assert m.memories.stats().archived > 0
        before = m.memories.stats().archived
    settings_file = home / "memoro.toml"
    settings_file.write_text(settings_file.read_text().replace("60KB", "400KB"))
    with library.open(home, clock=clock) as m:
        m.upkeep()
        clock.go(days=100)
        put(m, *(a_memory(f"cake {n} " + f"w{n} " * 60) for n in range(900)))
        m.memories.store("a write")
        assert m.memories.stats().archived == before
        clock.go(days=1)
        m.memories.store("a day later")
        assert m.memories.stats().archived > before


def test_what_was_archived_is_said_by_the_command_by_upkeep_and_by_status(home: Path, vault: Path):
    clock = Clock(datetime.now().astimezone() - timedelta(days=3))
    with too_large(home, clock) as m:
        m.upkeep()
        clock.go(days=1)
        [line] = [line for line in m.upkeep().done if line.startswith("pruning")]
        archived = m.memories.stats().archived
        assert f"{archived} memories moved to the archive" in line
        assert "memory.max_size" in line
    places = ("--home", str(home), "--vault", str(vault))
    done = run_memoro(*places, "memory", "store", "a write after four in the morning")
    assert done.code == 0
    assert "memories moved to the archive" in done.err
    assert done.out == "[id:101] stored\n"
    status = run_memoro(*places, "status").out
    assert f"{run_memoro(*places, 'memory', 'stats', '--json').json['archived'] - archived} memories" in status
    assert "memory query TEXT --archived" in status


def test_a_query_whose_only_matches_are_archived_says_so(memoro: Memoro):
    memoro("memory", "store", "the old lamp is green")
    memoro("memory", "store", "tea at four")
    memoro("memory", "archive", "1")
    done = memoro("memory", "query", "lamp")
    assert (done.code, done.out) == (1, "")
    assert done.err == "No present memory matches, but an archived one does: add --archived to see.\n"
    assert memoro("memory", "query", "lamp", "--json").json["only_archived"] == 1
    assert memoro("memory", "query", "lamp", "--archived").code == 0
    assert memoro("memory", "query", "tea", "--json").json["only_archived"] == 0
    assert (
        memoro("memory", "query", "volcano").err == "No memory matches. Try other words, or `memoro memory list`.\n"
    )


@pytest.mark.parametrize("words", [6, 60])
def test_the_size_that_the_limit_is_about_is_near_the_bytes_on_the_disk(words: int, home: Path, tmp_path: Path):
    """Rows in the ledger, words in the index, vectors in its files: not the journal, nor a cache."""
    with library.open(home) as m:
        lines = [{"content": f"fact {n} " + " ".join(f"w{n * k % 997}" for k in range(words))} for n in range(1500)]
        (tmp_path / "import.jsonl").write_text("\n".join(map(json.dumps, lines)))
        m.import_(tmp_path / "import.jsonl")
        m.sync()
        stats = m.memories.stats()
        rows = stats.tables["memories"]
        vectors = sum(file.stat().st_size for file in home.glob("index.*.vectors-*"))
    real = rows + words_bytes(home) + vectors
    assert 0.7 < stats.live_bytes / real < 1.4


def words_bytes(home: Path) -> int:
    return sum(size for name, size in table_bytes(index_file(home)).items() if name.startswith("words"))
