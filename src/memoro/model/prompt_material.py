"""Material for a language model: records of JSON, a line each, between marks that nothing inside can close."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence

MATERIAL_TAG = "memoro-material"

MaterialRecord = Mapping[str, object]


def record_lines(records: Iterable[MaterialRecord]) -> str:
    """Return records of JSON, one a line. No text in them can begin a line or a tag."""
    return "".join(record_line(record) + "\n" for record in records)


def record_line(record: MaterialRecord) -> str:
    """Return one record on one line: line ends of every script and `<` are escaped."""
    line = json.dumps(record, ensure_ascii=False).replace("<", "\\u003c")
    return "".join(c if c == " " or not c.isspace() else f"\\u{ord(c):04x}" for c in line)


def records_in(material: str) -> list[dict[str, object]]:
    """Return the records of material, fenced or not."""
    found = (_record(line) for line in material.splitlines())
    return [record for record in found if record is not None]


def mapped_material(material: str, change: Callable[[str], str]) -> str:
    """Return material with every text in it changed: the values of its records, and lines that are no record."""
    lines = ((line, _record(line)) for line in material.splitlines())
    return "".join(
        (change(line) if record is None else record_line(_mapped_record(record, change))) + "\n"
        for line, record in lines
    )


def fenced_material(material: str, draw: Callable[[], str]) -> str:
    """Return material between marks, with a boundary that it does not hold. `draw` makes one nobody can guess."""
    boundary = draw()
    while boundary in material:
        boundary = draw()
    body = material if not material or material.endswith("\n") else material + "\n"
    return f'<{MATERIAL_TAG} boundary="{boundary}">\n{body}{boundary}</{MATERIAL_TAG}>'


def _record(line: str) -> dict[str, object] | None:
    if not line.startswith("{"):
        return None
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _mapped_record(record: MaterialRecord, change: Callable[[str], str]) -> MaterialRecord:
    return {change(name): _mapped(value, change) for name, value in record.items()}


def _mapped(value: object, change: Callable[[str], str]) -> object:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, Mapping):
        return _mapped_record(value, change)
    if isinstance(value, Sequence):
        return [_mapped(one, change) for one in value]
    return value
