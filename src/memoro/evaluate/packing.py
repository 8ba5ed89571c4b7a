"""Measures how much of the evidence recall packs into its block, against the best passages in order."""

from __future__ import annotations

import re
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from memoro.config import Source
from memoro.evaluate import metrics
from memoro.evaluate.conversations import path_of, prepare
from memoro.evaluate.questions import LabelledCollection, Question, QuestionSet
from memoro.evaluate.run import Origins, collection_settings, count, open_with, progress_counter
from memoro.index.report import Progress
from memoro.model.answers import Where
from memoro.model.output_filter import OutputFilter
from memoro.model.recall import RecalledItem
from memoro.model.tokens import quarters
from memoro.recall import fence
from memoro.recall.answer import MAX_CANDIDATES
from memoro.recall.candidates import candidates
from memoro.recall.merge import Part, item_of
from memoro.search.filters import filters
from memoro.search.retrieve import Ranking
from memoro.workspace import Workspace

_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
BUDGETS = (500, 1000, 3000)
PACKED, SILENT = "recall", "recall, silent where unsure"
IN_ORDER, BARE = "top-k, same records", "top-k, bare text"
METHODS = (PACKED, SILENT, IN_ORDER, BARE)


class PackingRow(NamedTuple):
    """One method under one budget, over all questions or those of one category."""

    method: str
    budget: int
    category: str | None  # None: all
    questions: int
    text: float  # the share of the evidence's text that is in the block
    touched: float  # the share of the pieces of evidence of which at least a part is in the block
    tokens: float  # the mean size of the block
    silent: float  # the share of the questions without a block
    median_ms: float


class PackingScore(NamedTuple):
    """The score of one question with one method and budget."""

    method: str
    budget: int
    category: str
    text: float
    touched: float
    tokens: int
    took_ms: float


class RelevantPassage(NamedTuple):
    """A text that a question needs, and where it is."""

    path: str
    line: int | None = None  # None: any part of the note counts
    text: str = ""


def evaluate(
    m: Workspace, asked: QuestionSet, budgets: Sequence[int], progress: Progress | None, *, by_category: bool = False
) -> list[PackingRow]:
    """Pack for every question and budget; the collections of a labelled set get homes of their own."""
    advance = progress_counter(count(asked) * len(budgets), progress)
    scores: list[PackingScore] = []
    for one in asked:
        if isinstance(one, LabelledCollection) and one.questions:
            scores += _ask_collection(m.origins, one, budgets, advance)
    own = [one for one in asked if isinstance(one, Question)]
    if own:
        m.sync(progress=progress)
        scores += _ask(m, own, budgets, _notes, advance)
    return list(_rows(scores, budgets, by_category=by_category))


def _ask_collection(
    origins: Origins, collection: LabelledCollection, budgets: Sequence[int], advance: Callable[[], None]
) -> Iterator[PackingScore]:
    with tempfile.TemporaryDirectory(prefix="memoro-eval-") as folder:
        written = prepare(Path(folder), collection.turns)
        texts = {turn.id: turn.text for turn in collection.turns}
        lines = {turn: at for at, turn in written.ids.items()}

        def evidence(question: Question) -> list[RelevantPassage]:
            return [RelevantPassage(*lines[turn], texts[turn]) for turn in dict.fromkeys(question.relevant)]

        with open_with(origins, [Source("labelled set", collection_settings(written))], str(written.home)) as m:
            m.sync()
            yield from _ask(m, collection.questions, budgets, evidence, advance)


def _notes(question: Question) -> list[RelevantPassage]:
    return [RelevantPassage(path) for path in question.relevant]


