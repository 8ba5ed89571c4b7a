"""The part that answers over HTTP on this machine: MCP in both eras, hooks, and whether all is well."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from memoro.errors import ConfigError, MemoroError
from memoro.model.vocabulary import ToolProfile
from memoro.serve.guard import Door, Guard, answer
from memoro.serve.parts import Room
from memoro.serve.token import file_of, token
from memoro.workspace import Workspace

PORT = 7391
_ENDING_SECONDS = 2  # that requests under way have when the process ends

Hook = Callable[[str, Mapping[str, object], Workspace], Mapping[str, object] | None]


class Http:
    name = "http"

    def __init__(
        self,
        port: int,
        opened: Callable[[str | None], Workspace],
        *,
        profile: ToolProfile = "default",
        hook: Hook | None = None,
    ) -> None:
        self._port = port  # 0: a free one, and from then on that one
        self._opened = opened
        self._profile = profile
        self._hook = hook  # answers an event of a host; None: there are no hooks here

    def run(self, room: Room) -> None:
        import anyio
        import uvicorn

        from memoro.mcp.server import Homes

        secret, homes = token(room.workspace.home), Homes(self._opened)
        sockets = listening(self._port)
        self._port = sockets[0].getsockname()[1]
        app = Guard(self._app(room, homes), Door.at(self._port, secret))
        config = uvicorn.Config(
            app, http="h11", ws="none", lifespan="on", log_config=None, access_log=False, server_header=False,
            timeout_keep_alive=15, timeout_graceful_shutdown=_ENDING_SECONDS,
        )  # fmt: skip
        server = uvicorn.Server(config)

        def end() -> None:
            room.stop.wait()
            server.should_exit = True

        threading.Thread(target=end, name="http-end", daemon=True).start()
        room.tell(f"http: http://127.0.0.1:{self._port}/mcp, with the token in {file_of(room.workspace.home)}")
        try:
            anyio.run(server.serve, sockets)
        finally:
            for one in sockets:
                one.close()
            homes.close()

    def _app(self, room: Room, homes: Any) -> Any:
        """What is behind the guard: it has seen to who asks, how, for what, and with how much."""
        from memoro.mcp.server import build, over_http

        inner = over_http(build(homes, self._profile), self._port)

        async def app(scope: Any, receive: Any, send: Any) -> None:
            if scope["type"] == "lifespan":
                await inner(scope, receive, send)
                return
            room.stir()
            if scope["path"] == "/mcp":
                await inner(scope, receive, send)
            elif scope["path"] == "/health":
                await _health(room.workspace, send)
            else:
                await self._answer_hook(room.workspace, scope["path"].removeprefix("/hooks/"), receive, send)

        return app

    async def _answer_hook(self, workspace: Workspace, host: str, receive: Any, send: Any) -> None:
        from anyio import to_thread

        if self._hook is None:
            await answer(send, 404, {"error": "There are no hooks here."})
            return
        try:
            event = json.loads((await receive())["body"])
        except (ValueError, RecursionError):
            event = None
        if not isinstance(event, dict):
            await answer(send, 400, {"error": "Send one JSON object."})
            return
        try:
            said = await to_thread.run_sync(self._hook, host, event, workspace, abandon_on_cancel=True)
        except MemoroError as error:
            await answer(send, 500, {"error": str(error)})
            return
        await answer(send, 200, dict(said or {}))


async def _health(workspace: Workspace, send: Any) -> None:
    """Not whether the process lives, which an answer shows, but whether the home can be written and read."""
    from anyio import to_thread

    from memoro import documents

    checks = await to_thread.run_sync(workspace.probe, abandon_on_cancel=True)
    document = documents.checks(checks)
    await answer(send, 200 if document["ok"] else 503, document)


def listening(port: int) -> list[socket.socket]:
    """This machine's own addresses, and no others: IPv4, and IPv6 at the same port where there is one."""
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
