"""The service that answers over HTTP on this machine: the API, MCP, hooks, the page, and a health check."""

from __future__ import annotations

import errno
import json
import os
import socket
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

from memoro.api.routes import ROOT
from memoro.errors import ConfigError, MemoroError
from memoro.model.vocabulary import ToolProfile
from memoro.page.access import PageAccess
from memoro.serve.asgi import AsgiApp, AsgiScope, Receive, Send
from memoro.serve.connections import ConnectionTable, descriptor_limit, most_connections
from memoro.serve.guard import (
    API_PATH,
    CODE_PATH,
    HEALTH_CHECKS,
    HEALTH_PATH,
    HOOKS_PATH,
    LIVE_PATH,
    AccessRules,
    Guard,
    answer,
    is_for_programs,
)
from memoro.serve.services import ServiceContext
from memoro.serve.token import file_of, token
from memoro.workspace import Workspace

if TYPE_CHECKING:
    from anyio import CapacityLimiter

    from memoro.mcp.clients import Homes

PORT = 7391
_FREE_PORT_TRIES = 20
_BACKLOG = 4096  # connections that wait to be accepted; a client beyond that tries again after a second

# Answers an event of a host: agent, event and workspace in, the host's answer out.
AnswerHook = Callable[[str, Mapping[str, object], Workspace], Mapping[str, object] | None]


class HttpService:
    name = "http"

    def __init__(
        self,
        port: int,
        open_workspace: Callable[[str | None], Workspace],
        *,
        profile: ToolProfile = "default",
        answer_hook: AnswerHook | None = None,
    ) -> None:
        """`open_workspace` opens the home for an agent. Without `answer_hook`, hooks get 404."""
        self.port = port  # 0: a free one, and from then on the same
        self._open_workspace = open_workspace
        self._profile = profile
        self._answer_hook = answer_hook
        self._page_access = PageAccess()  # browsers stay let in when the settings change
        self._listeners: list[socket.socket] = []

    def run(self, context: ServiceContext) -> None:
        """Answer until the process ends. While the settings change, clients that connect wait for a moment."""
        listeners = self._listeners = self._listeners or listen(self.port)
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

    def _serve(self, context: ServiceContext, listeners: list[socket.socket]) -> None:
        import asyncio

        from memoro.mcp.clients import Homes
        from memoro.serve.server import HttpServer

        home, homes = context.workspace.home, Homes(self._open_workspace)
        table = ConnectionTable(most_connections(descriptor_limit()))
        rules = AccessRules.local(self.port, token(home))
        rules = rules.with_tokens(read=token(home, "read"), admin=token(home, "admin"))
        rules = rules.with_page(self._cookie, lambda value: self._page_access.session(value) is not None)
        app = Guard(self._app(context, homes), rules, connections=table)
        server = HttpServer(app, table, context.reports)
        address = f"http://127.0.0.1:{self.port}/mcp"
        alone = "" if len(listeners) > 1 else " (IPv4 alone: this machine has no IPv6)"
        context.reports.http(f"{address}{alone}")
        context.reports.done(f"http: {address}, with the token in {file_of(home)}{alone}")
        others = f"to read alone {os.path.basename(file_of(home, 'read'))}, for you {file_of(home, 'admin')}"
        context.reports.done(f"http: the API is at {address.removesuffix('/mcp')}{ROOT}; other tokens: {others}")
        try:
            asyncio.run(server.serve(listeners, context.stop))
        finally:
            homes.close()

    def _app(self, context: ServiceContext, homes: Homes) -> AsgiApp:
        """Return the application behind the guard, which has checked sender, path, method and size."""
        from anyio import CapacityLimiter

        mcp, page = self._mcp(homes), self._page(context)
        api = self._api(context, homes)
        health_threads = CapacityLimiter(HEALTH_CHECKS)  # of their own: the others may all be busy

        async def app(scope: AsgiScope, receive: Receive, send: Send) -> None:
            if scope["type"] == "lifespan":
                await mcp(scope, receive, send)
                return
            if scope["path"] != LIVE_PATH:  # a page that is open and not used does not keep the process from ending
                context.reports.request()
            if scope["path"] == "/mcp":
                await mcp(scope, receive, send)
            elif scope["path"].startswith(API_PATH):
                await api(scope, receive, send)
            elif scope["path"] == HEALTH_PATH:
                await _check_health(context.workspace, send, health_threads)
            elif not is_for_programs(scope["path"]) or scope["path"] == CODE_PATH:
                await page(scope, receive, send)
            else:
                agent = scope["path"].removeprefix(HOOKS_PATH)
                await self._handle_hook(context.workspace, agent, receive, send)

        return app

    def _mcp(self, homes: Homes) -> AsgiApp:
        if not has_packages("mcp", "mcp_types"):
            return _without("MCP needs a package that is not installed: `pip install 'memoro[mcp]'`.")
        from memoro.mcp.server import build, over_http

        made: AsgiApp = over_http(build(homes, self._profile), self.port)
        return made

    def _page(self, context: ServiceContext) -> AsgiApp:
        if not has_packages("starlette", "jinja2", "markdown_it", "nh3"):
            return _without("The page needs packages that are not installed: `pip install 'memoro[ui]'`.")
        from memoro.page.app import Page

        made: AsgiApp = Page(context.workspace, self._page_access, self._cookie, context.reports.notice).app()
        return made

    def _api(self, context: ServiceContext, homes: Homes) -> AsgiApp:
        from memoro.api.app import Api
        from memoro.api.calling import Calls
        from memoro.api.cursors import Cursors

        cursors = Cursors(token(context.workspace.home, "admin"))
        return Api(Calls(context.workspace, homes, cursors), context.reports.notice)

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


