"""A server on loopback with a thread for each connection. Stopped, it leaves no connection open."""

from __future__ import annotations

import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class ListeningServer(ThreadingHTTPServer):
    """Listens from the beginning until `finish`."""

    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 128

    def __init__(self, address: tuple[str, int], handler: type[BaseHTTPRequestHandler]) -> None:
        super().__init__(address, handler)
        self._open: set[socket.socket] = set()
        self._alone = threading.Lock()
        self._thread = threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True)

    def begin(self) -> None:
        self._thread.start()

    def process_request(self, request: socket.socket | tuple[bytes, socket.socket], client_address: object) -> None:
        if isinstance(request, socket.socket):
            with self._alone:
                self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: socket.socket | tuple[bytes, socket.socket]) -> None:
        if isinstance(request, socket.socket):
            with self._alone:
                self._open.discard(request)
        super().shutdown_request(request)

    def finish(self) -> None:
        """Stop listening, and close what connections there are: no client keeps one over a stop."""
        self.shutdown()
        self.server_close()
        self._thread.join()
        with self._alone:
            still_open = list(self._open)
        for connection in still_open:
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue

    def handle_error(self, *_: object) -> None:
        """The client went away."""
