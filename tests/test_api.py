"""The HTTP API: what each token may do, pages, keys, errors, and what no request can reach."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoro import operations
from memoro.api.app import Api
from memoro.api.cursors import Cursors
from memoro.api.exposure import DECISIONS, LeftOut, Offered
from memoro.api.routes import OPENAPI_PATH, ROOT, routes
from memoro.errors import QueryError
from memoro.operations.fields import specs
from memoro.operations.operation import Access
from memoro.serve.access_rules import includes
from memoro.serve.guard import Guard
from tests.api_homes import HOST, TOKENS, ApiHome
from tests.test_http import Running, running

TABLE = {one.name: one for one in operations.table()}
SCOPES: tuple[Access, ...] = ("read", "write", "admin")


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiHome]:
    made = ApiHome(tmp_path_factory.mktemp("api"))
    yield made
    made.close()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("http")
    (folder / "vault").mkdir()
    (folder / "vault" / "tea.md").write_text("# Tea\n\nGreen tea at 80 degrees.\n")
    with running(folder / "home", folder / "vault") as made:
        yield made


# The decisions


def test_every_operation_is_decided() -> None:
    assert set(DECISIONS) == set(TABLE), "decide about it in memoro/api/exposure.py"


@pytest.mark.parametrize("name", DECISIONS)
def test_a_decision_gives_nobody_more_than_the_table(name: str) -> None:
    decision, operation = DECISIONS[name], TABLE[name]
    if isinstance(decision, LeftOut):
        assert decision.why.endswith(".")
        return
    assert includes(decision.scope, operation.access)
    restricted = {*decision.without, *decision.for_owner}
    assert decision.why.endswith(".") or (decision.scope == operation.access and not restricted)
    assert restricted <= {spec.name for spec in specs(operation.request)}


def test_no_route_takes_a_file_of_the_machine_an_address_or_a_consent_to_costs() -> None:
    taken = {(route.operation.name, one.name) for route in routes().values() for one in route.parameters}
    assert not {pair for pair in taken if pair[1] in ("place", "output", "source_folder", "url")}
    assert ("sync", "yes") not in taken
    missing = {name for name, one in DECISIONS.items() if isinstance(one, LeftOut)}
    assert {name for name in missing if not name.startswith("admin ")} == {
        "export", "import", "move-ledger", "provider test", "transcripts add", "transcripts remove",
    }  # fmt: skip
    assert {name for name in TABLE if name.startswith("admin ")} <= missing


def test_what_only_a_surface_sets_is_not_offered() -> None:
    assert "repeat" not in {one.name for one in routes()[f"{ROOT}/recall"].parameters}


# Who is let in


def offered(path: str) -> Offered:
    return routes()[path].offered


@pytest.mark.parametrize("path", [*routes(), OPENAPI_PATH, f"{ROOT}/none", "/api/", "/api/v2/search"])
def test_every_path_checks_host_origin_and_token_before_anything_else(api: ApiHome, path: str) -> None:
    json_type = {"content-type": "application/json"}
    for method in ("GET", "POST"):
        changed: list[tuple[dict[str, str | None], int]] = [
            ({"host": "evil.example"}, 421),
            ({"host": None}, 421),
            ({"origin": "http://evil.example"}, 403),
            ({"origin": "null"}, 403),
            ({"sec-fetch-site": "cross-site"}, 403),
            ({"authorization": None}, 401),
            ({"authorization": f"Bearer {TOKENS['admin']}x"}, 401),
            ({"authorization": "Bearer "}, 401),
            ({"authorization": f"Basic {TOKENS['admin']}"}, 401),
            ({"authorization": None, "cookie": f"memoro-7391={TOKENS['admin']}"}, 401),
        ]
        for headers, status in changed:
            answer = api.ask(method, path, body=b"{", headers={**json_type, **headers})
            assert answer.status == status, (method, headers)
            assert answer.headers["content-type"] == "application/problem+json"
            assert answer.json["status"] == status and answer.json["detail"]
            assert not [name for name in answer.headers if name.startswith("access-control-")]
        own = api.ask(method, path, body=b"{", headers={**json_type, "origin": f"http://{HOST}"})
        assert own.status not in (401, 421) and "cross" not in own.json.get("detail", "")


@pytest.mark.parametrize("path", routes())
def test_a_token_of_a_lower_scope_is_refused_before_its_arguments_are_read(api: ApiHome, path: str) -> None:
    needed = offered(path).scope
    for granted in SCOPES:
        answer = api.ask("POST", path, body=b"no json", token=granted, headers={"content-type": "application/json"})
        if includes(granted, needed):
            assert (answer.status, answer.json["detail"]) == (400, "The body is not JSON.")
        else:
            assert answer.status == 403
            assert answer.json["detail"].startswith(
                f"This path needs the token for {needed}; yours is for {granted}."
            )


@pytest.mark.parametrize("path", routes())
def test_other_methods_and_media_types_are_refused(api: ApiHome, path: str) -> None:
    allowed = routes()[path].methods
    for method in ("GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"):
        if method not in allowed:
            answer = api.ask(method, path)
            assert (answer.status, answer.headers["allow"]) == (405, ", ".join(allowed))
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"):
        assert api.ask("POST", path, body=b"{}", headers={"content-type": kind}).status == 415
    assert (
        api.ask("POST", path, headers={"content-type": "application/json", "content-length": "9" * 9}).status == 413
    )


def test_writes_with_a_get_are_refused() -> None:
    assert [one.path for one in routes().values() if "GET" in one.methods and one.operation.access != "read"] == []


# Who acts


def test_the_token_for_write_acts_as_an_agent_and_the_one_for_admin_as_the_owner(api: ApiHome) -> None:
    path = f"{ROOT}/memory/store"
    by_agent = api.post(path, {"content": "The lamp is green"}, token="write", memoro_agent="Claude Code").json
    assert (by_agent["source"], by_agent["agent"], by_agent["trust"]) == ("agent", "claude-code", "agent_inferred")
    by_owner = api.post(path, {"content": "The lamp is red"}, token="admin", memoro_agent="Claude Code").json
    assert (by_owner["source"], by_owner["agent"]) == ("user", None)


def test_an_agent_proposes_where_the_owner_writes(api: ApiHome) -> None:
    by_agent = api.post(f"{ROOT}/remember", {"text": "Cups are blue"}, token="write").json
    assert by_agent["proposal"] and not by_agent["change"]
    by_owner = api.post(f"{ROOT}/remember", {"text": "Pots are red"}, token="admin").json
    assert by_owner["change"] and not by_owner["proposal"]


@pytest.mark.parametrize(
    ("path", "given_"),
    [
        ("memory/store", {"content": "The cellar is dry", "trust": "user_confirmed"}),
        ("memory/show", {"id": 1, "used": True}),
        ("sync", {"accept_deletions": True}),
        ("sync", {"force": True}),
    ],
)
def test_fields_that_are_the_owners_are_refused_to_agents(api: ApiHome, path: str, given_: dict[str, Any]) -> None:
    refused = api.post(f"{ROOT}/{path}", given_, token="write")
    assert (refused.status, refused.json["type"]) == (403, "out-of-scope")
    assert "needs the token for admin" in refused.json["detail"]
    assert api.post(f"{ROOT}/{path}", given_).status == 200


def test_secrets_leave_to_the_owner_alone(api: ApiHome) -> None:
    secret = "sk-proj-" + "Ab3" * 16
    (api.vault / "keys.md").write_text(f"# Keys\n\nThe key of the shop is {secret}\n")
    shown = api.get(f"{ROOT}/get", {"id": "keys.md"}, token="read")
    assert shown.status == 200 and secret.encode() not in shown.body and b"[redacted:" in shown.body
    assert secret.encode() in api.get(f"{ROOT}/get", {"id": "keys.md"}, token="admin").body


def test_private_notes_stay_the_owners(api: ApiHome) -> None:
    (api.vault / "diary.md").write_text("---\nprivate: true\n---\n# Diary\n\nZanzibar was warm\n")
    finding = []
    for scope in SCOPES:
        results = api.get(f"{ROOT}/search", {"query": "Zanzibar"}, token=scope).json["results"]
        finding += [scope for one in results if one["path"] == "diary.md"]
    assert finding == ["admin"]


def test_a_reader_leaves_no_trace_in_a_session(api: ApiHome) -> None:
    asked = {"message": "How warm is green tea?"}
    assert api.post(f"{ROOT}/recall", asked, token="read", memoro_session="s9").status == 200
    assert api.get(f"{ROOT}/session/show", {"id": "s9"}).status == 404
    assert api.post(f"{ROOT}/recall", asked, token="write", memoro_session="s9").status == 200
    assert api.get(f"{ROOT}/session/show", {"id": "s9"}).status == 200


def test_a_file_outside_the_vault_stays_unread_and_unwritten(api: ApiHome, tmp_path: Path) -> None:
    outside = tmp_path / "secret.md"
    outside.write_text("a secret")
    for target in (str(outside), f"../../{outside}", "/etc/passwd", "../home/memoro.toml"):
        assert api.get(f"{ROOT}/get", {"id": target}).status in (400, 404, 422)
        for action in ("new", "edit"):
            answer = api.post(f"{ROOT}/note/{action}", {"path": target, "text": "x"})
            assert answer.status in (400, 404, 409, 422), answer.body
        assert api.post(f"{ROOT}/extract", {"logs": [target]}).status in (400, 404, 422)
    assert outside.read_text() == "a secret"


@pytest.mark.parametrize("key", ["embedding.url", "llm.key", "privacy.agents", "vault.path", "writing.agent_writes"])
def test_settings_that_decide_about_text_money_and_rights_need_the_command_line(api: ApiHome, key: str) -> None:
    for action, more in (("set", {"value": "http://127.0.0.1:9/"}), ("unset", {})):
        answer = api.post(f"{ROOT}/config/{action}", {"key": key, **more})
        assert (answer.status, answer.json["type"]) == (403, "needs-command-line")


# Arguments


def test_what_needs_a_yes_says_how_to_give_it_over_http(api: ApiHome) -> None:
    answer = api.post(f"{ROOT}/backup/adopt", {"part": "ledger"})
    assert answer.status == 428 and 'Add "yes": true to do it' in answer.json["detail"]


def test_a_query_has_lists_by_repetition_and_truths_by_word(api: ApiHome) -> None:
    found = api.ask("GET", f"{ROOT}/search", query=b"query=tea&kind=memory&kind=experience&min_score=0&explain=true")
    kinds = {one["kind"] for one in found.json["results"]}
    assert kinds <= {"memory", "experience"} and kinds
    assert all("explanation" in one for one in found.json["results"])


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        (b"", "search needs 'query': Words or a question, quoted or not."),
        (b"query=tea&explain=yes", "'explain' of search must be true or false"),
        (b"query=tea&query=cup", "'query' is given twice"),
        (b"query=tea&colour=red", "search has no argument 'colour'"),
        (b"query=tea&limit=many", "'limit' of search must be a whole number"),
        (b"query=tea&limit=201", "'limit' of search must be from 1 to 200"),
        (b"query=tea&min_score=nan", "'min_score' of search must be a number"),
        (b"query=%ff", "The query of the address is not text in UTF-8"),
        (b"query=tea&cursor=x", "search has no argument 'cursor'"),
    ],
)
def test_a_wrong_query_is_explained(api: ApiHome, query: bytes, sentence: str) -> None:
    answer = api.ask("GET", f"{ROOT}/search", query=query)
    assert (answer.status, answer.json["type"]) == (400, "query-error")
    assert answer.json["detail"].startswith(sentence) and not answer.json["detail"].endswith("..")


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        (b"[]", "Send one JSON object"),
        (b"{", "The body is not JSON."),
        (b"[" * 100_000, "The body is not JSON."),
        (b'{"query": "\\ud800"}', "A text of the body cannot be written in UTF-8."),
        (b'{"query": ' + b"[" * 90 + b"]" * 90 + b"}", "The body is nested more than 64 deep."),
        (b"\xff\xfe", "The body is not JSON."),
    ],
)
def test_a_wrong_body_is_explained(api: ApiHome, body: bytes, sentence: str) -> None:
    answer = api.ask("POST", f"{ROOT}/search", body=body, headers={"content-type": "application/json"})
    assert answer.status == 400 and answer.json["detail"].startswith(sentence)


# Pages


def all_pages(api: ApiHome, path: str, query: dict[str, Any], name: str) -> list[list[Any]]:
    pages, cursor = [], None
    while True:
        answer = api.get(path, {**query, **({"cursor": cursor} if cursor else {})})
        assert answer.status == 200, answer.body
        pages.append(answer.json[name])
        cursor = answer.json["next_cursor"]
        if cursor is None:
            return pages


@pytest.mark.parametrize(
    ("path", "name"), [("log", "changes"), ("memory/list", "results"), ("session/list", "results"),
                       ("experience/list", "results")],
)  # fmt: skip
def test_pages_have_everything_once(api: ApiHome, path: str, name: str) -> None:
    whole = [one["id"] for one in api.get(f"{ROOT}/{path}", {"limit": 200}).json[name]]
    pages = all_pages(api, f"{ROOT}/{path}", {"limit": 1}, name)
    assert [one["id"] for page in pages for one in page] == whole
    assert len(whole) > 1 and all(len(page) == 1 for page in pages)


def test_writes_between_two_pages_neither_repeat_nor_hide_anything(api: ApiHome) -> None:
    whole = [one["id"] for one in api.get(f"{ROOT}/log", {"limit": 200}).json["changes"]]
    first = api.get(f"{ROOT}/log", {"limit": 2}).json
    api.post(f"{ROOT}/memory/store", {"content": "Written between two pages"})
    second = api.get(f"{ROOT}/log", {"limit": 200, "cursor": first["next_cursor"]}).json
    assert [one["id"] for one in (*first["changes"], *second["changes"])] == whole


def test_the_routes_with_pages_are_those_that_the_guide_names() -> None:
    assert {one.path.removeprefix(f"{ROOT}/") for one in routes().values() if one.page_field} == {
        "log", "memory/list", "session/list", "experience/list",
    }  # fmt: skip


def test_a_cursor_of_another_list_or_other_filters_is_refused(api: ApiHome) -> None:
    cursor = api.get(f"{ROOT}/log", {"limit": 1}).json["next_cursor"]
    for path, query in (("memory/list", {}), ("log", {"by": "agent"}), ("session/list", {})):
        answer = api.get(f"{ROOT}/{path}", {**query, "cursor": cursor})
        assert answer.status == 400 and answer.json["detail"].startswith("This cursor is not one")


@given(text=st.text(max_size=80) | st.binary(max_size=60).map(lambda data: data.hex()))
def test_a_forged_cursor_is_refused(text: str) -> None:
    with pytest.raises(QueryError, match="This cursor is not one"):
        Cursors("secret").read("/log", {}, text)


@given(position=st.integers() | st.text() | st.none(), filters=st.dictionaries(st.text(), st.text(), max_size=3))
def test_a_cursor_holds_its_position_for_this_home_alone(position: object, filters: dict[str, str]) -> None:
    made = Cursors("secret").make("/log", filters, position)
    assert Cursors("secret").read("/log", filters, made) == position
    with pytest.raises(QueryError):
        Cursors("another").read("/log", filters, made)


# Keys


def test_a_repeated_write_with_a_key_is_done_once_and_answers_the_same(api: ApiHome) -> None:
    path, given_ = f"{ROOT}/memory/store", {"content": "Kept once"}
    first = api.post(path, given_, token="write", idempotency_key="k-1").json
    again = api.post(path, given_, token="write", idempotency_key="k-1").json
    assert {**again, "new": True} == {**first, "new": True}
    reused = api.post(path, {"content": "Something else"}, token="write", idempotency_key="k-1")
    assert (reused.status, reused.json["type"]) == (409, "key-reused")
    assert api.post(f"{ROOT}/daily", {"text": "x"}, idempotency_key=" ").status == 400


# Errors


def test_an_unexpected_error_is_reported_once_and_told_without_details(
    api: ApiHome, capsys: pytest.CaptureFixture[str]
) -> None:
    class Broken:
        def call(self, *_: object) -> dict[str, object]:
            raise ValueError("a detail of the machine")

    broken: Any = Broken()
    reported: list[str] = []
    before, api.app = api.app, Guard(Api(broken, reported.append), api.rules)
    try:
        answer = api.get(f"{ROOT}/status")
    finally:
        api.app = before
    assert (answer.status, answer.json["type"]) == (500, "internal-error")
    assert b"detail of the machine" not in answer.body and b"Traceback" not in answer.body
    assert len(reported) == 1 and reported[0].startswith("http: /api/v1/status failed: ValueError at ")
    assert "Traceback" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("path", "given_", "status", "type_"),
    [
        ("memory/show", {"id": 99}, 404, "memory-not-found"),
        ("memory/store", {"content": ""}, 422, "memory-refused"),
        ("get", {"id": "nothing.md"}, 404, "note-not-found"),
        ("note/new", {"path": "tea.md", "text": "x"}, 409, "note-exists"),
        ("memory/update", {"id": 1, "content": "x", "expected": "00"}, 409, "memory-outdated"),
        ("memory/forget", {"numbers": [1]}, 200, ""),
        ("backup/adopt", {"part": "ledger"}, 428, "needs-consent"),
        ("context/stats", {"messages": "x"}, 422, "conversation-unreadable"),
        ("search", {"query": "x", "since": "never"}, 400, "query-error"),
    ],
)
def test_errors_are_typed(api: ApiHome, path: str, given_: dict[str, Any], status: int, type_: str) -> None:
    answer = api.post(f"{ROOT}/{path}", given_)
    assert answer.status == status, answer.body
    if type_:
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.json["type"] == type_ and answer.json["title"] and answer.json["detail"]


def test_switched_off_agents_are_told_and_the_owner_is_served(tmp_path: Path) -> None:
    home = ApiHome(tmp_path)
    home.workspace.close()
    (tmp_path / "home" / "memoro.toml").write_text("enabled = false\n")
    try:
        refused = home.get(f"{ROOT}/status", token="read")
        assert (refused.status, refused.json["type"]) == (403, "switched-off")
        assert "switched off" in refused.json["detail"]
    finally:
        home.close()


# A real server and a real client


def test_a_day_with_the_api(server: Running) -> None:
    """Store, find, correct, list, look at the log, undo."""
    address = f"http://127.0.0.1:{server.port}"

    def client(scope: Access) -> httpx.Client:
        return httpx.Client(
            base_url=f"{address}{ROOT}", headers={"Authorization": f"Bearer {server.tokens[scope]}"}, trust_env=False
        )

    with client("write") as agent, client("read") as reader, client("admin") as owner:
        stored = agent.post("/memory/store", json={"content": "Lena drinks green tea"}).raise_for_status().json()
        number = stored["id"]
        found = reader.get("/memory/query", params={"query": "What does Lena drink?"}).raise_for_status().json()
        assert [one["id"] for one in found["results"]] == [number]
        assert reader.post("/memory/demote", json={"id": number}).status_code == 403
        agent.post("/memory/update", json={"id": number, "content": "Lena drinks black tea"}).raise_for_status()
        changes = owner.get("/log", params={"limit": 5}).raise_for_status().json()["changes"]
        assert [one["operation"] for one in changes] == ["update", "store"]
        assert agent.post("/undo", json={"change": changes[0]["id"]}).status_code == 403
        owner.post("/undo", json={"change": changes[0]["id"]}).raise_for_status()
        assert reader.get("/memory/show", params={"id": number}).json()["content"] == "Lena drinks green tea"
        passage = reader.get("/search", params={"query": "How warm is green tea?"}).raise_for_status().json()
        assert passage["results"][0]["path"] == "tea.md"
        document = reader.get("/openapi.json").raise_for_status().json()
        assert document["openapi"].startswith("3.1") and len(document["paths"]) == len(routes())


def test_the_tokens_are_files_for_their_owner_alone(server: Running) -> None:
    files = sorted(server.home.glob("*.token"))
    assert [one.name for one in files] == ["http-admin.token", "http-read.token", "http.token"]
    assert {one.stat().st_mode & 0o777 for one in files} == {0o600}
    assert len(set(server.tokens.values())) == 3
    told = "\n".join(server.told)
    assert all(one.name in told for one in files) and not any(one in told for one in server.tokens.values())


def test_mcp_hooks_and_the_page_need_the_tokens_that_they_had(server: Running) -> None:
    event = {"hook_event_name": "Stop"}
    for scope in SCOPES:
        bearer = f"Bearer {server.tokens[scope]}"
        statuses = (
            server.ask("GET", "/health", authorization=bearer).status,
            server.ask("POST", "/hooks/claude", event, authorization=bearer).status,
            server.ask("POST", "/page/code", {}, authorization=bearer).status,
        )
        assert statuses == {"read": (200, 403, 403), "write": (200, 200, 403), "admin": (200, 200, 200)}[scope]
    assert json.loads(server.ask("POST", "/page/code", {}, authorization="Bearer x").body)["error"]


def test_a_session_that_is_too_long_is_refused_and_not_cut(api: ApiHome) -> None:
    for length, status in ((200, 200), (201, 400)):
        headers = {"content-type": "application/json", "memoro-session": "s" * length}
        assert api.ask("POST", "/api/v1/recall", body=b'{"message": "tea?"}', headers=headers).status == status
