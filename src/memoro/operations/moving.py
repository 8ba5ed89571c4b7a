"""Moving the ledger between a file of the home and a server that several machines share."""

import os
from typing import TYPE_CHECKING, Annotated, NamedTuple

from memoro import config
from memoro.config.changing import check_value
from memoro.errors import ConfigError, TenantNotEmpty
from memoro.operations.fields import Field
from memoro.operations.operation import Caller, Operation

if TYPE_CHECKING:
    from memoro.ledger.moving import FinishedMove, LedgerMove, Merged, Moved
    from memoro.store.opening import SharedLedger
    from memoro.workspace import Workspace

_FILE = "sqlite"
_VARIABLE = "MEMORO_LEDGER_URL"


class MoveLedger(NamedTuple):
    to: Annotated[
        str | None,
        Field("The target: postgresql://… for a server, sqlite for a file in this home (ledger.url).", "URL"),
    ] = None
    tenant: Annotated[str | None, Field("The tenant on the server (ledger.tenant).", "NAME")] = None
    person: Annotated[str | None, Field("The person as whom this machine writes (ledger.person).", "NAME")] = None
    password: Annotated[
        str | None, Field("The place of the password: env:NAME, file:PATH or keyring:SERVICE/NAME.", "WHERE")
    ] = None
    merge: Annotated[
        bool, Field("Add this home's own memories, experiences and narratives to a tenant that holds some already.")
    ] = False
    share_private: Annotated[
        bool, Field("Show to everybody in the tenant also what was private on the server that it came from.")
    ] = False
    finish: Annotated[bool, Field("Confirm the last move: delete the old ledger; its backup stays.")] = False


class LedgerMoveResult(NamedTuple):
    moved: "Moved | None"
    finished: "FinishedMove | None" = None
    merged: "Merged | None" = None


def move(m: "Workspace", request: MoveLedger, caller: Caller) -> LedgerMoveResult:
    from memoro.ledger.moving import LedgerMove, MovePlace

    if m.environment.get(_VARIABLE):
        raise ConfigError(f"{_VARIABLE} names the ledger, so the settings cannot. Unset it, and move then.")
    progress = caller.progress or (lambda _done, _total: None)
    place = MovePlace(m.home, os.path.join(m.home, config.FILE_NAME), m.home_context.runtime.now)
    steps = LedgerMove(place, _shared(m, request), request.password)
    try:
        completed = _completed(m, steps)
        if request.finish:
            return LedgerMoveResult(None, steps.finish())
        if completed is not None:
            return LedgerMoveResult(completed)
        if request.to == _FILE:
            return LedgerMoveResult(steps.to_file(progress=progress))
        _check_source(m, steps)
        secrets, is_private = m.home_context.runtime.secrets(), m.settings.ledger.visibility == "private"
        try:
            moved = steps.to_server(is_private=is_private, progress=progress, share_private=request.share_private)
            return LedgerMoveResult(moved)
        except TenantNotEmpty:
            if not request.merge:
                raise
        return LedgerMoveResult(None, merged=steps.merge(secrets, share_private=request.share_private))
    finally:
        steps.close()


def _shared(m: "Workspace", request: MoveLedger) -> "SharedLedger":
    """The tenant that the move is to or from: as the request names it, else as the settings do."""
    from memoro.ledger.moving import read_record
    from memoro.providers.keys import read_key
    from memoro.store.opening import SharedLedger

    chosen, begun = m.settings.ledger, read_record(m.home)
    if begun is not None and begun.direction == "file" and not begun.is_done and chosen.url is None:
        return begun.shared  # broken off when the settings named the file already
    url = chosen.url if request.to in (None, _FILE) else request.to
    if url is None and not request.finish:
        already = "The ledger is a file of this home already: ledger.url is not set."
        raise ConfigError(already if request.to == _FILE else "Say where to: --to postgresql://USER@HOST/DATABASE.")
    if request.to not in (None, _FILE, chosen.url) and chosen.url is not None:
        raise ConfigError(
            "The ledger is on a server already. Move it to a file first: `memoro move-ledger --to sqlite`."
        )
    if url is not None:
        check_value("ledger.url", url)
    reference = request.password or chosen.password
    password = read_key(reference, m.environment, "ledger") if reference else None
    return SharedLedger(
        url=url or "",
        tenant=request.tenant or chosen.tenant,
        person=request.person or chosen.person,
        password=password,
        visibility=chosen.visibility,
    )


def _completed(m: "Workspace", steps: "LedgerMove") -> "Moved | None":
    """A move whose process died after the settings named the new ledger has only to be noted."""
    record = steps.record()
    if record is None or (record.direction == "server") != (m.settings.ledger.url == record.url):
        return None
    return steps.complete_switched()


def _check_source(m: "Workspace", steps: "LedgerMove") -> None:
    from memoro.store.opening import ledger_change_token

    if ledger_change_token(m.home) is None:
        raise ConfigError(
            "This home has no ledger to move yet. Set ledger.url, and new memories are stored on the server."
        )
    record = steps.record()
    if record is not None and record.is_done and record.direction == "server":
        raise ConfigError(
            "The ledger of this home was moved already. `memoro move-ledger --finish` deletes the old files; "
            "`memoro move-ledger --to sqlite` moves it back."
        )
    if m.settings.ledger.url is None:
        m.parts.ledger.finish_forgetting()


MOVE = Operation(name="move-ledger", request=MoveLedger, call=move, access="admin", changes_nothing_remembered=True)
OPERATIONS = (MOVE,)
