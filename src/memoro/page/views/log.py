"""The log: every change, newest first, each whole, with undo; and undoing all that one source did."""

from __future__ import annotations

from typing import NamedTuple, get_args
from urllib.parse import urlencode

from memoro.errors import ConfigError
from memoro.model.changes import SubjectKind
from memoro.model.journal import ShownChange
from memoro.model.vocabulary import CURATION_ORIGINS
from memoro.operations.journal import LOG, LOG_SHOW, UNDO, Changes, ListChanges, OneChange, UndoChanges, UndoneChanges
from memoro.page.change_words import actor_name, shown_entry
from memoro.page.shown_difference import shown_difference
from memoro.page.texts import texts
from memoro.page.view import Answer, Done, Fields, PageRequest, Shown, View, Views
from memoro.page.views.undoing import next_undo

_SHOWN = 50  # changes on a page
_MOST_PREVIEWED = 100
_MOST_AGAIN = 100  # changes that one button does again
_MOST_LINES = 400  # of one change that is shown whole
_KINDS: tuple[SubjectKind, ...] = get_args(SubjectKind)


class LogFilter(NamedTuple):
    """The filters of the list."""

    by: str = ""
    since: str = ""
    kind: SubjectKind | None = None

    @property
    def is_set(self) -> bool:
        return any(self)

    def url(self, before: int | None = None) -> str:
        pairs = [("by", self.by), ("since", self.since), ("kind", self.kind or ""), ("before", before or "")]
        given = [(name, value) for name, value in pairs if value]
        return f"/log?{urlencode(given)}" if given else "/log"


def log(request: PageRequest) -> Shown:
    query = request.query
    wanted, before = _filter(query), query.number("before", 0)
    asked = ListChanges(
        limit=_SHOWN,
        by=wanted.by or None,
        since=wanted.since or None,
        kind=wanted.kind,
        before=before or None,
    )
    found: Changes = request.call(LOG, asked)
    shown = [shown_entry(one) for one in found.changes]
    t = texts()
    return Shown(
        "log.html",
        {
            "entries": shown,
            "wanted": wanted,
            "actors": [(one, actor_name(one)) for one in sorted(_actors(found))],
            "kinds": [("", t("log.kind_all")), *((kind, t(f"log.kind_{kind}")) for kind in _KINDS)],
            "is_filtered": wanted.is_set or bool(before),
            "back": wanted.url(before),
            "older": wanted.url(found.next) if found.next else "",
            "newest": wanted.url() if before else "",
        },
        part="results",
    )


def _actors(found: Changes) -> set[str]:
    """Return who made the changes: an agent, a person, or Memoro itself."""
    return {name for one in found.changes for name in (one.actor, one.person) if name}


def _filter(query: Fields) -> LogFilter:
    kind = query.get("kind")
    return LogFilter(query.get("by"), query.get("since"), next((one for one in _KINDS if one == kind), None))


def change(request: PageRequest) -> Shown:
    """One change whole."""
    found: ShownChange = request.call(LOG_SHOW, OneChange(int(request.path["number"])))
    return Shown(
        "change.html",
        {
            "one": shown_entry(found.entry),
            "sides": shown_difference(found.before, found.after, most=_MOST_LINES),
            "why_not": found.why_not,
            "later": [shown_entry(one) for one in found.later],
        },
    )


def preview(request: PageRequest) -> Shown:
    """Show which changes undoing everything by a source would revert. Nothing is changed."""
    source, since = request.query.get("by"), request.query.get("since")
    found: UndoneChanges = request.call(UNDO, _undo_of(source, since, dry_run=True))
    entries = found.undone.entries
    return Shown(
        "undo_source.html",
        {
            "source": source,
            "since": since,
            "count": len(entries),
            "entries": [shown_entry(one)._replace(can_undo=False) for one in entries[:_MOST_PREVIEWED]],
            "more": len(entries[_MOST_PREVIEWED:]),
        },
    )


def undo_source(request: PageRequest) -> Answer:
    """Undo everything by a source, as the preview showed it."""
    form, t = request.form, texts()
    found: UndoneChanges = request.call(UNDO, _undo_of(form.get("by"), form.get("since")))
    undone = found.undone
    said = [t("log.undone_several", count=len(undone.entries))] if undone.entries else [t("log.undone_nothing")]
    if undone.derived:
        said.append(t("log.undone_derived", count=len(undone.derived)))
    if undone.refused:
        said.append(t("log.not_undone", count=len(undone.refused), sentence=undone.refused[0]))
    again = next_undo(request, undone.entries) if len(undone.entries) <= _MOST_AGAIN else ()
    return Done(" ".join(said), to="/log", undo=again or None)


def _undo_of(source: str, since: str, *, dry_run: bool = False) -> UndoChanges:
    if not source or not (since or source in CURATION_ORIGINS):
        raise ConfigError(texts()("log.missing_source"))
    return UndoChanges(by=source, since=since or None, dry_run=dry_run)


VIEWS: Views = (
    View("/log", log),
    View("/log/undo", preview),
    View("/log/undo", undo_source, method="POST"),
    View("/log/{number:int}", change),
)
