"""Several nodes of a team's server: any of them answers any request, and one can end without losing any."""

from __future__ import annotations

import http.client
import json
import os
import shutil
import socket
import subprocess
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import parse_qs, quote, urlsplit

import pytest

from memoro.cli import main
from memoro.serve.limits import IN_FLIGHT, REQUESTS_A_SECOND
from memoro.serve.team_tokens import FRESH_SECONDS
from tests.conftest import wait_for
from tests.postgres import InstalledServer, server
from tests.team_server import NAME, TeamNode, add_token, ask, free_port, nodes, sent, start_node

GUIDE = Path(__file__).parent.parent / "docs" / "teams-server.md"


@pytest.fixture(scope="module")
def postgres() -> InstalledServer:
    return server()


@pytest.fixture(scope="module")
def pair(postgres: InstalledServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[TeamNode]]:
    with nodes(postgres, tmp_path_factory.mktemp("pair"), 2) as made:
        yield made


def test_a_key_names_one_write_on_every_node(postgres: InstalledServer, pair: list[TeamNode]) -> None:
    tenant = postgres.new_tenant()
    anna, ben = add_token(postgres, tenant, "anna"), add_token(postgres, tenant, "ben")
    given, headers = {"content": "The ferry leaves at nine"}, {"idempotency-key": "ferry"}
    first, second = (node.ask("POST", "memory/store", given, token=anna, headers=headers) for node in pair)
    assert (first.status, first.json) == (200, second.json)
    other = {"content": "The ferry leaves at ten"}
    assert pair[1].ask("POST", "memory/store", other, token=anna, headers=headers).status == 409
    assert pair[1].ask("POST", "memory/store", other, token=ben, headers=headers).status == 200  # a key is a person's

    def listed() -> list[str]:
        return sorted(one["content"] for one in pair[0].ask("GET", "memory/list", token=anna).json["results"])

    assert wait_for(lambda: listed() == [given["content"], other["content"]], 5), listed()


def test_the_request_of_the_guide_stores_a_memory(postgres: InstalledServer, pair: list[TeamNode]) -> None:
    if shutil.which("curl") is None or shutil.which("bash") is None:
        pytest.skip("curl is not installed, so the request of docs/teams-server.md is not sent")
    token = add_token(postgres, postgres.new_tenant(), "anna")
    shown = GUIDE.read_text().partition("```bash\n")[2].partition("```")[0]
    assert f"https://{NAME}/" in shown
    sent_here = shown.replace(f"https://{NAME}/", f"http://127.0.0.1:{pair[0].port}/")
    script = sent_here.replace("curl -sS", f"curl -sS -H 'Host: {NAME}'")
    environment = {**os.environ, "TOKEN": token, "no_proxy": "*"}
    done = subprocess.run(["bash", "-c", script], capture_output=True, env=environment, timeout=60, check=True)
    stored = json.loads(done.stdout)
    assert stored["content"] in shown
    assert pair[0].ask("GET", "memory/show", {"id": stored["id"]}, token=token).json["content"] == stored["content"]


def test_a_key_sent_to_both_nodes_at_once_is_one_write(postgres: InstalledServer, pair: list[TeamNode]) -> None:
    token = add_token(postgres, postgres.new_tenant(), "anna")
    with ThreadPoolExecutor(8) as pool:
        for turn in range(5):
            given, headers = {"content": f"Fact number {turn}"}, {"idempotency-key": f"turn {turn}"}
            sendings = [
                pool.submit(pair[n % 2].ask, "POST", "memory/store", given, token=token, headers=headers)
                for n in range(8)
            ]
            answers = [one.result(60) for one in sendings]
            assert {one.status for one in answers} == {200}
            assert len({one.json["id"] for one in answers}) == 1
    assert len(pair[0].ask("GET", "memory/list", {"limit": 50}, token=token).json["results"]) == 5


