"""The digest of one session, as its note has it."""

from __future__ import annotations

import re
from typing import NamedTuple

_GIST_CHARACTERS, _RESULT_CHARACTERS = 110, 30  # of the line of a day
_SHIPPED = re.compile(r"`(?:git |gh |glab |helm |kubectl |terraform apply|tofu apply|\S*deploy)")


class SessionDigest(NamedTuple):
    """The lines of a session's note. Each carries a fact; a session without any has an empty digest."""

    title: str = ""  # what was done
    decisions: tuple[str, ...] = ()  # each with its reason, where one was given
    files: tuple[str, ...] = ()  # that were changed, relative to the project's folder
    commands: tuple[str, ...] = ()  # that mattered
    errors: tuple[str, ...] = ()  # each with what solved it
    open: tuple[str, ...] = ()  # what is left to do or to decide

    def __bool__(self) -> bool:
        return any(self[1:])


def session_line(digest: SessionDigest) -> str:
    """Return one line that says what was done: the title, the first decision or result, and how much is open."""
    gist = _gist(digest)
    count = len(digest.open)
    left = f" ({count} open item{'s' if count != 1 else ''})" if count else ""
    return f"{digest.title or 'Session'}{f' — {gist}' if gist else ''}{left}"


def _gist(digest: SessionDigest) -> str:
    """Return the first decision, error or change that says more than the title, and what was shipped."""
    changed = f"changed {', '.join(digest.files[:3])}" if digest.files else ""
    told = next((line for line in (*digest.decisions, *digest.errors, changed) if _adds(digest.title, line)), "")
    if len(told) > _GIST_CHARACTERS:
        told = told.rpartition(" → ")[2]  # the answer without its question
    results = [line for line in digest.commands if _SHIPPED.match(line) and " → " in line]
    shipped = results[-1].rpartition(" → ")[2] if results else ""
    return "; ".join(part for part in (_cut(told, _GIST_CHARACTERS), _cut(shipped, _RESULT_CHARACTERS)) if part)


def _adds(title: str, line: str) -> bool:
    """Return whether a line says more than the title does."""
    told, known = _words(line), _words(title)
    return bool(told) and len(told & known) < 0.8 * len(told)


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w{2,}", text.casefold()))


def _cut(text: str, limit: int) -> str:
    """Return at most `limit` characters, cut at the end of a word, without the stop at its end."""
    text = text.rstrip(".。 ")
    if len(text) <= limit:
        return text
    cut = text[: limit - 1]
    space = cut.rfind(" ", limit // 2)
    return f"{cut[: space if space > 0 else limit - 1].rstrip(' ,;:(')}…"
