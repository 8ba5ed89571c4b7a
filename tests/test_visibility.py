"""Private and shared rows of a ledger that people share: who sees them, and what follows when that changes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import memoro
from memoro.errors import ConfigError, MemoryNotFound, NotFound, Refused
from memoro.operations.memories import LIST, STORE, KeepMemory, ListMemories
from memoro.operations.operation import Caller
from memoro.workspace import Workspace
from tests.command import Result, run_memoro
from tests.postgres import InstalledServer
from tests.raw_sqlite import make_format_7
from tests.shared_homes import new_node, two_nodes
from tests.team_homes import Team, contents, eventually
from tests.team_homes import team as team  # the fixture


def entries(m: Workspace) -> int:
    return len(m.journal.log(1000))


def test_a_private_memory_reaches_the_other_machines_of_its_person_and_nobody_else(team: Team) -> None:
    laptop, server, tom = team.home("mia"), team.home("mia"), team.home("tom")
    laptop.memories.store("the salary is 5", visibility="private")
    laptop.memories.store("the office is open")
    assert eventually(lambda: contents(server) == {"the salary is 5", "the office is open"})
    assert eventually(lambda: contents(tom) == {"the office is open"})
    assert entries(server) == 2
    assert entries(tom) == 1
    assert tom.memories.query("salary").results == ()
    with pytest.raises(MemoryNotFound):
        tom.memories.get(1)


def test_a_shared_memory_is_not_said_to_replace_a_private_one(team: Team) -> None:
    mia = team.home("mia")
    mia.memories.store("Plan red starts in May", visibility="private")
    assert mia.memories.store("Plan red starts in June", visibility="shared").nearest == ()
    again = mia.memories.store("Plan red starts in July", visibility="private")
    assert {one.memory.id for one in again.nearest} == {1, 2}


def test_the_setting_decides_for_memories_experiences_narratives_and_proposals(team: Team) -> None:
    mia, tom = team.home("mia", "private"), team.home("tom")
    mia.memories.store("mine by default")
    mia.experiences.record("task_solution", "to be done", "so it was")
    mia.narratives.update("where my work stands")
    mia.memories.store("for all of us", visibility="shared")
    assert eventually(lambda: contents(tom) == {"for all of us"})
    assert tom.experiences.list() == ()
    assert tom.narratives.search() == []
    assert [one.person for one in tom.journal.log(10)] == ["mia"]


def test_a_change_to_a_shared_memory_stays_shared_whatever_the_setting(team: Team) -> None:
    mia, tom = team.home("mia", "private"), team.home("tom")
    number = tom.memories.store("the gate is blue").memory.id
    assert eventually(lambda: contents(mia) == {"the gate is blue"})
    mia.memories.update(number, "the gate is green", source="user")
    mia.memories.remove(number, source="user")
    assert eventually(lambda: contents(tom) == set())
    mia.journal.undo()
    assert eventually(lambda: contents(tom) == {"the gate is green"})
    assert [one.person for one in tom.memories.history(number)] == ["tom", "mia", "mia", "mia"]


def test_making_a_memory_private_takes_it_from_the_others_with_all_that_tells_of_it(team: Team) -> None:
    mia, other, tom = team.home("mia"), team.home("mia"), team.home("tom")
    first = mia.memories.store("the key is under the mat", tags="house").memory.id
    second = mia.memories.store("the mat is red").memory.id
    mia.memories.query("mat", session="s")
    for one in (first, second):
        mia.memories.reinforce(one, session="s")
    mia.narratives.update("about the house", [first])
    assert eventually(lambda: entries(tom) == 5)
    assert tom.memories.links(second).linked
    done = mia.memories.visibility(first, "private")
    assert (done.visibility, done.person, done.changed) == ("private", "mia", True)
    assert eventually(lambda: contents(tom) == {"the mat is red"})
    with pytest.raises(MemoryNotFound):
        tom.memories.history(first)
    assert tom.memories.links(second).linked == ()
    assert tom.narratives.get(1).memories == ()
    assert eventually(lambda: other.memories.visibility(first).visibility == "private")
    assert [one.memory.id for one in other.memories.links(second).linked] == [first]
    assert other.memories.history(first) == mia.memories.history(first)
    assert other.narratives.get(1).memories == (first,)
    # A node that comes later sees the same.
    fresh, late = team.home("mia"), team.home("tom")
    assert contents(fresh) == contents(mia)
    assert fresh.memories.history(first) == mia.memories.history(first)
    assert contents(late) == {"the mat is red"}
    assert [one.id for one in late.journal.log(100)] == [one.id for one in tom.journal.log(100)]


def test_sharing_a_private_memory_gives_it_to_everybody_with_its_history(team: Team) -> None:
    mia, tom = team.home("mia"), team.home("tom")
    number = mia.memories.store("the plan", visibility="private").memory.id
    mia.memories.update(number, "the whole plan", source="user")
    mia.memories.visibility(number, "shared")
    assert eventually(lambda: contents(tom) == {"the whole plan"})
    assert tom.memories.history(number) == mia.memories.history(number)
    assert [one.operation for one in tom.memories.history(number)] == ["store", "update", "visibility"]
    # Tom can take back neither the sharing nor hide it himself.
    with pytest.raises(Refused, match="mia stored memory:1, so only mia can make it private"):
        tom.memories.visibility(number, "private")
    with pytest.raises(Refused, match="only mia"):
        tom.journal.undo(tom.memories.history(number)[-1].id)
    mia.journal.undo()
    assert eventually(lambda: contents(tom) == set())
    assert mia.memories.visibility(number).visibility == "private"


def test_a_private_memory_that_comes_back_is_private_again(team: Team) -> None:
    mia, tom = team.home("mia"), team.home("tom")
    number = mia.memories.store("nobody else knows", visibility="private").memory.id
    mia.memories.remove(number, source="user")
    anew = team.home("mia")  # its copy never had the row
    anew.journal.undo()
    anew.memories.archive(number)
    later = team.home("mia")
    assert later.memories.query("knows", archived=True).results[0].archived
    assert tom.memories.query("knows", archived=True).results == ()
    with pytest.raises(MemoryNotFound):
        tom.memories.unarchive(number)
    later.memories.unarchive(number)
    assert eventually(lambda: contents(mia) == {"nobody else knows"})
    assert contents(team.home("tom")) == set()
    assert team.home("tom").journal.log(10) == []


def test_what_is_made_from_a_private_memory_is_private(team: Team) -> None:
    mia, tom = team.home("mia"), team.home("tom")
    number = mia.memories.store("the diagnosis", visibility="private").memory.id
    mia.memories.store("what follows from it", parents=(number,))
    mia.narratives.update("how it went on", [number])
    mia.memories.store("what others may know", parents=(number,), visibility="shared")
    assert eventually(lambda: contents(tom) == {"what others may know"})
    assert tom.narratives.search() == []


def test_what_replaces_a_private_memory_is_private(team: Team) -> None:
    mia, tom = team.home("mia"), team.home("tom")
    mia.memories.store("the salary is 5", source="user", visibility="private")
    mia.memories.store("the salary is 6", source="user", supersedes=[1])
    stored = mia.memories.store("the salary is 7", source="web", supersedes=[2])
    assert (stored.visibility, len(stored.waiting)) == ("private", 1)
    mia.memories.store("what others may know", source="user", supersedes=[2], visibility="shared")
    assert eventually(lambda: contents(tom) == {"what others may know"})


def test_a_proposal_that_names_a_private_memory_is_private(team: Team) -> None:
    mia, tom = team.home("mia"), team.home("tom")
    number = mia.memories.store("the true name", source="user", visibility="private").memory.id
    mia.memories.trust(number, "user_confirmed")
    with pytest.raises(memoro.errors.ChangeProposed):
        mia.memories.update(number, "another name", source="agent")
    mia.memories.store("seen by all")
    assert eventually(lambda: contents(tom) == {"seen by all"})
    assert mia.proposals.all()
    assert tom.proposals.all() == []


def test_an_experience_is_shared_and_made_private(team: Team) -> None:
    mia, tom = team.home("mia"), team.home("tom")
    number = mia.experiences.record("task_solution", "restart it", "twice", visibility="private").experience.id
    assert mia.experiences.visibility(number).visibility == "private"
    mia.experiences.visibility(number, "shared")
    assert eventually(lambda: [one.experience.intent for one in tom.experiences.list()] == ["restart it"])
    with pytest.raises(Refused, match="only mia"):
        tom.experiences.visibility(number, "private")
    mia.experiences.visibility(number, "private")
    assert eventually(lambda: tom.experiences.list() == ())
    with pytest.raises(NotFound):
        tom.experiences.get(number)


def test_a_home_of_its_own_refuses_private_and_shared(tmp_path: Path) -> None:
    with memoro.open(tmp_path / "home") as m:
        number = m.memories.store("as ever").memory.id
        for ask in (
            lambda: m.memories.store("x", visibility="private"),
            lambda: m.memories.visibility(number),
            lambda: m.memories.visibility(number, "shared"),
            lambda: m.experiences.record("task_solution", "a", "b", visibility="shared"),
        ):
            with pytest.raises(Refused, match="keeps its own ledger, so nobody else can see it"):
                ask()
        assert "visibility" not in json.dumps(LIST.document(LIST.run(m, ListMemories(), Caller())))
        assert contents(m) == {"as ever"}


def test_operations_say_who_sees_a_memory(team: Team) -> None:
    mia = team.home("mia")
    stored = STORE.run(mia, KeepMemory("for me", private=True), Caller())
    STORE.run(mia, KeepMemory("for us"), Caller())
    assert STORE.document(stored)["visibility"] == "private"
    listed = LIST.document(LIST.run(mia, ListMemories(), Caller()))["results"]
    assert {one["content"]: one["visibility"] for one in listed} == {"for me": "private", "for us": "shared"}
    with pytest.raises(ConfigError, match="not both"):
        STORE.run(mia, KeepMemory("x", private=True, shared=True), Caller())


def test_the_command_line_shows_and_changes_it(team: Team) -> None:
    home, tom = team.folder("mia"), team.folder("tom")

    def run(folder: Path, *arguments: str) -> Result:
        return run_memoro(*arguments, env={"MEMORO_HOME": str(folder)})

    assert "[id:1] stored, private" in run(home, "memory", "store", "--private", "the pin is 1234").out
    assert "[id:1] private" in run(home, "memory", "show", "1").out
    assert json.loads(run(home, "memory", "list", "--json").out)["results"][0]["visibility"] == "private"
    assert run(home, "memory", "visibility", "1").out.startswith("private: only you see it; mia stored it")
    assert run(tom, "memory", "show", "1").code != 0
    assert "shared: everybody" in run(home, "memory", "visibility", "1", "shared").out
    log = run(tom, "log").out
    assert "by agent of mia" in log
    assert json.loads(run(tom, "log", "--json").out)["changes"][0]["person"] == "mia"


def test_a_key_stands_for_the_visibility_that_was_asked_for(team: Team) -> None:
    mia = team.home("mia")
    first = mia.memories.store("once", visibility="private", key="k")
    assert mia.memories.store("once", visibility="private", key="k").memory == first.memory
    with pytest.raises(memoro.errors.KeyReused):
        mia.memories.store("once", visibility="shared", key="k")


def test_undo_by_a_person_takes_back_what_that_person_did(team: Team) -> None:
    mia, tom = team.home("mia"), team.home("tom")
    mia.memories.store("by mia")
    tom.memories.store("by tom")
    assert [one.person for one in tom.journal.log(10, by="mia")] == ["mia"]
    tom.journal.undo(by="mia", since="2000-01-01")
    assert contents(tom) == {"by tom"}


def test_a_ledger_of_format_7_is_opened_and_tells_no_person(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with memoro.open(home) as m:
        m.memories.store("before there were people")
    make_format_7(home / "ledger.db")
    with memoro.open(home) as m:
        assert contents(m) == {"before there were people"}
        m.memories.store("and after")
        assert [one.person for one in m.journal.log(10)] == [None, None]
        assert "before a new format" in [backup.why for backup in m.backups.all()]


def test_what_was_private_is_not_shown_to_another_tenant_without_a_yes(
    postgres: InstalledServer, tmp_path: Path
) -> None:
    mia, tom = two_nodes(tmp_path, ("mia", "tom"))
    tom.store("the well is at the north gate")
    mia.run("memory", "store", "--private", "my salary is 91000")
    mia.run("memory", "store", "releases are cut on Thursdays")
    mia.run("move-ledger", "--to", "sqlite")
    mia.run("move-ledger", "--finish")
    mia.run("memory", "store", "a raise would help", "--from-memory", "2")
    join = ("move-ledger", "--to", mia.shared.url, "--person", "mia", "--tenant")

    for tenant in (mia.shared.tenant, postgres.new_tenant()):
        refused = mia.attempt(*join, tenant, "--merge")
        assert refused.code != 0
        assert "2 memories, experiences or narratives" in refused.err
        assert "ledger.visibility private" in refused.err
        assert "--share-private" in refused.err
    assert tom.contents() == {"the well is at the north gate", "releases are cut on Thursdays"}

    mia.run(*join, tenant, "--share-private")
    ben = new_node(tmp_path / "ben", mia.shared._replace(tenant=tenant, person="ben"))
    assert len(ben.contents()) == 4


def test_what_was_private_stays_so_where_the_settings_say_so(postgres: InstalledServer, tmp_path: Path) -> None:
    mia, _ = two_nodes(tmp_path, ("mia", "tom"))
    mia.run("memory", "store", "--private", "my salary is 91000")
    mia.run("move-ledger", "--to", "sqlite")
    backup = mia.run("backup", "create", "--json").json["backups"][0]["name"]
    mia.run("backup", "restore", backup)
    tenant = postgres.new_tenant()
    ben = new_node(tmp_path / "ben", mia.shared._replace(tenant=tenant, person="ben"))
    ben.store("the well is at the north gate")
    join = ("move-ledger", "--merge", "--to", mia.shared.url, "--person", "mia", "--tenant", tenant)

    assert "1 memory, experience or narrative" in mia.attempt(*join).err

    mia.run("config", "set", "ledger.visibility", "private")
    mia.run(*join)
    assert ben.contents() == {"the well is at the north gate"}
