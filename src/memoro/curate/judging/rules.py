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
    NewFact,
    may_repeat,
    may_replace,
)
from memoro.curate.judging.own_changes import tells_other_home, tells_other_tool
from memoro.curate.judging.project_names import KnownProjects, may_be_about_one_thing, project_of
from memoro.curate.judging.restatements import restates
from memoro.model.answers import ReplacedWhy
from memoro.model.attributes import stated_attributes
from memoro.model.name_forms import is_first_person
from memoro.model.names import Subjects, TextSource, known_names, same_subject, subjects_of, without_subjects
from memoro.model.sentences import read_sentence, topic_words
from memoro.model.targets import MemoryId
from memoro.search.compared_statements import Moment, Statement, is_later, repeats, slots_between, specific_words
from memoro.search.same_thing import AskedFor, arrange
from memoro.search.slots import differing_slots

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
_LONG_AGO = "0001-01-01"  # when an entry was written that stood there before something was said
_HAS_OTHER_VALUE = "The new statement has the same words with another value; perhaps that changed."
_ADDED = "No known fact says the same or contradicts it."
_REPEATED = "This is known already, in nearly the same words."

Embed = Callable[[Sequence[str]], "Vectors"]


class _Possible(NamedTuple):
    """A current fact that the new one may replace."""

    number: int
    reason: str
    score: float


class _Compared(NamedTuple):
    """The new fact first, then the current ones, as they are compared: what each says of whomever, and of whom."""

    statements: Sequence[Statement]  # with the words of `stripped`
    stripped: Sequence[str]
    subjects: Sequence[Subjects]


def judge_by_rules(
    candidates: Sequence[Candidate], current: CurrentFacts, embed: Embed | None, projects: KnownProjects = ()
) -> list[FactDecision]:
    """Return one decision for each candidate: merge, supersede or add. No fact is superseded twice.

    `projects` are those that the home knows: what names one of them is not about another.
    """
    repeated = {one.number: found for one in candidates if (found := repetition(one, current, embed))}
    # What somebody has just said again is not replaced by what was said beside it.
    taken = {target for one in repeated.values() for target in one.targets}
    decisions = list[FactDecision]()
    for candidate in candidates:
        old = {n: current[n] for n in candidate.nearest if n not in taken and may_replace(candidate.new, current[n])}
        old = {n: one for n, one in old.items() if may_be_about_one_thing(candidate.new, one, projects)}
        decision = repeated.get(candidate.number) or _replacement(candidate, old, embed, projects)
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


def _replacement(
    candidate: Candidate, current: CurrentFacts, embed: Embed | None, projects: KnownProjects
) -> FactDecision:
    possible = _possible(candidate, current, embed, projects)
    if not possible:
        return FactDecision(candidate=candidate.number, step="add", reason=_ADDED)
    best = max(possible, key=lambda one: one.score)
    same = [one.number for one in possible if one.score == best.score][:MOST_TARGETS]
    return FactDecision(
        candidate=candidate.number, step="supersede", targets=tuple(same), reason=best.reason, score=best.score
    )


def _possible(
    candidate: Candidate, current: CurrentFacts, embed: Embed | None, projects: KnownProjects
) -> list[_Possible]:
    """The current facts that the new one may replace, in the order of their numbers."""
    compared = _compared(candidate, list(current.values()), projects)
    reading = read_sentence(compared.statements[0].text)
    if not current or not reading.states or reading.happened:
        return []
    found = dict[int, _Possible]()
    if embed is not None:
        older = _surely_older(current, compared, embed)
        found = {n: one for n, (one, why) in older.items() if _is_enough(why, candidate.new, current[n])}
    for place, number in enumerate(current, 1):
        if number not in found and _has_other_value(compared, place):
            found[number] = _Possible(number, _HAS_OTHER_VALUE, _OTHER_VALUE)
        elif number not in found and _tells_own_change(compared, place):
            found[number] = _Possible(number, _REASONS["attribute"], _OTHER_VALUE)
    return list(found.values())


def _is_enough(why: ReplacedWhy, new: NewFact, old: CurrentFact) -> bool:
    """Return whether this tells that an entry is older than what was said in passing; of a fact, all tell it.

    What is said in passing is near to much that it is not about. In a project, it mostly tells how things go: "the
    staging server is slow now" names no value that took the place of another.
    """
    if not new.in_passing or why == "names it":
        return True
    said = new.fact.text
    names_value = new.project is None or is_first_person(said) or bool(specific_words(said))
    has_other_value = not specific_words(old.text) and len(differing_slots(old.text, said)) == 1
    return why != "alike" and (names_value or has_other_value)


