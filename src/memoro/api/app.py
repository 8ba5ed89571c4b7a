"""The HTTP API as an application. The guard has checked host, origin, token, size and rate before."""

from __future__ import annotations

import json
import sys
import threading
import traceback
from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from memoro.api.arguments import from_body, from_query
from memoro.api.calling import ApiCaller, Calls, SwitchedOff, key_of, session_name
from memoro.api.problems import Problem, failure, problem_of
from memoro.api.routes import OPENAPI_PATH, Route, routes
from memoro.errors import MemoroError
from memoro.mcp.clients import AGENT_HEADER, SESSION_HEADER, client_name
from memoro.serve.access_rules import includes
from memoro.serve.asgi import AsgiScope, Headers, Receive, Send

if TYPE_CHECKING:
    from memoro.serve.seat_threads import SeatThreads

KEY_HEADER = "idempotency-key"
STALE_HEADER = "Memoro-Stale"  # of an answer: why what was read may be old
_MAKING_OPENAPI = threading.Lock()
_JSON, _PROBLEM = b"application/json", b"application/problem+json"


class _Encoded(NamedTuple):
    body: bytes
    headers: Headers


class Api:
    """An ASGI application for the paths below `/api/`."""

    def __init__(self, calls: Calls, report: Callable[[str], None], threads: SeatThreads | None = None) -> None:
        """`report` receives a line for each error that nobody expected. `threads` run the requests of seats."""
        self._calls = calls
        self._report = report
        self._threads = threads

    async def __call__(self, scope: AsgiScope, receive: Receive, send: Send) -> None:
        from anyio import to_thread

        refused = _refusal(scope)
        if refused is not None:
            await _send_problem(send, refused)
        elif scope["path"] == OPENAPI_PATH:
            await _send_found(scope, send, await to_thread.run_sync(self._openapi))
        else:
            body = (await receive()).get("body", b"")
            holder = scope.get("holder")
            if holder is None or self._threads is None:
                found = await to_thread.run_sync(self._answer, scope, body, abandon_on_cancel=True)
            else:
                found = await self._threads.run(holder.tenant, holder.person, lambda: self._answer(scope, body))
            await _send_found(scope, send, found)

    def _openapi(self) -> _Encoded | Problem:
        try:
            return _Encoded(_openapi_text(), [])
        except Exception as error:
            return self._unexpected(error, OPENAPI_PATH, "the OpenAPI document")

    def _answer(self, scope: AsgiScope, body: bytes) -> _Encoded | Problem:
        route = routes()[scope["path"]]
        try:
            caller = _caller(scope, route)
            query = scope.get("query_string", b"")
            given = from_query(route, query) if scope["method"] == "GET" else from_body(route, body)
            answered = self._calls.call(route, given, caller)
            # A header takes no line breaks, and no letter that is not of ASCII.
            stale = " ".join(answered.stale.split()).encode("ascii", "replace") if answered.stale else None
            return _Encoded(_encoded(answered.document), [(STALE_HEADER.lower().encode(), stale)] if stale else [])
        except SwitchedOff as error:
            return Problem(403, "switched-off", str(error))
        except MemoroError as error:
            return problem_of(error)
        except Exception as error:
            return self._unexpected(error, route.path, route.operation.name)

    def _unexpected(self, error: Exception, path: str, inside: str) -> Problem:
        """Report an error that nobody expected, and return its problem, which has no details."""
        place = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{place.filename.rpartition('memoro/')[2]}:{place.lineno}"
        self._report(f"http: {path} failed: {type(error).__name__} at {where}")
        traceback.print_exception(error, file=sys.stderr)
        return failure(inside)


def _refusal(scope: AsgiScope) -> Problem | None:
    """Return why a request is refused before anything of it is read: its path, its method, the scope of its token."""
    path, granted = scope["path"], scope.get("granted", "read")
    if path == OPENAPI_PATH:
        return None if scope["method"] == "GET" else _another_method(("GET",))
    route = routes().get(path)
    if route is None:
        return Problem(404, "nothing-there", f"There is nothing at this path. {OPENAPI_PATH} lists the paths.")
    if scope["method"] not in route.methods:
        return _another_method(route.methods)
    if not includes(granted, route.offered.scope):
        sentence = f"This path needs the token for {route.offered.scope}; yours is for {granted}."
        why = "" if route.offered.scope == route.operation.access else f" {route.offered.why}"
        return Problem(403, "not-allowed", f"{sentence}{why}")
    return None


def _another_method(allowed: tuple[str, ...]) -> Problem:
    return Problem(405, "another-method", f"Use {' or '.join(allowed)}.")


def _caller(scope: AsgiScope, route: Route) -> ApiCaller:
    headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
    return ApiCaller(
        granted=scope.get("granted", "read"),
        agent=client_name(headers.get(AGENT_HEADER, "")),
        session=session_name(headers.get(SESSION_HEADER, "")),
        key=key_of(headers.get(KEY_HEADER)) if route.takes_key else None,
        holder=scope.get("holder"),
    )


def _openapi_text() -> bytes:
    """One thread makes it and the others wait: two that read syntax trees at once fail on Python 3.11 (gh-106905)."""
    with _MAKING_OPENAPI:
        return openapi_bytes()


@cache
def openapi_bytes() -> bytes:
    from memoro.api.openapi import openapi

    return _encoded(openapi())


def _encoded(document: Mapping[str, Any]) -> bytes:
    """The document as JSON. What is no text, such as the name of a file in another encoding, is spelled out."""
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "backslashreplace")


async def _send_found(scope: AsgiScope, send: Send, found: _Encoded | Problem) -> None:
    if isinstance(found, Problem) and (record := scope.get("record")):
        record.error = found.type
    await (_send_problem(send, found) if isinstance(found, Problem) else _send(send, 200, *found))


async def _send_problem(send: Send, problem: Problem) -> None:
    from memoro.model.output_filter import OutputFilter

    more: list[tuple[bytes, bytes]] = []
    if problem.status == 405:
        allowed = problem.detail.removeprefix("Use ").removesuffix(".").replace(" or ", ", ")
        more.append((b"allow", allowed.encode()))
    if problem.retry_after is not None:
        more.append((b"retry-after", str(problem.retry_after).encode()))
    await _send(send, problem.status, _encoded(OutputFilter().value(problem.document())), more, kind=_PROBLEM)


async def _send(send: Send, status: int, body: bytes, headers: Headers = (), kind: bytes = _JSON) -> None:
    described = [(b"content-type", kind), (b"content-length", str(len(body)).encode()), *headers]
    await send({"type": "http.response.start", "status": status, "headers": described})
    await send({"type": "http.response.body", "body": body})
