"""Many tenants on one node: what each costs while it is open, while it is idle, and on disk."""

from __future__ import annotations

import gc
import os
import resource
import statistics
import threading
from pathlib import Path
from typing import NamedTuple

import psycopg
from tests.postgres import InstalledServer

from benchmarks import measure, shared_homes
from memoro.workspace import Workspace

_MEMORIES = 50  # of each tenant


class _Use(NamedTuple):
    """What the process holds at one moment."""

    resident: float  # MB
    descriptors: int
    threads: int
    connections: int


def run(folder: Path, server: InstalledServer, count: int) -> None:
    _allow_open_files()
    tenants = [server.new_tenant() for _ in range(count)]
    texts = list(shared_homes.texts(_MEMORIES))
    source = server.new_tenant()
    with shared_homes.open_shared(folder / "writer", server, source) as m:
        shared_homes.fill(m, texts)
    shared_homes.copy_rows(server, source, tenants)
    rows = [_row("before", "", _use(server))]
    homes: list[Workspace] = []
    costs = [measure.call(lambda: homes.append(_opened(folder, server, one))) for one in tenants]  # noqa: B023
    rows.append(_row("all open, each was asked once", _median(costs), _use(server)))
    costs = [measure.call(lambda: m.memories.query("another question of six words")) for m in homes]  # noqa: B023
    rows.append(_row("each asked again", _median(costs), _use(server)))
    costs = [measure.call(m.close) for m in homes]
    homes.clear()
    gc.collect()
    rows.append(_row("all closed", _median(costs), _use(server)))
    costs = []
    for tenant in tenants:
        costs.append(measure.call(lambda: _opened(folder, server, tenant).close()))  # noqa: B023
    rows.append(_row("each opened, asked and closed again", _median(costs), _use(server)))
    measure.table(
        [
            f"{count:,} tenants of {_MEMORIES} memories",
            "median ms each (of CPU)",
            "MB",
            "open files",
            "threads",
            "connections",
        ],
        rows,
    )
    sizes = [shared_homes.bytes_in(folder / "node" / tenant) for tenant in tenants[:100]]
    print(f"\nOn disk: {statistics.median(sizes) / 1000:,.0f} KB a tenant.", flush=True)


def _opened(folder: Path, server: InstalledServer, tenant: str) -> Workspace:
    m = shared_homes.open_shared(folder / "node" / tenant, server, tenant)
    m.memories.query("a question of six words here")
    return m


def _allow_open_files() -> None:
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def _median(costs: list[measure.Cost]) -> str:
    wall, cpu = (statistics.median(found) for found in zip(*costs, strict=True))
    return f"{wall:,.1f} ({cpu:,.1f})"


def _row(when: str, each: str, use: _Use) -> list[object]:
    return [when, each, use.resident, use.descriptors, use.threads, use.connections]


def _use(server: InstalledServer) -> _Use:
    with psycopg.connect(server.owner_url) as connection:
        query = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'memoro'"
        row = connection.execute(query).fetchone()
    return _Use(
        resident=shared_homes.resident_bytes() / 1e6,
        descriptors=len(os.listdir("/proc/self/fd")),
        threads=threading.active_count(),
        connections=int(row[0]) if row else 0,
    )
