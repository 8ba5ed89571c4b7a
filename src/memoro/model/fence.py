"""The marks around context that Memoro gives to an agent, so that logs do not bring it back as new text."""

from __future__ import annotations

import re

FENCE_TAG = "memoro-context"
FENCE_OPEN = f"<{FENCE_TAG}"  # attributes may follow
FENCE_CLOSE = f"</{FENCE_TAG}>"

_fenced = re.compile(rf"<{FENCE_TAG}(?=[\s>/])(?:(?!</{FENCE_TAG}>).)*(?:</{FENCE_TAG}>|\Z)", re.DOTALL)


def without_fenced(text: str) -> str:
    """Return the text without Memoro's own blocks. An unclosed block extends to the end."""
    return _fenced.sub("", text) if FENCE_OPEN in text else text
