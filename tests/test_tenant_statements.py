"""No statement of a node spans two tenants: as written, as sent, and as the server would run it.

On an engine that distributes rows by tenant, such a statement would ask every machine, or be refused.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import psycopg
import pytest

import memoro
from memoro import config
from memoro.model.items import ItemPut
from memoro.model.proposals import StoreMemory, Suggestion
from memoro.store.opening import SharedLedger, open_ledger
from memoro.store.postgres.opening import close_servers
from memoro.store.postgres.schema import GUARDED_TABLES, NODE, PERSON, TENANT
from memoro.store.postgres.server import PostgresServer, Seat
from memoro.store.postgres.tables import TABLES, Table
from memoro.workspace import Workspace
from tests import debian_postgres
from tests.postgres import InstalledServer, server

TENANTS, ROWS = 200, 25  # of others, and the rows of each in every table
# What a node says to the server that is about no tenant's rows, with %s for every value.
_ABOUT_NO_ROWS = (
    re.compile(r"SET LOCAL [\w.]+ = [^;]+(; SET LOCAL [\w.]+ = [^;]+)*"),
    re.compile(r"SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"),
    re.compile(r"SELECT me\.rolname, (?!.*\bmemoro\.).* FROM pg_roles me JOIN pg_roles r ON (?!.*\bmemoro\.).*"),
    re.compile(r"SELECT %s"),
    # After something was forgotten: rewrites the files of a table, and asks what else holds the bytes.
    re.compile(r"SELECT has_table_privilege\(%s, %s\), pg_total_relation_size\(%s::regclass\)"),
    re.compile(r'VACUUM (\(FULL\) )?"memoro"\."\w+"'),
    re.compile(r"SET lock_timeout = %s|RESET lock_timeout"),
    re.compile(r"SELECT current_setting\(%s\)"),
    re.compile(r"SELECT count\(\*\) FROM pg_stat_replication"),
    re.compile(r"SELECT slot_name FROM pg_replication_slots ORDER BY %s"),
    re.compile(r"SELECT to_regclass\(%s\) IS NOT NULL"),
    re.compile(r"SELECT format, oldest_node FROM memoro\.format"),
    re.compile(r"(UN)?LISTEN .*|NOTIFY .*|SELECT pg_notify\(.*\)"),
    re.compile(r"BEGIN.*|COMMIT|ROLLBACK.*|(RELEASE )?SAVEPOINT .*|"),
)
# A value in a statement: as the program writes it, or as the server counts it.
_VALUE = re.compile(r"\$\d+|'(?:[^']|'')*'|\b\d+\b")
_NAMED = re.compile(r"%\((\w+)\)s")
_SPANS_TENANTS = re.compile(r"\b(JOIN|nextval|currval|advisory|LOCK TABLE|UNION)\b", re.IGNORECASE)


class Sent(NamedTuple):
    """A statement, and the values of one call of it."""

    text: str
    values: tuple[Any, ...]

    @property
    def tables(self) -> set[str]:
        return set(re.findall(r"\bmemoro\.(\w+)", self.text))

    @property
    def tenant(self) -> object:
        """The tenant that it names; None: none."""
        if self.text.startswith("INSERT"):
            return self.values[0] if re.match(r"INSERT INTO memoro\.\w+ (AS \w+ )?\(tenant,", self.text) else None
        found = re.search(r"\bWHERE tenant = %s\b", self.text)
        return self.values[self.text[: found.start()].count("%s")] if found else None

    @property
    def without_values(self) -> str:
        return _VALUE.sub("%s", self.text)

    @property
    def is_about_rows(self) -> bool:
        return not any(pattern.fullmatch(self.without_values) for pattern in _ABOUT_NO_ROWS)


@pytest.fixture(scope="module", params=["wheel", "debian"])
def postgres(request: pytest.FixtureRequest) -> Iterator[InstalledServer]:
    """PostgreSQL 18, and 15 where it is installed."""
    if request.param == "debian" and not debian_postgres.is_installed():
        pytest.skip("needs the package postgresql-15")
    yield server() if request.param == "wheel" else debian_postgres.debian_server()
    close_servers()


@contextmanager
def recorded(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Sent]]:
    """Every statement that this process sends during the block."""
    sent: list[Sent] = []
    execute, executemany = psycopg.Cursor.execute, psycopg.Cursor.executemany

    def note(cursor: Any, query: Any, values: Any) -> None:
        text = " ".join((query if isinstance(query, str) else query.as_string(cursor)).split())
        if isinstance(values, Mapping):
            values = [values[name] for name in _NAMED.findall(text)]
            text = _NAMED.sub("%s", text)
        sent.append(Sent(text, tuple(values or ())))

    def execute_noting(self: Any, query: Any, params: Any = None, **options: Any) -> Any:
        note(self, query, params)
        return execute(self, query, params, **options)

    def executemany_noting(self: Any, query: Any, params_seq: Any, **options: Any) -> None:
        rows = list(params_seq)
        for row in rows:
            note(self, query, row)
        executemany(self, query, rows, **options)

    with monkeypatch.context() as patched:
        patched.setattr(psycopg.Cursor, "execute", execute_noting)
        patched.setattr(psycopg.Cursor, "executemany", executemany_noting)
        yield sent


def open_node(folder: Path, url: str, tenant: str) -> Workspace:
    (folder / "vault").mkdir(parents=True, exist_ok=True)
    (folder / "home").mkdir(mode=0o700, exist_ok=True)
    (folder / "home" / config.FILE_NAME).write_text(
        f"[ledger]\nurl = {json.dumps(url)}\ntenant = {json.dumps(tenant)}\nperson = 'mia'\n", encoding="utf-8"
    )
    return memoro.open(folder / "home", folder / "vault")


def work(folder: Path, url: str, tenant: str) -> None:
    """Two nodes of one tenant use everything that a ledger keeps."""
    with open_node(folder / "a", url, tenant) as a, open_node(folder / "b", url, tenant) as b:
        for text in ("Green tea needs 80 degrees", "The teapot is blue", "Lena drinks no coffee", "An old cup"):
            a.memories.store(text, ["tea"], key=text)
        b.memories.store("Black tea needs 95 degrees", ["tea"], supersedes=(1,))
        b.memories.query("Lena's blue teapot", session="s1")
        b.memories.reinforce(2, session="s1")
        b.memories.reinforce(3, session="s1")
        a.memories.update(3, "Lena drinks no coffee at night")
        a.memories.archive(4)
        a.memories.unarchive(4)
        a.memories.archive(4)
        _use_the_rest(a)
        a.recall("How warm is the water for green tea?", session="s1")
        b.recall("What does Lena drink?", session="s2")
        a.journal.undo()
        backup = a.backups.create().name
        b.memories.forget(2, yes=True)
        b.memories.prune()
        b.memories.remove(3)
        a.backups.restore(backup)
        a.backups.restore(backup, "archive")
        b.search("tea")
        b.sync()


def _use_the_rest(m: Workspace) -> None:
    m.experiences.record("error_recovery", "brew green tea", "use water of 80 degrees", tags=["tea"])
    m.experiences.prefer("cups", "blue ones")
    m.experiences.remove(1)
    m.narratives.update("The teapot was bought", [1])
    m.remember("Tea is at five", by="agent")
    m.remember("The kettle is in the kitchen")
    m.items.put("drawer", [ItemPut(("cups",), "blue", {"count": 3})])
    m.items.put("drawer", [ItemPut(("cups",), "blue", {"count": 4})])
    m.sessions.start("s1", title="About tea")
    m.proposals.propose(Suggestion(StoreMemory("The pot holds one litre"), origin="review"))


@pytest.fixture(scope="module")
def sent(postgres: InstalledServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, list[Sent]]]:
    """The tenant, and the statements that its two nodes sent."""
    tenant = postgres.new_tenant()
    with pytest.MonkeyPatch.context() as patched, recorded(patched) as found:
        work(tmp_path_factory.mktemp("nodes"), postgres.url, tenant)
    yield tenant, found


def test_the_workload_reaches_every_table(sent: tuple[str, list[Sent]]) -> None:
    """Else the tests below would say nothing about some."""
    written = {name for one in sent[1] if not one.text.startswith("SELECT") for name in one.tables}

    assert {"heads", "commits", "deleted", "numbers", "identities"} <= written
    assert {table.on_server for table in TABLES} - written <= {"archive_meta"}  # nodes only read it


def test_every_statement_about_rows_names_its_tenant_and_one_table(sent: tuple[str, list[Sent]]) -> None:
    tenant, statements = sent
    wrong = {
        one.text
        for one in statements
        if one.is_about_rows and (one.tenant != tenant or len(one.tables) != 1 or _SPANS_TENANTS.search(one.text))
    }

    assert wrong == set()
    assert sum(one.is_about_rows for one in statements) > 300


def test_the_server_received_no_statement_that_the_test_did_not_see(
    postgres: InstalledServer, sent: tuple[str, list[Sent]]
) -> None:
    if "pg15" not in postgres.url:
        pytest.skip("only Debian's server has the extension that counts statements")
    received = [Sent(" ".join(text.split()), ()) for text in debian_postgres.statements_received(postgres)]
    seen = {one.without_values for one in sent[1] if one.is_about_rows}
    about_rows = {one.without_values for one in received if one.is_about_rows}

    assert about_rows - seen == set()
    assert len(about_rows) > 50


def test_the_server_finds_each_row_by_an_index_that_begins_with_the_tenant(
    postgres: InstalledServer, sent: tuple[str, list[Sent]]
) -> None:
    tenant, statements = sent
    fill_other_tenants(postgres)
    distinct = {one.text: one for one in statements if one.is_about_rows}
    place = PostgresServer(postgres.url)
    wrong = {}
    try:
        for one in distinct.values():
            with place.transaction(Seat(tenant, "mia", "node")) as cursor:
                cursor.execute(f"EXPLAIN (FORMAT JSON) {one.text}", one.values)
                [plan] = (cursor.fetchone() or ([{}],))[0]
                found = [reason for scan in scans(plan["Plan"]) if (reason := why_unbounded(scan))]
                if found:
                    wrong[one.text] = found
    finally:
        place.close()

    assert wrong == {}
    assert len(distinct) > 50


def scans(plan: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The parts of a plan that read a table or an index."""
    if plan["Node Type"].endswith("Scan"):
        yield plan
    for part in plan.get("Plans", ()):
        yield from scans(part)


