"""Cut a text to the sentences that matter for a message. Pure, but for the function that finds stems."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple

from memoro.model.given_text import CUT
from memoro.model.reasons import gives_reason
from memoro.model.tokens import quarters

# A sentence ends at a mark before a space and a capital, a digit, a quote or code: "e.g. this" and "v1. 2" go on.
_SENTENCE = re.compile(r"(?<=[.!?;])\s+(?=[\"'“„(`*\[]*[A-Z0-9ÄÖÜÀ-Þ])|(?<=[。！？；])")
_UNSPACED_ENDS = ("。", "！", "？", "；")
_FENCE = re.compile(r"^\s*(?:```|~~~)")
_HEADING = re.compile(r"#{1,6} ")
_LIST = re.compile(r"\s*(?:[-*+]|\d+[.)])\s")
_SHORT_CODE = 3  # lines of code that may stay
_FIRST = 0.16  # what the first sentence is worth by itself, in shares of the message
_FALL = 0.04  # by which each next one is worth less
_ANSWERS = 0.25  # what the kind of thing that is asked for is worth
_LIST_OF = 2  # points make a list
_MOST = 0.6  # of what the message says
_NEXT = 0.12  # what a sentence after a chosen one is worth: it may go on with it


class Piece(NamedTuple):
    """A sentence, or a line of a list or of code."""

    text: str
    line: int  # of the text, from 0
    code: int = 0  # the number of its block of code, from 1


class WantedSentences(NamedTuple):
    """What is wanted of a text: words of the message, and the kind of thing that it asks for."""

    information: Mapping[str, float]  # of each stem of the message
    stems: Callable[[str], Collection[str]]
    answers: Callable[[str], bool]

    def share(self, text: str) -> float:
        """Return the share of the message's information that a text holds, with a part for what is asked for."""
        return self.held(text) / (sum(self.information.values()) or 1.0) + (_ANSWERS if self.answers(text) else 0.0)

    def held(self, text: str) -> float:
        """Return how much of the message's information a text holds."""
        own = self.stems(text)
        return sum(value for stem, value in self.information.items() if stem in own)


def shortened(text: str, limit: int, wanted: WantedSentences) -> str:
    """Return the text, or the sentences of it that say most for the message within `limit` tokens."""
    return shortened_together([text], limit, wanted)[0]


def shortened_together(texts: Sequence[str], limit: int, wanted: WantedSentences) -> list[str]:
    """Return each text cut so that all of them fit into `limit` tokens; empty where a text says too little.

    The best sentence stays even if it is longer than the limit, up to twice as long.
    """
    texts = [text.strip() for text in texts]
    if sum(map(quarters, texts)) <= 4 * limit and not any("```" in text for text in texts):
        return list(texts)
    found = [pieces(text) for text in texts]
    worths: list[_Worth] = []
    for number, own in enumerate(found):
        shares = [wanted.share(piece.text) for piece in own]
        for place, worth in enumerate(_worths(own, shares)):
            worths.append(_Worth(worth=worth, text=number, place=place, cost=quarters(own[place].text) + 4))
    chosen = _chosen(worths, 4 * limit)
    return [
        _joined(own, [one.place for one in chosen if one.text == number], 8 * limit)
        for number, own in enumerate(found)
    ]


def to_the_point(text: str, headings: Sequence[str], wanted: WantedSentences) -> str:
    """Return the text without the points of a list that share nothing with the message, where another answers it.

    Such a point may have been replaced long ago, and nothing newer is looked for: the message is not about it. Below
    a heading that shares a word with the message, all points are about it.
    """
    blocks = _points(text)
    shares = [wanted.share(block) for block in blocks if _LIST.match(block)]
    if len(shares) < _LIST_OF or min(shares) > 0 or wanted.share(" ".join(headings)) > 0:
        return text
    if not any(_holds_most(block, wanted) for block in blocks if _LIST.match(block)):
        return text
    kept = [one for one in blocks if not _LIST.match(one) or wanted.share(one) > 0 or gives_reason(one)]
    return "\n".join(kept) + ("" if kept[-1] == blocks[-1] else f" {CUT}")


