"""Answers that were kept in a file, to be compared with those of now."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

CLOSE = 0.002  # processors add up vectors in different orders
Answers = Mapping[str, Sequence[Any]]  # lists of answers, by the way in which they were asked for


def read_kept(file: Path) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = json.loads(file.read_text(encoding="utf-8"))
    return found


def write_kept(file: Path, answers: Answers) -> None:
    """Keep the answers, each on a line of its own, so that a difference shows what moved."""
    ways = []
    for way, each in answers.items():
        lines = ",\n".join(json.dumps(one, ensure_ascii=False) for one in each)
        ways.append(f"{json.dumps(way)}: [\n{lines}\n]")
    file.write_text("{\n" + ",\n".join(ways) + "\n}\n", encoding="utf-8")


def check_kept(asked: Sequence[object], now: Sequence[Any], kept: Sequence[Any]) -> None:
    """Fail with the first question whose answer is another than the one that was kept."""
    assert len(now) == len(kept) == len(asked)
    for question, found, expected in zip(asked, now, kept, strict=True):
        assert _is_close(json.loads(json.dumps(found)), expected), f"{question}\nnow:  {found}\nkept: {expected}"


def _is_close(found: object, expected: object) -> bool:
    match found, expected:
        case (dict() as one, dict() as other):
            return one.keys() == other.keys() and all(_is_close(one[key], other[key]) for key in one)
        case (list() as one, list() as other):
            return len(one) == len(other) and all(map(_is_close, one, other))
        case (float() | int() as one, float() | int() as other):
            return abs(one - other) <= CLOSE
    return found == expected


def in_words(value: object) -> str:
    """Return a value as a text that is the same in every process: sets in an order, numbers rounded."""
    match value:
        case dict():
            return "{" + ", ".join(f"{key!r}: {in_words(one)}" for key, one in value.items()) + "}"
        case set() | frozenset():
            return "{" + ", ".join(sorted(map(in_words, value))) + "}"
        case tuple() | list():
            return f"{type(value).__name__}({', '.join(map(in_words, value))})"
        case float():
            return repr(round(value, 4))
    return repr(value)
