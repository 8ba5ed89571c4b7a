"""Descriptions of the fields of a request, read from its annotations.

A request is a NamedTuple. Each field is `Annotated[TYPE, Field(...)]`: the type and the default say what may be
given, the `Field` says how a person gives it. Modules that define requests do not import `annotations` from
`__future__`: their annotations are values already, which starts faster than evaluating strings.
"""

from typing import Any, ForwardRef, Literal, NamedTuple, get_args, get_origin, get_type_hints

JsonType = Literal["string", "integer", "number", "boolean", "any"]
_JSON_TYPES: dict[object, JsonType] = {str: "string", int: "integer", float: "number", bool: "boolean"}


class Missing:
    """The type of the two values below."""


MISSING = Missing()  # the default of a field that has none
NOT_GIVEN = Missing()  # the default of a field for which None is a value like any other


class Field(NamedTuple):
    """The description of a field for the command line and the reference pages."""

    help: str = ""
    metavar: str | None = None
    flags: tuple[str, ...] = ()  # the option's spellings, if not --NAME alone
    positional: bool = False
    words: bool = False  # positional: the rest of the command line, joined by spaces
    stdin: bool = False  # read from standard input where the command line has - or nothing
    comma_separated: bool = False  # several values in one option
    several: bool = False  # the option takes one value or more, and may be repeated
    prefix: str = ""  # may precede a number, as in experience:5
    least: float | None = None
    most: float | None = None
    choices: tuple[str, ...] = ()  # what the command line offers, if not every value of the type
    group: str | None = None  # the heading of the options it is listed with
    internal: bool = False  # only a surface sets it; no caller may


class FieldSpec(NamedTuple):
    """One field of a request: its type, its default and its `Field`."""

    name: str
    type: JsonType
    many: bool  # a tuple of such values
    values: tuple[str, ...]  # the only values it may have; empty: any
    default: object  # MISSING if the field must be given
    field: Field

    @property
    def is_required(self) -> bool:
        return self.default is MISSING


def specs(request: type[tuple[object, ...]]) -> tuple[FieldSpec, ...]:
    """The fields of a request type, in order."""
    defaults: dict[str, object] = getattr(request, "_field_defaults", {})
    hints: dict[str, object] = request.__annotations__
    if any(isinstance(hint, ForwardRef) for hint in hints.values()):
        hints = get_type_hints(request, include_extras=True)
    return tuple(_spec(name, hint, defaults.get(name, MISSING)) for name, hint in hints.items())


def _spec(name: str, hint: Any, default: object) -> FieldSpec:
    inner, field = hint.__origin__, hint.__metadata__[0]
    inner = _without_none(inner)
    many = get_origin(inner) is tuple
    if many:
        inner = get_args(inner)[0]
    values = _literal_values(inner)
    found: JsonType = "string" if values else _JSON_TYPES.get(inner, "any")
    return FieldSpec(name=name, type=found, many=many, values=values, default=default, field=field)


def _without_none(hint: Any) -> Any:
    inner = [one for one in get_args(hint) if one is not type(None)]
    return inner[0] if len(inner) < len(get_args(hint)) else hint


def _literal_values(hint: Any) -> tuple[str, ...]:
    return get_args(hint) if get_origin(hint) is Literal else ()
