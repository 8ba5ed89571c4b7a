"""Calls an operation for a token, and makes the answer a JSON document."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from memoro.api.cursors import Cursors
from memoro.api.routes import Route
from memoro.config.change_risks import check_safe
from memoro.config.changing import known_name
from memoro.documents import Document
from memoro.errors import OutOfScope, QueryError, Refused
from memoro.mcp.clients import AGENT, SWITCHED_OFF, Homes
from memoro.model.output_filter import OutputFilter
from memoro.model.vocabulary import PERSON
from memoro.operations.operation import Access, Caller
from memoro.workspace import Workspace


class SwitchedOff(Refused):
    """The owner has switched Memoro off for agents."""

    def __init__(self) -> None:
        super().__init__(SWITCHED_OFF)


class ApiCaller(NamedTuple):
    """Who sends a request: the scope of the token, and what the headers say."""

    granted: Access
    agent: str | None = None
    session: str | None = None
    key: str | None = None

    @property
    def is_owner(self) -> bool:
        return self.granted == "admin"


class Calls:
    """Calls operations: for the owner in the owner's workspace, for agents in one of each agent's own."""

    def __init__(self, owner: Workspace, homes: Homes, cursors: Cursors) -> None:
        self._owner = owner
        self._homes = homes
        self._cursors = cursors

    def call(self, route: Route, given: Mapping[str, Any], by: ApiCaller) -> Document:
        """The document that answers a request. Raises MemoroError with a sentence."""
        if not by.is_owner:
            _check_owners_fields(route, given)
        if route.operation.name in ("config set", "config unset"):
            check_safe(known_name(given["key"]))
        fields = self._fields(route, given)
        request = route.operation.request(**fields)
        is_agent = not by.is_owner or route.offered.as_agent
        m = self._homes.of(by.agent) if is_agent else self._owner
        if is_agent and not by.is_owner and not m.settings.enabled:
            raise SwitchedOff
        caller = Caller(
            source=AGENT if is_agent else PERSON,
            agent=by.agent if is_agent else None,
            session=by.session if by.granted != "read" else None,
            key=by.key,
        )
        document = _answer(route, m, request, caller)
        return self._with_cursor(route, given, document)

    def _fields(self, route: Route, given: Mapping[str, Any]) -> dict[str, Any]:
        fields = {name: value for name, value in given.items() if name != "cursor"}
        cursor = given.get("cursor")
        if route.page_field and cursor is not None:
            fields[route.page_field] = self._cursors.read(route.path, _filters(given), cursor)
        return fields

    def _with_cursor(self, route: Route, given: Mapping[str, Any], document: Document) -> Document:
        """The document of a list, with a cursor in place of the operation's own key of the next page."""
        if not route.page_field:
            return document
        position = document.pop("next", None)
        following = None if position is None else self._cursors.make(route.path, _filters(given), position)
        return {**document, "next_cursor": following}


def _check_owners_fields(route: Route, given: Mapping[str, Any]) -> None:
    for one in route.parameters:
        if one.name in route.offered.for_owner and given.get(one.name, one.default) != one.default:
            raise OutOfScope(f"{one.name!r} of {route.operation.name} needs the token for admin. {route.offered.why}")


def _answer(route: Route, m: Workspace, request: Any, caller: Caller) -> Document:
    """The result as a document. For agents it passes the output filter before and after it is one, as over MCP."""
    if caller.source == PERSON:
        return route.operation.document(route.operation.run(m, request, caller))
    filter = OutputFilter(m.secrets())
    result = filter.value(route.operation.run(m, request, caller._replace(filter=filter)))
    return filter.value(route.operation.document(result))


def _filters(given: Mapping[str, Any]) -> Mapping[str, Any]:
    """What a cursor holds for: all arguments but itself and the size of a page."""
    return {name: value for name, value in given.items() if name not in ("cursor", "limit")}


def key_of(header: str | None) -> str | None:
    """The idempotency key in a header. Raises QueryError for one that is empty or too long."""
    if header is None:
        return None
    if not header.strip() or len(header) > 200:
        raise QueryError("Idempotency-Key takes 1 to 200 characters.")
    return header.strip()
