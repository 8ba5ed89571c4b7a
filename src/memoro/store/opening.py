"""Opening the stores of a home. Nothing else outside this package knows which store a home uses."""

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from memoro.errors import StoreUnavailable
from memoro.model.home import IN_MEMORY
from memoro.model.system_errors import reason, remedy
from memoro.model.vocabulary import STORE_PARTS, Visibility
from memoro.store.files import EMBEDDINGS_FILE

if TYPE_CHECKING:
    from memoro.ledger.ports import Archive, BeforeMigration, Ledger, NewestBackup
    from memoro.model.token_holder import TokenHolder
    from memoro.store.ports import IndexHome
    from memoro.store.postgres.administering import Administration
    from memoro.store.postgres.examining import CopyFacts, ServerFacts
    from memoro.store.sqlite.engine import Engine
    from memoro.store.sqlite.outbox import Outbox
else:
    Ledger = Archive = (
        object  # a NamedTuple compiles a quoted annotation, and the first one costs every start a millisecond
    )


QUICK_BYTES = 16 << 20  # a database of this size is read whole in a tenth of a second


class EngineFacts(NamedTuple):
    """The database engine of a home, for people."""

    engine: str  # with its version
    is_sound: bool  # False: this version is known to damage databases
    page_checksums: bool
    write_ahead: bool
    file_system: str
    is_local: bool  # False: the file system lacks what write-ahead logging needs
    warnings: tuple[str, ...]


def engine_facts(home: str) -> EngineFacts:
    from memoro.store.file_systems import LOCAL_FILE_SYSTEMS
    from memoro.store.sqlite.engine import FLOOR, engine, parse_version

    chosen = engine(home)
    return EngineFacts(
        engine=f"SQLite {chosen.version}",
        is_sound=parse_version(chosen.version) >= FLOOR,
        page_checksums=bool(chosen.vfs),
        write_ahead=chosen.wal,
        file_system=chosen.file_system,
        is_local=chosen.file_system in LOCAL_FILE_SYSTEMS,
        warnings=chosen.warnings,
    )


class SharedLedger(NamedTuple):
    """A ledger that several machines share, and as whom this one uses it."""

    url: str
    tenant: str
    person: str
    password: str | None = None
    patience: float = 3.0  # seconds that a reader with a local copy waits for a server that does not answer
    notify: Callable[[str], None] | None = None  # receives a sentence while the first copy is made
    visibility: Visibility = "shared"  # of what is added, unless whoever writes chooses


def find_token_holder(shared: SharedLedger, token: str) -> "TokenHolder | None":
    """Ask the server of a shared ledger as whom a token acts. Raises StoreError where it does not answer."""
    from memoro.store.postgres.opening import server_at
    from memoro.store.postgres.tokens import token_holder

    return token_holder(server_at(shared), token)


def check_server(shared: SharedLedger) -> None:
    """Raise StoreError where the server of a shared ledger does not answer, or refuses this node."""
    from memoro.store.postgres.opening import server_at

    with server_at(shared).connection() as connection:
        connection.execute("SELECT 1")


def copied_at(ledger: "Ledger") -> float | None:
    """When the local copy of a shared ledger was last up to date, in seconds since 1970; None: it has no copy."""
    from memoro.store.postgres.ledger import PostgresLedger

    return ledger.replica.current_at() if isinstance(ledger, PostgresLedger) else None


class LedgerStores(NamedTuple):
    ledger: Ledger
    archive: Archive


def open_ledger(
    home: str,
    before_migration: "BeforeMigration" = lambda _ledger: None,
    newest_backup: "NewestBackup" = lambda _lineage: None,
    shared: SharedLedger | None = None,
) -> LedgerStores:
    """The ledger and the archive of a home. Each is made when it is first used.

    `newest_backup` names the backup to restore where one of them is missing, or not the one that the home records.
    """
    if shared is not None:
        _check_driver()
        from memoro.store.postgres.opening import open_shared

        return LedgerStores(*open_shared(home, shared, _engine(home), newest_backup))
    from memoro.store.file_record import FileRecord
    from memoro.store.sqlite.ledger.files import SqliteArchive, SqliteLedger

    engine = _engine(home)
    ledger, archive = (None if home == IN_MEMORY else FileRecord(home, part, newest_backup) for part in STORE_PARTS)
    return LedgerStores(SqliteLedger(home, engine, before_migration, ledger), SqliteArchive(home, engine, archive))


