"""HTTP in `memoro serve`: who has the token is served in both eras; everybody else is refused before any work."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp.client.streamable_http import streamable_http_client

import memoro
from mcp import Client
from memoro.errors import ConfigError, StoreUnavailable
from memoro.serve import access_rules, guard, refusing
from memoro.serve.access_rules import AccessRules, RequestHead, refusal
from memoro.serve.asgi import AsgiMessage
from memoro.serve.http import HttpService
from memoro.serve.limits import IN_FLIGHT, RateLimit
from memoro.serve.listening import listen
from memoro.serve.services import ServiceContext
from memoro.serve.token import FILES, file_of, token
from memoro.store.opening import make_home
from tests.conftest import wait_for, write_vault
from tests.test_mcp import ERAS, MODERN, environment

HANG = 20.0


class Answer(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class KeptReports:
    """Keeps the lines of a service, and its requests among the work that was done."""

    def __init__(self, lines: list[str], worked: list[str]) -> None:
        self.lines, self.worked = lines, worked

    def done(self, line: str) -> None:
        self.lines.append(line)

    failed = notice = watching = http = hooks = done

    def request(self) -> None:
        self.worked.append("request")


class Running:
    """The real part on a real port, with an account of all the work that it does."""

    def __init__(self, home: Path, vault: Path, port: int = 0) -> None:
        self.home = home
        self.worked: list[str] = []  # what got past the guard
        self.hold = threading.Event()
        self.hold.set()
        make_home(str(home))
        self.workspace = memoro.open(home, vault)
        self.stop = threading.Event()
        self.told: list[str] = []
        self._context = ServiceContext(self.workspace, self.stop, KeptReports(self.told, self.worked))

        def opened(agent: str | None) -> memoro.Workspace:
            self.worked.append("opened")
            return memoro.open(home, vault, agent=agent)

        self._part = HttpService(port, opened, profile="full", answer_hook=self._hook)
        self._thread = threading.Thread(target=self._part.run, args=(self._context,), daemon=True)
        self._thread.start()
        assert wait_for(lambda: bool(self.told), HANG)
        self.port = self._part.port
        self.token = token(str(home))
        self.tokens = {scope: token(str(home), scope) for scope in FILES}
        assert wait_for(self._answers, HANG)
        self.worked.clear()

    def _answers(self) -> bool:
        try:
            return self.ask("GET", "/health").status == 200
        except OSError:
            return False

    def _hook(self, host: str, event: Mapping[str, object], _workspace: memoro.Workspace) -> dict[str, object] | None:
        self.worked.append("hook")
        self.hold.wait(HANG)
        return {"host": host, "heard": event} if event else None

    def ask(self, method: str, path: str, body: Any = None, **changed: str | None) -> Answer:
        """A request that is right, but for the headers that are changed; None leaves one out."""
        headers = {
            "host": f"127.0.0.1:{self.port}",
            "authorization": f"Bearer {self.secret(path)}",
            "connection": "close",
            **({"content-type": "application/json"} if method == "POST" else {}),
            **{name.replace("_", "-"): value for name, value in changed.items()},
        }
        given = [(name, value) for name, value in headers.items() if value is not None]
        data = b"" if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        if data and "content-length" not in headers:
            given.append(("content-length", str(len(data))))
        lines = "".join(f"{name}: {value}\r\n" for name, value in given)
        return self.raw(f"{method} {path} HTTP/1.1\r\n{lines}\r\n".encode() + data)

    def secret(self, path: str) -> str:
        """The token that a path needs."""
        return self.tokens[access_rules.SCOPES.get(path, "write")]

    def raw(self, data: bytes) -> Answer:
        with socket.create_connection(("127.0.0.1", self.port), HANG) as connection:
            with suppress(OSError):  # refused before all of it was sent
                connection.sendall(data)
            received = b""
            with suppress(ConnectionResetError):
                while more := connection.recv(65536):
                    received += more
        head, _, body = received.partition(b"\r\n\r\n")
        first, *rest = head.decode("latin-1").split("\r\n")
        pairs = [line.partition(": ") for line in rest]
        return Answer(int(first.split()[1]), {name.lower(): value for name, _, value in pairs}, body)

    def close(self) -> None:
        self.hold.set()
        self.stop.set()
        self._thread.join(HANG)
        assert not self._thread.is_alive()
        self.workspace.close()


@contextmanager
def running(home: Path, vault: Path, port: int = 0) -> Iterator[Running]:
    server = Running(home, vault, port)
    try:
        yield server
    finally:
        server.close()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("http")
    write_vault(folder / "vault", {"tea.md": "# Tea\n\nGreen tea at 80 degrees.\n"})
    with running(folder / "home", folder / "vault") as made:
        yield made


# Attacks: what is changed about a request that is right, and the answers that refuse it. 400 is said where the
# request is no HTTP.

HOSTS = ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "localhost", "0.0.0.0:{port}", "[::1]",
         "localhost.evil.example:{port}", "127.0.0.1:{port}.evil.example", "127.0.0.1:{port}@evil.example",
         "me@127.0.0.1:{port}", "127.0.0.2:{port}", "127.1:{port}", "2130706433:{port}", "[::ffff:127.0.0.1]:{port}",
         "localhost.:{port}", "", None]  # fmt: skip
ORIGINS = ["null", "http://evil.example", "http://evil.example:{port}", "https://127.0.0.1:{port}",
           "http://127.0.0.1", "http://127.0.0.1:1", "http://localhost:{port}.evil.example", "file://", "",
           "chrome-extension://abcdefgh", "http://127.0.0.1:{port}/", "http://127.0.0.1:{port}, http://evil.example",
           "http://me@127.0.0.1:{port}", "*"]  # fmt: skip
TOKENS = [None, "", "Bearer", "Bearer ", "Bearer x", "Bearer {part}", "Bearer {token}x", "Bearer {token} {token}",
          "Basic {token}", "{token}", "Bearer {upper}", "Bearer null", "Token {token}"]  # fmt: skip
KINDS = ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", None, "",
         "application/json; charset=utf-16", "application/jsonx", "text/plain; application/json",
         "application/json, text/plain", "text/json"]  # fmt: skip
METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND"]
ELSEWHERE = ["/", "/mcp/", "/MCP", "//mcp", "/mcp/x", "/%6dcp/..", "/hooks", "/hooks/",
             "/hooks/other", "/hooks/claude/x", "/hooks/../health",
             "/.well-known/oauth-protected-resource", "/sse", "/docs",
             "http://evil.example/mcp", "*"]  # fmt: skip


def attacks(server: Running, path: str, method: str) -> Iterator[tuple[str, Answer, set[int]]]:
    def filled(text: str | None) -> str | None:
        known = {"port": server.port, "token": secret, "part": secret[:-1], "upper": secret.upper()}
        return text if text is None else text.format(**known)

    secret = server.secret(path)

    for host in HOSTS:
        yield f"Host {host}", server.ask(method, path, {}, host=filled(host)), {421, 400}
    for origin in ORIGINS:
        yield f"Origin {origin}", server.ask(method, path, {}, origin=filled(origin)), {403}
    for site in ("cross-site", "same-site"):
        yield f"Sec-Fetch-Site {site}", server.ask(method, path, {}, sec_fetch_site=site), {403}
    for given_ in TOKENS:
        yield f"token {given_}", server.ask(method, path, {}, authorization=filled(given_)), {401}
    cookie, query = f"token={secret}", f"{path}?token={secret}"
    yield "token in a cookie", server.ask(method, path, {}, authorization=None, cookie=cookie), {401}
    yield "token in the address", server.ask(method, query, {}, authorization=None), {401}
    right = f"host: 127.0.0.1:{server.port}\r\nauthorization: Bearer {secret}\r\nconnection: close\r\n"
    for name, more in {
        "two tokens": f"authorization: Bearer {secret}\r\n",
        "two hosts": f"host: 127.0.0.1:{server.port}\r\n",
        "two origins": f"origin: http://127.0.0.1:{server.port}\r\norigin: http://evil.example\r\n",
    }.items():
        yield name, server.raw(f"{method} {path} HTTP/1.1\r\n{right}{more}\r\n".encode()), {400, 401, 403, 421}
    yield "no host, HTTP/1.0", server.raw(f"{method} {path} HTTP/1.0\r\n\r\n".encode()), {421, 400}
    for other in METHODS:
        if other != method:
            yield f"method {other}", server.ask(other, path), {405}
    if method == "POST":
        for kind in KINDS:
            yield f"Content-Type {kind}", server.ask(method, path, {}, content_type=kind), {415}
        for length in (str(access_rules.MAX_BODY + 1), "9" * 30, "-1", "x"):
            yield f"Content-Length {length}", server.ask(method, path, content_length=length), {413, 400}


@pytest.mark.parametrize("path", [*access_rules.ROUTES])
def test_every_attack_on_every_route_is_refused_before_any_work(server: Running, path: str) -> None:
    server.worked.clear()
    count = 0
    for name, answer, expected in attacks(server, path, access_rules.ROUTES[path]):
        assert answer.status in expected, f"{path}: {name}: {answer.status}"
        _check_headers(answer, f"{path}: {name}")
        count += 1
    assert server.worked == []
    print(f"\n{path}: {count} attacks refused")


@pytest.mark.parametrize("path", ELSEWHERE)
def test_there_is_nothing_elsewhere(server: Running, path: str) -> None:
    server.worked.clear()
    for method in METHODS:
        assert server.ask(method, path).status in (404, 400)
        assert server.ask(method, path, authorization=None).status in (401, 400)
        assert server.ask(method, path, host="evil.example").status in (421, 400)
    assert server.worked == []


def test_a_browsers_question_for_an_icon_needs_no_token_and_gets_nothing(server: Running) -> None:
    server.worked.clear()
    asked = server.ask("GET", "/favicon.ico", authorization=None)
    assert (asked.status, asked.body) == (204, b"")
    _check_headers(asked, "the icon")
    assert server.ask("POST", "/favicon.ico", {}, authorization=None).status == 405
    assert server.ask("GET", "/favicon.ico", host="evil.example").status == 421
    assert server.worked == []


def _check_headers(answer: Answer, what: str) -> None:
    assert not [name for name in answer.headers if name.startswith("access-control-")], what
    assert "set-cookie" not in answer.headers, what
    if answer.status != 400:  # which is said before it is a request at all
        for name, value in guard.HEADERS:
            assert answer.headers[name.decode()] == value.decode(), what


heads = st.builds(
    RequestHead,
    st.sampled_from(METHODS),
    st.sampled_from([*access_rules.ROUTES, "/", "/other"]),
    st.lists(
        st.tuples(
            st.sampled_from([b"host", b"origin", b"authorization", b"content-type", b"content-length", b"x"]),
            st.sampled_from([b"127.0.0.1:80", b"localhost:80", b"http://127.0.0.1:80", b"Bearer secret",
                             b"bearer secret", b"application/json",
                             b"Application/JSON; charset=UTF-8", b"12", b"null", b"", b"x"]),
        ),
        max_size=6,
    ),
)  # fmt: skip


@given(head=heads)
def test_only_what_is_right_in_everything_is_let_in(head: RequestHead) -> None:
    def values(name: bytes) -> list[bytes]:
        return [value for key, value in head.headers if key == name]

    right = (
        values(b"host") in ([b"127.0.0.1:80"], [b"localhost:80"])
        and values(b"origin") in ([], [b"http://127.0.0.1:80"])
        and values(b"authorization") in ([b"Bearer secret"], [b"bearer secret"])
        and access_rules.ROUTES.get(head.path) == head.method
        and access_rules.SCOPES.get(head.path) != "admin"  # this token is for `write`
    )
    if right and head.method == "POST":
        kinds = [value.lower() for value in values(b"content-type")]
        right = kinds in ([b"application/json"], [b"application/json; charset=utf-8"])
        right = right and all(value == b"12" for value in values(b"content-length"))
    assert (refusal(head, AccessRules.local(80, "secret")) is None) == right


def test_a_body_in_pieces_is_read_up_to_the_limit_and_no_further(server: Running) -> None:
    server.worked.clear()
    head = (
        f"POST /hooks/claude HTTP/1.1\r\nhost: 127.0.0.1:{server.port}\r\nauthorization: Bearer {server.token}\r\n"
        "content-type: application/json\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n"
    )
    piece = b"100000\r\n" + b" " * 0x100000 + b"\r\n"
    assert server.raw(head.encode() + piece * 5 + b"0\r\n\r\n").status == 413
    assert server.worked == []


# What is let in


@asynccontextmanager
async def client(server: Running, mode: str, **headers: str) -> AsyncIterator[Any]:
    given_ = {"Authorization": f"Bearer {server.token}", **headers}
    async with httpx2.AsyncClient(headers=given_, trust_env=False) as http:
        wire = streamable_http_client(f"http://127.0.0.1:{server.port}/mcp", http_client=http)
        async with Client(wire, mode=mode) as made:
            yield made


@pytest.mark.parametrize("mode", ERAS)
def test_the_sdks_client_is_served_in_both_eras(server: Running, mode: str) -> None:
    async def work() -> tuple[Any, Any]:
        async with client(server, mode, **{"Memoro-Agent": "Lena"}) as c:
            assert len((await c.list_tools()).tools) == 22
            kept = await c.call_tool("memory_store", {"content": f"A fact over HTTP in the era {mode}"})
            read = await c.read_resource("memoro://note/tea.md")
            return kept.structured_content["id"], read.contents[0].text

    number, text = asyncio.run(asyncio.wait_for(work(), 60))
    assert "80 degrees" in text
    assert server.workspace.memories.get(number).agent == "lena"


def test_plain_requests_of_both_eras_are_answered(server: Running) -> None:
    accept = "application/json, text/event-stream"
    modern = server.ask(
        "POST", "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": MODERN}, accept=accept,
        mcp_protocol_version="2026-07-28", mcp_method="tools/list",
    )  # fmt: skip
    assert len(modern.json["result"]["tools"]) == 22
    legacy = server.ask(
        "POST", "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, accept=accept,
        mcp_protocol_version="2025-11-25",
    )  # fmt: skip
    assert len(legacy.json["result"]["tools"]) == 22
    for answer in (modern, legacy):
        assert answer.status == 200
        _check_headers(answer, "mcp")


def test_a_page_of_our_own_origin_is_let_in_with_the_token_alone(server: Running) -> None:
    for name in ("127.0.0.1", "localhost", "[::1]"):
        own = {"host": f"{name}:{server.port}", "origin": f"http://{name}:{server.port}"}
        assert server.ask("GET", "/health", **own).status == 200
        assert server.ask("GET", "/health", **own, authorization=None).status == 401


@pytest.mark.parametrize("mode", ERAS)
def test_a_restart_breaks_no_client(tmp_path: Path, mode: str) -> None:
    home, vault = tmp_path / "home", write_vault(tmp_path / "vault", {"tea.md": "Tea"})

    async def work() -> None:
        with running(home, vault) as first:
            async with client(first, mode) as c:
                await c.call_tool("memory_store", {"content": "A fact"})
                port = first.port
                await asyncio.to_thread(first.close)
                second = await asyncio.to_thread(Running, home, vault, port)
                found = await c.call_tool("memory_query", {"query": "fact"})
                assert found.structured_content["results"]
                await asyncio.to_thread(second.close)

    asyncio.run(asyncio.wait_for(work(), 60))


def test_hooks_are_answered(server: Running) -> None:
    answer = server.ask("POST", "/hooks/codex", {"event": "é"})
    assert (answer.status, answer.json) == (200, {"host": "codex", "heard": {"event": "é"}})
    assert server.ask("POST", "/hooks/codex", {}).json == {}
    for wrong in (b"", b"[]", b"{", b"\xff", b"[" * 200_000):
        assert server.ask("POST", "/hooks/codex", wrong).status == 400


def test_a_flood_is_told_to_wait_and_loses_nothing_else(server: Running) -> None:
    server.hold.clear()
    server.worked.clear()
    with ThreadPoolExecutor(IN_FLIGHT + 8) as pool:
        waiting = [pool.submit(server.ask, "POST", "/hooks/claude", {"n": n}) for n in range(IN_FLIGHT)]
        assert wait_for(lambda: server.worked.count("request") == IN_FLIGHT, HANG)
        late = server.ask("POST", "/hooks/claude", {})
        assert (late.status, late.headers["retry-after"]) == (503, "1")
        assert server.ask("POST", "/hooks/claude", {}, authorization=None).status == 401
        assert server.ask("GET", "/health").status == 200, "a server that is busy is not ill"
        server.hold.set()
        assert [one.result(HANG).status for one in waiting] == [200] * IN_FLIGHT
    assert server.ask("POST", "/hooks/claude", {}).status == 200


@given(st.lists(st.floats(0, 3), max_size=60), st.integers(1, 20))
def test_no_more_than_the_allowance_is_taken_and_it_comes_back(waits: list[float], a_second: int) -> None:
    now = [0.0]
    allowance = RateLimit(a_second, clock=lambda: now[0])
    taken = 0
    for wait in waits:
        now[0] += wait
        taken += allowance.take()
        assert taken <= a_second * (1 + now[0]) + 1e-6
    now[0] += 1.001
    assert all(allowance.take() for _ in range(a_second)), "after a second all of it is there again"
    assert not allowance.take()


def test_requests_beyond_the_allowance_are_told_to_wait_before_any_work() -> None:
    worked: list[str] = []
    answers: list[int] = []

    async def inner(_scope: Any, _receive: Any, send: Any) -> None:
        worked.append("work")
        await refusing.answer(send, 200, {})

    async def receive() -> AsgiMessage:
        return {"type": "http.request", "body": b""}

    async def send(message: Any) -> None:
        answers.extend([message["status"]] if "status" in message else [])

    async def ask() -> None:
        door = AccessRules.local(80, "t")
        guarded = guard.Guard(inner, door, RateLimit(3, clock=lambda: 0.0))
        headers = [(b"host", b"localhost:80"), (b"authorization", b"Bearer t")]
        for _ in range(5):
            await guarded({"type": "http", "method": "GET", "path": "/health", "headers": headers}, receive, send)

    asyncio.run(ask())
    assert answers == [200, 200, 200, 429, 429]
    assert worked == ["work"] * 3


def test_what_takes_too_long_is_told_so(server: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "WORK_SECONDS", 0.2)
    server.hold.clear()
    try:
        assert server.ask("POST", "/hooks/claude", {}).status == 504
    finally:
        server.hold.set()
    monkeypatch.undo()
    assert server.ask("POST", "/hooks/claude", {}).status == 200


def test_health_says_what_is_so(tmp_path: Path) -> None:
    home, vault = tmp_path / "home", write_vault(tmp_path / "vault", {"tea.md": "Tea"})
    with memoro.open(home, vault) as m:
        m.memories.store("A fact")
        m.search("tea")
    with running(home, vault) as server:
        well = server.ask("GET", "/health")
        assert (well.status, well.json["ok"]) == (200, True)
        assert {check["name"] for check in well.json["checks"]} >= {"home", "index", "ledger"}
        server.workspace.close()
        for name in os.listdir(home):
            if name.startswith("ledger.db"):
                (home / name).write_bytes(b"not a database" * 500)
        ill = server.ask("GET", "/health")
        assert (ill.status, ill.json["ok"]) == (503, False)
        assert [check["name"] for check in ill.json["checks"] if check["state"] == "failed"] == ["ledger"]


# The token and the port


def test_the_token_is_long_random_and_for_its_owner_alone(tmp_path: Path) -> None:
    first = token(str(tmp_path))
    assert re.fullmatch(r"[0-9a-f]{64}", first)
    assert token(str(tmp_path)) == first
    assert os.stat(file_of(str(tmp_path))).st_mode & 0o777 == 0o600
    assert os.listdir(tmp_path) == ["http.token"]
    (tmp_path / "other").mkdir()
    assert token(str(tmp_path / "other")) != first


def test_those_who_make_a_token_at_once_get_the_same(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(lambda _: token(str(tmp_path)), range(8)))) == 1


def test_a_token_that_others_can_read_or_that_is_none_is_refused(tmp_path: Path) -> None:
    token(str(tmp_path))
    os.chmod(file_of(str(tmp_path)), 0o644)
    with pytest.raises(StoreUnavailable, match="Others can read"):
        token(str(tmp_path))
    os.chmod(file_of(str(tmp_path)), 0o600)
    (tmp_path / "http.token").write_text("short")
    with pytest.raises(StoreUnavailable, match="holds no token"):
        token(str(tmp_path))


def test_only_this_machine_is_listened_to() -> None:
    sockets = listen(0)
    try:
        names = [one.getsockname() for one in sockets]
        assert {name[0] for name in names} <= {"127.0.0.1", "::1"}
        assert len({name[1] for name in names}) == 1
        with pytest.raises(ConfigError, match="--port"):
            listen(names[0][1])
        with pytest.raises(ConfigError, match="from 0 to 65535, not 99999"):
            listen(99999)
    finally:
        for one in sockets:
            one.close()


@contextmanager
def served(home: Path, vault: Path, *options: str) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, "-m", "memoro", "--home", str(home), "--vault", str(vault), "serve", *options],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment(),
    )  # fmt: skip
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def test_the_real_command_serves_and_ends_when_it_is_told_to(tmp_path: Path) -> None:
    home, vault = tmp_path / "home", write_vault(tmp_path / "vault", {"tea.md": "Tea"})
    with served(home, vault, "--http", "--port", "0") as process:
        assert process.stdout
        line = ""
        while "http://" not in line:
            line = process.stdout.readline()
        port = int(re.findall(r"127\.0\.0\.1:(\d+)", line)[0])
        secret = (home / "http.token").read_text().strip()
        assert secret not in line
        with httpx2.Client(headers={"Authorization": f"Bearer {secret}"}, trust_env=False) as http:
            deadline = time.monotonic() + HANG
            while True:
                try:
                    assert http.get(f"http://127.0.0.1:{port}/health").status_code == 200
                    break
                except httpx2.TransportError:
                    assert time.monotonic() < deadline
                    time.sleep(0.1)
            process.send_signal(signal.SIGTERM)  # with a connection open
            assert process.wait(HANG) == 0


def test_a_port_that_is_taken_ends_it_with_a_sentence(tmp_path: Path) -> None:
    vault = write_vault(tmp_path / "vault", {"tea.md": "Tea"})
    sockets = listen(0)
    try:
        port = str(sockets[0].getsockname()[1])
        with served(tmp_path / "home", vault, "--http", "--port", port) as process:
            assert process.wait(HANG) == 2
            assert process.stderr
            assert f"Port {port} of 127.0.0.1 is taken by another program" in process.stderr.read()
    finally:
        for one in sockets:
            one.close()


def test_http_is_off_until_somebody_asks(tmp_path: Path) -> None:
    home, vault = tmp_path / "home", write_vault(tmp_path / "vault", {"tea.md": "Tea"})
    with served(home, vault) as process:
        assert wait_for(
            lambda: any(name.startswith("index.") for name in os.listdir(home)) if home.exists() else False
        )
        assert not (home / "http.token").exists()
        process.terminate()
        assert process.wait(HANG) == 0
    with served(home, vault, "--port", "0") as process:
        assert process.wait(HANG) == 2
