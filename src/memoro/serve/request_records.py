"""The log record and the counters of one HTTP request: never its arguments, body or answer."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memoro.serve.asgi import Headers

if TYPE_CHECKING:
    from memoro.model.token_holder import TokenHolder

ID_HEADER = b"x-request-id"
_GIVEN_ID = re.compile(rb"[A-Za-z0-9._:-]{8,64}")


class RequestRecord:
    """Filled in on the way of a request, by whoever learns something about it."""

    def __init__(self, id: str, operation: str) -> None:
        self.id = id
        self.operation = operation  # one of a known, small number
        self.tenant: str | None = None
        self.person: str | None = None
        self.token_id: str | None = None
        self.error: str | None = None  # the name of the error that was answered

    def name_holder(self, holder: TokenHolder) -> None:
        self.tenant, self.person, self.token_id = holder.tenant, holder.person, holder.token_id


def request_id(headers: Headers) -> str:
    """The id that a proxy gave to a request, so that its log and ours can be joined; else a new one."""
    import secrets

    given = [value for name, value in headers if name == ID_HEADER]
    if len(given) == 1 and _GIVEN_ID.fullmatch(given[0]):
        return given[0].decode()
    return secrets.token_hex(8)
