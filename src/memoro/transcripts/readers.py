"""The formats of conversation logs that are known. A new one is a file of its own and a line here."""

from __future__ import annotations

from collections.abc import Sequence

from memoro.transcripts.plain import Plain
from memoro.transcripts.ports import Reader

READERS: tuple[Reader, ...] = (Plain(),)
_SNIFFED = 20  # lines; a log may begin with records that are no messages


def recognise(lines: Sequence[str]) -> Reader | None:
    return next((reader for reader in READERS if reader.recognises(lines[:_SNIFFED])), None)
