"""Many copies must be built at once: how long until nearly every request meets a ready one."""

from __future__ import annotations

import heapq
import math
import random
from collections.abc import Sequence
from typing import NamedTuple, Protocol

from benchmarks import measure
from benchmarks.tenant_placement import Tenant, by_hash

_READY = 0.99
_SEED = 9


class NodeCosts(Protocol):
    @property
    def cores(self) -> int: ...
    @property
    def request_seconds(self) -> float: ...
    @property
    def open_seconds(self) -> float: ...
    @property
    def build_seconds(self) -> float: ...
    @property
    def build_seconds_each(self) -> float: ...


def show(tenants: Sequence[Tenant], nodes: int, requests: float, costs: NodeCosts) -> None:
    before, after = ([one[0] for one in by_hash(tenants, list(range(count)))] for count in (nodes, nodes - 1))
    free_cores = costs.cores - requests * costs.request_seconds / nodes
    orphans = [one for one in tenants if before[one.number] != after[one.number]]
    build = {one.number: costs.build_seconds + costs.build_seconds_each * one.memories for one in tenants}
    reopen = {one.number: costs.open_seconds for one in tenants}
    events = {
        "a node dies": (orphans, after, build),
        "all restart, copies kept": (tenants, before, reopen),
        "all restart, copies lost": (tenants, before, build),
    }
    rows = []
    for event, (missing, node_of, seconds) in events.items():
        for builders in (1, 2, 4, 8):
            rules = _Rules(builders, requests, free_cores)
            asked, ahead = (_time_until_ready(missing, node_of, seconds, rules, one) for one in (False, True))
            first = max(0.0, 1 - sum(one.share for one in missing))
            rows.append([event, builders, len(missing), f"{100 * first:.1f} %", asked, ahead])
    measure.table(
        ["event", "builds at a time", "copies missing", "requests that meet a copy at once",
         "s until 99 % do: built when asked for", "s until 99 % do: also in advance"],
        rows,
    )  # fmt: skip
    print()


class _Rules(NamedTuple):
    """How a node builds: so many at a time, on the cores that requests leave free."""

    builders: int
    requests: float
    free_cores: float


def _time_until_ready(
    missing: Sequence[Tenant],
    node_of: Sequence[int],
    seconds: dict[int, float],
    rules: _Rules,
    in_advance: bool,
) -> float:
    """The first second from which on 99 % of requests meet a ready copy."""
    rng = random.Random(_SEED)
    first_asked = {one.number: rng.expovariate(rules.requests * one.share) for one in missing}
    ready: list[tuple[float, float]] = []
    for node in sorted({node_of[one.number] for one in missing}):
        mine = [one for one in missing if node_of[one.number] == node]
        ready += _build(mine, first_asked, seconds, rules, in_advance)
    served = 1 - sum(one.share for one in missing)
    for at, share in sorted(ready):
        served += share
        if served >= _READY:
            return at
    return math.inf


def _build(
    missing: Sequence[Tenant],
    first_asked: dict[int, float],
    seconds: dict[int, float],
    rules: _Rules,
    in_advance: bool,
) -> list[tuple[float, float]]:
    """When each copy of one node is ready, with its share of requests. Those that somebody waits for come first."""
    slower = max(1.0, rules.builders / rules.free_cores)
    free = [0.0] * rules.builders
    waiting = sorted(missing, key=lambda one: first_asked[one.number])
    spare = iter(sorted(missing, key=lambda one: -one.share)) if in_advance else iter(())
    done: set[int] = set()
    ready = []
    place = 0
    while place < len(waiting):
        now = heapq.heappop(free)
        one = waiting[place]
        if one.number in done:
            place += 1
            heapq.heappush(free, now)
            continue
        if first_asked[one.number] > now:  # nobody waits: build ahead, or sleep
            ahead = next((other for other in spare if other.number not in done), None)
            if ahead is None:
                now = first_asked[one.number]
            else:
                one = ahead
        done.add(one.number)
        end = now + seconds[one.number] * slower
        ready.append((end, one.share))
        heapq.heappush(free, end)
    return ready
