"""A home that version 0.1.0 made is opened, migrated and understood: all that 0.1.0 said of it is said again.

`tests/data/home-0.1.0/make.py` made the home, and kept what 0.1.0 said of it and how it took each change back.
"""

from __future__ import annotations

import gzip
import json
import shutil
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import memoro
from memoro import documents
from memoro.errors import KeyReused, MemoroError, UndoConflict
from memoro.model.changes import UnknownChange
from memoro.model.items import ItemPut
from memoro.model.journal import JournalEntry
from memoro.model.proposals import ErasedProposal
from memoro.workspace import Workspace

KEPT = Path(__file__).parent / "data" / "home-0.1.0"
EXPECTED: dict[str, Any] = json.loads(gzip.decompress((KEPT / "expected.json.gz").read_bytes()))
NOW = datetime.fromisoformat(EXPECTED["now"])
JOURNAL = {entry["id"]: entry for entry in EXPECTED["log"]}


@pytest.fixture(autouse=True)
def utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The owner of that home lived in UTC."""
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("home-of-0.1.0")
    home = folder / "home"
    home.mkdir(mode=0o700)
    for name in ("ledger.db", "archive.db"):
        (home / name).write_bytes(gzip.decompress((KEPT / f"{name}.gz").read_bytes()))
    shutil.copy(KEPT / "memoro.toml", home)
    shutil.copytree(KEPT / "vault", folder / "vault")
    return folder


@pytest.fixture
def m(unpacked: Path, tmp_path: Path) -> Iterator[Workspace]:
    with opened(unpacked, tmp_path / "copy") as workspace:
        yield workspace


def opened(unpacked: Path, folder: Path) -> Workspace:
    shutil.copytree(unpacked, folder)
    return memoro.open(folder / "home", folder / "vault", clock=lambda: NOW)


def as_json(value: object) -> Any:
    return json.loads(json.dumps(value))


def told(entry: JournalEntry) -> dict[str, Any]:
    """The document of an entry, without the keys that later versions add."""
    document = documents.entry(entry)
    del document["text"], document["proposal"], document["person"]
    return document


def test_everything_in_the_journal_is_understood_and_said_as_before(m: Workspace) -> None:
    log = m.journal.log(10_000)
    assert [told(entry) for entry in log] == EXPECTED["log"]
    assert not [entry for entry in log if isinstance(entry.change, UnknownChange)]


def test_every_history_is_told_as_before(m: Workspace) -> None:
    for number, history in EXPECTED["histories"].items():
        assert [told(entry) for entry in m.memories.history(int(number))] == history
    for number, history in EXPECTED["lives"].items():
        assert [told(entry) for entry in m.experiences.history(int(number))] == history


def test_all_that_was_kept_is_there(m: Workspace) -> None:
    assert [as_json(documents.memory(one)) for one in m.memories.all()] == EXPECTED["memories"]
    narratives = [documents.plain(one.narrative) for one in m.narratives.search(limit=100)]
    assert as_json(narratives) == EXPECTED["narratives"]
    for archived, name in ((False, "experiences"), (True, "faded")):
        lived = [documents.experience(one.experience, 1.0) for one in m.experiences.list(archived=archived)]
        assert as_json([{k: v for k, v in one.items() if k != "outcome"} for one in lived]) == EXPECTED[name]
    items = [one._asdict() for store in ("langgraph", "openai-agents") for one in m.items.below(store)]
    assert as_json(items) == EXPECTED["items"]


def test_an_export_is_the_one_that_0_1_0_writes(m: Workspace) -> None:
    lines: list[str] = []
    m.export(lines.append)
    assert "".join(lines).splitlines() == EXPECTED["export"]


def test_sessions_are_replayed_to_the_byte(m: Workspace) -> None:
    assert as_json(documents.shown_session(m.sessions.show("evening"))) == EXPECTED["recalls"]
    blocks = [m.sessions.replay("evening", n + 1).then.recalled.block for n in range(2)]
    assert blocks == EXPECTED["blocks"]
    assert [one.id for one in m.sessions.all(archived=True)] == [one["id"] for one in EXPECTED["sessions"]]


def test_nothing_is_damaged(m: Workspace) -> None:
    assert m.memories.stats().changes == len(JOURNAL)
    assert not [check for check in m.doctor() if check.state == "failed"]


# 0.1.0 took the heading of the daily note with its first line, though others had written below it.
FIRST_LINE_OF_A_DAY = 86


@pytest.mark.parametrize("number", JOURNAL, ids=lambda n: f"{n}-{JOURNAL[n]['kind']}-{JOURNAL[n]['operation']}")
def test_every_change_is_taken_back_as_0_1_0_took_it_back(number: int, unpacked: Path, tmp_path: Path) -> None:
    expected = EXPECTED["undone"][str(number)]
    with opened(unpacked, tmp_path / "copy") as m:
        try:
            m.journal.undo(number)
        except MemoroError as error:
            assert reason(str(error)) == reason(expected.get("refused", "it was not refused"))
            return
        assert "refused" not in expected
        lines: list[str] = []
        m.export(lines.append)
        rows = [json.loads(line) for line in "".join(lines).splitlines()]
        kept = [row for row in rows if row.get("record") not in ("change", "key", "forgotten", "end", None)]
        entry = told(m.journal.log(1)[0])
        assert kept == expected["kept"]
    vault = tmp_path / "copy" / "vault"
    notes = {str(p.relative_to(vault)): p.read_text() for p in vault.rglob("*.md")}
    if number == FIRST_LINE_OF_A_DAY:
        day = entry["item"]
        heading, notes[day] = notes[day].split("\n\n", 1)
        assert heading.startswith("# ")
        del entry["after"], expected["entry"]["after"]
    assert entry == expected["entry"]
    assert notes == expected["notes"]


def reason(message: str) -> str:
    """Why it was refused, in today's words and without the advice that follows."""
    return message.partition(". ")[0].rstrip(".").replace("what it tells of was forgotten", "its text was forgotten")


