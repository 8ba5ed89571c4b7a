"""What a person typed themselves in a message: without what pages, tools and templates say in another's name."""

from __future__ import annotations

import re

from memoro.model.visible import visible

MOST_CHARACTERS = 20_000  # of one message; nobody types more
_LONG_LINE = 2_000  # characters of one line that somebody typed, at most
# Blocks that a person pastes, and that pages and tools use to speak in another's name.
_CODE = re.compile(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1[ \t]*$|\Z)", re.DOTALL | re.MULTILINE)
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)|%%.*?(?:%%|\Z)|\[//\]:[^\n]*", re.DOTALL)
_ELEMENT = re.compile(r"<([A-Za-z][\w:.-]*)(?:\s[^<>]*)?>.*?(?:</\1\s*>|\Z)", re.DOTALL)
_QUOTED = re.compile(r"^[ \t]*[>|].*$", re.MULTILINE)
# The label of another speaker, or the mark of a chat template: what follows was not typed by the owner.
_OTHER_VOICE = re.compile(
    r"^[ \t]*(?:[#*_> \t-]{0,12}\b(?:system|assistant|developer|tool|user|human|ai|agent|claude|chatgpt|gemini|codex|"
    r"function|memoro|benutzer|assistent)(?:\s+(?:prompt|message|note|notice|reminder|output|result|instructions?))?"
    r"[*_]*\s*[:：>]|\[/?(?:INST|SYS|SYSTEM)\b|<<\s*SYS|<\|)",
    re.IGNORECASE | re.MULTILINE,
)


def typed_text(text: str) -> str:
    """Return what a person typed, without code, quotations, markup, and text in another's name."""
    if len(text) > MOST_CHARACTERS:
        return ""
    seen = without_other_voices(text)
    for pattern in (_CODE, _ELEMENT, _QUOTED):
        seen = pattern.sub("\n", seen)
    return "\n".join(line for line in seen.split("\n") if len(line) <= _LONG_LINE).strip()


def without_other_voices(text: str) -> str:
    """Return a message up to where it goes on in another's name, without comments; nothing if much is hidden."""
    seen = visible(text)
    if len(seen) < len(text) * 0.9:  # hidden characters are no slip of a keyboard
        return ""
    seen = _COMMENT.sub("\n", seen)
    other = _OTHER_VOICE.search(seen)
    return seen[: other.start()] if other else seen
