"""The view of `memoro move-ledger`: what a person sees."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memoro.cli.command import command
from memoro.cli.exchange import import_lines
from memoro.cli.lines import say
from memoro.cli.show import printable
from memoro.operations.moving import MOVE, LedgerMoveResult, MoveLedger

if TYPE_CHECKING:
    from memoro.ledger.moving import Merged, Moved


def _show(found: LedgerMoveResult, _request: MoveLedger) -> None:
    if found.finished is not None:
        say(found.finished.sentence)
    if found.moved is not None:
        _show_moved(found.moved)
    if found.merged is not None:
        _show_merged(found.merged)


def _show_moved(moved: Moved) -> None:
    say(f"The ledger is now in {printable(moved.to)}.")
    rows = ", ".join(f"{number:,} {name}" for name, number in moved.rows.items())
    say(f"   verified: {sum(moved.rows.values()):,} rows ({rows})", hang=3)
    say(f"   the journal ends at {moved.position}; SHA-256 of all rows: {moved.digest[:16]}…")
    if moved.stays_behind:
        people = ", ".join(map(printable, moved.stays_behind))
        say(
            f"   Private memories of others stay on the server, because you cannot see them. May have some: {people}."
        )
    _show_what_remains()


def _show_merged(merged: Merged) -> None:
    say(f"This home's own ledger was added to the one in {printable(merged.to)}.")
    for line in import_lines(merged.added):
        say(f"   {line}", hang=3)
    _show_what_remains()


def _show_what_remains() -> None:
    say("The old one is kept. `memoro move-ledger --finish` deletes it when you are content.")
    say("Programs that use Memoro now, such as `memoro serve`, must be started again.")


VIEWS = {"move-ledger": command(MOVE, _show, progress="Moving")}
