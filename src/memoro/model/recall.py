"""The context that an agent was given for one message, and what was left out of it."""

from __future__ import annotations

from typing import NamedTuple

from memoro.model.scope import EVERYTHING, Scope
from memoro.model.vocabulary import Kind, RecallForm, Tier, Trust


class RecalledItem(NamedTuple):
    """A piece of context in a block: lines of a note or conversation, a memory, or an experience."""

    id: str  # as search returns it; `get` accepts it
    kind: Kind
    tier: Tier
    path: str
    start_line: int
    end_line: int
    heading: tuple[str, ...]
    date: str | None
    trust: Trust | None  # of memories and experiences
    score: float
    tokens: int  # its cost in the block, with its metadata
    text: str
    speaker: str | None = None
    passages: tuple[str, ...] = ()  # the ids of all passages it is made of
    project: str | None = None  # of what came from beyond the session's own scope
    since: str | None = None  # of a memory: the first day on which it holds, as YYYY-MM-DD
    until: str | None = None  # of a memory that has ended, or has an end: the last day on which it holds
    why: str = ""  # unasked: why it was given, in a few words
    older: str = ""  # since when something newer holds, and its id; not its text, which may be forgotten
    muted: bool = False  # asked for, though its owner called it wrong and does not want it to be given unasked


class LeftOut(NamedTuple):
    id: str
    why: str


class Section(NamedTuple):
    """One labelled section of a prompt. The sections share the items, in order."""

    name: str
    cap: int  # the most tokens it may take
    tokens: int
    items: int


class Recalled(NamedTuple):
    """The context for one message. Items, sections and boundary determine the block."""

    message: str
    form: RecallForm
    block: str  # empty if nothing is relevant
    boundary: str  # random; the only difference between two answers from the same state
    tokens: int
    items: tuple[RecalledItem, ...]
    left_out: tuple[LeftOut, ...]
    degraded: tuple[str, ...]
    took_ms: float
    sections: tuple[Section, ...] = ()  # only of a prompt
    decision: str = ""  # unasked: how the message was read, and why something or nothing was given


class Provenance(NamedTuple):
    """The trust and the source of a memory or an experience."""

    trust: Trust | None
    source: str | None
    text: str | None = None  # the whole text, where only a part of it is searched
    caution: str = ""  # words that must stand before every part of the text, such as that it failed


class RecallOptions(NamedTuple):
    """The options of a recall; recorded with it, so that a replay can repeat it."""

    scope: Scope = EVERYTHING
    prompt: bool = False  # with the always-loaded notes, today's note and hints
    proactive: bool = False  # nobody asked: few items, and only what is sure
    budget: int | None = None  # tokens; None: as the settings say
    marks: bool = False  # each item says which project it belongs to, if any
