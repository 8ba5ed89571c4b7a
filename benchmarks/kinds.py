"""Questions that one passage does not answer: several steps, lists, orders of events; among 500 other notes."""

from __future__ import annotations

import json
import tempfile
import tomllib
from collections import defaultdict
from pathlib import Path
from typing import Any

import memoro
from benchmarks import measure, prose
from memoro.evaluate import metrics
from memoro.evaluate.metrics import Figures
from memoro.model.vocabulary import MODES

DATA = Path(__file__).parent / "data" / "kinds.toml"
OTHERS = 500
DEPTHS = (5, 10, 20)


def run() -> None:
    table = tomllib.loads(DATA.read_text(encoding="utf-8"))
    scores: dict[tuple[str, str], list[Figures]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        ids = write(table, Path(folder))
        with memoro.open(home, Path(folder) / "vault") as m:
            m.sync()
            for question in table["question"]:
                for mode in MODES:
                    results = m.search(question["query"], limit=DEPTHS[-1], mode=mode).results
                    ranking = [ids.get((hit.path, hit.start_line), hit.path) for hit in results]
                    found = metrics.figures(ranking, question["expect"], DEPTHS)
                    scores[question["kind"], mode].append(found)
                    scores["all", mode].append(found)
    rows = []
    for kind in ("all", "steps", "list", "order"):
        for mode in MODES:
            mean = metrics.mean(scores[kind, mode])
            figures = [f"{100 * value:.1f}" for value in (*mean.recall.values(), mean.ndcg)]
            rows.append([kind, mode, *figures, len(scores[kind, mode])])
    measure.table(["kind", "mode", *(f"R@{depth}" for depth in DEPTHS), "nDCG@10", "questions"], rows)


def write(table: dict[str, Any], folder: Path) -> dict[tuple[str, int], str]:
    """Put notes and talk below the folder; gives which note or turn stands at which line of which path."""
    vault, logs, home = folder / "vault", folder / "logs", folder / "home"
    prose.write_notes(vault, OTHERS)
    logs.mkdir()
    home.mkdir(mode=0o700)
    (home / "memoro.toml").write_text(f'[transcripts]\nfolders = ["{logs}"]\n', encoding="utf-8")
    ids = {}
    for name, text in table["notes"].items():
        (vault / f"{name}.md").write_text(text + "\n", encoding="utf-8")
        ids[f"{name}.md", 1] = name
    for session, turns in table["talk"].items():
        lines = []
        for line, (name, text) in enumerate(turns.items(), 1):
            speaker, _, said = text.partition(": ")
            lines.append(json.dumps({"role": "user", "speaker": speaker, "content": said}) + "\n")
            ids[f"@logs/{session}.jsonl", line] = name
        (logs / f"{session}.jsonl").write_text("".join(lines), encoding="utf-8")
    return ids
