"""Running the parts of one home: from the lock to the last thread."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

from memoro.config import FILE_NAME, OBSIDIAN_FILE_NAME, VAULT_FILE_NAME
from memoro.errors import AlreadyServed, MemoroError
from memoro.serve.parts import Part, Room
from memoro.store.folder import make_home
from memoro.store.lock import KernelLock
from memoro.store.serving import Serving, claimed, serving, written
from memoro.workspace import Workspace

TICK_SECONDS = 2.0  # how soon a change of the settings is seen, or that nothing happens any more
AGAIN_SECONDS = 5.0  # after a part failed in a way that nobody thought of
LEAVING_SECONDS = 10.0  # that a part may take to end before it is left behind


class Manner(NamedTuple):
    """How to serve."""

    wait: Callable[[float], bool]  # pause for so many seconds; True as soon as the process is to end
    tell: Callable[[str], None]
    complain: Callable[[str], None]
    idle_exit: float | None = None  # seconds without a change or a request, after which it ends


def serve(opened: Callable[[], Workspace], parts: Sequence[Part], manner: Manner) -> str:
    """Look after one home until the process is to end; why it ended. `AlreadyServed` where somebody else does.

    When the settings change, the parts are ended and begin again on a workspace that has the new ones.
    """
    workspace = opened()
    try:
        make_home(workspace.home)
        with claimed(workspace.home) as lock:
            if lock is None:
                first = serving(workspace.home) or Serving()
                raise AlreadyServed(workspace.home, first.pid, first.since)
            sign = Sign(lock, manner)
            manner.tell(f"serving {workspace.home}, process {os.getpid()}")
            while True:
                ended = _Shift(workspace, parts, manner, sign).run(opened)
                if isinstance(ended, str):
                    return ended
                workspace.close()
                workspace = ended
    finally:
        workspace.close()


class Sign:
    """What `memoro status` reads about this process, and when anything happened last."""

    def __init__(self, lock: KernelLock, manner: Manner) -> None:
        self._lock, self._manner = lock, manner
        self._alone = threading.Lock()
        self._told = Serving(os.getpid(), _now())
        self._stirred = time.monotonic()
        self._put(self._told)

    @property
    def idle_seconds(self) -> float:
        return time.monotonic() - self._stirred

    def stir(self) -> None:
        self._stirred = time.monotonic()

    def tell(self, did: str) -> None:
        self.stir()
        self._manner.tell(did)
        self._put(self._told._replace(did=did, did_at=_now()))

    def complain(self, line: str) -> None:
        self._manner.complain(line)
        self._put(self._told._replace(did=f"failed: {line}", did_at=_now()))

    def watching(self, how: str) -> None:
        self._put(self._told._replace(watching=how))

    def _put(self, told: Serving) -> None:
        with self._alone:
            self._told = told
            self._lock.leave(written(told))


class _Shift:
    """The parts at work with one set of settings."""

    def __init__(self, workspace: Workspace, parts: Sequence[Part], manner: Manner, sign: Sign) -> None:
        self._workspace, self._manner, self._sign = workspace, manner, sign
        self._stop = threading.Event()
        self._failed: list[MemoroError] = []
        room = Room(workspace, self._stop, sign.tell, sign.complain, manner.complain, sign.stir, sign.watching)
        self._threads = [
            threading.Thread(target=self._run, args=(part, room), name=part.name, daemon=True) for part in parts
        ]

    def run(self, opened: Callable[[], Workspace]) -> str | Workspace:
        """Why the process ends, or the workspace to go on with."""
        before = _settings_files(self._workspace)
        for thread in self._threads:
            thread.start()
        try:
            while True:
                if self._manner.wait(TICK_SECONDS):
                    return "told to"
                if self._failed:
                    raise self._failed[0]
                if self._manner.idle_exit is not None and self._sign.idle_seconds >= self._manner.idle_exit:
                    return "nothing to do"
                if (now := _settings_files(self._workspace)) != before:
                    before = now
                    if changed := self._changed(opened):
                        return changed
        finally:
            self._leave()

    def _changed(self, opened: Callable[[], Workspace]) -> Workspace | None:
        try:
            fresh = opened()
        except MemoroError as error:
            self._manner.complain(f"{error} Going on with the settings as they were.")
            return None
        if fresh.settings == self._workspace.settings:
            fresh.close()
            return None
        self._manner.tell("the settings have changed; going on with the new ones")
        return fresh

    def _leave(self) -> None:
        self._stop.set()
        until = time.monotonic() + LEAVING_SECONDS
        for thread in self._threads:
            thread.join(max(0.0, until - time.monotonic()))
            if thread.is_alive():
                self._manner.complain(f"{thread.name} does not end; it is left behind")

    def _run(self, part: Part, room: Room) -> None:
        while not self._stop.is_set():
            try:
                part.run(room)
                return
            except MemoroError as error:
                self._failed.append(error)
                return
            except Exception as error:  # a fault of ours in one part is no reason to end the others
                self._manner.complain(f"{part.name} failed ({type(error).__name__}: {error}); it begins again")
                self._stop.wait(AGAIN_SECONDS)


def _settings_files(workspace: Workspace) -> list[tuple[int, int, int] | None]:
    """What tells whether a file with settings has changed."""
    files = [os.path.join(workspace.home, FILE_NAME)]
    if vault := workspace.settings.vault.path:
        files += [os.path.join(os.path.expanduser(vault), name) for name in (VAULT_FILE_NAME, OBSIDIAN_FILE_NAME)]
    return [_stamp(file) for file in files]


def _stamp(file: str) -> tuple[int, int, int] | None:
    try:
        status = os.stat(file)
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S")
