"""Encode recalls as rows of the ledger, and decode them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from memoro.model.recall import LeftOut, Recalled, RecalledItem, RecallOptions, Section
from memoro.model.recalls import StoredRecall
from memoro.model.scope import Scope
from memoro.model.sessions import GivenItem, HeldContext, RecordedRecall, Session
from memoro.sessions import blocks
from memoro.sessions.given import held_by, is_loaded

if TYPE_CHECKING:
    from memoro.ledger.ports import Transaction

MAX_LEFT_OUT = 10  # of what was left out: the nearest misses come first, and most of the others were far from it
# The fields of a recall that have columns of their own; the others go into `detail`.
_APART = {"message", "form", "block", "boundary", "items"}
_IN_DETAIL = set(Recalled._fields) - _APART


def encode_detail(recalled: Recalled, options: RecallOptions | None) -> dict[str, Any]:
    """The part of a recall that has no column of its own, but for its block."""
    return {
        **{field: value for field, value in recalled._asdict().items() if field in _IN_DETAIL},
        "left_out": recalled.left_out[:MAX_LEFT_OUT],
        "items": [_encode_item(item) for item in recalled.items],
        "asked": _encode_options(options) if options else None,
    }


def decode_recall(tx: Transaction, row: StoredRecall) -> RecordedRecall:
    parts, whole = blocks.from_json(row.detail["block"], tx.sessions.kept)
    given = _decode_given(tx, row)
    rest = {name: _tuples(value) for name, value in row.detail.items() if name in _IN_DETAIL}
    rest["left_out"] = tuple(LeftOut(*one) for one in rest["left_out"])
    rest["sections"] = tuple(Section(*one) for one in rest["sections"])
    recalled = Recalled(
        message=row.message,
        form=row.form,
        block=blocks.put_together(parts, row.boundary, [None if one.forgotten else one.item.text for one in given]),
        boundary=row.boundary,
        items=tuple(one.item for one in given),
        **rest,
    )
    altered = [f"{one.item.id} was forgotten" for one in given if one.forgotten]
    altered += ["a piece of it was forgotten"] if not whole else []
    altered += ["a secret in it, or what no database holds, was not kept"] if row.detail.get("altered") else []
    return RecordedRecall(
        number=row.number,
        session=row.session,
        at=row.at,
        recalled=recalled,
        given=given,
        identical=not altered,
        altered=tuple(altered),
        unasked=is_unasked(row),
    )


def is_unasked(row: StoredRecall) -> bool:
    """Return whether it answered no message: a session began with it."""
    return bool(row.detail.get("unasked"))


def tokens_of(row: StoredRecall) -> int:
    """Return how many tokens the block of a recall took."""
    return int(row.detail.get("tokens", 0))


def decode_options(row: StoredRecall, session: Session) -> RecallOptions:
    kept = row.detail.get("asked")
    if not kept:
        return RecallOptions(session.scope, proactive=row.form == "proactive")
    (project, agent, paths, tiers, tags), prompt, proactive, budget = _tuples(kept)
    scope = Scope(agent=agent, project=project, paths=paths, tiers=tiers, tags=tags)
    return RecallOptions(scope=scope, prompt=prompt, proactive=proactive, budget=budget)


def _encode_options(options: RecallOptions) -> list[Any]:
    scope = options.scope
    seen = [scope.project, scope.agent, scope.paths, scope.tiers, scope.tags]
    return [seen, options.prompt, options.proactive, options.budget]


def decode_held(tx: Transaction, recalls: Sequence[StoredRecall]) -> HeldContext:
    """Return the context that a session holds after these recalls."""
    cut: list[RecalledItem] = []
    whole: list[RecalledItem] = []
    for row in recalls:
        is_cut = row.form == "proactive"
        items = [_decode_item(one) for one in row.detail["items"]]
        if items and (is_cut or any(map(is_loaded, items))):
            texts = tx.sessions.items(row.number)
            items = [item._replace(text=one.text or "") for item, one in zip(items, texts, strict=True)]
        (cut if is_cut else whole).extend(items)
    return held_by(cut, is_cut=True).joined(held_by(whole, is_cut=False))


def _encode_item(item: RecalledItem) -> dict[str, Any]:
    """The fields of an item but its text, without those that have their default."""
    usual = RecalledItem._field_defaults
    fields = {name: value for name, value in item._asdict().items() if name != "text"}
    return {name: value for name, value in fields.items() if name not in usual or value != usual[name]}


def _decode_given(tx: Transaction, row: StoredRecall) -> tuple[GivenItem, ...]:
    rows = tx.sessions.items(row.number)
    return tuple(
        GivenItem(_decode_item(kept, one.text or ""), one.feedback, one.text is None)
        for one, kept in zip(rows, row.detail["items"], strict=True)
    )


def _decode_item(kept: Mapping[str, Any], text: str = "") -> RecalledItem:
    return RecalledItem(
        text=text, **{name: _tuples(value) for name, value in kept.items() if name in RecalledItem._fields}
    )


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, list) else value
