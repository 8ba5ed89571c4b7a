"""A team's server: each token acts as its tenant and person alone, within its scopes, and ends when it is revoked."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from memoro.api.exposure import DECISIONS, Offered
from memoro.api.seat_exposure import NOT_OFFERED, OFFERED
from memoro.serve.team_tokens import FRESH_SECONDS
from tests.conftest import wait_for
from tests.postgres import InstalledServer, server
from tests.team_server import NAME, TeamNode, add_token, nodes, revoke


class Team(NamedTuple):
    """One node, and the tokens of two tenants."""

    node: TeamNode
    postgres: InstalledServer
    tenant: str
    anna: str
    ben: str
    other: str  # of another tenant, with the same name of a person
    reader: str
    admin: str
    agent: str


@pytest.fixture(scope="module")
def postgres() -> InstalledServer:
    return server()


@pytest.fixture(scope="module")
def team(postgres: InstalledServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Team]:
    tenant, other = postgres.new_tenant(), postgres.new_tenant()
    with nodes(postgres, tmp_path_factory.mktemp("team")) as (node,):
        yield Team(
            node=node,
            postgres=postgres,
            tenant=tenant,
            anna=add_token(postgres, tenant, "anna"),
            ben=add_token(postgres, tenant, "ben"),
            other=add_token(postgres, other, "anna"),
            reader=add_token(postgres, tenant, "anna", ["read"]),
            admin=add_token(postgres, tenant, "anna", ["read", "write", "admin"]),
            agent=add_token(postgres, tenant, "anna", ["write"], agent="codex"),
        )


def store(team: Team, token: str, content: str, **headers: str) -> int:
    answer = team.node.ask("POST", "memory/store", {"content": content}, token=token, headers=headers)
    assert answer.status == 200, answer.body
    number: int = answer.json["id"]
    return number


def contents(team: Team, token: str) -> set[str]:
    answer = team.node.ask("GET", "memory/list", {"limit": 200, "scope": "all"}, token=token)
    assert answer.status == 200, answer.body
    return {one["content"] for one in answer.json["results"]}


def test_people_of_a_tenant_share_its_ledger_and_no_other_tenant_sees_it(team: Team) -> None:
    store(team, team.anna, "The harbour office opens at six")
    store(team, team.other, "The bakery opens at five")
    assert wait_for(lambda: "The harbour office opens at six" in contents(team, team.ben), 5)
    assert "The bakery opens at five" not in contents(team, team.ben)
    assert contents(team, team.other) == {"The bakery opens at five"}
    found = team.node.ask("GET", "search", {"query": "When does the harbour office open?"}, token=team.ben).json
    assert found["results"][0]["snippet"] == "The harbour office opens at six"
    found = team.node.ask("GET", "search", {"query": "When does the harbour office open?"}, token=team.other).json
    assert "harbour" not in json.dumps(found["results"])


def test_nothing_that_a_request_says_chooses_another_tenant_or_person(team: Team) -> None:
    store(team, team.other, "Only the other tenant knows this")
    said = {
        "tenant": team.other.split("_")[1], "x-tenant": team.other.split("_")[1], "memoro-tenant": "x",
        "memoro-person": "ben", "x-forwarded-user": "ben", "x-forwarded-for": "127.0.0.1",
    }  # fmt: skip
    answer = team.node.ask("GET", "memory/list", {"limit": 200}, token=team.anna, headers=said)
    assert "Only the other tenant" not in answer.body.decode()
    for field in ("tenant", "person", "owner"):
        assert team.node.ask("GET", "memory/list", {field: "x"}, token=team.anna).status == 400
    tenant, id, secret = team.anna.removeprefix("memoro_").rsplit("_", 2)
    stolen = f"memoro_{team.other.removeprefix('memoro_').rsplit('_', 2)[0]}_{id}_{secret}"
    assert team.node.ask("GET", "memory/list", token=stolen).status == 401
    assert team.node.ask("GET", "memory/list", token=f"memoro_{tenant}_{id}_{secret[:-1]}0x").status == 401


def test_each_scope_opens_what_it_says(team: Team) -> None:
    number = store(team, team.anna, "A fact to be trusted")
    trust = {"id": number, "trust": "user_stated"}
    assert team.node.ask("POST", "memory/store", {"content": "x"}, token=team.reader).status == 403
    assert team.node.ask("GET", "memory/list", token=team.reader).status == 200
    assert team.node.ask("POST", "memory/trust", trust, token=team.anna).status == 403
    assert team.node.ask("GET", "log", token=team.anna).status == 403
    assert team.node.ask("GET", "log", token=team.admin).status == 200
    answer = team.node.ask("POST", "/mcp", {}, token=team.reader)
    assert (answer.status, "needs the token for write" in answer.json["error"]) == (403, True)


def test_a_token_with_an_agent_writes_as_that_agent_whatever_the_request_says(team: Team) -> None:
    store(team, team.agent, "Written by an agent", **{"memoro-agent": "claude"})
    store(team, team.anna, "Written by a client", **{"memoro-agent": "claude"})
    listed = team.node.ask("GET", "memory/list", {"limit": 200, "scope": "all"}, token=team.admin).json["results"]
    authors = {one["content"]: one["agent"] for one in listed}
    assert (authors["Written by an agent"], authors["Written by a client"]) == ("codex", "claude")


@pytest.mark.slow
def test_a_token_that_is_revoked_or_has_expired_ends_within_seconds(team: Team) -> None:
    token = add_token(team.postgres, team.tenant, "carl")
    short = add_token(team.postgres, team.tenant, "carl", expires_in=1.0)
    for one in (token, short):
        assert team.node.ask("GET", "memory/list", token=one).status == 200
    revoke(team.postgres, token)
    started = time.monotonic()
    for one in (token, short):
        assert wait_for(lambda one=one: team.node.ask("GET", "memory/list", token=one).status == 401, 15)  # type: ignore[misc]
    assert time.monotonic() - started < FRESH_SECONDS + 3


def test_a_token_that_is_refused_is_told_apart_from_none_and_not_from_another_that_is_refused(team: Team) -> None:
    revoked = add_token(team.postgres, team.tenant, "carl")
    revoke(team.postgres, revoked)
    refused = [team.node.ask("GET", "memory/list", token=one) for one in (revoked, f"{revoked}x", "nonsense")]
    assert [(one.status, one.json["type"]) for one in refused] == [(401, "token-refused")] * 3
    assert len({one.json["detail"] for one in refused}) == 1
    none = team.node.ask("GET", "memory/list")
    assert (none.status, none.json["type"]) == (401, "no-token")


def test_notes_and_what_concerns_the_server_are_refused_with_a_name(team: Team) -> None:
    for path, arguments in (
        ("remember", {"text": "x"}),
        ("daily", {"text": "x"}),
        ("note/new", {"path": "x.md", "text": "x"}),
    ):
        answer = team.node.ask("POST", path, arguments, token=team.admin)
        assert (answer.status, answer.json["type"]) == (403, "not-in-seat"), path
        assert "memory store" in answer.json["detail"]
    for path in ("config/show", "status", "doctor", "backup/list", "usage"):
        answer = team.node.ask("GET", path, token=team.admin)
        assert (answer.status, answer.json["type"]) == (403, "not-in-seat"), path
    answer = team.node.ask("GET", "get", {"id": "tea.md"}, token=team.admin)
    assert (answer.status, answer.json["type"]) == (403, "not-in-seat")


def test_every_operation_of_the_api_is_decided_for_seats() -> None:
    offered = {name for name, one in DECISIONS.items() if isinstance(one, Offered)}
    assert set(OFFERED) | set(NOT_OFFERED) == offered
    assert not set(OFFERED) & set(NOT_OFFERED)


def test_team_tokens_open_the_api_and_mcp_alone(team: Team) -> None:
    for method, path in (("GET", "/health"), ("GET", "/metrics"), ("POST", "/hooks/claude"), ("POST", "/page/code")):
        assert team.node.ask(method, path, token=team.admin).status == 403, path


def test_mcp_serves_the_seat_of_the_token(team: Team) -> None:
    store(team, team.anna, "The lighthouse was painted in May")

    def call(token: str, method: str, **params: object) -> str:
        headers = {"accept": "application/json, text/event-stream", "mcp-protocol-version": "2025-06-18"}
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        answer = team.node.ask("POST", "/mcp", body, token=token, headers=headers)
        assert answer.status == 200, answer.body
        return answer.body.decode()

    asked = {"name": "memory_query", "arguments": {"query": "When was the lighthouse painted?"}}
    assert "painted in May" in call(team.ben, "tools/call", **asked)
    assert "painted in May" not in call(team.other, "tools/call", **asked)
    assert "server keeps none" in call(team.ben, "tools/call", name="remember", arguments={"text": "x"})
    listed = {one["name"] for one in json.loads(call(team.ben, "tools/list"))["result"]["tools"]}
    assert {"memory_store", "search"} <= listed
    assert not {"remember", "daily", "status"} & listed


def test_the_tokens_of_the_home_go_on_for_its_own_seat(team: Team) -> None:
    own = team.node.token_of_home("http.token")
    assert team.node.ask("POST", "memory/store", {"content": "Of the operator"}, token=own).status == 200
    assert "Of the operator" not in contents(team, team.anna)
    assert "Of the operator" in contents(team, own)
    assert team.node.ask("GET", "status", token=own).status == 200


def test_the_proxys_name_is_a_host_and_others_are_refused(team: Team) -> None:
    for host, status in ((NAME, 200), (f"{NAME}:443", 200), ("evil.example", 421), ("", 421)):
        assert team.node.ask("GET", "memory/list", token=team.anna, headers={"host": host}).status == status
    for origin, status in ((f"https://{NAME}", 200), (f"http://{NAME}", 403), ("null", 403)):
        headers = {"host": NAME, "origin": origin}
        assert team.node.ask("GET", "memory/list", token=team.anna, headers=headers).status == status
    assert team.node.ask("GET", "/", headers={"host": NAME}).status == 401  # the page is on the machine itself
    assert team.node.ask("GET", "/open?code=x", headers={"host": NAME}).status == 401


def test_the_log_has_a_line_for_each_request_and_no_content(team: Team) -> None:
    id = "req-0123456789"
    secret = "The vault code is kept by Olga"
    answer = team.node.ask("POST", "memory/store", {"content": secret}, token=team.anna, headers={"x-request-id": id})
    assert answer.headers["x-request-id"] == id
    assert wait_for(lambda: any(one.get("request") == id for one in team.node.log), 5)
    line = next(one for one in team.node.log if one.get("request") == id)
    assert {name: line[name] for name in ("operation", "tenant", "person", "token", "status", "level", "error")} == {
        "operation": "memory store", "tenant": team.tenant, "person": "anna", "token": team.anna.split("_")[2],
        "status": 200, "level": "info", "error": None,
    }  # fmt: skip
    assert line["ms"] > 0 and line["time"].endswith("Z")
    for text in (secret, team.anna, team.anna.rsplit("_", 1)[1]):
        assert text not in team.node.out + team.node.err
    forged = team.node.ask("GET", "memory/list", token=team.anna, headers={"x-request-id": 'a"\tb'})
    assert forged.headers["x-request-id"] != 'a"\tb'


def test_metrics_count_requests_and_name_nobody(team: Team) -> None:
    store(team, team.anna, "Something to count")
    team.node.ask("GET", "/api/v1/nothing-there", token=team.anna)
    for name in ("http-metrics.token", "http-admin.token"):
        assert team.node.ask("GET", "/metrics", token=team.node.token_of_home(name)).status == 200
    answer = team.node.ask("GET", "/metrics", token=team.node.token_of_home("http-metrics.token"))
    lines = answer.body.decode().splitlines()
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    assert any(line.startswith('memoro_requests_total{operation="memory store",status="200"} ') for line in lines)
    assert any(line.startswith('memoro_requests_total{operation="unknown",status="404"} ') for line in lines)
    assert any(
        line.startswith('memoro_request_seconds_bucket{operation="memory store",le="+Inf"} ') for line in lines
    )
    values = dict(line.rsplit(" ", 1) for line in lines if not line.startswith("#"))
    assert float(values["memoro_seats_open"]) >= 1
    assert float(values["memoro_copy_age_seconds"]) < 3600
    assert team.tenant not in answer.body.decode() and "anna" not in answer.body.decode()
    for token in ("http.token", "http-read.token"):
        assert team.node.ask("GET", "/metrics", token=team.node.token_of_home(token)).status == 403
    metrics = team.node.token_of_home("http-metrics.token")
    for path in ("/health", "/api/v1/memory/list"):
        assert team.node.ask("GET", path, token=metrics).status == 401
    assert team.node.ask("GET", "/metrics").status == 401


def test_ready_needs_no_token_and_tells_nothing_else(team: Team) -> None:
    answer = team.node.ask("GET", "/ready")
    assert (answer.status, answer.json) == (200, {"ready": True})
    assert team.node.ask("GET", "/ready", headers={"host": "evil.example"}).status == 421
    assert team.node.ask("POST", "/ready").status == 405


def test_files_of_seats_are_for_the_server_alone(team: Team) -> None:
    store(team, team.anna, "Something in a seat")
    folder = Path(team.node.home, "seats", team.tenant, "anna")
    assert folder.is_dir()
    for one in (folder, folder.parent, folder.parent.parent):
        assert one.stat().st_mode & 0o077 == 0
    assert not (folder / "backups").exists()
    (folder / "memoro.toml").write_text('[ledger]\nperson = "ben"\n')  # settings of a seat come from the home
    assert contents(team, team.anna)
