"""The service that answers over HTTP on this machine: MCP, hooks, and a health check."""

from __future__ import annotations

import errno
import json
import socket
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

from memoro.errors import ConfigError, MemoroError
from memoro.model.vocabulary import ToolProfile
from memoro.page.access import PageAccess
from memoro.serve.asgi import AsgiApp, AsgiScope, Receive, Send
from memoro.serve.connections import ConnectionTable, descriptor_limit, most_connections
from memoro.serve.guard import CODE_PATH, HOOKS_PATH, LIVE_PATH, AccessRules, Guard, answer, is_for_programs
from memoro.serve.services import ServiceContext
from memoro.serve.token import file_of, token
from memoro.workspace import Workspace

if TYPE_CHECKING:
    from memoro.mcp.server import Homes

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

    def run(self, context: ServiceContext) -> None:
        listeners = listen(self.port)
        self.port = listeners[0].getsockname()[1]
        try:
            self._serve(context, listeners)
        except BaseException:
            context.reports.http("the listener failed; it starts again")
            raise
        finally:
            for one in listeners:
                one.close()

    def _serve(self, context: ServiceContext, listeners: list[socket.socket]) -> None:
        import asyncio

        from memoro.mcp.server import Homes
        from memoro.serve.server import HttpServer

        secret, homes = token(context.workspace.home), Homes(self._open_workspace)
        table = ConnectionTable(most_connections(descriptor_limit()))
        rules = AccessRules.local(self.port, secret)
        rules = rules.with_page(self._cookie, lambda value: self._page_access.session(value) is not None)
        app = Guard(self._app(context, homes), rules, connections=table)
        server = HttpServer(app, table, context.reports)
        address = f"http://127.0.0.1:{self.port}/mcp"
        alone = "" if len(listeners) > 1 else " (IPv4 alone: this machine has no IPv6)"
        context.reports.http(f"{address}{alone}")
        context.reports.done(f"http: {address}, with the token in {file_of(context.workspace.home)}{alone}")
        try:
            asyncio.run(server.serve(listeners, context.stop))
        finally:
            homes.close()

    def _app(self, context: ServiceContext, homes: Homes) -> AsgiApp:
        """Return the application behind the guard, which has checked sender, path, method and size."""
        from memoro.mcp.server import build, over_http
        from memoro.page.app import Page

        mcp: AsgiApp = over_http(build(homes, self._profile), self.port)
        page: AsgiApp = Page(context.workspace, self._page_access, self._cookie).app()

        async def app(scope: AsgiScope, receive: Receive, send: Send) -> None:
            if scope["type"] == "lifespan":
                await mcp(scope, receive, send)
                return
            if scope["path"] != LIVE_PATH:  # a page that is open and not used does not keep the process from ending
                context.reports.request()
            if scope["path"] == "/mcp":
                await mcp(scope, receive, send)
            elif scope["path"] == "/health":
                await _check_health(context.workspace, send)
            elif not is_for_programs(scope["path"]) or scope["path"] == CODE_PATH:
                await page(scope, receive, send)
            else:
                agent = scope["path"].removeprefix(HOOKS_PATH)
                await self._handle_hook(context.workspace, agent, receive, send)

        return app

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


async def _check_health(workspace: Workspace, send: Send) -> None:
    """Check that the home can be read and written; that the process lives, any answer shows."""
    from anyio import to_thread

    from memoro import documents

    checks = await to_thread.run_sync(workspace.probe, abandon_on_cancel=True)
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
