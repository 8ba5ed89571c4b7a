"""JSON schemas of results, read from the types that operations return.

Results become JSON field by field (`documents.plain`), so a schema follows from the annotations of a NamedTuple. The
documents with rules of their own are described as shapes, in `document_shapes`.
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias, Union, get_args, get_origin, get_type_hints

Schema: TypeAlias = dict[str, Any]
# A type; an object by its keys, of which those that end in ? may be missing; a list of one shape; one of the others.
Shape: TypeAlias = Any
_NAME = re.compile(r"\w+")
_SIMPLE: dict[object, str] = {str: "string", int: "integer", float: "number", bool: "boolean", NoneType: "null"}


class Extended(NamedTuple):
    """An object like that of a class, without some fields, and with more."""

    base: Shape
    more: Mapping[str, Shape] = {}
    without: tuple[str, ...] = ()
    only: tuple[str, ...] = ()  # the fields that it has of the class; empty: all others


class Nullable(NamedTuple):
    shape: Shape


class Either(NamedTuple):
    shapes: tuple[Shape, ...]


class Named(NamedTuple):
    """A shape that has a name of its own, so that it can hold itself."""

    name: str


class Schemas:
    """Makes schemas, and keeps those that have a name for the components of the document."""

    def __init__(self, rules: Mapping[str, Shape]) -> None:
        """`rules` are the shapes of classes that do not become JSON field by field, by their names."""
        self.components: dict[str, Schema] = {}
        self._rules = rules
        self._classes: dict[str, object] = {}

    def schema(self, shape: Shape) -> Schema:
        match shape:
            case dict():
                return self._object(shape)
            case list():
                return {"type": "array", "items": self.schema(shape[0])}
            case Extended():
                return self._extended(shape)
            case Nullable(inner):
                return _any_of([self.schema(inner), {"type": "null"}])
            case Either(shapes):
                return _any_of([self.schema(one) for one in shapes])
            case Named(name):
                return self._component(name, None, self._rules[name])
        return self._of_type(shape)

    def _object(self, shape: Mapping[str, Shape]) -> Schema:
        properties = {name.removesuffix("?"): self.schema(one) for name, one in shape.items()}
        required = [name for name in shape if not name.endswith("?")]
        return {"type": "object", "properties": properties, **({"required": required} if required else {})}

    def _extended(self, shape: Extended) -> Schema:
        base = self.schema(shape.base)
        base = self.components[base["$ref"].rpartition("/")[2]] if "$ref" in base else base
        more = self._object(shape.more)
        kept = [
            name
            for name in base["properties"]
            if name not in shape.without and (not shape.only or name in shape.only)
        ]
        properties = {**{name: base["properties"][name] for name in kept}, **more["properties"]}
        required = [name for name in kept if name in base.get("required", ())]
        required += [name for name in more.get("required", ()) if name not in required]
        return {"type": "object", "properties": properties, "required": required}

    def _of_type(self, hint: Any) -> Schema:
        if hint in _SIMPLE:
            return {"type": _SIMPLE[hint]}
        origin, inner = get_origin(hint), get_args(hint)
        if origin is Annotated:
            return self.schema(inner[0])
        if origin is Literal:
            return {"type": "string", "enum": list(inner)}
        if origin in (Union, UnionType):
            return _any_of([self.schema(one) for one in inner])
        if origin is tuple and (len(inner) < 2 or inner[1] is not Ellipsis):
            return {"type": "array"}
        if isinstance(origin, type) and issubclass(origin, Mapping):
            return {"type": "object", "additionalProperties": self.schema(inner[1])}
        if isinstance(origin, type) and issubclass(origin, (Sequence, frozenset)):
            return {"type": "array", "items": self.schema(inner[0])}
        if isinstance(hint, type) and hasattr(hint, "_fields"):
            shape = self._rules.get(hint.__name__)
            return self._component(hint.__name__, hint, hints_of(hint) if shape is None else shape)
        return {}

    def _component(self, name: str, of: object, shape: Shape) -> Schema:
        """A reference to the schema of a class or of a named shape; two classes of one name get two names."""
        if self._classes.get(name, of) is not of:
            name = f"{str(getattr(of, '__module__', '')).rpartition('.')[2].title().replace('_', '')}{name}"
        if name not in self._classes:
            self._classes[name] = of
            self.components[name] = {}
            self.components[name].update(self.schema(shape))
        return {"$ref": f"#/components/schemas/{name}"}


def _any_of(schemas: Sequence[Schema]) -> Schema:
    """One of several schemas; simple types are joined."""
    if all(set(one) == {"type"} for one in schemas):
        return {"type": [one["type"] for one in schemas]}
    return {"anyOf": list(schemas)}


def result_type(call: Any) -> Any:
    """The type that the function of an operation returns."""
    return get_type_hints(call, localns=_names_for_types(call))["return"]


@cache
def hints_of(kind: type) -> dict[str, Any]:
    """The types of the fields of a NamedTuple, those that its module imports for a type checker alone too."""
    hints = get_type_hints(kind, localns=_names_for_types(kind))
    return {name: hints[name] for name in getattr(kind, "_fields", ())}


def _names_for_types(annotated: Any) -> dict[str, Any]:
    """The names in the annotations of a function or class that its module imports for a type checker alone.

    It imports nothing else: what no annotation here names may need a package that is not installed.
    """
    sources = _sources_for_types(annotated.__module__)
    texts = (str(getattr(one, "__forward_arg__", one)) for one in annotated.__annotations__.values())
    named = {name for text in texts for name in _NAME.findall(text)}
    return {name: _imported(*sources[name]) for name in sorted(named & sources.keys())}


def _imported(module: str, name: str) -> Any:
    return getattr(import_module(module), name, Any)


@cache
def _sources_for_types(module: str) -> dict[str, tuple[str, str]]:
    """The names that a module imports below `if TYPE_CHECKING:`, each with its module and its name there."""
    tree = ast.parse(inspect.getsource(sys.modules[module]))
    found: dict[str, tuple[str, str]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            for one in ast.walk(node):
                if isinstance(one, ast.ImportFrom) and one.module:
                    found.update({alias.asname or alias.name: (one.module, alias.name) for alias in one.names})
    return found
