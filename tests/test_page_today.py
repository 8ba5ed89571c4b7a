"""Today in the browser and by its functions: what was given, rated on the spot, and seen without reloading."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any, cast

import pytest

import memoro
from memoro import hooks
from memoro.errors import QueryError
from memoro.model.ratings import WHY_MUTED
from memoro.model.recall import Recalled, RecalledItem
from memoro.page.change_words import shown_entry
from memoro.page.given_items import read_link, shown_recall
from memoro.page.rendering import render
from memoro.page.view import Fields, PageRequest, Shown
from memoro.page.views import today
from tests.browser import ServedHome, axe
from tests.sample_home import NOON, SampleHome, ticking

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Page

ASKED = "How often do we fetch the timetable feed?"
WRONG = "Wrong, don’t give this again"


def hears(served: ServedHome, session: str, prompt: str = ASKED) -> str:
    """What Claude Code is told by its hook."""
    folder = served.sample.folder / "pier-board"
    event = {"hook_event_name": "UserPromptSubmit", "session_id": session, "prompt": prompt, "cwd": str(folder)}
    made = hooks.answer("claude", event, served.m)
    return cast("Any", made)["hookSpecificOutput"]["additionalContext"] if made else ""


def test_what_is_called_wrong_is_not_given_again_until_that_is_undone(page: Page, served: ServedHome) -> None:
    page.goto(served.url("/"))
    assert "5 minutes" in hears(served, "n1")
    [recall] = served.m.sessions.show("n1").recalls
    prompt = page.locator(f"#prompt-{recall.number}")
    prompt.wait_for()  # it appears without reloading
    assert ASKED in prompt.inner_text()

    prompt.get_by_role("button", name=WRONG).first.click()
    page.get_by_text("No agent is given this unasked any more. A search still finds it.").wait_for()
    assert [one.item for one in served.m.ratings.muted()] == [recall.given[0].item.id]
    assert recall.given[0].item.text not in hears(served, "n2")
    assert WHY_MUTED in {one.why for one in served.m.sessions.show("n2").recalls[0].recalled.left_out}

    page.get_by_role("button", name="Undo").click()
    prompt.get_by_text("No agent is given this unasked any more").wait_for(state="detached")
    assert served.m.ratings.muted() == []
    undone = shown_entry(served.m.journal.log(1)[0])
    assert undone.title == f"Undid change {undone.undoes} of a mute" and undone.text.startswith("no longer muted: ")
    assert "#" not in undone.text
    assert "5 minutes" in hears(served, "n3")

    prompt.get_by_role("button", name="Good").first.click()
    prompt.get_by_text("You called this good").wait_for()
    [used] = [one for one in served.m.sessions.used(recall.given[0].item.id) if one.session == "n1"]
    assert used.feedback == ("reinforced",)


def test_a_line_of_an_always_loaded_note_is_muted_and_allowed_on_the_page(page: Page, served: ServedHome) -> None:
    folder = served.sample.folder / "pier-board"
    event = {"hook_event_name": "SessionStart", "session_id": "begun", "source": "startup", "cwd": str(folder)}
    assert hooks.answer("claude", event, served.m)
    page.goto(served.url("/"))
    start = page.locator("article.prompt", has_text="The session began")
    start.get_by_text("Show all").first.click()
    start.get_by_role("button", name="Don’t give this line again").first.click()
    page.get_by_text("No agent is given this unasked any more.").first.wait_for()
    [muted] = served.m.ratings.muted()

    page.goto(served.url("/muted"))
    line, _, mark = muted.text.split("\n")[0].rpartition(" ^")  # the id of an entry is not for people
    text = page.locator("article").inner_text()
    assert line in text and mark not in text
    assert not axe(page)
    page.get_by_role("button", name="Give it again").click()
    page.get_by_text("No item is muted").wait_for()
    assert served.m.ratings.muted() == []


def test_today_is_usable_by_everyone(page: Page, served: ServedHome) -> None:
    page.goto(served.url("/"))
    page.get_by_role("heading", name="Where we left off").wait_for()
    page.locator("#left-off article").first.wait_for()
    assert not axe(page)
    page.get_by_role("link", name="All about this prompt").first.click()
    page.get_by_role("heading", name="Word for word, as the agent saw it").wait_for()
    assert not axe(page)


@pytest.fixture
def m(sample_home: SampleHome, tmp_path: Path) -> Any:
    with sample_home.copy(tmp_path / "sample").open(ticking()) as opened:
        yield opened


def shown(m: memoro.Workspace, **query: str) -> Shown:
    return today.today(PageRequest(m=m, query=Fields(tuple(query.items()))))


def test_a_day_tells_its_prompts_sessions_and_totals(m: memoro.Workspace) -> None:
    values: Any = shown(m).values
    assert [(one.agent, one.project) for one in values["sessions"]] == [
        ("codex", "pier-board"),
        ("claude-code", "pier-board"),
    ]
    totals = m.sessions.given_on(NOON.date()).totals
    assert values["totals"] == totals
    recalls = [one for session in values["sessions"] for one in session.recalls]
    assert len(recalls) == totals.prompts
    assert sum(not one.items for one in recalls) == totals.silent
    assert all(one.why and one.score for recall in recalls for one in recall.items)
    assert values["waiting"] == len(m.proposals.all())
    assert len(values["proposals"]) == min(3, values["waiting"])


def test_a_day_without_anything_leads_to_the_last_one_with_something(m: memoro.Workspace) -> None:
    values: Any = shown(m, day=(NOON.date() + timedelta(days=4)).isoformat()).values
    assert values["sessions"] == ()
    assert values["links"].last_with_something == f"/?day={NOON.date().isoformat()}"
    before: Any = shown(m, day="2026-01-01").values
    assert (before["links"].last_with_something, before["links"].after) == ("", "/?day=2026-01-02")
    with pytest.raises(QueryError, match="not a day"):
        shown(m, day="<b>")


def test_a_long_day_is_shown_by_pages(m: memoro.Workspace) -> None:
    many = [Recalled(f"Prompt {n}", "proactive", "", "", 0, (), (), (), 0.0) for n in range(70)]
    m.sessions.start("long", agent="codex")
    for one in many:
        m.sessions.record(one, "long")
    pages: list[Any] = [shown(m, page=str(number)).values for number in (1, 2, 3)]
    told = [[recall.message for one in page["sessions"] for recall in one.recalls] for page in pages]
    assert [len(one) for one in told] == [20, 20, 20]
    last: Any = shown(m, page="4").values
    assert (last["older"], last["newer"]) == ("", "/?page=3")
    assert (told[0][0], told[1][0]) == ("Prompt 69", "Prompt 49")
    assert (pages[0]["older"], pages[0]["newer"], pages[1]["newer"]) == ("/?page=2", "", "/")


def test_nobody_is_told_to_reload_an_empty_home(tmp_path: Path) -> None:
    with memoro.open(tmp_path / "home") as m:
        found = shown(m)
        text = render(found.template, {**found.values, **frame()})
    assert "memoro connect claude-code" in text
    assert "No agent has asked yet" in text


def frame() -> dict[str, object]:
    """What the application adds to the values of a view."""
    from memoro.page import static_files

    static = {name: one.url for name, one in static_files.static_files().items()}
    return {
        "csrf": "c", "here": "/", "menu": (), "static": static, "notice": None, "query": Fields(), "live": None,
    }  # fmt: skip


def test_what_was_given_is_escaped_and_linked(m: memoro.Workspace) -> None:
    hostile = '"><script>alert(1)</script> javascript:alert(1)'
    item = RecalledItem(
        id=f"note:{hostile}.md#0123abcd.1", kind="note", tier="note", path=f"{hostile}.md", start_line=1, end_line=1,
        heading=(hostile,), date=None, trust=None, score=0.5, tokens=3, text=hostile * 20, why=hostile,
    )  # fmt: skip
    m.sessions.start(hostile, title=hostile, agent=hostile, project=hostile)
    m.sessions.record(Recalled(hostile, "proactive", "x", "b", 3, (item,), (), (hostile,), 0.0, (), hostile), hostile)
    found = shown(m)
    text = render(found.template, {**found.values, **frame()})
    assert "<script>alert" not in text
    assert read_link(item.id).startswith("/read?id=note%3A%22%3E%3Cscript")


def test_a_note_that_was_loaded_whole_is_shown_line_by_line(m: memoro.Workspace) -> None:
    text = "# Memory\n\n- One.\n  It goes on.\n- Two."
    item = RecalledItem(
        id="MEMORY.md:1-5", kind="note", tier="semantic", path="MEMORY.md", start_line=1, end_line=5, heading=(),
        date=None, trust=None, score=1.0, tokens=9, text=text,
    )  # fmt: skip
    m.sessions.start("loaded")
    m.sessions.record(Recalled("", "prompt", "", "", 9, (item,), (), (), 0.0), "loaded")
    [recall] = m.sessions.show("loaded").recalls
    [one] = shown_recall(recall, lambda given: None if given.id == "MEMORY.md:5" else given).items
    assert [(line.id, line.text, line.is_muted) for line in one.lines] == [
        ("MEMORY.md:3", "- One.\n  It goes on.", False),
        ("MEMORY.md:5", "- Two.", True),
    ]


def test_a_rating_is_told_in_plain_words_everywhere(page: Page, served: ServedHome) -> None:
    page.goto(served.url("/"))
    assert "5 minutes" in hears(served, "n1")
    [recall] = served.m.sessions.show("n1").recalls
    assert recall.given[0].item.id == "memory:5"
    prompt = page.locator(f"#prompt-{recall.number}")
    assert "Memory 5" in prompt.inner_text() and "memory:5" not in prompt.get_by_role("link").all_inner_texts()
    prompt.get_by_role("button", name=WRONG).first.click()
    page.get_by_text("No agent is given this unasked any more. A search still finds it.").wait_for()

    page.goto(served.url("/log"))
    newest = page.locator("[data-item]").first
    told = "muted: The timetable feed is fetched every 5 minutes."
    assert "Muted an item that was wrong" in newest.inner_text() and told in newest.inner_text()
    newest.get_by_role("link", name="Muted an item that was wrong").click()
    page.get_by_role("heading", name="Memory 5").wait_for()
    assert page.locator("#memory-5").get_by_text("muted", exact=True).is_visible()

    page.goto(served.url("/timeline"))
    assert "Rated 1 item that agents were given" in page.locator("main").inner_text()

    page.goto(served.url("/memories"))
    assert page.locator("#memory-5").get_by_text("muted", exact=True).is_visible()
    page.goto(served.url("/memories/5"))
    page.get_by_role("button", name="Give it again").click()
    page.get_by_text("This may be given again.").wait_for()
    assert served.m.ratings.muted() == []
    page.goto(served.url("/log"))
    undone = page.locator("[data-item]").first.inner_text()
    assert (
        "Allowed a muted item again" in undone
        and "no longer muted: The timetable feed is fetched every 5 minutes." in undone
    )
    page.goto(served.url("/memories"))
    assert not page.locator("#memory-5").get_by_text("muted", exact=True).is_visible()


def test_a_proposal_without_a_text_says_what_it_would_do(sample_home: SampleHome) -> None:
    with sample_home.open(ticking()) as m:
        told = {one.number: one.text for one in cast("Any", today.today(PageRequest(m)).values["proposals"])}
    assert told[3] == "Move memory 3 to the archive, out of every search"
