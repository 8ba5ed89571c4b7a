"""The only door to the files of a vault. It walks by directory descriptors and cannot be led outside."""

from __future__ import annotations

import errno
import os
import re
import stat
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import lru_cache
from operator import attrgetter
from typing import NamedTuple

from memoro.errors import ConfigError, NoteNotFound, NoteTooLarge, NoteUnreadable, VaultMissing
from memoro.model.guard import outside_transactions
from memoro.model.notes import Problem, Stamp
from memoro.model.vocabulary import BOTH, LOGS, VAULT, Half, SyncPart

MAX_BYTES = 2 * 1024 * 1024  # a longer file is no note: its name is indexed, its text is not
MAX_DOCUMENT_BYTES = 256 * 1024 * 1024  # a log that is one document is held whole while it is read; lines are not
MAX_DATABASE_BYTES = 4 * 1024**3  # a database is copied before it is read
MAX_DEPTH = 64  # folders in folders; each costs a descriptor while it is walked
YOUNG_NS = 2_000_000_000  # the coarsest clock of a file system that people use
_SAMPLE = 64  # names that tell one vault from another

_LINK = "It is a symbolic link, and links are not followed; name its target in vault.extra."
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
# Below a folder of logs: notes, and what a database keeps beside itself.
_NO_LOGS = (".md", "-wal", "-shm", "-journal")
_BLOCK = 1024 * 1024


class Identity(NamedTuple):
    """What tells this vault from another one at the same place."""

    device: int
    inode: int
    names: tuple[str, ...]  # a sample of what stands at the top

    def __str__(self) -> str:
        return "/".join((str(self.device), str(self.inode), *self.names))

    @staticmethod
    def parse(text: str) -> Identity:
        device, inode, *names = text.split("/")
        return Identity(int(device), int(inode), tuple(names))


NOWHERE = Identity(0, 0, ())


class Listing(NamedTuple):
    """Everything a walk found, and everything it could not look into."""

    files: dict[str, Stamp]
    problems: tuple[Problem, ...]
    unlisted: tuple[str, ...]  # path prefixes that could not be listed: nothing below them is known to be gone
    identity: Identity


class Content(NamedTuple):
    data: bytes
    stamp: Stamp
    trusted: bool  # whether the stamp can stand for the bytes: not when a second write could carry the same one


class LogFolder(NamedTuple):
    """A folder of conversation logs, and which of its files are meant."""

    folder: str
    name: str = ""  # what its paths begin with, after the @; the folder's own if none is given
    only: tuple[str, ...] = ()  # patterns of paths below it; none: all
    since: str | None = None  # logs last written before this day are left out
    ignore: tuple[str, ...] = ()  # names and patterns of files and folders, or paths below it, that are not meant

    def admits(self, path: str) -> bool:
        if path.lower().endswith(_NO_LOGS) or (self.ignore and _ignored(self.ignore).any_of(path.split("/"))):
            return False
        return not self.only or any(_matches(path, pattern) for pattern in self.only)

    def enters(self, name: str) -> bool:
        """Whether anything that is meant can stand below this folder at the top."""
        return not self.only or any("/" in p and _matches(name, p.partition("/")[0]) for p in self.only)


class Log:
    """A log that is open: its bytes, from anywhere in it, as often as needed."""

    def __init__(self, descriptor: int, beside: os.stat_result | None) -> None:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise NoteUnreadable("It is not a regular file.")
        self._descriptor = descriptor
        self.stamp = _with_log(_stamp(status), beside)
        self.size = status.st_size
        young = time.time_ns() - max(self.stamp.mtime_ns, self.stamp.ctime_ns)
        self.trusted = abs(young) >= YOUNG_NS

    def read(self, offset: int, size: int) -> bytes:
        try:
            return os.pread(self._descriptor, size, offset)
        except OSError as error:
            raise NoteUnreadable(f"It cannot be read: {_reason(error)}.") from error

    def blocks(self, offset: int = 0) -> Iterator[bytes]:
        """All that was in it when it was opened, from there on, up to where it may have been cut meanwhile."""
        while offset < self.size:
            block = self.read(offset, min(_BLOCK, self.size - offset))
            if not block:
                return
            yield block
            offset += len(block)


