"""Whatever the OpenAPI document allows, and more: the HTTP API answers as the document says, and never fails.

Schemathesis makes the requests, good and bad ones. The short version sends a few to each operation;
`make campaign-http` sends more than a thousand.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
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

CASES = int(os.environ.get("MEMORO_CASES", "1000")) if CAMPAIGN else 2  # of each method and kind, good and bad
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


def as_response(case: Any, answer: ApiAnswer) -> httpx.Response:
    request = httpx.Request(case.method, f"http://{HOST}{case.formatted_path}")
    made = httpx.Response(answer.status, headers=dict(answer.headers), content=answer.body, request=request)
    made.elapsed = timedelta()
    return made


@pytest.mark.parametrize("label", OPERATIONS)
def test_an_operation_answers_as_its_document_says(api: ApiHome, label: str) -> None:
    statuses: Counter[int] = Counter()
    for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):

        @seed(SEED)
        @settings(
            max_examples=CASES,
            deadline=None,
            database=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(case=OPERATIONS[label].as_strategy(generation_mode=mode))
        def ask(case: Any) -> None:
            assert sent(api, case, has_token=False).status == 401
            answer = sent(api, case, has_token=True)
            statuses[answer.status] += 1
            case.validate_response(as_response(case, answer), checks=CHECKS)
            if answer.status != 200:
                assert json.loads(answer.body)["detail"].strip()

        try:
            ask()
        except Exception as error:
            if "Unsatisfiable" not in type(error).__name__:  # an operation without arguments has no bad ones
                raise
    assert api.reported == []
    assert sum(statuses.values()) >= 1
    if CAMPAIGN:
        print(f"\n{label}: {sum(statuses.values())} cases, {dict(sorted(statuses.items()))}")


def test_the_document_is_valid_openapi() -> None:
    SCHEMA.validate()
