"""Of standing rules, those that hold: a newer one may take the place of an older, or say the same again."""

from collections.abc import Sequence
from typing import NamedTuple

from memoro.model.phrases import compiled
from memoro.model.remembered import remembered
from memoro.model.rule_lines import RuleLine
from memoro.model.sentences import past_words, topic_words

_NO = r"(?i)\b(?:no|kein\w*|not|nicht) ([\w+#.-]+)"
# What says that something is done in another way than before. "Not X" alone may always have held.
_CHANGES = (
    r"\b(?:instead of|rather than|no longer|any ?more|from now on|switch(?:ed)?|replaces?|these days|statt|nicht mehr"
    r"|ab (?:sofort|jetzt|heute)|künftig|stattdessen)\b|从现在起|以后"
)
_ALIKE, _ALIKE_WORDS = 0.6, 3  # of the words of the older rule, and so many at least


class DatedRule(NamedTuple):
    """A rule, the day on which it was said, and whether it was said in a conversation."""

    rule: RuleLine
    date: str  # YYYY-MM-DD; empty where none is known
    said: bool = False


def current(rules: Sequence[DatedRule], wanted: Sequence[int] | None = None) -> list[int]:
    """The places of the rules that hold, in their order: of all, or of the wanted ones.

    A newer rule ends an older one by its words, or says all of it again; the latter counts only among the wanted.
    """
    places = frozenset(range(len(rules)) if wanted is None else wanted)
    return sorted(
        place
        for place in places
        if not any(
            _ends(newer, rules[place]) or (other in places and _repeats(newer, rules[place]))
            for other, newer in enumerate(rules)
            if (newer.date, other) > (rules[place].date, place)
        )
    )


def _ends(newer: DatedRule, older: DatedRule) -> bool:
    """Return whether a rule takes the place of an older one: "pnpm instead of npm", or the same subject anew."""
    if newer.said and older.said and newer.rule.label and newer.rule.label.lower() == older.rule.label.lower():
        return True
    ended = _ended(newer.rule.text)
    text = older.rule.text
    return bool(ended) and bool(ended & (topic_words(text) - _ended(text) - _denied(text)))


def _repeats(newer: DatedRule, older: DatedRule) -> bool:
    mine, its = topic_words(newer.rule.text), topic_words(older.rule.text)
    return bool(its) and (mine == its or len(mine & its) >= max(_ALIKE_WORDS, _ALIKE * len(its)))


@remembered(2048)
def _ended(text: str) -> frozenset[str]:
    """The words for what a rule says is over: "pnpm instead of npm", "polars from now on, no pandas"."""
    return past_words(text) | _denied(text) if compiled(_CHANGES).search(text) else frozenset()


def _denied(text: str) -> frozenset[str]:
    return frozenset().union(*map(topic_words, compiled(_NO, 0).findall(text)))