class VaultFiles:
    """Reads notes below one folder, and notes or logs below others, whose paths begin with `@name/`."""

    def __init__(
        self,
        root: str,
        *,
        extra: Sequence[str] = (),
        transcripts: Sequence[str | LogFolder] = (),
        ignore: Sequence[str] = (),
    ) -> None:
        self.root = os.path.realpath(os.path.expanduser(root))
        logs = [LogFolder(one) if isinstance(one, str) else one for one in transcripts]
        named = _named_roots([(folder, "") for folder in extra] + [(log.folder, log.name) for log in logs])
        self._roots = {"": self.root, **named}
        self._logs = {_prefix(log.folder, log.name)[0]: log for log in logs}  # below these stand logs, not notes
        self._ignored = _Ignored(ignore)

    @property
    def folders(self) -> tuple[str, ...]:
        return tuple(self._roots.values())

    def side(self, path: str) -> Half:
        """To which half of a sync a path belongs, of a file or of a folder."""
        return LOGS if self._split(path)[0] in self._logs else VAULT

    def concerned(self, file: str, is_folder: bool) -> set[Half]:
        """Which halves of a sync a change at this place of the disk may concern: none of what is ignored."""
        found: set[Half] = set()
        for prefix, folder in self._roots.items():
            inner = "" if file == folder else file[len(folder) + 1 :] if file.startswith(f"{folder}/") else None
            if inner is None:
                continue
            parts = inner.split("/") if inner else []
            if any(part[0] == "." for part in parts) or self._ignored.any_of(parts):
                continue
            logs = self._logs.get(prefix)
            if logs is None:
                if is_folder or inner[-3:].lower() == ".md":
                    found.add(VAULT)
            elif is_folder or logs.admits(inner.removesuffix("-wal")):
                found.add(LOGS)
        return found

    def list(self, what: SyncPart = BOTH) -> Listing:
        """Every note and log below the roots, each file once, however many ways lead to it.

        Of the logs alone, the vault itself need not be there, and has no identity.
        """
        outside_transactions("Listing the vault")
        walk = _Walk(self._ignored)
        identity = NOWHERE if what == LOGS else self._list_vault(walk)
        for prefix, folder in self._roots.items():
            if prefix and what in (BOTH, LOGS if prefix in self._logs else VAULT):
                self._list_extra(walk, prefix, folder)
        return Listing(walk.files, tuple(walk.problems), tuple(walk.unlisted), identity)

    def _list_vault(self, walk: _Walk) -> Identity:
        with self._open_root("") as top:
            status = os.fstat(top)
            try:
                names = sorted(name for name in os.listdir(top) if not name.startswith("."))
            except OSError as error:
                raise VaultMissing(self.root, _reason(error)) from error
            walk.folder(top, "", 0, None)
        return Identity(status.st_dev, status.st_ino, tuple(map(_storable, names[:_SAMPLE])))

    def read(self, path: str) -> Content:
        """The bytes of a note as they were at one moment: a file that is being written is read again."""
        outside_transactions("Reading a note")
        limit = MAX_DOCUMENT_BYTES if self._split(path)[0] in self._logs else MAX_BYTES
        for attempt in range(5):
            with self._open(path) as descriptor:
                content = _read_whole(descriptor, limit)
            if content:
                return content
            time.sleep(0.02 * (attempt + 1))
        raise NoteUnreadable("It is being written right now; the next sync reads it.")

    @contextmanager
    def log(self, path: str) -> Iterator[Log]:
        """A log to read from. It may grow meanwhile; what stands there when it is opened is what is read."""
        outside_transactions("Reading a log")
        with self._open(path) as descriptor, self._beside(path) as beside:
            yield Log(descriptor, os.fstat(beside) if beside is not None else None)

    @contextmanager
    def copied(self, path: str) -> Iterator[str]:
        """The name of a copy of a database that is ours alone, as it was at one moment.

        Whoever opens a database makes files beside it, and may change it: so the original is never opened as one.
        """
        import tempfile  # only for databases

        outside_transactions("Copying a database")
        with tempfile.TemporaryDirectory(prefix="memoro-", ignore_cleanup_errors=True) as folder:
            copy = os.path.join(folder, "copy.db")
            for attempt in range(5):
                with self._open(path) as source, self._beside(path) as beside:
                    before = _stamps(source, beside)
                    if before[0].size > MAX_DATABASE_BYTES:
                        raise NoteTooLarge(before[0], limit=MAX_DATABASE_BYTES)
                    _copy(source, copy)
                    if beside is not None:
                        _copy(beside, f"{copy}-wal")
                    if _stamps(source, beside) == before:
                        break
                time.sleep(0.05 * (attempt + 1))
            else:
                raise NoteUnreadable("It is being written right now; the next sync reads it.")
            yield copy

    @contextmanager
    def _beside(self, path: str) -> Iterator[int | None]:
        """What a database has not yet put into its file stands beside it."""
        if self._split(path)[0] not in self._logs:
            yield None
            return
        prefix, parts = self._checked(path)
        with ExitStack() as opened:
            try:
                name = (*parts[:-1], f"{parts[-1]}-wal")
                descriptor = opened.enter_context(self._open_parts(prefix, name, path))
            except (NoteNotFound, NoteUnreadable):
                descriptor = None
            if descriptor is not None and not stat.S_ISREG(os.fstat(descriptor).st_mode):
                descriptor = None
            yield descriptor

    def read_settings(self, name: str) -> str | None:
        """The vault's own settings file, if there is one. It is hidden, so `read` would not find it."""
        try:
            with self._open_root("") as top, ExitStack() as opened:
                *folders, last = name.split("/")
                for folder in folders:
                    top = os.open(folder, _FOLDER, dir_fd=top)
                    opened.callback(os.close, top)
                descriptor = os.open(last, _FILE, dir_fd=top)
        except (OSError, VaultMissing):
            return None
        try:
            content = _read_whole(descriptor)
        except NoteUnreadable as error:
            raise ConfigError(f"{os.path.join(self.root, name)} cannot be used. {error}") from error
        finally:
            os.close(descriptor)
        return content.data.decode("utf-8", "replace") if content else None

    def _list_extra(self, walk: _Walk, prefix: str, folder: str) -> None:
        try:
            with self._open_root(prefix) as top:
                walk.folder(top, prefix, 0, self._logs.get(prefix))
        except VaultMissing as error:
            walk.unlisted.append(prefix)
            walk.problems.append(Problem(prefix, "failed", f"The extra folder {folder} cannot be read: {error}"))

    @contextmanager
    def _open_root(self, prefix: str) -> Iterator[int]:
        folder = self._roots[prefix]
        try:
            descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError as error:
            raise VaultMissing(folder, _reason(error)) from error
        try:
            yield descriptor
        finally:
            os.close(descriptor)

    @contextmanager
    def _open(self, path: str) -> Iterator[int]:
        """A descriptor of the note, reached one folder at a time and never through a link."""
        prefix, parts = self._checked(path)
        with self._open_parts(prefix, parts, path) as descriptor:
            yield descriptor

    @contextmanager
    def _open_parts(self, prefix: str, parts: Sequence[str], path: str) -> Iterator[int]:
        with self._open_root(prefix) as top:
            opened = top
            try:
                for part in parts[:-1]:
                    opened, left = os.open(part, _FOLDER, dir_fd=opened), opened
                    if left != top:
                        os.close(left)
                descriptor = os.open(parts[-1], _FILE, dir_fd=opened)
            except OSError as error:
                raise _refusal(path, error) from error
            finally:
                if opened != top:
                    os.close(opened)
        try:
            yield descriptor
        finally:
            os.close(descriptor)

    def _checked(self, path: str) -> tuple[str, tuple[str, ...]]:
        prefix, inner = self._split(path)
        parts = tuple(inner.split("/"))
        log = self._logs.get(prefix)
        named = log.admits(inner) if log else parts[-1].lower().endswith(".md")
        if not all(map(_is_plain, parts)) or len(parts) > MAX_DEPTH or self._ignored.any_of(parts) or not named:
            raise NoteNotFound(f"{path!r} is not the path of a note in the vault.")
        return prefix, parts

    def writable(self, path: str) -> tuple[str, ...]:
        """The parts of a path that may be written: a note of the vault itself, under a name that shows what it is."""
        prefix, parts = self._checked(path)
        if prefix or path.startswith("@"):
            raise NoteNotFound(f"{path!r} stands outside the vault itself, where Memoro only reads.")
        if not path.isprintable() or any(part != part.strip() for part in parts):
            raise NoteNotFound(f"{path!r} holds invisible characters, or spaces at an end; choose a plain name.")
        return parts

    @contextmanager
    def top(self) -> Iterator[int]:
        """A descriptor of the vault's own folder."""
        with self._open_root("") as descriptor:
            yield descriptor

    def _split(self, path: str) -> tuple[str, str]:
        for prefix in self._roots:
            if prefix and path.startswith(prefix):
                return prefix, path[len(prefix) :]
        return "", path


