"""The request and the answer of a search, with the computation of every score."""

from typing import Literal, NamedTuple

from memoro.model.vocabulary import Feedback, Kind, Locator, Mode, NoteTier, Privacy, Tier


class Held(NamedTuple):
    """A stretch of days: what held on one of them is found, also if it does not hold now.

    `only` leaves out everything else: what was said after the last of these days, and what held on none of them.
    """

    first: str  # YYYY-MM-DD, both included
    last: str
    only: bool = False


class Where(NamedTuple):
    """The filters of a search. Values of one filter are alternatives; all filters must pass."""

    kinds: tuple[Kind, ...] = ()
    tiers: tuple[NoteTier, ...] = ()
    paths: tuple[str, ...] = ()  # a note, a folder, or a pattern with * ? [ ]
    tags: tuple[str, ...] = ()  # a tag includes those nested below it
    agents: tuple[str, ...] = ()
    projects: tuple[str, ...] = ()
    since: str | None = None  # first and last day, as YYYY-MM-DD
    until: str | None = None
    shared: bool = False  # items without an agent or project pass these two filters: they belong to everybody
    bound_agents: tuple[str, ...] = ()  # what binds a session, besides its filters: items of none always pass
    bound_projects: tuple[str, ...] = ()  # patterns of `model.projects`
    private: bool = True  # False: leaves out private passages, and
    hidden: tuple[str, ...] = ()  # what the owner calls private: notes, folders, patterns and #tags
    unlisted: bool = False  # also what does not hold now, archived experiences and narratives
    held: Held | None = None  # also memories that held then; None: what holds now
    rules: bool = False  # only what states a standing rule or a preference


def is_below(path: str, wanted: str) -> bool:
    """Return whether the path is that note, lies in that folder, or matches that pattern."""
    if any(character in wanted for character in "*?["):
        import fnmatch

        return fnmatch.fnmatchcase(path, wanted.replace("[^", "[!"))
    return path == wanted or path.startswith(wanted.rstrip("/") + "/")


def exactly(path: str) -> str:
    """Return a filter for exactly this path: escape the characters that mean something in a pattern."""
    return "".join(f"[{one}]" if one in "*?[" else one for one in path)


class Term(NamedTuple):
    """A word of a query: as written, as the index stores it, and whether it is only the beginning of a word."""

    word: str
    stem: str
    prefix: bool = False


class Statistics(NamedTuple):
    """Word frequencies. A rare word says more than a frequent one."""

    chunks: int
    average_length: float  # of all chunks; words count as much as their column weighs
    frequencies: dict[str, int]  # stem -> number of chunks that hold it


class Passage(NamedTuple):
    """A chunk together with the file that holds it."""

    path: str
    tier: Tier
    title: str
    date: str | None
    start_line: int
    end_line: int
    headings: tuple[str, ...]
    text: str
    digest: str
    number: int  # counts the file's passages with the same text, from 1
    speaker: str | None = None
    project: str | None = None
    # Of a memory, or of the message that a memory was made of which has ended:
    valid_from: str | None = None  # the first day on which it holds, as YYYY-MM-DD
    valid_to: str | None = None  # the last day on which it holds, if it has ended or has an end
    # The path of the memory that took its place; of a note, what its frontmatter names, or "" if it only says that it
    # is superseded or deprecated.
    superseded_by: str | None = None
    written: str | None = None  # the day of its file: when it happened, else when the file was last changed
    privacy: Privacy = "open"


class Match(NamedTuple):
    """A passage that holds words of the query, with the counts that a score is computed from."""

    passage: Passage
    counts: tuple[tuple[str, str, int], ...]  # (stem, column, count)
    length: float  # words in all columns; a word counts as much as its column weighs
    chunk: int = 0  # the index's own number of the passage


class TermScore(NamedTuple):
    """The part of a score that one word contributed."""

    word: str
    columns: dict[str, int]
    weight: float  # the word's share of the query, 0–1
    fullness: float  # how fully the passage answers the word, 0–1

    @property
    def share(self) -> float:
        return self.weight * self.fullness


