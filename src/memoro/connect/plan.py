"""What would change in which file, computed before anything is written; and then doing it."""

from __future__ import annotations

import difflib
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from memoro.connect import files
from memoro.connect.edits import Edited, Refused, without_pieces
from memoro.connect.hosts import Target

RECORD = "connections.json"  # in the home: what was put into which file
_LEFT = " is left as it is: "


class Put(NamedTuple):
    """What we have put into a file: taking it out again gives the file as it was, to the byte."""

    pieces: tuple[str, ...] = ()
    made: bool = False  # the file, by us
    folders: tuple[str, ...] = ()  # that we made for it


class Change(NamedTuple):
    """One file as it is and as it would be; None is no file."""

    file: str
    before: str | None
    after: str | None
    put: Put | None  # what is then known of it

    @property
    def diff(self) -> str:
        return "".join(_diff(self))


def connecting(target: Target, known: Put | None) -> Change | None:
    """What makes the file hold exactly the items of the target; None where it does."""
    with _named(target.file):
        before = files.read(target.file)
        if before is None and not target.items:
            return None
        text = before or ""
        if before is not None and target.syntax.holds(text, target.items, target.members):
            return None
        bare = _without_ours(text, target, known)
        edited = target.syntax.put(bare, target.items) if target.items else Edited(bare)
        made = before is None or bool(known and known.made)
        return _change(target.file, before, edited, Put(edited.pieces, made, known.folders if known else ()))


def disconnecting(target: Target, known: Put | None) -> Change | None:
    """What takes all of ours out of the file; None where there is nothing of it."""
    with _named(target.file):
        before = files.read(target.file)
        if before is None:
            return None
        bare = _without_ours(before, target, known)
        return _change(target.file, before, Edited(bare), Put((), bool(known and known.made), _folders(known)))


def _folders(known: Put | None) -> tuple[str, ...]:
    return known.folders if known else ()


def _change(file: str, before: str | None, edited: Edited, put: Put) -> Change | None:
    nothing_left = put.made and "".join(edited.text.split()) in ("", "{}")
    after = None if nothing_left else edited.text
    return None if after == before else Change(file, before, after, put)


def _without_ours(text: str, target: Target, known: Put | None) -> str:
    """The text as it was before we put anything in; where others have written there since, as near as can be."""
    syntax = target.syntax
    exact = without_pieces(text, known.pieces) if known and known.pieces else None
    if exact is not None and _is_left(exact, target):
        return exact
    if syntax.holds(text, (), target.members):
        return text
    taken = syntax.take(text, target.members)
    if not syntax.holds(taken, (), target.members):
        raise Refused("what Memoro had put into it cannot be told from the rest. Take it out by hand")
    return taken


def _is_left(text: str, target: Target) -> bool:
    """Whether the text is whole, and nothing of ours is in it any more."""
    try:
        return target.syntax.holds(text, (), target.members)
    except Refused:
        return False


def carry_out(home: str, changes: Sequence[Change]) -> None:
    """Write the files. What is put in is noted in the home before: what is noted and not there does no harm."""
    record = known(home)
    for change in changes:
        with _named(change.file):
            if change.after is None:
                files.remove(change.file, before=change.before or "")
                record.pop(change.file, None)
            else:
                if change.put:
                    record[change.file] = change.put
                    _write(home, record)
                made = files.write(change.file, change.after, before=change.before)
                if made and change.put:
                    record[change.file] = change.put._replace(folders=tuple(made))
                if change.put and not change.put.pieces:
                    record.pop(change.file, None)
            _write(home, record)
    files.remove_empty(folder for change in changes if change.after is None for folder in _folders(change.put))


def known(home: str) -> dict[str, Put]:
    """What was put into files from this home. Where that cannot be read, what is ours is told by what it is."""
    try:
        found = json.loads(files.read(os.path.join(home, RECORD)) or "{}")
        return {
            file: Put(tuple(put["pieces"]), bool(put["made"]), tuple(put["folders"]))
            for file, put in found["files"].items()
        }
    except (Refused, ValueError, KeyError, TypeError, AttributeError):
        return {}


def _write(home: str, record: dict[str, Put]) -> None:
    file = os.path.join(home, RECORD)
    with _named(file):
        before = files.read(file)
        text = json.dumps({"files": {name: put._asdict() for name, put in record.items()}}, indent=2) + "\n"
        if text != before and (record or before is not None):
            files.write(file, text, before=before)


def _diff(change: Change) -> Iterator[str]:
    before, after = (text.splitlines(keepends=True) if text else [] for text in (change.before, change.after))
    old = change.file if change.before is not None else "/dev/null"
    new = change.file if change.after is not None else "/dev/null"
    for line in difflib.unified_diff(before, after, old, new):
        shown = line.replace("\r\n", "\n")
        yield shown if shown.endswith("\n") else f"{shown}\n\\ No newline at end of file\n"


@contextmanager
def _named(file: str) -> Iterator[None]:
    """Puts the name of the file before the reason why it was refused."""
    try:
        yield
    except Refused as error:
        if _LEFT in str(error):  # it is named already
            raise
        raise Refused(f"{file}{_LEFT}{error}.") from error