class _Walk:
    """What one walk has gathered so far."""

    def __init__(self, ignored: _Ignored) -> None:
        self.files: dict[str, Stamp] = {}
        self.problems: list[Problem] = []
        self.unlisted: list[str] = []
        self._ignored = ignored
        self._seen: set[tuple[int, int] | tuple[int, int, bool]] = set()  # files, and folders with what was sought

    def folder(self, descriptor: int, prefix: str, depth: int, logs: LogFolder | None) -> None:
        """Notes, or logs where that is said."""
        status = os.fstat(descriptor)
        if (status.st_dev, status.st_ino, logs is None) in self._seen:
            return
        self._seen.add((status.st_dev, status.st_ino, logs is None))
        try:
            with os.scandir(descriptor) as found:
                entries = sorted(found, key=attrgetter("name"))
        except OSError as error:
            self._unlisted(prefix, _reason(error))
            return
        ignored = self._ignored
        for entry in entries:
            name = entry.name
            if name[0] == "." or name in ignored.names or (ignored.more and ignored(name, prefix)):
                continue
            try:
                if entry.is_dir(follow_symlinks=False):
                    if logs is None or depth or logs.enters(name):
                        self._enter(name, f"{prefix}{name}/", descriptor, depth + 1, logs)
                elif logs is not None:
                    self._log(entry, prefix + name, logs)
                elif name.endswith(".md") or name[-3:].lower() == ".md":
                    self._note(entry.stat(follow_symlinks=False), prefix + name)
                elif entry.is_symlink() and "." not in name:
                    self._skip(prefix + name, _LINK)
            except OSError as error:
                if error.errno != errno.ENOENT:  # it went away during the walk, which is no problem
                    sentence = f"It cannot be looked at: {_reason(error)}."
                    self.problems.append(Problem(_storable(prefix + name), "failed", sentence))

    def _log(self, entry: os.DirEntry[str], path: str, logs: LogFolder) -> None:
        if path.endswith("-wal") and path[:-4] in self.files:  # names are sorted: it comes after its database
            self.files[path[:-4]] = _with_log(self.files[path[:-4]], entry.stat(follow_symlinks=False))
        elif logs.admits(path.partition("/")[2]):
            status = entry.stat(follow_symlinks=False)
            if logs.since is None or _day_of(status) >= logs.since:
                self._note(status, path)

    def _enter(self, name: str, prefix: str, parent: int, depth: int, logs: LogFolder | None) -> None:
        if depth > MAX_DEPTH:
            self._unlisted(prefix, f"it lies more than {MAX_DEPTH} folders deep")
            return
        try:
            descriptor = os.open(name, _FOLDER, dir_fd=parent)
        except OSError as error:
            if error.errno != errno.ENOENT:
                self._unlisted(prefix, _reason(error))
            return
        try:
            self.folder(descriptor, prefix, depth, logs)
        finally:
            os.close(descriptor)

    def _note(self, status: os.stat_result, path: str) -> None:
        if not stat.S_ISREG(status.st_mode):
            self._skip(path, _LINK if stat.S_ISLNK(status.st_mode) else "It is not a regular file.")
        elif not _is_storable(path):
            self._skip(path, "Its name is not valid UTF-8; rename it.")
        elif (identity := (status.st_dev, status.st_ino)) not in self._seen:
            self._seen.add(identity)
            self.files[path] = _stamp(status)

    def _skip(self, path: str, sentence: str) -> None:
        self.problems.append(Problem(_storable(path), "skipped", sentence))

    def _unlisted(self, prefix: str, why: str) -> None:
        self.unlisted.append(prefix)
        self.problems.append(Problem(_storable(prefix), "failed", f"This folder cannot be listed: {why}."))


