"""Calls an operation for a token, and makes the answer a JSON document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from memoro.api.cursors import Cursors
from memoro.api.routes import Route
from memoro.api.seat_exposure import NOTES, check_offered
from memoro.config.change_risks import check_safe
from memoro.config.changing import known_name
from memoro.documents import Document
from memoro.errors import NotInSeat, NoVault, OutOfScope, QueryError, Refused
from memoro.mcp.clients import AGENT, SWITCHED_OFF, Homes
from memoro.model.memories import MAX_NAME
from memoro.model.output_filter import OutputFilter
from memoro.model.vocabulary import PERSON
from memoro.operations.operation import Access, Caller
from memoro.workspace import Workspace

if TYPE_CHECKING:
    from memoro.model.token_holder import TokenHolder
    from memoro.serve.seat_workspaces import SeatWorkspaces


class SwitchedOff(Refused):
    """The owner has switched Memoro off for agents."""

    def __init__(self) -> None:
        super().__init__(SWITCHED_OFF)


class ApiCaller(NamedTuple):
    """The sender of a request: the scope of its token, and its headers."""

    granted: Access
    agent: str | None = None
    session: str | None = None
    key: str | None = None
    holder: TokenHolder | None = None  # of a team token; None: a token of the home

    @property
    def is_owner(self) -> bool:
        """Return whether a person acts. A team token that names an agent acts as that agent, whatever its scope."""
        return self.granted == "admin" and (self.holder is None or self.holder.agent is None)


class Answered(NamedTuple):
    """The document that answers a request, and why it may be old: it comes from a local copy."""

    document: Document
    stale: str | None


class Calls:
    """Calls operations: for the owner in the owner's workspace, for agents in one of each agent's own.

    Whoever sends a team token is served in the seat of its person.
    """

    def __init__(self, owner: Workspace, homes: Homes, cursors: Cursors, seats: SeatWorkspaces | None = None) -> None:
        self._owner = owner
        self._homes = homes
        self._cursors = cursors
        self._seats = seats

    def call(self, route: Route, given: Mapping[str, Any], by: ApiCaller) -> Answered:
        """The document that answers a request. Raises MemoroError with a sentence."""
        if not by.is_owner:
            _check_owners_fields(route, given)
        if by.holder is not None:
            check_offered(route.operation.name)
        elif route.operation.name in ("config set", "config unset"):
            check_safe(known_name(given["key"]))
        is_agent = not by.is_owner or route.offered.as_agent
        with self._workspace(by, is_agent) as m:
            if is_agent and not by.is_owner and not m.settings.enabled:
                raise SwitchedOff
            cursors = _seat_cursors(m, by.holder) if by.holder and route.page_field else self._cursors
            request = route.operation.request(**_fields(route, given, cursors))
            agent = by.agent if by.holder is None or by.holder.agent is None else by.holder.agent
            caller = Caller(
                source=AGENT if is_agent else PERSON,
                agent=agent if is_agent else None,
                session=by.session if by.granted != "read" else None,
                key=by.key,
            )
            try:
                document = _answer(route, m, request, caller)
            except NoVault:
                if by.holder is None:
                    raise
                raise NotInSeat(route.operation.name, NOTES) from None
            stale = OutputFilter(m.secrets()).value(m.staleness())
            return Answered(_with_cursor(route, given, document, cursors), stale)

    @contextmanager
    def _workspace(self, by: ApiCaller, is_agent: bool) -> Iterator[Workspace]:
        if by.holder is None or self._seats is None:
            yield self._homes.of(by.agent) if is_agent else self._owner
            return
        with self._seats.opened(by.holder, (by.agent or "") if is_agent else None) as workspace:
            yield workspace


def _seat_cursors(m: Workspace, holder: TokenHolder) -> Cursors:
    """Cursors that every node of a tenant makes and reads alike, each for one person."""
    with m.ledger.access.ledger.reading() as tx:
        salt = tx.meta.get("salt")
    return Cursors(f"{salt} {holder.tenant} {holder.person}")


def _fields(route: Route, given: Mapping[str, Any], cursors: Cursors) -> dict[str, Any]:
    fields = {name: value for name, value in given.items() if name != "cursor"}
    cursor = given.get("cursor")
    if route.page_field and cursor is not None:
        fields[route.page_field] = cursors.read(route.path, _filters(given), cursor)
    return fields


def _with_cursor(route: Route, given: Mapping[str, Any], document: Document, cursors: Cursors) -> Document:
    """The document of a list, with a cursor in place of the operation's own key of the next page."""
    if not route.page_field:
        return document
    position = document.pop("next", None)
    following = None if position is None else cursors.make(route.path, _filters(given), position)
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
    """The arguments that a cursor is valid for: all but itself and the size of a page."""
    return {name: value for name, value in given.items() if name not in ("cursor", "limit")}


def key_of(header: str | None) -> str | None:
    """The idempotency key in a header. Raises QueryError for one that is empty or too long."""
    if header is None:
        return None
    if not header.strip() or len(header) > MAX_NAME:
        raise QueryError("Idempotency-Key takes 1 to 200 characters.")
    return header.strip()


def session_name(header: str) -> str | None:
    """The session in a header; None for an empty one. Raises QueryError for one that is too long: half is another."""
    if len(header) > MAX_NAME:
        raise QueryError(f"Memoro-Session takes up to {MAX_NAME} characters, not {len(header)}.")
    return header if header.strip() else None
