"""The command `memoro`, called in this process or started as a process of its own."""

from __future__ import annotations

import gc
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from typing import Any, NamedTuple

from memoro.cli import main


class Result(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Memoro = Callable[..., Result]


def clean_environment() -> dict[str, str]:
    """The environment without the caller's Memoro settings."""
    return {key: value for key, value in os.environ.items() if not key.startswith("MEMORO_")}


def run_memoro(
    *arguments: str, env: Mapping[str, str] | None = None, stdin: str = "", joined: bool = False
) -> Result:
    """Call the command's `main` in this process, and return what it wrote and its exit code.

    `joined` puts standard error into `out`, in the order of writing, as `2>&1` does.

    An exception that a process would print as a traceback is raised here. Use `run_process` where
    the process itself is tested: signals, terminals, locks between processes, memory, start-up.
    """
    if "hook" in arguments[:5]:
        raise ValueError("`memoro hook` ends its process: use run_process")
    out = _stream()
    err = out if joined else _stream()
    threshold = gc.get_threshold()
    with _environment({**clean_environment(), **(env or {})}), _stdin(stdin):
        try:
            with redirect_stdout(out), redirect_stderr(err):
                code = main(list(arguments))
        except SystemExit as stopped:
            code = int(stopped.code or 0)
        finally:
            gc.set_threshold(*threshold)  # `main` raises it, for a process that ends soon
    return Result(code, _text(out), "" if joined else _text(err))


def run_process(
    *arguments: str, env: Mapping[str, str] | None = None, timeout: float = 60.0, stdin: str = ""
) -> Result:
    """Run the real command in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "memoro", *arguments],
        capture_output=True,
        text=True,
        env={**clean_environment(), "PYTHONWARNINGS": "error", **(env or {})},
        timeout=timeout,
        input=stdin,
        check=False,
    )
    return Result(done.returncode, done.stdout, done.stderr)


def _stream() -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="", write_through=True)


def _text(stream: io.TextIOWrapper) -> str:
    stream.flush()
    buffer = stream.buffer
    assert isinstance(buffer, io.BytesIO)
    return buffer.getvalue().decode("utf-8")


@contextmanager
def _environment(wanted: Mapping[str, str]) -> Iterator[None]:
    before = dict(os.environ)
    os.environ.clear()
    os.environ.update(wanted)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


@contextmanager
def _stdin(text: str) -> Iterator[None]:
    before = sys.stdin
    sys.stdin = io.TextIOWrapper(io.BytesIO(text.encode("utf-8")), encoding="utf-8")
    try:
        yield
    finally:
        sys.stdin = before
