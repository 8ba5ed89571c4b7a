"""Accepted proposals after the fact: where retired text is found, what points where, and undoing a whole source."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import memoro
from memoro.errors import MemoroError, NotFound, UndoConflict
from memoro.model.proposals import (
    AddRule,
    EditEntry,
    MoveEntry,
    PromoteMemory,
    ProposedChange,
    RetireEntry,
    RetireNote,
    StoreMemory,
    Suggestion,
    SupersedeMemory,
)
from memoro.model.vocabulary import Kind, ProposalOrigin
from memoro.search.filters import FilterOptions
from memoro.workspace import Workspace
from tests.command import run_memoro

NOON = datetime(2026, 3, 5, 12, 0, tzinfo=UTC)


class Clock:
    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    folder = tmp_path / "vault"
    (folder / "agent").mkdir(parents=True)
    (folder / "MEMORY.md").write_text("# Memory\n\n- The kettle is blue ^kettle\n- Cups are white ^cups\n")
    (folder / "agent" / "pots.md").write_text("Teapots that leak: the brown one.\n")
    return folder


@pytest.fixture
def m(tmp_path: Path, vault: Path, clock: Clock) -> Iterator[Workspace]:
    with memoro.open(tmp_path / "home", vault, clock=clock) as workspace:
        yield workspace


def accept(m: Workspace, change: ProposedChange, origin: ProposalOrigin = "tidy") -> int:
    number = m.proposals.propose(Suggestion(change, origin=origin)).proposal.id
    m.proposals.accept(number)
    return number


def notes(vault: Path) -> dict[str, str]:
    return {str(path.relative_to(vault)): path.read_text() for path in sorted(vault.rglob("*.md"))}


def found(m: Workspace, query: str, *, path: str = "", kind: Kind | None = None) -> list[str]:
    filters: FilterOptions = {"path": path} if path else {"kind": kind} if kind else {}
    return [hit.path for hit in m.search(query, mode="words", **filters).results]


RETIRE = RetireEntry(id="kettle", path="MEMORY.md", text="The kettle is blue")


def test_a_retired_entry_is_found_only_where_its_archive_is_named(m: Workspace) -> None:
    assert found(m, "blue kettle") == ["MEMORY.md"]
    accept(m, RETIRE)
    assert found(m, "blue kettle") == []
    assert found(m, "blue kettle", path="archive") == ["archive/MEMORY.md"]
    assert found(m, "blue kettle", path="archive/MEMORY.md") == ["archive/MEMORY.md"]
    assert "blue" not in m.recall("What colour is the kettle?").block
    m.journal.undo()
    assert found(m, "blue kettle") == ["MEMORY.md"]


def test_a_retired_note_of_an_agent_is_found_only_where_its_archive_is_named(m: Workspace, vault: Path) -> None:
    digest = hashlib.sha256((vault / "agent" / "pots.md").read_bytes()).hexdigest()
    accept(m, RetireNote("agent/pots.md", digest))
    assert found(m, "leaking teapots") == []
    assert found(m, "leaking teapots", path="agent/archive") == ["agent/archive/pots.md"]
    m.journal.undo()
    assert found(m, "leaking teapots") == ["agent/pots.md"]


def test_a_second_retired_note_of_a_name_gets_a_number(m: Workspace, vault: Path) -> None:
    for text in ("one\n", "two\n"):
        (vault / "agent" / "pots.md").write_text(text)
        accept(m, RetireNote("agent/pots.md", hashlib.sha256(text.encode()).hexdigest()))
    assert (vault / "agent" / "archive" / "pots.md").read_text() == "one\n"
    assert (vault / "agent" / "archive" / "pots-2.md").read_text() == "two\n"


def test_a_folder_of_the_owner_with_the_name_of_the_archive_stays_findable(m: Workspace, vault: Path) -> None:
    (vault / "archive" / "2024").mkdir(parents=True)
    (vault / "archive" / "tea.md").write_text("Old notes on tea.\n")
    (vault / "archive" / "2024" / "2024-01-02.md").write_text("Tea with Ana.\n")
    assert sorted(found(m, "tea")) == ["archive/2024/2024-01-02.md", "archive/tea.md"]


PROMOTED = "The samovar needs eleven minutes."


def promote(m: Workspace) -> int:
    number = m.memories.store(PROMOTED, source="user").memory.id
    accept(m, PromoteMemory(number=number, text=PROMOTED, tier="semantic", section=None, path="MEMORY.md"), "review")
    return number


def test_a_promoted_memory_points_to_its_entry_and_is_not_given_beside_it(m: Workspace, vault: Path) -> None:
    number = promote(m)
    (entry,) = [one for one in m.entries.all() if one.text == PROMOTED]
    assert m.memories.get(number).origin == f"entry:{entry.id}"
    assert found(m, "samovar minutes") == ["MEMORY.md"]
    assert [hit.path for hit in m.search("How long does the samovar need?").results][:1] == ["MEMORY.md"]
    assert f"memory:{number}" not in found(m, "samovar eleven", kind="memory")
    m.entries.remove(entry.id)
    assert found(m, "samovar minutes") == [f"memory:{number}"], "without the entry it counts again"
    m.journal.undo()
    assert found(m, "samovar minutes") == ["MEMORY.md"]
    (vault / "MEMORY.md").write_text("# Memory\n")  # its owner deletes it by hand
    assert found(m, "samovar minutes") == [f"memory:{number}"]


def test_undoing_a_promotion_takes_back_entry_and_pointer(m: Workspace, vault: Path) -> None:
    before = notes(vault)
    number = promote(m)
    undone = m.journal.undo()
    assert [entry.operation for entry in undone.entries] == ["promote", "remember"]
    assert notes(vault) == before
    assert m.memories.get(number).origin is None
    assert found(m, "samovar minutes") == [f"memory:{number}"]


def test_the_changes_of_a_proposal_are_undone_together_whichever_is_named(m: Workspace, vault: Path) -> None:
    before = notes(vault)
    for which in (0, 1):
        proposal = accept(m, RETIRE)
        changes = [one for one in m.journal.log(5) if one.proposal == proposal]
        undone = m.journal.undo(changes[which].id)
        assert {entry.id for entry in undone.entries} == {entry.id for entry in changes}
        assert notes(vault) == before


def test_undoing_an_undo_brings_the_whole_proposal_back(m: Workspace, vault: Path) -> None:
    accept(m, RETIRE)
    after = notes(vault)
    m.journal.undo()
    undo = m.journal.log(1)[0]
    m.journal.undo(undo.id)
    assert notes(vault) == after


def test_a_proposal_is_undone_whole_or_not_at_all(m: Workspace, vault: Path) -> None:
    accept(m, RETIRE)
    kept = "# Retired from MEMORY.md\n\n- The kettle is blue, I say ^kettle\n"
    (vault / "archive" / "MEMORY.md").write_text(kept)
    after = notes(vault)
    with pytest.raises(UndoConflict, match="changed again since"):
        m.journal.undo()
    assert notes(vault) == after


def test_a_proposal_is_undone_by_its_number(m: Workspace, vault: Path) -> None:
    before = notes(vault)
    number = accept(m, RETIRE)
    assert [one.operation for one in m.journal.undo_proposal(number, dry_run=True).entries] == ["remove", "retire"]
    assert notes(vault) != before
    m.journal.undo_proposal(number)
    assert notes(vault) == before
    with pytest.raises(UndoConflict, match="undone already"):
        m.journal.undo_proposal(number)
    m.journal.undo_proposal(number, is_repeatable=True)
    waiting = m.proposals.propose(Suggestion(RETIRE)).proposal.id
    with pytest.raises(NotFound, match="it is open, not accepted"):
        m.journal.undo_proposal(waiting)


def test_all_of_a_source_is_undone_with_its_accepted_proposals(m: Workspace, vault: Path, clock: Clock) -> None:
    m.memories.store("Tea at five.", source="user")
    before, memories = notes(vault), m.memories.all()
    m.memories.store("Tea at four.", source="extraction", trust="agent_inferred")
    accept(m, SupersedeMemory(old=1, new=2), "extraction")
    accept(m, RETIRE, "extraction")
    accept(m, EditEntry("cups", "Cups are grey", "MEMORY.md", was="Cups are white"), "extraction")
    clock.now += timedelta(days=1)
    tidy = accept(m, MoveEntry("cups", "MEMORY.md", "pinned", "Cups are grey"), "tidy")
    refused = m.journal.undo(by="extraction")
    assert len(refused.refused) == 1 and "cups" not in notes(vault)["MEMORY.md"], (
        "a later change is in the way of one"
    )
    assert m.memories.all() == memories and "kettle" in notes(vault)["MEMORY.md"]
    m.journal.undo_proposal(tidy)
    assert m.journal.undo(by="extraction").refused == ()
    assert notes(vault) == before


def test_what_was_made_from_a_source_goes_with_it(m: Workspace, vault: Path) -> None:
    before = notes(vault)
    m.memories.store("Tea at five.", source="user")
    number = m.memories.store("Tea at four, in the garden.", source="extraction").memory.id
    derived = m.memories.store("Tea is out of doors.", source="agent", parents=(number,)).memory.id
    m.memories.supersede(1, derived, source="user")
    promoted = PromoteMemory(number=number, text="Tea at four", tier="semantic", section=None, path="MEMORY.md")
    accept(m, promoted, "review")
    undone = m.journal.undo(by="extraction")
    assert undone.refused == () and undone.derived == (derived,)
    assert notes(vault) == before
    assert [memory.content for memory in m.memories.all()] == ["Tea at five."]


def test_undo_by_a_source_since_a_day_leaves_what_came_before(m: Workspace, vault: Path, clock: Clock) -> None:
    accept(m, AddRule(text="Always warm the pot", path="PROCEDURAL.md"), "feedback")
    clock.now += timedelta(days=3)
    middle = notes(vault)
    accept(m, AddRule(text="Never warm the cups", path="PROCEDURAL.md"), "feedback")
    assert len(m.journal.undo(by="feedback", since="2026-03-07").entries) == 1
    assert notes(vault) == middle


def test_a_memory_of_an_accepted_proposal_goes_with_what_it_replaced(m: Workspace) -> None:
    m.memories.store("Tea at five.", source="user")
    accept(m, StoreMemory("Tea at four.", supersedes=1), "extraction")
    assert [memory.content for memory in m.memories.all()] == ["Tea at four."]
    m.journal.undo(by="extraction")
    assert [memory.content for memory in m.memories.all()] == ["Tea at five."]


def test_the_command_line_undoes_a_source_and_a_proposal(m: Workspace, vault: Path, tmp_path: Path) -> None:
    accept(m, RETIRE, "tidy")
    accept(m, AddRule(text="Always warm the pot", path="PROCEDURAL.md"), "feedback")
    m.close()

    def memoro_command(*arguments: str) -> str:
        return run_memoro("--home", str(tmp_path / "home"), "--vault", str(vault), *arguments).out

    planned = memoro_command("undo", "--by", "tidy", "--dry-run")
    assert planned.startswith("Would be undone:") and "(proposal 1)" in planned and "archive/MEMORY.md" in planned
    assert "PROCEDURAL" not in planned
    assert memoro_command("undo", "--by", "tidy").startswith("Undone:")
    assert memoro_command("undo", "--proposal", "2").startswith("Undone:")
    assert list(notes(vault)) == ["MEMORY.md", "agent/pots.md"]
    failed = run_memoro("--home", str(tmp_path / "home"), "--vault", str(vault), "undo", "--by", "agent")
    assert failed.code == 2 and "extraction, review, tidy, feedback need no --since" in failed.err


def test_a_promotion_of_a_memory_that_does_not_hold_any_more_is_withdrawn(m: Workspace, vault: Path) -> None:
    before = notes(vault)
    number = m.memories.store(PROMOTED, source="user").memory.id
    change = PromoteMemory(number=number, text=PROMOTED, tier="semantic", section=None, path="MEMORY.md")
    proposal = m.proposals.propose(Suggestion(change, origin="review")).proposal.id
    m.memories.store("The samovar needs nine minutes.", source="user", supersedes=(number,))
    with pytest.raises(MemoroError, match=r"\[id:1\] does not hold any more\..*withdrawn"):
        m.proposals.accept(proposal)
    assert notes(vault) == before
