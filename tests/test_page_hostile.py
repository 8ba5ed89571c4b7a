"""Hostile texts in every place that the page shows, in a real browser: none runs, and none asks another server.

`make campaign-xss` puts in all of them and follows every link.
"""

from __future__ import annotations

import re
import time
from collections import Counter
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit

import pytest

from memoro.page import views
from tests.browser import ServedHome, serve_page, watched_context
from tests.conftest import CAMPAIGN, times
from tests.hostile_page_home import make_hostile
from tests.hostile_texts import CLOBBER, ELSEWHERE, PRODUCT, texts
from tests.sample_home import SampleHome

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser, BrowserContext

SOME = 2  # texts of each family in the short version
PAGES = times(12, 1_000)  # pages that are opened beyond those that the test begins with; all kinds in turn
ASKED = times(2, 10_000)  # texts that are put into addresses

# Runs before every page: whatever a text calls is counted.
HOOKS = """
window.xss = (n) => console.error('EXECUTED ' + n);
for (const name of ['alert', 'confirm', 'prompt', 'print']) window[name] = window.xss;
"""
# What no text may have put into the document, whether it ran or not.
AUDIT = """(clobber) => {
  const found = [];
  const banned = new Set(('iframe object embed applet base style math frame frameset portal foreignobject animate ' +
    'set use image audio video source track img marquee template xmp isindex noembed').split(' '));
  const never = /^on|^style$|^srcdoc$|^formaction$|^ping$|^background$|^hx-on|^data-hx/i;
  for (const one of document.querySelectorAll('*')) {
    const tag = one.tagName.toLowerCase();
    if (banned.has(tag)) found.push(tag);
    if (tag === 'script' && !(one.getAttribute('src') ?? '').startsWith('/static/')) found.push('script');
    if (tag === 'meta' && one.httpEquiv) found.push('meta');
    if (tag === 'link' && !(one.getAttribute('href') ?? '').startsWith('/static/')) found.push('link');
    if (one.id === clobber || one.getAttribute('name') === clobber) found.push('clobbered');
    for (const {name, value} of one.attributes) {
      if (never.test(name)) found.push(tag + ' ' + name);
      if (/^(href|src|action|xlink:href)$/i.test(name)) {
        const to = new URL(value, location.href);
        const isLink = tag === 'a' && ['http:', 'https:', 'mailto:'].includes(to.protocol);
        if (to.origin !== location.origin && !isLink) found.push(tag + ' ' + name + ' ' + value);
      }
    }
  }
  return found;
}"""
LINKS = "() => [...document.querySelectorAll('a[href^=\"/\"]')].map((one) => one.getAttribute('href'))"


class Visitor:
    """Opens pages of a server and keeps what went wrong on them."""

    def __init__(self, context: BrowserContext, served: ServedHome) -> None:
        context.add_init_script(HOOKS)
        self.page = context.new_page()
        self.served = served
        self.wrong: list[str] = []
        self.statuses: Counter[int] = Counter()

    def open(self, path: str) -> list[str]:
        """Open a page, look through it, and return the paths that it links to."""
        answer = self.page.goto(self.served.url(path), wait_until="load")
        assert answer is not None
        while answer.status == 429:
            time.sleep(0.2)
            answer = self.page.goto(self.served.url(path), wait_until="load")
            assert answer is not None
        self.statuses[answer.status] += 1
        if answer.status >= 500:
            self.wrong.append(f"{path}: {answer.status}")
        self.wrong += [f"{path}: {one}" for one in self.page.evaluate(AUDIT, CLOBBER)]
        if PRODUCT in self.page.content():
            self.wrong.append(f"{path}: a template was computed")
        found: list[str] = self.page.evaluate(LINKS)
        return found


def starts() -> list[str]:
    """Every view of the page that needs no part of a path."""
    return [view.path for view in views.all_views() if view.method == "GET" and "{" not in view.path]


def kind_of(path: str) -> str:
    """Pages of one kind differ in a number or in their query."""
    return re.sub(r"\d+", "N", urlsplit(path).path)


def next_path(waiting: list[str], seen: Counter[str]) -> str:
    """The first path of the kind that was opened least often."""
    return min(waiting, key=lambda path: seen[kind_of(path)])


def test_no_hostile_text_runs_or_asks_another_server(
    browser: Browser, sample_home: SampleHome, tmp_path: Path
) -> None:
    hostile = texts(None if CAMPAIGN else SOME)
    sample = sample_home.copy(tmp_path / "hostile")
    make_hostile(sample, hostile)
    with serve_page(sample) as served, watched_context(browser, served) as context:
        visitor = Visitor(context, served)
        waiting = starts() + [one for text in hostile[:ASKED] for one in asking(text)]
        known, opened, most = set(waiting), Counter[str](), len(waiting) + PAGES
        while waiting and opened.total() < most:
            path = next_path(waiting, opened)
            waiting.remove(path)
            opened[kind_of(path)] += 1
            links = [link for link in visitor.open(path) if urlsplit(link).path != "/open"]
            fresh = [link for link in dict.fromkeys(links) if link not in known]
            known.update(fresh)
            waiting += fresh
            if CAMPAIGN and opened.total() % 250 == 0:
                print(f"{opened.total()} of {most} pages, {len(visitor.wrong)} wrong", flush=True)
        visitor.page.close()
        assert visitor.wrong == []
        assert served.log[1:] == [line for line in served.log[1:] if not line.startswith("page:")]
        assert visitor.statuses[200] > 10
    if CAMPAIGN:
        print(f"\n{len(hostile)} texts, {opened.total()} pages, {dict(visitor.statuses)}: 0 ran, 0 asked {ELSEWHERE}")
        print("\n".join(f"{count:5} {kind}" for kind, count in opened.most_common()))


def asking(text: str) -> list[str]:
    """Addresses that carry a text."""
    sent = quote(text.encode("utf-8", "replace"), safe="")
    return [
        f"/search?q={sent}", f"/search?q=hostile&tag={sent}&project={sent}", f"/read?id={sent}", f"/note?name={sent}",
        f"/memories?q={sent}&tag={sent}", f"/{sent}",
    ]  # fmt: skip


def test_the_hooks_of_this_test_see_a_text_that_runs(browser: Browser, served: ServedHome) -> None:
    """Without this, a test that sees nothing would pass."""

    def run(script: str) -> None:
        with watched_context(browser, served) as context:
            visitor = Visitor(context, served)
            visitor.open("/settings")
            visitor.page.evaluate(script)
            assert visitor.page.evaluate(AUDIT, CLOBBER) == []

    with pytest.raises(AssertionError, match="EXECUTED 7"):
        run("() => { alert(7) }")
    with pytest.raises(AssertionError, match="img onerror"):
        run("() => { document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=xss(1)>') }")
