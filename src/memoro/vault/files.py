"""The only door to the files of a vault. It walks by directory descriptors and never leaves the vault."""

from __future__ import annotations

import errno
import os
import stat
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from memoro.errors import ConfigError, NoteNotFound, NoteTooLarge, NoteUnreadable, VaultMissing
from memoro.model.guard import outside_transactions
from memoro.model.notes import Problem
from memoro.model.system_errors import is_out_of_files
from memoro.model.vocabulary import BOTH, LOGS, VAULT, Half, SyncPart
from memoro.vault.contents import MAX_BYTES, Content, Log, copy_file, read_whole, reason, stamps
from memoro.vault.patterns import IgnorePatterns, LogFolder, NoteFolder
from memoro.vault.walk import FOLDER_FLAGS, MAX_DEPTH, NOWHERE, Identity, Listing, Walk, is_storable, storable

if TYPE_CHECKING:
    from memoro.vault.daily_place import FolderEntry

MAX_DOCUMENT_BYTES = 256 * 1024 * 1024  # a log that is one document is read into memory whole; logs of lines are not
MAX_DATABASE_BYTES = 4 * 1024**3  # a database is copied before it is read
_SAMPLE = 64  # number of names that identify a vault
_FILE_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


class VaultFiles:
    """Reads notes below one folder, and notes or logs below others, whose paths begin with `@name/`."""

    def __init__(
        self,
        root: str,
        *,
        extra: Sequence[str] = (),
        transcripts: Sequence[str | LogFolder] = (),
        memories: Sequence[NoteFolder] = (),
        ignore: Sequence[str] = (),
    ) -> None:
        self.root = os.path.realpath(os.path.expanduser(root))
        logs = [LogFolder(one) if isinstance(one, str) else one for one in transcripts]
        beside = [*((log.folder, log.name) for log in logs), *((one.folder, one.name) for one in memories)]
        named = _named_roots([(folder, "") for folder in extra] + beside)
        self._roots = {"": self.root, **named}
        self._logs = {_prefix(log.folder, log.name)[0]: log for log in logs}  # folders of logs, not of notes
        self._memories = {_prefix(one.folder, one.name)[0]: one for one in memories}  # of agents
        self._ignored = IgnorePatterns(ignore)

    @property
    def folders(self) -> tuple[str, ...]:
        """The folders that may be watched. Agents keep much else beside their memory, so that is not among them."""
        return tuple(folder for prefix, folder in self._roots.items() if prefix not in self._memories)

    def is_named(self, path: str) -> bool:
        """Return whether a path is of the vault itself, or of a folder beside it that the settings name."""
        return not path.startswith("@") or self._split(path)[0] != ""

    def memory(self, path: str) -> tuple[NoteFolder, str] | None:
        """Return the agent's memory that a note is of, and its path there; None for any other note."""
        prefix, inner = self._split(path)
        found = self._memories.get(prefix)
        return (found, inner) if found else None

    def side(self, path: str) -> Half:
        """Return the half of a sync that a file or folder belongs to."""
        return LOGS if self._split(path)[0] in self._logs else VAULT

    def concerned(self, file: str, is_folder: bool) -> set[Half]:
        """Return the halves of a sync that a change of this file may concern; ignored files concern none."""
        found: set[Half] = set()
        for prefix, folder in self._roots.items():
            inner = "" if file == folder else file[len(folder) + 1 :] if file.startswith(f"{folder}/") else None
            if inner is None or prefix in self._memories:
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
        """List every note and log below the roots, each file once, however many paths lead to it.

        With logs alone, the vault itself may be missing, and the listing has no identity.
        """
        outside_transactions("Listing the vault")
        walk = Walk(self._ignored)
        identity = NOWHERE if what == LOGS else self._list_vault(walk)
        for prefix, folder in self._roots.items():
            if prefix and what in (BOTH, LOGS if prefix in self._logs else VAULT):
                self._list_extra(walk, prefix, folder)
        return Listing(
            files=walk.files, problems=tuple(walk.problems), unlisted=tuple(walk.unlisted), identity=identity
        )

    def _list_vault(self, walk: Walk) -> Identity:
        with self._open_root("") as top:
            status = os.fstat(top)
            try:
                names = sorted(name for name in os.listdir(top) if not name.startswith("."))
            except OSError as error:
                raise _missing(self.root, error) from error
            walk.folder(top, "", 0, None)
        return Identity(status.st_dev, status.st_ino, tuple(map(storable, names[:_SAMPLE])))

    def entries(self, folder: str) -> Sequence[FolderEntry]:
        """Return what is in a folder of the vault itself but hidden and ignored names; nothing if it is missing."""
        from memoro.vault.daily_place import FolderEntry

        parts = folder.split("/") if folder else []
        try:
            with self._open_root("") as top, ExitStack() as opened:
                for part in parts:
                    top = os.open(part, FOLDER_FLAGS, dir_fd=top)
                    opened.callback(os.close, top)
                with os.scandir(top) as found:
                    return [
                        FolderEntry(one.name, one.is_dir(follow_symlinks=False))
                        for one in found
                        if one.name[0] != "." and not self._ignored.any_of([*parts, one.name])
                    ]
        except (OSError, VaultMissing):
            return []

    def read(self, path: str) -> Content:
        """Return the bytes of a note at one moment; read again while another program writes the file."""
        outside_transactions("Reading a note")
        limit = MAX_DOCUMENT_BYTES if self._split(path)[0] in self._logs else MAX_BYTES
        for attempt in range(5):
            with self._open(path) as descriptor:
                content = read_whole(descriptor, limit)
            if content:
                return content
            time.sleep(0.02 * (attempt + 1))
        raise NoteUnreadable("It is being written right now; the next sync reads it.")

    def read_if_quiet(self, path: str, seconds: float, *, now: float) -> bytes | None:
        """Return the bytes of a note that no program is writing; None if one is, or there is no such note.

        Where the system cannot tell, a note that changed within the last `seconds` counts as being written.
        """
        from memoro.vault.leases import is_open_for_writing  # only where lines of Memoro are watched

        outside_transactions("Reading a note")
        try:
            with self._open(path) as descriptor:
                content, is_open = read_whole(descriptor), is_open_for_writing(descriptor)
        except NoteNotFound:
            return None
        if content is None or is_open:
            return None
        is_young = abs(now - content.stamp.mtime_ns / 1e9) < seconds
        return None if is_open is None and is_young else content.data

    @contextmanager
    def log(self, path: str) -> Iterator[Log]:
        """Open a log for reading. It may grow meanwhile; a reader sees what it held when it was opened."""
        outside_transactions("Reading a log")
        with self._open(path) as descriptor, self._open_wal(path) as wal:
            yield Log(descriptor, os.fstat(wal) if wal is not None else None)

    @contextmanager
    def copied(self, path: str) -> Iterator[str]:
        """Yield the name of a private copy of a database, as it was at one moment.

        Opening a database makes files beside it and may change it, so the original is never opened as one.
        """
        import tempfile  # only for databases

        outside_transactions("Copying a database")
        with tempfile.TemporaryDirectory(prefix="memoro-", ignore_cleanup_errors=True) as folder:
            copy = os.path.join(folder, "copy.db")
            for attempt in range(5):
                with self._open(path) as source, self._open_wal(path) as wal:
                    before = stamps(source, wal)
                    if before[0].size > MAX_DATABASE_BYTES:
                        raise NoteTooLarge(before[0], limit=MAX_DATABASE_BYTES)
                    copy_file(source, copy)
                    if wal is not None:
                        copy_file(wal, f"{copy}-wal")
                    if stamps(source, wal) == before:
                        break
                time.sleep(0.05 * (attempt + 1))
            else:
                raise NoteUnreadable("It is being written right now; the next sync reads it.")
            yield copy

    @contextmanager
    def _open_wal(self, path: str) -> Iterator[int | None]:
        """Open the write-ahead log of a database: changes that are not yet in its file."""
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
        """Return the vault's own settings file, or None. It is hidden, so `read` would not find it."""
        try:
            with self._open_root("") as top, ExitStack() as opened:
                *folders, last = name.split("/")
                for folder in folders:
                    top = os.open(folder, FOLDER_FLAGS, dir_fd=top)
                    opened.callback(os.close, top)
                descriptor = os.open(last, _FILE_FLAGS, dir_fd=top)
        except (OSError, VaultMissing):
            return None
        try:
            content = read_whole(descriptor)
        except NoteUnreadable as error:
            raise ConfigError(f"{os.path.join(self.root, name)} cannot be used. {error}") from error
        finally:
            os.close(descriptor)
        return content.data.decode("utf-8", "replace") if content else None

    def _list_extra(self, walk: Walk, prefix: str, folder: str) -> None:
        try:
            with self._open_root(prefix) as top:
                walk.folder(top, prefix, 0, self._logs.get(prefix) or self._memories.get(prefix))
        except VaultMissing as error:
            walk.unlisted.append(prefix)
            if prefix in self._memories and not os.path.lexists(folder):
                return  # an agent that has nothing to remember yet
            walk.problems.append(Problem(prefix, "failed", _unlisted(folder, error.why, prefix in self._logs)))

    @contextmanager
    def _open_root(self, prefix: str) -> Iterator[int]:
        folder = self._roots[prefix]
        try:
            descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError as error:
            raise _missing(folder, error) from error
        try:
            yield descriptor
        finally:
            os.close(descriptor)

    @contextmanager
    def _open(self, path: str) -> Iterator[int]:
        """Open the note one folder at a time and never through a link."""
        prefix, parts = self._checked(path)
        with self._open_parts(prefix, parts, path) as descriptor:
            yield descriptor

    @contextmanager
    def _open_parts(self, prefix: str, parts: Sequence[str], path: str) -> Iterator[int]:
        with self._open_root(prefix) as top:
            opened = top
            try:
                for part in parts[:-1]:
                    opened, left = os.open(part, FOLDER_FLAGS, dir_fd=opened), opened
                    if left != top:
                        os.close(left)
                descriptor = os.open(parts[-1], _FILE_FLAGS, dir_fd=opened)
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
        chosen = log or self._memories.get(prefix)
        named = chosen.admits(inner) if chosen else parts[-1].lower().endswith(".md")
        if not all(map(_is_plain, parts)) or len(parts) > MAX_DEPTH or self._ignored.any_of(parts) or not named:
            raise NoteNotFound(
                f"{path!r} is not the path of a note. A path is relative to the vault, ends in .md, and is not "
                "ignored (vault.ignore)."
            )
        return prefix, parts

    def writable(self, path: str) -> tuple[str, ...]:
        """Return the parts of a path that may be written: a note of the vault itself, with a plain name."""
        prefix, parts = self._checked(path)
        if prefix or path.startswith("@"):
            raise NoteNotFound(f"{path!r} is outside the vault itself; Memoro only reads there.")
        if not path.isprintable() or any(part != part.strip() for part in parts):
            raise NoteNotFound(f"{path!r} has invisible characters, or spaces at an end; choose a plain name.")
        return parts

    @contextmanager
    def top(self) -> Iterator[int]:
        """Open the vault's own folder."""
        with self._open_root("") as descriptor:
            yield descriptor

    def _split(self, path: str) -> tuple[str, str]:
        for prefix in self._roots:
            if prefix and path.startswith(prefix):
                return prefix, path[len(prefix) :]
        return "", path


