"""Every view of the page: what its first load weighs, when it is painted, and what axe finds, on the sample home.

`python -m benchmarks views` needs Chromium and playwright, as the tests in a browser do. Views with a number in their
path are reached by following the first link of each kind. Axe looks at each view in a narrow and a wide window, in
light and dark colours.
"""

from __future__ import annotations

import gzip
import re
import statistics
import tempfile
from collections import Counter
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple
from urllib.parse import urlsplit

from tests.browser import ServedHome, axe, chromium, serve_page, watched_context
from tests.sample_home import make_sample_home

from benchmarks import measure
from memoro.page import views

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Response

IMPACTS = ("critical", "serious", "moderate", "minor")
WINDOWS = ((390, 844), (1280, 800))
COLOURS: tuple[Literal["light", "dark"], ...] = ("light", "dark")
PAINTS = 5
_NEED_A_QUERY = (
    "/read",
    "/read/forget",
    "/note",
    "/memories/forget",
    "/search/why",
    "/log/undo",
)  # reached by links that carry one
_PAINT = "() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null"
_LINKS = "() => [...document.querySelectorAll('a[href^=\"/\"]')].map((one) => one.getAttribute('href'))"


class MeasuredView(NamedTuple):
    path: str
    page_bytes: int  # of the document alone, packed
    first_load_bytes: int  # with every file that it loads, packed
    requests: int
    paint_ms: float
    found: Counter[str]  # by axe, over all windows and colours, by impact


def run() -> None:
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as place, sync_playwright() as playwright:
        file = chromium()
        if file is None:
            raise SystemExit("No Chromium was found. Install it, or name its file in MEMORO_CHROMIUM.")
        browser = playwright.chromium.launch(executable_path=file, args=["--no-sandbox"])
        with serve_page(make_sample_home(Path(place))) as served:
            found = [_measured(browser, served, path) for path in _paths(browser, served)]
        browser.close()
    header = ["view", "page, bytes packed", "first load, bytes packed", "requests", "first paint ms", *IMPACTS]
    rows = [
        [f"`{_kind(one.path)}`", f"{one.page_bytes:,}", f"{one.first_load_bytes:,}", one.requests, one.paint_ms]
        + [one.found[impact] for impact in IMPACTS]
        for one in found
    ]
    measure.table(header, rows)
    print(f"heaviest first load: {max(one.first_load_bytes for one in found):,} bytes")


def _paths(browser: Browser, served: ServedHome) -> Iterator[str]:
    """One path of each kind of view: those that need no number, and the first link to each of the others."""
    starts = [view.path for view in views.all_views() if view.method == "GET" and "{" not in view.path]
    known = {_kind(path): path for path in starts if path not in _NEED_A_QUERY}
    waiting = [*known.values(), "/search?q=tea"]
    with watched_context(browser, served) as context:
        page = context.new_page()
        while waiting:
            page.goto(served.url(waiting.pop(0)))
            page.wait_for_load_state("networkidle")
            links = [link for link in page.evaluate(_LINKS) if _kind(link) not in known]
            for link in links:
                if known.setdefault(_kind(link), link) == link:
                    waiting.append(link)
    yield from known.values()


def _kind(path: str) -> str:
    return re.sub(r"\d+", "N", urlsplit(path).path)


def _measured(browser: Browser, served: ServedHome, path: str) -> MeasuredView:
    answers: list[Response] = []

    def note(answer: Response) -> None:
        answers.append(answer)

    paints, found = [], Counter[str]()
    for number in range(PAINTS):
        with watched_context(browser, served) as context:  # of its own, so that no file is kept from before
            page = context.new_page()
            if number == 0:
                page.on("response", note)
            paints.append(_open(page, served.url(path)))
            if number == 0:  # while the browser still has them
                sizes = [len(gzip.compress(one.body(), 9)) for one in answers if one.status == 200]
    for (width, height), colours in product(WINDOWS, COLOURS):
        window = {"width": width, "height": height}
        with watched_context(browser, served, viewport=window, color_scheme=colours) as context:
            page = context.new_page()
            _open(page, served.url(path))
            found.update(one.impact for one in axe(page, IMPACTS))
    return MeasuredView(path, sizes[0], sum(sizes), len(sizes), statistics.median(paints), found)


def _open(page: Page, address: str) -> float:
    page.goto(address)
    page.wait_for_load_state("networkidle")
    page.wait_for_function(_PAINT)
    painted: float = page.evaluate(_PAINT)
    return painted
