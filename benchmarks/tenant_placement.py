"""Which node serves which tenant, and how often a request meets an open seat there."""

from __future__ import annotations

import hashlib
import itertools
import math
import random
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Sequence
from typing import NamedTuple

_POINTS = 100  # of each node on the ring
_BOUND = 1.25  # no node takes more than this share of the mean load
_REQUESTS = 150_000


class Tenant(NamedTuple):
    number: int
    memories: int
    share: float  # of all requests


class Placement(NamedTuple):
    name: str
    held: list[list[int]]  # by node: the tenants that it keeps a copy of
    load: list[float]  # by node: its share of all requests
    nodes_of: list[tuple[int, ...]] | None  # by tenant; None: any node


def placements(tenants: Sequence[Tenant], nodes: int, rng: random.Random) -> list[Placement]:
    """Requests go to any node, to the node of their tenant on a ring, or there unless it is full."""
    found = [Placement("any node at random", *_anywhere(tenants, nodes, rng), None)]
    for name, bound, split in (
        ("by hash of the tenant", None, False),
        (f"by hash, no node above {_BOUND} × the mean", _BOUND, False),
        ("the same, the largest tenants on several nodes", _BOUND, True),
    ):
        chosen = by_hash(tenants, list(range(nodes)), bound=bound, split=split)
        found.append(_fixed(name, tenants, chosen, nodes))
    return found


def _anywhere(tenants: Sequence[Tenant], nodes: int, rng: random.Random) -> tuple[list[list[int]], list[float]]:
    """A node has a copy of a tenant once it was asked for it: of a million requests, here."""
    held = []
    for _ in range(nodes):
        asked = 1_000_000 / nodes
        held.append([one.number for one in tenants if rng.random() < 1 - (1 - one.share) ** asked])
    return held, [1 / nodes] * nodes


def _fixed(name: str, tenants: Sequence[Tenant], nodes_of: list[tuple[int, ...]], nodes: int) -> Placement:
    held: list[list[int]] = [[] for _ in range(nodes)]
    load = [0.0] * nodes
    for one in tenants:
        for node in nodes_of[one.number]:
            held[node].append(one.number)
            load[node] += one.share / len(nodes_of[one.number])
    return Placement(name, held, load, nodes_of)


def by_hash(
    tenants: Sequence[Tenant], nodes: Sequence[int], *, bound: float | None = _BOUND, split: bool = False
) -> list[tuple[int, ...]]:
    """The node of each tenant: the next one on the ring, or the first after it that is not full.

    A tenant that is larger than the bound alone gets the emptiest node, or with `split` as many nodes as it needs:
    each of them has a copy, and any copy can answer.
    """
    ring = sorted((_point(f"node {node} {point}"), node) for node in nodes for point in range(_POINTS))
    points = [point for point, _ in ring]
    most = bound / len(nodes) if bound else 1.0
    load = dict.fromkeys(nodes, 0.0)
    chosen = []
    for one in tenants:  # the largest first: they are the hardest to place
        at = bisect_right(points, _point(f"tenant {one.number}"))
        following = list(dict.fromkeys(node for _, node in (*ring[at:], *ring[:at])))
        parts = math.ceil(one.share / most) if split else 1
        mine: list[int] = []
        for _ in range(parts):
            mine.append(_next_node([node for node in following if node not in mine], load, one.share / parts, most))
            load[mine[-1]] += one.share / parts
        chosen.append(tuple(mine))
    return chosen


def _next_node(following: list[int], load: dict[int, float], share: float, most: float) -> int:
    fitting = (node for node in following if load[node] + share <= most)
    return next(fitting, min(following, key=lambda node: load[node]))


def _point(name: str) -> int:
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big")


def hit_rate(tenants: Sequence[Tenant], placement: Placement, seats: int, rng: random.Random) -> float:
    """The share of requests that find their tenant open, where each node closes the seat unused for longest.

    At the start each node has those open that are asked for most.
    """
    nodes, hits = len(placement.held), 0
    opened = [OrderedDict.fromkeys(reversed(held[:seats])) for held in placement.held]
    shares = list(itertools.accumulate(one.share for one in tenants))
    for number in rng.choices(range(len(tenants)), cum_weights=shares, k=_REQUESTS):
        node = rng.choice(placement.nodes_of[number]) if placement.nodes_of else rng.randrange(nodes)
        held = opened[node]
        hits += number in held
        held[number] = None
        held.move_to_end(number)
        if len(held) > seats:
            held.popitem(last=False)
    return hits / _REQUESTS


def waits(rate: float, held: float, count: int, rng: random.Random) -> list[float]:
    """How long writers wait for one lock that each holds for the same time, in order of length."""
    now = free_at = 0.0
    found = []
    for _ in range(count):
        now += rng.expovariate(rate)
        begin = max(now, free_at)
        found.append(begin - now)
        free_at = begin + held
    return sorted(found)
