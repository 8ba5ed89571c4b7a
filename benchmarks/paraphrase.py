"""Questions that share no content word with the note that answers them, among 2,000 other notes."""

from __future__ import annotations

import tempfile
import tomllib
from collections import defaultdict
from pathlib import Path

import memoro
from benchmarks import measure, prose
from memoro.evaluate import metrics
from memoro.evaluate.metrics import Figures
from memoro.model.vocabulary import MODES

DATA = Path(__file__).parent / "data" / "paraphrase.toml"
OTHERS = 2000
DEPTHS = (1, 5, 10)


def run() -> None:
    pairs = tomllib.loads(DATA.read_text(encoding="utf-8"))["pair"]
    scores: dict[tuple[str, str], list[Figures]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        vault, home = Path(folder) / "vault", Path(folder) / "home"
        prose.write_notes(vault, OTHERS)
        for number, pair in enumerate(pairs):
            (vault / f"pair{number:03}.md").write_text(pair["note"] + "\n", encoding="utf-8")
        with memoro.open(home, vault) as m:
            m.sync()
            for number, pair in enumerate(pairs):
                for mode in MODES:
                    # Distinct notes: each holds one passage.
                    ranking = [hit.path for hit in m.search(pair["query"], limit=DEPTHS[-1], mode=mode).results]
                    found = metrics.figures(ranking, [f"pair{number:03}.md"], DEPTHS)
                    scores[mode, "all"].append(found)
                    scores[mode, pair["domain"]].append(found)
    domains = list(dict.fromkeys(domain for _, domain in scores))
    rows = []
    for domain in domains:
        for mode in MODES:
            mean = metrics.mean(scores[mode, domain])
            figures = [f"{100 * value:.1f}" for value in (*mean.recall.values(), mean.mrr)]
            rows.append([domain, mode, *figures, len(scores[mode, domain])])
    measure.table(["domain", "mode", *(f"R@{depth}" for depth in DEPTHS), "MRR", "questions"], rows)
