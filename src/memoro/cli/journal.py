"""`memoro log` and `memoro undo`."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence

from memoro.cli.options import add_json, number, opened
from memoro.cli.show import printable
from memoro.errors import ConfigError
from memoro.model.changes import (
    ExperienceChanged,
    ExperienceRemoved,
    ItemRemoved,
    ItemSnapshot,
    ItemWritten,
    MemoryArchived,
    MemoryChanged,
    MemoryRemoved,
    MemoryUnarchived,
    NoteAppended,
    NoteMoved,
)
from memoro.model.journal import JournalEntry, RecordedWords, StoredWords


def configure_log(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-n", "--limit", type=number, default=20, metavar="N", help="How many changes (20).")
    parser.add_argument("--by", metavar="SOURCE", help="Only what this source did.")
    parser.add_argument("--since", metavar="WHEN", help="Only from then on: 2026-03-05, yesterday, 2026-03-05T14:30.")
    add_json(parser)
    parser.set_defaults(run=_log)


def configure_undo(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("change", nargs="?", type=number, help="The number of a change, as in `log`; else the last.")
    parser.add_argument("--by", metavar="SOURCE", help="Take back all that this source did; needs --since.")
    parser.add_argument("--since", metavar="WHEN", help="From when on: 2026-03-05, yesterday, 2026-03-05T14:30.")
    parser.add_argument("--dry-run", action="store_true", help="Only list what would be taken back.")
    parser.add_argument("--key", metavar="K", help="Repeated with the same key, this is done only once.")
    add_json(parser)
    parser.set_defaults(run=_undo)


def _log(chosen: argparse.Namespace) -> int:
    with opened(chosen) as m:
        entries = m.journal.log(chosen.limit, by=chosen.by, since=chosen.since)
    return show_entries(entries, as_json=chosen.json)


def _undo(chosen: argparse.Namespace) -> int:
    if (chosen.by is None) != (chosen.since is None):
        raise ConfigError("Say both whose changes and since when: `memoro undo --by SOURCE --since WHEN`.")
    with opened(chosen) as m:
        undone = m.journal.undo(
            chosen.change, by=chosen.by, since=chosen.since, dry_run=chosen.dry_run, key=chosen.key
        )
    if chosen.json:
        from memoro import documents

        print(documents.dumps(documents.undone(undone, done=not chosen.dry_run)))
        return 0
    print("Would be taken back:" if chosen.dry_run else "Taken back:" if undone.entries else "Nothing to take back.")
    show_entries(undone.entries, as_json=False)
    for memory in undone.derived:
        print(f"   with it [id:{memory}], which was made from one of these")
    for refused in undone.refused:
        print(f"   left: {refused}")
    return 0


def show_entries(entries: Sequence[JournalEntry], *, as_json: bool) -> int:
    if as_json:
        from memoro import documents

        print(documents.dumps({"changes": [documents.entry(entry) for entry in entries]}))
        return 0
    for entry in entries:
        print(printable(_line(entry)))
    return 0


def _line(entry: JournalEntry) -> str:
    names = {"memory": f"[id:{entry.item}]", "note": str(entry.item), "experience": f"experience:{entry.item}"}
    item = names.get(entry.kind, f"{entry.kind} {entry.item}")
    when = entry.at[:19].replace("T", " ")
    undone = f", undone by {entry.undone_by}" if entry.undone_by else ""
    of = f" of change {entry.undoes}" if entry.undoes else ""
    said = _said(entry)
    return f"{entry.id}. {when}Z  {entry.operation}{of} {item} by {entry.actor}{undone}{f': {said}' if said else ''}"


def _said(entry: JournalEntry) -> str:
    """Returns, in a few words, what the change says."""
    match entry.change:
        case NoteAppended(added=added):
            return _short(added)
        case NoteMoved(new=new):
            return _short(f"→ {new}")
        case ItemWritten(key=key, before=before):
            return _item(key, before)
        case ItemRemoved(before=before):
            return _item(before.item.key, before)
        case MemoryRemoved(memory=memory):
            return _short(memory.content)
        case ExperienceRemoved(experience=experience):
            return _short(experience.intent)
        case MemoryArchived():
            return "archived False → True"
        case MemoryUnarchived():
            return "archived True → False"
        case MemoryChanged() | ExperienceChanged() as change:
            return _difference({**change.before}, {**change.after})
        case _:
            return _words(entry.words)


def _item(key: str, before: ItemSnapshot | None) -> str:
    said = f", before: {_short(before.memory.content)}" if before and before.memory else ""
    return f"{_short(key)}{said}"


def _difference(before: Mapping[str, object], after: Mapping[str, object]) -> str:
    shown = [name for name in before if name not in ("hit_at", "used_at", "outcomes")]
    return ", ".join(f"{name} {_short(before[name])} → {_short(after[name])}" for name in shown)


def _words(words: StoredWords | RecordedWords | None) -> str:
    match words:
        case StoredWords(content=content):
            return _short(content)
        case RecordedWords(intent=intent):
            return _short(intent)
        case None:
            return ""


def _short(value: object) -> str:
    value = round(value, 3) if isinstance(value, float) else value
    text = ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
    text = " ".join(text.split())
    return text if len(text) <= 60 else f"{text[:59]}…"
