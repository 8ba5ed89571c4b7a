"""Writes wait in the outbox while the server of a shared ledger is away: none is lost, and none is done twice."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

import memoro
from memoro import operations
from memoro.errors import WaitsInOutbox
from memoro.operations.operation import Caller
from memoro.operations.waiting import send_waiting
from memoro.store.opening import open_outbox
from memoro.store.postgres.opening import close_servers
from tests.breakable_postgres import BreakableServer
from tests.command import clean_environment, run_process
from tests.conftest import times
from tests.shared_team import Team


@pytest.fixture(scope="module")
def breakable() -> Iterator[BreakableServer]:
    made = BreakableServer()
    yield made
    made.end()


@pytest.fixture
def team(breakable: BreakableServer, tmp_path: Path) -> Iterator[Team]:
    with suppress(subprocess.CalledProcessError):
        breakable.start()  # where a test has left it stopped
    yield Team(breakable, tmp_path)
    close_servers()


def _contents(home: Path) -> list[str]:
    with memoro.open(home) as m:
        return sorted(one.content for one in m.memories.all())


def test_a_write_waits_and_is_done_by_the_next_command_that_reaches_the_server(team: Team) -> None:
    home = team.home("a", outbox=True)
    env = {"MEMORO_HOME": os.fspath(home)}
    run_process("memory", "store", "Kept before.", env=env)
    team.server.stop()
    stored = run_process("memory", "store", "Kept meanwhile.", "--tags", "a,b", env=env)
    assert stored.code == 0
    assert "waits in the outbox as 1" in stored.out
    told = run_process("memory", "store", "Kept meanwhile, too.", "--json", env=env)
    assert told.json["outbox"] == 2
    listed = run_process("outbox", "list", env=env)
    assert "Kept meanwhile." in listed.out
    assert any("2 writes in the outbox" in one for one in run_process("status", "--json", env=env).json["notices"])
    failed = run_process("outbox", "send", env=env)
    assert failed.code == 1
    assert "2 still waiting" in failed.out
    team.server.start()
    found = run_process("memory", "list", "--json", env=env)
    assert {one["content"] for one in found.json["results"]} == {
        "Kept before.",
        "Kept meanwhile.",
        "Kept meanwhile, too.",
    }
    assert run_process("outbox", "list", "--json", env=env).json["writes"] == []


def test_without_the_setting_nothing_waits(team: Team) -> None:
    home = team.home("a")
    team.server.stop()
    try:
        done = run_process("memory", "store", "Lost.", env={"MEMORO_HOME": os.fspath(home)})
    finally:
        team.server.start()
    assert done.code == 4
    assert not (home / "outbox.db").exists()


def test_a_write_that_waits_is_named_and_keeps_its_home_from_being_deleted(team: Team, tmp_path: Path) -> None:
    home = team.home("a", outbox=True)
    env = {"MEMORO_HOME": os.fspath(home), "HOME": os.fspath(tmp_path)}
    run_process("memory", "store", "Kept before.", env=env)
    team.server.stop()
    run_process("memory", "store", "Kept meanwhile.", "--private", env=env)
    run_process("memory", "remove", "1", env=env)
    listed = run_process("outbox", "list", env=env).out.splitlines()
    assert listed[0].endswith("memory store  Kept meanwhile.  private  waits")
    assert listed[1].endswith("memory remove  memory:1  waits")
    refused = run_process("uninstall", "--yes", env=env)
    assert refused.code == 5
    assert "Not sent     1  " in refused.out and "Not sent     2  " in refused.out
    assert "The shared ledger stays in postgresql://" in refused.out.replace("\n             ", " ")
    assert "the outbox holds 2 writes that nobody else has" in refused.err
    assert run_process("outbox", "list", env=env).out.splitlines() == listed
    run_process("experience", "record", "task_solution", "descale the kettle", "vinegar", env=env)
    listed = run_process("outbox", "list", env=env).out.splitlines()
    assert listed[2].endswith("experience record  descale the kettle  waits")
    for number in ("1", "2", "3"):
        run_process("outbox", "drop", number, env=env)
    assert run_process("uninstall", "--yes", env=env).code == 0
    assert not home.exists()


def _run(m: Any, name: str, caller: Caller = Caller(source="agent"), **fields: Any) -> Any:  # noqa: B008
    operation = next(one for one in operations.of_command(name.partition(" ")[0]) if one.name == name)
    return operation.run(m, operation.request(**fields), caller)


def test_every_kind_of_write_waits_and_is_done_once(team: Team) -> None:
    home = team.home("a", outbox=True)
    with memoro.open(home) as m:
        number = m.memories.store("The build takes ten minutes.").memory.id
        team.server.stop()
        waiting: list[tuple[str, dict[str, Any]]] = [
            ("memory store", {"content": "The build takes two minutes."}),
            ("memory reinforce", {"id": number}),
            ("memory demote", {"id": number}),
            ("memory update", {"id": number, "content": "The build takes nine minutes."}),
            (
                "experience record",
                {"type": "task_solution", "intent": "Build faster", "solution": {"steps": ["cache"]}},
            ),
            ("narrative update", {"summary": "We speed the build up."}),
        ]
        for name, fields in waiting:
            with pytest.raises(WaitsInOutbox):
                _run(m, name, **fields)
        team.server.start()
        time.sleep(2.1)
        assert send_waiting(m).applied == len(waiting)
        assert send_waiting(m).applied == 0
        found = m.memories.get(number)
        assert found.content == "The build takes nine minutes."
        assert found.feedback == 2
        with m.ledger.access.ledger.reading() as tx:
            assert [one.solution for one in tx.experiences.all()] == [{"steps": ["cache"]}]


def test_a_write_that_is_refused_for_good_is_kept_and_the_rest_goes_on(team: Team) -> None:
    home = team.home("a", outbox=True)
    with memoro.open(home) as m:
        m.memories.store("Anything.")
        team.server.stop()
        for name, fields in (("memory reinforce", {"id": 999}), ("memory store", {"content": "After it."})):
            with pytest.raises(WaitsInOutbox):
                _run(m, name, **fields)
        team.server.start()
        time.sleep(2.1)
        done = send_waiting(m)
        assert (done.applied, done.refused) == (1, 1)
    env = {"MEMORO_HOME": os.fspath(home)}
    assert "refused: There is no memory [id:999]" in run_process("outbox", "list", env=env).out
    assert any("never be taken" in one for one in run_process("status", "--json", env=env).json["notices"])
    assert "Nothing waits" in run_process("outbox", "drop", "1", env=env).out
    assert run_process("outbox", "drop", "1", env=env).code == 1


def test_a_secret_does_not_wait_in_the_outbox(team: Team) -> None:
    home = team.home("a", outbox=True)
    secret = "ghp_" + "a1B2" * 9
    with memoro.open(home) as m:
        m.memories.store("Anything.")
        team.server.stop()
        with pytest.raises(WaitsInOutbox):
            _run(m, "memory store", content=f"The token is {secret} here.")
        team.server.start()
        time.sleep(2.1)
        assert not any(secret.encode() in file.read_bytes() for file in home.glob("outbox*"))
        assert send_waiting(m).applied == 1
        assert any("The token is [redacted:" in one.content for one in m.memories.all())


def test_what_an_agent_wrote_stays_the_agents(team: Team) -> None:
    home = team.home("a", outbox=True)
    with memoro.open(home, agent="helper", project="site") as m:
        m.memories.store("Anything.")
        team.server.stop()
        with pytest.raises(WaitsInOutbox):
            _run(m, "memory store", content="Of the helper.")
        team.server.start()
    time.sleep(2.1)
    with memoro.open(home) as m:
        assert send_waiting(m).applied == 1
        found = next(one for one in m.memories.all() if one.content == "Of the helper.")
        assert (found.agent, found.project) == ("helper", "site")


_WRITER = """
import sys, memoro
from memoro import operations
from memoro.errors import MemoroError, WaitsInOutbox
from memoro.operations.operation import Caller
store = next(one for one in operations.of_command("memory") if one.name == "memory store")
first, last = int(sys.argv[2]), int(sys.argv[3])
with memoro.open(sys.argv[1]) as m:
    for number in range(first, last):
        try:
            try:
                store.run(m, store.request(f"Fact {number}."), Caller(source="agent", key=f"fact-{number}"))
            except WaitsInOutbox:
                pass
            print(number, flush=True)
        except MemoroError as error:
            print(error, file=sys.stderr, flush=True)
