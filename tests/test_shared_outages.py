"""The server of a shared ledger is away, hangs, fails over or is full: reads go on and say so, writes fail."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio
import psycopg
import pytest

import memoro
from memoro.api.app import Api
from memoro.api.calling import Calls
from memoro.api.cursors import Cursors
from memoro.errors import LedgerNotRecognised, LedgerServerRefused, LedgerUnreachable
from memoro.hooks.answers import context
from memoro.hooks.events import PromptSubmitted, read_event
from memoro.mcp.clients import Homes
from memoro.store.opening import SharedLedger, open_ledger
from memoro.store.postgres.opening import close_servers
from memoro.store.postgres.server import PostgresServer, Seat
from memoro.workspace import Workspace
from tests.breakable_postgres import BreakableServer, Line, free_port
from tests.command import clean_environment, run_process
from tests.conftest import times
from tests.shared_team import Team

DECISION = "The release is cut on Thursdays."


@pytest.fixture(scope="module")
def breakable() -> Iterator[BreakableServer]:
    made = BreakableServer()
    yield made
    made.end()


@pytest.fixture(autouse=True)
def _fresh_connections() -> Iterator[None]:
    yield
    close_servers()


@pytest.fixture
def team(breakable: BreakableServer, tmp_path: Path) -> Team:
    return Team(breakable, tmp_path)


@contextmanager
def stopped(server: BreakableServer) -> Iterator[None]:
    server.stop()
    try:
        yield
    finally:
        server.start()


@contextmanager
def hung(server: BreakableServer) -> Iterator[None]:
    server.hang()
    try:
        yield
    finally:
        server.go_on()


@contextmanager
def seconds() -> Iterator[list[float]]:
    taken: list[float] = []
    began = time.monotonic()
    yield taken
    taken.append(time.monotonic() - began)


def stored(home: Path, text: str = DECISION) -> int:
    with memoro.open(home) as m:
        return m.memories.store(text).memory.id


# Freshness


def test_another_process_of_the_node_sees_a_write_at_once(team: Team) -> None:
    home = team.home("a")
    with memoro.open(home) as m:
        assert m.memories.query("release").results == ()
        run_process("memory", "store", DECISION, env={"MEMORO_HOME": os.fspath(home)})
        assert [one.memory.content for one in m.memories.query("release").results] == [DECISION]


@pytest.mark.parametrize("listens", [True, False])
def test_another_node_sees_a_write_within_a_second(team: Team, listens: bool) -> None:
    a, b = team.home("a"), team.home("b")
    delays = []
    with memoro.open(a) as writer, memoro.open(b, notify=None) as reader:
        reader.memories.all()
        if listens:
            _wait_until_listening(reader)
        for number in range(times(8, 60)):
            text = f"Decision {number} about the release."
            writer.memories.store(text)
            began = time.monotonic()
            while not any(one.content == text for one in _all(reader)):
                time.sleep(0.002)
            delays.append(time.monotonic() - began)
            time.sleep(0.05)
            if not listens:
                _stop_listening(reader)
    told = f"median {statistics.median(delays) * 1000:.0f} ms, worst {max(delays) * 1000:.0f} ms"
    print(f"\nlistens={listens}: {told}")
    assert max(delays) < 1.0
    assert not listens or statistics.median(delays) < 0.1


def _all(m: Any) -> Any:
    with m.ledger.access.ledger.reading() as tx:
        return list(tx.memories.all())


def _server(m: Any) -> PostgresServer:
    found: PostgresServer = m.ledger.access.ledger.replica.server
    return found


def _wait_until_listening(m: Any) -> None:
    until = time.monotonic() + 10
    seat: Seat = m.ledger.access.ledger.replica.seat
    while _server(m).listening.heard(seat.tenant, "ledger") is None:
        assert time.monotonic() < until, "nobody listens"
        _all(m)
        time.sleep(0.1)


def _stop_listening(m: Any) -> None:
    _server(m).listening.close()


def test_a_listener_that_lost_its_connection_makes_readers_ask_again(team: Team) -> None:
    a, b = team.home("a"), team.home("b")
    with memoro.open(b) as reader:
        _all(reader)
        _wait_until_listening(reader)
        team.server.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'SELECT 1%'")
        stored(a)
        began = time.monotonic()
        while not _all(reader):
            time.sleep(0.01)
        assert time.monotonic() - began < 1.0


def test_a_single_command_does_not_listen(team: Team) -> None:
    program = """
import sys, threading, memoro
with memoro.open(sys.argv[1]) as m:
    m.memories.all()
    m.memories.all()
    print([thread.name for thread in threading.enumerate()])
