"""Open SQLite safely: the right engine, the right journal, checksums, plain errors."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Literal, NamedTuple, TypedDict, Unpack

import apsw

from memoro.errors import IndexDamaged, QueryError, StorageFull, StoreError, StoreUnavailable
from memoro.model.home import IN_MEMORY
from memoro.model.system_errors import MANY_FILES, is_out_of_files
from memoro.store.file_systems import LOCAL_FILE_SYSTEMS, file_system

# Every SQLite from 3.7.0 to 3.51.2 can corrupt a WAL database when a checkpoint races a reset.
FLOOR = (3, 51, 3)
# Long enough for any legitimate wait; writers queue on a kernel lock before they get here.
BUSY_MS = 30_000
WAL_LIMIT_BYTES = 16 * 1024 * 1024
# Of all page caches in a server: that of the index, and half as much for its other databases.
CACHES_BYTES = 24_000_000
_CHECKSUM_VFS = "cksmvfs"
_FILES_OF_A_DATABASE = 4  # itself, its log, the log's shared memory, and one while it is opened


def limit_caches(most: int = CACHES_BYTES) -> int:
    """Let the page caches of this process take so much together, and return the limit before; 0 is none.

    A server has the ledger open once for each workspace. Each copy fills a cache of its own as the home grows.
    At the limit, a cache uses its oldest page again.
    """
    return apsw.soft_heap_limit(most)


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
    if not read_only and file != IN_MEMORY:
        _make_private(file, create=create)
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


def _make_private(file: str, *, create: bool) -> None:
    """Let nobody but the owner read the file and its logs. SQLite gives a new log the mode of its file."""
    with suppress(OSError):  # the engine says what is the matter
        if create:
            os.close(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600))
        if os.stat(file).st_mode & 0o077:
            for tail in ("", "-wal", "-shm", "-journal"):
                with suppress(FileNotFoundError):
                    os.chmod(file + tail, 0o600)


def _read_only_name(file: str) -> str:
    """Return a URI for a folder that cannot be written: without a log, unless there is one to be read."""
    escaped = "".join(f"%{ord(c):02x}" if c in "%?#" else c for c in file)
    return f"file:{escaped}?mode=ro" if has_log(file) else f"file:{escaped}?immutable=1"


def has_log(file: str) -> bool:
    """Return whether a log holds anything that is not in the file yet, or may hold it."""
    try:
        return os.stat(f"{file}-wal").st_size > 0
    except OSError:
        return False


def _is_out_of_files() -> bool:
    """Return whether this process cannot open as many files as one database takes."""
    opened: list[int] = []
    try:
        for _ in range(_FILES_OF_A_DATABASE):
            opened.append(os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC))  # closed below, if one fails
    except OSError as error:
        return is_out_of_files(error)
    finally:
        for descriptor in opened:
            os.close(descriptor)
    return False


@contextmanager
def translated(file: str) -> Iterator[None]:
    """Translate the engine's errors. A transient error never counts as damage."""
    try:
        yield
    except UnicodeEncodeError as error:
        raise QueryError("A name or text holds half a character, which is not UTF-8.") from error
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
        if _is_out_of_files():  # the engine says only that it could not open the file
            raise StoreUnavailable(
                f"{file} cannot be opened: {MANY_FILES}. Raise its limit with `ulimit -n`, and run the command again."
            ) from error
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
