"""The tables of the guide to the HTTP API, made from its routes and errors."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from memoro import errors
from memoro.api.exposure import DECISIONS, LeftOut
from memoro.api.problems import problem_of
from memoro.api.routes import ROOT, Route, routes
from memoro.errors import MemoroError


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


# What the guard and the routes say before an operation runs: `serve.refusing` and `api.app` write these types.
_BEFORE_OPERATIONS: Mapping[int, Sequence[str]] = {
}


def status_rows() -> list[Sequence[str]]:
    """Every status, with the types of the errors behind it."""
    types: dict[int, list[str]] = {}
    for kind in _classes(MemoroError):
        error = kind.__new__(kind)
        error.args = ("",)
        error.__dict__["retry_after"] = None
        found = problem_of(error)
        types.setdefault(found.status, []).append(found.type)
    types.setdefault(403, []).extend(("not-allowed", "switched-off"))
    types[401] = ["no-token", "token-refused"]
    types[500] = ["internal-error"]
    return [(str(status), ", ".join(f"`{one}`" for one in sorted(types[status]))) for status in sorted(types)]


def _classes(kind: type[MemoroError]) -> Iterable[type[MemoroError]]:
    for one in kind.__subclasses__():
        if one.__module__ == errors.__name__:
            yield one
            yield from _classes(one)
