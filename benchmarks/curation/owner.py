"""The ideal owner: decides each proposal by a fixed rule that knows the truth of the year.

| proposal | accepted if |
|---|---|
| an entry is added, a memory promoted | it states what holds now, and no entry says so already |
| a rule is added | it is a rule that the person laid down, and no entry says so already |
| an entry is reworded | the new words state what holds now, about the same fact |
| an entry is retired or removed | it does not hold any more, is junk, is said twice, or its file is over its budget |
| an entry is moved | it is a rule that goes to the file of rules, or a fact that leaves it |
| a memory replaces another, which may be stored for that | a newer value replaces an older, or both state the same |
| a memory's validity is ended | what it states does not hold any more |
| a memory is retired or removed | it does not hold any more, is junk, or another memory or entry states the same |
| an experience or a note of an agent is retired | always: nothing in the year needs it |
"""

from __future__ import annotations

from datetime import date
from typing import NamedTuple

from benchmarks.curation.truth import Stated, Truth
from memoro.errors import MemoroError
from memoro.model.memories import Memory
from memoro.model.projects import short_name
from memoro.model.proposals import (
    AddRule,
    ChangeMemory,
    EditEntry,
    MoveEntry,
    PromoteMemory,
    Proposal,
    RememberEntry,
    RemoveEntry,
    RemoveMemory,
    RetireEntry,
    RetireExperience,
    RetireMemory,
    RetireNote,
    StoreMemory,
    SupersedeMemory,
)
from memoro.model.tokens import tokens
from memoro.model.vocabulary import LOADED_TIERS, LoadedTier
from memoro.workspace import Workspace


class LoadedLine(NamedTuple):
    """An entry of an always-loaded file, with what it states."""

    id: str
    tier: LoadedTier
    text: str
    stated: Stated


class IdealOwner:
    def __init__(self, m: Workspace, truth: Truth, budgets: dict[LoadedTier, int]) -> None:
        self._m, self._truth, self._budgets = m, truth, budgets

    def lines(self) -> list[LoadedLine]:
        return [
            LoadedLine(id=one.id, tier=tier, text=one.text, stated=self._truth.of(one.text))
            for tier in LOADED_TIERS
            for one in self._m.entries.all(tier)
        ]

    def size(self, tier: LoadedTier) -> int:
        """Return how many tokens the file of a tier takes."""
        return tokens(self._m.notes.text_of(self._m.entries.path_of(tier)) or "")

    def accepts(self, proposal: Proposal, day: date) -> bool:
        match proposal.change:
            case RememberEntry(text=text) | PromoteMemory(text=text) | AddRule(text=text):
                stated = self._truth.of(text)
                return self._truth.holds(stated, day) and not self._is_loaded(text, stated)
            case EditEntry(id=own, text=text):
                return self._is_better(own, text, day)
            case RetireEntry(id=own) | RemoveEntry(id=own):
                return self._may_leave(own, day)
            case MoveEntry(id=own, tier=tier):
                return self._line(own).stated.is_rule == (tier == "procedural")
            case RetireExperience() | RetireNote():
                return True
            case _:
                return self._accepts_for_memories(proposal, day)

    def _accepts_for_memories(self, proposal: Proposal, day: date) -> bool:
        match proposal.change:
            case SupersedeMemory(old=old, new=new):
                return self._replaces(self._memory(old), self._stated(new))
            case StoreMemory(content=content, project=project, supersedes=int() as old):
                return self._replaces(self._memory(old), self._truth.of(content, short(project)))
            case StoreMemory(content=content, project=project):
                return self._truth.holds(self._truth.of(content, short(project)), day)
            case ChangeMemory(number=number, content=None):
                return not self._truth.holds(self._stated(number), day)
            case RetireMemory(number=number) | RemoveMemory(number=number):
                return self._memory_may_leave(number, day)
            case _:
                return False

    def _is_loaded(self, text: str, stated: Stated) -> bool:
        if stated.is_rule:
            return any(line.text.casefold() == text.casefold() for line in self.lines())
        return any(line.stated == stated for line in self.lines())

    def _is_better(self, own: str, text: str, day: date) -> bool:
        old, new = self._line(own).stated, self._truth.of(text)
        return self._truth.holds(new, day) and (new.fact == old.fact or old.is_junk) and new.is_rule == old.is_rule

    def _may_leave(self, own: str, day: date) -> bool:
        line = self._line(own)
        others = [one for one in self.lines() if one.id != own]
        is_said_elsewhere = any(
            one.stated == line.stated and (not line.stated.is_rule or one.text == line.text) for one in others
        )
        is_over_budget = self.size(line.tier) > self._budgets.get(line.tier, 10**9)
        return not self._truth.holds(line.stated, day) or is_said_elsewhere or is_over_budget

    def _replaces(self, old: Memory | None, new: Stated) -> bool:
        if old is None:
            return False
        was = self._truth.of(old.content, short(old.project))
        return self._truth.is_older(was, new) or (was == new and not new.is_junk)

    def _memory_may_leave(self, number: int, day: date) -> bool:
        stated = self._stated(number)
        others = [self._stated(one.id) for one in self._m.memories.all() if one.id != number]
        is_said_elsewhere = stated in others or any(line.stated == stated for line in self.lines())
        return not self._truth.holds(stated, day) or is_said_elsewhere

    def _line(self, own: str) -> LoadedLine:
        nothing = LoadedLine(id=own, tier="semantic", text="", stated=Stated())
        return next((line for line in self.lines() if line.id == own), nothing)

    def _memory(self, number: int) -> Memory | None:
        try:
            return self._m.memories.get(number, scope="all")
        except MemoroError:
            return None

    def _stated(self, number: int) -> Stated:
        memory = self._memory(number)
        return self._truth.of(memory.content, short(memory.project)) if memory else Stated()


def short(project: str | None) -> str | None:
    """Return the name of a project as the simulated year has it."""
    return short_name(project) if project else None
