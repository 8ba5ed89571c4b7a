"""Notices changes of the settings files of a home."""

from __future__ import annotations

import os

from memoro.config import FILE_NAME, OBSIDIAN_FILE_NAME, VAULT_FILE_NAME
from memoro.workspace import Workspace

Stamp = tuple[int, int, int] | None


def settings_stamps(workspace: Workspace) -> list[Stamp]:
    """Return values that change whenever a settings file does; the first is that of the home's own."""
    stamps = [home_stamp(workspace.home)]
    if vault := workspace.settings.vault.path:
        files = (os.path.join(os.path.expanduser(vault), name) for name in (VAULT_FILE_NAME, OBSIDIAN_FILE_NAME))
        stamps += map(_stamp, files)
    return stamps


def home_stamp(home: str) -> Stamp:
    return _stamp(os.path.join(home, FILE_NAME))


def _stamp(file: str) -> Stamp:
    try:
        status = os.stat(file)
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns
