"""Read what tools did from conversation logs, through the vault's door."""

from __future__ import annotations

from collections.abc import Sequence

from memoro.errors import VaultError
from memoro.model.notes import file_of
from memoro.transcripts.tool_runs import ToolRun, holds, tool_runs
from memoro.vault import logs
from memoro.vault.files import VaultFiles

MAX_LOG = 32 * 1024 * 1024  # bytes; of a longer log nothing is read


def runs_in(vault: VaultFiles, path: str, wanted: Sequence[Sequence[bytes]] = ()) -> tuple[list[ToolRun], int]:
    """Return the calls of tools with their results in a log, and the bytes that were read for it.

    With `wanted`, only results that hold all texts of one of these groups; a log without them is not parsed. A log
    that cannot be read, is no lines, or is too long has none.
    """
    try:
        with vault.log(file_of(path)) as log:
            if log.size > MAX_LOG or logs.is_database(log):
                return [], 0
            data = b"".join(logs.blocks(log))
    except VaultError:
        return [], 0
    if wanted and not holds(data, wanted):
        return [], len(data)
    return list(tool_runs(logs.Lines([data]), wanted)), len(data)
