"""MCP: from the start to the first list of tools, what the lists cost, many servers on one home, clients that die.

`python -m benchmarks mcp` takes a few minutes; it starts some three hundred servers.
"""

from __future__ import annotations

import json
import os
import selectors
import shlex
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import IO, Any

import memoro
from benchmarks import corpus, measure
from memoro.mcp import tools
from memoro.model.vocabulary import TOOL_PROFILES

STARTS = 21
SERVERS, WRITES = 32, 250
DEATHS = 200
# As `memoro mcp` does it: few collections, and no tidying up at the end, which together take a third longer.
_AS_WE_DO = "import gc, os; gc.set_threshold(50_000); import mcp.server; os._exit(0)"
_GONE_SECONDS = 1.0  # after this no process may be left

_HELLO = (
    {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}},
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
    {"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {}},
)  # fmt: skip


def run() -> None:
    _tokens()
    with tempfile.TemporaryDirectory() as folder:
        _starts(Path(folder))
    with tempfile.TemporaryDirectory() as folder:
        _many(Path(folder))
    with tempfile.TemporaryDirectory() as folder:
        _deaths(Path(folder))


def _tokens() -> None:
    rows = [
        [profile, len(chosen), tools.tokens(chosen)] for profile in TOOL_PROFILES if (chosen := tools.chosen(profile))
    ]
    measure.table(["profile", "tools", "tokens (characters / 4)"], rows)
    print()


class _Server:
    def __init__(self, *places: str, command: list[str] | None = None) -> None:
        line = command or [sys.executable, "-m", "memoro", *places, "mcp", "--profile", "full"]
        environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
        self.process = subprocess.Popen(
            line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
        )
        self._number = 10

    def hello(self) -> None:
        """Up to the first list of tools."""
        for message in _HELLO:
            self.send(message)
        for _ in range(2):
            self.read()

    def call(self, name: str, **given: Any) -> float:
        self._number += 1
        began = time.perf_counter()
        params = {"name": name, "arguments": given}
        self.send({"jsonrpc": "2.0", "id": self._number, "method": "tools/call", "params": params})
        answer = self.read()
        took = (time.perf_counter() - began) * 1000
        if answer["id"] != self._number or answer["result"]["isError"]:
            raise RuntimeError(str(answer))
        return took

    def send(self, message: Any) -> None:
        assert self.process.stdin
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def read(self) -> Any:
        assert self.process.stdout
        return json.loads(self.process.stdout.readline())

    @property
    def output(self) -> IO[bytes]:
        assert self.process.stdout
        return self.process.stdout

    def end(self) -> float:
        assert self.process.stdin
        began = time.perf_counter()
        self.process.stdin.close()
        self.process.wait()
        return (time.perf_counter() - began) * 1000


def _starts(folder: Path) -> None:
    vault, home = folder / "vault", folder / "home"
    corpus.write_notes(vault, 2000)
    time.sleep(2.1)  # younger notes are read again by the next sync
    with memoro.open(home, vault) as m:
        m.sync()
    places = ("--home", str(home), "--vault", str(vault))
    _cpu(folder, places)
    took: dict[str, list[float]] = {}
    for number in range(STARTS):
        began = time.perf_counter()
        server = _Server(*places)
        server.hello()
        took.setdefault("start to first tools/list", []).append((time.perf_counter() - began) * 1000)
        for name, given in (("memory_store", {"content": f"Fact {number}"}), ("search", {"query": "because after"})):
            again = {key: f"{value} again" for key, value in given.items()}
            took.setdefault(f"then the first {name}", []).append(server.call(name, **given))
            took.setdefault(f"and the next {name}", []).append(server.call(name, **again))
        took.setdefault("end of input to end of process", []).append(server.end())
    rows = [[name, statistics.median(times), sorted(times)[int(len(times) * 0.95)]] for name, times in took.items()]
    measure.table(["memoro mcp, 2,000 notes", "median ms", "p95 ms"], rows)
    print()


