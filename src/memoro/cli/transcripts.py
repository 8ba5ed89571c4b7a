"""`memoro transcripts`."""

from __future__ import annotations

import argparse
import os

from memoro import config, keeping
from memoro.cli.options import add_json, opened
from memoro.errors import ConfigError
from memoro.index.sync import Report


def configure_transcripts(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", choices=["add", "list", "remove"], help="What to do.")
    parser.add_argument("folder", nargs="?", help="A folder of conversation logs (*.jsonl); they are never changed.")
    add_json(parser)
    parser.set_defaults(run=_transcripts)


def _transcripts(chosen: argparse.Namespace) -> int:
    with opened(chosen) as m:
        home, settings = m.home, m.settings
    before = settings.transcripts.folders
    after = _changed(chosen, before)
    if after != before:
        if chosen.action == "add":  # refused before it is written
            config.vault_files(settings._replace(transcripts=config.Transcripts(after)))
        keeping.make_home(home)
        config.write(os.path.join(home, config.FILE_NAME), "transcripts.folders", after)
    report = _sync(chosen) if chosen.action == "add" else None
    if chosen.json:
        from memoro import wire

        document = {"folders": list(after), "report": wire.report(report) if report else None}
        print(wire.dumps(document))
    else:
        print("\n".join(after) if after else "No transcripts yet: `memoro transcripts add FOLDER`.")
        if report:
            from memoro.cli import show

            show.report(report)
    return 0


def _changed(chosen: argparse.Namespace, before: tuple[str, ...]) -> tuple[str, ...]:
    if chosen.action == "list":
        return before
    if chosen.folder is None:
        raise ConfigError(f"Name the folder: `memoro transcripts {chosen.action} FOLDER`.")
    folder = _real(chosen.folder)
    known = [_real(other) for other in before]
    if chosen.action == "add":
        if not os.path.isdir(folder):
            raise ConfigError(f"{folder} is not a folder.")
        return before if folder in known else (*before, folder)
    if folder not in known:
        raise ConfigError(f"{folder} is not among the transcripts; `memoro transcripts list` shows them.")
    return tuple(other for other in before if _real(other) != folder)


def _real(folder: str) -> str:
    return os.path.realpath(os.path.expanduser(folder))


def _sync(chosen: argparse.Namespace) -> Report:
    from memoro.cli import show

    with opened(chosen) as m, show.progress("Indexing") as progress:
        return m.sync(progress=progress)
