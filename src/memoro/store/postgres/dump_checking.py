"""Checks a dump by restoring it, into a database that is deleted afterwards, and comparing it with its manifest."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from memoro.errors import StoreUnavailable
from memoro.store.postgres.dumping import Contents, Dump, contents, read_manifest, sha256_of
from memoro.store.postgres.programs import find_program, run
from memoro.store.postgres.schema import SCHEMA


class CheckedDump(NamedTuple):
    dump: Dump
    restored_into: str  # empty: it was not worth restoring
    problems: tuple[str, ...]


class _Scratch(NamedTuple):
    url: str
    name: str  # for people


def check_dump(file: str, url: str | None, programs: str | None) -> CheckedDump:
    """Restore a dump and compare it. `url` names a server whose role may make databases; else one is started here."""
    dump = read_manifest(file)
    if not os.path.exists(file):
        return CheckedDump(dump, "", (f"{file} is missing",))
    if sha256_of(file) != dump.sha256:
        return CheckedDump(dump, "", ("its bytes are not those that were written",))
    program = find_program("pg_restore", dump.server, programs)
    with _scratch(dump, url, programs) as scratch:
        try:
            run(
                program.file, ["--no-owner", "--no-privileges", "--exit-on-error", "--no-password", file], scratch.url
            )
        except StoreUnavailable as error:
            return CheckedDump(dump, scratch.name, (str(error),))
        return CheckedDump(dump, scratch.name, tuple(_differences(dump.contents, _restored(scratch.url))))


def _differences(wanted: Contents, found: Contents) -> Iterator[str]:
    for table, tenants in wanted.items():
        for tenant in sorted({*tenants, *found[table]}):
            expected, there = tenants.get(tenant, (0, "")), found[table].get(tenant, (0, ""))
            if expected != there:
                yield f"{table} of the tenant {tenant!r}: {there[0]} rows, and the manifest tells of {expected[0]}"


def _restored(url: str) -> Contents:
    with psycopg.connect(url) as connection, connection.cursor() as cursor:
        cursor.execute(f"SELECT tablename FROM pg_tables WHERE schemaname = '{SCHEMA}'")
        for (table,) in cursor.fetchall():  # it belongs to this role, which is to see every row
            cursor.execute(
                sql.SQL("ALTER TABLE {} NO FORCE ROW LEVEL SECURITY").format(sql.Identifier(SCHEMA, table))
            )
        return contents(cursor)


@contextmanager
def _scratch(dump: Dump, url: str | None, programs: str | None) -> Iterator[_Scratch]:
    """A database for this check alone."""
    if url is not None and _may_make_databases(url):
        with _scratch_database(url) as made:
            yield made
        return
    with _scratch_server(dump, programs) as made:
        yield made


def _may_make_databases(url: str) -> bool:
    with psycopg.connect(url) as connection:
        found = connection.execute(
            "SELECT rolcreatedb OR rolsuper FROM pg_roles WHERE rolname = current_user"
        ).fetchone()
    return bool(found and found[0])


@contextmanager
def _scratch_database(url: str) -> Iterator[_Scratch]:
    name = f"memoro_check_{os.urandom(6).hex()}"
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        try:
            yield _Scratch(
                make_conninfo("", **{**conninfo_to_dict(url), "dbname": name}), "a new database on the server"
            )
        finally:
            connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


@contextmanager
def _scratch_server(dump: Dump, programs: str | None) -> Iterator[_Scratch]:
    """Start a server in a folder of its own, which no network reaches."""
    if os.geteuid() == 0:
        raise StoreUnavailable(
            "The role may not make a database to restore into, and Postgres does not start a server for root. "
            "Name a role with CREATEDB in the URL, or run this as another user."
        )
    initdb, control = (find_program(name, dump.server, programs).file for name in ("initdb", "pg_ctl"))
    folder = tempfile.mkdtemp(prefix="memoro-check-")
    data = os.path.join(folder, "data")
    try:
        run(initdb, ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync"])
        options = f"-k {folder} -h '' -F"
        run(control, ["-D", data, "-l", os.path.join(folder, "log"), "-w", "-o", options, "start"])
        try:
            url = make_conninfo("", host=folder, user="postgres", dbname="postgres")
            with psycopg.connect(url, autocommit=True) as connection:
                for role in dump.roles:
                    connection.execute(sql.SQL("CREATE ROLE {}").format(sql.Identifier(role)))
            yield _Scratch(url, "a server that was started for this")
        finally:
            run(control, ["-D", data, "-m", "immediate", "stop"])
    finally:
        shutil.rmtree(folder, ignore_errors=True)
