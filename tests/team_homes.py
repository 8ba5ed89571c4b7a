"""Homes that share a ledger on a real Postgres server, each of one person on one machine."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import count
from pathlib import Path

import pytest

import memoro
from memoro.workspace import Workspace
from tests.postgres import InstalledServer

_MOST_SECONDS = 5.0  # what another node wrote is seen within one second; a busy machine may take longer


class Team:
    """The nodes of one tenant. Each call of `home` is another machine."""

    def __init__(self, folder: Path, server: InstalledServer, tenant: str | None = None) -> None:
        self._folder = folder
        self._server = server
        self.tenant = tenant or server.new_tenant()
        self._numbers = count(1)
        self._opened = ExitStack()

    def home(self, person: str, visibility: str = "shared") -> Workspace:
        return self._opened.enter_context(memoro.open(self.folder(person, visibility)))

    def folder(self, person: str, visibility: str = "shared") -> Path:
        home = self._folder / f"{self.tenant}-{next(self._numbers)}"
        home.mkdir(mode=0o700)
        (home / "memoro.toml").write_text(
            f'[ledger]\nurl = "{self._server.url}"\ntenant = "{self.tenant}"\nperson = "{person}"\n'
            f'visibility = "{visibility}"\n\n[embedding]\nenabled = false\n'
        )
        return home

    def close(self) -> None:
        self._opened.close()


@pytest.fixture
def team(tmp_path: Path, postgres: InstalledServer) -> Iterator[Team]:
    made = Team(tmp_path, postgres)
    yield made
    made.close()


def contents(m: Workspace) -> set[str]:
    return {one.content for one in m.memories.all()}


def eventually(holds: Callable[[], bool]) -> bool:
    """Whether something comes to hold: a node looks at the server again after a moment."""
    end = time.monotonic() + _MOST_SECONDS
    while not holds():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True
