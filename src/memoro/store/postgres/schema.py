"""The statements that make the tables of a shared ledger, guard their rows, and bring older ones up to date.

Every key and every index begins with the tenant, and no statement, sequence or lock spans two tenants: the same
schema can be distributed by that column. Numbers come from `numbers`, a row that a writer holds while it writes.
"""

from __future__ import annotations

from collections.abc import Iterator

from memoro.store.postgres.tables import TABLES, Table

SCHEMA = "memoro"
# Raised whenever the tables change; MIGRATIONS then says how to come from the format before.
FORMAT = 1
# The oldest program that can still write beside this format, raised only by a change that such a program would spoil.
OLDEST_NODE = 1
APPLICATION_ROLE = "memoro_app"

# Set for each transaction. Unset, no row is seen and none can be written.
TENANT, PERSON, NODE = "memoro.tenant", "memoro.person", "memoro.node"

_TENANT_MATCHES = f"tenant = current_setting('{TENANT}', true)"
_OWNER_MATCHES = f"owner IN ('', current_setting('{PERSON}', true), current_setting('{NODE}', true))"
_ALL_OR_SET = f"coalesce(current_setting('{TENANT}', true), '') IN ('', tenant)"

# Rows of a tenant beside those of its ledger. `heads` has one row for each part, which every writer locks first. It
# repeats the id of its last commit, so that a node learns from one row of one table whether anything has changed.
_COMMON = {
    "heads": (
        """part text NOT NULL,
           revision bigint NOT NULL DEFAULT 0,
           commit_id text NOT NULL DEFAULT '',
           trimmed bigint NOT NULL DEFAULT 0,
           PRIMARY KEY (tenant, part)""",
        _TENANT_MATCHES,
    ),
    # Which commit a node made, so that one whose answer was lost is not made twice; and who changed what.
    "commits": (
        """part text NOT NULL,
           revision bigint NOT NULL,
           id text NOT NULL,
           person text NOT NULL,
           node text NOT NULL,
           at timestamptz NOT NULL DEFAULT now(),
           PRIMARY KEY (tenant, part, revision)""",
        _TENANT_MATCHES,
    ),
    # The identities that a ledger had: a restore gives it another one, and nodes recognise it by any of them.
    "identities": (
        """part text NOT NULL,
           identity text NOT NULL,
           revision bigint NOT NULL,
           PRIMARY KEY (tenant, part, identity)""",
        _TENANT_MATCHES,
    ),
    "numbers": (
        """owner text NOT NULL,
           revision bigint NOT NULL,
           part text NOT NULL,
           kind text NOT NULL,
           highest bigint NOT NULL,
           PRIMARY KEY (tenant, part, owner, kind)""",
        f"{_TENANT_MATCHES} AND {_OWNER_MATCHES}",
    ),
    # Rows that were deleted, for nodes that still have them.
    "deleted": (
        """owner text NOT NULL,
           revision bigint NOT NULL,
           part text NOT NULL,
           name text NOT NULL,
           key text NOT NULL,
           PRIMARY KEY (tenant, part, revision, name, owner, key)""",
        f"{_TENANT_MATCHES} AND {_OWNER_MATCHES}",
    ),
}

# Who may use the ledger. Whoever installed it administers these; a node only reads the rows of one tenant.
_ADMINISTERED = {
    "tenants": "created_at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (tenant)",
    "people": """person text NOT NULL,
           created_at timestamptz NOT NULL DEFAULT now(),
           removed_at timestamptz,
           PRIMARY KEY (tenant, person)""",
    "tokens": """id text NOT NULL,
           digest bytea NOT NULL,
           person text NOT NULL,
           agent text,
           scopes text[] NOT NULL,
           created_at timestamptz NOT NULL DEFAULT now(),
           expires_at timestamptz,
           revoked_at timestamptz,
           PRIMARY KEY (tenant, id)""",
    # Dumps that were made of a tenant's rows: they hold what is forgotten later.
    "dumps": """place text NOT NULL,
           made_at timestamptz NOT NULL DEFAULT now(),
           PRIMARY KEY (tenant, place)""",
}


