"""The views of `memoro transcripts …`: what a person sees."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memoro.cli import show
from memoro.cli.command import command
from memoro.cli.lines import say
from memoro.hosts import LOG_AGENTS
from memoro.operations.transcripts import ADD, LIST, REMOVE, TranscriptFolders

if TYPE_CHECKING:
    from memoro.index.known import TranscriptSource


def _show(found: TranscriptFolders, _request: object) -> None:
    if not found.sources:
        say(f"No logs are searched yet: `memoro transcripts add FOLDER`, or one of {', '.join(LOG_AGENTS)}.")
    for one in found.sources:
        say(show.printable(_line(one)))
    if found.report:
        show.report(found.report)


def _show_with_problems(found: TranscriptFolders, request: object) -> None:
    if not found.sources:
        _show(found, request)
    for one in found.sources:
        say(show.printable(_line(one)))
        for problem in one.problems:
            say(f"  {problem.severity}: {show.printable(problem.path)}: {problem.sentence}")


def _line(one: TranscriptSource) -> str:
    named = one.source if one.source not in LOG_AGENTS else f"{one.source} ({one.folder})"
    since = f", since {one.since}" if one.since else ""
    days = f", {one.first}" + (f" to {one.last}" if one.last and one.last != one.first else "") if one.first else ""
    conversations = f"{one.conversations} conversation{'s' if one.conversations != 1 else ''}"
    return f"{named}: {conversations}, {one.messages} message{'s' if one.messages != 1 else ''}{days}{since}"


VIEWS = {
    "transcripts add": command(ADD, _show, progress="Indexing"),
    "transcripts list": command(LIST, _show_with_problems),
    "transcripts remove": command(REMOVE, _show),
}
