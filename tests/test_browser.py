"""The page in a real browser: what the fixtures of `tests/browser.py` promise to every other test of the page."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from tests.browser import ServedHome, axe, watched_context

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


def test_a_browser_that_was_let_in_sees_the_page_without_an_error(page: Page, served: ServedHome) -> None:
    answer = page.goto(served.url("/settings"))
    assert answer is not None and answer.status == 200
    assert page.get_by_role("heading", level=1).is_visible()
    assert axe(page) == []


def test_a_request_to_elsewhere_fails_a_test(browser: Browser, served: ServedHome) -> None:
    with pytest.raises(AssertionError, match="other servers"), watched_context(browser, served) as context:
        page = context.new_page()
        page.goto(served.url("/settings"))
        page.evaluate("() => { location.href = 'http://127.0.0.1:9/elsewhere' }")
        page.wait_for_timeout(200)


def test_a_script_that_the_policy_forbids_fails_a_test(browser: Browser, served: ServedHome) -> None:
    with pytest.raises(AssertionError, match="Content Security Policy"), watched_context(browser, served) as context:
        page = context.new_page()
        page.goto(served.url("/settings"))
        page.evaluate("() => { const s = document.createElement('script'); s.text = '1'; document.body.append(s) }")


def test_a_test_after_one_in_a_browser_has_its_own_event_loop() -> None:
    asyncio.run(asyncio.sleep(0))
