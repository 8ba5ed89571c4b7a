"""Backups: a drill shows their worth. What is restored is what was there then, less what was forgotten since."""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import apsw
import pytest

import memoro
from memoro.errors import LedgerTooNew, MemoryRefused, NotFound, StoreUnavailable
from memoro.ledger.backups import KEEP
from memoro.ledger.services import LedgerServices
from memoro.store.sqlite.durable import DurableDatabase, Shape, copy
from memoro.store.sqlite.engine import connect, engine
from memoro.store.sqlite.ledger.schema import FORMAT
from memoro.store.sqlite.ledger.transaction import row_counts
from tests.conftest import run_memoro, times
from tests.damage import flip
from tests.ledgers import database_of
from tests.raw_sqlite import Rows, dump
from tests.test_ledger_faults import services

WRITERS = 4
WRITE = """
import sys, time, memoro
home, who = sys.argv[1], sys.argv[2]
with memoro.open(home) as m:
    m.ledger.access.after_write = lambda: None
    number = 0
    while True:
        number += 1
        asked = time.monotonic()
        try:
            if number % 5:
                m.memories.store(f"fact {number} of {who}", key=f"{who}/{number}/{time.monotonic_ns()}")
            else:
                m.memories.reinforce(1)
        except memoro.MemoroError as error:
            print(type(error).__name__, error, flush=True)
            break
        print(number, asked, time.monotonic(), flush=True)
        time.sleep(0.002)
"""


def state(folder: Path) -> dict[str, Rows]:
    """All rows of a home or a backup, but for what tells one state of the ledger from a restored one."""
    both = {name: dump(folder / f"{name}.db") for name in ("ledger", "archive")}
    both["ledger"]["meta"] = [row for row in both["ledger"]["meta"] if row[0] != "identity"]
    return both


@contextmanager
def writers(home: Path, drill: int) -> Iterator[list[subprocess.Popen[str]]]:
    started = [
        subprocess.Popen(
            [sys.executable, "-c", WRITE, str(home), f"writer {drill}-{who}"], stdout=subprocess.PIPE, text=True
        )
        for who in range(WRITERS)
    ]
    said: list[list[str]] = [[] for _ in started]

    def listen(process: subprocess.Popen[str], lines: list[str]) -> None:
        assert process.stdout is not None
        lines.extend(iter(process.stdout.readline, ""))

    threads = [threading.Thread(target=listen, args=pair) for pair in zip(started, said, strict=True)]
    for thread in threads:
        thread.start()
    while not all(said):
        time.sleep(0.01)
    try:
        yield started
    finally:
        for process in started:
            process.terminate()
        for process, thread in zip(started, threads, strict=True):
            process.wait()
            thread.join()
            assert process.stdout is not None
            process.stdout.close()
    whole = [[line for line in lines if line.endswith("\n")] for lines in said]  # the last may have been cut off
    wrong = [line for lines in whole for line in lines if not re.fullmatch(r"\d+ \S+ \S+\n", line)]
    assert wrong == [], wrong
    writers_said[:] = whole


writers_said: list[list[str]] = []


def asked_and_heard(drill: int) -> list[tuple[str, float, float]]:
    """Of each fact that was stored: its words, when it was asked for, and when it was acknowledged."""
    return [
        (f"fact {number} of writer {drill}-{who}", float(asked), float(heard))
        for who, lines in enumerate(writers_said)
        for number, asked, heard in (line.split() for line in lines)
        if int(number) % 5
    ]


@pytest.mark.campaign
def test_a_restored_backup_is_the_state_at_its_time_while_four_processes_write(tmp_path: Path):
    drills, rng = times(5, 100), random.Random(21)
    home = tmp_path / "home"
    with memoro.open(home) as m:
        m.memories.store("the first")
    for drill in range(drills):
        moments: dict[str, tuple[float, float]] = {}
        with writers(home, drill), memoro.open(home) as m:
            for _ in range(2):
                time.sleep(rng.uniform(0, 0.05))
                begun = time.monotonic()
                made = m.backups.create()
                moments[made.name] = (begun, time.monotonic())
            if drill % 2:  # in the midst of it all; who writes goes on, on what was restored
                m.backups.restore(rng.choice(list(moments)))
                time.sleep(0.02)
        for name, (begun, ended) in moments.items():
            there = {row[-1] for row in dump(home / "backups" / name / "ledger.db")["memories"]}
            for fact, asked, heard in asked_and_heard(drill) if not drill % 2 else ():
                assert fact in there or heard > begun, "acknowledged before the backup, and not in it"
                assert fact not in there or asked < ended, "in the backup before anyone asked for it"
        chosen = rng.choice(list(moments))
        expected = state(home / "backups" / chosen)
        done = run_memoro("--home", str(home), "backup", "restore", chosen)
        assert done.code == 0, done.err
        assert state(home) == expected, "what was restored is not what was saved"
        with memoro.open(home) as m:
            assert database_of(m.ledger.access.ledger).check() == []
            for name in (*moments, *(b.name for b in m.backups.all()[:2])):
                assert m.backups.verify(name).problems == ()
        shutil.rmtree(home / "backups")
    print(f"{drills} drills, {drills // 2} of them also restored while {WRITERS} wrote")


