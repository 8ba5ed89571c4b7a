"""Edits of settings files: computed first as values, then written, and recorded in the home for the way back."""

from __future__ import annotations

import difflib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple

from memoro.connect import files
from memoro.connect.editors import EDITORS, Editor
from memoro.connect.edits import EditedText, UneditableSettings, without_pieces
from memoro.errors import MemoroError, StorageFull
from memoro.hosts.settings import SettingsFile

RECORD = "connections.json"  # in the home: the insertions by file
_UNCHANGED = " is left unchanged: "


class Insertion(NamedTuple):
    """The pieces that Memoro inserted into a file. Removing them restores the file byte for byte."""

    pieces: tuple[str, ...] = ()
    made: bool = False  # Memoro created the file
    folders: tuple[str, ...] = ()  # that Memoro created for it


class FileEdit(NamedTuple):
    """The text of one file before and after; None is no file."""

    file: str
    before: str | None
    after: str | None
    insertion: Insertion  # what the record will say about the file

    @property
    def diff(self) -> str:
        return "".join(_diff(self))


def connecting_edit(settings: SettingsFile, known: Insertion | None) -> FileEdit | None:
    """Return the edit after which the file holds exactly these items; None where it does already."""
    editor = EDITORS[settings.syntax]
    with _naming(settings.file):
        before = files.read(settings.file)
        if before is None and not settings.items:
            return None
        text = before or ""
        if before is not None and editor.holds(text, settings.items, settings.members):
            return None
        bare = _without_ours(text, settings, known)
        edited = editor.insert(bare, settings.items) if settings.items else EditedText(bare)
        made = before is None or bool(known and known.made)
        return _edit(settings.file, before, edited, Insertion(edited.pieces, made, known.folders if known else ()))


def disconnecting_edit(settings: SettingsFile, known: Insertion | None) -> FileEdit | None:
    """Return the edit that removes everything of Memoro from the file; None where there is nothing."""
    with _naming(settings.file):
        before = files.read(settings.file)
        if before is None:
            return None
        bare = _without_ours(before, settings, known)
        left = (known or Insertion())._replace(pieces=())
        return _edit(settings.file, before, EditedText(bare), left)


def _edit(file: str, before: str | None, edited: EditedText, insertion: Insertion) -> FileEdit | None:
    nothing_left = insertion.made and "".join(edited.text.split()) in ("", "{}")
    after = None if nothing_left else edited.text
    return None if after == before else FileEdit(file=file, before=before, after=after, insertion=insertion)


def _without_ours(text: str, settings: SettingsFile, known: Insertion | None) -> str:
    """Return the text before Memoro's insertion; if others have edited the same lines since, as near as possible."""
    editor = EDITORS[settings.syntax]
    exact = without_pieces(text, known.pieces) if known and known.pieces else None
    if exact is not None and _is_without_ours(editor, exact, settings):
        return exact
    if editor.holds(text, (), settings.members):
        return text
    bare = editor.remove(text, settings.members)
    if not editor.holds(bare, (), settings.members):
        raise UneditableSettings("Memoro's entries cannot be distinguished from the others. Remove them by hand")
    return bare


def _is_without_ours(editor: Editor, text: str, settings: SettingsFile) -> bool:
    try:
        return editor.holds(text, (), settings.members)
    except UneditableSettings:
        return False


def carry_out(home: str, edits: Sequence[FileEdit]) -> tuple[str, ...]:
    """Write the files; return a sentence if they are written, but the record is not.

    The record of an insertion is written first, and that of a removal afterwards: a recorded insertion that is not
    in the file does no harm.
    """
    record = insertions(home)
    _set_aside_damaged(home)
    unrecorded: tuple[str, ...] = ()
    for edit in edits:
        with _naming(edit.file):
            if edit.insertion.pieces:
                record[edit.file] = edit.insertion
                _write_record(home, record)
            created = _write_edit(edit)
        if created and edit.insertion.pieces:
            record[edit.file] = edit.insertion._replace(folders=tuple(created))
        elif not edit.insertion.pieces:
            record.pop(edit.file, None)
        try:
            _write_record(home, record)
            unrecorded = ()
        except MemoroError as error:
            unrecorded = (_unrecorded(home, error),)
    files.remove_empty(folder for edit in edits if edit.after is None for folder in edit.insertion.folders)
    return unrecorded


def _unrecorded(home: str, error: MemoroError) -> str:
    why = "no space is left for it" if isinstance(error, StorageFull) else str(error).removesuffix(".")
    return (
        f"All of this was done. Only {os.path.join(home, RECORD)} still tells of before, which does no harm: {why}."
    )


