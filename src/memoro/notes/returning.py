"""Lines that a save of an older version dropped: put back once, and left alone from then on."""

from __future__ import annotations

from collections.abc import Sequence

from memoro.notes.entries import decoded
from memoro.notes.scribe import Scribe
from memoro.store.sqlite.ledger.notes import Line, seen
from memoro.vault import entries as bullets


def put_back(scribe: Scribe) -> list[str]:
    """Look at the lines that we added and others may not have seen; the paths of the notes that got one back.

    An editor that had a note open before we wrote to it saves what it had. A line that is dropped a second
    time was deleted by its owner, and so was one that had survived a save of theirs: those stay deleted.
    """
    with scribe.book.ledger.reading() as pages:
        lines = pages.notes.looked_after()
    paths = dict.fromkeys(one.path for one in lines)
    return [path for path in paths if _put_back(scribe, path, [one for one in lines if one.path == path])]


def _put_back(scribe: Scribe, path: str, lines: Sequence[Line]) -> bool:
    now = scribe.bytes_of(path) or b""
    if seen(now) == lines[-1].seen:  # nobody else has saved it since
        return False
    dropped = [one for one in lines if one.line.encode() not in now and not one.returned]
    with scribe.book.ledger.writing() as pages:  # before it is done: a crash must not do it twice
        for one in lines:
            if one in dropped:
                pages.notes.put_back(one.entry, b"")
            else:
                pages.notes.leave(one.entry)
    for one in dropped:
        scribe.pen.change(path, lambda before, line=one.line: _with(before, path, line))  # type: ignore[misc]
    after = seen(scribe.bytes_of(path) or b"")
    with scribe.book.ledger.writing() as pages:
        for one in dropped:
            pages.notes.put_back(one.entry, after)
    return bool(dropped)


def _with(before: bytes | None, path: str, line: str) -> bytes:
    if before and line.encode() in before:
        return before
    text, mark = decoded(before or b"", path)
    entry = next(iter(bullets.entries(line)), None)
    if entry and entry.marked:
        return mark + bullets.add(text, entry.text, own=entry.id).text.encode()
    return mark + (f"{text}{'' if not text or text.endswith(chr(10)) else chr(10)}{line}\n").encode()
