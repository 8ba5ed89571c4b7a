"""Standing rules that a task touches: how many of them are given unasked, and how much else.

The people of `data/task-rules.toml` have rules in notes, in memories and in conversations with an agent. Each has a
home, a vault and logs of a project. `memoro.unasked.rules` answers their tasks; beside it stand the first three
results of a search. Nothing was made from the people that are held out.
"""

from __future__ import annotations

import json
import re
import tempfile
import time
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import memoro
from benchmarks import measure
from memoro.model.scope import Scope
from memoro.search.filters import where_of
from memoro.unasked.finding import UnaskedRequest
from memoro.unasked.rules import MOST, rules_for
from memoro.workspace import Workspace

_DATA = Path(__file__).parent / "data" / "task-rules.toml"
Given = Callable[[Workspace, str, Scope], list[str]]


def run() -> None:
    people = tomllib.loads(_DATA.read_text(encoding="utf-8"))["person"]
    counts: dict[tuple[str, str], Counter[str]] = {}
    for person in people:
        half = "held out" if person["held_out"] else "seen"
        with tempfile.TemporaryDirectory() as folder:
            home = live(Path(folder), person)
            with memoro.open(home) as m:
                for memory in person["memories"]:
                    m.memories.store(memory, source="user", project=person["project"])
                m.sync()
                for name, given in (("rules", _rules), ("search", _search)):
                    found = counts.setdefault((half, name), Counter())
                    for task in person["tasks"]:
                        started = time.process_time()
                        texts = given(m, task["text"], Scope(project=person["project"]))
                        found["ms"] += round(1e6 * (time.process_time() - started))
                        found.update(judge(task, texts))
    rows = [
        [
            half,
            method,
            *(f"{100 * value:.0f}" for value in _shares(found)),
            f"{found['ms'] / 1e3 / found['tasks']:.1f}",
        ]
        for (half, method), found in sorted(counts.items())
    ]
    measure.table(
        ["half", "method", "rules found", "tasks answered", "right of given", "silent where none", "CPU ms"], rows
    )


def judge(task: dict[str, Any], texts: Iterable[str]) -> Counter[str]:
    """Count what is right among the texts that a task was given."""
    texts = list(texts)
    needed, allowed = task.get("need", []), task.get("may", [])
    hits = sum(any(re.search(need, text, re.IGNORECASE) for text in texts) for need in needed)
    right = sum(any(re.search(one, text, re.IGNORECASE) for one in (*needed, *allowed)) for text in texts)
    return Counter(
        tasks=1,
        needed=len(needed),
        found=hits,
        asked=bool(needed),
        answered=hits > 0,
        given=len(texts),
        right=right,
        none=not needed,
        silent=not needed and not texts,
    )


def _shares(found: Counter[str]) -> list[float]:
    pairs = (("found", "needed"), ("answered", "asked"), ("right", "given"), ("silent", "none"))
    return [found[part] / max(1, found[whole]) for part, whole in pairs]


def _rules(m: Workspace, task: str, scope: Scope) -> list[str]:
    request = UnaskedRequest(message=task, sources=m.recaller.sources(), where=where_of(scope), scope=scope)
    return [finding.item.text for finding in rules_for(request)]


def _search(m: Workspace, task: str, scope: Scope) -> list[str]:
    return [hit.snippet for hit in m.search(task, project=scope.project or (), shared=True, limit=MOST).results]


def live(folder: Path, person: dict[str, Any]) -> Path:
    """Write a home, the notes, and one log of the project for each two exchanges; return the home."""
    home, vault, logs = folder / "home", folder / "vault", folder / "logs"
    for made in (vault, logs):
        made.mkdir()
    home.mkdir(mode=0o700)
    (home / "memoro.toml").write_text(f'[vault]\npath = "{vault}"\n\n[transcripts]\nfolders = ["{logs}"]\n')
    for path, text in person["notes"].items():
        (vault / path).parent.mkdir(parents=True, exist_ok=True)
        (vault / path).write_text(text.lstrip(), encoding="utf-8")
    project = folder / "src" / person["project"]
    said = person["said"]
    for number in range(0, len(said), 2):
        day = f"2026-10-{number + 1:02}"
        lines = [
            json.dumps(record, ensure_ascii=False)
            for place, exchange in enumerate(said[number : number + 2])
            for record in _records(exchange, f"{person['project']}-{number}-{place}", day, str(project))
        ]
        (logs / f"{person['project']}-{number}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return home


def _records(exchange: list[str], name: str, day: str, folder: str) -> list[dict[str, Any]]:
    return [
        {
            "type": role,
            "uuid": f"{name}-{role}",
            "sessionId": name,
            "timestamp": f"{day}T09:0{minute}:00.000Z",
            "cwd": folder,
            "message": {"role": role, "content": text},
        }
        for minute, (role, text) in enumerate(zip(("user", "assistant"), exchange, strict=True))
    ]
