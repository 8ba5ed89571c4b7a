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
        self._stated: dict[str, dict[str | None, Stated]] = {}  # by text and project: "our" means another in each

    def learn(self, text: str, turn: Turn) -> None:
        """Note that a text was taken from a message."""
        known = self._stated.setdefault(_plain(text), {})
        known.pop(turn.project, None)  # the last one to be learned stands last
        known[turn.project] = self._of(text, turn)

    def _of(self, text: str, turn: Turn) -> Stated:
        if turn.way == "rule":
            return Stated(is_rule=True)
        if turn.fact is None or turn.period is None or turn.way in ("asked", "answered", "hearsay"):
            return Stated()
        value = self._year.facts[turn.fact].values[turn.period][1]
        tells = value is None or value.casefold() in text.casefold()
        return Stated(turn.fact, turn.period) if tells else Stated()

    def of(self, text: str, project: str | None = None) -> Stated:
        """Return what a text states, said in a project or under its name; junk if that could be several things.

        A rule may be said without the words before it: "please", "no, again".
        """
        name, _, rest = text.partition(": ")
        if project is None and rest and _plain(rest) in self._stated and name in self._stated[_plain(rest)]:
            return self._stated[_plain(rest)][name]
        said = _plain(text)
        if said in self._stated:
            known = self._stated[said]
            last = list(known.values())[-1]
            is_sure = len({one.fact for one in known.values()}) == 1
            return known.get(project, last if is_sure else Stated())
        rules = (words for words, known in self._stated.items() if any(one.is_rule for one in known.values()))
        return Stated(is_rule=bool(said) and any(words.endswith(said) for words in rules))

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
