"""The plan of a round: read what is curated, plan, and let a model choose if one is set."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

from memoro.config.settings import CurateSettings
from memoro.curate.planners import (
    budget,
    contradictions,
    demotion,
    duplicates,
    feedback_rules,
    links,
    misplaced,
    promotion,
    stale,
)
from memoro.curate.planners.contradictions import Contradiction
from memoro.curate.rounds.choosing import ChosenSuggestions, choose
from memoro.curate.snapshot.reader import SnapshotReader, without_private
from memoro.curate.snapshot.state import CuratedState
from memoro.model.notes import counted
from memoro.model.proposals import (
    EditEntry,
    MoveEntry,
    PromoteMemory,
    ProposedChange,
    RetireEntry,
    RetireExperience,
    RetireMemory,
    RetireNote,
    Suggestion,
    SupersedeMemory,
    WriteNote,
)
from memoro.providers.language.ports import LanguageModel

# What a round looks for: only what to tidy, or also what to promote, to correct and to learn from feedback.
RoundKind = Literal["tidy", "review"]
Planner = Callable[[CuratedState, CurateSettings], list[Suggestion]]

TIDY: tuple[Planner, ...] = (
    duplicates.plan,
    contradictions.plan,
    stale.plan,
    misplaced.plan,
    links.plan,
    budget.plan,
)
REVIEW: tuple[Planner, ...] = (*TIDY, promotion.plan, demotion.plan, feedback_rules.plan)


class LookedAt(NamedTuple):
    """The counts of what a round has read."""

    entries: int
    memories: int
    experiences: int
    notes: int  # of agents
    extracted: int  # lines of daily notes
    feedback: int


def looked_at_in_words(looked: LookedAt, model: str | None) -> str:
    """Return how much was read and who helped, for people: "41 entries and 120 memories, with MODEL"."""
    parts = [
        f"{looked.entries} {'entry' if looked.entries == 1 else 'entries'}" if looked.entries else "",
        f"{looked.memories} {'memory' if looked.memories == 1 else 'memories'}" if looked.memories else "",
        counted(looked.extracted, "extracted line") if looked.extracted else "",
        f"{counted(looked.feedback, 'piece')} of feedback" if looked.feedback else "",
        counted(looked.experiences, "experience") if looked.experiences else "",
        f"{counted(looked.notes, 'note')} of agents" if looked.notes else "",
    ]
    told = [part for part in parts if part]
    read = " and ".join([", ".join(told[:-1]), told[-1]]) if len(told) > 1 else "".join(told) or "nothing yet"
    return f"{read}, {f'with {model}' if model else 'by rules, without a language model'}"


class PlannedRound(NamedTuple):
    """The suggestions of a round, before the gate."""

    suggestions: tuple[Suggestion, ...]
    looked_at: LookedAt
    contradictions: tuple[Contradiction, ...] = ()  # about which nothing is suggested: a person decides
    notices: tuple[str, ...] = ()
    model: str | None = None  # the language model that chose; None: the rules alone


class RoundPlanning(NamedTuple):
    """Plans rounds of one home. Nothing is written."""

    reader: SnapshotReader
    settings: CurateSettings
    model: Callable[[], LanguageModel | None]  # for the purpose "review"
    sends_private: bool = False  # private texts may go to a model on another machine

    def plan(self, kind: RoundKind) -> PlannedRound:
        """Read what is curated, and return what should change; at most one suggestion about each item."""
        read = self.reader.read()
        state = read.state
        found = contradictions.find(state)
        suggestions = planned(state, self.settings, kind)
        model = self.model() if suggestions or found else None
        chosen = self._chosen(suggestions, found, state, model) if model else ChosenSuggestions(tuple(suggestions))
        kept = one_for_each(chosen.suggestions)
        return PlannedRound(
            suggestions=tuple(kept),
            looked_at=_looked_at(state),
            contradictions=_undecided(found, kept),
            notices=tuple(dict.fromkeys((*read.notices, *chosen.notices))),
            model=model.info.model if model and chosen.by_model else None,
        )

    def _chosen(
        self,
        suggestions: Sequence[Suggestion],
        found: Sequence[Contradiction],
        state: CuratedState,
        model: LanguageModel,
    ) -> ChosenSuggestions:
        hides = not model.info.is_home and not self.sends_private
        memories = {one.memory.id: one.memory for one in state.memories}
        return choose(suggestions, found, memories, model, _private_texts(state) if hides else ())


def planned(state: CuratedState, settings: CurateSettings, kind: RoundKind) -> list[Suggestion]:
    """Return all that the planners of a round suggest."""
    return [one for plan in (TIDY if kind == "tidy" else REVIEW) for one in plan(state, settings)]


def one_for_each(suggestions: Sequence[Suggestion]) -> list[Suggestion]:
    """Return at most one suggestion about each entry, memory, experience and note: the surest."""
    taken: set[str] = set()
    kept: list[Suggestion] = []
    for one in sorted(suggestions, key=lambda one: -(one.score or 0.0)):
        target = changed_item(one.change)
        if target is None or target not in taken:
            kept.append(one)
            taken |= {target} if target else set()
    return kept


def changed_item(change: ProposedChange) -> str | None:
    """Return the name of what a change would change; None where it only adds something."""
    match change:
        case RetireEntry(id=own) | MoveEntry(id=own) | EditEntry(id=own):
            return f"entry:{own}"
        case RetireMemory(number=number) | SupersedeMemory(old=number) | PromoteMemory(number=number):
            return f"memory:{number}"
        case RetireExperience(number=number):
            return f"experience:{number}"
        case RetireNote(path=path) | WriteNote(path=path):
            return path
        case _:
            return None


def _undecided(found: Sequence[Contradiction], kept: Sequence[Suggestion]) -> tuple[Contradiction, ...]:
    """The contradictions about which nothing is suggested: the person decides by hand."""
    changed = {changed_item(one.change) for one in kept}
    return tuple(one for one in found if changed.isdisjoint(one.names))


def _looked_at(state: CuratedState) -> LookedAt:
    return LookedAt(
        entries=len(state.entries),
        memories=len(state.memories),
        experiences=len(state.experiences),
        notes=len(state.notes),
        extracted=len(state.extracted),
        feedback=len(state.feedback),
    )


def _private_texts(state: CuratedState) -> frozenset[str]:
    """What no model on another machine may see: texts, and the names of items and agents' notes."""
    return (_texts(state) - _texts(without_private(state))) | state.private


def _texts(state: CuratedState) -> frozenset[str]:
    found = [
        *(one.text for one in state.entries),
        *(one.memory.content for one in state.memories),
        *(one.old.content for one in state.replaced),
        *(one.text for one in state.extracted),
        *(one.note for one in state.feedback),
        *(one.intent for one in state.experiences),
    ]
    return frozenset(found)
