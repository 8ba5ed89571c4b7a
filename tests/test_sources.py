"""What a person says of an extracted memory, that it ended or was replaced, holds for the message it was made of."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memoro
from memoro.curate.extraction.runs import ExtractionRequest
from memoro.hooks.answers import context
from memoro.hooks.events import PromptSubmitted
from memoro.model.answers import EndedFact, Hit, Passage
from memoro.search.sources import has_ended, with_ends
from memoro.store.ports import ENDED_FACTS
from memoro.workspace import Workspace
from tests.conftest import write_vault
from tests.conversation_logs import talk, write_log

LISBON = "I live in Lisbon."
PORTO = "I live in Porto."
SESSIONS = tuple(f"9b1c1a52-3a1e-4a7b-9a51-{letter * 12}" for letter in "abcd")
ASKED = "Where do I live?"


def write_talk(folder: Path, session: int, day: str, *said: str) -> None:
    records = [
        {**one, "uuid": f"{day}-{n}", "sessionId": SESSIONS[session], "timestamp": f"{day}T10:{n:02}:00+00:00"}
        for n, one in enumerate(talk(*said))
    ]
    write_log(folder, records, SESSIONS[session])


@pytest.fixture
def lived(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    """Somebody who lived in Lisbon and moved to Porto, and said both."""
    for name in ("CLAUDE_CONFIG_DIR", "MEMORO_AGENT", "MEMORO_PROJECT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    write_vault(tmp_path / "vault", {"MEMORY.md": "# Memory\n"})
    settings = '[extract]\nto = "memories"\nmin_user_messages = 1\n[transcripts]\nfolders = ["claude"]\n'
    (tmp_path / "home").mkdir(0o700)
    (tmp_path / "home" / "memoro.toml").write_text(settings)
    write_talk(tmp_path, 0, "2026-03-05", f"User: {LISBON}", "Agent: Lisbon is a good place to live.")
    write_talk(tmp_path, 1, "2026-06-07", f"User: {PORTO} That was a surprise.", "Agent: I see.")
    with memoro.open(tmp_path / "home", tmp_path / "vault") as m:
        m.extraction.run(ExtractionRequest(logs=SESSIONS[:2]))
        m.sync()
        yield m


def numbers(m: Workspace) -> tuple[int, int]:
    stored = {one.content: one.id for one in m.memories.all()}
    return stored[LISBON], stored[PORTO]


def replace(m: Workspace) -> tuple[int, int]:
    old, new = numbers(m)
    m.memories.supersede(old, new, source="user")
    m.sync()
    return old, new


def found(m: Workspace, text: str, **options: Any) -> Hit:
    [hit] = [one for one in m.search(ASKED, **options).results if text in one.snippet and one.speaker != "Assistant"]
    return hit


def test_a_message_is_marked_as_older_when_its_memory_was_replaced(lived: Workspace) -> None:
    assert found(lived, LISBON, kind="transcript").until is None
    _, new = replace(lived)
    hit = found(lived, LISBON, kind="transcript")
    assert (hit.since, hit.until) == ("2026-03-05", "2026-06-06")
    assert hit.replaced_by and hit.replaced_by.id == f"memory:{new}"
    assert found(lived, PORTO, kind="transcript").until is None
    assert found(lived, LISBON, kind="transcript", mode="words").until == "2026-06-06"


def test_the_newer_memory_comes_before_the_older_message(lived: Workspace) -> None:
    replace(lived)
    shown = [one.snippet for one in lived.search(ASKED).results]
    places = [n for n, text in enumerate(shown) if PORTO in text]
    assert places and places[0] < next(n for n, text in enumerate(shown) if LISBON in text)


def test_the_newer_memory_is_found_where_only_the_older_message_was(lived: Workspace) -> None:
    old, _ = numbers(lived)
    other = lived.memories.store("The flat in Rua das Flores 12 is ours.", source="user").memory.id
    asked = "Do I live in Lisbon?"
    assert f"memory:{other}" not in [one.id for one in lived.search(asked).results]
    lived.memories.supersede(old, other, source="user")
    lived.sync()
    shown = lived.search(asked).results
    older = [n for n, one in enumerate(shown) if LISBON in one.snippet]
    assert older and f"memory:{other}" in [one.id for one in shown[: older[0]]]
    assert {one.kind for one in lived.search(asked, kind="transcript").results} == {"transcript"}


def test_a_message_that_said_it_again_is_marked_too(lived: Workspace, tmp_path: Path) -> None:
    write_talk(tmp_path, 2, "2026-04-02", f"User: Morning! {LISBON}", "Agent: Good morning.")
    write_talk(tmp_path, 3, "2026-04-03", f"User: {LISBON} My sister Ana works for the railway.", "Agent: I see.")
    lived.extraction.run(ExtractionRequest(logs=SESSIONS[2:]))
    assert len([one for one in lived.memories.all() if "Lisbon" in one.content]) == 1
    replace(lived)
    said = [one for one in lived.search(ASKED, kind="transcript").results if LISBON in one.snippet]
    assert {one.date: one.until for one in said if one.speaker == "User"} == {
        "2026-03-05": "2026-06-06",
        "2026-04-02": "2026-06-06",
        "2026-04-03": None,
    }
    lines = [one for one in lived.search(ASKED, kind="note").results if LISBON in one.snippet]
    assert {one.date: one.until for one in lines}["2026-04-02"] == "2026-06-06"


def test_an_extracted_line_of_a_day_is_marked_too(lived: Workspace) -> None:
    _, new = replace(lived)
    line = found(lived, LISBON, kind="note")
    assert line.until == "2026-06-06" and line.replaced_by and line.replaced_by.id == f"memory:{new}"
    assert found(lived, PORTO, kind="note").until is None


def test_undo_makes_the_message_current_again(lived: Workspace) -> None:
    replace(lived)
    lived.journal.undo()
    lived.sync()
    for kind in ("transcript", "note"):
        hit = found(lived, LISBON, kind=kind)
        assert hit.until is None and hit.replaced_by is None


def test_the_ledger_is_asked_only_where_something_extracted_has_ended(lived: Workspace) -> None:
    def flag() -> str | None:
        return lived.indexing.read(lambda index: index.get_meta(ENDED_FACTS))

    assert flag() is None
    replace(lived)
    assert flag() is not None
    lived.journal.undo()
    lived.sync()
    assert flag() is None


def test_a_message_held_on_the_days_of_its_memory(lived: Workspace) -> None:
    replace(lived)
    [first, *_] = lived.search(ASKED, kind="transcript", as_of="2026-04-01").results
    assert LISBON in first.snippet


def test_a_message_whose_memory_ended_is_marked_with_its_last_day(lived: Workspace) -> None:
    old, _ = numbers(lived)
    lived.memories.update(old, valid_to="2026-05-01", source="user")
    lived.sync()
    assert found(lived, LISBON, kind="transcript").until == "2026-05-01"


def test_no_agent_is_given_the_older_message_unasked(lived: Workspace) -> None:
    def given_now(session: str) -> str:
        asked = PromptSubmitted("UserPromptSubmit", session, "Do I live in Lisbon?", "", "/w/parcels")
        return context(asked, lived, "claude")

    assert "Lisbon" in given_now("one")
    replace(lived)
    assert "Lisbon" not in given_now("two")


def said(text: str, line: int = 3) -> Passage:
    return Passage(
        path="@claude/a.jsonl",
        tier="transcript",
        title="",
        date="2026-03-05",
        start_line=line,
        end_line=line,
        headings=(),
        text=f"User: {text}",
        digest="",
        number=1,
        speaker="User",
    )


def ended(text: str) -> EndedFact:
    return EndedFact(origin="@claude/a.jsonl:3", text=text, first="2026-03-05", last="2026-04-01")


@pytest.mark.parametrize(
    ("message", "is_over"),
    [
        (LISBON, True),
        (f"Morning! {LISBON} That was a surprise.", True),
        (f"By the way: {LISBON}", True),
        (f"{LISBON} What is the VAT there?", True),
        (f"{LISBON} My sister Ana works for the railway.", False),
        (f"{LISBON} Call me at 555-0101.", False),
        ("I live in Madrid.", False),
    ],
)
def test_a_message_that_states_more_stays_as_it_is(message: str, is_over: bool) -> None:
    [passage] = with_ends([said(message)], lambda _origins, _texts: [ended(LISBON)])
    assert has_ended(passage) == is_over


@given(st.lists(st.tuples(st.text(max_size=30), st.integers(1, 5))), st.lists(st.text(min_size=1, max_size=10)))
def test_only_days_change_and_only_of_a_message_that_brought_the_fact(
    messages: list[tuple[str, int]], facts: list[str]
) -> None:
    passages = [said(*one) for one in messages]
    dated = with_ends(passages, lambda _origins, _texts: [ended(text) for text in facts])
    plain = [one._replace(valid_from=None, valid_to=None, superseded_by=None) for one in dated]
    assert plain == passages
    assert all(one.start_line == 3 for one in dated if has_ended(one))
