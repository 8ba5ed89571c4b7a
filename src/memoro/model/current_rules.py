"""Of standing rules, those that hold: a newer one may take the place of an older, or say the same again."""

from collections.abc import Sequence
from functools import lru_cache
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


def current(rules: Sequence[DatedRule], wanted: Sequence[int] | None = None) -> list[int]:
    """The places of the rules that hold, in their order: of all, or of the wanted ones.

    Of two that say the same, the newer one holds. One that was itself replaced still ends older ones.
    """
    places = range(len(rules)) if wanted is None else wanted
    words = [topic_words(rule.rule.text) for rule in rules]
    ended = [_ended(rule.rule.text) for rule in rules]
    return sorted(place for place in places if not _is_replaced(place, rules, words, ended))


def _is_replaced(
    place: int, rules: Sequence[DatedRule], words: Sequence[frozenset[str]], ended: Sequence[frozenset[str]]
) -> bool:
    own, mine = rules[place], words[place]
    denied = ended[place] | _denied(own.rule.text)
    for other, newer in enumerate(rules):
        if (newer.date, other) <= (own.date, place):
            continue
        shared = len(mine & words[other])
        if shared and (
            mine == words[other] or shared >= max(_ALIKE_WORDS, _ALIKE * min(len(mine), len(words[other])))
        ):
            return True
        if ended[other] and ended[other] & (mine - denied):
            return True
        if own.said and newer.said and own.rule.label and own.rule.label.lower() == newer.rule.label.lower():
            return True
    return False


@lru_cache(maxsize=2048)
def _ended(text: str) -> frozenset[str]:
    """The words for what a rule says is over: "pnpm instead of npm", "polars from now on, no pandas"."""
    ended = past_words(text)
    return ended | _denied(text) if read_sentence(text).changes else ended


def _denied(text: str) -> frozenset[str]:
    return frozenset().union(*map(topic_words, compiled(_NO, 0).findall(text)))
