"""Notes, their chunks, and what the index knows about the files they come from."""

from collections.abc import Callable
from typing import Literal, NamedTuple

from memoro.model.vocabulary import LEDGER_KINDS, IndexedKind, Kind, LedgerKind, Locator, Privacy, Severity, Tier

# Prefixes of the path of a memory, an experience and a narrative in the index; the number follows.
MEMORY, EXPERIENCE, NARRATIVE = "memory:", "experience:", "narrative:"
WITHIN = "//"  # in a path, separates a file that holds several conversations from the name of one
# Tiers of files that hold no conversation of their own.
CONTAINER: Literal["container"] = "container"  # holds several, each with a path of its own
UNKNOWN: Literal["unknown"] = "unknown"  # lies among logs and is no log


class Chunk(NamedTuple):
    """A passage of a file. Its identity is its text; its position is not part of it."""

    text: str
    start_line: int
    end_line: int
    headings: tuple[str, ...]
    digest: str
    partial: bool = False  # cut inside a line: the text is less than its lines
    speaker: str | None = None  # of a transcript
    date: str | None = None  # the day of the message, or that of the heading above it; None: that of its note
    project: str | None = None  # of lines in a daily note, which belongs to no project itself
    context: str = ""  # text around it that helps to find it and is not part of it
    private: bool = False  # by its own word, a tag, or the heading above it
    rules: bool = False  # it states a standing rule or a preference


class Note(NamedTuple):
    """The metadata of a note."""

    title: str
    aliases: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    date: str | None = None  # when it happened, as YYYY-MM-DD; never when it was written
    agent: str | None = None
    project: str | None = None
    superseded: str | None = None  # by its own word: the name of what took its place, "" if it names nothing
    privacy: Privacy = "open"  # of the whole note
    session: str | None = None  # in which it was written


class Stamp(NamedTuple):
    """The file system's data about a file: a hint that saves reading it, never a proof."""

    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int


def kind_of(path: str) -> Kind:
    """Return the kind of item at a path, by its suffix or prefix."""
    if path[-3:].lower() == ".md":
        return "note"
    if path.startswith(MEMORY):
        return "memory"
    if path.startswith(EXPERIENCE):
        return "experience"
    return "transcript"


def indexed_kind(path: str) -> IndexedKind:
    """Return the kind of item at a path of the index. Other searches than that for narratives return no narrative."""
    is_narrative = path.startswith(NARRATIVE) and path[-3:].lower() != ".md"
    return "narrative" if is_narrative else kind_of(path)


def number_of(path: str) -> int:
    """Return the number of a memory, an experience or a narrative."""
    return int(path.partition(":")[2])


def kept_at(target: str) -> tuple[LedgerKind, int] | None:
    """Return kind and number of an id such as `memory:7`; None for any other text."""
    kind, _, digits = target.partition(":")
    numbered = digits.isascii() and digits.isdigit() and len(digits) < 20
    kept = next((one for one in LEDGER_KINDS if one == kind), None)
    return (kept, int(digits)) if kept and numbered else None


def file_of(path: str) -> str:
    """Return the file on disk that a path belongs to."""
    return path.partition(WITHIN)[0]


def locator_of(path: str) -> Locator:
    """Return the unit of a hit's numbers: lines of a file, or messages where a log has no lines."""
    return "message" if WITHIN in path else "line"


class FileEntry(NamedTuple):
    """The index's entry for one file."""

    path: str
    tier: Tier
    digest: str
    stamp: Stamp | None  # None: too young to trust, so the file is read again
    gone_at: str | None = None  # hidden since then
    emptied: bool = False  # it was found empty once, which is not believed yet
    cursor: str | None = None  # of a growing log: where and how to read on


class LoggedMessage(NamedTuple):
    """A message of a log, identified by an id that all copies of it share."""

    id: int  # 64 bits of the hash of its name
    line: int


class Hidden(NamedTuple):
    """Turns of conversations that their owner has forgotten; logs do not bring them back."""

    total: int  # number of turns ever forgotten: when it rises, logs are read again
    holds: Callable[[str], bool]  # tests a turn, given as `SPEAKER: TEXT`

    def covers(self, speaker: str, text: str) -> bool:
        """Return whether a turn is forgotten, by this version or by 0.1.0, whose digests are of other texts."""
        if not self.total:
            return False
        from memoro.model.secrets import redact, redact_as_0_1_0  # patterns and all: seldom needed

        return any(self.holds(f"{speaker}: {said}") for said in (redact(text).text, redact_as_0_1_0(text)))


NOTHING_HIDDEN = Hidden(0, lambda _said: False)


class Validity(NamedTuple):
    """The days on which a memory holds, as its owner's calendar has them, and the path of what superseded it."""

    first: str  # YYYY-MM-DD
    last: str | None = None  # None: it has no end
    superseded_by: str | None = None

    def overlaps(self, first: str, last: str) -> bool:
        return self.first <= last and (self.last is None or self.last >= first)


class Indexed(NamedTuple):
    """All that the index stores about one file."""

    entry: FileEntry
    note: Note
    day: str  # the date that filters use where a chunk has none: when it happened, else when it was written
    chunks: tuple[Chunk, ...]
    # Of a transcript: every message with a name, also those that another file owns.
    messages: tuple[LoggedMessage, ...] = ()
    # False: the default view leaves it out: a memory that does not hold now, an archived experience, a narrative.
    listed: bool = True
    validity: Validity | None = None  # of a memory


class Problem(NamedTuple):
    """Something about a file that its owner should know."""

    path: str
    severity: Severity
    sentence: str


class Rules(NamedTuple):
    """The settings that shape the index. A change of any of them rebuilds it."""

    tokens: int
    overlap: int
    daily_folder: str
    daily_pattern: str = "YYYY-MM-DD"


def count_in_words(files: int, transcripts: int) -> str:
    """Return the number of files in words, such as "40 notes, 6 logs"."""
    logs = f", {counted(transcripts, 'log')}" if transcripts else ""
    return f"{counted(files - transcripts, 'note')}{logs}"


def counted(number: int, word: str) -> str:
    """Return a number with its noun, such as "1 passage" or "2 passages"."""
    return f"{number} {word}{'' if number == 1 else 's'}"
