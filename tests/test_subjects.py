"""A question about one subject is not answered by another: through a search."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import memoro
from memoro.workspace import Workspace
from tests.conftest import write_vault

PROJECTS = ("harbor", "harbor-admin", "harbor-mobile")


def opened(tmp_path: Path, notes: dict[str, str], project: str | None = None, settings: str = "") -> Workspace:
    home = tmp_path / "home"
    home.mkdir(mode=0o700, exist_ok=True)
    (home / "memoro.toml").write_text(settings)
    return memoro.open(home, write_vault(tmp_path / "vault", notes), project=project)


def subject_of_first(m: Workspace, query: str) -> tuple[str, float]:
    """The text of the first result, and its value of the signal."""
    first = m.search(query).results[0]
    return first.snippet, next((part.value for part in first.explanation.parts if part.name == "subject"), 0.0)


def store_ports(m: Workspace) -> None:
    for number, project in enumerate(PROJECTS):
        m.memories.store(f"{project} is reachable on port 80{number}0.", project=project)
        m.memories.store(f"{project}: the port changed, the port of the API is 90{number}0.", project=project)
        m.memories.store(f"{project} keeps its data in Postgres 1{number}.", project=project)


def test_a_project_is_not_taken_for_one_with_a_longer_name(tmp_path: Path) -> None:
    with opened(tmp_path, {}) as m:
        store_ports(m)
        for project in PROJECTS:
            text, value = subject_of_first(m, f"what do we store {project}'s tables in")
            assert text.startswith(f"{project} keeps its data")
            assert value == 1
            found = m.search(f"which port is {project} on").results[:2]
            assert {hit.project for hit in found} == {project}


def test_two_people_with_one_first_name_are_not_mixed_up(tmp_path: Path) -> None:
    notes = {
        "people/Anna Berg.md": "---\naliases: [Annie]\n---\n# Anna Berg\n\nLives in Lisbon with two cats.\n",
        "people/Anna Keller.md": "# Anna Keller\n\nAnna Keller lives in Porto, in a house. Anna lives by the sea.\n",
        "people/Jonas Falk.md": "# Jonas Falk\n\nJonas Falk lives in Bergen.\n",
    }
    with opened(tmp_path, notes) as m:
        for query in ("where does Anna Berg live", "where does anna berg live", "where does Annie live"):
            assert m.search(query).results[0].path == "people/Anna Berg.md"
        assert m.search("where does Anna Keller live").results[0].path == "people/Anna Keller.md"


def test_i_is_the_owner_in_notes_and_memories(tmp_path: Path) -> None:
    with opened(tmp_path, {}) as m:
        for text in (
            "Anna Berg lives at Hafenstrasse 88.",
            "Jonas Falk lives here.",
            "My post goes to Kiefernweg 12.",
        ):
            m.memories.store(text)
        m.memories.store("All pods of tidewater live in the cluster.", project="tidewater")
        assert subject_of_first(m, "where do I live") == ("My post goes to Kiefernweg 12.", 1.0)


def test_this_project_is_that_of_the_session(tmp_path: Path) -> None:
    notes = {
        "projects/harbor.md": "# harbor\n\nThe API listens on 8443. The database is MySQL.\n",
        "projects/tidewater.md": "# tidewater\n\nThe database of this project is Postgres. Our database: Postgres.\n",
    }
    with opened(tmp_path, notes, "harbor") as m:
        first = m.search("which database are we using in this project").results[0]
    assert first.path == "projects/harbor.md"


def test_a_person_of_several_names_is_the_one_who_said_it(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    said = [("Ann Lee", "I moved to Bergen in May."), ("Bob Ray", "I moved to Bergen in May too.")]
    turns = [{"role": "user", "speaker": who, "content": text} for who, text in said]
    (logs / "chat.jsonl").write_text("".join(json.dumps(turn) + "\n" for turn in turns))
    with opened(tmp_path, {}, settings=f'[transcripts]\nfolders = ["{logs}"]\n') as m:
        for name, _ in said:
            first = m.search(f"Where did {name} move?").results[0]
            assert first.speaker == name
            assert ("speaker", 1.0) in {(part.name, part.value) for part in first.explanation.parts}


def test_what_is_known_of_a_subject_does_not_hide_the_rest(tmp_path: Path) -> None:
    """All memories hold the name; only one says what is asked, and in other words."""
    with opened(tmp_path, {}) as m:
        for number in range(75):
            m.memories.store(f"harbor build {number} was green.", project="harbor")
        m.memories.store("Nordwind Logistics is the customer that pays for all the work on harbor.", project="harbor")
        assert "Nordwind" in m.search("Who is the client of harbor?").results[0].snippet


def test_a_name_in_small_letters_that_memories_begin_with_is_one(tmp_path: Path) -> None:
    with memoro.open(tmp_path / "home", write_vault(tmp_path / "vault", {})) as m:
        for text in ("harbor uses MySQL", "harbor-admin uses SQLite", "harbor-admin listens on port 9000"):
            m.memories.store(text, source="user")
        found = m.search("which database does harbor use").results
        assert found[0].snippet == "harbor uses MySQL"
        other = next((hit for hit in found if "SQLite" in hit.snippet), None)
        assert other is None or other.score < found[0].score
        assert {part.name: part.value for part in found[0].explanation.parts}["subject"] == 1


TIDE = """# Tide gauge

