"""One round of curation: read what is curated, plan, let a model choose where one is set, and offer the rest.

Nothing is changed: what passes the gate waits as proposals.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

from memoro.config.settings import CurateSettings
from memoro.curate.choosing import Chosen, choose
from memoro.curate.gate import ProposalGate
from memoro.curate.gate_rules import Withheld
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
from memoro.curate.snapshot import CuratedState
from memoro.curate.snapshot_reader import SnapshotReader
from memoro.ledger.proposals import Queued
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
    """How much a round has read."""

    entries: int
    memories: int
    experiences: int
    notes: int  # of agents
    extracted: int  # lines of daily notes
    feedback: int


class CurationRound(NamedTuple):
    """What a round found, and what became of it."""

    kind: RoundKind
    looked_at: LookedAt
    proposed: tuple[Queued, ...] = ()  # they wait for a person
    planned: tuple[Suggestion, ...] = ()  # of a dry run: what would be proposed
    withheld: tuple[Withheld, ...] = ()
    contradictions: tuple[Contradiction, ...] = ()  # listed; a person decides
    notices: tuple[str, ...] = ()
    by_model: bool = False  # a language model chose; else the rules alone did
    dry_run: bool = False


class RoundParts(NamedTuple):
    """What rounds need of a home."""

    reader: SnapshotReader
    gate: ProposalGate
    settings: CurateSettings
    model: Callable[[], LanguageModel | None]  # for the purpose "review"
    sends_private: bool = False  # private texts may go to a model on another machine


class CurationRounds:
    """`m.curation`."""

    def __init__(self, parts: RoundParts) -> None:
        self._parts = parts

    def run(self, kind: RoundKind = "review", *, dry_run: bool = False) -> CurationRound:
        """Plan and offer. A dry run offers nothing, and returns what would be proposed."""
        read = self._parts.reader.read()
        state, notices = read.state, list(read.notices)
        found = contradictions.find(state)
        chosen = self._chosen(planned(state, self._parts.settings, kind), found, state)
        notices += chosen.notices
        suggestions = one_for_each(chosen.suggestions)
        done = CurationRound(
            kind=kind,
            looked_at=_looked_at(state),
            contradictions=_open_contradictions(found, suggestions),
            notices=tuple(dict.fromkeys(notices)),
            by_model=chosen.by_model,
            dry_run=dry_run,
        )
        if dry_run:
            admitted = self._parts.gate.preview(suggestions)
            return done._replace(planned=admitted.suggestions, withheld=admitted.withheld)
        offered = self._parts.gate.offer(suggestions, by=kind)
        new = tuple(one for one in offered.queued if one.new)
        return done._replace(proposed=new, withheld=offered.withheld)

    def _chosen(
        self, suggestions: Sequence[Suggestion], found: Sequence[Contradiction], state: CuratedState
    ) -> Chosen:
        model = self._parts.model() if suggestions or found else None
        if model is None:
            return Chosen(tuple(suggestions))
        hides = not model.info.is_home and not self._parts.sends_private
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


def _open_contradictions(found: Sequence[Contradiction], kept: Sequence[Suggestion]) -> tuple[Contradiction, ...]:
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
    entries = (one.text for one in state.entries if one.is_private)
    memories = (one.memory.content for one in state.memories if one.is_private)
    return frozenset((*entries, *memories, *(one.text for one in state.extracted if one.is_private)))
