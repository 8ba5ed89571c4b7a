"""Takes the pictures of docs/images anew: the page on an invented home, in the system's Chromium. `make screenshots`.

The home is that of the tests, with a history of some weeks. Paths of this machine are replaced in each picture.
"""

from __future__ import annotations

import base64
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from tests.app_host import AppHost, server_of
from tests.browser import MISSING, ServedHome, chromium, serve_page
from tests.sample_home import NOON, SampleHome, make_sample_home

from memoro.model.proposals import Evidence, StoreMemory, Suggestion
from memoro.model.scope import Scope
from memoro.recall.request import RecallRequest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

    from memoro.workspace import Workspace

IMAGES = Path(__file__).parent.parent / "docs" / "images"
QUALITY = 70  # of WebP: text stays sharp
MOST_BYTES = 1_500_000  # of all pictures together
LAPTOP, PHONE = (1280, 800), (390, 844)
PROMPTS = (
    "How often do we fetch the timetable feed?",
    "Which machine runs the pier board?",
    "Where did we leave off?",
    "thanks!",
    "Who looks after the network of the harbour office?",
)


class Picture(NamedTuple):
    """One picture: the path of the view, and how it is looked at. `click` names a link or button to press before."""

    name: str
    path: str
    size: tuple[int, int] = LAPTOP
    scheme: Literal["light", "dark"] = "light"
    click: str = ""  # a CSS selector


PICTURES = (
    Picture("today", "/"),
    Picture(name="search", path="/search?q=timetable+feed", click="details.why > summary"),
    Picture("memories", "/memories"),
    Picture("memory", "/memories/5", size=(1280, 1040)),
    Picture("experiences", "/experiences"),
    Picture("review", "/review"),
    Picture("timeline", "/timeline"),
    Picture("numbers", "/numbers"),
    Picture(name="settings", path="/settings?q=vectors", click="[id='embedding.provider'] summary"),
    Picture(name="today-phone-dark", path="/", size=PHONE, scheme="dark"),
    Picture(name="search-dark", path="/search?q=timetable+feed", scheme="dark"),
    Picture(name="memories-phone", path="/memories", size=PHONE),
)

IN_A_HOST = "review-in-a-host"  # the page that a host shows inside a conversation


def main() -> None:
    if chromium() is None:
        sys.exit(MISSING)
    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        sample = make_sample_home(Path(folder))
        _search_by_meaning_too(sample)
        _add_history(sample)
        _propose_with_evidence(sample)
        with serve_page(sample) as served, _browser() as browser:
            for picture in PICTURES:
                file = IMAGES / f"{picture.name}.webp"
                file.write_bytes(_taken(picture, served, browser))
                print(f"{file.name}: {file.stat().st_size:,} bytes")
        with _browser() as browser:
            (IMAGES / f"{IN_A_HOST}.webp").write_bytes(_taken_in_a_host(sample, browser))
    total = sum(file.stat().st_size for file in IMAGES.iterdir())
    if total > MOST_BYTES:
        sys.exit(f"The pictures take {total:,} bytes; {MOST_BYTES:,} is the most.")


def _search_by_meaning_too(sample: SampleHome) -> None:
    """The home of the tests searches by words alone, to be quick."""
    file = sample.home / "memoro.toml"
    file.write_text(file.read_text(encoding="utf-8").replace("[embedding]\nenabled = false\n", ""), encoding="utf-8")
    with sample.open(lambda: NOON - timedelta(weeks=12)) as m:
        m.sync()


def _add_history(sample: SampleHome) -> None:
    """Twelve weeks of work with two agents, more of it in each week."""
    for week in range(11, 0, -1):
        for day in range(0, 7, 3 if week > 6 else 2):
            _work(sample, NOON - timedelta(weeks=week) + timedelta(days=day), rounds=1 + (11 - week) // 3)


def _work(sample: SampleHome, now: datetime, rounds: int) -> None:
    with sample.open(lambda: now) as m:
        for number in range(rounds):
            agent = ("claude-code", "codex")[(now.day + number) % 2]
            recaller = m.recaller_in(Scope(agent=agent, project="pier-board"))
            session, prompts = f"{now:%Y-%m-%d}-{number}", PROMPTS[: 3 + (now.day + number) % 3]
            for at, prompt in enumerate(prompts):
                recaller.recall(RecallRequest(f"{prompt} ({at})" if at else prompt, session=session, proactive=True))
        if now > NOON - timedelta(days=5):
            _link(m, f"{now:%Y-%m-%d}-links")


def _link(m: Workspace, session: str) -> None:
    """Memories that were given together and all helped."""
    for one in m.memories.query("timetable feed, pier board, harbour network", session=session).results:
        m.memories.reinforce(one.memory.id, session=session)


def _propose_with_evidence(sample: SampleHome) -> None:
    change = StoreMemory("Tom replaces the display of the pier board in January.", tags=("display",))
    quote = Evidence(
        "Tom brings the new display in January, so let us not order a frame before.",
        date="2026-11-13",
        speaker="user",
    )
    with sample.open(lambda: NOON - timedelta(hours=2)) as m:
        m.proposals.propose(Suggestion(change, (quote,), origin="extraction", score=0.86))


@contextmanager
def _browser() -> Iterator[Browser]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        made = playwright.chromium.launch(
            executable_path=chromium(), args=["--no-sandbox", "--font-render-hinting=none"]
        )
        yield made
        made.close()


def _taken(picture: Picture, served: ServedHome, browser: Browser) -> bytes:
    width, height = picture.size
    context = browser.new_context(
        viewport={"width": width, "height": height}, color_scheme=picture.scheme, reduced_motion="reduce"
    )
    page = context.new_page()
    page.goto(served.link())
    page.goto(served.url(picture.path), wait_until="networkidle")
    if picture.click and page.locator(picture.click).count():
        page.locator(picture.click).first.click()
        page.wait_for_load_state("networkidle")
    _hide_paths(page, served)
    shot = context.new_cdp_session(page).send("Page.captureScreenshot", {"format": "webp", "quality": QUALITY})
    context.close()
    return base64.b64decode(shot["data"])


def _taken_in_a_host(sample: SampleHome, browser: Browser) -> bytes:
    """*Review* as an MCP App, in the small host of the tests."""
    host = AppHost(server_of(sample.home, sample.vault, "--agent", "claude-code"), "proposals")
    with host.running():
        context = browser.new_context(viewport={"width": 760, "height": 700}, reduced_motion="reduce")
        page = context.new_page()
        page.goto(host.address, wait_until="networkidle")
        page.frame_locator("iframe").locator("article").first.wait_for()
        shot = context.new_cdp_session(page).send("Page.captureScreenshot", {"format": "webp", "quality": QUALITY})
        context.close()
    return base64.b64decode(shot["data"])


def _hide_paths(page: Page, served: ServedHome) -> None:
    """Write the folders of the sample as their owner would name them."""
    page.evaluate(
        """(names) => {
            const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
            for (let node; (node = texts.nextNode()); )
                for (const [path, name] of names) node.nodeValue = node.nodeValue.replaceAll(path, name);
        }""",
        [[str(served.home), "~/.memoro"], [str(served.vault), "~/notes"], [str(served.sample.folder), "~"]],
    )


if __name__ == "__main__":
    main()
