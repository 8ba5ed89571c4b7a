"""Standing rules and preferences: found for tasks that touch them in other words.

The rules of `data/rules.toml` are said once, each in a conversation of its own among small talk; other conversations
are about the same matters and state no rule. Every second rule is held out.
"""

from __future__ import annotations

import random
import tempfile
import tomllib
from collections import defaultdict
from pathlib import Path
from typing import Any

import memoro
from benchmarks import measure
from benchmarks.labelled import configure
from memoro.evaluate import metrics
from memoro.evaluate.conversations import prepare
from memoro.evaluate.metrics import Figures
from memoro.evaluate.questions import LabelledCollection, LabelledTurn, Question
from memoro.model.vocabulary import MODES

_DATA = Path(__file__).parent / "data" / "rules.toml"
_DEPTHS = (1, 5, 10)


def run() -> None:
    table = tomllib.loads(_DATA.read_text(encoding="utf-8"))
    collection = make(table)
    scores: dict[tuple[str, str], list[Figures]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        place = prepare(Path(folder), collection.turns)
        configure(place)
        with memoro.open(place.home) as m:
            m.sync()
            for question in collection.questions:
                for mode in MODES:
                    answer = m.search(question.text, limit=max(_DEPTHS), mode=mode)
                    ranking = [place.ids[hit.path, hit.start_line] for hit in answer.results]
                    scores[question.category, mode].append(metrics.figures(ranking, question.relevant, _DEPTHS))
    rows: list[list[object]] = []
    for (half, method), found in scores.items():
        mean = metrics.mean(found)
        rows.append([half, method, *(f"{100 * value:.1f}" for value in mean.recall.values()), len(found)])
    measure.table(["rules", "method", *(f"R@{depth}" for depth in _DEPTHS), "tasks"], rows)


def make(table: dict[str, Any], seed: int = 1) -> LabelledCollection:
    """The conversations and the tasks, the same on every machine."""
    rng = random.Random(seed)
    turns: list[LabelledTurn] = []
    questions: list[Question] = []
    for number, rule in enumerate(table["rule"]):
        key = f"rule-{number}"
        turns += _conversation(f"{number}-rule", [(key, rule["said"])], table, rng)
        near = [(f"near-{number}-{n}", text) for n, text in enumerate(rule["near"])]
        turns += _conversation(f"{number}-near", near, table, rng)
        questions.append(Question(rule["task"], (key,), "held out" if number % 2 else "seen"))
    return LabelledCollection(tuple(turns), tuple(questions))


def _conversation(
    name: str, said: list[tuple[str, str]], table: dict[str, Any], rng: random.Random
) -> list[LabelledTurn]:
    """What is said, each with a reply, between small talk."""
    users = [("", text) for text in rng.sample(table["smalltalk"], 2)]
    users[1:1] = said
    day = f"2025-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}"
    turns = []
    for n, (key, text) in enumerate(users):
        turns.append(LabelledTurn(key or f"{name}-{n}", name, day, "user", text))
        turns.append(LabelledTurn(f"{name}-{n}-reply", name, day, "assistant", rng.choice(table["replies"])))
    return turns
