"""Tell how many mutants the tests of their area notice: `python -m tools.mutants`.

Ends with 1 if fewer than nine in ten are noticed. The working tree is only read.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tools.mutants.choosing import Mutant
    from tools.mutants.running import State

ROOT = Path(__file__).resolve().parents[2]
ENOUGH = 0.9
_MEMORY = "/dev/shm"
_LEFT_OUT = (".git", ".venv", ".demo", ".hypothesis", ".mypy_cache", ".pytest_cache", ".ruff_cache", "__pycache__")


def main(arguments: list[str]) -> int:
    options = _options(arguments)
    os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")
    memory = _MEMORY if os.access(_MEMORY, os.W_OK) else None  # a disk would take most of the time
    with tempfile.TemporaryDirectory(prefix="mutants-", dir=memory) as folder:
        copy = Path(folder, "project")
        shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(*_LEFT_OUT), symlinks=True)
        os.environ["MUTANTS_FOLDER"] = folder
        os.chdir(copy)
        sys.path[:0] = [os.fspath(copy / "src"), os.fspath(copy)]
        sys.dont_write_bytecode, sys.pycache_prefix = False, os.path.join(folder, "bytecode")
        return _run(copy, options)


def _options(arguments: list[str]) -> argparse.Namespace:
    from tools.mutants.areas import AREAS

    parser = argparse.ArgumentParser(prog="python -m tools.mutants", description=__doc__)
    parser.add_argument("--seed", type=int, action="append", help="chooses the mutants (default: 1); may be repeated")
    parser.add_argument("--area", action="append", choices=list(AREAS), help="this area alone; may be repeated")
    parser.add_argument("--count", type=int, default=15, help="mutants of each area (default: 15)")
    parser.add_argument("--file", action="append", default=[], help="mutate files that end so, such as rank.py")
    parser.add_argument("--list", action="store_true", help="print the chosen mutants and run nothing")
    parsed = parser.parse_args(arguments)
    parsed.seed = parsed.seed or [1]
    return parsed


def _run(copy: Path, options: argparse.Namespace) -> int:
    import numpy  # noqa: F401 - once for all forks
    from tools.mutants.areas import AREAS
    from tools.mutants.choosing import choose, mutants_of
    from tools.mutants.running import Outcome, run_area

    outcomes: list[Outcome] = []

    def report(one: Outcome) -> None:
        outcomes.append(one)
        for test in one.left_out:
            print(f"left out  {test}, which does not always pass without the mutant either")
        print(f"{one.state:9} {one.mutant.place}  {one.mutant.edit.operator}  {one.seconds:.1f} s", end="")
        print(f"  {one.test}" if one.test else f"  {one.tests} tests", flush=True)
        if one.state in ("survived", "not run"):
            print(one.mutant.difference(copy), flush=True)

    drawn: dict[int, list[Mutant]] = {seed: [] for seed in options.seed}
    for name in options.area or AREAS:
        everything = mutants_of(name, copy, options.file)
        for seed in options.seed:
            drawn[seed] += choose(everything, options.count, seed)
        chosen = [one for one in dict.fromkeys(one for each in drawn.values() for one in each) if one.area == name]
        print(f"\n{name}: {len(chosen)} of {len(everything)} mutants", flush=True)
        if options.list:
            for mutant in chosen:
                print(f"{mutant.place}  {mutant.edit.operator}\n{mutant.difference(copy)}")
        elif chosen:
            run_area(copy, AREAS[name].tests.split(), chosen, report)
    if options.list:
        return 0
    states = {one.mutant: one.state for one in outcomes}
    return max([_summary(seed, {one: states[one] for one in each}) for seed, each in drawn.items()])


def _summary(seed: int, states: dict[Mutant, State]) -> int:
    """Print how many mutants of a seed were noticed, and return 1 if they are too few."""
    print(f"\nseed {seed}")
    for area in dict.fromkeys(one.area for one in states):
        counts = Counter(state for one, state in states.items() if one.area == area)
        print(f"{area:9}", ", ".join(f"{count} {state}" for state, count in counts.most_common()))
    noticed = sum(state in ("killed", "timed out", "crashed") for state in states.values())
    share = noticed / len(states) if states else 1.0
    print(f"{noticed} of {len(states)} noticed: {share:.1%}; {ENOUGH:.0%} are required")
    return 0 if share >= ENOUGH else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
