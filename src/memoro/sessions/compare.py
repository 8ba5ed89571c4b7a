"""Compare a recorded recall with what would be recalled now."""

from __future__ import annotations

from typing import NamedTuple

from memoro.model.recall import Recalled, RecalledItem


class Pair(NamedTuple):
    """An item that is given then and now. The ids differ where the text or the path, which are part of one, do."""

    then: RecalledItem
    now: RecalledItem

    @property
    def has_same_words(self) -> bool:
        return self.then.text == self.now.text

    @property
    def has_same_place(self) -> bool:
        return _where(self.then) == _where(self.now)


class Difference(NamedTuple):
    """All items of then and of now, each in one place only."""

    same: tuple[Pair, ...]
    gone: tuple[RecalledItem, ...]  # given then, and not now
    new: tuple[RecalledItem, ...]  # given now, and not then
    moved: tuple[Pair, ...]  # the same words in another place of the block, the file or the vault
    changed: tuple[Pair, ...]  # other words in the same place

    @property
    def is_none(self) -> bool:
        return not (self.gone or self.new or self.moved or self.changed)


def difference(then: Recalled, now: Recalled) -> Difference:
    """Items are paired by their ids, then by their words, then by the place of the text they come from."""
    before, after = list(then.items), list(now.items)
    pairs: list[Pair] = []
    for alike in (_same_id, _same_words, _same_place):
        for one in list(before):
            other = next((item for item in after if alike(one, item)), None)
            if other is not None:
                pairs.append(Pair(one, other))
                before.remove(one)
                after.remove(other)
    pairs.sort(key=lambda pair: then.items.index(pair.then))
    in_order = _in_order(now, [pair for pair in pairs if pair.has_same_words])
    same = [pair for pair in in_order if pair.has_same_place]
    return Difference(
        same=tuple(same),
        gone=tuple(before),
        new=tuple(after),
        moved=tuple(pair for pair in pairs if pair.has_same_words and pair not in same),
        changed=tuple(pair for pair in pairs if not pair.has_same_words),
    )


def _in_order(now: Recalled, pairs: list[Pair]) -> list[Pair]:
    """The pairs that follow one another now as then: as many as can be, so that few are said to have moved."""
    best: list[list[Pair]] = []
    for pair in pairs:
        place = now.items.index(pair.now)
        runs = [run for run in best if now.items.index(run[-1].now) < place]
        best.append([*max(runs, key=len, default=[]), pair])
    return max(best, key=len, default=[])


def _where(item: RecalledItem) -> tuple[str, int, int]:
    return item.path, item.start_line, item.end_line


def _same_id(one: RecalledItem, other: RecalledItem) -> bool:
    return one.id == other.id


def _same_words(one: RecalledItem, other: RecalledItem) -> bool:
    return bool(one.text) and one.text == other.text


def _same_place(one: RecalledItem, other: RecalledItem) -> bool:
    meet = one.start_line <= other.end_line and other.start_line <= one.end_line
    return one.path == other.path and (meet or bool(one.heading and one.heading == other.heading))
