"""Bringing memories in: an export of Memoro's own, or what another store holds."""

from __future__ import annotations

import os
from collections.abc import Iterator

from memoro.errors import ConfigError
from memoro.ledger.access import LedgerAccess
from memoro.ledger.exchange import files, jsonl, markdown
from memoro.ledger.exchange.adding import add
from memoro.ledger.exchange.candidates import ImportCandidate
from memoro.ledger.exchange.export import ledger_records
from memoro.ledger.exchange.lowering import MOST_TRUSTED
from memoro.ledger.exchange.merging import NOTE, MergeOptions, Merging
from memoro.ledger.exchange.readers import ALIASES, READERS, named, recognise
from memoro.ledger.exchange.records import ExportedMemory, Header, ImportProblem, Record
from memoro.ledger.exchange.report import OWN_LEDGER, Imported, Tally
from memoro.ledger.exchange.whole import Records, is_lowered, may_restore, restore, survey
from memoro.model.memories import MOST_FEEDBACK, stamp
from memoro.model.values import require_text

_OWN = {"memoro": jsonl.read, "memoro-markdown": markdown.read}
FORMATS = (*_OWN, *(reader.name for reader in READERS), *ALIASES)


LOWERED = (
    "{count} lowered: what a file says counts as {trust} at most, with feedback of {most} at most. If this is "
    "your own export, run the same import again with --trust."
)


def import_(
    access: LedgerAccess,
    place: str | os.PathLike[str],
    format: str | None = None,
    *,
    dry_run: bool = False,
    trust: bool = False,
) -> Imported:
    """Take over the memories of a file or folder, recognised by what it says unless `format` is given.

    What is known already is not taken twice, however often this is run. An export of Memoro's own is restored with
    numbers and history where the ledger is empty; and exactly, with `trust`: a person says that it is their own.
    """
    if format is not None and format not in FORMATS:
        raise ConfigError(f"There is no format {format!r} to import from; choose from {', '.join(FORMATS)}.")
    file = os.path.expanduser(place if isinstance(place, os.PathLike) else require_text(place, "file to import"))
    own = _own_format(file, format)
    at = stamp(access.now())
    if own:
        tally = Tally(own, at, done=not dry_run)
        _whole(access, lambda: _OWN[own](files.lines(file)), tally, trust=trust, dry_run=dry_run)
        if tally.lowered:
            count = "1 item was" if tally.lowered == 1 else f"{tally.lowered:,} items were"
            tally.notes.append(LOWERED.format(count=count, trust=MOST_TRUSTED, most=MOST_FEEDBACK))
        if tally.raised:
            count = "1 item that was" if tally.raised == 1 else f"{tally.raised:,} items that were"
            tally.notes.append(f"{count} here already got the trust and feedback that the file says.")
    elif trust and os.path.lexists(file):
        raise ConfigError(
            "--trust is for an export of Memoro itself; this is none, and comes as an agent's inference."
        )
    else:
        loaded = _without_exports(files.load(file))
        reader = named(format) if format else recognise(loaded.files)
        if reader is None:
            raise ConfigError(
                f"{file} is of no format that Memoro recognises. Say which it is with --from: {', '.join(FORMATS)}."
            )
        tally = Tally(reader.name, at, done=not dry_run, files=len(loaded.files))
        tally.problems += loaded.problems
        add(access, reader.read(loaded.files), reader.name, tally, dry_run=dry_run)
    if not dry_run:
        access.after_write()
    return tally.report()


def merge_ledger(source: LedgerAccess, target: LedgerAccess) -> Imported:
    """Add what one ledger holds to another, as a trusted import of its export does. Nobody writes to the source."""
    tally = Tally(OWN_LEDGER, stamp(target.now()), done=True)
    with source.ledger.reading() as tx, source.archive.reading() as archive:

        def records() -> Iterator[Record]:
            return ledger_records(source, tx, archive)

        header = next(record for record in records() if isinstance(record, Header))
        Merging(target, records, header, tally, MergeOptions(trust=True, resumes=True)).carry_out()
    tally.notes += [NOTE] if tally.new else []
    return tally.report()


def _without_exports(loaded: files.Loaded) -> files.Loaded:
    """An export of ours in a folder of another store is no part of it."""
    ours = [one for one in loaded.files if _recognised(one.text[:4096])]
    told = [ImportProblem(one.path, "It is an export of Memoro; import it by its own name.") for one in ours]
    rest = tuple(one for one in loaded.files if one not in ours)
    return files.Loaded(rest, (*loaded.problems, *told))


def _own_format(file: str, format: str | None) -> str | None:
    if format is not None:
        return format if format in _OWN else None
    if not os.path.isfile(file):
        return None
    return _recognised(files.beginning(file))


def _recognised(begins: str) -> str | None:
    """Recognise an export of Memoro by its beginning, also one whose header cannot be used."""
    if begins.replace("\r", "").startswith("\n".join(markdown.FIRST_LINES)):
        return "memoro-markdown"
    first = begins.partition("\n")[0]
    if first.startswith("{") and (
        '"memoro": "ledger"' in first or isinstance(jsonl.record(first, 1), ExportedMemory)
    ):
        return "memoro"
    return None


def _whole(access: LedgerAccess, records: Records, tally: Tally, *, trust: bool, dry_run: bool) -> None:
    """Restore where that is exact; add where something is there already, or where the file is not whole."""
    found = survey(records)
    tally.problems += found.problems
    if found.header is None:
        add(access, _as_candidates(records), tally.report().format, tally, dry_run=dry_run)
        return
    if not found.problems and may_restore(access, records):
        tally.restored, tally.read = True, found.memories
        if dry_run:
            tally.new = found.memories
            tally.lowered = 0 if trust else sum(is_lowered(record) for record in records())
        else:
            restore(access, records, found.header, tally, trust=trust)
        return
    Merging(access, records, found.header, tally, MergeOptions(trust=trust, dry_run=dry_run)).carry_out()
    tally.notes += [NOTE] if tally.new else []


def _as_candidates(records: Records) -> Iterator[ImportCandidate | ImportProblem]:
    """The memories alone of a file that has lost its header."""
    for record in records():
        if isinstance(record, ExportedMemory):
            memory = record.memory
            yield ImportCandidate(
                place=f"[id:{memory.id}]",
                content=memory.content,
                tags=memory.tags,
                created_at=memory.created_at,
                source=memory.source,
                origin=memory.origin,
                trust=memory.trust,
            )
