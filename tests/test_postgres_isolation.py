"""What keeps tenants and people apart on the server: the policies themselves, without the program's conditions."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from psycopg import sql

from memoro.errors import LedgerServerRefused
from memoro.store.opening import SharedLedger, open_ledger
from memoro.store.postgres.schema import (
    ADMINISTERED_TABLES,
    APPLICATION_ROLE,
    GUARDED_TABLES,
    NODE,
    PERSON,
    SCHEMA,
    TENANT,
)
from memoro.store.postgres.server import PostgresServer, Seat
from memoro.store.postgres.tables import ARCHIVE_TABLES, LEDGER_TABLES, TABLES, Table
from tests.postgres import InstalledServer
from tests.team_homes import Team


@pytest.fixture
def filled(tmp_path: Path, postgres: InstalledServer) -> Iterator[tuple[Team, Team]]:
    """Two tenants with rows of two people each, some of them private."""
    teams = Team(tmp_path, postgres), Team(tmp_path, postgres)
    for team in teams:
        for person in ("mia", "tom"):
            with_rows(team, person)
    yield teams
    for team in teams:
        team.close()


def with_rows(team: Team, person: str) -> None:
    m = team.home(person)
    shared = m.memories.store(f"{team.tenant} {person} shared", key=f"k-{person}").memory.id
    hidden = m.memories.store(f"{team.tenant} {person} private", visibility="private").memory.id
    m.memories.query(person, session=f"s-{person}")
    m.memories.reinforce(shared, session=f"s-{person}")
    m.memories.reinforce(hidden, session=f"s-{person}")
    m.narratives.update(f"{person} went on", [hidden])
    m.experiences.record("task_solution", f"{person} did", "so")
    m.memories.archive(m.memories.store(f"{person} old", visibility="private").memory.id)


def act_as(cursor: psycopg.Cursor[tuple[object, ...]], tenant: str, person: str = "", node: str = "") -> None:
    cursor.execute(
        "SELECT set_config(%s, %s, true), set_config(%s, %s, true), set_config(%s, %s, true)",
        [TENANT, tenant, PERSON, person, NODE, node],
    )


def seen(cursor: psycopg.Cursor[tuple[object, ...]], table: str, columns: str) -> set[tuple[object, ...]]:
    cursor.execute(f"SELECT DISTINCT {columns} FROM {SCHEMA}.{table}")
    return set(cursor.fetchall())


def test_every_table_forces_row_level_security_and_has_a_policy(postgres: InstalledServer) -> None:
    with psycopg.connect(postgres.owner_url) as connection:
        rows = connection.execute(
            """SELECT c.relname, c.relrowsecurity, c.relforcerowsecurity,
                      (SELECT count(*) FROM pg_policy p WHERE p.polrelid = c.oid AND p.polqual IS NOT NULL
                          AND p.polwithcheck IS NOT NULL)
                 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
                WHERE n.nspname = %s AND c.relkind IN ('r', 'p')""",
            [SCHEMA],
        ).fetchall()
        views = connection.execute(
            """SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
                WHERE n.nspname = %s AND c.relkind NOT IN ('r', 'p', 'i', 'I')""",
            [SCHEMA],
        ).fetchall()
    found = {name: (enabled, forced, policies) for name, enabled, forced, policies in rows}
    assert set(found) == {"format", *GUARDED_TABLES}
    assert [name for name in GUARDED_TABLES if found[name][:2] != (True, True) or found[name][2] < 1] == []
    assert views == []  # a view or a sequence would pass by the policies


def test_the_role_of_nodes_owns_nothing_and_may_only_read_and_write_rows(postgres: InstalledServer) -> None:
    with psycopg.connect(postgres.owner_url) as connection:
        [role] = connection.execute(
            "SELECT rolsuper, rolbypassrls, rolcreaterole, rolcreatedb FROM pg_roles WHERE rolname = %s",
            [APPLICATION_ROLE],
        ).fetchall()
        rights = {
            name: {
                right
                for right in ("SELECT", "INSERT", "UPDATE", "DELETE", "TRUNCATE", "REFERENCES", "TRIGGER")
                if connection.execute(
                    "SELECT has_table_privilege(%s, %s, %s)", [APPLICATION_ROLE, f"{SCHEMA}.{name}", right]
                ).fetchone()
                == (True,)
            }
            for name in ("format", *GUARDED_TABLES)
        }
    assert role == (False, False, False, False)
    written = {"SELECT", "INSERT", "UPDATE", "DELETE"}
    assert set(ADMINISTERED_TABLES) == {"tenants", "people", "tokens", "dumps"}
    for name, held in rights.items():
        assert held == ({"SELECT"} if name in ("format", *ADMINISTERED_TABLES) else written), name


@pytest.mark.parametrize(
    "statement",
    [
        f"ALTER TABLE {SCHEMA}.memories DISABLE ROW LEVEL SECURITY",
        f"DROP POLICY own_rows ON {SCHEMA}.memories",
        f"CREATE POLICY all_rows ON {SCHEMA}.memories USING (true)",
        f"TRUNCATE {SCHEMA}.memories",
        f"DROP TABLE {SCHEMA}.memories",
        f"CREATE TABLE {SCHEMA}.mine (a int)",
        f"CREATE VIEW {SCHEMA}.all_rows AS SELECT * FROM {SCHEMA}.memories",
        "SET ROLE memoro_owner",
        f"INSERT INTO {SCHEMA}.tokens (tenant, id, digest, person, scopes) VALUES ('t', 'a', '', 'p', '{{}}')",
        f"UPDATE {SCHEMA}.format SET oldest_node = 9",
        f"GRANT ALL ON {SCHEMA}.memories TO PUBLIC",
    ],
)
def test_the_role_of_nodes_cannot_change_the_rules(postgres: InstalledServer, statement: str) -> None:
    with psycopg.connect(postgres.url) as connection, connection.cursor() as cursor:
        act_as(cursor, "t")
        if statement.startswith("GRANT"):  # whoever owns nothing grants nothing; the server only warns
            before = connection.execute(
                f"SELECT relacl::text FROM pg_class WHERE oid = '{SCHEMA}.memories'::regclass"
            )
            acl = before.fetchone()
            try:
                cursor.execute(statement)
            except psycopg.errors.InsufficientPrivilege:
                return
            after = connection.execute(f"SELECT relacl::text FROM pg_class WHERE oid = '{SCHEMA}.memories'::regclass")
            assert after.fetchone() == acl
            return
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            cursor.execute(statement)


def test_without_a_tenant_no_row_is_seen_and_none_can_be_written(
    postgres: InstalledServer, filled: tuple[Team, Team]
) -> None:
    for settings in (None, ("", ""), ("no such tenant", "mia")):
        with psycopg.connect(postgres.url) as connection, connection.cursor() as cursor:
            if settings:
                act_as(cursor, *settings)
            for name in GUARDED_TABLES:
                assert seen(cursor, name, "tenant") == set(), name
            for table in TABLES:
                cursor.execute(f"DELETE FROM {SCHEMA}.{table.on_server}")
                assert cursor.rowcount == 0
            with pytest.raises(psycopg.errors.InsufficientPrivilege, match="row-level security"):
                cursor.execute(
                    f"INSERT INTO {SCHEMA}.meta (tenant, owner, revision, key, value) VALUES (%s, '', 1, 'a', 'b')",
                    [filled[0].tenant],
                )


@pytest.mark.parametrize("person", ["mia", "tom"])
def test_a_person_sees_the_shared_rows_of_one_tenant_and_their_own(
    postgres: InstalledServer, filled: tuple[Team, Team], person: str
) -> None:
    """Without any condition in the statement: the policies are the only guard."""
    tenant, other = filled[0].tenant, filled[1].tenant
    with psycopg.connect(postgres.url) as connection, connection.cursor() as cursor:
        act_as(cursor, tenant, person)
        for table in TABLES:
            rows = seen(cursor, table.on_server, "tenant, owner")
            assert rows <= {(tenant, ""), (tenant, person)}, table.name
        assert seen(cursor, "memories", "tenant, owner") == {(tenant, ""), (tenant, person)}
        assert seen(cursor, "archive_memories", "tenant, owner") == {(tenant, person)}
        for table in TABLES:
            for owner, whose in (("", other), (person, other), ("someone", tenant)):
                assert refuses_row(connection, tenant, person, table, whose, owner), (table.name, owner, whose)


def refuses_row(
    connection: psycopg.Connection[tuple[object, ...]], tenant: str, person: str, table: Table, whose: str, owner: str
) -> bool:
    """Whether a row cannot be given to another tenant or person."""
    try:
        with connection.transaction(), connection.cursor() as cursor:
            act_as(cursor, tenant, person)
            cursor.execute(f"UPDATE {SCHEMA}.{table.on_server} SET tenant = %s, owner = %s", [whose, owner])
            return cursor.rowcount == 0  # there was no row to give
    except psycopg.errors.InsufficientPrivilege:
        return True


def test_connections_of_a_pool_carry_nothing_from_one_tenant_to_the_next(
    postgres: InstalledServer, filled: tuple[Team, Team]
) -> None:
    server = PostgresServer(postgres.url)
    try:
        for number in range(40):
            team = filled[number % 2]
            with server.transaction(Seat(team.tenant, "mia", "n")) as cursor:
                assert seen(cursor, "memories", "tenant") == {(team.tenant,)}
            with server.connection() as connection, connection.cursor() as cursor:
                assert seen(cursor, "memories", "tenant") == set()
                left = cursor.execute(f"SELECT current_setting('{TENANT}', true)").fetchone()
                assert left in ((None,), ("",))
            with pytest.raises(RuntimeError), server.transaction(Seat(team.tenant, "tom", "n")) as cursor:
                raise RuntimeError("a block that fails")
    finally:
        server.close()


def test_a_role_that_row_level_security_does_not_bind_is_refused(postgres: InstalledServer) -> None:
    server = PostgresServer(postgres.owner_url)
    try:
        with pytest.raises(LedgerServerRefused, match="owns the tables"), server.connection():
            pass
    finally:
        server.close()


def test_a_name_is_data_to_the_policies(postgres: InstalledServer, filled: tuple[Team, Team]) -> None:
    tenant = filled[0].tenant
    for name in (f"{tenant}' OR '1'='1", f"{tenant}%", f"{tenant}' --", f"x') OR (tenant = '{tenant}"):
        with psycopg.connect(postgres.url) as connection, connection.cursor() as cursor:
            act_as(cursor, name, "mia")
            assert seen(cursor, "memories", "tenant") == set()
            act_as(cursor, tenant, f"tom' OR owner = 'mia{sql.Literal('').as_string(connection)}")
            assert seen(cursor, "memories", "owner") == {("",)}


@pytest.mark.parametrize(("name", "tables"), [("ledger.db", LEDGER_TABLES), ("archive.db", ARCHIVE_TABLES)])
def test_the_tables_of_the_server_are_those_of_sqlite(
    name: str, tables: tuple[Table, ...], tmp_path: Path, postgres: InstalledServer
) -> None:
    """Names, order, keys and NULLs: what a transaction changed is recorded by the places of columns."""
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    stores = open_ledger(str(home))
    for store in stores:
        with store.writing():
            pass
        store.close()
    db = sqlite3.connect(home / name)
    kept = (
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB 'sqlite_*' AND name NOT GLOB 'words*'"
    )
    assert {table.name for table in tables} == {one for (one,) in db.execute(kept)}
    for table in tables:
        columns = db.execute(f"PRAGMA table_info({table.name})").fetchall()
        assert table.names == tuple(column[1] for column in columns)
        key = sorted((column[5], column[1]) for column in columns if column[5])
        assert table.key == tuple(column for _, column in key)
        required = {column[1] for column in columns if column[3] or column[5]}
        assert {column.name for column in table.columns if column.required} == required
    db.close()
    with psycopg.connect(postgres.owner_url) as connection:
        for table in tables:
            found = connection.execute(
                """SELECT column_name FROM information_schema.columns WHERE table_schema = %s AND table_name = %s
                    ORDER BY ordinal_position""",
                [SCHEMA, table.on_server],
            ).fetchall()
            assert tuple(one for (one,) in found) == ("tenant", "owner", "revision", *table.names)


def test_the_same_ledger_is_opened_by_each_person_as_themselves(postgres: InstalledServer, tmp_path: Path) -> None:
    tenant = postgres.new_tenant()
    people = {}
    for person in ("mia", "tom"):
        folder = tmp_path / person
        folder.mkdir(mode=0o700)
        people[person] = open_ledger(str(folder), shared=SharedLedger(postgres.url, tenant, person)).ledger
    assert {name: ledger.person for name, ledger in people.items()} == {"mia": "mia", "tom": "tom"}
    for ledger in people.values():
        ledger.close()
