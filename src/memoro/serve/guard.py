"""Decides which HTTP requests are admitted, from the head of a request, before its body is read or work is done.

A page in the owner's browser can send requests to this machine, even under a host name of its own that resolves to
it (DNS rebinding). A page cannot forge `Host` and `Origin`, and it does not have the token.
"""

from __future__ import annotations

import hmac
import re
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Literal, NamedTuple

from memoro.hosts import HOOK_AGENTS
from memoro.operations.operation import Access
from memoro.page.refusal_page import refusal_page
from memoro.serve.asgi import AsgiApp, AsgiMessage, AsgiScope, Headers, Receive, Send
from memoro.serve.connections import MOST_CONNECTIONS, ConnectionTable

MAX_BODY = 4 * 1024 * 1024
IN_FLIGHT = 64  # more than any number of agents sends at once
HEALTH_CHECKS = 4  # at once, beyond those: a server that is busy must not pass for one that is ill
BODY_SECONDS = 30.0  # within which the body must arrive
WORK_SECONDS = 30.0  # after which the client is told that its request takes too long
REQUESTS_A_SECOND = 100  # of one token, on average, and as many at once

Method = Literal["GET", "POST"]
HOOKS_PATH, API_PATH = "/hooks/", "/api/"
HEALTH_PATH = "/health"
OPEN_PATH, CODE_PATH = "/open", "/page/code"  # a browser hands in its code; `memoro ui` asks for one
LIVE_PATH = "/live"  # asked every two seconds by a page that is open
STATIC_PATH = "/static/"  # files of the page, without anything of the owner in them
KEPT_BY_BROWSERS = b"private, max-age=31536000, immutable"  # a file whose name changes with its content
ROUTES: Mapping[str, Method] = {
    "/mcp": "POST",
    HEALTH_PATH: "GET",
    CODE_PATH: "POST",
    **dict.fromkeys((f"{HOOKS_PATH}{agent}" for agent in HOOK_AGENTS), "POST"),
}
# The scope that a path needs where it is not `write`, which hosts of agents have. Whoever may open the page owns all.
SCOPES: Mapping[str, Access] = {HEALTH_PATH: "read", CODE_PATH: "admin"}
_RANKS: Mapping[Access, int] = {"read": 0, "write": 1, "admin": 2}

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

_CHARSET = rb'(?:\s*;\s*charset="?utf-8"?)?'
_JSON = re.compile(rb"application/json" + _CHARSET, re.IGNORECASE)
_FORM = re.compile(rb"application/x-www-form-urlencoded" + _CHARSET, re.IGNORECASE)


class AccessRules(NamedTuple):
    """The values of headers with which a request is admitted."""

    hosts: frozenset[bytes]
    origins: frozenset[bytes]
    token: bytes  # for `write`
    read_token: bytes = b""  # empty: there is none
    admin_token: bytes = b""
    cookie: str = ""  # the name of the page's cookie
    is_let_in: Callable[[str], bool] = lambda _cookie: False  # whether the page knows this cookie

    @staticmethod
    def local(port: int, token: str) -> AccessRules:
        """The rules for a server on this machine."""
        names = (f"127.0.0.1:{port}", f"localhost:{port}", f"[::1]:{port}")
        return AccessRules(
            hosts=frozenset(name.encode() for name in names),
            origins=frozenset(f"http://{name}".encode() for name in names),
            token=token.encode(),
        )

    def with_tokens(self, *, read: str, admin: str) -> AccessRules:
        """The same rules, with the tokens of the other two scopes."""
        return self._replace(read_token=read.encode(), admin_token=admin.encode())

    def with_page(self, cookie: str, is_let_in: Callable[[str], bool]) -> AccessRules:
        """The same rules, with the page for browsers that have its cookie."""
        return self._replace(cookie=cookie, is_let_in=is_let_in)


class Refusal(NamedTuple):
    status: int
    why: str
    headers: tuple[tuple[bytes, bytes], ...] = ()


class RequestHead(NamedTuple):
    """A request without its body. Names of headers are in lower case."""

    method: str
    path: str
    headers: Headers

    def all(self, name: bytes) -> list[bytes]:
        return [value.strip() for key, value in self.headers if key == name]


