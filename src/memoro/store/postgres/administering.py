"""Administration by the owner of the database: install, and manage tenants, people and tokens."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any, NamedTuple

import psycopg
from psycopg import sql

from memoro.errors import LedgerServerRefused, LedgerUnreachable, NotFound, Refused
from memoro.model.memories import stamp
from memoro.store.postgres import schema
from memoro.store.postgres.installing import Installed, add_tenant, install
from memoro.store.postgres.roles import RoleRights, rights_of, role_exists
from memoro.store.postgres.schema import SCHEMA
from memoro.store.postgres.server import Cursor, PostgresServer
from memoro.store.postgres.server_errors import OF_OWNER
from memoro.store.postgres.tokens import new_token


class Tenant(NamedTuple):
    name: str
    created_at: str
    people: int
    tokens: int  # that can be used


class Person(NamedTuple):
    name: str
    created_at: str
    removed_at: str | None
    tokens: int  # that can be used


class Token(NamedTuple):
    id: str
    person: str
    agent: str | None
    scopes: tuple[str, ...]
    created_at: str
    expires_at: str | None
    revoked_at: str | None


class TokenWish(NamedTuple):
    """The request for a new token."""

    tenant: str
    person: str
    agent: str | None
    scopes: tuple[str, ...]
    seconds: float | None  # until it expires; None: never


class IssuedToken(NamedTuple):
    token: str  # shown once: only its digest is kept
    id: str
    expires_at: str | None


class Administration:
    """The ledgers of one database, as its owner sees them. Each call is one transaction."""

    def __init__(self, url: str, password: str | None = None) -> None:
        self._server = PostgresServer(url, password, OF_OWNER)
        self.name = self._server.name

    def rights(self) -> RoleRights:
        with self._connected() as connection, connection.cursor() as cursor:
            return rights_of(cursor)

    def has_role(self, role: str) -> bool:
        with self._connected() as connection, connection.cursor() as cursor:
            return role_exists(cursor, role)

    def install(self, role: str, password: str | None) -> Installed:
        """Make or update the tables. A role that is made gets the password."""
        with self._connected() as connection, connection.cursor() as cursor:
            rights = rights_of(cursor)
            if not rights.may_install:
                raise LedgerServerRefused(
                    f"The role {rights.name} may not make tables in {self.name}. Use the role that owns the "
                    "database. Nothing was changed."
                )
            return install(connection, role, password)

    def add_tenant(self, tenant: str) -> bool:
        """Return whether it is new."""
        with self._acting_for(tenant) as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(hashtext('memoro tenant'), hashtext(%s))", [tenant])
            if _has_tenant(cursor, tenant):
                return False
            add_tenant(cursor, tenant)
            return True

    def tenants(self) -> list[Tenant]:
        query = f"""SELECT tenant, created_at,
            (SELECT count(*) FROM {SCHEMA}.people p WHERE p.tenant = t.tenant AND removed_at IS NULL),
            (SELECT count(*) FROM {SCHEMA}.tokens k WHERE k.tenant = t.tenant AND {_USABLE})
            FROM {SCHEMA}.tenants t ORDER BY tenant"""
        return [Tenant(*row) for row in self._rows(query)]

    def tenant_counts(self, tenant: str) -> Mapping[str, int]:
        """Return how many rows of each kind a tenant has, everybody's."""
        with self._acting_for(tenant) as cursor:
            _check_tenant(cursor, tenant)
            return {name: _count(cursor, name, tenant) for name in ("memories", "archive_memories", "experiences")}

    def remove_tenant(self, tenant: str) -> None:
        """Delete everything of a tenant, in one transaction."""
        with self._acting_for(tenant) as cursor:
            _check_tenant(cursor, tenant)
            for name in schema.GUARDED_TABLES:
                cursor.execute(
                    sql.SQL("DELETE FROM {}.{} WHERE tenant = %s").format(
                        sql.Identifier(SCHEMA), sql.Identifier(name)
                    ),
                    [tenant],
                )

    def add_person(self, tenant: str, person: str) -> bool:
        """Return whether they could not use the ledger before."""
        with self._acting_for(tenant) as cursor:
            _check_tenant(cursor, tenant)
            cursor.execute(
                f"""INSERT INTO {SCHEMA}.people AS p (tenant, person) VALUES (%s, %s)
                    ON CONFLICT (tenant, person) DO UPDATE SET removed_at = NULL WHERE p.removed_at IS NOT NULL""",
                [tenant, person],
            )
            return cursor.rowcount == 1

    def people(self, tenant: str) -> list[Person]:
        query = f"""SELECT person, created_at, removed_at,
            (SELECT count(*) FROM {SCHEMA}.tokens k
             WHERE k.tenant = p.tenant AND k.person = p.person AND p.removed_at IS NULL AND {_USABLE})
            FROM {SCHEMA}.people p WHERE tenant = %s ORDER BY person"""
        return [Person(*row) for row in self._rows(query, tenant)]

    def remove_person(self, tenant: str, person: str) -> int:
        """Revoke their tokens and let no new one be made; return how many could be used."""
        with self._acting_for(tenant) as cursor:
            _check_person(cursor, tenant, person)
            cursor.execute(
                f"UPDATE {SCHEMA}.people SET removed_at = now() WHERE tenant = %s AND person = %s", [tenant, person]
            )
            cursor.execute(
                f"UPDATE {SCHEMA}.tokens SET revoked_at = now() WHERE tenant = %s AND person = %s AND {_USABLE}",
                [tenant, person],
            )
            return cursor.rowcount

    def add_token(self, wish: TokenWish) -> IssuedToken:
        made = new_token(wish.tenant)
        with self._acting_for(wish.tenant) as cursor:
            _check_person(cursor, wish.tenant, wish.person)
            cursor.execute(
                f"""INSERT INTO {SCHEMA}.tokens (tenant, id, digest, person, agent, scopes, expires_at)
                    VALUES (%s, %s, %s, %s, %s, %s, now() + make_interval(secs => %s)) RETURNING expires_at""",
                [wish.tenant, made.id, made.digest, wish.person, wish.agent, list(wish.scopes), wish.seconds],
            )
            expires_at = (cursor.fetchone() or (None,))[0]
        return IssuedToken(made.token, made.id, _stamped(expires_at))

    def tokens(self, tenant: str) -> list[Token]:
        query = f"""SELECT id, person, agent, scopes, created_at, expires_at, revoked_at
            FROM {SCHEMA}.tokens WHERE tenant = %s ORDER BY created_at, id"""
        rows = self._rows(query, tenant)
        return [Token(*row)._replace(scopes=tuple(row[3])) for row in rows]

    def revoke_token(self, tenant: str, id: str) -> bool:
        """Return whether it could be used until now."""
        with self._acting_for(tenant) as cursor:
            cursor.execute(f"SELECT 1 FROM {SCHEMA}.tokens WHERE tenant = %s AND id = %s", [tenant, id])
            if cursor.fetchone() is None:
                raise NotFound(f"The tenant {tenant!r} has no token {id!r}. `memoro admin token list` shows them.")
            cursor.execute(
                f"UPDATE {SCHEMA}.tokens SET revoked_at = now() WHERE tenant = %s AND id = %s AND revoked_at IS NULL",
                [tenant, id],
            )
            return cursor.rowcount == 1

    def _rows(self, query: str, tenant: str | None = None) -> Sequence[tuple[Any, ...]]:
        with self._acting_for(tenant or "") as cursor:
            if tenant is not None:
                _check_tenant(cursor, tenant)
            cursor.execute(query, [tenant] if tenant is not None else None)
            return [tuple(map(_stamped, row)) for row in cursor.fetchall()]

    @contextmanager
    def _acting_for(self, tenant: str) -> Iterator[Cursor]:
        """One transaction of the owner, which sees this tenant's rows."""
        with self._connected() as connection, connection.transaction(), connection.cursor() as cursor:
            self._check_owner(cursor)
            cursor.execute("SELECT set_config(%s, %s, true)", [schema.TENANT, tenant])
            yield cursor

    def _check_owner(self, cursor: Cursor) -> None:
        cursor.execute("SELECT 1 FROM pg_tables WHERE schemaname = %s AND tablename = 'format'", [SCHEMA])
        if cursor.fetchone() is None:
            raise LedgerServerRefused(
                f"The database {self.name} has no ledger yet. `memoro admin install URL` makes one."
            )
        rights = rights_of(cursor)
        if not (rights.is_superuser or rights.owns_tables):
            raise LedgerServerRefused(
                f"The role {rights.name} does not own the ledgers in {self.name}. Use the role that ran "
                "`memoro admin install`."
            )

    @contextmanager
    def _connected(self) -> Iterator[psycopg.Connection[Any]]:
        connection = self._server.new_connection()
        try:
            with connection:
                yield connection
        except psycopg.errors.InsufficientPrivilege as error:
            raise LedgerServerRefused(
                f"The server {self.name} refuses this to its role: {_reason(error)}."
            ) from error
        except psycopg.OperationalError as error:
            raise LedgerUnreachable(self.name, _reason(error)) from error


