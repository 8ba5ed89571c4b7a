"""`memoro mcp` as a process among others: it keeps its output clean, leaves with its client, loses nothing."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

import memoro
from memoro.store.lock import KernelLock
from tests.conftest import times, wait_for, write_vault
from tests.test_mcp import HELLO, _request, environment

HANG = 20.0  # seconds: far beyond what is promised, so that a busy machine fails no test


def command(home: Path, vault: Path | None = None, *options: str) -> list[str]:
    place = ["--vault", str(vault)] if vault else []
    return [sys.executable, "-m", "memoro", "--home", str(home), *place, "mcp", *options]


class Server:
    """A real server with a client that speaks raw lines."""

    def __init__(
        self, line: list[str], env: dict[str, str] | None = None, cwd: Path | None = None, client: str = "raw"
    ) -> None:
        self.process = subprocess.Popen(
            line,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=env or environment(),
            cwd=cwd,
        )
        self._client = client
        self._number = 100

    def hello(self) -> Server:
        for message in HELLO:
            self.send(json.loads(json.dumps(message).replace('"raw"', json.dumps(self._client))))
        assert self.read()["id"] == 1
        return self

    def send(self, message: Any) -> None:
        assert self.process.stdin
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def read(self) -> Any:
        assert self.process.stdout
        return json.loads(self.process.stdout.readline())

    def call(self, name: str, /, **given: Any) -> Any:
        self._number += 1
        self.send(_request(self._number, "tools/call", {"name": name, "arguments": given}))
        answer = self.read()
        assert answer["id"] == self._number
        return answer["result"]

    def close(self) -> tuple[int, float]:
        """End it as a client does; its exit code, and how long it took."""
        assert self.process.stdin
        began = time.monotonic()
        self.process.stdin.close()
        code = self.process.wait(HANG)
        return code, time.monotonic() - began


def end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    for pipe in (process.stdin, process.stdout, process.stderr):
        with suppress(OSError):
            if pipe:
                pipe.close()
    process.wait()


@contextmanager
def serving(*arguments: Any, **options: Any) -> Iterator[Server]:
    server = Server(*arguments, **options)
    try:
        yield server.hello()
    finally:
        end(server.process)


# Standard output


NOISE = """
import os, sys, subprocess

class Noisy:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("mcp", "mcp_types", "numpy", "anyio", "apsw", "yaml"):
            print("noise of", name)
            os.write(1, b"more noise\\n")
        if name in ("mcp", "numpy"):
            subprocess.run(["sh", "-c", "echo noise of a child"], check=True)
        return None

sys.meta_path.insert(0, Noisy())
"""


@pytest.mark.campaign
def test_nothing_but_the_protocol_reaches_standard_output(tmp_path: Path, home: Path, vault: Path) -> None:
    write_vault(vault, {"tea.md": "Green tea at 80 degrees"})
    (tmp_path / "sitecustomize.py").write_text(NOISE)
    path = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
    lines = [*HELLO, _request(2, "tools/call", {"name": "search", "arguments": {"query": "tea"}})]
    for _ in range(times(1, 200)):
        with serving(command(home, vault), env={**environment(), "PYTHONPATH": path}) as server:
            server.send(lines[-1])
            assert server.read()["result"]["structuredContent"]["results"]
            server.close()
            assert server.process.stdout and server.process.stderr
            assert server.process.stdout.read() == b""
            heard = server.process.stderr.read()
            assert b"noise of numpy" in heard and b"noise of a child" in heard and b"noise of mcp" in heard


def test_a_handshake_opens_no_home_and_loads_neither_model_nor_numpy(home: Path, vault: Path) -> None:
    line = [sys.executable, "-X", "importtime", *command(home, vault)[1:]]
    with serving(line) as server:
        server.send(_request(2, "tools/list", {}))
        assert server.read()["result"]["tools"]
        assert not home.exists()
        server.close()
        assert server.process.stderr
        loaded = {row.rpartition("|")[2].strip() for row in server.process.stderr.read().decode().splitlines()}
    assert "mcp" in loaded
    assert loaded & {"numpy", "apsw", "simsimd", "memoro.providers.builtin.model"} == set()


# Leaving


def test_it_leaves_when_its_input_ends(home: Path) -> None:
    with serving(command(home)) as server:
        server.call("memory_store", content="A fact")
        code, took = server.close()
        print(f"\nleft after {took:.2f} s")
        assert code == 0


def test_what_was_asked_before_the_end_is_answered(home: Path) -> None:
    lines = [*HELLO, *(_request(n, "tools/call", {"name": "memory_store", "arguments": {"content": f"Fact {n}"}})
                       for n in range(2, 12))]  # fmt: skip
    done = subprocess.run(
        command(home), input="".join(json.dumps(one) + "\n" for one in lines).encode(),
        capture_output=True, env=environment(), timeout=60, check=True,
    )  # fmt: skip
    replies = [json.loads(line) for line in done.stdout.splitlines()]
    # On a busy machine the second that it has after the end is too short: then it says that the connection closed.
    answered = {one["id"] for one in replies if "result" in one and not one["result"].get("isError")}
    with memoro.open(home) as m:
        stored = {int(one.content.split()[1]) for one in m.memories.all()}
    assert answered - {1} <= stored  # what is acknowledged is there


def test_it_leaves_even_in_the_middle_of_a_call(home: Path) -> None:
    with memoro.open(home) as m:
        m.memories.store("There is a ledger")
    queue = home / "ledger.lock"
    assert queue.exists()
    with serving(command(home)) as server, KernelLock(str(queue)).held():  # so that the call can only wait
        server.send(_request(2, "tools/call", {"name": "memory_store", "arguments": {"content": "Another"}}))
        time.sleep(0.3)
        code, took = server.close()
        print(f"\nleft after {took:.2f} s")
        assert code == 0


def test_it_leaves_when_nobody_reads_its_answers(home: Path) -> None:
    with serving(command(home)) as server:
        assert server.process.stdout
        server.process.stdout.close()
        server.send(_request(2, "tools/list", {}))
        assert server.process.wait(HANG) == 0


def test_an_interrupt_ends_it(home: Path) -> None:
    with serving(command(home)) as server:
        server.process.send_signal(signal.SIGINT)
        assert server.process.wait(HANG) == 130


# A client: it starts the server with the input and output that it was given itself, says its number, and waits.
CLIENT = """
import subprocess, sys, threading, time
def start():
    child = subprocess.Popen(sys.argv[1:])
    print(child.pid, file=sys.stderr, flush=True)
