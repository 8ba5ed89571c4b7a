"""The notes that are always loaded: as they are on the disk, for whom they are meant, with true line numbers."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from memoro.model.ratings import MutedWords
from memoro.model.scope import EVERYTHING, Scope
from memoro.recall.always_loaded import (
    DAILY,
    AlwaysLoaded,
    LoadedNote,
    TodaysNote,
    read_always_loaded,
    within,
    without_lines_about,
    without_muted_lines,
)
from memoro.vault.daily_place import DailyPlace
from memoro.vault.files import VaultFiles
from tests.conftest import write_vault

TODAY = date(2026, 11, 2)
PLACE = DailyPlace("daily")
HARBOR = Scope(project="~/src/harbor")
DAY = LoadedNote(
    DAILY,
    "daily/2026-11-02.md",
    (
        "# 2026-11-02",
        "",
        "- slept badly",
        "- the crane is booked #project/harbor",
        "- the letter to Ida #private",
        "- the pier is wet #project/pier",
        "",
        "- the gate runs #project/harbor",
        "",
    ),
    first=5,
    date="2026-11-02",
)


def read(vault: Path, lines: int = 9, place: DailyPlace = PLACE) -> AlwaysLoaded:
    return read_always_loaded(VaultFiles(str(vault)), TodaysNote(TODAY, place, lines))


def of(note: LoadedNote) -> AlwaysLoaded:
    return AlwaysLoaded((note,), ())


def shown(loaded: AlwaysLoaded) -> list[tuple[int, tuple[str, ...]]]:
    return [(one.first, one.lines) for one in loaded.found]


def test_the_files_of_rules_facts_and_pins_are_read_under_any_of_their_names(tmp_path: Path) -> None:
    vault = write_vault(
        tmp_path, {"GEMINI.md": "# Facts\n\n- a\n\n\n", "Pinned.md": "- b\n", "PROCEDURAL.md": " \n\n"}
    )
    found = read(vault, lines=0)
    assert [(one.section, one.path, one.lines) for one in found.found] == [
        ("semantic", "GEMINI.md", ("# Facts", "", "- a")),
        ("pinned", "Pinned.md", ("- b",)),
    ]
    assert found.missing == (("PROCEDURAL.md", "there is no such note"),)


def test_a_file_that_cannot_be_read_is_named_with_its_reason_and_another_is_read_instead(tmp_path: Path) -> None:
    vault = write_vault(tmp_path, {"memory.md": "- a\n"})
    (vault / "MEMORY.md").mkdir()
    found = read(vault, lines=0)
    assert [one.path for one in found.found] == ["memory.md"]
    [(path, why)] = [one for one in found.missing if one[0] == "MEMORY.md"]
    assert path and why != "there is no such note"
    (vault / "memory.md").unlink()
    assert [path for path, _ in read(vault, lines=0).missing if path.lower() == "memory.md"] == ["MEMORY.md"]


def test_frontmatter_says_whose_a_file_is(tmp_path: Path) -> None:
    front = "---\nagent: codex\nproject: harbor\nprivate: true\n---\n- a\n"
    vault = write_vault(tmp_path, {"MEMORY.md": front, "PINNED.md": "- no ---\n"})
    pinned, memory = sorted(read(vault, lines=0).found, key=lambda one: one.path, reverse=True)
    assert (memory.agent, memory.project, memory.is_private) == ("codex", "harbor", True)
    assert (pinned.agent, pinned.project, pinned.is_private) == (None, None, False)
    assert within(of(memory), Scope(agent="codex", project="harbor")).found == (memory,)
    for scope in (Scope(agent="claude"), Scope(project="pier"), EVERYTHING._replace(private=False)):
        assert within(of(memory), scope).found == ()


@pytest.mark.parametrize(("most", "first", "kept"), [(1, 4, "c"), (2, 3, "bc"), (4, 1, "# abc"), (9, 1, "# abc")])
def test_of_a_day_as_many_of_the_last_lines_come_as_are_wanted(
    tmp_path: Path, most: int, first: int, kept: str
) -> None:
    vault = write_vault(tmp_path, {"daily/2026-11-02.md": "# \na\nb\nc\n\n"})
    [note] = read(vault, lines=most).found
    assert (note.first, "".join(note.lines), note.date) == (first, kept, "2026-11-02")


def test_the_note_of_a_day_may_have_another_place_and_is_else_reported(tmp_path: Path) -> None:
    assert ("daily/2026-11-02.md", "there is no note of today") in read(tmp_path).missing
    assert all("daily" not in path for path, _ in read(tmp_path, lines=0).missing)
    vault = write_vault(tmp_path, {"memory/2026-11-02.md": "- a\n"})
    assert [one.path for one in read(vault).found] == ["memory/2026-11-02.md"]
    wrong = read(vault, place=DailyPlace("", "[MEMORY]"))
    assert [path for path, why in wrong.missing if "daily notes" in why] == ["MEMORY.md"]
    assert wrong.found == ()


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("# Day\n- 10:00 [extracted] I live in Kiel. (@claude/a:3)\n- b\n", ("# Day", "", "- b")),
        ("# Day\n- b\n- 10:00 [extracted] I live in Kiel. (@claude/a:3)\n", ("# Day", "- b")),
        ("# Day\n- 10:00 [extracted] I live in Kiel. (@claude/a:3)\n", None),
        ("# Day\n- 10:00 [good]\n", None),
        ("# Day\n", ("# Day",)),
    ],
)
def test_what_every_prompt_can_do_without_is_left_out_of_the_day(
    tmp_path: Path, text: str, lines: tuple[str, ...] | None
) -> None:
    found = read(write_vault(tmp_path, {"daily/2026-11-02.md": text})).found
    assert [one.lines for one in found] == ([lines] if lines else [])


def test_of_a_day_a_project_gets_its_own_lines_under_their_numbers() -> None:
    booked, runs = "- the crane is booked #project/harbor", "- the gate runs #project/harbor"
    assert shown(within(of(DAY), HARBOR)) == [(5, ("# 2026-11-02", "", "", booked, "", "", "", runs))]
    below = DAY._replace(lines=DAY.lines[2:], first=7)
    assert shown(within(of(below), HARBOR)) == [(8, (booked, "", "", "", runs))]
    assert within(of(DAY), Scope(project="~/src/mill")).found == ()


def test_who_has_no_project_gets_every_line_but_private_ones() -> None:
    assert within(of(DAY), EVERYTHING).found == (DAY,)
    [(first, lines)] = shown(within(of(DAY), EVERYTHING._replace(private=False)))
    assert first == 5 and "- the letter to Ida #private" not in lines and "- slept badly" in lines
    assert lines[-1] == "- the gate runs #project/harbor"


def test_where_the_project_is_the_vault_a_day_is_shown_without_lines_of_other_projects() -> None:
    [(first, lines)] = shown(within(of(DAY), HARBOR, is_vault=True))
    assert first == 5 and "- slept badly" in lines and "- the pier is wet #project/pier" not in lines
    assert "- the crane is booked #project/harbor" in lines


def test_private_and_hidden_files_are_for_those_who_see_them() -> None:
    facts = LoadedNote("semantic", "MEMORY.md", ("- a", "- b #private", "- c"))
    seen = EVERYTHING._replace(private=False)
    assert within(of(facts), EVERYTHING).found == (facts,)
    assert shown(within(of(facts), seen)) == [(1, ("- a", "", "- c"))]
    assert within(of(facts), seen._replace(hidden=("MEMORY.md",))).found == ()
    assert within(of(facts), EVERYTHING._replace(hidden=("MEMORY.md",))).found == (facts,)
    secret = LoadedNote("semantic", "MEMORY.md", ("# Facts", "- b #private"))
    assert within(of(secret), seen).found == (), "a heading alone tells nothing"
    first = LoadedNote("semantic", "MEMORY.md", ("- b #private", "", "- c"), first=4)
    assert shown(within(of(first), seen)) == [(6, ("- c",))]


def test_lines_about_sessions_that_are_told_anyway_are_blank_in_the_day_alone() -> None:
    facts = LoadedNote("semantic", "MEMORY.md", ("- the gate runs",))
    both = AlwaysLoaded((facts, DAY), ())
    assert without_lines_about(both, ()) == both
    told = without_lines_about(both, ["the gate runs", "the pier"])
    assert told.found[0] == facts
    assert told.found[1].lines[3] == DAY.lines[3] and told.found[1].lines[5] == told.found[1].lines[7] == ""
    alone = DAY._replace(lines=("# 2026-11-02", "- the gate runs"))
    assert without_lines_about(of(alone), ["the gate"]).found == ()


def test_muted_lines_are_blank() -> None:
    muted = MutedWords(said=frozenset({"slept badly"}), digest=lambda text: text.strip("- ").casefold())
    [note] = without_muted_lines(of(DAY), muted).found
    assert note.lines == tuple("" if "slept" in line else line for line in DAY.lines)
    assert without_muted_lines(of(DAY), MutedWords()) == of(DAY)
