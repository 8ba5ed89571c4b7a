"""About how many tokens a text takes. Counted in quarters, the parts of a text add up to the whole."""

from __future__ import annotations

import re

from memoro.model.words import UNSPACED

_UNSPACED_CHARACTER = f"[{UNSPACED}]"  # compiled by `re` when it is first used: plain ASCII never does


def quarters(text: str) -> int:
    """Quarters of a token: one for each Latin character, four for one of a script without spaces."""
    return len(text) if text.isascii() else len(text) + 3 * len(re.findall(_UNSPACED_CHARACTER, text))


def tokens(text: str) -> int:
    """About how many tokens a model would count: four Latin characters are one, so is one of Chinese."""
    return whole(quarters(text))


def whole(quarters: int) -> int:
    return (quarters + 3) // 4
