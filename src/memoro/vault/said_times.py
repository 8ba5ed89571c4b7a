"""When the messages of a log were written, to the minute."""

from __future__ import annotations

import re
from collections.abc import Collection
from datetime import datetime

from memoro.errors import VaultError
from memoro.model.notes import WITHIN
from memoro.vault import logs
from memoro.vault.files import VaultFiles

_TIMESTAMP = re.compile(rb'"(?:timestamp|startTime)":\s*"([^"]{10,40})"')


def said_times(vault: VaultFiles, path: str, lines: Collection[int]) -> dict[int, datetime]:
    """Return the time of each of these lines of a log; those without one, and logs without lines, are left out."""
    found: dict[int, datetime] = {}
    if not lines or WITHIN in path:
        return found
    last = max(lines)
    try:
        with vault.log(path) as log:
            if logs.is_database(log):
                return found
            for number, line in logs.Lines(logs.blocks(log)):
                if number in lines and (time := _time(line)):
                    found[number] = time
                if number >= last:
                    break
    except VaultError:
        return found
    return found


def _time(line: bytes) -> datetime | None:
    mark = _TIMESTAMP.search(line)
    try:
        time = datetime.fromisoformat(mark[1].decode()) if mark else None
    except ValueError:
        return None
    return time if time is None or time.tzinfo else time.astimezone()
