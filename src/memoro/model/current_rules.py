"""Of standing rules, those that hold: a newer one may take the place of an older, or say the same again."""

from collections.abc import Sequence
from typing import NamedTuple

from memoro.model.phrases import compiled
from memoro.model.rule_lines import RuleLine
from memoro.model.sentences import past_words, read_sentence, topic_words

_NO = r"(?i)\b(?:no|kein\w*|not|nicht) ([\w+#.-]+)"
_ALIKE, _ALIKE_WORDS = 0.6, 3  # of the words of the shorter rule, and so many at least


class DatedRule(NamedTuple):
    """A rule, the day on which it was said, and whether it was said in a conversation."""

    rule: RuleLine
    date: str  # YYYY-MM-DD; empty where none is known
    said: bool = False


def current(rules: Sequence[DatedRule]) -> list[int]:
    """The places of the rules that hold, in their order. Of two that say the same, the newer one does."""
    order = sorted(range(len(rules)), key=lambda place: (rules[place].date, place), reverse=True)
    held: list[int] = []
    for place in order:
        if not any(_replaces(rules[newer], rules[place]) for newer in held):
            held.append(place)
    return sorted(held)


def _replaces(newer: DatedRule, older: DatedRule) -> bool:
    mine, its = topic_words(newer.rule.text), topic_words(older.rule.text)
    if mine and (mine == its or len(mine & its) >= max(_ALIKE_WORDS, _ALIKE * min(len(mine), len(its)))):
        return True
    if newer.said and older.said and newer.rule.label and newer.rule.label.lower() == older.rule.label.lower():
        return True
    ended = _ended(newer.rule.text)
    return bool(ended & (its - _ended(older.rule.text) - _denied(older.rule.text)))


def _ended(text: str) -> frozenset[str]:
    """The words for what a rule says is over: "pnpm instead of npm", "polars from now on, no pandas"."""
    ended = past_words(text)
    return ended | _denied(text) if read_sentence(text).changes else ended


def _denied(text: str) -> frozenset[str]:
    return frozenset().union(*map(topic_words, compiled(_NO, 0).findall(text)))
