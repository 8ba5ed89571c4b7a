"""Open SQLite safely: the right engine, the right journal, checksums, plain errors."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Literal, NamedTuple, TypedDict, Unpack

import apsw

from memoro.errors import IndexDamaged, StorageFull, StoreError, StoreUnavailable

# Every SQLite from 3.7.0 to 3.51.2 can corrupt a WAL database when a checkpoint races a reset.
FLOOR = (3, 51, 3)
# Write-ahead logging needs shared memory and locks that only local file systems provide.
LOCAL_FILE_SYSTEMS = frozenset(
    [
        "apfs",
        "bcachefs",
        "btrfs",
        "ext2",
        "ext3",
        "ext4",
        "f2fs",
        "hfs",
        "jfs",
        "overlay",
        "ramfs",
        "reiserfs",
        "tmpfs",
        "xfs",
        "zfs",
    ]
)
# Long enough for any legitimate wait; writers queue on a kernel lock before they get here.
BUSY_MS = 30_000
WAL_LIMIT_BYTES = 16 * 1024 * 1024
_CHECKSUM_VFS = "cksmvfs"


class Engine(NamedTuple):
    """The way databases in one place are opened."""

    version: str
    file_system: str
    wal: bool
    vfs: str | None  # None: the engine's default, without page checksums

    @property
    def warnings(self) -> tuple[str, ...]:
        found = []
        if parse_version(self.version) < FLOOR:
            found.append(
                f"SQLite {self.version} has a known corruption bug; write-ahead logging is off. "
                "Reinstall Memoro so that apsw 3.51.3 or later is loaded."
            )
        if self.file_system not in LOCAL_FILE_SYSTEMS:
            found.append(
                f"The home is on a {self.file_system} file system, where write-ahead logging is unsafe and off; "
                "several processes wait for each other more. Set MEMORO_HOME to a local disk."
            )
        return tuple(found)


def engine(folder: str) -> Engine:
    version, kind = apsw.sqlite_lib_version(), file_system(folder)
    safe = parse_version(version) >= FLOOR and kind in LOCAL_FILE_SYSTEMS
    return Engine(version=version, file_system=kind, wal=safe, vfs=_checksum_vfs())


def parse_version(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def file_system(folder: str) -> str:
    """Return the type of the file system of a folder, or "unknown"."""
    try:
        if sys.platform == "darwin":
            import subprocess

            told = subprocess.run(["/sbin/mount"], capture_output=True, text=True, timeout=5, check=False).stdout
            return from_mount(told, os.path.realpath(folder))
        with open("/proc/self/mountinfo", encoding="utf-8", errors="replace") as file:
            return from_mountinfo(file.read(), os.path.realpath(folder))
    except OSError:
        return "unknown"


def folders_without_events(folders: Sequence[str], kind: Callable[[str], str] | None = None) -> dict[str, str]:
    """Return the folders without reliable file events, each with the reason."""
    kinds = {folder: (kind or file_system)(folder) for folder in folders}
    return {
        folder: f"{folder} is on a {kind} file system, which may not tell of changes"
        for folder, kind in kinds.items()
        if kind not in LOCAL_FILE_SYSTEMS and os.path.isdir(folder)
    }


def from_mountinfo(text: str, folder: str) -> str:
    """Linux: return the type of the innermost mount that contains the folder; of two on one point, the later."""
    best, kind = "", "unknown"
    for line in text.split("\n"):
        left, _, right = line.partition(" - ")
        fields = left.split(" ")
        if len(fields) < 5 or not right:
            continue
        point = _unescaped(fields[4])
        if _holds(point, folder) and len(point) >= len(best):
            best, kind = point, right.split(" ")[0]
    return kind


def _unescaped(point: str) -> str:
    """Decode the four characters that the kernel writes in octal."""
    for escape, character in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        point = point.replace(escape, character)
    return point


def from_mount(text: str, folder: str) -> str:
    """macOS: the same from lines such as `/dev/disk3s5 on /System/Volumes/Data (apfs, local, journaled)`."""
    best, kind = "", "unknown"
    for line in text.splitlines():
        place, _, options = line.rpartition(" (")
        point = place.partition(" on ")[2]
        if point and _holds(point, folder) and len(point) >= len(best):
            best, kind = point, options.split(",")[0].rstrip(")").strip()
    return kind


def _holds(point: str, folder: str) -> bool:
    return point == "/" or folder == point or folder.startswith(point.rstrip("/") + "/")


def _checksum_vfs() -> str | None:
    """Register the page-checksum layer once in a process, without making it the default."""
    if _CHECKSUM_VFS in apsw.vfs_names():
        return _CHECKSUM_VFS
    suffix = ".dylib" if sys.platform == "darwin" else ".so"
    library = os.path.join(os.path.dirname(apsw.__file__), "sqlite_extra_binaries", f"cksumvfs{suffix}")
    before = apsw.vfs_names()[0]
    loader = apsw.Connection(":memory:")
    try:
        loader.enable_load_extension(True)
        loader.load_extension(library)
        apsw.set_default_vfs(before)
    except (apsw.Error, AttributeError):
        return None
    finally:
        loader.close()
    return _CHECKSUM_VFS


class OpenOptions(TypedDict, total=False):
    synchronous: Literal["OFF", "NORMAL", "FULL", "EXTRA"]  # NORMAL by default
    create: bool
    read_only: bool
    exclusive: bool  # keep all others out; then no shared memory is needed, for which a full disk has no room


def connect(file: str, chosen: Engine, **options: Unpack[OpenOptions]) -> apsw.Connection:
    """Open a database with every setting that safety needs."""
    create, read_only = options.get("create", False), options.get("read_only", False)
    flags = apsw.SQLITE_OPEN_READWRITE | (apsw.SQLITE_OPEN_CREATE if create else 0)
    name = file
    if read_only:
        flags, name = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI, _read_only_name(file)
    with translated(file):
        db = apsw.Connection(name, flags=flags, vfs=chosen.vfs)
        try:
            db.set_busy_timeout(BUSY_MS)
            if create and chosen.vfs:
                db.reserve_bytes("main", 8)  # the checksum layer stores a page's checksum there
            if options.get("exclusive", False):
                db.pragma("locking_mode", "EXCLUSIVE")
            if not read_only:
                db.pragma("journal_mode", "WAL" if chosen.wal else "DELETE")
                db.pragma("synchronous", options.get("synchronous", "NORMAL"))
                db.pragma("journal_size_limit", WAL_LIMIT_BYTES)
            db.config(apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
            db.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
            db.pragma("foreign_keys", True)
            db.pragma("cell_size_check", True)
            # In memory, so that no text of a note reaches a shared folder of temporary files.
            db.pragma("temp_store", "MEMORY")
        except BaseException:
            db.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)  # a database that cannot be opened stays untouched
            db.close()
            raise
    return db


def _read_only_name(file: str) -> str:
    """Return a URI for a read-only folder: without a log, unless one exists to be read."""
    escaped = "".join(f"%{ord(c):02x}" if c in "%?#" else c for c in file)
    return f"file:{escaped}?immutable=1" if not os.path.exists(f"{file}-wal") else f"file:{escaped}?mode=ro"


@contextmanager
def translated(file: str) -> Iterator[None]:
    """Translate the engine's errors. A transient error never counts as damage."""
    try:
        yield
    except apsw.FullError as error:
        raise StorageFull(file) from error
    except (apsw.CorruptError, apsw.NotADBError) as error:
        raise IndexDamaged(str(error)) from error
    except apsw.IOError as error:
        if getattr(error, "extendedresult", None) == apsw.SQLITE_IOERR_DATA:
            raise IndexDamaged("a page does not match its checksum") from error
        if getattr(error, "extendedresult", None) == apsw.SQLITE_IOERR_SHMSIZE:
            raise StorageFull(file) from error
        raise StoreUnavailable(
            f"{file} cannot be read or written: {error}. Check the disk; your notes are not touched."
        ) from error
    except (apsw.CantOpenError, apsw.ReadOnlyError, apsw.PermissionsError, apsw.AuthError) as error:
        raise StoreUnavailable(
            f"{file} cannot be opened for writing: {error}. Make the folder writable, or set MEMORO_HOME "
            "to one that is."
        ) from error
    except (apsw.BusyError, apsw.LockedError) as error:
        raise StoreUnavailable(
            f"{file} has been in use by another program for {BUSY_MS // 1000} s. Close it there and try again."
        ) from error
    except apsw.Error as error:
        if isinstance(error, apsw.SQLError) and str(error).startswith("no such "):
            raise IndexDamaged(str(error)) from error  # one of our tables or columns is missing
        raise StoreError(f"SQLite refused an operation on {file}: {error}") from error
