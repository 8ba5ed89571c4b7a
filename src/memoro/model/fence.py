"""The marks around what Memoro puts before an agent, so that it is known again when it comes back in a log."""

from __future__ import annotations

import re

FENCE_TAG = "memoro-context"
FENCE_OPEN = f"<{FENCE_TAG}"  # may go on with attributes
FENCE_CLOSE = f"</{FENCE_TAG}>"

_fenced = re.compile(rf"<{FENCE_TAG}(?=[\s>/])(?:(?!</{FENCE_TAG}>).)*(?:</{FENCE_TAG}>|\Z)", re.DOTALL)


def without_fenced(text: str) -> str:
    """The text without our own blocks; one that is never closed goes on to the end."""
    return _fenced.sub("", text) if FENCE_OPEN in text else text
