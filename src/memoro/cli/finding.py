"""The views of `memoro search` and `memoro get`: what a person sees."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from memoro.cli.command import NOTHING_FOUND, command
from memoro.errors import QueryError
from memoro.operations.finding import GET, SEARCH, FindPassages, GetRequest, SearchResult

if TYPE_CHECKING:
    from memoro.model.answers import Text


def _show_search(found: SearchResult, _request: FindPassages) -> None:
    from memoro.cli import show

    show.answer(found.answer, explain=found.explain)


def _search_code(found: SearchResult, _request: FindPassages) -> int:
    return 0 if found.answer.results else NOTHING_FOUND


def _read_query(words: Sequence[str]) -> str:
    """Return the query. Programs may search for any string; a person who types none has lost it on the way."""
    query = " ".join(words)
    if not query.strip():
        raise QueryError(
            "The query is empty. Name what you look for, such as `memoro search cashew allergy`; `memoro timeline` "
            "lists what there is by day."
        )
    return query


def _show_text(found: Text, _request: GetRequest) -> None:
    from memoro.cli import show

    if found.around:
        show.conversation(found)
    elif sys.stdout.isatty():
        print("\n".join(show.printable(line) for line in found.text.split("\n")))
    else:
        print(found.text)


VIEWS = {
    "search": command(SEARCH, _show_search, _search_code, {"query": _read_query}, progress="Indexing"),
    "get": command(GET, _show_text),
}
