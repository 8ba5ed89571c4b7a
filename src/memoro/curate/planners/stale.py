"""Propose to retire what is over by its own words, and memories that never helped. Disuse alone is no reason."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, timedelta

from memoro.config.settings import CurateSettings
from memoro.curate.planners.wording import quoted_entry, quoted_memory
from memoro.curate.snapshot.state import CuratedMemory, CuratedState
from memoro.model.experiences import FAILED_BELOW, PREFERENCE
from memoro.model.local_time import local_day
from memoro.model.memories import CONFIRMED, dated, days_between, entry_of_memory
from memoro.model.proposals import Evidence, RetireEntry, RetireExperience, RetireMemory, Suggestion
from memoro.model.said_ends import SaidEnd, said_end

GRACE = timedelta(days=7)  # after the last day that a statement names: people are late
_OVER, _DISAPPOINTED, _FAILED = 0.85, 0.65, 0.6
_LOW_FEEDBACK = -2  # two complaints more than it ever helped
_UNTOUCHED_DAYS = 60  # without being reinforced or changed
_TRIES = 3  # outcomes of an experience that always failed


def plan(state: CuratedState, settings: CurateSettings) -> list[Suggestion]:  # noqa: ARG001
    return [*_entries(state), *_memories(state), *_experiences(state)]


def _entries(state: CuratedState) -> Iterable[Suggestion]:
    for entry in state.entries:
        said = entry.written_by and _day(entry.written_by)
        end = said_end(entry.text, said) if said else None
        if end and _is_over(end, state):
            yield Suggestion(
                change=RetireEntry(id=entry.id, path=entry.path, text=entry.text),
                evidence=(quoted_entry(entry),),
                origin="tidy",
                score=_OVER,
                reason=_over(end),
            )


def _memories(state: CuratedState) -> Iterable[Suggestion]:
    for one in state.memories:
        if entry_of_memory(one.memory) is not None:
            continue
        memory = one.memory
        said = _day(local_day(dated(memory)))
        end = said_end(memory.content, said) if said else None
        if end and _is_over(end, state):
            reason, score = _over(end), _OVER
        elif _disappointed(one, state):
            reason = f"It was marked as wrong or unhelpful {-memory.feedback} times, and never helped."
            score = _DISAPPOINTED
        else:
            continue
        yield Suggestion(
            change=RetireMemory(memory.id),
            evidence=(quoted_memory(memory),),
            origin="tidy",
            score=score,
            reason=reason,
        )


def _disappointed(one: CuratedMemory, state: CuratedState) -> bool:
    """Return whether a memory was complained about, never helped, and rested since. A person's yes protects it."""
    memory = one.memory
    rested = days_between(memory.hit_at or memory.created_at, state.now) >= _UNTOUCHED_DAYS
    return memory.feedback <= _LOW_FEEDBACK and not one.uses.reinforced and rested and memory.trust != CONFIRMED


def _experiences(state: CuratedState) -> Iterable[Suggestion]:
    """Experiences that failed every time, and that nobody has used for long."""
    for one in state.experiences:
        rested = days_between(one.used_at or one.created_at, state.now) >= _UNTOUCHED_DAYS
        if one.type == PREFERENCE or one.outcomes < _TRIES or one.success >= FAILED_BELOW / 2 or not rested:
            continue
        quote = Evidence(quote=one.intent, path=f"experience:{one.id}", date=local_day(one.created_at))
        reason = f"It failed in nearly all of {one.outcomes} tries (success {one.success:.2f})."
        yield Suggestion(
            change=RetireExperience(one.id), evidence=(quote,), origin="tidy", score=_FAILED, reason=reason
        )


def _is_over(end: SaidEnd, state: CuratedState) -> bool:
    return end.last + GRACE < date.fromisoformat(state.today)


def _over(end: SaidEnd) -> str:
    return f'It says "{end.words}", and that was over on {end.last.isoformat()} at the latest.'


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None
