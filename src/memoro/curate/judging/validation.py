"""Checking a language model's judgement: it counts as a whole, or not at all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, TypeGuard

from memoro.curate.judging.facts import (
    ENDING,
    MOST_TARGETS,
    TARGETED,
    Candidate,
    CurrentFacts,
    FactDecision,
    may_repeat,
    may_replace,
)
from memoro.model.memories import may_supersede
from memoro.model.visible import visible
from memoro.model.vocabulary import CURATION_STEPS, CurationStep

MOST_REASON = 400  # characters: two sentences
_MOST_THOUGHT = 10 * MOST_REASON  # about all candidates together
_SHOWN = 40  # characters of a value that a problem quotes
_MOST_PROBLEMS = 5  # that are named; the rest is as wrong
_JUDGED = 0.75  # how sure a model's judgement is
_JUDGED_AGAINST_TRUST = 0.6  # where the fact is trusted less than what it would replace


class InvalidAnswer(NamedTuple):
    """Why a model's answer was not used, one half sentence for each problem."""

    problems: tuple[str, ...]

    def __str__(self) -> str:
        shown = "; ".join(self.problems[:_MOST_PROBLEMS])
        more = len(self.problems) - _MOST_PROBLEMS
        return f"{shown}; and {more} more" if more > 0 else shown


def validate(
    answer: object, candidates: Sequence[Candidate], current: CurrentFacts
) -> tuple[FactDecision, ...] | InvalidAnswer:
    """Return one decision for each candidate, in their order; InvalidAnswer where anything at all is wrong.

    Known numbers alone, one step for each candidate, targets where the step needs them, of those that were shown for
    this candidate, none ended twice, no project crossed, nothing replaced by untrusted facts, and no other keys.
    """
    problems = list(_shape_problems(answer))
    if problems:
        return InvalidAnswer(tuple(problems))
    rows: list[Mapping[str, object]] = answer["decisions"]  # type: ignore[index]
    if len(rows) > len(candidates):
        return InvalidAnswer((f"there are {len(rows):,} decisions about {len(candidates)} candidates",))
    problems = [problem for row in rows for problem in _row_problems(row)]
    if problems:
        return InvalidAnswer(tuple(problems))
    decisions = [_decision(row) for row in rows]
    problems = [*_count_problems(decisions, candidates), *_target_problems(decisions, candidates, current)]
    if problems:
        return InvalidAnswer(tuple(problems))
    by_number = {one.candidate: one for one in decisions}
    return tuple(_scored(by_number[one.number], one, current) for one in candidates)


def _shape_problems(answer: object) -> Iterator[str]:
    if not isinstance(answer, Mapping):
        yield f"the answer is no object but {_shown(answer)}"
    elif set(answer) != {"reason", "decisions"}:
        yield f"the keys are {_shown(sorted(map(str, answer)))}, not decisions and reason"
    elif not _is_text(answer["reason"]) or len(answer["reason"]) > _MOST_THOUGHT:
        yield f"the reason is no text of at most {_MOST_THOUGHT:,} characters"
    elif not isinstance(answer["decisions"], list):
        yield "the decisions are no list"
    elif not all(isinstance(row, Mapping) for row in answer["decisions"]):
        yield "a decision is no object"


def _row_problems(row: Mapping[str, object]) -> Iterator[str]:
    if set(row) != {"reason", "candidate", "step", "targets"}:
        yield f"a decision has the keys {_shown(sorted(map(str, row)))}"
        return
    if type(row["candidate"]) is not int:
        yield f"a candidate is {_shown(row['candidate'])}, which is no number"
    if row["step"] not in CURATION_STEPS or not isinstance(row["step"], str):
        yield f"there is no step {_shown(row['step'])}"
    targets = row["targets"]
    if not isinstance(targets, list) or any(type(one) is not int for one in targets):
        yield f"the targets {_shown(targets)} are no list of numbers"
    said = row["reason"]
    if not _is_text(said) or not said.strip():
        yield "a decision has no reason"
    elif len(said) > MOST_REASON:
        yield f"a reason has {len(said):,} characters; at most {MOST_REASON} are read"


