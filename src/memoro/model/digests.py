"""The digest by which a caller names the text that it read, so that nothing newer is overwritten."""

from __future__ import annotations


def digest_of(data: bytes | str) -> str:
    """Return the SHA-256 of bytes, or of a text in UTF-8, in hexadecimal."""
    import hashlib

    return hashlib.sha256(data.encode("utf-8", "replace") if isinstance(data, str) else data).hexdigest()
