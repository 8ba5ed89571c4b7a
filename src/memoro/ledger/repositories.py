"""The queries that a ledger answers, by what they are about. Rules live elsewhere: these read and write rows.

A number that no row can have (0, negative, 2**63 and above) names nothing: `find` returns None, `get` raises
`NotFound`. Listings are by number, oldest first, unless they say otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from memoro.model.answers import Term
    from memoro.model.experiences import Experience
    from memoro.model.items import Item, Namespace
    from memoro.model.journal import JournalEntry
    from memoro.model.ledger import (
        ForgottenDigest,
        GivenMemory,
        ItemFit,
        KeptResult,
        Numbered,
        WatchedLine,
    )
    from memoro.model.memories import Link, Memory, Narrative
    from memoro.model.proposals import Proposal
    from memoro.model.recalls import SessionTotals, StoredItem, StoredRecall
    from memoro.model.sessions import Session, Use
    from memoro.model.vocabulary import ExperienceType, Feedback, ProposalState


class MemoryRepository(Protocol):
    def get(self, number: int) -> Memory: ...

    def find(self, number: int) -> Memory | None: ...

    def all(self) -> Iterator[Memory]: ...

    def derived(self) -> Iterator[Memory]:
        """Memories that were made from others."""

    def superseded_by(self, number: int) -> list[Memory]: ...

    def unsuperseded(self) -> Iterator[Memory]: ...

    def by_digest(self, digest: bytes) -> list[Memory]: ...

    def origins(self) -> Iterator[tuple[str, int]]:
        """Names that memories had in the stores they came from, each with its number here."""

    def count(self) -> int: ...

    def count_current(self, at: str) -> int:
        """Counts those that are neither superseded nor out of date."""

    def highest_feedback(self) -> int: ...

    def begun_or_ended(self, one: str, other: str) -> list[int]:
        """Numbers of those that began or ceased to hold between two moments."""

    def next_change(self, now: str) -> str | None:
        """The next moment at which a memory begins or ceases to hold."""

    def insert(self, memory: Memory, digest: bytes) -> Memory:
        """Add a memory under its own number, or, if that is 0, under a number never used before."""

    def replace(self, old: Memory, new: Memory, digest: bytes) -> None:
        """Write the fields of `new` that differ from `old`."""

    def delete(self, number: int) -> None: ...


class ExperienceRepository(Protocol):
    def get(self, number: int) -> Experience: ...

    def find(self, number: int) -> Experience | None: ...

    def all(self) -> Iterator[Experience]: ...

    def live(self, type: ExperienceType | None = None) -> Iterator[Experience]:
        """Experiences that are not archived."""

    def archived(self) -> Iterator[Experience]: ...

    def by_digest(self, digest: bytes) -> list[Experience]: ...

    def count(self) -> int:
        """Counts those that are not archived."""

    def any_unused(self, since: str, now: str) -> bool:
        """Whether a live one was last used before `since`, or one was archived at a time after `now`."""

    def insert(self, experience: Experience, digest: bytes) -> Experience:
        """Add one under its own number, or, if that is 0, under a number never used before."""

    def replace(self, old: Experience, new: Experience) -> None:
        """Write the fields of `new` that differ from `old`. Intent and solution never do."""

    def delete(self, number: int) -> None: ...


class NarrativeRepository(Protocol):
    def get(self, number: int) -> Narrative: ...

    def find(self, number: int) -> Narrative | None: ...

    def all(self) -> list[Narrative]: ...

    def latest(self, limit: int, project: str | None = None) -> list[Narrative]:
        """The newest first; of one project, or of all."""

    def last_of_project(self, project: str | None) -> Narrative | None:
        """The end of a project's chain; None stands for those without a project."""

    def last_of_session(self, session: str) -> Narrative | None: ...

    def find_same(self, narrative: Narrative) -> Narrative | None:
        """The one with the same time, summary and project."""

    def resting_on(self, memory: int) -> list[int]:
        """Numbers of the narratives that rest on a memory."""

    def count(self) -> int: ...

    def insert(self, new: Narrative) -> Narrative: ...

    def put_back(self, narrative: Narrative) -> None:
        """Insert one that was deleted at its place in its project's chain, between those that are there now."""

    def delete(self, old: Narrative) -> None:
        """Take one out of the chain; its successor then follows its predecessor."""

    def detach(self, memory: int) -> None:
        """Make every narrative rest on this memory no longer."""


