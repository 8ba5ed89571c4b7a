"""Requests as JSON: the schema of what may be given, and a parser that explains what is wrong."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from memoro.errors import QueryError
from memoro.operations.fields import MISSING, NOT_GIVEN, FieldSpec, JsonType

_NAMES = {"integer": "a whole number", "string": "a string", "number": "a number", "boolean": "true or false"}
_PLURALS = {"integer": "numbers", "string": "strings", "number": "numbers", "boolean": "truth values"}
_NUMBER = re.compile(r"(?:(memory:|experience:)|\[?id:)?(\d{1,18})\]?")


class Parameter(NamedTuple):
    """One member of the JSON object that stands for a request."""

    name: str
    type: JsonType = "string"
    many: bool = False  # a list of such values
    about: str = ""
    values: tuple[str, ...] = ()
    least: float | None = None
    most: float | None = None
    default: object = MISSING  # not shown if None
    required: bool = False
    prefix: str = ""  # of the ids that name the number too, such as memory:5

    def schema(self) -> dict[str, Any]:
        """The JSON schema of the member."""
        made: dict[str, Any] = {} if self.type == "any" else {"type": self.type}
        if self.values:
            made["enum"] = list(self.values)
        made |= {"minimum": self.least} if self.least is not None else {}
        made |= {"maximum": self.most} if self.most is not None else {}
        made = {"type": "array", "items": made} if self.many else made
        made |= {"default": self.default} if self.default not in (MISSING, NOT_GIVEN, None, ()) else {}
        return {**made, "description": self.about} if self.about else made


def parameter(spec: FieldSpec) -> Parameter:
    """The parameter for a field of a request, with the field's own help and limits."""
    return Parameter(
        name=spec.name,
        type=spec.type,
        many=spec.many,
        about=spec.field.help,
        values=spec.values,
        least=spec.field.least,
        most=spec.field.most,
        default=spec.default,
        required=spec.is_required,
        prefix=spec.field.prefix,
    )


def schema(parameters: Sequence[Parameter]) -> dict[str, Any]:
    """The JSON schema of the whole object."""
    required = [one.name for one in parameters if one.required]
    made: dict[str, Any] = {"type": "object", "properties": {one.name: one.schema() for one in parameters}}
    return {**made, **({"required": required} if required else {}), "additionalProperties": False}


def parse(name: str, parameters: Sequence[Parameter], given: Mapping[str, Any]) -> dict[str, Any]:
    """The checked values, with defaults filled in. Raises `QueryError` with a sentence that a model can act on.

    A parameter that was neither given nor has a default is left out. Null counts as not given: some hosts send it
    for what a model left out.
    """
    known = [one.name for one in parameters]
    for other in given:
        if other not in known:
            takes = f"It takes {', '.join(known)}." if known else "It takes none."
            raise QueryError(f"{name} has no argument {other!r}. {takes}")
    checked: dict[str, Any] = {}
    for one in parameters:
        value = given.get(one.name)
        if value is not None:
            checked[one.name] = _checked(f"{one.name!r} of {name}", one, value)
        elif one.required:
            about = one.about.rstrip(".")
            raise QueryError(f"{name} needs {one.name!r}{f': {about}' if about else ''}.")
        elif one.default is not MISSING:
            checked[one.name] = one.default
    return checked


def _checked(what: str, one: Parameter, value: Any) -> Any:
    if one.many:
        if not isinstance(value, list) or not all(_fits(one.type, _coerced(one, each)) for each in value):
            raise QueryError(f"{what} must be a list of {_PLURALS.get(one.type, 'values')}, not {_shown(value)}.")
        return tuple(_within(what, one, _coerced(one, each)) for each in value)
    value = _coerced(one, value)
    if not _fits(one.type, value):
        raise QueryError(f"{what} must be {_NAMES[one.type]}, not {_shown(value)}.")
    return _within(what, one, value)


def _within(what: str, one: Parameter, value: Any) -> Any:
    if one.values and value not in one.values:
        raise QueryError(f"{what} must be one of {', '.join(one.values)}, not {_shown(value)}.")
    if (one.least is not None and value < one.least) or (one.most is not None and value > one.most):
        raise QueryError(f"{what} must be from {one.least:g} to {one.most:g}, not {_shown(value)}.")
    return value


def _fits(type: JsonType, value: Any) -> bool:
    match type:
        case "string":
            return isinstance(value, str)
        case "number":
            return isinstance(value, float) and value == value
        case "integer":
            return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**62
        case "boolean":
            return isinstance(value, bool)
        case "any":
            return True


def _coerced(one: Parameter, value: Any) -> Any:
    """A number as models write it: 5, 5.0, "5", "[id:5]" and "memory:5" mean the same integer.

    The id of another kind is no number: experience:5 must not change memory 5.
    """
    type = one.type
    if type == "number" and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if type != "integer":
        return value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, str) and (digits := _NUMBER.fullmatch(value.strip())):
        kind = digits[1] or ""
        return int(digits[2]) if kind in ("", one.prefix) or not one.prefix else value
    return value


def _shown(value: Any) -> str:
    shown = json.dumps(value, ensure_ascii=False, default=str)
    return shown if len(shown) <= 60 else f"{shown[:57]}…"
