"""Connections without a token: they are few, they end in time, and they keep nobody out who has it."""

from __future__ import annotations

import asyncio
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from benchmarks.connections import HALF_A_HEAD, Load, measure
from hypothesis import given
from hypothesis import strategies as st

from memoro.errors import ConfigError, StoreUnavailable
from memoro.serve import connections, listening, process
from memoro.serve.asgi import AsgiScope, Receive, Send
from memoro.serve.connections import ConnectionTable, Peer, most_connections
from memoro.serve.listening import has_ipv6, listen, take_no_more
from memoro.serve.refusing import answer
from memoro.serve.server import HttpServer, OncePerMinute
from memoro.serve.services import ServiceContext
from tests.conftest import times, write_vault
from tests.test_http import HANG, KeptReports, running, served
from tests.test_serve import in_process

needs_ipv6 = pytest.mark.skipif(not has_ipv6(), reason="this machine has no IPv6")


class Ended:
    """A transport that notes when it is ended."""

    def __init__(self) -> None:
        self.is_ended = False

    def abort(self) -> None:
        self.is_ended = True


# The table


@given(st.lists(st.tuples(st.sampled_from(["accept", "ask", "leave"]), st.integers(0, 30)), max_size=80))
def test_there_are_never_more_than_fit_and_no_running_request_is_ended_for_another(steps: list[tuple[str, int]]):
    table, transports = ConnectionTable(5), dict[Peer, Ended]()
    with ExitStack() as requests:
        asking: set[Peer] = set()
        for now, (step, number) in enumerate(steps):
            peer = ("127.0.0.1", number)
            is_open = peer in transports and not transports[peer].is_ended
            if step == "accept" and not is_open and table.make_room():
                transports[peer] = Ended()
                table.add(peer, transports[peer], float(now))
            elif step == "ask" and is_open and peer not in asking:
                requests.enter_context(table.running(peer, lambda: 0.0))
                asking.add(peer)
            elif step == "leave" and is_open and peer not in asking:
                transports.pop(peer)
                table.discard(peer)
            still_open = [one for one, transport in transports.items() if not transport.is_ended]
            assert len(table) == len(still_open) <= 5
            assert asking <= set(still_open)


def test_strangers_end_before_idle_clients_and_the_oldest_of_each_first():
    table, transports = ConnectionTable(4), [Ended() for _ in range(6)]
    for number in range(4):
        table.add(("127.0.0.1", number), transports[number], float(number))
    with table.running(("127.0.0.1", 0), lambda: 4.0), table.running(("127.0.0.1", 1), lambda: 5.0):
        pass
    order = []
    while table.shed():
        order += [n for n, one in enumerate(transports) if one.is_ended and n not in order]
    assert order == [2, 3, 1, 0]


def test_every_connection_has_its_time_and_no_more():
    table, transports = ConnectionTable(9), [Ended() for _ in range(3)]
    peers = [("127.0.0.1", number) for number in range(3)]
    for peer, transport in zip(peers, transports, strict=True):
        table.add(peer, transport, 0.0)
    with table.running(peers[1], lambda: 0.0):
        pass
    with table.running(peers[2], lambda: 0.0):
        table.end_overdue(connections.FIRST_REQUEST_SECONDS)
        assert [one.is_ended for one in transports] == [True, False, False]
        table.end_overdue(connections.IDLE_SECONDS)
        assert [one.is_ended for one in transports] == [True, True, False]
        table.end_overdue(connections.REQUEST_SECONDS)
        assert [one.is_ended for one in transports] == [True, True, True]
    assert len(table) == 0


@given(st.integers(-1, 2**40))
def test_half_of_the_descriptors_stay_for_the_rest(descriptors: int):
    most = most_connections(descriptors)
    assert connections.LEAST_CONNECTIONS <= most <= connections.MOST_CONNECTIONS
    assert descriptors <= 2 * connections.LEAST_CONNECTIONS or 2 * most <= descriptors


