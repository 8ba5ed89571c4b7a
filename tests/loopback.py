"""A stand-in for an embedding provider: a server on loopback that misbehaves when told to, and its client."""

from __future__ import annotations

import json
import socket
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal, get_args

import numpy

from memoro.errors import ProviderRejected, ProviderUnavailable
from memoro.model.vocabulary import Role
from memoro.providers.ports import Space
from memoro.testing import HashEmbedder

Weather = Literal["fine", "slow", "hung", "down", "error", "html", "short", "narrow", "nan", "zeros", "cut off"]
WEATHERS: tuple[Weather, ...] = get_args(Weather)
DIMENSIONS = 48
SLOW_SECONDS = 0.15


class LoopbackServer:
    """Answers with the vectors of a `HashEmbedder`, unless its weather is bad."""

    def __init__(self, model: str = "loopback-1") -> None:
        self.weather: Weather = "fine"
        self.hung = threading.Event()  # set: what hangs comes back
        self.requests = 0
        self._model = HashEmbedder(DIMENSIONS, model=model)
        self._server: ThreadingHTTPServer | None = None
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port: int = free.getsockname()[1]

    def set(self, weather: Weather) -> None:
        """Change the weather; "down" closes the port, anything else opens it again."""
        self.weather = weather
        if weather == "down":
            self.close()
        elif self._server is None:
            self._open()

    def close(self) -> None:
        if self._server is not None:
            server, self._server = self._server, None
            server.shutdown()
            server.server_close()

    def _open(self) -> None:
        answer = self._answer

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                code, body, length = answer(asked["texts"])
                self.send_response(code)
                self.send_header("Content-Length", str(length))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                """Nobody reads it."""

        class Server(ThreadingHTTPServer):
            daemon_threads = True
            allow_reuse_address = True

            def handle_error(self, *_: object) -> None:
                """A client that went away."""

        self._server = Server(("127.0.0.1", self.port), Handler)
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def _answer(self, texts: Sequence[str]) -> tuple[int, bytes, int]:
        self.requests += 1
        weather = self.weather
        if weather == "error":
            return 503, b"try again later", 15
        if weather == "html":
            return 200, b"<html>Please log in</html>", 26
        if weather == "slow":
            time.sleep(SLOW_SECONDS)
        if weather == "hung":
            self.hung.wait(30)
        body = json.dumps(self._rows(texts, weather)).encode()
        return 200, body[:-7] if weather == "cut off" else body, len(body)

    def _rows(self, texts: Sequence[str], weather: Weather) -> list[list[float]]:
        rows = self._model.embed(texts, "document")
        if weather == "short":
            rows = rows[:1] if len(rows) > 1 else rows[:0]
        elif weather == "narrow":
            rows = rows[:, : DIMENSIONS // 4]
        elif weather == "nan":
            rows[-1, 0] = numpy.nan
        elif weather == "zeros":
            rows[-1] = 0
        found: list[list[float]] = rows.astype(float).tolist()
        return found


class LoopbackEmbedder:
    """The client of the server. It keeps which texts were asked for, and which came back with a right vector."""

    def __init__(self, server: LoopbackServer | int, *, model: str = "loopback-1", seconds: float = 0.6) -> None:
        self._port = server if isinstance(server, int) else server.port
        self._seconds = seconds
        self.space = Space(provider="loopback", model=model, dimensions=DIMENSIONS, preparation="plain")
        self.arrived: list[str] = []
        self.repeated: list[str] = []  # asked for again, although their vectors had arrived
        self.roles: list[Role] = []
        self._alone = threading.Lock()

    def embed(self, texts: Sequence[str], role: Role) -> Any:
        with self._alone:
            self.roles.append(role)
            if role == "document":
                self.repeated += [text for text in texts if text in self.arrived]
        rows = self._ask(texts)
        is_right = numpy.shape(rows) == (len(texts), DIMENSIONS) and bool(numpy.isfinite(rows).all())
        if role == "document" and is_right and numpy.any(rows, axis=1).all():
            with self._alone:
                self.arrived += texts
        return rows

    def _ask(self, texts: Sequence[str]) -> Any:
        data = json.dumps({"texts": list(texts)}).encode()
        request = urllib.request.Request(f"http://127.0.0.1:{self._port}/embed", data, method="POST")
        try:
            with urllib.request.urlopen(request, timeout=self._seconds) as response:
                return json.loads(response.read())
        except urllib.error.HTTPError as error:
            with error:
                raise ProviderUnavailable(f"The server answered with {error.code}.") from error
        except OSError as error:
            raise ProviderUnavailable(f"The server cannot be reached: {error}.") from error
        except ValueError as error:
            raise ProviderRejected("The server answered with something that is no JSON.") from error


@contextmanager
def loopback(model: str = "loopback-1") -> Iterator[LoopbackServer]:
    server = LoopbackServer(model)
    server.set("fine")
    try:
        yield server
    finally:
        server.hung.set()
        server.close()
