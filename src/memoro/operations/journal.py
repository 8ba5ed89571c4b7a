"""The journal of changes: list them, and undo them."""

from typing import TYPE_CHECKING, Annotated, NamedTuple

from memoro import documents
from memoro.errors import ConfigError
from memoro.model.changes import SubjectKind
from memoro.model.vocabulary import CURATION_ORIGINS
from memoro.operations.fields import Field
from memoro.operations.operation import KEY, Caller, Operation

if TYPE_CHECKING:
    from memoro.ledger.undo import Undone
    from memoro.model.journal import JournalEntry, ShownChange
    from memoro.workspace import Workspace


class Changes(NamedTuple):
    changes: "tuple[JournalEntry, ...]"
    next: int | None = None  # of a list: the next page is `before` this change; None: these are the last


class ListChanges(NamedTuple):
    limit: Annotated[int, Field("Show at most N changes (20).", "N", ("-n", "--limit"))] = 20
    by: Annotated[
        str | None,
        Field(
            "Only changes by this source or agent, or this person in a shared ledger.", "SOURCE", ("--by", "--source")
        ),
    ] = None
    since: Annotated[
        str | None, Field("Only changes since then: 2026-03-05, yesterday, 2026-03-05T14:30.", "WHEN")
    ] = None
    kind: Annotated[SubjectKind | None, Field("Only changes of this kind of item.")] = None
    before: Annotated[int | None, Field("Only changes with a lower number than this.", "N")] = None


def log(m: "Workspace", request: ListChanges, _caller: Caller) -> Changes:
    limit = max(0, request.limit)
    found = m.journal.log(limit + 1, by=request.by, since=request.since, kind=request.kind, before=request.before)
    shown = tuple(found[:limit])
    return Changes(shown, shown[-1].id if shown and len(found) > limit else None)


class OneChange(NamedTuple):
    change: Annotated[int, Field("The number of the change, as `memoro log` shows it.", "N", positional=True)]


def show(m: "Workspace", request: OneChange, _caller: Caller) -> "ShownChange":
    return m.journal.show(request.change)


class UndoChanges(NamedTuple):
    change: Annotated[
        int | None,
        Field(
            "The number of the change, as `memoro log` shows it (the last change). Changes of one proposal are "
            "undone together.",
            positional=True,
        ),
    ] = None
    by: Annotated[
        str | None,
        Field(
            "Undo all changes by this source, and its accepted proposals: extraction, review, tidy or feedback; "
            "with --since also user, agent (all agents), an agent, another source, or a person in a shared ledger.",
            "SOURCE",
            ("--by", "--source"),
        ),
    ] = None
    since: Annotated[
        str | None, Field("With --by: only changes since then: 2026-03-05, yesterday, 2026-03-05T14:30.", "WHEN")
    ] = None
    dry_run: Annotated[bool, Field("Only list what would be undone.")] = False
    proposal: Annotated[int | None, Field("Undo all changes of this accepted proposal.", "N")] = None


class UndoneChanges(NamedTuple):
    undone: "Undone"
    done: bool
    unknown: str | None = None  # the source or person that was named, where nothing was ever changed by it


def undo(m: "Workspace", request: UndoChanges, caller: Caller) -> UndoneChanges:
    if request.proposal is not None:
        return UndoneChanges(_undo_proposal(m, request, caller.once is not None), not request.dry_run)
    if (request.by is None) != (request.since is None) and request.by not in CURATION_ORIGINS:
        raise ConfigError(
            "Name both the source or person and the time: `memoro undo --by NAME --since WHEN`. Only the sources "
            f"{', '.join(CURATION_ORIGINS)} need no --since."
        )
    undone = m.journal.undo(
        request.change, by=request.by, since=request.since, dry_run=request.dry_run, key=caller.once
    )
    unknown = request.by if not undone.entries and not undone.refused and _is_unknown(m, request.by) else None
    return UndoneChanges(undone, not request.dry_run, unknown)


def _is_unknown(m: "Workspace", by: str | None) -> bool:
    """Return whether nothing was ever changed by a source or person, nor by what they proposed."""
    return by is not None and not m.journal.log(1, by=by) and not m.journal.undo(by=by, dry_run=True).entries


def _undo_proposal(m: "Workspace", request: UndoChanges, is_repeatable: bool) -> "Undone":
    if request.change is not None or request.by is not None or request.since is not None:
        raise ConfigError("Name one of these: a proposal, a change, or a source with a time.")
    return m.journal.undo_proposal(request.proposal or 0, dry_run=request.dry_run, is_repeatable=is_repeatable)


def _undone(found: UndoneChanges) -> documents.Document:
    document = documents.undone(found.undone, done=found.done)
    return document if found.unknown is None else {**document, "unknown": found.unknown}


LOG = Operation(name="log", request=ListChanges, call=log, access="read")
UNDO = Operation(
    name="undo", request=UndoChanges, call=undo, access="admin", encode=_undone, options=(KEY,), is_destructive=True
)
LOG_SHOW = Operation(
    name="log show", request=OneChange, call=show, encode=documents.shown_change, access="read",
    summary="Show one change: its author, and the text before and after.",
)  # fmt: skip
OPERATIONS = (LOG, LOG_SHOW, UNDO)
