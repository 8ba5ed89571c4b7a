"""Other models than the built-in one in the same pipeline: uncalibrated, and calibrated by the index itself.

`python -m benchmarks models [--models NAME;…] [--sets NAME;…] [--step N]`: of `other_models.py`; the labelled
sets, `paraphrases`, `abstention` and vaults of `noise`; every N-th question. The built-in model is measured in the
same run. Searches leave out what scores too little, so that recall depends on how well scores are calibrated, too.
"""

from __future__ import annotations

import argparse
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import memoro
from benchmarks import abstention, labelled, measure, noise, paraphrase, prose
from benchmarks.other_models import MODELS
from memoro.demo import copy_vault
from memoro.evaluate import metrics
from memoro.evaluate.conversations import path_of, prepare
from memoro.evaluate.questions import Question
from memoro.model.vocabulary import Mode
from memoro.providers.calibration import decode
from memoro.providers.ports import Embedder
from memoro.store.sqlite.engine import engine
from memoro.store.sqlite.home import SqliteIndexHome
from memoro.workspace import Workspace

SEARCH_MODES: tuple[Mode, ...] = ("hybrid", "vectors")
LIMIT = 10
SETS = (*labelled.SETS, "paraphrases", "abstention", *noise.VAULTS)
Figures = dict[str, list[float]]  # by the name of a figure, its value for each question


class Prepared(NamedTuple):
    """A vault or conversations, with questions, and the home in which they are indexed."""

    home: Path
    vault: Path | None
    questions: Sequence[Question]
    ids: dict[tuple[str, int], str]
    others: Sequence[str] = ()  # questions that have no answer


def run(options: Sequence[str] = ()) -> None:
    parser = argparse.ArgumentParser(prog="benchmarks models")
    parser.add_argument("--models", default="MiniLM")
    parser.add_argument("--sets", default=";".join(SETS[:4]))
    parser.add_argument("--step", type=int, default=1)
    chosen = parser.parse_args(list(options))
    rows: list[list[object]] = []
    for name in filter(None, chosen.sets.split(";")):
        found: dict[tuple[str, str], Figures] = {}
        for prepared in _prepared(name, chosen.step):
            for model, state, m in _states(prepared, chosen.models.split(";")):
                _add(found.setdefault((model, state), {}), _asked(m, prepared))
        rows += [[name, model, state, *_shown(figures)] for (model, state), figures in found.items()]
        measure.table(["set", "model", "calibration", *_COLUMNS], rows)
        print(flush=True)


_COLUMNS = (
    "hybrid R@10",
    "nDCG@10",
    "vectors R@10",
    "nDCG@10",
    "answers lost %",
    "silent rightly %",
    "shown: lost %",
    "silent rightly %",
    "scale",
    "near",
    "meaning ×",
)
_FIGURES = (
    "hybrid recall",
    "hybrid ndcg",
    "vectors recall",
    "vectors ndcg",
    "recall lost",
    "recall silent",
    "search lost",
    "search silent",
)


def _shown(figures: Figures) -> list[str]:
    shares = [f"{100 * sum(values) / len(values):.1f}" if (values := figures.get(name)) else "–" for name in _FIGURES]
    numbers = [
        f"{sum(values) / len(values):.2f}" if (values := figures.get(name)) else "–"
        for name in ("scale", "near", "meaning")
    ]
    return [*shares, *numbers]


def _add(total: Figures, more: Figures) -> None:
    for name, values in more.items():
        total.setdefault(name, []).extend(values)


def _prepared(name: str, step: int) -> Iterator[Prepared]:
    if name in labelled.SETS:
        for collection in labelled.load(labelled.data_folder() / f"{name}.jsonl.gz"):
            with tempfile.TemporaryDirectory() as folder:
                place = prepare(Path(folder), collection.turns)
                labelled.configure(place)
                yield Prepared(home=place.home, vault=None, questions=collection.questions[::step], ids=place.ids)
        return
    with tempfile.TemporaryDirectory() as folder:
        vault, questions, others = _notes(name, Path(folder))
        yield Prepared(
            home=Path(folder) / "home", vault=vault, questions=questions[::step], ids={}, others=others[::step]
        )


