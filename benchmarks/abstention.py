"""Does the best score tell whether the vault holds an answer: 100 questions that it answers, 100 that it does not.

And how often recall is silent: there, on longmemeval-dev and on the chats (`chats.py`). Beside their own questions
these are asked about other things, and their own once more with the conversations that answer them left out.
"""

from __future__ import annotations

import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import memoro
from benchmarks import chats, labelled, measure
from memoro.demo import copy_vault
from memoro.evaluate import metrics
from memoro.evaluate.conversations import path_of, prepare
from memoro.evaluate.questions import LabelledCollection
from memoro.model.vocabulary import MODES, Mode
from memoro.recall import answer
from memoro.recall.candidates import candidates
from memoro.search.filters import filters
from memoro.workspace import Workspace

DATA = Path(__file__).parent / "data" / "abstention.toml"
KINDS = {"absent": "same people, projects, places", "elsewhere": "other things altogether"}
RESULTS = 5
BY_SCORE = 0.2
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
    print()
    measure.table(
        ["set", "silent where", "answered %", "other things %", "same things %"],
        [row for name, kinds in _silences(table) for row in _silence_rows(name, kinds)],
    )


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


Silences = dict[str, list[tuple[bool, bool]]]  # by kind of question: by the best score alone, and as it is


def _silences(table: dict[str, Any]) -> Iterator[tuple[str, Silences]]:
    with tempfile.TemporaryDirectory() as folder, memoro.open(Path(folder) / "home", copy_vault(folder)) as m:
        asked = {"answered": [one["query"] for one in table["present"]], **{kind: table[kind] for kind in KINDS}}
        yield "sample vault", {kind: [_silent(m, query) for query in queries] for kind, queries in asked.items()}
    file = labelled.data_folder() / "longmemeval-dev.jsonl.gz"
    if file.exists():
        yield "longmemeval-dev", _of_conversations(list(labelled.load(file)), table["elsewhere"], 1)
    yield "chats", _of_conversations(chats.collections(), table["elsewhere"], 4)


def _of_conversations(collections: Sequence[LabelledCollection], others: Sequence[str], step: int) -> Silences:
    found: Silences = {"answered": [], "elsewhere": [], "absent": []}
    for collection in collections:
        session = {turn.id: turn.session for turn in collection.turns}
        with tempfile.TemporaryDirectory() as folder:
            place = prepare(Path(folder), collection.turns)
            labelled.configure(place)
            with memoro.open(place.home) as m:
                asked = collection.questions[::step]
                for number, question in enumerate(asked):
                    haystack = question.haystack or tuple(dict.fromkeys(session.values()))
                    away = {session[turn] for turn in question.relevant}
                    found["answered"].append(_silent(m, question.text, haystack))
                    found["elsewhere"].append(_silent(m, others[number % len(others)], haystack))
                    left = [one for one in haystack if one not in away]
                    found["absent"].append(_silent(m, question.text, left))
    return found


def _silent(m: Workspace, query: str, sessions: Sequence[str] = ()) -> tuple[bool, bool]:
    """Whether recall would say nothing: by the best score, as it once was, and as it is."""
    where = filters(path=[path_of(session) for session in sessions], today=m.today)
    ranking = m.recaller.sources().search.search(query, where, answer.WIDE)
    found = candidates(ranking)
    return not found or found[0].score < BY_SCORE, not answer.may_answer(found, ranking.mode, ranking.calibration)


def _silence_rows(name: str, kinds: Silences) -> Iterator[list[object]]:
    told = (f"the best scores below {BY_SCORE}", "none is sure, and none near")
    for which, how in enumerate(told):
        shares = [
            sum(one[which] for one in kinds[kind]) / len(kinds[kind]) for kind in ("answered", "elsewhere", "absent")
        ]
        yield [name, how, *(f"{100 * share:.1f}" for share in shares)]


def _ask(m: Workspace, query: str, mode: Mode) -> tuple[float, list[str]]:
    """The best score, and the notes that were found."""
    results = m.search(query, limit=RESULTS, mode=mode).results
    return (results[0].score if results else 0.0), [hit.path for hit in results]
