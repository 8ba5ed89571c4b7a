"""Lines that a save of an older version dropped: put back once, and left alone from then on."""

from __future__ import annotations

from contextlib import suppress

from memoro.errors import VaultError
from memoro.model.ledger import DROPPED, WatchedLine, note_state
from memoro.notes.entry_files import decoded
from memoro.notes.journaled_writer import JournaledWriter, NoteWrite, standing
from memoro.vault import entries as bullets

BY = "sync"


def put_back(journaled: JournaledWriter) -> list[str]:
    """Look at the lines that we added and others may not have seen; the paths of the notes that got one back.

    An editor that had a note open before we wrote to it saves what it had. A line that is dropped a second
    time was deleted by its owner, and so was one that had survived a save of theirs: those stay deleted.
    """
    journaled.settle()
    with journaled.access.ledger.reading() as tx:
        paths = dict.fromkeys(one.path for one in tx.lines.all())
    returned = []
    for path in paths:
        with suppress(VaultError):  # a note that cannot be written keeps no other from being looked at
            if _put_back(journaled, path):
                returned.append(path)
    return returned


def _put_back(journaled: JournaledWriter, path: str) -> bool:
    dropped: list[WatchedLine] = []

    def change(now: bytes | None) -> bytes | None:  # alone with the note, so that nobody of us writes meanwhile
        dropped[:] = _dropped(journaled, path, now)
        after = now
        for one in dropped:
            after = _with(after, path, one.line)
        return after

    wanted = NoteWrite("return", path, BY, returned=lambda: [one.entry for one in dropped])
    written = journaled.write(wanted, change).written
    return written.before != written.after


def _dropped(journaled: JournaledWriter, path: str, now: bytes | None) -> list[WatchedLine]:
    """Those that are to be put back; of the others, those that are their owner's by now are looked after no longer.

    A note that is gone or empty may be about to be written anew: the next sync looks again.
    """
    with journaled.access.ledger.reading() as tx:
        lines = tx.lines.in_note(path)
        busy = any(tx.journal.get(entry).item == path for entry in tx.pending.all())
    if busy or not now:
        return []
    as_now = note_state(now)
    saved = all(one.seen != as_now for one in lines)  # by others, since the last write of ours
    stands = standing(now, [one.line for one in lines])
    dropped: list[WatchedLine] = []
    left: list[WatchedLine] = []
    for one in lines:
        if one.seen == DROPPED or saved:
            (left if stands(one.line) or one.returned else dropped).append(one)
    if left:
        with journaled.access.ledger.writing() as tx:
            for one in left:
                tx.lines.unwatch(one.entry)
    return dropped


def _with(before: bytes | None, path: str, line: str) -> bytes:
    text, mark = decoded(before or b"", path)
    entry = next(iter(bullets.entries(line)), None)
    if entry and entry.marked:
        return mark + bullets.add(text, entry.text, own=entry.id).text.encode()
    newline = "\r\n" if text.count("\r\n") * 2 > text.count("\n") else "\n"
    return mark + f"{text}{'' if not text or text.endswith(chr(10)) else newline}{line}{newline}".encode()
