"""The view of settings: what it shows, what it changes on disk, and what it leaves to the command line."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memoro
from memoro.config import keys
from memoro.errors import NeedsCommandLine
from memoro.page.rendering import render
from memoro.page.view import Answer, Done, Fields, PageRequest, Shown
from memoro.page.views.settings import SettingGroup, SettingRow, change, settings
from memoro.serve.http import HttpService
from memoro.serve.process import ServeOptions, serve
from memoro.workspace import Workspace
from tests.browser import ServedHome, axe
from tests.conftest import wait_for

if TYPE_CHECKING:
    from playwright.sync_api import Page

FILE = """# my own words
[query]
max_results = 8  # more than usual

[agents.claude.query]
max_results = 3
"""
AROUND = {"live": None, "csrf": "c", "here": "/settings", "menu": (), "notice": None, "query": Fields()}


@pytest.fixture
def m(tmp_path: Path) -> Iterator[Workspace]:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    (home / "memoro.toml").write_text(FILE)
    with memoro.open(home) as opened:
        yield opened


def shown(answer: Answer) -> dict[str, SettingRow]:
    assert isinstance(answer, Shown)
    groups = answer.values["groups"]
    assert isinstance(groups, tuple)
    return {row.key: row for group in groups if isinstance(group, SettingGroup) for row in group.rows}


def html(answer: Answer) -> str:
    assert isinstance(answer, Shown)
    return render(answer.template, {**answer.values, **AROUND, "static": _AnyFile()})


class _AnyFile(dict[str, str]):
    def __missing__(self, name: str) -> str:
        return f"/static/{name}"


def post(m: Workspace, key: str, *pairs: tuple[str, str]) -> Answer:
    return change(PageRequest(m, path={"key": key}, form=Fields(pairs)))


def on_disk(m: Workspace) -> str:
    return (Path(m.home) / "memoro.toml").read_text()


def test_every_setting_is_shown_with_value_default_origin_and_meaning(m: Workspace) -> None:
    rows = shown(settings(PageRequest(m)))
    assert set(rows) == set(keys())
    row = rows["query.max_results"]
    assert (row.value, row.default, row.origin, row.is_set) == ("8", "6", "memoro.toml", True)
    assert row.scoped[0] == ("agents.claude", "3")
    assert "how many results" in row.meaning
    assert "How many results" in html(settings(PageRequest(m)))


def test_a_change_keeps_the_comments_of_the_file_and_offers_the_value_before(m: Workspace) -> None:
    done = post(m, "query.max_results", ("value", "12"), ("q", "results"))
    assert isinstance(done, Done)
    assert done.to == "/settings?q=results&changed=query.max_results&before=8#query.max_results"
    assert on_disk(m) == FILE.replace("= 8 ", "= 12 ")
    after = Fields((("changed", "query.max_results"), ("before", "8")))
    row = shown(settings(PageRequest(m, query=after)))["query.max_results"]
    assert (row.value, row.back_to) == ("12", ("8",))
    post(m, "query.max_results", ("value", "8"))
    assert on_disk(m) == FILE


def test_a_reset_takes_the_key_out_of_the_file(m: Workspace) -> None:
    done = post(m, "query.max_results", ("reset", "yes"), ("value", "9"))
    assert isinstance(done, Done)
    assert "6" in done.sentence
    assert "max_results = 8" not in on_disk(m)
    assert "# my own words" in on_disk(m)


def test_a_value_that_does_not_fit_is_refused_beside_its_field_and_not_lost(m: Workspace) -> None:
    answer = post(m, "query.max_results", ("value", "9000"))
    assert isinstance(answer, Shown)
    assert answer.status == 400
    row = shown(answer)["query.max_results"]
    assert row.control is not None
    assert row.control.typed == ("9000",)
    assert "from 1 to 200" in row.error
    page = html(answer)
    assert 'aria-describedby="error-query.max_results"' in page
    assert 'id="error-query.max_results"' in page
    assert on_disk(m) == FILE


def test_switches_choices_and_lists_are_typed(m: Workspace) -> None:
    assert isinstance(post(m, "sync.on_search", ("value", "false")), Done)
    assert isinstance(post(m, "recall.warnings", ("value", "false"), ("value", "true")), Done)
    assert isinstance(post(m, "query.mode", ("value", "words")), Done)
    assert isinstance(post(m, "query.sources", ("value", "notes"), ("value", "memories")), Done)
    rows = shown(settings(PageRequest(m)))
    found = {key: rows[key].value for key in ("sync.on_search", "recall.warnings", "query.mode", "query.sources")}
    assert list(found.values()) == ["false", "true", "words", "notes, memories"]


def test_no_source_chosen_is_refused_with_a_sentence(m: Workspace) -> None:
    answer = post(m, "query.sources")
    assert isinstance(answer, Shown)
    assert "some of notes" in shown(answer)["query.sources"].error


@pytest.mark.parametrize("key", ["llm.url", "embedding.provider", "vault.path", "privacy.agents", "usage.daily_cap"])
def test_what_is_not_safe_shows_its_command_and_is_refused(m: Workspace, key: str) -> None:
    row = shown(settings(PageRequest(m)))[key]
    assert row.control is None
    assert row.command.startswith(f"memoro config set {key} ")
    with pytest.raises(NeedsCommandLine):
        post(m, key, ("value", "x"))
    with pytest.raises(NeedsCommandLine):
        post(m, key, ("reset", "yes"))
    assert on_disk(m) == FILE


def test_a_filter_finds_by_name_meaning_and_group(m: Workspace) -> None:
    assert len(shown(settings(PageRequest(m, query=Fields((("q", "half life"),)))))) == 2
    found = shown(settings(PageRequest(m, query=Fields((("q", "half fresh"),)))))
    assert set(found) == {"query.half_life_days"}
    nothing = settings(PageRequest(m, query=Fields((("q", "zzz"),))))
    assert "No setting has these words" in html(nothing)


@given(st.text(max_size=40), st.text(max_size=40))
def test_any_text_in_the_address_is_shown_as_text(search: str, before: str) -> None:
    with memoro.open(":memory:") as m:
        query = Fields((("q", search), ("changed", "query.mode"), ("before", f"<script>{before}")))
        assert "<script>" not in html(settings(PageRequest(m, query=query))).replace("<script defer", "")


def test_no_client_is_refused_while_the_settings_change(tmp_path: Path) -> None:
    home, stop = tmp_path / "home", threading.Event()
    service = HttpService(0, lambda _client: memoro.open(home))
    lines: list[str] = []
    options = ServeOptions(wait=lambda _s: stop.wait(0.05), print_line=lines.append, print_error=lines.append)
    thread = threading.Thread(target=lambda: serve(lambda: memoro.open(home), [service], options))
    thread.start()
    try:
        assert wait_for(lambda: any("http:" in line for line in lines))
        (home / "memoro.toml").write_text("[recall]\nbudget = 1000\n")
        before = len(lines)
        assert wait_for(lambda: _connects(service.port) and any("http:" in line for line in lines[before:]))
    finally:
        stop.set()
        thread.join(20)
    with pytest.raises(ConnectionRefusedError):
        _connects(service.port)


def _connects(port: int) -> bool:
    """Raises where nobody listens."""
    with socket.create_connection(("127.0.0.1", port), timeout=10):
        return True


def test_a_refused_setting_is_not_scrolled_under_the_header(page: Page, served: ServedHome) -> None:
    """Below 64rem the header stays at the top of the window, above what a browser scrolls to."""
    page.set_viewport_size({"width": 1000, "height": 700})
    page.goto(served.url("/settings"))
    field = page.locator('[id="daily.prompt_lines"]').get_by_role("spinbutton")
    field.fill("")
    field.evaluate("field => { field.blur(); scrollTo(0, field.getBoundingClientRect().bottom + scrollY) }")
    field.evaluate("field => field.form.requestSubmit()")  # the browser refuses an empty one, and shows the field
    page.wait_for_function("field => document.activeElement === field", arg=field.element_handle())
    header, shown = page.locator(".top").bounding_box(), field.bounding_box()
    assert header is not None and shown is not None
    assert shown["y"] >= header["y"] + header["height"]


def test_a_change_of_a_setting_is_undone_by_its_key_even_if_the_file_had_no_value(
    page: Page, served: ServedHome
) -> None:
    from playwright.sync_api import expect

    file = served.home / "memoro.toml"
    assert "max_results" not in file.read_text()
    page.goto(served.url("/settings"))
    setting = page.locator("article", has_text="query.max_results")
    for value in ("12", "13"):
        setting.get_by_role("spinbutton").fill(value)
        setting.get_by_role("spinbutton").press("Enter")
        expect(page.get_by_text(f"query.max_results is {value} now.")).to_be_visible()
    page.keyboard.press("u")
    expect(page.get_by_text("query.max_results is 12 now.")).to_be_visible()
    setting.get_by_role("button", name="Back to the default").click()
    expect(page.get_by_text("query.max_results has its default again")).to_be_visible()
    setting.get_by_role("spinbutton").fill("14")
    setting.get_by_role("spinbutton").press("Enter")
    expect(page.get_by_text("query.max_results is 14 now.")).to_be_visible()
    page.keyboard.press("u")
    expect(page.get_by_text("query.max_results has its default again")).to_be_visible()
    assert "max_results" not in file.read_text()


def test_a_person_changes_a_setting_and_takes_it_back(page: Page, served: ServedHome) -> None:
    from playwright.sync_api import expect

    file = served.home / "memoro.toml"
    file.write_text(f"# my own words\n{file.read_text()}")
    before = file.read_text()
    page.goto(served.url("/settings"))
    page.get_by_label("Find a setting").fill("how many results")
    setting = page.locator("article", has_text="query.max_results")
    expect(page.locator("article")).to_have_count(1)
    setting.get_by_role("spinbutton").fill("12")
    setting.get_by_role("button", name="Save").click()
    expect(page.get_by_text("query.max_results is 12 now.")).to_be_visible()
    assert "max_results = 12" in file.read_text()
    assert file.read_text().startswith("# my own words\n")
    setting.get_by_role("button", name="Back to the default").click()
    expect(page.get_by_text("query.max_results has its default again")).to_be_visible()
    assert file.read_text().removesuffix("\n[query]\n") == before
    page.goto(served.url("/settings"))
    url = page.locator('[id="llm.url"]')
    url.get_by_text("Change it with a command").click()
    expect(url.get_by_text("memoro config set llm.url VALUE")).to_be_visible()
    expect(url.locator("form")).to_have_count(0)
    assert axe(page) == []
