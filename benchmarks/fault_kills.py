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
_SOON = 0.05  # seconds after an answer within which a process is killed

# Which request a process does not survive.
Moment = Literal["upload", "create", "list", "poll", "read", "any", "time"]
_MOMENTS: tuple[Moment, ...] = ("upload", "create", "create", "list", "poll", "read", "read", "any", "time", "time")


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
        while sum(moments.values()) < kills:
            notes.write(place.vault, _PASSAGES)
            server.set_jobs(JobScript(polls=chance.randrange(3)))
            for _ in range(40):
                before = sum(moments.values())
                moment = chance.choice(_MOMENTS) if before < kills else None
                if sync_and_kill(place, server, moment, chance):
                    moments[str(moment)] += 1
                elif not _is_incomplete(place):
                    break
        while _is_incomplete(place):
            sync_and_kill(place, server, None, chance)
        paid = Counter(payment.text for payment in server.payments)
        found, right = vectors_by_text(place.home, place.vault), _fault_free(Path(folder) / "fresh", place, server)
        return KillResult(
            kills=sum(moments.values()),
            moments=moments,
            jobs=len(server.jobs),
            passages=len(found),
            paid_twice=sum(paid[text] - 1 for text in found if paid[text] > 1),
            lost=sum(row is None for row in found.values()),
            different=sum(found.get(text) != row for text, row in right.items()),
        )


def sync_and_kill(place: Place, server: Standin, moment: Moment | None, chance: random.Random) -> bool:
    """Run `memoro sync`, and kill it at a moment; return whether it died so."""
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
    delay = chance.choice((0.0, 0.0, chance.uniform(0, _SOON)))
    skipped = chance.randrange(3) if moment == "any" else 0
    server.watcher = _killer(process, moment, delay, skipped)
    if moment == "time":
        threading.Timer(chance.uniform(0.1, 2.5), process.kill).start()
    try:
        process.wait(_LONGEST_LIFE)
    finally:
        server.watcher = None
        process.kill()
        process.wait()
    return process.returncode == -signal.SIGKILL


def _killer(process: subprocess.Popen[bytes], moment: Moment | None, delay: float, skipped: int):
    """Return what watches the requests. Without a delay the process dies before it sees the answer."""
    left = [skipped]

    def watch(request: Request) -> None:
        if moment not in ("any", _kind(request)):
            return
        if left[0]:
            left[0] -= 1
        elif delay:
            threading.Timer(delay, process.kill).start()
        else:
            process.kill()
            process.wait()

    return watch


def _kind(request: Request) -> Moment:
    match request.method, request.path.strip("/").split("/")[1:]:
        case "POST", ["files"]:
            return "upload"
        case "POST", ["batches"]:
            return "create"
        case "GET", ["batches"]:
            return "list"
        case "GET", ["batches", _]:
            return "poll"
        case "GET", ["files", _, "content"]:
            return "read"
        case _:
            return "any"


def _settings(server: Standin) -> dict[str, object]:
    return {
        "provider": "openai",
        "model": _MODEL,
        "url": server.url,
        "key": f"env:{_KEY}",
        "dimensions": 64,
        "batch.poll_seconds": 1,
    }


def _is_incomplete(place: Place) -> bool:
    os.environ[_KEY] = "right"
    return any(row is None for row in vectors_by_text(place.home, place.vault).values())


def _fault_free(home: Path, place: Place, server: Standin) -> dict[str, bytes | None]:
    """Return what an index without kills and without batch jobs has."""
    fresh = Place(home, place.vault)
    home.mkdir(parents=True)
    write_settings(home, {**_settings(server), "batch.enabled": False})
    deadline = time.monotonic() + _LONGEST_LIFE
    while _is_incomplete_or_new(fresh) and time.monotonic() < deadline:
        sync_and_kill(fresh, server, None, random.Random(0))
    return vectors_by_text(fresh.home, fresh.vault)


def _is_incomplete_or_new(place: Place) -> bool:
    return not (place.home / "index.db").exists() or _is_incomplete(place)
