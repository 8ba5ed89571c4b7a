"""Check that a waiting proposal still fits its target, before anybody decides on it."""

from __future__ import annotations

from memoro.curate.reviewing.apply import ProposalApplier
from memoro.errors import MemoroError, ProposalOutdated
from memoro.memories.editing import check_as_proposed
from memoro.model.memories import Memory, is_current
from memoro.model.proposals import (
    ChangeMemory,
    EditEntry,
    MoveEntry,
    PromoteMemory,
    Proposal,
    ProposedChange,
    RemoveEntry,
    RemoveMemory,
    RetireEntry,
    RetireMemory,
    RetireNote,
    StoreMemory,
    SupersedeMemory,
    WriteNote,
)


def why_outdated(applier: ProposalApplier, proposal: Proposal) -> str:
    """Return a sentence where accepting a proposal would fail, because what it is about has changed; else nothing."""
    try:
        applier.check_feedback(proposal)
        _check(applier, proposal.change)
    except ProposalOutdated as outdated:
        return outdated.why
    except MemoroError:  # something else is wrong, and accepting it says what
        return ""
    return ""


def _check(applier: ProposalApplier, change: ProposedChange) -> None:
    match change:
        case EditEntry(id=own, was=str() as was) | RemoveEntry(id=own, was=str() as was):
            applier.vault().entries.proposed(own, was)
        case RetireEntry(id=own, text=text) | MoveEntry(id=own, text=text):
            applier.vault().entries.proposed(own, text)
        case WriteNote(path=path, expected=expected) | RetireNote(path=path, expected=expected):
            _check_note(applier, path, expected)
        case (
            StoreMemory(supersedes=int() as number, was=str() as was) | SupersedeMemory(old=number, was=str() as was)
        ):
            _check_memory(applier, number, was)
        case ChangeMemory(number=number, was=str() as was):
            _check_says(applier, number, was)
        case PromoteMemory(number=number):
            memory = _memory(applier, number)
            if memory is None or not is_current(memory, applier.access.now()):
                raise ProposalOutdated(f"[id:{number}] does not hold any more.")
        case RemoveMemory(number=number) | RetireMemory(number=number):
            _check_says(applier, number, None)
        case _:
            pass


def _check_note(applier: ProposalApplier, path: str, expected: str | None) -> None:
    now = applier.vault().notes.digest_of(path)
    if now is None and expected is not None:
        raise ProposalOutdated(f"There is no note {path!r} any more.")
    if now is not None and expected is None:
        raise ProposalOutdated(f"There is a note {path!r} by now.")
    if now != expected:
        raise ProposalOutdated(f"{path} has changed since this was proposed.")


def _check_memory(applier: ProposalApplier, number: int, was: str) -> None:
    memory = _memory(applier, number)
    is_same = memory is not None and was == applier.access.clean_replacing(memory.content).text
    check_as_proposed(memory, number, memory.content if memory and is_same else was, applier.access.now())


def _check_says(applier: ProposalApplier, number: int, was: str | None) -> None:
    memory = _memory(applier, number)
    if memory is None:
        raise ProposalOutdated(f"There is no memory [id:{number}] any more.")
    if was not in (None, memory.content, applier.access.clean_replacing(memory.content).text):
        raise ProposalOutdated(f"[id:{number}] says something else now than when this was proposed.")


def _memory(applier: ProposalApplier, number: int) -> Memory | None:
    with applier.access.ledger.reading() as tx:
        return tx.memories.find(number)
