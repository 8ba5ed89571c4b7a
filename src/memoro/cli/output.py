"""The output of the command line: escaped at a terminal, and filtered when an agent calls."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from typing import Any, TextIO, cast

from memoro.model.output_filter import OutputFilter


class EscapedTerminal:
    """A terminal that text cannot command: every line is written as `printable` has it."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream

    def write(self, text: str) -> int:
        from memoro.cli.show import printable

        return self.stream.write("\n".join(map(printable, text.split("\n"))))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


def safe(stream: TextIO) -> TextIO:
    """The stream itself in a pipe; at a terminal, one that escapes what would command it."""
    return cast(TextIO, EscapedTerminal(stream)) if stream.isatty() else stream


def unescaped(stream: TextIO) -> TextIO:
    """The terminal itself, for output that colours text which is `printable` already."""
    return stream.stream if isinstance(stream, EscapedTerminal) else stream


def agent_filter() -> OutputFilter | None:
    """The filter for an agent's commands: it is one that calls where MEMORO_AGENT names it."""
    if not os.environ.get("MEMORO_AGENT"):
        return None
    from memoro.model.secrets import known_values

    return OutputFilter(known_values(os.environ))


def run_filtered(work: Callable[[], int], filter: OutputFilter, *, as_json: bool) -> int:
    """Run a command, and print what an agent may read of its output and its errors."""
    out, errors = (io.TextIOWrapper(io.BytesIO(), "utf-8", errors="surrogateescape") for _ in range(2))
    try:
        with redirect_stdout(out), redirect_stderr(errors):
            return work()
    finally:
        sys.stdout.write(_filtered(_text(out), filter, as_json=as_json))
        sys.stderr.write(filter.text(_text(errors)))


def _text(captured: io.TextIOWrapper) -> str:
    captured.flush()
    written = cast(io.BytesIO, captured.buffer).getvalue()
    return written.decode("utf-8", "surrogateescape")


def _filtered(text: str, filter: OutputFilter, *, as_json: bool) -> str:
    if not as_json:
        return filter.text(text)
    import json

    from memoro import documents

    try:
        return documents.dumps(filter.value(json.loads(text))) + "\n"
    except ValueError:
        return filter.text(text)
