"""Choose mutants by a seed: as many of each area, spread over its kinds of edit and its files."""

from __future__ import annotations

import difflib
import random
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from tools.mutants.areas import AREAS, EQUIVALENT, Area
from tools.mutants.making import Edit, edited, edits


class Mutant(NamedTuple):
    area: str
    path: str  # from the root of the project
    edit: Edit

    @property
    def place(self) -> str:
        return f"{self.path}:{self.edit.line}"

    def source(self, root: Path) -> str:
        return edited((root / self.path).read_text(encoding="utf-8"), self.edit)

    def difference(self, root: Path) -> str:
        before = (root / self.path).read_text(encoding="utf-8")
        lines = difflib.unified_diff(before.splitlines(), edited(before, self.edit).splitlines(), lineterm="", n=1)
        return "\n".join(list(lines)[2:])


def files_of(area: Area, root: Path) -> dict[str, str]:
    """Return the files that an area names, each with the function that is meant alone, or with nothing."""
    found: dict[str, str] = {}
    for pattern in area.rules.split():
        glob, _, function = pattern.partition(":")
        paths = sorted((root / "src/memoro").glob(glob))
        if not paths:
            raise SystemExit(f"No file matches {pattern}")
        found |= {path.relative_to(root).as_posix(): function for path in paths}
    return found


def mutants_of(name: str, root: Path, only: Sequence[str] = ()) -> list[Mutant]:
    """Return all mutants of an area, or of the files of it that are named, without those known as equivalent."""
    return [
        Mutant(name, path, edit)
        for path, function in files_of(AREAS[name], root).items()
        if not only or any(path.endswith(one) for one in only)
        for edit in _sound_edits(path, (root / path).read_text(encoding="utf-8"))
        if not function or (edit.function and edit.function[0] == function)
    ]


def _sound_edits(path: str, source: str) -> list[Edit]:
    lines = source.split("\n")
    marks = EQUIVALENT.get(path, {})
    return [edit for edit in edits(source) if not any(mark in lines[edit.line - 1] for mark in marks)]


def choose(mutants: Sequence[Mutant], count: int, seed: int) -> list[Mutant]:
    """Return so many mutants: the kinds of edit take turns, and each takes a file at random, then a place in it."""
    draw = random.Random(f"{seed} {mutants[0].area if mutants else ''}")
    kinds: dict[str, dict[str, list[Mutant]]] = defaultdict(lambda: defaultdict(list))
    for one in mutants:
        kinds[one.edit.operator][one.path].append(one)
    chosen: list[Mutant] = []
    places: set[str] = set()
    order = sorted(kinds)
    draw.shuffle(order)
    while len(chosen) < count and kinds:
        for kind in [one for one in order if one in kinds]:
            files = kinds[kind]
            path = draw.choice(sorted(files))
            one = files[path].pop(draw.randrange(len(files[path])))
            if not files[path]:
                del files[path]
            if not files:
                del kinds[kind]
            if one.place not in places and len(chosen) < count:
                places.add(one.place)
                chosen.append(one)
    return chosen