async def _check_health(workspace: Workspace, send: Send, threads: CapacityLimiter) -> None:
    """Check that the home can be read and written; that the process lives, any answer shows."""
    from anyio import to_thread

    from memoro import documents

    checks = await to_thread.run_sync(workspace.probe, abandon_on_cancel=True, limiter=threads)
    document = documents.checks(checks)
    await answer(send, 200 if document["ok"] else 503, document)


def listen(port: int) -> list[socket.socket]:
    """Listen on this machine's own addresses only: IPv4, and IPv6 at the same port if there is IPv6.

    Raise ConfigError if another program has the port on either: a client of `localhost` could hand it the token.
    """
    if not 0 <= port <= 65535:
        raise ConfigError(f"--port takes a number from 0 to 65535, not {port}.")
    if port or not has_ipv6():
        return _listen_at(port)
    for _ in range(_FREE_PORT_TRIES - 1):  # a port that is free on one may be taken on the other
        with suppress(ConfigError):
            return _listen_at(0)
    return _listen_at(0)


def is_free(port: int) -> bool:
    """Return whether a server could listen at this port now."""
    try:
        for one in listen(port):
            one.close()
    except ConfigError:
        return False
    return True


def has_ipv6() -> bool:
    """Return whether this machine has the address ::1."""
    try:
        with socket.socket(socket.AF_INET6, socket.SOCK_STREAM) as probe:
            probe.bind(("::1", 0))
    except OSError as error:
        return error.errno not in (errno.EAFNOSUPPORT, errno.EADDRNOTAVAIL, errno.EPROTONOSUPPORT)
    return True


def _listen_at(port: int) -> list[socket.socket]:
    sockets = [_listener(socket.AF_INET, "127.0.0.1", port)]
    if has_ipv6():
        try:
            sockets.append(_listener(socket.AF_INET6, "::1", sockets[0].getsockname()[1]))
        except BaseException:
            sockets[0].close()
            raise
    return sockets


def _listener(family: socket.AddressFamily, address: str, port: int) -> socket.socket:
    made = socket.socket(family, socket.SOCK_STREAM)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            made.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        made.bind((address, port))
        made.listen(_BACKLOG)
        made.setblocking(False)
    except OSError as error:
        made.close()
        raise ConfigError(_port_taken(address, port, error)) from error
    return made


def _port_taken(address: str, port: int, error: OSError) -> str:
    if error.errno != errno.EADDRINUSE:
        why = (error.strerror or str(error)).lower()
        return f"Port {port} of {address} cannot be used: {why}. Choose another with --port N."
    return (
        f"Port {port} of {address} is taken by another program, to which a client of localhost could hand the token. "
        "End that program, or choose another port with --port N."
    )
