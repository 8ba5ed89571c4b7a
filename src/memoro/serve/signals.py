"""Waits for the signals that end a process."""

from __future__ import annotations

import os
import select
import signal
from types import TracebackType

_ENDING = (signal.SIGINT, signal.SIGTERM)


class Signals:
    """Within the block, `wait` returns True once SIGINT or SIGTERM has arrived. For the main thread only.

    A handler that sets an event can deadlock if the thread that it interrupts waits for that event. So the
    interpreter itself writes a byte to a pipe, and the handlers do nothing.
    """

    def __enter__(self) -> Signals:
        self._reading, self._writing = os.pipe()
        os.set_blocking(self._reading, False)
        os.set_blocking(self._writing, False)
        self._arrived = False
        self._handlers_before = {one: signal.signal(one, lambda *_: None) for one in _ENDING}
        self._wakeup_before = signal.set_wakeup_fd(self._writing, warn_on_full_buffer=False)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        signal.set_wakeup_fd(self._wakeup_before)
        for one, handler in self._handlers_before.items():
            signal.signal(one, handler)
        os.close(self._reading)
        os.close(self._writing)

    def wait(self, seconds: float) -> bool:
        if not self._arrived and select.select([self._reading], [], [], seconds)[0]:
            numbers = os.read(self._reading, 64)
            self._arrived = any(one in numbers for one in _ENDING)
        return self._arrived
