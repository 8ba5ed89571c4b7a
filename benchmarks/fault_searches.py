"""How long a search takes while the provider fails, beside how long it takes while the provider is well."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import memoro
from benchmarks.fault_calls import KINDS, end_rests
from benchmarks.fault_homes import MODEL, Notes, make_place
from memoro.evaluate.metrics import percentile

_PASSAGES = 2000
_SEARCHES_A_BLOCK = 50
SEARCHES_A_NOTE = 10  # after so many searches a note is added, which the next one finds and embeds


class Times(NamedTuple):
    """Of all searches, in milliseconds."""

    quiet: list[float]
    faulted: list[float]
    answered: int  # searches during faults that found something
    fallbacks: int  # searches during faults that said that another space answered

    @property
    def ratio(self) -> float:
        return percentile(self.faulted, 0.95) / percentile(self.quiet, 0.95)


def run_searches(blocks: int, seed: int = 1) -> Times:
    """Search in blocks, with faults and without in turn, so that the noise of the machine falls on both alike."""
    times = Times([], [], 0, 0)
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder, server_process(seed) as url:
        place = make_place(Path(folder), {"provider": "compatible", "url": url, "model": MODEL})
        notes = Notes(seed)
        notes.write(place.vault, _PASSAGES)
        host = url.split("/")[2]
        with memoro.open(place.home, place.vault) as m:
            assert not m.sync().degraded
            for block in range(2 * blocks):
                is_faulted = block % 2 == 1
                steer(url, {"kinds": KINDS, "probability": 0.5, "hang_seconds": 2.0} if is_faulted else {})
                m.sync()  # what the last block left over
                end_rests(m, host)
                for number in range(_SEARCHES_A_BLOCK):
                    if number % SEARCHES_A_NOTE == 0:
                        notes.write(place.vault, 1)
                    query = chance.choice(notes.titles)
                    started = time.perf_counter()
                    answer = m.search(query)
                    milliseconds = (time.perf_counter() - started) * 1000
                    (times.faulted if is_faulted else times.quiet).append(milliseconds)
                    if is_faulted:
                        times = times._replace(
                            answered=times.answered + bool(answer.results),
                            fallbacks=times.fallbacks + bool(answer.degraded),
                        )
    return times


@contextmanager
def server_process(seed: int) -> Iterator[str]:
    """Run the stand-in as a process of its own, so that it takes no time of this one; yield its URL."""
    command = [sys.executable, "-m", "tests.standin", "--flavour", "vllm", "--seed", str(seed)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.communicate("")


def steer(url: str, faults: dict[str, object]) -> None:
    """Set the faults of a stand-in in another process."""
    root = url.removesuffix("/v1")
    request = urllib.request.Request(f"{root}/_standin/faults", json.dumps(faults).encode(), method="POST")
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request) as answer:
        answer.read()
