"""The record of what was given to an agent in one conversation, and what became of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Literal, NamedTuple

from memoro.model.answers import is_below
from memoro.model.memories import Memory
from memoro.model.notes import MEMORY
from memoro.model.recall import Item, Recalled
from memoro.model.vocabulary import FEEDBACK as FEEDBACK
from memoro.model.vocabulary import Feedback, NoteTier, RecallForm

FULL: Literal["full"] = "full"
PROACTIVE: Literal["proactive"] = "proactive"
REINFORCED: Literal["reinforced"] = "reinforced"
DEMOTED: Literal["demoted"] = "demoted"
CORRECTED: Literal["corrected"] = "corrected"


class Bound(NamedTuple):
    """What a session may see; nothing named: everything. Of a project and an agent, what belongs to none too.

    It is a filter of the search, which chooses before anything is ranked: nothing else is ever looked at.
    """

    project: str | None = None
    agent: str | None = None
    paths: tuple[str, ...] = ()
    tiers: tuple[NoteTier, ...] = ()
    tags: tuple[str, ...] = ()

    def admits(self, memory: Memory) -> bool:
        """Whether it sees a memory: as the search does, to which one is the path `memory:N`, of no tier to choose."""
        tags = [tag.casefold() for tag in memory.tags]
        return (
            (self.project is None or memory.project in (None, self.project))
            and (self.agent is None or memory.agent in (None, self.agent))
            and (not self.paths or any(is_below(f"{MEMORY}{memory.id}", path) for path in self.paths))
            and not self.tiers
            and (not self.tags or any(tag == one or tag.startswith(f"{one}/") for tag in tags for one in self.tags))
        )


class Session(NamedTuple):
    id: str
    started_at: str
    archived_at: str | None
    title: str | None
    bound: Bound
    recalls: int = 0
    items: int = 0
    last_at: str | None = None


class Turn(NamedTuple):
    """What a message in a conversation is to be answered by: the whole of it at first, what is new later."""

    session: Session
    form: RecallForm
    bound: Bound
    given: frozenset[str]  # the ids of all passages that it holds already: none is given again
    loaded: Mapping[str, tuple[str, ...]] = MappingProxyType({})  # by path, texts that it holds of notes loaded whole
    forms: tuple[RecallForm, ...] = ()  # of all that it was given so far
    begun: bool = True  # else it begins with what is recorded for this turn


class Given(NamedTuple):
    """An item as it was given, and what became of it."""

    item: Item  # its text is empty where it was forgotten
    feedback: tuple[Feedback, ...] = ()
    forgotten: bool = False


class Recorded(NamedTuple):
    """One time that context was given."""

    number: int
    session: str
    at: str
    recalled: Recalled  # the block to the byte, where `identical`
    given: tuple[Given, ...]
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