where = threading.Thread(target=start)
where.start(); where.join()
time.sleep(600)
"""


def _is_there(pid: int) -> bool:
    """Whether a process lives: one that waits to be buried does not."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            return file.read().rpartition(")")[2].split()[0] not in ("Z", "X")
    except FileNotFoundError:
        with suppress(ProcessLookupError):
            os.kill(pid, 0)
            return not os.path.isdir("/proc/self")
        return False


class Client:
    """A client in a process of its own. The test holds the pipes, so that the server's input never ends."""

    def __init__(self, home: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", CLIENT, *command(home)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(),
        )  # fmt: skip
        assert self.process.stderr and self.process.stdin and self.process.stdout
        self.server = int(self.process.stderr.readline())
        for message in [*HELLO, _request(2, "tools/list", {})]:
            self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()
        answers = [json.loads(self.process.stdout.readline()) for _ in range(2)]
        assert {one["id"] for one in answers} == {1, 2}

    def die(self) -> float:
        """Killed without a word; how long its server outlived it."""
        began = time.monotonic()
        self.process.kill()
        wait_for(lambda: not _is_there(self.server), HANG)
        took = time.monotonic() - began
        gone = not _is_there(self.server)
        if not gone:
            os.kill(self.server, signal.SIGKILL)
        end(self.process)
        assert gone, "the server outlived its client"
        return took


@pytest.mark.campaign
def test_no_server_outlives_a_client_that_died(home: Path) -> None:
    count = times(4, 200)
    with ThreadPoolExecutor(4) as pool:
        took = sorted(pool.map(lambda _: Client(home).die(), range(count)))
    print(f"\n{count} deaths: median {took[count // 2]:.2f} s, worst {took[-1]:.2f} s")


def test_the_end_of_the_thread_that_started_it_does_not_end_it(home: Path) -> None:
    """The kernel tells a child of the death of its parent's thread as if the parent had died."""
    client = Client(home)  # whose starting thread has ended
    time.sleep(1.0)
    assert client.process.stdin and client.process.stdout
    client.process.stdin.write(json.dumps(_request(3, "ping", {})).encode() + b"\n")
    client.process.stdin.flush()
    assert json.loads(client.process.stdout.readline())["id"] == 3
    client.die()


# Many at once


@pytest.mark.campaign
def test_many_servers_on_one_home_lose_nothing(home: Path) -> None:
    servers, writes = times(4, 32), times(10, 250)
    with memoro.open(home) as m:
        m.memories.store("There is a ledger")
    crew = [Server(command(home)) for _ in range(servers)]
    took: list[float] = []
    failed: list[Any] = []
    ready = threading.Barrier(servers)

    def work(number: int) -> None:
        server = crew[number].hello()
        ready.wait()
        for one in range(writes):
            began = time.perf_counter()
            result = server.call("memory_store", content=f"Fact {one} of server {number}")
            took.append((time.perf_counter() - began) * 1000)
            if result["isError"]:
                failed.append(result)

    with ThreadPoolExecutor(servers) as pool:
        list(pool.map(work, range(servers)))
    for server in crew:
        end(server.process)
    took.sort()
    p99 = took[int(len(took) * 0.99)]
    print(f"\n{servers} servers, {len(took)} writes: median {took[len(took) // 2]:.0f} ms, p99 {p99:.0f} ms")
    assert failed == []
    with memoro.open(home) as m:
        kept = {one.content for one in m.memories.all()}
    assert kept >= {f"Fact {one} of server {number}" for one in range(writes) for number in range(servers)}
    assert len(kept) == servers * writes + 1


# Killed


@pytest.mark.campaign
def test_a_server_that_was_killed_has_lost_nothing_and_a_retry_with_the_key_doubles_nothing(home: Path) -> None:
    """Each write is sent, the server is killed at some moment around it, and another is asked the same again."""
    with memoro.open(home) as m:
        number = m.memories.store("A fact").memory.id
    acknowledged, rounds = 0, times(4, 200)
    for round_ in range(rounds):
        params = {"name": "memory_reinforce", "arguments": {"id": number}, "_meta": {"memoro/key": f"round {round_}"}}
        with serving(command(home)) as server:
            server.send(_request(2, "tools/call", params))
            time.sleep(round_ % 8 * 0.02)
            server.process.kill()
            assert server.process.stdout
            acknowledged += b'"feedback"' in server.process.stdout.read()
        with memoro.open(home) as m:
            assert m.memories.get(number).feedback in (round_ * 3, round_ * 3 + 3)
        with serving(command(home)) as server:
            server.send(_request(2, "tools/call", params))
            assert server.read()["result"]["structuredContent"]["feedback"] == round_ * 3 + 3
    print(f"\n{rounds} kills, {acknowledged} after the answer: feedback {rounds * 3}")
    with memoro.open(home) as m:
        assert m.memories.get(number).feedback == rounds * 3
