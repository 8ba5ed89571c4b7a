"""The disk use of a home, by the content of its files."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Literal, NamedTuple, get_args

DiskPart = Literal["ledger", "archive", "index", "vectors", "embeddings", "providers", "backups", "models", "other"]
DISK_PARTS: tuple[DiskPart, ...] = get_args(DiskPart)
# What the first file name part, up to a dot, belongs to.
_FILES: dict[str, DiskPart] = {
    "ledger": "ledger",
    "archive": "archive",
    "embeddings": "embeddings",
    "providers": "providers",
    "backups": "backups",
    "models": "models",
}


class DiskUse(NamedTuple):
    part: DiskPart
    files: int
    bytes: int


def disk_use(home: str) -> list[DiskUse]:
    """The files of a home and their bytes, in the order of `DISK_PARTS`; parts without a file are left out."""
    files: dict[DiskPart, int] = dict.fromkeys(DISK_PARTS, 0)
    sizes: dict[DiskPart, int] = dict.fromkeys(DISK_PARTS, 0)
    for name, size in _files(home):
        part = _part(name)
        files[part] += 1
        sizes[part] += size
    return [DiskUse(part, files[part], sizes[part]) for part in DISK_PARTS if files[part]]


def _part(name: str) -> DiskPart:
    """The part that a file or folder of the home belongs to: `index.3.vectors-a970e124.rows` holds vectors."""
    first = name.partition(".")[0]
    if first == "index":
        return "vectors" if ".vectors-" in name else "index"
    return _FILES.get(first, "other")


def _files(home: str) -> Iterator[tuple[str, int]]:
    """Every file below the home: the name at its top, and its bytes. A file that goes meanwhile is left out."""
    try:
        top = list(os.scandir(home))
    except OSError:
        return
    for entry in top:
        if entry.is_dir(follow_symlinks=False):
            for folder, _, names in os.walk(entry.path):
                yield from ((entry.name, _size(os.path.join(folder, name))) for name in names)
        elif entry.is_file(follow_symlinks=False):
            yield entry.name, _size(entry.path)


def _size(file: str) -> int:
    try:
        return os.lstat(file).st_size
    except OSError:
        return 0