def administration(url: str, password: str | None = None) -> "Administration":
    """The ledgers of a database, for its owner. `url` may name any role; each call says what the role may not do."""
    _check_driver()
    from memoro.store.postgres.administering import Administration

    return Administration(url, password)


def server_facts(home: str, shared: SharedLedger) -> "ServerFacts":
    """What is found on the server of a shared ledger now. Raises LedgerUnreachable."""
    _check_driver()
    from memoro.store.postgres.examining import server_facts

    return server_facts(home, shared)


def copy_facts(ledger: Ledger) -> "CopyFacts | None":
    """The local copy of a shared ledger; None of a ledger that a home keeps itself."""
    from memoro.store.postgres.examining import copy_facts

    return copy_facts(ledger)


def _check_driver() -> None:
    try:
        import psycopg  # noqa: F401
    except ImportError as error:
        raise StoreUnavailable('A ledger on Postgres needs `pip install "memoro[postgres]"`.') from error


def open_indexes(home: str) -> "IndexHome":
    if home == IN_MEMORY:
        from memoro.store.plain.home import PlainIndexHome

        return PlainIndexHome()
    from memoro.store.sqlite.home import SqliteIndexHome

    return SqliteIndexHome(home, _engine(home))


def has_outbox(home: str) -> bool:
    """Return whether a write ever waited in this home for a server."""
    from memoro.store.sqlite.outbox import OUTBOX_FILE

    return os.path.exists(os.path.join(home, OUTBOX_FILE))


def open_outbox(home: str) -> "Outbox":
    """The writes of a home that wait for a server. The caller closes it."""
    from memoro.store.sqlite.outbox import Outbox

    return Outbox(home, _engine(home))


_MISSING = "missing"


def limit_caches() -> None:
    """Bound what the page caches of this process take together: for a process that runs long."""
    from memoro.store.sqlite.engine import limit_caches

    limit_caches()


def ledger_change_token(home: str) -> str | None:
    """The change token of a home's ledger, without opening it; None where nothing was ever stored.

    A ledger that was lost has a token, too: whoever opens it learns what is the matter.
    """
    from memoro.store.sqlite.ledger_files import change_token, is_recorded

    token = change_token(home)
    return _MISSING if token is None and is_recorded(home, "ledger") else token


def has_own_ledger(home: str) -> bool:
    """Return whether a home keeps a ledger in a file, also one that it does not use now."""
    from memoro.store.sqlite.ledger_files import change_token

    return change_token(home) is not None


def holds_store(folder: str) -> bool:
    """Return whether a folder has a ledger, an index or exact vectors of Memoro, by their names alone."""
    from memoro.store.sqlite.ledger_files import LEDGER_FILE

    return any(name in (LEDGER_FILE, EMBEDDINGS_FILE) or name.startswith("index.") for name in os.listdir(folder))


def make_home(home: str) -> None:
    """Make the folder, for its owner alone; raise where others may write to it."""
    try:
        os.makedirs(home, mode=0o700, exist_ok=True)
        mode = os.stat(home).st_mode
    except OSError as error:
        todo = remedy(error, "Set MEMORO_HOME to a folder that you can write to.")
        raise StoreUnavailable(f"The home {home} cannot be made: {reason(error)}. {todo}") from error
    if mode & 0o022:
        raise StoreUnavailable(
            f"Others may write to the home {home}. Run `chmod go-w {home}`, or set MEMORO_HOME to another folder."
        )


def cached_spaces(home: str, *, deep: bool) -> set[str] | None:
    """Return the spaces with vectors in `embeddings.db`; None where there is no such file. Raises IndexDamaged.

    A small file is read whole, a larger one with `deep`.
    """
    from memoro.store.sqlite.embeddings import examine

    file = os.path.join(home, EMBEDDINGS_FILE)
    if not os.path.exists(file):
        return None
    return examine(home, _engine(home), whole=deep or os.path.getsize(file) <= QUICK_BYTES)


def _engine(home: str) -> "Engine":
    """The settings of SQLite for this home, which is made where it is missing."""
    from memoro.store.sqlite.engine import engine

    if home == IN_MEMORY:
        return engine(os.curdir)._replace(wal=False, vfs=None)
    make_home(home)
    return engine(home)
