"""The items that may be given for a message, and those left out."""

from __future__ import annotations

from typing import NamedTuple

from memoro.model.feedback import told_text
from memoro.model.ratings import WHY_MUTED, MutedWords
from memoro.model.recall import LeftOut, RecalledItem

ENOUGH = "there are enough items"


class Finding(NamedTuple):
    """One item that may be given. Its text is already as short as it can be."""

    item: RecalledItem
    sure: float  # 0–1: how sure it is that it helps
    why: str  # for the owner, in a few words: "the same error", "a rule for this task"


class Judged(NamedTuple):
    """The relevant findings, newest first, and the others, each with a reason."""

    findings: tuple[Finding, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    notices: tuple[str, ...] = ()
    looked_at: int = 0
    withheld: tuple[LeftOut, ...] = ()  # of those left out: what would have been given, the surest first
    is_held: bool = False  # the conversation was given something before that is sure enough
    is_muted: bool = False  # something that is muted would have been given


def without_marks(judged: Judged) -> Judged:
    """Return what may be given, with lines of feedback told as corrections, and without those that are none."""
    told = [one._replace(item=told_item(one.item)) for one in judged.findings]
    return judged._replace(findings=tuple(one for one in told if one.item.text))


def told_item(item: RecalledItem) -> RecalledItem:
    return item._replace(text=told_text(item.text)) if item.tier == "daily" else item


def without_muted(judged: Judged, muted: MutedWords) -> Judged:
    """Return what may be given, without the words that their owner does not want to be given again."""
    kept = [(one, muted.item_without(one.item)) for one in judged.findings]
    out = tuple(LeftOut(one.item.id, WHY_MUTED) for one, item in kept if item is None)
    findings = tuple(one._replace(item=item) for one, item in kept if item is not None)
    is_muted = judged.is_muted or bool(out)
    return judged._replace(findings=findings, left_out=(*out, *judged.left_out), is_muted=is_muted)
