"""Random and hostile requests of many tenants to one server, with row-level security as the only guard.

Every text names its tenant, and its person where it is private. No answer may hold a text of another tenant, nor a
private one of another person; no statement may reach such a row.
"""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import psycopg
import pytest

import memoro
from memoro.errors import MemoroError
from memoro.operations import experiences, journal, memories, narratives
from memoro.operations.operation import AnyOperation, Caller
from memoro.store.postgres.schema import NODE, PERSON, SCHEMA, TENANT
from memoro.store.postgres.tables import TABLES
from memoro.workspace import Workspace
from tests.conftest import times
from tests.postgres import InstalledServer
from tests.team_homes import Team

_MARK = re.compile(r"<<(t[0-9a-f]+)/(\w*)>>")
_PEOPLE = ("mia", "tom", "ann")
_NUMBERS = (0, -1, 1, 2, 3, 5, 8, 13, 2**31, 2**63 - 1, 2**63, -(2**63), 10**30)
_SQL = (
    "' OR '1'='1", "'; DROP TABLE memoro.memories; --", '" OR tenant <> "', "%s", "%(tenant)s", "{tenant}", "\\'; --",
    "$$; SELECT 1; $$", "' UNION SELECT content FROM memoro.memories --", "*", "NEAR(a b)", 'x"*', "\x01nul\x01",
    "memoro.tenant", "); RESET ALL; SELECT set_config('memoro.tenant', '%', false); --",
)  # fmt: skip


class Seat(NamedTuple):
    tenant: str
    person: str
    home: Path


class Campaign:
    """Makes the requests, and counts what they did and what they should not have seen."""

    def __init__(self, seats: Sequence[Seat], server: InstalledServer, seed: int) -> None:
        self.seats, self.server = seats, server
        self.random = random.Random(seed)
        self.cursors: list[str] = []  # keys of pages, of every tenant
        self.done: Counter[str] = Counter()
        self.leaks: list[str] = []

    def text(self, seat: Seat, private: bool) -> str:
        mark = f"<<{seat.tenant}/{seat.person if private else ''}>>"
        return f"{mark} {self.word()} {self.random.choice(_SQL)} {self.random.randrange(10**6)}"

    def word(self) -> str:
        return self.random.choice(("harbour", "lantern", "meadow", "copper", "winter"))

    def number(self) -> Any:
        return self.random.choice(_NUMBERS) if self.random.random() < 0.3 else self.random.randrange(1, 25)

    def request(self, seat: Seat) -> tuple[AnyOperation, Any]:
        """A request of a random kind with hostile fields."""
        pick, number, private = self.random.choice, self.number, self.random.random() < 0.5
        content = self.text(seat, private)

        def hostile() -> str:
            return self.random.choice(_SQL)

        kinds: tuple[Callable[[], tuple[AnyOperation, Any]], ...] = (
            lambda: (memories.STORE, memories.KeepMemory(
                content, tags=hostile(), task=hostile(), private=private, shared=not private,
                supersedes=pick(((), (), (number(),))),
            )),
            lambda: (memories.STORE, memories.KeepMemory(
                content, private=private, shared=not private, parents=pick(((), (number(),)))
            )),
            lambda: (memories.QUERY, memories.QueryMemories(
                pick((self.word(), hostile(), seat.tenant)), links=True, archived=True, scope="all", mode="words"
            )),
            lambda: (memories.LIST, memories.ListMemories(
                limit=3, after=pick((None, hostile(), *self.cursors[-20:])), scope="all", state="all",
                sort=pick(("newest", "score", "used")), words=pick((None, self.word())),
            )),
            lambda: (memories.SHOW, memories.ShowMemory(number(), used=True, scope="all")),
            lambda: (memories.HISTORY, memories.MemoryHistory(number(), scope="all")),
            lambda: (memories.LINKS, memories.MemoryLinks(number(), scope="all")),
            lambda: (memories.REINFORCE, memories.OneMemory(number())),
            lambda: (memories.ARCHIVE, memories.OneMemory(number())),
            lambda: (memories.UNARCHIVE, memories.OneMemory(number())),
            lambda: (memories.REMOVE, memories.OneMemory(number())),
            lambda: (experiences.RECORD, experiences.RecordExperience(
                "task_solution", content, hostile(), private=private, shared=not private
            )),
            lambda: (experiences.SHOW, experiences.ShowExperience(number(), scope="all")),
            lambda: (narratives.SEARCH, narratives.SearchNarratives(pick((None, self.word())), scope="all")),
            lambda: (journal.LOG, journal.ListChanges(limit=20, by=pick((None, hostile(), *_PEOPLE)))),
            lambda: (journal.LOG_SHOW, journal.OneChange(number())),
            lambda: (journal.UNDO, journal.UndoChanges(pick((None, number())))),
        )  # fmt: skip
        return pick(kinds)()

    def run(self, seat: Seat, m: Workspace, request: tuple[AnyOperation, Any]) -> None:
        operation, asked = request
        key = self.random.choice((None, None, None, f"{self.random.choice(_SQL)} {self.random.randrange(99)}", "k1"))
        caller = Caller(source="user", session=self.random.choice((None, "s1", self.random.choice(_SQL))), key=key)
        self.done["requests"] += 1
        try:
            document = operation.document(operation.run(m, asked, caller))
        except MemoroError as error:
            self.done["refused"] += 1
            self.check(seat, f"{operation.name}: {error}")
            return
        if document.get("next") and isinstance(document["next"], str):
            self.cursors.append(document["next"])
        self.check(seat, f"{operation.name}: {json.dumps(document)}")

    def check(self, seat: Seat, text: str) -> None:
        for tenant, person in _MARK.findall(text):
            self.done["texts seen"] += 1
            if tenant != seat.tenant or person not in ("", seat.person):
                self.leaks.append(f"{seat.person} of {seat.tenant}: {text[:200]}")

    def attack(self, seat: Seat) -> None:
        """Statements of the role of nodes that name the rows of others, or none at all."""
        table = self.random.choice(TABLES).on_server
        other = self.random.choice(self.seats)
        others = "tenant <> %s OR (owner <> '' AND owner <> %s AND owner NOT LIKE %s)"
        own = [seat.tenant, seat.person, f"{seat.person}@%"]
        statements: tuple[tuple[str, list[Any]], ...] = (
            (f"SELECT 1 FROM {SCHEMA}.{table} WHERE {others}", own),
            (f"SELECT 1 FROM {SCHEMA}.{table} WHERE tenant = %s AND ({others})", [other.tenant, *own]),
            (f"UPDATE {SCHEMA}.{table} SET revision = 0 WHERE {others}", own),
            (f"DELETE FROM {SCHEMA}.{table} WHERE {others}", own),
            (f"SELECT 1 FROM {SCHEMA}.deleted WHERE {others}", own),
            (f"SELECT 1 FROM {SCHEMA}.heads WHERE tenant <> %s FOR UPDATE", [seat.tenant]),
        )
        statement, values = self.random.choice(statements)
        with psycopg.connect(self.server.url) as connection, connection.cursor() as cursor:
            cursor.execute(
                "SELECT set_config(%s, %s, true), set_config(%s, %s, true), set_config(%s, %s, true)",
                [TENANT, seat.tenant, PERSON, seat.person, NODE, f"{seat.person}@x"],
            )
            cursor.execute(statement, values)
            self.done["statements"] += 1
            if cursor.rowcount:
                self.leaks.append(f"{cursor.rowcount} rows: {statement}")
            connection.rollback()


