"""The workspaces of the people whom a team's server serves: opened on first use, closed and removed when unused.

A seat has a folder `seats/TENANT/PERSON` in the server's home, with the local copy of the rows that this person may
see and an index of them. Nothing there is precious: whatever is missing or old is made anew from the ledger's server.
"""

from __future__ import annotations

import os
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from memoro.opening import SeatPlace, open_seat
from memoro.store.opening import make_home

if TYPE_CHECKING:
    from memoro.model.token_holder import TokenHolder
    from memoro.workspace import Workspace

FOLDER = "seats"
MOST_OPEN = 64  # workspaces; each holds about ten descriptors, and a seat's index some megabytes
MOST_OF_ONE_SEAT = 4  # clients beyond that close the one of the same seat that was used longest ago
IDLE_SECONDS = 10 * 60.0  # after which a workspace is closed
UNUSED_DAYS = 14  # after which the files of a seat are removed
_REMOVED = "~"  # after the name of a folder that is being deleted; no name of a person has it
_USED_FILE = "used"  # its time of change says when the seat was last used


class WorkspaceKey(NamedTuple):
    """The seat of a workspace, and its writer."""

    tenant: str
    person: str
    agent: str | None  # named by the token
    client: str | None  # named by the request; None: the person acts

    @property
    def seat(self) -> tuple[str, str]:
        return self.tenant, self.person


class _Opened:
    def __init__(self, workspace: Workspace, now: float) -> None:
        self.workspace, self.used_at = workspace, now
        self.users = 0
        self.is_retired = False


class SeatWorkspaces:
    """Lends workspaces to requests. Threads share it; a workspace in use is never closed."""

    def __init__(self, home: str, clock: Callable[[], float] = time.monotonic, most: int = MOST_OPEN) -> None:
        self._home = home
        self._folder = os.path.join(home, FOLDER)
        self._clock = clock
        self._most = most
        self._lock = threading.Lock()
        self._open: dict[WorkspaceKey, _Opened] = {}  # the one used last is the last

    @contextmanager
    def opened(self, holder: TokenHolder, client: str | None) -> Iterator[Workspace]:
        """Lend the workspace of a token's holder. `client` is the name of an agent, which a token with one overrides.

        It opens its files when it is first used, on the thread of that request. Raises ConfigError.
        """
        key = WorkspaceKey(holder.tenant, holder.person, holder.agent, client=None if holder.agent else client)
        with self._lock:
            found, retired = self._take(key)
            found.users += 1
        _close_all(retired)
        try:
            yield found.workspace
        finally:
            with self._lock:
                found.users -= 1
                found.used_at = self._clock()
                is_done = found.is_retired and not found.users
            if is_done:
                found.workspace.close()

    def count(self) -> int:
        """Return how many seats are open."""
        with self._lock:
            return len({key.seat for key in self._open})

    def workspaces(self) -> list[Workspace]:
        """Return those that are open now; each may be closed at any time."""
        with self._lock:
            return [one.workspace for one in self._open.values()]

    def close_idle(self) -> None:
        with self._lock:
            since = self._clock() - IDLE_SECONDS
            idle = [key for key, one in self._open.items() if not one.users and one.used_at < since]
            retired = [self._retire(key) for key in idle]
        _close_all(retired)

    def close(self) -> None:
        """Close all, those in use once they are given back."""
        with self._lock:
            retired = [self._retire(key) for key in list(self._open)]
        _close_all(retired)

    def remove_unused(self) -> int:
        """Delete the files of seats that nobody has used for days; return of how many."""
        removed = 0
        for tenant in _folders(self._folder):
            for person in _folders(os.path.join(self._folder, tenant)):
                removed += self._remove_if_unused(tenant, person)
        return removed

    def _remove_if_unused(self, tenant: str, person: str) -> bool:
        folder = os.path.join(self._folder, tenant, person)
        if not person.endswith(_REMOVED):
            with self._lock:
                is_open = any(key.seat == (tenant, person) for key in self._open)
                if is_open or not _is_unused(folder):
                    return False
                os.rename(folder, folder + _REMOVED)  # a request that comes now makes the seat anew
            folder += _REMOVED
        shutil.rmtree(folder, ignore_errors=True)
        return True

    def _take(self, key: WorkspaceKey) -> tuple[_Opened, list[_Opened]]:
        """The workspace of a key, and those that are closed for it."""
        found = self._open.pop(key, None) or self._opened_now(key)
        self._open[key] = found
        found.used_at = self._clock()
        same_seat = [one for one in self._open if one.seat == key.seat]
        retired = [self._retire(same_seat[0])] if len(same_seat) > MOST_OF_ONE_SEAT else []
        if len(self._open) > self._most:
            retired.append(self._retire(next(iter(self._open))))
        return found, retired

    def _opened_now(self, key: WorkspaceKey) -> _Opened:
        folder = os.path.join(self._folder, *key.seat)
        # The settings check both names, so that none of them leads out of the folder.
        workspace = open_seat(self._home, SeatPlace(*key.seat, folder), agent=key.agent, client=key.client)
        for one in (self._folder, os.path.dirname(folder), folder):
            make_home(one)
        _note_use(folder)
        return _Opened(workspace, self._clock())

    def _retire(self, key: WorkspaceKey) -> _Opened:
        retired = self._open.pop(key)
        retired.is_retired = True
        with suppress(OSError):  # somebody removed the folder
            _note_use(os.path.join(self._folder, *key.seat))
        return retired


def _close_all(retired: list[_Opened]) -> None:
    """Outside the lock: closing a workspace waits for its files."""
    for one in retired:
        if not one.users:
            one.workspace.close()


def _note_use(folder: str) -> None:
    Path(folder, _USED_FILE).touch()


def _is_unused(folder: str) -> bool:
    try:
        used_at = os.stat(os.path.join(folder, _USED_FILE)).st_mtime
    except FileNotFoundError:  # its making was broken off
        used_at = os.stat(folder).st_mtime
    return used_at < time.time() - UNUSED_DAYS * 86_400


def _folders(folder: str) -> list[str]:
    try:
        with os.scandir(folder) as found:
            return [one.name for one in found if one.is_dir(follow_symlinks=False)]
    except FileNotFoundError:
        return []
