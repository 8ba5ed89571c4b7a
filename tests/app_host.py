"""A small host with MCP Apps for tests: a real `memoro mcp` behind a page that embeds the view in a sandbox.

The page is on this machine and speaks the protocol of the extension with the frame: the handshake, the theme, the
size, the answer of the tool, and calls of the view, which go to the server over standard input and output.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import threading
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, TypeVar

from mcp.client.extension import advertise

from mcp import Client, StdioServerParameters
from memoro.mcp.apps.extension import EXTENSION, MIME_TYPE

T = TypeVar("T")
APPS = (advertise(EXTENSION, {"mimeTypes": [MIME_TYPE]}),)
SECONDS = 60.0

# The policy that the extension asks of hosts for a document that names no servers.
POLICY = (
    "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:"
)
PAGE = """<!doctype html><html lang="en"><title>A host</title>
<style>body { margin: 0 } iframe { display: block; width: 100%; height: 200px; border: 0 }</style>
<main><h1 hidden>A host</h1><iframe title="Memoro" sandbox="allow-scripts" src="/view"></iframe></main>
<script>
const frame = document.querySelector("iframe");
const seen = window.seen = [];
const ask = async (path, body) => (await fetch(path, {method: "POST", body: JSON.stringify(body)})).json();
const send = (message) => frame.contentWindow.postMessage({jsonrpc: "2.0", ...message}, "*");
window.tell = (method, params) => send({method, params});
addEventListener("message", async (event) => {
  if (event.source !== frame.contentWindow) return;
  const message = event.data;
  seen.push(message);
  if (message.method === "ui/initialize") {
    send({id: message.id, result: await (await fetch("/context")).json()});
  } else if (message.method === "ui/notifications/initialized") {
    send({method: "ui/notifications/tool-input", params: {arguments: {}}});
    send({method: "ui/notifications/tool-result", params: await ask("/result", {})});
  } else if (message.method === "ui/notifications/size-changed") {
    frame.style.height = message.params.height + "px";
  } else if (message.method === "tools/call") {
    send({id: message.id, result: await ask("/call", message.params)});
  }
});
</script></html>"""


def server_of(home: Path, vault: Path, *options: str) -> StdioServerParameters:
    return StdioServerParameters(
        command=sys.executable,
        args=["-m", "memoro", "--home", str(home), "--vault", str(vault), "mcp", *options],
        env={name: value for name, value in os.environ.items() if not name.startswith(("MEMORO_", "CLAUDE"))},
    )


def run(connect: Callable[[], Any], work: Callable[[Any], Coroutine[Any, Any, T]]) -> T:
    """Connect a client, do the work with it, and return what it makes."""

    async def connected() -> T:
        async with connect() as client:
            return await work(client)

    return asyncio.run(asyncio.wait_for(connected(), SECONDS))


class AppHost:
    """A host that has opened one view. `calls` are the tools that the view asked for."""

    def __init__(self, server: StdioServerParameters, tool: str) -> None:
        self._server = server
        self._tool = tool
        self.calls: list[dict[str, Any]] = []
        self.context: dict[str, Any] = {"theme": "light", "containerDimensions": {"maxHeight": 2000}}
        self.can_call = True
        self.address = ""
        self._loop = asyncio.new_event_loop()
        self._client: Any = None

    def ask(self, work: Callable[[Any], Awaitable[Any]]) -> Any:
        """Do something with the client from another thread than its own."""

        async def asked() -> Any:
            return await work(self._client)

        return asyncio.run_coroutine_threadsafe(asked(), self._loop).result(SECONDS)

    def view(self) -> str:
        """The document, as a host finds it: by the tool, and the address that the tool names."""

        async def read(client: Any) -> str:
            listed = {one.name: one for one in (await client.list_tools()).tools}
            uri = listed[self._tool].meta["ui"]["resourceUri"]
            found = (await client.read_resource(uri)).contents[0]
            assert found.mime_type == MIME_TYPE
            return str(found.text)

        return str(self.ask(read))

    def call(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """Call a tool, and return the answer as it goes over the wire."""
        made = self.ask(lambda client: client.call_tool(name, arguments))
        answer: dict[str, Any] = made.model_dump(by_alias=True, mode="json", exclude_none=True)
        return answer

    def answer(self, path: str, body: bytes) -> tuple[str, bytes]:
        """What the page of the host gets for a path: the type, and the body."""
        if path == "/":
            return "text/html", PAGE.encode()
        if path == "/view":
            return "text/html", self.view().encode()
        if path == "/context":
            capabilities: dict[str, Any] = {"serverTools": {}} if self.can_call else {}
            found: Any = {
                "protocolVersion": "2026-01-26",
                "hostInfo": {"name": "test-host", "version": "1"},
                "hostCapabilities": capabilities,
                "hostContext": self.context,
            }
        elif path == "/result":
            found = self.call(self._tool, {})
        elif path == "/call":
            asked = json.loads(body)
            self.calls.append(asked)
            found = self.call(asked["name"], asked["arguments"])
        else:
            return "text/plain", b""
        return "application/json", json.dumps(found).encode()

    @contextmanager
    def running(self) -> Iterator[AppHost]:
        """Start the server and the page of the host for the block."""
        ready, done = threading.Event(), asyncio.Event()

        async def connected() -> None:
            async with Client(self._server, extensions=APPS) as client:
                self._client = client
                ready.set()
                await done.wait()

        thread = threading.Thread(target=lambda: self._loop.run_until_complete(connected()), daemon=True)
        thread.start()
        assert ready.wait(SECONDS), "The server did not start"
        page = ThreadingHTTPServer(("127.0.0.1", 0), _requests_of(self))
        self.address = f"http://127.0.0.1:{page.server_port}"
        serving = threading.Thread(target=page.serve_forever, daemon=True)
        serving.start()
        try:
            yield self
        finally:
            page.shutdown()
            page.server_close()
            self._loop.call_soon_threadsafe(done.set)
            thread.join(SECONDS)
            self._loop.close()


def _requests_of(host: AppHost) -> type[BaseHTTPRequestHandler]:
    class Requests(BaseHTTPRequestHandler):
        def _answer(self) -> None:
            kind, body = host.answer(self.path, self.rfile.read(int(self.headers.get("Content-Length") or 0)))
            self.send_response(200)
            self.send_header("Content-Type", f"{kind}; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            if self.path == "/view":
                self.send_header("Content-Security-Policy", POLICY)
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST = _answer

        def log_message(self, *_: Any) -> None:
            pass

    return Requests