def why_unbounded(scan: Mapping[str, Any]) -> str | None:
    match scan["Node Type"]:
        case "Bitmap Heap Scan":  # reads what the index below it finds
            return None
        case "Index Scan" | "Index Only Scan" | "Bitmap Index Scan":
            return None if "(tenant = " in scan.get("Index Cond", "") else f"{scan['Index Name']} without a tenant"
    return f"{scan['Node Type']} on {scan.get('Relation Name')}"


def fill_other_tenants(postgres: InstalledServer) -> None:
    """So many rows of others in every table that reading all of them is never the cheapest way."""
    with psycopg.connect(postgres.owner_url) as connection, connection.cursor() as cursor:
        for number in range(TENANTS):
            seat = (TENANT, f"other{number}", PERSON, "mia", NODE, "mia@node")
            cursor.execute(
                "SELECT set_config(%s, %s, true), set_config(%s, %s, true), set_config(%s, %s, true)", seat
            )
            for statement in _FILLING:
                cursor.execute(statement, {"tenant": f"other{number}", "rows": ROWS})
        for name in GUARDED_TABLES:
            cursor.execute(f"ANALYZE memoro.{name}")


def _filling(table: Table) -> str:
    value = {"bigint": "n", "double precision": "n", "text": "n::text", "bytea": "n::text::bytea", "json": "n::text"}
    values = ", ".join(value[column.type] for column in table.columns)
    names = ", ".join(f'"{name}"' for name in table.names)
    return f"""INSERT INTO memoro.{table.on_server} (tenant, owner, revision, {names})
               SELECT %(tenant)s, '', n, {values} FROM generate_series(1, %(rows)s) n"""


