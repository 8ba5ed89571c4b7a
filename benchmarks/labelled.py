"""Recall on the labelled sets through the front door, beside plain FTS5.

Sessions become transcript files, the ordinary sync indexes them, `m.search` answers, and results are
mapped back to turns by line. The sets are not part of the project: they are looked for in
`MEMORO_DATA`, else in `../shared/data`.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import apsw

import memoro
from benchmarks import measure
from memoro.evaluate import metrics, questions
from memoro.evaluate.conversations import CollectionHome, path_of, prepare
from memoro.evaluate.metrics import Figures
from memoro.evaluate.questions import LabelledCollection, Question
from memoro.model.vocabulary import MODES
from memoro.model.words import searchable
from memoro.store.ports import COLUMNS

SETS = ("locomo-dev", "longmemeval-dev")
DEPTH = 50
DEPTHS = (1, 5, 10, DEPTH)
SESSIONS = 5
NAIVE = "plain FTS5, all words"


def data_folder() -> Path:
    return Path(os.environ.get("MEMORO_DATA") or Path(__file__).parents[2] / "shared" / "data")


def run() -> None:
    rows: list[list[object]] = []
    by_category: list[list[object]] = []
    for name in SETS:
        file = data_folder() / f"{name}.jsonl.gz"
        if not file.exists():
            print(f"{name}: not measured, {file.name} is not there (set MEMORO_DATA)")
            continue
        scores: dict[tuple[str, str], list[_Scored]] = defaultdict(list)
        for collection in load(file):
            for method, category, scored in _measure(collection):
                scores[method, ""].append(scored)
                scores[method, category].append(scored)
        for (method, category), found in scores.items():
            (by_category if category else rows).append([name, method, category, *_means(found), len(found)])
    header = ["set", "method", "category", "R@1", "R@5", "R@10", "R@50", "nDCG@10", "any@5", "all@5", "questions"]
    if rows:
        measure.table(header, rows)
        print()
        measure.table(header, sorted(by_category, key=lambda row: (str(row[0]), str(row[2]))))


class _Scored(NamedTuple):
    """The figures of one ranking by turns; whether one and whether all of the right sessions are among the first."""

    figures: Figures
    any_session: bool
    all_sessions: bool


def _means(found: Sequence[_Scored]) -> list[str]:
    mean = metrics.mean([one.figures for one in found])
    sessions = [
        sum(one.any_session for one in found) / len(found),
        sum(one.all_sessions for one in found) / len(found),
    ]
    return [f"{100 * value:.1f}" for value in (*mean.recall.values(), mean.ndcg, *sessions)]


def _scored(ranking: Sequence[str], question: Question, session_of: Mapping[str, str]) -> _Scored:
    first = set(list(dict.fromkeys(session_of[turn] for turn in ranking))[:SESSIONS])
    wanted = set(question.sessions)
    figures = metrics.figures(ranking, question.relevant, DEPTHS)
    return _Scored(figures, any_session=bool(wanted & first), all_sessions=wanted <= first)


def load(file: Path) -> Iterator[LabelledCollection]:
    for one in questions.parse(file.read_bytes(), str(file)):
        assert isinstance(one, LabelledCollection), f"{file} is not a labelled set"
        yield one


def _measure(collection: LabelledCollection) -> Iterator[tuple[str, str, _Scored]]:
    session_of = {turn.id: turn.session for turn in collection.turns}
    with tempfile.TemporaryDirectory() as folder:
        place = prepare(Path(folder), collection.turns)
        configure(place)
        with memoro.open(place.home) as m:
            m.sync()
            plain = _Plain(place.home)
            for question in collection.questions:
                paths = [path_of(session) for session in question.haystack]
                for mode in MODES:
                    answer = m.search(question.text, limit=DEPTH, path=paths, mode=mode)
                    ranking = [place.ids[hit.path, hit.start_line] for hit in answer.results]
                    yield mode, question.category, _scored(ranking, question, session_of)
                ranking = [place.ids[found] for found in plain(question.text, paths)]
                yield NAIVE, question.category, _scored(ranking, question, session_of)


def configure(place: CollectionHome) -> None:
    (place.home / "memoro.toml").write_text(
        f'[vault]\npath = "{place.vault}"\n\n[transcripts]\nfolders = ["{place.logs}"]\n'
    )


class _Plain:
    """The naive way: every word of the question, joined by OR, in the order of bm25()."""

    def __init__(self, home: Path) -> None:
        self._db = apsw.Connection(str(next(home.glob("index.*.db"))), vfs="cksmvfs")
        weights = ", ".join("1.0" if column == "text" else "0.0" for column in COLUMNS)
        self._query = f"""SELECT f.path, c.start_line
            FROM words JOIN chunks c ON c.id = words.rowid JOIN files f ON f.id = c.file
            WHERE words MATCH ? ORDER BY bm25(words, {weights})"""

    def __call__(self, text: str, paths: list[str]) -> list[tuple[str, int]]:
        words = re.findall(r"\w+", searchable(text).replace("_", " "))
        if not words:
            return []
        match = "text : (" + " OR ".join(f'"{word}"' for word in words) + ")"
        wanted = set(paths)
        found: list[tuple[str, int]] = []
        for path, line in self._db.execute(self._query, (match,)):
            if not wanted or path in wanted:
                found.append((str(path), int(str(line))))
                if len(found) == 2 * DEPTH:
                    break
        return found
