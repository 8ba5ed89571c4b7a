"""Values on their way into columns and back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from memoro.model.values import is_text as is_text
from memoro.model.values import require_number


def is_number(number: int) -> bool:
    """Return whether SQLite can store it as a row number. Raise QueryError for what is no number."""
    return 0 < require_number(number, "number") < 2**63


def to_json(fields: Mapping[str, Any] | None) -> str | None:
    return None if fields is None else json.dumps(dict(fields), ensure_ascii=False)


def from_json(text: str | None) -> Mapping[str, Any] | None:
    """Lists come back as tuples, which values are made of."""
    if text is None:
        return None
    fields = json.loads(text)
    return {name: tuple(value) if isinstance(value, list) else value for name, value in fields.items()}
