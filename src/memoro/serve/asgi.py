"""The part of the ASGI interface that Memoro uses, as types."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import NotRequired, TypedDict

from memoro.operations.operation import Access

Headers = Sequence[tuple[bytes, bytes]]


class AsgiScope(TypedDict):
    """The head of a connection. Only HTTP connections have a method, a path and headers."""

    type: str
    method: str
    path: str
    headers: Headers
    query_string: NotRequired[bytes]
    client: NotRequired[tuple[str, int] | None]  # its address and port
    granted: NotRequired[Access]  # by the guard: the scope of the token that was sent


class AsgiMessage(TypedDict, total=False):
    type: str
    body: bytes
    more_body: bool
    status: int
    headers: Headers


Receive = Callable[[], Awaitable[AsgiMessage]]
Send = Callable[[AsgiMessage], Awaitable[None]]
AsgiApp = Callable[[AsgiScope, Receive, Send], Awaitable[None]]
