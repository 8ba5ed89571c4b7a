"""Decompresses zstd, with Python's own module from 3.14 on, before that with `backports.zstd` (extra `zstd`)."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Iterator
from types import ModuleType
from typing import Protocol

from memoro.errors import NoteUnreadable

MAGIC = b"\x28\xb5\x2f\xfd"
MISSING = "It is compressed with zstd. Run `pip install 'memoro[zstd]'`, then sync again."
_MAX_BYTES = 64 * 1024 * 1024  # of one event, decompressed
_PIECE = 1024 * 1024


class _Decompressor(Protocol):
    eof: bool
    needs_input: bool
    unused_data: bytes

    def decompress(self, data: bytes, max_length: int) -> bytes: ...


def _module() -> ModuleType:
    for name in ("compression.zstd", "backports.zstd"):
        try:
            return importlib.import_module(name)
        except ImportError:
            continue
    raise NoteUnreadable(MISSING)


def unpack(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Decompress blocks one at a time. A missing end is no error: everything before it is read."""
    module = _module()
    new: Callable[[], _Decompressor] = module.ZstdDecompressor
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


def unpacked(packed: bytes) -> bytes:
    """Decompress one small text; empty if it is damaged or too large."""
    found: list[bytes] = []
    size = 0
    for piece in unpack([packed]):
        found.append(piece)
        size += len(piece)
        if size > _MAX_BYTES:
            return b""
    return b"".join(found)
