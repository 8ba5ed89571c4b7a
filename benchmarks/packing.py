"""What share of the evidence reaches the block, packed and not, on the labelled sets.

The search before it is the same for all: recall packs its passages; "top-k" appends them in their order until the
next has no room, each as a record in the same fence, or bare: nothing but text, without path, date or fence. Of
evidence that is there in part, that part counts.
"""

from __future__ import annotations

import os
import tempfile

import memoro
from benchmarks import labelled, measure
from memoro.evaluate import packing
from memoro.evaluate.questions import LabelledCollection

STEP = int(os.environ.get("MEMORO_EVERY", "1"))  # every so many questions, for a quick look


def run() -> None:
    rows: list[list[object]] = []
    for name in labelled.SETS:
        file = labelled.data_folder() / f"{name}.jsonl.gz"
        if not file.exists():
            print(f"{name}: not measured, {file.name} is not there (set MEMORO_DATA)")
            continue
        loaded = tuple(LabelledCollection(one.turns, one.questions[::STEP]) for one in labelled.load(file))
        with tempfile.TemporaryDirectory() as folder, memoro.open(f"{folder}/home", f"{folder}/vault") as m:
            for row in packing.evaluate(m, loaded, packing.BUDGETS, None):
                shares = [f"{100 * value:.1f}" for value in (row.text, row.touched)]
                silent = f"{100 * row.silent:.1f}"
                rows.append([name, row.budget, row.method, *shares, f"{row.tokens:.0f}", silent, row.questions])
    header = ["set", "budget", "method", "evidence %", "touched %", "tokens", "silent %", "questions"]
    if rows:
        measure.table(header, rows)
