"""What agents were given: rate one item of it, and see what is not given any more."""

from typing import TYPE_CHECKING, Annotated, NamedTuple

from memoro import documents
from memoro.operations.fields import Field
from memoro.operations.operation import KEY, Caller, Operation

if TYPE_CHECKING:
    from datetime import date

    from memoro.sessions.history import DayPage
    from memoro.sessions.rating import GivenPlace, MutedItem, RatedItem
    from memoro.workspace import Workspace

_ITEM = Field("Its id, as `session show` lists it; one line of a loaded note as MEMORY.md:7.", "ID", positional=True)
_SESSION = Field("The session that was given it (the last one).", "S")
_RECALL = Field("The number of the recall that gave it (the last one).", "N")


class RateWrong(NamedTuple):
    item: Annotated[str, _ITEM]
    session: Annotated[str | None, _SESSION] = None
    recall: Annotated[int | None, _RECALL] = None


class RateGood(NamedTuple):
    item: Annotated[str, _ITEM]
    session: Annotated[str | None, _SESSION] = None
    recall: Annotated[int | None, _RECALL] = None


class AllowItem(NamedTuple):
    item: Annotated[str, Field("Its id, as `given muted` lists it.", "ID", positional=True)]
    session: Annotated[str | None, _SESSION] = None
    recall: Annotated[int | None, Field("A recall that gave it: allow it there, whatever it was muted for.", "N")] = (
        None
    )


class ListMuted(NamedTuple):
    limit: Annotated[int, Field("How many (50).", "N", ("-n", "--limit"))] = 50


class ShowDay(NamedTuple):
    day: Annotated[str | None, Field("2026-11-15, yesterday, … (today).", "DAY", positional=True)] = None
    limit: Annotated[int, Field("How many prompts (50).", "N", ("-n", "--limit"))] = 50
    skip: Annotated[int, Field("Begin after so many.", "N")] = 0


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
    summary="It was wrong to give this: give these words to no agent unasked again.",
    help="A search and a recall that asks still find it; the recall says that it is marked. A memory that is edited, "
    "and a passage that says something else, may be given again.",
)  # fmt: skip
GOOD = Operation(
    name="given good", may_wait=True, request=RateGood, call=good, access="write", options=(KEY,),
    summary="It was good to give this: count it, and reinforce a memory or an experience.",
)  # fmt: skip
ALLOW = Operation(
    name="given allow", may_wait=True, request=AllowItem, call=allow, access="write", options=(KEY,),
    summary="Let something be given unasked again.",
)  # fmt: skip
MUTED = Operation(
    name="given muted", request=ListMuted, call=muted, access="read",
    summary="List what is given to no agent unasked, the last first.",
)  # fmt: skip
DAY = Operation(
    name="given day", request=ShowDay, call=show_day, encode=documents.day_page, access="read",
    summary="Show what agents were given on one day, for which prompt and why, the last first.",
)  # fmt: skip
OPERATIONS = (WRONG, GOOD, ALLOW, DAY, MUTED)
