"""What was read in texts is remembered: one search after another meets the same texts.

It is forgotten in a server's housekeeping. Each function alone remembers little; together, in a server that meets new
texts all day, they go on filling for hours.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from functools import _lru_cache_wrapper

_Read = TypeVar("_Read")
_clear: list[Callable[[], None]] = []


def remembered(most: int) -> Callable[[Callable[..., _Read]], _lru_cache_wrapper[_Read]]:
    """Let a pure function remember its last answers, so many at most."""

    def remember(read: Callable[..., _Read]) -> _lru_cache_wrapper[_Read]:
        found = lru_cache(maxsize=most)(read)
        _clear.append(found.cache_clear)
        return found

    return remember


def forget_with(clear: Callable[[], None]) -> None:
    """Let `forget_readings` call this too: for what is remembered in another way."""
    _clear.append(clear)


def forget_readings() -> None:
    """Free all that is remembered."""
    for clear in _clear:
        clear()
