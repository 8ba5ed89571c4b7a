"""The ledger as a file: export it whole, and import memories from it or from other programs."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

from memoro import documents
from memoro.errors import ConfigError, StorageFull
from memoro.ledger.exchange.importing import FORMATS
from memoro.model.system_errors import is_out_of_space
from memoro.operations.fields import Field
from memoro.operations.operation import Caller, Operation

if TYPE_CHECKING:
    from memoro.ledger.exchange.export import Exported
    from memoro.ledger.exchange.report import Imported
    from memoro.workspace import Workspace

ExportFormat = Literal["jsonl", "markdown"]
STREAM = "-"  # in place of a file: the caller's own output


class Export(NamedTuple):
    output: Annotated[str, Field("The file to write; - is standard output.", "FILE", ("-o", "--output"))]
    format: Annotated[ExportFormat, Field("One JSON record a line, or a document for people (jsonl).")] = "jsonl"
    force: Annotated[bool, Field("Overwrite an existing file.")] = False


class ExportResult(NamedTuple):
    file: str
    exported: "Exported"


def export(m: "Workspace", request: Export, caller: Caller) -> ExportResult:
    if request.output == STREAM and caller.output is not None:
        return ExportResult(STREAM, m.export(caller.output, request.format))
    with _new_file(request.output, force=request.force) as write:
        return ExportResult(request.output, m.export(write, request.format))


def _exported(found: ExportResult) -> documents.Document:
    return {"file": found.file, **documents.plain(found.exported)}


@contextmanager
def _new_file(file: str, *, force: bool) -> Iterator[Callable[[str], object]]:
    """Write a file that appears whole or not at all, and that only its owner can read."""
    if os.path.isdir(file):
        raise ConfigError(f"{file} is a folder. Name a file in it.")
    if os.path.lexists(file) and not force:
        raise ConfigError(f"{file} is there already. Name another file, or add --force to write over it.")
    building = f"{file}.{os.getpid()}.part"
    try:
        descriptor = os.open(building, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as made:
            yield made.write
            made.flush()
            os.fsync(made.fileno())
        os.replace(building, file)
        _sync_folder(os.path.dirname(os.path.abspath(file)))
    except OSError as error:
        if is_out_of_space(error):
            raise StorageFull(file) from error
        raise ConfigError(f"{file} cannot be written: {(error.strerror or str(error)).lower()}.") from error
    finally:
        with suppress(OSError):
            os.unlink(building)


def _sync_folder(folder: str) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


class Import(NamedTuple):
    place: Annotated[
        str,
        Field("The file or folder that `memoro export` or another program wrote.", "FILE-OR-FOLDER", positional=True),
    ]
    format: Annotated[
        str | None,
        Field(f"What it is, if it is not recognised: {', '.join(FORMATS)}.", "FORMAT", ("--from",), choices=FORMATS),
    ] = None
    dry_run: Annotated[bool, Field("Only list what would be imported.")] = False
    trust: Annotated[bool, Field("Keep trust levels and feedback, because it is your own export.")] = False


def import_(m: "Workspace", request: Import, _caller: Caller) -> "Imported":
    return m.import_(request.place, request.format, dry_run=request.dry_run, trust=request.trust)


EXPORT = Operation(
    name="export", request=Export, call=export, encode=_exported, access="admin", changes_nothing_remembered=True
)
IMPORT = Operation(name="import", request=Import, call=import_, access="admin")
OPERATIONS = (EXPORT, IMPORT)
