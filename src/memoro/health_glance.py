"""The state of a home at a glance: from what is at hand, without a look at the vault."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from memoro.errors import IndexOutdated, StoreError
from memoro.health import place_notices
from memoro.index.notes_without_vault import notes_without_vault

if TYPE_CHECKING:
    from memoro.store.ports import Index
    from memoro.wiring import Collaborators


class HealthGlance(NamedTuple):
    """The health of a home, as far as it is known without reading each file."""

    vault: str | None
    synced_at: str | None  # when the index was last brought up to date
    unread: int  # files that could not be read then
    backup_at: str | None  # when the newest backup was made
    troubles: tuple[str, ...] = ()  # a sentence each; `doctor` tells more
    notices: tuple[str, ...] = ()  # about what is not as usual, and needs nobody


def glance(parts: Collaborators) -> HealthGlance:
    """Read a few rows and file names, however large the vault is."""
    indexes, troubles, notices = parts.indexing.indexes_if_any(), list[str](), list[str]()
    index: Index | None = None
    try:
        index = indexes.current() if indexes else None
    except IndexOutdated as error:
        notices.append(str(error))
    except StoreError as error:
        troubles.append(str(error))
    settings = parts.home.settings
    synced_at = index.get_meta("synced_at") if index else None
    if unset := notes_without_vault(index, settings):
        troubles.append(str(unset))
    troubles += [
        *_ledger_troubles(parts),
        *place_notices(parts.home.folder, settings, has_index=synced_at is not None),
    ]
    return HealthGlance(
        vault=settings.vault.path,
        synced_at=synced_at,
        unread=sum(one.severity == "failed" for one in index.problems()) if index else 0,
        backup_at=_backup_at(parts),
        troubles=tuple(troubles),
        notices=tuple(notices),
    )


def _backup_at(parts: Collaborators) -> str | None:
    with suppress(StoreError):
        services = parts.ledger.services_if_any()
        newest = services.backups.newest() if services else None
        return newest.created_at if newest else None
    return None


def _ledger_troubles(parts: Collaborators) -> Iterator[str]:
    try:
        services = parts.ledger.services_if_any()
        for store in (services.access.ledger, services.access.archive) if services else ():
            with store.reading():
                pass
            if damage := store.known_damage():
                yield str(damage)
    except StoreError as error:
        yield str(error)
