"""Memories and experiences on the page: stories in a browser, from the click to the disk, and each form."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

import memoro
from memoro.errors import MemoroError, MemoryNotFound, NotFound, QueryError
from memoro.page.fact_history import FactEvent, folded
from memoro.page.memory_form import fields_of, opened_on
from memoro.page.rendering import render
from memoro.page.view import Done, Fields, PageRequest, Shown
from memoro.page.views import experiences, memories, memory_changes, undoing
from memoro.workspace import Workspace
from tests.browser import ServedHome, axe, watched_context
from tests.test_forget_bytes import files_with

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

FEED = "The timetable feed is fetched every 5 minutes."
OLD_FEED = "The timetable feed is fetched every 60 seconds."


def texts_of(page: Page) -> list[str]:
    return [text.strip() for text in page.locator("article[data-item] a[data-open]").all_inner_texts()]


def wait_for_texts(page: Page, wanted: list[str]) -> None:
    """Wait until the list shows these, in this order."""
    shown = "texts => JSON.stringify([...document.querySelectorAll('article[data-item] a[data-open]')]"
    page.wait_for_function(f"{shown}.map(one => one.innerText.trim())) === JSON.stringify(texts)", arg=wanted)


def test_a_list_is_narrowed_and_sorted_and_its_items_are_opened_with_keys(page: Page, served: ServedHome) -> None:
    page.goto(served.url("/memories"))
    newest = texts_of(page)
    assert FEED in newest and OLD_FEED not in newest
    page.get_by_label("Sort by").select_option("oldest")
    wait_for_texts(page, newest[::-1])
    page.get_by_label("Words").fill("TIMETABLE fetched")
    page.get_by_label("Words").press("Enter")
    wait_for_texts(page, [FEED])
    page.get_by_label("State").select_option("superseded")
    wait_for_texts(page, [OLD_FEED])
    assert axe(page) == []
    page.keyboard.press("Escape")
    page.locator("main").focus()
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.wait_for_url(served.url("/memories/1"))


def test_an_edit_and_a_newer_fact_reach_the_ledger_and_the_line_in_time(page: Page, served: ServedHome) -> None:
    page.goto(served.url("/memories/2"))
    page.locator(".edit-memory summary").click()
    page.locator(".edit-memory").get_by_label("Text").fill("The pier board runs on a Raspberry Pi 5.")
    page.locator(".edit-memory").get_by_label("Tags").fill("hardware, pier, new")
    page.get_by_role("button", name="Save").click()
    page.get_by_text("The memory is changed.").wait_for()
    changed = served.m.memories.get(2, scope="all")
    assert changed.content == "The pier board runs on a Raspberry Pi 5."
    assert changed.tags == ("hardware", "pier", "new")
    page.locator(".supersede-memory summary").click()
    page.get_by_label("The fact that is true now").fill("The pier board runs on a small PC.")
    page.get_by_role("button", name="Replace", exact=True).click()
    page.get_by_text("has taken the place of the old one").wait_for()
    new = served.m.memories.get(2, scope="all").superseded_by
    assert new is not None and page.url == served.url(f"/memories/{new}")
    line = page.get_by_role("list", name="The facts of this memory on a line in time")
    assert line.get_by_role("listitem").count() == 2
    assert "Raspberry Pi 5" in line.inner_text() and "small PC" in line.inner_text()
    assert axe(page) == []
    page.locator(".supersede-memory summary").click()
    page.get_by_label("Or find the one").fill("harbour network")
    page.get_by_role("button", name="Find").click()
    page.get_by_role("button", name="Replace by this").click()
    page.get_by_text("superseded by 3").wait_for()
    assert served.m.memories.get(new, scope="all").superseded_by == 3
    page.locator("[data-undo]").click()
    page.get_by_text("superseded by 3").wait_for(state="detached")
    assert served.m.memories.get(new, scope="all").superseded_by is None
    page.goto(served.url("/memories/2"))
    assert "Superseded" in page.get_by_role("list", name="What happened to it").inner_text()
    page.get_by_text("Show the difference").first.click()
    assert "Raspberry Pi 4" in page.locator(".diff del").first.inner_text()


def test_a_change_that_is_sent_from_a_field_is_undone_by_the_key_that_the_notice_offers(
    page: Page, served: ServedHome
) -> None:
    before = served.m.memories.get(3, scope="all").tags
    page.goto(served.url("/memories/3"))
    form = page.locator("#edit-3")
    form.locator("summary").click()
    form.get_by_label("Tags, separated").fill("office")
    form.get_by_label("Tags, separated").press("Enter")
    page.get_by_text("The memory is changed.").wait_for()
    page.keyboard.press("u")
    page.get_by_text("The memory is changed.").wait_for(state="detached")
    assert served.m.memories.get(3, scope="all").tags == before


def test_a_memory_that_was_changed_meanwhile_is_not_overwritten_and_the_words_are_kept(
    page: Page, served: ServedHome
) -> None:
    page.goto(served.url("/memories/3"))
    form = page.locator("#edit-3")
    form.locator("summary").click()
    form.get_by_label("Text").fill("Tom alone looks after it.")
    served.m.memories.update(3, "Ines alone looks after it.", ["office"], source="user")
    form.get_by_role("button", name="Save").click()

    form.get_by_role("alert").get_by_text("has changed since it was read").wait_for()
    assert served.m.memories.get(3, scope="all").content == "Ines alone looks after it."
    assert form.get_by_label("Text").input_value() == "Tom alone looks after it."
    assert form.get_by_label("Tags, separated").input_value() == "office", "nobody typed into it"
    assert form.locator("p", has_text="Ines alone looks after it.").is_visible()
    assert axe(page) == []

    form.get_by_role("button", name="Save").click()
    page.get_by_text("The memory is changed.").wait_for()
    changed = served.m.memories.get(3, scope="all")
    assert (changed.content, changed.tags) == ("Tom alone looks after it.", ("office",))


def test_many_are_removed_at_once_and_one_undo_brings_all_back(page: Page, served: ServedHome) -> None:
    page.goto(served.url("/memories"))
    before = texts_of(page)
    for number in (2, 3, 4):
        page.get_by_label(f"Choose memory {number}").check()
    page.get_by_role("button", name="Remove").click()
    page.get_by_text("3 memories are removed.").wait_for()
    for number in (2, 3, 4):
        with pytest.raises(MemoryNotFound):
            served.m.memories.get(number, scope="all")
    page.locator("[data-undo]").click()
    wait_for_texts(page, before)
    assert served.m.memories.get(3, scope="all").content.startswith("Ines and Tom")


def test_forgetting_shows_what_goes_with_it_and_leaves_no_bytes(page: Page, served: ServedHome) -> None:
    number = served.m.memories.store("The pelargonium stands by the window", source="user").memory.id
    served.m.sync()
    served.m.memories.query("pelargonium", session="morning-a")
    page.goto(served.url(f"/memories/{number}"))
    page.get_by_role("link", name="Forget…").click()
    assert "The pelargonium stands by the window" in page.locator("main").inner_text()
    assert axe(page) == []
    page.get_by_role("button", name="Forget").click()  # the browser asks for the box first
    assert served.m.memories.get(number, scope="all").content
    page.get_by_label("I am sure").check()
    page.get_by_role("button", name="Forget").click()
    page.get_by_text("The memory is forgotten for good.").wait_for()
    assert page.locator("[data-undo]").count() == 0
    with pytest.raises(MemoryNotFound):
        served.m.memories.get(number, scope="all")
    assert files_with(served.home, "pelargonium") == []


def test_links_are_a_picture_and_a_list_and_experiences_can_be_used(browser: Browser, served: ServedHome) -> None:
    given = served.m.memories.query("pier board Raspberry harbour network", session="links").results
    for one in given:
        served.m.memories.reinforce(one.memory.id, session="links")
    with watched_context(browser, served, viewport={"width": 390, "height": 844}) as context:
        page = context.new_page()
        page.goto(served.url(f"/memories/{given[0].memory.id}"))
        nodes = page.locator(".picture a")
        assert nodes.count() == len(given) >= 2
        assert axe(page) == []
        is_wider = "() => document.documentElement.scrollWidth > document.documentElement.clientWidth"
        assert not page.evaluate(is_wider)
        nodes.nth(1).click()
        page.wait_for_url(re.compile(r"/memories/\d+$"))
        page.goto(served.url("/experiences?outcome=worked"))
        assert len(texts_of(page)) == 2 and not page.evaluate(is_wider)
        assert axe(page) == []
        page.get_by_role("link", name="dim the board at night").click()
        page.locator("#use summary").click()
        page.get_by_role("button", name="Record the use").click()
        page.get_by_text("The use is recorded.").wait_for()
        assert axe(page) == []
        assert served.m.experiences.get(2, scope="all").uses == 1
        page.locator("[data-undo]").click()
        page.get_by_text("not used yet").first.wait_for()
        assert served.m.experiences.get(2, scope="all").uses == 0


# Each change by its form


@pytest.fixture
def m() -> Workspace:
    home = memoro.open(":memory:")
    home.memories.store("Deploys run at ten", ["deploy"], source="user")
    home.memories.store("The staging server is ivy", source="agent")
    home.memories.store("An offer of the summer", source="user", valid_to="2020-06-30")
    home.experiences.record("task_solution", "restart the queue", ["stop it", {"then": "start it"}], success=0.2)
    return home


_keys = itertools.count()


def form(m: Workspace, number: int | None = None, **fields: str | list[str]) -> PageRequest:
    pairs = [(name, one) for name, value in fields.items() for one in ([value] if isinstance(value, str) else value)]
    return PageRequest(
        m, path={} if number is None else {"id": str(number)}, form=Fields((*pairs, ("key", f"key {next(_keys)}")))
    )


def undone(m: Workspace, done: Done) -> None:
    assert done.undo is not None
    for change in done.undo if isinstance(done.undo, tuple) else (done.undo,):
        m.journal.undo(change)


@pytest.mark.parametrize("action", ["reinforce", "demote", "archive", "remove"])
def test_each_change_says_what_it_did_and_is_undone_by_its_number(
    m: Workspace, action: memory_changes.Action
) -> None:
    before = m.memories.get(1)
    asked = form(m, 1)
    done = memory_changes.change(action)(asked)
    assert done.sentence
    again = memory_changes.change(action)(asked)  # a form that is sent twice
    assert again.undo == done.undo
    undone(m, done)
    assert m.memories.get(1).content == before.content and m.memories.get(1).feedback == before.feedback
    assert not m.memories.show(1).archived


def test_an_edit_that_is_refused_keeps_the_form_as_it_was_typed_with_the_sentence(m: Workspace) -> None:
    answer = memories.edit(form(m, 1, content="", tags="deploy, ops"))
    assert isinstance(answer, Shown) and answer.status == 422
    around = {"live": None, "csrf": "c", "here": "/memories/1/edit", "menu": (), "notice": None, "query": Fields()}
    names = ("style.css", "htmx.js", "page.js", "theme.js", "icon.svg")
    page = render(answer.template, {**answer.values, **around, "static": dict.fromkeys(names, "")})
    edit = page.partition('id="edit-1"')[2].partition("</details>")[0]
    assert edit.startswith(" open>") and "An empty memory says nothing" in edit and 'value="deploy, ops"' in edit
    assert m.memories.get(1).content == "Deploys run at ten"


def test_an_edit_changes_only_what_was_changed(m: Workspace) -> None:
    done = memory_changes.edit(form(m, 1, content="Deploys run at ten", tags="deploy, ops", valid_to="2999-12-31"))
    changed = m.memories.get(1)
    assert changed.tags == ("deploy", "ops") and (changed.valid_to or "").startswith("3000")
    assert m.memories.history(1)[-1].change.after.keys() == {"tags", "valid_to", "hit_at"}  # type: ignore[union-attr]
    undone(m, done)
    assert m.memories.get(1).tags == ("deploy",) and m.memories.get(1).valid_to is None
    with pytest.raises(MemoroError, match="Nothing to change"):
        memory_changes.edit(form(m, 1, content="Deploys run at ten", tags="deploy"))


def opened_form(m: Workspace, number: int, **typed: str) -> PageRequest:
    """The form of an edit as the page shows it now, with what somebody types into it."""
    shown = fields_of(m.memories.get(number))
    return form(m, number, **{**opened_on(shown), **shown._asdict(), **typed})


def test_an_edit_writes_only_what_was_typed_over_what_others_changed_meanwhile(m: Workspace) -> None:
    asked = opened_form(m, 1, tags="deploy, ops")
    m.memories.update(1, "Deploys run at noon", source="user")
    memory_changes.edit(asked)
    assert (m.memories.get(1).content, m.memories.get(1).tags) == ("Deploys run at noon", ("deploy", "ops"))


@pytest.mark.parametrize(
    "typed",
    [{"content": "Deploys run at one"}, {"tags": "ops"}, {"valid_to": "2999-12-31"}],
    ids=lambda one: next(iter(one)),
)
def test_a_field_that_others_changed_meanwhile_is_not_overwritten(m: Workspace, typed: dict[str, str]) -> None:
    asked = opened_form(m, 1, **typed)
    m.memories.update(1, "Deploys run at noon", ["calendar"], valid_to="2998-12-31", source="user")
    before = m.memories.get(1)
    answer = memories.edit(asked)
    assert isinstance(answer, Shown) and answer.status == 409
    assert m.memories.get(1) == before


def test_a_fact_is_superseded_by_a_new_one_or_by_one_that_is_known(m: Workspace) -> None:
    done = memory_changes.supersede(form(m, 1, content="Deploys run at noon"))
    new = m.memories.get(1).superseded_by
    assert new and m.memories.get(new).tags == ("deploy",) and m.memories.get(new).trust == "user_said"
    back = undoing.undo(form(m, 1, change=str(done.undo), to=done.to))
    assert isinstance(back, Done) and back.to == "/memories/1", "the new one has no page any more"
    assert m.memories.get(1).superseded_by is None
    done = memory_changes.supersede(form(m, 1, existing="2", content="ignored"))
    assert m.memories.get(1).superseded_by == 2
    undone(m, done)
    assert m.memories.get(1).superseded_by is None
    with pytest.raises(QueryError, match="Write the fact"):
        memory_changes.supersede(form(m, 1, content=" "))


def test_trust_is_set_and_undone(m: Workspace) -> None:
    done = memory_changes.trust(form(m, 2, trust="user_confirmed"))
    assert m.memories.get(2).trust == "user_confirmed"
    undone(m, done)
    assert m.memories.get(2).trust == "agent_inferred"
    with pytest.raises(QueryError, match="how far"):
        memory_changes.trust(form(m, 2, trust="fully"))


@pytest.mark.parametrize("action", ["reinforce", "demote", "archive", "remove", "tag"])
def test_many_are_changed_and_undone_together(m: Workspace, action: str) -> None:
    before = [m.memories.get(number) for number in (1, 2, 3)]
    chosen = form(m, action=action, shown=["1", "2"], everything="1", tags="new, #deploy")
    done = memory_changes.many(chosen)
    assert isinstance(done, Done) and "2 memories" in done.sentence
    undone(m, done)
    after = [m.memories.get(one.id) for one in before]
    assert [(one.content, one.feedback, one.tags) for one in after] == [
        (one.content, one.feedback, one.tags) for one in before
    ]


def test_what_cannot_be_changed_is_told_and_the_rest_is_done(m: Workspace) -> None:
    done = memory_changes.many(form(m, action="archive", id=["1", "77", "x"]))
    assert isinstance(done, Done)
    assert "in the archive" in done.sentence and "left as it is" in done.sentence and "77" in done.sentence
    assert m.memories.show(1).archived
    for empty in (form(m, action="archive"), form(m, id="2"), form(m, action="tag", id="2")):
        with pytest.raises(QueryError, match="Nothing was changed"):
            memory_changes.many(empty)


def test_forgetting_many_shows_them_first_and_needs_to_be_sure(m: Workspace) -> None:
    shown = memory_changes.many(form(m, action="forget", id=["1", "2"]))
    assert isinstance(shown, Shown) and shown.template == "memories_forget.html"
    with pytest.raises(QueryError, match="Nothing was forgotten"):
        memory_changes.forget(form(m, id=["1", "2"]))
    assert m.memories.get(1)
    done = memory_changes.forget(form(m, id=["1", "2"], sure="1"))
    assert done.undo is None and "2 memories" in done.sentence
    with pytest.raises(MemoryNotFound):
        m.memories.get(1)


def test_the_list_passes_over_values_that_it_does_not_know(m: Workspace) -> None:
    asked = PageRequest(m, query=Fields((("sort", "x"), ("state", "y"), ("trust", "z"))))
    rows = memories.memories(asked).values["rows"]
    assert [row.number for row in rows] == [2, 1]  # type: ignore[attr-defined]
    asked = PageRequest(m, query=Fields((("state", "archived"), ("sort", "uses"))))
    assert memories.memories(asked).values["rows"] == []
    assert memories.memories(PageRequest(m, query=Fields((("state", "invalid"),)))).values["rows"]


def test_an_experience_is_used_trusted_removed_and_forgotten(m: Workspace) -> None:
    row = experiences.experience(PageRequest(m, path={"id": "1"})).values["row"]
    assert isinstance(row, experiences.ExperienceRow)
    assert row.outcome == "failed" and row.solution == "1. stop it\n2.\n  then: start it"
    undone(m, experiences.use(form(m, 1, success="worked")))
    undone(m, experiences.trust(form(m, 1, trust="user_said")))
    undone(m, experiences.remove(form(m, 1)))
    kept = m.experiences.get(1)
    assert (kept.uses, kept.trust) == (0, "agent_inferred")
    with pytest.raises(QueryError, match="Nothing was forgotten"):
        experiences.forget(form(m, 1))
    experiences.forget(form(m, 1, sure="1"))
    with pytest.raises(NotFound):
        m.experiences.get(1)


@pytest.mark.parametrize(
    ("view", "says"), [(memories.memories, "No memories yet"), (experiences.experiences, "No exp")]
)
def test_an_empty_home_is_told_what_to_do(view: Callable[[PageRequest], Shown], says: str) -> None:
    empty = PageRequest(memoro.open(":memory:"))
    shown = shown_by(view(empty), empty)
    assert says in shown and "<code>memoro " in shown
    narrowed = empty._replace(query=Fields((("words", "zzz"),)))
    assert "Nothing matches" in shown_by(view(narrowed), narrowed)


def test_text_of_memories_is_shown_as_text(m: Workspace) -> None:
    hostile = '<img src=x onerror="alert(1)">'
    number = m.memories.store(hostile, [hostile], source="user", project=hostile, session=hostile).memory.id
    m.memories.update(number, f"{hostile} again", source="user")
    for asked in (PageRequest(m), PageRequest(m, query=Fields((("words", hostile), ("tag", hostile))))):
        assert "<img" not in shown_by(memories.memories(asked), asked)
    one = PageRequest(m, path={"id": str(number)}, query=Fields((("known", "ivy"),)))
    assert "<img" not in shown_by(memories.memory(one), one)
    assert "<img" not in shown_by(
        memory_changes.preview_forget(one._replace(query=Fields((("id", str(number)),)))), one
    )


def test_confirmations_in_a_row_are_told_as_one() -> None:
    said = FactEvent("2026-01-01", "said", "you")
    helped = [FactEvent(f"2026-01-0{day}", "confirmed", "an agent") for day in range(2, 5)]
    yours = FactEvent("2026-01-05", "confirmed", "you")

    assert folded([said, *helped, yours]) == (said, helped[0]._replace(times=3, last="2026-01-04"), yours)
    assert folded([helped[0]._replace(is_undone=True), helped[1]])[0].times == 1


def shown_by(shown: Shown, request: PageRequest) -> str:
    """The content of a page."""
    values = {**shown.values, "csrf": "csrf", "here": "/", "query": request.query, "notice": None}
    return render(shown.template, values, "content")
