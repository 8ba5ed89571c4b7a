"""Single key presses at a terminal, without Enter where the terminal allows that."""

from __future__ import annotations

import os
import select
import signal
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from types import FrameType

    TerminalAttributes = list[int | list[bytes | int]]

END = "\x04"  # what Ctrl-D sends, and what stands for the end of the input
_ESCAPE = "\x1b"
_TOGETHER_SECONDS = 0.05  # within which the characters of one key come
_MOST_BYTES = 4  # of one character in UTF-8


class Keys(Protocol):
    """Where the answers of a person come from."""

    def read(self, prompt: str) -> str:
        """Show a prompt and return one character; `END` at the end of the input, nothing for a key without one."""

    def line(self, prompt: str) -> str | None:
        """Show a prompt and return one line; None at the end of the input."""

    def released(self) -> AbstractContextManager[None]:
        """Give the terminal back for the time that another program needs it."""


class PressedKeys:
    """Keys of a terminal that gives each of them at once."""

    def __init__(self, before: TerminalAttributes) -> None:
        self._file = sys.stdin.fileno()
        self._before = before  # as the terminal was: it edits and echoes whole lines

    def read(self, prompt: str) -> str:
        _show(prompt)
        key = self._character()
        if key == _ESCAPE:  # an arrow or function key: its other characters come with it, and none is an answer
            while select.select([self._file], [], [], _TOGETHER_SECONDS)[0] and os.read(self._file, 16):
                pass
            key = ""
        _show("\n" if key == END else f"{key if key.isprintable() else ''}\n")
        return key

    def _character(self) -> str:
        data = b""
        while len(data) < _MOST_BYTES:
            got = os.read(self._file, 1)
            if not got:
                return END
            data += got
            try:
                return data.decode()
            except UnicodeDecodeError:
                continue
        return "?"

    def line(self, prompt: str) -> str | None:
        with self.released():
            return _line(prompt)

    @contextmanager
    def released(self) -> Iterator[None]:
        import termios
        import tty

        termios.tcsetattr(self._file, termios.TCSADRAIN, self._before)
        try:
            yield
        finally:
            tty.setcbreak(self._file, termios.TCSADRAIN)


class TypedLines:
    """The first character of each line: where a terminal gives no single keys."""

    def read(self, prompt: str) -> str:
        typed = _line(prompt)
        return END if typed is None else typed.strip()[:1]

    def line(self, prompt: str) -> str | None:
        return _line(prompt)

    def released(self) -> AbstractContextManager[None]:
        return nullcontext()


@contextmanager
def keys() -> Iterator[Keys]:
    """Read keys until the end of the block; the terminal is then as it was, whatever happens."""
    if os.environ.get("TERM", "dumb") == "dumb" or not _has_single_keys():
        yield TypedLines()
        return
    import termios
    import tty

    before = termios.tcgetattr(sys.stdin.fileno())
    try:
        tty.setcbreak(sys.stdin.fileno(), termios.TCSADRAIN)
        yield PressedKeys(before)
    finally:
        termios.tcsetattr(sys.stdin.fileno(), termios.TCSADRAIN, before)


def _has_single_keys() -> bool:
    from importlib.util import find_spec

    return sys.stdin.isatty() and find_spec("termios") is not None


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Let a decision finish before Ctrl-C ends the command."""
    pressed: list[int] = []

    def note(number: int, _frame: FrameType | None) -> None:
        pressed.append(number)

    before = signal.signal(signal.SIGINT, note)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if pressed:
        raise KeyboardInterrupt


def _line(prompt: str) -> str | None:
    _show(prompt)
    try:
        typed = sys.stdin.readline()
    except UnicodeDecodeError:
        return ""
    return typed.rstrip("\r\n") if typed else None


def _show(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()
