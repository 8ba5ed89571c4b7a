"""The views of the page, in the order of the menu."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from memoro.page.view import View
from memoro.page.views import (
    experiences,
    log,
    memories,
    named_notes,
    numbers,
    reading,
    review,
    searching,
    settings,
    timeline,
    today,
    undoing,
)


class MenuItem(NamedTuple):
    path: str
    name: str  # of its text in "menu"


@cache
def all_views() -> tuple[View, ...]:
    modules = (
        *(today, searching, reading, named_notes, memories, experiences, review, undoing),
        *(timeline, log, numbers, settings),
    )
    return tuple(view for module in modules for view in module.VIEWS)


@cache
def menu() -> tuple[MenuItem, ...]:
    return tuple(MenuItem(view.path, view.menu) for view in all_views() if view.menu)
