"""Roles of the database server: which one may serve nodes, and how that one is made."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import psycopg
from psycopg import sql

from memoro.errors import LedgerServerRefused
from memoro.store.postgres import schema

if TYPE_CHECKING:
    from memoro.store.postgres.server import Cursor


class RoleRights(NamedTuple):
    """What a role may do, also by taking on another role that it is a member of."""

    name: str
    is_superuser: bool
    passes_guard: bool  # row-level security does not bind it
    makes_roles: bool  # on servers before 16, such a role can make itself a member of the owner
    owns_database: bool
    owns_tables: bool  # or the schema that they are in
    may_install: bool  # the tables are its own; or there are none, and it may make them

    def why_unfit(self) -> str | None:
        """Why nothing would keep people and tenants apart if nodes used this role; None: it is fit."""
        if self.is_superuser:
            return "is a superuser, or may become one"
        if self.passes_guard:
            return "passes by row-level security, or may become a role that does"
        if self.owns_tables:
            return "owns the tables, or may become their owner"
        if self.owns_database:
            return "owns the database, or may become its owner"
        return "may make roles, and so become the owner" if self.makes_roles else None


def rights_of(cursor: Cursor, role: str | None = None) -> RoleRights:
    """The rights of a role; without one, of the role that asks."""
    cursor.execute(
        """SELECT me.rolname, bool_or(r.rolsuper), bool_or(r.rolbypassrls), bool_or(r.rolcreaterole),
                  bool_or(r.oid = (SELECT datdba FROM pg_database WHERE datname = current_database())),
                  coalesce(bool_or(EXISTS (
                      SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
                      WHERE n.nspname = %(schema)s AND r.oid IN (c.relowner, n.nspowner))), false),
                  NOT EXISTS (SELECT FROM pg_tables WHERE schemaname = %(schema)s)
                      AND has_database_privilege(me.oid, current_database(), 'CREATE')
           FROM pg_roles me JOIN pg_roles r ON pg_has_role(me.oid, r.oid, 'MEMBER')
           WHERE me.rolname = coalesce(%(role)s, current_user) GROUP BY me.oid, me.rolname""",
        {"schema": schema.SCHEMA, "role": role},
    )
    found = cursor.fetchone()
    if found is None:
        raise LedgerServerRefused(f"There is no role {role} on this server.")
    name, is_superuser, passes, makes_roles, owns_database, owns, may_make = found
    return RoleRights(
        name=name,
        is_superuser=is_superuser,
        passes_guard=passes,
        makes_roles=makes_roles,
        owns_database=owns_database,
        owns_tables=owns,
        may_install=is_superuser or owns or may_make,
    )


def check_role(cursor: Cursor, server: str) -> None:
    """Refuse a role that row-level security does not bind."""
    rights = rights_of(cursor)
    if why := rights.why_unfit():
        raise LedgerServerRefused(
            f"The role {rights.name} of {server} {why}, so nothing would keep tenants apart. "
            f"Use a role that may only read and write rows: `memoro admin install` makes {schema.APPLICATION_ROLE}."
        )


def role_exists(cursor: Cursor, role: str) -> bool:
    cursor.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [role])
    return cursor.fetchone() is not None


def make_role(connection: psycopg.Connection[tuple[object, ...]], role: str, password: str | None) -> bool:
    """Make the role for nodes where it is missing; return whether it was. One that is there must be fit for nodes."""
    with connection.cursor() as cursor:
        if not role_exists(cursor, role):
            login = sql.SQL(" PASSWORD {}").format(sql.Literal(password)) if password else sql.SQL("")
            statement = sql.SQL("CREATE ROLE {} LOGIN NOSUPERUSER NOBYPASSRLS NOCREATEROLE NOCREATEDB{}")
            try:
                with connection.transaction():
                    cursor.execute(statement.format(sql.Identifier(role), login))
                return True
            except (psycopg.errors.DuplicateObject, psycopg.errors.UniqueViolation):
                pass  # an installation in another database of this server made it meanwhile
            except psycopg.errors.InsufficientPrivilege as error:
                raise LedgerServerRefused(
                    f"This role may not make the role {role} for nodes. Let an administrator of the server run "
                    f"`CREATE ROLE {role} LOGIN PASSWORD '…'`, and then run this command again. Nothing was changed."
                ) from error
        if why := rights_of(cursor, role).why_unfit():
            raise LedgerServerRefused(
                f"The role {role} {why}, so it cannot serve nodes. Name another with --role. Nothing was changed."
            )
    return False
