"""Making files durable."""

from __future__ import annotations

import os


def sync_folder(folder: str) -> None:
    """Write the folder's names to the disk, as a file's own sync writes its bytes."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