"""
    command = [sys.executable, "-c", program, os.fspath(team.home("a"))]
    done = subprocess.run(command, env=clean_environment(), capture_output=True, text=True, check=True)
    assert "MainThread" in done.stdout
    assert "memoro-listening" not in done.stdout


def test_a_reader_that_listens_asks_nothing(team: Team) -> None:
    home = team.home("a")
    stored(home)
    with memoro.open(home) as m:
        _all(m)
        _wait_until_listening(m)
        _all(m)
        before = _transactions(team.server)
        for _ in range(50):
            _all(m)
        assert _transactions(team.server) - before < 10  # the listener's own beat, and this test's


def _transactions(server: BreakableServer) -> int:
    server.execute("SELECT pg_stat_force_next_flush()")
    return int(
        server.execute("SELECT sum(calls) FROM (SELECT xact_commit AS calls FROM pg_stat_database) AS d")[0][0]
    )


# Outages


def test_reads_go_on_without_the_server_and_say_how_old_they_are(team: Team) -> None:
    home = team.home("a")
    stored(home)
    env = {"MEMORO_HOME": os.fspath(home)}
    with stopped(team.server):
        found = run_process("memory", "query", "release", "--json", env=env)
        assert found.code == 0, found.err
        assert found.json["results"][0]["content"] == DECISION
        assert "cannot be reached" in found.json["degraded"][0]
        assert "local copy as of" in found.json["degraded"][0]
        listed = run_process("memory", "list", env=env)
        assert DECISION in listed.out
        assert "local copy as of" in listed.err
        searched = run_process("search", "release", "--json", env=env)
        assert any("local copy as of" in one for one in searched.json["degraded"])
        status = run_process("status", "--json", env=env)
        assert any("local copy as of" in one for one in status.json["notices"])
    again = run_process("memory", "query", "release", "--json", env=env)
    assert again.json["degraded"] == []


def test_a_hook_answers_from_the_copy_of_a_hung_server_and_says_so(team: Team) -> None:
    home = team.home("a")
    with memoro.open(home) as m:
        m.memories.store(DECISION, source="user", trust="user_said")
        before = m.recall("When is the release cut?", session="s-0")
        assert DECISION in before.block
    close_servers()
    with hung(team.server), memoro.open(home) as m, seconds() as taken:
        found = m.recall("When is the release cut?", session="s-1")
    assert DECISION in found.block
    assert any("does not answer" in one and "local copy as of" in one for one in found.degraded)
    assert any(one.startswith("session: this was not recorded") for one in found.degraded)
    assert taken[0] < before.took_ms / 1000 + 0.5 + 0.4


def test_a_hook_says_that_a_recall_was_not_recorded(team: Team) -> None:
    home = team.home("a")
    event = {"hook_event_name": "UserPromptSubmit", "session_id": "s-1", "prompt": "When is the release cut?"}
    asked = read_event("claude", event, {})
    assert isinstance(asked, PromptSubmitted)
    with memoro.open(home) as m:
        m.memories.store(DECISION, source="user", trust="user_said")
        assert "Memoro did not record" not in context(asked, m, "claude")
    close_servers()
    with stopped(team.server), memoro.open(home) as m:
        assert "Memoro did not record this recall." in context(asked._replace(session="s-2"), m, "claude")


def test_every_answer_of_the_api_says_that_it_comes_from_a_copy(team: Team) -> None:
    home = team.home("a")
    stored(home)
    with memoro.open(home) as m:
        assert "memoro-stale" not in api_headers(m)
    close_servers()
    with stopped(team.server), memoro.open(home) as m:
        assert "local copy as of" in api_headers(m)["memoro-stale"]


def api_headers(m: Workspace) -> dict[str, str]:
    """Those of the answer to a list."""
    sent: list[Any] = []
    scope: Any = {
        "path": "/api/v1/memory/list",
        "method": "GET",
        "granted": "admin",
        "headers": [],
        "query_string": b"",
    }

    async def receive() -> Any:
        return {"body": b""}

    async def send(message: Any) -> None:
        sent.append(message)

    anyio.run(Api(Calls(m, Homes(lambda _: m), Cursors("salt")), print), scope, receive, send)
    assert sent[0]["status"] == 200, sent
    return {name.decode(): value.decode() for name, value in sent[0]["headers"]}


def test_writes_fail_at_once_where_the_server_refuses(team: Team) -> None:
    home = team.home("a")
    stored(home)
    with stopped(team.server):
        done = run_process("memory", "store", "Another.", env={"MEMORO_HOME": os.fspath(home)})
        assert done.code == 4
        assert "cannot be reached" in done.err
        assert "Nothing was written" in done.err
        with memoro.open(home) as m, seconds() as inside, pytest.raises(LedgerUnreachable):
            m.memories.store("Another.")
        assert inside[0] < 1.0
    with memoro.open(home) as m:
        assert [one.content for one in _all(m)] == [DECISION]


def test_writes_fail_within_the_limit_where_the_server_hangs(team: Team) -> None:
    home = team.home("a")
    stored(home)
    with memoro.open(home) as m:
        _all(m)  # with a connection that is open
        with hung(team.server), seconds() as taken, pytest.raises(LedgerUnreachable, match="does not answer"):
            m.memories.store("Another.")
        assert taken[0] < 4.0
        with hung(team.server), seconds() as resting, pytest.raises(LedgerUnreachable):
            m.memories.store("Another.")
        assert resting[0] < 0.5
        time.sleep(2.1)
        m.memories.store("Another.")
        assert len(_all(m)) == 2


def test_a_line_that_swallows_packets_is_like_a_hung_server(team: Team) -> None:
    line = Line(team.server.port)
    home = team.home("a", url=line.url(team.server.url))
    stored(home)
    with memoro.open(home) as m:
        _all(m)
        time.sleep(0.5)
        line.swallows = True
        with seconds() as taken:
            assert len(_all(m)) == 1
        assert taken[0] < 0.5 + 0.3
        assert "does not answer" in (m.staleness() or "")
        line.swallows = False
        time.sleep(2.1)
        assert len(_all(m)) == 1
        assert m.staleness() is None
    line.close()


def test_a_commit_whose_answer_was_lost_is_recognised(team: Team) -> None:
    """The connection ends after the server was told to commit: a second one is asked whether it did."""
    line = Line(team.server.port)
    home = team.home("a", url=line.url(team.server.url))
    stored(home)
    with memoro.open(home) as m:
        line.ends_after = b"COMMIT"
        assert m.memories.store("Another.").new
        assert line.ended == 1
        assert len(_all(m)) == 2
    line.close()


def test_a_server_on_a_wrong_port_is_named(team: Team) -> None:
    url = f"postgresql://memoro_app@127.0.0.1:{free_port()}/memoro"
    home = team.home("a", url=url)
    with memoro.open(home) as m, seconds() as taken, pytest.raises(LedgerUnreachable, match="cannot be reached"):
        m.memories.all()
    assert taken[0] < 1.0


def test_an_unknown_tenant_is_refused(breakable: BreakableServer, tmp_path: Path) -> None:
    ledger = open_ledger(os.fspath(tmp_path), shared=SharedLedger(breakable.url, "nobody", "mia")).ledger
    with pytest.raises(LedgerServerRefused, match="There is no tenant 'nobody'"), ledger.reading():
        pass


def test_another_ledger_on_the_server_is_told_as_itself(team: Team) -> None:
    home = team.home("a")
    stored(home)
    with psycopg.connect(team.server.superuser_url) as connection:
        for table in ("identities", "meta"):
            change = "identity = 'other'" if table == "identities" else "value = 'other'"
            part = " AND part = 'ledger'" if table == "identities" else " AND key = 'identity'"
            connection.execute(f"UPDATE memoro.{table} SET {change} WHERE tenant = '{team.tenant}'{part}")
        connection.execute(f"UPDATE memoro.heads SET revision = revision + 1 WHERE tenant = '{team.tenant}'")
    with memoro.open(home) as m, pytest.raises(LedgerNotRecognised):
        m.memories.all()


FAULTS = {
    "25006": "takes no writes now",
    "53100": "has no space left on its disk",
    "53300": "has no connection free",
    "57014": "cancelled the statement",
    "57P01": "is being shut down",
    "40001": "beside another writer",
}


@pytest.mark.parametrize("code", FAULTS)
def test_each_error_of_the_server_has_its_sentence_and_leaves_nothing_half_done(team: Team, code: str) -> None:
    """A trigger raises what the server itself raises in such a state, in the middle of a write."""
    home = team.home("a")
    stored(home)
    server = team.server
    server.execute(f"""CREATE OR REPLACE FUNCTION memoro.fault() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'as in a fault' USING ERRCODE = '{code}'; END $$""")
    server.execute("CREATE TRIGGER fault BEFORE INSERT ON memoro.commits EXECUTE FUNCTION memoro.fault()")
    try:
        with memoro.open(home) as m, pytest.raises(LedgerUnreachable, match=FAULTS[code]):
            m.memories.store("Another.")
    finally:
        server.execute("DROP TRIGGER fault ON memoro.commits")
    with memoro.open(home) as m:
        assert [one.content for one in _all(m)] == [DECISION]
        m.memories.store("Another.")
        assert len(_all(m)) == 2


def test_a_read_only_server_answers_reads_and_refuses_writes(team: Team) -> None:
    home = team.home("a")
    stored(home)
    team.server.execute("ALTER DATABASE memoro SET default_transaction_read_only = on")
    close_servers()
    try:
        with memoro.open(home) as m:
            assert len(_all(m)) == 1
            with pytest.raises(LedgerUnreachable, match="takes no writes now"):
                m.memories.store("Another.")
    finally:
        team.server.execute("ALTER DATABASE memoro RESET ALL")


def test_too_many_connections_have_their_sentence(team: Team) -> None:
    home = team.home("a")
    stored(home)
    close_servers()
    team.server.execute("ALTER ROLE memoro_app CONNECTION LIMIT 0")
    try:
        with memoro.open(home) as m:
            with pytest.raises(LedgerUnreachable, match="has no connection free"):
                m.memories.store("Another.")
            assert len(_all(m)) == 1
            assert "has no connection free" in (m.staleness() or "")
    finally:
        team.server.execute("ALTER ROLE memoro_app CONNECTION LIMIT -1")


def test_a_restarted_server_is_used_again_without_a_failure(team: Team) -> None:
    home = team.home("a")
    with memoro.open(home) as m:
        m.memories.store(DECISION)
        team.server.restart()
        m.memories.store("Another.")  # over a connection that the server has ended meanwhile
        assert len(_all(m)) == 2


def test_a_connection_killed_in_the_middle_of_a_write_writes_nothing(team: Team) -> None:
    home = team.home("a")
    stored(home)
    with memoro.open(home) as m:
        access = m.ledger.access
        with pytest.raises(LedgerUnreachable), access.ledger.writing() as tx:
            tx.meta.put("half", "done")
            team.server.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'memoro_app'")
        with access.ledger.reading() as tx:
            assert tx.meta.get("half") is None
        m.memories.store("Another.")


def test_a_copy_that_was_never_whole_answers_nothing(team: Team) -> None:
    """A home that was made while the server was away has no copy: an empty answer would be a wrong one."""
    home = team.home("new")
    with stopped(team.server):
        for _ in range(2):
            with memoro.open(home) as m, pytest.raises(LedgerUnreachable):
                m.memories.all()


def test_a_slow_server_is_waited_for_by_a_command(team: Team) -> None:
    line = Line(team.server.port)
    home = team.home("a", url=line.url(team.server.url))
    stored(home)
    line.delay = 0.1
    stored(team.home("b"), "Another.")
    listed = run_process("memory", "list", env={"MEMORO_HOME": os.fspath(home)})
    assert "Another." in listed.out
    assert "local copy" not in listed.err
    line.close()


def test_deleting_the_copy_while_others_read_leaves_their_answers_whole(team: Team) -> None:
    home = team.home("a")
    stored(home)
    counts: list[int] = []
    wrong: list[Exception] = []
    stop = threading.Event()

    def read() -> None:
        with memoro.open(home) as m:
            while not stop.is_set():
                try:
                    counts.append(len(_all(m)))
                except Exception as error:
                    wrong.append(error)

    threads = [threading.Thread(target=read) for _ in range(3)]
    for thread in threads:
        thread.start()
    with memoro.open(home) as m:
        for _ in range(times(10, 100)):
            m.ledger.access.ledger.replica.discard()  # type: ignore[attr-defined]
            time.sleep(0.02)
    stop.set()
    for thread in threads:
        thread.join()
    assert set(counts) == {1}
    assert [one for one in wrong if "Run the command again" not in str(one)] == []


def test_a_hook_process_answers_in_time_with_a_hung_server_and_tells_the_agent(team: Team) -> None:
    home = team.home("a")
    with memoro.open(home) as m:
        m.memories.store(DECISION, source="user", trust="user_said")
    close_servers()
    event = {"hook_event_name": "UserPromptSubmit", "session_id": "s-1", "prompt": "When is the release cut?"}
    arguments = ("hook", "claude")
    env = {"MEMORO_HOME": os.fspath(home)}
    run_process(*arguments, env=env, stdin=json.dumps(event))  # makes the index
    with seconds() as usual:
        well = run_process(*arguments, env=env, stdin=json.dumps({**event, "session_id": "s-2"}))
    assert DECISION in well.out, well.err
    with hung(team.server), seconds() as taken:
        found = run_process(*arguments, env=env, stdin=json.dumps({**event, "session_id": "s-3"}))
    assert DECISION in found.out, found.err
    assert "local copy as of" in found.out
    print(f"\nhook: {usual[0]:.2f} s, with a hung server {taken[0]:.2f} s")
    assert taken[0] < usual[0] + 0.5 + 1.0  # the machine may be busy with something else


def test_a_damaged_copy_is_made_anew(team: Team) -> None:
    home = team.home("a")
    stored(home)
    (file,) = home.glob("shared-*/copy-*/ledger.db")
    file.write_bytes(os.urandom(8192))
    with memoro.open(home) as m:
        assert [one.content for one in _all(m)] == [DECISION]
