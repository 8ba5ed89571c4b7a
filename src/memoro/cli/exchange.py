"""The views of `memoro export` and `memoro import`: what a person sees."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from memoro.cli.command import PROBLEM, command
from memoro.cli.lines import say
from memoro.cli.show import printable
from memoro.operations.exchange import EXPORT, IMPORT, STREAM, Export, ExportResult, Import

if TYPE_CHECKING:
    from memoro.ledger.exchange.export import Exported
    from memoro.ledger.exchange.records import ImportProblem
    from memoro.ledger.exchange.report import Imported

_SHOWN = 20  # of each kind of trouble; --json has them all


def _run_export(chosen: argparse.Namespace) -> int:
    """Export. Where the export itself goes to standard output, nothing else does."""
    chosen.json = chosen.json and chosen.output != STREAM
    return command(EXPORT, _show_export)(chosen)


def _show_export(found: ExportResult, _request: Export) -> None:
    if found.file == STREAM:
        sys.stdout.buffer.flush()
    else:
        say(_counts(found.exported, found.file))


def _counts(done: Exported, file: str) -> str:
    parts = [_count(done.memories, "memory", "memories")]
    parts += [f"{done.archived} archived"] if done.archived else []
    parts += [_count(done.experiences, "experience", "experiences")] if done.experiences else []
    parts += [_count(done.narratives, "narrative", "narratives")] if done.narratives else []
    return f"{', '.join(parts)} and {_count(done.changes, 'change', 'changes')} of history → {printable(file)}"


def _show_import(done: Imported, _request: Import) -> None:
    say("\n".join(import_lines(done)))


def _import_code(done: Imported, _request: Import) -> int:
    return 0 if done.read or not done.problems else PROBLEM


def _source(done: Imported) -> str:
    from memoro.ledger.exchange.report import OWN_LEDGER

    return "This home" if done.format == OWN_LEDGER else f"Format {done.format}"


def import_lines(done: Imported) -> Iterator[str]:
    """An import for people, line by line."""
    places = f" in {done.files} files" if done.files > 1 else ""
    if done.restored:
        verb = "restored" if done.done else "would be restored"
        yield f"Format {done.format}: {_count(done.new, 'memory', 'memories')} {verb} with numbers and history."
    else:
        said = [f"{done.new} new" if done.done else f"{done.new} would be new", f"{done.known} known already"]
        said += [f"{len(done.refused)} refused"] if done.refused else []
        yield f"{_source(done)}: {_count(done.read, 'memory', 'memories')}{places}: {', '.join(said)}."
    more = [_count(done.experiences, "experience", "experiences")] if done.experiences else []
    if not done.restored:
        more += [_count(done.narratives, "narrative", "narratives")] if done.narratives else []
        more += [_count(done.links, "link", "links")] if done.links else []
    if more:
        yield f"With them {' and '.join(more)}."
    if done.redacted:
        yield f"{_count(done.redacted, 'secret was', 'secrets were')} removed."
    yield from _troubles("refused", done.refused)
    yield from _troubles("problem", done.problems)
    yield from done.notes
    if done.done and (done.new or done.experiences) and not done.restored:
        yield f"`memoro undo --by migration --since {done.at}` reverts it."


def _troubles(what: str, found: tuple[ImportProblem, ...]) -> Iterator[str]:
    for one in found[:_SHOWN]:
        yield f"  {what}: {printable(one.place)}: {printable(one.sentence)}"
    if len(found) > _SHOWN:
        yield f"  … and {len(found) - _SHOWN} more; --json lists them."


def _count(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"


VIEWS = {"export": _run_export, "import": command(IMPORT, _show_import, _import_code)}
