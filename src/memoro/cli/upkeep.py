"""The views of `memoro sync`, `status` and `doctor`: what a person sees."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from memoro.cli import show
from memoro.cli.command import PROBLEM, command
from memoro.cli.lines import columns, say, wrapped
from memoro.cli.show import printable, project_by, terminal
from memoro.model.local_time import local
from memoro.model.notes import count_in_words, counted, kind_of
from memoro.model.projects import short_name
from memoro.operations.operation import NoArguments
from memoro.operations.upkeep import (
    DOCTOR,
    STATUS,
    SYNC,
    Checks,
    Doctor,
    StatusResult,
)

if TYPE_CHECKING:
    from memoro.health import Status
    from memoro.index.look import Dirty
    from memoro.index.report import Report
    from memoro.ledger_status import SharedLedgerStatus
    from memoro.model.vocabulary import Kind
    from memoro.store.serving import Serving

_SHOWN = 5
_PLACES = 20  # of secrets in notes
_KINDS: dict[Kind, tuple[str, str]] = {
    "note": ("note", "notes"),
    "transcript": ("log", "logs"),
    "memory": ("memory", "memories"),
    "experience": ("experience", "experiences"),
}
_MARKS = {"ok": "✓", "warning": "!", "failed": "✗"}
_COLOURS = {"ok": "green", "warning": "yellow", "failed": "red"}


def _show_status(result: StatusResult, _request: NoArguments) -> None:
    found = result.status
    generation = f"generation {found.generation}" if found.generation else "none yet"
    hidden = f", {found.hidden} hidden (gone from the disk)" if found.hidden else ""
    checksums = "page checksums" if found.page_checksums else "no page checksums"
    say(f"vault     {printable(found.vault or 'none is set')}", hang=10)
    say(f"home      {printable(found.home)}  ({found.file_system})", hang=10)
    if result.project:
        full = f"{result.project}, " if result.project != short_name(result.project) else ""
        named = f"{short_name(result.project)}  ({full}by {project_by(result.project_by)})"
        sees = f"{named}: a session here sees it, and what belongs to none"
        say(f"project   {printable(sees)}", hang=10)
    files = count_in_words(found.files, found.transcripts)
    say(f"index     {generation}: {files} in {counted(found.chunks, 'passage')}{hidden}", hang=10)
    meaning = f", meaning by {found.model} ({counted(found.vectors, 'vector')})" if found.model else ""
    say(f"search    {found.mode}{meaning}", hang=10)
    for space in found.spaces[1:]:
        say(f"          {space.use}: {space.name} ({space.vectors} vectors, {int(100 * space.filled)} % filled)")
    _show_embedding(found)
    if found.ledger is not None:
        say(f"ledger    {printable(_shared_ledger(found.ledger))}", hang=10)
    if found.memories != 0 or found.archived:
        say(f"memories  {_memories(found)}", hang=10)
    if found.experiences:
        say(f"learned   {found.experiences} experience{'s' if found.experiences != 1 else ''}", hang=10)
    if found.sessions:
        say(f"sessions  {found.sessions}, given {found.recalls} recall{'s' if found.recalls != 1 else ''}", hang=10)
    if result.proposals.waiting:
        from memoro.curate.reviewing.digest import kinds_in_words

        waits = "1 waits" if result.proposals.waiting == 1 else f"{result.proposals.waiting} wait"
        since = f"; the oldest since {local(result.proposals.oldest)}" if result.proposals.oldest else ""
        say(f"proposals {waits}, {kinds_in_words(result.proposals)}{since}: `memoro review`", hang=10)
    if result.feedback:
        marked = counted(result.feedback, "marked answer")
        say(f"feedback  {marked} in feedback/: not searched, and given to no agent", hang=10)
    say(f"engine    {found.engine}, journal {found.journal}, {checksums}", hang=10)
    say(f"last sync {(found.synced_at or 'never').replace('T', ' ')}", hang=10)
    if found.serving:
        say(f"serve     {printable(_serving(found.serving))}", hang=10)
    say(f"state     {_state(found)}", hang=10)
    for kind, (_, many) in _KINDS.items():
        _show_some([f"{_why(one)}: {printable(one.path)}" for one in found.dirty if kind_of(one.path) == kind], many)
    _show_some([f"{p.severity}: {printable(p.path)}: {p.sentence}" for p in found.problems], "problems")
    for notice in found.notices:
        say(f"  note: {printable(notice)}")


def _show_embedding(found: Status) -> None:
    """Say where text goes, and what is to be known about a model that is not the built-in one."""
    from memoro.cli.embedding import language_lines, sent_lines

    lines = [*sent_lines(found.embedding), *language_lines(found.language)]
    if found.ledger is not None and not found.ledger.is_on_this_machine:
        lines.append(f"memories, sessions and what agents were given, to {found.ledger.server} (ledger.url)")
    for label, line in zip(["sends", *[""] * len(lines)], lines or ["nothing leaves this machine"], strict=False):
        say(f"{label:<10}{printable(line)}", hang=10)


def _show_some(rows: list[str], many: str) -> None:
    for row in rows[:_SHOWN]:
        say(f"  {row}")
    if len(rows) > _SHOWN:
        say(f"  … and {len(rows) - _SHOWN} more {many} (--json lists all)")


def _memories(found: Status) -> str:
    if found.memories is None:
        return "the ledger cannot be read; `memoro doctor` says why"
    archived = f", {found.archived} archived" if found.archived else ""
    return f"{found.memories}{archived}; last backup {_backup_time(found.backup)}"


def _shared_ledger(found: SharedLedgerStatus) -> str:
    """Say where a shared ledger is, and how old the copy is that answers."""
    guard = "on this machine" if found.is_on_this_machine else f"sslmode {found.guard or 'as libpq chooses'}"
    place = f"on {found.server} ({guard}): tenant {found.tenant}, as {found.person}"
    if found.revision is None:
        return f"{place}; no local copy yet"
    age = "of unknown age" if found.age_seconds is None else f"{_age(found.age_seconds)} old"
    why = (found.failure or "").removeprefix("cannot be reached: ").rstrip(".")
    away = f"; the server cannot be reached ({why})" if why else ""
    return f"{place}; local copy of revision {found.revision}, {age}{away}"


def _age(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} minutes" if seconds < 7200 else f"{seconds / 3600:.0f} hours"


def _backup_time(name: str | None) -> str:
    """When a backup was made: its name begins with that, in UTC."""
    return "never" if name is None else local(name.partition("-")[0])


def _serving(found: Serving) -> str:
    who = f"process {found.pid}" if found.pid else "a process"
    since = f" since {found.since.replace('T', ' ')}" if found.since else ""
    how = f", by {found.watching}" if found.watching else ""
    hooks = f"; hooks: {found.hooks}" if found.hooks else ""
    http = f"; http: {found.http}" if found.http else ""
    did = f"; {(found.did_at or '').replace('T', ' ')} {found.did}" if found.did else ""
    return f"{who}{since}{how}{hooks}{http}{did}"


def _why(one: Dirty) -> str:
    if one.bytes is None:
        return one.why
    grown = f"grown by {one.bytes:,} bytes" if one.why == "grown" else f"{one.why}, {one.bytes:,} bytes"
    return f"{grown}, {'enough to be read unasked' if one.due else 'not yet enough to be read unasked'}"


def _state(found: Status) -> str:
    if not found.dirty:
        if found.vault is None and found.files:  # a note below says what to do
            return "the notes of the index cannot be compared with the disk"
        return "the index is up to date"
    kinds = [kind_of(one.path) for one in found.dirty]
    counted = [f"{n} {name[n > 1]}" for kind, name in _KINDS.items() if (n := kinds.count(kind))]
    return f"the index differs from the disk in {' and '.join(counted)}; the next search or sync updates it"


def _show_checks(found: Checks, _request: Doctor) -> None:
    console = terminal()
    for check in found.checks:
        line = f"{_MARKS[check.state]} {check.name}: {printable(check.found)}"
        if console:
            shown = wrapped(line, columns(sys.stdout) or console.width, 4)
            console.print(shown, style=_COLOURS[check.state], markup=False, soft_wrap=True)
        else:
            say(line)
        for place in check.places[:_PLACES]:
            say(f"    {printable(place.path)}:{place.line}  {place.kind}")
        if len(check.places) > _PLACES:
            say(f"    … and {len(check.places) - _PLACES} more (--json lists all)")
        if check.remedy:
            say(f"    {check.remedy}")


def _doctor_code(found: Checks, _request: Doctor) -> int:
    return PROBLEM if any(check.state == "failed" for check in found.checks) else 0


def _sync(chosen: argparse.Namespace) -> int:
    """Sync; where a model costs money or must be downloaded, say so, ask, and sync again."""
    done: list[Report] = []
    code = command(SYNC, lambda report, _request: _show_sync(report, done), progress="Indexing")(chosen)
    if not done or not _waits(done[0]):
        return code
    from memoro.cli.embedding import may_ask, question
    from memoro.cli.host_sources import agrees

    asked = question(done[0])
    if not may_ask(chosen):
        say(f"{asked.nothing_done}: there is no terminal to ask on. `memoro sync --yes` agrees without being asked.")
    elif not agrees(f"{asked.text} [y/N] "):
        say(f"{asked.nothing_done}. Searches use the built-in model; `memoro sync` asks again.")
    else:
        chosen.yes, chosen.force = True, False
        return command(SYNC, lambda report, _request: _show_sync(report, done), progress="Indexing")(chosen)
    return code


def _waits(report: Report) -> bool:
    return report.download is not None or (report.embedding is not None and report.embedding.waits is not None)


def _show_sync(report: Report, done: list[Report]) -> None:
    done.append(report)
    if report.embedding is None and report.download is None:
        show.report(report)
        return
    from memoro.cli.embedding import show_embedding, without_question

    show.report(without_question(report))
    if report.embedding is not None:
        show_embedding(report.embedding)
    if report.download is not None:
        say(printable(report.download.sentence))


VIEWS = {
    "sync": _sync,
    "status": command(STATUS, _show_status),
    "doctor": command(DOCTOR, _show_checks, _doctor_code),
}
