"""The project of a line in a daily note: the tag `#project/NAME` at its end, which agents write there."""

import re
from collections.abc import Sequence

from memoro.model.projects import belongs, tag_name

_TAG = re.compile(r"(?:^|\s)#project/([\w/-]+)\s*(?:\^[\w-]+\s*)?$", re.IGNORECASE)


def tagged(text: str, project: str | None) -> str:
    """Return a line with the tag of its project."""
    return f"{text} #project/{tag_name(project)}" if project and project_of_line(text) is None else text


def project_of_line(line: str) -> str | None:
    found = _TAG.search(line) if "#project/" in line.lower() else None
    return found[1].strip("/") if found else None


def without_foreign(lines: Sequence[str], projects: tuple[str, ...], instead: str = "") -> list[str]:
    """Return the lines, with another text for those of other projects: the numbers of the others stay true."""
    return [line if belongs(project_of_line(line), projects) else instead for line in lines]
