"""The views of `memoro search` and `memoro get`: what a person sees."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from memoro.cli.command import NOTHING_FOUND, command
from memoro.operations.finding import GET, SEARCH, FindPassages, GetRequest, SearchResult

if TYPE_CHECKING:
    from memoro.model.answers import Text


def _show_search(found: SearchResult, _request: FindPassages) -> None:
    from memoro.cli import show

    show.answer(found.answer, explain=found.explain)


def _search_code(found: SearchResult, _request: FindPassages) -> int:
    return 0 if found.answer.results else NOTHING_FOUND


def _show_text(found: Text, _request: GetRequest) -> None:
    from memoro.cli import show

    if found.around:
        show.conversation(found)
    elif sys.stdout.isatty():
        print("\n".join(show.printable(line) for line in found.text.split("\n")))
    else:
        print(found.text)


VIEWS = {
    "search": command(SEARCH, _show_search, _search_code, progress="Indexing"),
    "get": command(GET, _show_text),
}
