"""The request of a search, and the keywords of the library that make it."""

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from memoro.errors import ConfigError
from memoro.model.answers import Where
from memoro.model.options import reject_unknown
from memoro.model.output_filter import OutputFilter
from memoro.model.values import require_number, require_share, require_text
from memoro.model.vocabulary import MODES, REACHES, Mode, Reach, parse_choice
from memoro.search import grouping
from memoro.search.filters import FilterOptions, bound_by, filters, held_at, without_private
from memoro.search.retrieve import MAX_CANDIDATES

if TYPE_CHECKING:
    from memoro.home_context import HomeContext


class SearchOptions(FilterOptions, total=False):
    """`group="conversation"` returns the best passage of each conversation, with how many more there were.

    `as_of` returns what held at the end of that day, as "2025-03-05" or "March": superseded memories that held then,
    nothing that was said later. `used_in` searches only what a session was given. `min_score` is the least score of
    a result; 0 shows everything that was found. `progress` hears of the first sync, which may take a while.
    `filter` is what passages pass before snippets are cut from them, where an agent reads the answer.
    `scope="all"` also finds what belongs to other projects and agents than the home was opened for. `unfinished` is
    for a query that somebody is typing: a last word that no passage holds finds the words that begin with it.
    """

    limit: int | None
    min_score: float | None
    mode: Mode | None
    group: str | None
    as_of: str | None
    used_in: str | None
    scope: Reach
    progress: Callable[[int, int], None] | None
    filter: OutputFilter | None
    unfinished: bool


class SearchRequest(NamedTuple):
    query: str  # any string
    where: Where
    limit: int
    mode: Mode
    group: str | None = None
    used_in: str | None = None
    min_score: float | None = None  # None: what is relevant
    progress: Callable[[int, int], None] | None = None
    filter: OutputFilter | None = None
    unfinished: bool = False  # the last word may be the beginning of one


def search_request(query: str, options: SearchOptions, home: "HomeContext") -> SearchRequest:
    """The request with what the settings say where the options say nothing; raises for values there are not."""
    reject_unknown("search", options, SearchOptions.__optional_keys__)
    chosen = home.settings.query
    mode = parse_choice(options.get("mode") or chosen.mode, MODES, "mode")
    limit, group = options.get("limit"), options.get("group")
    limit = chosen.max_results if limit is None else limit
    if not 1 <= require_number(limit, "number of results") <= MAX_CANDIDATES:
        raise ConfigError(f"The number of results must be from 1 to {MAX_CANDIDATES}, not {limit}.")
    if group not in (None, *grouping.GROUPS):
        raise ConfigError(f"There is no group {group!r}; choose from {', '.join(grouping.GROUPS)}.")
    least = options.get("min_score")
    if least is not None and not 0 <= require_share(least, "least score") <= 1:
        raise ConfigError(f"The least score must be from 0 to 1, not {least:g}.")
    own = {name: value for name, value in options.items() if name in FilterOptions.__optional_keys__}
    own["kind"] = options.get("kind") or chosen.kinds
    where = filters(today=home.runtime.today, **own)  # type: ignore[arg-type]
    reach = parse_choice(options.get("scope", "session"), REACHES, "scope")
    if reach == "session" and (home.runtime.agent or home.runtime.project):
        where = bound_by(home.runtime.scope, where)
    elif not home.runtime.private:
        where = without_private(home.runtime.scope, where)
    if as_of := options.get("as_of"):
        where = where._replace(held=held_at(as_of, home.runtime.today()))
    return SearchRequest(
        query=require_text(query, "query"),
        where=where,
        limit=limit,
        mode=mode if home.settings.embedding.enabled else "words",
        group=group,
        used_in=options.get("used_in"),
        min_score=least,
        progress=options.get("progress"),
        filter=options.get("filter"),
        unfinished=options.get("unfinished", False),
    )