def test_pages_go_on_at_another_node_and_belong_to_one_person(
    postgres: InstalledServer, pair: list[TeamNode]
) -> None:
    tenant = postgres.new_tenant()
    anna, ben = add_token(postgres, tenant, "anna"), add_token(postgres, tenant, "ben")
    for number in range(5):
        pair[0].ask("POST", "memory/store", {"content": f"Fact number {number}"}, token=anna)
    assert wait_for(lambda: len(pair[1].ask("GET", "memory/list", token=anna).json["results"]) == 5, 5)
    seen: list[str] = []
    cursor: dict[str, str] = {}
    for turn in range(5):
        page = pair[turn % 2].ask("GET", "memory/list", {"limit": 1, **cursor}, token=anna).json
        seen += [one["content"] for one in page["results"]]
        if page["next_cursor"] is None:
            break
        cursor = {"cursor": page["next_cursor"]}
    assert sorted(seen) == [f"Fact number {number}" for number in range(5)]
    cursor = {"cursor": pair[0].ask("GET", "memory/list", {"limit": 1}, token=anna).json["next_cursor"]}
    assert pair[1].ask("GET", "memory/list", {"limit": 1, **cursor}, token=ben).status == 400


def test_one_token_is_limited_and_another_tenant_is_not(postgres: InstalledServer, pair: list[TeamNode]) -> None:
    busy = [add_token(postgres, postgres.new_tenant(), "anna")]
    busy += [add_token(postgres, busy[0].split("_")[1], "anna") for _ in range(2)]
    quiet = add_token(postgres, postgres.new_tenant(), "ben")
    node, stop = pair[0], threading.Event()
    for token in (*busy, quiet):
        assert node.ask("GET", "memory/list", token=token).status == 200
    statuses: Counter[int] = Counter()

    def hammer(token: str) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", node.port, timeout=60)
        while not stop.is_set():
            answer = sent(connection, "GET", "memory/query", {"query": "nothing"}, token=token)
            statuses[answer.status] += 1
            if answer.status == 429:
                assert answer.headers["retry-after"] == "1"
                assert answer.json["type"] == "too-many-requests"
        connection.close()

    with ThreadPoolExecutor(24) as pool:
        hammering = [pool.submit(hammer, busy[n % 3]) for n in range(24)]
        time.sleep(1)
        waits = []
        for _ in range(20):
            started = time.monotonic()
            assert node.ask("GET", "memory/list", token=quiet).status == 200
            waits.append(time.monotonic() - started)
        stop.set()
        for one in hammering:
            one.result(60)
    assert set(statuses) <= {200, 429}, statuses
    assert sorted(waits)[10] < 0.5, waits  # while 24 connections of another tenant ask as fast as they can


def test_the_rate_of_a_token_is_its_own(postgres: InstalledServer, pair: list[TeamNode]) -> None:
    tenant = postgres.new_tenant()
    fast, slow = add_token(postgres, tenant, "anna"), add_token(postgres, tenant, "anna")
    statuses: Counter[int] = Counter()

    def burst() -> None:
        connection = http.client.HTTPConnection("127.0.0.1", pair[1].port, timeout=60)
        for _ in range(REQUESTS_A_SECOND):
            statuses[sent(connection, "GET", "/api/v1/openapi.json", token=fast).status] += 1
        connection.close()

    with ThreadPoolExecutor(4) as pool:
        for one in [pool.submit(burst) for _ in range(4)]:
            one.result(60)
    assert set(statuses) == {200, 429}
    assert pair[1].ask("GET", "memory/list", token=slow).status == 200


