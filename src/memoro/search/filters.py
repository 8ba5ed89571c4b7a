"""Filters as people write them, checked and made exact."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypedDict

from memoro.errors import QueryError
from memoro.model.answers import Held, Where
from memoro.model.options import reject_unknown
from memoro.model.values import require_text
from memoro.model.vocabulary import KINDS, NOTE_TIERS, parse_choice

if TYPE_CHECKING:
    from datetime import date
    from typing import Unpack

    from memoro.model.scope import Scope

Names = str | Sequence[str]


class ScopeOptions(TypedDict, total=False):
    """Each takes one value or several; several are alternatives."""

    agent: Names
    project: Names
    path: Names
    tier: Names
    tag: Names


class FilterOptions(ScopeOptions, total=False):
    """`shared` lets items without an agent or a project pass those two filters."""

    kind: Names
    since: str | None
    until: str | None
    shared: bool


def filters(*, today: "Callable[[], date]", **options: "Unpack[FilterOptions]") -> Where:
    """The exact filter. Words for days are seen from `today`."""
    reject_unknown("filters", options, FilterOptions.__optional_keys__)
    since, until = options.get("since"), options.get("until")
    first = last = None
    if since or until:
        from memoro.model.time_phrases import span  # seldom needed, and full of patterns

        first = span(require_text(since, "day"), today=today()).first.isoformat() if since else None
        last = span(require_text(until, "day"), today=today()).last.isoformat() if until else None
    if first and last and first > last:
        raise QueryError(f"No day is both since {first} and until {last}. Swap the two, or leave one out.")
    paths = tuple(item.removeprefix("./") for item in several(options.get("path", ())))
    return Where(
        kinds=tuple(parse_choice(one, KINDS, "kind") for one in several(options.get("kind", ()))),
        tiers=tuple(parse_choice(one, NOTE_TIERS, "tier") for one in several(options.get("tier", ()))),
        paths=paths,
        tags=tuple(item.removeprefix("#").strip("/").casefold() for item in several(options.get("tag", ()))),
        agents=several(options.get("agent", ())),
        projects=several(options.get("project", ())),
        since=first,
        until=last,
        shared=options.get("shared", False),
        unlisted=bool(paths) and all(map(_is_archive, paths)),
    )


def _is_archive(path: str) -> bool:
    """Return whether a filter names a place of what was retired, or something in it: then it is found too."""
    from memoro.vault.layout import AGENTS_ARCHIVE, ARCHIVE, is_retired  # only where a search names a path

    return f"{path.rstrip('/')}/" in (ARCHIVE, AGENTS_ARCHIVE) or is_retired(path)


def held_at(as_of: str, today: "date") -> Held:
    """What was known and held at the end of that day, or of the last of the days."""
    from memoro.model.time_phrases import span  # seldom needed, and full of patterns

    last = span(as_of, today=today).last.isoformat()
    return Held(last, last, only=True)


def scope_of(where: Where) -> "Scope":
    """The scope with these filters; raises where several agents or projects are named."""
    from memoro.model.scope import Scope  # a search needs none

    return Scope(
        agent=_one(where.agents, "agent"),
        project=_one(where.projects, "project"),
        paths=where.paths,
        tiers=where.tiers,
        tags=where.tags,
    )


def where_of(scope: "Scope") -> Where:
    """The filter that lets pass what the scope sees: items without an agent or a project are everybody's."""
    return Where(
        tiers=scope.tiers,
        paths=scope.paths,
        tags=scope.tags,
        bound_agents=scope.agents,
        bound_projects=scope.projects,
        shared=True,
        private=scope.private,
        hidden=() if scope.private else scope.hidden,
    )


def bound_by(scope: "Scope", where: Where) -> Where:
    """The filter, within what binds a session; raises where it names a project or an agent outside of that."""
    from memoro.model.projects import belongs, short_name

    agents, projects = scope.agents, scope.projects
    foreign = [f"project {short_name(name)}" for name in where.projects if not belongs(name, projects)]
    foreign += [f"agent {name}" for name in where.agents if agents and name not in agents]
    if foreign:
        bound = f"project {short_name(scope.project or '')}" if projects else f"agent {scope.agent}"
        raise QueryError(f'This session is bound to {bound}. Add scope="all" (--scope all) to look at {foreign[0]}.')
    return without_private(scope, where._replace(bound_agents=agents, bound_projects=projects))


def without_private(scope: "Scope", where: Where) -> Where:
    """The filter, without what is private if the scope does not see that."""
    return where if scope.private else where._replace(private=False, hidden=scope.hidden)


def several(names: Names) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(names)


def _one(names: Sequence[str], what: str) -> str | None:
    if len(names) > 1:
        raise QueryError(f"A session sees one {what}, and not {', '.join(names)}.")
    return next(iter(names), None)
