"""Opening a shared ledger: connections for each server in a process, and a copy for each seat in a home."""

from __future__ import annotations

import hashlib
import os
import re
import socket
import threading
from typing import TYPE_CHECKING

from memoro.store.postgres.ledger import Place, PostgresArchive, PostgresLedger
from memoro.store.postgres.server import PostgresServer, Seat
from memoro.store.sqlite.ledger.schema import ARCHIVE_FORMAT, FORMAT

if TYPE_CHECKING:
    from memoro.ledger.ports import NewestBackup
    from memoro.store.opening import SharedLedger
    from memoro.store.sqlite.engine import Engine

_opening = threading.Lock()
_servers: dict[tuple[str, str | None], PostgresServer] = {}


def open_shared(
    home: str, shared: SharedLedger, engine: Engine, newest_backup: NewestBackup
) -> tuple[PostgresLedger, PostgresArchive]:
    place = place_of(home, shared)
    ledger = PostgresLedger(place, engine, newest_backup)
    return ledger, PostgresArchive(place, engine, newest_backup, ledger.is_private_memory, ledger.has_history_of)


def place_of(home: str, shared: SharedLedger) -> Place:
    """Where a home keeps its copy. Its name holds the formats: a copy of an older one is made anew, not migrated."""
    seat = Seat(shared.tenant, shared.person, _node(home))
    name = hashlib.sha256("\n".join((shared.url, shared.tenant, shared.person)).encode()).hexdigest()[:12]
    folder = os.path.join(home, f"shared-{name}")
    return Place(
        server=server_at(shared),
        seat=seat,
        records=folder,
        folder=os.path.join(folder, f"copy-{FORMAT}-{ARCHIVE_FORMAT}"),
        patience=shared.patience,
        notify=shared.notify,
        visibility=shared.visibility,
    )


def server_at(shared: SharedLedger) -> PostgresServer:
    """The connections of this process to a server, for all its homes."""
    with _opening:
        return _servers.setdefault((shared.url, shared.password), PostgresServer(shared.url, shared.password))


def close_servers() -> None:
    """End all connections of this process."""
    with _opening:
        servers = list(_servers.values())
        _servers.clear()
    for server in servers:
        server.close()


def _node(home: str) -> str:
    """A name for this home on this machine, the same each time."""
    host = re.sub(r"[^a-z0-9-]", "-", socket.gethostname().lower())[:40]
    return f"{host}-{hashlib.sha256(os.path.realpath(home).encode()).hexdigest()[:6]}"
