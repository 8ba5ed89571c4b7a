"""First index, no-op sync and one changed note, 2,000 notes."""

from __future__ import annotations

import statistics
import tempfile
import time
from pathlib import Path

import memoro
from benchmarks import corpus, measure


def run() -> None:
    with tempfile.TemporaryDirectory() as folder:
        vault, home = Path(folder) / "vault", Path(folder) / "home"
        corpus.write_notes(vault, 2000)
        time.sleep(2.1)
        with memoro.open(home, vault) as m:
            first = measure.call(m.sync)
            chunks = m.status().chunks
            idle = [measure.call(m.sync) for _ in range(21)]
            changed = []
            for number in range(5):
                (vault / "area00" / "note00000.md").write_text(f"# Changed\n\nfor the {number}th time\n")
                changed.append(measure.call(m.sync))
        size = sum(file.stat().st_size for file in home.iterdir())
        text = sum(file.stat().st_size for file in vault.rglob("*.md"))
        noop, one = statistics.median(c.wall_ms for c in idle), statistics.median(c.wall_ms for c in changed)
        measure.table(
            ["what", "wall ms", "CPU ms", "note"],
            [
                [
                    "first index",
                    first.wall_ms,
                    first.cpu_ms,
                    f"{chunks} chunks: {chunks / first.cpu_ms * 1000:,.0f} a CPU-second",
                ],
                ["no-op sync, in process", noop, statistics.median(c.cpu_ms for c in idle), "median of 21"],
                ["one note changed", one, statistics.median(c.cpu_ms for c in changed), "median of 5"],
            ],
        )
        print(f"\nThe index takes {size / 1e6:.1f} MB for {text / 1e6:.1f} MB of notes.")
