"""The stores that keep ledgers, for the contract suite. A new one joins by an entry in STORES."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from memoro.ledger.ports import Archive, Ledger
from memoro.store.opening import SharedLedger, open_ledger
from memoro.store.plain.ledger import PlainLedger


class LedgerStore(NamedTuple):
    """How one store is opened for a test. Every call of `open` returns a handle on the same ledger."""

    open: Callable[[], Ledger]
    archive: Callable[[], Archive]
    is_durable: bool  # a handle that is opened after all others were closed holds what was committed
    has_handles: bool  # two handles can be used at once, by two threads
    is_shared: bool = False  # others may hold numbers that a copy does not know: numbers never fall
    program: str | None = None  # opens the ledger as `ledger` in another process


def sqlite_file(folder: Path) -> LedgerStore:
    home = os.fspath(folder)
    return LedgerStore(
        open=lambda: open_ledger(home).ledger,
        archive=lambda: open_ledger(home).archive,
        is_durable=True,
        has_handles=True,
        program=f"from memoro.store.opening import open_ledger\nledger = open_ledger({home!r}).ledger\n",
    )


def sqlite_in_memory(_folder: Path) -> LedgerStore:
    ledger, archive = open_ledger(":memory:")
    return LedgerStore(open=lambda: ledger, archive=lambda: archive, is_durable=False, has_handles=False)


def plain(_folder: Path) -> LedgerStore:
    ledger, archive = PlainLedger(), PlainLedger(name="archive")
    return LedgerStore(open=lambda: ledger, archive=lambda: archive, is_durable=False, has_handles=True)


def plain_file(folder: Path) -> LedgerStore:
    folder.mkdir(exist_ok=True)
    home = os.fspath(folder)
    return LedgerStore(
        open=lambda: PlainLedger(home),
        archive=lambda: PlainLedger(home, "archive"),
        is_durable=True,
        has_handles=False,
    )


def postgres(folder: Path) -> LedgerStore:
    from tests.postgres import server

    home, shared = os.fspath(folder), SharedLedger(server().url, server().new_tenant(), "mia")
    return LedgerStore(
        open=lambda: open_ledger(home, shared=shared).ledger,
        archive=lambda: open_ledger(home, shared=shared).archive,
        is_durable=True,
        has_handles=True,
        is_shared=True,
        program=f"""
from memoro.store.opening import SharedLedger, open_ledger
ledger = open_ledger({home!r}, shared=SharedLedger{tuple(shared)!r}).ledger
""",
    )


STORES: dict[str, Callable[[Path], LedgerStore]] = {
    "sqlite file": sqlite_file,
    "sqlite in memory": sqlite_in_memory,
    "plain": plain,
    "plain file": plain_file,
    "postgres": postgres,
}
