"""Thousands of faulted calls: many homes, each with a server of its own that misbehaves on a seed."""

from __future__ import annotations

import multiprocessing
import tempfile
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from tests.standin import ALL_FAULTS, LIMITS, Fault, Faults, Flavour, Options, Standin, standin

import memoro
from benchmarks.fault_homes import MODEL, Notes, Place, is_complete, make_place, vectors_by_text, write_settings
from memoro.providers.records import BreakerState

# Equal chances for all kinds but those that cost the machine most.
_COSTLY: tuple[Fault, ...] = ("huge", "gzip bomb")
KINDS: tuple[Fault, ...] = (*(kind for kind in ALL_FAULTS if kind not in _COSTLY for _ in range(6)), *_COSTLY)
_FLAVOURS: tuple[Flavour, ...] = ("ollama", "vllm", "tei", "lmstudio", "llamacpp")
_MOST_TEXTS = (3, 8, 24)  # in a request, of the servers in turn
_PASSAGES_A_ROUND = 40
_MOST_SYNCS = 4000  # a home that is not done by then never will be


class Plan(NamedTuple):
    """The results of one home."""

    seed: int
    faulted: int  # calls, at least
    probability: float = 0.5
    kinds: tuple[Fault, ...] = KINDS
    retry_after: int = 1


class Result(NamedTuple):
    """What came of one home, or of all."""

    calls: int
    faulted: int
    kinds: Counter[str]
    syncs: int
    passages: int
    lost: int  # passages without a vector at the end
    repeated: int  # passages that were sent again although their vectors had arrived
    different: int  # passages whose vector is not that of the fault-free index
    strays: int  # requests that followed a redirection
    asked_again: int  # other texts that were sent again: queries of the calibration, and a text that probes a server


def total(results: Iterable[Result]) -> Result:
    found = list(results)
    return Result(
        calls=sum(one.calls for one in found),
        faulted=sum(one.faulted for one in found),
        kinds=sum((one.kinds for one in found), Counter()),
        syncs=sum(one.syncs for one in found),
        passages=sum(one.passages for one in found),
        lost=sum(one.lost for one in found),
        repeated=sum(one.repeated for one in found),
        different=sum(one.different for one in found),
        strays=sum(one.strays for one in found),
        asked_again=sum(one.asked_again for one in found),
    )


def run_home(plan: Plan, folder: Path) -> Result:
    """Grow a vault and sync it until enough calls have failed; then sync once more without faults, and compare."""
    flavour = _FLAVOURS[plan.seed % len(_FLAVOURS)]
    limits = LIMITS[flavour]._replace(most_texts=_MOST_TEXTS[plan.seed % len(_MOST_TEXTS)])
    faults = Faults(
        kinds=plan.kinds, probability=plan.probability, paths="embeddings", retry_after=plan.retry_after,
        slow_seconds=0.05, hang_seconds=0.2,
    )  # fmt: skip
    with standin(flavour, seed=plan.seed, options=Options(limits=limits)) as server:
        place = make_place(folder, {"provider": "compatible", "url": server.url, "model": MODEL})
        notes = Notes(plan.seed)
        notes.write(place.vault, 5)
        sync(place, server.host)  # the width of the model is asked for while the server is well
        server.set_faults(faults)
        syncs = 0
        while server.faulted < plan.faulted and syncs < _MOST_SYNCS:
            if sync(place, server.host):
                notes.write(place.vault, _PASSAGES_A_ROUND)
            syncs += 1
        server.set_faults(None)
        for _ in range(20):
            if sync(place, server.host):
                break
        return _result(place, server, syncs, folder)


def sync(place: Place, host: str) -> bool:
    """Sync once; return whether no passage lacks a vector. The rests of the breaker are skipped, to save time."""
    with memoro.open(place.home, place.vault) as m:
        degraded = m.sync().degraded
        if degraded:
            end_rests(m, host)
        return not degraded or is_complete(m)


def end_rests(m: memoro.Workspace, host: str) -> None:
    """Let the provider be asked again at once."""
    found = m.indexes()
    assert found is not None
    records = found.records()
    for role in ("document", "query"):
        records.set_breaker(f"{host} {role}", BreakerState())


def _result(place: Place, server: Standin, syncs: int, folder: Path) -> Result:
    requests = server.requests
    found = vectors_by_text(place.home, place.vault)
    repeated = [text in found for text in server.repeated]
    fresh = Place(folder / "fresh", place.vault)
    fresh.home.mkdir()
    write_settings(fresh.home, {"provider": "compatible", "url": server.url, "model": MODEL})
    assert sync(fresh, server.host), "the fault-free index is not complete"
    right = vectors_by_text(fresh.home, fresh.vault)
    return Result(
        calls=len(requests),
        faulted=sum(request.is_faulted for request in requests),
        kinds=Counter(request.fault for request in requests if request.fault and request.is_faulted),
        syncs=syncs,
        passages=len(right),
        lost=sum(found.get(text) is None for text in right),
        repeated=sum(repeated),
        different=sum(found.get(text) != row for text, row in right.items()),
        strays=len(server.strays),
        asked_again=len(repeated) - sum(repeated),
    )


def run_homes(plans: list[Plan]) -> Result:
    """Run homes at once, each in a thread: they mostly wait until a server may be asked again."""
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(len(plans)) as threads:
        return total(threads.map(lambda plan: run_home(plan, Path(folder) / str(plan.seed)), plans))


def run_all(calls: int, homes: int, processes: int = 2) -> Result:
    """Spread the calls over homes, and the homes over processes."""
    each = -(-calls // homes)
    plans = [Plan(seed=seed, faulted=each) for seed in range(homes)]
    shares = [plans[start::processes] for start in range(processes)]
    with ProcessPoolExecutor(processes, multiprocessing.get_context("spawn")) as pool:
        return total(pool.map(run_homes, shares))