_USABLE = "revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())"


def _reason(error: BaseException) -> str:
    return (str(error).strip().splitlines() or ["no reason given"])[0].rstrip(".")


def _stamped(value: Any) -> Any:
    return stamp(value) if isinstance(value, datetime) else value


def _has_tenant(cursor: Cursor, tenant: str) -> bool:
    cursor.execute(f"SELECT 1 FROM {SCHEMA}.tenants WHERE tenant = %s", [tenant])
    return cursor.fetchone() is not None


def _check_tenant(cursor: Cursor, tenant: str) -> None:
    if not _has_tenant(cursor, tenant):
        raise NotFound(f"There is no tenant {tenant!r}. `memoro admin tenant list` shows them.")


def _check_person(cursor: Cursor, tenant: str, person: str) -> None:
    """Raise where the tenant does not have this person. Holds them as they are until the transaction ends."""
    _check_tenant(cursor, tenant)
    cursor.execute(
        f"SELECT removed_at IS NULL FROM {SCHEMA}.people WHERE tenant = %s AND person = %s FOR UPDATE",
        [tenant, person],
    )
    found = cursor.fetchone()
    if found is None:
        raise NotFound(
            f"The tenant {tenant!r} has no {person!r}. `memoro admin person add {tenant} {person}` adds them."
        )
    if not found[0]:
        raise Refused(f"{person!r} was removed. `memoro admin person add {tenant} {person}` adds them again.")


def _count(cursor: Cursor, name: str, tenant: str) -> int:
    cursor.execute(
        sql.SQL("SELECT count(*) FROM {}.{} WHERE tenant = %s").format(sql.Identifier(SCHEMA), sql.Identifier(name)),
        [tenant],
    )
    return int((cursor.fetchone() or (0,))[0])