class JournalRepository(Protocol):
    """Every change, in the order of commits: whoever has read up to a position misses nothing by reading after it.

    The history of a memory includes what it went through as an item: an item has its memory's number.
    """

    def add(self, entry: JournalEntry) -> int:
        """Append an entry and return its position; its `id` is not looked at.

        An entry that undoes another marks that one. An undo that is undone leaves its change in force.
        """

    def restore(self, entry: JournalEntry) -> None:
        """Write an entry as it was, under its own position. It may point to one that is restored later."""

    def get(self, position: int) -> JournalEntry: ...

    def last(self) -> int:
        """The position of the last entry; 0 before the first."""

    def after(self, position: int) -> Iterator[JournalEntry]: ...

    def all(self) -> Iterator[JournalEntry]: ...

    def count(self) -> int: ...

    def latest(
        self, limit: int | None = None, *, actor: str | None = None, since: str | None = None
    ) -> list[JournalEntry]:
        """The newest first: those of an actor, and those not before a moment."""

    def last_in_force(self, excluded: Sequence[str]) -> JournalEntry | None:
        """The newest entry that is neither undone nor blank, and not of the excluded operations."""

    def of(self, kind: str, operation: str | None = None) -> list[JournalEntry]:
        """The newest first."""

    def history(self, kind: str, item: int | str) -> list[JournalEntry]: ...

    def removals(self, kind: str) -> list[JournalEntry]:
        """Entries that tell of something that went, with all that it was; the newest first."""

    def changed_since(self, at: str, kind: str) -> list[JournalEntry]:
        """Entries made after a moment; the newest first."""

    def contents(self) -> Iterator[tuple[int, str]]:
        """Every content of a memory that an entry repeats, with the position of the entry."""

    def keeps_content(self, digest: str) -> bool:
        """Whether an entry about a note refers to the content with this digest."""

    def blank(self, position: int) -> None:
        """Leave of an entry only that there was one."""

    def blank_history(self, kind: str, item: int | str) -> None: ...

    def delete(self, position: int) -> None:
        """Delete the entry of a change that did not happen after all."""

    def unlink(self, position: int) -> None:
        """Make what this entry has undone be in force again."""


class LinkRepository(Protocol):
    def of(self, memory: int) -> list[Link]: ...

    def between(self, one: int, other: int) -> Link | None: ...

    def all(self) -> list[Link]: ...

    def count(self) -> int: ...

    def put(self, link: Link) -> None:
        """Write a link; one without strength is deleted."""

    def delete_of(self, memory: int) -> None: ...


class GivenRepository(Protocol):
    """Memories that sessions were given, answer by answer."""

    def add(self, session: str, memories: Sequence[int], at: str) -> None:
        """Record one answer."""

    def restore(self, given: GivenMemory) -> None: ...

    def all(self) -> Iterator[GivenMemory]: ...

    def of(self, session: str) -> list[GivenMemory]: ...

    def last_session(self, memory: int) -> str | None:
        """The session that was given a memory last."""

    def mark_reinforced(self, session: str, memory: int) -> list[int]:
        """Note that a session reinforced a memory.

        Returns the other memories of the same answers that it reinforced too, if that makes a new pair.
        """

    def delete_of(self, memory: int) -> None: ...


class ContentRepository(Protocol):
    """Bytes of notes as they were, and texts that were recalled, by their SHA-256."""

    def keep(self, data: bytes) -> str:
        """Keep bytes and return their digest."""

    def get(self, digest: str) -> bytes | None: ...

    def holds(self, data: bytes) -> bool: ...

    def all(self) -> Iterator[tuple[str, bytes]]: ...

    def delete(self, digest: str) -> None: ...


class PendingRepository(Protocol):
    """Writes to notes that are under way, by their position in the journal."""

    def begin(self, entry: int) -> None: ...

    def end(self, entry: int) -> None: ...

    def all(self) -> list[int]: ...


class LineRepository(Protocol):
    """Lines that were appended to notes, watched until their owner has seen them."""

    def watch(self, line: WatchedLine) -> None: ...

    def all(self) -> list[WatchedLine]: ...

    def in_note(self, path: str, *, but: bytes | None = None) -> list[WatchedLine]:
        """The lines of one note, without those whose last seen state is `but`."""

    def saw(self, entry: int, state: bytes, *, returned: bool | None = None) -> None:
        """Record the state of the note in which a line was last seen."""

    def note_changed(self, path: str, before: bytes, after: bytes) -> None:
        """Record that a write of our own made one state of a note into another."""

    def note_moved(self, old: str, new: str) -> None: ...

    def unwatch(self, entry: int) -> None: ...


class ProposalRepository(Protocol):
    def add(self, proposal: Proposal) -> int:
        """Add a proposal and return its number; its `id` is not looked at."""

    def get(self, number: int) -> Proposal: ...

    def all(self, state: ProposalState | None = None) -> list[Proposal]: ...

    def settle(self, number: int, state: ProposalState, at: str) -> None: ...

    def blank(self, number: int) -> None:
        """Reject a proposal and leave nothing of what it said."""


