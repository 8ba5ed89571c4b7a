"""Sockets on which the HTTP server listens: on this machine alone, unless whoever starts it names another address."""

from __future__ import annotations

import ctypes
import errno
import ipaddress
import socket
import struct
import sys
from contextlib import suppress

from memoro.errors import ConfigError

_FREE_PORT_TRIES = 20
_BACKLOG = 4096  # connections that wait to be accepted; a client beyond that tries again after a second
_SO_ATTACH_FILTER = 26  # Linux's number, which `socket` does not name
_DROP_NEW = (  # a filter of the kernel; the first segment of a connection has the flag SYN in its byte 13
    (0x30, 0, 0, 13),  # read that byte
    (0x45, 0, 1, 0x02),  # without SYN, skip the next line
    (0x06, 0, 0, 0),  # drop the segment
    (0x06, 0, 0, 0xFFFFFFFF),  # let it through
)


def listen(port: int) -> list[socket.socket]:
    """Listen on this machine's own addresses only: IPv4, and IPv6 at the same port if there is IPv6.

    Raise ConfigError if another program has the port on either: a client of `localhost` could hand it the token.
    """
    if not 0 <= port <= 65535:
        raise ConfigError(f"--port takes a number from 0 to 65535, not {port}.")
    if port or not has_ipv6():
        return _listen_at(port)
    for _ in range(_FREE_PORT_TRIES - 1):  # a port that is free on one may be taken on the other
        with suppress(ConfigError):
            return _listen_at(0)
    return _listen_at(0)


def address_family(address: str) -> socket.AddressFamily:
    """Raises ConfigError for what is no IP address."""
    try:
        return socket.AF_INET6 if ipaddress.ip_address(address).version == 6 else socket.AF_INET
    except ValueError:
        raise ConfigError(f"--listen takes an IP address of this machine, not {address!r}.") from None


def listen_on(address: str, port: int) -> list[socket.socket]:
    """Listen on one address of this machine, which others can reach. Raises ConfigError."""
    family = address_family(address)
    if not 0 <= port <= 65535:
        raise ConfigError(f"--port takes a number from 0 to 65535, not {port}.")
    return [_listener(family, address, port)]


def is_loopback(address: str) -> bool:
    """Return whether an address is this machine's own."""
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False


def is_free(port: int) -> bool:
    """Return whether a server could listen at this port now."""
    try:
        for one in listen(port):
            one.close()
    except ConfigError:
        return False
    return True


def has_ipv6() -> bool:
    """Return whether this machine has the address ::1."""
    try:
        with socket.socket(socket.AF_INET6, socket.SOCK_STREAM) as probe:
            probe.bind(("::1", 0))
    except OSError as error:
        return error.errno not in (errno.EAFNOSUPPORT, errno.EADDRNOTAVAIL, errno.EPROTONOSUPPORT)
    return True


def take_no_more(listener: socket.socket) -> None:
    """Let new connections wait outside, where they find another server once this socket is closed.

    Those whose handshake has begun still come in. Linux drops the first segment of the others. Elsewhere the queue is
    made as short as it can be: one connection still gets into it, and is reset if it comes last.
    """
    listener.listen(0)
    if sys.platform != "linux":
        return
    lines = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *line) for line in _DROP_NEW))
    with suppress(OSError):  # a sandbox may forbid filters
        program = struct.pack("HP", len(_DROP_NEW), ctypes.addressof(lines))
        listener.setsockopt(socket.SOL_SOCKET, _SO_ATTACH_FILTER, program)


def _listen_at(port: int) -> list[socket.socket]:
    sockets = [_listener(socket.AF_INET, "127.0.0.1", port)]
    if has_ipv6():
        try:
            sockets.append(_listener(socket.AF_INET6, "::1", sockets[0].getsockname()[1]))
        except BaseException:
            sockets[0].close()
            raise
    return sockets


def _listener(family: socket.AddressFamily, address: str, port: int) -> socket.socket:
    made = socket.socket(family, socket.SOCK_STREAM)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            made.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        made.bind((address, port))
        made.listen(_BACKLOG)
        made.setblocking(False)
    except OSError as error:
        made.close()
        raise ConfigError(_port_taken(address, port, error)) from error
    return made


def _port_taken(address: str, port: int, error: OSError) -> str:
    if error.errno != errno.EADDRINUSE:
        why = (error.strerror or str(error)).lower()
        return f"Port {port} of {address} cannot be used: {why}. Choose another with --port N."
    return (
        f"Port {port} of {address} is taken by another program, to which a client of localhost could hand the token. "
        "End that program, or choose another port with --port N."
    )
