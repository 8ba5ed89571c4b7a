"""The arguments of a request over HTTP: from the query of an address, or from a JSON object."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import parse_qsl

from memoro.api.routes import Route
from memoro.errors import QueryError
from memoro.model.values import is_text
from memoro.operations.parameters import Parameter, parse

_DEEPEST = 64  # nested lists and objects
_TRUTHS = {"true": True, "false": False}


def from_query(route: Route, query: bytes) -> Mapping[str, Any]:
    """The arguments in the query of an address. A list is given by repeating its name."""
    try:
        pairs = parse_qsl(query.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=500)
    except ValueError as error:  # also UnicodeDecodeError
        raise QueryError("The query of the address is not text in UTF-8, percent-encoded.") from error
    known = {one.name: one for one in route.accepted}
    given: dict[str, Any] = {}
    for name, text in pairs:
        one = known.get(name)
        if one is not None and one.many:
            given.setdefault(name, []).append(_typed(one, text))
        elif name in given:
            raise QueryError(f"{name!r} is given twice, and takes one value.")
        else:
            given[name] = text if one is None else _typed(one, text)
    return _parsed(route, given)


def from_body(route: Route, body: bytes) -> Mapping[str, Any]:
    """The arguments in a JSON object; no body is an empty object."""
    try:
        given = json.loads(body) if body.strip() else {}
    except (ValueError, RecursionError) as error:
        raise QueryError("The body is not JSON.") from error
    if not isinstance(given, dict):
        raise QueryError("Send one JSON object with the arguments.")
    return _parsed(route, given)


def _parsed(route: Route, given: Mapping[str, Any]) -> Mapping[str, Any]:
    _check_texts(given)
    return parse(route.operation.name, route.accepted, given)


def _typed(one: Parameter, text: str) -> Any:
    """A value of an address as JSON would have it; what cannot be read stays a text, which the parser refuses."""
    if one.type == "boolean":
        return _TRUTHS.get(text, text)
    if one.type == "number":
        try:
            return float(text)
        except ValueError:
            return text
    return text


def _check_texts(given: object, depth: int = 0) -> None:
    """Refuse what is no text, such as half of a surrogate pair, and what is nested too deeply."""
    if depth > _DEEPEST:
        raise QueryError(f"The body is nested more than {_DEEPEST} deep.")
    if isinstance(given, str) and not is_text(given):
        raise QueryError("A text of the body cannot be written in UTF-8.")
    if isinstance(given, Mapping):
        for name, value in given.items():
            _check_texts(name, depth + 1)
            _check_texts(value, depth + 1)
    elif isinstance(given, Sequence) and not isinstance(given, str):
        for value in given:
            _check_texts(value, depth + 1)
