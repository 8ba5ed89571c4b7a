"""Filters as people write them, checked and made exact."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from memoro.model.answers import Where
from memoro.model.vocabulary import KINDS, NOTE_TIERS, parse_choice

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
        kinds=tuple(parse_choice(one, KINDS, "kind") for one in _several(kind)),
        tiers=tuple(parse_choice(one, NOTE_TIERS, "tier") for one in _several(tier)),
        paths=tuple(item.removeprefix("./") for item in _several(path)),
        tags=tuple(item.removeprefix("#").strip("/").casefold() for item in _several(tag)),
        agents=_several(agent),
        projects=_several(project),
        since=first,
        until=last,
        shared=shared,
    )


def _several(names: Names) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(names)
