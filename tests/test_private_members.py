"""Tests use the public interface; the exceptions that reach into private members may only shrink."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

TESTS = Path(__file__).parent
# Private members by test file. Take a name out when its test no longer needs it; put none in.
ALLOWED: dict[str, set[str]] = {
    "logs.py": {"_rows"},
    "test_forget_bytes.py": {"_scrub_ledger"},
    "test_mcp.py": {"_access"},
    "test_memories.py": {"_move"},
    "test_serve.py": {"_poll_seconds"},
    "test_spaces.py": {"_changed"},
    "test_vector_contract.py": {"_changed", "_largest"},
    "test_writer_editors.py": {"_settle_after_failure"},
}
# Private by their name alone: of values in the standard library, and of other packages.
_NAMED_TUPLE = {"_replace", "_asdict", "_fields", "_make"}
_FOREIGN = {
    "test_docs.py": {"_actions", "_action_groups", "_choices_actions", "_group_actions", "_SubParsersAction"},
    "test_operations.py": {"_actions", "_SubParsersAction"},  # of argparse
    "test_langgraph.py": {"_data"},  # of LangGraph's own store, the oracle
    "test_triggers.py": {"_current_frames"},  # of sys
}
# Here a fault replaces what the code does, wherever that is.
_EXEMPT = {"planted.py"}


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__") and name not in _NAMED_TUPLE and name != "_"


def private_members(tree: ast.Module) -> Iterator[str]:
    """Names of private attributes of anything but `self`, imported, read, or patched by their name."""
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=ast.Name(id="self" | "cls")):
                continue
            case ast.Attribute(attr=name) if is_private(name):
                yield name
            case ast.ImportFrom(module=str(module), names=names) if module.split(".")[0] == "memoro":
                yield from (alias.name for alias in names if is_private(alias.name))
            case ast.Call(func=ast.Attribute(attr="setattr" | "delattr") | ast.Name(id="getattr" | "setattr")):
                texts = [one.value for one in node.args[:2] if isinstance(one, ast.Constant)]
                last = [text.rpartition(".")[2] for text in texts if isinstance(text, str)]
                yield from (name for name in last if is_private(name))


@cache
def found() -> dict[str, set[str]]:
    names = {}
    for file in sorted(TESTS.rglob("*.py")):
        if file.name not in _EXEMPT:
            met = set(private_members(ast.parse(file.read_text(encoding="utf-8"))))
            names[file.name] = met - _FOREIGN.get(file.name, set())
    return {file: met for file, met in names.items() if met}


def test_no_test_reaches_into_private_members() -> None:
    new = {file: met - ALLOWED.get(file, set()) for file, met in found().items()}
    assert {file: met for file, met in new.items() if met} == {}


def test_the_exceptions_are_still_needed() -> None:
    there = found()
    gone = {file: names - there.get(file, set()) for file, names in ALLOWED.items()}
    assert {file: names for file, names in gone.items() if names} == {}


def test_every_way_to_reach_a_private_member_is_seen() -> None:
    source = (
        "from memoro.index import _a\nx._b\nf()._c()\npatch.setattr(x, '_d', 1)\n"
        "patch.setattr('memoro.index._e', 1)\ngetattr(x, '_f')\nself._own\nx.__dict__\nx._replace(a=1)\n"
    )
    assert set(private_members(ast.parse(source))) == {"_a", "_b", "_c", "_d", "_e", "_f"}