def test_a_line_is_repeated_once_a_minute_and_different_lines_are_few():
    lines: list[str] = []
    now = [0.0]
    report = OncePerMinute(lines.append, lambda: now[0])
    for second in range(0, 121, 10):
        now[0] = float(second)
        report("too many open files")
    assert lines == ["too many open files"] * 3
    for number in range(1000):
        report(f"another {number}")
    assert len(lines) < 30


# The real server


def test_half_a_head_is_ended_in_time_and_a_client_with_the_token_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(connections, "FIRST_REQUEST_SECONDS", 0.2)
    write_vault(tmp_path / "vault", {"tea.md": "# Tea\n"})
    with running(tmp_path / "home", tmp_path / "vault") as server:
        place = ("127.0.0.1", server.port)
        with socket.create_connection(place, HANG) as half, socket.create_connection(place, HANG) as silent:
            half.sendall(HALF_A_HEAD)
            with socket.create_connection(place, HANG) as client:
                head = f"GET /health HTTP/1.1\r\nhost: {place[0]}:{place[1]}\r\nauthorization: Bearer {server.token}"
                client.sendall(f"{head}\r\n\r\n".encode())
                assert client.recv(100).startswith(b"HTTP/1.1 200")
                assert _until_closed(half) == b""
                assert _until_closed(silent) == b""
                client.sendall(f"{head}\r\n\r\n".encode())
                assert b"HTTP/1.1 200" in client.recv(65536) + client.recv(65536)


def _until_closed(connection: socket.socket) -> bytes:
    try:
        return connection.recv(100)
    except ConnectionResetError:
        return b""


async def _app(scope: AsgiScope, receive: Receive, send: Send) -> None:
    if scope["type"] == "lifespan":
        for kind in ("startup", "shutdown"):
            await receive()
            await send({"type": f"lifespan.{kind}.complete"})
    else:
        await answer(send, 200, {})


@contextmanager
def _listening() -> Iterator[socket.socket]:
    sockets = listen(0)
    for one in sockets[1:]:
        one.close()
    with sockets[0] as first:
        yield first


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux can keep every new connection out")
def test_who_connects_after_the_last_one_is_refused_and_not_reset() -> None:
    with _listening() as listener:
        address = listener.getsockname()[:2]
        with socket.create_connection(address, timeout=HANG) as early:
            take_no_more(listener)
            with socket.socket() as late:
                late.settimeout(0.2)
                with pytest.raises(TimeoutError):
                    late.connect(address)
            accepted, _ = listener.accept()
            with accepted:
                with pytest.raises(BlockingIOError):
                    listener.accept()
                early.sendall(b"still heard")
                accepted.settimeout(HANG)
                assert accepted.recv(64) == b"still heard"


def test_a_listener_that_dies_is_an_error_and_not_the_end_of_the_thread_without_a_word():
    lines: list[str] = []
    with _listening() as listener:
        server = HttpServer(_app, ConnectionTable(9), KeptReports(lines, []))
        threading.Timer(0.3, lambda: listener.shutdown(socket.SHUT_RDWR)).start()
        with pytest.raises(OSError, match="Invalid argument"):
            asyncio.run(asyncio.wait_for(server.serve([listener], threading.Event()), HANG))
    assert lines == []


class Failing:
    """A service that fails twice and then goes on."""

    name = "failing"

    def __init__(self) -> None:
        self.runs = 0

    def run(self, context: ServiceContext) -> None:
        self.runs += 1
        if self.runs < 3:
            raise StoreUnavailable("Nothing can be opened.")
        context.reports.done("it runs again")
        context.stop.wait()


def test_a_service_that_fails_later_is_started_again_and_ends_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(process, "STARTING_SECONDS", 0.0)
    monkeypatch.setattr(process, "RESTART_SECONDS", 0.05)
    told, complaints, why = in_process(tmp_path / "home", None, lambda told: "it runs again" in told, Failing())
    assert why == "asked to stop"
    assert told[-1] == "it runs again"
    assert complaints == ["failing failed (Nothing can be opened.); it starts again"]


