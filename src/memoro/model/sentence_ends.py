"""Where a sentence ends: not after "10.", "e.g." or "./..."."""

import re
from collections.abc import Iterable
from itertools import pairwise

from memoro.model.phrases import compiled

_ABBREVIATIONS = (
    "e.g.", "i.e.", "etc.", "vs.", "approx.", "Dr.", "Mr.", "Mrs.", "Ms.", "Prof.", "St.", "Nr.", "z.B.", "d.h.",
    "bzw.", "ca.", "p.ej.",
)  # fmt: skip
_ABBREVIATION = rf"\b(?:{'|'.join(map(re.escape, _ABBREVIATIONS))})"
_LONGEST = 10  # characters at the end of a text that show one of these, and what stands before it
# Not after "10." or "e.g.": days and abbreviations end no sentence.
_END = re.compile(r"(?<=[.!?…])[\"”’')\]]*\s+|(?<=[。！？])")
_NO_END = re.compile(rf"(?:{_ABBREVIATION}|\bc\.|(?:^|\s)\w\.)[\"”’')\]]*\s*$")
_NUMBER = re.compile(r"\bNo\.\s*$")  # "No. 5"; else it is an answer
# The dots of a path: "go test ./... fails", "docker build . fails".
_PATH = re.compile(r"(?:/\.{1,3}|\s\.)[\"”’')\]]*\s*$")
_DAY = re.compile(r"(?:^|[\s(])\d{1,2}\.\s*$")
_AFTER_DAY = re.compile(r"[a-zäöü]|(?:Jan|Feb|Mär|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez)")


def split_sentences(line: str) -> list[str]:
    """Return the sentences of a line. Days ("am 10. Mai"), abbreviations and paths end none."""
    found: list[str] = []
    held = ""
    pieces = _pieces(line)
    for piece, after in zip(pieces, [*pieces[1:], ""], strict=False):
        held += piece
        end = held[-12:]  # the end only: else a long line of single letters would be searched again for each
        goes_on = (
            (_DAY.search(end) and _AFTER_DAY.match(after))
            or (_NUMBER.search(end) and after[:1].isdigit())
            or (_PATH.search(end) and not after[:1].isupper())
        )
        if not _NO_END.search(end) and not goes_on:
            found.append(held.strip())
            held = ""
    return [one for one in [*found, held.strip()] if one]


def join_abbreviated(parts: Iterable[str]) -> list[str]:
    """Return the parts of a text that was cut after full stops; no abbreviation ends one, and none is empty."""
    found: list[str] = []
    for part in parts:
        if found and part and _ends_abbreviated(found[-1]):
            found[-1] += f" {part}"
        elif part:
            found.append(part)
    return found


def _ends_abbreviated(text: str) -> bool:
    return text.endswith(_ABBREVIATIONS) and compiled(f"{_ABBREVIATION}$", 0).search(text[-_LONGEST:]) is not None


def _pieces(line: str) -> list[str]:
    ends = [0, *(match.end() for match in _END.finditer(line)), len(line)]
    return [line[a:b] for a, b in pairwise(ends) if a < b]
