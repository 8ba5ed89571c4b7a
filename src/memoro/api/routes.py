"""The routes of the HTTP API, made from the table of operations."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Literal, NamedTuple

from memoro import operations
from memoro.api.exposure import DECISIONS, UNDECIDED, LeftOut, Offered
from memoro.operations.fields import FieldSpec, specs
from memoro.operations.operation import AnyOperation
from memoro.operations.parameters import Parameter, parameter

ROOT = "/api/v1"
OPENAPI_PATH = f"{ROOT}/openapi.json"
MOST_RESULTS = 200

Method = Literal["GET", "POST"]
# Limits of fields that have none of their own, because a person at a terminal may wait. All of them have both ends.
_LIMITS: Mapping[str, tuple[float, float]] = {
    "limit": (1, MOST_RESULTS),
    "depth": (0, 6),
    "around": (0, 20),
    "budget": (50, 100_000),
    "window": (1, 100_000_000),
}
_PAGE_FIELDS = ("after", "before")  # of a request: where a page of a list begins; its result names the `next` one
CURSOR = Parameter("cursor", about="The `next_cursor` of the page before; without one, the first page.")


class Route(NamedTuple):
    """A path, and the operation behind it."""

    path: str
    operation: AnyOperation
    offered: Offered
    parameters: tuple[Parameter, ...]  # without `cursor`
    page_field: str | None = None  # the field of the request that a cursor sets; None: it has no pages

    @property
    def methods(self) -> tuple[Method, ...]:
        """GET too where nothing is changed and every parameter fits into an address."""
        fits = all(one.type != "any" for one in self.parameters)
        return ("GET", "POST") if self.operation.access == "read" and fits else ("POST",)

    @property
    def accepted(self) -> tuple[Parameter, ...]:
        """All that a caller may give."""
        return (*self.parameters, CURSOR) if self.page_field else self.parameters

    @property
    def takes_key(self) -> bool:
        """Return whether an idempotency key makes a repetition the same write."""
        return any(option.name == "key" for option in self.operation.options)


@cache
def routes() -> Mapping[str, Route]:
    """Every route by its path, in the order of the table."""
    found = (_route(operation) for operation in operations.table())
    return {route.path: route for route in found if route is not None}


def _route(operation: AnyOperation) -> Route | None:
    decision = DECISIONS.get(operation.name, UNDECIDED)
    if isinstance(decision, LeftOut):
        return None
    known = [
        spec for spec in specs(operation.request) if not spec.field.internal and spec.name not in decision.without
    ]
    is_list = any(spec.name == "limit" for spec in known)
    page_field = next((spec.name for spec in known if spec.name in _PAGE_FIELDS and is_list), None)
    return Route(
        path=f"{ROOT}/{operation.name.replace(' ', '/')}",
        operation=operation,
        offered=decision,
        parameters=tuple(_parameter(spec) for spec in known if spec.name != page_field),
        page_field=page_field,
    )


def _parameter(spec: FieldSpec) -> Parameter:
    made = parameter(spec)
    if made.least is not None or spec.name not in _LIMITS or spec.type not in ("integer", "number"):
        return made
    least, most = _LIMITS[spec.name]
    return made._replace(least=least, most=most)
