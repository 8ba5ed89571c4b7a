"""Answers on the wire: whole, slow, cut, reset, endless, or not at all."""

from __future__ import annotations

import contextlib
import gzip
import select
import socket
import struct
import threading
import zlib
from functools import lru_cache
from http.server import BaseHTTPRequestHandler

from tests.standin.messages import Answer

HUGE_BYTES = 48 << 20  # more than a client may keep
_PIECE = 1 << 16
_SLOW_PIECES = 8


def send(handler: BaseHTTPRequestHandler, answer: Answer, body: bytes | None = None) -> None:
    """Send an answer; `body` replaces its own."""
    content = answer.body if body is None else body
    send_head(handler, answer, len(content))
    handler.wfile.write(content)


def send_head(handler: BaseHTTPRequestHandler, answer: Answer, length: int | None) -> None:
    """Send the status and the headers; without a length, the end of the connection ends the body."""
    handler.send_response(answer.status)
    headers = {"Content-Type": "application/json", **answer.headers}
    for name, value in headers.items():
        handler.send_header(name, value)
    if length is None:
        handler.send_header("Connection", "close")
        handler.close_connection = True
    else:
        handler.send_header("Content-Length", str(length))
    handler.end_headers()


def send_most(handler: BaseHTTPRequestHandler, answer: Answer, seconds: float, stop: threading.Event) -> bool:
    """Send all but the last byte, spread over some seconds. Return False where the client went away meanwhile."""
    body = answer.body
    send_head(handler, answer, len(body))
    size = (len(body) if seconds == 0 else len(body) // _SLOW_PIECES) + 1
    for start in range(0, len(body) - 1, size):
        if seconds and (stop.wait(seconds / _SLOW_PIECES) or is_gone(handler.connection)):
            return False
        handler.wfile.write(body[start : min(start + size, len(body) - 1)])
    return True


def send_half_and_reset(handler: BaseHTTPRequestHandler, answer: Answer) -> None:
    """Send half a body, then reset the connection."""
    body = answer.body
    send_head(handler, answer, len(body))
    handler.wfile.write(body[: len(body) // 2])
    reset(handler)


def reset(handler: BaseHTTPRequestHandler) -> None:
    """Close the connection at once, with RST instead of FIN."""
    handler.close_connection = True
    with contextlib.suppress(OSError):
        handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        handler.connection.close()


def send_huge(handler: BaseHTTPRequestHandler, stop: threading.Event) -> None:
    """Send JSON that does not end until a client has taken more than it should."""
    send_head(handler, Answer(200, None), None)
    handler.wfile.write(b'{"object":"list","data":[{"object":"embedding","index":0,"embedding":[0.5')
    piece = b",0.5" * (_PIECE // 4)
    for _ in range(HUGE_BYTES // len(piece)):
        if stop.is_set():
            return
        handler.wfile.write(piece)
    handler.wfile.write(b"]}]}")


def send_bomb(handler: BaseHTTPRequestHandler) -> None:
    """Send a small body that unpacks to a huge one."""
    body = _bomb()
    send_head(handler, Answer(200, None, {"Content-Encoding": "gzip"}), len(body))
    handler.wfile.write(body)


@lru_cache(maxsize=1)
def _bomb() -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, 16 + zlib.MAX_WBITS)
    head = packer.compress(b'{"object":"list","data":[{"object":"embedding","index":0,"embedding":[0.5')
    piece = b",0.5" * (1 << 18)
    middle = b"".join(packer.compress(piece) for _ in range(HUGE_BYTES // len(piece)))
    return head + middle + packer.compress(b"]}]}") + packer.flush()


def unpack(body: bytes, encoding: str | None) -> bytes:
    """Return the body of a request as it was before the client packed it."""
    return gzip.decompress(body) if encoding == "gzip" else body


def is_gone(connection: socket.socket) -> bool:
    """Return whether the other side has closed the connection."""
    try:
        readable, _, _ = select.select([connection], [], [], 0)
        return bool(readable) and connection.recv(1, socket.MSG_PEEK) == b""
    except (OSError, ValueError):
        return True
