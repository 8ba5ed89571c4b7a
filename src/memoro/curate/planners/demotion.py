"""Entries that were corrected since: by the owner's own feedback, or by a memory that was superseded or reworded."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from memoro.config.settings import CurateSettings
from memoro.curate.planners.contradictions import is_over_by, tells_no_new_value, why_excluded
from memoro.curate.planners.wording import quoted_entry, quoted_memory
from memoro.curate.snapshot.state import CuratedEntry, CuratedState, FeedbackNote
from memoro.model.belonging import known_project, names_project
from memoro.model.memories import UNTRUSTED, Memory, entry_of_memory
from memoro.model.proposals import EditEntry, Evidence, RetireEntry, Suggestion
from memoro.model.same_fact import is_same_text, repeats
from memoro.model.vocabulary import ProposalOrigin
from memoro.model.worth_loading import is_worth_loading

_REWORDED, _SUPERSEDED, _CORRECTED = 0.9, 0.85, 0.8


def plan(state: CuratedState, settings: CurateSettings) -> list[Suggestion]:  # noqa: ARG001
    """Suggest one change for each entry that was corrected, by the surest of its corrections."""
    found: dict[str, Suggestion] = {}
    for entry in state.entries:
        for one in (*_by_its_memory(entry, state), *_by_superseding(entry, state), *_by_feedback(entry, state)):
            found.setdefault(entry.id, one)
    return list(found.values())


def _by_its_memory(entry: CuratedEntry, state: CuratedState) -> Iterable[Suggestion]:
    """The memory that the entry was promoted from says something else by now; not where the entry was reworded."""
    for one in state.memories:
        is_unchanged = one.promoted_as is not None and is_same_text(one.memory.content, one.promoted_as)
        is_of_entry = entry_of_memory(one.memory) == entry.id and not is_unchanged
        if is_of_entry and not is_same_text(one.memory.content, entry.text):
            reason = f"memory:{one.memory.id}, which it was made from, has been reworded since."
            yield from _replaced(entry, one.memory, reason, _REWORDED)


def _by_superseding(entry: CuratedEntry, state: CuratedState) -> Iterable[Suggestion]:
    """The entry says what a superseded memory said."""
    for one in state.replaced:
        is_of_entry = one.old.origin == f"entry:{entry.id}"
        says_old = is_of_entry or repeats(entry.text, one.old.content, 1.0)
        if says_old and not repeats(entry.text, one.new.content, 1.0):
            reason = f"It says what memory:{one.old.id} said, which memory:{one.new.id} has superseded."
            yield from _replaced(entry, one.new, reason, _SUPERSEDED)


def _replaced(entry: CuratedEntry, new: Memory, reason: str, score: float) -> Iterable[Suggestion]:
    """Suggest the memory's words for the entry; where they may not stand there, that the entry goes."""
    if new.trust in UNTRUSTED:
        return
    may_stand = new.project is None or names_project(new.content, known_project(new.project))
    text = new.content if may_stand else ""
    yield _corrected(entry, _Correction(text=text, quote=quoted_memory(new), reason=reason, score=score))


def _by_feedback(entry: CuratedEntry, state: CuratedState) -> Iterable[Suggestion]:
    """The owner marked an answer as wrong and said something that excludes the entry."""
    for one in state.feedback:
        if one.is_good or not one.note or not _excludes(one.note, entry.text):
            continue
        note = "" if tells_no_new_value(one.note) else one.note
        reason = f"On {one.day} you marked an answer as wrong and said something else."
        yield _corrected(
            entry,
            _Correction(text=note, quote=_quoted(one), reason=reason, score=_CORRECTED, origin="feedback"),
        )


def _excludes(note: str, text: str) -> bool:
    return is_over_by(note, text) or why_excluded(note, text, 0.0) is not None


def _quoted(one: FeedbackNote) -> Evidence:
    return Evidence(quote=one.note, path=one.path, line=one.line, date=one.day, speaker="User")


class _Correction(NamedTuple):
    """What speaks against an entry: words in its place, or none, and why."""

    text: str  # empty: nothing is known in its place
    quote: Evidence
    reason: str
    score: float
    origin: ProposalOrigin = "review"


def _corrected(entry: CuratedEntry, found: _Correction) -> Suggestion:
    evidence = (quoted_entry(entry), found.quote)
    if found.text and is_worth_loading(found.text, as_rule=entry.tier == "procedural"):
        change: EditEntry | RetireEntry = EditEntry(id=entry.id, text=found.text, path=entry.path, was=entry.text)
    else:
        change = RetireEntry(id=entry.id, path=entry.path, text=entry.text)
    return Suggestion(change=change, evidence=evidence, origin=found.origin, score=found.score, reason=found.reason)
