"""Walk folders by directory descriptors and list their files."""

import errno
import os
import stat
import time
from operator import attrgetter
from typing import NamedTuple

from memoro.model.feedback_places import is_feedback_file
from memoro.model.notes import Problem, Stamp
from memoro.vault.contents import reason, stamp_of, with_wal
from memoro.vault.patterns import IgnorePatterns, LogFolder, NoteFolder

MAX_DEPTH = 64  # folders in folders; each costs a descriptor during the walk
FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_LINK = "It is a symbolic link, and links are not followed; name its target in vault.extra."


class Identity(NamedTuple):
    """The data that distinguish this vault from another one at the same place."""

    device: int
    inode: int
    names: tuple[str, ...]  # a sample of the names at the top

    def __str__(self) -> str:
        return "/".join((str(self.device), str(self.inode), *self.names))

    @staticmethod
    def parse(text: str) -> "Identity":
        device, inode, *names = text.split("/")
        return Identity(int(device), int(inode), tuple(names))


NOWHERE = Identity(0, 0, ())


class Listing(NamedTuple):
    """The files that a walk found, and the folders that it could not list."""

    files: dict[str, Stamp]
    problems: tuple[Problem, ...]
    unlisted: tuple[str, ...]  # path prefixes that could not be listed: files below them do not count as gone
    identity: Identity


class Walk:
    """The results of one walk so far."""

    def __init__(self, ignored: IgnorePatterns) -> None:
        self.files: dict[str, Stamp] = {}
        self.problems: list[Problem] = []
        self.unlisted: list[str] = []
        self._ignored = ignored
        # files, and folders together with the kind of file
        self._seen: set[tuple[int, int] | tuple[int, int, bool]] = set()

    def folder(self, descriptor: int, prefix: str, depth: int, chosen: LogFolder | NoteFolder | None) -> None:
        """List the notes in a folder; the logs or the notes that `chosen` admits, where it is given."""
        logs = chosen if isinstance(chosen, LogFolder) else None
        notes = chosen if isinstance(chosen, NoteFolder) else None
        status = os.fstat(descriptor)
        if (status.st_dev, status.st_ino, logs is None) in self._seen:
            return
        self._seen.add((status.st_dev, status.st_ino, logs is None))
        try:
            with os.scandir(descriptor) as found:
                entries = sorted(found, key=attrgetter("name"))
        except OSError as error:
            self._unlisted(prefix, reason(error))
            return
        ignored = self._ignored
        for entry in entries:
            name = entry.name
            if name[0] == "." or name in ignored.names or (ignored.more and ignored(name, prefix)):
                continue
            try:
                if entry.is_dir(follow_symlinks=False):
                    enters = notes is None or notes.enters(_below(prefix + name))
                    if enters and (logs is None or depth or logs.enters(name)):
                        self._enter(name, f"{prefix}{name}/", descriptor, depth + 1, chosen)
                elif logs is not None:
                    self._log(entry, prefix + name, logs)
                elif notes is not None and not notes.admits(_below(prefix + name)):
                    continue
                elif name.endswith(".md") or name[-3:].lower() == ".md":
                    self._note(entry.stat(follow_symlinks=False), prefix + name)
                elif entry.is_symlink() and "." not in name:
                    self._skip(prefix + name, _LINK)
            except OSError as error:
                if error.errno != errno.ENOENT:  # it was deleted during the walk, which is no problem
                    sentence = f"It cannot be examined: {reason(error)}."
                    self.problems.append(Problem(storable(prefix + name), "failed", sentence))

    def _log(self, entry: os.DirEntry[str], path: str, logs: LogFolder) -> None:
        if path.endswith("-wal") and path[:-4] in self.files:  # names are sorted: it comes after its database
            self.files[path[:-4]] = with_wal(self.files[path[:-4]], entry.stat(follow_symlinks=False))
        elif logs.admits(_below(path)):
            status = entry.stat(follow_symlinks=False)
            if logs.since is None or _day_of(status) >= logs.since:
                self._note(status, path)

    def _enter(self, name: str, prefix: str, parent: int, depth: int, chosen: LogFolder | NoteFolder | None) -> None:
        if depth > MAX_DEPTH:
            self._unlisted(prefix, f"it lies more than {MAX_DEPTH} folders deep")
            return
        try:
            descriptor = os.open(name, FOLDER_FLAGS, dir_fd=parent)
        except OSError as error:
            if error.errno != errno.ENOENT:
                self._unlisted(prefix, reason(error))
            return
        try:
            self.folder(descriptor, prefix, depth, chosen)
        finally:
            os.close(descriptor)

    def _note(self, status: os.stat_result, path: str) -> None:
        if not stat.S_ISREG(status.st_mode):
            self._skip(path, _LINK if stat.S_ISLNK(status.st_mode) else "It is not a regular file.")
        elif not is_storable(path):
            self._skip(path, "Its name is not valid UTF-8; rename it.")
        elif (identity := (status.st_dev, status.st_ino)) not in self._seen:
            self._seen.add(identity)  # feedback too: no other path leads to it
            if not is_feedback_file(path):
                self.files[path] = stamp_of(status)

    def _skip(self, path: str, sentence: str) -> None:
        self.problems.append(Problem(storable(path), "skipped", sentence))

    def _unlisted(self, prefix: str, why: str) -> None:
        self.unlisted.append(prefix)
        self.problems.append(Problem(storable(prefix), "failed", f"This folder cannot be listed: {why}."))


def _below(path: str) -> str:
    """The path below a folder whose name, after an @, it begins with."""
    return path.partition("/")[2]


def _day_of(status: os.stat_result) -> str:
    try:
        return time.strftime("%Y-%m-%d", time.localtime(status.st_mtime))
    except (ValueError, OverflowError, OSError):
        return "1970-01-01"


def is_storable(path: str) -> bool:
    """Return whether the name is real text: bytes that are not UTF-8 reach Python as lone surrogates."""
    return path.isascii() or not any("\ud800" <= character <= "\udfff" for character in path)


def storable(path: str) -> str:
    return path if is_storable(path) else path.encode("utf-8", "replace").decode()
