"""The words of a text that say what it is about."""

from __future__ import annotations

import re

from memoro.model.words import STOP_WORDS

_WORD = re.compile(r"[^\W_]+")
# The same for plain ASCII: thousands of words are cut for every search, and this takes a quarter of the time.
_ASCII = {code: chr(code).lower() if chr(code).isalnum() else " " for code in range(128)}
_LEFT_OUT = STOP_WORDS | set(_ASCII.values())


def content_words(text: str) -> set[str]:
    """Return the different words of a text in lower case, without stop words and single characters."""
    if text.isascii():
        return set(text.translate(_ASCII).split()) - _LEFT_OUT
    return {word for word in _WORD.findall(text.lower()) if len(word) > 1 and word not in STOP_WORDS}