"""


@pytest.mark.campaign
def test_kills_at_any_moment_lose_and_double_nothing(team: Team) -> None:
    """Writers are killed while they keep, send and write; the server goes and comes. Acknowledged means printed."""
    home = team.home("a", outbox=True)
    with memoro.open(home) as m:
        counted = m.memories.store("Counts.").memory.id
    close_servers()
    chance, acknowledged, number = random.Random(7), set[int](), 0
    keys = Counter[str]()
    for turn in range(times(8, 60)):
        if turn % 4 == 1:
            team.server.stop("immediate")
        if turn % 4 == 3:
            team.server.start()
        command = [sys.executable, "-c", _WRITER, os.fspath(home), str(number), str(number + 40)]
        process = subprocess.Popen(command, env=clean_environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        first = b""
        if turn % 2:  # while it starts, or sends what waits
            time.sleep(chance.uniform(0.5, 2.0))
        else:  # while it writes
            assert process.stdout is not None
            first = process.stdout.readline()
            time.sleep(chance.uniform(0.0, 0.3))
        process.send_signal(signal.SIGKILL)
        out, _ = process.communicate()
        acknowledged |= {int(line) for line in (first + out).split()}
        with closing(open_outbox(os.fspath(home))) as outbox:  # one that cannot be applied twice unnoticed
            keys[f"once-{turn}"] += 1
            document = {
                "request": {"id": counted},
                "caller": {"source": "agent", "agent": None, "project": None, "session": None, "folder": None},
                "home": {"agent": None, "project": None, "client": None},
            }
            outbox.add("memory reinforce", document, f"once-{turn}", "2026-11-18T00:00:00.000Z")
        number += 40
    with suppress(subprocess.CalledProcessError):
        team.server.start()
    with memoro.open(home) as m:
        until = time.monotonic() + 30
        while (done := send_waiting(m)).waiting and time.monotonic() < until:
            time.sleep(0.5)
        assert done.waiting == 0
        contents = Counter(one.content for one in m.memories.all())
        assert m.memories.get(counted).feedback == 3 * len(keys)
    missing = [one for one in acknowledged if f"Fact {one}." not in contents]
    print(f"\n{len(acknowledged)} acknowledged, {len(missing)} lost, {len(keys)} counted writes")
    assert missing == []
    assert max(contents.values()) == 1
    assert len(acknowledged) >= 4