def test_a_restore_is_seen_by_who_has_the_ledger_open(tmp_path: Path):
    home = tmp_path / "home"
    with memoro.open(home) as living:
        living.memories.store("before the backup")
        name = living.backups.create().name
        living.memories.store("after the backup")
        assert len(living.search("backup", mode="words").results) == 2
        assert run_memoro("--home", str(home), "backup", "restore", name).code == 0

        assert [memory.content for memory in living.memories.all()] == ["before the backup"]
        assert [hit.path for hit in living.search("backup", mode="words").results] == ["memory:1"]
        assert living.memories.store("after the restore").memory.id == 3, "a number that meant another one before"
        assert [backup.why for backup in living.backups.all()].count("before a restore") == 1


@pytest.mark.campaign
def test_a_damaged_backup_is_found_and_not_restored(tmp_path: Path):
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    made = services(home)
    for number in range(30):
        made.memories.store(f"memory {number} " + "of many words " * 20)
    name = made.backups.create().name
    whole = tmp_path / "whole"
    shutil.copytree(home / "backups" / name, whole)
    rng, rounds = random.Random(5), times(20, 200)
    for _ in range(rounds):
        file = home / "backups" / name / rng.choice(["ledger.db", "ledger.db", "archive.db"])
        flip(file, rng)
        if file.read_bytes() != (whole / file.name).read_bytes():
            assert made.backups.verify(name).problems, f"damage of {file.name} was not found"
            with pytest.raises(StoreUnavailable, match="Choose another"):
                made.backups.restore(name)
        shutil.copy(whole / file.name, file)
    assert made.backups.verify(name).problems == ()
    (home / "backups" / name / "manifest.json").write_text("{")
    assert made.backups.verify(name).problems
    (home / "backups" / name / "ledger.db").unlink()
    assert made.backups.verify(name).problems
    with pytest.raises(NotFound):
        made.backups.verify("../../etc")
    made.close()


def test_seven_of_those_made_unasked_are_kept_and_all_of_the_others(tmp_path: Path):
    now = [datetime(2026, 3, 1, 8, tzinfo=UTC)]
    with memoro.open(tmp_path / "home", clock=lambda: now[0]) as m:
        for _ in range(3):
            m.backups.create()
        for _ in range(KEEP + 3):
            m.memories.store(f"of {now[0]}")
            m.backups.daily()
            m.backups.daily()
            now[0] += timedelta(days=1, minutes=1)
        kept = m.backups.all()
    assert [backup.why for backup in kept].count("daily") == KEEP
    assert [backup.why for backup in kept].count("asked for") == 3
    assert [backup.name for backup in kept] == sorted((backup.name for backup in kept), reverse=True)
    assert all(re.fullmatch(r"\d{8}T\d{6}Z(-\d+)?", backup.name) for backup in kept)
    assert max(backup.created_at for backup in kept if backup.why == "daily")[:10] == "2026-03-10"


