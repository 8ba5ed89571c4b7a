"""The guard in front of every HTTP request: who is admitted, how many at once, and with what time and headers."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING

from memoro.errors import StoreError
from memoro.operations.operation import Access
from memoro.serve.access_rules import (
    API_PATH,
    HEALTH_PATH,
    KEPT_BY_BROWSERS,
    MAX_BODY,
    READY_PATH,
    STATIC_PATH,
    TOO_LONG,
    AccessRules,
    RequestHead,
    granted_scope,
    is_of_browser,
    refusal,
    scope_of,
    sender_refusal,
    team_token,
)
from memoro.serve.asgi import AsgiApp, AsgiMessage, AsgiScope, Receive, Send
from memoro.serve.connections import MOST_CONNECTIONS, ConnectionTable
from memoro.serve.limits import IN_FLIGHT, REQUESTS_A_SECOND, RateLimit, TeamLimits, TokenName
from memoro.serve.refusing import Refusal, refuse, refuse_browser
from memoro.serve.team_tokens import TeamTokens, TooManyUnknown

if TYPE_CHECKING:
    from memoro.model.token_holder import TokenHolder

HEALTH_CHECKS = 4  # at once, beyond the others: a server that is busy must not pass for one that is ill
BODY_SECONDS = 30.0  # within which the body must arrive
WORK_SECONDS = 30.0  # after which the client is told that its request takes too long

REFUSAL_STYLE = b"'sha256-XNnb+uyb6sxfHI80jUfUv3l7Pu2BCJhxga4y3hv23pQ='"  # of `page.refusal_page.STYLE`
HEADERS = (
    (b"content-security-policy", b"default-src 'none'; script-src 'self'; style-src 'self' " + REFUSAL_STYLE +
     b"; img-src 'self'; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'"),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),  # with `no-referrer`, browsers send forms with the origin `null`
    (b"cache-control", b"private, no-store"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
)  # fmt: skip

_BUSY = Refusal(503, "Too many requests at once; try again.", ((b"retry-after", b"1"),))
_TOO_FAST = Refusal(429, f"More than {REQUESTS_A_SECOND} requests a second; wait.", ((b"retry-after", b"1"),))
_TOO_MANY_UNKNOWN = Refusal(429, "Too many unknown tokens are sent; wait.", ((b"retry-after", b"1"),))
_NO_SERVER = Refusal(
    503, "Tokens cannot be looked up: the server of the shared ledger does not answer.", ((b"retry-after", b"5"),)
)


class Guard:
    """An ASGI application around another, which sees only admitted requests, with their whole body."""

    def __init__(
        self,
        inner: AsgiApp,
        rules: AccessRules,
        limit: RateLimit | None = None,
        connections: ConnectionTable | None = None,
        team: TeamTokens | None = None,
    ) -> None:
        """`connections` learns which connections belong to clients with a token, and when they run a request.

        `team` knows the tokens of people and agents; None: there are none.
        """
        self._inner = inner
        self._rules = rules
        self._running = 0
        self._limit = limit  # one for all tokens of the home; None: one for each
        self._limits: dict[str | None, RateLimit] = {}
        self._connections = ConnectionTable(MOST_CONNECTIONS) if connections is None else connections
        self._team = team
        self._team_limits = TeamLimits()

    async def __call__(self, scope: AsgiScope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._inner(scope, receive, send)
            return
        if scope["type"] != "http":  # no web sockets
            return
        safe_send = _with_headers(send, scope["path"])
        head = RequestHead(scope["method"], scope["path"], scope["headers"], own_address=_own_address(scope))
        holder = await self._holder(head)
        refused = holder if isinstance(holder, Refusal) else None
        holder = None if isinstance(holder, Refusal) else holder
        granted = granted_scope(head, self._rules) if holder is None else scope_of(holder)
        if holder is not None and (record := scope.get("record")):
            record.name_holder(holder)
        refused = refused or self._refusal(head, granted, holder)
        if refused is not None:
            if is_of_browser(head):
                await refuse_browser(safe_send, refused)
            else:
                await refuse(safe_send, refused, is_problem=head.path.startswith(API_PATH))
            return
        if granted is not None:
            scope = {**scope, "granted": granted}
        if holder is not None:
            scope = {**scope, "holder": holder}
        with self._counted(holder), self._connections.running(scope.get("client"), time.monotonic):
            await self._admit(scope, receive, safe_send)

    async def _holder(self, head: RequestHead) -> TokenHolder | Refusal | None:
        """The holder of the team token that was sent. Only a sender who may send at all makes us look it up."""
        token = team_token(head) if self._team else None
        if self._team is None or token is None or sender_refusal(head, self._rules):
            return None
        try:
            return await self._team.holder(token)
        except TooManyUnknown:
            return _TOO_MANY_UNKNOWN
        except StoreError:
            return _NO_SERVER

    def _refusal(self, head: RequestHead, granted: Access | None, holder: TokenHolder | None) -> Refusal | None:
        refused = refusal(head, self._rules, holder)
        if refused is not None:
            return refused
        if holder is not None:
            why = self._team_limits.refusal(TokenName(holder.tenant, holder.token_id))
            return Refusal(429, why, ((b"retry-after", b"1"),)) if why else None
        is_probe = head.path in (READY_PATH, HEALTH_PATH)
        if self._running >= IN_FLIGHT + (HEALTH_CHECKS if is_probe else 0):
            return _BUSY
        return None if self._limit_of(head.path if is_probe else granted).take() else _TOO_FAST

    def _limit_of(self, name: str | None) -> RateLimit:
        """The limit of a token of the home, by its scope, or of a probe; browsers share one."""
        return self._limit or self._limits.setdefault(name, RateLimit(REQUESTS_A_SECOND))

    def _counted(self, holder: TokenHolder | None) -> AbstractContextManager[None]:
        if holder is not None:
            return self._team_limits.running(TokenName(holder.tenant, holder.token_id))
        return self._counted_of_home()

    @contextmanager
    def _counted_of_home(self) -> Iterator[None]:
        self._running += 1
        try:
            yield
        finally:
            self._running -= 1

    async def _admit(self, scope: AsgiScope, receive: Receive, send: Send) -> None:
        import anyio

        is_problem = scope["path"].startswith(API_PATH)
        try:
            with anyio.fail_after(BODY_SECONDS):
                body = await _read_body(receive)
        except TimeoutError:
            await refuse(send, Refusal(408, "The body did not arrive in time."), is_problem=is_problem)
            return
        if len(body) > MAX_BODY:
            await refuse(send, TOO_LONG, is_problem=is_problem)
            return
        has_begun = False

        async def note_begin(message: AsgiMessage) -> None:
            nonlocal has_begun
            has_begun = True
            await send(message)

        with anyio.move_on_after(WORK_SECONDS) as work:
            await self._inner(scope, _replay(body, receive), note_begin)
        if work.cancelled_caught and not has_begun:  # a write that is under way still completes
            late = Refusal(504, f"This takes more than {WORK_SECONDS:.0f} s. Ask for less.")
            await refuse(send, late, is_problem=is_problem)


def _own_address(scope: AsgiScope) -> bytes:
    """The address that a connection came to, as `Host` has it."""
    found = scope.get("server")
    if not found or not found[1]:
        return b""
    name = f"[{found[0]}]" if ":" in found[0] else found[0]
    return f"{name}:{found[1]}".encode()


def _with_headers(send: Send, path: str) -> Send:
    """Set our security headers on every response, in place of the application's own."""
    ours = {name for name, _ in HEADERS}
    kept = (b"cache-control", KEPT_BY_BROWSERS)  # the one header of an application that stands, and only on files

    async def safe_send(message: AsgiMessage) -> None:
        if message["type"] == "http.response.start":
            theirs = message.get("headers", ())
            is_kept = path.startswith(STATIC_PATH) and message["status"] == 200 and kept in theirs
            others = [pair for pair in theirs if pair[0].lower() not in ours]
            headers = [kept if is_kept and name == kept[0] else (name, value) for name, value in HEADERS]
            message = {**message, "headers": [*others, *headers]}
        await send(message)

    return safe_send


async def _read_body(receive: Receive) -> bytes:
    """Read the whole body, or a little more than is allowed."""
    read = bytearray()
    while len(read) <= MAX_BODY:
        message = await receive()
        read += message.get("body", b"")
        if message["type"] != "http.request" or not message.get("more_body", False):
            break
    return bytes(read)


def _replay(body: bytes, receive: Receive) -> Receive:
    """Give the application a body that has been read already."""
    waiting: list[AsgiMessage] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> AsgiMessage:
        return waiting.pop() if waiting else await receive()

    return replay
