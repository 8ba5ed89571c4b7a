"""The workspaces in which hooks are answered: one for each agent, project and set of variables that matter."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import NamedTuple

from memoro import hosts, opening
from memoro.model.secret_patterns import SECRET_VARIABLE
from memoro.serve.settings_stamps import Stamp, home_stamp, settings_stamps
from memoro.workspace import Workspace

_MOST = 8  # each keeps the ledger open; the index is shared


class WorkspaceKey(NamedTuple):
    """All that decides how a home is opened."""

    home: str
    vault: str | None
    agent: str
    project: str | None
    environment: tuple[tuple[str, str], ...]


def relevant_variables(environment: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Return the variables that change an answer: ours, those that move logs, and secrets that must not be shown.

    The others differ from terminal to terminal, and would make each open a workspace of its own.
    """
    logs = (hosts.of_agent(agent).logs for agent in hosts.LOG_AGENTS)
    moving = {"HOME", *(name for one in logs if one for name in one.variables)}
    return tuple(
        sorted(
            (name, value)
            for name, value in environment.items()
            if name in moving or (name.startswith("MEMORO_") and name != "MEMORO_HOOK_SECONDS")
            or re.search(SECRET_VARIABLE, name, re.ASCII)
        )
    )  # fmt: skip


class _Opened:
    def __init__(self, workspace: Workspace, stamps: list[Stamp]) -> None:
        self.workspace, self.stamps = workspace, stamps
        self.users = 0
        self.is_retired = False


class HookWorkspaces:
    """Opens each workspace once, and again after its settings have changed. Threads may share it."""

    def __init__(self, most: int = _MOST) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._open: dict[WorkspaceKey, _Opened] = {}  # the one used last is the last

    @contextmanager
    def opened(self, key: WorkspaceKey) -> Iterator[Workspace]:
        """Lend the workspace for the block. Raises what `memoro.open` raises."""
        with self._lock:
            found = self._take(key)
            found.users += 1
        try:
            yield found.workspace
        finally:
            with self._lock:
                found.users -= 1
                self._close_if_done(found)

    def close(self) -> None:
        """Close all, those in use once they are given back."""
        with self._lock:
            while self._open:
                self._retire(next(iter(self._open)))

    def _take(self, key: WorkspaceKey) -> _Opened:
        found = self._open.get(key)
        if found is not None and found.stamps != settings_stamps(found.workspace):
            self._retire(key)
            found = None
        if found is None:
            found = _open(key)
        self._open.pop(key, None)
        self._open[key] = found
        if len(self._open) > self._most:
            self._retire(next(iter(self._open)))
        return found

    def _retire(self, key: WorkspaceKey) -> None:
        retired = self._open.pop(key)
        retired.is_retired = True
        self._close_if_done(retired)

    def _close_if_done(self, opened: _Opened) -> None:
        if opened.is_retired and not opened.users:
            opened.workspace.close()


def _open(key: WorkspaceKey) -> _Opened:
    before = home_stamp(key.home)
    environment = dict(key.environment)
    workspace = opening.open_with(environment, key.home, key.vault, agent=key.agent, project=key.project)
    # Where the file changed while it was read, the stamp from before makes the next request open it again.
    return _Opened(workspace, [before, *settings_stamps(workspace)[1:]])
