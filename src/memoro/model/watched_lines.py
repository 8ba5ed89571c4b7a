"""Lines that Memoro added to a note, judged by what became of the note: pure rules, no I/O.

An editor that loaded a note before Memoro added a line saves the note without that line. Such a save says nothing
about the line; a person who deletes a line wants it gone. `judge` tells the two apart as far as the bytes can:

- A line that stands in a note after somebody else saved it has been seen. It is its owner's from then on.
- A line that a sync saw standing `SEEN_AFTER_SECONDS` after it was added counts as seen too.
- A line that is gone while a line that was added later stands was deleted: that save was based on a later version.
- Every other line that a save took out may have been dropped by a save of an older version.
- A note that is gone or empty tells nothing yet: an editor may be about to write it. No stale save removes a note, so
  its lines are never proposed because it is gone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

from memoro.model.ledger import DROPPED, WatchedLine, note_state

# An editor with unsaved changes saves within minutes. Later than this, a line that goes was nearly always deleted.
SEEN_AFTER_SECONDS = 3600


class Judgement(NamedTuple):
    """The fate of watched lines; those in neither tuple stay watched."""

    released: tuple[WatchedLine, ...] = ()  # their owner has seen or deleted them
    dropped: tuple[WatchedLine, ...] = ()  # a save of an older version may have dropped them


def judge(lines: Sequence[WatchedLine], note: bytes | None, old: Collection[int] = ()) -> Judgement:
    """Return what a note says about all watched lines of it; `old` are entries added `SEEN_AFTER_SECONDS` ago."""
    if not note:
        return Judgement(released=tuple(one for one in lines if one.entry in old))
    state, stands = note_state(note), standing(note, [one.line for one in lines])
    last_standing = max((one.entry for one in lines if one.seen == state or stands(one.line)), default=0)
    released: list[WatchedLine] = []
    dropped: list[WatchedLine] = []
    for one in lines:
        if one.seen == state:
            if one.entry in old:
                released.append(one)
        elif stands(one.line):
            released.append(one)
        elif one.seen == DROPPED:  # judged when it went
            dropped.append(one)
        elif one.returned or one.entry < last_standing:
            released.append(one)
        else:
            dropped.append(one)
    return Judgement(tuple(released), tuple(dropped))


def standing(note: bytes, known: Sequence[str]) -> Callable[[str], bool]:
    """Return a test whether a line that Memoro wrote stands in a note: as it was, or in a line of its owner's.

    An entry is identified by its id, whatever its words have become. Other `known` lines of Memoro do not count.
    """
    lines = {one.rstrip("\r") for one in note.decode("utf-8", "replace").split("\n")}
    ids = {one.rstrip().rpartition(" ")[2] for one in lines}
    theirs = "\n".join(lines.difference(known))

    def stands(line: str) -> bool:
        marked = re.search(r" (\^[a-z][a-z0-9]{5})$", line)
        return marked[1] in ids if marked else line in lines or line in theirs

    return stands
