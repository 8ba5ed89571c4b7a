"""The part of the ASGI interface that Memoro uses, as types."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, NotRequired, TypedDict

from memoro.operations.operation import Access

if TYPE_CHECKING:
    from memoro.model.token_holder import TokenHolder
    from memoro.serve.request_records import RequestRecord

Headers = Sequence[tuple[bytes, bytes]]


class AsgiScope(TypedDict):
    """The head of a connection. Only HTTP connections have a method, a path and headers."""

    type: str
    method: str
    path: str
    headers: Headers
    query_string: NotRequired[bytes]
    client: NotRequired[tuple[str, int] | None]  # its address and port
    server: NotRequired[tuple[str, int | None] | None]  # the address that the connection came to
    granted: NotRequired[Access]  # by the guard: the scope of the token that was sent
    holder: NotRequired[TokenHolder]  # by the guard: as whom a team token acts
    record: NotRequired[RequestRecord]  # what is logged and counted of this request


class AsgiMessage(TypedDict, total=False):
    type: str
    body: bytes
    more_body: bool
    status: int
    headers: Headers


Receive = Callable[[], Awaitable[AsgiMessage]]
Send = Callable[[AsgiMessage], Awaitable[None]]
AsgiApp = Callable[[AsgiScope, Receive, Send], Awaitable[None]]
