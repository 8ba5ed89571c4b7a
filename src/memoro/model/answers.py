"""What a search is asked and what it answers, with the account of every score."""

from __future__ import annotations

from typing import NamedTuple

from memoro.model.vocabulary import MODES as MODES
from memoro.model.vocabulary import Feedback, Kind, Locator, Mode, NoteTier, Tier


class Where(NamedTuple):
    """Which passages may answer at all. Values of one filter are alternatives; filters add up."""

    kinds: tuple[Kind, ...] = ()
    tiers: tuple[NoteTier, ...] = ()
    paths: tuple[str, ...] = ()  # a note, a folder, or a pattern with * ? [ ]
    tags: tuple[str, ...] = ()  # a tag includes those nested below it
    agents: tuple[str, ...] = ()
    projects: tuple[str, ...] = ()
    since: str | None = None  # first and last day, as YYYY-MM-DD
    until: str | None = None
    shared: bool = False  # what is marked with no agent or project passes these filters too: it is everybody's


def is_below(path: str, wanted: str) -> bool:
    """Whether a path passes one of the filter's: it is that note, in that folder, or fits the pattern."""
    if any(character in wanted for character in "*?["):
        import fnmatch

        return fnmatch.fnmatchcase(path, wanted.replace("[^", "[!"))
    return path == wanted or path.startswith(wanted.rstrip("/") + "/")


def exactly(path: str) -> str:
    """The filter for this very path, which may hold what means something in a pattern."""
    return "".join(f"[{one}]" if one in "*?[" else one for one in path)


class Term(NamedTuple):
    """A word of a query: as written, as the index keeps it, and whether it may go on after that."""

    word: str
    stem: str
    prefix: bool = False


class Statistics(NamedTuple):
    """How often words occur, which is what makes one word say more than another."""

    chunks: int
    average_length: float  # of all chunks, counted likewise
    frequencies: dict[str, int]  # by stem: in how many chunks


class Passage(NamedTuple):
    """A chunk together with the note it stands in."""

    path: str
    tier: Tier
    title: str
    date: str | None
    start_line: int
    end_line: int
    headings: tuple[str, ...]
    text: str
    digest: str
    number: int  # which of the note's passages with this same text, from 1
    speaker: str | None = None


class Match(NamedTuple):
    """A passage that holds words of the query, with what a score is made of."""

    passage: Passage
    counts: tuple[tuple[str, str, int], ...]  # (stem, column, how often)
    length: float  # words in all columns, each counted as much as its column weighs
    chunk: int = 0  # the index's own number of the passage


class TermScore(NamedTuple):
    """What one word added to a score."""

    word: str
    columns: dict[str, int]
    weight: float  # how much of the query this word is, 0–1
    fullness: float  # how well the passage answers to it, 0–1

    @property
    def share(self) -> float:
        return self.weight * self.fullness


class Part(NamedTuple):
    """One signal: what it measured, and what it added to the sum that decides the order."""

    name: str
    value: float
    share: float


class Explanation(NamedTuple):
    """The computation of a score. By words alone it is the sum of the words' shares.

    With meaning, the parts add up to `total`, which decides the order; the score is the confidence in the
    best passage, falling with the distance of the totals.
    """

    terms: tuple[TermScore, ...]
    ignored: tuple[str, ...]  # words too frequent to tell passages apart
    word_rank: int
    vector_rank: int | None = None
    parts: tuple[Part, ...] = ()
    total: float | None = None
    confidence: float | None = None


class GivenIn(NamedTuple):
    """One recall of a session in which a passage was given, and what became of it there."""

    recall: int
    at: str
    feedback: tuple[Feedback, ...]


class Hit(NamedTuple):
    id: str
    kind: Kind
    tier: Tier
    path: str
    start_line: int
    end_line: int
    heading: tuple[str, ...]
    date: str | None
    score: float
    snippet: str
    explanation: Explanation
    speaker: str | None = None
    title: str | None = None  # of a transcript: what the conversation is called, and whose it is
    agent: str | None = None
    project: str | None = None
    passages: int = 1  # how many passages of the same group were found
    given: tuple[GivenIn, ...] = ()  # where it was searched for in what a session was given


class Answer(NamedTuple):
    query: str
    mode: Mode
    results: tuple[Hit, ...]
    synced: bool  # the index was compared with the disk for this answer
    degraded: tuple[str, ...]  # what was not as it should be, each with what to do
    took_ms: float


class Spoken(NamedTuple):
    """One turn of a conversation, as `get` shows it."""

    speaker: str
    text: str
    line: int
    date: str | None


class Text(NamedTuple):
    """Lines of a note, with what the note says about itself."""

    id: str
    kind: Kind
    tier: Tier
    path: str
    start_line: int
    end_line: int
    title: str
    date: str | None
    tags: tuple[str, ...]
    aliases: tuple[str, ...]
    links: tuple[str, ...]
    text: str
    locator: Locator = "line"  # what the first and the last line count; "message" where a log has no lines
    agent: str | None = None
    project: str | None = None
    around: tuple[Spoken, ...] = ()  # of a transcript: the conversation around it, itself included
