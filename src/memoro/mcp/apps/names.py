"""The names of the views."""

from __future__ import annotations

from typing import Literal, TypeAlias

ViewName: TypeAlias = Literal["today", "review"]
VIEWS: tuple[ViewName, ...] = ("today", "review")
