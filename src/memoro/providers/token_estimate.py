"""Estimate the tokens of a text without the model's tokenizer: rather too many than too few."""

from __future__ import annotations

# Eighths of a token for each byte of UTF-8. A common English word is one token whatever its length, yet names, German
# words and pieces of code are several, so letters and spaces count by their number. Some models take each digit by
# itself. Capitals stand in names of code and in encoded bytes, of which a token covers little.
_WHOLE = 8
_SMALL_LETTER, _CAPITAL, _PUNCTUATION = 2, 4, 6
# The first byte of a character tells how long it is; the others add nothing. Cyrillic letters need half a token,
# Greek and Hebrew ones about one. Chinese, Japanese, Korean and Indian characters need 1 to 1.9; an emoji 2 or 3.
_OF_TWO_BYTES, _OF_THREE_BYTES, _OF_FOUR_BYTES = 8, 14, 24


def _weight(byte: int) -> int:
    if byte >= 0x80:
        return (
            0 if byte < 0xC0 else _OF_TWO_BYTES if byte < 0xE0 else _OF_THREE_BYTES if byte < 0xF0 else _OF_FOUR_BYTES
        )
    character = chr(byte)
    if character.islower() or character == " ":
        return _SMALL_LETTER
    if character.isupper():
        return _CAPITAL
    return _PUNCTUATION if character.isprintable() and not character.isdigit() else _WHOLE


_WEIGHTS = bytes(map(_weight, range(256)))


def estimated_tokens(text: str) -> int:
    """Return about how many tokens a model counts for a text: for prose a quarter more than it will say.

    Only random letters and rare characters may count for more. The estimate of a text is never above that of its
    parts together, and never below that of a part.
    """
    eighths = sum(text.encode("utf-8", "surrogatepass").translate(_WEIGHTS))
    return (eighths + _WHOLE - 1) // _WHOLE
