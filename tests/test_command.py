"""The command called in this process answers as a process of its own does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.conftest import Memoro, Result, run_memoro, run_process, write_vault

SEARCHES = (
    ("search", "--json", "green", "tea"),
    ("search", "--mode", "words", "nothing-holds-this"),
    ("search", "--no-such-option"),
    ("get", "nowhere.md"),
    ("no-such-command",),
    ("status", "--json"),
    ("context", "stats", "--json"),
    ("memory", "--help"),
)


def comparable(done: Result) -> Result:
    """The result without figures that differ between any two runs."""
    return done._replace(out=re.sub(r'"(took_ms|seconds|pid|db_bytes|bytes)": [\d.]+', r'"\1": …', done.out))


@pytest.mark.process
def test_a_call_and_a_process_give_the_same_answers(memoro: Memoro, memoro_process: Memoro, vault: Path) -> None:
    write_vault(
        vault,
        {"a.md": "green tea, Grüße und 記憶", "b\udcff.md".encode("utf-8", "surrogateescape").decode("latin-1"): "x"},
    )
    assert memoro("sync").code == 0
    for arguments in SEARCHES:
        called, process = (
            run(*arguments, stdin='[{"role": "user", "content": "tea"}]') for run in (memoro, memoro_process)
        )
        assert comparable(called) == comparable(process), arguments


def test_a_call_sees_none_of_the_callers_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MEMORO_VAULT", str(tmp_path))
    done = run_memoro("--home", str(tmp_path / "home"), "search", "tea")
    assert (done.code, done.out) == (3, "")
    assert "memoro init" in done.err


def test_a_command_that_ends_its_process_is_not_called_in_this_one() -> None:
    with pytest.raises(ValueError, match="run_process"):
        run_memoro("--home", "x", "hook", "claude")
    assert callable(run_process)
