"""Ids of entries that have none yet, derived from their words."""

from collections.abc import Collection

_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_DIGITS = _LETTERS + "0123456789"


def free_id(words: str, taken: Collection[str] = (), salt: int = 0) -> str:
    """Return an id that is not taken; the same for the same words, so that an entry has it before it is marked."""
    import hashlib  # loads OpenSSL: a hook that only reads a prompt needs none

    while True:
        number = int.from_bytes(hashlib.sha256(f"{words}\n{salt}".encode("utf-8", "replace")).digest()[:8], "big")
        made = _LETTERS[number % 26]
        for _ in range(5):
            number //= 36
            made += _DIGITS[number % 36]
        if made not in taken:
            return made
        salt += 1
