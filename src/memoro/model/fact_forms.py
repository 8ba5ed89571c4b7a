"""One way in which people state a fact, and how the tables of such forms are written."""

from __future__ import annotations

from typing import NamedTuple

from memoro.model.vocabulary import FactKind


class FactForm(NamedTuple):
    """A form that the beginning of a statement may have. The pattern is for lower case with straight apostrophes."""

    kind: FactKind
    score: float  # how sure it is that such a statement is worth keeping
    pattern: str
    first: frozenset[str] = frozenset()  # words of which a statement of this form begins with one; any, if empty


def form(kind: FactKind, score: float, first: str, *parts: str) -> FactForm:
    """Return a form for statements that begin with one of these words; its pattern is the parts, joined."""
    return FactForm(kind=kind, score=score, pattern="".join(parts), first=frozenset(first.split()))


def any_of(listed: str) -> str:
    """Return a pattern for any of the phrases of a list. Spaces part them; `_` stands for a space within one."""
    return "(?:" + "|".join(phrase.replace("_", " ") for phrase in listed.split()) + ")"
