"""Decisions about new facts as suggestions, each with the words of both sides: what was said, and what it ends."""

from __future__ import annotations

from collections.abc import Iterator

from memoro.curate.judging.facts import ENDING, CurrentFact, CurrentFacts, EntryPlace, FactDecision, NewFact
from memoro.curate.judging.project_names import KnownProjects, with_project_name
from memoro.model.proposals import (
    ChangeMemory,
    EditEntry,
    ProposedChange,
    RetireEntry,
    StoreMemory,
    Suggestion,
    SupersedeMemory,
)
from memoro.model.targets import MemoryId
from memoro.vault.entries import is_id


def suggestions(
    decision: FactDecision, new: NewFact, current: CurrentFacts, projects: KnownProjects = ()
) -> Iterator[Suggestion]:
    """Return a suggestion for each fact that the decision would end; none for a step that ends nothing.

    Each says what its target said when it was judged: accepted after that has changed, it is refused. An entry is
    loaded in every project, so that "our" gets the name of its project there. `projects` are all that are known.
    """
    if decision.step not in ENDING:
        return
    for target in decision.targets:
        old = current[target]
        change = _replacing(new, old, projects) if decision.step == "supersede" else _ending(new, old)
        if change is not None:
            yield Suggestion(
                change,
                evidence=(new.fact.evidence,),
                origin="extraction",
                score=min(decision.score, new.fact.score),
                reason=decision.reason,
            )


def _replacing(new: NewFact, old: CurrentFact, projects: KnownProjects) -> ProposedChange | None:
    match old.place:
        case EntryPlace(id=own, path=path):
            text = with_project_name(new, old, projects)
            return EditEntry(own, text, path, was=old.text) if is_id(own) else None
        case MemoryId(number=number) if new.memory is not None:
            return SupersedeMemory(number, new.memory, was=old.text) if new.memory != number else None
        case MemoryId(number=number):
            return StoreMemory(
                content=new.fact.text,
                session=new.session,
                project=new.project,
                supersedes=number,
                valid_from=new.day,
                was=old.text,
            )


def _ending(new: NewFact, old: CurrentFact) -> ProposedChange | None:
    match old.place:
        case EntryPlace(id=own, path=path):
            return RetireEntry(own, path, old.text) if is_id(own) else None
        case MemoryId(number=number):
            return ChangeMemory(number, valid_to=new.day, was=old.text) if new.day else None
