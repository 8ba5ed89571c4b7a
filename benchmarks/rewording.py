"""Suggestions in other words: how many the gate recognises, and how many near ones it mistakes."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from memoro.model.rewording import is_rewording
from memoro.providers.builtin.model import builtin

DATA = Path(__file__).parent / "data"
SETS = ("dev", "check")


class StatementPair(NamedTuple):
    one: str
    other: str
    is_same: bool


class PairCounts(NamedTuple):
    pairs: int
    precision: float
    recall: float
    mistaken: tuple[StatementPair, ...]


def pairs(name: str) -> list[StatementPair]:
    """Read a set: `= A | B` says the same, `! A | B` does not."""
    lines = (DATA / f"rewording-{name}.txt").read_text(encoding="utf-8").splitlines()
    found = [(line[0], line[2:].split(" | ")) for line in lines if line[:1] in "=!" and line]
    return [StatementPair(one, other, mark == "=") for mark, (one, other) in found]


def cosine(one: str, other: str) -> float:
    first, second = builtin().embed([one, other])
    return float(first @ second)


def measure(name: str) -> PairCounts:
    read = pairs(name)
    said = [is_rewording(pair.one, pair.other, cosine) for pair in read]
    right = sum(pair.is_same and found for pair, found in zip(read, said, strict=True))
    return PairCounts(
        pairs=len(read),
        precision=right / max(1, sum(said)),
        recall=right / max(1, sum(pair.is_same for pair in read)),
        mistaken=tuple(pair for pair, found in zip(read, said, strict=True) if pair.is_same != found),
    )


def run() -> None:
    print("| set | pairs | precision | recall |\n|---|---|---|---|")
    for name in SETS:
        found = measure(name)
        print(f"| {name} | {found.pairs} | {found.precision:.2f} | {found.recall:.2f} |")
    for name in SETS:
        for pair in measure(name).mistaken:
            print(f"\n{name}: {'missed' if pair.is_same else 'mistaken'}: {pair.one} | {pair.other}")
