"""Where a file stands tells what it is for; existing layouts work as they are."""

from __future__ import annotations

import time
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoro.model.vocabulary import NOTE_TIERS, LoadedTier
from memoro.vault.days import can_be_used, day_of, named
from memoro.vault.layout import ROLES, layout


def tier(path: str, *others: str, daily_folder: str = "daily") -> str:
    return layout([path, *others], daily_folder=daily_folder).tier(path)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("MEMORY.md", "semantic"),
        ("PROCEDURAL.md", "procedural"),
        ("PINNED.md", "pinned"),
        ("daily/2026-03-05.md", "daily"),
        ("sessions/2026-03-05T10-30-00.md", "episodic"),
        ("sessions/2026-03-05T10-30-00-telegram.md", "episodic"),
        ("skills/baking.md", "skill"),
        ("skills/kitchen/bread/sourdough.md", "skill"),
        ("ideas.md", "note"),
        ("projects/memoro/plan.md", "note"),
    ],
)
def test_every_tier_has_its_place(path: str, expected: str) -> None:
    assert tier(path) == expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("Memory.md", "semantic"),
        ("memory.md", "semantic"),
        ("GEMINI.md", "semantic"),
        ("Procedural.md", "procedural"),
        ("Pinned.md", "pinned"),
        ("2026-03-05.md", "daily"),
        ("2026-03-05.MD", "daily"),
        ("memory/2026-03-05.md", "daily"),
        ("memory/2026-03-05-tea.md", "daily"),
        ("Memory/2026-03-05.md", "daily"),
        ("memory/projects.md", "note"),
        ("memory/deep/er/thoughts.md", "note"),
        ("daily/archive/2025/2025-12-31.md", "daily"),
        ("daily/2026-03-05 walk.md", "daily"),
        ("Sessions/2026-03-05T10-30-00.md", "episodic"),
        ("Skills/baking.md", "skill"),
    ],
)
def test_an_existing_layout_works_as_it_is(path: str, expected: str) -> None:
    assert tier(path) == expected


@pytest.mark.parametrize(
    "path",
    [
        "projects/MEMORY.md",
        "memory/MEMORY.md",
        "daily/template.md",
        "projects/daily/2026-03-05.md",
        "2026-03-05 walk.md",
        "2026-03-05x.md",
        "2026-3-5.md",
        "my skills/baking.md",
        "skills.md",
        "sessions.md",
        "notes/sessions/2026-03-05T10-30-00.md",
        "MEMORY.md.md",
        "@other/2026-03-05.md",
        "@other/MEMORY.md",
        "@claude-memory/daily/2026-03-05.md",
    ],
)
def test_what_only_looks_like_a_tiers_place_is_a_note(path: str) -> None:
    assert tier(path) == "note"


@pytest.mark.parametrize("role", ROLES)
def test_of_two_files_for_one_role_the_first_has_it_and_the_other_is_told_of(role: LoadedTier) -> None:
    first, second, *_ = ROLES[role]
    lay = layout([second, "other.md", first], daily_folder="daily")
    assert (lay.tier(first), lay.tier(second)) == (role, "note")
    [sentence] = lay.doubles
    assert first in sentence
    assert second in sentence


@given(present=st.sets(st.sampled_from([name for names in ROLES.values() for name in names])))
def test_each_role_has_one_file_and_every_other_claim_is_told_of(present: set[str]) -> None:
    lay = layout(present, daily_folder="daily")
    for role, names in ROLES.items():
        claims = [name for name in names if name in present]
        assert [name for name in present if lay.tier(name) == role] == claims[:1]
    assert len(lay.doubles) == len(present) - len(lay.roles)


def test_a_role_does_not_depend_on_the_order_of_the_listing() -> None:
    paths = ["GEMINI.md", "memory.md", "MEMORY.md", "Memory.md"]
    assert layout(paths, daily_folder="daily") == layout(reversed(paths), daily_folder="daily")


@pytest.mark.parametrize("folder", ["Journal", "Journal/", "life/journal", "journal [old]"])
def test_the_daily_folder_can_be_another(folder: str) -> None:
    inside = f"{folder.strip('/')}/2026-03-05.md"
    assert tier(inside, daily_folder=folder) == "daily"
    assert tier(f"{folder.strip('/')}/2025/2025-03-05.md", daily_folder=folder) == "daily"
    assert tier("kitchen/2026-03-05.md", daily_folder=folder) == "note"
    assert tier("2026-03-05.md", daily_folder=folder) == "daily"


DIARIES = [
    "logbook", "Log", "Daily Notes", "daily-notes", "01_Journal", "My Diary 2026", "📓 Journal", "agenda",
    "notes of the day", "Tagebuch", "Tagesnotizen", "Journal de bord", "Notes quotidiennes", "Bitácora", "Diário",
    "Dagboek", "Dagbok", "Loggbok", "Päiväkirja", "Дневник", "日记", "デイリーノート", "일기",
]  # fmt: skip


