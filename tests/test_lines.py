"""Lines at a terminal are wrapped with their indentation, and never in a pipe."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoro.cli.lines import cells, wrapped
from tests.command import clean_environment
from tests.conftest import Memoro, write_vault

words = st.lists(st.text(st.characters(categories=["L", "N", "P"]), min_size=1, max_size=12), min_size=1, max_size=30)
TEXT = "The allotment committee meets on the first Monday of the month in the hall behind the church, at eight."


@given(words=words, indent=st.integers(0, 8), mark=st.sampled_from(["", "- ", "12. "]), width=st.integers(30, 120))
def test_wrapping_keeps_words_width_and_indentation(words: list[str], indent: int, mark: str, width: int) -> None:
    line = " " * indent + mark + " ".join(words)
    first, *rest = wrapped(line, width).split("\n")
    assert all(cells(one) <= width for one in (first, *rest))
    assert "".join([first, *rest]).replace(" ", "") == line.replace(" ", "")
    assert first.startswith(" " * indent)
    assert all(one.startswith(" " * indent) for one in rest)


def test_a_list_item_continues_below_its_text() -> None:
    assert wrapped("   - green tea at four", 20, None) == "   - green tea at\n     four"
    assert wrapped("memories  green tea at four", 20, 10) == "memories  green tea\n          at four"


def at_terminal(width: int, *arguments: str) -> str:
    """What a command prints at a terminal of this width."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, width, 0, 0))
    process = subprocess.Popen(
        [sys.executable, "-m", "memoro", *arguments],
        stdin=subprocess.DEVNULL, stdout=theirs, stderr=subprocess.DEVNULL,
        env={**clean_environment(), "NO_COLOR": "1", "TERM": "dumb"},
    )  # fmt: skip
    os.close(theirs)
    shown = b""
    while True:
        try:
            block = os.read(ours, 65536)
        except OSError:  # Linux tells the end so
            break
        if not block:
            break
        shown += block
    process.wait(60)
    os.close(ours)
    return shown.decode().replace("\r\n", "\n")


@pytest.mark.process
@pytest.mark.parametrize("width", [60, 80, 120])
def test_no_line_is_wider_than_the_terminal_and_continuations_are_indented(
    width: int, memoro: Memoro, home: Path, vault: Path
) -> None:
    write_vault(vault, {"MEMORY.md": f"# Memory\n\n- {TEXT} ^one\n"})
    memoro("edit", "one", f"{TEXT} Always.", "--by", "helper")
    places = ("--home", str(home), "--vault", str(vault))
    for command in (["proposals"], ["search", "allotment", "--mode", "words"]):
        lines = at_terminal(width, *places, *command).split("\n")
        assert all(cells(line) <= width for line in lines), command
        assert any("allotment" in line for line in lines), command
        continued = [line for line in lines if line.strip() and line.lstrip()[:10] in TEXT]
        assert all(line.startswith("     ") for line in continued), command


@pytest.mark.process
def test_a_pipe_gets_whole_lines(memoro_process: Memoro, vault: Path) -> None:
    write_vault(vault, {"MEMORY.md": f"- {TEXT} {TEXT} ^one\n"})
    assert f"   one    {TEXT} {TEXT}\n" in memoro_process("entries").out
    assert f"   - {TEXT} {TEXT} ^one\n" in memoro_process("search", "allotment", "--mode", "words").out
