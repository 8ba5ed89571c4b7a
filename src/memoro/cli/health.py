"""`memoro status` and `memoro doctor`."""

from __future__ import annotations

import argparse

from memoro.cli.options import add_json, opened
from memoro.health import Check, Status
from memoro.model.notes import files_said

PROBLEM = 1
_SHOWN = 10
_MARKS = {"ok": "✓", "warning": "!", "failed": "✗"}
_COLOURS = {"ok": "green", "warning": "yellow", "failed": "red"}


def configure_status(parser: argparse.ArgumentParser) -> None:
    add_json(parser)
    parser.set_defaults(run=_status)


def _status(chosen: argparse.Namespace) -> int:
    with opened(chosen) as m:
        found = m.status()
    if chosen.json:
        from memoro import wire

        print(wire.dumps(wire.status(found)))
    else:
        _show_status(found)
    return 0


def _show_status(found: Status) -> None:
    from memoro.cli.show import printable

    generation = f"generation {found.generation}" if found.generation else "none yet"
    hidden = f", {found.hidden} hidden (gone from the disk)" if found.hidden else ""
    checksums = "page checksums" if found.page_checksums else "no page checksums"
    print(f"vault     {printable(found.vault or 'none is set')}")
    print(f"home      {printable(found.home)}  ({found.file_system})")
    print(f"index     {generation}: {files_said(found.files, found.transcripts)} in {found.chunks} passages{hidden}")
    meaning = f", meaning by {found.model} ({found.vectors} vectors)" if found.model else ""
    print(f"search    {found.mode}{meaning}")
    for space in found.spaces[1:]:
        print(f"          {space.use}: {space.name} ({space.vectors} vectors, {int(100 * space.filled)} % filled)")
    if found.memories != 0 or found.archived:
        print(f"memories  {_memories(found)}")
    if found.sessions:
        print(f"sessions  {found.sessions}, {found.recalls} recalls")
    print(f"engine    {found.engine}, journal {found.journal}, {checksums}")
    print(f"last sync {found.synced_at or 'never'}")
    print(f"state     {_state(found)}")
    rows = [f"  {why}: {printable(path)}" for path, why in found.dirty]
    rows += [f"  {p.severity}: {printable(p.path)}: {p.sentence}" for p in found.problems]
    for row in rows[:_SHOWN]:
        print(row)
    if len(rows) > _SHOWN:
        print(f"  … and {len(rows) - _SHOWN} more (--json lists all)")
    for notice in found.notices:
        print(f"  note: {printable(notice)}")


def _memories(found: Status) -> str:
    if found.memories is None:
        return "the ledger cannot be read; `memoro doctor` says why"
    archived = f", {found.archived} archived" if found.archived else ""
    return f"{found.memories}{archived}; last backup {found.backup or 'never'}"


def _state(found: Status) -> str:
    return f"{len(found.dirty)} files differ from the index" if found.dirty else "the index says what the disk says"


def configure_doctor(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--deep", action="store_true", help="Also read the whole ledger and every backup.")
    parser.add_argument("--selftest", action="store_true", help="Also sync and search the sample vault.")
    add_json(parser)
    parser.set_defaults(run=_doctor)


def _doctor(chosen: argparse.Namespace) -> int:
    with opened(chosen) as m:
        checks = [*m.doctor(deep=chosen.deep), *_hooks(m.home)]
    if chosen.selftest:
        from memoro import demo

        checks += demo.selftest()
    if chosen.json:
        from memoro import wire

        print(wire.dumps(wire.checks(checks)))
    else:
        _show_checks(checks)
    return PROBLEM if any(check.state == "failed" for check in checks) else 0


def _hooks(home: str) -> list[Check]:
    """What there is to say about hooks, where a host has ever called one."""
    from datetime import datetime

    from memoro.hooks.checkup import checkup

    return checkup(home, now=datetime.now())


def _show_checks(checks: list[Check]) -> None:
    from memoro.cli.show import printable, terminal

    console = terminal()
    for check in checks:
        line = f"{_MARKS[check.state]} {check.name}: {printable(check.found)}"
        if console:
            console.print(line, style=_COLOURS[check.state], markup=False)
        else:
            print(line)
        if check.remedy:
            print(f"    {check.remedy}")
