"""Where a snapshot is read from."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from memoro.ledger.access import LedgerAccess, Owner

if TYPE_CHECKING:
    from memoro.curate.snapshot.alike import Embed
    from memoro.vault.daily_place import DailyPlace
    from memoro.vault.files import VaultFiles


class CurationSources(NamedTuple):
    """Where curated things are read from."""

    access: LedgerAccess
    owner: Owner
    vault: Callable[[], VaultFiles] | None  # None: the home has no vault
    daily_place: Callable[[], DailyPlace] | None = None  # where extracted lines stand
    embed: Embed | None = None  # by the built-in model; None: words alone tell what is alike
    private: tuple[str, ...] = ()  # what the owner calls private besides