def _compared(candidate: Candidate, current: Sequence[CurrentFact], projects: KnownProjects) -> _Compared:
    statements = _statements(candidate, current)
    texts = [one.text for one in statements]
    new = candidate.new
    sources = [
        TextSource(speaker="User", project=new.project),
        *(_source(one, project_of(one, new, projects)) for one in current),
    ]
    known = known_names(list(zip(texts, sources, strict=True)))
    stripped = [without_subjects(text, known, source) for text, source in zip(texts, sources, strict=True)]
    return _Compared(
        statements=[
            one._replace(words=topic_words(text), attributes=stated_attributes(text))
            for one, text in zip(statements, stripped, strict=True)
        ],
        stripped=stripped,
        subjects=[subjects_of(text, source, known) for text, source in zip(texts, sources, strict=True)],
    )


def _surely_older(
    current: CurrentFacts, compared: _Compared, embed: Embed
) -> dict[int, tuple[_Possible, ReplacedWhy]]:
    """What the search would mark as older if the new fact were among its results."""
    from memoro.search.pairs import near_pairs  # with numpy

    bare = compared.statements
    wanted = AskedFor(attributes=bare[0].attributes, words=bare[0].words)
    tell = [not wanted.attributes.isdisjoint(one.attributes) for one in bare]
    pairs = near_pairs(compared.subjects, [one.words for one in bare], embed(compared.stripped), tell)
    older = arrange(bare, [one for one in pairs if 0 in (one.one, one.other)], wanted).older
    numbers = list(current)
    return {
        numbers[place - 1]: (_Possible(numbers[place - 1], _REASONS[one.why], _SCORES[one.why]), one.why)
        for place, one in sorted(older.items())
        if one.by == 0 and place > 0
    }


def _has_other_value(compared: _Compared, place: int) -> bool:
    """Return whether the new fact tells the same attribute of the same subject in the same words, but for a value."""
    new, old = compared.statements[0], compared.statements[place]
    if is_later(old.said, new.said) or not read_sentence(old.text).states or repeats(new, old):
        return False
    is_same = new.attributes & old.attributes and same_subject(compared.subjects[0], compared.subjects[place])
    bare = [one._replace(text=compared.stripped[at]) for at, one in ((place, old), (0, new))]
    slots = slots_between(*bare) if is_same else ()
    return len(slots) == 1 and not slots[0].new.isdisjoint(specific_words(new.text))


def _tells_own_change(compared: _Compared, place: int) -> bool:
    """Return whether the new fact tells of a move or a switch, away from what the older one says in other words."""
    new, old = compared.statements[0], compared.statements[place]
    if is_later(old.said, new.said):
        return False
    return tells_other_home(new.text, old.text) or tells_other_tool(new.text, old.text)


def _statements(candidate: Candidate, current: Sequence[CurrentFact]) -> list[Statement]:
    """The new fact first, then the current ones. Their trust is left out: whatever replaces, a person decides."""
    new = candidate.new
    path = str(MemoryId(new.memory)) if new.memory else new.fact.evidence.path or ""
    said = Moment(day=new.day, path=path, line=new.fact.evidence.line or 0, stored=new.memory or 0)
    before = _LONG_AGO if new.is_just_said else None
    return [_statement(new.fact.text, said), *(_statement(one.text, _moment(one, before)) for one in current)]


def _statement(text: str, said: Moment) -> Statement:
    return Statement(text=text, words=frozenset(), attributes=frozenset(), said=said, total=0.0)


def _moment(one: CurrentFact, written: str | None) -> Moment:
    if isinstance(one.place, MemoryId):
        return Moment(day=one.day, path=str(one.place), line=0, stored=one.place.number)
    return Moment(day=one.day, path=one.place.path, line=one.place.line, written=written)


def _source(one: CurrentFact, project: str | None) -> TextSource:
    """Where a current fact stands: an entry is a line of a note, where a name may begin in small letters."""
    return TextSource(speaker="User" if isinstance(one.place, MemoryId) else None, project=project)
