"""The frame of the page in a real browser: keys, notice and undo, colours, what is new, and axe on every view."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

import memoro
from memoro.page import views
from memoro.page.static_files import static_files
from tests.browser import ServedHome, axe, serve_page, watched_context
from tests.sample_home import SampleHome, ticking

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize

MENU = [item.path for item in views.menu()]
ITEMS = """document.querySelector("main").innerHTML = [1, 2, 3].map(
    (one) => `<article data-item tabindex="-1"><a href="/settings?opened=${one}">${one}</a></article>`).join("")"""
PHONE: ViewportSize = {"width": 375, "height": 812}
LAPTOP: ViewportSize = {"width": 1280, "height": 800}
FILES_BYTES = sum(len(file.packed) for file in static_files().values())
LOOK = "document.dispatchEvent(new Event('visibilitychange'))"  # the page asks at once when it comes into view


def test_keys_search_show_help_and_go_to_views_but_never_while_typing(page: Page, served: ServedHome) -> None:
    page.goto(served.url("/settings"))

    page.keyboard.press("?")
    assert page.locator("dialog#help").is_visible()
    page.keyboard.press("Escape")
    assert not page.locator("dialog#help").is_visible()

    page.keyboard.press("/")
    page.keyboard.type("j?gm/")
    assert page.locator("#find").input_value() == "j?gm/"
    assert not page.locator("dialog#help").is_visible()
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement === document.body")

    page.goto(served.url("/nothing"))
    page.keyboard.press("g")
    page.keyboard.press(",")
    page.wait_for_url("**/settings")


def test_j_and_k_move_between_items_and_enter_opens_one(page: Page, served: ServedHome) -> None:
    page.goto(served.url("/settings"))
    page.evaluate(ITEMS)
    items = page.locator("[data-item]")

    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("k")
    assert items.first.evaluate("item => item === document.activeElement")

    page.keyboard.press("Enter")
    page.wait_for_url("**/settings?opened=1")


def test_the_chosen_colours_stay_without_a_flash(page: Page, served: ServedHome) -> None:
    page.emulate_media(color_scheme="light")
    page.goto(served.url("/settings"))
    ground = "getComputedStyle(document.documentElement).backgroundColor"
    light = page.evaluate(ground)

    page.locator("#theme").select_option("dark")
    page.reload()

    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    assert page.evaluate(ground) != light
    assert page.locator("#theme").input_value() == "dark"


def test_a_recall_of_another_process_appears_without_loading_the_page_again(page: Page, served: ServedHome) -> None:
    page.goto(served.url("/"))
    page.evaluate("window.isTheSame = true")

    with memoro.open(served.home, served.vault, agent="codex", clock=ticking()) as other:
        other.prompt("which tea does the crew drink on the pier?", session="one more")
    page.evaluate(LOOK)

    page.get_by_text("which tea does the crew drink on the pier?").first.wait_for()
    assert page.evaluate("window.isTheSame")


def test_a_page_shows_how_far_a_sync_has_come_and_when_the_server_is_gone(
    page: Page, served: ServedHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memoro.page.live.QUICK_SECONDS", 0.0)
    page.goto(served.url("/settings"))

    with served.m.indexing.running.noting(None, None) as noted:
        noted.progress(1204, 10_000)
        page.evaluate(LOOK)
        page.get_by_text("1,204 of 10,000").wait_for(state="attached")
        assert page.locator("#activity progress").evaluate("bar => bar.position") == pytest.approx(0.12, abs=0.01)
    page.evaluate(LOOK)
    page.locator("#activity progress").wait_for(state="detached")

    page.route("**/live?*", lambda route: route.fulfill(status=200))  # an answer that is not Memoro's
    page.evaluate(LOOK)
    page.get_by_text("Memoro is not running").wait_for()
    page.unroute("**/live?*")
    page.evaluate(LOOK)
    page.get_by_text("Memoro is not running").wait_for(state="detached")


def test_a_page_of_an_earlier_start_says_how_to_get_a_new_link_and_stops_asking(
    page: Page, context: BrowserContext, served: ServedHome
) -> None:
    page.goto(served.url("/settings"))
    context.clear_cookies()  # as after a restart, the server knows no session of this browser
    page.evaluate(LOOK)
    page.get_by_text("The link of this page has ended").wait_for()
    assert page.locator("#activity code").inner_text() == "memoro ui"
    assert page.get_by_text("Memoro is not running").count() == 0

    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.evaluate(LOOK)
    page.wait_for_timeout(2500)
    assert asked == []


@pytest.fixture(scope="module")
def shown(sample_home: SampleHome, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedHome]:
    """A server that every view is only looked at on."""
    with serve_page(sample_home.copy(tmp_path_factory.mktemp("shown"))) as running:
        yield running


def test_the_log_fits_a_phone(browser: Browser, shown: ServedHome) -> None:
    with watched_context(browser, shown, viewport=PHONE) as context:
        page = context.new_page()
        page.goto(shown.url("/log"), wait_until="load")
        assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")


@pytest.mark.parametrize("path", MENU)
def test_a_view_is_light_fits_a_phone_and_axe_finds_nothing_serious(
    browser: Browser, shown: ServedHome, path: str
) -> None:
    """A first load is 60,000 bytes at most, packed: files are sent so, and the page itself is packed here."""
    with watched_context(browser, shown, viewport=PHONE, color_scheme="dark") as context:
        page = context.new_page()
        answer = page.goto(shown.url(path), wait_until="load")

        assert answer is not None and answer.status == 200
        assert len(gzip.compress(answer.body())) + FILES_BYTES <= 60_000
        assert page.get_by_role("heading", level=1).count() == 1
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "it scrolls sideways"
        assert axe(page) == []
        page.set_viewport_size(LAPTOP)
        page.emulate_media(color_scheme="light")
        assert page.locator("#menu [aria-current]").is_visible()
        assert axe(page) == []


def test_a_form_is_sent_and_undone_by_a_key_without_a_jump(page: Page, served: ServedHome) -> None:
    page.goto(served.url("/"))
    page.locator("#left-off .card").first.wait_for()
    page.evaluate("window.isTheSame = true")
    button = page.get_by_role("button", name="Wrong").last
    button.scroll_into_view_if_needed()
    before = page.evaluate("scrollY")

    button.click()
    page.locator(".notice").wait_for()

    assert before > 0
    assert page.evaluate("scrollY") == before
    assert page.evaluate("window.isTheSame")
    sentence = page.locator(".notice p").inner_text()
    page.keyboard.press("u")
    page.locator(".notice", has_text=sentence).wait_for(state="detached")
    assert page.evaluate("scrollY") == before
    page.get_by_role("button", name="Dismiss").click()
    page.locator(".notice").wait_for(state="detached")