A small gauge at the sluice that reports the water level.

## Hardware

The sensor is a JSN-SR04T in the gauge.
It hangs two metres above the mean water line.

## Power

Battery lasts about five months; swap it in March and August.
We buy batteries at Rex in Bruges.
"""
BAKERY = "# Bakery\n\nThe web shop of the bakery.\n\n- Orders close at 18:00.\n- Payments go through Mollie.\n"
OWN_NOTES = {"projects/tide.md": TIDE, "projects/bakery.md": BAKERY}


@pytest.mark.parametrize(
    "line",
    [
        "- I prefer tables to long paragraphs when you explain something.\n",
        "- I changed the battery of my watch.\n",
        "- I like my coffee black.\n",
    ],
)
@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("when do I swap the battery", "March and August"),
        ("where do I buy batteries", "at Rex in Bruges"),
        ("what sensor do we use in the gauge", "JSN-SR04T"),
    ],
)
def test_a_line_that_says_i_does_not_displace_a_note_that_answers(
    tmp_path: Path, query: str, wanted: str, line: str
) -> None:
    with opened(tmp_path, OWN_NOTES | {"daily/2026-11-17.md": line}) as m:
        first = m.search(query, limit=1).results[0]
    assert wanted in first.snippet
    assert first.score > 0.9


def test_a_line_that_says_ich_does_not_displace_a_note_that_answers(tmp_path: Path) -> None:
    notes = {
        "projekte/pegel.md": "# Pegel\n\nEin kleiner Pegel an der Schleuse.\n\n## Strom\n\n"
        "Die Batterie hält etwa fünf Monate; sie wird im März und im August gewechselt.\n",
        "daily/2026-11-17.md": "- Ich mag lieber Tabellen als lange Absätze, wenn du etwas erklärst.\n",
    }
    with opened(tmp_path, notes) as m:
        found = m.search("wann wechsle ich die Batterie").results
    assert "im März und im August" in found[0].snippet
    assert all("Tabellen" not in hit.snippet or hit.score < found[0].score for hit in found)


def test_only_another_person_is_another_than_i(tmp_path: Path) -> None:
    notes = {
        "people/Marta.md": "# Marta\n\nMarta keeps the ladder in the shed.\n",
        "projects/tide.md": "# Tide gauge\n\nThe ladder is in the boat house.\n",
        "daily/2026-11-17.md": "- I keep the ladder in the garage.\n",
    }
    with opened(tmp_path, notes) as m:
        found = m.search("where do I keep the ladder", min_score=0).results
    values = {hit.path: {part.name: part.value for part in hit.explanation.parts} for hit in found}
    assert found[0].path == "daily/2026-11-17.md"
    assert [values[path].get("subject", 0) for path in sorted(notes)] == [1, -1, 0]


def test_a_home_is_that_of_the_person_who_asks(tmp_path: Path) -> None:
    notes = {
        "people/Marta.md": "# Marta\n\nMarta lives in Porto.\n",
        "projects/tide.md": "# Tide gauge\n\nThe tide gauge and its keeper live in Bruges.\n",
        "daily/2026-11-17.md": "- I live in Lisbon.\n",
    }
    with opened(tmp_path, notes) as m:
        assert "Lisbon" in m.search("where do I live", limit=1).results[0].snippet
        assert "Porto" in m.search("where does Marta live", limit=1).results[0].snippet


@pytest.mark.parametrize(
    "query",
    ["who is my dentist", "When do I see my dentist?", "wer ist mein Zahnarzt?", "what does my old dentist cost"],
)
def test_a_person_whom_i_call_mine_has_a_note_under_a_name(tmp_path: Path, query: str) -> None:
    notes = {
        "MEMORY.md": "# Memory\n\n- I am Anna, a nurse in Graz.\n",
        "karl.md": "# Karl\n\nMy accountant, mein Steuerberater. Phone 555.\n",
        "people/huber.md": "# Dr Huber\n\nDentist (Zahnarzt), Hauptplatz 3.\n",
    }
    with opened(tmp_path, notes) as m:
        assert m.search(query).results[0].path == "people/huber.md"


def test_what_is_mine_and_no_person_is_not_what_the_note_of_another_has(tmp_path: Path) -> None:
    notes = {"people/Mara.md": "# Mara\n\nDentist. Birthday on 3 May.\n", "me.md": "# Me\n\nMy birthday is 9 June.\n"}
    with opened(tmp_path, notes) as m:
        assert m.search("when is my birthday").results[0].path == "me.md"
