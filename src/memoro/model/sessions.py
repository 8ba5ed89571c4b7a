"""The record of the context that an agent was given in one conversation, and the feedback on it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Literal, NamedTuple

from memoro.model.recall import Recalled, RecalledItem
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
    scope: Scope  # it never changes
    recalls: int = 0
    items: int = 0
    last_at: str | None = None

    @property
    def bound(self) -> Scope:
        """The name of `scope` in version 0.1.0."""
        return self.scope


class HeldContext(NamedTuple):
    """The context that a conversation holds already."""

    passages: frozenset[str] = frozenset()  # ids of passages, or paths of whole files
    loaded: Mapping[str, Sequence[str]] = MappingProxyType({})  # by path: texts of notes that were loaded whole
    # By the ids of passages that were given unasked: the texts that were given of them, which may leave lines out.
    parts: Mapping[str, Sequence[str]] = MappingProxyType({})

    def joined(self, other: HeldContext) -> HeldContext:
        """Return both together. What either holds without a text, it holds whole."""
        parts = {
            id: (*self.parts.get(id, ()), *other.parts.get(id, ()))
            for id in {*self.parts, *other.parts}
            if all(id in one.parts for one in (self, other) if id in one.passages)
        }
        return HeldContext(self.passages | other.passages, {**self.loaded, **other.loaded}, parts)


class SessionTurn(NamedTuple):
    """How to answer a message of a conversation: the first one in full, later ones with what is new."""

    session: Session
    form: RecallForm
    scope: Scope
    held: HeldContext = HeldContext()  # nothing of it is given again
    begun: bool = True  # False: the record of this turn begins the session


class GivenItem(NamedTuple):
    """An item as it was given, and the feedback on it."""

    item: RecalledItem  # its text is empty if it was forgotten
    feedback: tuple[Feedback, ...] = ()
    forgotten: bool = False


class RecordedRecall(NamedTuple):
    """One block of context that was given."""

    number: int
    session: str
    at: str
    recalled: Recalled  # the block byte for byte, if `identical`
    given: tuple[GivenItem, ...]
    identical: bool = True
    altered: tuple[str, ...] = ()  # one sentence for each reason why the block differs
    unasked: bool = False  # it answered no message: the session began with it


class Use(NamedTuple):
    """One item that was given to a session."""

    item: str
    session: str
    recall: int
    at: str
    message: str
    feedback: tuple[Feedback, ...]


class Uses(NamedTuple):
    """The number of times that an item was given, with its feedback."""

    recalled: int = 0
    reinforced: int = 0
    demoted: int = 0
    corrected: int = 0
    unused: int = 0


# Shorter lines, such as a heading, may occur anywhere and do not count as forgotten text.
_TELLING = 24
_SHORTEST_WORD = 8  # letters; a shorter word alone, such as "Yes.", stands in texts that do not repeat it
_ENDS = " \t*_\"'“”„‚‘’«»()[].,;:!?…。、！？；："  # what may differ around the same words


def repeating(texts: Iterable[str]) -> Callable[[str], bool]:
    """Return a test whether a text repeats any of these texts or a line of one.

    Spaces, escapes, letter case and the marks around the words may differ. Context may hold a part of a forgotten
    text, or the text among others.
    """
    gone = [bare for one in texts if (bare := _bare(one))]
    folded = [one.casefold() for one in gone]
    held = [_holding(words) for one in gone if (words := _words(one))]

    def repeats(text: str) -> bool:
        if not text:
            return False
        bare = _bare(text)
        said = bare.casefold()
        # the text may be an excerpt
        lines = [_words(_bare(line).strip("-*#> ")) for line in text.replace("…", "\n").split("\n")]
        telling = [line for line in lines if len(line) >= _TELLING]
        return (
            any(one in bare for one in gone)
            or any(is_held(said) for is_held in held)
            or any(line in one for one in folded for line in telling)
        )

    return repeats


def _words(bare: str) -> str:
    return bare.casefold().strip(_ENDS)


def _holding(words: str) -> Callable[[str], bool]:
    """Return a test whether a text holds these words, and not as a part of longer words."""
    import re

    from memoro.model.words import UNSPACED

    if len(words) < _SHORTEST_WORD and re.fullmatch(rf"[^\W\d{UNSPACED}]+", words):
        return lambda text: text.strip(_ENDS) == words
    letter = rf"[^\W{UNSPACED}]"
    whole = re.compile(f"(?<!{letter}){re.escape(words)}(?!{letter})")
    return lambda text: words in text and whole.search(text) is not None


def _bare(text: str) -> str:
    """Return the text without escapes of a fence, and without invisible characters, which a prompt drops."""
    import re
    from unicodedata import category

    if "\\" in text:
        plain = re.sub(r"\\u([0-9a-fA-F]{4})", lambda found: chr(int(found[1], 16)), text)
        text = re.sub(r"\\[nrtbf]", " ", plain).replace("\\", "")
    if not text.isascii():
        # joins surrogate halves that were escaped apart
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        # by the few distinct characters: a forgetting reads all that was ever given, letter by letter
        if invisible := {one for one in set(text) if category(one) == "Cf"}:
            text = text.translate(dict.fromkeys(map(ord, invisible)))
    return " ".join(re.sub(r"[\x00-\x1f]", " ", text).split())
