"""What the views of a host show, in the words of the page. The document lays it out and adds nothing."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

from memoro.page.shown_difference import LineKind, Piece


class Fact(NamedTuple):
    label: str
    text: str
    quotes: tuple[str, ...] = ()


class Badge(NamedTuple):
    kind: Literal["good", "warn", "bad", "plain"]
    text: str


class Figure(NamedTuple):
    value: int
    label: str


class Nothing(NamedTuple):
    """What a view says when it has nothing to show."""

    title: str
    sentence: str


class Line(NamedTuple):
    """A line of a difference; a gap says in words how many lines it stands for."""

    kind: LineKind
    pieces: tuple[Piece, ...]


class Card(NamedTuple):
    """A proposal that waits."""

    number: int
    title: str
    about: str  # names the proposal for people who hear the buttons and do not see the card
    difference: tuple[Line, ...]
    says: str  # what moves and says the same; empty: the difference tells it
    outdated: str
    facts: tuple[Fact, ...]
    can_accept: bool


class ReviewView(NamedTuple):
    intro: str
    cards: tuple[Card, ...]
    more: str  # how many wait besides; empty: none
    withheld: str  # how many are private; empty: none
    can_decide: bool
    elsewhere: str  # where to decide
    nothing: Nothing | None = None


class GivenText(NamedTuple):
    """One thing that an agent was given."""

    kind: str
    place: str
    text: str
    preview: str  # its beginning; empty: the text is short
    facts: str  # why, how sure, how long


class Prompt(NamedTuple):
    """One prompt, with what was given for it."""

    at: str
    summary: str
    message: str
    preview: str  # the beginning of the message; empty: it is short
    reason: str
    notices: tuple[str, ...]
    items: tuple[GivenText, ...]
    left_out: str


class AgentSession(NamedTuple):
    agent: str
    project: str
    about: str
    tokens: str
    prompts: tuple[Prompt, ...]


class WaitingLine(NamedTuple):
    kind: str
    text: str


class TodayView(NamedTuple):
    day: str
    health: tuple[Badge, ...]
    waiting: str
    proposals: tuple[WaitingLine, ...]
    figures: tuple[Figure, ...]
    sessions: tuple[AgentSession, ...]
    more: str  # how many prompts are not shown; empty: all are
    nothing: Nothing | None = None


AppView: TypeAlias = TodayView | ReviewView