def _cpu(folder: Path, places: tuple[str, ...]) -> None:
    """What of a start is the SDK, by the processor's time, which other work on the machine does not lengthen."""
    hello = folder / "hello.jsonl"
    hello.write_text("".join(json.dumps(message) + "\n" for message in _HELLO))
    line = " ".join(shlex.quote(part) for part in (sys.executable, "-m", "memoro", *places, "mcp"))
    costs = measure.commands(
        {
            "python -c pass": [sys.executable, "-c", "pass"],
            "the SDK's import alone": [sys.executable, "-c", _AS_WE_DO],
            "memoro mcp, up to the first tools/list": ["sh", "-c", f"{line} < {shlex.quote(str(hello))}"],
        },
        repeat=STARTS,
    )
    measure.table(["", "wall ms", "CPU ms"], [[name, cost.wall_ms, cost.cpu_ms] for name, cost in costs.items()])
    bare, sdk, whole = (cost.cpu_ms for cost in costs.values())
    print(
        f"\nOf this, {(sdk - bare) / whole:.0%} is the import of the SDK (by CPU time), {bare / whole:.0%} Python.\n"
    )


def _many(folder: Path) -> None:
    home = folder / "home"
    with memoro.open(home) as m:
        m.memories.store("There is a ledger")
    crew = [_Server("--home", str(home)) for _ in range(SERVERS)]
    with ThreadPoolExecutor(SERVERS) as pool:
        list(pool.map(lambda server: server.hello(), crew))
    for server in crew:
        server.call("memory_store", content="There is a ledger")  # and it is open from now on
    before, began = _spent(crew), time.perf_counter()
    took = sorted(_all_at_once(crew))
    seconds, spent = time.perf_counter() - began, _spent(crew) - before
    for server in crew:
        server.end()
    with memoro.open(home) as m:
        lost = SERVERS * WRITES + 1 - len(m.memories.all())
    measure.table(
        ["servers × writes", "lost", "median ms", "p99 ms", "max ms", "writes a second", "CPU ms in a server"],
        [[f"{SERVERS} × {WRITES}", lost, statistics.median(took), took[int(len(took) * 0.99)], took[-1],
          len(took) / seconds, spent / len(took) * 1000]],
    )  # fmt: skip
    print()


def _all_at_once(crew: list[_Server]) -> list[float]:
    """Every server gets its next write when it has answered the last; one thread, so that none waits for us."""
    took: list[float] = []
    left = dict.fromkeys(crew, WRITES)
    sent: dict[_Server, float] = {}

    def send(server: _Server, number: int) -> None:
        content = f"Fact {left[server]} of server {number}"
        params = {"name": "memory_store", "arguments": {"content": content}}
        sent[server] = time.perf_counter()
        server.send({"jsonrpc": "2.0", "id": 1000 + left[server], "method": "tools/call", "params": params})

    with selectors.DefaultSelector() as waiting:
        for number, server in enumerate(crew):
            waiting.register(server.output, selectors.EVENT_READ, (number, server))
            send(server, number)
        while sent:
            for key, _ in waiting.select():
                number, server = key.data
                answer = server.read()
                took.append((time.perf_counter() - sent.pop(server)) * 1000)
                if answer["id"] != 1000 + left[server] or answer["result"]["isError"]:
                    raise RuntimeError(str(answer))
                left[server] -= 1
                if left[server]:
                    send(server, number)
    return took


def _spent(crew: list[_Server]) -> float:
    """Seconds of CPU time of all servers."""
    ticks = 0
    for server in crew:
        fields = Path(f"/proc/{server.process.pid}/stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


# Its server has the pipes of the benchmark, so that the end of the input is not what ends it.
_CLIENT = """
import subprocess, sys, time
print(subprocess.Popen(sys.argv[1:]).pid, file=sys.stderr, flush=True)
time.sleep(600)
"""


def _deaths(folder: Path) -> None:
    line = [sys.executable, "-m", "memoro", "--home", str(folder / "home"), "mcp"]

    def death(_: int) -> float:
        client = _Server(command=[sys.executable, "-c", _CLIENT, *line])
        assert client.process.stderr
        server = int(client.process.stderr.readline())
        client.hello()
        client.process.kill()
        client.process.wait()
        began = time.perf_counter()
        while _lives(server) and time.perf_counter() - began < 10:
            time.sleep(0.002)
        took = (time.perf_counter() - began) * 1000
        if _lives(server):
            os.kill(server, signal.SIGKILL)
        return took

    with ThreadPoolExecutor(4) as pool:
        took = sorted(pool.map(death, range(DEATHS)))
    left = sum(one > _GONE_SECONDS * 1000 for one in took)
    measure.table(
        ["abrupt deaths of clients", "servers left after 1 s", "median ms to go", "slowest ms"],
        [[DEATHS, left, statistics.median(took), took[-1]]],
    )


def _lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in ("Z", "X")
    except (FileNotFoundError, ProcessLookupError):
        return False