def test_a_key_that_0_1_0_kept_is_answered_and_nothing_is_done_again(m: Workspace) -> None:
    before = m.journal.log(1)[0].id
    kettle = m.memories.store("The kettle boils at 96 degrees.", ["kitchen"], source="user", key="kettle")
    assert (kettle.memory.id, kettle.new) == (1, True)
    again = m.memories.store("The kettle boils at 96 degrees.", ["kitchen"], source="user", key="kettle again")
    assert (again.memory.id, again.new) == (1, False)
    assert m.memories.reinforce(2, session="afternoon", key="reinforce tea").id == 2
    updated = m.memories.update(1, "The kettle boils at 97 degrees.", ["kitchen", "water"], key="update kettle")
    assert updated.id == 1
    assert m.memories.supersede(2, 3, source="user", key="supersede tea").superseded_by == 3
    assert m.memories.remove(6, key="remove cups").content == "The cups are white."
    assert m.memories.archive(8, key="archive spoons").content == "The spoons are silver."
    assert m.narratives.update("Furnishing the kitchen.", [1], session="afternoon", key="narrative").id == 1
    brewed = m.experiences.record(
        "tool_chain", "brew tea", ["boil", "pour", "wait"], success=0.8, tags=["tea"], key="brew"
    )
    assert (brewed.experience.id, brewed.new) == (1, True)
    m.experiences.mark_used(1, 1.0, key="used")
    m.experiences.offered([1], key="offered")
    assert m.experiences.prefer("milk", "oat", source="user", key="milk").recorded.new
    m.experiences.remove(4, key="remove leak")
    put = m.items.put("langgraph", [_item("colour", "Ann likes green"), _item("size", "Ann wears 38")], key="put two")
    assert [one and one.item.key for one in put] == ["colour", None]
    hello = ItemPut(("chat",), "-", {"role": "user", "text": "hello"}, _says)
    (appended,) = m.items.append("openai-agents", [hello], key="append")
    assert appended and appended.item.key == "000000000001"
    line = m.daily.add("baked bread", key="bread")
    assert line.line in EXPECTED["notes"][line.path].splitlines()
    undone = m.journal.undo(key="undo the store")
    assert [(one.operation, one.item) for one in undone.entries] == [("store", 11)]
    assert m.journal.log(1)[0].id == before
    with pytest.raises(KeyReused):
        m.memories.store("Something else.", key="kettle")


def _says(value: dict[str, str]) -> str | None:
    return value.get("text")


def _item(key: str, text: str) -> ItemPut:
    return ItemPut(("users", "ann"), key, {"text": text}, _says)


def test_proposals_that_waited_still_wait_and_can_be_settled(m: Workspace) -> None:
    found = m.entries.proposals(None)
    old_keys = EXPECTED["proposals"][0].keys()
    told = [{key: documents.proposal(one)[key] for key in old_keys} for one in found]
    assert told == EXPECTED["proposals"]
    assert {(one.origin, one.evidence, one.score, one.expires_at) for one in found} == {("agent", (), None, None)}
    assert isinstance(found[4].change, ErasedProposal)
    m.entries.accept(4)
    assert "- A rule that waits" in (Path(m.vault().root) / "PROCEDURAL.md").read_text()
    m.entries.accept(3)
    assert "Tea is at four" not in (Path(m.vault().root) / "MEMORY.md").read_text()
    assert m.entries.proposals() == []
    m.journal.undo()
    assert "Tea is at four" in (Path(m.vault().root) / "MEMORY.md").read_text()


def test_what_was_forgotten_stays_forgotten(m: Workspace) -> None:
    for said in ("The safe opens with left, right, left.", "The safe opens with right, left, right."):
        with pytest.raises(MemoroError, match="was forgotten on 2026-03-05"):
            m.memories.store(said)
    with pytest.raises(MemoroError, match="was forgotten on 2026-03-05"):
        m.experiences.record("task_solution", "open the safe", "left, right, left")
    with pytest.raises(MemoroError, match="was forgotten on 2026-03-05"):
        m.remember("The tap drips at night")


def test_its_past_can_be_forgotten(m: Workspace) -> None:
    m.memories.forget(1, yes=True)
    gone = [entry for entry in m.journal.log(10_000) if entry.kind == "memory" and entry.item == 1]
    assert gone and all(documents.entry(entry)["before"] is None for entry in gone)
    with pytest.raises(UndoConflict, match="forgotten"):
        m.journal.undo(gone[-1].id)
    assert "97 degrees" not in json.dumps([documents.entry(entry) for entry in m.journal.log(10_000)])


def test_it_goes_on(m: Workspace) -> None:
    number = m.memories.store("The pot is on the shelf.").memory.id
    assert number > max(one["id"] for one in EXPECTED["memories"])
    m.memories.reinforce(number)
    m.remember("The pot is old")
    m.journal.undo()
    assert m.journal.log(1)[0].at == NOW.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    assert [hit.path for hit in m.search("pot on the shelf", limit=1).results] == [f"memory:{number}"]
