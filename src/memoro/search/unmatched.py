"""The filters of a search that nothing at all passes: a name that is misspelt, or not there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from memoro.model.suggestion import did_you_mean

if TYPE_CHECKING:
    from memoro.model.answers import Where
    from memoro.store.ports import Index


def unmatched(index: Index, where: Where) -> tuple[str, ...]:
    """Return a sentence for each path, tag, agent and project that nothing has, of what may be seen here."""
    free = where._replace(kinds=(), tiers=(), paths=(), tags=(), agents=(), projects=(), since=None, until=None)
    free = free._replace(unlisted=True, held=None, rules=False)
    return tuple(_sentences(index, where, free))


def _sentences(index: Index, where: Where, free: Where) -> Iterator[str]:
    for path in where.paths:
        if not index.admitted(free._replace(paths=(path,))):
            yield f"path: nothing lies at {path!r}.{did_you_mean(path, _places(index, free))}"
    for tag in where.tags:
        if not index.admitted(free._replace(tags=(tag,))):
            yield f"tag: nothing has the tag {tag!r}."
    for agent in where.agents:
        if not index.admitted(free._replace(agents=(agent,), shared=False)):
            yield f"agent: nothing belongs to an agent {agent!r}."
    for project in where.projects:
        if not index.admitted(free._replace(projects=(project,), shared=False)):
            yield f"project: nothing belongs to a project {project!r}."


def _places(index: Index, free: Where) -> Sequence[str]:
    """Return the folders and notes; none to somebody who may not see them all."""
    if not free.private or free.bound_agents or free.bound_projects:
        return ()
    files = list(index.files())
    folders = {path[:at] for path in files for at, character in enumerate(path) if character == "/"}
    return [*sorted(folders), *files]