class _Ignored:
    """Ignore patterns: a name anywhere, a pattern with * ? [ ], or a path from the root when it has a slash."""

    def __init__(self, patterns: Sequence[str]) -> None:
        wild = [p for p in patterns if any(c in p for c in "*?[")]
        plain = [p.strip("/") for p in patterns if p not in wild]
        self.names = frozenset(p for p in plain if "/" not in p)
        self.more = len(self.names) < len(patterns)
        self._paths = frozenset(p for p in plain if "/" in p)
        self._pattern = _compile(wild) if wild else None

    def __call__(self, name: str, prefix: str) -> bool:
        if name in self.names:
            return True
        if self._paths and prefix + name in self._paths:
            return True
        return bool(self._pattern and (self._pattern.match(name) or self._pattern.match(prefix + name)))

    def any_of(self, parts: Sequence[str]) -> bool:
        return any(self(part, "".join(f"{p}/" for p in parts[:i])) for i, part in enumerate(parts))


@lru_cache(maxsize=8)
def _ignored(patterns: tuple[str, ...]) -> _Ignored:
    return _Ignored(patterns)


def _compile(patterns: Sequence[str]) -> re.Pattern[str]:
    import fnmatch

    return re.compile("|".join(fnmatch.translate(pattern.rstrip("/")) for pattern in patterns))


