"""Gives each request an id, counts it, and logs one line about it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from functools import cache

from memoro.serve.access_rules import API_PATH, HEALTH_PATH, HOOKS_PATH, MCP_PATH, METRICS_PATH, READY_PATH
from memoro.serve.asgi import AsgiApp, AsgiMessage, AsgiScope, Receive, Send
from memoro.serve.metrics import RequestMetrics
from memoro.serve.request_records import ID_HEADER, RequestRecord, request_id

LogRequest = Callable[[Mapping[str, object]], None]
_NO_ANSWER = 499  # the client left before it was answered


class ObservedApp:
    """An ASGI application around the guard, so that refused requests are counted, too."""

    def __init__(
        self,
        inner: AsgiApp,
        metrics: RequestMetrics,
        log: LogRequest | None = None,
        is_draining: Callable[[], bool] = lambda: False,
    ) -> None:
        """`log` receives one document for each request. While draining, each answer ends its connection."""
        self._inner = inner
        self._metrics = metrics
        self._log = log
        self._is_draining = is_draining

    async def __call__(self, scope: AsgiScope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._inner(scope, receive, send)
            return
        record = RequestRecord(request_id(scope["headers"]), operation_of(scope["path"]))
        status, started = _NO_ANSWER, time.monotonic()

        async def named_send(message: AsgiMessage) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                ours = [(ID_HEADER, record.id.encode())]
                if self._is_draining():
                    ours.append((b"connection", b"close"))
                message = {**message, "headers": [*message.get("headers", ()), *ours]}
            await send(message)

        self._metrics.begin()
        try:
            await self._inner({**scope, "record": record}, receive, named_send)
        finally:
            seconds = time.monotonic() - started
            self._metrics.end(record.operation, status, record.error, seconds)
            if self._log is not None:
                self._log(_document(record, status, seconds))


def _document(record: RequestRecord, status: int, seconds: float) -> Mapping[str, object]:
    return {
        "level": "error" if status >= 500 else "info",
        "operation": record.operation,
        "tenant": record.tenant,
        "person": record.person,
        "token": record.token_id,
        "status": status,
        "error": record.error,
        "ms": round(1000 * seconds, 1),
        "request": record.id,
    }


def operation_of(path: str) -> str:
    """The name under which requests for a path are counted: one of a fixed number, whatever clients send."""
    if path.startswith(API_PATH):
        return _operations().get(path, "unknown")
    if path.startswith(HOOKS_PATH):
        return "hook"
    return _NAMES.get(path, "page")


_NAMES = {MCP_PATH: "mcp", HEALTH_PATH: "health", READY_PATH: "ready", METRICS_PATH: "metrics"}


@cache
def _operations() -> Mapping[str, str]:
    from memoro.api.routes import routes

    return {path: route.operation.name for path, route in routes().items()}