def _is_text(value: object) -> TypeGuard[str]:
    """Return whether a value is a text that a file can hold."""
    return isinstance(value, str) and not any("\ud800" <= character <= "\udfff" for character in value)


def _decision(row: Mapping[str, object]) -> FactDecision:
    step: CurationStep = row["step"]  # type: ignore[assignment]
    targets: list[int] = row["targets"]  # type: ignore[assignment]
    said = " ".join(visible(str(row["reason"])).split())
    candidate: int = row["candidate"]  # type: ignore[assignment]
    return FactDecision(candidate=candidate, step=step, targets=tuple(targets), reason=said)


def _count_problems(decisions: Sequence[FactDecision], candidates: Sequence[Candidate]) -> Iterator[str]:
    known = {one.number for one in candidates}
    counts = Counter(one.candidate for one in decisions)
    for number in sorted(counts.keys() - known):
        yield f"there is no candidate {_shown(number)}"
    for number in sorted(known):
        if counts[number] != 1:
            yield f"candidate {number} has {counts[number]} decisions instead of one"
    merged = {target for one in decisions if one.step == "merge" for target in one.targets}
    ended = Counter(target for one in decisions if one.step in ENDING for target in one.targets)
    for target, times in sorted(ended.items()):
        if times > 1:
            yield f"fact {_shown(target)} would be replaced {times} times"
        if target in merged:
            yield f"fact {_shown(target)} is said to hold, and to hold no more"


def _target_problems(
    decisions: Sequence[FactDecision], candidates: Sequence[Candidate], current: CurrentFacts
) -> Iterator[str]:
    shown = {one.number: one for one in candidates}
    for one in decisions:
        candidate = shown.get(one.candidate)
        if candidate is None:
            continue
        if problem := _targets_problem(one):
            yield problem
            continue
        for target in one.targets:
            if target not in candidate.nearest or target not in current:
                yield f"fact {_shown(target)} was not shown for candidate {one.candidate}"
            elif one.step in ENDING and not may_replace(candidate.new, current[target]):
                yield f"candidate {one.candidate} may not replace fact {target}: another project, or no trust"
            elif one.step == "merge" and not may_repeat(candidate.new, current[target]):
                yield f"candidate {one.candidate} is no repetition of fact {target}: another project or agent"


def _targets_problem(one: FactDecision) -> str | None:
    named = f"candidate {one.candidate}, step {one.step}"
    if one.step not in TARGETED:
        return f"{named}: it takes no target" if one.targets else None
    most = 1 if one.step == "merge" else MOST_TARGETS
    if not 1 <= len(one.targets) <= most or len(set(one.targets)) != len(one.targets):
        return f"{named}: it takes from 1 to {most} different targets, not {len(one.targets)}"
    return None


def _scored(one: FactDecision, candidate: Candidate, current: CurrentFacts) -> FactDecision:
    if one.step not in ENDING:
        return one
    is_trusted = all(may_supersede(candidate.new.trust, current[target].trust) for target in one.targets)
    return one._replace(score=_JUDGED if is_trusted else _JUDGED_AGAINST_TRUST)


def _shown(value: object) -> str:
    """A value of an answer, cut: it may be huge, or nested as deep as a hostile answer likes."""
    if isinstance(value, list | tuple):
        inner = ", ".join(_shown(one) if not isinstance(one, list | tuple | Mapping) else "…" for one in value[:5])
        return f"[{inner}{', …' if len(value) > 5 else ''}]"
    if isinstance(value, Mapping):
        return "an object"
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > 10**_SHOWN:
        return "a huge number"
    text = visible(repr(value[: 2 * _SHOWN] if isinstance(value, str) else value))
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
