"""The service that answers over HTTP on this machine: the API, MCP, hooks, the page, and a health check."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from memoro.api.routes import ROOT
from memoro.errors import MemoroError
from memoro.model.vocabulary import ToolProfile
from memoro.page.access import PageAccess
from memoro.serve.access_rules import (
    API_PATH,
    CODE_PATH,
    FAVICON_PATH,
    HEALTH_PATH,
    HOOKS_PATH,
    LIVE_PATH,
    MCP_PATH,
    METRICS_PATH,
    READY_PATH,
    AccessRules,
    is_for_programs,
)
from memoro.serve.asgi import AsgiApp, AsgiScope, Receive, Send
from memoro.serve.connections import ConnectionTable, descriptor_limit, most_connections
from memoro.serve.guard import HEALTH_CHECKS, Guard
from memoro.serve.listening import listen, listen_on
from memoro.serve.metrics import CONTENT_TYPE, RequestMetrics
from memoro.serve.observing import LogRequest, ObservedApp
from memoro.serve.readiness import Readiness
from memoro.serve.refusing import answer
from memoro.serve.services import ServiceContext
from memoro.serve.team import Team
from memoro.serve.token import file_of, metrics_token, token
from memoro.workspace import Workspace

if TYPE_CHECKING:
    from anyio import CapacityLimiter

    from memoro.mcp.clients import Homes

PORT = 7391

# Answers an event of a host: agent, event and workspace in, the host's answer out.
AnswerHook = Callable[[str, Mapping[str, object], Workspace], Mapping[str, object] | None]


class ProxyOptions(NamedTuple):
    """How a server behind a proxy, which speaks TLS with its clients, is reached and ended."""

    names: tuple[str, ...] = ()  # under which clients reach the proxy; empty: there is none
    address: str | None = None  # to listen on; None: this machine's own
    drain_seconds: float = 0.0  # from the signal to end until no connection is accepted any more
    finish_seconds: float = 2.0  # that running requests have after that


NO_PROXY = ProxyOptions()


class HttpService:
    name = "http"

    def __init__(
        self,
        port: int,
        open_workspace: Callable[[str | None], Workspace],
        *,
        profile: ToolProfile = "default",
        answer_hook: AnswerHook | None = None,
        proxy: ProxyOptions = NO_PROXY,
        log: LogRequest | None = None,
    ) -> None:
        """`open_workspace` opens the home for an agent. Without `answer_hook`, hooks get 404.

        `log` receives a document about each request.
        """
        self.port = port  # 0: a free one, and from then on the same
        self._open_workspace = open_workspace
        self._profile = profile
        self._answer_hook = answer_hook
        self._page_access = PageAccess()  # browsers stay let in when the settings change
        self._listeners: list[socket.socket] = []
        self._proxy = proxy
        self._log = log
        self._metrics = RequestMetrics()  # counts go on when the settings change

    def run(self, context: ServiceContext) -> None:
        """Answer until the process ends. While the settings change, clients that connect wait for a moment."""
        listeners = self._listeners = self._listeners or self._listen()
        self.port = listeners[0].getsockname()[1]
        is_kept = False
        try:
            self._serve(context, listeners)
            is_kept = context.goes_on.is_set()
        except BaseException:
            context.reports.http("the listener failed; it starts again")
            raise
        finally:
            if not is_kept:
                self._listeners = []
                for one in listeners:
                    one.close()

    def _listen(self) -> list[socket.socket]:
        return listen(self.port) if self._proxy.address is None else listen_on(self._proxy.address, self.port)

    def _serve(self, context: ServiceContext, listeners: list[socket.socket]) -> None:
        import asyncio

        from memoro.mcp.clients import Homes
        from memoro.serve.server import HttpServer

        homes, team = Homes(self._open_workspace), Team.of(context.workspace)
        readiness = Readiness(team.check_server, team.seats.count) if team else Readiness()
        table = ConnectionTable(most_connections(descriptor_limit()))
        inner = self._app(context, homes, team, readiness)
        guard = Guard(inner, self._rules(context, team), connections=table, team=team.tokens if team else None)
        self._metrics.gauges = team.gauges() if team else []
        app = ObservedApp(guard, self._metrics, self._log, lambda: readiness.is_draining)
        server = HttpServer(app, table, context.reports, readiness, self._proxy.finish_seconds)
        self._report_start(context, len(listeners))
        if team is not None:
            team.begin_upkeep(context.stop)
        try:
            asyncio.run(server.serve(listeners, context.stop, lambda: self._drain_seconds(context)))
        finally:
            homes.close()
            if team is not None:
                team.close()

    def _drain_seconds(self, context: ServiceContext) -> float:
        """None to wait for where the service goes on with new settings: nobody needs another node meanwhile."""
        return 0.0 if context.goes_on.is_set() else self._proxy.drain_seconds

    def _rules(self, context: ServiceContext, team: Team | None) -> AccessRules:
        home = context.workspace.home
        rules = AccessRules.local(self.port, token(home))
        metrics = metrics_token(home) if team is not None else ""
        rules = rules.with_tokens(read=token(home, "read"), admin=token(home, "admin"), metrics=metrics)
        if self._proxy.names:
            rules = rules.with_proxy(self._proxy.names, takes_own_address=self._proxy.address is not None)
        return rules.with_page(self._cookie, lambda value: self._page_access.session(value) is not None)

    def _report_start(self, context: ServiceContext, listeners: int) -> None:
        home, host = context.workspace.home, self._proxy.address or "127.0.0.1"
        address = f"http://{f'[{host}]' if ':' in host else host}:{self.port}/mcp"
        alone = "" if listeners > 1 or self._proxy.address else " (IPv4 alone: this machine has no IPv6)"
        context.reports.http(f"{address}{alone}")
        context.reports.done(f"http: {address}, with the token in {file_of(home)}{alone}")
        others = f"to read alone {os.path.basename(file_of(home, 'read'))}, for you {file_of(home, 'admin')}"
        context.reports.done(f"http: the API is at {address.removesuffix('/mcp')}{ROOT}; other tokens: {others}")
        if self._proxy.names:
            context.reports.done(f"http: behind a proxy, as https://{', https://'.join(self._proxy.names)}")

    def _app(self, context: ServiceContext, homes: Homes, team: Team | None, readiness: Readiness) -> AsgiApp:
        """Return the application behind the guard, which has checked sender, path, method and size."""
        from anyio import CapacityLimiter

        mcp, page = self._mcp(homes, team), self._page(context)
        api = self._api(context, homes, team)
        health_threads = CapacityLimiter(HEALTH_CHECKS)  # of their own: the others may all be busy

        async def app(scope: AsgiScope, receive: Receive, send: Send) -> None:
            if scope["type"] == "lifespan":
                await mcp(scope, receive, send)
                return
            path = scope["path"]
            if path not in _OF_NO_USE:
                context.reports.request()
            if path == MCP_PATH:
                await mcp(scope, receive, send)
            elif path.startswith(API_PATH):
                await api(scope, receive, send)
            elif path == HEALTH_PATH:
                await _check_health(context.workspace, send, health_threads)
            elif path == READY_PATH:
                await _check_ready(readiness, send)
            elif path == METRICS_PATH:
                await _send_metrics(self._metrics, send)
            elif path == FAVICON_PATH:
                await _send_nothing(send)
            elif not is_for_programs(path) or path == CODE_PATH:
                await page(scope, receive, send)
            else:
                await self._handle_hook(context.workspace, path.removeprefix(HOOKS_PATH), receive, send)

        return app

    def _mcp(self, homes: Homes, team: Team | None) -> AsgiApp:
        if not has_packages("mcp", "mcp_types"):
            return _without("MCP needs a package that is not installed: `pip install 'memoro[mcp]'`.")
        from memoro.mcp.server import TeamSide, build, over_http

        side = TeamSide(team.seats, team.threads) if team else None
        made: AsgiApp = over_http(build(homes, self._profile, team=side), self.port, self._proxy.names)
        return made

    def _page(self, context: ServiceContext) -> AsgiApp:
        if not has_packages("starlette", "jinja2", "markdown_it", "nh3"):
            return _without("The page needs packages that are not installed: `pip install 'memoro[ui]'`.")
        from memoro.page.app import Page

        made: AsgiApp = Page(context.workspace, self._page_access, self._cookie, context.reports.notice).app()
        return made

    def _api(self, context: ServiceContext, homes: Homes, team: Team | None) -> AsgiApp:
        from memoro.api.app import Api
        from memoro.api.calling import Calls
        from memoro.api.cursors import Cursors

        cursors = Cursors(token(context.workspace.home, "admin"))
        calls = Calls(context.workspace, homes, cursors, team.seats if team else None)
        return Api(calls, context.reports.notice, team.threads if team else None)

    @property
    def _cookie(self) -> str:
        """The name of the page's cookie. Browsers send cookies to every port, so the name tells ours apart."""
        return f"memoro-{self.port}"

    async def _handle_hook(self, workspace: Workspace, agent: str, receive: Receive, send: Send) -> None:
        from anyio import to_thread

        if self._answer_hook is None:
            await answer(send, 404, {"error": "This server answers no hooks."})
            return
        try:
            event = json.loads((await receive())["body"])
        except (ValueError, RecursionError):
            event = None
        if not isinstance(event, dict):
            await answer(send, 400, {"error": "Send one JSON object."})
            return
        try:
            found = await to_thread.run_sync(self._answer_hook, agent, event, workspace, abandon_on_cancel=True)
        except MemoroError as error:
            await answer(send, 500, {"error": str(error)})
            return
        await answer(send, 200, found or {})


