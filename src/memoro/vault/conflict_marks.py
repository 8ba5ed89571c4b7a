"""Notes in which a merge of git left its conflict marks."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memoro.errors import NoteUnwritable, VaultError
from memoro.model.notes import kind_of
from memoro.vault.files import VaultFiles

# In this order, each at the beginning of a line, as git writes them.
_CONFLICT = re.compile(rb"^<{7} .*?^={7}\r?$.*?^>{7} ", re.MULTILINE | re.DOTALL)


def conflicted_notes(vault: VaultFiles) -> list[str]:
    """Return the paths of notes with an unresolved conflict. Those that cannot be read are left out."""
    return [path for path in sorted(vault.list().files) if kind_of(path) == "note" and _is_conflicted(vault, path)]


def _is_conflicted(vault: VaultFiles, path: str) -> bool:
    try:
        data = vault.read(path).data
    except VaultError:
        return False
    return next(_conflicts(data), None) is not None


def _conflicts(data: bytes) -> Iterator[re.Match[bytes]]:
    return _CONFLICT.finditer(data) if b"<<<<<<< " in data else iter(())


def refuse_conflicted(path: str, data: bytes | None) -> None:
    """Raise NoteUnwritable where a note has an unresolved conflict.

    Whoever keeps one of its sides, or takes the file of one side, loses what was written into the note meanwhile.
    """
    held = data or b""
    found = [f"{_line(held, one.start())} to {_line(held, one.end())}" for one in _conflicts(held)]
    if found:
        raise NoteUnwritable(
            f"{path} was not written: its lines {' and '.join(found)} are an unresolved conflict of git. Open it in "
            "your editor, keep the lines that hold, delete the marks (<<<<<<<, ======= and >>>>>>>), and run the "
            "command again. Nothing was changed."
        )


def _line(data: bytes, position: int) -> int:
    return data.count(b"\n", 0, position) + 1
