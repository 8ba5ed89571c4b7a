"""Processes killed during batch jobs: at every kind of request, before its answer and after it, and at any time."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Literal, NamedTuple

from tests.standin import JobScript, Request, Standin, standin

from benchmarks.fault_homes import Notes, Place, make_place, vectors_by_text, write_settings

_MODEL = "text-embedding-3-small"
_KEY = "MEMORO_STANDIN_KEY"
_PASSAGES = 1100  # of each round: enough for a job
_LONGEST_LIFE = 60.0  # seconds; a sync that takes longer hangs
_TIMED_SHARE = 0.2
_SOON = 0.05  # seconds after an answer within which a process is killed

# The request during which, or soon after which, a process died; "time": at some time of its own.
Moment = Literal["upload", "create", "list jobs", "poll", "read", "other request", "time"]
_POLL_SECONDS = 1
_MOST_PROCESSES = 60  # of a round
_KILLS_A_ROUND = 4  # so that many jobs are submitted


class KillResult(NamedTuple):
    """What came of it."""

    kills: int
    moments: Counter[str]
    jobs: int
    passages: int
    paid_twice: int
    lost: int
    different: int


def run_kills(kills: int, seed: int = 1) -> KillResult:
    """Kill syncs until so many have died; each round has new passages, and ends when all of them have vectors."""
    chance = random.Random(seed)
    moments: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder, standin("openai", seed=seed) as server:
        place = make_place(Path(folder) / "killed", _settings(server))
        notes = Notes(seed)
        while moments.total() < kills:
            notes.write(place.vault, _PASSAGES)
            server.set_jobs(JobScript(polls=chance.randrange(3)))
            enough = min(kills, moments.total() + _KILLS_A_ROUND)
            for _ in range(_MOST_PROCESSES):
                died = sync_and_kill(place, server, chance if moments.total() < enough else None)
                if died is not None:
                    moments[died] += 1
                elif not _is_incomplete(place):
                    break
        paid = Counter(payment.text for payment in server.payments)
        jobs = len(server.jobs)
        found, right = vectors_by_text(place.home, place.vault), _fault_free(Path(folder) / "fresh", place, server)
        return KillResult(
            kills=moments.total(),
            moments=moments,
            jobs=jobs,
            passages=len(found),
            paid_twice=sum(paid[text] - 1 for text in found if paid[text] > 1),
            lost=sum(row is None for row in found.values()),
            different=sum(found.get(text) != row for text, row in right.items()),
        )


def sync_and_kill(place: Place, server: Standin, chance: random.Random | None) -> Moment | None:
    """Run `memoro sync`, and kill it at a moment that chance chooses, if any; return when it died."""
    command = [
        sys.executable,
        "-m",
        "memoro",
        "--home",
        str(place.home),
        "--vault",
        str(place.vault),
        "sync",
        "--yes",
    ]
    environment = {**os.environ, _KEY: "right"}
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    killer = None if chance is None else _Killer(process, chance)
    server.watcher = killer
    try:
        process.wait(_LONGEST_LIFE)
    finally:
        server.watcher = None
        process.kill()
        process.wait()
    if process.returncode == -signal.SIGKILL:
        return killer.moment if killer else None
    time.sleep(_POLL_SECONDS)  # the next one asks about the job again
    return None


class _Killer:
    """Kills a process: before it sees the answer to one of its first requests, soon after it, or at some time."""

    def __init__(self, process: subprocess.Popen[bytes], chance: random.Random) -> None:
        self.moment: Moment = "time"
        self._process = process
        self._left = chance.randrange(3)  # requests that it survives
        self._delay = chance.choice((0.0, 0.0, chance.uniform(0, _SOON)))
        if chance.random() < _TIMED_SHARE:
            self._left = -1
            threading.Timer(chance.uniform(0.1, 2.5), process.kill).start()

    def __call__(self, request: Request) -> None:
        if request.path.endswith("/embeddings"):  # of the calibration, once the job is over
            return
        self._left -= 1
        if self._left != -1:
            return
        self.moment = _kind(request)
        if self._delay:
            threading.Timer(self._delay, self._process.kill).start()
        else:
            self._process.kill()
            self._process.wait()


def _kind(request: Request) -> Moment:
    match request.method, request.path.strip("/").split("/")[1:]:
        case "POST", ["files"]:
            return "upload"
        case "POST", ["batches"]:
            return "create"
        case "GET", ["batches"]:
            return "list jobs"
        case "GET", ["batches", _]:
            return "poll"
        case "GET", ["files", _, "content"]:
            return "read"
        case _:
            return "other request"


def _settings(server: Standin) -> dict[str, object]:
    return {
        "provider": "openai",
        "model": _MODEL,
        "url": server.url,
        "key": f"env:{_KEY}",
        "dimensions": 64,
        "batch.poll_seconds": _POLL_SECONDS,
    }


def _is_incomplete(place: Place) -> bool:
    os.environ[_KEY] = "right"
    found = vectors_by_text(place.home, place.vault)
    return not found or any(row is None for row in found.values())


def _fault_free(home: Path, place: Place, server: Standin) -> dict[str, bytes | None]:
    """Return what an index without kills and without batch jobs has."""
    fresh = Place(home, place.vault)
    home.mkdir(parents=True)
    write_settings(home, {**_settings(server), "batch.enabled": False})
    for _ in range(_MOST_PROCESSES):
        if not _is_incomplete(fresh):
            break
        sync_and_kill(fresh, server, None)
    return vectors_by_text(fresh.home, fresh.vault)