def refusal(head: RequestHead, rules: AccessRules) -> Refusal | None:
    """Return why a request is refused; None if it is admitted. All paths are checked alike, unknown ones too."""
    hosts, origins = head.all(b"host"), head.all(b"origin")
    if len(hosts) != 1 or hosts[0].lower() not in rules.hosts:
        return Refusal(421, "This server has another name.")
    if origins and (len(origins) != 1 or origins[0] not in rules.origins):
        return Refusal(403, "Pages of other origins are refused.")
    if any(site not in (b"same-origin", b"none") for site in head.all(b"sec-fetch-site")):
        return Refusal(403, "Pages of other sites are refused.")
    granted = granted_scope(head, rules)
    if granted is None:
        return _page_refusal(head, rules) if rules.cookie and not is_for_programs(head.path) else _NO_TOKEN
    if head.path.startswith(API_PATH):  # the API itself knows its paths, their methods and who may use them
        return _body_refusal(head, _JSON) if head.method == "POST" else None
    allowed = ROUTES.get(head.path)
    if allowed is None:
        return Refusal(404, "There is nothing at this path.")
    if head.method != allowed:
        return Refusal(405, f"Use {allowed}.", ((b"allow", allowed.encode()),))
    needed = SCOPES.get(head.path, "write")
    if not includes(granted, needed):
        return Refusal(403, f"This path needs the token for {needed}; yours is for {granted}.")
    return _body_refusal(head, _JSON) if allowed == "POST" else None


def includes(granted: Access, needed: Access) -> bool:
    """Return whether a token of one scope may do what needs another."""
    return _RANKS[granted] >= _RANKS[needed]


def granted_scope(head: RequestHead, rules: AccessRules) -> Access | None:
    """Return the scope of the token that was sent; None without one. Two `Authorization` headers count as none."""
    tokens: tuple[tuple[Access, bytes], ...] = (
        ("admin", rules.admin_token), ("write", rules.token), ("read", rules.read_token),
    )  # fmt: skip
    values = head.all(b"authorization")
    found = [scope for scope, token in tokens if _is_authorized(values, token)]  # all of them, in constant time
    return found[0] if found else None


def is_for_programs(path: str) -> bool:
    """Return whether a path is for programs, which send a token. All other paths are the page's."""
    return path in ROUTES or path.startswith((API_PATH, HOOKS_PATH))


def _page_refusal(head: RequestHead, rules: AccessRules) -> Refusal | None:
    """Return why a browser is refused. It needs the page's cookie, or a code that it hands in for one."""
    if head.path == OPEN_PATH:
        return None if head.method == "GET" else Refusal(405, "Use GET.", ((b"allow", b"GET"),))
    if not rules.is_let_in(_cookie(head, rules.cookie)):
        return Refusal(401, "Open this page with `memoro ui`, which lets your browser in.")
    if head.method not in ("GET", "POST"):
        return Refusal(405, "Use GET or POST.", ((b"allow", b"GET, POST"),))
    if head.method == "GET":
        return None
    if head.all(b"origin") != [b"http://" + head.all(b"host")[0].lower()] or b"none" in head.all(b"sec-fetch-site"):
        return Refusal(403, "A form must come from the page itself.")
    return _body_refusal(head, _FORM)


def is_of_browser(head: RequestHead) -> bool:
    """Return whether a person reads the answer: a browser that asks for a page."""
    return not is_for_programs(head.path) and any(b"text/html" in value for value in head.all(b"accept"))


def _cookie(head: RequestHead, name: str) -> str:
    """The value of a cookie; a name that is there twice counts as absent."""
    pairs = [pair.strip().partition(b"=") for line in head.all(b"cookie") for pair in line.split(b";")]
    values = [value for key, _, value in pairs if key == name.encode()]
    return values[0].decode("latin-1") if len(values) == 1 else ""


def _is_authorized(values: Sequence[bytes], token: bytes) -> bool:
    kind, _, value = (values[0] if len(values) == 1 else b"").partition(b" ")
    return hmac.compare_digest(value.strip(), token) and kind.lower() == b"bearer" and bool(token)


def _body_refusal(head: RequestHead, media_type: re.Pattern[bytes]) -> Refusal | None:
    types, lengths = head.all(b"content-type"), head.all(b"content-length")
    if len(types) != 1 or not media_type.fullmatch(types[0]):
        return Refusal(415, "Send application/json." if media_type is _JSON else "Send the fields of a form.")
    if any(not length.isdigit() or int(length) > MAX_BODY for length in lengths):
        return _TOO_LONG
    return None


_NO_TOKEN = Refusal(
    401, "Send the token of this home as `Authorization: Bearer …`.", ((b"www-authenticate", b"Bearer"),)
)
_TOO_LONG = Refusal(413, f"Send at most {MAX_BODY:,} bytes.")
_BUSY = Refusal(503, "Too many requests at once; try again.", ((b"retry-after", b"1"),))
_TOO_FAST = Refusal(429, f"More than {REQUESTS_A_SECOND} requests a second; wait.", ((b"retry-after", b"1"),))


