"""Erasing a forgotten text from the rows that tell of it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterator
from typing import TYPE_CHECKING, Any

from memoro.model.experiences import as_experience, identity
from memoro.model.journal import Entry

if TYPE_CHECKING:
    from memoro.ledger.access import LedgerAccess
    from memoro.ledger.ports import Transaction


def delete_traces(tx: Transaction, memory: int) -> None:
    """Delete what other rows say about a memory, and blank its history."""
    tx.links.delete_of(memory)
    tx.given.delete_of(memory)
    tx.narratives.detach(memory)
    tx.items.delete(memory)
    tx.journal.blank_history("memory", memory)


def texts_in_journal(tx: Transaction) -> Iterator[tuple[int, str]]:
    """Every content of a memory and identity of an experience that an entry repeats, with its position."""
    yield from tx.journal.contents()
    for gone in tx.journal.removals("experience"):
        yield gone.id, identity(as_experience(gone.before))


def blank_repeating(tx: Transaction, access: LedgerAccess, forgotten: Container[bytes]) -> None:
    """Blank the entries that repeat what was forgotten, also those of memories that said it once."""
    repeating = [position for position, text in texts_in_journal(tx) if access.digest(tx, text) in forgotten]
    for position in repeating:
        tx.journal.blank(position)


def forgetting(kind: str, item: int | str, at: str) -> Entry:
    """The entry that tells that something was forgotten, and not what."""
    return Entry(id=0, at=at, operation="forget", actor="user", kind=kind, item=item, before=None, after=None)


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
