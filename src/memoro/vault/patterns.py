"""Patterns that select files: ignored names, and folders of conversation logs."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

# Never logs: notes, and the files that SQLite puts beside a database.
_NO_LOGS = (".md", "-wal", "-shm", "-journal")


class IgnorePatterns:
    """Patterns of ignored files: a name anywhere, a glob with * ? [ ], or a path from the root if it has a slash."""

    def __init__(self, patterns: Sequence[str]) -> None:
        wild = [p for p in patterns if any(c in p for c in "*?[")]
        plain = [p.strip("/") for p in patterns if p not in wild]
        self.names = frozenset(p for p in plain if "/" not in p)
        self.more = len(self.names) < len(patterns)
        self._paths = frozenset(p for p in plain if "/" in p)
        self._pattern = _compile(wild) if wild else None

    def __call__(self, name: str, prefix: str) -> bool:
        if name in self.names:
            return True
        if self._paths and prefix + name in self._paths:
            return True
        return bool(self._pattern and (self._pattern.match(name) or self._pattern.match(prefix + name)))

    def any_of(self, parts: Sequence[str]) -> bool:
        return any(self(part, "".join(f"{p}/" for p in parts[:i])) for i, part in enumerate(parts))


@lru_cache(maxsize=8)
def _ignored(patterns: tuple[str, ...]) -> IgnorePatterns:
    return IgnorePatterns(patterns)


def _compile(patterns: Sequence[str]) -> re.Pattern[str]:
    import fnmatch

    return re.compile("|".join(fnmatch.translate(pattern.rstrip("/")) for pattern in patterns))


class LogFolder(NamedTuple):
    """A folder of conversation logs, and a selection of its files."""

    folder: str
    name: str = ""  # the prefix of its paths, after the @; the folder's own name if empty
    only: tuple[str, ...] = ()  # patterns of paths below it; empty: all
    since: str | None = None  # logs last written before this day are left out
    ignore: tuple[str, ...] = ()  # ignore patterns, relative to the folder

    def admits(self, path: str) -> bool:
        if path.lower().endswith(_NO_LOGS) or (self.ignore and _ignored(self.ignore).any_of(path.split("/"))):
            return False
        return not self.only or any(_matches(path, pattern) for pattern in self.only)

    def enters(self, name: str) -> bool:
        """Return whether this top folder may contain an admitted log."""
        return not self.only or any("/" in p and _matches(name, p.partition("/")[0]) for p in self.only)


class NoteFolder(NamedTuple):
    """A folder of notes beside the vault, and a selection of its files."""

    folder: str
    name: str  # the prefix of its paths, after the @
    only: tuple[str, ...]  # patterns that name each part of a path below it
    agent: str = ""  # whose memory it is

    def admits(self, path: str) -> bool:
        return any(_matches_parts(path.split("/"), pattern.split("/")) for pattern in self.only)

    def enters(self, path: str) -> bool:
        """Return whether this folder may hold, or lead to, an admitted note."""
        parts = path.split("/")
        longer = (one for pattern in self.only if len(one := pattern.split("/")) > len(parts))
        return any(_matches_parts(parts, one[: len(parts)]) for one in longer)


def _matches_parts(parts: Sequence[str], pattern: Sequence[str]) -> bool:
    return len(parts) == len(pattern) and all(map(_matches, parts, pattern))


def _matches(path: str, pattern: str) -> bool:
    import fnmatch

    return fnmatch.fnmatchcase(path, pattern)
