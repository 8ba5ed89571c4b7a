"""`memoro transcripts`."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING

from memoro import config
from memoro.cli.options import add_json, opened
from memoro.errors import ConfigError
from memoro.hosts import LOG_AGENTS
from memoro.index.report import Report
from memoro.store.opening import make_home
from memoro.vault.log_sources import LogSource

if TYPE_CHECKING:
    from memoro.index.known import TranscriptSource
    from memoro.workspace import Workspace


def configure_transcripts(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", choices=["add", "list", "remove"], help="What to do.")
    parser.add_argument(
        "source",
        nargs="?",
        help="A folder of conversation logs, or an agent whose logs are found where it keeps them: "
        f"{', '.join(LOG_AGENTS)}. Logs are never changed.",
    )
    parser.add_argument("--since", metavar="DATE", help="With `add`: leave out logs that were last written before.")
    add_json(parser)
    parser.set_defaults(run=_transcripts)


def _transcripts(chosen: argparse.Namespace) -> int:
    with opened(chosen) as m:
        home, settings = m.home, m.settings
        before = settings.transcripts.entries
        after = _changed(chosen, before)
        if after != before:
            if chosen.action == "add":  # refused before it is written
                transcripts = settings.transcripts._replace(folders=tuple(map(str, after)))
                config.vault_files(settings._replace(transcripts=transcripts), dict(os.environ))
            make_home(home)
            config.write(os.path.join(home, config.FILE_NAME), "transcripts.folders", tuple(map(str, after)))
    report = _sync(chosen) if chosen.action == "add" else None
    with opened(chosen) as m:
        found = m.transcripts()
        _show(chosen, m, found, report)
    return 0


def _show(chosen: argparse.Namespace, m: Workspace, found: list[TranscriptSource], report: Report | None) -> None:
    from memoro.cli import show

    if chosen.json:
        from memoro import documents

        print(
            documents.dumps(
                {
                    "folders": [one.folder for one in found],
                    "sources": [documents.known(one) for one in found],
                    "report": documents.report(report) if report else None,
                }
            )
        )
        return
    if not m.settings.transcripts.folders:
        print("No transcripts yet: `memoro transcripts add FOLDER`, or one of " + ", ".join(LOG_AGENTS) + ".")
    for one in found:
        print(show.printable(_line(one)))
        if chosen.action == "list":
            for problem in one.problems:
                print(f"  {problem.severity}: {show.printable(problem.path)}: {problem.sentence}")
    if report:
        show.report(report)


def _line(one: TranscriptSource) -> str:
    named = one.source if one.source not in LOG_AGENTS else f"{one.source} ({one.folder})"
    since = f", since {one.since}" if one.since else ""
    days = f", {one.first}" + (f" to {one.last}" if one.last and one.last != one.first else "") if one.first else ""
    conversations = f"{one.conversations} conversation{'s' if one.conversations != 1 else ''}"
    return f"{named}: {conversations}, {one.messages} message{'s' if one.messages != 1 else ''}{days}{since}"


def _changed(chosen: argparse.Namespace, before: tuple[LogSource, ...]) -> tuple[LogSource, ...]:
    if chosen.action == "list":
        return before
    if chosen.source is None:
        raise ConfigError(f"Name the folder: `memoro transcripts {chosen.action} FOLDER`.")
    wanted = chosen.source if chosen.source in LOG_AGENTS else _real(chosen.source)
    others = tuple(entry for entry in before if _key(entry) != wanted)
    if chosen.action == "add":
        entry = LogSource(wanted, _day(chosen.since))
        folder = entry.folder(os.environ).folder
        if not os.path.isdir(folder):
            why = (
                f"{wanted} keeps its logs in {folder}, which is not there before its first conversation. Add it then."
            )
            raise ConfigError(why if wanted in LOG_AGENTS else f"{folder} is not a folder.")
        known = next((one for one in before if _key(one) == wanted), None)
        if known is None:
            return (*before, entry)
        return tuple(known._replace(since=entry.since or known.since) if one is known else one for one in before)
    if len(others) == len(before):
        raise ConfigError(f"{wanted} is not among the transcripts; `memoro transcripts list` shows them.")
    return others


def _key(entry: LogSource) -> str:
    return entry.source if entry.is_agent else _real(entry.source)


def _day(text: str | None) -> str | None:
    if text is None:
        return None
    from datetime import date

    from memoro.model.dates import span

    return span(text, today=date.today()).first.isoformat()


def _real(folder: str) -> str:
    return os.path.realpath(os.path.expanduser(folder))


def _sync(chosen: argparse.Namespace) -> Report:
    from memoro.cli import show

    with opened(chosen) as m, show.progress("Indexing") as progress:
        return m.sync(progress=progress)
