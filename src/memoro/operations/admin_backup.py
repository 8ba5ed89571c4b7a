"""Dumps of a server's ledgers, and the cleaning of its files: for the owner of the server."""

from typing import TYPE_CHECKING, Annotated, NamedTuple

from memoro.errors import ConfigError
from memoro.operations.fields import Field
from memoro.operations.operation import Caller, Operation

if TYPE_CHECKING:
    from memoro.documents import Document
    from memoro.workspace import Workspace

ADMIN_URL = "MEMORO_ADMIN_URL"
_PROGRAMS = "MEMORO_POSTGRES_PROGRAMS"
_URL = Field(f"The database, as its owner or a superuser: postgresql://… ({ADMIN_URL}).", "URL")


class BackupServer(NamedTuple):
    file: Annotated[str, Field("The dump file to write, or to check with --verify.", "FILE", positional=True)]
    url: Annotated[str | None, _URL] = None
    tenant: Annotated[str | None, Field("Dump only this tenant, with the private rows of its people.", "NAME")] = None
    verify: Annotated[bool, Field("Restore the dump into a temporary database, and compare.")] = False


class ServerBackup(NamedTuple):
    file: str
    tenants: tuple[str, ...]
    rows: int
    made_at: str
    restored_into: str = ""  # where it was restored to be checked; empty: it was not
    problems: tuple[str, ...] = ()


def backup(m: "Workspace", request: BackupServer, _caller: Caller) -> ServerBackup:
    from memoro.store.postgres.dump_checking import check_dump
    from memoro.store.postgres.dumping import DumpRequest, dump

    url, programs = request.url or m.environment.get(ADMIN_URL), m.environment.get(_PROGRAMS)
    if request.verify:
        checked = check_dump(request.file, url, programs)
        made, into, problems = checked.dump, checked.restored_into, checked.problems
    else:
        wanted = DumpRequest(url=_given(url), file=request.file, tenant=request.tenant, programs=programs)
        made = dump(wanted)
        into, problems = "", ()
    return ServerBackup(
        file=made.file,
        tenants=made.tenants,
        rows=made.rows,
        made_at=made.made_at,
        restored_into=into,
        problems=problems,
    )


def _given(url: str | None) -> str:
    if not url:
        raise ConfigError(f"Name the database, as its owner or a superuser: --url postgresql://…, or {ADMIN_URL}.")
    return url


class VacuumServer(NamedTuple):
    url: Annotated[str | None, _URL] = None


class Vacuumed(NamedTuple):
    tables: tuple[str, ...]


def vacuum(m: "Workspace", request: VacuumServer, _caller: Caller) -> Vacuumed:
    from memoro.store.postgres.vacuuming import rewrite_tables

    return Vacuumed(tuple(rewrite_tables(_given(request.url or m.environment.get(ADMIN_URL)))))


def _document(found: ServerBackup) -> "Document":
    return {**found._asdict(), "tenants": list(found.tenants), "problems": list(found.problems)}


BACKUP = Operation(
    name="admin backup", request=BackupServer, call=backup, encode=_document, access="admin",
    summary="Dump the ledgers of a server with pg_dump, or check a dump.",
    changes_nothing_remembered=True,
)  # fmt: skip
VACUUM = Operation(
    name="admin vacuum", request=VacuumServer, call=vacuum, access="admin",
    summary="Rewrite the tables of a server, to erase deleted rows from its files.",
    changes_nothing_remembered=True, is_repeatable=True,
)  # fmt: skip
