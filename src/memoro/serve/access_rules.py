"""Decides which HTTP requests are admitted, from the head of a request, before its body is read or work is done.

A page in the owner's browser can send requests to this machine, even under a host name of its own that resolves to
it (DNS rebinding). A page cannot forge `Host` and `Origin`, and it does not have the token.
"""

from __future__ import annotations

import hmac
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

from memoro.hosts import HOOK_AGENTS
from memoro.operations.operation import Access
from memoro.serve.asgi import Headers
from memoro.serve.refusing import Refusal
from memoro.serve.team_tokens import PREFIX

if TYPE_CHECKING:
    from memoro.model.token_holder import TokenHolder

MAX_BODY = 4 * 1024 * 1024
_LONGEST_TOKEN = 300

Method = Literal["GET", "POST"]
HOOKS_PATH, API_PATH = "/hooks/", "/api/"
OPEN_PATH, CODE_PATH = "/open", "/page/code"  # a browser hands in its code; `memoro ui` asks for one
LIVE_PATH = "/live"  # asked every two seconds by a page that is open
STATIC_PATH = "/static/"  # files of the page, without anything of the owner in them
KEPT_BY_BROWSERS = b"private, max-age=31536000, immutable"  # a file whose name changes with its content
MCP_PATH, HEALTH_PATH = "/mcp", "/health"
READY_PATH = "/ready"  # for whoever sends the traffic; needs no token, and says yes or no
METRICS_PATH = "/metrics"
FAVICON_PATH = "/favicon.ico"  # browsers ask for it by themselves, also beside a page that refuses them
ROUTES: Mapping[str, Method] = {
    MCP_PATH: "POST",
    HEALTH_PATH: "GET",
    METRICS_PATH: "GET",
    CODE_PATH: "POST",
    **dict.fromkeys((f"{HOOKS_PATH}{agent}" for agent in HOOK_AGENTS), "POST"),
}
# The scope that a path needs where it is not `write`, which hosts of agents have. Whoever may open the page owns all.
SCOPES: Mapping[str, Access] = {HEALTH_PATH: "read", CODE_PATH: "admin", METRICS_PATH: "admin"}
_RANKS: Mapping[Access, int] = {"read": 0, "write": 1, "admin": 2}


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
    metrics_token: bytes = b""  # for METRICS_PATH alone
    proxy_hosts: frozenset[bytes] = frozenset()  # names under which a proxy is reached; the page is not served there
    takes_own_address: bool = False  # the address that a connection came to is a name, too: probes use it
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

    def with_tokens(self, *, read: str, admin: str, metrics: str = "") -> AccessRules:
        """The same rules, with the tokens of the other two scopes, and that for the metrics."""
        return self._replace(read_token=read.encode(), admin_token=admin.encode(), metrics_token=metrics.encode())

    def with_proxy(self, names: Iterable[str], *, takes_own_address: bool) -> AccessRules:
        """The same rules, for a server that clients reach over HTTPS by these names of its proxy."""
        named = [name.lower().encode() for name in names]
        hosts = frozenset(named) | {name + b":443" for name in named if b":" not in name}
        origins = frozenset(b"https://" + name for name in named)
        return self._replace(
            hosts=self.hosts | hosts,
            origins=self.origins | origins,
            proxy_hosts=hosts,
            takes_own_address=takes_own_address,
        )

    def with_page(self, cookie: str, is_let_in: Callable[[str], bool]) -> AccessRules:
        """The same rules, with the page for browsers that have its cookie."""
        return self._replace(cookie=cookie, is_let_in=is_let_in)


class RequestHead(NamedTuple):
    """A request without its body. Names of headers are in lower case."""

    method: str
    path: str
    headers: Headers
    own_address: bytes = b""  # that the connection came to, with its port

    def all(self, name: bytes) -> list[bytes]:
        return [value.strip() for key, value in self.headers if key == name]


def refusal(head: RequestHead, rules: AccessRules, holder: TokenHolder | None = None) -> Refusal | None:
    """Return why a request is refused; None if it is admitted. All paths are checked alike, unknown ones too.

    `holder` is that of the team token that was sent.
    """
    refused = sender_refusal(head, rules)
    if refused is not None or head.path in (READY_PATH, FAVICON_PATH):
        return refused or _method_refusal(head, "GET")
    granted = granted_scope(head, rules) if holder is None else scope_of(holder)
    if granted is None:
        return _page_refusal(head, rules) if _is_of_page(head, rules) else _token_refusal(head)
    if head.path.startswith(API_PATH):  # the API itself knows its paths, their methods and who may use them
        return _body_refusal(head, _JSON) if head.method == "POST" else None
    allowed = ROUTES.get(head.path)
    if allowed is None:
        return Refusal(404, "There is nothing at this path.")
    if head.method != allowed:
        return _method_refusal(head, allowed)
    if holder is not None and head.path != MCP_PATH:
        return Refusal(403, "The tokens of people and agents open the API and MCP alone.")
    needed = SCOPES.get(head.path, "write")
    if not includes(granted, needed):
        return Refusal(403, f"This path needs the token for {needed}; yours is for {granted}.")
    return _body_refusal(head, _JSON) if allowed == "POST" else None