def _notes(name: str, folder: Path) -> tuple[Path, list[Question], list[str]]:
    if name == "paraphrases":
        pairs = tomllib.loads(paraphrase.DATA.read_text(encoding="utf-8"))["pair"]
        vault = folder / "vault"
        prose.write_notes(vault, paraphrase.OTHERS)
        for number, pair in enumerate(pairs):
            (vault / f"pair{number:03}.md").write_text(pair["note"] + "\n", encoding="utf-8")
        return vault, [Question(pair["query"], (f"pair{n:03}.md",)) for n, pair in enumerate(pairs)], []
    if name == "abstention":
        table = tomllib.loads(abstention.DATA.read_text(encoding="utf-8"))
        questions = [Question(one["query"], (one["expect"],)) for one in table["present"]]
        return Path(copy_vault(str(folder))), questions, [*table["absent"], *table["elsewhere"]]
    made = noise.VAULTS[name](folder / "vault")
    asked = [one for half in noise.HALVES for one in made.halves[half].answered]
    others = [query for half in noise.HALVES for query in made.halves[half].other]
    return made.folder, [Question(one.query, (one.path,)) for one in asked], others


def _states(prepared: Prepared, models: Sequence[str]) -> Iterator[tuple[str, str, Workspace]]:
    """Open the home with each model: before its space was calibrated, and after."""
    with _opened(prepared, None) as m:
        m.sync()
        yield "built-in", "by hand", m
    for model in models:
        embedder = MODELS[model]()
        with _opened(prepared, embedder) as m:
            report = m.sync()
            while report.embedding is not None and report.embedding.left:  # a request that took too long
                report = m.sync()
            for notice in report.degraded:
                print(notice)
        kept = _swap(prepared.home, embedder, None)
        with _opened(prepared, embedder) as m:
            yield model, "none", m
        _swap(prepared.home, embedder, kept)
        with _opened(prepared, embedder) as m:
            yield model, "own index", m


@contextmanager
def _opened(prepared: Prepared, embedder: Embedder | None) -> Iterator[Workspace]:
    places = (prepared.home, prepared.vault) if prepared.vault else (prepared.home,)
    options = {"embedder": embedder} if embedder else {}
    with memoro.open(*places, **options) as m:  # type: ignore[arg-type]
        yield m


def _swap(home: Path, embedder: Embedder, document: str | None) -> str | None:
    """Keep another calibration; return the one before it."""
    indexes = SqliteIndexHome(str(home), engine(str(home)))
    try:
        before = indexes.records().calibration(str(embedder.space))
        indexes.records().put_calibration(str(embedder.space), document)
        return before
    finally:
        indexes.close()


def _asked(m: Workspace, prepared: Prepared) -> Figures:
    found: Figures = {}
    for question in prepared.questions:
        paths = [path_of(session) for session in question.haystack]
        for mode in SEARCH_MODES:
            answer = m.search(question.text, limit=labelled.DEPTH if prepared.ids else LIMIT, path=paths, mode=mode)
            ranking = [prepared.ids.get((hit.path, hit.start_line), hit.path) for hit in answer.results]
            ranking = list(dict.fromkeys(ranking))
            _note(found, f"{mode} recall", metrics.recall(ranking, question.relevant, LIMIT))
            _note(found, f"{mode} ndcg", metrics.ndcg(ranking, question.relevant))
            if mode == "hybrid" and prepared.others:
                _note(found, "search lost", float(not answer.results))
        if prepared.others or prepared.ids:
            _note(found, "recall lost", float(_is_silent(m, question.text, question.haystack)))
    for query in prepared.others:
        _note(found, "search silent", float(not m.search(query, limit=LIMIT).results))
        _note(found, "recall silent", float(_is_silent(m, query, ())))
    if prepared.ids:  # what other people's conversations do not answer: questions about other things
        others = tomllib.loads(abstention.DATA.read_text(encoding="utf-8"))["elsewhere"]
        haystack = prepared.questions[0].haystack
        for query in others[:: 1 + len(others) // 20]:
            _note(found, "recall silent", float(_is_silent(m, query, haystack)))
    return found | _measured(m, prepared.home)


def _is_silent(m: Workspace, query: str, sessions: Sequence[str]) -> bool:
    return abstention._silent(m, query, sessions)[1]


def _note(found: Figures, name: str, value: float) -> None:
    found.setdefault(name, []).append(value)


def _measured(m: Workspace, home: Path) -> Figures:
    searched = next((one.name for one in m.status().spaces if one.use == "searched"), "")
    indexes = SqliteIndexHome(str(home), engine(str(home)))
    try:
        found = decode(indexes.records().calibration(searched))
    finally:
        indexes.close()
    if found is None:
        return {}
    near = found.calibration.near
    return {"scale": [found.reading.scale], "meaning": [found.meaning], "near": [] if near is None else [near]}
