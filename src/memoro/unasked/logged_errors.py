"""Errors that only the result of a tool showed: no turn of the conversation holds them, so the logs are read."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from memoro.model.answers import Where
from memoro.model.error_agreement import SAME, best_agreement
from memoro.model.error_codes import searched
from memoro.model.error_signatures import ErrorSignature, errors_in
from memoro.model.projects import belongs
from memoro.store.ports import Index, IndexedConversation
from memoro.transcripts.tool_runs import ToolRun
from memoro.vault.files import VaultFiles
from memoro.vault.tool_runs import runs_in

_LOGS = 50  # the newest of the project
LOG_BYTES = 24 * 1024 * 1024  # of logs in all: a prompt waits for this
_OUTPUTS = 50  # of tools that are compared, in all
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]{3,}")
_OUTPUT = 4_000  # characters of an output, at its beginning and at its end, in which an error is looked for


class LoggedError(NamedTuple):
    """The same error in the output of a tool."""

    path: str
    line: int  # of the result in the log
    agreement: float
    command: str


def logged_errors(vault: VaultFiles, paths: Sequence[str], errors: Sequence[ErrorSignature]) -> list[LoggedError]:
    """Return where tools showed these errors in these logs: of each log the last place."""
    wanted = [words for words in map(_longest_words, errors[:3]) if words]
    found: list[LoggedError] = []
    read = compared = 0
    for path in paths if wanted else ():
        if read > LOG_BYTES or compared > _OUTPUTS:
            break
        runs, size = runs_in(vault, path, wanted)
        read += size
        compared += len(runs)
        if same := _last_same(path, runs, errors):
            found.append(same)
    return found


def _last_same(path: str, runs: Sequence[ToolRun], errors: Sequence[ErrorSignature]) -> LoggedError | None:
    for run in runs[: -_OUTPUTS - 1 : -1]:
        agreement = best_agreement(errors, errors_in(ends(run.output)))
        if agreement >= SAME:
            return LoggedError(path=path, line=run.line, agreement=agreement, command=run.target.command)
    return None


def ends(output: str) -> str:
    return output if len(output) <= 2 * _OUTPUT else f"{output[:_OUTPUT]}\n{output[-_OUTPUT:]}"


def _longest_words(error: ErrorSignature) -> tuple[bytes, ...]:
    """Return the longest words of the error that are the same wherever it is met, as they are written."""
    kept = {*error.message, *error.types, *searched(error.codes)}
    same = {word for word in _WORD.findall(error.line) if word.lower() in kept}
    return tuple(word.encode() for word in sorted(same, key=lambda word: (-len(word), word))[:3])


def newest_logs(where: Where) -> Callable[[Index], list[str]]:
    """Return a reader of the paths of the newest conversations that pass these filters."""

    def passes(one: IndexedConversation) -> bool:
        agents = where.bound_agents
        return belongs(one.note.project, where.bound_projects) and (not agents or one.note.agent in (None, *agents))

    def read(index: Index) -> list[str]:
        narrowed = where.paths or where.tiers or where.tags or where.since or where.until
        if narrowed or (where.kinds and "transcript" not in where.kinds):
            return []
        found = [one for one in index.conversations("@") if passes(one)]
        found.sort(key=lambda one: (one.last or "", one.path), reverse=True)
        return [one.path for one in found[:_LOGS]]

    return read
