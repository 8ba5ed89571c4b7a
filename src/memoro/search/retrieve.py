"""Query in, hits out: parse, look up, rank, show."""

from collections.abc import Callable, Collection, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from memoro.model.answers import Hit, Match, Passage, Replacement, UnderstoodTime, Where
from memoro.model.notes import kind_of
from memoro.model.vocabulary import LEDGER_KINDS, Mode
from memoro.model.words import is_unspaced, searchable
from memoro.search import query as queries
from memoro.search.rank import FEW, Ranked, rank, rarity
from memoro.search.relevance import word_scores
from memoro.search.snippet import MAX_CHARACTERS, snippet
from memoro.search.standing import Standing, holding, worths
from memoro.store.ports import COLUMNS, Index

if TYPE_CHECKING:
    from memoro.providers.calibration import Calibration
else:
    Calibration = (
        object  # a NamedTuple compiles a quoted annotation, and the first one costs every start a millisecond
    )

MAX_CANDIDATES = 200

# What of each passage may be used; None: nothing.
Admits = Callable[[Index, Sequence[Passage]], Sequence[Passage | None]]


class IndexQuery(NamedTuple):
    """One look into the index."""

    text: str
    where: Where
    limit: int
    mode: Mode
    deadline: float | None = None  # by `time.perf_counter`: the vector of the query must be there by then
    asks: bool = True  # False: a statement, whose times ask for nothing
    is_private: bool = False  # it stays on this machine, whatever its text says
    standing: Standing | None = None  # None: the memories and experiences that hold now
    certain: tuple[str, ...] = ()  # files that are candidates whatever their words and their meaning
    admits: Admits | None = None  # what of each candidate may be used; the others are never ranked
    unfinished: bool = False  # its last word may be the beginning of one


class Ranking(NamedTuple):
    """The best passages, whole, each with its score and the account of it."""

    ranked: tuple[Ranked, ...]
    notices: tuple[str, ...]
    mode: Mode = "words"
    calibration: Calibration | None = None  # of the space that was searched; None: words alone
    time: UnderstoodTime | None = None  # that the query asks about
    information: Mapping[str, float] = MappingProxyType({})  # how much each stem of the query says


def by_words(index: Index, question: IndexQuery, multiplier: int, standing: Standing | None = None) -> Ranking:
    """The best passages for a query by its words alone. Ranking sees every candidate, and writes nothing."""
    query = queries.parse(question.text, index.terms)
    if question.unfinished:
        from memoro.search.unfinished import with_unfinished

        query = with_unfinished(query, question.text, index)
    statistics = index.statistics(query.terms)
    plan = queries.plan(query.terms, statistics.frequencies)
    present = [term for term in plan.looked_up if statistics.frequencies[term.stem]]
    count = max(question.limit, min(multiplier * question.limit, MAX_CANDIDATES))
    candidates = usable(index, index.match(present, question.where, count, leading=plan.leading), question.admits)
    if not question.asks:  # the day in a statement ("on Thursdays") does not ask for memories of that day
        from memoro.search.past import without_date_words

        candidates = [one for one in without_date_words(candidates) if one.counts]
    candidates = holding(candidates, worths(candidates, standing, question.where.held))
    ranked = rank(candidates, plan, statistics, COLUMNS)[: question.limit] if candidates else []
    scores = word_scores(ranked)
    chunks = max(statistics.chunks, FEW)
    return Ranking(
        ranked=tuple(one._replace(score=score) for one, score in zip(ranked, scores, strict=True)),
        notices=query.notices,
        information={term.stem: rarity(statistics.frequencies[term.stem], chunks) for term in plan.looked_up},
    )


def usable(index: Index, matches: list[Match], admits: Admits | None) -> list[Match]:
    """Return the candidates that may be used, with that part of their text."""
    if admits is None:
        return matches
    seen = admits(index, [match.passage for match in matches])
    return [match._replace(passage=one) for match, one in zip(matches, seen, strict=True) if one is not None]


def with_days_of_files(hits: Sequence[Hit], found: Sequence[Ranked]) -> tuple[Hit, ...]:
    """The results of a search by days; an undated one with the day of its file, which decided."""
    return tuple(
        hit if hit.date else hit._replace(changed=one.match.passage.written)
        for hit, one in zip(hits, found, strict=True)
    )


def hits(index: Index, found: Sequence[Ranked], shown: Callable[[str], str] = str) -> tuple[Hit, ...]:
    """The passages as results show them: with the part of each that tells why it was found.

    `shown` makes a passage what its reader may see, before a part is cut out: a secret is known by its surroundings.
    """
    return tuple(_hit(index, one, shown) for one in found)


def side_by_side(hits: Sequence[Ranked]) -> list[float]:
    """The scores of these results, each by itself: two that say the same may be about different things."""
    return [hit.score if hit.explanation.confidence is None else hit.explanation.confidence for hit in hits]


def identifier(passage: Passage) -> str:
    """Return the id that `get` accepts: path, digest and number of a passage, or the id of a ledger item."""
    if kind_of(passage.path) in LEDGER_KINDS:
        return passage.path
    return f"{kind_of(passage.path)}:{passage.path}#{passage.digest[:8]}.{passage.number}"


def _stems_in(index: Index, text: str) -> Callable[[str], Collection[str]]:
    """Return a function for the stems of parts of the text."""
    if text.isascii() and searchable(text) == text:
        return index.stems

    def stems(part: str) -> Collection[str]:
        found = index.stems(searchable(part))
        return found | {stem[0] for stem in found if is_unspaced(stem)}  # these are found by their first character

    return stems


def _hit(index: Index, ranked: Ranked, shown: Callable[[str], str]) -> Hit:
    passage = ranked.match.passage
    text = shown(passage.text)
    wanted = {stem for stem, column, _ in ranked.match.counts if column == "text"}
    return Hit(
        id=identifier(passage),
        kind=kind_of(passage.path),
        tier=passage.tier,
        path=passage.path,
        start_line=passage.start_line,
        end_line=passage.end_line,
        heading=passage.headings,
        date=passage.date,
        score=ranked.score,
        snippet=text if len(text) <= MAX_CHARACTERS else snippet(text, _stems_in(index, text), wanted),
        explanation=ranked.explanation,
        speaker=passage.speaker,
        project=passage.project,
        since=passage.valid_from,
        until=passage.valid_to,
        replaced_by=_shown(ranked.replaced_by, shown),
    )


def _shown(replacement: Replacement | None, shown: Callable[[str], str]) -> Replacement | None:
    return replacement and replacement._replace(text=shown(replacement.text))
