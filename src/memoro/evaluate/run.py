"""Ask every question in every mode, and put the answers into rows of figures."""

from __future__ import annotations

import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from memoro import config
from memoro.config import Setting, Source
from memoro.evaluate import metrics
from memoro.evaluate.conversations import Place, path_of, prepare
from memoro.evaluate.metrics import Figures
from memoro.evaluate.questions import Collection, Loaded, Question
from memoro.index.sync import Progress
from memoro.keeping import Opened
from memoro.model.answers import Hit
from memoro.model.vocabulary import Mode
from memoro.workspace import Workspace

Origins = Sequence[Setting]


class Plan(NamedTuple):
    """How to ask."""

    modes: tuple[Mode, ...]
    depth: int  # how many results a search gives
    by_category: bool = False

    @property
    def depths(self) -> tuple[int, ...]:
        """Where recall is taken."""
        return tuple(sorted({*(depth for depth in (1, 5, 10) if depth < self.depth), self.depth}))


class Row(NamedTuple):
    """One line of the table: a mode under some settings, over all questions or those of one category."""

    settings: str
    mode: Mode
    category: str | None  # None: all
    questions: int
    figures: Figures
    median_ms: float
    p95_ms: float


class Difference(NamedTuple):
    """What the second settings changed, in one mode; times as milliseconds more."""

    mode: Mode
    category: str | None
    figures: Figures
    median_ms: float
    p95_ms: float


class Evaluation(NamedTuple):
    rows: tuple[Row, ...]
    notices: tuple[str, ...]  # what was not as it should be, each once


class Asked(NamedTuple):
    """One question in one mode, scored."""

    mode: Mode
    category: str
    figures: Figures
    took_ms: float
    notices: tuple[str, ...] = ()


def evaluate(m: Workspace, name: str, loaded: Loaded, plan: Plan, progress: Progress | None) -> Evaluation:
    """Run the questions against the workspace; a labelled set against homes of its own, under its settings."""
    advance = counter(_total(loaded, plan), progress)
    asked: list[Asked] = []
    for one in _collections(loaded):
        if one.questions:
            asked += _conversations(m.origins, one, plan, advance)
    if questions := _questions(loaded):
        m.sync(progress=progress)
        asked += _notes(m, questions, plan, advance)
    notices = dict.fromkeys(notice for one in asked for notice in one.notices)
    return Evaluation(tuple(_rows(name, asked, plan)), tuple(notices))


def overlaid(origins: Origins, over: Iterable[Source], home: str) -> Workspace:
    """A workspace in another home: the settings that these origins tell of, with others put over them."""
    own = [Source(one.origin, {one.key: one.value}) for one in origins if one.origin != "default"]
    settings, told = config.settle([*own, *over])
    return Workspace(home, settings, told, Opened())


def differences(first: Sequence[Row], second: Sequence[Row]) -> list[Difference]:
    """Second minus first, for the rows that both have."""
    before = {(row.mode, row.category): row for row in first}
    return [
        Difference(
            row.mode,
            row.category,
            _less(row.figures, old.figures),
            row.median_ms - old.median_ms,
            row.p95_ms - old.p95_ms,
        )
        for row in second
        if (old := before.get((row.mode, row.category)))
    ]


def _notes(m: Workspace, questions: Sequence[Question], plan: Plan, advance: Callable[[], None]) -> Iterator[Asked]:
    """Questions about the workspace's own notes, found when one of their passages is."""
    missing = _not_there(m, questions)
    for asked in _ask(m, questions, plan, lambda hit: hit.path, advance):
        yield asked._replace(notices=(*asked.notices, *missing))
        missing = ()


def _not_there(m: Workspace, questions: Sequence[Question]) -> tuple[str, ...]:
    indexes = m.indexes()
    index = indexes.current() if indexes else None
    expected = dict.fromkeys(path for question in questions for path in question.relevant)
    lost = [path for path in expected if index is None or not index.notes([path])]
    return tuple(f"expected, but not in the vault: {path}" for path in lost)


def alone(place: Place) -> dict[str, Any]:
    """Settings under which a collection is searched and nothing else."""
    return {
        "vault.path": str(place.vault),
        "vault.extra": [],
        "transcripts.folders": [str(place.logs)],
        "sync.on_search": False,  # nobody changes what was just written
    }


def _conversations(
    origins: Origins, collection: Collection, plan: Plan, advance: Callable[[], None]
) -> Iterator[Asked]:
    with tempfile.TemporaryDirectory(prefix="memoro-eval-") as folder:
        place = prepare(Path(folder), collection.turns)
        with overlaid(origins, [Source("labelled set", alone(place))], str(place.home)) as m:
            m.sync()
            yield from _ask(m, collection.questions, plan, lambda hit: place.ids[hit.path, hit.start_line], advance)


def _ask(
    m: Workspace, questions: Sequence[Question], plan: Plan, name: Callable[[Hit], str], advance: Callable[[], None]
) -> Iterator[Asked]:
    for mode in plan.modes:  # what is loaded once in a process is not a question's fault
        m.search(questions[0].text, limit=plan.depth, mode=mode)
    for question in questions:
        paths = [path_of(session) for session in question.haystack]
        for mode in plan.modes:
            answer = m.search(question.text, limit=plan.depth, mode=mode, path=paths)
            ranking = [name(hit) for hit in answer.results]
            figures = metrics.figures(ranking, question.relevant, plan.depths)
            instead = (f"{mode} was asked for, and {answer.mode} answered",) if answer.mode != mode else ()
            yield Asked(mode, question.category, figures, answer.took_ms, (*answer.degraded, *instead))
            advance()


def _rows(name: str, asked: Sequence[Asked], plan: Plan) -> Iterator[Row]:
    groups: dict[tuple[str | None, Mode], list[Asked]] = defaultdict(list)
    for one in asked:
        groups[None, one.mode].append(one)
        if plan.by_category:
            groups[one.category, one.mode].append(one)
    order = sorted(groups, key=lambda key: (key[0] is not None, key[0] or "", plan.modes.index(key[1])))
    for category, mode in order:
        found = groups[category, mode]
        times = [one.took_ms for one in found]
        yield Row(
            name, mode, category, len(found), metrics.mean([one.figures for one in found]),
            metrics.percentile(times, 0.5), metrics.percentile(times, 0.95),
        )  # fmt: skip


def _less(figures: Figures, than: Figures) -> Figures:
    recalls = {depth: value - than.recall[depth] for depth, value in figures.recall.items()}
    return Figures(recalls, figures.ndcg - than.ndcg, figures.mrr - than.mrr)


def _collections(loaded: Loaded) -> list[Collection]:
    return [one for one in loaded if isinstance(one, Collection)]


def _questions(loaded: Loaded) -> list[Question]:
    return [one for one in loaded if isinstance(one, Question)]


def count(loaded: Loaded) -> int:
    """How many questions there are."""
    return sum(len(one.questions) for one in _collections(loaded)) + len(_questions(loaded))


def _total(loaded: Loaded, plan: Plan) -> int:
    return count(loaded) * len(plan.modes)


def counter(total: int, progress: Progress | None) -> Callable[[], None]:
    done = 0

    def advance() -> None:
        nonlocal done
        done += 1
        if progress:
            progress(done, total)

    return advance
