"""Decode the bytes of a note, whatever program wrote them."""

from __future__ import annotations

import codecs

from memoro.errors import NoteUnreadable

_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_SNIFF = 8192
_BINARY = "It looks like a binary file; move it out of the vault or rename it."


def _as_windows_1252(error: UnicodeError) -> tuple[str, int]:
    """Decode bytes that are not UTF-8 as Windows-1252, their usual origin; its five gaps become U+FFFD."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    bad = error.object[error.start : error.end]
    return bad.decode("cp1252", errors="replace"), error.end


codecs.register_error("memoro-windows-1252", _as_windows_1252)


def decode(data: bytes) -> tuple[str, str | None]:
    """Return the text, and a notice if the encoding had to be guessed.

    UTF-8 with or without a mark, UTF-16 with one. Any other byte is read as Windows-1252, each by itself, so that
    the valid parts of a mixed file stay right.
    """
    if data.startswith(_UTF16):
        try:
            text = data.decode("utf-16")
        except UnicodeDecodeError as error:
            raise NoteUnreadable("It begins like UTF-16 and is not; save it as UTF-8.") from error
        if "\x00" in text[:_SNIFF]:  # UTF-32 begins like UTF-16
            raise NoteUnreadable(_BINARY)
        return text.replace("\x00", "\ufffd"), None
    if b"\x00" in data[:_SNIFF]:
        raise NoteUnreadable(_BINARY)
    data = data.removeprefix(codecs.BOM_UTF8)
    try:
        text, notice = data.decode("utf-8"), None
    except UnicodeDecodeError:
        text = data.decode("utf-8", errors="memoro-windows-1252")
        notice = "It is not all UTF-8; the rest was read as Windows-1252. Save it as UTF-8 to be sure."
    return text.replace("\x00", "\ufffd"), notice