def create_statements() -> Iterator[str]:
    """Make everything in an empty schema."""
    yield f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}"
    yield f"""CREATE TABLE {SCHEMA}.format (
        only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row), format int NOT NULL, oldest_node int NOT NULL)"""
    for name, (columns, condition) in _COMMON.items():
        yield f"CREATE TABLE {SCHEMA}.{name} (tenant text NOT NULL, {columns})"
        yield from _guard(name, condition)
        yield _let_owner_dump(name)
    yield f"CREATE INDEX numbers_by_revision ON {SCHEMA}.numbers (tenant, part, revision)"
    for name, columns in _ADMINISTERED.items():
        yield f"CREATE TABLE {SCHEMA}.{name} (tenant text NOT NULL, {columns})"
        yield from _guard(name, _TENANT_MATCHES)
        yield f"CREATE POLICY administer ON {SCHEMA}.{name} TO CURRENT_USER USING ({_ALL_OR_SET}) WITH CHECK (true)"
    for table in TABLES:
        yield from _ledger_table(table)
        yield _let_owner_dump(table.on_server)
    yield f"INSERT INTO {SCHEMA}.format (format, oldest_node) VALUES ({FORMAT}, {OLDEST_NODE})"


def _ledger_table(table: Table) -> Iterator[str]:
    columns = ", ".join(column.on_server for column in table.columns)
    key = ", ".join(f'"{name}"' for name in table.server_key)
    yield f"""CREATE TABLE {SCHEMA}.{table.on_server} (
        tenant text NOT NULL, owner text NOT NULL, revision bigint NOT NULL, {columns}, PRIMARY KEY ({key}))"""
    yield f"CREATE INDEX {table.on_server}_by_revision ON {SCHEMA}.{table.on_server} (tenant, revision)"
    # The server would keep samples of the texts for its plans, also of those that are forgotten.
    texts = [one for one in table.columns if one.type in ("text", "json", "bytea") and one.name not in table.key]
    if texts:
        silent = ", ".join(f'ALTER COLUMN "{one.name}" SET STATISTICS 0' for one in texts)
        yield f"ALTER TABLE {SCHEMA}.{table.on_server} {silent}"
    yield from _guard(table.on_server, f"{_TENANT_MATCHES} AND {_OWNER_MATCHES}")


def _guard(name: str, condition: str) -> Iterator[str]:
    """Nobody sees or writes a row of another tenant or person, not even the role that owns the table."""
    yield f"ALTER TABLE {SCHEMA}.{name} ENABLE ROW LEVEL SECURITY"
    yield f"ALTER TABLE {SCHEMA}.{name} FORCE ROW LEVEL SECURITY"
    yield f"CREATE POLICY own_rows ON {SCHEMA}.{name} USING ({condition}) WITH CHECK ({condition})"
    if _OWNER_MATCHES in condition:
        # The role that installs removes whole tenants. It must say which one, and then sees everybody's rows of it.
        yield f"CREATE POLICY administer ON {SCHEMA}.{name} TO CURRENT_USER USING ({_TENANT_MATCHES})"


def _let_owner_dump(name: str) -> str:
    """Whoever installs the tables reads all rows of a tenant that is set, to dump them; a node's role does not."""
    return f"CREATE POLICY dump_tenant ON {SCHEMA}.{name} FOR SELECT TO CURRENT_USER USING ({_TENANT_MATCHES})"


def grant_statements(role: str) -> Iterator[str]:
    """Give a role what a node needs, and nothing else. `role` is quoted already."""
    yield f"GRANT USAGE ON SCHEMA {SCHEMA} TO {role}"
    yield f"GRANT SELECT ON {SCHEMA}.format TO {role}"
    for name in _ADMINISTERED:
        yield f"GRANT SELECT ON {SCHEMA}.{name} TO {role}"
    for name in (*_COMMON, *(table.on_server for table in TABLES)):
        yield f"GRANT SELECT, INSERT, UPDATE, DELETE ON {SCHEMA}.{name} TO {role}"
        maintain = f"GRANT MAINTAIN ON {SCHEMA}.{name} TO {role}".replace("'", "''")
        # So that a node can rewrite a table from which something was forgotten. Older servers know no such right.
        yield f"""DO $$ BEGIN IF current_setting('server_version_num')::int >= 170000
                  THEN EXECUTE '{maintain}'; END IF; END $$"""


# Format to come from -> statements, run in one transaction that also writes the new number.
MIGRATIONS: dict[int, tuple[str, ...]] = {}
ADMINISTERED_TABLES = (*_ADMINISTERED,)
GUARDED_TABLES = (*_COMMON, *_ADMINISTERED, *(table.on_server for table in TABLES))
