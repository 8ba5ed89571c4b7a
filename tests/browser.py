"""The page in a real browser: a server on a sample home, the system's Chromium, and what it may never do.

A test takes `page`, which is let in already, and `served`, the server with its home:

    def test_a_memory_is_removed(page: Page, served: ServedHome) -> None:
        page.goto(served.url("/memories"))
        page.get_by_role("button", name="Remove").first.click()
        assert served.open().memories.get(1, …)

Each test has a home of its own. A request to another address, an error in the browser's console and a violation of
the content security policy fail the test.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import threading
from asyncio import _set_running_loop as set_running_loop  # an event loop of another package needs it
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from memoro.serve.http import HttpService
from memoro.serve.services import ServiceContext
from memoro.serve.token import token
from memoro.workspace import Workspace
from tests.sample_home import SampleHome, make_sample_home, ticking

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

__all__ = ["ServedHome", "axe", "browser", "context", "launched", "page", "sample_home", "serve_page", "served"]

NAMES = ("chromium", "chromium-browser", "google-chrome")
MISSING = (
    "No Chromium was found for the tests in a browser. Install it (`apt-get install chromium` on Debian), "
    "or name its file in MEMORO_CHROMIUM."
)
_START_SECONDS = 20.0
_PATIENCE = 10_000  # milliseconds that a click or an expectation waits
LAPTOP = {"width": 1280, "height": 800}


class _Reports:
    """Keeps the lines that the service reports."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.ready = threading.Event()

    def done(self, line: str) -> None:
        self.lines.append(line)

    failed = notice = watching = hooks = done

    def http(self, how: str) -> None:
        self.done(how)
        self.ready.set()

    def request(self) -> None:
        pass


class ServedHome(NamedTuple):
    """A server on a home of its own, on a real port of this machine."""

    sample: SampleHome
    address: str  # http://127.0.0.1:PORT
    m: Workspace  # the one that the server uses; threads share it
    log: list[str]  # the lines that the service reported

    @property
    def home(self) -> Path:
        return self.sample.home

    @property
    def vault(self) -> Path:
        return self.sample.vault

    @property
    def token(self) -> str:
        return token(str(self.home), "admin")

    def url(self, path: str) -> str:
        return self.address + path

    def link(self) -> str:
        """A link with a code that lets one browser in."""
        import json
        from urllib.request import Request, urlopen

        request = Request(self.url("/page/code"), b"{}", method="POST")
        request.add_header("Authorization", f"Bearer {self.token}")
        request.add_header("Content-Type", "application/json")
        with urlopen(request, timeout=_START_SECONDS) as answer:
            return self.address + str(json.load(answer)["path"])


@contextmanager
def serve_page(sample: SampleHome) -> Iterator[ServedHome]:
    """Serve a home over HTTP for the block, at noon of the sample's today."""
    reports, stop = _Reports(), threading.Event()
    with sample.open(ticking()) as m:
        service = HttpService(0, lambda _agent: sample.open(ticking()))
        thread = threading.Thread(target=service.run, args=(ServiceContext(m, stop, reports),), daemon=True)
        thread.start()
        try:
            assert reports.ready.wait(_START_SECONDS), f"The server did not start: {reports.lines}"
            yield ServedHome(sample=sample, address=f"http://127.0.0.1:{service.port}", m=m, log=reports.lines)
        finally:
            stop.set()
            thread.join(_START_SECONDS)


@pytest.fixture(scope="session")
def sample_home(tmp_path_factory: pytest.TempPathFactory) -> SampleHome:
    """The sample that tests copy; nobody changes it."""
    return make_sample_home(tmp_path_factory.mktemp("sample"))


@pytest.fixture
def served(sample_home: SampleHome, tmp_path: Path) -> Iterator[ServedHome]:
    """A server on a copy of the sample home, which the test may change."""
    with serve_page(sample_home.copy(tmp_path / "sample")) as running:
        yield running


def chromium() -> str | None:
    """The file of the system's Chromium."""
    named = os.environ.get("MEMORO_CHROMIUM")
    return named or next((found for name in NAMES if (found := shutil.which(name))), None)


