"""A shared ledger refuses a person whom its tenant does not have, or has no more."""

from __future__ import annotations

from pathlib import Path

import pytest

import memoro
from memoro.errors import PersonUnknown
from memoro.store.opening import SharedLedger, administration
from memoro.store.postgres import server as servers
from memoro.store.postgres.opening import close_servers
from tests.postgres import InstalledServer
from tests.shared_homes import Node, new_node


class People:
    """A tenant with ann and tom, each with a home."""

    def __init__(self, folder: Path, server: InstalledServer) -> None:
        self.tenant, self.owner = server.new_tenant(), administration(server.owner_url, None)
        for person in ("ann", "tom"):
            self.owner.add_person(self.tenant, person)
        self.ann, self.tom = (
            new_node(folder / person, SharedLedger(server.url, self.tenant, person)) for person in ("ann", "tom")
        )


@pytest.fixture
def people(tmp_path: Path, postgres: InstalledServer) -> People:
    return People(tmp_path, postgres)


def assert_refused(node: Node, person: str) -> None:
    for command in (("memory", "list"), ("memory", "store", "a thing"), ("search", "door"), ("log",)):
        done = node.attempt(*command)
        assert done.code == 4, command
        assert f"does not know '{person}', so nothing was read or written" in done.err


def test_a_mistyped_name_is_refused_when_it_is_set_and_when_it_is_used(people: People) -> None:
    people.ann.store("the door is blue")
    refused = people.ann.attempt("config", "set", "ledger.person", "annn")
    assert refused.code == 4
    assert "does not know 'annn'" in refused.err
    assert people.ann.contents() == {"the door is blue"}
    settings = people.ann.home / "memoro.toml"
    settings.write_text(settings.read_text().replace('"ann"', '"annn"'))
    assert_refused(people.ann, "annn")
    people.ann.run("config", "set", "ledger.person", "ann")
    assert people.ann.contents() == {"the door is blue"}


def test_a_person_who_was_removed_neither_reads_nor_writes(people: People, monkeypatch: pytest.MonkeyPatch) -> None:
    people.ann.store("the door is blue")
    with memoro.open(people.tom.home) as m:
        assert [one.content for one in m.memories.all()] == ["the door is blue"]
        people.owner.remove_person(people.tenant, "tom")
        monkeypatch.setattr(servers, "KNOWN_SECONDS", 0.0)
        with pytest.raises(PersonUnknown):
            m.memories.store("a thing")
    close_servers()
    assert_refused(people.tom, "tom")
    status = people.tom.attempt("status")
    assert "does not know 'tom'" in status.out + status.err
    assert people.ann.contents() == {"the door is blue"}
    people.owner.add_person(people.tenant, "tom")
    assert people.tom.contents() == {"the door is blue"}