class RateLimit:
    """Admits so many requests a second on average, and as many at once."""

    def __init__(self, requests_a_second: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate = self._left = float(requests_a_second)
        self._clock = clock
        self._at = clock()

    def take(self) -> bool:
        now = self._clock()
        self._left = min(self._rate, self._left + (now - self._at) * self._rate)
        self._at = now
        if self._left < 1:
            return False
        self._left -= 1
        return True


class Guard:
    """An ASGI application around another, which sees only admitted requests, with their whole body."""

    def __init__(
        self,
        inner: AsgiApp,
        rules: AccessRules,
        limit: RateLimit | None = None,
        connections: ConnectionTable | None = None,
    ) -> None:
        """`connections` learns which connections belong to clients with the token, and when they run a request."""
        self._inner = inner
        self._rules = rules
        self._running = 0
        self._limit = limit  # one for all tokens; None: one for each
        self._limits: dict[Access | Literal["health"] | None, RateLimit] = {}
        self._connections = ConnectionTable(MOST_CONNECTIONS) if connections is None else connections

    async def __call__(self, scope: AsgiScope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._inner(scope, receive, send)
            return
        if scope["type"] != "http":  # no web sockets
            return
        safe_send = _with_headers(send, scope["path"])
        head = RequestHead(scope["method"], scope["path"], scope["headers"])
        granted = granted_scope(head, self._rules)
        refused = self._refusal(head, granted)
        if refused is not None:
            if is_of_browser(head):
                await refuse_browser(safe_send, refused)
            else:
                await refuse(safe_send, refused, is_problem=head.path.startswith(API_PATH))
            return
        if granted is not None:
            scope = {**scope, "granted": granted}
        self._running += 1
        try:
            with self._connections.running(scope.get("client"), time.monotonic):
                await self._admit(scope, receive, safe_send)
        finally:
            self._running -= 1

    def _refusal(self, head: RequestHead, granted: Access | None) -> Refusal | None:
        refused = refusal(head, self._rules)
        if refused is not None:
            return refused
        is_health = head.path == HEALTH_PATH
        if self._running >= IN_FLIGHT + (HEALTH_CHECKS if is_health else 0):
            return _BUSY
        return None if self._limit_of("health" if is_health else granted).take() else _TOO_FAST

    def _limit_of(self, whose: Access | Literal["health"] | None) -> RateLimit:
        """The limit of a token; browsers with the page's cookie share one, and checks of health another."""
        return self._limit or self._limits.setdefault(whose, RateLimit(REQUESTS_A_SECOND))

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
            await refuse(send, _TOO_LONG, is_problem=is_problem)
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


_TITLES = {
    401: "No token", 403: "Not allowed", 404: "Nothing there", 405: "Another method", 408: "Too slow",
    413: "Too long", 415: "Another media type", 421: "Another server", 429: "Too many requests",
    503: "Too many requests at once", 504: "Too much work",
}  # fmt: skip


async def refuse(send: Send, refused: Refusal, *, is_problem: bool = False) -> None:
    """Answer with the reason: to callers of the API as a problem document, to all others as an `error`."""
    if not is_problem:
        await answer(send, refused.status, {"error": refused.why}, refused.headers)
        return
    title = _TITLES[refused.status]
    problem = {"type": title.lower().replace(" ", "-"), "title": title, "status": refused.status}
    headers = (*refused.headers, (b"content-type", b"application/problem+json"))
    await answer(send, refused.status, {**problem, "detail": refused.why}, headers)


async def refuse_browser(send: Send, refused: Refusal) -> None:
    """Refuse with a page that says in a sentence what to do."""
    body = refusal_page(refused.status, refused.why).encode()
    described = [(b"content-type", b"text/html; charset=utf-8"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": refused.status, "headers": [*described, *refused.headers]})
    await send({"type": "http.response.body", "body": body})


async def answer(send: Send, status: int, document: Mapping[str, object], headers: Headers = ()) -> None:
    import json

    from memoro.model.output_filter import OutputFilter

    body = json.dumps(OutputFilter().value(document), ensure_ascii=False).encode()
    kind = () if any(name == b"content-type" for name, _ in headers) else ((b"content-type", b"application/json"),)
    described = [*kind, (b"content-length", str(len(body)).encode()), *headers]
    await send({"type": "http.response.start", "status": status, "headers": described})
    await send({"type": "http.response.body", "body": body})
