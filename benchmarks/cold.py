"""Cold commands over 2,000 notes, beside bare Python."""

from __future__ import annotations

import importlib.metadata
import os
import re
import sys
import tempfile
import time
import tomllib
from pathlib import Path

import memoro
from benchmarks import corpus, measure


def run() -> None:
    with tempfile.TemporaryDirectory() as folder:
        vault, home = Path(folder) / "vault", Path(folder) / "home"
        corpus.write_notes(vault, 2000)
        time.sleep(2.1)  # younger notes are read again by the next sync
        with memoro.open(home, vault) as m:
            m.sync()
            word = m.search(" ".join(corpus.Language(1).words(40)), limit=1, mode="words")
            query = f"{word.results[0].explanation.terms[0].word} because after"
        script = str(Path(sys.executable).with_name("memoro"))
        search = [script, "--home", str(home), "--vault", str(vault), "search", query]
        costs = measure.commands(
            {
                "python -c pass": [sys.executable, "-c", "pass"],
                "python -c 'import numpy'": [sys.executable, "-c", "import numpy"],
                "memoro --help": [script, "--help"],
                "memoro search --mode words": [*search, "--mode", "words"],
                "memoro search --mode words --json": [*search, "--mode", "words", "--json"],
                "memoro search --mode hybrid": [*search, "--mode", "hybrid"],
            }
        )
    bare = costs["python -c pass"]
    rows = [
        [name, cost.wall_ms, cost.cpu_ms, cost.wall_ms / bare.wall_ms, cost.cpu_ms / bare.cpu_ms]
        for name, cost in costs.items()
    ]
    measure.table(["command", "wall ms", "CPU ms", "× bare Python's wall", "× bare Python's CPU"], rows)
    print()
    sizes = {name: _installed_mb(name) for name in _needed()} | {"memoro": _tree_mb(Path(memoro.__file__).parent)}
    told = ", ".join(f"{name} {size:.1f}" for name, size in sorted(sizes.items(), key=lambda pair: -pair[1]))
    print(f"Installed over an empty environment: {sum(sizes.values()):.0f} MB ({told}).")


def _needed() -> set[str]:
    """What our pyproject.toml brings with it, without extras, as far as it is installed."""
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    found: set[str] = set()
    ahead: list[str] = list(project["dependencies"])
    while ahead:
        line = ahead.pop()
        name = re.match(r"[\w.-]+", line)
        if name is None or "extra ==" in line or name[0].lower() in found:
            continue
        try:
            ahead += importlib.metadata.requires(name[0]) or ()
        except importlib.metadata.PackageNotFoundError:
            continue
        found.add(name[0].lower())
    return found


def _installed_mb(name: str) -> float:
    files = importlib.metadata.distribution(name).files or ()
    return sum(os.path.getsize(f.locate()) for f in files if os.path.exists(f.locate())) / 1e6


def _tree_mb(folder: Path) -> float:
    return (
        sum(file.stat().st_size for file in folder.rglob("*") if file.is_file() and "__pycache__" not in file.parts)
        / 1e6
    )
