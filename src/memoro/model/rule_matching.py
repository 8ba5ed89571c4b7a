"""Which standing rules a task touches: by the matters that both are about, and by words that both have."""

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from memoro.model.code_languages import LANGUAGES
from memoro.model.rule_lines import RuleLine
from memoro.model.sentences import topic_words
from memoro.model.task_topics import broad_topics, broader_than, topics_of

# What each piece of evidence is worth. Set by hand, on the half of `benchmarks tasks` that is not held out.
_IN_LABEL, _IN_TEXT, _BESIDE_LABEL = 0.75, 0.62, 0.3
_BROAD_IN_LABEL, _BROAD_IN_TEXT = 0.4, 0.25
_IMPLIED = 0.5  # of what a broader topic of the task is worth
_NAME, _WORD = 0.65, 0.4
_GENERAL = 0.55  # of a rule for everything of its kind, where there are few
_MANY_GENERAL = 4
_LEAST = 0.5  # a rule with less is not given
_BESIDE_BEST = 0.7  # and none with less than this share of the best
_UNSURE = 0.85  # of what may be a decision about one thing
_PER_RULE = 0.12  # a topic says less for each further rule that has it
_LANGUAGE_NAMES = {"go": "go", "r": "r", "c": "cpp"}  # names that are words as well: only a label is one
# Words of tasks and of rules that say nothing of their matter.
_GENERIC_WORDS = """
    write draft make build add create fix update change use give show put keep run set new old small first last
    next one two three four five every all each always never only please without ask need want like work thing
    way time day week people user between same other find tell explain plan prepare list using file code text
    also both than more most into name page line part kind start end let see look go get take try move still
    well good right schreib schreibe mach mache immer nie nur bitte kein keine neu neue neuen alle jede jeder
    ein eine einen der die das für über als auch zwei drei
"""
_GENERIC = frozenset(_GENERIC_WORDS.split())
_CAPITAL = re.compile(r"(?<!^)(?<![.!?:] )\b[^\W\d_a-zäöüß][\w'’-]+")


class TouchedRule(NamedTuple):
    """A rule that a task touches."""

    number: int  # its place among the rules
    score: float  # 0–1
    why: str  # the matter or the word that both have


class _RuleTopics(NamedTuple):
    label: frozenset[str]
    text: frozenset[str]

    @property
    def all(self) -> frozenset[str]:
        return self.label | self.text


def needs_languages(task: str, rules: Sequence[RuleLine]) -> bool:
    """Return whether it matters for a task which languages its project is written in."""
    topics = topics_of(task)
    if topics & LANGUAGES or "code" not in topics | broader_than(topics):
        return False
    return any(_topics_of_rule(rule).label & LANGUAGES for rule in rules)


def touched(task: str, rules: Sequence[RuleLine], languages: frozenset[str] = frozenset()) -> list[TouchedRule]:
    """The rules that a task touches, the surest first. `languages` are those that the project is written in."""
    topics = [_topics_of_rule(rule) for rule in rules]
    having = Counter(topic for one in topics for topic in one.label or one.text)
    general = Counter(family for one in topics for family in _families(one))
    asked = _Task(task, topics_of(task), languages)
    found = [
        TouchedRule(number, score, why)
        for number, (rule, one) in enumerate(zip(rules, topics, strict=True))
        for score, why in [_score(asked, rule, one, _Counts(having, general))]
        if score >= _LEAST
    ]
    found.sort(key=lambda one: (-one.score, one.number))
    return [one for one in found if one.score >= _BESIDE_BEST * found[0].score]


class _Task(NamedTuple):
    text: str
    topics: frozenset[str]
    languages: frozenset[str]

    @property
    def broader(self) -> frozenset[str]:
        return broader_than(self.topics)


class _Counts(NamedTuple):
    """How many rules have a topic, and how many hold for everything of a family."""

    having: Counter[str]
    general: Counter[str]


def _score(task: _Task, rule: RuleLine, topics: _RuleTopics, counts: _Counts) -> tuple[float, str]:
    evidence = [
        *_by_topics(task, topics, counts.having),
        *_by_words(task.text, rule),
        *_by_family(task, topics, counts.general),
    ]
    if not evidence:
        return 0.0, ""
    missing = 1.0
    for worth, _ in evidence:
        missing *= 1 - worth
    return (1 - missing) * (1.0 if rule.is_sure else _UNSURE), max(evidence)[1]


def _by_topics(task: _Task, topics: _RuleTopics, having: Counter[str]) -> list[tuple[float, str]]:
    """One piece of evidence for the best topic in common, and half of the second."""
    found: list[tuple[float, str]] = []
    for topic in topics.all & (task.topics | task.broader):
        in_label = topic in topics.label
        if topic in broad_topics():
            worth = _BROAD_IN_LABEL if in_label else _BROAD_IN_TEXT
        else:
            worth = _IN_LABEL if in_label else _BESIDE_LABEL if topics.label else _IN_TEXT
        worth *= 1.0 if topic in task.topics else _IMPLIED
        found.append((worth / (1 + _PER_RULE * (having[topic] - 1)), topic))
    found.sort(reverse=True)
    return [(worth / (1 + place), topic) for place, (worth, topic) in enumerate(found[:3])]


def _by_words(task: str, rule: RuleLine) -> list[tuple[float, str]]:
    names = {name.lower().removesuffix("'s").removesuffix("’s") for name in _CAPITAL.findall(task)}
    shared = sorted((topic_words(task) & topic_words(rule.text)) - _GENERIC)
    return [(_NAME if word in names else _WORD, word) for word in shared[:3]]


def _by_family(task: _Task, topics: _RuleTopics, general: Counter[str]) -> list[tuple[float, str]]:
    """A rule for everything of its kind, such as all code in one language, holds for a task that makes such."""
    makes = (task.topics | task.broader) & broad_topics()
    language = topics.label & LANGUAGES
    if language:
        named = task.topics & LANGUAGES
        fits = language & named if named else language & task.languages
        return [(_GENERAL, next(iter(fits)))] if fits and "code" in makes else []
    return [
        (_GENERAL if general[family] <= _MANY_GENERAL else _GENERAL / 2, family)
        for family in _families(topics) & makes
    ]


def _families(topics: _RuleTopics) -> frozenset[str]:
    """The families for all of which a rule holds: it is about nothing narrower."""
    if topics.label & LANGUAGES or (topics.label or topics.text) - broad_topics():
        return frozenset()
    return topics.label or topics.text


@lru_cache(maxsize=2048)
def _topics_of_rule(rule: RuleLine) -> _RuleTopics:
    text = rule.text[len(rule.label) :] if rule.label else rule.text
    named = _LANGUAGE_NAMES.get(rule.label.lower())
    label = topics_of(rule.label) | ({named} if named else frozenset())
    return _RuleTopics(frozenset(label), topics_of(text))
