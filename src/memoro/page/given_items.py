"""The items that an agent was given, as the page shows them: each with its place, its reason and its rating."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple, TypeAlias
from urllib.parse import urlencode

from memoro.model.ratings import entry_at, passage_key
from memoro.model.recall import RecalledItem
from memoro.model.sessions import REINFORCED, GivenItem, RecordedRecall
from memoro.model.targets import ExperienceId, MemoryId, parse_target
from memoro.page.lists import without_block_ids
from memoro.page.texts import texts

if TYPE_CHECKING:
    from memoro.sessions.rating import MutedItem

_PREVIEW = 260  # characters of a text that are shown at first
_LEFT_OUT = 3  # of what was left out, the nearest
_SHARE = 100  # a score as per cent
_SILENT = "silent: "  # begins the reason of a recall that gave nothing

# Returns what may be given of an item; None where its owner called all of it wrong.
Allowed: TypeAlias = Callable[[RecalledItem], RecalledItem | None]


class ShownLine(NamedTuple):
    """One entry of a note that was loaded whole."""

    id: str
    text: str
    is_muted: bool


class ShownItem(NamedTuple):
    """One thing that an agent was given."""

    id: str
    kind: str
    tier: str
    path: str
    place: str  # the path; of a conversation, its folder
    heading: str
    href: str
    date: str | None
    tokens: int
    score: int | None  # in per cent; None: it is always loaded
    why: str
    text: str
    preview: str  # its beginning; empty: the text is short
    lines: tuple[ShownLine, ...] = ()
    is_muted: bool = False
    is_good: bool = False
    is_forgotten: bool = False


class ShownLeftOut(NamedTuple):
    id: str
    place: str
    why: str
    href: str


class ShownRecall(NamedTuple):
    """One prompt, and what was given for it."""

    number: int
    session: str
    at: str
    message: str
    message_preview: str  # empty: the message is short
    is_start: bool  # a session began with it
    tokens: int
    reason: str  # how the prompt was read, or why nothing was given
    items: tuple[ShownItem, ...]
    left_out: tuple[ShownLeftOut, ...]  # the nearest
    more_left_out: int
    degraded: tuple[str, ...]
    href: str  # all about it


class ShownMuted(NamedTuple):
    """One thing that no agent is given unasked."""

    id: str
    kind: str
    place: str
    href: str
    text: str
    preview: str
    since: str
    is_lapsed: bool


def shown_recall(recall: RecordedRecall, allowed: Allowed) -> ShownRecall:
    recalled = recall.recalled
    out = recalled.left_out
    return ShownRecall(
        number=recall.number,
        session=recall.session,
        at=recall.at,
        message=recalled.message,
        message_preview=_preview(recalled.message),
        is_start=recall.unasked,
        tokens=recalled.tokens,
        reason=_reason(recalled.decision),
        items=tuple(_item(one, allowed) for one in recall.given),
        left_out=tuple(
            ShownLeftOut(id=one.id, place=_place_of_id(one.id), why=one.why, href=read_link(one.id))
            for one in out[:_LEFT_OUT]
        ),
        more_left_out=max(0, len(out) - _LEFT_OUT),
        degraded=recalled.degraded,
        href=f"/given/{recall.number}?{urlencode({'session': recall.session})}",
    )


def shown_muted(one: MutedItem) -> ShownMuted:
    return ShownMuted(
        id=one.item,
        kind=one.kind,
        place=_name(one.item) or _place(one.kind, one.path),
        href=read_link(one.item),
        text=without_block_ids(one.text),
        preview=_preview(without_block_ids(one.text)),
        since=one.since,
        is_lapsed=one.lapsed,
    )


def read_link(id: str) -> str:
    """The page that shows what is behind an id."""
    return f"/read?{urlencode({'id': id})}"


def _item(given: GivenItem, allowed: Allowed) -> ShownItem:
    item = given.item
    is_loaded = item.kind == "note" and not passage_key(item.id)
    lines = tuple(_lines(item, allowed)) if is_loaded else ()
    return ShownItem(
        id=item.id,
        kind=item.kind,
        tier=item.tier,
        path=item.path,
        place=_name(item.id) or _place(item.kind, item.path),
        heading=" › ".join(item.heading),
        href=read_link(item.id),
        date=item.since or item.date,
        tokens=item.tokens,
        score=None if is_loaded and not item.why else round(_SHARE * item.score),
        why=item.why,
        text=without_block_ids(item.text),
        preview=_preview(without_block_ids(item.text)),
        lines=lines if len(lines) > 1 else (),
        is_muted=not given.forgotten and _is_muted(item, allowed),
        is_good=REINFORCED in given.feedback,
        is_forgotten=given.forgotten,
    )


def _lines(item: RecalledItem, allowed: Allowed) -> Iterator[ShownLine]:
    """The entries of a note that was loaded whole, each with an id of its own."""
    shown = ""
    for number in range(item.start_line, item.start_line + item.text.count("\n") + 1):
        text = entry_at(item.text, item.start_line, number)
        if text and text != shown:
            one = item._replace(id=f"{item.path}:{number}", text=text, passages=())
            yield ShownLine(one.id, without_block_ids(text), allowed(one) is None)
            shown = text


def _is_muted(item: RecalledItem, allowed: Allowed) -> bool:
    """Return whether its owner called it wrong; of a note that was loaded whole, each line tells that."""
    return bool(item.text) and allowed(item) is None


def _place(kind: str, path: str) -> str:
    if kind == "transcript":
        return path.rpartition("/")[0].rpartition("/")[2]
    return path


def _place_of_id(id: str) -> str:
    """The path in an id, without the digits that tell its passages apart."""
    if name := _name(id):
        return name
    kind, colon, rest = id.partition(":")
    path = rest.rpartition("#")[0] if colon and passage_key(id).startswith("#") else id
    return _place("transcript" if path.startswith("@") else kind, path)


def _name(id: str) -> str:
    """A memory or an experience by its number; empty for anything else."""
    match parse_target(id):
        case MemoryId(number=number):
            return texts()("today.name_memory", number=number)
        case ExperienceId(number=number):
            return texts()("today.name_experience", number=number)
        case _:
            return ""


def _reason(decision: str) -> str:
    if not decision:
        return ""
    name = "today.silent_because" if decision.startswith(_SILENT) else "today.reason"
    return texts()(name, reason=decision.removeprefix(_SILENT))


def _preview(text: str) -> str:
    """The beginning of a long text, up to a word."""
    if len(text) <= _PREVIEW + 40:
        return ""
    cut = text[:_PREVIEW]
    return f"{cut[: max(cut.rfind(' '), _PREVIEW // 2)]}…"
