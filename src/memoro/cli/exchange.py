"""`memoro export` and `memoro import`."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from memoro.cli.options import add_json, opened
from memoro.cli.show import printable
from memoro.errors import ConfigError
from memoro.ledger.exchange.export import RENDERERS, Exported
from memoro.ledger.exchange.importing import FORMATS
from memoro.ledger.exchange.records import ImportProblem
from memoro.ledger.exchange.report import Imported

_SHOWN = 20  # of each kind of trouble; --json has them all


def configure_export(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--format", choices=list(RENDERERS), default="jsonl", help="One record a line, or a document to read."
    )
    parser.add_argument(
        "-o", "--output", metavar="FILE", required=True, help="Where to write it; - is standard output."
    )
    parser.add_argument("--force", action="store_true", help="Write over a file that is there.")
    add_json(parser)
    parser.set_defaults(run=_export)


def configure_import(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "place", metavar="FILE-OR-FOLDER", help="What another store, or `memoro export`, has written."
    )
    parser.add_argument(
        "--from", dest="format", choices=list(FORMATS), metavar="FORMAT",
        help=f"What it is, if it is not recognised: {', '.join(FORMATS)}.",
    )  # fmt: skip
    parser.add_argument("--dry-run", action="store_true", help="Only tell what would be imported.")
    add_json(parser)
    parser.set_defaults(run=_import)


def _export(chosen: argparse.Namespace) -> int:
    with opened(chosen) as m:
        if chosen.output == "-":
            m.export(lambda text: sys.stdout.buffer.write(text.encode()), chosen.format)
            sys.stdout.buffer.flush()
            return 0
        with _new_file(chosen.output, force=chosen.force) as write:
            done = m.export(write, chosen.format)
    if chosen.json:
        from memoro import documents

        print(documents.dumps({"file": chosen.output, **done._asdict()}))
    else:
        print(_exported(done, chosen.output))
    return 0


def _exported(done: Exported, file: str) -> str:
    parts = [_count(done.memories, "memory", "memories")]
    parts += [f"{done.archived} archived"] if done.archived else []
    parts += [_count(done.experiences, "experience", "experiences")] if done.experiences else []
    parts += [_count(done.narratives, "narrative", "narratives")] if done.narratives else []
    return f"{', '.join(parts)} and {_count(done.changes, 'change', 'changes')} of history → {printable(file)}"


@contextmanager
def _new_file(file: str, *, force: bool) -> Iterator[Callable[[str], object]]:
    """Write a file that appears whole or not at all, and that only its owner can read."""
    if os.path.isdir(file):
        raise ConfigError(f"{file} is a folder. Name a file in it.")
    if os.path.lexists(file) and not force:
        raise ConfigError(f"{file} is there already. Name another file, or add --force to write over it.")
    building = f"{file}.{os.getpid()}.part"
    try:
        descriptor = os.open(building, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as made:
            yield made.write
            made.flush()
            os.fsync(made.fileno())
        os.replace(building, file)
        _sync_folder(os.path.dirname(os.path.abspath(file)))
    except OSError as error:
        raise ConfigError(f"{file} cannot be written: {(error.strerror or str(error)).lower()}.") from error
    finally:
        with suppress(OSError):
            os.unlink(building)


def _sync_folder(folder: str) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _import(chosen: argparse.Namespace) -> int:
    with opened(chosen) as m:
        done = m.import_(chosen.place, chosen.format, dry_run=chosen.dry_run)
    if chosen.json:
        from memoro import documents

        print(documents.dumps(documents.imported(done)))
    else:
        print("\n".join(_lines(done)))
    return 0 if done.read or not done.problems else 1


def _lines(done: Imported) -> Iterator[str]:
    places = f" in {done.files} files" if done.files > 1 else ""
    if done.restored:
        verb = "restored" if done.done else "would be restored"
        yield f"{done.format}: {_count(done.new, 'memory', 'memories')} {verb} with numbers and history."
    else:
        said = [f"{done.new} new" if done.done else f"{done.new} would be new", f"{done.known} known already"]
        said += [f"{len(done.refused)} refused"] if done.refused else []
        yield f"{done.format}: {_count(done.read, 'memory', 'memories')}{places}: {', '.join(said)}."
    more = [_count(done.experiences, "experience", "experiences")] if done.experiences else []
    if not done.restored:
        more += [_count(done.narratives, "narrative", "narratives")] if done.narratives else []
        more += [_count(done.links, "link", "links")] if done.links else []
    if more:
        yield f"With them {' and '.join(more)}."
    if done.redacted:
        yield f"{_count(done.redacted, 'secret was', 'secrets were')} taken out."
    yield from _troubles("refused", done.refused)
    yield from _troubles("problem", done.problems)
    yield from done.notes
    if done.done and (done.new or done.experiences) and not done.restored:
        yield f"`memoro undo --by migration --since {done.at}` takes it back."


def _troubles(what: str, found: tuple[ImportProblem, ...]) -> Iterator[str]:
    for one in found[:_SHOWN]:
        yield f"  {what}: {printable(one.place)}: {printable(one.sentence)}"
    if len(found) > _SHOWN:
        yield f"  … and {len(found) - _SHOWN} more; --json lists them."


def _count(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"