def _points(text: str) -> list[str]:
    """Split a text before each point of a list that is not indented, and before each paragraph; no text with code."""
    blocks: list[str] = []
    if "```" in text or "~~~" in text:
        return [text]
    is_after_blank = True
    for line in text.split("\n"):
        begins = _LIST.match(line) or is_after_blank
        if (begins and not line.startswith((" ", "\t"))) or not blocks:
            blocks.append(line)
        else:
            blocks[-1] += f"\n{line}"
        is_after_blank = not line.strip()
    return blocks


def _holds_most(text: str, wanted: WantedSentences) -> bool:
    """Return whether a text holds most of what the message says, and more than one word of it."""
    own = wanted.stems(text)
    held = [value for stem, value in wanted.information.items() if stem in own]
    return len(held) > 1 and sum(held) >= _MOST * sum(wanted.information.values())


class _Worth(NamedTuple):
    """What a piece is worth, and its place among the pieces of one of the texts."""

    worth: float
    text: int
    place: int
    cost: int  # in quarters of a token


def pieces(text: str) -> list[Piece]:
    """Split a text into sentences, lines of lists, and lines of code."""
    found: list[Piece] = []
    block, is_code = 0, False
    for number, line in enumerate(text.split("\n")):
        if _FENCE.match(line):
            is_code = not is_code
            block += is_code
        elif _HEADING.match(line):
            pass  # the record says below which heading a passage stands
        elif is_code:
            found += [Piece(line.rstrip(), number, block)] if line.strip() else []
        else:
            found += [Piece(part.strip(), number) for part in _SENTENCE.split(line) if part.strip()]
    return found


def _worths(found: Sequence[Piece], shares: Sequence[float]) -> list[float]:
    """What each piece is worth: by its words, by standing first, and by following one that is worth something."""
    sizes: dict[int, int] = {}
    for piece in found:
        sizes[piece.code] = sizes.get(piece.code, 0) + 1
    worths: list[float] = []
    for n, piece in enumerate(found):
        is_long_code = piece.code > 0 and sizes[piece.code] > _SHORT_CODE
        worth = shares[n] + max(_FIRST - n * _FALL, _NEXT if n and shares[n - 1] > 0 else 0.0)
        worths.append(0.0 if is_long_code else worth)
    return worths


def _chosen(worths: Sequence[_Worth], room: int) -> list[_Worth]:
    """The pieces worth most that fit, in the order of the texts; the best one always.

    Where there is nothing but long code, it is the answer, and its first lines stay.
    """
    chosen: list[_Worth] = []
    is_all_code = not any(one.worth > 0 for one in worths)
    for one in sorted(worths, key=lambda one: (-one.worth, one.text, one.place)):
        if (one.worth > 0 or is_all_code) and (one.cost <= room or not chosen):
            chosen.append(one)
            room -= one.cost
    return sorted(chosen, key=lambda one: (one.text, one.place))


def _joined(found: Sequence[Piece], chosen: Sequence[int], most: int) -> str:
    if not chosen:
        return ""
    parts: list[str] = []
    for before, n in zip([-1, *chosen], chosen, strict=False):
        is_same_line = bool(parts) and found[n].line == found[before].line
        is_item = not is_same_line and _LIST.match(found[n].text)
        gap = f"{CUT} " if n != before + 1 and not is_item else ""
        space = "" if found[before].text.endswith(_UNSPACED_ENDS) and not gap else " "
        joint = "" if not parts else space if is_same_line else "\n"
        parts.append(f"{joint}{gap}{_clipped(found[n].text, most)}")
    tail = f" {CUT}" if chosen[-1] != len(found) - 1 else ""
    return "".join(parts) + tail


def _clipped(text: str, most: int) -> str:
    """A sentence, or its beginning up to a word if it is longer than so many quarters of a token."""
    if quarters(text) <= most:
        return text
    flat = text
    while quarters(flat) > most - 4:
        flat = flat[: len(flat) * 9 // 10]
    return f"{flat.rpartition(' ')[0] or flat} {CUT}"
