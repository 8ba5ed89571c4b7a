"""The part of the home that a session, a search or a recall may see."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from memoro.model.answers import is_below
from memoro.model.vocabulary import NoteTier

if TYPE_CHECKING:
    from memoro.model.memories import Memory


class Scope(NamedTuple):
    """The visible items. An empty field restricts nothing.

    Items without a project or an agent are shared: every project and every agent sees them. A search applies
    the scope before it ranks, so it never reads an item outside the scope.
    """

    agent: str | None = None
    project: str | None = None
    paths: tuple[str, ...] = ()  # a note, a folder, or a pattern with * ? [ ]
    tiers: tuple[NoteTier, ...] = ()
    tags: tuple[str, ...] = ()  # a tag includes those nested below it
    private: bool = True  # whether private notes are visible

    def admits(self, memory: Memory) -> bool:
        """Return whether a memory is visible, as a search decides: its path is `memory:N`, without a tier."""
        tags = [tag.casefold() for tag in memory.tags]
        return (
            (self.project is None or memory.project in (None, self.project))
            and (self.agent is None or memory.agent in (None, self.agent))
            and (not self.paths or any(is_below(f"memory:{memory.id}", path) for path in self.paths))
            and not self.tiers
            and (not self.tags or any(tag == one or tag.startswith(f"{one}/") for tag in tags for one in self.tags))
        )


EVERYTHING = Scope()