@pytest.mark.parametrize("folder", DIARIES)
def test_a_folder_that_is_called_a_diary_holds_daily_notes(folder: str) -> None:
    assert tier(f"{folder}/2026-03-05.md") == "daily"
    assert tier(f"{folder}/2026/03/2026-03-05 walk.md") == "daily"
    assert tier(f"Personal/{folder}/2026-03-05.md") == "daily"
    assert tier(f"4 Archive/{folder}/2025/2025-03-05.md") == "daily"
    assert tier(f"@{folder}/2026-03-05.md") == "daily"
    assert tier(f"@old/{folder}/2026-03-05.md") == "daily"
    assert tier(f"{folder}/about.md") == "note"
    assert tier(f"projects/harbor/{folder}/2026-03-05.md") == "note", "it belongs to the project"
    assert tier(f"Work/{folder}/2026-03-05.md") == "note"


@pytest.mark.parametrize(
    "folder", ["kladde", "Kaja's pages", "2026", "kladde/2026", "kladde/2026/03-March", "kladde/2026-03"]
)
def test_a_folder_whose_notes_are_mostly_named_by_days_holds_daily_notes(folder: str) -> None:
    first, second, third = (f"{folder}/2026-03-0{day}.md" for day in (5, 6, 7))
    assert tier(first, second, f"{folder}/2026-03-09 walk.md", third) == "daily"
    assert tier(f"{folder}/2026-03-09 walk.md", first, second) == "daily"
    assert tier(first) == "note", "one note is not most notes of a folder"
    assert tier(first, second, f"{folder}/tea.md", f"{folder}/shed.md") == "note"
    assert tier(f"{folder}/tea.md", first, second, third) == "note"


def test_folders_of_months_are_counted_together() -> None:
    others = ("kladde/2026/04/2026-04-01.md", "kladde/2026/05/2026-05-01.md")
    assert tier("kladde/2026/03/2026-03-05.md", *others) == "daily"
    assert tier("kladde/2026/03/2026-03-05.md", *others, "kladde/a.md", "kladde/b.md", "kladde/c.md") == "note"


@pytest.mark.parametrize(
    "folder",
    [
        "meetings", "Team meetings", "standup", "1on1s", "Release notes", "releases", "minutes", "Besprechungen",
        "incidents", "posts", "skills", "agent", "projects", "projects/harbor", "Work", "kitchen/shed", "@other",
        "Health", "recipes",
    ],
)  # fmt: skip
def test_a_folder_whose_name_says_something_else_holds_no_daily_notes(folder: str) -> None:
    path, *others = (f"{folder}/2026-03-0{day}.md" for day in range(1, 9))
    assert tier(path, *others) in ("note", "skill")


def test_a_vault_with_many_notes_takes_no_longer_to_lay_out() -> None:
    days = [
        f"kladde/{year}/{year}-{month:02}-{day:02}.md"
        for year in (2024, 2025)
        for month in range(1, 13)
        for day in range(1, 29)
    ]
    paths = [*days, *(f"notes/topic {number % 40}/note {number}.md" for number in range(1400))]
    layout(paths, daily_folder="daily")
    started = time.process_time()
    for _ in range(10):
        layout(paths, daily_folder="daily")
    assert time.process_time() - started < 0.1, "10 ms each, of which it needs 1"


def test_a_daily_folder_called_skills_still_holds_days() -> None:
    assert tier("skills/2026-03-05.md", daily_folder="skills") == "daily"
    assert tier("skills/baking.md", daily_folder="skills") == "skill"


@given(name=st.text(min_size=1), folder=st.text(min_size=1))
def test_every_note_has_a_tier_and_every_log_is_a_transcript(name: str, folder: str) -> None:
    assert tier(f"{name}.md", daily_folder=folder) in NOTE_TIERS
    assert tier(f"{name}.jsonl", daily_folder=folder) == "transcript"


PATTERNS = [
    "YYYY-MM-DD",
    "YYYY/MM-MMMM/YYYY-MM-DD",
    "DD.MM.YYYY",
    "D. MMMM YYYY",
    "dddd, MMMM Do YYYY",
    "[Day] YYYY/M/D",
]


@given(day=st.dates(min_value=date(1000, 1, 1)), pattern=st.sampled_from(PATTERNS))
def test_the_name_of_a_day_tells_the_day(day: date, pattern: str) -> None:
    name = named(pattern, day)
    assert can_be_used(pattern)
    assert day_of(pattern, name) == day
    assert day_of(pattern, f"{name}x") is None
    lay = layout([], daily_folder="journal", daily_pattern=pattern)
    for path in (f"journal/{name}.md", f"journal/archive/{day:%Y}/{name.removeprefix(f'{day:%Y}/')}.md"):
        assert (lay.tier(path), lay.day(path)) == ("daily", day.isoformat())
    assert lay.day(f"elsewhere/{name}.md") is None


def test_the_top_of_the_vault_can_be_the_daily_folder() -> None:
    lay = layout([], daily_folder=".", daily_pattern="DD.MM.YYYY")
    assert lay.tier("05.03.2026.md") == "daily" and lay.tier("archive/2026/05.03.2026.md") == "daily"
    assert lay.tier("sub/05.03.2026.md") == "note" and lay.tier("45.03.2026.md") == "note"


def test_no_pattern_takes_long() -> None:
    started = time.process_time()
    for pattern in ("D[]" * 12, "dddd" * 12, "MMMM[]D" * 6):
        assert can_be_used(pattern)
        assert day_of(pattern, "1" * 200 + "x") is None and day_of(pattern, "Monday" * 40) is None
    assert not can_be_used("D[]" * 13)
    assert time.process_time() - started < 1