class ItemRepository(Protocol):
    """What frameworks keep by namespace and key. An item has the number of the memory it is found as."""

    def find(self, number: int) -> Item | None: ...

    def named(self, store: str, namespace: Namespace, key: str) -> Item | None: ...

    def below(self, store: str, prefix: Namespace, now: str, *, by_key: bool = False) -> Iterator[Item]:
        """Items of a namespace and those nested in it that have not expired; the last changed first, or by key."""

    def namespaces(self, store: str, now: str) -> list[Namespace]: ...

    def last_key(self, store: str, namespace: Namespace) -> str | None: ...

    def expired(self, now: str, limit: int) -> list[int]: ...

    def all(self) -> Iterator[Item]: ...

    def put(self, item: Item) -> None: ...

    def keep_until(self, numbers: Sequence[int], ends: Sequence[str]) -> None:
        """Move the ends of items, and of the memories they are found as."""

    def delete(self, number: int) -> None: ...


class SessionRepository(Protocol):
    def find(self, session: str) -> Session | None: ...

    def all(self, *, archived: bool, limit: int = -1) -> list[Session]:
        """Sessions by the time of their last recall, the last first."""

    def insert(self, session: Session) -> None: ...

    def put_archived(self, session: str, at: str | None) -> None: ...

    def totals(self) -> SessionTotals: ...

    def add(self, recall: StoredRecall, items: Sequence[StoredItem], key: bytes | None) -> int:
        """Keep one recall and return its number. An item without a text is kept as forgotten."""

    def by_key(self, key: bytes) -> StoredRecall | None: ...

    def recall(self, session: str, number: int | None) -> StoredRecall | None:
        """One recall of a session; without a number, the last."""

    def recalls(self, session: str) -> list[StoredRecall]: ...

    def all_recalls(self) -> list[StoredRecall]: ...

    def recalls_of(self, prefix: str) -> list[StoredRecall]:
        """Recalls that gave an item whose id begins so."""

    def replace_recall(self, recall: StoredRecall) -> None:
        """Write the message and the detail of a recall anew."""

    def items(self, recall: int) -> list[StoredItem]: ...

    def keep(self, text: str) -> str:
        """Keep a text that is no item's and return its digest."""

    def kept(self, digest: str) -> str | None: ...

    def given_texts(self) -> Mapping[str, set[str]]:
        """By the digest of its text, the items that were given with that text."""

    def forget_text(self, digest: str) -> None:
        """Make the items that were given with this text be forgotten ones."""

    def uses(self, item: str) -> list[Use]:
        """Every time that an item was given, the last first."""

    def feedback(self, items: Sequence[str] | None = None) -> Iterator[tuple[str, tuple[Feedback, ...]]]:
        """The feedback on each time that one of these items, or any, was given."""

    def of_note(self, path: str) -> list[tuple[str, str]]:
        """The passages of a note that were given, and their texts as far as they are kept."""

    def note(self, item: str, word: Feedback, session: str | None = None) -> int | None:
        """Add feedback where an item was given last, in a session or in any; return the number of that recall.

        None where it was not given, or has this feedback already.
        """

    def note_again(self, recall: int, item: str, word: Feedback) -> None: ...

    def take_back(self, recall: int, item: str, word: Feedback) -> None: ...


class KeyRepository(Protocol):
    """Idempotency keys."""

    def find(self, key: str) -> KeptResult | None: ...

    def add(self, kept: KeptResult) -> None: ...

    def all(self) -> Iterator[KeptResult]: ...


class ForgottenRepository(Protocol):
    """Digests of what was forgotten, which keep it from coming back."""

    def at(self, digest: bytes) -> str | None:
        """When a text with this digest was forgotten."""

    def digests(self) -> Mapping[bytes, str]:
        """All digests, each with its time."""

    def all(self) -> Iterator[ForgottenDigest]: ...

    def add(self, digest: bytes, at: str) -> None:
        """Add a digest; one that is there keeps its time."""


class MetaRepository(Protocol):
    """Values about the whole store: its `identity`, the `salt` of its digests, when upkeep was last done."""

    def get(self, key: str) -> str | None: ...

    def put(self, key: str, value: str | None) -> None:
        """Write a value; None deletes it."""


class NumberRepository(Protocol):
    """The numbers that were given to rows: none is given twice, also after its row is deleted."""

    def highest(self, kind: Numbered) -> int:
        """The highest number that was ever given or reserved."""

    def reserve(self, kind: Numbered, number: int) -> None:
        """Never give this number, nor one below it, to a new row."""


class MemoryWords(Protocol):
    """The word index of archived memories."""

    def terms(self, text: str) -> list[Term]:
        """The words of a text as the index keeps them, in their order."""

    def fits(self, words: Sequence[Term]) -> Iterator[ItemFit]:
        """Every memory that holds any of the words, by how well they fit, best first; lazily."""
