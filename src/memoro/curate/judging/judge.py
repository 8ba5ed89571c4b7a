"""Judge what a new fact repeats or replaces, by rules and a language model if one is set; then propose it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import NamedTuple

from memoro.curate.gating.gate import Offered
from memoro.curate.gating.rules import Withheld
from memoro.curate.judging.facts import (
    ENDING,
    Candidate,
    CurrentFact,
    CurrentFacts,
    FactDecision,
    NewFact,
    may_replace,
)
from memoro.curate.judging.nearest_facts import NearestFacts
from memoro.curate.judging.project_names import KnownProjects
from memoro.curate.judging.prompt import judge_prompt
from memoro.curate.judging.rules import Embed, judge_by_rules, repetition
from memoro.curate.judging.suggestions import suggestions
from memoro.curate.judging.validation import InvalidAnswer, validate
from memoro.ledger.proposals import Queued
from memoro.model.belonging import known_project
from memoro.model.privacy import message_is_private
from memoro.model.proposals import Suggestion
from memoro.providers.language.ports import LanguageModel

FACTS_IN_A_PROMPT = 5  # with their nearest ones, about 4,000 tokens
_FIRST_CURRENT = 101  # numbers of current facts begin here, so that none is mistaken for a candidate's


class Judging(NamedTuple):
    """The parts of a home that judging uses. It reads; only `offer` writes, and only proposals."""

    nearest: NearestFacts
    offer: Callable[[Sequence[Suggestion]], Offered]
    now: Callable[[], datetime]
    model: LanguageModel | None = None  # for the purpose "judge"
    embed: Embed | None = None  # of the built-in model
    sends_private: bool = False  # private facts may go to a model on another machine
    projects: Callable[[], KnownProjects] = tuple  # that the home knows


class JudgedFact(NamedTuple):
    """One new fact, what was decided about it, and the facts that the decision is about."""

    new: NewFact
    decision: FactDecision
    targets: tuple[CurrentFact, ...] = ()


class JudgedFacts(NamedTuple):
    """The decisions and proposals. `notices` name each problem in a sentence."""

    facts: tuple[JudgedFact, ...] = ()
    queued: tuple[Queued, ...] = ()
    withheld: tuple[Withheld, ...] = ()
    notices: tuple[str, ...] = ()
    by_model: bool = False  # a language model judged; else the rules did

    @property
    def repeated(self) -> tuple[JudgedFact, ...]:
        """The facts that were known already: nothing new was stored for them, and each counts as a recurrence."""
        return tuple(one for one in self.facts if one.decision.step == "merge")


def kept_already(new: NewFact) -> int | None:
    """The number of the memory that holds a fact, where it was stored before it is judged."""
    return new.memory


def judge_facts(
    facts: Sequence[NewFact], judging: Judging, keep: Callable[[NewFact], int | None] = kept_already
) -> JudgedFacts:
    """Compare each new fact with the ten nearest current ones, and propose what it replaces.

    Call it with the facts of one conversation. A fact whose decision is `merge` is known already and is not stored.
    For every other one `keep` is called once: it stores the fact where `extract.to` says so (with `valid_from`, the
    day on which it was said) and returns the number of its memory, or None where a line of the daily note is all.
    By default, facts were stored before, and `NewFact.memory` says where.

    Nothing current is changed: what a fact would replace or end waits as a proposal of the origin `extraction`.
    Without a model, or where its answer is wrong in any part, the rules judge, and a notice says so. It never raises
    for what a model does.
    """
    candidates, current, notices = _with_nearest(facts, judging)
    decisions, by_model = _decided(candidates, current, judging, notices)
    by_number = {one.candidate: one for one in _unchanged(decisions, current, judging, notices)}
    judged, wanted, projects = list[JudgedFact](), list[Suggestion](), _projects(judging, facts)
    for candidate in candidates:
        decision = by_number[candidate.number]
        new = candidate.new
        if decision.step != "merge":
            new = new._replace(memory=keep(new))
        judged.append(JudgedFact(new, decision, tuple(current[one] for one in decision.targets)))
        wanted += suggestions(decision, new, current, projects)
    offered = judging.offer(wanted) if wanted else Offered()
    return JudgedFacts(
        facts=tuple(judged),
        queued=offered.queued,
        withheld=offered.withheld,
        notices=tuple(dict.fromkeys(notices)),
        by_model=by_model,
    )


def judge_in_passing(said: Sequence[NewFact], judging: Judging) -> Offered:
    """Compare what was said in passing with the entries of the always-loaded files, and propose what it replaces.

    Give what was said last first: of two statements about one entry, the first is proposed. It is kept nowhere, and
    judged by rules.
    """
    candidates, current, _ = _with_nearest(said, judging)
    projects = _projects(judging, said)
    decisions = judge_by_rules(candidates, current, judging.embed, projects)
    found = [
        suggestion
        for candidate, decision in zip(candidates, decisions, strict=True)
        for suggestion in suggestions(decision, candidate.new, current, projects)
    ]
    return judging.offer(found) if found else Offered()


def _projects(judging: Judging, facts: Sequence[NewFact]) -> KnownProjects:
    """The projects that the home knows, and those of the facts."""
    known = judging.projects()
    names = {one.name for one in known}
    new = dict.fromkeys(one.project for one in facts if one.project and one.project not in names)
    return [*known, *map(known_project, new)]


def _with_nearest(
    facts: Sequence[NewFact], judging: Judging
) -> tuple[list[Candidate], dict[int, CurrentFact], list[str]]:
    """The facts as candidates, the current ones under numbers of their own, and notices."""
    now, notices = judging.now(), list[str]()
    numbers = dict[CurrentFact, int]()
    own = {f"memory:{one.memory}" for one in facts if one.memory is not None}
    candidates = list[Candidate]()
    for number, new in enumerate(facts, 1):
        find = judging.nearest
        found = find.find_entries(new.fact.text) if new.in_passing else find.find(new, now)
        notices += found.degraded
        near = [one for one in found.facts if str(one.place) not in own]
        shown = tuple(numbers.setdefault(one, _FIRST_CURRENT + len(numbers)) for one in near)
        candidates.append(Candidate(number, new, shown))
    return candidates, {number: one for one, number in numbers.items()}, notices


def _decided(
    candidates: Sequence[Candidate], current: CurrentFacts, judging: Judging, notices: list[str]
) -> tuple[list[FactDecision], bool]:
    """One decision for each candidate. What plainly repeats a fact needs no model."""
    model, projects = judging.model, _projects(judging, [one.new for one in candidates])
    if model is None:
        return judge_by_rules(candidates, current, judging.embed, projects), False
    repeated = [one for each in candidates if (one := repetition(each, current, judging.embed))]
    done = {one.candidate for one in repeated}
    shown = _sendable([one for one in candidates if one.number not in done], current, model, judging)
    judged = list[FactDecision]()
    for at in range(0, len(shown), FACTS_IN_A_PROMPT):
        batch = _without(shown[at : at + FACTS_IN_A_PROMPT], judged)
        judged += _by_model(batch, current, model, notices)
    done |= {one.candidate for one in judged}
    rest = _without([one for one in candidates if one.number not in done], judged)
    return [*repeated, *judged, *judge_by_rules(rest, current, judging.embed, projects)], bool(judged)


def _sendable(
    candidates: Sequence[Candidate], current: CurrentFacts, model: LanguageModel, judging: Judging
) -> list[Candidate]:
    """The candidates that a model can say something about, with what it may be shown of their nearest facts.

    Facts that nothing may replace here are left out: an honest answer about one of them would be a wrong one.
    """
    hides = not model.info.is_home and not judging.sends_private
    shown = [
        one._replace(nearest=tuple(n for n in one.nearest if _may_be_shown(one.new, current[n], hides)))
        for one in candidates
        if not (hides and message_is_private(one.new.fact.text))
    ]
    return [one for one in shown if one.nearest]


def _may_be_shown(new: NewFact, old: CurrentFact, hides: bool) -> bool:
    return may_replace(new, old) and not (hides and old.is_private)


def _without(candidates: Sequence[Candidate], judged: Sequence[FactDecision]) -> list[Candidate]:
    """The candidates without those of their nearest facts that a decision would end already."""
    ended = {target for one in judged if one.step in ENDING for target in one.targets}
    return [one._replace(nearest=tuple(n for n in one.nearest if n not in ended)) for one in candidates]


def _by_model(
    batch: Sequence[Candidate], current: CurrentFacts, model: LanguageModel, notices: list[str]
) -> Sequence[FactDecision]:
    """What the model decides about these candidates; nothing where it fails, or anything in its answer is wrong."""
    try:
        checked = validate(model.answer(judge_prompt(batch, current)).value, batch, current)
    except Exception as error:  # a model may be anybody's code
        notices.append(f"The rules judged instead of the model: {str(error) or type(error).__name__}")
        return ()
    if isinstance(checked, InvalidAnswer):
        notices.append(f"The rules judged instead of the model, whose answer was not used: {checked}")
        return ()
    return [one._replace(reason=f"A model judged: {one.reason}") for one in checked]


def _unchanged(
    decisions: Iterable[FactDecision], current: CurrentFacts, judging: Judging, notices: list[str]
) -> list[FactDecision]:
    """The decisions without targets that changed while they were judged; nothing is decided about those."""
    found = list[FactDecision]()
    now = judging.now()
    for one in decisions:
        same = tuple(target for target in one.targets if judging.nearest.holds(current[target], now))
        for target in set(one.targets) - set(same):
            notices.append(
                f"judge: {current[target].place} changed while it was judged; nothing is proposed about it"
            )
        is_moot = bool(one.targets) and not same
        found.append(one._replace(step="add", targets=()) if is_moot else one._replace(targets=same))
    return found
