"""The timeline: days with their conversations, notes and changes."""

from contextlib import suppress
from datetime import timedelta
from typing import TYPE_CHECKING, Annotated, NamedTuple

from memoro.errors import MemoroError, QueryError
from memoro.operations.fields import Field
from memoro.operations.operation import Caller, Operation

if TYPE_CHECKING:
    from memoro.model.timeline import Timeline
    from memoro.workspace import Workspace

DAYS = 14


class ShowTimeline(NamedTuple):
    since: Annotated[str | None, Field("The first day: 2026-03-05, yesterday, last week.", "WHEN")] = None
    until: Annotated[str | None, Field("The last day (today).", "WHEN")] = None
    project: Annotated[str | None, Field("Only conversations and notes of this project.", "NAME")] = None
    days: Annotated[int, Field("Show at most N days, without --since (14).", "N", ("-n", "--days"))] = DAYS


def timeline(m: "Workspace", request: ShowTimeline, _caller: Caller) -> "Timeline":
    from memoro.day_reading import MOST_DAYS, DaySpan
    from memoro.model.time_phrases import span

    today = m.today()
    last = span(request.until, today=today).last if request.until else today
    if not 1 <= request.days <= MOST_DAYS:
        raise QueryError(f"--days takes a number from 1 to {MOST_DAYS}.")
    try:
        first = span(request.since, today=today).first if request.since else last - timedelta(days=request.days - 1)
    except OverflowError:
        raise QueryError("There are no days so long ago.") from None
    with suppress(MemoroError):  # where there are no notes, the ledger tells alone
        m.indexing.check_searchable()
        m.indexing.refresh(embed=False)
    return m.timeline(DaySpan(first, last, request.project))


TIMELINE = Operation(
    name="timeline",
    request=ShowTimeline,
    call=timeline,
    access="read",
    help="Days without events are left out; the newest comes first.",
)
OPERATIONS = (TIMELINE,)
