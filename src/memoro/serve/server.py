"""The HTTP server itself: uvicorn's protocol, on connections that are counted, limited and timed."""

from __future__ import annotations

import asyncio
import logging
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from memoro.serve.accepting import Acceptor, sweep
from memoro.serve.asgi import AsgiApp
from memoro.serve.connections import IDLE_SECONDS, ConnectionTable
from memoro.serve.listening import take_no_more
from memoro.serve.readiness import Readiness

if TYPE_CHECKING:
    import uvicorn

    from memoro.serve.services import Reports

STOPPING_SECONDS = 2  # that running requests have when the process ends
_LAST_SECONDS = 0.3  # for connections that were on their way when the kernel was told to take no more
_FIRST_BYTES_SECONDS = 2.0  # for the requests of connections that were accepted last
_LOOK_SECONDS = 0.25  # between two looks whether it must stop
_LOGGERS = ("uvicorn.error", "asyncio")
_MINUTE = 60.0
_LINES_A_MINUTE = 20  # of different wording


class HttpServer:
    """Answers requests on listening sockets until it must stop."""

    def __init__(
        self,
        app: AsgiApp,
        table: ConnectionTable,
        reports: Reports,
        readiness: Readiness | None = None,
        finish_seconds: float = STOPPING_SECONDS,
    ) -> None:
        """`finish_seconds` is the time that running requests have when the process ends."""
        self._app = app
        self._table = table
        self._notice = OncePerMinute(reports.notice)
        self._readiness = readiness or Readiness()
        self._finish_seconds = finish_seconds
        self._acceptor: Acceptor | None = None

    async def serve(
        self, listeners: list[socket.socket], stop: threading.Event, drain_seconds: Callable[[], float] = float
    ) -> None:
        """Return once `stop` is set and running requests are answered. Raise if a listening socket fails.

        For `drain_seconds` after `stop`, it still accepts connections but is not ready, so that whoever sends the
        traffic can turn to another node.
        """
        import uvicorn

        config = uvicorn.Config(
            self._app, http="h11", ws="none", lifespan="on", log_config=None, access_log=False, server_header=False,
            timeout_keep_alive=int(IDLE_SECONDS * 3 / 4), timeout_graceful_shutdown=round(self._finish_seconds),
            proxy_headers=False,  # nothing that a client can write names its address
        )  # fmt: skip
        server = uvicorn.Server(config)
        with _reported(self._notice):
            serving = asyncio.create_task(server.serve(sockets=[]))
            while not server.started and not serving.done():
                await asyncio.sleep(0.01)
            accepting = asyncio.create_task(self._accept(server, listeners))
            waiting = asyncio.create_task(_wait(stop))
            await asyncio.wait({serving, accepting, waiting}, return_when=asyncio.FIRST_COMPLETED)
            waiting.cancel()
            if stop.is_set() and (seconds := drain_seconds()):
                await self._drain(listeners, accepting, seconds)
            accepting.cancel()
            server.should_exit = True
            ends = await asyncio.gather(serving, accepting, return_exceptions=True)
        for end in ends:
            if isinstance(end, Exception):
                raise end
        if not stop.is_set():
            raise RuntimeError("the HTTP server ended by itself")

    async def _drain(self, listeners: list[socket.socket], accepting: asyncio.Task[None], seconds: float) -> None:
        """Answer whoever still comes, each for the last time on its connection, and then let nobody in."""
        self._readiness.is_draining = True
        await asyncio.sleep(seconds)
        for listener in listeners:
            take_no_more(listener)  # what waits in its queue when it is closed would be lost
        await asyncio.sleep(_LAST_SECONDS)
        accepting.cancel()
        await asyncio.gather(accepting, return_exceptions=True)
        acceptor = self._acceptor
        for listener in listeners:
            if acceptor is not None:
                acceptor.take_last(listener)
        until = asyncio.get_running_loop().time() + _FIRST_BYTES_SECONDS
        while self._table.strangers and asyncio.get_running_loop().time() < until:
            await asyncio.sleep(0.02)

    async def _accept(self, server: uvicorn.Server, listeners: list[socket.socket]) -> None:
        """Accept on every listener, and end overdue connections, until one of them fails."""

        def make_protocol() -> asyncio.Protocol:
            made: asyncio.Protocol = server.config.http_protocol_class(
                config=server.config, server_state=server.server_state, app_state=server.lifespan.state
            )
            return made

        self._acceptor = acceptor = Acceptor(self._table, make_protocol, self._notice)
        await asyncio.gather(sweep(self._table), *(acceptor.run(listener) for listener in listeners))


async def _wait(stop: threading.Event) -> None:
    while not stop.is_set():
        await asyncio.sleep(_LOOK_SECONDS)


class OncePerMinute:
    """Passes lines on, each at most once a minute, so that nobody can fill a log by repeating a mistake."""

    def __init__(self, report: Callable[[str], None], clock: Callable[[], float] = time.monotonic) -> None:
        self._report = report
        self._clock = clock
        self._reported_at: dict[str, float] = {}

    def __call__(self, line: str) -> None:
        now = self._clock()
        self._reported_at = {known: at for known, at in self._reported_at.items() if now < at + _MINUTE}
        if line not in self._reported_at and len(self._reported_at) < _LINES_A_MINUTE:
            self._reported_at[line] = now
            self._report(line)


@contextmanager
def _reported(report: Callable[[str], None]) -> Iterator[None]:
    """For the block, report what the libraries log, a line for each; without us they would print tracebacks."""
    handler = _ReportHandler(report)
    loggers = [logging.getLogger(name) for name in _LOGGERS]
    before = [logger.propagate for logger in loggers]
    for logger in loggers:
        logger.addHandler(handler)
        logger.propagate = False
    try:
        yield
    finally:
        for logger, propagate in zip(loggers, before, strict=True):
            logger.removeHandler(handler)
            logger.propagate = propagate


class _ReportHandler(logging.Handler):
    def __init__(self, report: Callable[[str], None]) -> None:
        super().__init__(logging.WARNING)
        self._report = report

    def emit(self, record: logging.LogRecord) -> None:
        line = record.getMessage().partition("\n")[0].strip()
        error = record.exc_info[1] if record.exc_info else None
        self._report(f"http: {line} ({type(error).__name__}: {error})" if error else f"http: {line}")
