"""Waiting for the signals that end a process, without a handler that does anything."""

from __future__ import annotations

import os
import select
import signal
from types import TracebackType

_ENDING = (signal.SIGINT, signal.SIGTERM)


class Signals:
    """Within the block, `wait` returns True once SIGINT or SIGTERM has come. For the main thread.

    A handler that sets an event can deadlock with the thread that it interrupts, if that one waits for the event.
    Here a byte is written to a pipe by the interpreter itself.
    """

    def __enter__(self) -> Signals:
        self._reading, self._writing = os.pipe()
        os.set_blocking(self._reading, False)
        os.set_blocking(self._writing, False)
        self._ended = False
        self._before = {one: signal.signal(one, lambda *_: None) for one in _ENDING}
        self._wakeup = signal.set_wakeup_fd(self._writing, warn_on_full_buffer=False)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        signal.set_wakeup_fd(self._wakeup)
        for one, before in self._before.items():
            signal.signal(one, before)
        os.close(self._reading)
        os.close(self._writing)

    def wait(self, seconds: float) -> bool:
        if not self._ended and select.select([self._reading], [], [], seconds)[0]:
            came = os.read(self._reading, 64)
            self._ended = any(one in came for one in _ENDING)
        return self._ended
