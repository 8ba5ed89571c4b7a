"""Judging new facts by rules: what repeats a current fact, and what may contradict one.

Duplicates are told by similarity. A contradiction never is: the rules by which a search tells the newest statement
about a thing mark it as possible, and a person decides.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from memoro.curate.judging.facts import (
    MOST_TARGETS,
    Candidate,
    CurrentFact,
    CurrentFacts,
    FactDecision,
    may_repeat,
    may_replace,
)
from memoro.curate.judging.restatements import restates
from memoro.model.answers import ReplacedWhy
from memoro.model.attributes import stated_attributes
from memoro.model.names import TextSource, known_names, subjects_of, without_subjects
from memoro.model.sentences import read_sentence, topic_words
from memoro.model.targets import MemoryId
from memoro.search.compared_statements import Moment, Statement, has_other_value, is_later, repeats
from memoro.search.same_thing import AskedFor, arrange

if TYPE_CHECKING:
    from memoro.providers.ports import Vectors

# How sure the rules are, by what tells them.
_SCORES: dict[ReplacedWhy, float] = {"names it": 0.8, "attribute": 0.7, "alike": 0.7, "marked": 0.5, "ledger": 0.5}
_REASONS: dict[ReplacedWhy, str] = {
    "names it": "The new statement says that the older one has ceased to hold.",
    "attribute": "Both answer the same question about the same subject, and the new one answers it differently.",
    "alike": "The new statement says nearly the same with another value.",
    "marked": "The older statement is marked as no longer true.",
    "ledger": "The ledger records what superseded the older statement.",
}
_OTHER_VALUE = 0.5
_HAS_OTHER_VALUE = "The new statement has the same words with another value; perhaps that changed."
_ADDED = "No known fact says the same or contradicts it."
_REPEATED = "This is known already, in nearly the same words."

Embed = Callable[[Sequence[str]], "Vectors"]


class _Possible(NamedTuple):
    """A current fact that the new one may replace."""

    number: int
    reason: str
    score: float


def judge_by_rules(candidates: Sequence[Candidate], current: CurrentFacts, embed: Embed | None) -> list[FactDecision]:
    """Return one decision for each candidate: merge, supersede or add. No fact is superseded twice."""
    repeated = {one.number: found for one in candidates if (found := repetition(one, current, embed))}
    # What somebody has just said again is not replaced by what was said beside it.
    taken = {target for one in repeated.values() for target in one.targets}
    decisions = list[FactDecision]()
    for candidate in candidates:
        decision = repeated.get(candidate.number) or _replacement(candidate, current, embed, taken)
        taken.update(decision.targets)
        decisions.append(decision)
    return decisions


def repetition(candidate: Candidate, current: CurrentFacts, embed: Embed | None) -> FactDecision | None:
    """Return the decision to merge a candidate with the nearest fact that says the same; None where none does."""
    said = candidate.new.fact.text
    numbers = [number for number in candidate.nearest if may_repeat(candidate.new, current[number])]
    near = _cosines(said, [current[number].text for number in numbers], embed)
    for number, cosine in zip(numbers, near, strict=True):
        if restates(said, current[number].text, cosine):
            return FactDecision(candidate=candidate.number, step="merge", targets=(number,), reason=_REPEATED)
    return None


def _cosines(text: str, others: Sequence[str], embed: Embed | None) -> Sequence[float | None]:
    if embed is None or not others:
        return [None] * len(others)
    rows = embed([text, *others])
    cosines: list[float | None] = (rows[1:] @ rows[0]).tolist()
    return cosines


def _replacement(candidate: Candidate, current: CurrentFacts, embed: Embed | None, taken: set[int]) -> FactDecision:
    numbers = [n for n in candidate.nearest if n not in taken and may_replace(candidate.new, current[n])]
    possible = _possible(candidate, {n: current[n] for n in numbers}, embed)
    if not possible:
        return FactDecision(candidate=candidate.number, step="add", reason=_ADDED)
    best = max(possible, key=lambda one: one.score)
    same = [one.number for one in possible if one.score == best.score][:MOST_TARGETS]
    return FactDecision(
        candidate=candidate.number, step="supersede", targets=tuple(same), reason=best.reason, score=best.score
    )


def _possible(candidate: Candidate, current: CurrentFacts, embed: Embed | None) -> list[_Possible]:
    """The current facts that the new one may replace, in the order of their numbers."""
    statements = _statements(candidate, list(current.values()))
    new = statements[0]
    reading = read_sentence(new.text)
    if not reading.states or reading.happened:
        return []
    found = dict[int, _Possible]()
    if embed is not None:
        found = {one.number: one for one in _surely_older(candidate, current, statements, embed)}
    for number, old in zip(current, statements[1:], strict=True):
        if number not in found and _has_other_value(new, old):
            found[number] = _Possible(number, _HAS_OTHER_VALUE, _OTHER_VALUE)
    return list(found.values())


def _surely_older(
    candidate: Candidate, current: CurrentFacts, statements: Sequence[Statement], embed: Embed
) -> list[_Possible]:
    """What the search would mark as older if the new fact were among its results."""
    from memoro.search.pairs import near_pairs  # with numpy

    texts = [one.text for one in statements]
    sources = [_source(candidate.new.project), *(_source(one.project) for one in current.values())]
    known = known_names(list(zip(texts, sources, strict=True)))
    stripped = [without_subjects(text, known, source) for text, source in zip(texts, sources, strict=True)]
    subjects = [subjects_of(text, source, known) for text, source in zip(texts, sources, strict=True)]
    bare = [
        one._replace(words=topic_words(text), attributes=stated_attributes(text))
        for one, text in zip(statements, stripped, strict=True)
    ]
    wanted = AskedFor(attributes=bare[0].attributes, words=bare[0].words)
    tell = [not wanted.attributes.isdisjoint(one.attributes) for one in bare]
    pairs = near_pairs(subjects, [one.words for one in bare], embed(stripped), tell)
    older = arrange(bare, [one for one in pairs if 0 in (one.one, one.other)], wanted).older
    numbers = list(current)
    return [
        _Possible(numbers[place - 1], _REASONS[one.why], _SCORES[one.why])
        for place, one in sorted(older.items())
        if one.by == 0 and place > 0
    ]


def _has_other_value(new: Statement, old: Statement) -> bool:
    return (
        not is_later(old.said, new.said)
        and read_sentence(old.text).states
        and has_other_value(new, old._replace(said=old.said._replace(stored=1)))
        and not repeats(new, old)
    )


def _statements(candidate: Candidate, current: Sequence[CurrentFact]) -> list[Statement]:
    """The new fact first, then the current ones. Their trust is left out: whatever replaces, a person decides."""
    new = candidate.new
    path = str(MemoryId(new.memory)) if new.memory else new.fact.evidence.path or ""
    said = Moment(day=new.day, path=path, line=new.fact.evidence.line or 0, stored=new.memory or 0)
    return [_statement(new.fact.text, said), *(_statement(one.text, _moment(one)) for one in current)]


def _statement(text: str, said: Moment) -> Statement:
    return Statement(text=text, words=topic_words(text), attributes=stated_attributes(text), said=said, total=0.0)


def _moment(one: CurrentFact) -> Moment:
    if isinstance(one.place, MemoryId):
        return Moment(day=one.day, path=str(one.place), line=0, stored=one.place.number)
    return Moment(day=one.day, path=one.place.path, line=one.place.line)


def _source(project: str | None) -> TextSource:
    return TextSource(speaker="User", project=project)