class Signal(NamedTuple):
    """One signal of a ranking: its value, and the share it added to the total that decides the order."""

    name: str
    value: float
    share: float


class Evidence(NamedTuple):
    """The evidence that a passage is relevant, whatever the other candidates are."""

    coverage: float  # the share of the query's information in its words and words near them, 0–1
    # The cosine of the passage, or of it with its neighbours if that is higher; in the space of another model, the
    # cosine of the built-in model that says as much.
    nearness: float
    words: float  # the share of the query's weight by BM25, 0–1
    passages: int  # that the index holds: among few, less is near by chance


class Explanation(NamedTuple):
    """The computation of a score.

    With meaning, the parts add up to `total`, which decides the order, and `confidence` follows from the evidence.
    The score is the confidence; where the next passage has a higher one, both get their mean. By words alone, the
    score follows in the same way from the weights of the words and the fullness of the passage.
    """

    terms: tuple[TermScore, ...]
    ignored: tuple[str, ...]  # words too frequent to tell passages apart
    word_rank: int
    vector_rank: int | None = None
    parts: tuple[Signal, ...] = ()
    total: float | None = None
    confidence: float | None = None  # that this passage is relevant
    evidence: Evidence | None = None
    newer_than: str | None = None  # the id of the older passage whose place, confidence and evidence it has taken
    own: Evidence | None = None  # its own evidence, if `evidence` is that of the older passage

    @property
    def is_by_date(self) -> bool:
        """Return whether a passage was found only by the days that the query names."""
        return not self.terms and [part.name for part in self.parts] == ["time"]


# How it is known that something newer replaced a passage: both tell the attribute that is asked for, or say nearly
# the same; the newer one names the older value as past; the note itself says so; the ledger knows.
ReplacedWhy = Literal["attribute", "alike", "names it", "marked", "ledger"]


class Replacement(NamedTuple):
    """The replacement of an older passage. A note that only says that it is superseded has no id and no text."""

    id: str | None
    date: str | None  # since when, as YYYY-MM-DD
    text: str
    why: ReplacedWhy


class EndedFact(NamedTuple):
    """A statement of a message that is no longer true. The days are as those of a passage."""

    origin: str  # the message
    text: str  # "" where the message states nothing else
    first: str
    last: str
    superseded_by: str | None = None  # the path of the memory that holds in its place


class GivenIn(NamedTuple):
    """One recall of a session that gave a passage to an agent, with the feedback on it."""

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
    title: str | None = None  # of a transcript: the title of the conversation
    agent: str | None = None
    project: str | None = None
    passages: int = 1  # how many passages of the same group were found
    replaced_by: Replacement | None = None  # it is older: this is what holds now
    given: tuple[GivenIn, ...] = ()  # set when the search covered only what a session was given
    # Of a memory, or of the message that a memory was made of which has ended:
    since: str | None = None  # the first day on which it holds, as YYYY-MM-DD
    until: str | None = None  # the last day on which it holds, if it has ended or has an end
    muted: bool = False  # its owner called it wrong, and no agent is given it unasked
    changed: str | None = None  # of an undated note in a search by days: when its file was last changed; that decided


class UnderstoodTime(NamedTuple):
    """A time that the query names, and the days that it was taken for."""

    phrase: str
    first: str | None  # YYYY-MM-DD, both included; None: whatever came before the last
    last: str


class Answer(NamedTuple):
    query: str
    mode: Mode
    results: tuple[Hit, ...]
    synced: bool  # the index was compared with the disk for this answer
    degraded: tuple[str, ...]  # each sentence says what went wrong and what to do
    took_ms: float
    left_out: int = 0  # results that scored less than `least`
    least: float = 0.0
    time: UnderstoodTime | None = None


class ShownTurn(NamedTuple):
    """One turn of a conversation, as `get` shows it."""

    speaker: str
    text: str
    line: int
    date: str | None


class Text(NamedTuple):
    """Lines of a note, with the note's own metadata."""

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
    locator: Locator = "line"  # the unit of start_line and end_line
    agent: str | None = None
    project: str | None = None
    around: tuple[ShownTurn, ...] = ()  # of a transcript: the conversation around the lines, these included
