"""Answers by a schema: read out of what a model wrote, and checked whatever the server promises."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from math import isfinite
from typing import NoReturn

from memoro.errors import AnswerUnusable
from memoro.providers.language.ports import Schema

_LONGEST_ANSWER = 200_000  # characters; what Memoro asks for has a few thousand
_DEEPEST = 20  # objects and lists within each other
_THOUGHT = re.compile(r"<(/?)(?:think|thinking|thought|reasoning)>", re.IGNORECASE)
_FENCE = re.compile(r"\A```[A-Za-z0-9_-]*\s*\n(.*?)\n?\s*```\Z", re.DOTALL)
_SURROGATE = re.compile("[\ud800-\udfff]")
_TYPES: dict[str, type | tuple[type, ...]] = {
    "object": Mapping,
    "array": list,
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "null": type(None),
}
_BOUNDS = {"minLength", "maxLength", "minItems", "maxItems", "minimum", "maximum"}
_KEYWORDS = {"type", "properties", "required", "additionalProperties", "items", "enum", "description", *_BOUNDS}


def read_answer(text: str, schema: Schema) -> Mapping[str, object]:
    """Return the one JSON object in what a model wrote. Raises `AnswerUnusable` where it does not obey the schema.

    Thoughts, code fences and prose around it are passed over. Two objects, or a key that is there twice, are refused:
    nobody knows which was meant.
    """
    if len(text) > _LONGEST_ANSWER:
        raise AnswerUnusable(f"The answer has {len(text):,} characters, far more than was asked for.")
    whole = _whole_object(text.strip())
    return checked_value(_only_object(_without_thoughts(text)) if whole is None else whole, schema)


def checked_value(value: object, schema: Schema) -> Mapping[str, object]:
    """Return a value that obeys a schema. Raises `AnswerUnusable` with what is wrong where it does not."""
    wrong = problem(value, schema)
    if wrong is not None:
        raise AnswerUnusable(wrong)
    assert isinstance(value, Mapping)
    return value


# --- out of a text ---------------------------------------------------------------------------------------


def _without_thoughts(text: str) -> str:
    """Return what stands after the last thought. Thoughts that never end leave no answer."""
    marks = list(_THOUGHT.finditer(text))
    if not marks:
        return text.strip()
    last = marks[-1]
    return text[last.end() :].strip() if last[1] else text[: marks[0].start()].strip()


def _only_object(text: str) -> object:
    if fence := _FENCE.match(text):
        text = fence[1].strip()
    if not text:
        raise AnswerUnusable("The answer is empty.")
    if text.startswith("["):
        raise AnswerUnusable("The answer is a list where an object is wanted.")
    found = _objects(text)
    if len(found) != 1:
        what = "no JSON object" if not found else f"{len(found)} JSON objects"
        raise AnswerUnusable(f"The answer has {what} where one is wanted.")
    return found[0]


def _whole_object(text: str) -> object:
    """Return the object that the whole text is; None where it is none."""
    value, end = _decoded(text, 0) if text.startswith("{") else (None, 0)
    return value if end == len(text) else None


def _objects(text: str) -> list[object]:
    """Return the JSON objects that stand side by side in a text; what looks like one and is none ends the search."""
    found: list[object] = []
    at = text.find("{")
    while at >= 0 and len(found) < 3:
        value, end = _decoded(text, at)
        if value is None:
            raise AnswerUnusable("The answer is no JSON that can be read.")
        found.append(value)
        at = text.find("{", end)
    return found


def _decoded(text: str, at: int) -> tuple[object, int]:
    try:
        return _DECODER.raw_decode(text, at)
    except (ValueError, RecursionError):
        return None, at


def _no_duplicates(pairs: list[tuple[str, object]]) -> dict[str, object]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise ValueError("a key is there twice")
    return made


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


_DECODER = json.JSONDecoder(object_pairs_hook=_no_duplicates, parse_constant=_no_constant)


# --- by a schema -----------------------------------------------------------------------------------------


def problem(value: object, schema: Schema) -> str | None:
    """Return what is wrong with a value, as a sentence that repeats nothing of its texts; None where it obeys."""
    return _problem(value, schema, "", 0)


def _problem(value: object, schema: Schema, at: str, depth: int) -> str | None:
    place = f"`{at}`" if at else "The answer"
    if depth > _DEEPEST:
        return f"{place} is nested too deeply."
    names = _type_names(schema)
    if not any(_is_of(value, name) for name in names):
        return f"{place} must be {' or '.join(_WITH_ARTICLE[name] for name in names)}."
    allowed = schema.get("enum")
    if isinstance(allowed, Sequence) and not any(_is_same(value, one) for one in allowed):
        return f"{place} must be one of {', '.join(json.dumps(one) for one in allowed)}."
    if isinstance(value, Mapping):
        return _object_problem(value, schema, at, depth)
    if isinstance(value, list):
        return _list_problem(value, schema, at, depth)
    if isinstance(value, str):
        if _SURROGATE.search(value):
            return f"{place} has a character that no file can hold."
        return _bound_problem(len(value), schema, ("minLength", "maxLength"), f"{place} has {{}} characters")
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return _bound_problem(value, schema, ("minimum", "maximum"), f"{place} is {{}}")
    return None


def _object_problem(value: Mapping[str, object], schema: Schema, at: str, depth: int) -> str | None:
    properties = _properties(schema)
    place = f"`{at}`" if at else "The answer"
    missing = [name for name in properties if name not in value]
    if missing:
        return f"{place} has no `{missing[0]}`."
    if len(value) > len(properties):
        return f"{place} has a field that nobody asked for."
    found = (
        _problem(value[name], one, f"{at}.{name}" if at else name, depth + 1) for name, one in properties.items()
    )
    return next((wrong for wrong in found if wrong), None)


def _list_problem(value: Sequence[object], schema: Schema, at: str, depth: int) -> str | None:
    wrong = _bound_problem(len(value), schema, ("minItems", "maxItems"), f"`{at}` has {{}} items")
    items = schema.get("items")
    if wrong or not isinstance(items, Mapping):
        return wrong
    found = (_problem(one, items, f"{at}[{number}]", depth + 1) for number, one in enumerate(value))
    return next((wrong for wrong in found if wrong), None)


def _bound_problem(size: float, schema: Schema, names: tuple[str, str], said: str) -> str | None:
    least, most = (schema.get(name) for name in names)
    if isinstance(least, (int, float)) and not size >= least:
        return f"{said.format(_shown(size))}, less than {least}."
    if isinstance(most, (int, float)) and not size <= most:
        return f"{said.format(_shown(size))}, more than {most}."
    return None


def _shown(size: float) -> str:
    return str(size)[:30] if abs(size) < 10**15 else "too large a number"


def _is_of(value: object, name: str) -> bool:
    if isinstance(value, bool):  # for Python a boolean is a number
        return name == "boolean"
    if isinstance(value, float) and not isfinite(value):
        return False
    return isinstance(value, _TYPES[name])


def _is_same(value: object, other: object) -> bool:
    return type(value) is type(other) and value == other


_WITH_ARTICLE = {
    "object": "an object",
    "array": "a list",
    "string": "a string",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "null": "null",
}


# --- the schema itself -----------------------------------------------------------------------------------


def check_schema(schema: Schema) -> None:
    """Raise `ValueError` for a schema that not every provider takes, or that is no object which is closed.

    Allowed: objects of which every property is required and no other may be there, lists, strings, numbers,
    booleans and null, one type or several, with `enum`, `description` and bounds.
    """
    if _type_names(schema) != ["object"]:
        raise ValueError("the answer must be an object")
    _check(schema)


def _check(schema: Schema) -> None:
    if unknown := set(schema) - _KEYWORDS:
        raise ValueError(f"no schema of Memoro has {', '.join(sorted(unknown))}")
    names = _type_names(schema)
    if not names or set(names) - set(_TYPES):
        raise ValueError(f"no type of JSON: {', '.join(names)}")
    if "object" in names:
        properties, required = _properties(schema), schema.get("required")
        if schema.get("additionalProperties") is not False:
            raise ValueError("an object must be closed: additionalProperties is false")
        if not isinstance(required, (list, tuple)) or sorted(required) != sorted(properties):
            raise ValueError("every property must be required")
        for one in properties.values():
            _check(one)
    if "array" in names:
        items = schema.get("items")
        if not isinstance(items, Mapping):
            raise ValueError("a list must say what its items are")
        _check(items)


def closed(properties: Mapping[str, Schema]) -> Schema:
    """Return the schema of an object that has these properties, all of them, and no others."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def without_bounds(schema: Schema) -> Schema:
    """Return the schema as every provider takes it. The bounds are checked when the answer is here."""
    made: dict[str, object] = {name: value for name, value in schema.items() if name not in _BOUNDS}
    if properties := _properties(schema):
        made["properties"] = {name: without_bounds(one) for name, one in properties.items()}
    if isinstance(items := schema.get("items"), Mapping):
        made["items"] = without_bounds(items)
    return made


def _type_names(schema: Schema) -> list[str]:
    names = schema.get("type", [])
    return [names] if isinstance(names, str) else [str(name) for name in names] if isinstance(names, Sequence) else []


def _properties(schema: Schema) -> dict[str, Schema]:
    found = schema.get("properties", {})
    return (
        {str(name): one for name, one in found.items() if isinstance(one, Mapping)}
        if isinstance(found, Mapping)
        else {}
    )
