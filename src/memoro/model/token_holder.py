"""For whom a token of a team acts."""

from __future__ import annotations

from typing import NamedTuple


class TokenHolder(NamedTuple):
    """For whom a request with a token acts, and what it may do."""

    tenant: str
    person: str
    agent: str | None
    scopes: tuple[str, ...]  # each with those that it includes: write includes read, admin both
    token_id: str
