"""Questions and statements are read as they were when their readings were kept.

After a change that is meant, look at what moved, then keep the new readings: `python -m tests.test_kept_readings`.
"""

from __future__ import annotations

import tomllib
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from memoro.model.answers import Passage
from memoro.search import phrasing
from memoro.search.answer_kind import asks_for_fact, holds_what_is_asked, kind_asked
from memoro.search.attribute import attribute
from memoro.search.past import time_asked, time_values, understood
from memoro.search.turns import asks, rules
from tests.kept import check_kept, read_kept, write_kept

HERE = Path(__file__).parent
KEPT = HERE / "data" / "kept_readings.json"
DATA = HERE.parent / "benchmarks" / "data"
TODAY = date(2026, 3, 5)
TIMES = (
    "yesterday", "last week", "in March 2025", "before May", "since 2024", "on 3 April", "two weeks ago",
    "last summer", "at first", "before that", "originally", "on Tuesday", "this month", "letzte Woche", "im März",
    "vor zwei Tagen",
)  # fmt: skip
DAYS = (
    "2024-05-03",
    "2025-03-14",
    "2025-04-03",
    "2026-02-19",
    "2026-02-26",
    "2026-03-04",
    "2026-03-05",
    "2026-03-09",
)


def read(name: str) -> dict[str, Any]:
    return tomllib.loads((DATA / name).read_text(encoding="utf-8"))


PAIRS = [
    (question, statement)
    for half in read("attributes.toml").values()
    for subject in half.values()
    for question, statement in subject.values()
]


def passage(text: str, **fields: Any) -> Passage:
    return Passage(
        path=fields.pop("path", "note.md"),
        tier=fields.pop("tier", "note"),
        title="note",
        date=None,
        start_line=1,
        end_line=1,
        headings=(),
        text=text,
        digest="d",
        number=1,
    )._replace(**fields)


def reading(number: int) -> list[Any]:
    """How a question is read, and what its own answer, the next answer and the question itself tell of it."""
    question, answer = PAIRS[number]
    other = PAIRS[(number + 7) % len(PAIRS)][1]
    texts = (answer, other, question, f"{answer} {question}", answer.lower())
    found = [
        *(passage(text) for text in texts),
        passage(answer, path="@chats/a.jsonl", tier="transcript", speaker="User"),
        passage(question, path="@chats/a.jsonl", tier="transcript", speaker="Assistant"),
        passage(answer, path="memory:1", tier="memory"),
    ]
    return [
        kind_asked(question),
        asks_for_fact(question),
        [int(holds_what_is_asked(text, question)) for text in texts],
        [round(value, 3) for value in attribute(question, found)],
        [round(value, 3) for value in (*asks(question, found), *rules(question, found))],
        [phrasing.asked(question), phrasing.side(question), phrasing.side(answer)],
        [
            [int(test(text)) for text in (question, answer)]
            for test in (phrasing.questions_count, phrasing.is_about_several, phrasing.is_task)
        ],
    ]


def reading_of_time(number: int) -> list[Any]:
    when = time_asked(f"Where did Nora work {TIMES[number]}?", TODAY)
    passages = [
        passage("Nora works at the port.", **fields)
        for day in DAYS
        for fields in ({"date": day}, {"valid_from": day}, {"valid_from": DAYS[0], "valid_to": day}, {"written": day})
    ]
    span = understood(when)
    return [span and list(span), [round(value, 3) for value in time_values(passages, when, TODAY)]]


WAYS = {"readings": (range(len(PAIRS)), reading), "times": (range(len(TIMES)), reading_of_time)}


@pytest.mark.parametrize("way", WAYS)
def test_readings_are_those_that_were_kept(way: str) -> None:
    numbers, answer = WAYS[way]
    check_kept(numbers, [answer(number) for number in numbers], read_kept(KEPT)[way])


if __name__ == "__main__":
    write_kept(KEPT, {way: [answer(one) for one in numbers] for way, (numbers, answer) in WAYS.items()})
