"""Recall on the labelled sets, each turn as a one-paragraph note, beside plain FTS5.

The sets are not part of the project. They are looked for in `MEMORO_DATA`, else in `../shared/data`.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw

import memoro
from benchmarks import measure
from memoro.model.words import searchable
from memoro.store.ports import COLUMNS

SETS = ("locomo-dev", "longmemeval-dev")
DEPTH = 50


def data_folder() -> Path:
    return Path(os.environ.get("MEMORO_DATA") or Path(__file__).parents[2] / "shared" / "data")


def run() -> None:
    rows = []
    for name in SETS:
        file = data_folder() / f"{name}.jsonl.gz"
        if not file.exists():
            print(f"{name}: not measured, {file} is not there (set MEMORO_DATA)")
            continue
        scores: dict[str, list[tuple[float, float]]] = {"plain FTS5, all words": [], "Memoro, words": []}
        for collection in _load(file):
            for method, recall in _measure(collection):
                scores[method].append(recall)
        for method, found in scores.items():
            at10, at50 = (100 * sum(r[i] for r in found) / len(found) for i in (0, 1))
            rows.append([name, method, f"{at10:.1f}", f"{at50:.1f}", len(found)])
    if rows:
        measure.table(["set", "method", "recall@10", "recall@50", "questions"], rows)


def _load(file: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def _measure(collection: dict[str, Any]) -> Iterator[tuple[str, tuple[float, float]]]:
    with tempfile.TemporaryDirectory() as folder:
        vault, home = Path(folder) / "vault", Path(folder) / "home"
        ids = _write(vault, collection["documents"])
        with memoro.open(home, vault) as m:
            m.sync()
            plain = _Plain(home)
            for query in collection["queries"]:
                folders = [_folder(session) for session in query["haystack"] or ()]
                answer = m.search(query["text"], limit=DEPTH, path=folders)
                relevant = set(query["relevant"])
                yield "Memoro, words", _recall([ids[hit.path] for hit in answer.results], relevant)
                yield "plain FTS5, all words", _recall([ids[p] for p in plain(query["text"], folders)], relevant)


def _write(vault: Path, documents: list[dict[str, Any]]) -> dict[str, str]:
    ids = {}
    for number, document in enumerate(documents):
        path = f"{_folder(document['session'])}/{number:05}.md"
        (vault / path).parent.mkdir(parents=True, exist_ok=True)
        text = " ".join(document["text"].split())
        (vault / path).write_text(f"{document['speaker']}: {text}\n", encoding="utf-8")
        ids[path] = document["id"]
    return ids


def _folder(session: str) -> str:
    return "s-" + re.sub(r"[^\w-]", "_", session)


def _recall(ranking: list[str], relevant: set[str]) -> tuple[float, float]:
    first = list(dict.fromkeys(ranking))
    return len(relevant & set(first[:10])) / len(relevant), len(relevant & set(first[:50])) / len(relevant)


class _Plain:
    """The naive way: every word of the question, joined by OR, in the order of bm25()."""

    def __init__(self, home: Path) -> None:
        self._db = apsw.Connection(str(next(home.glob("index.*.db"))), vfs="cksmvfs")
        weights = ", ".join(map(str, COLUMNS.values()))
        self._query = f"""SELECT f.path FROM words JOIN chunks c ON c.id = words.rowid JOIN files f ON f.id = c.file
            WHERE words MATCH ? ORDER BY bm25(words, {weights})"""

    def __call__(self, text: str, folders: list[str]) -> list[str]:
        words = re.findall(r"\w+", searchable(text).replace("_", " "))
        if not words:
            return []
        match = " OR ".join(f'"{word}"' for word in words)
        wanted = set(folders)
        found = []
        for (path,) in self._db.execute(self._query, (match,)):
            if not wanted or str(path).partition("/")[0] in wanted:
                found.append(str(path))
                if len(found) == DEPTH:
                    break
        return found
