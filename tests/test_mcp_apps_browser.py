"""Views inside a host, in a real browser: a sandboxed frame, a page around it, and a real `memoro mcp` behind."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import memoro
from memoro.model.proposals import AddRule, Evidence, RememberEntry, Suggestion, WriteNote
from tests import hostile_texts
from tests.app_host import AppHost, server_of
from tests.browser import Watched, axe
from tests.conftest import write_vault

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Frame, Page

PHONE = {"width": 360, "height": 720}
FACT = "The pier board is shown in German and English"
RULE = "Run the tests before a commit"
NOTES = {
    "MEMORY.md": "# Memory\n\n- Departures are kept in SQLite ^d1\n",
    "PROCEDURAL.md": "# Rules\n\n- Ask before a deploy ^r1\n",
    "board.md": "# Board\n\nThe pier board runs on a Raspberry Pi 4 behind the ticket window.\n",
}
QUESTION = "On what does the pier board run?"
# Runs before every document: whatever a text calls is an error of the browser.
HOOKS = "window.xss = (n) => console.error('EXECUTED ' + n); window.alert = window.xss;"
OURS = {
    "article", "blockquote", "button", "code", "dd", "del", "details", "div", "dl", "dt", "h2", "h3", "ins", "li",
    "mark", "p", "section", "span", "summary", "ul",
}  # fmt: skip
TAGS = "() => [...document.querySelectorAll('#content *')].map((one) => one.tagName.toLowerCase())"
ATTRIBUTES = "() => [...document.querySelectorAll('#content *')].flatMap((one) => one.getAttributeNames())"


@pytest.fixture
def places(home: Path, vault: Path) -> tuple[Path, Path]:
    write_vault(vault, NOTES)
    (home / "memoro.toml").parent.mkdir(parents=True, exist_ok=True)
    (home / "memoro.toml").write_text("[embedding]\nenabled = false\n")
    with memoro.open(home, vault) as m:
        m.sync()
        fact = RememberEntry(text=FACT, tier="semantic", section=None, path="MEMORY.md")
        said = Evidence(quote="Both languages, please", speaker="User", date="2026-11-15")
        m.proposals.propose(
            Suggestion(fact, origin="agent", reason="You said so twice.", evidence=(said,)), by="codex"
        )
        m.proposals.propose(Suggestion(AddRule(RULE, "PROCEDURAL.md", None, ()), origin="feedback"))
    return home, vault


class ShownApp:
    """A view as a person sees it: the frame, the page around it, and the host behind both."""

    def __init__(self, host: AppHost, page: Page) -> None:
        self.host = host
        self.page = page
        page.goto(host.address)
        self.frame: Frame = next(one for one in page.frames if one != page.main_frame)
        self.frame.locator("#content > *").first.wait_for()

    def button(self, name: str, number: int = 1) -> Any:
        return self.frame.get_by_role("button", name=f"{name} proposal {number}")

    def says(self, text: str) -> None:
        """Wait until the view says this to a screen reader."""
        self.frame.locator("#status", has_text=text).wait_for()

    def messages(self, method: str) -> list[Any]:
        found: list[Any] = self.page.evaluate("(m) => seen.filter((one) => one.method === m)", method)
        return found


@contextmanager
def shown(browser: Browser, host: AppHost, before: str = "", **options: Any) -> Iterator[ShownApp]:
    """Open a view for the block, which fails if the browser asked another server or met an error."""
    with host.running():
        made = browser.new_context(**{"reduced_motion": "reduce", **options})
        made.set_default_timeout(15_000)
        if before:
            made.add_init_script(before)
        watch = Watched(made, host.address)
        try:
            yield ShownApp(host, made.new_page())
            made.cookies()  # events before this answer have arrived
            watch.check()
        finally:
            made.close()


def host_of(places: tuple[Path, Path], tool: str) -> AppHost:
    return AppHost(server_of(*places, "--agent", "claude-code"), tool)


def test_a_person_accepts_rejects_puts_off_and_undoes(browser: Browser, places: tuple[Path, Path]) -> None:
    home, vault = places
    before = (vault / "MEMORY.md").read_text()
    with shown(browser, host_of(places, "proposals")) as app:
        assert FACT in app.frame.locator("ins").first.inner_text()
        assert "You said so twice." in app.frame.locator("article").first.inner_text()
        app.button("Later").click()
        app.says("Put off")
        assert app.frame.locator("article").last.locator("h2").inner_text() == "Add a fact to MEMORY.md"
        app.button("Accept").click()
        app.says("Accepted: add a fact to MEMORY.md.")
        assert FACT in (vault / "MEMORY.md").read_text()
        app.button("Undo").click()
        app.says("Undone.")
        assert (vault / "MEMORY.md").read_text() == before
        app.button("Reject for ever", 2).click()
        app.says("Rejected for ever")
    assert RULE not in (vault / "PROCEDURAL.md").read_text()
    with memoro.open(home, vault) as m:
        assert m.proposals.all() == []


def test_a_proposal_that_was_decided_elsewhere_is_not_decided_again(
    browser: Browser, places: tuple[Path, Path]
) -> None:
    with shown(browser, host_of(places, "proposals")) as app:
        with memoro.open(*places) as m:
            m.proposals.reject(1)
        app.button("Accept").click()
        app.says("1")  # the sentence names the proposal, and what waits is shown anew
        app.frame.get_by_role("heading", name="Add a fact to MEMORY.md").wait_for(state="detached")
        assert app.button("Accept", 2).is_enabled()
    assert FACT not in (places[1] / "MEMORY.md").read_text()


def test_no_script_presses_a_button(browser: Browser, places: tuple[Path, Path]) -> None:
    with shown(browser, host_of(places, "proposals")) as app:
        app.frame.evaluate("document.querySelectorAll('article button').forEach((one) => one.click())")
        app.frame.get_by_role("button", name="Look again").click()
        app.button("Accept").wait_for()
        assert {one["name"] for one in app.host.calls} == {"app_view"}


def test_a_message_of_another_window_is_no_answer_of_the_host(browser: Browser, places: tuple[Path, Path]) -> None:
    with shown(browser, host_of(places, "proposals")) as app:
        forged = {"jsonrpc": "2.0", "method": "ui/notifications/host-context-changed", "params": {"theme": "dark"}}
        app.frame.evaluate("(message) => window.postMessage(message, '*')", forged)
        styles = {"variables": {"--color-text-primary": "black"}}
        app.page.evaluate("(styles) => tell('ui/notifications/host-context-changed', {styles})", styles)
        app.frame.wait_for_function("document.documentElement.style.getPropertyValue('--color-text-primary')")
        assert app.frame.evaluate("document.documentElement.dataset.theme") == "light"


def test_today_shows_what_was_given_and_why(browser: Browser, places: tuple[Path, Path]) -> None:
    host = host_of(places, "today")
    with host.running():
        host.call("recall", {"message": QUESTION})
    with shown(browser, host_of(places, "today")) as app:
        text = app.frame.locator("#content").inner_text()
        assert QUESTION in text and "Raspberry Pi 4" in text and "board.md" in text
        assert "2 proposals wait for you" in text and "All is well" in text


def test_it_follows_the_theme_and_the_colours_of_the_host(browser: Browser, places: tuple[Path, Path]) -> None:
    host = host_of(places, "proposals")
    variables = {"--color-text-primary": "rgb(1, 2, 3)", "--evil": "red", "--font-sans": "serif"}
    host.context = {"theme": "light", "styles": {"variables": variables}}
    style = "(name) => getComputedStyle(document.body)[name]"
    with shown(browser, host, color_scheme="dark") as app:
        light = app.frame.evaluate(style, "backgroundColor")
        assert app.frame.evaluate(style, "color") == "rgb(1, 2, 3)"
        assert app.frame.evaluate("document.documentElement.style.getPropertyValue('--evil')") == ""
        app.page.evaluate("tell('ui/notifications/host-context-changed', {theme: 'dark'})")
        app.frame.wait_for_function("document.documentElement.dataset.theme === 'dark'")
        assert app.frame.evaluate(style, "backgroundColor") != light


def test_it_tells_the_host_its_size_and_needs_no_scrolling(browser: Browser, places: tuple[Path, Path]) -> None:
    with shown(browser, host_of(places, "proposals"), viewport=PHONE) as app:
        app.page.wait_for_function("document.querySelector('iframe').clientHeight > 300")
        size = app.messages("ui/notifications/size-changed")[-1]["params"]
        assert size["height"] == app.frame.evaluate("document.documentElement.scrollHeight")
        assert app.frame.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_the_keyboard_alone_is_enough(browser: Browser, places: tuple[Path, Path]) -> None:
    with shown(browser, host_of(places, "proposals")) as app:
        app.frame.get_by_role("button", name="Look again").focus()
        app.page.keyboard.press("Tab")
        assert app.frame.evaluate("document.activeElement.textContent") == "Accept proposal 1"
        app.page.keyboard.press("Enter")
        app.says("Accepted")
        assert app.frame.evaluate("document.activeElement.textContent") == "Add a fact to MEMORY.md"
        app.page.keyboard.press("Tab")
        assert app.frame.evaluate("document.activeElement.textContent") == "Undo proposal 1"


@pytest.mark.parametrize("tool", ["proposals", "today"])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing(browser: Browser, places: tuple[Path, Path], tool: str, theme: str) -> None:
    host = host_of(places, tool)
    host.context = {"theme": theme}
    with shown(browser, host, viewport=PHONE) as app:
        host.call("recall", {"message": QUESTION})
        app.frame.get_by_role("button", name="Look again").click()
        app.frame.locator("#status", has_text="").wait_for(state="attached")
        found: Any = app.frame  # evaluates as a page does
        assert axe(found, ("minor", "moderate", "serious", "critical")) == []


def test_a_host_that_calls_no_tools_shows_the_text(browser: Browser, places: tuple[Path, Path]) -> None:
    host = host_of(places, "proposals")
    host.can_call = False
    with shown(browser, host) as app:
        assert "2 proposals wait for the user" in app.frame.locator("#content").inner_text()
        assert "memoro ui" in app.frame.locator("#status").inner_text()
        assert app.frame.get_by_role("button").count() == 0


@pytest.mark.parametrize("tool", ["proposals", "today"])
def test_no_hostile_text_runs_or_becomes_an_element(browser: Browser, places: tuple[Path, Path], tool: str) -> None:
    home, vault = places
    every = hostile_texts.texts()
    size = len(every) // 18 + 1  # a view shows 20 proposals
    groups = [every[at : at + size] for at in range(0, len(every), size)]
    with memoro.open(home, vault) as m:
        for number, some in enumerate(groups):
            evidence = tuple(Evidence(quote=text, speaker=text, date="2026-11-15") for text in some[:2])
            note = WriteNote(path=f"hostile/{number}.md", text="\n".join(some), expected=None)
            m.proposals.propose(
                Suggestion(note, origin="agent", reason=" ".join(some), evidence=evidence), by=some[0]
            )
    host = host_of(places, tool)
    with shown(browser, host, HOOKS) as app:
        if tool == "today":
            for some in groups:
                host.call("recall", {"message": f"pier board {' '.join(some)}"})
            app.frame.get_by_role("button", name="Look again").click()
            app.frame.locator("article").nth(len(groups) - 1).wait_for()
        for summary in app.frame.locator("summary").all():
            summary.click()
        assert set(app.frame.evaluate(TAGS)) <= OURS
        assert set(app.frame.evaluate(ATTRIBUTES)) <= {"class", "type", "aria-label", "aria-hidden", "hidden", "open"}
        assert "xss(" in app.frame.locator("#content").inner_text()