def test_a_slow_seat_leaves_the_others_alone(postgres: InstalledServer, pair: list[TeamNode]) -> None:
    """Writers of one tenant wait for a lock that somebody holds on the server, with as many requests as they may."""
    import psycopg

    from memoro.store.postgres.schema import SCHEMA, TENANT

    slow, quick = postgres.new_tenant(), postgres.new_tenant()
    waiting, token = add_token(postgres, slow, "anna"), add_token(postgres, quick, "ben")
    node = pair[0]
    for one in (waiting, token):
        assert node.ask("GET", "memory/list", token=one).status == 200
    with psycopg.connect(postgres.owner_url) as holding, ThreadPoolExecutor(IN_FLIGHT) as pool:
        holding.execute("SELECT set_config(%s, %s, false)", [TENANT, slow])
        holding.execute(f"SELECT 1 FROM {SCHEMA}.heads WHERE tenant = %s FOR UPDATE", [slow])
        stuck = [
            pool.submit(node.ask, "POST", "memory/store", {"content": f"Fact {n}"}, token=waiting)
            for n in range(IN_FLIGHT)
        ]
        time.sleep(0.5)
        refused = node.ask("GET", "memory/list", token=waiting)
        assert (refused.status, refused.headers["retry-after"]) == (429, "1")
        started = time.monotonic()
        for _ in range(10):
            assert node.ask("GET", "memory/list", token=token).status == 200
        assert time.monotonic() - started < 5
        holding.rollback()
        assert {one.result(60).status for one in stuck} <= {200, 503}


class Balancer:
    """Passes each connection to one of some ports in turn; one that refuses is passed by."""

    def __init__(self, ports: list[int]) -> None:
        self._ports = ports
        self._turn = 0
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=512)
        self.port: int = self._listener.getsockname()[1]
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._pass_on, args=(client,), daemon=True).start()

    def _pass_on(self, client: socket.socket) -> None:
        self._turn += 1
        for port in (*self._ports[self._turn % 2 :], *self._ports[: self._turn % 2]):
            try:
                node = socket.create_connection(("127.0.0.1", port), timeout=60)
                break
            except OSError:
                continue
        else:
            client.close()
            return
        back = threading.Thread(target=_copy, args=(node, client), daemon=True)
        back.start()
        _copy(client, node)
        back.join()
        client.close()
        node.close()

    def close(self) -> None:
        self._listener.close()


