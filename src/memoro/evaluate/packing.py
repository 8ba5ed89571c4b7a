"""How much of the evidence reaches the block: packed by recall, and beside it the best passages one after another."""

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
from memoro.evaluate.questions import Collection, Loaded, Question
from memoro.evaluate.run import Origins, alone, count, counter, overlaid
from memoro.index.report import Progress
from memoro.model.answers import Where
from memoro.model.recall import Item
from memoro.model.tokens import quarters
from memoro.recall import fence
from memoro.recall.answer import MAX_CANDIDATES, shown
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


class Row(NamedTuple):
    """One method under one budget, over all questions or those of one category."""

    method: str
    budget: int
    category: str | None  # None: all
    questions: int
    text: float  # the share of the evidence's text that is in the block
    touched: float  # the share of the evidence that is there with a part at least
    tokens: float  # of the block, the mean
    silent: float  # the share of the questions that got no block
    median_ms: float


class Asked(NamedTuple):
    method: str
    budget: int
    category: str
    text: float
    touched: float
    tokens: int
    took_ms: float


class Evidence(NamedTuple):
    """What a question needs, and where it stands."""

    path: str
    line: int | None = None  # None: any part of the note will do
    text: str = ""


def evaluate(
    m: Workspace, loaded: Loaded, budgets: Sequence[int], progress: Progress | None, *, by_category: bool = False
) -> list[Row]:
    """Pack for every question under every budget; a labelled set in homes of its own, under these settings."""
    advance = counter(count(loaded) * len(budgets), progress)
    asked: list[Asked] = []
    for one in loaded:
        if isinstance(one, Collection) and one.questions:
            asked += _conversations(m.origins, one, budgets, advance)
    own = [one for one in loaded if isinstance(one, Question)]
    if own:
        m.sync(progress=progress)
        asked += _ask(m, own, budgets, _notes, advance)
    return list(_rows(asked, budgets, by_category=by_category))


def _conversations(
    origins: Origins, collection: Collection, budgets: Sequence[int], advance: Callable[[], None]
) -> Iterator[Asked]:
    with tempfile.TemporaryDirectory(prefix="memoro-eval-") as folder:
        place = prepare(Path(folder), collection.turns)
        said = {turn.id: turn.text for turn in collection.turns}
        stands = {turn: at for at, turn in place.ids.items()}

        def evidence(question: Question) -> list[Evidence]:
            return [Evidence(*stands[turn], said[turn]) for turn in dict.fromkeys(question.relevant)]

        with overlaid(origins, [Source("labelled set", alone(place))], str(place.home)) as m:
            m.sync()
            yield from _ask(m, collection.questions, budgets, evidence, advance)


def _notes(question: Question) -> list[Evidence]:
    return [Evidence(path) for path in question.relevant]


def _ask(
    m: Workspace,
    questions: Sequence[Question],
    budgets: Sequence[int],
    evidence: Callable[[Question], list[Evidence]],
    advance: Callable[[], None],
) -> Iterator[Asked]:
    m.recall(questions[0].text)  # what is loaded once in a process is not a question's fault
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
                yield Asked(method, budget, question.category, text, touched, tokens, took)
            advance()


def _ranking(m: Workspace, query: str, where: Where) -> list[Item]:
    return ranking_of(m.recaller.sources().search.search(query, where, MAX_CANDIDATES))


def ranking_of(found: Ranking) -> list[Item]:
    """The passages that were found, in their order."""
    clean = shown(())
    return [item_of(Part(one, clean(one.passage.text))) for one in candidates(found)]


def top_k(ranking: Sequence[Item], budget: int, *, bare: bool = False) -> tuple[list[Item], int]:
    """The best passages, whole and in their order, until the next has no room; and the tokens that they take.

    Each is a record of its own in the same fence; bare, it is its text and a line end, without a fence.
    """
    spent = 0 if bare else fence.fence_quarters()
    taken: list[Item] = []
    for item in ranking:
        cost = quarters(item.text) + 1 if bare else quarters(fence.record([item]))
        if spent + cost > 4 * budget:
            break
        spent += cost
        taken.append(item)
    return taken, (spent + 3) // 4


def share(items: Sequence[Item], needed: Sequence[Evidence]) -> tuple[float, float]:
    """Of the evidence, the share of its text in these items, and the share that is there with a part at least."""
    held = [_held(one, [item for item in items if item.path == one.path]) for one in needed]
    return sum(held) / len(held), sum(1 for value in held if value) / len(held)


def _held(one: Evidence, items: Sequence[Item]) -> float:
    """How much of it is there, sentence by sentence."""
    if one.line is None:
        return 1.0 if items else 0.0
    there = "\n".join(_plain(item.text) for item in items if item.start_line <= one.line <= item.end_line)
    sentences = [_plain(sentence) for sentence in _SENTENCE.split(one.text)]
    return sum(len(s) for s in sentences if s in there) / max(1, sum(map(len, sentences))) if there else 0.0


def _plain(text: str) -> str:
    return " ".join(text.split())


def _rows(asked: Sequence[Asked], budgets: Sequence[int], *, by_category: bool) -> Iterator[Row]:
    groups: dict[tuple[str | None, int, str], list[Asked]] = defaultdict(list)
    for one in asked:
        groups[None, one.budget, one.method].append(one)
        if by_category:
            groups[one.category, one.budget, one.method].append(one)
    for category in sorted({key[0] for key in groups}, key=lambda name: (name is not None, name or "")):
        for budget in budgets:
            for method in METHODS:
                found = groups[category, budget, method]
                yield Row(
                    method,
                    budget,
                    category,
                    len(found),
                    text=_mean([one.text for one in found]),
                    touched=_mean([one.touched for one in found]),
                    tokens=_mean([one.tokens for one in found]),
                    silent=_mean([0.0 if one.tokens else 1.0 for one in found]),
                    median_ms=metrics.percentile([one.took_ms for one in found], 0.5),
                )


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
