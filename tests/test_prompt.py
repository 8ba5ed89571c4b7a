"""The whole prompt: its sections in their order, each within its cap, and what is missing said."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import memoro
from memoro.model.recall import Recalled
from memoro.model.tokens import quarters, tokens
from memoro.recall import fence
from memoro.recall.always_loaded import DAILY, LOADED, AlwaysLoaded, LoadedNote, LoadedSection
from memoro.recall.answer import nothing
from memoro.recall.assemble import (
    CAPS,
    HINTS,
    SECTIONS,
    Filled,
    PromptHint,
    assemble,
    caps,
    fill,
    fill_hints,
    load,
    tells,
)
from tests.conftest import Memoro, write_vault

NOW = datetime(2026, 5, 14, 12, tzinfo=UTC)
DAY = "# 2026-05-14\n\n" + "".join(f"- {n:02}:00 line {n}\n" for n in range(24))
NOTES = {
    "MEMORY.md": "# Memory\n\n- The dog is called Max.\n",
    "PROCEDURAL.md": "# Rules\n\n- Use metric units.\n",
    "PINNED.md": "# Pinned\n\n- The passports are in the blue folder.\n",
    "tea.md": "# Tea\n\nGreen tea is steeped at 70 degrees.\n",
    "daily/2026-05-14.md": DAY,
}


def ask(home: Path, vault: Path, message: str, budget: int | None = None) -> Recalled:
    with memoro.open(home, vault, clock=lambda: NOW) as m:
        return m.prompt(message, budget=budget)


def test_the_sections_come_in_their_order_each_with_its_own(home: Path, vault: Path) -> None:
    found = ask(home, write_vault(vault, NOTES), "green tea")
    labels = [line for line in found.block.split("\n") if line.startswith("[")]
    assert labels == ["[procedural]", "[semantic]", "[pinned]", "[relevant]", "[daily]"]
    assert [section.name for section in found.sections] == list(SECTIONS)
    assert [section.items for section in found.sections] == [1, 1, 1, 1, 1, 0]
    assert all(section.tokens <= section.cap for section in found.sections)
    assert [item.path for item in found.items] == [
        "PROCEDURAL.md", "MEMORY.md", "PINNED.md", "tea.md", "daily/2026-05-14.md",
    ]  # fmt: skip
    assert fence.block(found.items, found.boundary, found.sections) == found.block


def test_what_the_prompt_holds_anyway_is_not_recalled_besides(home: Path, vault: Path) -> None:
    found = ask(home, write_vault(vault, NOTES), "what is the dog called")
    assert [item.path for item in found.items].count("MEMORY.md") == 1
    assert "already in the prompt" in {one.why for one in found.left_out if "MEMORY.md" in one.id}


@pytest.mark.parametrize("budget", [1, 60, 100, 150, 300, 700, 2000])
def test_a_prompt_never_takes_more_than_its_budget(home: Path, vault: Path, budget: int) -> None:
    write_vault(vault, {**NOTES, "MEMORY.md": "# Memory\n\n" + "".join(f"- fact {n} of tea\n" for n in range(200))})
    found = ask(home, vault, "green tea", budget)
    assert found.tokens <= budget
    if budget == 700:
        cut = next(one for one in found.left_out if one.id.startswith("MEMORY.md:"))
        last = next(item for item in found.items if item.path == "MEMORY.md").end_line
        assert cut.id == f"MEMORY.md:{last + 1}-202"


def test_room_that_nobody_needs_goes_to_what_would_be_cut(home: Path, vault: Path) -> None:
    rules = "# Rules\n\n" + "".join(f"- Rule {n} is to be kept by everybody.\n" for n in range(60))
    write_vault(vault, {"PROCEDURAL.md": rules, "MEMORY.md": NOTES["MEMORY.md"]})
    found = ask(home, vault, "", 1200)
    assert [(item.path, item.end_line) for item in found.items] == [("PROCEDURAL.md", 62), ("MEMORY.md", 3)]
    assert found.degraded == ()
    assert all(section.tokens <= section.cap for section in found.sections)


def test_no_heading_is_left_without_what_stands_below_it() -> None:
    page = LoadedNote("semantic", "a.md", ("# A", "", "- one", "", "## B", "", f"- {'x' * 900}"))
    filled = fill(page, 400, str)
    assert filled.items[0].text == "# A\n\n- one\n"
    assert [one.id for one in filled.left_out] == ["a.md:5-7"]


def test_of_a_day_the_last_lines_are_kept(home: Path, vault: Path) -> None:
    (home).mkdir(mode=0o700)
    (home / "memoro.toml").write_text("[daily]\nprompt_lines = 3\n")
    found = ask(home, write_vault(vault, NOTES), "green tea")
    daily = found.items[-1]
    assert (daily.start_line, daily.end_line) == (24, 26)
    assert daily.text.split("\n") == ["- 21:00 line 21", "- 22:00 line 22", "- 23:00 line 23"]


def test_without_a_vault_there_is_nothing_and_that_is_said(tmp_path: Path) -> None:
    with memoro.open(tmp_path / "home") as m:
        found = m.prompt("hello")
    assert (found.items, found.block) == ((), "")
    assert "No vault" in found.degraded[0]


def test_without_a_vault_memories_are_still_recalled(tmp_path: Path) -> None:
    with memoro.open(tmp_path / "home") as m:
        m.memories.store("The owner drinks green tea at four.", source="user")
        found = m.prompt("when is green tea")
    assert [item.id for item in found.items] == ["memory:1"]


def test_an_empty_vault_tells_what_is_missing(memoro: Memoro) -> None:
    done = memoro("prompt", "--json", "hello")
    assert done.code == 1
    assert {one["id"] for one in done.json["left_out"]} >= {"PROCEDURAL.md", "MEMORY.md", "PINNED.md"}
    assert {one["name"]: one["cap"] for one in done.json["sections"]} == {**CAPS, "relevant": 3000}


@pytest.mark.usefixtures("vault")
def test_the_command_shows_the_caps(memoro: Memoro, vault: Path) -> None:
    write_vault(vault, {"MEMORY.md": NOTES["MEMORY.md"]})
    assert "semantic: " in memoro("prompt", "--why", "dog").out
    assert memoro("prompt", "dog").out.startswith("<memoro-context")


lines = st.lists(st.sampled_from(["- a", "  b", "", "# c", "text 中文", '"<\\', "x" * 90]), min_size=1, max_size=30)


@given(
    found=lines, room=st.integers(0, 1500), section=st.sampled_from(["semantic", DAILY]), first=st.integers(1, 999)
)
def test_a_page_is_filled_with_whole_entries_within_its_cap(
    found: list[str], room: int, section: LoadedSection, first: int
) -> None:
    page = LoadedNote(section, "a.md", tuple(found), first)
    filled = fill(page, room, lambda text: text)
    if not tells(found):
        assert filled == Filled([], [])
        return
    assert len(filled.items) <= 1
    for item in filled.items:
        assert quarters(fence.label(section) + fence.record([item])) <= room
        assert item.text.split("\n") == found[item.start_line - first : item.end_line - first + 1]
        whole = item.end_line if section == DAILY else item.start_line
        assert whole == (first + len(found) - 1 if section == DAILY else first)
    assert bool(filled.left_out) == (not filled.items or len(filled.items[0].text.split("\n")) < len(found))


@given(
    message=st.sampled_from(["m", " "]),
    texts=st.lists(st.text(max_size=400), max_size=4),
    pages=st.lists(lines, max_size=3),
    budget=st.integers(1, 3000) | st.integers(1, 200),
)
@example(message="m", texts=[], pages=[[""], ["- a"]], budget=94)
def test_whatever_there_is_the_budget_holds(
    message: str, texts: list[str], pages: list[list[str]], budget: int
) -> None:
    loaded = tuple(
        LoadedNote(name, f"{name}.md", tuple(page)) for name, page in zip((*LOADED, DAILY), pages, strict=False)
    )
    hints = [PromptHint(f"experience:{n}", text) for n, text in enumerate(texts)] if message.strip() else []
    begun = load(AlwaysLoaded(loaded, ()), caps(3000, budget), str, is_asked=bool(message.strip()))
    offered = fill_hints(hints, begun.caps[HINTS], str)
    found = assemble(message, begun, nothing("x"), offered, fence.draw)
    assert tokens(found.block) == found.tokens <= budget


# Hints


def test_what_worked_before_is_a_hint_and_stands_in_the_prompt_once(home: Path, vault: Path) -> None:
    write_vault(vault, NOTES)
    with memoro.open(home, vault, clock=lambda: NOW) as m:
        m.experiences.record("tool_chain", "Publish the shed plans", ["export", "upload"], success=0.9)
        m.experiences.record("tool_chain", "Publish the shed plans", "by pigeon", success=0.2)
        first = m.prompt("please publish the plans of the shed")
        again = m.prompt("please publish the plans of the shed")
        used = m.experiences.show(1).experience.uses
    hints = [item for item in first.items if item.path == "experience:1"]
    assert [item.text for item in hints] == [
        'Worked before: Publish the shed plans → ["export", "upload"] (success 0.90)'
    ]
    assert first.block.partition("[hints]")[2].count("Worked before") == 1
    assert (again.items, again.sections) == (first.items, first.sections)
    assert used == 2


def test_a_hint_of_another_project_or_beside_named_notes_is_not_given(home: Path, vault: Path) -> None:
    write_vault(vault, NOTES)
    with memoro.open(home, vault, clock=lambda: NOW) as m:
        m.experiences.record("tool_chain", "Publish the shed plans", "upload", project="shed")
        asked = "please publish the plans of the shed"
        for found in (m.prompt(asked, project="boat"), m.prompt(asked, path="tea.md"), m.prompt(asked, tier="daily")):
            assert "experience:1" not in found.block
        assert "experience:1" in m.prompt(asked, project="shed").block


def test_without_a_ledger_a_prompt_makes_none(home: Path, vault: Path) -> None:
    ask(home, write_vault(vault, NOTES), "green tea")
    assert not (home / "ledger.db").exists()


def test_a_note_of_headings_to_fill_is_not_loaded(home: Path, vault: Path) -> None:
    found = ask(home, write_vault(vault, {"MEMORY.md": "# Memory\n\n## Preferences\n\n## Patterns\n"}), "green tea")
    assert "Preferences" not in found.block