def _write_edit(edit: FileEdit) -> list[str]:
    """Write or delete the file; return the folders that were created for it."""
    if edit.after is not None:
        return files.write(edit.file, edit.after, before=edit.before)
    files.remove(edit.file, before=edit.before or "")
    return []


def insertions(home: str) -> dict[str, Insertion]:
    """Return the record by file. If it is unreadable, Memoro recognises its own entries by their content."""
    try:
        return _insertions_in(json.loads(files.read(os.path.join(home, RECORD)) or '{"files": {}}'))
    except (UneditableSettings, ValueError, KeyError, TypeError, AttributeError):
        return {}


def _insertions_in(document: Any) -> dict[str, Insertion]:
    return {
        file: Insertion(tuple(one["pieces"]), bool(one["made"]), tuple(one["folders"]))
        for file, one in document["files"].items()
    }


def damage(home: str) -> str | None:
    """Return why the record cannot be read; None where it can be, or where there is none."""
    try:
        text = files.read(os.path.join(home, RECORD))
        if text is not None:
            _insertions_in(json.loads(text))
    except UneditableSettings as error:
        return str(error)
    except json.JSONDecodeError as error:
        return f"it is not valid JSON (line {error.lineno})"
    except (ValueError, KeyError, TypeError, AttributeError):
        return "it is not as `memoro connect` writes it"
    return None


def damage_notice(home: str) -> str | None:
    """Return what a person must know about a record that cannot be read; None where there is nothing to say."""
    why = damage(home)
    return why and (
        f"{os.path.join(home, RECORD)}, the record of what was connected, cannot be read: {why}. Memoro recognises "
        "its own lines by their content instead. It does not find other folders that were connected with "
        "--scope project: run `memoro disconnect HOST` in each of them."
    )


def _set_aside_damaged(home: str) -> None:
    """Keep a record that cannot be read under another name: the next one takes its place."""
    file = os.path.join(home, RECORD)
    if damage(home) is not None and os.path.isfile(file):
        with suppress(OSError):  # writing the next one reports it
            os.replace(file, f"{file}.damaged")


def _write_record(home: str, record: dict[str, Insertion]) -> None:
    file = os.path.join(home, RECORD)
    with _naming(file):
        before = files.read(file)
        sources = added_sources(home)
        document: dict[str, object] = {"files": {name: one._asdict() for name, one in record.items()}}
        _write_document(home, {**document, **({"sources": sources} if sources else {})}, before)


def added_sources(home: str) -> dict[str, list[str]]:
    """Return the settings that `connect` added an agent to, by host: its logs, its own memory."""
    try:
        found = json.loads(files.read(os.path.join(home, RECORD)) or "{}").get("sources", {})
        return {str(host): [str(key) for key in keys] for host, keys in found.items()}
    except (UneditableSettings, ValueError, TypeError, AttributeError):
        return {}


def record_sources(home: str, host: str, keys: Sequence[str]) -> None:
    """Record the settings to which `connect` added the agent of a host; none: forget about it."""
    _set_aside_damaged(home)
    known = {name: one for name, one in added_sources(home).items() if name != host}
    before = files.read(os.path.join(home, RECORD))
    document: dict[str, object] = {"files": {name: one._asdict() for name, one in insertions(home).items()}}
    sources = {**known, **({host: list(keys)} if keys else {})}
    _write_document(home, {**document, **({"sources": sources} if sources else {})}, before)


def _write_document(home: str, document: Mapping[str, object], before: str | None) -> None:
    text = json.dumps(document, indent=2) + "\n"
    if text != before and (document != {"files": {}} or before is not None):
        files.write(os.path.join(home, RECORD), text, before=before)


def _diff(edit: FileEdit) -> Iterator[str]:
    before, after = (text.splitlines(keepends=True) if text else [] for text in (edit.before, edit.after))
    old = edit.file if edit.before is not None else "/dev/null"
    new = edit.file if edit.after is not None else "/dev/null"
    for line in difflib.unified_diff(before, after, old, new):
        shown = line.replace("\r\n", "\n")
        yield shown if shown.endswith("\n") else f"{shown}\n\\ No newline at end of file\n"


@contextmanager
def _naming(file: str) -> Iterator[None]:
    """Put the name of the file before the reason in an UneditableSettings."""
    try:
        yield
    except UneditableSettings as error:
        if _UNCHANGED in str(error):  # an inner block has named it
            raise
        raise UneditableSettings(f"{file}{_UNCHANGED}{error}.") from error
