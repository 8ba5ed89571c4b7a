"""The views of `memoro narrative …`: what a person sees."""

from __future__ import annotations

from memoro.cli.command import NOTHING_FOUND, command
from memoro.cli.lines import say
from memoro.cli.show import printable
from memoro.model.local_time import local
from memoro.operations.narratives import SEARCH, SHOW, UPDATE, NarrativeList, SearchNarratives

_NONE = 'No narrative yet: `memoro narrative update "What is going on"`.'
_NO_WORDS = "No narrative holds these words; `memoro narrative search` alone shows the latest."


def _show(found: NarrativeList, request: object) -> None:
    for one in found.results:
        on = f"  based on {', '.join(f'[id:{m}]' for m in one.memories)}" if one.memories else ""
        say(printable(f"{one.id}. {local(one.created_at)}  {one.summary}{on}"))
    if not found.results:
        say(_NO_WORDS if isinstance(request, SearchNarratives) and request.query else _NONE)


def _exit_code(found: NarrativeList, _request: object) -> int:
    return 0 if found.results else NOTHING_FOUND


VIEWS = {
    "narrative update": command(UPDATE, _show, _exit_code),
    "narrative search": command(SEARCH, _show, _exit_code),
    "narrative show": command(SHOW, _show, _exit_code),
}
