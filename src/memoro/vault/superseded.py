"""Decide whether a note says that it is no longer true."""

from __future__ import annotations

import re
from collections.abc import Sequence

from memoro.vault.frontmatter import Frontmatter, strings

_FIELDS = ("superseded_by", "superseded-by", "supersededby", "replaced_by", "replaced-by", "ersetzt_durch")
_FLAGS = ("superseded", "deprecated", "obsolete", "outdated", "veraltet", "überholt")
_WORDS = r"(?:superseded|deprecated|obsolete|outdated|replaced|veraltet|überholt|ersetzt|abgelöst)"
_SAYS = re.compile(rf"{_WORDS}\b(?: (?:by|durch|von|in favou?r of|zugunsten von)\s+(?P<by>.+))?", re.IGNORECASE)
# A line such as "Status: superseded by [[Other]]"; decision records write it so, or below a heading "Status".
_LINE = re.compile(rf"\W*status\W*[:=]\W*(?P<said>{_WORDS}.*)", re.IGNORECASE)
_HEADING = re.compile(r"#+\s*status\W*$", re.IGNORECASE)
_TITLE = re.compile(rf"^\W*[\[(]\s*{_WORDS}\s*[\])]|[\[(]\s*{_WORDS}\s*[\])]\W*$|^~~.*~~$", re.IGNORECASE)
_LINK = re.compile(r"\[\[([^\]|#]*)[^\]]*\]\]|\[[^\]]*\]\(([^()\s]+)\)")
_LOOKED_AT = 30  # a note says it near its beginning


def superseded(front: Frontmatter, body: Sequence[str], title: str) -> str | None:
    """Return the name of what took a note's place, "" where the note names nothing, None where it still holds."""
    for field in _FIELDS:
        if named := _named(front.fields.get(field)):
            return named
    said = [name for one in strings(front.fields.get("status")) if (name := _said(one)) is not None]
    if said:
        return max(said)
    if any(_is_true(front.fields.get(flag)) for flag in _FLAGS) or is_marked_heading(title):
        return ""
    return _in_body(body[:_LOOKED_AT])


def is_marked_heading(heading: str) -> bool:
    """Return whether a heading is struck through, or says that what stands below it does not hold."""
    return _TITLE.search(heading.strip()) is not None


def _in_body(lines: Sequence[str]) -> str | None:
    for number, line in enumerate(lines):
        if "tatus" not in line and "TATUS" not in line:
            continue
        if found := _LINE.match(line):
            return _said(found["said"])
        if _HEADING.match(line):
            following = next((one for one in lines[number + 1 :] if one.strip()), "")
            return _said(following.strip(" *_-"))
    return None


def _said(text: str) -> str | None:
    found = _SAYS.match(text.strip(" *_\"'"))
    return _name(found["by"] or "") if found else None


def _named(value: object) -> str | None:
    while isinstance(value, list) and value:  # an unquoted [[link]] is a list in a list
        value = value[0]
    return _name(value) or None if isinstance(value, str) else None


def _name(text: str) -> str:
    """Return the note that a link names, or the text itself."""
    found = _LINK.search(text)
    return ((found[1] or found[2]) if found else text).strip(" .*_\"'")[:200]


def _is_true(value: object) -> bool:
    return isinstance(value, str) and value.strip().lower() in ("true", "yes", "ja", "1")
