"""The shape of the code: sizes, types, names, and the calls that three everyday tasks make.

`MEMORO_COMPARE=FOLDER python -m benchmarks structure` prints another checkout beside this one.
"""

from __future__ import annotations

import ast
import json
import os
import statistics
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from benchmarks import measure
from benchmarks.walks import WALKS

ROOT = Path(__file__).parents[1]
ENGINES = ("apsw", "sqlite3", "psycopg")
LONG_FILE, MANY_PARAMETERS = 400, 5


class Module(NamedTuple):
    name: str  # below src/memoro, such as "search/rank.py"
    text: str
    tree: ast.Module

    @property
    def package(self) -> str:
        return self.name.split("/", maxsplit=1)[0].removesuffix(".py")


def run() -> None:
    checkouts = {"here": ROOT}
    if other := os.environ.get("MEMORO_COMPARE"):
        checkouts = {"there": Path(other), "here": ROOT}
    loaded = {name: modules(folder) for name, folder in checkouts.items()}
    measure.table(["figure", *checkouts], _rows({name: figures(found) for name, found in loaded.items()}))
    print()
    lines = {name: lines_by_package(found) for name, found in loaded.items()}
    packages = sorted(set().union(*lines.values()))
    rows = [[package, *(found[package] for found in lines.values())] for package in packages]
    measure.table(
        ["lines of code by package", *checkouts], [*rows, ["all", *(sum(f.values()) for f in lines.values())]]
    )
    print()
    walked = {name: walks(folder) for name, folder in checkouts.items()}
    measure.table(["walk", *checkouts], _rows(walked))


def _rows(found: dict[str, dict[str, object]]) -> list[list[object]]:
    names = list(next(iter(found.values())))
    return [[name, *(figures[name] for figures in found.values())] for name in names]


def modules(folder: Path) -> list[Module]:
    source = folder / "src" / "memoro"
    files = sorted(source.rglob("*.py"))
    return [Module(f.relative_to(source).as_posix(), (t := f.read_text()), ast.parse(t)) for f in files]


def figures(found: list[Module]) -> dict[str, object]:
    functions = [node for module in found for node in _functions(module.tree)]
    lengths = sorted((node.end_lineno or 0) - node.lineno + 1 for node in functions)
    twice = {name: count for name, count in Counter(_class_names(found)).items() if count > 1}
    return {
        "modules": len(found),
        "functions": len(functions),
        "function length, p50": statistics.median(lengths),
        "function length, p90": lengths[int(len(lengths) * 0.9)],
        "functions with more than five parameters": sum(_parameters(node) > MANY_PARAMETERS for node in functions),
        "files over 400 lines": sum(module.text.count("\n") > LONG_FILE for module in found),
        "modules outside store/ that import an engine": len(engine_users(found)),
        "lines with Any": sum(len(lines_with_any(module)) for module in found),
        "class names with more than one meaning": len(twice),
        "Callable annotations": sum(module.text.count("Callable[") for module in found),
    }


def _functions(tree: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def _parameters(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Parameters that a caller names; `self` and `cls` are none."""
    names = [argument.arg for argument in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
    return len([name for name in names if name not in ("self", "cls")])


def _class_names(found: list[Module]) -> list[str]:
    """Public classes. Two of one name mean two things."""
    nodes = (node for module in found for node in ast.walk(module.tree) if isinstance(node, ast.ClassDef))
    return [node.name for node in nodes if not node.name.startswith("_")]


def engine_users(found: list[Module]) -> list[str]:
    return [module.name for module in found if module.package != "store" and _imports_engine(module)]


def _imports_engine(module: Module) -> bool:
    imported = {
        name
        for node in ast.walk(module.tree)
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }
    return any(name.split(".")[0] in ENGINES or name.startswith("memoro.store.sqlite") for name in imported)


def lines_with_any(module: Module) -> set[int]:
    return {node.lineno for node in ast.walk(module.tree) if isinstance(node, ast.Name) and node.id == "Any"}


def lines_by_package(found: list[Module]) -> Counter[str]:
    """Lines that are neither blank nor a comment; docstrings count."""
    counted: Counter[str] = Counter()
    for module in found:
        lines = (line.strip() for line in module.text.splitlines())
        counted[module.package] += sum(bool(line) and not line.startswith("#") for line in lines)
    return counted


def walks(folder: Path) -> dict[str, object]:
    """Run the three walks with that checkout's code, each in a process of its own."""
    found: dict[str, object] = {}
    for name in WALKS:
        environment = {**os.environ, "PYTHONPATH": f"{folder / 'src'}{os.pathsep}{ROOT}"}
        command = [sys.executable, "-m", "benchmarks.walks", name]
        done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment, cwd=ROOT)
        counted = json.loads(done.stdout.splitlines()[-1])
        found |= {f"{name}: {what}": value for what, value in counted.items()}
    return found