def _prefix(folder: str, name: str) -> tuple[str, str]:
    real = os.path.realpath(os.path.expanduser(folder))
    return f"@{name or os.path.basename(real)}/", real


def _named_roots(named: Sequence[tuple[str, str]]) -> dict[str, str]:
    roots: dict[str, str] = {}
    for folder, name in named:
        prefix, real = _prefix(folder, name)
        if roots.get(prefix, real) != real:
            raise ConfigError(
                f"Two folders are called {prefix[1:-1]} ({roots[prefix]} and {real}). The folders of "
                "vault.extra and transcripts.folders need different names; rename one folder."
            )
        roots[prefix] = real
    return roots


def _refusal(path: str, error: OSError) -> Exception:
    if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ENAMETOOLONG):
        return NoteNotFound(f"There is no note {path!r} in the vault (links are not followed).")
    return NoteUnreadable(f"It cannot be opened: {reason(error)}.")


def _is_plain(part: str) -> bool:
    return part != "" and part[0] != "." and "\x00" not in part and is_storable(part) and len(part.encode()) <= 255


def _unlisted(folder: str, why: str, has_logs: bool) -> str:
    """Return the sentence about a folder beside the vault that cannot be listed."""
    if has_logs:
        return (
            f"The folder of conversation logs {folder} cannot be read: {why}. Mount or restore it, or take it out "
            f"with `memoro transcripts remove`; what was indexed of it stays findable."
        )
    return (
        f"The extra folder {folder} cannot be read: {why}. Mount or restore it, or take it out of vault.extra; what "
        "was indexed of it stays findable."
    )


def _missing(folder: str, error: OSError) -> VaultMissing:
    if is_out_of_files(error):
        return VaultMissing(folder, reason(error), "Raise its limit with `ulimit -n`")
    return VaultMissing(folder, reason(error))
