"""The HTTP API under load: 64 connections for a minute, with all three tokens, reads and writes mixed.

`python -m benchmarks http` takes about 80 seconds. A client that gets 429 or 503 waits a fifth of a second. One more
client asks `/health` twice a second, as a supervisor would.
"""

from __future__ import annotations

import json
import re
import statistics
import tempfile
import threading
import time
from collections import Counter
from contextlib import suppress
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Literal, NamedTuple

from benchmarks import corpus
from benchmarks.connections import memory_of, serving, wait_until

CONNECTIONS = 64
SECONDS = 60.0
WARM_UP_SECONDS = 10.0  # in which the process loads what it will keep
NOTES = 1000
PAUSE = 0.2  # after 429 and 503
HEALTH_SECONDS = 0.5
_TOKENS = {"read": "http-read.token", "write": "http.token", "admin": "http-admin.token"}


class Request(NamedTuple):
    token: Literal["read", "write", "admin"]
    method: Literal["GET", "POST"]
    path: str
    body: str = ""


class Result(NamedTuple):
    """One request: what was asked, the status of the answer (0: none came), and the seconds that it took."""

    path: str
    status: int
    seconds: float


class ProcessState(NamedTuple):
    memory: int  # bytes
    descriptors: int


def request_of(number: int) -> Request:
    """The requests of a client in turn: six that read for two that write."""
    store = json.dumps({"content": f"Fact {number} about tea number {number % 977}", "tags": "load"})
    turns = (
        Request("read", "GET", "/search?query=what+was+decided+about+tea&limit=5"),
        Request("read", "GET", "/memory/query?query=tea+number+7"),
        Request("write", "POST", "/memory/store", store),
        Request("admin", "GET", "/log?limit=20"),
        Request("read", "GET", "/status"),
        Request("write", "POST", "/recall", json.dumps({"message": "How warm is green tea?"})),
        Request("admin", "GET", "/memory/list?limit=50&sort=score"),
        Request("write", "POST", "/daily", json.dumps({"text": f"Line {number}"})),
    )
    return turns[number % len(turns)]


def run() -> None:
    with tempfile.TemporaryDirectory() as place:
        base = Path(place)
        corpus.write_notes(base / "vault", NOTES)
        with serving(base, 1024) as process:
            out = base / "out"
            wait_until(lambda: "the API is at" in out.read_text() and "start: " in out.read_text(), 600)
            port = int(re.findall(r"127\.0\.0\.1:(\d+)", out.read_text())[0])
            tokens = {name: (base / "home" / file).read_text().strip() for name, file in _TOKENS.items()}
            load(port, tokens, WARM_UP_SECONDS)
            before = _state(process.pid)
            health: list[Result] = []
            supervisor = threading.Thread(target=_supervisor, args=(port, tokens["read"], SECONDS, health))
            supervisor.start()
            results = load(port, tokens, SECONDS)
            supervisor.join()
            time.sleep(2)
            after = _state(process.pid)
            process.terminate()
            code = process.wait(30)
    _tell(results, before, after)
    print(f"- `/health`, asked {len(health)} times meanwhile: {_counted(health)}, {_times(health)}")
    print(f"- exit code of `serve`: {code}")


def load(port: int, tokens: dict[str, str], seconds: float) -> list[Result]:
    """Ask from all connections at once, for so long."""
    until = time.monotonic() + seconds
    found: list[list[Result]] = [[] for _ in range(CONNECTIONS)]
    clients = [
        threading.Thread(target=_client, args=(port, tokens, until, number, found[number]))
        for number in range(CONNECTIONS)
    ]
    for one in clients:
        one.start()
    for one in clients:
        one.join()
    return [result for results in found for result in results]


def _client(port: int, tokens: dict[str, str], until: float, number: int, results: list[Result]) -> None:
    connection = HTTPConnection("127.0.0.1", port, timeout=40)
    turn = number * 100_003
    while time.monotonic() < until:
        turn += 1
        request = request_of(turn)
        headers = {"Authorization": f"Bearer {tokens[request.token]}", "Content-Type": "application/json"}
        started, status = time.perf_counter(), 0
        with suppress(OSError, HTTPException):
            connection.request(request.method, f"/api/v1{request.path}", request.body or None, headers)
            answer = connection.getresponse()
            answer.read()
            status = answer.status
        results.append(Result(request.path.partition("?")[0], status, time.perf_counter() - started))
        if status == 0:
            connection.close()
        if status in (0, 429, 503):
            time.sleep(PAUSE)
    connection.close()


def _supervisor(port: int, token: str, seconds: float, results: list[Result]) -> None:
    """Ask for the health of the server, on a new connection each time."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        connection = HTTPConnection("127.0.0.1", port, timeout=40)
        started, status = time.perf_counter(), 0
        with suppress(OSError, HTTPException):
            connection.request("GET", "/health", headers={"Authorization": f"Bearer {token}"})
            answer = connection.getresponse()
            answer.read()
            status = answer.status
        results.append(Result("/health", status, time.perf_counter() - started))
        connection.close()
        time.sleep(HEALTH_SECONDS)


def _state(pid: int) -> ProcessState:
    return ProcessState(memory_of(pid), len(list(Path(f"/proc/{pid}/fd").iterdir())))


def _tell(results: list[Result], before: ProcessState, after: ProcessState) -> None:
    wrong = sum(one.status not in (200, 429, 503) for one in results)
    refused = [one for one in results if one.status in (429, 503)]
    print(
        f"{CONNECTIONS} connections for {SECONDS:.0f} s, {NOTES:,} notes, each token up to 100 requests a second.\n"
    )
    print(f"- {len(results):,} requests: {_counted(results)}; {wrong} other than 200, 429 and 503")
    print(f"- refused with 429 or 503: {_times(refused)}")
    print(f"- memory {before.memory >> 20} MB before, {after.memory >> 20} MB after")
    print(f"- {before.descriptors} descriptors before, {after.descriptors} after\n")
    print("| path | answered | median | 95 % |\n|---|---|---|---|")
    for path in sorted({one.path for one in results}):
        times = sorted(one.seconds for one in results if one.path == path and one.status == 200)
        if len(times) > 1:
            median, high = statistics.median(times), times[int(0.95 * len(times))]
            print(f"| `{path}` | {len(times):,} | {1000 * median:.0f} ms | {1000 * high:.0f} ms |")
    print()


def _counted(results: list[Result]) -> dict[int, int]:
    """How many answers had which status."""
    return dict(sorted(Counter(one.status for one in results).items()))


def _times(results: list[Result]) -> str:
    times = sorted(one.seconds for one in results)
    if not times:
        return "none"
    median, high = statistics.median(times), times[int(0.95 * len(times))]
    return f"median {1000 * median:.0f} ms, 95 % within {1000 * high:.0f} ms"
