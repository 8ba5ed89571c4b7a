"""The tables of the guide to the HTTP API, made from its routes and errors."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from memoro import errors
from memoro.api.exposure import DECISIONS, LeftOut
from memoro.api.problems import problem_of
from memoro.api.routes import ROOT, Route, routes
from memoro.errors import MemoroError
from memoro.serve.refusing import TITLES, problem_type


def route_rows() -> list[Sequence[str]]:
    return [_row(route) for route in routes().values()]


def _row(route: Route) -> Sequence[str]:
    named = [one.name if one.required else f"[{one.name}]" for one in route.accepted]
    path = f"`{route.path.removeprefix(ROOT)}`"
    return (path, ", ".join(route.methods), route.offered.scope, " ".join(named), _sentence(route))


def _sentence(route: Route) -> str:
    return f"{route.operation.summary} {route.offered.why}".strip()


def left_out_rows() -> list[Sequence[str]]:
    return [(f"`{name}`", one.why) for name, one in DECISIONS.items() if isinstance(one, LeftOut)]


def status_rows() -> list[Sequence[str]]:
    """Every status, with the types of the errors behind it, and of the refusals before an operation runs."""
    types: dict[int, list[str]] = {}
    for kind in _classes(MemoroError):
        error = kind.__new__(kind)
        error.args = ("",)
        error.__dict__["retry_after"] = None
        found = problem_of(error)
        types.setdefault(found.status, []).append(found.type)
    for status, title in TITLES.items():
        types.setdefault(status, []).append(problem_type(title))
    types[401].append("token-refused")
    types[403].append("switched-off")
    types[500] = ["internal-error"]
    return [(str(status), ", ".join(f"`{one}`" for one in sorted(types[status]))) for status in sorted(types)]


def _classes(kind: type[MemoroError]) -> Iterable[type[MemoroError]]:
    for one in kind.__subclasses__():
        if one.__module__ == errors.__name__:
            yield one
            yield from _classes(one)
