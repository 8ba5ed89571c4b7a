"""The `[extracted]` lines of daily notes: a fact that the owner stated in a conversation, and where they said it.

- 14:30 [extracted] I moved to Porto in May. (fact, claude 1e2f3a4b5c6d:214) #project/shop
"""

import re
from collections.abc import Iterable
from typing import NamedTuple

from memoro.model.notes import WITHIN
from memoro.model.phrases import compiled
from memoro.model.vocabulary import FACT_KINDS, FactKind

MARK = "[extracted]"
_NAME_CHARACTERS = 40
_UUID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-([0-9a-f]{12})$"
_ENDINGS = r"(?:\.(?:jsonl?|zst|db|sqlite|txt|gz))+$"
_LINE = (
    r"\s*(?:[-*+]\s+)?(?:(?P<at>\d\d:\d\d)\s+)?\[extracted\]\s+(?P<text>\S.*?)\s+"
    rf"\((?P<kind>{'|'.join(FACT_KINDS)}), (?P<agent>[\w.~-]+) (?P<conversation>[\w.~-]+):(?P<line>\d{{1,9}})\)"
    r"(?:\s+#project/(?P<project>[\w/-]+))?(?:\s+\^[\w-]+)?\s*"
)
_BEGINNING = r"\s*(?:[-*+]\s+)?(?:\d\d:\d\d\s+)?\[extracted\](?:\s|$)"


class ExtractedLine(NamedTuple):
    """The content of an `[extracted]` line."""

    text: str  # in the words of the owner
    kind: FactKind
    agent: str  # whose log it is
    conversation: str  # as `conversation_name` names the log
    line: int  # of the log
    at: str | None = None  # HH:MM
    project: str | None = None  # as its tag names it


def line_text(said: ExtractedLine) -> str:
    """Return what a daily line says, without the bullet, the time and the tag that every line of an agent gets."""
    return f"{MARK} {said.text} ({said.kind}, {said.agent} {said.conversation}:{said.line})"


def parse_line(line: str) -> ExtractedLine | None:
    """Return what a line says; None for any other line, and for one that its owner has rewritten beyond its form."""
    found = compiled(_LINE).fullmatch(line) if "[extracted]" in line.lower() else None
    if found is None:
        return None
    kind = next(one for one in FACT_KINDS if one == found["kind"].lower())
    return ExtractedLine(
        text=found["text"],
        kind=kind,
        agent=found["agent"],
        conversation=found["conversation"],
        line=int(found["line"]),
        at=found["at"],
        project=found["project"],
    )


def is_extracted(line: str) -> bool:
    """Return whether a line of a daily note was extracted, also where its owner has changed its end."""
    return "[extracted]" in line.lower() and compiled(_BEGINNING).match(line) is not None


def without_extracted(text: str) -> str:
    """Return a passage of a daily note without its extracted lines."""
    if MARK not in text:
        return text
    return "\n".join(line for line in text.split("\n") if not is_extracted(line))


def agent_name(path: str) -> str:
    """Return whose log a path names: `@claude/…` is one of `claude`."""
    name = path[1:].partition("/")[0] if path.startswith("@") else ""
    return _safe(name) or "log"


def conversation_name(path: str) -> str:
    """Return a short name of the conversation that a log holds, by the name of its file, or of its part of it.

    Of an id such as agents give their sessions it is the last block, which is as good as unique.
    """
    bare = _bare_name(path)
    found = compiled(_UUID).search(bare)
    return found[1].lower() if found else _safe(bare)[-_NAME_CHARACTERS:].lstrip("-") or "log"


def session_name(path: str) -> str:
    """Return the id that the agent gave a conversation, as far as the name of its log tells."""
    bare = _bare_name(path)
    found = compiled(_UUID).search(bare)
    return found[0] if found else bare


def is_from(said: ExtractedLine, paths: Iterable[str]) -> bool:
    """Return whether one of these logs is where the line comes from."""
    return any(said.conversation == conversation_name(path) and said.agent == agent_name(path) for path in paths)


def _bare_name(path: str) -> str:
    return compiled(_ENDINGS).sub("", path.partition(WITHIN)[2] or path.rstrip("/").rpartition("/")[2])


def _safe(name: str) -> str:
    return re.sub(r"[^\w.~-]+", "-", name).strip("-")
