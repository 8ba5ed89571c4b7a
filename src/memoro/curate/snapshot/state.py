"""The curated state at one moment: entries, memories, extracted lines, feedback, experiences, agents' notes.

`curate.snapshot.reader` makes one; planners read it and nothing else.
"""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from memoro.model.experiences import Experience
from memoro.model.memories import Memory
from memoro.model.vocabulary import LoadedTier


class SessionUses(NamedTuple):
    """The sessions that an item was given to, by what became of it there."""

    given: frozenset[str] = frozenset()
    reinforced: frozenset[str] = frozenset()
    corrected: frozenset[str] = frozenset()
    demoted: frozenset[str] = frozenset()
    days: frozenset[str] = frozenset()  # on which it was given and reinforced


NO_USES = SessionUses()


class LoadedFile(NamedTuple):
    """An always-loaded file as a whole."""

    tier: LoadedTier
    path: str
    tokens: int
    entries: int


class CuratedEntry(NamedTuple):
    """One bullet of an always-loaded file."""

    id: str  # an address that `edit` and `remove` accept
    tier: LoadedTier
    path: str
    line: int
    text: str
    headings: tuple[str, ...] = ()
    is_private: bool = False
    written_by: str | None = None  # a day: the entry is at least as old


class CuratedMemory(NamedTuple):
    """A memory that holds now."""

    memory: Memory
    uses: SessionUses = NO_USES
    is_private: bool = False
    promoted_as: str | None = None  # the words of the entry that was made from it


class ReplacedMemory(NamedTuple):
    """A memory that another one has superseded."""

    old: Memory
    new: Memory


class ExtractedFact(NamedTuple):
    """An `[extracted]` line of a daily note."""

    text: str
    day: str
    path: str
    line: int
    speaker: str | None = None
    project: str | None = None
    is_private: bool = False
    whole_line: str = ""


class FeedbackNote(NamedTuple):
    """The owner's word on an answer, by `wrong` or `good`. The answer itself is not part of it."""

    id: str
    is_good: bool
    note: str  # the owner's own words; empty: they gave none
    day: str
    project: str | None = None
    path: str | None = None
    line: int | None = None
    question: str = ""  # that the answer was given to


class CuratedNote(NamedTuple):
    """A note that agents keep, in `agent/`."""

    path: str
    text: str
    sha256: str
    written: str  # the day of its last change


class BrokenLink(NamedTuple):
    """A link to a note that is not in the vault."""

    path: str
    line: int
    link: str  # as it stands: [[Name|shown]], [shown](path.md)
    shown: str  # the words that a reader sees
    instead: str | None = None  # the same link to the one note that has this name, elsewhere


class AlikePair(NamedTuple):
    """Two texts that are near by the built-in vectors; each is named as `texts_of_state` names it."""

    one: str
    other: str
    cosine: float


class CuratedState(NamedTuple):
    """All that planners look at."""

    now: datetime
    files: tuple[LoadedFile, ...] = ()
    entries: tuple[CuratedEntry, ...] = ()
    memories: tuple[CuratedMemory, ...] = ()
    replaced: tuple[ReplacedMemory, ...] = ()
    extracted: tuple[ExtractedFact, ...] = ()
    feedback: tuple[FeedbackNote, ...] = ()
    experiences: tuple[Experience, ...] = ()  # that are not archived
    notes: tuple[CuratedNote, ...] = ()
    broken_links: tuple[BrokenLink, ...] = ()
    alike: tuple[AlikePair, ...] = ()
    private: frozenset[str] = (
        frozenset()
    )  # `memory:N` (replaced ones, too), `experience:N` and paths of agents' notes
    kept: frozenset[str] = frozenset()  # `entry:ID` or `memory:N`: their owner did not want these to be retired

    @property
    def today(self) -> str:
        """The day on the clock of this machine."""
        return self.now.astimezone().date().isoformat()


def entry_name(entry: CuratedEntry) -> str:
    return f"entry:{entry.id}"


def memory_name(one: CuratedMemory) -> str:
    return f"memory:{one.memory.id}"


def texts_of_state(state: CuratedState) -> dict[str, str]:
    """Return every text that may repeat another one, by its name: `entry:ID` or `memory:N`."""
    entries = {entry_name(one): one.text for one in state.entries}
    return entries | {memory_name(one): one.memory.content for one in state.memories}
