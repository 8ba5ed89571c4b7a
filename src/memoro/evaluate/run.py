"""Asks every question in every mode, and computes rows of figures."""

from __future__ import annotations

import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from memoro import config
from memoro.config import Setting, Source
from memoro.evaluate import metrics
from memoro.evaluate.conversations import CollectionHome, path_of, prepare
from memoro.evaluate.metrics import Figures
from memoro.evaluate.questions import LabelledCollection, Question, QuestionSet
from memoro.home_context import HomeContext
from memoro.index.report import Progress
from memoro.model.answers import Hit
from memoro.model.vocabulary import Mode
from memoro.workspace import Workspace

Origins = Sequence[Setting]


class EvaluationOptions(NamedTuple):
    """The modes to ask in, and how many results to score."""

    modes: tuple[Mode, ...]
    depth: int  # how many results a search returns
    by_category: bool = False

    @property
    def depths(self) -> tuple[int, ...]:
        """The ranks at which recall is computed."""
        return tuple(sorted({*(depth for depth in (1, 5, 10) if depth < self.depth), self.depth}))


class SearchRow(NamedTuple):
    """One line of the table: a mode under some settings, over all questions or those of one category."""

    settings: str
    mode: Mode
    category: str | None  # None: all
    questions: int
    figures: Figures
    median_ms: float
    p95_ms: float


class RowDifference(NamedTuple):
    """The second settings' figures minus the first's, in one mode."""

    mode: Mode
    category: str | None
    figures: Figures
    median_ms: float
    p95_ms: float


class Evaluation(NamedTuple):
    rows: tuple[SearchRow, ...]
    notices: tuple[str, ...]  # problems during the run, each once


class SearchScore(NamedTuple):
    """The score of one question in one mode."""

    mode: Mode
    category: str
    figures: Figures
    took_ms: float
    notices: tuple[str, ...] = ()


def evaluate(
    m: Workspace, name: str, asked: QuestionSet, options: EvaluationOptions, progress: Progress | None
) -> Evaluation:
    """Ask questions of the workspace; the collections of a labelled set get homes of their own, with its settings."""
    advance = progress_counter(count(asked) * len(options.modes), progress)
    scores: list[SearchScore] = []
    for one in _collections(asked):
        if one.questions:
            scores += _ask_collection(m.origins, one, options, advance)
    if questions := _questions(asked):
        m.sync(progress=progress)
        scores += _ask_notes(m, questions, options, advance)
    notices = dict.fromkeys(notice for one in scores for notice in one.notices)
    return Evaluation(tuple(_rows(name, scores, options)), tuple(notices))


def open_with(origins: Origins, over: Iterable[Source], home: str) -> Workspace:
    """Open another home with these settings, overridden by those of `over`."""
    own = [Source(one.origin, {one.key: one.value}) for one in origins if one.origin != "default"]
    settings, settled = config.settle([*own, *over])
    return Workspace(HomeContext(home, settings), settled)


def differences(first: Sequence[SearchRow], second: Sequence[SearchRow]) -> list[RowDifference]:
    """Subtract the first from the second, for the rows that both have."""
    before = {(row.mode, row.category): row for row in first}
    return [
        RowDifference(
            mode=row.mode,
            category=row.category,
            figures=_subtract(row.figures, old.figures),
            median_ms=row.median_ms - old.median_ms,
            p95_ms=row.p95_ms - old.p95_ms,
        )
        for row in second
        if (old := before.get((row.mode, row.category)))
    ]


def _ask_notes(
    m: Workspace, questions: Sequence[Question], options: EvaluationOptions, advance: Callable[[], None]
) -> Iterator[SearchScore]:
    """Ask about the workspace's own notes: a note is found if one of its passages is."""
    missing = _missing_notes(m, questions)
    for score in _ask(m, questions, options, lambda hit: hit.path, advance):
        yield score._replace(notices=(*score.notices, *missing))
        missing = ()


