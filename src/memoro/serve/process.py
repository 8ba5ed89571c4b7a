"""Runs the services of one home, from taking the lock to the end of the last thread."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

from memoro.errors import AlreadyServed, MemoroError
from memoro.model.system_errors import reason
from memoro.serve.services import Service, ServiceContext
from memoro.serve.settings_stamps import Stamp, settings_stamps
from memoro.store.lock import KernelLock
from memoro.store.opening import make_home
from memoro.store.serving import FILE, Serving, claimed, serving, written
from memoro.workspace import Workspace

TICK_SECONDS = 2.0  # between two checks for changed settings and for idleness
RESTART_SECONDS = 5.0  # after a failure of a service
# A MemoroError in the first seconds of a process is one of its setup, such as a taken port, and ends the process.
STARTING_SECONDS = 30.0
STOPPING_SECONDS = 10.0  # that a service may take to stop before the process leaves it behind


class ServeOptions(NamedTuple):
    """The functions with which the process waits and prints, and when it ends."""

    wait: Callable[[float], bool]  # sleeps so many seconds; returns True as soon as the process must end
    print_line: Callable[[str], None]
    print_error: Callable[[str], None]
    idle_exit: float | None = None  # seconds without a change or a request, after which the process ends
    stopping_seconds: float = STOPPING_SECONDS
    lock_file: str = FILE  # PAGE_FILE: for the page alone, beside a process that serves the rest


def serve(open_workspace: Callable[[], Workspace], services: Sequence[Service], options: ServeOptions) -> str:
    """Run the services until the process must end; returns why. Raises AlreadyServed if another process serves.

    After a change of the settings, the services stop and start again on a workspace with the new settings.
    """
    workspace = open_workspace()
    try:
        make_home(workspace.home)
        with claimed(workspace.home, options.lock_file) as lock:
            if lock is None:
                first = serving(workspace.home, options.lock_file) or Serving()
                raise AlreadyServed(workspace.home, first.pid, first.since)
            status = ServeStatus(lock, options)
            options.print_line(f"serving {workspace.home}, process {os.getpid()}")
            while True:
                result = _ServiceThreads(workspace, services, options, status).run(open_workspace)
                if isinstance(result, str):
                    return result
                workspace.close()
                workspace = result
    finally:
        workspace.close()


class ServeStatus:
    """Prints reports, and keeps what `memoro status` reads about this process."""

    def __init__(self, lock: KernelLock, options: ServeOptions) -> None:
        self._lock, self._options = lock, options
        self._mutex = threading.Lock()
        self._serving = Serving(os.getpid(), _now())
        self._started_at = self._active_at = time.monotonic()
        self._write(self._serving)

    @property
    def is_starting(self) -> bool:
        return time.monotonic() < self._started_at + STARTING_SECONDS

    @property
    def idle_seconds(self) -> float:
        return time.monotonic() - self._active_at

    def request(self) -> None:
        self._active_at = time.monotonic()

    def done(self, line: str) -> None:
        self.request()
        self._options.print_line(line)
        self._write(self._serving._replace(did=line, did_at=_now()))

    def failed(self, line: str) -> None:
        self._options.print_error(line)
        self._write(self._serving._replace(did=f"failed: {line}", did_at=_now()))

    def notice(self, line: str) -> None:
        self._options.print_error(line)

    def watching(self, how: str) -> None:
        self._write(self._serving._replace(watching=how))

    def http(self, how: str) -> None:
        self._write(self._serving._replace(http=how))

    def hooks(self, how: str) -> None:
        self._write(self._serving._replace(hooks=how))

    def _write(self, current: Serving) -> None:
        with self._mutex:
            self._serving = current
            self._lock.leave(written(current))


class _ServiceThreads:
    """The services, running with one set of settings."""

    def __init__(
        self, workspace: Workspace, services: Sequence[Service], options: ServeOptions, status: ServeStatus
    ) -> None:
        self._workspace, self._options, self._status = workspace, options, status
        self._stop, self._goes_on = threading.Event(), threading.Event()
        self._errors: list[MemoroError] = []
        context = ServiceContext(workspace=workspace, stop=self._stop, reports=status, goes_on=self._goes_on)
        self._threads = [
            threading.Thread(target=self._run, args=(service, context), name=service.name, daemon=True)
            for service in services
        ]

    def run(self, open_workspace: Callable[[], Workspace]) -> str | Workspace:
        """Return why the process must end, or the workspace to continue with."""
        before: list[Stamp] = []  # so that settings are read once more: they may have changed since they were read
        for thread in self._threads:
            thread.start()
        try:
            while True:
                if (now := settings_stamps(self._workspace)) != before:
                    before = now
                    if reopened := self._reopen(open_workspace):
                        self._goes_on.set()
                        return reopened
                if self._options.wait(TICK_SECONDS):
                    return "asked to stop"
                if self._errors:
                    raise self._errors[0]
                if self._is_idle():
                    return "nothing to do"
        finally:
            self._join()

    def _is_idle(self) -> bool:
        limit = self._options.idle_exit
        return limit is not None and self._status.idle_seconds >= limit

    def _reopen(self, open_workspace: Callable[[], Workspace]) -> Workspace | None:
        """Return a workspace with the new settings; None if they are wrong or say the same."""
        try:
            reopened = open_workspace()
        except MemoroError as error:
            self._options.print_error(f"{error} Continuing with the previous settings.")
            return None
        if reopened.settings == self._workspace.settings:
            reopened.close()
            return None
        self._options.print_line("the settings have changed; continuing with the new ones")
        return reopened

    def _join(self) -> None:
        self._stop.set()
        until = time.monotonic() + self._options.stopping_seconds
        for thread in self._threads:
            thread.join(max(0.0, until - time.monotonic()))
            if thread.is_alive():
                self._options.print_error(f"{thread.name} does not stop; the process ends without it")

    def _run(self, service: Service, context: ServiceContext) -> None:
        reported = ""  # so that a service that fails again and again is reported once
        while not self._stop.is_set():
            try:
                service.run(context)
                return
            except MemoroError as error:
                if self._status.is_starting:
                    self._errors.append(error)
                    return
                failure = str(error)
            except OSError as error:  # its own words name a file of the program that could not be opened
                failure = reason(error)
            except Exception as error:  # a bug in one service must not end the others
                failure = f"{type(error).__name__}: {error}"
            if failure != reported:
                self._status.failed(f"{service.name} failed ({failure}); it starts again")
                reported = failure
            self._stop.wait(RESTART_SECONDS)


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S")
