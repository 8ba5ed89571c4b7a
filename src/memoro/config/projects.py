"""The project of a working folder: by the settings, its git remote, its git root, or the folder itself.

Git's files are read directly: a hook waits for this, and starting `git` would take longer than the whole answer.
"""

import os
import re
from collections.abc import Mapping, Sequence

from memoro.model.projects import Project, remote_name
from memoro.model.vocabulary import ProjectOrigin

_MOST_BYTES = 256 * 1024
_LEVELS = 64  # no folder lies deeper
_REMOTE = re.compile(r'\s*\[\s*remote\s+"(.*)"\s*\]')
_URL = re.compile(r"\s*url\s*=\s*(.+?)\s*$")


def project_of(folder: str, paths: Mapping[str, Sequence[str]], environment: Mapping[str, str]) -> Project | None:
    """Return the project of a folder; None for the person's home, the root and what is no folder's path.

    `paths` are the folders that the settings give to projects, by name. Clones and worktrees of one repository are
    one project. A folder that is gone belongs to the repository around it, if there is one.
    """
    if not folder.startswith(("/", "~")) or "\x00" in folder:
        return None
    home = os.path.realpath(environment.get("HOME") or os.path.expanduser("~"))
    real = os.path.realpath(_expanded(folder, home))
    named = _by_settings(real, paths, home)
    if named is None:
        return _unnamed(real, home)
    each = (_unnamed(os.path.realpath(_expanded(one, home)), home) for one in (real, *paths[named]))
    return Project(named, tuple(dict.fromkeys(name for one in each if one for name in (one.name, *one.known_as))))


def origin_of(name: str, paths: Mapping[str, Sequence[str]], environment: Mapping[str, str]) -> ProjectOrigin:
    """Return what said the name of a project: a folder's or a remote's name shows it, any other is a person's."""
    if name in paths:
        return "settings"
    if name.startswith(("/", "~")):
        home = os.path.realpath(environment.get("HOME") or os.path.expanduser("~"))
        return "git root" if _common_folder(os.path.join(_expanded(name, home), ".git")) else "folder"
    host, _, path = name.partition("/")
    return "git remote" if path and "." in host else "set-up"


def root_of(folder: str) -> str:
    """Return the working folder of the repository around a folder, else the folder itself. It may be gone."""
    at = folder
    for _ in range(_LEVELS):
        if not at.startswith("/") or at == "/" or os.path.realpath(at) == os.path.expanduser("~"):
            return folder
        if os.path.exists(os.path.join(at, ".git")):
            return at
        at = os.path.dirname(at)
    return folder


def _unnamed(real: str, home: str) -> Project | None:
    return _by_git(real, home) or _by_folder(real, home)


def _by_settings(real: str, paths: Mapping[str, Sequence[str]], home: str) -> str | None:
    """Return the project that the settings give the innermost folder around this one."""
    each = [(os.path.realpath(_expanded(one, home)), name) for name, several in paths.items() for one in several]
    around = [(len(one), name) for one, name in each if real == one or real.startswith(one.rstrip("/") + "/")]
    return max(around)[1] if around else None


def _by_folder(real: str, home: str) -> Project | None:
    return None if real in (home, "/") else Project(_shortened(real, home))


def _by_git(real: str, home: str) -> Project | None:
    at = real
    for _ in range(_LEVELS):
        if at in (home, "/"):  # a home under version control is no project
            return None
        if common := _common_folder(os.path.join(at, ".git")):
            return _repository(common, home)
        at = os.path.dirname(at)
    return None


def _common_folder(git: str) -> str | None:
    """Return the folder that all worktrees of a repository share; None where there is no repository."""
    if os.path.isdir(git):
        return os.path.realpath(git) if os.path.exists(os.path.join(git, "HEAD")) else None
    pointer = _read(git)
    if pointer is None or not pointer.startswith("gitdir:"):
        return None
    own = os.path.realpath(os.path.join(os.path.dirname(git), pointer.partition(":")[2].strip()))
    common = _read(os.path.join(own, "commondir"))
    return os.path.realpath(os.path.join(own, common.strip())) if common else own


def _repository(common: str, home: str) -> Project:
    is_inside = os.path.basename(common) == ".git"
    root = os.path.dirname(common) if is_inside else common.removesuffix(".git")
    local = _shortened(root, home)
    url = _remote(_read(os.path.join(common, "config")) or "")
    name = (remote_name(url) or _local_remote(url, root, home)) if url else local
    return Project(name, (local,) if name != local else ())


def _remote(config: str) -> str | None:
    """Return the address of `origin`, else of the first remote."""
    found: dict[str, str] = {}
    remote: str | None = None
    for line in config.splitlines():
        if line.lstrip().startswith("["):
            section = _REMOTE.match(line)
            remote = section[1] if section else None
        elif remote is not None and (url := _URL.match(line)):
            found.setdefault(remote, url[1].strip('"'))
    return found.get("origin") or next(iter(found.values()), None)


def _local_remote(url: str, root: str, home: str) -> str:
    """Return the folder that a local address names: a clone of it is the same project."""
    path = os.path.realpath(os.path.join(root, _expanded(url.removeprefix("file://"), home)))
    return _shortened(path.removesuffix("/.git").removesuffix(".git"), home)


def _expanded(path: str, home: str) -> str:
    """Return the path with the person's home for `~`: of the environment given, not of this process."""
    return home + path[1:] if path == "~" or path.startswith("~/") else path


def _shortened(path: str, home: str) -> str:
    return f"~{path[len(home) :]}" if path.startswith(f"{home}/") else path


def _read(file: str) -> str | None:
    try:
        with open(file, "rb") as opened:
            return opened.read(_MOST_BYTES).decode("utf-8", "replace")
    except (OSError, ValueError):
        return None
