"""Search as you type, with filters and the parts of each score."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import urlencode

from memoro.errors import ConfigError
from memoro.model.answers import Answer, Explanation, Hit
from memoro.model.projects import short_name
from memoro.model.targets import ExperienceId, MemoryId, parse_target
from memoro.model.vocabulary import MODES
from memoro.operations.finding import SEARCH
from memoro.page.search_fields import CHOICES, MOST_RESULTS, PATH, RESULTS, WHY_PATH, SearchFields, fields_of
from memoro.page.texts import texts
from memoro.page.view import PageRequest, Shown, View
from memoro.page.views.reading import read_address
from memoro.search.highlight import TextPart, highlight, sought_words
from memoro.search.unfinished import TOO_FREQUENT

_LATELY = ("today", "yesterday", "this_week", "last_week", "last_month")  # names of phrases that a query may be


class FoundPassage(NamedTuple):
    """A result as the page shows it."""

    hit: Hit
    address: str  # where it is read
    heading: tuple[TextPart, ...]
    snippet: tuple[TextPart, ...]
    project: str
    replaced: ReplacedBy | None
    why: str  # the address of the parts of its score


class ReplacedBy(NamedTuple):
    """What holds now, instead of an older result."""

    address: str  # empty: its note only says that it is superseded
    text: str
    date: str | None


class ScorePart(NamedTuple):
    """One bar: how much a signal or a word added to the score."""

    name: str  # of the signal; empty: a word
    label: str
    share: float
    meaning: str = ""

    @property
    def bar(self) -> tuple[str, float]:
        return self.label, self.share


def search(request: PageRequest) -> Shown:
    fields = fields_of(request.query)
    values: dict[str, object] = {
        "fields": fields,
        "choices": CHOICES,
        "modes": MODES,
        "filters": list(fields.filters()),
        "lately": [texts()(f"search.lately_{name}") for name in _LATELY],
        "answer": None,
        "found": (),
        "problem": "",
        "more": "",
        "weaker": "",
        "explained": {},
        "is_too_frequent": False,
    }
    if not fields.query:
        return Shown("search.html", values, part="results", address=fields.address())
    try:
        answer = _answer(request, fields)
    except ConfigError as error:  # a day or a choice that is not understood, perhaps because it is still being typed
        return Shown("search.html", {**values, "problem": str(error)}, part="results", address=fields.address())
    values |= {
        "answer": answer,
        "told": answer.degraded,
        "found": _found(request, fields, answer),
        "more": _more(fields, answer),
        "is_too_frequent": TOO_FREQUENT in answer.degraded,
        "weaker": fields.address(weak="1", n="") if answer.left_out and not fields.get("weak") else "",
    }
    if request.query.get("why"):  # without scripts, the parts of all scores come with the page
        values["explained"] = {hit.id: score_parts(hit.explanation) for hit in answer.results}
    return Shown("search.html", values, part="results", address=fields.address())


def why(request: PageRequest) -> Shown:
    """The parts of the score of one result, for those who open them."""
    fields, wanted = fields_of(request.query), request.query.get("id")
    answer = _answer(request, fields)
    hit = next((one for one in answer.results if one.id == wanted), None)
    return Shown("search_why.html", {"hit": hit, "parts": score_parts(hit.explanation) if hit else ()}, part="why")


def _answer(request: PageRequest, fields: SearchFields) -> Answer:
    found: Answer = request.call(SEARCH, fields.request()).answer
    return found


def _found(request: PageRequest, fields: SearchFields, answer: Answer) -> list[FoundPassage]:
    hits = answer.results
    titles = [_title(hit) for hit in hits]
    shown = [*titles, *(without_headings(hit.snippet) for hit in hits)]
    parts = request.m.indexing.read(lambda index: highlight(shown, sought_words(answer, index.terms), index.terms))
    return [
        FoundPassage(
            hit=hit,
            address=read_address(hit.id, fields.query),
            heading=heading,
            snippet=snippet,
            project=short_name(hit.project) if hit.project else "",
            replaced=_replaced(hit, fields.query),
            why=f"{fields.address(WHY_PATH)}&{urlencode({'id': hit.id})}",
        )
        for hit, heading, snippet in zip(hits, parts[: len(hits)], parts[len(hits) :], strict=True)
    ]


def _title(hit: Hit) -> str:
    match parse_target(hit.id):
        case MemoryId(number=number):
            return texts()("search.title_memory", number=number)
        case ExperienceId(number=number):
            return texts()("search.title_experience", number=number)
        case _:
            return " › ".join(hit.heading) or hit.title or hit.path


def without_headings(snippet: str) -> str:
    """A snippet without the headings that it begins with: they stand above it."""
    lines = snippet.split("\n")
    first = next((i for i, line in enumerate(lines) if line.strip() and not line.lstrip().startswith("#")), None)
    return snippet if first is None else "\n".join(lines[first:])


def _replaced(hit: Hit, query: str) -> ReplacedBy | None:
    one = hit.replaced_by
    if one is None:
        return None
    return ReplacedBy(read_address(one.id, query) if one.id else "", " ".join(one.text.split())[:200], one.date)


def _more(fields: SearchFields, answer: Answer) -> str:
    """The address of the same search with more results; empty where there are no more."""
    is_full = len(answer.results) == fields.limit < MOST_RESULTS
    return fields.address(n=str(min(fields.limit + RESULTS, MOST_RESULTS))) if is_full else ""


def score_parts(explanation: Explanation) -> Sequence[ScorePart]:
    """The parts of a score, the largest first: signals, or by words alone the words."""
    t = texts()
    if explanation.parts:
        found = [
            ScorePart(name=one.name, label=t(f"search.signals.{_key(one.name)}"), share=one.share,
                      meaning=t(f"search.meanings.{_key(one.name)}"))
            for one in explanation.parts
        ]  # fmt: skip
    else:
        found = [ScorePart("", one.word, one.share) for one in explanation.terms]
    return sorted(found, key=lambda part: -abs(part.share))


def _key(signal: str) -> str:
    return signal.replace(" ", "_")


VIEWS = (View(PATH, search, menu="search"), View(WHY_PATH, why))
