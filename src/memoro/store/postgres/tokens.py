"""Looking up the tokens of people and agents, which open a shared ledger over HTTP."""

from __future__ import annotations

import hashlib
import hmac
from typing import NamedTuple

from memoro.store.postgres.schema import SCHEMA
from memoro.store.postgres.server import PostgresServer, Seat

PREFIX = "memoro_"


class TokenHolder(NamedTuple):
    """As whom a token acts, and what it may do."""

    tenant: str
    person: str
    agent: str | None  # None: the person
    scopes: tuple[str, ...]  # of read, write and admin
    token_id: str


class _TokenParts(NamedTuple):
    tenant: str
    id: str
    secret: str


def token_holder(server: PostgresServer, token: str) -> TokenHolder | None:
    """Return the holder of a token; None for one that is unknown, expired or revoked, or whose person was removed.

    Raises LedgerUnreachable.
    """
    parts = _parsed(token)
    if parts is None:
        return None
    with server.reading(Seat(parts.tenant, "", "")) as cursor:
        cursor.execute(
            f"""SELECT digest, person, agent, scopes FROM {SCHEMA}.tokens AS token
                WHERE tenant = %s AND id = %s AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())
                AND NOT EXISTS (SELECT 1 FROM {SCHEMA}.people AS one WHERE one.tenant = token.tenant
                                AND one.person = token.person AND one.removed_at IS NOT NULL)""",
            [parts.tenant, parts.id],
        )
        found = cursor.fetchone()
    if found is None or not hmac.compare_digest(bytes(found[0]), hashlib.sha256(parts.secret.encode()).digest()):
        return None
    _, person, agent, scopes = found
    return TokenHolder(tenant=parts.tenant, person=str(person), agent=agent, scopes=tuple(scopes), token_id=parts.id)


def _parsed(token: str) -> _TokenParts | None:
    """The parts of memoro_TENANT_ID_SECRET. The name of a tenant may have underscores, the others have none."""
    if not token.startswith(PREFIX) or not token.isascii():
        return None
    parts = token.removeprefix(PREFIX).rsplit("_", 2)
    return _TokenParts(*parts) if len(parts) == 3 and all(parts) else None
