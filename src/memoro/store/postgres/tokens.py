"""Tokens of people and agents: what one looks like, what is kept of it, and whose one is.

A token is memoro_TENANT_ID_SECRET. The secret has 256 random bits, so its plain SHA-256 cannot be guessed back.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import re
from typing import TYPE_CHECKING, NamedTuple

from memoro.model.token_holder import TokenHolder
from memoro.store.postgres.schema import SCHEMA
from memoro.store.postgres.server import Seat

if TYPE_CHECKING:
    from memoro.store.postgres.server import PostgresServer

_FORM = re.compile(r"memoro_([a-z0-9][a-z0-9._-]{0,62})_([0-9a-f]{12})_([0-9a-f]{64})")
_NO_DIGEST = bytes(32)  # compared with where there is no such token, so that this takes as long


class NewToken(NamedTuple):
    """A token as it is made. Only its id and digest are kept."""

    token: str
    id: str
    digest: bytes


def new_token(tenant: str) -> NewToken:
    id, secret = os.urandom(6).hex(), os.urandom(32).hex()
    return NewToken(f"memoro_{tenant}_{id}_{secret}", id, _digest(secret))


def token_holder(server: PostgresServer, token: str) -> TokenHolder | None:
    """Whose token this is; None where it was never given, has expired or was revoked, or its person was removed."""
    found = _FORM.fullmatch(token)
    if found is None:
        return None
    tenant, id, secret = found.groups()
    with server.reading(Seat(tenant, "", "")) as cursor:
        cursor.execute(
            f"""SELECT t.digest, t.person, t.agent, t.scopes
                FROM {SCHEMA}.tokens t JOIN {SCHEMA}.people p ON p.tenant = t.tenant AND p.person = t.person
                WHERE t.tenant = %s AND t.id = %s AND t.revoked_at IS NULL AND p.removed_at IS NULL
                  AND (t.expires_at IS NULL OR t.expires_at > now())""",
            [tenant, id],
        )
        row = cursor.fetchone()
    digest, person, agent, scopes = row or (_NO_DIGEST, "", None, ())
    if not hmac.compare_digest(bytes(digest), _digest(secret)):
        return None
    return TokenHolder(tenant=tenant, person=person, agent=agent, scopes=tuple(scopes), token_id=id)


def _digest(secret: str) -> bytes:
    return hashlib.sha256(secret.encode()).digest()
