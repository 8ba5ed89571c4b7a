"""Erasing a forgotten text from the rows that tell of it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from memoro.model.changes import ContentForgotten, ExperienceRemoved, NarrativeRemoved, SubjectKind
from memoro.model.experiences import identity
from memoro.model.journal import Authorship, JournalEntry, entry_of
from memoro.model.sessions import repeating

if TYPE_CHECKING:
    from memoro.ledger.access import LedgerAccess
    from memoro.ledger.ports import Transaction

_TEXTS = 4096  # of recorded blocks, which are remembered while all blocks are read


def delete_traces(tx: Transaction, memory: int) -> None:
    """Delete what other rows say about a memory, and blank its history."""
    tx.links.delete_of(memory)
    tx.given.delete_of(memory)
    tx.narratives.detach(memory)
    tx.items.delete(memory)
    tx.journal.blank_history("memory", memory)


def texts_in_journal(tx: Transaction) -> Iterator[tuple[int, str]]:
    """Yields the texts that entries repeat, each with its position: of memories, experiences and narratives."""
    yield from tx.journal.contents()
    for gone in tx.journal.removals("experience"):
        if isinstance(gone.change, ExperienceRemoved):
            yield gone.id, identity(gone.change.experience)
    for gone in tx.journal.removals("narrative"):
        if isinstance(gone.change, NarrativeRemoved):
            yield gone.id, gone.change.narrative.summary


def blank_repeating(tx: Transaction, access: LedgerAccess, forgotten: Container[bytes]) -> None:
    """Blanks the entries and proposals that repeat what was forgotten, also of memories that said it once."""
    positions = [position for position, text in texts_in_journal(tx) if access.digest(tx, text) in forgotten]
    for position in positions:
        tx.journal.blank(position)
    blank_proposals(
        tx, lambda text: any(access.digest(tx, one) in forgotten for one in (text, " ".join(text.split())))
    )


def erase_repetitions(tx: Transaction, said: Iterable[str], items: Collection[str] = ()) -> None:
    """Erases what was said from recalls and proposals, and these items from all recalls."""
    repeats = repeating(said)
    erase_from_recalls(tx, repeats, items)
    blank_proposals(tx, repeats)


def blank_proposals(tx: Transaction, repeats: Callable[[str], bool]) -> None:
    """Blanks the proposals that would write what was forgotten, or quote it."""
    from memoro.model.proposals import texts_of  # only where something is forgotten

    for proposal in tx.proposals.all():
        if any(repeats(text) for text in texts_of(proposal)):
            tx.proposals.blank(proposal.id)


def forgetting(kind: SubjectKind, item: int | str, at: str) -> JournalEntry:
    """Returns the entry that tells that something was forgotten, and not what."""
    return entry_of(ContentForgotten(kind, item), Authorship(at, "user"))


def items_at(tx: Transaction, path: str, first: int, last: int) -> list[str]:
    """The items that sessions were given of some lines of a conversation."""
    told = [item for recall in tx.sessions.recalls_of(f"transcript:{path}#") for item in recall.detail["items"]]
    return [
        item["id"]
        for item in told
        if item["path"] == path and item["start_line"] <= last and item["end_line"] >= first
    ]


def erase_from_recalls(tx: Transaction, repeats: Callable[[str], bool], items: Collection[str] = ()) -> None:
    """Delete from all recalls the texts of these items, and every text that repeats what was forgotten."""
    repeats = lru_cache(_TEXTS)(repeats)  # the same parts stand in one recall after another
    for digest, given in tx.sessions.given_texts().items():
        if not given.isdisjoint(items) or repeats(tx.sessions.kept(digest) or ""):
            tx.sessions.forget_text(digest)
            _delete_content(tx, digest)
    for recall in tx.sessions.all_recalls():
        message = "" if repeats(recall.message) else recall.message
        block = [_erased(tx, part, repeats) for part in recall.detail.get("block", [])]
        erased = recall._replace(message=message, detail={**recall.detail, "block": block})
        if erased != recall:
            tx.sessions.replace_recall(erased)


def _erased(tx: Transaction, part: Any, repeats: Callable[[str], bool]) -> Any:
    """A part of a recorded block is its text, or refers to a content."""
    if isinstance(part, str):
        return {"content": ""} if repeats(part) else part
    if isinstance(part, dict) and part["content"] and repeats(tx.sessions.kept(part["content"]) or ""):
        _delete_content(tx, part["content"])
        return {"content": ""}
    return part


def _delete_content(tx: Transaction, digest: str) -> None:
    """Where the history of a note keeps the same bytes, they stay: forgetting an entry deletes them."""
    if not tx.journal.keeps_content(digest):
        tx.contents.delete(digest)
