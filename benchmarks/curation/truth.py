"""What is true in a simulated year: which fact a text states, and whether that holds on a day."""

from __future__ import annotations

from datetime import date
from typing import NamedTuple

from benchmarks.year.life import Turn
from benchmarks.year.probes import Year


class Stated(NamedTuple):
    """What a text states. Without a fact and not a rule it is junk: talk, a question, hearsay, half a sentence."""

    fact: int | None = None
    period: int | None = None
    is_rule: bool = False

    @property
    def is_junk(self) -> bool:
        return self.fact is None and not self.is_rule


class Truth:
    """Learns what was said, and tells what a text states."""

    def __init__(self, year: Year) -> None:
        self._year = year
        self._stated: dict[str, Stated] = {}

    def learn(self, text: str, turn: Turn) -> None:
        """Note that a text was taken from a message."""
        self._stated[_plain(text)] = self._of(text, turn)

    def _of(self, text: str, turn: Turn) -> Stated:
        if turn.way == "rule":
            return Stated(is_rule=True)
        if turn.fact is None or turn.period is None or turn.way in ("asked", "answered", "hearsay"):
            return Stated()
        value = self._year.facts[turn.fact].values[turn.period][1]
        tells = value is None or value.casefold() in text.casefold()
        return Stated(turn.fact, turn.period) if tells else Stated()

    def of(self, text: str) -> Stated:
        """Return what a text states. A rule may be said without the words before it: "please", "no, again"."""
        said = _plain(text)
        if said in self._stated:
            return self._stated[said]
        rules = (known for known, stated in self._stated.items() if stated.is_rule)
        return Stated(is_rule=bool(said) and any(known.endswith(said) for known in rules))

    def holds(self, stated: Stated, day: date) -> bool:
        """Tell whether what is stated is so on a day. A value that was taken back is not worth a line."""
        if stated.is_rule:
            return True
        if stated.fact is None:
            return False
        fact = self._year.facts[stated.fact]
        period = fact.period_at(day)
        if period is None or period != stated.period or (fact.deleted and fact.deleted <= day):
            return False
        return fact.values[period][1] is not None

    def is_older(self, old: Stated, new: Stated) -> bool:
        """Tell whether both are about one fact, and the second is a later value of it."""
        is_one = old.fact is not None and old.fact == new.fact
        return is_one and (old.period or 0) < (new.period or 0)


def _plain(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(".!")
