"""Split messages into sentences, and find the words that carry their topic."""

from __future__ import annotations

import re
from typing import NamedTuple

from memoro.model.remembered import remembered
from memoro.model.sentence_ends import split_sentences
from memoro.model.words import STOP_WORDS, UNSPACED, is_unspaced, pairs
from memoro.transcripts.clean import clean

_CODE = re.compile(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1[ \t]*$|\Z)", re.DOTALL | re.MULTILINE)
_ITEM = re.compile(r"^\s*(?:[-*+•]|\(?(?:\d{1,2}|[A-Za-z])[.)])\s+(?=\S)|^\s*(?:Option|Variant)\s+\w+[:.)]\s*")
_QUOTED = re.compile(r"^(?:#{1,6} |[> ]+)")
_WORD = re.compile(rf"[{UNSPACED}]+|[^\W_]+(?:['’.,:/_-]?[^\W_]+)*", re.UNICODE)
_PATH = re.compile(
    r"(?<![\w/.@~-])(?:[\w.@~-]+/)+[\w.@-]+|(?<![\w/.@~-])[\w-]+\.(?:[a-z]{1,4}|json|yaml|toml)\b(?![\w(])"
)

_MOST_OF_A_CALL = 2_000  # characters: later text is content, in which paths mean nothing

# Words that hold a sentence together, in the languages whose cues are known.
_SMALL = frozenset(
    word
    for line in (
        "der die das den dem des ein eine einen einem einer und oder aber ist sind war wir ich du ihr sie es nicht",
        "kein keine mit von zum zur für auf aus bei nach im am an so dann auch noch nur schon haben hat wird werden",
        "bis dass wie was wenn le la les un une des du de et ou mais est sont nous vous je tu il elle on ne pas avec",
        "pour par sur dans au aux que qui ce cette faut alors el los las y o pero es son con por para en al del se",
        "lo una no sí si más muy ok okay yes yeah please thanks thank oh hmm well really maybe also even want need",
        "like take go let's it's i'd i'll we'll don't that's there's i'm we're you're can't",
    )
    for word in line.split()
)


class Sentence(NamedTuple):
    text: str
    item: int | None = None  # its number in a list, from 1


def sentences(text: str) -> list[Sentence]:
    """Return the sentences of a message without code, and without text that hosts and Memoro inserted."""
    found: list[Sentence] = []
    number = 0
    for line in _CODE.sub("\n", clean(text)).split("\n"):
        marker = _ITEM.match(line)
        number = number + 1 if marker else 0 if line.strip() else number
        bare = line[marker.end() :] if marker else _QUOTED.sub("", line)
        if marker:
            found.append(Sentence(bare.strip(), number))
        else:
            found += [Sentence(one) for one in split_sentences(bare)]
    return [one for one in found if re.search(r"\w", one.text)]


@remembered(4096)
def words(text: str) -> frozenset[str]:
    """Return the topic words of a text as stems, for comparison with another text."""
    found: set[str] = set()
    for word in _WORD.findall(text.lower()):
        if is_unspaced(word):
            found.update(pairs(word, ends=False))
        elif word not in STOP_WORDS and word not in _SMALL and (len(word) > 1 or word.isdigit()):
            found.add(stem(word))
    return frozenset(found)


def stem(word: str) -> str:
    """Return a rough stem that matches `booked` with `books`; it is never shown."""
    for end in ("'s", "’s", "ing", "ed", "es", "s", "e", "en"):
        if word.endswith(end) and len(word) - len(end) >= 3 and not word[0].isdigit():
            return word[: -len(end)]
    return word


def paths(text: str) -> list[str]:
    return list(dict.fromkeys(_PATH.findall(text[:_MOST_OF_A_CALL])))


def shortened(text: str, limit: int) -> str:
    """Return at most `limit` characters, cut at the end of a word."""
    if len(text) <= limit:
        return text
    cut = text[: limit - 1]
    space = cut.rfind(" ", limit // 2)
    return f"{cut[: space if space > 0 else limit - 1].rstrip(' ,;:')}…"


def alike(one: frozenset[str], other: frozenset[str]) -> float:
    """Return the share of the smaller set that the other contains."""
    smaller = min(len(one), len(other))
    return len(one & other) / smaller if smaller else 0.0