def sender_refusal(head: RequestHead, rules: AccessRules) -> Refusal | None:
    """Return why whoever sends this is refused, by what no page can forge; no token is looked at."""
    hosts, origins = head.all(b"host"), head.all(b"origin")
    own = {head.own_address} if rules.takes_own_address and head.own_address else frozenset()
    if len(hosts) != 1 or hosts[0].lower() not in rules.hosts | own:
        return Refusal(421, "This server has another name.")
    if origins and (len(origins) != 1 or origins[0] not in rules.origins):
        return Refusal(403, "Pages of other origins are refused.")
    if any(site not in (b"same-origin", b"none") for site in head.all(b"sec-fetch-site")):
        return Refusal(403, "Pages of other sites are refused.")
    return None


def _method_refusal(head: RequestHead, allowed: Method) -> Refusal | None:
    if head.method == allowed:
        return None
    return Refusal(405, f"Use {allowed}.", ((b"allow", allowed.encode()),))


def _is_of_page(head: RequestHead, rules: AccessRules) -> bool:
    """Return whether a browser asks for the page, which is served on this machine alone."""
    is_local = head.all(b"host")[0].lower() not in rules.proxy_hosts
    return bool(rules.cookie) and is_local and not is_for_programs(head.path)


def scope_of(holder: TokenHolder) -> Access | None:
    """The highest scope of a team token; None where it has none that we know."""
    found = [scope for scope in _RANKS if scope in holder.scopes]
    return found[-1] if found else None


def includes(granted: Access, needed: Access) -> bool:
    """Return whether a token of one scope may do what needs another."""
    return _RANKS[granted] >= _RANKS[needed]


def granted_scope(head: RequestHead, rules: AccessRules) -> Access | None:
    """Return the scope of the token that was sent; None without one. Two `Authorization` headers count as none."""
    tokens: tuple[tuple[Access, bytes], ...] = (
        ("admin", rules.admin_token), ("write", rules.token), ("read", rules.read_token),
    )  # fmt: skip
    if rules.metrics_token and head.path == METRICS_PATH:
        tokens = (*tokens, ("admin", rules.metrics_token))
    values = head.all(b"authorization")
    found = [scope for scope, token in tokens if _is_authorized(values, token)]  # all of them, in constant time
    return found[0] if found else None


def is_for_programs(path: str) -> bool:
    """Return whether a path is for programs, which send a token. All other paths are the page's."""
    return path in ROUTES or path == READY_PATH or path.startswith((API_PATH, HOOKS_PATH))


def _page_refusal(head: RequestHead, rules: AccessRules) -> Refusal | None:
    """Return why a browser is refused. It needs the page's cookie, or a code that it hands in for one."""
    if head.path == OPEN_PATH:
        return _method_refusal(head, "GET")
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


def _token_refusal(head: RequestHead) -> Refusal:
    """Whoever sent a token learns that it is refused, and not whether it ever was one."""
    values = head.all(b"authorization")
    kind, _, value = (values[0] if len(values) == 1 else b"").partition(b" ")
    return _TOKEN_REFUSED if kind.lower() == b"bearer" and value.strip() else _NO_TOKEN


def team_token(head: RequestHead) -> str | None:
    """The token of a person or an agent that was sent; None where there is none."""
    values = head.all(b"authorization")
    kind, _, value = (values[0] if len(values) == 1 else b"").partition(b" ")
    token = value.strip().decode("latin-1")
    is_one = kind.lower() == b"bearer" and token.startswith(PREFIX) and len(token) <= _LONGEST_TOKEN
    return token if is_one else None


def _body_refusal(head: RequestHead, media_type: re.Pattern[bytes]) -> Refusal | None:
    types, lengths = head.all(b"content-type"), head.all(b"content-length")
    if len(types) != 1 or not media_type.fullmatch(types[0]):
        return Refusal(415, "Send application/json." if media_type is _JSON else "Send the fields of a form.")
    if any(not length.isdigit() or int(length) > MAX_BODY for length in lengths):
        return TOO_LONG
    return None


_NO_TOKEN = Refusal(
    401, "Send the token of this home as `Authorization: Bearer …`.", ((b"www-authenticate", b"Bearer"),)
)
_TOKEN_REFUSED = Refusal(
    401,
    "This token is unknown, has ended or was revoked. Ask whoever gave it to you.",
    ((b"www-authenticate", b"Bearer"),),
    title="Token refused",
)
TOO_LONG = Refusal(413, f"Send at most {MAX_BODY:,} bytes.")