def _prefix(folder: str, name: str) -> tuple[str, str]:
    real = os.path.realpath(os.path.expanduser(folder))
    return f"@{name or os.path.basename(real)}/", real


def _named_roots(named: Sequence[tuple[str, str]]) -> dict[str, str]:
    roots: dict[str, str] = {}
    for folder, name in named:
        prefix, real = _prefix(folder, name)
        if roots.get(prefix, real) != real:
            raise ConfigError(
                f"Two folders are called {prefix[1:-1]} ({roots[prefix]} and {real}). What stands in "
                "vault.extra and transcripts.folders needs names that differ; rename one folder."
            )
        roots[prefix] = real
    return roots


def _matches(path: str, pattern: str) -> bool:
    import fnmatch

    return fnmatch.fnmatchcase(path, pattern)


def _day_of(status: os.stat_result) -> str:
    try:
        return time.strftime("%Y-%m-%d", time.localtime(status.st_mtime))
    except (ValueError, OverflowError, OSError):
        return "1970-01-01"


def _with_log(stamp: Stamp, beside: os.stat_result | None) -> Stamp:
    """One stamp for a database and what stands beside it: a change of either changes it."""
    if beside is None or not beside.st_size:
        return stamp
    mtime, ctime = max(stamp.mtime_ns, beside.st_mtime_ns), max(stamp.ctime_ns, beside.st_ctime_ns)
    return Stamp(stamp.size + beside.st_size, mtime, ctime, stamp.inode)


def _stamps(source: int, beside: int | None) -> tuple[Stamp, Stamp | None]:
    return _stamp(os.fstat(source)), _stamp(os.fstat(beside)) if beside is not None else None


def _copy(source: int, file: str) -> None:
    target = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    try:
        offset = 0
        while block := os.pread(source, _BLOCK, offset):
            offset += len(block)
            while block:
                block = block[os.write(target, block) :]
    except OSError as error:
        raise NoteUnreadable(f"It cannot be copied: {_reason(error)}.") from error
    finally:
        os.close(target)


def _read_whole(descriptor: int, limit: int = MAX_BYTES) -> Content | None:
    """Everything in the file, or None when it changed while it was read."""
    before = os.fstat(descriptor)
    if not stat.S_ISREG(before.st_mode):
        raise NoteUnreadable("It is not a regular file.")
    if before.st_size > limit:
        raise NoteTooLarge(_stamp(before), limit=limit)
    read_at = time.time_ns()
    try:
        data = _all_bytes(descriptor, limit)
        # Two writes may fall into one tick of the file system's clock: look twice at what is that new.
        young = abs(read_at - max(before.st_mtime_ns, before.st_ctime_ns)) < YOUNG_NS
        steady = not young or data == _all_bytes(descriptor, limit)
    except OSError as error:
        raise NoteUnreadable(f"It cannot be read: {_reason(error)}.") from error
    after = _stamp(os.fstat(descriptor))
    unchanged = steady and after == _stamp(before) and len(data) == after.size
    return Content(data, after, trusted=not young) if unchanged else None


def _all_bytes(descriptor: int, limit: int) -> bytes:
    os.lseek(descriptor, 0, os.SEEK_SET)
    with open(descriptor, "rb", closefd=False) as file:
        return file.read(limit + 1)


def _refusal(path: str, error: OSError) -> Exception:
    if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ENAMETOOLONG):
        return NoteNotFound(f"There is no note {path!r} in the vault (links are not followed).")
    return NoteUnreadable(f"It cannot be opened: {_reason(error)}.")


def _stamp(status: os.stat_result) -> Stamp:
    return Stamp(status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)


def _is_plain(part: str) -> bool:
    return part != "" and part[0] != "." and "\x00" not in part and _is_storable(part) and len(part.encode()) <= 255


def _is_storable(path: str) -> bool:
    """Whether the name is real text: bytes that are not UTF-8 reach Python as lone surrogates."""
    return path.isascii() or not any("\ud800" <= character <= "\udfff" for character in path)


def _storable(path: str) -> str:
    return path if _is_storable(path) else path.encode("utf-8", "replace").decode()


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
