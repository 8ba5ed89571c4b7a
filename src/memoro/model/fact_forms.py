"""One way in which people state a fact, and the words of three languages that it is made of."""

from __future__ import annotations

from typing import NamedTuple

from memoro.model.vocabulary import FactKind


class FactForm(NamedTuple):
    """A form that the beginning of a statement may have. The pattern is for lower case with straight apostrophes."""

    kind: FactKind
    score: float  # how sure it is that such a statement is worth keeping
    pattern: str
    first: frozenset[str] = frozenset()  # words of which a statement of this form begins with one; any, if empty


def form(kind: FactKind, score: float, first: str, pattern: str) -> FactForm:
    """Return a form for statements that begin with one of these words."""
    return FactForm(kind, score, pattern, frozenset(first.split()))
