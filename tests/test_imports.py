"""Imports point downward only, and the way to a first answer stays short."""

from __future__ import annotations

import ast
import gc
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src" / "memoro"

# Layers, and the steps of one layer, import downward only; modules of one step may import each other.
NAMED_LAYERS = {
    "surfaces": [{"cli", "__main__"}, {"serve", "mcp", "adapters", "api", "page"}],
    "operations": [{"operations"}, {"hooks", "connect"}, {"demo", "documents", "evaluate", "testing", "__init__"}],
    "facade": [
        {"opening"},
        {"workspace"},
        {
            "wiring",
            "day_reading",
            "target_operations",
            "target_forgetting",
            "repetitions",
            "health",
            "health_glance",
            "kept_spaces",
            "model_probing",
            "home_numbers",
        },
        {"provider_checks", "embedding_status", "language_status", "ledger_status"},
        {"home_checks"},
    ],
    "services": [
        {"unasked"},
        {"recall", "conversation"},
        {"notes", "curate"},
        {"ledger", "memories", "experiences", "sessions"},
    ],
    "engine": [{"search", "index"}],
    "ports": [{"home_context"}, {"config"}, {"vault", "store"}, {"transcripts", "providers", "hosts"}],
    "model": [{"model"}, {"errors"}],
}
LAYERS = [step for steps in NAMED_LAYERS.values() for step in steps]
# One package of a step that must not know another of the same step. `ledger.lazy` opens the services over the ledger.
STRANGERS = {("vault", "store"), ("store", "vault"), ("search", "index"), ("index", "search")}
STRANGERS |= {("memories", "experiences"), ("memories", "sessions"), ("experiences", "sessions")}
STRANGERS |= {("sessions", "experiences"), ("sessions", "memories")}
HEAVY = {"rich", "watchfiles", "yaml", "hashlib", "dataclasses", "pathlib", "inspect", "subprocess", "tempfile"}
HEAVY |= {"numpy", "simsimd", "datetime", "memoro.store.changes", "psycopg"}


def layer(module: str) -> int:
    name = module.removeprefix("memoro").removeprefix(".").split(".")[0] or "__init__"
    return next(i for i, names in enumerate(LAYERS) if name in names)


@cache
def parsed(file: Path) -> ast.Module:
    """Without collecting garbage: what runs meanwhile makes `ast` of Python 3.11 miscount (gh-106905)."""
    gc.disable()
    try:
        return ast.parse(file.read_text())
    finally:
        gc.enable()


