"""How the stand-in misbehaves: which fault a call meets, and what the fault does to the vectors of an answer."""

from __future__ import annotations

import random
import re
from typing import Literal, NamedTuple, get_args

# The connection: closed before an answer, reset in the middle of one, slow, or silent.
LineFault = Literal["dropped", "reset", "slow", "hang"]
# Another answer than the right one.
StatusFault = Literal[
    "429 seconds", "429 date", "429", "quota", "key refused", "500", "502", "503",
    "html", "redirect 301", "redirect 302", "redirect 307", "huge", "gzip bomb",
]  # fmt: skip
# The right answer in a broken body.
BodyFault = Literal["cut off", "content type"]
# Wrong vectors, or too few.
VectorFault = Literal[
    "reordered", "short", "short unindexed", "narrow", "quarter", "nan", "null", "zeros", "one for many"
]
# At most so many texts on this call, with an error that names the number or does not.
CapFault = Literal[
    "cap 10", "cap 16", "cap 20", "cap 64", "silent cap 10", "silent cap 16", "silent cap 20", "silent cap 64"
]
Fault = LineFault | StatusFault | BodyFault | VectorFault | CapFault

LINE_FAULTS: tuple[LineFault, ...] = get_args(LineFault)
STATUS_FAULTS: tuple[StatusFault, ...] = get_args(StatusFault)
BODY_FAULTS: tuple[BodyFault, ...] = get_args(BodyFault)
VECTOR_FAULTS: tuple[VectorFault, ...] = get_args(VectorFault)
CAP_FAULTS: tuple[CapFault, ...] = get_args(CapFault)
ALL_FAULTS: tuple[Fault, ...] = (*LINE_FAULTS, *STATUS_FAULTS, *BODY_FAULTS, *VECTOR_FAULTS, *CAP_FAULTS)


class Faults(NamedTuple):
    """Which calls fail, and how. The fault of a call follows from the seed and the call's number alone."""

    kinds: tuple[Fault, ...] = ()  # drawn from with equal chances: name one twice to make it likelier
    probability: float = 1.0
    script: tuple[Fault | None, ...] = ()  # of the first calls after `set_faults`; `kinds` come after it
    paths: str = ""  # only calls whose path this pattern finds
    retry_after: int = 1  # seconds, of a 429
    slow_seconds: float = 0.2  # over which a slow body is spread
    hang_seconds: float = 30.0  # after which a silent connection is closed


FINE = Faults()


def draw(faults: Faults, seed: int, place: int) -> Fault | None:
    """Return the fault of the call at this place after `set_faults`."""
    if place < len(faults.script):
        return faults.script[place]
    if not faults.kinds:
        return None
    chance = random.Random(f"{seed} {place}")
    return chance.choice(faults.kinds) if chance.random() < faults.probability else None


def meets(faults: Faults, path: str) -> bool:
    return re.search(faults.paths, path) is not None


def is_felt(fault: Fault | None, texts: int) -> bool:
    """Return whether a fault changes the answer to a request for so many texts."""
    cap = cap_of(fault)
    if cap is not None:
        return texts > cap[0]
    return texts > 1 if fault in ("reordered", "one for many") else fault is not None


class Row(NamedTuple):
    """One vector of an answer."""

    place: int | None  # of its text in the request; None: the answer does not say
    text: str
    values: list[float | None]
    is_right: bool = True  # whoever reads the answer carefully can use it


def spoil(rows: list[Row], fault: Fault | None, chance: random.Random) -> list[Row]:
    """Return the rows as a fault leaves them."""
    match fault:
        case "reordered":
            return chance.sample(rows, len(rows))
        case "short":
            return _some(rows, chance)
        case "short unindexed":
            return [_unplaced(row) for row in _some(rows, chance)]
        case "narrow":
            return [_narrower(row, 2) for row in rows]
        case "quarter":
            return [_narrower(row, 4) for row in rows]
        case "one for many":
            return rows if len(rows) == 1 else [_unplaced(row) for row in rows[:1]]
        case "nan" | "null" | "zeros":
            return _one_unusable(rows, fault, chance)
        case _:
            return rows


def _some(rows: list[Row], chance: random.Random) -> list[Row]:
    """At least one row is missing."""
    kept = set(chance.sample(range(len(rows)), chance.randrange(len(rows))))
    return [row for place, row in enumerate(rows) if place in kept]


def _unplaced(row: Row) -> Row:
    return Row(place=None, text=row.text, values=row.values, is_right=False)


def _narrower(row: Row, divisor: int) -> Row:
    return Row(place=row.place, text=row.text, values=row.values[: len(row.values) // divisor], is_right=False)


def _one_unusable(rows: list[Row], fault: Literal["nan", "null", "zeros"], chance: random.Random) -> list[Row]:
    hit = chance.randrange(len(rows))
    row = rows[hit]
    values: list[float | None] = [0.0] * len(row.values)
    if fault != "zeros":
        values = [float("nan") if fault == "nan" else None, *row.values[1:]]
    return [*rows[:hit], Row(place=row.place, text=row.text, values=values, is_right=False), *rows[hit + 1 :]]


def cap_of(fault: Fault | None) -> tuple[int, bool] | None:
    """Return how many texts a call may hold, and whether its error names the number."""
    if fault is None or fault not in CAP_FAULTS:
        return None
    return int(fault.rsplit(" ", 1)[1]), not fault.startswith("silent")
