"""What a task makes or touches, and what a rule is about: topics, known by their words."""

from functools import cache
from typing import NamedTuple

from memoro.model.life_topics import LIFE_TOPICS
from memoro.model.phrases import compiled
from memoro.model.remembered import remembered
from memoro.model.software_topics import SOFTWARE_TOPICS
from memoro.model.tool_topics import TOOL_TOPICS
from memoro.model.topics_in_other_languages import OTHER_LANGUAGES
from memoro.model.words import is_unspaced

_WORD = r"[^\W_](?:[\w+#'’-]*[\w+#])?"
_PARTS = r"[_'’-]+"


class _Tables(NamedTuple):
    """The words of all topics, by how they are compared, and what follows from a topic."""

    whole: dict[str, frozenset[str]]
    beginnings: dict[str, frozenset[str]]
    endings: dict[str, frozenset[str]]
    phrases: dict[str, frozenset[str]]
    unspaced: dict[str, frozenset[str]]  # words of scripts without spaces
    broader: dict[str, tuple[str, ...]]
    broad: frozenset[str]
    software: frozenset[str]


@cache
def _tables() -> _Tables:
    words: dict[str, set[str]] = {}
    broader: dict[str, tuple[str, ...]] = {}
    broad: set[str] = set()
    for entry in (
        *_entries(SOFTWARE_TOPICS),
        *_entries(TOOL_TOPICS),
        *_entries(LIFE_TOPICS),
        *_entries(OTHER_LANGUAGES),
    ):
        head, _, listed = entry.partition(": ")
        named, _, above = head.partition(" < ")
        name = named.rstrip("!")
        broader.setdefault(name, tuple(above.split(", ")) if above else ())
        broad |= {name} if named.endswith("!") else set()
        for word in listed.split(", "):
            words.setdefault(word, set()).add(name)
    frozen = {word: frozenset(names) for word, names in words.items()}
    return _Tables(
        whole={word: names for word, names in frozen.items() if " " not in word and "*" not in word},
        beginnings={word[:-1]: names for word, names in frozen.items() if " " not in word and word.endswith("*")},
        endings={word[1:]: names for word, names in frozen.items() if " " not in word and word.startswith("*")},
        # A dot ends a word: "moment.js" is two.
        phrases={word.rstrip("*"): names for word, names in frozen.items() if " " in word or "." in word},
        unspaced={word: names for word, names in frozen.items() if is_unspaced(word)},
        broader=broader,
        broad=frozenset(broad),
        software=frozenset(
            entry.partition(": ")[0].partition(" < ")[0].rstrip("!")
            for entry in (*_entries(SOFTWARE_TOPICS), *_entries(TOOL_TOPICS))
        ),
    )


def _entries(table: str) -> list[str]:
    return table.strip().replace("\n    ", " ").split("\n")


def software_topics() -> frozenset[str]:
    """The topics of software and data."""
    return _tables().software


def broad_topics() -> frozenset[str]:
    """The topics that many tasks have, and that say little by themselves."""
    return _tables().broad


@remembered(1024)  # 8 KB each: messages are long
def topics_of(text: str) -> frozenset[str]:
    """The topics whose words a text holds, without the broader ones that follow from them."""
    lower = f" {' '.join(text.lower().split())} "
    found: set[str] = set()
    for phrase, names in _tables().phrases.items():
        if f" {phrase}" in lower:
            found |= names
            lower = lower.replace(f" {phrase}", " ")  # a merge request is no request
    if not lower.isascii():
        found.update(*(names for word, names in _tables().unspaced.items() if word in lower))
    words = {part for word in compiled(_WORD, 0).findall(lower) for part in (word, *compiled(_PARTS, 0).split(word))}
    return frozenset(found.union(*map(_topics_of_word, words)))


@remembered(2048)
def broader_than(topics: frozenset[str]) -> frozenset[str]:
    """The topics that follow from these and are not among them."""
    broader = _tables().broader
    found: set[str] = set()
    waiting = list(topics)
    while waiting:
        above = [name for name in broader[waiting.pop()] if name not in found]
        found.update(above)
        waiting += above
    return frozenset(found - topics)


@remembered(16_384)
def _topics_of_word(word: str) -> frozenset[str]:
    tables = _tables()
    found = set(tables.whole.get(word, ()))
    for length in range(2, len(word) + 1):
        found |= tables.beginnings.get(word[:length], frozenset())
        found |= tables.endings.get(word[-length:], frozenset())
    return frozenset(found)
