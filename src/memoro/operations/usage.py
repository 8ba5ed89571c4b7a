"""The usage of models: what for, and at what cost."""

from typing import TYPE_CHECKING, Annotated, NamedTuple

from memoro.operations.fields import Field
from memoro.operations.operation import Caller, Operation
from memoro.providers.usage import UsageGroup

if TYPE_CHECKING:
    from memoro.documents import Document
    from memoro.providers.usage import Usage
    from memoro.workspace import Workspace


class ShowUsage(NamedTuple):
    since: Annotated[str | None, Field("Count from this day on: 2026-03-05, yesterday, last week.", "WHEN")] = None
    group: Annotated[
        UsageGroup | None, Field("Show one line for each day, provider or purpose (for each purpose of each model).")
    ] = None


def usage(m: "Workspace", request: ShowUsage, _caller: Caller) -> "Usage":
    return m.usage(since=request.since, group=request.group)


def _usage(found: "Usage") -> "Document":
    from memoro.documents import plain

    return {**plain(found), "left": found.left}


USAGE = Operation(name="usage", request=ShowUsage, call=usage, encode=_usage, access="read")
OPERATIONS = (USAGE,)
