"""Questions for an attribute of a subject, among all statements about that subject, in other words than they."""

from __future__ import annotations

import tempfile
import tomllib
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import memoro
from benchmarks import measure
from memoro.model.answers import Hit

DATA = Path(__file__).parent / "data" / "attributes.toml"
SIGNAL = "attribute"


def run() -> None:
    rows: list[list[object]] = []
    for half, subjects in tomllib.loads(DATA.read_text(encoding="utf-8")).items():
        found: dict[str, list[tuple[bool, bool]]] = defaultdict(list)
        for subject, pairs in subjects.items():
            found[subject] = [(first(hits, right, but=SIGNAL), first(hits, right)) for hits, right in ask(pairs)]
        found["all"] = [one for each in list(found.values()) for one in each]
        for subject, each in found.items():
            before, after = (100 * sum(one[place] for one in each) / len(each) for place in (0, 1))
            rows.append([half, subject, f"{before:.1f}", f"{after:.1f}", len(each)])
    measure.table(["half", "subject", "without", "with the signal", "questions"], rows)


def ask(pairs: dict[str, tuple[str, str]]) -> list[tuple[Sequence[Hit], str]]:
    """Store the statements as memories, ask every question; return the results, and the right statement, of each."""
    with tempfile.TemporaryDirectory() as folder:
        vault = Path(folder) / "vault"
        vault.mkdir()
        with memoro.open(Path(folder) / "home", vault) as m:
            for _, statement in pairs.values():
                m.memories.store(statement)
            m.sync()
            return [
                (m.search(question, limit=len(pairs), min_score=0.0).results, statement)
                for question, statement in pairs.values()
            ]


def first(hits: Sequence[Hit], right: str, but: str = "") -> bool:
    """Return whether the right statement comes first, if one signal is taken out of the sum."""
    best = max(hits, key=lambda hit: total(hit, but), default=None)
    return best is not None and best.snippet.strip() == right


def total(hit: Hit, but: str) -> float:
    """The sum that orders the results, without one signal."""
    explanation = hit.explanation
    return (explanation.total or 0.0) - sum(part.share for part in explanation.parts if part.name == but)
