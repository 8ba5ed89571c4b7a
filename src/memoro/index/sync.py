"""Bringing an index to what the vault says: look, plan, read, write in short transactions, report."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from memoro.errors import IndexDamaged, IndexTooNew, NoteNotFound, NoteUnreadable, StoreError
from memoro.index.look import Look, check_brake, check_identity, look
from memoro.index.plan import SyncPlan
from memoro.index.report import Options, Report
from memoro.index.sync_run import SyncRun, SyncSource
from memoro.model.notes import Stamp, kind_of
from memoro.store.ports import Index
from memoro.vault.layout import layout
from memoro.vault.walk import Identity, Listing

KEEP_HIDDEN_DAYS = 30

if TYPE_CHECKING:
    from memoro.index.vector_upkeep import VectorEraser
    from memoro.ledger.ports import Ledger
    from memoro.store.changes import Change


def sync(index: Index, source: SyncSource, options: Options, vectors: VectorEraser | None = None) -> Report:
    """Make the index say what the vault and the ledger say; what cannot be read is reported and stops nothing."""
    seen = look(index, source.vault, source.rules, options.what)
    check_identity(index, source.vault, seen.listing, options)
    run = SyncRun(index, source, seen, options, vectors)
    moved = run.find_moves()
    gone = [path for path in seen.plan.gone if path not in moved]
    check_brake(gone, source.vault, seen, options)
    run.hide_logs([path for path in gone if kind_of(path) == "transcript"])
    run.read_all(moved)
    if source.ledger is not None:
        run.hide_forgotten()
    run.hide([path for path in gone if kind_of(path) != "transcript"])
    if any(entry.gone_at for entry in seen.known.values()):
        run.purge(_days_before(options.now, KEEP_HIDDEN_DAYS))
    degraded = mirror_memories(index, source.ledger, run.write, options.moment)
    if run.wrote:
        from memoro.index.assigning import assign_projects  # writes: most syncs have nothing to write

        assign_projects(index, run.write)
    return run.finish(len(gone))._replace(degraded=degraded)


def sync_paths(
    index: Index,
    source: SyncSource,
    options: Options,
    paths: Sequence[str],
    vectors: VectorEraser | None = None,
) -> None:
    """Make the index say what these notes say, and look at no others."""
    known, rules = index.files(), source.rules
    present: dict[str, Stamp] = {}
    for path in dict.fromkeys(paths):
        with suppress(NoteNotFound, NoteUnreadable):
            present[path] = source.vault.read(path).stamp
    gone = [path for path in paths if path in known and path not in present and not known[path].gone_at]
    visible = {path for path, entry in known.items() if not entry.gone_at} - set(gone)
    lay = layout({*visible, *present}, daily_folder=rules.daily_folder, daily_pattern=rules.daily_pattern)
    listing = Listing(files=present, problems=(), unlisted=(), identity=Identity(0, 0, ()))
    seen = Look(listing=listing, known=known, layout=lay, plan=SyncPlan(tuple(present), tuple(gone), 0))
    run = SyncRun(index, source, seen, options, vectors)
    run.read_all({})
    run.hide(gone)
    if run.wrote:
        from memoro.index.assigning import assign_projects

        assign_projects(index, run.write)


def sync_memories(index: Index, options: Options, vectors: VectorEraser | None, ledger: Ledger | None) -> Report:
    """The same where there is no vault: memories alone."""
    degraded = sync_items(index, options, vectors, ledger)
    if index.get_meta("synced_at") is None:
        index.put_meta({"synced_at": options.now})
    return Report(chunks=index.counts().chunks, degraded=degraded)


def sync_items(
    index: Index, options: Options, vectors: VectorEraser | None, ledger: Ledger | None
) -> tuple[str, ...]:
    """Copy what has changed in the ledger, whether or not the index has seen the notes; return what went wrong."""

    def write(changes: Sequence[Change]) -> None:
        gone = index.apply(changes)
        if vectors:
            vectors.erase(gone)

    degraded = mirror_memories(index, ledger, write, options.moment)
    if ledger is not None:
        from memoro.index.assigning import assign_projects

        assign_projects(index, write)
    return degraded


def mirror_memories(
    index: Index, ledger: Ledger | None, write: Callable[[Sequence[Change]], None], moment: str
) -> tuple[str, ...]:
    """Copy what has changed in the ledger. A ledger that cannot be read becomes a notice, and the notes are read."""
    if ledger is None:
        return ()
    from memoro.index.mirror import mirror  # loads hashing: only where the ledger has changed

    try:
        mirror(index, ledger, write, moment)
    except (IndexDamaged, IndexTooNew):
        raise
    except StoreError as error:
        return (f"memories: {error}",)
    return ()


def check_against(old: Index | None, source: SyncSource, options: Options) -> None:
    """Before a new index is filled: the old one, where it can be read, still guards against a vanished vault."""
    if old is not None:
        with suppress(IndexDamaged):
            seen = look(old, source.vault, source.rules)
            check_identity(old, source.vault, seen.listing, options)
            check_brake(seen.plan.gone, source.vault, seen, options)


def _days_before(now: str, days: int) -> str:
    from datetime import datetime, timedelta  # seldom needed

    return (datetime.fromisoformat(now) - timedelta(days=days)).isoformat()
