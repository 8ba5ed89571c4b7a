"""The mark of a ledger that was moved elsewhere: whoever still has it open may read it, and not write to it."""

from __future__ import annotations

import json
import os
from contextlib import suppress

from memoro.errors import LedgerMoved
from memoro.store.files import replace_file, sync_folder

_FILE = "ledger.moved.json"


def mark_moved(folder: str, to: str) -> None:
    """Let nobody write to the ledger of this folder any more. Whoever marks it holds the lock of writers."""
    replace_file(os.path.join(folder, _FILE), json.dumps({"to": to}))


def unmark_moved(folder: str) -> None:
    with suppress(FileNotFoundError):
        os.unlink(os.path.join(folder, _FILE))
        sync_folder(folder)


def moved_to(folder: str) -> str | None:
    """Where the ledger of this folder was moved; None: it was not."""
    try:
        with open(os.path.join(folder, _FILE), encoding="utf-8") as file:
            return str(json.load(file)["to"])
    except FileNotFoundError:
        return None


def refuse_moved(folder: str) -> None:
    """Raise where the ledger was moved. For writers, within their transaction."""
    if to := moved_to(folder):
        raise LedgerMoved(to)
