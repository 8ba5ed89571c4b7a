"""`memoro mcp` as a process: nothing but the protocol on standard output, and gone when its client is.

The SDK takes most of a second to load. Until then only this module is there, and standard output is out of reach
of whatever prints while it loads.
"""

from __future__ import annotations

import json
import os
import select
import signal
import sys
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from memoro.mcp.clients import Homes
    from memoro.model.vocabulary import ToolProfile

MAX_LINE = 4 * 1024 * 1024  # a message longer than this is none of ours
_AT_ONCE = 64 * 1024
_FINISH = 0.4  # seconds that calls under way have after the client closed its end
_LEAVE = 0.7  # and then it is left, whatever it does: a write is on the disk whole or not at all
_LOOK = 0.4  # how often to look whether the parent is there; one poll costs microseconds
_PR_SET_PDEATHSIG = 1
_PARSE_ERROR, _INVALID_REQUEST = -32700, -32600  # of JSON-RPC


class Wire:
    """Both ends of the pipe to the client, out of reach of everything else in this process."""

    def __init__(self) -> None:
        sys.stdout.flush()
        self._in = _moved(0, _ended())
        self._out = _moved(1, os.dup(2))  # what is printed goes to standard error
        self._read = bytearray()  # what has come of the next line
        self._looked = 0  # how much of it is known to hold no end of a line
        self._unanswered = 0  # requests; a cancelled one stays, and only costs patience at the end
        self._writing = threading.Lock()

    # What the SDK asks of standard input: a line at a time.

    def __aiter__(self) -> Wire:
        return self

    async def __anext__(self) -> str:
        import anyio

        while line := await self._line():
            text = line.decode("utf-8", "replace")
            if not text.strip():
                continue
            if wrong := refusal(text):
                self._unanswered += 1
                await self.write(wrong)
                continue
            self._unanswered += b'"method"' in line and b'"id"' in line
            return text
        _later(_LEAVE, leave)
        deadline = time.monotonic() + _FINISH
        while self._unanswered > 0 and time.monotonic() < deadline:
            await anyio.sleep(0.01)
        raise StopAsyncIteration

    async def _line(self) -> bytes:
        """The next line with its end, or the rest of the input once it has ended."""
        too_long = False
        while (end := self._read.find(b"\n", self._looked)) < 0:
            self._looked = len(self._read)
            if self._looked > MAX_LINE:
                too_long = True
                self._read.clear()
                self._looked = 0
            if not (more := await self._more()):
                end = len(self._read)
                break
            self._read += more
        line = bytes(self._read[: end + 1])
        del self._read[: end + 1]
        self._looked = 0
        if too_long or len(line) > MAX_LINE:
            print(f"memoro: a message of more than {MAX_LINE:,} bytes was dropped.", file=sys.stderr)
            return b"too long\n"  # which is no message, and is answered as such
        return line

    async def _more(self) -> bytes:
        import anyio
        from anyio import to_thread

        try:
            await anyio.wait_readable(self._in)
        except PermissionError:  # a plain file, which nothing can wait for
            read: bytes = await to_thread.run_sync(os.read, self._in, _AT_ONCE)
            return read
        return os.read(self._in, _AT_ONCE)

    # And of standard output.

    async def write(self, text: str) -> None:
        from anyio import to_thread

        data = text.encode("utf-8", "replace")
        if len(data) <= select.PIPE_BUF and select.select([], [self._out], [], 0)[1]:
            self._write(data)  # which cannot block
        else:
            await to_thread.run_sync(self._write, data, abandon_on_cancel=True)
        self._unanswered -= 1

    async def flush(self) -> None:
        pass

    def _write(self, data: bytes) -> None:
        try:
            with self._writing:
                while data:
                    data = data[os.write(self._out, data) :]
        except OSError:  # nobody reads any more
            leave()


def refusal(line: str) -> str | None:
    """Return the answer to a line that is no message of the protocol; None for one that is.

    Without an answer, a client that sent half a line would wait for ever.
    """
    from mcp_types.jsonrpc import JSONRPCNotification, jsonrpc_message_adapter
    from pydantic import ValidationError

    try:
        message = jsonrpc_message_adapter.validate_json(line, by_name=False)
        if not isinstance(message, JSONRPCNotification) or '"id"' not in line:
            return None
    except ValidationError:
        pass
    try:
        given = json.loads(line)
    except (ValueError, RecursionError):
        return _error(_PARSE_ERROR, None, "not JSON")
    if isinstance(given, dict) and given.get("jsonrpc") == "2.0" and "id" not in given and "method" in given:
        return None  # a notification, about which nothing may be said
    id = given.get("id") if isinstance(given, dict) else None
    known = id if isinstance(id, (str, int)) and not isinstance(id, bool) else None
    return _error(_INVALID_REQUEST, known, "no message of JSON-RPC 2.0")


def _error(code: int, id: str | int | None, what: str) -> str:
    message = f"This line is {what}. Send one message a line, of at most {MAX_LINE:,} bytes."
    return json.dumps({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}}) + "\n"


def serve(
    wire: Wire, opened: Callable[[], Homes], profile: ToolProfile, agent: str | None, session: str | None
) -> NoReturn:
    """Answer the client until it is gone; this ends the process."""
    die_with(os.getppid())
    signal.signal(signal.SIGINT, lambda *_: leave(130))
    import anyio
    from mcp.server.stdio import stdio_server

    from memoro.mcp.server import build

    homes = opened()
    server = build(homes, profile, agent=agent, session=session)

    async def run() -> None:
        ends: Any = wire
        async with stdio_server(ends, ends) as (read, write):
            await server.run(read, write, server.create_initialization_options())

    anyio.run(run)
    homes.close()
    leave()


def leave(code: int = 0) -> NoReturn:
    """End the process at once, without waiting for threads. Nothing that was acknowledged is lost."""
    sys.stderr.flush()
    os._exit(code)


def die_with(parent: int) -> None:
    """End this process when its parent has ended, even where somebody else holds standard input open."""

    def look(*_: object) -> None:
        if os.getppid() != parent:  # and not merely a thread of it, which the kernel reports likewise
            leave()

    def keep_looking() -> None:
        while True:
            time.sleep(_LOOK)
            look()

    if sys.platform == "linux":
        signal.signal(signal.SIGUSR2, look)
        _ask_for_signal(signal.SIGUSR2)
    threading.Thread(target=keep_looking, name="memoro-parent", daemon=True).start()
    look()


def _ask_for_signal(number: int) -> None:
    try:
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, number)
    except (ImportError, OSError, AttributeError):  # looking is enough; it only takes a little longer
        pass


def _later(seconds: float, work: Callable[[], object]) -> None:
    timer = threading.Timer(seconds, work)
    timer.daemon = True
    timer.start()


def _ended() -> int:
    """A descriptor of an input that has ended."""
    reading, writing = os.pipe()
    os.close(writing)
    return reading


def _moved(fd: int, instead: int) -> int:
    """Duplicate a descriptor privately, and point its own number elsewhere."""
    import fcntl

    own = fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 3)
    os.dup2(instead, fd)
    os.close(instead)
    return own
