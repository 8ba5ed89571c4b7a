"""The OpenAPI document: every route with its typed request, its typed answer and its errors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import memoro
from memoro.api.document_shapes import RULES, shapes
from memoro.api.result_schemas import Extended, Schema, Schemas, result_type
from memoro.api.routes import Method, Route, routes
from memoro.operations.parameters import Parameter, schema

_ABOUT = """\
Every operation of Memoro, on this machine. Send the token of a scope as `Authorization: Bearer …`: the token for
`read` reads, the one for `write` acts as an agent, and the one for `admin` as the owner. Operations that only read
take GET with a query, or POST with a JSON object; all others take POST. An error is a problem document (RFC 9457).
"""
_HEADER_LETTERS = 200
_PROBLEM = {
    "type": "object",
    "properties": {
        "type": {"type": "string", "description": "The name of the error, such as memory-not-found."},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string", "description": "What is wrong, what to do, and what is safe."},
    },
    "required": ["type", "title", "status", "detail"],
}


def openapi() -> dict[str, Any]:
    """The whole document."""
    schemas = Schemas(RULES)
    answers = {_result_name(route): _answer_schema(route, schemas) for route in routes().values()}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Memoro", "version": memoro.__version__, "description": _ABOUT},
        "security": [{"token": []}],
        "paths": {
            path: {method.lower(): _operation(route, method) for method in route.methods}
            for path, route in routes().items()
        },
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "schemas": {**_referenced(answers, schemas.components), **answers, "HttpProblem": _PROBLEM},
            "responses": {
                "Problem": {
                    "description": "It was refused or failed; `detail` says why.",
                    "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/HttpProblem"}}},
                }
            },
        },
    }


def _result_name(route: Route) -> str:
    return f"{route.operation.name.title().replace(' ', '')}Result"


_STALE = "Only while the server of a shared ledger is away: why this comes from a local copy, and from when it is."


def _referenced(answers: dict[str, Schema], known: dict[str, Schema]) -> dict[str, Schema]:
    """Return those of the known schemas that the answers refer to, and that these refer to."""
    found: dict[str, Schema] = {}
    waiting = list(_references(answers))
    while waiting:
        name = waiting.pop()
        if name not in found:
            found[name] = known[name]
            waiting += _references(known[name])
    return dict(sorted(found.items()))


def _references(schema: object) -> Iterator[str]:
    if isinstance(schema, dict):
        if isinstance(schema.get("$ref"), str):
            yield schema["$ref"].rpartition("/")[2]
        schema = list(schema.values())
    if isinstance(schema, list):
        for one in schema:
            yield from _references(one)


def _operation(route: Route, method: Method) -> dict[str, Any]:
    operation = route.operation
    name = operation.tool_name
    is_get = method == "GET"
    answer = {"$ref": f"#/components/schemas/{_result_name(route)}"}
    parameters = [_query(one) for one in route.accepted] if is_get else []
    made: dict[str, Any] = {
        "operationId": f"get_{name}" if is_get else name,
        "summary": operation.summary,
        "description": _description(route),
        "tags": [operation.name.partition(" ")[0]],
        "x-scope": route.offered.scope,
        "parameters": [*parameters, *_headers(route)],
        "responses": {
            "200": {
                "description": "The result.",
                "headers": {"Memoro-Stale": {"description": _STALE, "schema": {"type": "string"}}},
                "content": {"application/json": {"schema": answer}},
            },
            "4XX": {"$ref": "#/components/responses/Problem"},
            "5XX": {"$ref": "#/components/responses/Problem"},
        },
    }
    if not is_get:
        needs_body = any(one.required for one in route.accepted)
        content = {"application/json": {"schema": schema(route.accepted)}}
        made["requestBody"] = {"required": needs_body, "content": content}
    return made


def _description(route: Route) -> str:
    needs = f"Needs the token for {route.offered.scope}."
    return " ".join(part for part in (needs, route.offered.why, route.operation.help) if part)


def _query(one: Parameter) -> dict[str, Any]:
    made = one.schema()
    about = made.pop("description", "")
    repeated = {"style": "form", "explode": True} if one.many else {}
    return {
        "name": one.name,
        "in": "query",
        "required": one.required,
        "description": about,
        "schema": made,
        **repeated,
    }


def _headers(route: Route) -> list[dict[str, Any]]:
    text = {"type": "string", "minLength": 1, "maxLength": _HEADER_LETTERS, "pattern": "^[A-Za-z0-9._-]+$"}
    names = {"Memoro-Agent": "The agent that what is written carries."}
    if any(option.name == "session" for option in route.operation.options):
        names["Memoro-Session"] = "The session in which it happens."
    if route.takes_key:
        names["Idempotency-Key"] = "Repeated with the same key, this is done only once."
    return [
        {"name": name, "in": "header", "required": False, "description": about, "schema": text}
        for name, about in names.items()
    ]


def _answer_schema(route: Route, schemas: Schemas) -> Schema:
    operation = route.operation
    shape = shapes()[operation.name] if operation.encode else result_type(operation.call)
    if route.page_field:
        shape = Extended(shape, {"next_cursor": str | None}, without=("next",))
    return schemas.schema(shape)
