"""The service that answers over HTTP on this machine: MCP, hooks, and a health check."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

from memoro.errors import ConfigError, MemoroError
from memoro.model.vocabulary import ToolProfile
from memoro.serve.asgi import AsgiApp, AsgiScope, Receive, Send
from memoro.serve.guard import HOOKS_PATH, AccessRules, Guard, answer
from memoro.serve.services import ServiceContext
from memoro.serve.token import file_of, token
from memoro.workspace import Workspace

if TYPE_CHECKING:
    from memoro.mcp.server import Homes

PORT = 7391
_STOPPING_SECONDS = 2  # that running requests have when the process ends

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

    def run(self, context: ServiceContext) -> None:
        import anyio
        import uvicorn

        from memoro.mcp.server import Homes

        secret, homes = token(context.workspace.home), Homes(self._open_workspace)
        sockets = listen(self.port)
        self.port = sockets[0].getsockname()[1]
        app = Guard(self._app(context, homes), AccessRules.local(self.port, secret))
        config = uvicorn.Config(
            app, http="h11", ws="none", lifespan="on", log_config=None, access_log=False, server_header=False,
            timeout_keep_alive=15, timeout_graceful_shutdown=_STOPPING_SECONDS,
        )  # fmt: skip
        server = uvicorn.Server(config)

        def end() -> None:
            context.stop.wait()
            server.should_exit = True

        threading.Thread(target=end, name="http-end", daemon=True).start()
        token_file = file_of(context.workspace.home)
        context.reports.done(f"http: http://127.0.0.1:{self.port}/mcp, with the token in {token_file}")
        try:
            anyio.run(server.serve, sockets)
        finally:
            for one in sockets:
                one.close()
            homes.close()

    def _app(self, context: ServiceContext, homes: Homes) -> AsgiApp:
        """Return the application behind the guard, which has checked sender, path, method and size."""
        from memoro.mcp.server import build, over_http

        mcp: AsgiApp = over_http(build(homes, self._profile), self.port)

        async def app(scope: AsgiScope, receive: Receive, send: Send) -> None:
            if scope["type"] == "lifespan":
                await mcp(scope, receive, send)
                return
            context.reports.request()
            if scope["path"] == "/mcp":
                await mcp(scope, receive, send)
            elif scope["path"] == "/health":
                await _check_health(context.workspace, send)
            else:
                agent = scope["path"].removeprefix(HOOKS_PATH)
                await self._handle_hook(context.workspace, agent, receive, send)

        return app

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
    """Listen on this machine's own addresses only: IPv4, and IPv6 at the same port if there is IPv6."""
    if not 0 <= port <= 65535:
        raise ConfigError(f"--port takes a number from 0 to 65535, not {port}.")
    first = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        first.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        first.bind(("127.0.0.1", port))
    except OSError as error:
        first.close()
        why = (error.strerror or str(error)).lower()
        raise ConfigError(f"Port {port} cannot be used: {why}. Choose another with --port N.") from error
    sockets = [first]
    with suppress(OSError):
        second = socket.socket(socket.AF_INET6, socket.SOCK_STREAM)
        try:
            second.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            second.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            second.bind(("::1", first.getsockname()[1]))
            sockets.append(second)
        except OSError:
            second.close()
    for one in sockets:
        one.listen(128)
    return sockets
