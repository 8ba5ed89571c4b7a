"""The files that the page loads: one style sheet and two scripts, by names that change with their content."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.resources import files
from typing import NamedTuple

PATH = "/static/"
_TYPES = {"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml"}


class StaticFile(NamedTuple):
    name: str  # style.css
    content: bytes
    media_type: str
    digest: str

    @property
    def url(self) -> str:
        return f"{PATH}{self.name}?{self.digest}"


@cache
def static_files() -> dict[str, StaticFile]:
    """All files in `page/static/`, by name."""
    found = {}
    for file in (files(__package__) / "static").iterdir():
        ending = file.name.rpartition(".")[2]
        if ending in _TYPES:
            content = file.read_bytes()
            digest = hashlib.sha256(content).hexdigest()[:12]
            found[file.name] = StaticFile(name=file.name, content=content, media_type=_TYPES[ending], digest=digest)
    return found
