"""Logs in an index that lives as long as a test, read as a sync reads them."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path

from memoro.index.report import Options
from memoro.index.sync import sync
from memoro.index.sync_run import SyncSource
from memoro.model.notes import Chunk, Rules
from memoro.store.plain.index import PlainIndex
from memoro.vault.files import VaultFiles
from tests.conftest import write_vault


class Logs:
    """A folder of logs beside an empty vault, and the index of both."""

    def __init__(self, folder: Path, *, tokens: int = 400) -> None:
        self.folder = folder / "logs"
        (folder / "vault").mkdir(exist_ok=True)
        self.folder.mkdir(exist_ok=True)
        self.vault = VaultFiles(str(folder / "vault"), transcripts=[str(self.folder)])
        self.index = PlainIndex()
        self.rules = Rules(tokens=tokens, overlap=20, daily_folder="daily")

    def sync(self) -> list[str]:
        """Sync, and what had to be said about it."""
        done = sync(
            self.index, SyncSource(self.vault, self.rules), Options("2026-01-01T00:00:00", accept_deletions=True)
        )
        return [problem.sentence for problem in done.problems]

    def chunks(self) -> dict[str, tuple[Chunk, ...]]:
        return {path: tuple(row.chunk for row in rows) for path, rows in sorted(self.index._rows.items())}

    def said(self) -> dict[str, list[tuple[int, str]]]:
        """Line and text of all that is in the index, by conversation."""
        return {path: [(c.start_line, c.text) for c in found] for path, found in self.chunks().items() if found}


def indexed(logs: Mapping[str, str | bytes], *, tokens: int = 400) -> tuple[dict[str, tuple[Chunk, ...]], list[str]]:
    """The chunks of each log, and what a sync had to say about them."""
    with tempfile.TemporaryDirectory() as folder:
        made = Logs(Path(folder), tokens=tokens)
        write_vault(made.folder, logs)
        problems = made.sync()
        return made.chunks(), problems
