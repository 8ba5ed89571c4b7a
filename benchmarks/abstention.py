"""Does the best score tell whether the vault holds an answer: 100 questions that it answers, 100 that it does not."""

from __future__ import annotations

import tempfile
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import memoro
from benchmarks import measure
from memoro.demo import copy_vault
from memoro.evaluate import metrics
from memoro.model.answers import MODES
from memoro.workspace import Workspace

DATA = Path(__file__).parent / "data" / "abstention.toml"
KINDS = {"absent": "same people, projects, places", "elsewhere": "other things altogether"}
RESULTS = 5
CAREFUL_LOSS = 0.05  # a threshold may also be asked to lose hardly any answer: this share at most


class Threshold(NamedTuple):
    """Abstain below `score`; what that costs and what it spares."""

    score: float
    lost: float  # share of the answerable questions that get no answer
    kept_silent: float  # share of the others that get none

    @property
    def balance(self) -> float:
        return (1 - self.lost + self.kept_silent) / 2


def run() -> None:
    table = tomllib.loads(DATA.read_text(encoding="utf-8"))
    rows = []
    with (
        tempfile.TemporaryDirectory() as folder,
        memoro.open(Path(folder) / "home", copy_vault(folder)) as m,
    ):
        m.sync()
        for mode in MODES:
            asked = [_ask(m, one["query"], mode) for one in table["present"]]
            present = [score for score, _ in asked]
            found = sum(one["expect"] in paths for one, (_, paths) in zip(table["present"], asked, strict=True))
            for kind, why in KINDS.items():
                absent = [_ask(m, query, mode)[0] for query in table[kind]]
                rows.append([why, mode, f"{100 * found / len(asked):.0f} %", *_row(present, absent)])
    header = ["unanswerable", "mode", f"found in {RESULTS}", "area under ROC"]
    told = ["answers lost", "silent rightly"]
    rows.sort(key=lambda row: row[0] != next(iter(KINDS.values())))
    measure.table([*header, "best threshold", *told, f"with ≤ {CAREFUL_LOSS:.0%} lost", *told], rows)


def _row(present: list[float], absent: list[float]) -> list[str]:
    tried = thresholds(present, absent)
    best = max(tried, key=lambda one: one.balance)
    careful = max((one for one in tried if one.lost <= CAREFUL_LOSS), key=lambda one: one.kept_silent)
    return [f"{metrics.area_under_curve(present, absent):.3f}", *_shown(best), *_shown(careful)]


def thresholds(present: Sequence[float], absent: Sequence[float]) -> list[Threshold]:
    """Every score as a threshold."""
    return [
        Threshold(
            score,
            sum(other < score for other in present) / len(present),
            sum(other < score for other in absent) / len(absent),
        )
        for score in sorted({0.0, *present, *absent})
    ]


def _shown(one: Threshold) -> list[str]:
    return [f"{one.score:.3f}", f"{100 * one.lost:.0f} %", f"{100 * one.kept_silent:.0f} %"]


def _ask(m: Workspace, query: str, mode: str) -> tuple[float, list[str]]:
    """The best score, and the notes that were found."""
    results = m.search(query, limit=RESULTS, mode=mode).results
    return (results[0].score if results else 0.0), [hit.path for hit in results]
