"""A browser's visit to the page: let in by a code, forms with and without scripts, and signed out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memoro.page.texts import texts
from tests.browser import ServedHome, axe, watched_context

if TYPE_CHECKING:
    from playwright.sync_api import Browser

t = texts()


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without scripts"])
def test_a_browser_is_let_in_sends_a_form_and_is_signed_out(
    browser: Browser, served: ServedHome, scripts: bool
) -> None:
    with watched_context(browser, served, java_script_enabled=scripts) as context:
        page = context.new_page()
        link = served.link()
        page.goto(link)
        assert page.url == served.url("/")
        cookies = {one["name"]: one for one in context.cookies()}
        (ours,) = [one for name, one in cookies.items() if name.startswith("memoro-")]
        assert ours["httpOnly"] and ours["sameSite"] == "Strict" and ours["path"] == "/"

        page.goto(served.url("/settings"))
        page.get_by_role("button", name=t("base.leave")).click()
        page.get_by_role("heading", name=t("refused.left")).wait_for()
        assert context.cookies() == []

        for address in (served.url("/settings"), link):
            refused = page.goto(address)
            assert refused is not None and refused.status == 401
            assert page.get_by_role("heading").inner_text() == t("refused.title")
        if scripts:
            assert axe(page) == []


def test_a_page_of_another_port_cannot_send_a_form_to_the_page(browser: Browser, served: ServedHome) -> None:
    """Another program of this machine serves a page; browsers send it our cookie, and its forms to us with it."""
    before = served.m.memories.get(1, scope="all")
    form = f"""<form method="post" action="{served.url("/memories/1/remove")}"><input name="csrf" value="x">
    <button>Send</button></form><a href="{served.url("/memories")}">Look</a>"""
    other = served.url("").replace("127.0.0.1", "localhost")
    with watched_context(browser, served) as context:
        context.unroute_all()
        context.route(f"{other}/other", lambda route: route.fulfill(body=form, content_type="text/html"))
        page = context.new_page()
        page.goto(f"{other}/other")
        with page.expect_navigation() as sent:
            page.get_by_role("button").click()
        assert sent.value is not None and sent.value.status in (401, 403)
        page.goto(f"{other}/other")
        with page.expect_navigation() as looked:
            page.get_by_role("link").click()
        assert looked.value is not None and looked.value.status in (401, 403)
    assert served.m.memories.get(1, scope="all") == before
