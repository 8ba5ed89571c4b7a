"""When upkeep looks, what it reports, and on which side of a time of the schedule something is due."""

from __future__ import annotations

import os
from datetime import datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest

import memoro
from memoro.errors import StorageFull
from memoro.ledger import housekeeping
from memoro.ledger.housekeeping import UpkeepDone, has_come, seconds_until
from memoro.model.memories import moment, stamp
from memoro.store.serving import claimed
from tests.test_kept_sessions import in_utc
from tests.test_memories import Clock, a_memory, put, settings

DAILY = "0 4 * * *"


def test_upkeep_looks_at_the_first_write_and_then_once_in_ten_minutes(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = [5000.0]
    monkeypatch.setattr(housekeeping, "time", SimpleNamespace(monotonic=lambda: at[0]))
    looked: list[float] = []
    with memoro.open(home) as m:
        m.ledger.housekeeping.errands[:] = [("", lambda: looked.append(at[0]))]
        for now in (5000.0, 5599.9, 5600.0, 5600.1, 6199.9, 6200.0):
            at[0] = now
            m.memories.store(f"written at {now}")
    assert looked == [5000.0, 5600.0, 6200.0]


def test_a_write_leaves_upkeep_to_the_process_that_serves_the_home(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(housekeeping, "LOOK_EVERY_SECONDS", 0)
    looked: list[int] = []
    with memoro.open(home) as m:
        m.ledger.housekeeping.errands[:] = [("", lambda: looked.append(1))]
        with claimed(str(home)):
            m.memories.store("while it is served")
            assert looked == []
        m.memories.store("afterwards")
    assert looked == [1]


def test_a_write_tells_of_pruning_alone(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(housekeeping, "LOOK_EVERY_SECONDS", 0)

    def fail() -> None:
        raise OSError("the disk is gone")

    with memoro.open(home) as m:
        keeping = m.ledger.housekeeping
        keeping.errands[:] = [("", fail), ("backup", lambda: "made"), ("pruning", lambda: "2 moved")]
        m.memories.store("a fact")
        assert keeping.notices == ["pruning: 2 moved"]
        m.memories.store("another")
        assert keeping.notices == ["pruning: 2 moved"] * 2


def test_an_errand_that_fails_leaves_the_others_to_be_done_and_each_reason_is_told_once(home: Path) -> None:
    def fail(error: Exception) -> None:
        raise error

    with memoro.open(home) as m:
        m.memories.store("a fact")
        made = m.backups.create()
        keeping = m.ledger.housekeeping
        keeping.errands[:] = [
            ("a", lambda: fail(OSError("full"))),
            ("b", lambda: fail(ValueError("full"))),
            ("c", lambda: fail(KeyError())),
            ("text", lambda: "done"),
            ("nothing", lambda: ""),
            ("", lambda: "not reported"),
            ("backup", lambda: made),
            ("number", lambda: 3),
        ]
        assert keeping.run_due() == UpkeepDone(
            done=("text: done", f"backup {made.name}", "number"), failed=("full", "KeyError")
        )


def test_the_errands_of_a_home_are_done_with_their_names(home: Path) -> None:
    with memoro.open(home) as m:
        m.memories.store("a fact")
        assert [name for name, _ in m.ledger.housekeeping.errands[:6]] == ["", "", "backup", "pruning", "", ""]


# Backups


def write_at(home: Path, at: datetime) -> None:
    for file in home.glob("ledger.db*"):
        os.utime(file, (at.timestamp(), at.timestamp()))


@pytest.mark.parametrize(
    ("written", "now", "due"),
    [
        (timedelta(seconds=-1), timedelta(0), False),
        (timedelta(0), timedelta(days=1), True),
        (timedelta(seconds=-1), timedelta(days=1), False),
        (timedelta(seconds=1), timedelta(days=1), True),
        (timedelta(seconds=-1), timedelta(seconds=-1), True),
    ],
    ids=["just made", "written at that moment", "nothing written since", "written since", "made in the future"],
)
def test_a_backup_is_due_unless_nothing_was_written_since_the_last(
    written: timedelta, now: timedelta, due: bool, home: Path
) -> None:
    clock = Clock()
    with memoro.open(home, clock=clock) as m:
        m.memories.store("a fact")
        m.backups.create()
        newest = m.backups.newest()
        assert newest
        made_at = moment(newest.created_at)
        write_at(home, made_at + written)
        clock.now = made_at + now
        assert (m.ledger.housekeeping.back_up_if_due() is not None) == due


# The schedule


def at(text: str) -> datetime:
    return datetime.fromisoformat(f"2026-03-{text}+00:00")


@pytest.mark.parametrize(
    ("last", "now", "come"),
    [
        ("05T03:59:59", "05T04:00:00", True),
        ("05T03:59:58", "05T03:59:59", False),
        ("05T04:00:00", "05T04:00:01", False),
        ("05T04:00:00", "06T03:59:59", False),
        ("05T04:00:00", "06T04:00:00", True),
        ("05T12:00:00", "09T12:00:00", True),
    ],
)
def test_a_time_of_the_schedule_has_come_when_it_is_reached(last: str, now: str, come: bool, tmp_path: Path) -> None:
    with in_utc(tmp_path):
        assert has_come(DAILY, at(last), at(now)) is come


@pytest.mark.parametrize(
    ("now", "seconds"), [("05T03:59:30", 30.0), ("05T04:00:00", 86400.0), ("05T16:00:00", 43200.0)]
)
def test_the_next_time_of_the_schedule_is_so_many_seconds_ahead(now: str, seconds: float, tmp_path: Path) -> None:
    with in_utc(tmp_path):
        assert seconds_until(DAILY, at(now)) == seconds


def test_work_waits_for_the_schedule_is_done_once_for_each_time_and_ignores_a_time_in_the_future(
    home: Path, tmp_path: Path
) -> None:
    clock = Clock(at("05T12:00:00"))
    done: list[datetime] = []

    def work() -> str:
        done.append(clock.now)
        return "done"

    with in_utc(tmp_path), memoro.open(home, clock=clock) as m:
        keeping = m.ledger.housekeeping
        answers = []
        for text in ("05T12:00:00", "06T03:59:00", "06T04:00:00", "06T04:00:00", "06T05:00:00", "08T04:30:00"):
            clock.now = at(text)
            answers.append(keeping.if_due("watering", work))
        assert answers == [None, None, "done", None, None, "done"]
        clock.now = at("01T12:00:00")  # the clock was ahead before
        assert keeping.if_due("watering", work) is None
        clock.now = at("02T04:00:00")
        assert keeping.if_due("watering", work) == "done"
        assert keeping.if_due("another", work) is None
    assert done == [at("06T04:00:00"), at("08T04:30:00"), at("02T04:00:00")]


def test_a_ledger_that_fits_again_waits_anew_when_it_grows(home: Path, tmp_path: Path) -> None:
    clock = Clock(at("05T12:00:00"))
    settings(home, max_size="60KB")
    with in_utc(tmp_path), memoro.open(home, clock=clock) as m:
        keeping, access = m.ledger.housekeeping, m.ledger.access
        with access.ledger.writing() as tx:
            tx.meta.put("pruned_at", stamp(clock.now))
        settings_file = home / "memoro.toml"
        settings_file.write_text(settings_file.read_text().replace("60KB", "600KB"))
    with in_utc(tmp_path), memoro.open(home, clock=clock) as m:
        keeping, access = m.ledger.housekeeping, m.ledger.access
        assert keeping.prune_if_due() == ""
        with access.ledger.reading() as tx:
            assert tx.meta.get("pruned_at") is None


def test_pruning_says_how_many_it_moved_and_nothing_where_it_moved_none(home: Path, tmp_path: Path) -> None:
    clock = Clock(at("05T12:00:00"))
    with in_utc(tmp_path), memoro.open(settings(home, max_size="60KB"), clock=clock) as m:
        put(m, *(a_memory(f"tea {n} " + f"w{n} " * 60) for n in range(100)))
        keeping = m.ledger.housekeeping
        assert keeping.prune_if_due() == ""
        assert m.memories.stats().archived == 0
        clock.now = at("06T04:00:00")
        said = keeping.prune_if_due()
        moved = m.memories.stats().archived
        assert moved > 0
        assert said.startswith(f"{moved} memories moved to the archive")
        last = m.ledger.archiving.last_pruning()
        assert last
        assert (last.at, last.archived, last.limit) == ("2026-03-06T04:00:00.000Z", moved, 60_000)


def test_where_a_closer_look_finds_that_all_fits_nothing_is_pruned_or_said(home: Path, tmp_path: Path) -> None:
    clock = Clock(at("05T12:00:00"))
    with in_utc(tmp_path), memoro.open(settings(home, max_size="100KB"), clock=clock) as m:
        m.memories.store("a fact")
        keeping = m.ledger.housekeeping
        assert not m.ledger.archiving.surely_fits()
        for moment_of in ("05T12:00:00", "06T04:00:00"):
            clock.now = at(moment_of)
            assert keeping.prune_if_due() == ""
        assert m.ledger.archiving.last_pruning() is None


# Room


def test_without_spare_room_a_full_disk_stays_an_error(home: Path) -> None:
    with memoro.open(home) as m:
        m.memories.store("a fact")
        keeping, ledger = m.ledger.housekeeping, m.ledger.access.ledger
        error = StorageFull("no space left")
        ledger.keep_spare_room()
        keeping.free_spare_room(error)
        with pytest.raises(StorageFull, match="no space left"):
            keeping.free_spare_room(error)
        ledger.keep_spare_room()
        keeping.free_spare_room(error)
