"""Dumps of shared ledgers for the owner of the server: made by pg_dump, with a manifest of the same moment."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, NamedTuple

import psycopg

from memoro.errors import LedgerServerRefused, NotFound, StoreUnavailable
from memoro.store.files import sync_folder
from memoro.store.postgres import schema
from memoro.store.postgres.programs import find_program, run
from memoro.store.postgres.schema import SCHEMA
from memoro.store.postgres.server import Cursor, owner_connection

_MANIFEST = ".manifest.json"
_TABLES = (*schema.GUARDED_TABLES,)
# Rows as text depend on these; with them they are the same on every server.
_AS_TEXT = """SET LOCAL timezone = 'UTC'; SET LOCAL bytea_output = 'hex';
              SET LOCAL extra_float_digits = 1; SET LOCAL datestyle = 'ISO, YMD'"""

Contents = Mapping[str, Mapping[str, tuple[int, str]]]  # table -> tenant -> (rows, digest of them all)


class Dump(NamedTuple):
    """A dump and what its manifest says."""

    file: str
    made_at: str
    server: int  # its major version
    tenant: str | None  # the only one that it holds; None: all
    roles: tuple[str, ...]  # that its policies name
    sha256: str  # of the file
    contents: Contents

    @property
    def tenants(self) -> tuple[str, ...]:
        return tuple(sorted(self.contents["tenants"]))

    @property
    def rows(self) -> int:
        return sum(rows for tenants in self.contents.values() for rows, _ in tenants.values())


class DumpRequest(NamedTuple):
    url: str  # of the owner or a superuser
    file: str
    tenant: str | None = None
    programs: str | None = None  # the folder of pg_dump


def dump(request: DumpRequest) -> Dump:
    """Write a dump and its manifest. The file appears when it is whole."""
    if os.path.lexists(request.file):
        raise StoreUnavailable(f"{request.file} is there already. Name another file.")
    with owner_connection(request.url) as connection:
        with connection.transaction(), connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            made = _dump_at_one_moment(cursor, request, connection.info.server_version // 10_000)
        _note(connection, made)
    return made


def _dump_at_one_moment(cursor: Cursor, request: DumpRequest, version: int) -> Dump:
    program = find_program("pg_dump", version, request.programs)
    role = _role_that_sees(cursor, request.tenant)
    cursor.execute("SELECT pg_export_snapshot(), now()::text")
    snapshot, made_at = cursor.fetchone() or ("", "")
    unfinished = f"{request.file}.{os.getpid()}.part"
    arguments = [
        "--format=custom",
        f"--schema={SCHEMA}",
        f"--snapshot={snapshot}",
        f"--file={unfinished}",
        "--no-password",
    ]
    if request.tenant is not None:
        arguments += ["--enable-row-security", f"--role={role}"]
    options = f"-c {schema.TENANT}={_escaped(request.tenant)}" if request.tenant is not None else ""
    try:
        os.close(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
        run(program.file, arguments, request.url, options)
        made = Dump(
            file=request.file,
            made_at=str(made_at),
            server=version,
            tenant=request.tenant,
            roles=_roles(cursor),
            sha256=sha256_of(unfinished),
            contents=contents(cursor),
        )
        if request.tenant is not None and request.tenant not in made.tenants:
            raise NotFound(f"There is no tenant {request.tenant!r} on this server.")
        _put_in_place(made, unfinished)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(unfinished)
    return made


def _role_that_sees(cursor: Cursor, tenant: str | None) -> str:
    """The role that reads the rows; the transaction acts as it. Raises where row-level security would hide some."""
    cursor.execute(f"SELECT tableowner FROM pg_tables WHERE schemaname = '{SCHEMA}' AND tablename = 'heads'")
    owner = str((cursor.fetchone() or ("",))[0])
    cursor.execute(
        "SELECT rolsuper OR rolbypassrls, pg_has_role(%s, 'MEMBER') FROM pg_roles WHERE rolname = current_user",
        [owner],
    )
    sees_all, is_owner = cursor.fetchone() or (False, False)
    if tenant is not None and is_owner:  # a superuser would dump all tenants
        cursor.execute(
            "SELECT set_config('role', %s, true), set_config(%s, %s, true)", [owner, schema.TENANT, tenant]
        )
    elif tenant is not None or not sees_all:
        raise LedgerServerRefused(
            "This role does not see the rows of all tenants. Name a superuser, or a role with BYPASSRLS, in the URL; "
            "or dump one tenant as the owner of the tables: --tenant NAME."
        )
    return owner


def _escaped(text: str) -> str:
    """A value as PGOPTIONS has it."""
    return "".join(f"\\{c}" if c in "\\ " else c for c in text)


def _roles(cursor: Cursor) -> tuple[str, ...]:
    cursor.execute(f"SELECT DISTINCT unnest(roles)::text FROM pg_policies WHERE schemaname = '{SCHEMA}'")
    return tuple(sorted(str(role) for (role,) in cursor.fetchall() if role != "public"))


def contents(cursor: Cursor) -> Contents:
    """Count and digest the rows of each table and tenant that the role sees, within the caller's transaction."""
    cursor.execute(_AS_TEXT)
    found: dict[str, dict[str, tuple[int, str]]] = {}
    for table in _TABLES:
        if table == "dumps":  # says what is known of dumps, and is not restored for its own sake
            continue
        digest = "sha256(convert_to(r::text, 'UTF8'))"
        cursor.execute(
            f"""SELECT r.tenant, count(*), encode(sha256(string_agg({digest}, ''::bytea ORDER BY {digest})), 'hex')
                  FROM {SCHEMA}.{table} r GROUP BY r.tenant"""
        )
        found[table] = {str(tenant): (int(rows), str(digest)) for tenant, rows, digest in cursor.fetchall()}
    return found


