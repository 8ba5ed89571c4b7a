"""A shared ledger beside a ledger of its own: searches, writes, a tenant's first use, and many tenants on one node.

`python -m benchmarks shared --part search` (or writes, first, tenants) runs one part.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.postgres import server

from benchmarks import measure, shared_homes, shared_tenants
from memoro.store.postgres.opening import close_servers
from memoro.store.postgres.server import PostgresServer, Seat
from memoro.workspace import Workspace

_PARTS = ("search", "writes", "first", "tenants")
_PAUSE = 0.45  # longer than a read relies on what the last one asked the server


def run(options: Sequence[str] = ()) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks shared")
    parser.add_argument("--part", choices=_PARTS, action="append")
    parser.add_argument("--sizes", type=int, nargs="+", default=[2000, 10_000])
    parser.add_argument("--first-sizes", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--repeat", type=int, default=25)
    parser.add_argument("--tenants", type=int, default=1000)
    chosen = parser.parse_args(options)
    for part in chosen.part or _PARTS:
        with tempfile.TemporaryDirectory() as folder:
            match part:
                case "search":
                    for size in chosen.sizes:
                        _search(Path(folder) / str(size), size, chosen.repeat)
                case "writes":
                    _writes(Path(folder), chosen.repeat)
                case "first":
                    for size in chosen.first_sizes:
                        _first_use(Path(folder) / str(size), size)
                case "tenants":
                    shared_tenants.run(Path(folder), server(), chosen.tenants)
        close_servers()
        print(flush=True)


Asked = Callable[[Workspace, str], object]
_ASKED: dict[str, Asked] = {
    "memory query, words": lambda m, text: m.memories.query(text, mode="words"),
    "memory query, hybrid": lambda m, text: m.memories.query(text),
    "search, words": lambda m, text: m.search(text, mode="words"),
    "search, hybrid": lambda m, text: m.search(text),
}


def _search(folder: Path, size: int, repeat: int) -> None:
    """Each question goes to both homes at once, in turns: right after another one, and after a pause."""
    texts = list(shared_homes.texts(size))
    local = shared_homes.open_local(folder / "local")
    shared = shared_homes.open_shared(folder / "shared", server(), server().new_tenant())
    rows = []
    with shared_homes.closing(local, shared):
        for m in (local, shared):
            shared_homes.fill(m, texts)
            m.sync()
        for name, ask in _ASKED.items():
            for is_after_pause in (False, True):
                costs = _pairs(ask, local, shared, shared_homes.questions(texts, repeat), is_after_pause)
                rows.append([f"{size:,}", name, "yes" if is_after_pause else "no", *_compared(*costs)])
    measure.table(
        ["memories", "asked", "after 0.45 s", "local ms", "p95", "shared ms", "p95", "ratio", "ratio of CPU"], rows
    )


def _pairs(
    ask: Asked, local: Workspace, shared: Workspace, questions: list[str], is_after_pause: bool
) -> tuple[list[measure.Cost], list[measure.Cost]]:
    costs: tuple[list[measure.Cost], list[measure.Cost]] = ([], [])
    homes = (local, shared)
    for m in homes:
        ask(m, "first")
    for number, question in enumerate(questions):
        for place in (0, 1) if number % 2 else (1, 0):
            if is_after_pause:
                time.sleep(_PAUSE)
            else:
                ask(homes[place], "before")  # the server was just asked, and what is asked for is at hand
            costs[place].append(measure.call(lambda: ask(homes[place], question)))  # noqa: B023
    return costs


def _compared(local: list[measure.Cost], shared: list[measure.Cost]) -> list[float]:
    """Medians and the 95th percentiles, and the median of the ratios of pairs."""
    ratio = statistics.median(s.wall_ms / one.wall_ms for one, s in zip(local, shared, strict=True))
    cpu = statistics.median(s.cpu_ms / one.cpu_ms for one, s in zip(local, shared, strict=True))
    return [*_spread(local), *_spread(shared), ratio, cpu]


def _spread(costs: list[measure.Cost]) -> tuple[float, float]:
    walls = sorted(cost.wall_ms for cost in costs)
    return statistics.median(walls), walls[int(len(walls) * 0.95)]


def _writes(folder: Path, repeat: int) -> None:
    tenant, texts = server().new_tenant(), list(shared_homes.texts(2000))
    local = shared_homes.open_local(folder / "local")
    shared = shared_homes.open_shared(folder / "shared", server(), tenant)
    with shared_homes.closing(local, shared), shared_homes.durable(server()):
        for m in (local, shared):
            shared_homes.fill(m, texts)
            m.sync()
        number = iter(range(10**6))
        asked: dict[str, Callable[[Workspace], object]] = {
            "memory store": lambda m: m.memories.store(f"fact {next(number)} {os.urandom(4).hex()}"),
            "memory reinforce": lambda m: m.memories.reinforce(7),
            "one row, below all services": _put_row,
        }
        rows = []
        for name, ask in asked.items():
            costs = _pairs(lambda m, _: ask(m), local, shared, [""] * repeat, is_after_pause=False)  # noqa: B023
            extra = statistics.median(s.wall_ms - one.wall_ms for one, s in zip(*costs, strict=True))
            rows.append([name, *_compared(*costs), extra])
        measure.table(
            ["write", "local ms", "p95", "shared ms", "p95", "ratio", "ratio of CPU", "extra ms (median of pairs)"],
            rows,
        )
        print()
        _steps(tenant, repeat)


def _put_row(m: Workspace) -> None:
    with m.ledger.access.ledger.writing() as tx:
        tx.meta.put("measured", os.urandom(4).hex())


def _steps(tenant: str, repeat: int) -> None:
    """What a write waits for on the server, one step more in each row."""
    place, seat = PostgresServer(server().url), Seat(tenant, "mia", "node")
    head = "SELECT revision FROM memoro.heads WHERE tenant = %s AND part = 'ledger'"
    entry = """INSERT INTO memoro.commits (tenant, part, revision, id, person, node)
               VALUES (%s, 'ledger', %s, 'x', 'mia', 'node')"""
    number = iter(range(10**9, 2 * 10**9))

    def steps(count: int) -> None:
        with place.transaction(seat) as cursor:
            if count > 0:
                cursor.execute(f"{head} FOR UPDATE", [tenant])
            if count > 1:
                cursor.execute(head, [tenant])
            if count > 2:
                cursor.execute(entry, [tenant, next(number)])

    names = ("a transaction that acts as a seat", "+ lock the head", "+ read it", "+ one row, durable")
    costs: list[list[measure.Cost]] = [[] for _ in names]
    try:
        steps(0)
        for _ in range(repeat * 4):
            for count in range(len(names)):
                costs[count].append(measure.call(lambda: steps(count)))  # noqa: B023
    finally:
        place.close()
    rows = [[name, *_spread(found)] for name, found in zip(names, costs, strict=True)]
    measure.table(["on the server, by loopback socket", "median ms", "p95 ms"], rows)


def _first_use(folder: Path, size: int) -> None:
    """A node without a copy meets a tenant: until it answers by words, and until all vectors are there."""
    tenant, texts = server().new_tenant(), list(shared_homes.texts(size))
    with shared_homes.open_shared(folder / "writer", server(), tenant) as writer:
        filled = measure.call(lambda: shared_homes.fill(writer, texts))
    rows: list[tuple[str, measure.Cost]] = []
    with shared_homes.open_shared(folder / "first", server(), tenant) as m:
        rows.append(("the local copy", measure.call(m.ledger.access.ledger.check)))
        rows.append(("the first answer by words", measure.call(lambda: m.memories.query(texts[5], mode="words"))))
        rows.append(("all vectors", measure.call(m.sync)))
        rows.append(("an answer after that", measure.call(lambda: m.memories.query(texts[7]))))
    with shared_homes.open_local(folder / "local") as m:
        shared_homes.fill(m, texts)
        rows.append(("a local home: first answer", measure.call(lambda: m.memories.query(texts[5], mode="words"))))
        rows.append(("a local home: all vectors", measure.call(m.sync)))
    rows.append(("writing them all, 2,000 at a time", filled))
    sizes = [shared_homes.bytes_in(folder / name) / 1e6 for name in ("first", "local")]
    measure.table(
        ["memories", "step", "s", "s of CPU"],
        [[f"{size:,}", name, cost.wall_ms / 1000, cost.cpu_ms / 1000] for name, cost in rows],
    )
    print(f"\nOn disk: {sizes[0]:.1f} MB with the copy, {sizes[1]:.1f} MB as a local home.\n", flush=True)
