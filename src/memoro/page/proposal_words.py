"""Proposals in the words of the page: what would happen and where, what would be lost, and where it came from."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import urlencode

from memoro.model.local_time import local_day
from memoro.model.proposals import (
    AddDailyLine,
    AddRule,
    ChangeMemory,
    EditEntry,
    Evidence,
    MoveEntry,
    PromoteMemory,
    ProposedChange,
    PutBackLines,
    RememberEntry,
    RemoveEntry,
    RemoveMemory,
    RetireEntry,
    RetireExperience,
    RetireMemory,
    RetireNote,
    StoreMemory,
    SupersedeMemory,
    WriteNote,
)
from memoro.model.sessions import Uses
from memoro.page.texts import texts


class ShownEvidence(NamedTuple):
    """Words that speak for a proposal, with the way to where they were said."""

    quote: str
    speaker: str
    date: str
    place: str
    href: str  # empty: nobody knows where


def reading_path(target: str) -> str:
    """The path of the page that shows a note or a conversation."""
    return f"/read?{urlencode({'id': target})}"


def memory_path(number: int) -> str:
    return f"/memories/{number}"


def experience_path(number: int) -> str:
    return f"/experiences/{number}"


def shown_evidence(one: Evidence) -> ShownEvidence:
    place = f"{one.path}:{one.line}" if one.path and one.line else one.path or ""
    return ShownEvidence(
        quote=" ".join(one.quote.split()),
        speaker=one.speaker or "",
        date=(one.date or "")[:10],
        place=place,
        href=reading_path(place) if place else "",
    )


def wish_in_words(change: ProposedChange) -> str:
    """What would happen, and where."""
    t = texts()
    match change:
        case RememberEntry(path=path, tier=tier, section=section):
            return _under(t(f"review.wish_remember_{tier}", path=path), section)
        case AddRule(path=path, section=section, feedback=feedback) if feedback:
            return _under(t("review.wish_add_rule_feedback", path=path, count=len(feedback)), section)
        case AddRule(path=path, section=section):
            return _under(t("review.wish_add_rule", path=path), section)
        case PromoteMemory(number=number, path=path):
            return t("review.wish_promote", number=number, path=path)
        case EditEntry(path=path):
            return t("review.wish_edit", path=path)
        case RemoveEntry(path=path):
            return t("review.wish_remove", path=path)
        case RetireEntry(path=path):
            return t("review.wish_retire_entry", path=path)
        case MoveEntry(path=path, tier=tier):
            return t(f"review.wish_move_{tier}", path=path)
        case PutBackLines(path=path, lines=lines):
            return t("review.wish_put_back", path=path, count=len(lines))
        case AddDailyLine(at=at):
            return t("review.wish_daily", day=local_day(at))
        case WriteNote(path=path, expected=expected):
            return t("review.wish_write_note" if expected is None else "review.wish_rewrite_note", path=path)
        case RetireNote(path=path):
            return t("review.wish_retire_note", path=path)
        case _:
            return _wish_about_items(change)


def _wish_about_items(change: ProposedChange) -> str:
    t = texts()
    match change:
        case StoreMemory(supersedes=None):
            return t("review.wish_store")
        case StoreMemory(supersedes=old):
            return t("review.wish_store_instead", number=old)
        case SupersedeMemory(old=old, new=new):
            return t("review.wish_supersede", old=old, new=new)
        case ChangeMemory(number=number):
            return t("review.wish_change", number=number)
        case RemoveMemory(number=number):
            return t("review.wish_remove_memory", number=number)
        case RetireMemory(number=number):
            return t("review.wish_retire_memory", number=number)
        case RetireExperience(number=number):
            return t("review.wish_retire_experience", number=number)
        case _:
            return t("review.wish_erased")


def _under(wish: str, section: str | None) -> str:
    return texts()("review.wish_under", wish=wish, section=section) if section else wish


def loss_in_words(change: ProposedChange, removed_lines: int) -> str:
    """What would not be there any more, or not be given; empty where nothing goes."""
    t = texts()
    match change:
        case RemoveEntry(path=path):
            return t("review.lost_entry", path=path)
        case RetireEntry():
            return t("review.lost_archived_entry")
        case RemoveMemory(number=number):
            return t("review.lost_memory", number=number)
        case RetireMemory() | RetireExperience():
            return t("review.lost_archived")
        case SupersedeMemory(old=number) | StoreMemory(supersedes=int() as number):
            return t("review.lost_replaced", number=number)
        case RetireNote():
            return t("review.lost_note")
        case AddRule(feedback=feedback) if feedback:
            return t("review.lost_feedback", count=len(feedback))
        case WriteNote() if removed_lines:
            return t("review.lost_lines", count=removed_lines)
        case _:
            return ""


def where(change: ProposedChange) -> str:
    """The path of the page that shows what a proposal is about; empty where there is nothing yet."""
    match change:
        case EditEntry(path=path) | RemoveEntry(path=path) | RetireEntry(path=path) | MoveEntry(path=path):
            return reading_path(path)
        case RememberEntry(path=path) | AddRule(path=path) | PutBackLines(path=path) | RetireNote(path=path):
            return reading_path(path)
        case WriteNote(path=path, expected=str()):
            return reading_path(path)
        case ChangeMemory(number=number) | RemoveMemory(number=number) | RetireMemory(number=number):
            return memory_path(number)
        case SupersedeMemory(old=number) | StoreMemory(supersedes=int() as number) | PromoteMemory(number=number):
            return memory_path(number)
        case RetireExperience(number=number):
            return experience_path(number)
        case _:
            return ""


def uses_in_words(uses: Uses) -> str:
    """How often an item was given, and what became of it."""
    t = texts()
    if not uses.recalled:
        return t("review.uses_never")
    told = [t("review.uses_given", count=uses.recalled)]
    told += [t("review.uses_useful", count=uses.reinforced)] if uses.reinforced else []
    told += [t("review.uses_useless", count=uses.demoted)] if uses.demoted else []
    told += [t("review.uses_corrected", count=uses.corrected)] if uses.corrected else []
    return ", ".join(told)