_FILLING = (
    *map(_filling, TABLES),
    "INSERT INTO memoro.heads (tenant, part) VALUES (%(tenant)s, 'ledger'), (%(tenant)s, 'archive')",
    """INSERT INTO memoro.commits (tenant, part, revision, id, person, node)
       SELECT %(tenant)s, 'ledger', n, n::text, 'mia', 'node' FROM generate_series(1, %(rows)s) n""",
    """INSERT INTO memoro.identities (tenant, part, identity, revision)
       SELECT %(tenant)s, 'ledger', n::text, n FROM generate_series(1, %(rows)s) n""",
    """INSERT INTO memoro.numbers (tenant, owner, revision, part, kind, highest)
       SELECT %(tenant)s, '', n, 'ledger', n::text, n FROM generate_series(1, %(rows)s) n""",
    """INSERT INTO memoro.deleted (tenant, owner, revision, part, name, key)
       SELECT %(tenant)s, '', n, 'ledger', 'memories', n::text FROM generate_series(1, %(rows)s) n""",
    """INSERT INTO memoro.people (tenant, person) SELECT %(tenant)s, n::text FROM generate_series(1, %(rows)s) n""",
    """INSERT INTO memoro.dumps (tenant, place) SELECT %(tenant)s, n::text FROM generate_series(1, %(rows)s) n""",
)


