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

if TYPE_CHECKING:
    import uvicorn

    from memoro.serve.services import Reports

STOPPING_SECONDS = 2  # that running requests have when the process ends
_LOOK_SECONDS = 0.25  # between two looks whether it must stop
_LOGGERS = ("uvicorn.error", "asyncio")
_MINUTE = 60.0
_LINES_A_MINUTE = 20  # of different wording


class HttpServer:
    """Answers requests on listening sockets until it must stop."""

    def __init__(self, app: AsgiApp, table: ConnectionTable, reports: Reports) -> None:
        self._app = app
        self._table = table
        self._notice = OncePerMinute(reports.notice)

    async def serve(self, listeners: list[socket.socket], stop: threading.Event) -> None:
        """Return once `stop` is set and running requests are answered. Raise if a listening socket fails."""
        import uvicorn

        config = uvicorn.Config(
            self._app, http="h11", ws="none", lifespan="on", log_config=None, access_log=False, server_header=False,
            timeout_keep_alive=int(IDLE_SECONDS * 3 / 4), timeout_graceful_shutdown=STOPPING_SECONDS,
        )  # fmt: skip
        server = uvicorn.Server(config)
        with _reported(self._notice):
            serving = asyncio.create_task(server.serve(sockets=[]))
            while not server.started and not serving.done():
                await asyncio.sleep(0.01)
            accepting = asyncio.create_task(self._accept(server, listeners))
            waiting = asyncio.create_task(_wait(stop))
            await asyncio.wait({serving, accepting, waiting}, return_when=asyncio.FIRST_COMPLETED)
            accepting.cancel()
            waiting.cancel()
            server.should_exit = True
            ends = await asyncio.gather(serving, accepting, return_exceptions=True)
        for end in ends:
            if isinstance(end, Exception):
                raise end
        if not stop.is_set():
            raise RuntimeError("the HTTP server ended by itself")

    async def _accept(self, server: uvicorn.Server, listeners: list[socket.socket]) -> None:
        """Accept on every listener, and end overdue connections, until one of them fails."""

        def make_protocol() -> asyncio.Protocol:
            made: asyncio.Protocol = server.config.http_protocol_class(
                config=server.config, server_state=server.server_state, app_state=server.lifespan.state
            )
            return made

        acceptor = Acceptor(self._table, make_protocol, self._notice)
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
