"""A write that waits until the server of a shared ledger is back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple


class WaitingWrite(NamedTuple):
    """One operation as it was asked for. Its key lets it happen once, however often it is sent."""

    number: int
    operation: str
    document: Mapping[str, Any]  # the request and who made it, as JSON
    key: str
    at: str
    refused: str | None = None  # why the ledger will never take it; None: it waits
