"""Memories that helped together, as a picture: a tree from the left to the right, the same for the same links."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

NODE_WIDTH, NODE_HEIGHT = 220.0, 56.0
_GAP, _BETWEEN = 14.0, 60.0  # below a node; between two columns
_MARGIN = 4.0  # for the outline of what has the focus
_MOST_NEAR, _MOST_FAR = 8, 4  # neighbours of the memory itself, and of each of those
_LINE = 29  # narrow characters that fit into a node


class LinkedMemory(NamedTuple):
    """A memory, and those that are linked with it."""

    number: int
    text: str
    strength: float = 1.0  # of the link that led here
    linked: tuple[LinkedMemory, ...] = ()


class PictureNode(NamedTuple):
    number: int
    x: float
    y: float
    lines: tuple[str, ...]  # its words, as far as they fit
    text: str  # all of them
    depth: int


class PictureEdge(NamedTuple):
    x1: float
    y1: float
    x2: float
    y2: float
    width: float
    strength: float


class LinkPicture(NamedTuple):
    width: float
    height: float
    nodes: tuple[PictureNode, ...]
    edges: tuple[PictureEdge, ...]
    left_out: int  # memories for which there is no room; a list beside the picture has them


class _Laid(NamedTuple):
    """A memory and what is linked with it, placed."""

    nodes: tuple[PictureNode, ...]  # the memory itself first
    edges: tuple[PictureEdge, ...]
    height: float
    middle: float  # of the memory itself


def link_picture(root: LinkedMemory) -> LinkPicture:
    """Place a memory, its neighbours and theirs, so that no two overlap and all lie within the frame."""
    shown = root._replace(
        linked=tuple(one._replace(linked=_ends(one.linked[:_MOST_FAR])) for one in root.linked[:_MOST_NEAR])
    )
    laid = _laid_out(shown, 0, _MARGIN)
    depth = max(node.depth for node in laid.nodes)
    return LinkPicture(
        width=2 * _MARGIN + (depth + 1) * NODE_WIDTH + depth * _BETWEEN,
        height=2 * _MARGIN + laid.height,
        nodes=laid.nodes,
        edges=laid.edges,
        left_out=_count(root) - _count(shown),
    )


def _ends(linked: Sequence[LinkedMemory]) -> tuple[LinkedMemory, ...]:
    return tuple(one._replace(linked=()) for one in linked)


def _count(one: LinkedMemory) -> int:
    return 1 + sum(map(_count, one.linked))


def _laid_out(one: LinkedMemory, depth: int, top: float) -> _Laid:
    """Place a memory from `top` downwards, in the middle beside what is linked with it."""
    laid: list[_Laid] = []
    below = top
    for other in one.linked:
        laid.append(_laid_out(other, depth + 1, below))
        below += laid[-1].height + _GAP
    height = max(NODE_HEIGHT, below - _GAP - top)
    middle, x = top + height / 2, _MARGIN + depth * (NODE_WIDTH + _BETWEEN)
    node = PictureNode(
        number=one.number, x=x, y=middle - NODE_HEIGHT / 2, lines=fitted(one.text), text=one.text, depth=depth
    )
    edges = [
        PictureEdge(
            x1=x + NODE_WIDTH,
            y1=middle,
            x2=x + NODE_WIDTH + _BETWEEN,
            y2=child.middle,
            width=round(1 + min(max(other.strength, 0.0), 4.0), 2),
            strength=other.strength,
        )
        for other, child in zip(one.linked, laid, strict=True)
    ]
    return _Laid(
        nodes=(node, *(inner for child in laid for inner in child.nodes)),
        edges=(*edges, *(inner for child in laid for inner in child.edges)),
        height=height,
        middle=middle,
    )


def fitted(text: str) -> tuple[str, ...]:
    """The first words of a text in at most two lines; the second ends with an ellipsis where there is more."""
    first, rest = _cut(" ".join(text.split()))
    if not rest:
        return (first,)
    second, more = _cut(rest)
    return (first, f"{_cut(second, _LINE - 1)[0]}…" if more else second)


def _cut(text: str, room: int = _LINE) -> tuple[str, str]:
    """As much of a text as fits into a line, if possible whole words, and the rest."""
    used = 0
    for place, one in enumerate(text):
        used += 2 if unicodedata.east_asian_width(one) in "WF" else 1
        if used > room:
            space = text.rfind(" ", 0, place + 1)
            end = space if space > place // 2 else place
            return text[:end], text[end:].lstrip()
    return text, ""