def asked(postgres: InstalledServer, query: str) -> list[tuple[Any, ...]]:
    with psycopg.connect(postgres.owner_url) as connection:
        return connection.execute(query).fetchall()


def test_every_key_and_index_begins_with_the_tenant(postgres: InstalledServer) -> None:
    first_columns = asked(
        postgres,
        """SELECT c.relname, i.indexrelid::regclass::text, a.attname
           FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
           JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = i.indkey[0]
           WHERE c.relnamespace = 'memoro'::regnamespace AND c.relname <> 'format'""",
    )

    assert [row for row in first_columns if row[2] != "tenant"] == []
    assert {row[0] for row in first_columns} == set(GUARDED_TABLES)


def test_nothing_counts_or_refers_across_tenants(postgres: InstalledServer) -> None:
    schema = "'memoro'::regnamespace"
    sequences = asked(postgres, f"SELECT relname FROM pg_class WHERE relkind = 'S' AND relnamespace = {schema}")
    counted = asked(
        postgres,
        f"""SELECT c.relname, a.attname FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
            WHERE c.relnamespace = {schema} AND a.attidentity <> ''""",
    )
    foreign = asked(postgres, f"SELECT conname FROM pg_constraint WHERE contype = 'f' AND connamespace = {schema}")

    assert (sequences, counted, foreign) == ([], [], [])


def test_every_table_forces_row_level_security_on_its_tenant(postgres: InstalledServer) -> None:
    unguarded = asked(
        postgres,
        """SELECT relname FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace = 'memoro'::regnamespace
           AND relname <> 'format' AND NOT (relrowsecurity AND relforcerowsecurity)""",
    )
    conditions = asked(
        postgres,
        """SELECT tablename, qual, with_check FROM pg_policies
           WHERE schemaname = 'memoro' AND policyname = 'own_rows'""",
    )

    assert unguarded == []
    assert {row[0] for row in conditions} == set(GUARDED_TABLES)
    assert all("(tenant = current_setting(" in text for row in conditions for text in row[1:])


def test_a_writer_locks_rows_of_its_own_tenant_alone(postgres: InstalledServer, tmp_path: Path) -> None:
    first, second = (SharedLedger(postgres.url, postgres.new_tenant(), "mia") for _ in range(2))
    one = open_ledger(str(tmp_path / "one"), shared=first).ledger
    two = open_ledger(str(tmp_path / "two"), shared=second).ledger
    locks = """SELECT DISTINCT l.locktype, l.mode FROM pg_locks l JOIN pg_stat_activity a USING (pid)
               WHERE a.application_name = 'memoro' AND l.granted
               AND l.locktype NOT IN ('virtualxid', 'transactionid')"""
    with one.writing() as tx:
        tx.meta.put("held", "yes")
        held = asked(postgres, locks)
        with two.writing() as other:
            other.meta.put("written", "meanwhile")

    with two.reading() as tx:
        assert tx.meta.get("written") == "meanwhile"
    assert held
    assert {kind for kind, _ in held} == {"relation"}
    assert {mode for _, mode in held} <= {"AccessShareLock", "RowShareLock", "RowExclusiveLock"}
    one.close()
    two.close()
