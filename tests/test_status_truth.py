"""`status` never promises what no sync can do."""

from __future__ import annotations

from pathlib import Path

import memoro as library
from tests.conftest import Memoro, write_vault


def test_a_note_that_cannot_be_read_is_a_problem_and_no_difference(memoro: Memoro, vault: Path) -> None:
    write_vault(vault, {"tea.md": "tea\n", "picture.md": b"\x89PNG\x00\x00binary", "was text.md": "words\n"})
    memoro("sync")
    (vault / "was text.md").write_bytes(b"\x00\x01\x02 no text any more")
    memoro("sync")
    for _ in range(2):
        told = memoro("status")
        assert "differs" not in told.out and "next sync" not in told.out
        assert "picture.md" in told.out and "was text.md" in told.out and "binary file" in told.out
        memoro("sync")
    assert memoro("status", "--json").json["dirty"] == []


def test_a_note_that_can_be_read_again_is_a_difference_until_the_next_sync(home: Path, vault: Path) -> None:
    write_vault(vault, {"tea.md": "tea\n", "picture.md": b"\x89PNG\x00\x00binary"})
    with library.open(home, vault) as m:
        m.sync()
        assert m.status().dirty == ()
        (vault / "picture.md").write_text("A text after all.\n")
        assert [one.path for one in m.status().dirty] == ["picture.md"]
        m.sync()
        assert m.status().dirty == () and m.status().problems == ()


def test_one_of_a_kind_is_not_called_many(memoro: Memoro, vault: Path) -> None:
    write_vault(vault, {"a.md": "tea"})
    assert "1 added; 1 note in 1 passage (" in memoro("sync").out
    shown = memoro("status").out
    assert "1 note in 1 passage\n" in shown and "(1 vector)" in shown
    memoro("memory", "store", "x")
    assert "  1 memory  " in memoro("backup", "list").out
