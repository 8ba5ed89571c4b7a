"""The request of a search, and the keywords of the library that make it."""

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from memoro.errors import ConfigError
from memoro.model.answers import Where
from memoro.model.options import reject_unknown
from memoro.model.output_filter import OutputFilter
from memoro.model.vocabulary import MODES, Mode, parse_choice
from memoro.search import grouping
from memoro.search.filters import FilterOptions, filters
from memoro.search.retrieve import MAX_CANDIDATES

if TYPE_CHECKING:
    from memoro.home_context import HomeContext


class SearchOptions(FilterOptions, total=False):
    """`group="conversation"` returns the best passage of each conversation, with how many more there were.

    `used_in` searches only what a session was given. `progress` hears of the first sync, which may take a while.
    `filter` is what passages pass before snippets are cut from them, where an agent reads the answer.
    """

    limit: int | None
    mode: Mode | None
    group: str | None
    used_in: str | None
    progress: Callable[[int, int], None] | None
    filter: OutputFilter | None


class SearchRequest(NamedTuple):
    query: str  # any string
    where: Where
    limit: int
    mode: Mode
    group: str | None = None
    used_in: str | None = None
    progress: Callable[[int, int], None] | None = None
    filter: OutputFilter | None = None


def search_request(query: str, options: SearchOptions, home: "HomeContext") -> SearchRequest:
    """The request with what the settings say where the options say nothing; raises for values there are not."""
    reject_unknown("search", options, SearchOptions.__optional_keys__)
    chosen = home.settings.query
    mode = parse_choice(options.get("mode") or chosen.mode, MODES, "mode")
    limit, group = options.get("limit"), options.get("group")
    limit = chosen.max_results if limit is None else limit
    if not 1 <= limit <= MAX_CANDIDATES:
        raise ConfigError(f"The number of results must be from 1 to {MAX_CANDIDATES}, not {limit}.")
    if group not in (None, *grouping.GROUPS):
        raise ConfigError(f"There is no group {group!r}; choose from {', '.join(grouping.GROUPS)}.")
    own = {name: value for name, value in options.items() if name in FilterOptions.__optional_keys__}
    own["kind"] = options.get("kind") or chosen.kinds
    return SearchRequest(
        query=query,
        where=filters(today=home.runtime.today, **own),  # type: ignore[arg-type]
        limit=limit,
        mode=mode if home.settings.embedding.enabled else "words",
        group=group,
        used_in=options.get("used_in"),
        progress=options.get("progress"),
        filter=options.get("filter"),
    )
