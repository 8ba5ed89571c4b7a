"""Homes on a shared ledger and on a ledger of their own, with the same memories."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psycopg
from tests.postgres import InstalledServer

import memoro
from benchmarks import corpus
from memoro import config
from memoro.model.memories import Memory, stamp
from memoro.store.postgres.tables import TABLES
from memoro.workspace import Workspace

_BATCH = 2000


def open_shared(folder: Path, server: InstalledServer, tenant: str) -> Workspace:
    """A node of a tenant: a home in this folder whose ledger the server keeps."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    settings = f"[ledger]\nurl = {json.dumps(server.url)}\ntenant = {json.dumps(tenant)}\nperson = 'mia'\n"
    (folder / config.FILE_NAME).write_text(settings, encoding="utf-8")
    return memoro.open(folder)


def open_local(folder: Path) -> Workspace:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return memoro.open(folder)


def texts(count: int, seed: int = 7) -> Iterator[str]:
    """Memories of one to three sentences."""
    language, rng = corpus.Language(seed), random.Random(seed)
    for number in range(count):
        yield f"{number} {language.paragraph(rng.randint(1, 3))}"


def fill(m: Workspace, wanted: list[str]) -> None:
    access, now = m.ledger.access, stamp(datetime.now(UTC))
    for start in range(0, len(wanted), _BATCH):
        with access.ledger.writing() as tx:
            for text in wanted[start : start + _BATCH]:
                tx.memories.insert(Memory(0, text, "agent", "agent_inferred", now), access.digest(tx, text))


def copy_rows(server: InstalledServer, source: str, tenants: list[str]) -> None:
    """Give empty tenants the memories of another one. For a superuser alone: nobody else sees two tenants."""
    with superuser(server) as connection:
        names = ", ".join(f'"{name}"' for table in TABLES if table.on_server == "memories" for name in table.names)
        connection.execute(
            f"""INSERT INTO memoro.memories (tenant, owner, revision, {names})
                SELECT t, owner, 2, {names} FROM memoro.memories, unnest(%s::text[]) t WHERE tenant = %s""",
            [tenants, source],
        )
        connection.execute(
            """INSERT INTO memoro.numbers (tenant, owner, revision, part, kind, highest)
               SELECT t, owner, 2, part, kind, highest FROM memoro.numbers, unnest(%s::text[]) t WHERE tenant = %s""",
            [tenants, source],
        )
        query = "UPDATE memoro.heads SET revision = 2, commit_id = '' WHERE part = 'ledger' AND tenant = ANY(%s)"
        connection.execute(query, [tenants])


@contextmanager
def superuser(server: InstalledServer) -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(server.owner_url.replace("memoro_owner@", "postgres@"), autocommit=True) as connection:
        yield connection


@contextmanager
def durable(server: InstalledServer) -> Iterator[None]:
    """The server waits for its disk, which the server of the tests does not."""
    with superuser(server) as connection:
        for value in ("on", "off"):
            connection.execute(f"ALTER SYSTEM SET fsync = {value}")
            connection.execute("SELECT pg_reload_conf()")
            if value == "on":
                yield


def questions(wanted: list[str], count: int) -> list[str]:
    """Six words that follow each other in some memory."""
    rng = random.Random(11)
    found: list[str] = []
    while len(found) < count:
        words = rng.choice(wanted).lower().replace(".", "").split()[1:]
        if len(words) >= 6:
            at = rng.randrange(len(words) - 5)
            found.append(" ".join(words[at : at + 6]))
    return found


def bytes_in(folder: Path) -> int:
    return sum(file.lstat().st_size for file in folder.rglob("*") if file.is_file())


@contextmanager
def closing(*workspaces: Workspace) -> Iterator[None]:
    try:
        yield
    finally:
        for workspace in workspaces:
            workspace.close()


def resident_bytes() -> int:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")
