"""Values from JSON: every field is checked against its type, and what does not fit raises ValueError."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

T = TypeVar("T", bound=tuple[Any, ...])


def build(kind: type[T], fields: object) -> T:
    """Makes a NamedTuple from a JSON object; every field without a default must be there, and no other."""
    converted = some_fields(kind, fields)
    missing = [name for name in hints_of(kind) if name not in converted and name not in _defaults_of(kind)]
    if missing:
        raise ValueError(f"{missing[0]} is missing")
    return kind(**converted)


def some_fields(kind: type[tuple[Any, ...]], fields: object) -> dict[str, Any]:
    """Converts a JSON object that has some of the fields of a NamedTuple, and no others."""
    if not isinstance(fields, Mapping):
        raise ValueError("not an object")
    hints = hints_of(kind)
    if unknown := fields.keys() - hints.keys():
        raise ValueError(f"unknown field {min(map(str, unknown))!r}")
    return {name: convert(value, hints[name]) for name, value in fields.items()}


@cache
def hints_of(kind: type[tuple[Any, ...]]) -> dict[str, Any]:
    return get_type_hints(kind)


def _defaults_of(kind: type[tuple[Any, ...]]) -> Mapping[str, Any]:
    found: Mapping[str, Any] = getattr(kind, "_field_defaults", {})
    return found


def convert(value: Any, hint: Any) -> Any:
    """Returns the value as the type has it: a JSON array as a tuple, an object as a NamedTuple, all else as it is."""
    origin = get_origin(hint)
    if origin in (Union, UnionType):
        return _first_that_fits(value, get_args(hint))
    if origin is tuple and isinstance(value, (list, tuple)):
        return tuple(convert(one, get_args(hint)[0]) for one in value)
    if hasattr(hint, "_fields"):
        return build(hint, value)
    if not fits(value, hint):
        raise ValueError(f"{value!r:.40} is not as it should be")
    return value


def _first_that_fits(value: Any, hints: tuple[Any, ...]) -> Any:
    for hint in hints:
        try:
            return convert(value, hint)
        except ValueError:
            continue
    raise ValueError(f"{value!r:.40} is not as it should be")


def fits(value: Any, hint: Any) -> bool:
    """Tells whether a JSON value without parts is of a type."""
    if get_origin(hint) is Literal:
        return value in get_args(hint) and not isinstance(value, bool)
    if hint in (NoneType, None):
        return value is None
    if hint is bool or isinstance(value, bool):
        return hint is bool and isinstance(value, bool)
    if hint is int:
        return isinstance(value, int) and -(2**63) <= value < 2**63
    if hint is float:
        return isinstance(value, (int, float)) and math.isfinite(value)
    return hint is str and isinstance(value, str)
