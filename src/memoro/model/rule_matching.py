"""Which standing rules a task touches: by the matters that both are about, and by words that both have."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from memoro.model.code_languages import LANGUAGES
from memoro.model.phrases import compiled
from memoro.model.remembered import remembered
from memoro.model.rule_lines import RuleLine
from memoro.model.sentences import topic_words
from memoro.model.task_reading import TaskReading, read_task
from memoro.model.task_topics import broad_topics, broader_than, software_topics, topics_of

# What each piece of evidence is worth. Set by hand, on the half of `benchmarks tasks` that is not held out.
_IN_LABEL, _IN_TEXT, _BESIDE_LABEL = 0.75, 0.62, 0.3
_BROAD_IN_LABEL, _BROAD_IN_TEXT = 0.4, 0.25
_TAIL = 0.85  # of what a topic is worth that only the end of a task has
_ACTED_ON = 0.45  # of what a topic is worth with which something is done that makes nothing
_IMPLIED = 0.5  # of what a broader topic of the task is worth
_NAME, _WORD = 0.48, 0.4
_GENERAL = 0.55  # of a rule for everything of its kind, where there are few
_MANY_GENERAL = 4
_IN_SCOPE = 0.4  # of a rule in a note about what the task makes
_FOR_ALL = 0.6  # of a rule for all work
_OTHER_SCOPE = 0.7  # of a rule in a note about something else
_LEAST = 0.5  # a rule with less is not given
_BESIDE_BEST = 0.65  # and none with less than this share of the best
_UNSURE = 0.85  # of what may be a decision about one thing
_NARROWER = 0.75  # of what it is worth that a rule is about a part of what is asked, as shell scripts are of scripts
_FEW_TOPICS = 2  # a rule about more matters says less about each
_SHARED_WORDS = 3  # that count
# How everything of a family is done: a rule about it holds for whatever is made of the family.
_MANNERS: dict[str, tuple[str, ...]] = {
    "naming": ("code",),
    "comments": ("code",),
    "colour": ("ui",),
    "styling system": ("ui",),
    "control": ("ui",),
    "accessibility": ("ui",),
    "ui text": ("ui",),
    "screen": ("ui",),
    "proofreading": ("prose",),
    "language choice": ("prose", "message"),
    "dataframe": ("data",),
}
# Matters of software that are no code themselves.
_NO_CODE = frozenset(
    ["infra", "ui text", "docs", "release notes", "commit", "review", "branch", "ticket", "incident", "deploy"]
)
_LANGUAGE_NAMES = {"go": "go", "r": "r", "c": "cpp", "sql": "sql"}  # in labels only: words as well, or a matter
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
_CAPITAL = r"(?<!^)(?<![.!?:] )\b[^\W\d_a-zäöüß][\w'’-]+"


class TouchedRule(NamedTuple):
    """A rule that a task touches."""

    number: int  # its place among the rules
    score: float  # 0–1
    why: str  # the matter or the word that both have


class _RuleTopics(NamedTuple):
    label: frozenset[str]
    text: frozenset[str]
    scope: frozenset[str]

    @property
    def all(self) -> frozenset[str]:
        return self.label | self.text

    @property
    def about(self) -> frozenset[str]:
        """The topics of the label; of a rule without one, those of its text."""
        return self.label or self.text

    @property
    def languages(self) -> frozenset[str]:
        """The languages for whose code it is. A tool that it names in passing is none."""
        return (self.label or (self.text if "code" in self.text else frozenset())) & LANGUAGES


def needs_languages(task: str, rules: Sequence[RuleLine]) -> bool:
    """Return whether it matters for a task which languages its project is written in."""
    reading = read_task(task)
    if reading.topics & LANGUAGES or not reading.makes:
        return False
    return any(_topics_of_rule(rule).languages for rule in rules)


def languages_of(rules: Iterable[RuleLine]) -> frozenset[str]:
    """The languages that rules are for."""
    return frozenset().union(*(_topics_of_rule(rule).languages for rule in rules))


def touched(task: str, rules: Sequence[RuleLine], languages: frozenset[str] = frozenset()) -> list[TouchedRule]:
    """The rules that a task touches, the surest first. `languages` are those that the project is written in."""
    topics = [_topics_of_rule(rule) for rule in rules]
    general = Counter(family for one in topics for family in _families(one))
    reading = read_task(task)
    known = _Known(general, _languages(reading, languages))
    found = [
        TouchedRule(number, score, why)
        for number, (rule, one) in enumerate(zip(rules, topics, strict=True))
        for score, why in [_score(reading, rule, one, known)]
        if score >= _LEAST
    ]
    found.sort(key=lambda one: (-one.score, one.number))
    return [one for one in found if one.score >= _BESIDE_BEST * found[0].score]


def _languages(task: TaskReading, project: frozenset[str]) -> frozenset[str]:
    """The languages that a task is written in: those that it names, else its project's; of a query, also SQL."""
    found = task.topics & LANGUAGES or project
    return found | {"sql"} if found and "database" in task.topics else found


