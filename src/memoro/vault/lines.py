"""Name and read exact lines of a note: `PATH`, `PATH:LINE`, `PATH:FROM-TO`, or an id from a search."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from memoro.errors import NoteNotFound
from memoro.model.answers import ShownTurn, Text
from memoro.model.notes import NOTHING_HIDDEN, Hidden, Note, kind_of, locator_of
from memoro.model.secrets import redact
from memoro.model.vocabulary import Tier
from memoro.vault.encoding import decode
from memoro.vault.files import VaultFiles
from memoro.vault.markdown import parse, split_lines, with_project

if TYPE_CHECKING:
    from memoro.transcripts.ports import Turn

FORGOTTEN_TURN = "(a forgotten message)"
PRIVATE_TURN = "(a private message)"

_id = re.compile(r"(?:note|transcript):(.+)#([0-9a-f]{8,64})\.(\d{1,9})", re.DOTALL)
_range = re.compile(r"(.+):(\d{1,9})(?:-(\d{1,9}))?", re.DOTALL)


class Range(NamedTuple):
    first: int
    last: int


def parse_id(target: str) -> tuple[str, str, int]:
    found = _id.fullmatch(target)
    if not found:
        raise NoteNotFound(f"{target!r} is not the id of a passage (note:PATH#HASH.N or transcript:PATH#HASH.N).")
    return found[1], found[2], int(found[3])


def parse_target(target: str, is_note: Callable[[str], bool]) -> tuple[str, Range | None]:
    """Return the path and the lines of a target. A note whose name ends like a range is taken by its name."""
    path = target.removeprefix("note:").removeprefix("transcript:").removeprefix("./")
    found = _range.fullmatch(path)
    if not found or is_note(path):
        return path, None
    first = int(found[2])
    return found[1], Range(first, int(found[3]) if found[3] else first)


class LineRequest(NamedTuple):
    """Lines to read: the target as its caller wrote it, the path and the lines it names, and turns around them."""

    target: str
    path: str
    range: Range | None  # None: the whole file
    around: int = 0  # of a conversation: turns before and after
    hidden: Hidden = NOTHING_HIDDEN  # of a conversation: what its owner has forgotten
    without_private: bool = False  # of a conversation: a placeholder for each private message, and for its answers


def read(
    vault: VaultFiles, request: LineRequest, known: tuple[Tier, Note] | None, shown: Callable[[str], str] = str
) -> Text:
    """Return the lines as they are on disk now, with the tier and metadata that the index knows for the path.

    `shown` makes a whole note what its reader may see, with as many lines, before lines are cut out of it.
    """
    if kind_of(request.path) == "transcript":
        return _read_log(vault, request, known[1] if known else None)
    target, path, wanted = request.target, request.path, request.range
    content = vault.read(path)
    text, _ = decode(content.data)
    lines = split_lines(shown(text))
    chosen = wanted or Range(1, max(1, len(lines)))
    if not 1 <= chosen.first <= chosen.last:
        raise NoteNotFound(f"{target!r}: lines are counted from 1, and the first comes before the last.")
    if chosen.first > max(1, len(lines)):
        raise NoteNotFound(f"{path} has {len(lines)} lines; there is no line {chosen.first}.")
    last = min(chosen.last, max(1, len(lines)))
    kind = kind_of(path)
    tier, note = known or ("note", with_project(parse(text, path).note, path))
    return Text(
        id=target if target.startswith(f"{kind}:") else f"{kind}:{path}",
        kind=kind,
        tier=tier,
        path=path,
        start_line=chosen.first,
        end_line=last,
        title=note.title,
        date=note.date,
        tags=note.tags,
        aliases=note.aliases,
        links=note.links,
        text="\n".join(lines[chosen.first - 1 : last]),
        agent=note.agent,
        project=note.project,
    )


def _read_log(vault: VaultFiles, request: LineRequest, known: Note | None) -> Text:
    """Return the turns in these lines, or with these message numbers, as a person reads them."""
    from memoro.transcripts.private_turns import private_turns
    from memoro.vault import logs  # imported here: both bring all transcript readers

    target, path, wanted, around = request.target, request.path, request.range, request.around
    turns = list(logs.turns(vault, path))
    last = max((turn.line for turn in turns), default=1)
    chosen = wanted or Range(1, last)
    if not 1 <= chosen.first <= chosen.last:
        raise NoteNotFound(
            f"{target!r}: {locator_of(path)}s are counted from 1, and the first comes before the last."
        )
    numbers = [i for i, turn in enumerate(turns) if chosen.first <= turn.line <= chosen.last]
    if not numbers and wanted:
        raise NoteNotFound(f"{path} has no message there; the last one is {locator_of(path)} {last}.")
    private = private_turns(turns) if request.without_private else frozenset()
    near = range(max(0, numbers[0] - around), min(len(turns), numbers[-1] + 1 + around)) if numbers else range(0)
    # Only what is shown is looked through for secrets: that takes longer than to read the log.
    readable = {i: PRIVATE_TURN if i in private else _readable(turns[i], request.hidden) for i in near}
    note = known or Note(title=path.rpartition("/")[2])
    return Text(
        id=target if target.startswith("transcript:") else f"transcript:{path}",
        kind="transcript",
        tier="transcript",
        path=path,
        start_line=chosen.first,
        end_line=min(chosen.last, last),
        title=note.title,
        date=note.date,
        tags=(),
        aliases=(),
        links=(),
        text="\n".join(f"{turns[i].speaker}: {readable[i]}" for i in numbers),
        locator=locator_of(path),
        agent=note.agent,
        project=note.project,
        around=tuple(_shown(turns[i], readable[i]) for i in near) if around > 0 else (),
    )


def _shown(turn: Turn, text: str) -> ShownTurn:
    return ShownTurn(speaker=turn.speaker, text=text, line=turn.line, date=turn.date)


def _readable(turn: Turn, hidden: Hidden) -> str:
    """Return what may be read of a turn: nothing that was forgotten, which the log still has, and no secrets."""
    return FORGOTTEN_TURN if hidden.covers(turn.speaker, turn.text) else redact(turn.text).text
