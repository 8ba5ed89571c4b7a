"""Only `store/` knows which database keeps the ledger and the index."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.test_imports import MODULES, SOURCE, parsed

# Readers of other programs' databases, which are SQLite files.
READERS = {"transcripts/ports.py", "transcripts/opencode.py", "transcripts/openclaw.py", "vault/logs.py"}
# Texts for people, and patterns by which files of other programs are recognised.
NAMES_A_FILE = {
    "errors.py": {"embeddings.db"},
    "config/settings.py": {"embeddings.db"},
    "cli/memories.py": {"ledger.db", "archive.db"},
    "vault/files.py": {"copy.db"},
    "hosts/opencode.py": {"opencode*.db"},
    "index/logs.py": {".db"},
}
SQL = re.compile(r"\s*(SELECT|INSERT|UPDATE|DELETE|REPLACE|WHERE|PRAGMA|CREATE TABLE|ALTER TABLE|VACUUM|BEGIN)\s")
FILE_NAME = re.compile(r"[\w*-]*\.db\b(?!\.)")
OUTSIDE = [file for file in MODULES if not str(file.relative_to(SOURCE)).startswith("store/")]


def name_of(file: Path) -> str:
    return str(file.relative_to(SOURCE))


def texts(file: Path) -> Iterator[str]:
    """Every text literal of a module, also the fixed parts of f-strings."""
    for node in ast.walk(parsed(file)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def engines(file: Path) -> Iterator[str]:
    """What a module imports of a database, for types or for use."""
    for node in ast.walk(parsed(file)):
        named = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        named += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        yield from (one for one in named if one.split(".")[0] in ("apsw", "sqlite3") or ".store.sqlite" in one)


def test_nothing_outside_the_store_knows_its_database() -> None:
    wrong = []
    for file in OUTSIDE:
        name, said = name_of(file), list(texts(file))
        if name in READERS:
            continue
        wrong += [f"{name} imports {engine}" for engine in engines(file)]
        wrong += [f"{name} holds SQL: {text}" for text in said if SQL.match(text)]
        named = {found for text in said for found in FILE_NAME.findall(text)}
        if named != NAMES_A_FILE.get(name, set()):
            wrong.append(f"{name} names files of a database: {sorted(named)}")
    assert wrong == []


def test_the_test_notices_each_of_these(tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text(
        "import apsw\nfrom memoro.store.sqlite.engine import connect\n"
        "query = f'WHERE id = {1}'\nfile = f'{home}/ledger.db'\n"
    )
    assert list(engines(module)) == ["apsw", "memoro.store.sqlite.engine"]
    assert [text for text in texts(module) if SQL.match(text)] == ["WHERE id = "]
    assert [found for text in texts(module) for found in FILE_NAME.findall(text)] == ["ledger.db"]
