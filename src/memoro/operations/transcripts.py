"""The folders of conversation logs that are searched too."""

import os
from typing import TYPE_CHECKING, Annotated, NamedTuple

from memoro import documents
from memoro.errors import ConfigError
from memoro.hosts import LOG_AGENTS, agent_of
from memoro.operations.fields import Field
from memoro.operations.operation import Caller, NoArguments, Operation
from memoro.vault.log_sources import LogSource

if TYPE_CHECKING:
    from memoro.index.known import TranscriptSource
    from memoro.index.report import Report
    from memoro.workspace import Workspace

_SOURCE = Field(
    f"A folder of conversation logs, or a host whose folder Memoro knows: {', '.join(LOG_AGENTS)}. "
    "Memoro never changes a log.",
    "FOLDER-OR-HOST",
    positional=True,
)


class AddTranscripts(NamedTuple):
    source: Annotated[str, _SOURCE]
    since: Annotated[str | None, Field("Leave out logs that were last written before this day.", "WHEN")] = None


class RemoveTranscripts(NamedTuple):
    source: Annotated[str, _SOURCE]


class TranscriptFolders(NamedTuple):
    folders: tuple[str, ...]
    sources: "tuple[TranscriptSource, ...]"
    report: "Report | None" = None  # of the sync that follows an addition


def add(m: "Workspace", request: AddTranscripts, caller: Caller) -> TranscriptFolders:
    before = m.settings.transcripts.entries
    wanted = _name(request.source)
    entry = LogSource(wanted, _day(request.since))
    folder = entry.folder(os.environ).folder
    if not os.path.isdir(folder):
        if wanted in LOG_AGENTS:
            raise ConfigError(
                f"{wanted} keeps its logs in {folder}, which its first conversation creates. Add it then."
            )
        raise ConfigError(f"{folder} is not a folder. Name a folder of logs, or a host: {', '.join(LOG_AGENTS)}.")
    if any(_key(one) == wanted for one in before):
        after = tuple(one._replace(since=entry.since or one.since) if _key(one) == wanted else one for one in before)
    else:
        after = (*before, entry)
    _write(m, after, check=True)
    return _listed_anew(m, caller, sync=True)


def remove(m: "Workspace", request: RemoveTranscripts, caller: Caller) -> TranscriptFolders:
    before = m.settings.transcripts.entries
    wanted = _name(request.source)
    after = tuple(entry for entry in before if _key(entry) != wanted)
    if len(after) == len(before):
        raise ConfigError(
            f"{wanted} is no folder or host whose logs are searched; `memoro transcripts list` lists those."
        )
    _write(m, after, check=False)
    return _listed_anew(m, caller, sync=False)


def list_(m: "Workspace", _request: NoArguments, _caller: Caller) -> TranscriptFolders:
    return _listed(m, None)


def _write(m: "Workspace", after: tuple[LogSource, ...], *, check: bool) -> None:
    """Set the folders. With `check`, refuse those that the vault cannot take before anything is written."""
    from memoro import config
    from memoro.config import edit
    from memoro.store.opening import make_home

    if after == m.settings.transcripts.entries:
        return
    names = tuple(map(str, after))
    if check:
        transcripts = m.settings.transcripts._replace(folders=names)
        config.vault_files(m.settings._replace(transcripts=transcripts), dict(os.environ))
    make_home(m.home)
    edit.write(os.path.join(m.home, config.FILE_NAME), "transcripts.folders", names)


def _listed_anew(m: "Workspace", caller: Caller, *, sync: bool) -> TranscriptFolders:
    """The folders as the changed settings name them."""
    from memoro.opening import open as open_home

    with open_home(m.home, m.settings.vault.path, agent=caller.agent, project=caller.project) as changed:
        report = changed.sync(progress=caller.progress) if sync else None
        return _listed(changed, report)


def _listed(m: "Workspace", report: "Report | None") -> TranscriptFolders:
    found = tuple(m.transcripts())
    return TranscriptFolders(tuple(one.folder for one in found), found, report)


def _name(source: str) -> str:
    """Return the name of a host's logs, or the folder. A host may also be named as `connect` names it."""
    if source in LOG_AGENTS:
        return source
    folder = os.path.realpath(os.path.expanduser(source))
    host = agent_of(source)
    return folder if host == source or os.path.isdir(folder) else host


def _key(entry: LogSource) -> str:
    return _name(entry.source)


def _day(text: str | None) -> str | None:
    if text is None:
        return None
    from datetime import date

    from memoro.model.time_phrases import span

    return span(text, today=date.today()).first.isoformat()


def _document(found: TranscriptFolders) -> documents.Document:
    report = documents.report(found.report) if found.report else None
    return {**documents.plain(found), "report": report}


ADD = Operation(
    name="transcripts add", request=AddTranscripts, call=add, encode=_document, access="admin",
    summary="Search the logs of a folder or a host from now on.",
)  # fmt: skip
LIST = Operation(
    name="transcripts list", request=NoArguments, call=list_, encode=_document, access="read",
    summary="List the folders of conversation logs, and what was read in each.",
)  # fmt: skip
REMOVE = Operation(
    name="transcripts remove", request=RemoveTranscripts, call=remove, encode=_document, access="admin",
    summary="Stop searching the logs of a folder or a host; they stay on disk.",
)  # fmt: skip
OPERATIONS = (ADD, LIST, REMOVE)
