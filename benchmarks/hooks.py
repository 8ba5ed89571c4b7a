"""Hooks as hosts call them: a process for each event, from its start to its end, over 2,000 notes."""

from __future__ import annotations

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

import memoro
from benchmarks import corpus, measure

REPEAT = 60


def run() -> None:
    with tempfile.TemporaryDirectory() as folder:
        vault, home = Path(folder) / "vault", Path(folder) / "home"
        corpus.write_notes(vault, 2000)
        rules = "".join(f"- Rule {number}: run the checks before every commit.\n" for number in range(20))
        (vault / "PROCEDURAL.md").write_text(f"# Rules\n\n{rules}", encoding="utf-8")
        time.sleep(2.1)  # younger notes are read again by the next sync
        with memoro.open(home, vault) as m:
            m.sync()
            found = m.search(" ".join(corpus.Language(1).words(40)), limit=3)
        prompts = [f"What do we know about this: {hit.snippet[:80]}" for hit in found.results]
        costs: dict[str, list[tuple[measure.Cost, int]]] = {}
        for number in range(REPEAT):
            session = f"session-{number}"
            events: dict[str, Mapping[str, object] | None] = {
                "bare Python": None,
                "SessionEnd, PreCompact (noted down)": {"hook_event_name": "SessionEnd"},
                "SessionStart": {"hook_event_name": "SessionStart", "source": "startup"},
                "UserPromptSubmit, the first": {"hook_event_name": "UserPromptSubmit", "prompt": prompts[0]},
                "UserPromptSubmit, a later one": {"hook_event_name": "UserPromptSubmit", "prompt": prompts[1]},
            }
            for name, event in events.items():
                costs.setdefault(name, []).append(_process(home, vault, session, event))
            (home / "hooks.spool").unlink(missing_ok=True)  # a beginning of a session would work it off
    rows = [
        [
            name,
            statistics.median(cost.wall_ms for cost, _ in each),
            statistics.quantiles([cost.wall_ms for cost, _ in each], n=20)[-1],
            statistics.median(cost.cpu_ms for cost, _ in each),
            float(statistics.median(size for _, size in each)),
        ]
        for name, each in costs.items()
    ]
    measure.table(["event", "wall ms, median", "p95", "CPU ms", "characters of answer"], rows)


def _process(home: Path, vault: Path, session: str, event: Mapping[str, object] | None) -> tuple[measure.Cost, int]:
    command = [sys.executable, "-c", "pass"]
    if event is not None:
        places = ["--home", str(home), "--vault", str(vault)]
        command = [sys.executable, "-P", "-m", "memoro", *places, "hook", "claude"]
    said = json.dumps({"session_id": session, "transcript_path": "", "cwd": "/w", **(event or {})}).encode()
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED")}
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(command, input=said, capture_output=True, env=environment, check=True)
    wall, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    context = json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"] if done.stdout else ""
    return measure.Cost(wall * 1000, cpu * 1000), len(context)
