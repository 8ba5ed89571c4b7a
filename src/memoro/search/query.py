"""From any string at all to the words that are worth looking up."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from memoro.model.answers import Term
from memoro.model.words import STOP_WORDS, clean, searchable, searchable_query

MAX_CHARACTERS = 4096
MAX_TERMS = 64
# Occurrences that one query may walk through. The rarest words come first, and they decide; what
# the frequent ones would add is order among passages that hold nothing else.
POSTINGS = 20_000
# Of these, occurrences that bring a passage in by themselves. To compute BM25 costs ten times as much as to
# walk by: a passage with nothing but one of the more frequent words is not worth it, and one with two is.
LEADING = 2_000


class Query(NamedTuple):
    terms: tuple[Term, ...]
    notices: tuple[str, ...] = ()


class WordPlan(NamedTuple):
    looked_up: tuple[Term, ...]
    ignored: tuple[Term, ...]  # too frequent to tell passages apart
    leading: tuple[Term, ...] = ()  # of those looked up, the rarest: a passage with one of them is a candidate


def parse(text: str, terms: Callable[[str], list[Term]]) -> Query:
    """The words of a query, each once. Any string is a query; one without words has no terms.

    Stop words and single letters are left out, unless there is nothing else.
    """
    notices = []
    if len(text) > MAX_CHARACTERS:
        notices.append(f"query: only its first {MAX_CHARACTERS:,} characters were looked up")
        text = text[:MAX_CHARACTERS]
    found = terms(searchable_query(text)) or terms(searchable(clean(text)))
    chosen = _first(
        [t for t in found if not _is_letter(t) and t.word.lower() not in STOP_WORDS],
        [t for t in found if not _is_letter(t)],
        found,
    )
    unique: dict[str, Term] = {}
    for term in chosen:
        unique.setdefault(term.stem, term)
    if len(unique) > MAX_TERMS:
        notices.append(f"query: only its first {MAX_TERMS} words were looked up")
    return Query(tuple(unique.values())[:MAX_TERMS], tuple(notices))


def plan(
    terms: Sequence[Term], frequencies: Mapping[str, int], *, postings: int = POSTINGS, leading: int = LEADING
) -> WordPlan:
    """Take words from the rarest on, as long as looking them up stays cheap. The rarest always is, and leads."""
    looked_up = _rarest(terms, frequencies, postings)
    first = _rarest(terms, frequencies, min(leading, postings))
    return WordPlan(
        tuple(term for term in terms if term in looked_up),
        tuple(term for term in terms if term not in looked_up),
        tuple(term for term in terms if term in first),
    )


def _rarest(terms: Sequence[Term], frequencies: Mapping[str, int], postings: int) -> set[Term]:
    taken: set[Term] = set()
    spent = 0
    for term in sorted(terms, key=lambda term: frequencies[term.stem]):
        spent += frequencies[term.stem]
        if any(frequencies[one.stem] for one in taken) and spent > postings:
            break
        taken.add(term)
    return taken


def _is_letter(term: Term) -> bool:
    return len(term.word) == 1 and not term.prefix


def _first(*choices: list[Term]) -> list[Term]:
    return next((choice for choice in choices if choice), [])
