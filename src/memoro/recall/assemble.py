"""A whole prompt: what is always loaded, what is relevant to the message, the day, and hints, each within its cap."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from memoro.model.recall import LeftOut, Recalled, RecalledItem, Section
from memoro.model.tokens import quarters, tokens, whole
from memoro.model.vocabulary import Trust
from memoro.recall import fence
from memoro.recall.answer import Chosen
from memoro.recall.pages import DAILY, LOADED, Page, Pages

RELEVANT, HINTS = "relevant", "hints"
SECTIONS = (*LOADED, RELEVANT, DAILY, HINTS)
# Tokens of each section beside the relevant one, which takes what `recall.budget` says. An always-loaded file that
# needs more is too long to be loaded always.
CAPS = {"procedural": 1000, "semantic": 1000, "pinned": 500, DAILY: 500, HINTS: 250}
_BEGINS = re.compile(r"(?:#{1,6} |[-*+] |\d+[.)] )")


class Hint(NamedTuple):
    """What helped before, in a sentence."""

    id: str
    text: str
    trust: Trust | None = None


There = Mapping[str, tuple[int, int]]  # by path, the lines that the prompt holds already


def caps(relevant: int, budget: int | None) -> dict[str, int]:
    """What each section may take: as agreed, or all of them in proportion, so that they fit into the budget."""
    agreed = {section: CAPS.get(section, relevant) for section in SECTIONS}
    if budget is None:
        return agreed
    total = sum(agreed.values())
    return {section: cap * budget // total for section, cap in agreed.items()}


class _Filled(NamedTuple):
    items: list[RecalledItem]
    left_out: list[LeftOut]


def assemble(
    message: str,
    pages: Pages,
    hints: Sequence[Hint],
    caps: Mapping[str, int],
    choose: Callable[[int, There], Chosen],
    clean: Callable[[str], str],
    draw: Callable[[], str],
) -> Recalled:
    """The prompt for a message. `choose` gives what is relevant, in so much room and beside what is there."""
    limit = sum(caps.values())
    filled, caps = _loaded(pages, caps, clean, is_asked=bool(message.strip()))
    there = {item.path: (item.start_line, item.end_line) for one in filled.values() for item in one.items}
    room = 4 * caps[RELEVANT] - fence.fence_quarters(fence.PROMPT_PREFACE) - quarters(fence.label(RELEVANT))
    chosen = choose(room, there)
    filled[RELEVANT] = _Filled(list(chosen.packed.items), list(chosen.packed.left_out))
    filled[HINTS] = _hinted(hints, 4 * caps[HINTS], clean)
    _keep_within(limit, filled)
    sections, items, left_out = [], [], []
    for name in SECTIONS:
        own = filled.get(name, _Filled([], []))
        sections.append(Section(name, caps[name], _taken(name, own), len(own.items)))
        items += own.items
        left_out += own.left_out
    left_out += [LeftOut(path, why) for path, why in pages.missing]
    boundary = fence.fresh_boundary(fence.body(items, sections), draw) if items else ""
    block = fence.block(items, boundary, sections)
    return Recalled(
        message, "prompt", block, boundary, tokens(block), tuple(items), tuple(left_out), chosen.degraded, 0.0,
        tuple(sections),
    )  # fmt: skip


def _loaded(
    pages: Pages, caps: Mapping[str, int], clean: Callable[[str], str], *, is_asked: bool
) -> tuple[dict[str, _Filled], dict[str, int]]:
    """What is always loaded, and the caps: room that nobody needs goes to what was cut, up to what is agreed."""
    caps, marks = dict(caps), whole(fence.fence_quarters(fence.PROMPT_PREFACE))
    filled: dict[str, _Filled] = {page.section: fill(page, 4 * caps[page.section], clean) for page in pages.found}
    spare = sum(caps[name] - _taken(name, filled.get(name)) for name in (*LOADED, DAILY)) - marks
    if is_asked:
        spare += min(marks, caps[RELEVANT])  # which bears the marks
    else:
        spare += caps.pop(RELEVANT) + caps.pop(HINTS)
        caps |= {RELEVANT: 0, HINTS: 0}
    for page in pages.found:
        name, taken = page.section, _taken(page.section, filled[page.section])
        cap = min(CAPS[name], taken + spare)
        if filled[name].left_out and cap > caps[name]:
            filled[name] = fill(page, 4 * cap, clean)
            caps[name] = max(caps[name], _taken(name, filled[name]))
            spare -= _taken(name, filled[name]) - taken
    return filled, caps


def _keep_within(limit: int, filled: Mapping[str, _Filled]) -> None:
    """Drop the last items while all is too much: the fence may be more than its share of a small budget."""
    why = f"beyond the {limit} tokens of all"
    for name in reversed(SECTIONS):
        while name in filled and filled[name].items and _all(filled) > limit:
            filled[name].left_out.append(LeftOut(filled[name].items.pop().id, why))


def _all(filled: Mapping[str, _Filled]) -> int:
    held = [name for name in SECTIONS if name in filled and filled[name].items]
    body = fence.body(
        [item for name in held for item in filled[name].items],
        [Section(name, 0, 0, len(filled[name].items)) for name in held],
    )
    return whole(fence.fence_quarters(fence.PROMPT_PREFACE) + quarters(body))


def _taken(section: str, filled: _Filled | None) -> int:
    if not filled or not filled.items:
        return 0
    return whole(quarters(fence.label(section) + "".join(map(fence.record, _records(filled.items)))))


def _records(items: Sequence[RecalledItem]) -> Iterator[list[RecalledItem]]:
    from itertools import groupby

    for _, group in groupby(items, fence.head):
        yield list(group)


def fill(page: Page, room: int, clean: Callable[[str], str]) -> _Filled:
    """As many whole entries as there is room for: the first of a file, of a day the last."""
    lines = clean("\n".join(page.lines)).split("\n")
    if len(lines) < len(page.lines):  # a secret of several lines was taken out: the last line keeps its number
        lines += [""] * (len(page.lines) - len(lines))
    widest = _item(page, page.first + len(lines), page.first + len(lines) + 1, "")
    left = room - quarters(fence.label(page.section) + fence.record([widest]))
    entries = _entries(lines)
    kept: list[tuple[int, int]] = []
    for first, last in reversed(entries) if page.section == DAILY else entries:
        left -= sum(quarters(fence.quoted(line)) for line in lines[first:last])
        if left < 0:
            break
        kept.append((first, last))
    while kept and len(kept) < len(entries) and page.section != DAILY and lines[kept[-1][0]].startswith("#"):
        kept.pop()  # a heading says nothing without what stands below it
    cut = [entry for entry in entries if entry not in kept]
    why = f"beyond the {whole(room)} tokens of {page.section}"
    dropped = [LeftOut(_place(page, cut[0][0], cut[-1][1]), why)] if cut else []
    if not kept:
        return _Filled([], dropped)
    first, last = min(kept)[0], max(kept)[1]
    item = _item(page, page.first + first, page.first + last - 1, "\n".join(lines[first:last]))
    return _Filled(fence.weighed([item]), dropped)


def _place(page: Page, first: int, last: int) -> str:
    return f"{page.path}:{fence.lines(page.first + first, page.first + last - 1)}"


def _item(page: Page, first: int, last: int, text: str) -> RecalledItem:
    return RecalledItem(
        id=f"{page.path}:{fence.lines(first, last)}",
        kind="note",
        tier=page.section,
        path=page.path,
        start_line=first,
        end_line=last,
        heading=(),
        date=page.date,
        trust=None,
        score=1.0,
        tokens=0,
        text=text,
    )


def _entries(lines: Sequence[str]) -> list[tuple[int, int]]:
    """Where entries begin and end: at headings, bullets and blank lines, so that none is cut in two."""
    starts = [
        at
        for at, line in enumerate(lines)
        if at == 0 or _BEGINS.match(line) or (line.strip() and not lines[at - 1].strip())
    ]
    return list(zip(starts, [*starts[1:], len(lines)], strict=True))


def _hinted(hints: Sequence[Hint], room: int, clean: Callable[[str], str]) -> _Filled:
    filled = _Filled([], [])
    left = room - quarters(fence.label(HINTS))
    for hint in hints:
        text = clean(hint.text)
        item = RecalledItem(
            hint.id, "experience", "experience", hint.id, 1, text.count("\n") + 1, (), None, hint.trust, 1.0, 0, text,
            passages=(hint.id,),
        )  # fmt: skip
        cost = quarters(fence.record([item]))
        if cost <= left:
            left -= cost
            filled.items.extend(fence.weighed([item]))
        else:
            filled.left_out.append(LeftOut(hint.id, f"beyond the {whole(room)} tokens of {HINTS}"))
    return filled
