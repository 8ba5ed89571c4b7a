"""What a memory takes over from those that it replaces: project, agent, tags, and that it is private."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from memoro.errors import MemoryRefused
from memoro.model.privacy import is_hidden, item_is_private
from memoro.model.projects import belongs, name_patterns, short_name

if TYPE_CHECKING:
    from memoro.memories.options import StoreOptions
    from memoro.model.memories import Memory

PRIVATE_TAG = "private"


def with_scope_of(old: Sequence[Memory], new: Memory, named: StoreOptions, owners: Sequence[str]) -> Memory:
    """Return the new memory with the project, the agent and the tags of those that it replaces, where none is named.

    One that replaces a private memory is private, whatever is named. `owners` is what the settings call private.
    """
    if not old:
        return new
    tags = new.tags or tuple(dict.fromkeys(tag for one in old for tag in one.tags))
    project = named.get("project") or _one_project(old) or new.project
    agent = named.get("agent") or _one_agent(old) or new.agent
    taken = new._replace(project=project, agent=agent, tags=tags)
    if any(_is_private(one, owners) for one in old) and not _is_private(taken, owners):
        return taken._replace(tags=(*tags, PRIVATE_TAG))
    return taken


def _one_project(old: Iterable[Memory]) -> str | None:
    """Return the fullest name of the project; None: all are of none. Raises MemoryRefused where there are several."""
    names = sorted({one.project for one in old if one.project}, key=lambda name: (-len(name), name))
    fullest = name_patterns(names[0]) if names else ()
    if others := [name for name in names if not belongs(name, fullest)]:
        raise MemoryRefused(
            f"The memories to replace belong to the projects {short_name(names[0])} and {short_name(others[0])}. "
            "Replace them one by one, or name the project of the new one."
        )
    return names[0] if names else None


def _one_agent(old: Iterable[Memory]) -> str | None:
    names = sorted({one.agent for one in old if one.agent})
    if len(names) > 1:
        raise MemoryRefused(
            f"The memories to replace belong to the agents {names[0]} and {names[1]}. Replace them one by one."
        )
    return names[0] if names else None


def _is_private(memory: Memory, owners: Sequence[str]) -> bool:
    return item_is_private(memory.content, memory.tags) or is_hidden(f"memory:{memory.id}", memory.tags, owners)
