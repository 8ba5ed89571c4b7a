"""The last word of a query that somebody is still typing."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from memoro.model.answers import Term
from memoro.model.words import STOP_WORDS, is_unspaced
from memoro.search.query import POSTINGS, Query

if TYPE_CHECKING:
    from memoro.store.ports import Index

LEAST_CHARACTERS = 3  # fewer begin too many words to tell anything
ENDING_CHARACTERS = (
    4  # of a word, at most, that its stem may lack so far: "migratio" for "migration", stored as "migrat"
)

TOO_FREQUENT = "query: nearly every passage holds these words; add another word"


def with_unfinished(query: Query, text: str, index: "Index") -> Query:
    """The query, its last word as the beginning of a word where no passage holds it as it is.

    Where no word begins so either, or far too many do, the last word stands for the longest stem that it begins with,
    if there is one. A query whose words are all held stays as it is; but one of function words alone, which many
    questions begin with, is not looked up where that would read a large part of the index.
    """
    if _is_too_frequent(query.terms, index):
        return Query((), (*query.notices, TOO_FREQUENT))
    if not query.terms or not _is_last(query.terms[-1], text):
        return query
    last = query.terms[-1]
    if index.statistics([last]).frequencies[last.stem]:
        return query
    found = _beginning(last, index) or _stem_before(last, index)
    if found is None or any(found.stem == one.stem for one in query.terms[:-1]):
        return query
    return query._replace(terms=(*query.terms[:-1], found))


def _is_too_frequent(terms: Sequence[Term], index: "Index") -> bool:
    if not terms or any(term.word.lower() not in STOP_WORDS for term in terms):
        return False
    return min(index.statistics(terms).frequencies.values()) > POSTINGS


def _is_last(term: Term, text: str) -> bool:
    """Return whether the text ends with this word, and it is long enough to stand for others."""
    if len(term.word) < LEAST_CHARACTERS or is_unspaced(term.word):
        return False
    return text.casefold().endswith(term.word.casefold())


def _beginning(term: Term, index: "Index") -> Term | None:
    return term._replace(prefix=True) if 0 < index.count_beginning(term.stem, POSTINGS) <= POSTINGS else None


def _stem_before(term: Term, index: "Index") -> Term | None:
    shortest = max(LEAST_CHARACTERS, len(term.word) - ENDING_CHARACTERS)
    for length in range(len(term.word) - 1, shortest - 1, -1):
        shorter: Sequence[Term] = index.terms(term.word[:length])
        if len(shorter) == 1 and index.statistics(shorter).frequencies[shorter[0].stem]:
            return shorter[0]
    return None
