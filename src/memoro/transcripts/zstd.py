"""Unpacking zstd, by Python's own module from 3.14 on, before that by `backports.zstd` (the extra `zstd`)."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from memoro.errors import NoteUnreadable

MAGIC = b"\x28\xb5\x2f\xfd"
MISSING = "It is packed with zstd. Run `pip install 'memoro[zstd]'` to have it read."
_MOST = 64 * 1024 * 1024  # of one event, unpacked


def _module() -> Any:
    for name in ("compression.zstd", "backports.zstd"):
        try:
            return importlib.import_module(name)
        except ImportError:
            continue
    raise NoteUnreadable(MISSING)


def unpack(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """What packed blocks hold, a block at a time; a torn end is no error, and what comes before it is read."""
    module = _module()
    new: Callable[[], Any] = module.ZstdDecompressor
    decompressor = new()
    for block in blocks:
        while block:
            if decompressor.eof:
                decompressor = new()
            try:
                yield decompressor.decompress(block, _PIECE)
                while not decompressor.eof and not decompressor.needs_input:
                    yield decompressor.decompress(b"", _PIECE)
            except (module.ZstdError, EOFError):
                return
            block = decompressor.unused_data if decompressor.eof else b""


_PIECE = 1024 * 1024


def unpacked(packed: bytes) -> bytes:
    """One small packed text; nothing where it is none, or is a bomb."""
    found: list[bytes] = []
    size = 0
    for piece in unpack([packed]):
        found.append(piece)
        size += len(piece)
        if size > _MOST:
            return b""
    return b"".join(found)
