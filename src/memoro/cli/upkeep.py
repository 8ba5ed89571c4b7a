"""The views of `memoro sync`, `status`, `doctor` and `config show`: what a person sees."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memoro.cli import show
from memoro.cli.command import PROBLEM, command
from memoro.cli.show import printable, terminal
from memoro.model.notes import count_in_words, kind_of
from memoro.model.projects import short_name
from memoro.operations.upkeep import (
    CONFIG_SHOW,
    DOCTOR,
    STATUS,
    SYNC,
    Checks,
    Doctor,
    GetStatus,
    SettingList,
    StatusResult,
)

if TYPE_CHECKING:
    from memoro.health import Status
    from memoro.index.look import Dirty
    from memoro.model.vocabulary import Kind
    from memoro.store.serving import Serving

_SHOWN = 5
_KINDS: dict[Kind, tuple[str, str]] = {
    "note": ("note", "notes"),
    "transcript": ("log", "logs"),
    "memory": ("memory", "memories"),
    "experience": ("experience", "experiences"),
}
_MARKS = {"ok": "✓", "warning": "!", "failed": "✗"}
_COLOURS = {"ok": "green", "warning": "yellow", "failed": "red"}


def _show_status(result: StatusResult, _request: GetStatus) -> None:
    found = result.status
    generation = f"generation {found.generation}" if found.generation else "none yet"
    hidden = f", {found.hidden} hidden (gone from the disk)" if found.hidden else ""
    checksums = "page checksums" if found.page_checksums else "no page checksums"
    print(f"vault     {printable(found.vault or 'none is set')}")
    print(f"home      {printable(found.home)}  ({found.file_system})")
    if result.project:
        full = f"  ({result.project})" if result.project != short_name(result.project) else ""
        sees = f"{short_name(result.project)}{full}: a session here sees it, and what belongs to none"
        print(f"project   {printable(sees)}")
    print(
        f"index     {generation}: {count_in_words(found.files, found.transcripts)} in {found.chunks} passages{hidden}"
    )
    meaning = f", meaning by {found.model} ({found.vectors} vectors)" if found.model else ""
    print(f"search    {found.mode}{meaning}")
    for space in found.spaces[1:]:
        print(f"          {space.use}: {space.name} ({space.vectors} vectors, {int(100 * space.filled)} % filled)")
    if found.memories != 0 or found.archived:
        print(f"memories  {_memories(found)}")
    if found.experiences:
        print(f"learned   {found.experiences} experience{'s' if found.experiences != 1 else ''}")
    if found.sessions:
        print(f"sessions  {found.sessions}, {found.recalls} recalls")
    print(f"engine    {found.engine}, journal {found.journal}, {checksums}")
    print(f"last sync {found.synced_at or 'never'}")
    if found.serving:
        print(f"serve     {printable(_serving(found.serving))}")
    print(f"state     {_state(found)}")
    for kind, (_, many) in _KINDS.items():
        _show_some([f"{_why(one)}: {printable(one.path)}" for one in found.dirty if kind_of(one.path) == kind], many)
    _show_some([f"{p.severity}: {printable(p.path)}: {p.sentence}" for p in found.problems], "problems")
    for notice in found.notices:
        print(f"  note: {printable(notice)}")


def _show_some(rows: list[str], many: str) -> None:
    for row in rows[:_SHOWN]:
        print(f"  {row}")
    if len(rows) > _SHOWN:
        print(f"  … and {len(rows) - _SHOWN} more {many} (--json lists all)")


def _memories(found: Status) -> str:
    if found.memories is None:
        return "the ledger cannot be read; `memoro doctor` says why"
    archived = f", {found.archived} archived" if found.archived else ""
    return f"{found.memories}{archived}; last backup {found.backup or 'never'}"


def _serving(found: Serving) -> str:
    who = f"process {found.pid}" if found.pid else "a process"
    since = f" since {found.since}" if found.since else ""
    how = f", by {found.watching}" if found.watching else ""
    did = f"; {found.did_at} {found.did}" if found.did else ""
    return f"{who}{since}{how}{did}"


def _why(one: Dirty) -> str:
    if one.bytes is None:
        return one.why
    grown = f"grown by {one.bytes:,} bytes" if one.why == "grown" else f"{one.why}, {one.bytes:,} bytes"
    return f"{grown}, {'enough to be read unasked' if one.due else 'not yet enough to be read unasked'}"


def _state(found: Status) -> str:
    if not found.dirty:
        return "the index says what the disk says"
    kinds = [kind_of(one.path) for one in found.dirty]
    counted = [f"{n} {name[n > 1]}" for kind, name in _KINDS.items() if (n := kinds.count(kind))]
    return f"the index differs from the disk in {' and '.join(counted)}; the next search or sync mends that"


def _show_checks(found: Checks, _request: Doctor) -> None:
    console = terminal()
    for check in found.checks:
        line = f"{_MARKS[check.state]} {check.name}: {printable(check.found)}"
        if console:
            console.print(line, style=_COLOURS[check.state], markup=False)
        else:
            print(line)
        if check.remedy:
            print(f"    {check.remedy}")


def _doctor_code(found: Checks, _request: Doctor) -> int:
    return PROBLEM if any(check.state == "failed" for check in found.checks) else 0


def _show_settings(found: SettingList, _request: object) -> None:
    rows = [(s.key, _value(s.value), printable(s.origin), s.meaning) for s in found.settings]
    if console := terminal():
        from rich.table import Table

        table = Table("setting", "value", "from", "meaning", box=None, header_style="bold")
        for row in rows:
            table.add_row(*row)
        console.print(table, markup=False)
    else:
        for key, value, origin, _ in rows:
            print(f"{key} = {value}  ({origin})")


def _value(value: object) -> str:
    if value is None:
        return "–"
    if isinstance(value, tuple):
        return f"[{', '.join(map(repr, value))}]"
    from memoro import documents

    return documents.dumps(value)


VIEWS = {
    "sync": command(SYNC, lambda done, _: show.report(done), progress="Indexing"),
    "status": command(STATUS, _show_status),
    "doctor": command(DOCTOR, _show_checks, _doctor_code),
    "config show": command(CONFIG_SHOW, _show_settings),
}
