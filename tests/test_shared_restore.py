"""Restoring a backup of a shared ledger: what others have made private since stays theirs, as it is."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from memoro.errors import MemoryNotFound
from memoro.workspace import Workspace
from tests.command import run_memoro
from tests.team_homes import Team, contents, eventually
from tests.team_homes import team as team  # the fixture


def hide(m: Workspace) -> None:
    m.memories.visibility(2, "private")


def hide_and_remove(m: Workspace) -> None:
    hide(m)
    m.memories.remove(2, source="user")


def hide_and_archive(m: Workspace) -> None:
    hide(m)
    m.memories.archive(2)


def archive_and_hide(m: Workspace) -> None:
    m.memories.unarchive(2)
    hide(m)


@pytest.mark.parametrize("hides", [hide, hide_and_remove, hide_and_archive])
def test_a_restore_neither_shows_nor_changes_what_another_person_made_private(
    hides: Callable[[Workspace], None], team: Team
) -> None:
    ann, bob = team.home("ann"), team.home("bob")
    for text in ("the door is blue", "the raise is in May"):
        ann.memories.store(text)
    ann.memories.query("door", session="s")
    for one in (1, 2):
        ann.memories.reinforce(one, session="s")
    ann.narratives.update("about the year", [1, 2])
    assert len(contents(bob)) == 2
    backup = bob.backups.create().name
    hides(ann)
    private = contents(ann)
    history = ann.memories.history(2)
    bob.memories.update(1, "the door is green", source="user")
    bob.backups.restore(backup)
    bob.backups.restore(bob.backups.all()[0].name)
    bob.backups.restore(backup)
    for other in (bob, team.home("bob"), team.home("tom")):
        assert eventually(lambda: contents(other) == {"the door is blue"})  # noqa: B023
        with pytest.raises(MemoryNotFound):
            other.memories.history(2)
        assert other.memories.links(1).linked == ()
        assert other.narratives.get(1).memories == (1,)
        with other.ledger.access.archive.reading() as tx:
            assert tx.memories.count() == 0
    for mine in (ann, team.home("ann")):
        assert eventually(lambda: contents(mine) == private - {"the door is green"} | {"the door is blue"})  # noqa: B023
        assert mine.memories.history(2) == history


def test_a_memory_that_left_the_archive_and_became_private_does_not_come_back_to_it(team: Team) -> None:
    ann, bob = team.home("ann"), team.home("bob")
    for text in ("the door is blue", "the raise is in May"):
        ann.memories.store(text)
    ann.memories.archive(1)
    ann.memories.archive(2)
    assert contents(bob) == set()
    backup = bob.backups.create().name
    archive_and_hide(ann)
    for part in (None, "archive"):
        bob.backups.restore(backup, part)
        with bob.ledger.access.archive.reading() as tx:
            assert {one.content for one in tx.memories.all()} == {"the door is blue"}
    assert contents(ann) == {"the raise is in May"}


def test_what_a_restore_took_away_comes_back_with_the_backup_that_it_made(team: Team) -> None:
    ann, bob = team.home("ann"), team.home("bob")
    ann.memories.store("the door is blue")
    assert len(contents(bob)) == 1
    backup = bob.backups.create().name
    ann.memories.store("the key is red")
    kept = bob.backups.restore(backup).kept
    assert eventually(lambda: contents(ann) == {"the door is blue"})
    assert kept is not None
    bob.backups.restore(kept.name)
    assert eventually(lambda: contents(ann) == {"the door is blue", "the key is red"})


def test_a_restore_that_takes_something_from_others_says_from_whom_and_needs_a_yes(team: Team) -> None:
    ann, bob = team.home("ann"), team.home("bob")
    for number, text in enumerate(("the raise is in May", "the door is blue", "the key is red"), 1):
        ann.memories.store(text, visibility="private" if number == 1 else "shared")
    assert len(contents(bob)) == 2
    backup = bob.backups.create().name
    bob.memories.store("the rota is on the door")
    assert bob.backups.losses_of_others(backup) == ()
    ann.memories.visibility(1, "shared")
    ann.memories.update(2, "the door is green", source="user")
    ann.memories.reinforce(3)
    ann.memories.archive(3)
    ann.experiences.record("task_solution", "open the door", "turn the key")
    refused = run_memoro("--home", bob.home, "backup", "restore", backup)
    assert refused.code == 5
    assert "newer than the backup: ann: 2 removed, 1 changed. The journal does not record" in refused.err
    assert len(contents(ann)) == 3
    assert run_memoro("--home", bob.home, "backup", "restore", backup, "--yes").code == 0
    assert eventually(lambda: contents(ann) == {"the door is blue", "the key is red"})
