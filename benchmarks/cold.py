"""Cold commands over 2,000 notes, beside bare Python."""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

import memoro
from benchmarks import corpus, measure


def run() -> None:
    with tempfile.TemporaryDirectory() as folder:
        vault, home = Path(folder) / "vault", Path(folder) / "home"
        corpus.write_notes(vault, 2000)
        time.sleep(2.1)  # younger notes are read again by the next sync
        with memoro.open(home, vault) as m:
            m.sync()
            word = m.search(" ".join(corpus.Language(1).words(40)), limit=1).results[0].explanation.terms[0].word
        script = str(Path(sys.executable).with_name("memoro"))
        places = ["--home", str(home), "--vault", str(vault)]
        costs = measure.commands(
            {
                "python -c pass": [sys.executable, "-c", "pass"],
                "memoro --help": [script, "--help"],
                "memoro search --mode words": [script, *places, "search", "--mode", "words", f"{word} because after"],
                "memoro search --mode words --json": [
                    script,
                    *places,
                    "search",
                    "--mode",
                    "words",
                    "--json",
                    f"{word} because after",
                ],
            }
        )
        bare = costs["python -c pass"].cpu_ms
        rows = [[name, cost.wall_ms, cost.cpu_ms, cost.cpu_ms / bare] for name, cost in costs.items()]
        measure.table(["command", "wall ms", "CPU ms", "× bare Python's CPU"], rows)
