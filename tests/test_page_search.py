"""Search and reading in the page: results while somebody types, opened at the passage, corrected on the spot."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

import pytest

import memoro
from memoro.page.rendering import render
from memoro.page.search_fields import fields_of
from memoro.page.view import Done, Fields, PageRequest, Shown
from memoro.page.views import reading, searching
from tests.browser import ServedHome, axe
from tests.sample_home import SampleHome, ticking

if TYPE_CHECKING:
    from playwright.sync_api import Page

LOG = "@claude/projects/pier-board/5b2c1f0a-7d3e-4c1a-9e55-2f6a8b0d1c11.jsonl"


@pytest.fixture(scope="module")
def m(sample_home: SampleHome, tmp_path_factory: pytest.TempPathFactory) -> Iterator[memoro.Workspace]:
    with sample_home.copy(tmp_path_factory.mktemp("search") / "sample").open(ticking()) as opened:
        yield opened


def _asked(m: memoro.Workspace, **fields: str) -> PageRequest:
    return PageRequest(m=m, query=Fields(tuple(fields.items())))


def _html(shown: Shown | Done, part: str = "") -> str:
    assert isinstance(shown, Shown)
    values = {"csrf": "c", "here": "/search", "menu": (), "notice": None, "live": None, "query": Fields()}
    static = dict.fromkeys(("style.css", "htmx.js", "page.js", "theme.js", "icon.svg"), "")
    return render(shown.template, {**shown.values, **values, "static": static}, part)


def _search(m: memoro.Workspace, **fields: str) -> str:
    return _html(searching.search(_asked(m, **fields)), "results")


def test_a_result_shows_its_words_marked_and_opens_where_they_stand(m):
    html = _search(m, q="force push")

    assert "<mark>force</mark> <mark>push</mark> is allowed only" in html
    address = re.search(r'data-open href="([^"]+)"', html)
    assert address and parse_qs(urlsplit(address[1].replace("&amp;", "&")).query)["q"] == ["force push"]
    assert address[1].endswith("#opened")


def test_text_of_notes_stays_text(m):
    assert "&lt;zzzzqqq&gt;" in _search(m, q="<zzzzqqq>")
    assert "<script>" not in _search(m, q="<script>alert(1)</script> force")


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"q": "database", "kind": "note"}, "one_note"),
        ({"q": "database", "tier": "procedural"}, "PROCEDURAL.md"),
        ({"q": "kanazawa", "path": "travel/"}, "travel/"),
        ({"q": "kanazawa", "tag": "japan"}, "travel/"),
        ({"q": "timetable feed", "project": "pier-board", "kind": "transcript"}, LOG),
        ({"q": "kanazawa", "since": "2026-10-01"}, "2026-10-"),
        ({"q": "kanazawa", "mode": "words", "weak": "1"}, "kanazawa"),
    ],
)
def test_a_filter_narrows_the_results_and_can_be_taken_back(m, fields, expected):
    html = _search(m, **fields)
    without = [one.without for one in fields_of(Fields(tuple(fields.items()))).filters()]

    assert expected in html or expected == "one_note"
    assert '<article class="card' in html
    assert all(address.replace("&", "&amp;") in html for address in without)


def test_several_names_are_divided_by_commas_and_the_address_is_short():
    fields = fields_of(Fields((("q", " tea "), ("tag", "a, b"), ("kind", ""), ("other", "x"), ("kind", "note"))))

    assert fields.pairs == (("q", "tea"), ("kind", "note"), ("tag", "a"), ("tag", "b"))
    assert fields.address() == "/search?q=tea&kind=note&tag=a&tag=b"
    assert fields.address(q="") == "/search?kind=note&tag=a&tag=b"
    assert [one.without for one in fields.filters()][1] == "/search?q=tea&kind=note&tag=b"


@pytest.mark.parametrize("fields", [{"since": "the day after never"}, {"kind": "tea"}, {"mode": "magic"}])
def test_a_filter_that_is_not_understood_is_answered_by_a_sentence(m, fields):
    assert 'role="alert"' in _search(m, q="tea", **fields)


def test_nothing_found_says_what_to_try(m):
    assert "/search?q=zzzzqqq" in _search(m, q="zzzzqqq", tag="japan")
    assert "zzzzqqq" in _search(m, q="zzzzqqq")
    assert "/search?q=last%20week" in _search(m)


def test_more_results_come_on_request(m):
    shown = searching.search(_asked(m, q="the"))

    assert isinstance(shown, Shown) and shown.values["more"] == "/search?q=the&n=20"


def test_the_parts_of_a_score_are_shown_to_those_who_ask(m):
    html = _search(m, q="force push")
    hit = next(iter(m.search("force push", scope="all").results))

    assert "<svg" not in html
    assert "<svg" in _search(m, q="force push", why="1")
    assert "<svg" in _html(searching.why(_asked(m, q="force push", id=hit.id)), "why")
    assert "<svg" not in _html(searching.why(_asked(m, q="force push", id="note:gone")), "why")


def test_a_note_is_read_with_its_contents_and_what_else_it_says(m):
    html = _html(reading.read(_asked(m, id="travel/kanazawa-trip.md:10-20", q="kanazawa")))

    assert 'id="opened"' in html and "Contents" in html and "Also in this note" in html
    assert "/read?id=travel%2Fkanazawa-trip.md%3A" in html


def test_a_passage_whose_note_has_changed_opens_the_note_and_says_so(m):
    html = _html(reading.read(_asked(m, id="note:people/haruka.md#00000000.1")))

    assert "has changed" in html and "ceramics" in html


def test_a_note_that_is_gone_says_so_and_offers_a_search(m):
    shown = reading.read(_asked(m, id="travel/never-written.md"))

    assert isinstance(shown, Shown) and shown.status == 404
    assert "/search?q=never%20written" in _html(shown)


@pytest.mark.parametrize(
    ("target", "place"), [("memory:3", "/memories/3"), ("experience:2", "/experiences/2"), ("", "/search")]
)
def test_what_the_ledger_keeps_has_a_page_of_its_own(m, target, place):
    assert reading.read(_asked(m, id=target)) == Done("", place)


def test_a_conversation_is_read_turn_by_turn(m):
    hit = m.search("timetable", kind="transcript", scope="all").results[0]
    html = _html(reading.read(_asked(m, id=hit.id)))

    assert html.count('id="opened"') == 1
    assert "<strong>User</strong>" in html and "/read/forget?id=transcript" in html


def test_a_long_conversation_is_read_by_pages_and_a_long_message_by_itself(tmp_path):
    import json

    logs = tmp_path / "logs"
    logs.mkdir()
    said = [("user", f"message number {n} about tea") for n in range(60)]
    said[30] = ("user", "kettle " + "word " * 3000)
    lines = [
        {"type": who, "timestamp": "2026-11-01T10:00:00Z", "uuid": f"u{n}", "sessionId": "s",
         "message": {"role": who, "content": text}}
        for n, (who, text) in enumerate(said)
    ]  # fmt: skip
    (logs / "s.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (tmp_path / "vault").mkdir()
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "memoro.toml").write_text(
        f"[embedding]\nenabled = false\n[transcripts]\nfolders = {json.dumps([str(logs)])}\n"
    )
    with memoro.open(tmp_path / "home", tmp_path / "vault") as m:
        hit = m.search("kettle", kind="transcript").results[0]
        middle = reading.read(_asked(m, id=f"transcript:{hit.path}:31"))
        whole = reading.read(_asked(m, id=f"transcript:{hit.path}"))
        assert isinstance(middle, Shown) and isinstance(whole, Shown)
        turns = middle.values["turns"]
        assert isinstance(turns, list) and len(turns) == 2 * reading.TURNS + 1
        assert middle.values["earlier"] and middle.values["later"] and not whole.values["earlier"]
        opened = next(turn for turn in turns if turn.text.startswith("kettle"))
        alone = parse_qs(urlsplit(opened.whole).query)
        assert opened.is_opened and len(opened.text) < 7000
        shown = reading.read(_asked(m, **{name: values[0] for name, values in alone.items()}))
        assert len(_html(shown)) > 15_000


def test_typing_brings_results_that_open_at_the_hit(page: Page, served: ServedHome) -> None:
    page.goto(served.url("/search"))
    page.locator("#q").press_sequentially("force pus")
    page.locator("#results mark", has_text="push").first.wait_for()
    page.wait_for_url(re.compile(r"/search\?q=force\+pus$"))
    assert axe(page) == []

    page.locator("details.why summary").first.click()
    page.locator("details.why svg").first.wait_for()

    page.locator("#results a[data-open]").first.click()
    page.locator("#opened").wait_for()
    assert page.locator("h1").inner_text() == "Rules"
    assert axe(page) == []
    page.go_back()
    assert page.locator("#q").input_value() == "force pus"


def test_a_filter_is_set_and_taken_back_by_clicks(page: Page, served: ServedHome) -> None:
    page.goto(served.url("/search?q=kanazawa"))
    page.get_by_text("Filters", exact=True).click()
    page.get_by_label("Daily notes").check()
    page.wait_for_url(re.compile("tier=daily"))
    page.locator("#results .path", has_text="daily/").first.wait_for()
    assert page.locator("#results .path").filter(has_not_text="daily/").count() == 0
    page.get_by_role("link", name="Remove the filter For").click()
    page.locator("#results .path", has_text="travel/").first.wait_for()
    assert "tier" not in page.url


def test_an_entry_is_edited_removed_and_forgotten_down_to_the_file(page: Page, served: ServedHome) -> None:
    rules = served.vault / "PROCEDURAL.md"
    page.goto(served.url("/read?id=PROCEDURAL.md"))
    entry = page.locator("article.entry", has_text="A force push is allowed")
    entry.get_by_text("Edit").click()
    entry.get_by_role("textbox").fill("Never force push.")
    entry.get_by_role("button", name="Save").click()
    page.locator(".notice", has_text="was changed").wait_for()
    assert "- Never force push. ^f0rcep" in rules.read_text()

    page.get_by_role("button", name="Undo").click()
    page.locator("article.entry", has_text="A force push is allowed").wait_for()
    assert "- A force push is allowed" in rules.read_text()

    page.locator("article.entry", has_text="A force push").get_by_role("button", name="Remove").click()
    page.locator(".notice", has_text="was removed").wait_for()
    assert "force push" not in rules.read_text()

    page.locator("article.entry", has_text="Never commit to").get_by_role("link", name="Forget").click()
    page.get_by_text("This cannot be undone").wait_for()
    page.get_by_role("button", name="Forget it for good").click()
    page.locator(".notice", has_text="forgotten").wait_for()
    assert "Never commit" not in rules.read_text()


def test_an_entry_that_was_changed_meanwhile_is_not_overwritten_and_the_words_are_kept(
    page: Page, served: ServedHome
) -> None:
    rules = served.vault / "PROCEDURAL.md"
    page.goto(served.url("/read?id=PROCEDURAL.md"))
    entry = page.locator("article.entry").filter(has=page.locator('input[name="id"][value="f0rcep"]'))
    entry.get_by_text("Edit").click()
    entry.get_by_role("textbox").fill("Never force push.")
    text = rules.read_text()
    line = next(one for one in text.splitlines() if one.endswith(" ^f0rcep"))
    rules.write_text(text.replace(line, "- Force pushes are for Ines. ^f0rcep"))
    entry.get_by_role("button", name="Save").click()

    entry.get_by_text("has changed since it was read").wait_for()
    assert "- Force pushes are for Ines. ^f0rcep" in rules.read_text(), "what was saved meanwhile stays"
    assert entry.get_by_role("textbox").input_value() == "Never force push.", "and so do the person's words"
    assert entry.locator(".prose", has_text="Force pushes are for Ines.").is_visible()
    assert axe(page) == []

    entry.get_by_role("button", name="Save").click()  # now they have seen it
    page.locator(".notice", has_text="was changed").wait_for()
    assert "- Never force push. ^f0rcep" in rules.read_text()


def test_an_entry_that_is_gone_when_its_edit_is_saved_leaves_the_typed_words(page: Page, served: ServedHome) -> None:
    rules = served.vault / "PROCEDURAL.md"
    page.goto(served.url("/read?id=PROCEDURAL.md"))
    entry = page.locator("article.entry").filter(has=page.locator('input[name="id"][value="f0rcep"]'))
    entry.get_by_text("Edit").click()
    entry.get_by_role("textbox").fill("Never force push.")
    before = rules.read_text()
    rules.write_text("".join(one for one in before.splitlines(True) if "^f0rcep" not in one))
    entry.get_by_role("button", name="Save").click()
    page.get_by_role("alert").get_by_text("is not there any more").wait_for()
    assert page.get_by_label("What you typed").input_value() == "Never force push."
    assert "Never force push" not in rules.read_text()


def test_deleting_a_note_is_undone_by_the_key_that_the_notice_offers(page: Page, served: ServedHome) -> None:
    page.goto(served.url("/read?id=people/haruka.md"))
    page.get_by_text("Delete this note …").click()
    page.get_by_role("button", name="Delete the note").click()
    page.locator(".notice", has_text="was deleted").wait_for()
    page.keyboard.press("u")
    page.locator(".notice", has_text="ndone").wait_for()
    assert (served.vault / "people" / "haruka.md").exists()


def test_a_note_is_deleted_and_its_address_says_so(page: Page, served: ServedHome) -> None:
    page.goto(served.url("/read?id=people/haruka.md"))
    page.get_by_text("Delete this note …").click()
    page.get_by_role("button", name="Delete the note").click()
    page.locator(".notice", has_text="was deleted").wait_for()
    assert not (served.vault / "people" / "haruka.md").exists()

    page.goto(served.url("/read?id=people/haruka.md"))
    page.get_by_role("heading", name="This is not there any more").wait_for()
