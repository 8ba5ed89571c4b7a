"""What the page shows while the ledger cannot be read, or Memoro itself is wrong: a page with a sentence, always."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from memoro.errors import VaultMissing
from memoro.page.refusal_page import STYLE
from memoro.page.view import PageRequest, Shown, View
from memoro.workspace import Workspace
from tests.browser import ServedHome
from tests.damage import PAGE, overwrite
from tests.sample_home import SampleHome, ticking
from tests.test_page_access import PUBLIC, Opened, open_page, routes, with_view

if TYPE_CHECKING:
    from playwright.sync_api import Page

PARTIAL = {"hx_request_type": "partial"}
LOOK = "document.dispatchEvent(new Event('visibilitychange'))"  # the page asks at once when it comes into view


def written_over(ledger: Path) -> None:
    ledger.write_bytes(b"damaged")


def removed(ledger: Path) -> None:
    for file in ledger.parent.glob("ledger.db*"):
        file.unlink()


def page_written_over(number: int) -> Callable[[Path], None]:
    return lambda ledger: overwrite(ledger, (number - 1) * PAGE, random.Random(number).randbytes(PAGE))


@pytest.fixture
def sample(sample_home: SampleHome, tmp_path: Path) -> SampleHome:
    return sample_home.copy(tmp_path / "sample")


@pytest.mark.parametrize("damage", [written_over, removed, *map(page_written_over, (1, 2, 3, 5, 9, 20))])
@pytest.mark.parametrize("is_open", [False, True])
def test_every_view_of_a_home_without_a_sound_ledger_is_a_page_and_tells_what_is_wrong(
    sample: SampleHome, damage: Callable[[Path], None], is_open: bool
) -> None:
    if not is_open:
        damage(sample.home / "ledger.db")
    with sample.open(ticking()) as m:
        opened = open_page(m)
        if is_open:
            assert opened.ask("GET", "/memories").status == 200
            damage(sample.home / "ledger.db")
        views = [path for method, path in routes(opened.page) if method == "GET" and path != PUBLIC]
        for path in views:
            found = opened.ask("GET", path)
            assert found.status < 500 or found.status == 503, path
            if found.status == 503:
                assert '<nav id="menu"' in found.text, path
                assert found.text.count("<code>memoro backup restore") == 1, path
        assert opened.lines == []


def test_what_needs_no_ledger_still_answers_and_the_frame_says_what_is_wrong(sample: SampleHome) -> None:
    written_over(sample.home / "ledger.db")
    with sample.open(ticking()) as m:
        opened = open_page(m)
        for path in ("/settings", "/search", "/read?id=MEMORY.md", "/numbers?part=checks"):
            found = opened.ask("GET", path)
            assert found.status == 200, path
            assert "ledger.db is damaged" in found.text.partition('id="trouble"')[2].partition("</p>")[0], path


def test_notes_are_searched_without_the_ledger_and_the_reason_is_told_once(sample: SampleHome) -> None:
    written_over(sample.home / "ledger.db")
    with sample.open(ticking()) as m:
        opened = open_page(m)
        for found in (opened.ask("GET", "/search?q=harbour"), opened.ask("GET", "/search?q=harbour", **PARTIAL)):
            assert found.status == 200 and "<mark>harbour</mark>" in found.text
            shown = found.text.partition("<main")[2] or found.text
            assert shown.count("ledger.db is damaged") == 1
            assert "<code>memoro backup list</code>" in found.text


@pytest.mark.parametrize("path", ["/left-off", "/numbers?part=given"])
def test_a_part_that_cannot_be_loaded_is_replaced_by_the_sentence_alone(sample: SampleHome, path: str) -> None:
    written_over(sample.home / "ledger.db")
    with sample.open(ticking()) as m:
        found = open_page(m).ask("GET", path, **PARTIAL)
    assert found.status == 503
    assert found.text.startswith('<p class="problem"') and found.text.rstrip().endswith("</p>")
    assert "ledger.db is damaged" in found.text


def test_an_error_of_any_view_is_told_in_its_own_words(sample: SampleHome, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_request: PageRequest) -> Shown:
        raise VaultMissing("~/notes", "no such file or directory")

    with sample.open(ticking()) as m:
        opened = with_view(monkeypatch, m, View("/fails", fail))
        found = opened.ask("GET", "/fails")
    assert found.status == 503 and "<code>memoro init FOLDER</code>" in found.text
    assert opened.lines == []


def test_where_the_frame_itself_fails_a_small_page_says_so_within_the_policy(
    sample: SampleHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_m: Workspace, _texts: object) -> None:
        raise ZeroDivisionError("the password is x")

    monkeypatch.setattr("memoro.page.app.live_state", fail)
    with sample.open(ticking()) as m:
        opened: Opened = open_page(m)
        for path in ("/settings", "/nothing", "/live"):
            found = opened.ask("GET", path)
            assert found.status == 500 and "This is a defect of Memoro" in found.text, path
            assert f"<style>{STYLE}</style>" in found.text and "password" not in found.text
    assert len(opened.lines) == 3 and "ZeroDivisionError" in opened.lines[0]


def test_an_open_page_says_when_the_ledger_is_lost_and_when_it_is_back(page: Page, served: ServedHome) -> None:
    page.goto(served.url("/"))
    page.locator("#left-off .card").first.wait_for()
    ledger = served.home / "ledger.db"
    away = ledger.rename(ledger.with_name("away"))

    page.evaluate(LOOK)
    page.locator("#trouble", has_text="ledger.db is missing").wait_for()
    assert "memoro backup restore" in page.locator("#trouble code").first.inner_text()

    away.rename(ledger)
    page.evaluate(LOOK)
    page.locator("#trouble").wait_for(state="hidden")
    assert page.locator("#given article, #given .session").count()
