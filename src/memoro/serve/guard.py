"""Who may come in over HTTP: decided from the head of a request, before its body is read or any work is done.

A page in the owner's browser can send requests to this machine, also under a name of its own that leads here
(DNS rebinding). It cannot forge `Host` and `Origin`, and it does not have the token.
"""

from __future__ import annotations

import hmac
import re
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

MAX_BODY = 4 * 1024 * 1024
IN_FLIGHT = 64  # more than any number of agents asks at once; a flood is told to wait
BODY_SECONDS = 30.0  # in which a body must have come
WORK_SECONDS = 30.0  # after which whoever asked is told that it takes too long
A_SECOND = 100  # requests on the average; as many at once

# The paths there are, and how each may be asked. All else is nothing.
ROUTES = {"/mcp": "POST", "/health": "GET", "/hooks/claude": "POST", "/hooks/codex": "POST", "/hooks/gemini": "POST"}

HEADERS = (
    (b"content-security-policy", b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
     b"connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'"),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cache-control", b"private, no-store"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
)  # fmt: skip

_JSON = re.compile(rb'application/json(?:\s*;\s*charset="?utf-8"?)?', re.IGNORECASE)


class Door(NamedTuple):
    """What is let in."""

    hosts: frozenset[bytes]
    origins: frozenset[bytes]
    token: bytes

    @staticmethod
    def at(port: int, token: str) -> Door:
        names = (f"127.0.0.1:{port}", f"localhost:{port}", f"[::1]:{port}")
        return Door(
            frozenset(name.encode() for name in names),
            frozenset(f"http://{name}".encode() for name in names),
            token.encode(),
        )


class Refusal(NamedTuple):
    status: int
    why: str
    headers: tuple[tuple[bytes, bytes], ...] = ()


class Head(NamedTuple):
    """A request without its body. Names of headers are in lower case."""

    method: str
    path: str
    headers: Sequence[tuple[bytes, bytes]]

    def all(self, name: bytes) -> list[bytes]:
        return [value.strip() for key, value in self.headers if key == name]


def refusal(head: Head, door: Door) -> Refusal | None:
    """Why a request is not let in; None: it is. The same for every route, and for those that are none."""
    hosts, origins = head.all(b"host"), head.all(b"origin")
    if len(hosts) != 1 or hosts[0].lower() not in door.hosts:
        return Refusal(421, "This is not the name of this server.")
    if origins and (len(origins) != 1 or origins[0] not in door.origins):
        return Refusal(403, "Pages of other origins are not let in.")
    if any(site not in (b"same-origin", b"none") for site in head.all(b"sec-fetch-site")):
        return Refusal(403, "Pages of other sites are not let in.")
    if not _is_known(head.all(b"authorization"), door.token):
        return Refusal(
            401, "Send the token of this home as `Authorization: Bearer …`.", ((b"www-authenticate", b"Bearer"),)
        )
    allowed = ROUTES.get(head.path)
    if allowed is None:
        return Refusal(404, "There is nothing here.")
    if head.method != allowed:
        return Refusal(405, f"Use {allowed}.", ((b"allow", allowed.encode()),))
    return _refused_body(head) if allowed == "POST" else None


def _is_known(given: Sequence[bytes], token: bytes) -> bool:
    """Compared in one time whatever is given; two tokens are none."""
    kind, _, value = (given[0] if len(given) == 1 else b"").partition(b" ")
    return hmac.compare_digest(value.strip(), token) and kind.lower() == b"bearer"


def _refused_body(head: Head) -> Refusal | None:
    kinds, lengths = head.all(b"content-type"), head.all(b"content-length")
    if len(kinds) != 1 or not _JSON.fullmatch(kinds[0]):
        return Refusal(415, "Send application/json.")
    if any(not length.isdigit() or int(length) > MAX_BODY for length in lengths):
        return Refusal(413, f"At most {MAX_BODY:,} bytes are read.")
    return None


class Allowance:
    """So many requests a second on the average, and as many at once."""

    def __init__(self, a_second: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._a_second = self._left = float(a_second)
        self._clock = clock
        self._at = clock()

    def take(self) -> bool:
        now = self._clock()
        self._left = min(self._a_second, self._left + (now - self._at) * self._a_second)
        self._at = now
        if self._left < 1:
            return False
        self._left -= 1
        return True


class Guard:
    """An ASGI application around another: nothing reaches that one but what may, and whole."""

    def __init__(self, inner: Any, door: Door, allowance: Allowance | None = None) -> None:
        self._inner = inner
        self._door = door
        self._inside = 0
        self._allowance = allowance or Allowance(A_SECOND)
        self.let_in = 0  # how many requests so far

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            await self._inner(scope, receive, send)
            return
        if scope["type"] != "http":  # no web sockets
            return

        async def safely(message: Any) -> None:
            if message["type"] == "http.response.start":
                own = {name for name, _ in HEADERS}
                kept = [pair for pair in message.get("headers", ()) if pair[0].lower() not in own]
                message = {**message, "headers": [*kept, *HEADERS]}
            await send(message)

        refused = refusal(Head(scope["method"], scope["path"], scope["headers"]), self._door)
        if refused is None and self._inside >= IN_FLIGHT:
            refused = Refusal(503, "Too much at once; try again.", ((b"retry-after", b"1"),))
        if refused is None and not self._allowance.take():
            refused = Refusal(429, f"More than {A_SECOND} requests a second; wait.", ((b"retry-after", b"1"),))
        if refused is not None:
            await answer(safely, refused.status, {"error": refused.why}, refused.headers)
            return
        self._inside += 1
        self.let_in += 1
        try:
            await self._admit(scope, receive, safely)
        finally:
            self._inside -= 1

    async def _admit(self, scope: Any, receive: Any, send: Any) -> None:
        import anyio

        try:
            with anyio.fail_after(BODY_SECONDS):
                body = await _body(receive)
        except TimeoutError:
            await answer(send, 408, {"error": "The request did not come in time."})
            return
        if len(body) > MAX_BODY:
            await answer(send, 413, {"error": f"At most {MAX_BODY:,} bytes are read."})
            return
        begun = False

        async def noting(message: Any) -> None:
            nonlocal begun
            begun = True
            await send(message)

        with anyio.move_on_after(WORK_SECONDS) as work:
            await self._inner(scope, _again(body, receive), noting)
        if work.cancelled_caught and not begun:  # the work itself, if it is a write, ends as it would have
            await answer(send, 504, {"error": f"This takes more than {WORK_SECONDS:.0f} s. Ask for less."})


async def _body(receive: Any) -> bytes:
    """All of it, or a little more than is allowed."""
    read = bytearray()
    while len(read) <= MAX_BODY:
        message = await receive()
        read += message.get("body", b"")
        if message["type"] != "http.request" or not message.get("more_body", False):
            break
    return bytes(read)


def _again(body: bytes, receive: Any) -> Any:
    waiting = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Any:
        return waiting.pop() if waiting else await receive()

    return replay


async def answer(
    send: Any, status: int, document: dict[str, Any], headers: Sequence[tuple[bytes, bytes]] = ()
) -> None:
    import json

    body = json.dumps(document, ensure_ascii=False).encode()
    about = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode()), *headers]
    await send({"type": "http.response.start", "status": status, "headers": about})
    await send({"type": "http.response.body", "body": body})
