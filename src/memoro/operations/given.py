"""Items that agents were given: list them by day, rate one, and list the muted ones."""

from typing import TYPE_CHECKING, Annotated, NamedTuple

from memoro import documents
from memoro.operations.fields import Field
from memoro.operations.operation import KEY, Caller, Operation

if TYPE_CHECKING:
    from datetime import date

    from memoro.sessions.history import DayPage
    from memoro.sessions.rating import GivenPlace, MutedItem, RatedItem
    from memoro.workspace import Workspace

_ITEM = Field(
    "The id of the item, as `memoro given day` shows it; PATH:FROM-TO or PATH:LINE, as `memoro session show` shows "
    "it; or a line of an always-loaded file, such as MEMORY.md:7.",
    "ID",
    positional=True,
)
_SESSION = Field("The id of the session that was given it (the last one).", "ID")
_RECALL = Field("The number of the recall in that session (the last one).", "N")


class RateWrong(NamedTuple):
    item: Annotated[str, _ITEM]
    session: Annotated[str | None, _SESSION] = None
    recall: Annotated[int | None, _RECALL] = None


class RateGood(NamedTuple):
    item: Annotated[str, _ITEM]
    session: Annotated[str | None, _SESSION] = None
    recall: Annotated[int | None, _RECALL] = None


class AllowItem(NamedTuple):
    item: Annotated[str, Field("The id of the item, as `memoro given muted` shows it.", "ID", positional=True)]
    session: Annotated[str | None, _SESSION] = None
    recall: Annotated[
        int | None, Field("The number of a recall that gave it; this unmutes whatever is muted there.", "N")
    ] = None


class ListMuted(NamedTuple):
    limit: Annotated[int, Field("Show at most N (50).", "N", ("-n", "--limit"))] = 50


class ShowDay(NamedTuple):
    day: Annotated[str | None, Field("The day: 2026-11-15, yesterday, … (today).", "WHEN", positional=True)] = None
    limit: Annotated[int, Field("Show at most N prompts (50).", "N", ("-n", "--limit"))] = 50
    skip: Annotated[int, Field("Skip the first N prompts.", "N")] = 0


class MutedItems(NamedTuple):
    results: "tuple[MutedItem, ...]"


def wrong(m: "Workspace", request: RateWrong, caller: Caller) -> "RatedItem":
    return m.ratings.wrong(request.item, _place(request), key=caller.once)


def good(m: "Workspace", request: RateGood, caller: Caller) -> "RatedItem":
    return m.ratings.good(request.item, _place(request), key=caller.once)


def allow(m: "Workspace", request: AllowItem, caller: Caller) -> "RatedItem":
    return m.ratings.allow(request.item, _place(request), key=caller.once)


def show_day(m: "Workspace", request: ShowDay, _caller: Caller) -> "DayPage":
    return m.sessions.day_page(_day(m, request.day), max(0, request.skip), max(0, request.limit))


def _day(m: "Workspace", text: str | None) -> "date":
    """Return the day that is meant, on this machine's calendar; of several days the first."""
    from datetime import datetime

    from memoro.ledger.times import beginning

    now = m.home_context.runtime.now()
    return (now if text is None else datetime.fromisoformat(beginning(text, now))).astimezone().date()


def muted(m: "Workspace", request: ListMuted, _caller: Caller) -> MutedItems:
    return MutedItems(tuple(m.ratings.muted(max(0, request.limit))))


def _place(request: RateWrong | RateGood | AllowItem) -> "GivenPlace":
    from memoro.sessions.rating import GivenPlace

    return GivenPlace(request.session, request.recall)


WRONG = Operation(
    name="given wrong", may_wait=True, request=RateWrong, call=wrong, access="write", options=(KEY,),
    summary="Mute an item that was wrong: no agent is given it unasked again.",
    help="Searches and recalls that somebody asks for still find it, marked as muted. An edited memory or a "
         "changed passage may be given again.",
)  # fmt: skip
GOOD = Operation(
    name="given good", may_wait=True, request=RateGood, call=good, access="write", options=(KEY,),
    summary="Mark an item as good; a memory or experience is reinforced.",
)  # fmt: skip
ALLOW = Operation(
    name="given allow", may_wait=True, request=AllowItem, call=allow, access="write", options=(KEY,),
    summary="Unmute an item: it may be given unasked again.",
)  # fmt: skip
MUTED = Operation(
    name="given muted", request=ListMuted, call=muted, access="read",
    summary="List the muted items, the last muted first.",
)  # fmt: skip
DAY = Operation(
    name="given day", request=ShowDay, call=show_day, encode=documents.day_page, access="read",
    summary="Show every prompt of one day, and what it was given and why.",
)  # fmt: skip
OPERATIONS = (WRONG, GOOD, ALLOW, DAY, MUTED)
