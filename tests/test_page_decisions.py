"""Review, undo, the log and the timeline in a real browser: from the click to the disk."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from memoro.model.proposals import EditEntry, Evidence, RememberEntry, Suggestion
from memoro.model.scope import Scope
from memoro.recall.request import RecallRequest
from tests.browser import ServedHome, axe
from tests.sample_home import NOON

if TYPE_CHECKING:
    from playwright.sync_api import Page

ENTRY = "Ask Ines before a change of the network"
RULE = "Run the tests before a commit"


def propose(served: ServedHome, text: str) -> int:
    change = RememberEntry(text=text, tier="semantic", section=None, path="MEMORY.md")
    said = (Evidence("We always do so.", "MEMORY.md", 1, "2026-11-15", "User"),)
    return served.m.proposals.propose(Suggestion(change, evidence=said, reason="It was said twice.")).proposal.id


def test_a_proposal_is_accepted_undone_and_done_again(page: Page, served: ServedHome) -> None:
    file = served.vault / "MEMORY.md"
    before = file.read_bytes()
    page.goto(served.url("/review"))
    card = page.locator("article", has_text=ENTRY)
    card.get_by_role("button", name="Accept", exact=False).first.click()
    page.get_by_text("Accepted: add a fact to MEMORY.md.").wait_for()
    assert ENTRY.encode() in file.read_bytes()
    after = file.read_bytes()

    page.locator("#notice").get_by_role("button", name="Undo").click()
    page.get_by_text("Undone: added an entry to MEMORY.md.").wait_for()
    assert file.read_bytes() == before

    page.keyboard.press("u")  # the notice now undoes the undo
    page.get_by_text("Done again").wait_for()
    assert file.read_bytes() == after

    page.locator("#decided").get_by_role("button", name="Undo").first.click()
    page.locator("#decided").get_by_text("accepted, then undone").wait_for()
    assert file.read_bytes() == before


def test_a_proposal_is_accepted_in_other_words_and_another_rejected_by_keys(page: Page, served: ServedHome) -> None:
    page.goto(served.url("/review?kind=add"))
    page.locator("article", has_text=RULE).focus()
    page.keyboard.press("e")
    field = page.locator("article", has_text=RULE).get_by_label("In your words")
    assert field.input_value() == RULE
    field.fill("Run all tests before a push")
    page.get_by_role("button", name="Accept in these words").click()
    page.get_by_text("Accepted in your words").wait_for()
    assert "Run all tests before a push" in (served.vault / "PROCEDURAL.md").read_text("utf-8")

    page.locator("article", has_text=ENTRY).focus()
    page.keyboard.press("r")
    page.get_by_text("Rejected for ever: add a fact to MEMORY.md.").wait_for()
    [rejected] = served.m.proposals.all("rejected")
    assert ENTRY not in (served.vault / "MEMORY.md").read_text("utf-8")

    page.get_by_role("button", name=f"Let it wait again proposal {rejected.id}").click()
    page.locator("article", has_text=ENTRY).wait_for()
    assert served.m.proposals.all("rejected") == []


def test_new_proposals_appear_and_several_are_accepted_at_once(page: Page, served: ServedHome) -> None:
    page.goto(served.url("/review"))
    number = propose(served, "The board is cleaned on Mondays")
    page.locator(f"#proposal-{number}").wait_for()  # without reloading
    assert page.locator("[data-count=proposals]").inner_text() == "6"
    card = page.locator(f"#proposal-{number}")
    assert card.get_by_role("link", name="MEMORY.md:1").get_attribute("href") == "/read?id=MEMORY.md%3A1"
    assert axe(page) == []

    card.get_by_role("checkbox").check()
    page.locator("article", has_text=RULE).get_by_role("checkbox").check()
    page.get_by_role("button", name="Accept selected").click()
    page.get_by_text("2 proposals accepted.").wait_for()
    assert "cleaned on Mondays" in (served.vault / "MEMORY.md").read_text("utf-8")
    page.keyboard.press("u")
    page.get_by_text("changes undone").wait_for()
    assert "cleaned on Mondays" not in (served.vault / "MEMORY.md").read_text("utf-8")
    assert RULE not in (served.vault / "PROCEDURAL.md").read_text("utf-8")


def test_a_proposal_that_became_outdated_says_so_and_changes_nothing(page: Page, served: ServedHome) -> None:
    entry = served.m.remember("The feed has two lines").id or ""
    change = EditEntry(id=entry, text="The feed has three lines", path="MEMORY.md", was="The feed has two lines")
    number = served.m.proposals.propose(Suggestion(change, origin="tidy")).proposal.id
    file = served.vault / "MEMORY.md"
    file.write_text(file.read_text("utf-8").replace("two lines", "four lines"), "utf-8")
    before = file.read_bytes()
    page.goto(served.url("/review"))
    card = page.locator(f"#proposal-{number}")
    card.get_by_text("says something else now than when this was proposed").wait_for()
    card.get_by_role("button", name="Accept").click()
    page.locator("#notice").get_by_text("Nothing was changed, and the proposal is withdrawn.").wait_for()
    assert file.read_bytes() == before


def test_changes_are_undone_from_the_log_and_a_conflict_names_the_later_ones(page: Page, served: ServedHome) -> None:
    m = served.m
    number = m.memories.store("The board has 40 rows.", source="user").memory.id
    m.memories.update(number, "The board has 42 rows.", source="user")
    changed = m.journal.log(1)[0].id
    m.memories.update(number, "The board has 44 rows.", source="user")
    page.goto(served.url(f"/log/{changed}"))
    assert "44 rows" in page.get_by_role("main").inner_text()  # among the later changes
    page.get_by_role("button", name="Undo", exact=False).first.click()
    page.get_by_role("heading", name="This cannot be undone by itself").wait_for()
    page.get_by_role("button", name=f"Undo change {changed + 1}").click()
    page.get_by_text(f"Undone: changed memory {number}.").wait_for()
    assert m.memories.get(number).content == "The board has 42 rows."

    page.goto(served.url("/log?kind=memory"))
    page.locator(f"#change-{changed}").get_by_role("button", name="Undo").click()
    page.get_by_text(f"Undone: changed memory {number}.").wait_for()
    assert m.memories.get(number).content == "The board has 40 rows."
    assert axe(page) == []


def test_all_that_a_source_did_is_shown_before_it_is_undone(page: Page, served: ServedHome) -> None:
    for text in ("One fact of a tool.", "Another fact of a tool."):
        served.m.memories.store(text, source="scraper")
    page.goto(served.url("/log"))
    page.get_by_text("Undo all by one source").click()
    form = page.locator("form[action='/log/undo']")
    form.get_by_label("Source").fill("scraper")
    form.get_by_label("Since").fill("2026-11-16")
    form.get_by_role("button").click()
    page.get_by_text("2 changes would be undone. Nothing has happened yet.").wait_for()
    known = {memory.content for memory in served.m.memories.all()}
    assert "One fact of a tool." in known
    page.get_by_role("button", name="Undo these 2 changes").click()
    page.get_by_text("2 changes undone.").wait_for()
    assert not any("of a tool" in memory.content for memory in served.m.memories.all())
    page.keyboard.press("u")
    page.get_by_text("2 changes done again.").wait_for()
    assert sum("of a tool" in memory.content for memory in served.m.memories.all()) == 2


def test_the_timeline_shows_a_session_of_yesterday_and_opens_it(page: Page, served: ServedHome) -> None:
    with served.sample.open(lambda: NOON - timedelta(days=1)) as m:
        asked = RecallRequest("How often do we fetch the timetable feed?", session="yesterday-a", proactive=True)
        m.recaller_in(Scope(agent="codex", project="pier-board")).recall(asked)
    page.goto(served.url("/timeline"))
    day = page.locator("#day-2026-11-15")
    assert "codex" in day.inner_text() and "pier-board" in day.inner_text()
    assert "1 prompt" in day.inner_text()
    assert "Added an entry to MEMORY.md" in page.locator("#day-2026-11-16").inner_text()
    assert axe(page) == []
    day.get_by_role("link", name="How often do we fetch the timetable feed?").click()
    page.wait_for_url("**/?day=2026-11-15*")
    page.get_by_text("How often do we fetch the timetable feed?").first.wait_for()

    page.goto(served.url("/timeline?until=2026-10-29"))
    page.get_by_role("link", name="The ferry operator wrote", exact=False).click()
    page.wait_for_url("**/read?id=*")
    page.get_by_text("every 5 minutes from now on", exact=False).first.wait_for()