def _copy(source: socket.socket, target: socket.socket) -> None:
    """Pass on what comes, and an end that is not orderly as such."""
    try:
        while data := source.recv(65536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        with suppress(OSError):
            target.shutdown(socket.SHUT_RDWR)


@contextmanager
def load(port: int, tokens: list[str], host: str = NAME) -> Iterator[Counter[str]]:
    """Eight clients that read and write, each request on a connection of its own, until the block ends."""
    stop, seen = threading.Event(), Counter[str]()

    def client(number: int) -> None:
        turn, token = 0, tokens[number]
        while not stop.is_set():
            turn += 1
            try:
                if turn % 4:
                    answer = ask(port, "GET", "memory/list", {"limit": 1}, token=token, headers={"host": host})
                else:
                    given = {"content": f"Fact {turn} of client {number}"}
                    answer = ask(port, "POST", "memory/store", given, token=token, headers={"host": host})
            except (OSError, http.client.HTTPException) as error:
                seen[f"{type(error).__name__}: {error}"] += 1
            else:
                seen["200" if answer.status == 200 else f"{answer.status}: {answer.body!r}"] += 1
                seen["stored"] += answer.status == 200 and not turn % 4
            time.sleep(0.02)

    threads = [threading.Thread(target=client, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    try:
        yield seen
    finally:
        stop.set()
        for thread in threads:
            thread.join(60)


def tokens_of_clients(postgres: InstalledServer) -> list[str]:
    """One for each client of `load`: together they send more than one token may."""
    tenant = postgres.new_tenant()
    return [add_token(postgres, tenant, "anna") for _ in range(8)]


def restart_each(pair: list[TeamNode]) -> list[TeamNode]:
    """End and start the nodes one after the other, each when the one before is ready again."""
    restarted = []
    for node in pair:
        node.end()
        again = start_node(node.home, node.port, "--behind-proxy", NAME, "--drain", "1", "--log", "json")
        restarted.append(again)
        assert wait_for(again.is_ready, 30), again.err
        time.sleep(1)
    return restarted


@pytest.mark.slow
def test_a_rolling_restart_loses_no_request(postgres: InstalledServer, tmp_path: Path) -> None:
    tokens = tokens_of_clients(postgres)
    flags = ("--behind-proxy", NAME, "--drain", "1", "--log", "json")
    with nodes(postgres, tmp_path, 2, *flags) as pair:
        balancer, restarted = Balancer([node.port for node in pair]), list[TeamNode]()
        try:
            with load(balancer.port, tokens) as seen:
                time.sleep(2)
                restarted = restart_each(pair)
                time.sleep(1)
            stored = seen.pop("stored")
            assert set(seen) == {"200"}, seen
            assert seen["200"] > 100

            def kept() -> int:
                found: int = restarted[0].ask("GET", "memory/stats", token=tokens[0]).json["memories"]
                return found

            assert wait_for(lambda: kept() == stored, 5), (kept(), stored)
        finally:
            balancer.close()
            for node in restarted:
                node.child.kill()
                node.child.wait()


@pytest.mark.slow
def test_while_it_drains_it_is_not_ready_and_still_answers(postgres: InstalledServer, tmp_path: Path) -> None:
    token = add_token(postgres, postgres.new_tenant(), "anna")
    flags = ("--behind-proxy", NAME, "--drain", "3")
    with nodes(postgres, tmp_path, 1, *flags) as (node,):
        node.child.terminate()
        assert wait_for(lambda: node.ask("GET", "/ready").status == 503, 5)
        answer = node.ask("GET", "/ready")
        assert answer.json == {"ready": False, "why": "It is ending."}
        answer = node.ask("GET", "memory/list", token=token, headers={"connection": "keep-alive"})
        assert (answer.status, answer.headers["connection"]) == (200, "close")
        assert node.child.wait(30) == 0
        assert "asked to stop" in node.out


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("nginx") is None, reason="nginx is not installed")
def test_the_proxy_of_the_guide_serves_two_nodes(
    postgres: InstalledServer, pair: list[TeamNode], tmp_path: Path
) -> None:
    port, tokens = free_port(), tokens_of_clients(postgres)
    with nginx(tmp_path, port, [node.port for node in pair]):
        with load(port, tokens, "nowhere.example") as seen:
            time.sleep(0.5)
        assert seen["200"] == 0  # only the names of the guide are passed on
        with load(port, tokens) as seen:
            time.sleep(2)
        assert seen.pop("stored") > 0
        assert set(seen) == {"200"}, seen
        answer = ask(
            port, "GET", "memory/list", token=tokens[0], headers={"host": NAME, "x-request-id": "from-a-client"}
        )
        assert answer.headers["x-request-id"] != "from-a-client"  # the proxy names requests
        for node in pair:
            assert any(one.get("operation") == "memory list" and one["person"] == "anna" for one in node.log)


@contextmanager
def nginx(folder: Path, port: int, ports: list[int]) -> Iterator[None]:
    """The configuration of the guide, with the ports of this test and without TLS."""
    text = GUIDE.read_text().partition("```nginx\n")[2].partition("```")[0]
    for old, new in (
        ("10.0.0.11:7391", f"127.0.0.1:{ports[0]}"),
        ("10.0.0.12:7391", f"127.0.0.1:{ports[1]}"),
        ("listen 443 ssl;", f"listen 127.0.0.1:{port};"),
    ):
        assert old in text
        text = text.replace(old, new)
    lines = [line for line in text.splitlines() if "ssl_" not in line]
    head = f"daemon off;\nerror_log {folder}/error.log;\npid {folder}/nginx.pid;\nevents {{}}\nhttp {{\n"
    places = "".join(
        f"{kind}_temp_path {folder}/{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    file = folder / "nginx.conf"
    file.write_text(head + places + f"access_log {folder}/access.log;\n" + "\n".join(lines) + "\n}\n")
    child = subprocess.Popen(["nginx", "-c", str(file), "-p", str(folder)])
    try:
        assert wait_for(lambda: _answers(port), 10), (folder / "error.log").read_text()
        yield
    finally:
        child.terminate()
        child.wait(10)


def _answers(port: int) -> bool:
    try:
        return ask(port, "GET", "/ready", headers={"host": NAME}).status < 500
    except (OSError, http.client.HTTPException):
        return False


@pytest.mark.slow
def test_while_the_database_is_away_people_read_from_their_copies(postgres: InstalledServer, tmp_path: Path) -> None:
    tenant = postgres.new_tenant()
    token, stranger = add_token(postgres, tenant, "anna"), add_token(postgres, tenant, "ben")
    folder = Path(tempfile.mkdtemp(prefix="pg-"))  # the path of a socket must be short
    away = SocketForwarder(folder, postgres)
    try:
        with nodes(away.server, tmp_path) as (node,):
            assert (
                node.ask("POST", "memory/store", {"content": "The ferry leaves at nine"}, token=token).status == 200
            )
            assert node.ask("GET", "memory/list", token=token).status == 200
            away.close()
            listed = node.ask("GET", "memory/list", token=token)
            assert (listed.status, listed.json["results"][0]["content"]) == (200, "The ferry leaves at nine")
            written = node.ask("POST", "memory/store", {"content": "x"}, token=token)
            assert (written.status, written.json["type"]) == (503, "ledger-unreachable")
            time.sleep(FRESH_SECONDS + 1)
            assert node.ask("GET", "memory/list", token=token).status == 200
            refused = node.ask("GET", "memory/list", token=stranger)
            assert (refused.status, refused.headers["retry-after"]) == (503, "5")
            ready = node.ask("GET", "/ready")
            assert (ready.status, ready.json["why"]) == (
                200, "The server of the shared ledger does not answer; local copies do.",
            )  # fmt: skip
            metrics = node.ask("GET", "/metrics", token=node.token_of_home("http-metrics.token")).body.decode()
            assert 'memoro_errors_total{error="ledger-unreachable"} 1' in metrics
    finally:
        away.close()
        shutil.rmtree(folder)


class SocketForwarder:
    """Another address of the database, which can go away."""

    def __init__(self, folder: Path, postgres: InstalledServer) -> None:
        real = parse_qs(urlsplit(postgres.url).query)["host"][0]
        self._target = str(Path(real) / ".s.PGSQL.5432")
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(folder / ".s.PGSQL.5432"))
        self._listener.listen(64)
        self._pairs: list[socket.socket] = []
        self._copying: list[threading.Thread] = []
        self.server = postgres._replace(url=postgres.url.replace(quote(real), quote(str(folder))))
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            target = socket.socket(socket.AF_UNIX)
            target.connect(self._target)
            self._pairs += [client, target]
            for pair in ((client, target), (target, client)):
                copying = threading.Thread(target=_copy, args=pair, daemon=True)
                copying.start()
                self._copying.append(copying)

    def close(self) -> None:
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for one in self._pairs:
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
        for copying in self._copying:
            copying.join()
        for one in self._pairs:
            one.close()


def test_only_a_named_proxy_opens_other_addresses(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for flags, said in (
        (["--http", "--listen", "0.0.0.0"], "--behind-proxy NAME"),
        (["--listen", "10.0.0.5"], "--behind-proxy NAME"),
        (["--http", "--drain", "3"], "--drain is for --behind-proxy"),
        (["--behind-proxy", NAME], "--behind-proxy is for --http"),
        (["--http", "--behind-proxy", "https://x/"], "takes a host name"),
        (["--http", "--behind-proxy", NAME, "--listen", "here"], "takes an IP address"),
    ):
        assert main(["--home", str(tmp_path / "home"), "serve", *flags]) == 2, flags
        assert said in capsys.readouterr().err