class Launched(NamedTuple):
    """A browser, and the event loop of this thread that drives it."""

    browser: Browser
    loop: asyncio.AbstractEventLoop


@pytest.fixture(scope="session")
def launched() -> Iterator[Launched]:
    """One browser for all tests of a process."""
    file = chromium()
    if file is None:
        if os.environ.get("CI"):
            pytest.fail(MISSING)
        pytest.skip(MISSING)
    from playwright.sync_api import sync_playwright

    playwright = sync_playwright().start()
    loop = asyncio.get_running_loop()
    as_root = ["--no-sandbox"] if os.geteuid() == 0 else []
    made = playwright.chromium.launch(executable_path=file, args=as_root)
    set_running_loop(None)
    yield Launched(made, loop)
    set_running_loop(loop)
    made.close()
    playwright.stop()


@pytest.fixture
def browser(launched: Launched) -> Iterator[Browser]:
    """The browser. Its event loop counts as running only during the test: others start loops of their own."""
    set_running_loop(launched.loop)
    try:
        yield launched.browser
    finally:
        set_running_loop(None)


class Watched:
    """What pages of a context did that none may do: requests to elsewhere, errors, violations of the policy."""

    def __init__(self, context: BrowserContext, address: str) -> None:
        self.elsewhere: list[str] = []
        self.errors: list[str] = []
        self._address = address
        context.route(lambda url: not url.startswith(f"{address}/"), self._refuse)
        context.on("console", lambda message: self._note(message.type, message.text, message.location))
        context.on("weberror", lambda error: self.errors.append(str(error.error)))

    def _refuse(self, route: Any) -> None:
        self.elsewhere.append(route.request.url)
        route.abort()

    def _note(self, kind: str, text: str, location: object) -> None:
        is_status = text.startswith("Failed to load resource: the server responded with a status of")
        if (kind == "error" and not is_status) or "Content Security Policy" in text:
            self.errors.append(f"{text} {location}")

    def check(self) -> None:
        assert not self.elsewhere, f"The page asked other servers: {self.elsewhere}"
        assert not self.errors, f"Errors in the browser: {self.errors}"


@contextmanager
def watched_context(browser: Browser, served: ServedHome, **options: Any) -> Iterator[BrowserContext]:
    """A browser window's own storage, let in by a code. The block fails if a page did what none may do."""
    made = browser.new_context(**{"viewport": LAPTOP, "reduced_motion": "reduce", **options})
    try:
        made.set_default_timeout(_PATIENCE)
        watch = Watched(made, served.address)
        opening = made.new_page()
        opening.goto(served.link())
        opening.close()
        yield made
        made.cookies()  # events before this answer have arrived
        watch.check()
    finally:
        made.close()


@pytest.fixture
def context(browser: Browser, served: ServedHome) -> Iterator[BrowserContext]:
    with watched_context(browser, served) as made:
        yield made


@pytest.fixture
def page(context: BrowserContext) -> Page:
    """A page of the browser, let in by a code."""
    return context.new_page()


class Violation(NamedTuple):
    """A rule of axe that a page breaks."""

    rule: str
    impact: str
    help: str
    where: tuple[str, ...]  # CSS selectors

    def __str__(self) -> str:
        return f"{self.impact}: {self.rule}: {self.help} ({', '.join(self.where[:5])})"


def axe(page: Page, impacts: tuple[str, ...] = ("serious", "critical")) -> list[Violation]:
    """What axe finds wrong with the page as it is shown. It runs beside the page's policy, which forbids scripts."""
    if not page.evaluate("'axe' in window"):
        page.evaluate((files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8"))
    found = page.evaluate("() => axe.run(document, {resultTypes: ['violations']})")
    violations = [
        Violation(
            rule=one["id"],
            impact=one["impact"] or "",
            help=one["help"],
            where=tuple(str(node["target"][0]) for node in one["nodes"]),
        )
        for one in found["violations"]
    ]
    return [one for one in violations if one.impact in impacts]
