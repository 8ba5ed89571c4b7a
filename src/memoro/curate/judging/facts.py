"""New facts beside the current ones that they may repeat or replace, and what was decided about each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from memoro.model.agents import allies_of
from memoro.model.facts import Fact
from memoro.model.memories import UNTRUSTED
from memoro.model.scope import Scope
from memoro.model.targets import MemoryId
from memoro.model.vocabulary import CurationStep, Trust

# Steps that name what they are about, and those of them that end it.
TARGETED: tuple[CurationStep, ...] = ("merge", "supersede", "retire")
ENDING: tuple[CurationStep, ...] = ("supersede", "retire")
MOST_TARGETS = 3  # of one decision: a fact that was told in several ways ends in all of them


class NewFact(NamedTuple):
    """A fact that somebody has just stated, and for whom it holds."""

    fact: Fact
    memory: int | None = None  # the memory that holds it; None: a line of the daily note holds it, or nothing yet
    trust: Trust = "agent_inferred"
    agent: str | None = None  # that the session is bound to; None: to none
    project: str | None = None  # of the session
    session: str | None = None
    is_just_said: bool = False  # in a conversation of these days: what stands in a file was written before it
    in_passing: bool = False  # it has no form of a fact, and is not kept; an entry may have to say it

    @property
    def day(self) -> str | None:
        """The day on which it was said."""
        return self.fact.evidence.date[:10] if self.fact.evidence.date else None


class EntryPlace(NamedTuple):
    """An entry of an always-loaded file."""

    id: str
    path: str
    line: int

    def __str__(self) -> str:
        return f"{self.path}:{self.line}"


class CurrentFact(NamedTuple):
    """A statement that holds now, as far as Memoro knows."""

    place: MemoryId | EntryPlace
    text: str
    trust: Trust = "user_confirmed"
    day: str | None = None  # when it was said; of an entry nobody knows
    agent: str | None = None
    project: str | None = None
    is_private: bool = False


CurrentFacts = Mapping[int, CurrentFact]  # by the number that a judge knows each by


class Candidate(NamedTuple):
    """A new fact under the number that a judge knows it by, with the numbers of the current facts nearest to it."""

    number: int
    new: NewFact
    nearest: tuple[int, ...] = ()


class FactDecision(NamedTuple):
    """The decision about a candidate. It takes effect only when a person accepts it.

    add: it is new. merge: its target says the same already. supersede: it holds in place of its targets. retire: its
    targets have ceased to hold, and nothing holds in their place. keep: everything stays as it is.
    """

    candidate: int
    step: CurationStep
    targets: tuple[int, ...] = ()
    reason: str = ""
    score: float = 1.0  # 0–1: how sure the judge is


def may_replace(new: NewFact, old: CurrentFact) -> bool:
    """Return whether a fact may be proposed in place of another: no project's fact replaces another project's.

    Nor does it replace a memory that all projects share, which the others would lose; an entry of an always-loaded
    file stays where it is, in other words. Facts of untrusted sources replace nothing, and what was said in passing
    replaces entries alone.
    """
    if new.trust in UNTRUSTED or not _sees(new, old):
        return False
    return isinstance(old.place, EntryPlace) or (not new.in_passing and _is_of_same_project(new, old))


def may_repeat(new: NewFact, old: CurrentFact) -> bool:
    """Return whether a fact may be left out because another says the same, to everyone who would be told it."""
    return _sees(new, old) and (old.project is None or _is_of_same_project(new, old))


def _sees(new: NewFact, old: CurrentFact) -> bool:
    return Scope(agent=new.agent, allies=allies_of(new.agent)).owns(old.agent, None)


def _is_of_same_project(new: NewFact, old: CurrentFact) -> bool:
    if new.project is None or old.project is None:
        return new.project == old.project
    return Scope(project=new.project).owns(None, old.project)
