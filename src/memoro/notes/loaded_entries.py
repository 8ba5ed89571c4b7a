"""The entries of the always-loaded files, as they are on the disk now. Listing them writes nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import NamedTuple

from memoro.errors import NoteNotFound, NoteUnreadable
from memoro.model.vocabulary import LOADED_TIERS, LoadedTier
from memoro.vault import entries as bullets
from memoro.vault.encoding import decode
from memoro.vault.files import VaultFiles
from memoro.vault.layout import ROLES


class LoadedEntry(NamedTuple):
    """A bullet of an always-loaded file, with an address that `edit`, `remove`, `forget` and `get` accept."""

    address: str  # its id; its path and line where another entry has the same id
    tier: LoadedTier
    path: str
    line: int
    last_line: int
    text: str
    has_id: bool  # False: the id is made of its words, and stands in the file only after an edit


def loaded_entries(vault: VaultFiles, tiers: Iterable[LoadedTier] = LOADED_TIERS) -> list[LoadedEntry]:
    """Return every bullet of the always-loaded files, in the order of the files and of their lines.

    A file that is missing has none; one that cannot be read raises NoteUnreadable.
    """
    everything = [(tier, path, one) for tier in LOADED_TIERS for path, one in _bullets(vault, tier)]
    alike = Counter(one.id for _, _, one in everything)
    wanted = set(tiers)
    return [
        LoadedEntry(
            address=one.id if alike[one.id] == 1 else f"{path}:{one.line}",
            tier=tier,
            path=path,
            line=one.line,
            last_line=one.last,
            text=one.text,
            has_id=one.marked,
        )
        for tier, path, one in everything
        if tier in wanted
    ]


def _bullets(vault: VaultFiles, tier: LoadedTier) -> list[tuple[str, bullets.Bullet]]:
    for path in ROLES[tier]:
        try:
            text, _ = decode(vault.read(path).data)
        except NoteNotFound:
            continue
        except NoteUnreadable as error:
            raise NoteUnreadable(f"{path}: {error}") from error
        return [(path, one) for one in bullets.entries(text)]
    return []


def place_of(vault: VaultFiles, own: str, holding: Callable[[str], Sequence[str]]) -> str | None:
    """Return where an entry stands, as PATH:FROM-TO: the always-loaded files first; None if there is none."""
    address = bullets.parse_address(own)
    if address.path is None and not bullets.is_id(address.id):
        return None
    loaded = [one for one in loaded_entries(vault) if address.path in (None, one.path)]
    for one in loaded:
        if one.address == own.removeprefix("^"):
            return f"{one.path}:{one.line}-{one.last_line}"
    for path in [address.path] if address.path else dict.fromkeys([*(e.path for e in loaded), *holding(address.id)]):
        with suppress(NoteNotFound, NoteUnreadable):
            text, _ = decode(vault.read(path).data)
            for bullet in bullets.entries(text):
                if bullets.is_at(bullet, address):
                    return f"{path}:{bullet.line}-{bullet.last}"
    return None
