"""Who gets in: every route of the page refuses every request that is not one of its own browser's.

The routes are those of the application itself, so that a new view is covered without a line here.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import re
from collections.abc import Coroutine, Iterator, Sequence
from itertools import product
from typing import Any, NamedTuple
from urllib.parse import urlencode

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from memoro.page.access import CODE_SECONDS, SESSION_SECONDS, PageAccess
from memoro.page.app import Page, own_path
from memoro.page.refusal_page import STYLE
from memoro.page.view import Done, PageRequest, Shown, View
from memoro.serve.access_rules import CODE_PATH, AccessRules, RequestHead, refusal
from memoro.serve.asgi import AsgiApp, AsgiMessage
from memoro.serve.guard import HEADERS, REFUSAL_STYLE, Guard
from memoro.serve.limits import RateLimit
from memoro.workspace import Workspace
from tests.sample_home import SampleHome, ticking

PORT, COOKIE = 7391, "memoro-7391"
HOST, OTHER_NAME = f"127.0.0.1:{PORT}", f"localhost:{PORT}"
ORIGIN = f"http://{HOST}"
PUBLIC = "/open"  # where a browser without a cookie hands in its code


class Answered(NamedTuple):
    status: int
    headers: dict[str, str]
    text: str


class Opened(NamedTuple):
    """The page behind its guard, with one browser that was let in."""

    app: AsgiApp
    page: Page
    rules: AccessRules
    cookie: str
    csrf: str
    access: PageAccess
    lines: list[str]

    def ask(self, method: str, path: str, body: str = "", **changed: str | None) -> Answered:
        """A request of the page's own browser, but for the headers that are changed; None leaves one out."""
        form = {"content-type": "application/x-www-form-urlencoded", "origin": ORIGIN} if method == "POST" else {}
        given = {"host": HOST, "cookie": f"{COOKIE}={self.cookie}", "sec-fetch-site": "same-origin", **form}
        given |= {name.replace("_", "-"): value for name, value in changed.items()}  # type: ignore[misc]
        return run(answered(self.app, method, path, [(k, v) for k, v in given.items() if v is not None], body))


def run(coroutine: Coroutine[Any, Any, Answered]) -> Answered:
    return asyncio.run(coroutine)


async def answered(
    app: AsgiApp, method: str, path: str, headers: Sequence[tuple[str, str]], body: str = ""
) -> Answered:
    sent: list[AsgiMessage] = []
    waiting: list[AsgiMessage] = [{"type": "http.request", "body": body.encode(), "more_body": False}]

    async def receive() -> AsgiMessage:
        return waiting.pop() if waiting else {"type": "http.disconnect"}

    async def send(message: AsgiMessage) -> None:
        sent.append(message)

    bare, _, query = path.partition("?")
    scope: Any = {
        "type": "http", "method": method, "path": bare, "raw_path": bare.encode(), "query_string": query.encode(),
        "headers": [(name.encode(), value.encode()) for name, value in headers], "http_version": "1.1",
        "scheme": "http", "server": ("127.0.0.1", PORT), "client": ("127.0.0.1", 1), "root_path": "",
    }  # fmt: skip
    await app(scope, receive, send)
    text = b"".join(message.get("body", b"") for message in sent[1:]).decode("utf-8", "replace")
    found = {name.decode().lower(): value.decode() for name, value in sent[0]["headers"]}
    return Answered(sent[0]["status"], found, text)


def open_page(m: Workspace) -> Opened:
    access, lines = PageAccess(), list[str]()
    cookie = access.let_in(access.new_code())
    assert cookie is not None
    session = access.session(cookie)
    assert session is not None
    rules = AccessRules.local(PORT, "t" * 64).with_page(COOKIE, lambda value: access.session(value) is not None)
    page = Page(m, access, COOKIE, lines.append)
    guard = Guard(page.app(), rules, limit=RateLimit(1_000_000))
    return Opened(app=guard, page=page, rules=rules, cookie=cookie, csrf=session.csrf, access=access, lines=lines)


