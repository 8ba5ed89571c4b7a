"""What was put before an agent for one message, and what was not."""

from __future__ import annotations

from typing import NamedTuple

from memoro.model.vocabulary import Kind, RecallForm, Tier, Trust


class Item(NamedTuple):
    """A piece of context as it stands in a block: a stretch of a note or conversation, a memory, an experience."""

    id: str  # as a search gives it; `get` takes it
    kind: Kind
    tier: Tier
    path: str
    start_line: int
    end_line: int
    heading: tuple[str, ...]
    date: str | None
    trust: Trust | None  # of what has one: memories and experiences
    score: float
    tokens: int  # what it takes in the block, with all that is said about it
    text: str
    speaker: str | None = None
    passages: tuple[str, ...] = ()  # the ids of all passages that it is made of


class LeftOut(NamedTuple):
    id: str
    why: str


class Section(NamedTuple):
    """One labelled part of a prompt. The sections divide the items among them, in order."""

    name: str
    cap: int  # tokens that it may take
    tokens: int
    items: int


class Recalled(NamedTuple):
    """The answer to one message. The block is made of items, sections and boundary, and of nothing else."""

    message: str
    form: RecallForm  # "full" or "proactive"; "prompt" where it was assembled with the always-loaded files
    block: str  # empty where nothing is relevant
    boundary: str  # drawn at random; all that differs between two answers from the same state
    tokens: int
    items: tuple[Item, ...]
    left_out: tuple[LeftOut, ...]
    degraded: tuple[str, ...]
    took_ms: float
    sections: tuple[Section, ...] = ()  # of a prompt