def imports(file: Path) -> list[str]:
    """What a module imports from this project at run time; what only types need is free."""
    found = []
    for node in at_run_time(parsed(file)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "memoro":
            inner = (
                [f"memoro.{alias.name}" for alias in node.names] if node.module == "memoro" else [node.module or ""]
            )
            found += [name for name in inner if name != "memoro.__version__"]
        elif isinstance(node, ast.Import):
            found += [alias.name for alias in node.names if alias.name.startswith("memoro.")]
    return found


def at_run_time(tree: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a tree, but for those that only a type checker reads."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if not (isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"):
            yield node
            waiting += ast.iter_child_nodes(node)


MODULES = sorted(SOURCE.rglob("*.py"))


def test_imports_point_downward_only() -> None:
    wrong = []
    for file in MODULES:
        module = file.relative_to(SOURCE)
        own = module.parts[0].removesuffix(".py")
        for name in imports(file):
            other = name.split(".")[1] if "." in name else "__init__"
            if layer(name) < layer(f"memoro.{own}"):
                wrong.append(f"{module} imports {name}, which is above it")
            if (own, other) in STRANGERS:
                wrong.append(f"{module} must not know {other}")
    assert wrong == []


def test_every_module_of_the_package_has_a_layer() -> None:
    names = {file.relative_to(SOURCE).parts[0].removesuffix(".py") for file in MODULES}
    assert names == set().union(*LAYERS)


@pytest.mark.process
@pytest.mark.parametrize("command", [["--help"], ["search", "--mode", "words", "green tea"]], ids=["help", "search"])
def test_a_first_answer_loads_nothing_heavy(command: list[str], tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    vault.mkdir()
    (vault / "a.md").write_text("green tea")
    time.sleep(2.1)  # a note younger than this is read again, and reading loads the parsers
    places = ["--home", str(tmp_path / "home"), "--vault", str(vault)]
    subprocess.run([sys.executable, "-m", "memoro", *places, "sync"], check=True, capture_output=True)
    # A NamedTuple makes a ForwardRef of each annotation that is a string, and compiles it.
    script = (
        "import sys, typing; made = []; init = typing.ForwardRef.__init__;"
        "typing.ForwardRef.__init__ = lambda self, text, *a, **k: (made.append(text), init(self, text, *a, **k))[1];"
        "from memoro.cli import main; code = main(sys.argv[1:]);"
        f"print('LOADED', code, sorted({HEAVY!r} & set(sys.modules)), made)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, *places, *command], capture_output=True, text=True, check=True
    )
    assert "LOADED 0 [] []" in done.stdout


@pytest.mark.process
def test_a_home_that_keeps_its_own_ledger_never_loads_the_driver_of_postgres(tmp_path: Path) -> None:
    commands = [["memory", "store", "tea"], ["memory", "query", "tea"], ["status"], ["doctor"], ["config", "show"],
                ["recall", "tea"], ["log"], ["backup", "create"]]  # fmt: skip
    script = (
        "import sys; from memoro.cli import main;"
        f"codes = [main(['--home', {str(tmp_path / 'home')!r}, *one]) for one in {commands!r}];"
        "print('LOADED', codes, [name for name in sys.modules if 'psycopg' in name or 'store.postgres' in name])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert f"LOADED {[0] * len(commands)} []" in done.stdout


def test_only_the_vaults_own_class_opens_files_by_vault_paths() -> None:
    """Elsewhere below the surfaces, nothing is opened by name but settings, the model and files of the home."""
    allowed = {
        "vault/contents.py",
        "vault/files.py",
        "vault/walk.py",
        "vault/writer.py",
        "vault/slot.py",
        "config/edit.py",
        "config/projects.py",  # .git of a working folder
        "config/reading.py",
        "connect/files.py",
        "hooks/spool.py",
        "hooks/unended.py",  # of the home
        "ledger/backups.py",
        "ledger/exchange/files.py",
        "ledger/moving.py",  # of the home
        "notes/services.py",
        "operations/exchange.py",
        "providers/builtin/model.py",
        "providers/downloads.py",  # `models/` of the home
        "providers/keys.py",
        "providers/local_models.py",
        "providers/model_source.py",
        "serve/token.py",
    }
    for file in MODULES:
        name = str(file.relative_to(SOURCE))
        if name in allowed or name.startswith(("cli/", "demo/", "store/")):
            continue
        for node in ast.walk(parsed(file)):
            if isinstance(node, ast.Call):
                target = ast.unparse(node.func)
                assert target not in {"open", "os.open", "io.open", "Path.read_bytes"}, f"{name}: {target}"


# Built once for each file of a vault, where keywords would cost a millisecond of every start; or the rows of a table.
POSITIONAL = {"vault/contents.py", "store/sqlite/index_queries.py", "store/postgres/tables.py"}


def test_values_of_more_than_three_fields_are_built_by_keyword() -> None:
    trees = {str(file.relative_to(SOURCE)): parsed(file) for file in MODULES}
    classes = [node for tree in trees.values() for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    values = {node.name for node in classes if any(ast.unparse(one) == "NamedTuple" for one in node.bases)}
    for name, tree in trees.items():
        for node in ast.walk(tree) if name not in POSITIONAL else ():
            if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in values:
                spread = any(isinstance(one, ast.Starred) for one in node.args)
                assert spread or len(node.args) <= 3, f"{name}:{node.lineno}"
