"""The files that the page loads: style sheet, scripts, icon. Packed once; their URLs change with their content."""

from __future__ import annotations

import gzip
import hashlib
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from memoro.serve.access_rules import STATIC_PATH

_TYPES = {"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml"}


class StaticFile(NamedTuple):
    name: str  # style.css
    content: bytes
    packed: bytes  # the same, with gzip
    media_type: str
    digest: str

    @property
    def url(self) -> str:
        return f"{STATIC_PATH}{self.name}?{self.digest}"


@cache
def static_files() -> dict[str, StaticFile]:
    """All files in `page/static/`, by name."""
    found = {}
    for file in (files(__package__) / "static").iterdir():
        ending = file.name.rpartition(".")[2]
        if ending in _TYPES:
            content = file.read_bytes()
            found[file.name] = StaticFile(
                name=file.name,
                content=content,
                packed=gzip.compress(content, 9, mtime=0),
                media_type=_TYPES[ending],
                digest=hashlib.sha256(content).hexdigest()[:12],
            )
    return found
