"""The texts by which a model is probed. They are ours, so that a test tells a provider nothing about its user."""

from __future__ import annotations

QUESTION = "When does the night train to Berlin leave?"
ANSWER = "The night train to Berlin leaves at ten from platform three."
OTHERS = ("Green tea is steeped at seventy degrees for two minutes.", "The dog hides under the bed during thunder.")

# Each is one token for nearly every model.
_BODY_WORDS = (
    "the house has a garden with old trees and a small river runs behind it in summer people come from town to see "
    "how the water moves under the bridge while children play on the grass and somebody reads a book in the sun"
)
_END_WORDS = (
    "money bank market price trade account company office paper law court bill tax work report number sale",
    "music dance song piano film voice stage art color picture theater dream night star love story image",
)
_BODY = _BODY_WORDS.split()
_ENDS = tuple(words.split() for words in _END_WORDS)
TAIL_SHARE = 0.25  # of a long text: it ends otherwise than its twin


def long_text(words: int, end: int) -> str:
    """Return a text of so many words. It differs from its twin, which has the other end, only in its last quarter."""
    tail = max(1, round(words * TAIL_SHARE))
    body = [_BODY[n % len(_BODY)] for n in range(words - tail)]
    return " ".join([*body, *(_ENDS[end][n % len(_ENDS[end])] for n in range(tail))])


def passages(count: int) -> list[str]:
    """Return so many different texts, each as long as a short passage of a note."""
    return [f"Note {n + 1}. {long_text(60 + n % 20, n % 2)}." for n in range(count)]
