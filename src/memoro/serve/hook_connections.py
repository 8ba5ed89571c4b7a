"""Accepts the connections of hooks, each on a thread of its own, within limits of time, number and memory."""

from __future__ import annotations

import os
import socket
import threading
import time

from memoro import __version__
from memoro.errors import MemoroError
from memoro.model.hook_message import (
    DECLINED,
    MAX_BYTES,
    MAX_LINE_BYTES,
    RECEIVED,
    encode_answer,
    parse_request_line,
)
from memoro.serve.hook_requests import HookAnswers, HookRequest
from memoro.serve.services import ServiceContext
from memoro.store import hook_socket

_LOOK_SECONDS = 0.5  # between two looks whether to stop
_MOST_CONNECTIONS = 16  # further hooks answer by themselves
_MOST_BYTES = 2 * MAX_BYTES  # of all requests at once; an event is a few kilobytes
_CLIENT_SECONDS = 5.0  # that a client may take to send its request, or to read its answer
_FINISH_SECONDS = 1.0  # that answers may take after the service was told to stop
_READ_BYTES = 1 << 18


class HookConnections:
    """Accepts on a listening socket until the service must stop."""

    def __init__(self, answers: HookAnswers, context: ServiceContext) -> None:
        self._answers, self._context = answers, context
        self._room = _Room(_MOST_BYTES)
        self._free = threading.Semaphore(_MOST_CONNECTIONS)

    def run(self, listener: socket.socket) -> None:
        listener.settimeout(_LOOK_SECONDS)
        while not self._context.stop.is_set():
            try:
                connection, _ = listener.accept()
            except TimeoutError:
                continue
            except OSError:  # the client has left, or this process has no descriptor to spare
                self._context.stop.wait(_LOOK_SECONDS / 10)
                continue
            if hook_socket.peer(connection) != os.geteuid() or not self._free.acquire(blocking=False):
                connection.close()
                continue
            threading.Thread(target=self._handle, args=(connection,), name="hook", daemon=True).start()
        self._finish()

    def _finish(self) -> None:
        """Wait a moment for the answers that are being made: they sync, with settings that may hold no longer."""
        until = time.monotonic() + _FINISH_SECONDS
        for _ in range(_MOST_CONNECTIONS):
            self._free.acquire(timeout=max(0.0, until - time.monotonic()))

    def _handle(self, connection: socket.socket) -> None:
        try:
            with connection:
                self._context.reports.request()
                self._respond(connection)
        except OSError:  # the client has left, or took too long; it answers by itself
            pass
        finally:
            self._free.release()

    def _respond(self, connection: socket.socket) -> None:
        until = time.monotonic() + _CLIENT_SECONDS
        line, rest = _read_line(connection, until)
        sizes = parse_request_line(line, __version__)
        if sizes is None or not self._room.take(sum(sizes)):
            connection.sendall(DECLINED)
            return
        try:
            data = _read(connection, rest, sum(sizes), until)
            connection.sendall(RECEIVED)
            answer = self._answer(HookRequest.decode(data[: sizes[0]], data[sizes[0] :]))
        finally:
            self._room.give_back(sum(sizes))
        connection.settimeout(_CLIENT_SECONDS)
        connection.sendall(DECLINED if answer is None else encode_answer(answer))

    def _answer(self, request: HookRequest) -> bytes | None:
        """Decline whatever fails: the hook then fails by itself, and tells the owner why."""
        try:
            return self._answers.answer(request)
        except (MemoroError, ValueError, RecursionError):
            return None
        except Exception as error:
            self._context.reports.failed(f"hooks: {type(error).__name__}: {error}")
            return None


class _Room:
    """Counts the bytes that requests may take."""

    def __init__(self, size: int) -> None:
        self._left = size
        self._lock = threading.Lock()

    def take(self, size: int) -> bool:
        with self._lock:
            if size > self._left:
                return False
            self._left -= size
            return True

    def give_back(self, size: int) -> None:
        with self._lock:
            self._left += size


def _read_line(connection: socket.socket, until: float) -> tuple[bytes, bytes]:
    """Return the first line, and what was read beyond it; raises OSError for one that is too long or has no end."""
    data = b""
    while b"\n" not in data:
        if len(data) > MAX_LINE_BYTES:
            raise OSError("this is no request")
        data += _receive(connection, until)
    line, _, rest = data.partition(b"\n")
    return line, rest


def _read(connection: socket.socket, begun: bytes, size: int, until: float) -> bytes:
    parts, missing = [begun], size - len(begun)
    while missing > 0:
        parts.append(_receive(connection, until))
        missing -= len(parts[-1])
    if missing < 0:
        raise OSError("more than one request")
    return b"".join(parts)


def _receive(connection: socket.socket, until: float) -> bytes:
    """Return the next bytes; raises OSError if the client has ended or none come in time."""
    connection.settimeout(max(0.001, until - time.monotonic()))
    part = connection.recv(_READ_BYTES)
    if not part:
        raise OSError("the client has left")
    return part
