"""Hooks as hosts call them, over 2,000 notes: a process for each event, alone and as a client of `memoro serve`.

The two take turns, each on a home of its own, so that noise falls on both alike.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import memoro
from benchmarks import corpus, measure
from memoro.store import hook_socket

REPEAT = 40
_WARM_SECONDS = 5.0  # for the server to load what its first prompt needs
_BARE = "bare Python"


class HookCost(NamedTuple):
    """One call of a hook."""

    wall_ms: float
    client_ms: float  # of CPU, in the process of the hook
    server_ms: float  # of CPU, in the server meanwhile; told in steps of 10 ms, so that only its mean means anything
    characters: int  # of the answer


def run() -> None:
    with tempfile.TemporaryDirectory() as folder:
        vault, alone, served = (Path(folder) / name for name in ("vault", "alone", "served"))
        prompts = _prepare(vault, alone)
        shutil.copytree(alone, served)
        costs: dict[str, list[HookCost]] = {}
        with _serving(served, vault) as server:
            for number in range(REPEAT):
                for name, event in _events(f"session-{number}", prompts).items():
                    costs.setdefault(name, []).append(_process(alone, vault, event))
                    if event is not None:
                        costs.setdefault(f"{name}, served", []).append(_process(served, vault, event, server))
                (alone / "hooks.spool").unlink(missing_ok=True)  # a beginning of a session would work it off
    _show(costs)


def _prepare(vault: Path, home: Path) -> list[str]:
    """Fill a vault and index it; return prompts that its notes answer."""
    corpus.write_notes(vault, 2000)
    rules = "".join(f"- Rule {number}: run the checks before every commit.\n" for number in range(20))
    (vault / "PROCEDURAL.md").write_text(f"# Rules\n\n{rules}", encoding="utf-8")
    time.sleep(2.1)  # younger notes are read again by the next sync
    with memoro.open(home, vault) as m:
        m.sync()
        found = m.search(" ".join(corpus.Language(1).words(40)), limit=3)
    return [f"What do we know about this: {hit.snippet[:80]}" for hit in found.results]


def _events(session: str, prompts: list[str]) -> dict[str, Mapping[str, object] | None]:
    about = {"session_id": session, "transcript_path": "", "cwd": "/w"}
    prompt = {**about, "hook_event_name": "UserPromptSubmit"}
    return {
        _BARE: None,
        "SessionStart": {**about, "hook_event_name": "SessionStart", "source": "startup"},
        "UserPromptSubmit, the first": {**prompt, "prompt": prompts[0]},
        "UserPromptSubmit, a later one": {**prompt, "prompt": prompts[1]},
        "SessionEnd (noted down)": {**about, "hook_event_name": "SessionEnd"},
    }


def _process(home: Path, vault: Path, event: Mapping[str, object] | None, server: int | None = None) -> HookCost:
    command = [sys.executable, "-c", "pass"]
    if event is not None:
        places = ["--home", str(home), "--vault", str(vault)]
        command = [sys.executable, "-P", "-m", "memoro", *places, "hook", "claude"]
    served_before = _cpu_ms(server)
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(
        command, input=json.dumps(event).encode(), capture_output=True, env=_environment(), check=True
    )
    wall, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    context = json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"] if done.stdout else ""
    return HookCost(
        wall_ms=wall * 1000,
        client_ms=cpu * 1000,
        server_ms=_cpu_ms(server) - served_before,
        characters=len(context),
    )


def _cpu_ms(process: int | None) -> float:
    """Return the CPU time of a process so far. Linux tells it in ticks; elsewhere it is not told."""
    try:
        words = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(words[11]) + int(words[12])) * 1000 / os.sysconf("SC_CLK_TCK")


@contextmanager
def _serving(home: Path, vault: Path) -> Iterator[int]:
    """Run `memoro serve` for this home; yields its process once it answers hooks."""
    command = [sys.executable, "-P", "-m", "memoro", "--home", str(home), "--vault", str(vault), "serve"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, env=_environment()) as child:
        try:
            while not hook_socket.exists(str(home)):
                time.sleep(0.05)
            time.sleep(_WARM_SECONDS)
            yield child.pid
        finally:
            child.terminate()


def _environment() -> dict[str, str]:
    return {k: v for k, v in os.environ.items() if k not in ("PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED")}


def _show(costs: Mapping[str, list[HookCost]]) -> None:
    bare = statistics.median(cost.client_ms for cost in costs[_BARE])
    rows = []
    for name, each in costs.items():
        client, server = statistics.median(c.client_ms for c in each), statistics.mean(c.server_ms for c in each)
        walls = [cost.wall_ms for cost in each]
        rows.append(
            [
                name,
                statistics.median(walls),
                statistics.quantiles(walls, n=20)[-1],
                client,
                server if "served" in name else "",
                (client + server) / bare,
                float(statistics.median(cost.characters for cost in each)),
            ]
        )
    header = ["event", "wall ms, median", "p95", "CPU ms", "of the server", "× bare Python", "characters of answer"]
    measure.table(header, rows)
