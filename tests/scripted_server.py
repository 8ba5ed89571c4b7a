"""A server on loopback that answers each request as a test has scripted it, and keeps what was asked."""

from __future__ import annotations

import json
import ssl
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple


class Received(NamedTuple):
    """A request as the server got it."""

    method: str
    path: str
    headers: Mapping[str, str]  # by their names in lower case
    body: bytes

    @property
    def document(self) -> Any:
        return json.loads(self.body)


class Answer(NamedTuple):
    """What the server sends back."""

    body: bytes | Iterator[bytes] = b"{}"
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    promised: int | None = None  # more bytes than are sent: the connection ends too early

    def again(self, _: Received) -> Answer:
        """The same answer to whatever is asked."""
        return self


def document(body: object, status: int = 200, **headers: str) -> Answer:
    return Answer(json.dumps(body).encode(), status, tuple((k.replace("_", "-"), v) for k, v in headers.items()))


class ScriptedServer:
    """`answer` is called for every request; an exception in it breaks the connection."""

    def __init__(self, tls: ssl.SSLContext | None = None) -> None:
        self.answer: Callable[[Received], Answer] = lambda _: Answer()
        self.received: list[Received] = []
        self.connections = 0
        self._server = self._make()
        self.port: int = self._server.server_address[1]
        if tls is not None:
            self._server.socket = tls.wrap_socket(self._server.socket, server_side=True)
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _make(self) -> ThreadingHTTPServer:
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def setup(self) -> None:
                outer.connections += 1
                super().setup()

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                headers = {name.lower(): value for name, value in self.headers.items()}
                received = Received(method=self.command, path=self.path, headers=headers, body=body)
                outer.received.append(received)
                self._send(outer.answer(received))

            do_GET = do_DELETE = do_POST

            def _send(self, answer: Answer) -> None:
                self.send_response(answer.status)
                for name, value in answer.headers:
                    self.send_header(name, value)
                if isinstance(answer.body, bytes):
                    self.send_header("Content-Length", str(answer.promised or len(answer.body)))
                    self.end_headers()
                    self.wfile.write(answer.body)
                else:
                    self.send_header("Connection", "close")
                    self.end_headers()
                    for part in answer.body:
                        self.wfile.write(part)
                self.close_connection = answer.promised is not None or not isinstance(answer.body, bytes)

            def log_message(self, *_: object) -> None:
                """Nobody reads it."""

        class Server(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_: object) -> None:
                """A client that went away, or a script that breaks the connection."""

        return Server(("127.0.0.1", 0), Handler)


@contextmanager
def scripted_server(tls: ssl.SSLContext | None = None) -> Iterator[ScriptedServer]:
    server = ScriptedServer(tls)
    try:
        yield server
    finally:
        server.close()
