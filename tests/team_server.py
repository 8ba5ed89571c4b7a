"""A team's server for tests: `memoro serve --http` as a process, on a real Postgres, with tokens and clients."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode

import psycopg

from memoro.store.postgres.schema import SCHEMA, TENANT
from memoro.store.postgres.tokens import new_token
from tests.conftest import wait_for
from tests.postgres import InstalledServer

NAME = "memory.example.org"
START_SECONDS = 30.0


class TeamAnswer(NamedTuple):
    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


def add_token(
    postgres: InstalledServer,
    tenant: str,
    person: str,
    scopes: Sequence[str] = ("write",),
    agent: str | None = None,
    expires_in: float | None = None,
) -> str:
    """A token of a person, as an administrator makes it."""
    made = new_token(tenant)
    with psycopg.connect(postgres.owner_url) as connection:
        connection.execute("SELECT set_config(%s, %s, true)", [TENANT, tenant])
        connection.execute(
            f"INSERT INTO {SCHEMA}.people (tenant, person) VALUES (%s, %s) ON CONFLICT DO NOTHING", [tenant, person]
        )
        connection.execute(
            f"""INSERT INTO {SCHEMA}.tokens (tenant, id, digest, person, agent, scopes, expires_at)
                VALUES (%s, %s, %s, %s, %s, %s, now() + make_interval(secs => %s))""",
            [tenant, made.id, made.digest, person, agent, list(scopes), expires_in],
        )
    return made.token


def revoke(postgres: InstalledServer, token: str) -> None:
    tenant, id, _ = token.removeprefix("memoro_").rsplit("_", 2)
    with psycopg.connect(postgres.owner_url) as connection:
        connection.execute("SELECT set_config(%s, %s, true)", [TENANT, tenant])
        connection.execute(
            f"UPDATE {SCHEMA}.tokens SET revoked_at = now() WHERE tenant = %s AND id = %s", [tenant, id]
        )


class TeamNode:
    """One `memoro serve --http` process."""

    def __init__(self, child: subprocess.Popen[bytes], home: Path, port: int) -> None:
        self.child, self.home, self.port = child, home, port

    @property
    def out(self) -> str:
        return self.home.with_suffix(".out").read_text()

    @property
    def err(self) -> str:
        return self.home.with_suffix(".err").read_text()

    @property
    def log(self) -> list[dict[str, Any]]:
        """The lines of `--log json`."""
        return [json.loads(line) for line in self.out.splitlines()]

    def ask(
        self,
        method: str,
        path: str,
        arguments: Mapping[str, Any] | None = None,
        *,
        token: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> TeamAnswer:
        return ask(self.port, method, path, arguments, token=token, headers=headers)

    def token_of_home(self, name: str) -> str:
        return (self.home / name).read_text().strip()

    def is_ready(self) -> bool:
        try:
            return self.ask("GET", "/ready").status == 200
        except OSError:
            return False

    def end(self, seconds: float = 60.0) -> None:
        self.child.send_signal(signal.SIGTERM)
        assert self.child.wait(timeout=seconds) == 0, self.err


def ask(
    port: int,
    method: str,
    path: str,
    arguments: Mapping[str, Any] | None = None,
    *,
    token: str | None = None,
    headers: Mapping[str, str] | None = None,
    seconds: float = 60.0,
) -> TeamAnswer:
    """One request on a connection of its own. A path without a slash is one of the API."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=seconds)
    try:
        return sent(
            connection, method, path, arguments, token=token, headers={"connection": "close", **(headers or {})}
        )
    finally:
        connection.close()


def sent(
    connection: http.client.HTTPConnection,
    method: str,
    path: str,
    arguments: Mapping[str, Any] | None = None,
    *,
    token: str | None = None,
    headers: Mapping[str, str] | None = None,
) -> TeamAnswer:
    given = {**({"authorization": f"Bearer {token}"} if token else {}), **(headers or {})}
    path = path if path.startswith("/") else f"/api/v1/{path}"
    body = None
    if method == "GET" and arguments:
        path = f"{path}?{urlencode(arguments, doseq=True)}"
    elif method == "POST":
        body = json.dumps(arguments or {})
        given["content-type"] = "application/json"
    connection.request(method, path, body, given)
    answer = connection.getresponse()
    return TeamAnswer(answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read())


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


def start_node(home: Path, port: int, *flags: str) -> TeamNode:
    """Start a process for a home that has its settings; `TeamNode.is_ready` says when it answers."""
    command = [sys.executable, "-m", "memoro", "--home", str(home), "serve", "--http", "--port", str(port)]
    clean = {key: value for key, value in os.environ.items() if not key.startswith("MEMORO_")}
    with home.with_suffix(".out").open("ab") as out, home.with_suffix(".err").open("ab") as err:
        child = subprocess.Popen([*command, *flags], stdout=out, stderr=err, env=clean)
    return TeamNode(child, home, port)


@contextmanager
def nodes(postgres: InstalledServer, folder: Path, count: int = 1, *flags: str) -> Iterator[list[TeamNode]]:
    """So many nodes of one team, each with a home of its own, which is that of a tenant of the server's owner."""
    tenant = postgres.new_tenant()
    made: list[TeamNode] = []
    try:
        for number in range(count):
            home = folder / f"node{number}"
            home.mkdir(mode=0o700)
            settings = f'[ledger]\nurl = "{postgres.url}"\ntenant = "{tenant}"\nperson = "operator"\n'
            (home / "memoro.toml").write_text(settings)
            made.append(start_node(home, free_port(), *(flags or ("--behind-proxy", NAME, "--log", "json"))))
        for node in made:
            assert wait_for(node.is_ready, START_SECONDS), node.err
        yield made
    finally:
        for node in made:
            if node.child.poll() is None:
                node.child.kill()
                node.child.wait()


def memory_of(node: TeamNode) -> int:
    """The memory of a process, in bytes."""
    with suppress(FileNotFoundError):
        for line in Path(f"/proc/{node.child.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return 1024 * int(line.split()[1])
    return 0


def seconds_of(work: Any) -> float:
    started = time.monotonic()
    work()
    return time.monotonic() - started
