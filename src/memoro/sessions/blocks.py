"""A block taken apart into what many blocks share, and put together again to the byte."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

# A longer piece that is no item's, such as an always-loaded file, is kept once for all blocks that hold it.
LONG = 200
FORGOTTEN = "(forgotten)"  # stands where something was; it needs no escaping in any form of block
# How a text may stand in a block. The record names the way, so that it outlives a change of how blocks are made.
_ENCODINGS: dict[str, Callable[[str], str]] = {
    "fence": lambda text: json.dumps(text, ensure_ascii=False)[1:-1].replace("<", "\\u003c"),
    "json": lambda text: json.dumps(text, ensure_ascii=False)[1:-1],
    "plain": lambda text: text,
    "ascii": lambda text: json.dumps(text)[1:-1],
}

# Of a block: a piece of text, the boundary (None), or where an item's text stands and in which encoding.
Part = str | None | tuple[int, str]


def taken_apart(block: str, boundary: str, texts: Sequence[str]) -> list[Part]:
    """The block without the texts of its items and without its boundary, as far as they are found in it."""
    parts: list[Part] = [block]
    last = 0
    for number, text in enumerate(texts):
        last = _take_out(parts, number, text, last) or _take_out(parts, number, text, 0) or last
    return _without_boundary(parts, boundary) if boundary else parts


def _take_out(parts: list[Part], number: int, text: str, begin: int) -> int | None:
    """Put an item in the place of its text, the first from a part on; the part after it."""
    for place in range(begin, len(parts)):
        piece = parts[place]
        if isinstance(piece, str) and text:
            for name, encode in _ENCODINGS.items():
                before, found, after = piece.partition(encode(text))
                if found:
                    parts[place : place + 1] = [before, (number, name), after]
                    return place + 2
    return None


def _without_boundary(parts: Sequence[Part], boundary: str) -> list[Part]:
    split: list[Part] = []
    for part in parts:
        if not isinstance(part, str):
            split.append(part)
            continue
        pieces = part.split(boundary)
        split.append(pieces[0])
        for piece in pieces[1:]:
            split += [None, piece]
    return [part for part in split if part != ""]


def put_together(parts: Sequence[Part], boundary: str, texts: Sequence[str | None]) -> str:
    """The block again; where a text was forgotten, that is said in its place."""
    pieces = []
    for part in parts:
        if part is None:
            pieces.append(boundary)
        elif isinstance(part, str):
            pieces.append(part)
        else:
            text = texts[part[0]]
            pieces.append(FORGOTTEN if text is None else _ENCODINGS[part[1]](text))
    return "".join(pieces)


def to_json(parts: Sequence[Part], keep: Callable[[str], str]) -> list[Any]:
    """The parts for a database, which keeps long pieces elsewhere."""
    return [{"content": keep(part)} if isinstance(part, str) and len(part) > LONG else part for part in parts]


def from_json(parts: Sequence[Any], kept: Callable[[str], str | None]) -> tuple[list[Part], bool]:
    """The parts, and whether none of them has been forgotten."""
    found: list[Part] = []
    whole = True
    for part in parts:
        if isinstance(part, dict):
            piece = kept(part["content"]) if part["content"] else None
            whole = whole and piece is not None
            found.append(FORGOTTEN if piece is None else piece)
        else:
            found.append((int(part[0]), str(part[1])) if isinstance(part, list) else part)
    return found, whole