def _missing_notes(m: Workspace, questions: Sequence[Question]) -> tuple[str, ...]:
    indexes = m.indexes()
    index = indexes.current() if indexes else None
    expected = dict.fromkeys(path for question in questions for path in question.relevant)
    lost = [path for path in expected if index is None or not index.notes([path])]
    return tuple(f"expected, but not in the vault: {path}" for path in lost)


def collection_settings(written: CollectionHome) -> dict[str, object]:
    """Return the settings under which a search covers the collection and nothing else."""
    return {
        "vault.path": str(written.vault),
        "vault.extra": [],
        "vault.memories": [],
        "transcripts.folders": [str(written.logs)],
        "sync.on_search": False,  # the logs do not change after the first sync
    }


def _ask_collection(
    origins: Origins, collection: LabelledCollection, options: EvaluationOptions, advance: Callable[[], None]
) -> Iterator[SearchScore]:
    with tempfile.TemporaryDirectory(prefix="memoro-eval-") as folder:
        written = prepare(Path(folder), collection.turns)
        with open_with(origins, [Source("labelled set", collection_settings(written))], str(written.home)) as m:
            m.sync()
            yield from _ask(
                m, collection.questions, options, lambda hit: written.ids[hit.path, hit.start_line], advance
            )


def _ask(
    m: Workspace,
    questions: Sequence[Question],
    options: EvaluationOptions,
    name: Callable[[Hit], str],
    advance: Callable[[], None],
) -> Iterator[SearchScore]:
    for mode in options.modes:  # a first search loads modules and models, which no question should pay for
        m.search(questions[0].text, limit=options.depth, mode=mode)
    for question in questions:
        paths = [path_of(session) for session in question.haystack]
        for mode in options.modes:
            answer = m.search(
                question.text, limit=options.depth, mode=mode, path=paths, min_score=0
            )  # the order alone
            ranking = [name(hit) for hit in answer.results]
            figures = metrics.figures(ranking, question.relevant, options.depths)
            instead = (f"the mode {mode} was requested, but {answer.mode} answered",) if answer.mode != mode else ()
            yield SearchScore(
                mode=mode,
                category=question.category,
                figures=figures,
                took_ms=answer.took_ms,
                notices=(*answer.degraded, *instead),
            )
            advance()


def _rows(name: str, scores: Sequence[SearchScore], options: EvaluationOptions) -> Iterator[SearchRow]:
    groups: dict[tuple[str | None, Mode], list[SearchScore]] = defaultdict(list)
    for one in scores:
        groups[None, one.mode].append(one)
        if options.by_category:
            groups[one.category, one.mode].append(one)
    order = sorted(groups, key=lambda key: (key[0] is not None, key[0] or "", options.modes.index(key[1])))
    for category, mode in order:
        found = groups[category, mode]
        times = [one.took_ms for one in found]
        yield SearchRow(
            settings=name,
            mode=mode,
            category=category,
            questions=len(found),
            figures=metrics.mean([one.figures for one in found]),
            median_ms=metrics.percentile(times, 0.5),
            p95_ms=metrics.percentile(times, 0.95),
        )


def _subtract(figures: Figures, than: Figures) -> Figures:
    recalls = {depth: value - than.recall[depth] for depth, value in figures.recall.items()}
    return Figures(recalls, figures.ndcg - than.ndcg, figures.mrr - than.mrr)


def _collections(asked: QuestionSet) -> list[LabelledCollection]:
    return [one for one in asked if isinstance(one, LabelledCollection)]


def _questions(asked: QuestionSet) -> list[Question]:
    return [one for one in asked if isinstance(one, Question)]


def count(asked: QuestionSet) -> int:
    """Count the questions."""
    return sum(len(one.questions) for one in _collections(asked)) + len(_questions(asked))


def progress_counter(total: int, progress: Progress | None) -> Callable[[], None]:
    done = 0

    def advance() -> None:
        nonlocal done
        done += 1
        if progress:
            progress(done, total)

    return advance
