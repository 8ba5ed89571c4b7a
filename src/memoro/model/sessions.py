"""The record of what was given to an agent in one conversation, and what became of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Literal, NamedTuple

from memoro.model.recall import Item, Recalled
from memoro.model.scope import Scope
from memoro.model.vocabulary import Feedback, RecallForm

REINFORCED: Literal["reinforced"] = "reinforced"
DEMOTED: Literal["demoted"] = "demoted"
CORRECTED: Literal["corrected"] = "corrected"


class Session(NamedTuple):
    id: str
    started_at: str
    archived_at: str | None
    title: str | None
    scope: Scope  # what it sees; it never changes
    recalls: int = 0
    items: int = 0
    last_at: str | None = None

    @property
    def bound(self) -> Scope:
        """The name of `scope` in version 0.1.0."""
        return self.scope


class Held(NamedTuple):
    """What a conversation holds already: passages by their ids, and by path texts of notes loaded whole."""

    passages: frozenset[str] = frozenset()
    loaded: Mapping[str, Sequence[str]] = MappingProxyType({})


class SessionTurn(NamedTuple):
    """The next message of a conversation, before it is answered: the whole at first, what is new later."""

    session: Session
    form: RecallForm  # full or proactive
    scope: Scope
    held: Held = Held()  # nothing of it is given again
    begun: bool = True  # else the session begins with what is recorded for this turn


class GivenItem(NamedTuple):
    """An item as it was given, and what became of it."""

    item: Item  # its text is empty where it was forgotten
    feedback: tuple[Feedback, ...] = ()
    forgotten: bool = False


class RecordedRecall(NamedTuple):
    """One time that context was given."""

    number: int
    session: str
    at: str
    recalled: Recalled  # the block byte for byte, where `identical`
    given: tuple[GivenItem, ...]
    identical: bool = True
    altered: tuple[str, ...] = ()  # why the block is not what it was, a sentence each
    unasked: bool = False  # it was for no message: the session began with it


class Use(NamedTuple):
    """One time that an item was given to a session."""

    item: str
    session: str
    recall: int
    at: str
    message: str
    feedback: tuple[Feedback, ...]


class Uses(NamedTuple):
    """How often an item was given, and what became of it."""

    recalled: int = 0
    reinforced: int = 0
    demoted: int = 0
    corrected: int = 0
    unused: int = 0


# Of a line that stands in what was forgotten: shorter ones, such as a heading, may stand anywhere.
_TELLING = 24


def repeating(said: Iterable[str]) -> Callable[[str], bool]:
    """Tells whether a text holds any of what was said, or a line of it; however it is spaced and escaped.

    What is given to an agent may be a part of what is forgotten, or hold it among other things.
    """
    gone = [bare for one in said if (bare := _bare(one))]

    def repeats(text: str) -> bool:
        if not text:
            return False
        bare = _bare(text)
        lines = [_bare(line).strip("-*#> ") for line in text.replace("…", "\n").split("\n")]  # it may be an excerpt
        return any(one in bare or any(len(line) >= _TELLING and line in one for line in lines) for one in gone)

    return repeats


def _bare(text: str) -> str:
    """Without what a fence may escape, and without what cannot be seen and is taken out for a prompt."""
    import re
    from unicodedata import category

    plain = re.sub(r"\\u([0-9a-fA-F]{4})", lambda found: chr(int(found[1], 16)), text)
    plain = re.sub(r"\\[nrtbf]", " ", plain).replace("\\", "")
    whole = plain.encode("utf-16", "surrogatepass").decode("utf-16", "replace")  # halves that were escaped apart
    seen = "".join(" " if one < " " else one for one in whole if category(one) != "Cf")
    return " ".join(seen.split())
