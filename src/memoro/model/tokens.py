"""Estimate the tokens of a text. Quarters of tokens add up exactly over the parts of a text."""

from __future__ import annotations

import re

from memoro.model.words import UNSPACED

_UNSPACED_CHARACTER = f"[{UNSPACED}]"  # `re` compiles it on first use: plain ASCII never does


def quarters(text: str) -> int:
    """Return quarters of a token: one per Latin character, four per character of a script without spaces."""
    return len(text) if text.isascii() else len(text) + 3 * len(re.findall(_UNSPACED_CHARACTER, text))


def tokens(text: str) -> int:
    """Estimate how many tokens a model counts: four Latin characters or one Chinese character are one."""
    return whole(quarters(text))


def whole(quarters: int) -> int:
    return (quarters + 3) // 4
