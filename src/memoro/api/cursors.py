"""Cursors: where the next page of a list begins, in a form that only this home makes."""

from __future__ import annotations

import base64
import binascii
import hmac
import json
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from memoro.errors import QueryError

_MAC_BYTES = 12
_UNKNOWN = "This cursor is not one that Memoro made for this list and these filters. Begin again without a cursor."


class Cursors:
    """Makes and reads cursors. `secret` stays the same over restarts, so a cursor does too."""

    def __init__(self, secret: str) -> None:
        self._secret = sha256(f"cursors of {secret}".encode()).digest()

    def make(self, path: str, filters: Mapping[str, Any], position: object) -> str:
        """A cursor for the list at a path: the position after which the next page begins."""
        text = json.dumps(position, separators=(",", ":")).encode()
        return base64.urlsafe_b64encode(self._mac(path, filters, text) + text).decode().rstrip("=")

    def read(self, path: str, filters: Mapping[str, Any], cursor: str) -> Any:
        """The position in a cursor. Raises QueryError for one that was made elsewhere or for other filters."""
        try:
            data = base64.urlsafe_b64decode(cursor.encode("ascii") + b"=" * (-len(cursor) % 4))
        except (UnicodeEncodeError, binascii.Error, ValueError):
            raise QueryError(_UNKNOWN) from None
        mac, text = data[:_MAC_BYTES], data[_MAC_BYTES:]
        if not hmac.compare_digest(mac, self._mac(path, filters, text)):
            raise QueryError(_UNKNOWN)
        return json.loads(text)

    def _mac(self, path: str, filters: Mapping[str, Any], text: bytes) -> bytes:
        about = json.dumps([path, sorted(filters.items())], default=str).encode()
        return hmac.digest(self._secret, b"%d:%b%b" % (len(about), about, text), "sha256")[:_MAC_BYTES]
