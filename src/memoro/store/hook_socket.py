"""The socket in a home at which `memoro serve` answers hooks: connecting, listening, and who is at the other end.

Every hook loads this module, and most find no server: it imports sockets only to use them. `_socket` is what `socket`
is made from, without the enumerations that take longer to make than a prompt takes to answer.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    import _socket
    import socket

FILE = "serve.sock"
_LONGEST_NAME = 100  # bytes of a socket's path: 104 with the final NUL on macOS, 108 on Linux
_BACKLOG = 64
_SOCKET_BITS, _TYPE_BITS = 0o140000, 0o170000  # of a file's mode; the module `stat` need not be loaded for them


def exists(home: str) -> bool:
    """Return whether there is a socket; its server may have died."""
    try:
        return os.lstat(os.path.join(home, FILE)).st_mode & _TYPE_BITS == _SOCKET_BITS
    except (OSError, ValueError):
        return False


def connect(home: str, seconds: float) -> _socket.socket | None:
    """Connect to the server of this home; None if another user listens there. Raises OSError if nobody does.

    For a process with one thread: it may change the working folder for a moment.
    """
    import _socket

    connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    try:
        connection.settimeout(seconds)
        _connect(connection, home)
        if peer(connection) == os.geteuid():
            return connection
    except BaseException:
        connection.close()
        raise
    connection.close()
    return None


def _connect(connection: _socket.socket, home: str) -> None:
    file = os.path.join(home, FILE)
    if len(os.fsencode(file)) <= _LONGEST_NAME:
        connection.connect(file)
        return
    before = os.open(".", os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.chdir(home)
        connection.connect(FILE)
    finally:
        os.fchdir(before)
        os.close(before)


def listen(home: str) -> socket.socket:
    """Listen in the home, for its owner alone, in place of a socket that a killed process left behind.

    For the process that holds the lock of `serve`. Raises OSError where there can be no socket.
    """
    import socket
    import tempfile

    file = os.path.join(home, FILE)
    unfinished = f"{file}.making"
    made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        if os.path.lexists(unfinished):
            os.unlink(unfinished)
        if len(os.fsencode(unfinished)) <= _LONGEST_NAME:
            made.bind(unfinished)
        else:  # a path that is too long for an address is reached by a short link, which only this user can make
            with tempfile.TemporaryDirectory(prefix="memoro-") as folder:
                os.symlink(home, os.path.join(folder, "home"))
                made.bind(os.path.join(folder, "home", os.path.basename(unfinished)))
        os.chmod(unfinished, 0o600)  # nobody can connect yet
        made.listen(_BACKLOG)
        os.rename(unfinished, file)
    except BaseException:
        made.close()
        raise
    return made


def remove(home: str) -> None:
    """Delete the socket, so that no hook tries to connect. For the process that listens there."""
    from contextlib import suppress

    with suppress(OSError):  # the next server replaces it
        os.unlink(os.path.join(home, FILE))


def peer(connection: _socket.socket) -> int | None:
    """Return the user at the other end of a connection; None where the system does not tell."""
    from _socket import SOL_SOCKET

    # SO_PEERCRED of Linux: process, user, group. LOCAL_PEERCRED of macOS and the BSDs: version, user, groups.
    level, option = (SOL_SOCKET, 17) if sys.platform == "linux" else (0, 1)
    try:
        credentials = connection.getsockopt(level, option, 76)
    except OSError:
        return None
    return int.from_bytes(credentials[4:8], sys.byteorder) if len(credentials) >= 8 else None
