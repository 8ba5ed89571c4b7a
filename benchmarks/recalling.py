"""How long a warm recall takes at 100,000 chunks, and how long where the embedder hangs."""

from __future__ import annotations

import json
import multiprocessing
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import memoro
from benchmarks import growth, measure
from memoro.demo import copy_vault
from memoro.evaluate.metrics import percentile
from memoro.model.vocabulary import Role
from memoro.providers import deadline
from memoro.providers.builtin.model import SPACE, builtin
from memoro.workspace import Workspace

CHUNKS = 100_000
HUNG = 20
MESSAGE = "why did we choose SQLite for the queue"


class Sleeper:
    """A stand-in for a provider: it computes as the built-in model does, until it hangs."""

    space = SPACE._replace(provider="standin")
    hangs = 0.0

    def embed(self, texts: Sequence[str], role: Role) -> Any:
        time.sleep(self.hangs)
        return builtin().embed(texts, role)


def run() -> None:
    with tempfile.TemporaryDirectory() as folder:
        filling = multiprocessing.get_context("spawn").Process(target=growth._fill, args=(folder, CHUNKS))
        filling.start()
        filling.join()
        assert filling.exitcode == 0, "filling failed"
        asked = json.loads((Path(folder) / "queries").read_text())
        with memoro.open(folder) as m:
            forms = {"full, 3,000 tokens": {}, "full, 500 tokens": {"budget": 500}, "proactive": {"proactive": True}}
            rows = [[name, *_measured(m, asked, options)] for name, options in forms.items()]
    header = ["recall", "median ms", "p95 ms", "CPU ms", "tokens"]
    measure.table(header, rows)
    with tempfile.TemporaryDirectory() as folder:
        walls = _hung(folder)
    print(f"\nThe embedder hangs: median {percentile(walls, 0.5):.0f} ms, the longest {max(walls):.0f} ms.")


def _measured(m: Workspace, asked: Sequence[str], options: Any) -> list[object]:
    for query in asked[2 * growth.QUERIES :]:
        m.recall(query, **options)
    tokens: list[float] = []
    costs = [measure.call(lambda: tokens.append(m.recall(q, **options).tokens)) for q in asked[: growth.QUERIES]]  # noqa: B023
    walls = [cost.wall_ms for cost in costs]
    cpu = percentile([cost.cpu_ms for cost in costs], 0.5)
    return [percentile(walls, 0.5), percentile(walls, 0.95), cpu, sum(tokens) / len(tokens)]


def _hung(folder: str) -> list[float]:
    """Each time as if it hung for the first time: later ones are not even waited for."""
    sleeper = Sleeper()
    with memoro.open(f"{folder}/home", copy_vault(folder), embedder=sleeper) as m:
        m.sync()
        m.recall(MESSAGE)
        sleeper.hangs = 600
        walls = []
        for _ in range(HUNG):
            deadline._unanswered.clear()
            found = m.recall(MESSAGE)
            assert found.items and any("has not answered within" in one for one in found.degraded)
            walls.append(found.took_ms)
        return walls
