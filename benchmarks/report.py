"""Everything that RESULTS.md reports, on one commit: `python -m benchmarks.report FOLDER [NAME …]`.

Each step writes what it printed to FOLDER/NAME.txt, with the commit, the machine's load and the time it took. A step
that ended well is not run again while the program and the benchmarks are the same, so the run may be interrupted, and
documents and tests may change meanwhile. It takes hours: run it on a machine that does nothing else. `--list` prints
the steps.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
MEASURED = (
    "src",
    "benchmarks",
    "pyproject.toml",
    ":!benchmarks/*.md",
)  # a change elsewhere leaves figures as they are


class Step(NamedTuple):
    """One command of the report, as typed in the project's folder."""

    name: str
    command: tuple[str, ...]
    settings: tuple[tuple[str, str], ...] = ()  # variables of the environment


def _benchmark(name: str, *options: str, **settings: str) -> Step:
    return Step(name, (sys.executable, "-m", "benchmarks", name, *options), tuple(settings.items()))


def _year(world: str, seeds: str) -> Step:
    chosen = {"MEMORO_YEAR_WORDS": world, "MEMORO_YEAR_SEED": seeds}
    return Step(f"year-{world}", (sys.executable, "-m", "benchmarks", "year"), tuple(chosen.items()))


_PLAIN = """
    labelled paraphrase kinds attributes abstention noise days sessions tasks extraction rewording rules
    cold hooks serve mcp indexing frequent spaces ledger lists logs connections http views structure
    recalling compaction tidying curation answers language
"""
# What a user feels first, then what is rarer, then what takes longest.
STEPS = (
    *(_benchmark(name) for name in _PLAIN.split()),
    _benchmark("packing", MEMORO_EVERY="3"),
    _benchmark("growth", MEMORO_BIG="1"),
    _benchmark("page", "--big"),
    _year("year", "101 102"),
    _year("year-b", "101 102"),
    _benchmark("shared"),
    _benchmark("tenants"),
    _benchmark("models"),
    *(
        Step(f"campaign{part}", ("make", f"campaign{part}"))
        for part in ("", "-edits", "-reviews", "-http", "-tenants", "-postgres", "-xss", "-answers", "-providers")
    ),
    Step("mutants", ("make", "mutants")),
    Step("smoke", ("make", "smoke")),
    Step("soak", ("make", "soak")),
)


def main(arguments: list[str]) -> int:
    if "--list" in arguments or not arguments:
        print("\n".join(f"{step.name:22} {' '.join(step.command)}" for step in STEPS))
        return 0 if arguments else 2
    folder, wanted = Path(arguments[0]), arguments[1:]
    unknown = set(wanted) - {step.name for step in STEPS}
    if unknown:
        print(f"There is no step {min(unknown)!r}; --list prints them.", file=sys.stderr)
        return 2
    folder.mkdir(parents=True, exist_ok=True)
    commit = _git("rev-parse", "--short", "HEAD") + ("+" if _git("status", "--porcelain") else "")
    failed = [step.name for step in STEPS if (not wanted or step.name in wanted) and not _done(step, folder, commit)]
    print(f"Failed: {', '.join(failed)}." if failed else f"All steps ended well on {commit}.")
    return 1 if failed else 0


def _done(step: Step, folder: Path, commit: str) -> bool:
    """Run a step, unless its file says that it ended well on the same program. Return whether it did."""
    file = folder / f"{step.name}.txt"
    if file.exists() and _is_of(commit, *file.read_text(encoding="utf-8").split("\n", 2)[:2]):
        return True
    print(f"{time.strftime('%H:%M:%S')} {step.name}", flush=True)
    started, load = time.monotonic(), os.getloadavg()[0]
    done = subprocess.run(
        step.command,
        cwd=ROOT,
        env={**os.environ, **dict(step.settings)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    took = time.monotonic() - started
    said = (
        f"ended with {done.returncode} after {took:.0f} s, load {load:.1f} before and {os.getloadavg()[0]:.1f} after"
    )
    file.write_text(f"commit {commit}\n{said}\n\n{done.stdout}", encoding="utf-8")
    return done.returncode == 0


def _is_of(commit: str, head: str, said: str) -> bool:
    """Return whether a file that begins so tells of a step that ended well, and of what this commit measures."""
    earlier = head.removeprefix("commit ")
    if not said.startswith("ended with 0") or "+" in earlier + commit:  # "+": with changes that no commit has
        return False
    compared = ["git", "diff", "--quiet", earlier, commit, "--", *MEASURED]
    return subprocess.run(compared, cwd=ROOT, capture_output=True, check=False).returncode == 0


def _git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
