"""The files that the settings name."""

from __future__ import annotations

from collections.abc import Mapping

from memoro.config.settings import Settings
from memoro.errors import NoVault
from memoro.vault.files import VaultFiles


def vault_files(settings: Settings, environment: Mapping[str, str]) -> VaultFiles:
    """Return the vault, the extra folders and the transcripts of these settings.

    Environment variables tell where agents keep their logs.
    """
    if settings.vault.path is None:
        raise NoVault
    return VaultFiles(
        settings.vault.path,
        extra=settings.vault.extra,
        transcripts=[e.folder(environment, settings.transcripts.ignore) for e in settings.transcripts.entries],
        ignore=settings.vault.ignore,
    )
