"""A simulation of 10,000 tenants over 3 and over 30 nodes: placement, copies, rebuilds, writes and cost.

Nothing is measured here: the costs of one node in `MEASURED` come from `python -m benchmarks shared`.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import NamedTuple

from benchmarks import measure, tenant_placement, tenant_rebuilds
from benchmarks.tenant_placement import Placement, Tenant

TENANTS = 10_000
LARGEST, SMALLEST = 100_000, 20  # memories
SEED = 5


class Node(NamedTuple):
    """What one node costs and can do."""

    cores: int = 4
    open_seats: int = 1000  # kept open; the one unused for longest is closed
    copy_bytes: int = 430_000  # on disk, for each tenant
    memory_bytes: int = 2_060  # on disk, for each memory: its row, its words, its vector
    open_bytes: int = 1_200_000  # of memory, for each open tenant
    vector_bytes: int = 290  # of memory, for each memory of an open tenant
    request_seconds: float = 0.008  # of CPU
    open_seconds: float = 0.009  # of CPU: a copy that is on disk, with its first question
    build_seconds: float = 0.02  # of CPU: a copy of nothing
    build_seconds_each: float = 0.00017  # of CPU, for each memory: its row, its words


MEASURED = Node()


class Cluster(NamedTuple):
    nodes: int
    requests: float  # a second, of all tenants
    write_share: float = 0.05


CLUSTERS = (Cluster(3, 300), Cluster(30, 3000))


def run() -> None:
    tenants = zipf_tenants(TENANTS)
    total = sum(one.memories for one in tenants)
    print(
        f"{TENANTS:,} tenants with {total:,} memories; the largest has {LARGEST:,}, the median {SMALLEST}. "
        f"Requests go to tenants by the same law. A node has {MEASURED.cores} cores.\n"
    )
    for cluster in CLUSTERS:
        print(f"### {cluster.nodes} nodes, {cluster.requests:,.0f} requests a second\n")
        placements = tenant_placement.placements(tenants, cluster.nodes, random.Random(SEED))
        _show_placement(tenants, placements)
        _show_move(tenants, cluster)
        tenant_rebuilds.show(tenants, cluster.nodes, cluster.requests, MEASURED)
        _show_cost(tenants, cluster, placements)
    _show_writes(tenants)


def zipf_tenants(count: int) -> list[Tenant]:
    """Tenant of rank r has 1/r of the largest one's memories and requests."""
    weights = [1 / rank for rank in range(1, count + 1)]
    whole = sum(weights)
    return [
        Tenant(number, max(SMALLEST, round(LARGEST * weight)), weight / whole)
        for number, weight in enumerate(weights)
    ]


def _show_placement(tenants: Sequence[Tenant], placements: Sequence[Placement]) -> None:
    rows = []
    for placement in placements:
        copies = [len(held) for held in placement.held]
        disks = [_disk(tenants, held) for held in placement.held]
        seats = [
            sorted(held, key=lambda number: -tenants[number].share)[: MEASURED.open_seats] for held in placement.held
        ]
        memory = [_memory(tenants, held) for held in seats]
        hits = tenant_placement.hit_rate(tenants, placement, MEASURED.open_seats, random.Random(SEED))
        mean = sum(placement.load) / len(placement.load)
        rows.append(
            [placement.name, max(copies), max(disks) / 1e9, sum(disks) / 1e9, max(memory) / 1e9,
             f"{100 * hits:.1f} %", f"{max(placement.load) / mean:.2f}"]
        )  # fmt: skip
    measure.table(
        ["placement", "copies on a node (most)", "disk GB (most)", "disk GB (all)", "memory GB (most)",
         f"requests that meet one of {MEASURED.open_seats:,} open seats", "load, most / mean"],
        rows,
    )  # fmt: skip
    print()


def _disk(tenants: Sequence[Tenant], held: Sequence[int]) -> float:
    return sum(MEASURED.copy_bytes + MEASURED.memory_bytes * tenants[number].memories for number in held)


def _memory(tenants: Sequence[Tenant], held: Sequence[int]) -> float:
    return sum(MEASURED.open_bytes + MEASURED.vector_bytes * tenants[number].memories for number in held)


def _show_move(tenants: Sequence[Tenant], cluster: Cluster) -> None:
    """How many tenants another number of nodes moves."""
    before = tenant_placement.by_hash(tenants, list(range(cluster.nodes)))
    rows = []
    for name, nodes in (
        ("one more", list(range(cluster.nodes + 1))),
        ("one less", list(range(cluster.nodes - 1))),
    ):
        after = tenant_placement.by_hash(tenants, nodes)
        moved = sum(1 for one in tenants if before[one.number] != after[one.number])
        rows.append(
            [name, moved, f"{100 * moved / len(tenants):.1f} %", f"{100 / max(cluster.nodes, len(nodes)):.1f} %"]
        )
    measure.table(["nodes", "tenants that move", "share", "the least possible"], rows)
    print()


def _show_cost(tenants: Sequence[Tenant], cluster: Cluster, placements: Sequence[Placement]) -> None:
    """Machine hours of a month, by what is used up first."""
    rows = []
    for placement in placements:
        misses = 1 - tenant_placement.hit_rate(tenants, placement, MEASURED.open_seats, random.Random(SEED))
        cpu = cluster.requests * (MEASURED.request_seconds + misses * MEASURED.open_seconds)
        disk = max(_disk(tenants, held) for held in placement.held)
        rows.append(
            [placement.name, cpu, f"{100 * cpu / (cluster.nodes * MEASURED.cores):.0f} %", cpu * 730,
             cluster.nodes * 730, disk / 1e9]
        )  # fmt: skip
    measure.table(
        [
            "placement",
            "cores in use",
            "share of all cores",
            "core hours a month",
            "machine hours a month",
            "GB a node",
        ],
        rows,
    )
    print()


def _show_writes(tenants: Sequence[Tenant]) -> None:
    """One lock a tenant: it is held for the round trips of a write, the commit, and the work in the copy."""
    print("### Writes of one tenant\n")
    round_trips, work, disk = 8, 0.002, 0.002
    rows: list[list[object]] = []
    for trip in (0.0002, 0.001, 0.005, 0.02):
        held = round_trips * trip + work + disk
        busy = CLUSTERS[-1].requests * CLUSTERS[-1].write_share * tenants[0].share * held
        waits = tenant_placement.waits(0.5 / held, held, 20_000, random.Random(SEED))
        rows.append(
            [
                f"{trip * 1000:g}",
                held * 1000,
                1 / held,
                f"{100 * busy:.0f} %",
                waits[10_000] * 1000,
                waits[19_800] * 1000,
            ]
        )
    measure.table(
        ["round trip ms", "lock held ms", "most writes a second", "share of that which the largest tenant needs",
         "wait at half of the most: median ms", "p99 ms"],
        rows,
    )  # fmt: skip
