"""The progress of the sync that this process runs."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal, NamedTuple

from memoro.index.report import Progress

if TYPE_CHECKING:
    from memoro.index.embedding_plan import FillProgress
else:
    FillProgress = object  # as in `index.report`


class SyncStep(NamedTuple):
    """The current step of a sync: reading files, or embedding passages."""

    part: Literal["reading", "embedding"]
    done: int
    total: int
    seconds: float  # since the sync began


class NotedProgress(NamedTuple):
    """The callbacks of a sync, which also note what they hear."""

    progress: Progress
    filling: Callable[[FillProgress], None]


class RunningSync:
    """Notes the progress of the syncs of this process. Threads may share it; of several, the last heard counts."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._mutex = threading.Lock()
        self._running = 0
        self._began = 0.0
        self._step: SyncStep | None = None

    def now(self) -> SyncStep | None:
        """The step of a sync that runs; None where none does, or it has not said anything yet."""
        with self._mutex:
            step = self._step
            return step and step._replace(seconds=self._clock() - self._began)

    @contextmanager
    def noting(
        self, progress: Progress | None, filling: Callable[[FillProgress], None] | None
    ) -> Iterator[NotedProgress]:
        """A sync runs in this block. Yields callbacks for it, which hand on to those that are given."""

        def read(done: int, total: int) -> None:
            self._note(SyncStep(part="reading", done=done, total=total, seconds=0.0))
            if progress is not None:
                progress(done, total)

        def filled(one: FillProgress) -> None:
            self._note(SyncStep(part="embedding", done=one.done, total=one.total, seconds=0.0))
            if filling is not None:
                filling(one)

        self._count(1)
        try:
            yield NotedProgress(read, filled)
        finally:
            self._count(-1)

    def _note(self, step: SyncStep) -> None:
        with self._mutex:
            self._step = step

    def _count(self, by: int) -> None:
        with self._mutex:
            if self._running == 0:
                self._began = self._clock()
            self._running += by
            if self._running == 0:
                self._step = None
