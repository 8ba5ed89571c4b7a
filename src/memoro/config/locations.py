"""The files that the settings name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from memoro.config.settings import Settings
from memoro.errors import NoVault
from memoro.vault.files import VaultFiles
from memoro.vault.patterns import NoteFolder


def vault_files(settings: Settings, environment: Mapping[str, str]) -> VaultFiles:
    """Return the vault, the extra folders, the transcripts and the agents' memories of these settings.

    Environment variables tell where agents keep their files.
    """
    if settings.vault.path is None:
        raise NoVault
    return VaultFiles(
        settings.vault.path,
        extra=settings.vault.extra,
        transcripts=[e.folder(environment, settings.transcripts.ignore) for e in settings.transcripts.entries],
        memories=_memories(settings.vault.memories, environment) if settings.vault.memories else (),
        ignore=settings.vault.ignore,
    )


def _memories(agents: Sequence[str], environment: Mapping[str, str]) -> list[NoteFolder]:
    from memoro.vault.memory_sources import memory_folder  # few homes name any

    return [memory_folder(agent, environment) for agent in dict.fromkeys(agents)]