class _Known(NamedTuple):
    """How many rules hold for everything of a family, and which languages matter."""

    general: Counter[str]
    languages: frozenset[str]  # that the task names, else those of the project


def _score(task: TaskReading, rule: RuleLine, topics: _RuleTopics, known: _Known) -> tuple[float, str]:
    if topics.languages and known.languages and not topics.languages & known.languages:
        return 0.0, ""
    evidence = [
        *_by_topics(task, topics),
        *_by_scope(task, topics),
        *_by_words(task, rule),
        *_by_family(task, rule, topics, known),
    ]
    if not evidence:
        return 0.0, ""
    missing = math.prod(1 - worth for worth, _ in evidence)
    share = (1.0 if rule.is_sure else _UNSURE) * (_OTHER_SCOPE if _is_of_other_scope(task, topics) else 1.0)
    return (1 - missing) * share, max(evidence)[1]


def _is_of_other_scope(task: TaskReading, topics: _RuleTopics) -> bool:
    """Return whether a rule stands in a note about something else than the task."""
    return bool(topics.scope) and not topics.label and not topics.scope & (task.topics | task.broader)


def _by_topics(task: TaskReading, topics: _RuleTopics) -> list[tuple[float, str]]:
    """One piece of evidence for the best topic in common, and less for the next ones."""
    found: list[tuple[float, str]] = []
    narrower = dict.fromkeys(broader_than(topics.about) - broad_topics(), _NARROWER)
    many = max(1.0, len(topics.text - broad_topics()) / _FEW_TOPICS) ** 0.5
    for topic in (topics.all | set(narrower)) & (task.topics | task.broader):
        in_label = topic in topics.label or bool(topics.label and topic in narrower)
        if topic in broad_topics():
            worth = _BROAD_IN_LABEL if in_label else _BROAD_IN_TEXT
        else:
            worth = _IN_LABEL if in_label else (_BESIDE_LABEL if topics.label else _IN_TEXT) / many
        worth *= _of_task(task, topic) * narrower.get(topic, 1.0)
        found.append((worth, topic))
    found.sort(reverse=True)
    return [(worth / (1 + place), topic) for place, (worth, topic) in enumerate(found[:3])]


def _by_scope(task: TaskReading, topics: _RuleTopics) -> list[tuple[float, str]]:
    shared = sorted(topics.scope & task.head)
    return [(_IN_SCOPE, shared[0])] if shared and task.makes else []


def _of_task(task: TaskReading, topic: str) -> float:
    """Return how much a task is about a topic: what it does and makes counts more than what that is for or from."""
    share = 1.0 if topic in task.head else _TAIL if topic in task.topics else _IMPLIED
    return share if task.makes or topic in task.deed else share * _ACTED_ON


def _by_words(task: TaskReading, rule: RuleLine) -> list[tuple[float, str]]:
    names = {name.lower().removesuffix("'s").removesuffix("’s") for name in compiled(_CAPITAL, 0).findall(task.text)}
    shared = sorted((topic_words(task.text) & topic_words(rule.text)) - _GENERIC)[:_SHARED_WORDS]
    share = 1.0 if task.makes else _ACTED_ON
    return [(share * (_NAME if word in names else _WORD), word) for word in shared]


def _by_family(task: TaskReading, rule: RuleLine, topics: _RuleTopics, known: _Known) -> list[tuple[float, str]]:
    """A rule for everything of its kind, such as all code in one language, holds for a task that makes such."""
    made = _made(task, known)
    if rule.is_for_all and task.makes and topics.about <= broad_topics() | {"message", "explanation"}:
        return [(_FOR_ALL, "all work")]
    if topics.languages:
        fits = sorted(topics.languages & known.languages) if "code" in made else []
        return [(_GENERAL, fits[0])] if fits else []
    return [
        (_GENERAL / max(1.0, (known.general[family] / _MANY_GENERAL) ** 0.5), family)
        for family in sorted(_families(topics) & made)[:1]
    ]


def _made(task: TaskReading, known: _Known) -> frozenset[str]:
    """The families of what a task makes. In a project that has code, it makes code unless it says otherwise."""
    is_code = bool(known.languages) and task.builds and task.head <= software_topics() - _NO_CODE
    return task.made | {"code"} if is_code else task.made


def _families(topics: _RuleTopics) -> frozenset[str]:
    """The families for all of which a rule holds: it is about them, or about how everything of them is done."""
    narrow = topics.about - broad_topics()
    if not narrow <= _MANNERS.keys():
        return frozenset()
    return (topics.about - narrow).union(*(_MANNERS[topic] for topic in narrow))


@remembered(2048)
def _topics_of_rule(rule: RuleLine) -> _RuleTopics:
    text = rule.text.removeprefix(rule.label)
    named = _LANGUAGE_NAMES.get(rule.label.lower())
    label = topics_of(rule.label)
    return _RuleTopics(label | {named} if named else label, topics_of(text), topics_of(rule.scope))