def sha256_of(file: str) -> str:
    with open(file, "rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def _put_in_place(made: Dump, unfinished: str) -> None:
    """The manifest first: a dump without one would look whole."""
    manifest = made.file + _MANIFEST
    descriptor = os.open(manifest, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as opened:
        json.dump({**made._asdict(), "file": os.path.basename(made.file)}, opened, indent=1)
        opened.flush()
        os.fsync(opened.fileno())
    with open(unfinished, "rb") as dumped:
        os.fsync(dumped.fileno())
    os.replace(unfinished, made.file)
    sync_folder(os.path.dirname(os.path.abspath(made.file)))


def read_manifest(file: str) -> Dump:
    try:
        with open(file + _MANIFEST, encoding="utf-8") as opened:
            found: dict[str, Any] = json.load(opened)
        read = {
            table: {tenant: (int(rows), str(digest)) for tenant, (rows, digest) in tenants.items()}
            for table, tenants in found["contents"].items()
        }
        return Dump(**{**found, "file": file, "roles": tuple(found["roles"]), "contents": read})
    except FileNotFoundError as error:
        raise NotFound(f"{file} has no manifest beside it ({file}{_MANIFEST}), so it cannot be checked.") from error
    except (ValueError, KeyError, TypeError) as error:
        raise StoreUnavailable(
            f"The manifest {file}{_MANIFEST} cannot be read, so the dump cannot be checked."
        ) from error


def _note(connection: psycopg.Connection[Any], made: Dump) -> None:
    """Let `memoro forget` name the dump: it holds what is forgotten later."""
    place = f"{os.uname().nodename}:{os.path.abspath(made.file)}"
    with connection.transaction(), connection.cursor() as cursor:
        for tenant in made.tenants:
            cursor.execute(
                f"""INSERT INTO {SCHEMA}.dumps (tenant, place) VALUES (%s, %s)
                    ON CONFLICT (tenant, place) DO UPDATE SET made_at = now()""",
                [tenant, place],
            )
