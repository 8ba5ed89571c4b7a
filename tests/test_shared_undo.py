"""Undo where people share a ledger: each takes back their own changes, and nobody shows a private row unasked."""

from __future__ import annotations

import pytest

from memoro.errors import NotFound, Refused
from memoro.workspace import Workspace
from tests.command import run_memoro
from tests.team_homes import Team, contents, eventually
from tests.team_homes import team as team  # the fixture


def undo(m: Workspace, *arguments: str) -> str:
    """The words of a command that succeeds."""
    done = run_memoro("--home", m.home, "undo", *arguments)
    assert done.code == 0, done.err
    return done.out


def make_shared_then_private(m: Workspace) -> None:
    m.memories.store("the salary is up for review", visibility="private")
    m.memories.visibility(1, "shared")
    m.memories.visibility(1, "private")


def test_a_bare_undo_takes_back_the_last_change_of_the_person_who_asks(team: Team) -> None:
    ann, laptop, bob = team.home("ann"), team.home("ann"), team.home("bob")
    for text in ("the door is blue", "the key is red"):
        laptop.memories.store(text, agent="codex")
    bob.memories.store("the rota is on the door")
    assert ann.journal.undo().entries[0].item == 2
    assert ann.journal.undo().entries[0].item == 1
    assert contents(ann) == {"the rota is on the door"}
    with pytest.raises(NotFound, match="You have changed nothing that can be undone"):
        ann.journal.undo()
    ann.journal.undo(3)
    assert contents(ann) == set()


def test_a_bare_undo_is_not_stuck_where_somebody_else_forgot(team: Team) -> None:
    ann, bob = team.home("ann"), team.home("bob")
    ann.memories.store("the door is blue")
    number = bob.memories.store("a wrong thing").memory.id
    bob.memories.forget(number, yes=True)
    assert ann.journal.undo().entries[0].item == 1


def test_an_undo_by_a_source_leaves_what_others_did_and_one_by_a_person_does_not(team: Team) -> None:
    ann, bob = team.home("ann"), team.home("bob")
    ann.memories.store("the door is blue", source="user")
    bob.memories.store("the rota is on the door", source="user")
    assert [one.item for one in ann.journal.undo(by="user", since="yesterday").entries] == [1]
    assert contents(ann) == {"the rota is on the door"}
    assert [one.item for one in ann.journal.undo(by="bob", since="yesterday").entries] == [2]


def test_only_an_undo_that_names_the_change_shows_what_was_made_private(team: Team) -> None:
    ann, bob = team.home("ann"), team.home("bob")
    make_shared_then_private(ann)
    bob.memories.store("the rota is on the door")
    refusal = "Change 3 made memory:1 private. To show it to everybody of the tenant again, name the change: "
    for dry_run in (True, False):
        with pytest.raises(Refused, match=refusal):
            ann.journal.undo(dry_run=dry_run)
    assert contents(team.home("bob")) == {"the rota is on the door"}
    assert "   now shared: everybody of the tenant sees it" in undo(ann, "3")
    assert eventually(lambda: len(contents(bob)) == 2)
    assert "   then private: only you see it" in undo(ann, "--dry-run")
    assert "   now private: only you see it" in undo(ann)
    assert eventually(lambda: contents(bob) == {"the rota is on the door"})


def test_an_undo_by_a_person_leaves_private_what_they_made_private(team: Team) -> None:
    ann = team.home("ann")
    ann.memories.store("the salary is up for review")
    ann.memories.visibility(1, "private")
    ann.memories.store("the door is blue")
    for arguments in (("--dry-run",), ()):
        said = undo(ann, "--by", "ann", "--since", "yesterday", *arguments)
        assert "left: Change 2 made memory:1 private." in said and "shared" not in said
    assert contents(ann) == set()
