"""Filters as people write them, checked and made exact."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from memoro.errors import QueryError
from memoro.model.answers import Where
from memoro.model.notes import KINDS, TIERS

if TYPE_CHECKING:
    from datetime import date

Names = str | Sequence[str]


def filters(
    *,
    kind: Names = (),
    tier: Names = (),
    path: Names = (),
    tag: Names = (),
    agent: Names = (),
    project: Names = (),
    since: str | None = None,
    until: str | None = None,
    shared: bool = False,
    today: Callable[[], date],
) -> Where:
    """Each filter takes one value or several; several are alternatives. Words for days are seen from `today`.

    `shared` lets what is marked with no agent and no project pass these two filters.
    """
    first = last = None
    if since or until:
        from memoro.model.dates import span  # seldom needed, and full of patterns

        first = span(since, today=today()).first.isoformat() if since else None
        last = span(until, today=today()).last.isoformat() if until else None
    return Where(
        kinds=_known(kind, KINDS, "kind"),
        tiers=_known(tier, TIERS, "tier"),
        paths=tuple(item.removeprefix("./") for item in _several(path)),
        tags=tuple(item.removeprefix("#").strip("/").casefold() for item in _several(tag)),
        agents=_several(agent),
        projects=_several(project),
        since=first,
        until=last,
        shared=shared,
    )


def _known(names: Names, known: Sequence[str], what: str) -> tuple[str, ...]:
    chosen = _several(names)
    for name in chosen:
        if name not in known:
            raise QueryError(f"There is no {what} {name!r}; choose from {', '.join(known)}.")
    return chosen


def _several(names: Names) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(names)
