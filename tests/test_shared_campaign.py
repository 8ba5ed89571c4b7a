"""Nodes are killed and the server of a shared ledger is restarted, while many write: nothing is lost or doubled.

`make campaign-postgres` runs 3 nodes with 8 writers of 1,000 writes each.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw
import psycopg
import pytest

import memoro
from memoro.errors import MemoroError
from memoro.store.postgres.opening import close_servers
from memoro.store.postgres.tables import tables_of
from tests.breakable_postgres import BreakableServer
from tests.command import clean_environment
from tests.conftest import times
from tests.shared_team import Team

pytestmark = pytest.mark.campaign
NODES = 3


@pytest.fixture(scope="module")
def breakable() -> Iterator[BreakableServer]:
    made = BreakableServer()
    yield made
    made.end()


@pytest.fixture
def team(breakable: BreakableServer, tmp_path: Path) -> Iterator[Team]:
    yield Team(breakable, tmp_path)
    close_servers()


class Writer:
    """A writer that is started again after each kill, from the write after the last one that was acknowledged."""

    def __init__(self, home: Path, name: str, writes: int) -> None:
        self.home, self.name, self.writes = home, name, writes
        self.acknowledged: list[int] = []
        self.kills = 0
        self.complaints: Counter[str] = Counter()
        self._process: subprocess.Popen[str] | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def kill(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGKILL)
            self.kills += 1

    def join(self, seconds: float) -> bool:
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def _run(self) -> None:
        while len(self.acknowledged) < self.writes:
            command = [sys.executable, "-m", "tests.shared_writer", os.fspath(self.home), self.name]
            with subprocess.Popen(
                [*command, str(len(self.acknowledged)), str(self.writes)],
                env=clean_environment(),
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            ) as process:
                self._process = process
                complaining = threading.Thread(target=self._complain, args=(process,), daemon=True)
                complaining.start()
                assert process.stdout is not None
                for line in process.stdout:
                    self.acknowledged.append(int(line))
                complaining.join()

    def _complain(self, process: subprocess.Popen[str]) -> None:
        assert process.stderr is not None
        for line in process.stderr:
            self.complaints[line.strip()[:160]] += 1


def test_kills_and_restarts_lose_and_double_nothing(team: Team) -> None:
    count, writes = times(2, 8), times(60, 1000)
    homes = [team.home(f"node{number}", embeds=False) for number in range(NODES)]
    writers = [Writer(home, f"{home.name}-{n}", writes) for home in homes for n in range(count)]
    began, chance, restarts = time.monotonic(), random.Random(20), 0
    for writer in writers:
        writer.start()
    while not all(writer.join(0) for writer in writers):
        time.sleep(chance.uniform(*((3.0, 6.0) if count == 8 else (0.8, 1.6))))
        if chance.random() < 0.4 and restarts < times(2, 30):
            team.server.restart()
            restarts += 1
        else:
            node = chance.choice(homes)
            for writer in writers:
                if writer.home == node and sum(one.kills for one in writers) < times(8, 400):
                    writer.kill()
        assert time.monotonic() - began < times(240, 3600), "the writers do not come to an end"
    took = time.monotonic() - began
    kills = sum(writer.kills for writer in writers)
    complaints = sum((writer.complaints for writer in writers), Counter[str]())
    _check_all_is_there(team, homes, writers)
    print(f"\n{len(writers)} writers × {writes}: {kills} kills, {restarts} restarts, {took:.0f} s")
    for line, times_said in complaints.most_common(8):
        print(f"  {times_said:5} × {line}")


def _check_all_is_there(team: Team, homes: list[Path], writers: list[Writer]) -> None:
    with memoro.open(team.home("fresh")) as m:
        contents = Counter(one.content for one in m.memories.all())
        feedback = {one.content: one.feedback for one in m.memories.all()}
        with m.ledger.access.ledger.reading() as tx:
            journal = [one.id for one in tx.journal.all()]
        with m.ledger.access.archive.reading():
            pass
    for writer in writers:
        for number in range(writer.writes):
            text = f"Fact {number} of {writer.name}."
            assert contents[text] == (0 if number % 7 == 0 else 1), text
            if number % 5 == 0 and number % 7:
                assert feedback[text] == 3, text  # reinforced once, and not twice
    assert journal == list(range(1, len(journal) + 1))
    fresh = _rows(team.home("fresh"))
    for home in homes:
        with memoro.open(home) as m:
            m.memories.all()
            with m.ledger.access.archive.reading():
                pass
        found = _rows(home)
        assert found.keys() == fresh.keys()
        for table, rows in fresh.items():
            assert found[table] == rows, (home.name, table)
    _check_revisions(team)


def _rows(home: Path) -> dict[str, list[Any]]:
    """All rows of all tables of a copy, in the order of their keys."""
    found: dict[str, list[Any]] = {}
    for part in ("ledger", "archive"):
        (file,) = home.glob(f"shared-*/copy-*/{part}.db")
        db = apsw.Connection(os.fspath(file), flags=apsw.SQLITE_OPEN_READONLY)
        for table in tables_of(part):
            if table.seen != "by its node":
                key = ", ".join(table.key)
                found[f"{part}.{table.name}"] = db.execute(f"SELECT * FROM {table.name} ORDER BY {key}").fetchall()
        found[f"{part}.numbers"] = db.execute("SELECT name, seq FROM sqlite_sequence ORDER BY name").fetchall()
        found[f"{part}.revision"] = db.execute("SELECT revision FROM copy").fetchall()
        db.close()
    return found


def _check_revisions(team: Team) -> None:
    with psycopg.connect(team.server.superuser_url) as connection:
        found = connection.execute(
            "SELECT revision FROM memoro.commits WHERE tenant = %s AND part = 'ledger' ORDER BY revision",
            [team.tenant],
        ).fetchall()
    revisions = [row[0] for row in found]
    assert revisions == list(range(revisions[0], revisions[-1] + 1))


def test_a_crash_of_the_server_after_each_write_loses_nothing(team: Team) -> None:
    """`-m immediate`: 3 times in a test, 100 times in the campaign, each in the middle of a series of writes."""
    home, rounds = team.home("a"), times(3, 100)
    acknowledged: list[str] = []
    stop = threading.Event()

    def write() -> None:
        with memoro.open(home) as m:
            number = 0
            while not stop.is_set():
                try:
                    m.memories.store(f"Fact {number}.", key=f"fact-{number}")
                except MemoroError:
                    time.sleep(0.05)
                    continue
                acknowledged.append(f"Fact {number}.")
                number += 1

    writer = threading.Thread(target=write)
    writer.start()
    for number in range(rounds):
        before = len(acknowledged)
        while len(acknowledged) == before:
            time.sleep(0.01)
        time.sleep(random.Random(number).uniform(0, 0.1))
        team.server.restart()
    stop.set()
    writer.join()
    close_servers()
    with memoro.open(team.home("fresh")) as m:
        contents = Counter(one.content for one in m.memories.all())
    print(f"\n{rounds} crashes, {len(acknowledged)} writes acknowledged")
    assert [one for one in acknowledged if contents[one] != 1] == []
    assert len(contents) <= len(acknowledged) + 1
