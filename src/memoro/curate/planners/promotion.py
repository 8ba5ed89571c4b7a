"""Facts that proved themselves, for the always-loaded files: they helped, or came back. Being found is no proof.

A fact of one project must name it: every project loads these files. Where it does not, it stays a memory, and the
sessions of its project are given it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from memoro.config.settings import CurateSettings
from memoro.curate.planners.contradictions import is_over_by
from memoro.curate.planners.misplaced import is_rule
from memoro.curate.planners.wording import path_of, quoted_memory
from memoro.curate.snapshot.state import CuratedMemory, CuratedState, ExtractedFact, entry_name, memory_name
from memoro.model.belonging import known_project, names_project
from memoro.model.memories import UNTRUSTED, entry_of_memory
from memoro.model.proposals import Evidence, PromoteMemory, RememberEntry, Suggestion
from memoro.model.said_ends import said_end
from memoro.model.same_fact import bare, fact_words, is_contained, repeats
from memoro.model.vocabulary import LoadedTier
from memoro.model.worth_loading import is_worth_loading

SESSIONS = 3  # in which a memory must have helped
DAYS = 3  # on which a fact must have been said
_LEAST, _PER_SESSION, _MOST = 0.6, 0.05, 0.95
_DAYS_SHOWN = 3


def plan(state: CuratedState, settings: CurateSettings) -> list[Suggestion]:  # noqa: ARG001
    promoted = [one for memory in state.memories for one in _memory(memory, state)]
    return [*promoted, *_recurring(state, promoted)]


def _memory(one: CuratedMemory, state: CuratedState) -> Iterable[Suggestion]:
    memory, sessions = one.memory, one.uses.reinforced
    if len(sessions) < SESSIONS or one.is_private or entry_of_memory(one.memory) is not None:
        return
    lasts = memory.valid_to is None and memory.agent is None and memory.trust not in UNTRUSTED
    if not lasts or not _suits(memory.content, memory.project, state) or _is_in_files(one, state):
        return
    tier = _tier(memory.content)
    yield Suggestion(
        change=PromoteMemory(
            number=memory.id, text=memory.content, tier=tier, section=None, path=path_of(state, tier)
        ),
        evidence=(quoted_memory(memory),),
        origin="review",
        score=min(_MOST, _LEAST + _PER_SESSION * len(sessions)),
        reason=f"It helped in {len(sessions)} sessions{_between(one.uses.days)}.",
    )


def _between(days: Collection[str]) -> str:
    """Return the first and the last day in words; sessions themselves have names that tell nothing."""
    if not days:
        return ""
    first, last = min(days), max(days)
    return f" on {first}" if first == last else f", from {first} to {last}"


def _recurring(state: CuratedState, promoted: Sequence[Suggestion]) -> Iterable[Suggestion]:
    """Facts that were extracted on several days, in nearly the same words."""
    taken = {bare(one.change.text).casefold() for one in promoted if isinstance(one.change, PromoteMemory)}
    for group in _same_facts(state.extracted):
        days = sorted({one.day for one in group})
        last = max(group, key=lambda one: (one.day, one.line))
        if len(days) < DAYS or bare(last.text).casefold() in taken:
            continue
        if any(one.is_private for one in group) or not _suits(last.text, last.project, state):
            continue
        if _says_already(last.text, state) or _is_over(last, state):
            continue
        tier = _tier(last.text)
        yield Suggestion(
            change=RememberEntry(text=last.text, tier=tier, section=None, path=path_of(state, tier)),
            evidence=tuple(
                Evidence(quote=one.text, path=one.path, line=one.line, date=one.day, speaker=one.speaker)
                for one in group[-_DAYS_SHOWN:]
            ),
            origin="review",
            score=min(_MOST, _LEAST + _PER_SESSION * len(days)),
            reason=f"It came up on {len(days)} days: {', '.join(days[-_DAYS_SHOWN:])}.",
        )


def _same_facts(facts: Iterable[ExtractedFact]) -> list[list[ExtractedFact]]:
    """The extracted facts of one project in groups that say the same; each group by day."""
    groups: dict[tuple[object, ...], list[ExtractedFact]] = {}
    for one in sorted(facts, key=lambda one: (one.day, one.path, one.line)):
        read = fact_words(one.text)
        key = (read.topics, read.numbers, read.limits, read.denials, one.project)
        groups.setdefault(key, []).append(one)
    return list(groups.values())


def _suits(text: str, project: str | None, state: CuratedState) -> bool:
    """Return whether a text may be loaded everywhere: it tells something, has no end, and names its project."""
    if not is_worth_loading(text) or said_end(text, state.now.date()) is not None:
        return False
    return project is None or names_project(text, known_project(project))


def _tier(text: str) -> LoadedTier:
    return "procedural" if is_rule(text) else "semantic"


def _is_in_files(one: CuratedMemory, state: CuratedState) -> bool:
    """Return whether an entry says it, or something that may exclude it."""
    own, entries = memory_name(one), {entry_name(entry): entry for entry in state.entries}
    for pair in state.alike:
        if own not in (pair.one, pair.other):
            continue
        entry = entries.get(pair.other if pair.one == own else pair.one)
        if entry is None:
            continue
        text = one.memory.content
        if repeats(text, entry.text, pair.cosine) or is_contained(text, entry.text, pair.cosine):
            return True
    return _says_already(one.memory.content, state)


def _says_already(text: str, state: CuratedState) -> bool:
    return any(repeats(text, entry.text, 1.0) or is_contained(text, entry.text, 1.0) for entry in state.entries)


def _is_over(fact: ExtractedFact, state: CuratedState) -> bool:
    """Return whether something says that an extracted fact has ceased to hold."""
    if any(repeats(fact.text, one.old.content, 1.0) for one in state.replaced):
        return True
    later = [one.text for one in state.extracted if one.day >= fact.day and one != fact]
    return any(is_over_by(text, fact.text) for text in (*later, *(one.memory.content for one in state.memories)))