def has_packages(*names: str) -> bool:
    """Return whether packages of an extra are installed."""
    from importlib.util import find_spec

    return all(find_spec(name) is not None for name in names)


def _without(sentence: str) -> AsgiApp:
    """An application in place of one whose packages are missing: every path answers 404 and says so."""

    async def app(scope: AsgiScope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            while (message := await receive())["type"] != "lifespan.shutdown":
                await send({"type": f"{message['type']}.complete"})
            await send({"type": "lifespan.shutdown.complete"})
            return
        await answer(send, 404, {"error": sentence})

    return app


# A page that is open, and whoever asks how the process is, do not keep it from ending.
_OF_NO_USE = (LIVE_PATH, READY_PATH, METRICS_PATH, FAVICON_PATH)


async def _check_ready(readiness: Readiness, send: Send) -> None:
    from anyio import to_thread

    found = await to_thread.run_sync(readiness.ready, abandon_on_cancel=True)
    document = {"ready": found.is_ready, **({"why": found.why} if found.why else {})}
    await answer(send, 200 if found.is_ready else 503, document)


async def _send_nothing(send: Send) -> None:
    """The pages name their own icon; the one of a refused browser has none."""
    await send({"type": "http.response.start", "status": 204, "headers": []})
    await send({"type": "http.response.body", "body": b""})


async def _send_metrics(metrics: RequestMetrics, send: Send) -> None:
    from anyio import to_thread

    body = (await to_thread.run_sync(metrics.text, abandon_on_cancel=True)).encode()
    described = [(b"content-type", CONTENT_TYPE), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": described})
    await send({"type": "http.response.body", "body": body})


async def _check_health(workspace: Workspace, send: Send, threads: CapacityLimiter) -> None:
    """Check that the home can be read and written; that the process lives, any answer shows."""
    from anyio import to_thread

    from memoro import documents

    checks = await to_thread.run_sync(workspace.probe, abandon_on_cancel=True, limiter=threads)
    document = documents.checks(checks)
    await answer(send, 200 if document["ok"] else 503, document)
