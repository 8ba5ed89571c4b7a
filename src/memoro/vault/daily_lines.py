"""The project of a line in a daily note: the tag `#project/NAME` at its end, which agents write there."""

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from memoro.model.projects import belongs, tag_name

if TYPE_CHECKING:
    from memoro.model.belonging import KnownProject

_TAG = re.compile(r"(?:^|\s)#project/([\w/-]+)\s*(?:\^[\w-]+\s*)?$", re.IGNORECASE)


LineTest = Callable[[str, str], bool]  # by a line and the title of the heading above it


def tagged(text: str, project: str | None) -> str:
    """Return a line with the tag of its project."""
    return f"{text} #project/{tag_name(project)}" if project and project_of_line(text) is None else text


def project_of_line(line: str) -> str | None:
    found = _TAG.search(line) if "#project/" in line.lower() else None
    return found[1].strip("/") if found else None


def without_foreign(lines: Sequence[str], projects: tuple[str, ...], instead: str = "") -> list[str]:
    """Return the lines, with another text for those of other projects: the numbers of the others stay true."""
    return [line if belongs(project_of_line(line), projects) else instead for line in lines]


def of_project_test(own: "KnownProject", *, is_under: bool = False) -> LineTest:
    """Return a test for the lines of a day that carry the project's tag, name it, or stand under its heading.

    Any other line of a person is a diary. `is_under`: the heading above the first line names the project.
    """
    from memoro.model.belonging import names_project

    def is_own(line: str, heading: str) -> bool:
        project = project_of_line(line)
        if project is not None:
            return belongs(project, own.patterns)
        return names_project(line, own) or (names_project(heading, own) if heading else is_under)

    return is_own


def lines_that(lines: Sequence[str], passes: LineTest) -> list[int]:
    """Return the lines of text that pass, counted from 0, and the headings above them that are among the lines."""
    kept: list[int] = []
    heading = ""
    at: int | None = None
    for number, line in enumerate(lines):
        if line.startswith("#") and line.lstrip("#").startswith(" "):
            heading, at = line.lstrip("# "), number
        elif line.strip() and passes(line, heading):
            kept += [number] if at is None or at in kept else [at, number]
    return kept
