"""Undo: taking back changes that a form names, and doing again what was undone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from memoro.errors import MemoroError, QueryError, UndoConflict
from memoro.model.changes import is_addition
from memoro.model.journal import JournalEntry
from memoro.operations.journal import LOG_SHOW, UNDO, OneChange, UndoChanges, UndoneChanges
from memoro.page.change_words import shown_entry, title_of
from memoro.page.paths import page_path
from memoro.page.texts import texts
from memoro.page.view import Answer, Done, Fields, PageRequest, Shown, View, Views
from memoro.page.views.memory_changes import PATH as MEMORIES


class _Taken(NamedTuple):
    """The changes that were undone, and those that the next undo would redo."""

    entries: tuple[JournalEntry, ...] = ()
    again: tuple[int, ...] = ()
    refused: tuple[str, ...] = ()


def undo(request: PageRequest) -> Answer:
    """Take back the changes and the proposals of the form; the notice then offers to do them again."""
    form = request.form
    wanted = [UndoChanges(change=number) for number in sorted(set(_numbers(form, "change")), reverse=True)]
    wanted += [UndoChanges(proposal=number) for number in _numbers(form, "proposal")]
    if not wanted:
        raise QueryError(texts()("log.no_change"))
    if len(wanted) == 1:
        try:
            taken = _one(request, wanted[0])
        except UndoConflict as conflict:
            return conflict_page(request, conflict)
    else:
        taken = _several(request, wanted)
    to = _still_there(page_path(form.get("to"), ""), taken.entries)
    return Done(_sentence(taken), to=to, undo=taken.again or None)


def _still_there(path: str, undone: Sequence[JournalEntry]) -> str:
    """Return a page to go on to: of a memory whose storing was undone, the one that it had replaced, or the list."""
    memories = [one for one in undone if one.kind == "memory"]
    gone = {f"{MEMORIES}/{one.item}" for one in memories if is_addition(one.change)}
    if path.partition("?")[0] not in gone:
        return path
    left = (f"{MEMORIES}/{one.item}" for one in memories if not is_addition(one.change))
    return next(left, MEMORIES)


def _numbers(form: Fields, name: str) -> list[int]:
    return [Fields(((name, text),)).number(name, 0) for text in form.all(name)]


def _one(request: PageRequest, wanted: UndoChanges) -> _Taken:
    part = f"change {wanted.change}" if wanted.change is not None else f"proposal {wanted.proposal}"
    found: UndoneChanges = request.call(UNDO, wanted, part)
    entries = found.undone.entries
    return _Taken(entries, next_undo(request, entries[:1]))


def next_undo(request: PageRequest, undone: Sequence[JournalEntry]) -> tuple[int, ...]:
    """The changes whose undo brings these back: their undos; of an undo, the change that is in force again."""
    found = [one.undoes or request.call(LOG_SHOW, OneChange(one.id)).entry.undone_by for one in undone]
    return tuple(number for number in found if number is not None)


def _several(request: PageRequest, wanted: Sequence[UndoChanges]) -> _Taken:
    """Each by itself: one that cannot be taken back leaves the others."""
    entries: list[JournalEntry] = []
    again: list[int] = []
    refused: list[str] = []
    for each in wanted:
        try:
            taken = _one(request, each)
        except MemoroError as error:
            refused.append(str(error))
            continue
        entries += taken.entries
        again += taken.again
    return _Taken(tuple(entries), tuple(again), tuple(refused))


def _sentence(taken: _Taken) -> str:
    t = texts()
    said: list[str] = []
    if len({one.proposal or -one.id for one in taken.entries}) == 1:
        what = title_of(taken.entries[0])
        is_redone = taken.entries[0].undoes is not None
        said.append(t("log.redone" if is_redone else "log.undone", what=what[:1].lower() + what[1:]))
    elif taken.entries:
        is_redone = all(one.undoes is not None for one in taken.entries)
        said.append(t("log.redone_several" if is_redone else "log.undone_several", count=len(taken.entries)))
    elif not taken.refused:
        said.append(t("log.undone_nothing"))
    if taken.refused:
        said.append(t("log.not_undone", count=len(taken.refused), sentence=taken.refused[0]))
    return " ".join(said)


def conflict_page(request: PageRequest, conflict: UndoConflict) -> Shown:
    """Why a change cannot be taken back, with the later changes that stand in its way."""
    shown = request.call(LOG_SHOW, OneChange(conflict.entry))
    later = tuple(shown_entry(one) for one in shown.later if one.undone_by is None and one.undoes is None)
    return Shown(
        "undo_conflict.html",
        {
            "sentence": texts()("log.conflict_sentence", number=conflict.entry, why=conflict.why),
            "number": conflict.entry,
            "later": later,
        },
        status=409,
    )


VIEWS: Views = (View("/undo", undo, method="POST"),)
