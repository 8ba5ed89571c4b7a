"""Samples of a soak: memory, descriptors, threads and files, and the time of fixed requests beside a fixed loop."""

from __future__ import annotations

import json
import os
import re
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import NamedTuple

from benchmarks.soak_home import Programs, Served, SoakHome

SEARCHES = 5
HOOKS = 2
_QUERY = "/api/v1/search?query=who+keeps+the+kettle+in+the+cellar&limit=5"
# A loop whose time says how busy the machine is at this moment.
_LOOP = """
import sys, time
for _ in sys.stdin:
    began = time.perf_counter()
    total = 0
    for number in range(200_000):
        total += number * number
    print(time.perf_counter() - began, flush=True)
"""


class Sample(NamedTuple):
    """One moment. Sizes are bytes, times milliseconds."""

    at: float  # seconds since the start
    clock: str  # of the soak
    rss: int
    pss: int
    anonymous: int  # memory of the process's own, without mapped files
    descriptors: int
    threads: int
    cpu: float  # seconds so far
    search: float
    health: float
    hook: float
    loop: float  # the fixed loop, in the same moment
    files: Mapping[str, int]  # in the home, by kind
    bytes: Mapping[str, int]
    browser_heap: int | None
    browser_nodes: int | None
    statuses: Mapping[str, int]  # answers of HTTP so far, by status


class ReferenceLoop:
    """A process that runs the same loop whenever it is asked."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", _LOOP], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def milliseconds(self) -> float:
        assert self._process.stdin and self._process.stdout
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        return 1000 * float(self._process.stdout.readline())

    def end(self) -> None:
        self._process.communicate()


class Probes:
    """Fixed requests to the server, each timed."""

    def __init__(self, served: Served, programs: Programs, home: SoakHome, statuses: Counter[str]) -> None:
        self._served = served
        self._programs = programs
        self._statuses = statuses
        event = {
            "session_id": "probe", "transcript_path": "", "cwd": str(home.folder),
            "hook_event_name": "UserPromptSubmit", "prompt": "Who keeps the kettle in the cellar?",
        }  # fmt: skip
        self._event = json.dumps(event)

    def search(self) -> float:
        return self._get(_QUERY)

    def health(self) -> float:
        return self._get("/health")

    def hook(self) -> float:
        return _timed(lambda: self._programs.run("hook", "claude", given=self._event, seconds=60))

    def _get(self, path: str) -> float:
        def ask() -> None:
            connection = HTTPConnection("127.0.0.1", self._served.port, timeout=60)
            try:
                connection.request("GET", path, headers={"Authorization": f"Bearer {self._served.tokens['read']}"})
                answer = connection.getresponse()
                answer.read()
                self._statuses[str(answer.status)] += 1
            except (OSError, HTTPException) as error:
                self._statuses[type(error).__name__] += 1
            finally:
                connection.close()

        return _timed(ask)


def times(probes: Probes, loop: ReferenceLoop) -> tuple[float, float, float, float]:
    """Medians of search, health, hook and loop, which take turns."""
    found: dict[str, list[float]] = {"search": [], "health": [], "hook": [], "loop": []}
    for number in range(SEARCHES):
        found["loop"].append(loop.milliseconds())
        found["search"].append(probes.search())
        found["health"].append(probes.health())
        if number < HOOKS:
            found["hook"].append(probes.hook())
    search, health, hook, reference = (statistics.median(values) for values in found.values())
    return search, health, hook, reference


class ProcessState(NamedTuple):
    rss: int
    pss: int
    anonymous: int
    descriptors: int
    threads: int
    cpu: float


def process_state(pid: int) -> ProcessState:
    memory = {
        name: 1024 * int(kilobytes)
        for name, kilobytes in re.findall(r"^(\w+):\s+(\d+) kB", Path(f"/proc/{pid}/smaps_rollup").read_text(), re.M)
    }
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return ProcessState(
        rss=memory["Rss"],
        pss=memory["Pss"],
        anonymous=memory["Anonymous"],
        descriptors=len(os.listdir(f"/proc/{pid}/fd")),
        threads=int(fields[17]),
        cpu=(int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"),
    )


_KINDS = (
    ("backups", re.compile(r"^backups/[^/]+Z")),
    ("index logs", re.compile(r"^index\.\d+\.db-(wal|shm|journal)")),
    ("index vectors", re.compile(r"^index\.\d+\.vectors-")),
    ("index locks", re.compile(r"^index\.\d+\.lock")),
    ("indexes", re.compile(r"^index\.\d+\.")),
    ("ledger logs", re.compile(r"^(ledger|archive)\.db-(wal|shm|journal)")),
    ("ledger", re.compile(r"^(ledger|archive)\.db$")),
    ("embeddings logs", re.compile(r"^embeddings\.db-")),
    ("embeddings", re.compile(r"^embeddings\.db$")),
    ("spool", re.compile(r"^hooks\.(spool|unended|log)")),
    ("locks", re.compile(r"lock$")),
)


def kind_of(name: str) -> str:
    """The kind of a file of the home, by its path there."""
    return next((kind for kind, pattern in _KINDS if pattern.search(name)), "other")


def files_of(home: Path) -> tuple[dict[str, int], dict[str, int]]:
    """How many files of each kind the home has, and their bytes. Backups count as folders."""
    counts: Counter[str] = Counter()
    sizes: Counter[str] = Counter()
    backups = set()
    for folder, _, names in os.walk(home):
        for name in names:
            file = os.path.join(folder, name)
            relative = os.path.relpath(file, home)
            kind = kind_of(relative)
            try:
                sizes[kind] += os.stat(file, follow_symlinks=False).st_size
            except OSError:
                continue
            if kind == "backups":
                backups.add(relative.split(os.sep)[1])
            else:
                counts[kind] += 1
    return {**counts, "backups": len(backups)}, dict(sizes)


def _timed(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return 1000 * (time.perf_counter() - began)
