"""The view of numbers, the command behind it, and how it stays quick in a large home."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memoro
from memoro.errors import QueryError
from memoro.page.rendering import render
from memoro.page.view import Answer, Fields, PageRequest, Shown
from memoro.page.views import numbers as view
from memoro.page.views.numbers import Shaped, numbers, size_words
from memoro.store.disk_use import disk_use
from memoro.workspace import Workspace
from tests.browser import ServedHome, axe
from tests.command import run_memoro
from tests.conftest import write_vault

if TYPE_CHECKING:
    from playwright.sync_api import Page

AROUND = {"live": None, "csrf": "c", "here": "/numbers", "menu": (), "notice": None, "query": Fields()}


class _AnyFile(dict[str, str]):
    def __missing__(self, name: str) -> str:
        return f"/static/{name}"


@pytest.fixture
def m(tmp_path: Path) -> Iterator[Workspace]:
    vault = write_vault(tmp_path / "vault", {"tea.md": "# Tea\n\nGreen tea steeps for two minutes.\n"})
    with memoro.open(tmp_path / "home", vault) as opened:
        opened.sync()
        yield opened


def html(answer: Answer, part: str = "") -> str:
    assert isinstance(answer, Shown)
    return render(answer.template, {**answer.values, **AROUND, "static": _AnyFile()}, part)


def asked(m: Workspace, **query: str) -> Shown:
    return numbers(PageRequest(m, query=Fields(tuple(query.items()))))


def shaped(m: Workspace, part: str) -> Shaped:
    found = asked(m, part=part).values[part]
    assert isinstance(found, Shaped)
    return found


def test_an_empty_home_is_told_what_to_do(tmp_path: Path) -> None:
    with memoro.open(tmp_path / "home") as m:
        page = html(numbers(PageRequest(m)))
    for command in ("memoro connect claude-code", "memoro init FOLDER", "memoro backup create"):
        assert command in page
    assert "That costs nothing" in page


def test_a_recall_shows_in_prompts_tokens_and_speed(m: Workspace) -> None:
    m.recall("How long does green tea steep?", session="s")
    m.recall("zzzz qqqq", session="s")
    found = shaped(m, "given")
    assert [one.value for one in found.figures[:2]] == ["2", "50 %"]
    assert found.plots[0].points[-1][1] == 1
    assert "<svg" in html(asked(m))
    assert "Show as a table" in html(asked(m))


def test_of_a_prompt_that_got_nothing_no_reason_is_made_up(m: Workspace) -> None:
    m.recall("thanks!", session="s", proactive=True)  # silent: an acknowledgement
    page = html(asked(m))
    assert "1 got nothing; Today says why" in page and "sure enough" not in page


def test_a_check_names_the_places_of_secrets_and_nothing_above_it_says_that_all_is_well(
    m: Workspace, tmp_path: Path
) -> None:
    write_vault(tmp_path / "vault", {"house/wifi.md": "# Wifi\nPassword: kX9vT2qLm8Zp\n"})
    for page in (html(asked(m, part="checks")), html(asked(m, part="checks"), "checks")):
        assert "house/wifi.md:2</code></a> password" in page
        assert "Nothing is wrong so far" not in page


def test_feedback_shows_by_week(m: Workspace) -> None:
    stored = m.memories.store("Green tea needs 80 degrees.")
    m.memories.reinforce(stored.memory.id)
    found = shaped(m, "feedback")
    assert [one.value for one in found.figures] == ["0", "0", "1", "0"]
    m.journal.undo()
    assert shaped(m, "feedback").is_empty


def test_what_is_stored_is_counted_by_kind_tier_and_project(m: Workspace) -> None:
    m.memories.store("Green tea needs 80 degrees.")
    m.sync()
    found = shaped(m, "stored")
    assert [one.value for one in found.figures] == ["1", "0", "2", "1", "0"]
    assert ("Other notes", "1") in found.rows


def test_a_part_is_sent_alone_under_its_own_id(m: Workspace) -> None:
    answer = asked(m, part="files", weeks="4")
    assert answer.part == "files"
    sent = html(answer, "files")
    assert sent.strip().startswith('<section id="files"')
    assert 'id="given"' not in sent


def test_the_health_is_told_at_once_and_all_checks_are_made_on_request(m: Workspace) -> None:
    page = html(asked(m))
    assert "Nothing is wrong so far" in page
    assert "the first memory makes it" not in page
    assert "the first memory makes it" in html(asked(m, part="checks"), "checks")


def test_an_unknown_part_and_a_wild_number_of_weeks_are_refused(m: Workspace) -> None:
    with pytest.raises(QueryError, match="choose from"):
        asked(m, part="nothing")
    with pytest.raises(QueryError):
        asked(m, weeks="many")
    with pytest.raises(QueryError, match="520"):
        asked(m, weeks="999999999")


def test_in_a_large_home_what_is_counted_slowly_is_loaded_later(
    m: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert 'hx-get="/numbers?part=given' not in html(asked(m))
    monkeypatch.setattr(view, "SMALL_LEDGER", -1)
    page = html(asked(m))
    for part in ("given", "feedback", "stored"):
        assert f'hx-get="/numbers?part={part}' in page


def test_the_command_prints_the_same_figures(m: Workspace) -> None:
    m.recall("How long does green tea steep?", session="s")
    printed = run_memoro("--home", m.home, "numbers").out
    assert printed.startswith("Stored: 1 passage,")
    assert "Given to agents, by week" in printed
    document = run_memoro("--home", m.home, "numbers", "--part", "given", "--weeks", "2", "--json").json
    assert [week["prompts"] for week in document["given"]["weeks"]] == [0, 1]
    assert document["stored"] is None


@given(st.integers(0, 10**15))
def test_a_size_reads_well(size: int) -> None:
    words = size_words(size)
    assert words.endswith(("byte", "bytes", "KB", "MB", "GB", "TB"))
    assert size >= 10**15 or len(words) <= 9


def test_every_file_of_a_home_is_counted_once(tmp_path: Path) -> None:
    home = tmp_path / "home"
    (home / "backups" / "one").mkdir(parents=True)
    names = ("memoro.toml", "index.2.db", "index.2.vectors-ab12.rows", "ledger.db-wal", "backups/one/copy")
    for size, name in enumerate(names, 1):
        (home / name).write_bytes(b"x" * size)
    found = {one.part: (one.files, one.bytes) for one in disk_use(str(home))}
    assert found == {"ledger": (1, 4), "index": (1, 2), "vectors": (1, 3), "backups": (1, 5), "other": (1, 1)}
    assert disk_use(str(tmp_path / "none")) == []


def test_a_person_sees_a_recall_in_the_numbers(page: Page, served: ServedHome) -> None:
    from playwright.sync_api import expect

    page.goto(served.url("/numbers"))
    prompts = page.locator("#given .figure", has_text="prompts").locator("dd").first
    before = int(prompts.inner_text())
    served.m.recall("Which Raspberry Pi runs the pier board?", session="morning-c")
    page.reload()
    expect(prompts).to_have_text(str(before + 1))
    expect(page.locator("#health")).to_contain_text("Check everything")
    page.get_by_role("link", name="Check everything").click()
    expect(page.locator("#checks")).to_contain_text("it can be written and read")
    page.get_by_text("Show as a table").first.click()
    assert axe(page) == []
