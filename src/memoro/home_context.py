"""One home as it was opened."""

from __future__ import annotations

import os
from typing import NamedTuple

from memoro import config
from memoro.config import Settings
from memoro.model.home import IN_MEMORY, Runtime
from memoro.vault.files import VaultFiles


class HomeContext(NamedTuple):
    """The folder of a home, its settings, and for whom it was opened."""

    folder: str
    settings: Settings
    runtime: Runtime = Runtime()

    @property
    def in_memory(self) -> bool:
        return self.folder == IN_MEMORY

    def vault(self) -> VaultFiles:
        return config.vault_files(self.settings, self.runtime.environment)

    def file(self, name: str) -> str:
        return os.path.join(self.folder, name)
