"""The outbox: writes that wait for the server of a shared ledger."""

from typing import TYPE_CHECKING, Annotated, NamedTuple

from memoro.errors import NotFound
from memoro.model.outbox import WaitingWrite
from memoro.operations.fields import Field
from memoro.operations.operation import Caller, NoArguments, Operation

if TYPE_CHECKING:
    from memoro.operations.waiting import Sent
    from memoro.workspace import Workspace


class OutboxContent(NamedTuple):
    writes: tuple[WaitingWrite, ...]


class DropWrite(NamedTuple):
    number: Annotated[int, Field("The number of the write, as `memoro outbox list` shows it.", "N", positional=True)]


def list_(m: "Workspace", _request: NoArguments, _caller: Caller) -> OutboxContent:
    from contextlib import closing

    from memoro.store.opening import open_outbox

    with closing(open_outbox(m.home)) as outbox:
        return OutboxContent(tuple(outbox.all()))


def send(m: "Workspace", _request: NoArguments, _caller: Caller) -> "Sent":
    from memoro.operations.waiting import send_waiting

    return send_waiting(m)


def drop(m: "Workspace", request: DropWrite, _caller: Caller) -> OutboxContent:
    """Delete one that waits or was refused; returns the rest."""
    from contextlib import closing

    from memoro.store.opening import open_outbox

    with closing(open_outbox(m.home)) as outbox:
        if not outbox.delete(request.number):
            raise NotFound(f"Nothing waits as {request.number}. `memoro outbox list` shows what does.")
        return OutboxContent(tuple(outbox.all()))


LIST = Operation(
    name="outbox list", request=NoArguments, call=list_, access="read",
    summary="List the writes that wait, and those that the server refused.",
)  # fmt: skip
SEND = Operation(
    name="outbox send", request=NoArguments, call=send, access="admin",
    summary="Send the waiting writes now; any command that reaches the server does so too.",
    changes_nothing_remembered=True,
)  # fmt: skip
DROP = Operation(
    name="outbox drop", request=DropWrite, call=drop, access="admin",
    summary="Delete one waiting or refused write; it is never carried out.", is_destructive=True,
    changes_nothing_remembered=True,
)  # fmt: skip
OPERATIONS = (LIST, SEND, DROP)
