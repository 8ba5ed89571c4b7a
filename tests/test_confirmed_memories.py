"""What a person confirmed changes only by a person's word: the change of an agent waits as a proposal."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import memoro
from memoro.errors import ChangeProposed, Refused
from memoro.model.proposals import ChangeMemory, RememberEntry, RemoveMemory, Suggestion, SupersedeMemory
from memoro.workspace import Workspace
from tests import raw_sqlite
from tests.conftest import run_memoro, write_vault

OLD, NEW = "The api answers on port 8080", "The api answers on port 9090"


@pytest.fixture
def m(tmp_path: Path) -> Iterator[Workspace]:
    """A home without a vault, with a memory that a person confirmed."""
    with memoro.open(tmp_path / "home") as m:
        m.memories.store(OLD, source="user")
        m.memories.trust(1, "user_confirmed")
        yield m


def test_an_agents_update_of_a_confirmed_memory_waits(m: Workspace):
    with pytest.raises(ChangeProposed, match="waits as proposal 1") as waiting:
        m.memories.update(1, NEW, ["api"], valid_from="2026-03-05", key="k")
    assert m.memories.get(1).content == OLD
    assert m.memories.get(1).tags == ()
    (shown,) = m.proposals.previews()
    assert isinstance(shown.proposal.change, ChangeMemory)
    assert (shown.before, (shown.after or "").split("\n")[:2]) == (OLD, [NEW, "tags: api"])
    with pytest.raises(ChangeProposed):
        m.memories.update(1, NEW, ["api"], valid_from="2026-03-05", key="k")
    assert len(m.proposals.all()) == 1
    m.proposals.accept(waiting.value.proposal)
    changed = m.memories.get(1)
    assert (changed.content, changed.tags, changed.trust) == (NEW, ("api",), "user_confirmed")
    assert changed.valid_from is not None
    m.journal.undo()
    assert m.memories.get(1).content == OLD


def test_a_persons_update_goes_on_and_so_does_an_agents_of_its_own(m: Workspace):
    changed = m.memories.update(1, NEW, source="user")
    assert (changed.content, changed.trust) == (NEW, "user_confirmed")
    m.memories.store("The lamp is broken")
    assert m.memories.update(2, "The lamp is mended").content == "The lamp is mended"
    assert m.proposals.all() == []


def test_what_is_rejected_changes_nothing(m: Workspace):
    with pytest.raises(ChangeProposed):
        m.memories.update(1, NEW)
    m.proposals.reject(1)
    assert m.memories.get(1).content == OLD


def test_what_is_rejected_is_not_proposed_again_until_it_is_reopened(m: Workspace):
    for change in (lambda: m.memories.update(1, NEW), lambda: m.memories.remove(1)):
        with pytest.raises(ChangeProposed) as waiting:
            change()
        m.proposals.reject(waiting.value.proposal)
        with pytest.raises(Refused, match="The user rejected this on"):
            change()
        m.proposals.reopen(waiting.value.proposal)
        with pytest.raises(ChangeProposed):
            change()
    assert len(m.proposals.all(None)) == 2


def test_a_memory_of_lower_trust_supersedes_only_by_a_persons_word(m: Workspace):
    m.memories.store(NEW)
    with pytest.raises(ChangeProposed, match="trusted less"):
        m.memories.supersede(1, 2)
    assert m.memories.get(1).superseded_by is None
    assert [one.change for one in m.proposals.all()] == [SupersedeMemory(1, 2)]
    m.proposals.accept(1)
    assert m.memories.get(1).superseded_by == 2
    m.memories.store("The api answers on port 7070", source="web")
    assert m.memories.supersede(3, 2).superseded_by == 2, "by one of higher trust, at once"


def test_a_person_lets_any_memory_supersede_another(m: Workspace):
    m.memories.store(NEW)
    assert m.memories.supersede(1, 2, source="user").superseded_by == 2


def test_an_agents_removal_of_a_confirmed_memory_waits(m: Workspace):
    with pytest.raises(ChangeProposed):
        m.memories.remove(1)
    assert m.remove("memory:1", by="agent").proposal == 1
    assert [one.change for one in m.proposals.all()] == [RemoveMemory(1)]
    assert m.memories.get(1).content == OLD
    assert m.remove("memory:1", by="user").proposal is None


def test_the_command_says_that_a_change_waits(m: Workspace, tmp_path: Path):
    m.close()
    home = ("--home", str(tmp_path / "home"))
    changed = run_memoro(*home, "memory", "update", "1", NEW)
    assert changed.code == 0
    assert changed.out.startswith(f"proposal 1, about [id:1] {OLD}\n   The user has confirmed this memory")
    assert "`memoro accept 1` carries it out" in changed.out
    assert run_memoro(*home, "memory", "update", "1", NEW, "--json").json["proposal"] == 1
    assert "proposal 1: " in run_memoro(*home, "edit", "memory:1", NEW, "--by", "agent").out
    listed = run_memoro(*home, "proposals").out
    assert "1. change memory:1, which you confirmed, by agent on " in listed
    assert f"- {OLD}" in listed and f"+ {NEW}" in listed
    status = run_memoro(*home, "status")
    assert "proposals 1 waits, 1 to reword; the oldest since " in status.out
    assert ": `memoro review`\n" in status.out
    assert run_memoro(*home, "status", "--json").json["proposals"] == 1
    assert run_memoro(*home, "accept", "1").code == 0
    assert NEW in run_memoro(*home, "memory", "show", "1").out
    assert "proposals" not in run_memoro(*home, "status").out


# Whose proposals a session sees


def test_a_session_sees_its_own_proposals_and_a_person_sees_all(tmp_path: Path):
    vault = write_vault(tmp_path / "vault", {"a.md": "# Tea"})
    home = tmp_path / "home"
    for project in ("github.com/acme/api", "web"):
        with memoro.open(home, vault, project=project, agent="bob") as m:
            m.remember(f"Tea for {project}", by="agent")
    with memoro.open(home, vault, project="web") as m:
        (own,) = m.proposals.all()
        assert (own.project, own.agent) == ("web", "bob")
        assert isinstance(own.change, RememberEntry)
    with memoro.open(home, vault, project="web", agent="alice") as m:
        assert m.proposals.all() == []
    with memoro.open(home, vault) as m:
        assert [one.project for one in m.proposals.all()] == ["github.com/acme/api", "web"]
    listed = run_memoro("--home", str(home), "--vault", str(vault), "proposals")
    assert "by bob in project api on " in listed.out
    assert (
        run_memoro("--home", str(home), "--vault", str(vault), "proposals", "--json").json["proposals"][1]["project"]
        == "web"
    )


def test_a_ledger_from_before_proposals_had_a_project_opens(tmp_path: Path):
    vault = write_vault(tmp_path / "vault", {"a.md": "# Tea"})
    with memoro.open(tmp_path / "home", vault) as m:
        m.remember("Tea at five", by="agent")
    raw_sqlite.make_format_4(tmp_path / "home" / "ledger.db")
    with memoro.open(tmp_path / "home", vault, project="web") as m:
        assert [one.project for one in m.proposals.all()] == [None], "what belongs to none is seen by all"
        m.proposals.propose(Suggestion(RemoveMemory(1)))
        assert [one.project for one in m.proposals.all()] == [None, "web"]
