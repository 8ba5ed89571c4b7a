"""Whatever the OpenAPI document allows, and more: the HTTP API answers as the document says, and never fails.

Schemathesis makes the requests, good and bad ones. The short version sends a few to each operation;
`make campaign-http` sends a thousand.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.checks import load_all_checks
from schemathesis.checks import not_a_server_error as no_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from memoro.api.openapi import openapi
from tests.api_homes import HOST, ApiAnswer, ApiHome
from tests.conftest import CAMPAIGN

CASES = 1000 if CAMPAIGN else 6  # of each path and method: as many good ones as bad ones
SEED = 20261116
CHECKS = [
    no_server_error, status_code_conformance, content_type_conformance, response_schema_conformance,
    response_headers_conformance,
]  # fmt: skip
load_all_checks()
SCHEMA = schemathesis.openapi.from_dict(openapi())
OPERATIONS = {one.ok().label: one.ok() for one in SCHEMA.get_all_operations()}


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiHome]:
    made = ApiHome(tmp_path_factory.mktemp("api"))
    yield made
    made.close()


@pytest.fixture
def api(shared: ApiHome, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiHome]:
    """The same home for all, so that a test starts at once; in a campaign, each operation has its own."""
    if not CAMPAIGN:
        yield shared
        return
    made = ApiHome(tmp_path_factory.mktemp("own"))
    yield made
    made.close()


def sent(api: ApiHome, case: Any, *, has_token: bool) -> ApiAnswer:
    """Send a case as it is, with the token of the owner or without one."""
    request = httpx.Request(**_wire(case))
    headers = {name: value for name, value in request.headers.items() if name not in ("host", "authorization")}
    address = urlsplit(str(request.url))
    return api.ask(
        case.method,
        case.formatted_path,
        query=address.query.encode(),
        body=request.read(),
        token="admin" if has_token else None,
        headers=headers,
    )


def _wire(case: Any) -> dict[str, Any]:
    given_ = case.as_transport_kwargs(base_url=f"http://{HOST}")
    known = {name: given_.get(name) for name in ("method", "url", "headers", "params", "json")}
    if isinstance(given_.get("data"), (bytes, str)):
        known["content"] = given_["data"]
        known.pop("json")
    if known["headers"] is not None:
        known["headers"] = {
            name: value.encode("latin-1", "replace") if isinstance(value, str) else value
            for name, value in dict(known["headers"]).items()
        }
    return known


# Values that name something in the home. Half of the good requests carry them, or they would rarely find anything.
KNOWN: dict[str, tuple[Any, ...]] = {
    "id": (1, 2, 3, 4, "tea.md", "tea.md:1-3", "memory:1", "memory:4", "experience:1", "aaaaaa", "s1", "s2"),
    "path": ("tea.md", "daily/2026-03-05.md", "new.md", "MEMORY.md", "../secret.md", "/etc/passwd"),
    "key": ("query.max_results", "recall.budget", "embedding.url", "enabled"),
    "value": ("5", "true", "http://127.0.0.1:9/"),
    "item": ("memory:1", "memory:3", "experience:1"),
    "change": (1, 2, 3, 7),
    "old": (1, 2, "tea", "80"),
    "new": (1, 3, "moved.md"),
    "at": ("2026-01-01", "yesterday"),
    "since": ("2026-01-01", "yesterday"),
    "until": ("2100-01-01", "tomorrow"),
    "session": ("s1", "s2"),
    "used_in": ("s1",),
    "query": ("green tea", "Lena", "what was there yesterday?"),
    "message": ("How warm is green tea?", "What does Lena drink?"),
    "messages": ([{"role": "user", "content": "How warm?"}, {"role": "assistant", "content": "80 degrees."}],),
    "numbers": ([1], [2, 3]),
    "accept": ([1],),
    "proposal": (1,),
}


def aim(case: Any, choice: int) -> None:
    """Let a request name things that are there."""
    for given_ in (case.query, case.body):
        if isinstance(given_, dict):
            for name in [name for name in given_ if name in KNOWN]:
                fitting = [one for one in KNOWN[name] if type(one) is type(given_[name])]
                given_[name] = fitting[choice % len(fitting)] if fitting else given_[name]


def as_response(case: Any, answer: ApiAnswer) -> httpx.Response:
    request = httpx.Request(case.method, f"http://{HOST}{case.formatted_path}")
    made = httpx.Response(answer.status, headers=dict(answer.headers), content=answer.body, request=request)
    made.elapsed = timedelta()
    return made


def ask_all(api: ApiHome, label: str, mode: GenerationMode, statuses: Counter[int]) -> None:
    """Send the cases of one kind, and check each answer."""

    @seed(SEED)
    @settings(
        max_examples=CASES // 2,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=OPERATIONS[label].as_strategy(generation_mode=mode), choice=st.integers(0, 23))
    def ask(case: Any, choice: int) -> None:
        if mode is GenerationMode.POSITIVE and choice % 2:
            aim(case, choice // 2)
        assert sent(api, case, has_token=False).status == 401
        answer = sent(api, case, has_token=True)
        statuses[answer.status] += 1
        case.validate_response(as_response(case, answer), checks=CHECKS)
        if answer.status != 200:
            assert json.loads(answer.body)["detail"].strip()

    try:
        ask()
    except Unsatisfiable:  # an operation without arguments has no bad ones
        assert mode is GenerationMode.NEGATIVE


@pytest.mark.campaign
@pytest.mark.parametrize("label", OPERATIONS)
def test_an_operation_answers_as_its_document_says(api: ApiHome, label: str) -> None:
    statuses: Counter[int] = Counter()
    for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):
        ask_all(api, label, mode, statuses)
    assert api.reported == []
    if CAMPAIGN:
        print(f"\n{label}: {statuses.total()} cases, {dict(sorted(statuses.items()))}")


def test_the_document_is_valid_openapi() -> None:
    SCHEMA.validate()
