"""Assemble a prompt: always-loaded notes, where the work was left, relevant passages, today's note and hints."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from memoro.model.recall import LeftOut, Recalled, RecalledItem, Section
from memoro.model.tokens import quarters, tokens, whole
from memoro.model.vocabulary import Trust
from memoro.recall import fence
from memoro.recall.always_loaded import DAILY, LOADED, AlwaysLoaded, LoadedNote
from memoro.recall.answer import Chosen

LEFT_OFF, RELEVANT, HINTS = "where we left off", "relevant", "hints"
SECTIONS = (*LOADED, RELEVANT, DAILY, HINTS)  # of every prompt
_ORDER = (*LOADED, LEFT_OFF, RELEVANT, DAILY, HINTS)  # of one with which a session starts
# Tokens of each section beside the relevant one, which takes what `recall.budget` says. An always-loaded file that
# needs more is too long to be loaded always.
CAPS = {"procedural": 1000, "semantic": 1000, "pinned": 500, DAILY: 500, HINTS: 250}
LEFT_OFF_CAP = 320  # whatever the budget is: sessions are cut to 300 tokens before
_HEADING = re.compile(r"#{1,6} ")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_BEGINS = re.compile(r"(?:#{1,6} |[-*+] |\d+[.)] )")


class PromptHint(NamedTuple):
    """An experience that may help, in a sentence."""

    id: str
    text: str
    trust: Trust | None = None


Clean = Callable[[str], str]  # how a text is shown, with as many lines
There = Mapping[str, tuple[int, int]]  # by path, the lines that the prompt holds already


def caps(relevant: int, budget: int | None, left_off: int = 0) -> dict[str, int]:
    """Return the token cap of each section, scaled down in proportion to fit the budget.

    `left_off` tokens are kept for where the work was left.
    """
    agreed = {section: CAPS.get(section, relevant) for section in SECTIONS}
    if budget is not None:
        total, left_off = sum(agreed.values()), min(left_off, budget // 2)
        agreed = {section: cap * (budget - left_off) // total for section, cap in agreed.items()}
    return {**agreed, LEFT_OFF: left_off} if left_off else agreed


class Filled(NamedTuple):
    """The items of one section, and what had no room in it."""

    items: list[RecalledItem]
    left_out: list[LeftOut]


def fill_left_off(items: Sequence[RecalledItem], cap: int, clean: Clean) -> Filled:
    """As many of these sessions as there are tokens for, the last one first."""
    filled = Filled([], [])
    left = 4 * cap - quarters(fence.label(LEFT_OFF))
    for item in fence.weighed([one._replace(text=clean(one.text)) for one in items]):
        left -= 4 * item.tokens
        if left >= 0:
            filled.items.append(item)
        else:
            filled.left_out.append(LeftOut(item.id, f"beyond the {cap} tokens of {LEFT_OFF}"))
    return filled


class PromptStart(NamedTuple):
    """A prompt that holds the always-loaded notes, before anything relevant to the message is chosen."""

    filled: dict[str, Filled]
    caps: dict[str, int]
    limit: int  # tokens of the whole prompt
    missing: tuple[LeftOut, ...]

    @property
    def there(self) -> There:
        return {item.path: (item.start_line, item.end_line) for one in self.filled.values() for item in one.items}

    @property
    def room(self) -> int:
        """Quarters of a token for what is relevant."""
        marks = fence.fence_quarters(fence.PROMPT_PREFACE) + quarters(fence.label(RELEVANT))
        return 4 * self.caps[RELEVANT] - marks


def load(notes: AlwaysLoaded, caps: Mapping[str, int], clean: Clean, *, is_asked: bool) -> PromptStart:
    """Fill the sections of the always-loaded notes; room that nobody needs goes to what was cut, up to its cap."""
    limit, caps, marks = sum(caps.values()), dict(caps), whole(fence.fence_quarters(fence.PROMPT_PREFACE))
    filled: dict[str, Filled] = {note.section: fill(note, 4 * caps[note.section], clean) for note in notes.found}
    spare = sum(caps[name] - _taken(name, filled.get(name)) for name in (*LOADED, DAILY)) - marks
    if is_asked:
        spare += min(marks, caps[RELEVANT])  # which bears the marks
    else:
        spare += caps.pop(RELEVANT) + caps.pop(HINTS)
        caps |= {RELEVANT: 0, HINTS: 0}
    for note in notes.found:
        name, taken = note.section, _taken(note.section, filled[note.section])
        cap = min(CAPS[name], taken + spare)
        if filled[name].left_out and cap > caps[name]:
            filled[name] = fill(note, 4 * cap, clean)
            caps[name] = max(caps[name], _taken(name, filled[name]))
            spare -= _taken(name, filled[name]) - taken
    missing = tuple(LeftOut(path, why) for path, why in notes.missing)
    return PromptStart(filled=filled, caps=caps, limit=limit, missing=missing)


def assemble(message: str, loaded: PromptStart, chosen: Chosen, hints: Filled, draw: Callable[[], str]) -> Recalled:
    """The prompt for a message: the loaded notes, what was chosen for it, and hints. `draw` draws a boundary."""
    filled = {**loaded.filled, RELEVANT: Filled(list(chosen.packed.items), list(chosen.packed.left_out))}
    filled[HINTS] = hints
    _keep_within(loaded.limit, filled)
    sections, items, left_out = [], [], []
    for name in _ORDER:
        own = filled.get(name, Filled([], []))
        if name not in loaded.caps:
            continue
        sections.append(Section(name=name, cap=loaded.caps[name], tokens=_taken(name, own), items=len(own.items)))
        items += own.items
        left_out += own.left_out
    boundary = fence.fresh_boundary(fence.body(items, sections), draw) if items else ""
    block = fence.block(items, boundary, sections)
    return Recalled(
        message=message,
        form="prompt",
        block=block,
        boundary=boundary,
        tokens=tokens(block),
        items=tuple(items),
        left_out=(*left_out, *loaded.missing),
        degraded=chosen.degraded,
        took_ms=0.0,
        sections=tuple(sections),
    )


def _keep_within(limit: int, filled: Mapping[str, Filled]) -> None:
    """Drop the last items while all is too much: the fence may be more than its share of a small budget."""
    why = f"beyond the {limit} tokens of all"
    for name in reversed(_ORDER):
        while name in filled and filled[name].items and _all(filled) > limit:
            filled[name].left_out.append(LeftOut(filled[name].items.pop().id, why))


def _all(filled: Mapping[str, Filled]) -> int:
    held = [name for name in _ORDER if name in filled and filled[name].items]
    body = fence.body(
        [item for name in held for item in filled[name].items],
        [Section(name=name, cap=0, tokens=0, items=len(filled[name].items)) for name in held],
    )
    return whole(fence.fence_quarters(fence.PROMPT_PREFACE) + quarters(body))


def _taken(section: str, filled: Filled | None) -> int:
    if not filled or not filled.items:
        return 0
    return whole(quarters(fence.label(section) + "".join(map(fence.record, _records(filled.items)))))


def _records(items: Sequence[RecalledItem]) -> Iterator[list[RecalledItem]]:
    from itertools import groupby

    for _, group in groupby(items, fence.head):
        yield list(group)


def fill(note: LoadedNote, room: int, clean: Clean) -> Filled:
    """As many whole entries as there is room for, the first of a file, of a day the last; of an empty form none."""
    if not tells(note.lines):
        return Filled([], [])
    lines = clean("\n".join(note.lines)).split("\n")
    widest = _item(note, note.first + len(lines), note.first + len(lines) + 1, "")
    left = room - quarters(fence.label(note.section) + fence.record([widest]))
    entries = _entries(lines)
    kept: list[tuple[int, int]] = []
    for first, last in reversed(entries) if note.section == DAILY else entries:
        left -= sum(quarters(fence.quoted(line)) for line in lines[first:last])
        if left < 0:
            break
        kept.append((first, last))
    while kept and len(kept) < len(entries) and note.section != DAILY and lines[kept[-1][0]].startswith("#"):
        kept.pop()  # a heading says nothing without what stands below it
    cut = [entry for entry in entries if entry not in kept]
    why = f"beyond the {whole(room)} tokens of {note.section}"
    dropped = [LeftOut(_place(note, cut[0][0], cut[-1][1]), why)] if cut else []
    if not kept:
        return Filled([], dropped)
    first, last = min(kept)[0], max(kept)[1]
    item = _item(note, note.first + first, note.first + last - 1, "\n".join(lines[first:last]))
    return Filled(fence.weighed([item]), dropped)


def _place(note: LoadedNote, first: int, last: int) -> str:
    return f"{note.path}:{fence.lines(note.first + first, note.first + last - 1)}"


def _item(note: LoadedNote, first: int, last: int, text: str) -> RecalledItem:
    return RecalledItem(
        id=f"{note.path}:{fence.lines(first, last)}",
        kind="note",
        tier=note.section,
        path=note.path,
        start_line=first,
        end_line=last,
        heading=(),
        date=note.date,
        trust=None,
        score=1.0,
        tokens=0,
        text=text,
    )


def _entries(lines: Sequence[str]) -> list[tuple[int, int]]:
    """Return the line ranges of entries, which begin at headings, bullets and after blank lines."""
    starts = [
        at
        for at, line in enumerate(lines)
        if at == 0 or _BEGINS.match(line) or (line.strip() and not lines[at - 1].strip())
    ]
    return list(zip(starts, [*starts[1:], len(lines)], strict=True))


def tells(lines: Sequence[str]) -> bool:
    """Return whether anything stands below the headings: an empty form tells nothing."""
    text = "\n".join(line for line in lines if not _HEADING.match(line))
    return bool(_COMMENT.sub("", text).strip())


def fill_hints(hints: Sequence[PromptHint], cap: int, clean: Clean) -> Filled:
    """As many hints as there are tokens for."""
    filled = Filled([], [])
    left = 4 * cap - quarters(fence.label(HINTS))
    for hint in hints:
        text = clean(hint.text)
        item = RecalledItem(
            id=hint.id,
            kind="experience",
            tier="experience",
            path=hint.id,
            start_line=1,
            end_line=text.count("\n") + 1,
            heading=(),
            date=None,
            trust=hint.trust,
            score=1.0,
            tokens=0,
            text=text,
            passages=(hint.id,),
        )
        cost = quarters(fence.record([item]))
        if cost <= left:
            left -= cost
            filled.items.extend(fence.weighed([item]))
        else:
            filled.left_out.append(LeftOut(hint.id, f"beyond the {cap} tokens of {HINTS}"))
    return filled
