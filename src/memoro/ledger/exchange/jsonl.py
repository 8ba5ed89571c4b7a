"""An export as JSON Lines: one record a line, the header first and the end last."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from memoro.ledger.exchange.records import ImportProblem, Record, from_document, to_document


def render(records: Iterable[Record]) -> Iterator[str]:
    """The same bytes for the same ledger, whenever and wherever it is exported."""
    for record in records:
        yield line(record)


def line(record: Record) -> str:
    return json.dumps(to_document(record), ensure_ascii=False, sort_keys=True)


def read(lines: Iterable[str]) -> Iterator[Record | ImportProblem]:
    for number, text in enumerate(lines, 1):
        if text.strip():
            yield record(text, number)


def record(text: str, number: int) -> Record | ImportProblem:
    try:
        return from_document(json.loads(text))
    except RecursionError:
        return ImportProblem(f"line {number}", "nested too deeply")
    except json.JSONDecodeError:
        return ImportProblem(f"line {number}", "not JSON")
    except ValueError as error:
        return ImportProblem(f"line {number}", str(error))