@pytest.fixture
def without_conditions(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Switches the program's own conditions by tenant off: `tenant = %s` holds for every row."""
    counted: Counter[str] = Counter()

    def replaced(name: str) -> None:
        real = getattr(psycopg.Cursor, name)

        def run(self: Any, query: Any, *arguments: Any, **options: Any) -> Any:
            if isinstance(query, str) and "tenant = %s" in query and "current_setting" not in query:
                counted["conditions"] += query.count("tenant = %s")
                query = query.replace("tenant = %s", "(tenant = %s OR TRUE)")
            return real(self, query, *arguments, **options)

        monkeypatch.setattr(psycopg.Cursor, name, run)

    replaced("execute")
    replaced("executemany")
    return counted


@pytest.mark.campaign
def test_no_request_reaches_a_row_of_another_tenant_or_person(
    tmp_path: Path, postgres: InstalledServer, without_conditions: Counter[str], capsys: pytest.CaptureFixture[str]
) -> None:
    teams = [Team(tmp_path, postgres) for _ in range(times(4, 50))]
    seats = [Seat(team.tenant, person, team.folder(person)) for team in teams for person in _PEOPLE]
    campaign = Campaign(seats, postgres, seed=20)
    wanted = times(240, 10_000)
    while campaign.done["requests"] < wanted:
        seat = campaign.random.choice(seats)
        with closing(memoro.open(seat.home)) as m:
            for _ in range(12):
                campaign.run(seat, m, campaign.request(seat))
        for _ in range(4):
            campaign.attack(seat)
    for seat in seats:  # what is in the end on the server, as each of them sees it
        with closing(memoro.open(seat.home)) as m:
            campaign.check(seat, json.dumps([one.content for one in m.memories.all()]))
            campaign.check(seat, json.dumps([str(one) for one in m.journal.log(10_000)]))
    with capsys.disabled():
        print(f"\n{len(teams)} tenants, {len(seats)} people: {dict(campaign.done)}, {dict(without_conditions)}")
    assert campaign.leaks == []
    assert without_conditions["conditions"] > wanted
    assert campaign.done["texts seen"] > wanted
    assert campaign.done["refused"] < campaign.done["requests"] * 0.8  # most do something