@pytest.fixture(scope="module")
def m(sample_home: SampleHome, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    with sample_home.copy(tmp_path_factory.mktemp("access") / "sample").open(ticking()) as opened:
        yield opened


@pytest.fixture
def opened(m: Workspace) -> Opened:
    return open_page(m)


def routes(page: Page) -> list[tuple[str, str]]:
    """Every method and path of the page, with values in place of the parts that a path names."""
    found = []
    for route in page.app().routes:
        path = re.sub(r"\{\w+(:\w+)?\}", "1", route.path)
        found += [(method, path) for method in sorted(route.methods or ()) if method != "HEAD"]
    return found


# What a request may say, the right value first. A tuple stands for a header that is sent twice.
HOSTS: tuple[Any, ...] = (HOST, None, "page.example", f"127.0.0.1:{PORT + 1}", f"{HOST}.page.example", (HOST, HOST))
ORIGINS: tuple[Any, ...] = (
    ORIGIN, None, "null", "http://page.example", f"https://{HOST}", f"http://127.0.0.1:{PORT + 1}",
    f"http://{OTHER_NAME}", (ORIGIN, ORIGIN),
)  # fmt: skip
SITES: tuple[Any, ...] = ("same-origin", None, "none", "same-site", "cross-site", ("same-origin", "cross-site"))
COOKIES: tuple[Any, ...] = ("{}={}", None, "{}=", "{}=wrong", "{0}={1}; {0}={1}", "other={1}")


def is_right(method: str, host: Any, origin: Any, site: Any, cookie: Any) -> bool:
    """Return whether the page's own browser may send this; everything else must be refused."""
    if host != HOST or cookie != COOKIES[0]:
        return False
    if method == "POST":
        return origin == ORIGIN and site in ("same-origin", None)
    return origin in (ORIGIN, None, f"http://{OTHER_NAME}") and site in ("same-origin", "none", None)


def test_no_route_admits_a_request_that_is_not_of_its_own_browser(opened: Opened) -> None:
    checked = 0
    for (method, path), (host, origin, site, cookie) in product(
        routes(opened.page), product(HOSTS, ORIGINS, SITES, COOKIES)
    ):
        sent = {"host": host, "origin": origin, "sec-fetch-site": site}
        sent["cookie"] = cookie and cookie.format(COOKIE, opened.cookie)
        pairs = [
            (name.encode(), one.encode())
            for name, value in sent.items()
            for one in (value if isinstance(value, tuple) else (value,))
            if one is not None
        ]
        headers = (*pairs, (b"content-type", b"application/x-www-form-urlencoded"))
        refused = refusal(RequestHead(method, path, headers), opened.rules)
        wants_code = path == PUBLIC and host == HOST and is_right(method, host, origin, site, COOKIES[0])
        if path == CODE_PATH or not (is_right(method, host, origin, site, cookie) or wants_code):
            checked += 1
            assert refused is not None and refused.status in (401, 403, 421), (method, path, sent)
        else:
            assert refused is None, (method, path, sent, refused)
    assert checked > 1_000 * len(routes(opened.page))


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE", "OPTIONS", "HEAD", "TRACE", "CONNECT"])
def test_no_other_method_is_admitted(opened: Opened, method: str) -> None:
    for _, path in routes(opened.page):
        assert opened.ask(method, path, origin=ORIGIN).status in (401, 405), path


def test_no_form_is_carried_out_without_its_csrf_token(opened: Opened, m: Workspace) -> None:
    before = exported(m)
    posts = [path for method, path in routes(opened.page) if method == "POST" and path != CODE_PATH]
    wrong = ("", "csrf=", "csrf=wrong", f"csrf={opened.csrf}x", urlencode({"csrf": "é"}), f"x={opened.csrf}")
    for path, body in product(posts, (*wrong, f"csrf={opened.csrf}&csrf=x", "a=1&" * 20_000 + f"csrf={opened.csrf}")):
        found = opened.ask("POST", path, body)
        assert found.status == 403 and "Nothing was changed" in found.text, (path, body[:80])
    for path in posts:
        assert opened.ask("POST", path, "{}", content_type="application/json").status == 415
        assert opened.ask("POST", path, "x", content_type="multipart/form-data; boundary=x").status == 415
        assert opened.ask("POST", path, "x", content_length=str(10**9)).status == 413
    assert exported(m) == before


def test_looking_at_every_view_changes_nothing(opened: Opened, m: Workspace) -> None:
    before = exported(m)
    for method, path in routes(opened.page):
        if method == "GET" and path != PUBLIC:
            assert opened.ask("GET", path).status < 500, path
    assert exported(m) == before
    assert opened.lines == []


def exported(m: Workspace) -> str:
    """All that the ledger holds."""
    lines: list[str] = []
    m.export(lines.append)
    return "".join(line for line in lines if '"exported_at"' not in line)


def test_a_stranger_reads_a_sentence_and_a_program_gets_json(opened: Opened) -> None:
    page = opened.ask("GET", "/", cookie=None, accept="text/html,*/*")
    assert page.status == 401 and page.headers["content-type"].startswith("text/html")
    assert "memoro ui" in page.text and "<h1>" in page.text
    program = opened.ask("GET", "/", cookie=None, accept="*/*")
    assert program.status == 401 and program.headers["content-type"] == "application/json"
    other_site = opened.ask("GET", "/", sec_fetch_site="cross-site", accept="text/html")
    assert other_site.status == 403 and "other sites" in other_site.text
    for one in (page, program, other_site):
        assert "unsafe" not in one.headers["content-security-policy"] and "no-store" in one.headers["cache-control"]


def test_a_code_lets_one_browser_in_once_with_a_cookie_that_scripts_and_other_sites_do_not_have(
    opened: Opened,
) -> None:
    code = opened.access.new_code()
    first = opened.ask("GET", f"/open?code={code}", cookie=None, sec_fetch_site="none")
    assert (first.status, first.headers["location"]) == (303, "/")
    name, _, rest = first.headers["set-cookie"].partition("=")
    assert name == COOKIE
    assert [one.strip().lower() for one in rest.split(";")[1:]] == ["httponly", "path=/", "samesite=strict"]
    again = opened.ask("GET", f"/open?code={code}", cookie=None, sec_fetch_site="none")
    assert again.status == 401 and "set-cookie" not in again.headers and "memoro ui" in again.text
    assert opened.ask("GET", "/open", cookie=None).status == 401


def test_a_browser_can_be_signed_out(opened: Opened) -> None:
    assert opened.ask("POST", "/leave", "csrf=wrong").status == 403
    assert opened.ask("GET", "/settings").status == 200
    left = opened.ask("POST", "/leave", f"csrf={opened.csrf}")
    assert left.status == 200 and "max-age=0" in left.headers["set-cookie"].lower()
    assert opened.ask("GET", "/settings").status == 401


@pytest.mark.parametrize(
    "address",
    ["//page.example", "/\\page.example", "https://page.example/", "javascript:alert(1)", "", "x", "/a\nb", "/a\tb"],
)
def test_the_page_sends_a_browser_to_no_other_address(address: str) -> None:
    assert own_path(address) == ""
    assert own_path("/memories?tag=a#b") == "/memories?tag=a#b"


def with_view(monkeypatch: pytest.MonkeyPatch, m: Workspace, *more: View) -> Opened:
    from memoro.page import views

    known = views.all_views()
    monkeypatch.setattr(views, "all_views", lambda: (*known, *more))
    return open_page(m)


def test_a_form_goes_back_to_the_page_that_it_was_on_and_nowhere_else(
    m: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = with_view(monkeypatch, m, View("/done", lambda _request: Done("It is done."), "POST"))

    def goes_to(**headers: str) -> str:
        return opened.ask("POST", "/done", f"csrf={opened.csrf}", **headers).headers["location"]

    assert goes_to(referer=f"{ORIGIN}/settings?a=1") == "/settings?a=1"
    assert goes_to(hx_current_url=f"{ORIGIN}/settings") == "/settings"
    assert goes_to() == goes_to(referer="http://page.example/x") == goes_to(hx_current_url="//page.example/x") == "/"
    assert goes_to(referer=f"{ORIGIN}//page.example") == goes_to(referer=f"{ORIGIN}/\\page.example") == "/"
    assert goes_to(referer="http://[") == "/"
    assert "It is done." in opened.ask("GET", "/settings").text
    assert "It is done." not in opened.ask("GET", "/settings?notice=It+is+done.").text


def test_a_view_that_fails_shows_a_page_without_details_and_leaves_one_line(
    m: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_request: PageRequest) -> Shown:
        raise ZeroDivisionError("the password is x")

    views = (View("/fails", fail), View("/no-template", lambda _request: Shown("settings.html", {})))
    opened = with_view(monkeypatch, m, *views)
    for path in ("/fails", "/no-template"):
        found = opened.ask("GET", path)
        assert found.status == 500 and "This is a defect of Memoro" in found.text
        assert "password" not in found.text and "Traceback" not in found.text
    assert opened.lines[0] == "page: GET /fails failed (ZeroDivisionError: the password is x)"
    assert len(opened.lines) == 2


class AccessMachine(RuleBasedStateMachine):
    """Codes and sessions against a model: a code opens once within a minute, a session lasts twelve hours."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 1000.0
        self.access = PageAccess(lambda: self.now)
        self.codes: dict[str, float] = {}  # that wait -> until when
        self.spent: list[str] = []
        self.cookies: dict[str, float] = {}

    @rule()
    def ask_for_a_code(self) -> None:
        self.codes[self.access.new_code()] = self.now + CODE_SECONDS
        while len(self.codes) > 16:
            self.spent.append(oldest := next(iter(self.codes)))
            del self.codes[oldest]

    @precondition(lambda self: self.codes)
    @rule(data=st.data())
    def hand_a_code_in(self, data: st.DataObject) -> None:
        code = list(self.codes)[data.draw(st.integers(0, len(self.codes) - 1))]
        until = self.codes.pop(code)
        self.spent.append(code)
        cookie = self.access.let_in(code)
        assert (cookie is not None) == (self.now <= until)
        if cookie is not None:
            self.cookies[cookie] = self.now + SESSION_SECONDS

    @rule(made_up=st.text(max_size=50))
    def hand_in_what_is_no_code(self, made_up: str) -> None:
        for one in (made_up, *self.spent, *self.cookies):
            assert self.access.let_in(one) is None
            assert self.access.session(one) is None or one in self.cookies

    @precondition(lambda self: self.cookies)
    @rule(data=st.data())
    def leave(self, data: st.DataObject) -> None:
        cookie = list(self.cookies)[data.draw(st.integers(0, len(self.cookies) - 1))]
        self.access.leave(cookie)
        del self.cookies[cookie]
        assert self.access.session(cookie) is None

    @rule(seconds=st.sampled_from([0.5, 59.0, 60.0, 61.0, 3600.0, SESSION_SECONDS]))
    def wait(self, seconds: float) -> None:
        self.now += seconds

    @invariant()
    def the_right_browsers_are_let_in(self) -> None:
        for cookie, until in self.cookies.items():
            assert (self.access.session(cookie) is not None) == (self.now <= until)


TestAccess = AccessMachine.TestCase


def test_the_policy_admits_the_style_of_the_refusal_page_and_no_other() -> None:
    digest = base64.b64encode(hashlib.sha256(STYLE.encode()).digest())
    policy = dict(HEADERS)[b"content-security-policy"]

    assert b"'sha256-" + digest + b"'" == REFUSAL_STYLE
    assert b"style-src 'self' " + REFUSAL_STYLE + b";" in policy
    assert b"unsafe" not in policy
