"""The part of the home that a session, a search or a recall may see."""

from __future__ import annotations

from typing import NamedTuple

from memoro.model.vocabulary import NoteTier


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


EVERYTHING = Scope()
