"""The names of a project: the full one that items carry, the short one for people, and how names are compared.

A full name is a git remote (`github.com/acme/api`) or a folder (`~/src/api`). A person writes short names: `api`.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

_ANY_BEFORE = "*"  # begins a pattern: the name of any project that ends so
_SEPARATORS = "-_ "
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_SHORT_SSH = re.compile(r"(?:[^@/\s]+@)?([^:/\s]+):(?!//)(.+)")  # git@github.com:acme/api.git


class Project(NamedTuple):
    """A project, and the other full names under which items of it may have been kept."""

    name: str
    known_as: tuple[str, ...] = ()


def remote_name(url: str) -> str | None:
    """Return host and path of a remote's address, without user, password, port and `.git`; None for a local one."""
    if _SCHEME.match(url):
        host, _, path = url.partition("://")[2].partition("/")
        host = "" if url.lower().startswith("file:") else host.rpartition("@")[2].partition(":")[0]
    elif short := _SHORT_SSH.fullmatch(url):
        host, path = short[1], short[2]
    else:
        return None
    path = "/".join(part for part in path.partition("?")[0].split("/") if part).removesuffix(".git")
    return f"{host.lower()}/{path}" if host and path else None


def short_name(project: str) -> str:
    """Return the name for people: the last part."""
    return project.rstrip("/").rpartition("/")[2] or project


def tag_name(project: str) -> str:
    """Return the part after `#project/` of a tag: owner and repository of a remote, else the short name."""
    is_folder = project.startswith(("/", "~"))
    parts = project.strip("/").split("/")
    chosen = parts[-2:] if len(parts) > 2 and not is_folder else parts[-1:]
    return "/".join(map(_as_tag, chosen))


def _as_tag(part: str) -> str:
    """Obsidian allows letters, digits, `_` and `-` in a tag, and not digits alone."""
    spelled = "".join(one if one.isalnum() or one == "_" else " " for one in part)
    text = "-".join(spelled.split()) or "project"
    return f"p{text}" if text.isdigit() else text


@lru_cache(maxsize=256)
def name_patterns(project: str, known_as: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Return patterns for the names that mean this project, for `means`.

    A full name means itself, and its short names as people write them. A short name means every project that ends
    with it: its writer named no other.
    """
    found: dict[str, None] = {}
    for name in (project, *known_as):
        if "/" not in name.strip("/"):
            found |= dict.fromkeys((*_spellings(name), *(f"{_ANY_BEFORE}/{one}" for one in _spellings(name))))
            continue
        found |= dict.fromkeys((name, *_spellings(short_name(name)), tag_name(name)))
        if not name.startswith(("/", "~")):
            found["/".join(name.split("/")[-2:])] = None
    return tuple(found)


def _spellings(name: str) -> list[str]:
    """Return the name with each separator that people put between its words, and as a tag has it."""
    words = "".join(" " if one in _SEPARATORS else one for one in name)
    return list(dict.fromkeys([name, *(words.replace(" ", one) for one in _SEPARATORS), tag_name(name)]))


def means(pattern: str, project: str) -> bool:
    """Return whether a pattern means this project. Case does not count, in ASCII: so compares the index."""
    wanted, found = ascii_lower(pattern), ascii_lower(project)
    return found.endswith(wanted[1:]) if wanted.startswith(_ANY_BEFORE) else found == wanted


def resolved_names(names: Iterable[str]) -> dict[str, str]:
    """Return the full name that each name means. A short name that means none of these, or several, stays itself."""
    every = list(dict.fromkeys(names))
    found: dict[str, str] = {}
    for name in every:
        is_full = "/" in name.strip("/")
        meant = [] if is_full else [one for one in every if "/" in one and belongs(one, name_patterns(name))]
        found[name] = meant[0] if len(meant) == 1 else name
    return found


def belongs(project: str | None, patterns: tuple[str, ...]) -> bool:
    """Return whether an item of a project is seen where these patterns bind: items of no project are shared."""
    return project is None or not patterns or any(means(pattern, project) for pattern in patterns)


def ascii_lower(text: str) -> str:
    if text.isascii():
        return text.lower()
    return "".join(one.lower() if one.isascii() else one for one in text)