SCARCE = """
import asyncio, os, resource, sys, threading
from memoro.serve.connections import ConnectionTable
from memoro.serve.listening import listen
from memoro.serve.server import HttpServer
from tests.test_connections import _app
from tests.test_http import KeptReports

class Printed(KeptReports):
    def notice(self, line): print(line, flush=True)

stop = threading.Event()
sockets = listen(0)
print(sockets[0].getsockname()[1], flush=True)
resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
threading.Thread(target=lambda: (sys.stdin.read(), stop.set())).start()
asyncio.run(HttpServer(_app, ConnectionTable(1000), Printed([], [])).serve(sockets, stop))
"""


@pytest.mark.process
def test_without_a_free_descriptor_it_says_so_once_and_accepts_again():
    import subprocess
    import sys

    child = subprocess.Popen(
        [sys.executable, "-c", SCARCE],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert child.stdin
    assert child.stdout
    place = ("127.0.0.1", int(child.stdout.readline()))
    with ExitStack() as opened:
        for _ in range(100):
            opened.enter_context(socket.create_connection(place, HANG))
        said = child.stdout.readline()
        assert "a connection cannot be accepted (too many open files)" in said
    with socket.create_connection(place, HANG) as client:
        client.sendall(b"GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
        assert client.recv(100).startswith(b"HTTP/1.1 200")
    rest, errors = child.communicate("", timeout=HANG)
    assert (child.returncode, rest, errors) == (0, "", "")


@pytest.mark.campaign
def test_serve_goes_on_while_connections_without_a_token_are_held(tmp_path: Path):
    load = Load(idle=times(300, 5000), half_open=times(100, 2000), seconds=times(2, 60), descriptors=times(128, 256))
    found = measure(tmp_path, load)
    assert (found.failed, found.exit_code) == (0, 0)
    assert found.answered > 5
    assert found.opened >= load.idle + load.half_open
    assert found.memory_after - found.memory_before < 50 << 20
    errors = (tmp_path / "err").read_text()
    assert errors == ""


# The port


@needs_ipv6
def test_a_port_that_another_program_has_on_ipv6_alone_is_refused():
    with socket.socket(socket.AF_INET6) as stranger:
        stranger.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        stranger.bind(("::1", 0))
        stranger.listen()
        port = stranger.getsockname()[1]
        with pytest.raises(ConfigError, match=f"Port {port} of ::1 is taken .* hand the token"):
            listen(port)
        assert not _is_bound("127.0.0.1", port), "the other half is given back"


@pytest.mark.process
@needs_ipv6
def test_serve_ends_with_a_sentence_where_ipv6_is_taken(tmp_path: Path):
    vault = write_vault(tmp_path / "vault", {"tea.md": "Tea"})
    with socket.socket(socket.AF_INET6) as stranger:
        stranger.bind(("::1", 0))
        stranger.listen()
        port = str(stranger.getsockname()[1])
        with served(tmp_path / "home", vault, "--http", "--port", port) as child:
            assert child.wait(HANG) == 2
            assert child.stderr
            assert "a client of localhost could hand the token" in child.stderr.read()


def _is_bound(address: str, port: int) -> bool:
    try:
        socket.create_connection((address, port), 1).close()
    except ConnectionRefusedError:
        return False
    return True


def test_any_free_port_is_free_on_both():
    for _ in range(20):
        sockets = listen(0)
        assert len({one.getsockname()[1] for one in sockets}) == 1
        assert len(sockets) == (2 if has_ipv6() else 1)
        for one in sockets:
            one.close()


def test_without_ipv6_it_serves_ipv4_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(listening, "has_ipv6", lambda: False)
    write_vault(tmp_path / "vault", {"tea.md": "# Tea\n"})
    with running(tmp_path / "home", tmp_path / "vault") as server:
        assert any("IPv4 alone: this machine has no IPv6" in line for line in server.told)
