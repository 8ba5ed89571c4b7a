"""`memoro serve --http` with 256 descriptors, while 7,000 connections without a token are held open.

`python -m benchmarks connections` takes about 75 seconds. Connections that the server ends are opened again.
"""

from __future__ import annotations

import os
import re
import resource
import select
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.client import HTTPConnection
from pathlib import Path
from typing import NamedTuple

HALF_A_HEAD = b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthoriz"


class Load(NamedTuple):
    idle: int = 5000
    half_open: int = 2000  # those that have sent half of a request's head
    seconds: float = 60.0
    descriptors: int = 256  # of `serve`
    reopened: int = 1000  # at most so many a second of the connections that the server ended


class Outcome(NamedTuple):
    answered: int  # requests with the token
    failed: int
    slowest: float  # seconds
    median: float
    notes_written: int
    slowest_sync: float  # seconds until a note that was written meanwhile was in the index
    memory_before: int  # bytes
    memory_after: int
    log_bytes: int
    opened: int  # connections in all, with those that were opened again
    exit_code: int


def run() -> None:
    load = Load()
    with tempfile.TemporaryDirectory() as place:
        found = measure(Path(place), load)
    print(f"{load.idle:,} idle and {load.half_open:,} half-open connections for {load.seconds:.0f} s,")
    print(f"opened {found.opened:,} times in all; `serve` may have {load.descriptors} descriptors.\n")
    print(f"- {found.answered} requests with the token: {found.failed} failed, median {1000 * found.median:.0f} ms,")
    print(f"  slowest {1000 * found.slowest:.0f} ms")
    print(
        f"- {found.notes_written} notes written meanwhile: the slowest was indexed after {found.slowest_sync:.1f} s"
    )
    print(f"- memory {found.memory_before >> 20} MB before, {found.memory_after >> 20} MB after")
    print(f"- {found.log_bytes:,} bytes of log; exit code {found.exit_code}")


def measure(base: Path, load: Load) -> Outcome:
    (base / "vault").mkdir()
    (base / "vault" / "tea.md").write_text("# Tea\n\nGreen tea at 80 degrees.\n")
    with serving(base, load.descriptors) as process:
        out = base / "out"
        wait_until(lambda: "http: " in out.read_text() and "start: " in out.read_text())
        port = int(re.findall(r"127\.0\.0\.1:(\d+)", out.read_text())[0])
        token = (base / "home" / "http.token").read_text().strip()
        wait_until(lambda: _ask(port, token) is not None)
        memory_before, log_before = memory_of(process.pid), _log_bytes(base)
        flood = _flood(port, load)
        syncs, answers = _use(base, port, token, load.seconds)
        opened = int(flood.communicate()[0])
        memory_after, log_after = memory_of(process.pid), _log_bytes(base)
        process.terminate()
        code = process.wait(30)
    times = [one for one in answers if one is not None]
    return Outcome(
        answered=len(times),
        failed=len(answers) - len(times),
        slowest=max(times, default=0.0),
        median=statistics.median(times or [0.0]),
        notes_written=len(syncs),
        slowest_sync=max(syncs),
        memory_before=memory_before,
        memory_after=memory_after,
        log_bytes=log_after - log_before,
        opened=opened,
        exit_code=code,
    )


def _use(base: Path, port: int, token: str, seconds: float) -> tuple[list[float], list[float | None]]:
    """Ask with the token and write notes, for so long: the seconds that each took, None for what failed."""
    syncs: list[float] = []
    answers: list[float | None] = []
    until, number = time.monotonic() + seconds, 0
    while time.monotonic() < until or not syncs:
        number += 1
        (base / "vault" / f"{number}.md").write_text(f"# Note {number}\n\nWritten under load.\n")
        written = time.monotonic()
        while f"{number + 1} notes" not in (base / "out").read_text():
            answers.append(_ask(port, token))
            assert time.monotonic() < written + 60, "the note is not indexed"
            time.sleep(0.05)
        syncs.append(time.monotonic() - written)
    return syncs, answers


def _ask(port: int, token: str) -> float | None:
    started = time.perf_counter()
    connection = HTTPConnection("127.0.0.1", port, timeout=20)
    try:
        connection.request("GET", "/health", headers={"Authorization": f"Bearer {token}"})
        return time.perf_counter() - started if connection.getresponse().status == 200 else None
    except OSError:
        return None
    finally:
        connection.close()


class _Flood:
    """Holds connections open, and opens those again that the server ends."""

    def __init__(self, port: int, load: Load) -> None:
        self._port = port
        self._waiting = [b""] * load.idle + [HALF_A_HEAD] * load.half_open
        self._poll = select.epoll()
        self._open: dict[int, tuple[socket.socket, bytes]] = {}
        self.opened = 0

    def run(self, seconds: float, reopened: int) -> None:
        wanted, started = len(self._waiting), time.monotonic()
        while (passed := time.monotonic() - started) < seconds:
            allowed = wanted + int(passed * reopened) - self.opened
            for _ in range(min(50, len(self._waiting), allowed)):
                self._connect(self._waiting.pop())
            for number, _event in self._poll.poll(0 if self._waiting and allowed else 0.005):
                self._poll.unregister(number)
                ended, greeting = self._open.pop(number)
                ended.close()
                self._waiting.insert(0, greeting)

    def _connect(self, greeting: bytes) -> None:
        made = socket.socket()
        made.setblocking(False)
        with suppress(BlockingIOError):
            made.connect(("127.0.0.1", self._port))
        with suppress(OSError):
            made.send(greeting)
        self._open[made.fileno()] = (made, greeting)
        self._poll.register(made, select.EPOLLIN | select.EPOLLRDHUP)
        self.opened += 1


def _flood(port: int, load: Load) -> subprocess.Popen[str]:
    """Flood the port from a process of its own; it prints how many connections it opened."""
    numbers = [str(number) for number in (port, *load)]
    command = [sys.executable, "-m", "benchmarks.connections", *numbers]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parent.parent)


def _run_flood(port: int, load: Load) -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (load.idle + load.half_open + 200, hard))
    flood = _Flood(port, load)
    flood.run(load.seconds, load.reopened)
    print(flood.opened)


@contextmanager
def serving(base: Path, descriptors: int) -> Iterator[subprocess.Popen[bytes]]:
    places = ["--home", str(base / "home"), "--vault", str(base / "vault")]
    command = [sys.executable, "-m", "memoro", *places, "serve", "--http", "--port", "0"]
    limited = ["sh", "-c", f'ulimit -n {descriptors}; exec "$0" "$@"', *command]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MEMORO_")}
    with (base / "out").open("wb") as out, (base / "err").open("wb") as err:
        process = subprocess.Popen(limited, stdout=out, stderr=err, env=environment)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def memory_of(pid: int) -> int:
    status = Path(f"/proc/{pid}/status").read_text()
    return 1024 * int(re.findall(r"VmRSS:\s+(\d+)", status)[0])


def _log_bytes(base: Path) -> int:
    return (base / "out").stat().st_size + (base / "err").stat().st_size


def wait_until(done: Callable[[], bool], seconds: float = 60) -> None:
    until = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < until, "it took too long"
        time.sleep(0.05)


if __name__ == "__main__":
    if len(sys.argv) == 1:
        run()
    else:
        port, idle, half_open, seconds, *_, reopened = sys.argv[1:]
        load = Load(idle=int(idle), half_open=int(half_open), seconds=float(seconds), reopened=int(reopened))
        _run_flood(int(port), load)