@pytest.mark.process
def test_many_backups_at_once_do_not_get_in_each_others_way(tmp_path: Path):
    home = tmp_path / "home"
    with memoro.open(home) as m:
        m.memories.store("one")
    started = [
        subprocess.Popen(
            [sys.executable, "-m", "memoro", "--home", str(home), "backup", "create"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        for _ in range(6)
    ]
    for process in started:
        _, error = process.communicate()
        assert process.returncode == 0, error
    with memoro.open(home) as m:
        names = [backup.name for backup in m.backups.all() if backup.why == "asked for"]
        assert len(set(names)) == 6
        assert not any(m.backups.verify(name).problems for name in names)
    assert (home / "backups").stat().st_mode & 0o077 == 0


def test_what_was_forgotten_stays_forgotten_after_a_restore(tmp_path: Path):
    home = tmp_path / "home"
    with memoro.open(home) as m:
        m.memories.store("zeppelin over the lake")
        m.memories.store("zeppelin, the first version")
        m.memories.store("zeppelin in the attic")
        m.memories.store("a lamp")
        m.memories.update(2, "an airship, said better")
        m.memories.archive(3)
        m.memories.remove(1)
        name = m.backups.create().name
        found = m.memories.forget([1, 2, 3], yes=True)
        assert name in found.backups
        m.backups.restore(name)
        m.sync()
        assert [memory.id for memory in m.memories.all()] == [4]
        assert not m.memories.query("zeppelin airship", archived=True).results
        for text in ("zeppelin over the lake", "zeppelin, the first version", "an airship, said better"):
            with pytest.raises(MemoryRefused, match="forgotten"):
                m.memories.store(text)
    files = [f for f in home.rglob("*") if f.is_file() and "backups" not in f.parts]
    assert [f.name for f in files if b"zeppelin" in f.read_bytes() or b"airship" in f.read_bytes()] == []


def test_what_was_forgotten_stays_forgotten_even_where_the_ledger_cannot_tell(tmp_path: Path):
    home = tmp_path / "home"
    with memoro.open(home) as m:
        m.memories.store("zeppelin over the lake")
        m.memories.store("a lamp")
        old = m.backups.create().name
        m.memories.forget(1, yes=True)
        m.backups.create()
    (home / "ledger.db").write_bytes(b"no database" * 1000)
    with memoro.open(home) as m:
        m.backups.restore(old)
        assert [memory.content for memory in m.memories.all()] == ["a lamp"]


STEPS = {
    FORMAT: "ALTER TABLE memories ADD COLUMN mood TEXT; UPDATE memories SET mood = 'calm';",
    FORMAT + 1: "CREATE TABLE moods (name TEXT); INSERT INTO moods SELECT DISTINCT mood FROM memories;",
    FORMAT + 2: "UPDATE memories SET mood = 'calm again'; DELETE FROM moods;",
}


def old_ledger(folder: Path) -> LedgerServices:
    folder.mkdir(mode=0o700, exist_ok=True)
    made = services(folder)
    for number in range(20):
        made.memories.store(f"memory {number}")
    made.close()
    return services(folder)


class Copied(NamedTuple):
    """A database that can be copied, as a ledger is before its format changes."""

    db: apsw.Connection

    def copy_to(self, folder: str) -> dict[str, int]:
        copy(self.db, str(Path(folder, "ledger.db")), engine(folder))
        return row_counts(self.db)


def later(file: Path, steps: dict[int, str], before: Callable[[apsw.Connection], object]) -> DurableDatabase:
    """The same ledger as a version of next year opens it."""
    return DurableDatabase(str(file), engine(str(file.parent)), Shape(FORMAT + 3, "", steps), before)


def test_before_a_new_format_there_is_a_backup_of_the_old_one(tmp_path: Path):
    home = tmp_path / "home"
    made = old_ledger(home)
    before = state_of(home / "ledger.db")
    database = later(home / "ledger.db", STEPS, lambda db: made.backups.before_migration(Copied(db)))
    with database.read() as db:
        assert db.pragma("user_version") == FORMAT + 3
        assert {row[0] for row in db.execute("SELECT mood FROM memories")} == {"calm again"}
    database.close()
    (backup,) = made.backups.all()
    assert backup.why == "before a new format"
    assert state_of(home / "backups" / backup.name / "ledger.db") == before
    assert made.backups.verify(backup.name).problems == ()
    made.close()


def test_a_ledger_of_the_first_format_is_brought_to_this_one(tmp_path: Path):
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    schema = (Path(__file__).parent / "data" / "ledger-1.sql").read_text()
    first = DurableDatabase(str(home / "ledger.db"), engine(str(home)), Shape(1, schema, {}))
    with first.write() as db:
        db.execute(
            """INSERT INTO memories (feedback, trust, created_at, digest, source, parents, tags, content)
               VALUES (3, 'user_said', '2026-01-01T00:00:00Z', x'00', 'user', '', '', 'kept for years')"""
        )
        db.execute("INSERT INTO words (rowid, content, tags) VALUES (1, 'kept for years', 'quintessenz')")
    first.close()
    with memoro.open(home) as m:
        assert [found.memory.content for found in m.memories.query("years").results] == ["kept for years"]
        assert m.memories.store("and another").memory.id == 2
        assert [backup.why for backup in m.backups.all()][-1] == "before a new format"
    assert b"quintessenz" not in (home / "ledger.db").read_bytes()  # nothing is left of the old word index
    with memoro.open(tmp_path / "fresh") as fresh:
        fresh.memories.store("new")
    assert tables(home / "ledger.db") == tables(tmp_path / "fresh" / "ledger.db")


def tables(file: Path) -> set[tuple[object, ...]]:
    db = connect(str(file), engine(str(file.parent)))
    try:
        return set(db.execute("SELECT type, name, sql FROM sqlite_schema"))
    finally:
        db.close()


def state_of(file: Path) -> Rows:
    return dump(file)


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("how", ["killed", "failed"])
@pytest.mark.process
def test_a_migration_broken_off_at_any_step_goes_on_from_there(step: int, how: str, tmp_path: Path):
    home = tmp_path / "home"
    old_ledger(home).close()
    if how == "failed":
        broken = later(home / "ledger.db", {**STEPS, step: STEPS[step] + " SELECT * FROM no_such_table;"}, repr)
        with pytest.raises(memoro.MemoroError), broken.read():
            pass
        broken.close()
    else:
        code = f"""
import os, signal, sys
from pathlib import Path
from tests.test_backups import STEPS, later
import memoro.store.sqlite.durable as durable
def kill_at(self, db, statements, version, old=durable.DurableDatabase._in_one):
    if version == {step} + 1:
        db.execute("BEGIN IMMEDIATE")
        db.execute(statements)
        os.kill(os.getpid(), signal.SIGKILL)
    old(self, db, statements, version)
durable.DurableDatabase._in_one = kill_at
with later(Path(sys.argv[1]), STEPS, lambda _db: None).read():
    pass
"""
        root = Path(__file__).parent.parent
        done = subprocess.run(
            [sys.executable, "-c", code, str(home / "ledger.db")], cwd=root, capture_output=True, check=False
        )
        assert done.returncode == -9, done.stderr
    database = later(home / "ledger.db", STEPS, lambda _db: None)
    with database.read() as db:
        assert db.pragma("user_version") == FORMAT + 3
        assert db.execute("SELECT count(*) FROM memories WHERE mood = 'calm again'").get == 20
        assert db.execute("PRAGMA integrity_check").get == "ok"
    database.close()


def test_a_ledger_of_a_newer_format_is_refused_and_not_touched(tmp_path: Path):
    home = tmp_path / "home"
    made = old_ledger(home)
    made.close()
    with later(home / "ledger.db", STEPS, lambda _db: None).read():
        pass
    before = (home / "ledger.db").read_bytes()
    made = services(home)
    for work in (made.memories.all, lambda: made.memories.store("no"), made.backups.create):
        with pytest.raises(LedgerTooNew, match="Update Memoro"):
            work()
    made.close()
    assert (home / "ledger.db").read_bytes() == before
    refused = run_memoro("--home", str(home), "memory", "store", "no")
    assert refused.code == 4
    assert "Update Memoro" in refused.err
    assert not list(home.glob("*damaged*"))


def test_half_a_backup_of_a_process_that_died_is_swept_away(tmp_path: Path):
    home = tmp_path / "home"
    with memoro.open(home) as m:
        m.memories.store("one")
        (home / "backups" / ".4711").mkdir(parents=True)
        (home / "backups" / ".4711" / "ledger.db").write_bytes(b"half of it")
        assert all(not backup.name.startswith(".") for backup in m.backups.all())
        m.backups.create()
    assert not [name for name in os.listdir(home / "backups") if name.startswith(".")]


def test_a_backup_that_a_later_version_made_is_not_restored(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with memoro.open(home) as m:
        m.memories.store("kept")
        made = m.backups.create()
        database = database_of(m.ledger.access.ledger)
        db = connect(str(home / "backups" / made.name / "ledger.db"), database.engine)
        db.pragma("user_version", database.format + 1)
        db.close()
        with pytest.raises(StoreUnavailable, match="a later version"):
            m.backups.restore(made.name)
        assert [memory.content for memory in m.memories.all()] == ["kept"]


def test_a_backup_sweeps_what_a_killed_process_left_of_small_files_and_no_file_that_is_being_written(
    tmp_path: Path,
) -> None:
    home = tmp_path / "home"
    with memoro.open(home) as m:
        m.memories.store("Tea is at four.")
        m.backups.create()
        names = ("ledger.record.json.5519c57d", "archive.record.json.0011aabb", "token.5519c57d.making")
        kept = ("ledger.record.json.old", "notes.20261120", "ledger.record.json.12345678")
        for folder in (home, home / "backups"):
            for name in (*names, *kept):
                (folder / name).write_text("{}")
                old = time.time() - 7200
                if name != kept[-1]:  # it is written this moment
                    os.utime(folder / name, (old, old))
        m.backups.create()
    for folder in (home, home / "backups"):
        there = {entry.name for entry in folder.iterdir()}
        assert not there & set(names) and there >= {*kept, "ledger.record.json"}
