"""The documents of the HTTP API: each operation answers with exactly what its schema says."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from memoro.api.app import openapi_bytes
from memoro.api.document_shapes import shapes
from memoro.api.openapi import openapi
from memoro.api.routes import OPENAPI_PATH, ROOT, routes
from tests.api_homes import ApiHome

MESSAGES = [{"role": "user", "content": "How warm is green tea?"}, {"role": "assistant", "content": "80 degrees."}]
# Arguments with which an operation succeeds, one after another on the same home: what is taken away comes last.
GOOD: tuple[tuple[str, dict[str, Any]], ...] = (
    ("status", {}),
    ("search", {"query": "green tea", "explain": True, "min_score": 0}),
    ("search", {"query": "What is there since March 2026 about tea?", "kind": ["memory"], "used_in": "s1"}),
    ("recall", {"message": "How warm is green tea?", "why": True}),
    ("prompt", {"message": "How warm is green tea?", "why": True}),
    ("get", {"id": "tea.md"}),
    ("get", {"id": "memory:1"}),
    ("transcripts list", {}),
    ("memory store", {"content": "Oolong needs 90 degrees", "supersedes": [3]}),
    ("memory reinforce", {"id": 1}),
    ("memory demote", {"id": 1}),
    ("memory update", {"id": 1, "content": "Green tea needs 75 degrees"}),
    ("memory trust", {"id": 1, "level": "user_confirmed"}),
    ("memory query", {"query": "tea", "links": True, "archived": True, "explain": True}),
    ("memory show", {"id": 1}),
    ("memory history", {"id": 1}),
    ("memory links", {"id": 1}),
    ("memory list", {"limit": 2}),
    ("memory stats", {}),
    ("memory archive", {"id": 3}),
    ("memory unarchive", {"id": 3}),
    ("memory prune", {"dry_run": True}),
    ("memory supersede", {"old": 5, "new": 1}),
    ("experience record", {"type": "task_solution", "intent": "clean a pot", "solution": {"with": "salt"}}),
    ("experience use", {"id": 1, "success": 0.5}),
    ("experience prefer", {"category": "cups", "value": "green ones"}),
    ("experience prefer", {}),
    ("experience trust", {"id": 1, "level": "user_confirmed"}),
    ("experience find", {"query": "brew tea"}),
    ("experience show", {"id": 1}),
    ("experience history", {"id": 1}),
    ("experience list", {"limit": 1}),
    ("experience stats", {}),
    ("experience prune", {"dry_run": True}),
    ("narrative update", {"summary": "The tea is ready", "memories": [1]}),
    ("narrative search", {"query": "tea"}),
    ("narrative show", {"id": 1}),
    ("session start", {"id": "s3", "title": "Tea", "tier": ["daily"]}),
    ("session list", {"limit": 1}),
    ("session last", {}),
    ("session show", {"id": "s1"}),
    ("session show", {"today": True}),
    ("session replay", {"id": "s1", "now": True}),
    ("given day", {}),
    ("given good", {"item": "memory:1", "session": "s1"}),
    ("given wrong", {"item": "memory:1", "session": "s1"}),
    ("given muted", {}),
    ("given allow", {"item": "memory:1"}),
    ("numbers", {}),
    ("session archive", {"id": "s1"}),
    ("session unarchive", {"id": "s1"}),
    ("remember", {"text": "Sugar is on the shelf"}),
    ("pin", {"text": "Never boil green tea"}),
    ("entries", {}),
    ("edit", {"id": "memory:1", "text": "Green tea needs 78 degrees"}),
    ("daily", {"text": "Drank a cup"}),
    ("note new", {"path": "cups.md", "text": "# Cups\n\nBlue.\n"}),
    ("note edit", {"path": "cups.md", "text": "Green.", "old": "Blue."}),
    ("note move", {"path": "cups.md", "new": "mugs.md"}),
    ("note delete", {"path": "mugs.md"}),
    ("note edit", {"path": "tea.md", "text": "70", "old": "80"}),
    ("note restore", {"path": "tea.md", "at": "2026-01-01"}),
    ("context stats", {"messages": MESSAGES}),
    ("context compact", {"messages": MESSAGES * 40, "window": 500}),
    ("proposals", {"all": True}),
    ("review", {}),
    ("accept", {"id": 1}),
    ("extract", {"dry_run": True}),
    ("tidy", {"dry_run": True}),
    ("timeline", {"days": 3}),
    ("log", {"limit": 3}),
    ("log show", {"change": 1}),
    ("undo", {"dry_run": True}),
    ("backup create", {}),
    ("backup list", {}),
    ("backup verify", {}),
    ("sync", {}),
    ("doctor", {}),
    ("usage", {}),
    ("outbox list", {}),
    ("space list", {}),
    ("provider jobs", {"all": True}),
    ("config show", {}),
    ("config get", {"key": "query.max_results"}),
    ("config set", {"key": "query.max_results", "value": "7"}),
    ("config unset", {"key": "query.max_results"}),
    ("experience remove", {"id": 2}),
    ("memory remove", {"id": 5}),
    ("remove", {"id": "experience:1"}),
    ("forget", {"id": "memory:3", "dry_run": True}),
    ("memory forget", {"numbers": [3], "yes": True}),
    ("memory forget", {"numbers": [1], "dry_run": True}),
    ("backup restore", {"name": "NEWEST"}),
    ("backup adopt", {"part": "ledger", "yes": True}),
)  # fmt: skip
# These need a model on another machine, a conversation log, or a proposal that still waits.
ELSEWHERE = {
    *("provider cancel", "provider resume", "space drop", "wrong", "good", "reject"),
    *("memory visibility", "experience visibility", "outbox send", "outbox drop"),  # only where the ledger is shared
}


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiHome]:
    made = ApiHome(tmp_path_factory.mktemp("api"))
    yield made
    made.close()


def closed(schema: Any) -> Any:
    """The schema, in which no object may have a key that is not named."""
    if isinstance(schema, list):
        return [closed(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    made = {name: closed(one) for name, one in schema.items()}
    return {**made, "additionalProperties": False} if "properties" in made and "type" in made else made


DOCUMENT = openapi()
COMPONENTS = closed(copy.deepcopy(DOCUMENT["components"]))


def validator(name: str) -> Draft202012Validator:
    path = f"{ROOT}/{name.replace(' ', '/')}"
    wanted = DOCUMENT["paths"][path]["post"]["responses"]["200"]["content"]["application/json"]["schema"]
    return Draft202012Validator({**wanted, "components": COMPONENTS})


def test_every_document_has_exactly_the_keys_and_types_of_its_schema(api: ApiHome) -> None:
    newest = api.workspace.backups.all()[-1].name
    wrong = []
    for name, arguments in GOOD:
        given = {key: newest if value == "NEWEST" else value for key, value in arguments.items()}
        answer = api.post(f"{ROOT}/{name.replace(' ', '/')}", given)
        if answer.status != 200:
            wrong.append(f"{name}: {answer.status} {answer.json['detail']}")
            continue
        wrong += [f"{name}: {e.json_path}: {e.message[:300]}" for e in validator(name).iter_errors(answer.json)]
    assert not wrong, "\n".join(wrong)
    assert api.reported == []


def test_every_operation_is_among_these_examples() -> None:
    assert {name for name, _ in GOOD} | ELSEWHERE == {route.operation.name for route in routes().values()}


def test_every_encoder_has_a_shape_and_no_shape_is_left_over() -> None:
    encoded = {route.operation.name for route in routes().values() if route.operation.encode}
    assert set(shapes()) == encoded


# Refuses every package but Python's own and those that Memoro always needs, then prints the document.
WITHOUT_EXTRAS = """
import json, sys
ALWAYS = {"memoro", "apsw", "cronsim", "numpy", "yaml", "_yaml", "rich", "simsimd", "watchfiles"}

class NothingElse:
    def find_spec(self, name, path=None, target=None):
        top = name.partition(".")[0]
        if top not in sys.stdlib_module_names and top not in ALWAYS:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, NothingElse())
from memoro.api.openapi import openapi
print(json.dumps(openapi()))
"""


def test_the_document_is_the_same_where_no_extra_is_installed() -> None:
    done = subprocess.run([sys.executable, "-c", WITHOUT_EXTRAS], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == json.loads(json.dumps(openapi()))


def test_a_document_that_cannot_be_made_is_answered_with_a_problem(
    api: ApiHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    openapi_bytes.cache_clear()
    with monkeypatch.context() as broken:
        broken.setitem(sys.modules, "memoro.api.openapi", None)  # as where a module that it needs is missing
        failed = api.ask("GET", OPENAPI_PATH)
    assert failed.status == 500 and failed.headers["content-type"] == "application/problem+json"
    assert failed.json["detail"] == "Memoro failed inside the OpenAPI document; its log has the details."
    assert len(api.reported) == 1 and OPENAPI_PATH in api.reported[0]
    assert api.ask("GET", OPENAPI_PATH).status == 200, "what failed is not kept"
