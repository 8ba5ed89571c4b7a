"""Short chats between two people with questions about them, made from a seed out of `data/chats.toml`."""

from __future__ import annotations

import random
import tomllib
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from memoro.evaluate.questions import LabelledCollection, LabelledTurn, Question

_DATA = Path(__file__).parent / "data" / "chats.toml"
_PAIRS = (("Anna", "Milo"), ("Vera", "Theo"), ("Rosa", "Emil"), ("Nora", "Igor"), ("Lena", "Hugo"), ("Sara", "Paul"))
_BOTH = 0.25  # how often both of a pair have something to tell about the same topic
_ASKED = 0.5  # how often a fact answers a question
_RETOLD = 0.2  # how often the other one says it
_FIRST = date(2025, 1, 6)


def collections(seed: int = 1) -> list[LabelledCollection]:
    """One for each pair of people, the same on every machine."""
    table = tomllib.loads(_DATA.read_text(encoding="utf-8"))
    rng = random.Random(seed)
    return [_collection(table, pair, rng) for pair in _PAIRS]


def _collection(table: dict[str, Any], pair: tuple[str, str], rng: random.Random) -> LabelledCollection:
    told: list[tuple[dict[str, str], dict[str, Any], str, str]] = []  # what to fill in, topic, fact, its id
    questions = []
    for number, topic in enumerate(table["topic"]):
        people = list(pair) if rng.random() < _BOTH else [rng.choice(pair)]
        for me in people:
            filled = {slot: rng.choice(values) for slot, values in table["slots"].items()}
            filled |= {"me": me, "you": pair[me == pair[0]]}
            ids = [f"{me}-{number}-{fact}" for fact in range(len(topic["facts"]))]
            told += [(filled, topic, fact, key) for fact, key in zip(topic["facts"], ids, strict=True)]
            category = "several" if len(ids) > 1 else "one"
            questions += [Question(text.format(**filled), tuple(ids), category) for text in topic["questions"]]
    rng.shuffle(told)
    turns: list[LabelledTurn] = []
    for session, start in enumerate(range(0, len(told), 3)):
        day = (_FIRST + timedelta(days=7 * session)).isoformat()
        said = _small_talk(table, pair, rng)
        for filled, topic, fact, key in told[start : start + 3]:
            said += _exchange(filled, topic, fact, key, rng) + _small_talk(table, pair, rng)
        name = f"{pair[0]}-{pair[1]}-{session}"
        turns += [LabelledTurn(key or f"{name}-{n}", name, day, who, text) for n, (key, who, text) in enumerate(said)]
    return LabelledCollection(tuple(turns), tuple(questions))


def _exchange(
    filled: dict[str, str], topic: dict[str, Any], fact: str, key: str, rng: random.Random
) -> list[tuple[str, str, str]]:
    """A fact, and often what led to it."""
    me, you = filled["me"], filled["you"]
    if topic.get("teller") == "other":
        return [("", me, topic["ask"]), (key, you, fact.format(**filled))]
    if rng.random() < _RETOLD:
        return [(key, you, f"I remember, you wrote: {fact.format(**filled)}")]
    asked = [("", you, str(topic["ask"]))] if rng.random() < _ASKED else []
    return [*asked, (key, me, fact.format(**filled))]


def _small_talk(table: dict[str, Any], pair: tuple[str, str], rng: random.Random) -> list[tuple[str, str, str]]:
    first = rng.randrange(2)
    lines = [" ".join(rng.sample(table["smalltalk"], 2)) for _ in range(rng.randint(2, 5))]
    return [
        ("", pair[(first + n) % 2], line.format(you=pair[(first + n + 1) % 2], me=pair[(first + n) % 2]))
        for n, line in enumerate(lines)
    ]
