"""Operations that wait in the outbox while the server of a shared ledger is away, and are done once it is back."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from memoro.errors import LedgerUnreachable, MemoroError, StoreError, WaitsInOutbox
from memoro.model.memories import stamp
from memoro.model.outbox import WaitingWrite
from memoro.model.secrets import redact
from memoro.operations.fields import specs
from memoro.operations.operation import Caller
from memoro.store.opening import has_outbox, open_outbox

if TYPE_CHECKING:
    from memoro.operations.operation import AnyOperation
    from memoro.workspace import Workspace

# After an attempt that failed, a process that answers requests does not make each of them wait for the next.
_PAUSE_SECONDS = 5.0
_failed_at: dict[str, float] = {}  # by home, on the monotonic clock


class Sent(NamedTuple):
    """The result of sending what waits."""

    applied: int = 0
    refused: int = 0  # will never be taken, and are kept
    waiting: int = 0
    why: str | None = None  # why some still wait


def run_or_keep(operation: AnyOperation, m: Workspace, request: tuple[object, ...], caller: Caller) -> Any:
    """Do an operation, after what waits. Where the server is away it is kept, and `WaitsInOutbox` names its number.

    The key is chosen before the first attempt: one whose answer was lost may have been made.
    """
    if has_outbox(m.home) and time.monotonic() - _failed_at.get(m.home, -_PAUSE_SECONDS) >= _PAUSE_SECONDS:
        send_waiting(m)
    if not operation.may_wait:
        return operation.call(m, request, caller)
    caller = caller._replace(key=caller.once or f"outbox-{os.urandom(16).hex()}")
    try:
        return operation.call(m, request, caller)
    except LedgerUnreachable as error:
        with closing(open_outbox(m.home)) as outbox:
            number = outbox.add(
                operation.name, _document(m, request, caller), caller.key or "", stamp(m.home_context.runtime.now())
            )
        raise WaitsInOutbox(number, error.sentence) from error


def send_waiting(m: Workspace) -> Sent:
    """Do what waits, in order, until the server fails. What it refuses for good is kept, and the rest goes on."""
    with closing(open_outbox(m.home)) as outbox, outbox.sending() as is_ours:
        waiting = [one for one in outbox.all() if one.refused is None]
        if not is_ours:
            return Sent(waiting=len(waiting), why="another process is sending them")
        applied = refused = 0
        for one in waiting:
            try:
                _apply(m, one)
            except StoreError as error:
                _failed_at[m.home] = time.monotonic()
                left = len(waiting) - applied - refused
                return Sent(applied=applied, refused=refused, waiting=left, why=str(error))
            except MemoroError as error:
                outbox.refuse(one.number, str(error))
                refused += 1
            else:
                outbox.delete(one.number)
                applied += 1
        return Sent(applied, refused)


def _apply(m: Workspace, waiting: WaitingWrite) -> None:
    from memoro import operations

    found = {one.name: one for one in operations.of_command(waiting.operation.partition(" ")[0])}
    operation = found[waiting.operation]
    fields = dict(waiting.document["request"])
    for spec in specs(operation.request):
        if spec.many and isinstance(fields.get(spec.name), list):
            fields[spec.name] = tuple(fields[spec.name])
    caller = Caller(**waiting.document["caller"], key=waiting.key)
    with _as_then(m, waiting.document["home"]) as workspace:
        operation.call(workspace, operation.request(**fields), caller)


def _document(m: Workspace, request: tuple[object, ...], caller: Caller) -> Mapping[str, Any]:
    """The request and who makes it, as JSON, without secrets: the file is no ledger, and nobody would look there."""
    known, runtime = m.secrets(), m.home_context.runtime
    fields = zip(getattr(request, "_fields", ()), request, strict=True)
    return {
        "request": {name: _clean(value, known) for name, value in fields},
        "caller": {name: getattr(caller, name) for name in ("source", "agent", "project", "session", "folder")},
        "home": {"agent": runtime.agent, "project": runtime.project, "client": runtime.client},
    }


def _clean(value: object, known: Any) -> object:
    if isinstance(value, str):
        return redact(value, known).text
    if isinstance(value, dict):
        return {_clean(name, known): _clean(one, known) for name, one in value.items()}
    return [_clean(one, known) for one in value] if isinstance(value, tuple | list) else value


@contextmanager
def _as_then(m: Workspace, home: Mapping[str, str | None]) -> Iterator[Workspace]:
    """The home, opened for the agent and the project that the write was made for."""
    runtime = m.home_context.runtime
    if home == {"agent": runtime.agent, "project": runtime.project, "client": runtime.client}:
        yield m
        return
    from memoro import opening

    names = ("MEMORO_AGENT", "MEMORO_PROJECT")
    environment = {name: value for name, value in m.environment.items() if name not in names}
    vault = m.settings.vault.path
    opened = opening.open_with(
        environment, m.home, vault, agent=home["agent"], project=home["project"], client=home["client"]
    )
    with opened as workspace:
        yield workspace
