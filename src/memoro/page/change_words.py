"""Changes in the words of the page: what was done to what, and the ways to it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from memoro.model import ratings
from memoro.model.changes import ItemRemoved, ItemSnapshot, ItemWritten, NoteMoved, UnknownChange, has_content
from memoro.model.items import Item, Namespace
from memoro.model.journal import JournalEntry
from memoro.model.timeline import ChangeGroup
from memoro.model.vocabulary import CURATION_ORIGINS, PERSON
from memoro.page.lists import named, without_block_ids
from memoro.page.proposal_words import experience_path, memory_path, reading_path
from memoro.page.texts import texts

_RATED: Mapping[Namespace, str] = {ratings.MUTED: "rated_muted", ratings.GOOD: "rated_good"}


class ShownEntry(NamedTuple):
    """A change as a list of the page shows it."""

    number: int
    at: str
    title: str
    text: str  # one line about it
    actor: str
    agent: str
    subject: str  # what it was about: a path, or a memory by its number
    href: str  # of what it was about; empty: there is no such page
    can_undo: bool
    undoes: int | None
    undone_by: int | None
    proposal: int | None
    person: str  # empty: nobody shares the ledger


def shown_entry(entry: JournalEntry) -> ShownEntry:
    return ShownEntry(
        number=entry.id,
        at=entry.at,
        title=title_of(entry),
        text=without_block_ids(entry.text),
        actor=actor_name(entry.actor),
        agent=entry.agent if entry.agent and entry.agent != entry.actor else "",
        subject=_subject(entry),
        href=_where(entry),
        can_undo=can_undo(entry),
        undoes=entry.undoes,
        undone_by=entry.undone_by,
        proposal=entry.proposal,
        person=entry.person or "",
    )


def _subject(entry: JournalEntry) -> str:
    rated = _rated(entry)
    if rated is not None:
        return rated.target
    return str(entry.item) if entry.kind == "note" else f"{entry.kind} {entry.item}"


def can_undo(entry: JournalEntry) -> bool:
    is_known = not isinstance(entry.change, UnknownChange)
    return entry.undone_by is None and has_content(entry.change) and is_known


def title_of(entry: JournalEntry) -> str:
    """What was done, and to what."""
    rated = _rated(entry)
    if entry.undoes is not None:
        name = f"undo_{rated.name if rated else entry.kind}"
    elif rated is not None:
        name = rated.name if isinstance(entry.change, ItemWritten) else f"un{rated.name}"
    else:
        name = f"{entry.kind}_{entry.operation}"
    values = {"item": entry.item, "undoes": entry.undoes, "operation": entry.operation, "kind": entry.kind}
    try:
        return texts()(f"changes.{name}", **values)
    except KeyError:  # a kind of change that came with a later version
        return texts()("changes.other", **values)


def actor_name(actor: str) -> str:
    """Return who made a change, for people; an agent by its own name."""
    return named("changes.actor_", actor, (PERSON, "agent", *CURATION_ORIGINS))


class _Rated(NamedTuple):
    """What a change of a rating is about."""

    name: str  # of the text for such a rating
    target: str  # the id of what was rated


def _rated(entry: JournalEntry) -> _Rated | None:
    """Return what was rated, or had its rating removed; None for a change of anything else."""
    match entry.change:
        case ItemWritten(namespace=namespace, key=key):
            pass
        case ItemRemoved(before=ItemSnapshot(item=Item(namespace=namespace, key=key))):
            pass
        case _:
            return None
    name = _RATED.get(namespace)
    return None if name is None else _Rated(name, ratings.rated_id(key))


def group_title(group: ChangeGroup) -> str:
    """What somebody did to several things of one kind; to one, by its name."""
    values: dict[str, object] = {"kind": group.kind, "operation": group.operation, "count": group.total}
    name = f"many_{group.kind}_{group.operation}"
    if group.kind == "item" and group.actor == "feedback":  # only ratings are items of this actor
        return texts()("changes.many_rated" if group.operation != "undo" else "changes.many_rated_undo", **values)
    if group.total == 1 and group.changes:
        values["item"] = group.changes[0].item
        name = "single_undo" if group.operation == "undo" else f"{group.kind}_{group.operation}"
    try:
        return texts()(f"changes.{name}", **values)
    except KeyError:  # a kind of change that came with a later version
        return texts()("changes.many_other", **values)


def _where(entry: JournalEntry) -> str:
    rated = _rated(entry)
    if rated is not None:
        return reading_path(rated.target)
    match entry.change:
        case NoteMoved(new=new):
            return path_of(entry.kind, new, entry.operation)
        case _:
            return path_of(entry.kind, entry.item, entry.operation)


def path_of(kind: str, item: int | str, operation: str) -> str:
    """The path of the page that shows what a change was about; empty where there is none."""
    if operation == "forget":
        return ""
    match kind, item:
        case (("memory" | "item"), int() as number):
            return memory_path(number)
        case "experience", int() as number:
            return experience_path(number)
        case "note", str() as path:
            return reading_path(path)
        case _:
            return ""