def _ask(
    m: Workspace,
    questions: Sequence[Question],
    budgets: Sequence[int],
    evidence: Callable[[Question], list[RelevantPassage]],
    advance: Callable[[], None],
) -> Iterator[PackingScore]:
    m.recall(questions[0].text)  # a first recall loads modules and models, which no question should pay for
    for question in questions:
        paths = [path_of(session) for session in question.haystack]
        needed = evidence(question)
        ranking = _ranking(m, question.text, filters(path=paths, today=m.today))
        for budget in budgets:
            found = m.recall(question.text, budget=budget, path=paths, abstain=False)
            usual = m.recall(question.text, budget=budget, path=paths)
            in_order, spent = top_k(ranking, budget)
            bare, bare_spent = top_k(ranking, budget, bare=True)
            for method, items, tokens, took in (
                (PACKED, found.items, found.tokens, found.took_ms),
                (SILENT, usual.items, usual.tokens, usual.took_ms),
                (IN_ORDER, in_order, spent, 0.0),
                (BARE, bare, bare_spent, 0.0),
            ):
                text, touched = share(items, needed)
                yield PackingScore(
                    method=method,
                    budget=budget,
                    category=question.category,
                    text=text,
                    touched=touched,
                    tokens=tokens,
                    took_ms=took,
                )
            advance()


def _ranking(m: Workspace, query: str, where: Where) -> list[RecalledItem]:
    return ranking_of(m.recaller.sources().search.search(query, where, MAX_CANDIDATES))


def ranking_of(found: Ranking) -> list[RecalledItem]:
    """Return the passages of a ranking, in order."""
    clean = OutputFilter().text
    return [item_of(Part(one, clean(one.passage.text))) for one in candidates(found)]


def top_k(ranking: Sequence[RecalledItem], budget: int, *, bare: bool = False) -> tuple[list[RecalledItem], int]:
    """Return the best passages, whole and in order, up to the first that does not fit, and their tokens.

    Each is a record of its own in one fence; a bare one is its text and a line end, without a fence.
    """
    spent = 0 if bare else fence.fence_quarters()
    taken: list[RecalledItem] = []
    for item in ranking:
        cost = quarters(item.text) + 1 if bare else quarters(fence.record([item]))
        if spent + cost > 4 * budget:
            break
        spent += cost
        taken.append(item)
    return taken, (spent + 3) // 4


def share(items: Sequence[RecalledItem], needed: Sequence[RelevantPassage]) -> tuple[float, float]:
    """Return the share of the evidence's text in these items, and the share of which at least a part is there."""
    shares = [_share_of(one, [item for item in items if item.path == one.path]) for one in needed]
    return sum(shares) / len(shares), sum(1 for value in shares if value) / len(shares)


def _share_of(one: RelevantPassage, items: Sequence[RecalledItem]) -> float:
    """Return how much of it is there, sentence by sentence."""
    if one.line is None:
        return 1.0 if items else 0.0
    there = "\n".join(_plain(item.text) for item in items if item.start_line <= one.line <= item.end_line)
    sentences = [_plain(sentence) for sentence in _SENTENCE.split(one.text)]
    return sum(len(s) for s in sentences if s in there) / max(1, sum(map(len, sentences))) if there else 0.0


def _plain(text: str) -> str:
    return " ".join(text.split())


def _rows(scores: Sequence[PackingScore], budgets: Sequence[int], *, by_category: bool) -> Iterator[PackingRow]:
    groups: dict[tuple[str | None, int, str], list[PackingScore]] = defaultdict(list)
    for one in scores:
        groups[None, one.budget, one.method].append(one)
        if by_category:
            groups[one.category, one.budget, one.method].append(one)
    for category in sorted({key[0] for key in groups}, key=lambda name: (name is not None, name or "")):
        for budget in budgets:
            for method in METHODS:
                found = groups[category, budget, method]
                yield PackingRow(
                    method=method,
                    budget=budget,
                    category=category,
                    questions=len(found),
                    text=_mean([one.text for one in found]),
                    touched=_mean([one.touched for one in found]),
                    tokens=_mean([one.tokens for one in found]),
                    silent=_mean([0.0 if one.tokens else 1.0 for one in found]),
                    median_ms=metrics.percentile([one.took_ms for one in found], 0.5),
                )


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
