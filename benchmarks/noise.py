"""Are results shown only where there is something to show: questions to three vaults, and questions beside them.

The sample vault, one of 8 notes and one of 2,000. Half of the questions (`check`) were never used to fit a score.
"""

from __future__ import annotations

import os
import random
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, NamedTuple

import memoro
from benchmarks import measure, prose
from memoro.demo import copy_vault
from memoro.model.vocabulary import MODES, Mode
from memoro.workspace import Workspace

DATA = Path(__file__).parent / "data"
NOTES = 2000
RESULTS = 6

Half = Literal["dev", "check"]
HALVES: tuple[Half, ...] = ("dev", "check")
# The things that meeting notes of the large vault are about.
_PARTS = (
    "importer", "scheduler", "ledger service", "mail gateway", "label printer", "pricing table", "report builder",
    "test bench", "web shop", "archive job", "sign-in page", "search index", "loading dock", "packing line",
    "conveyor", "price list", "map view", "chat window", "stock count", "delivery plan", "intranet",
    "spare parts list", "dashboard", "telephone system",
)  # fmt: skip


class Answerable(NamedTuple):
    query: str
    path: str  # the note that answers


class Questions(NamedTuple):
    answered: tuple[Answerable, ...]
    other: tuple[str, ...]


class NoiseVault(NamedTuple):
    name: str
    folder: Path
    halves: dict[Half, Questions]


class Shown(NamedTuple):
    """What became of the questions to one vault, as shares."""

    lost: float  # answerable, and nothing was shown
    found: float  # answerable, and the right note is among the results
    silent: float  # not answerable, and nothing was shown
    score: float  # median score of the right note
    results: float  # mean number of results of an answerable question


def run() -> None:
    halves: Sequence[Half] = HALVES if os.environ.get("MEMORO_HALF") is None else (_half(os.environ["MEMORO_HALF"]),)
    rows: list[list[object]] = []
    for name in VAULTS:
        with prepared(name) as (vault, m):
            for half in halves:
                for mode in MODES:
                    rows.append([name, half, mode, *_row(shown(m, vault.halves[half], mode))])
    header = ["vault", "half", "mode", "answers lost", "right note shown", "silent rightly", "its score", "results"]
    measure.table(header, rows)


def _half(text: str) -> Half:
    return "check" if text == "check" else "dev"


def _row(one: Shown) -> list[object]:
    shares = [f"{100 * share:.0f} %" for share in (one.lost, one.found, one.silent)]
    return [*shares, f"{one.score:.2f}", f"{one.results:.1f}"]


def shown(m: Workspace, questions: Questions, mode: Mode) -> Shown:
    """Ask all questions as a person would, with the default number of results."""
    answers = [m.search(one.query, mode=mode, limit=RESULTS).results for one in questions.answered]
    others = [m.search(query, mode=mode, limit=RESULTS).results for query in questions.other]
    right = [
        [hit.score for hit in hits if hit.path == one.path]
        for one, hits in zip(questions.answered, answers, strict=True)
    ]
    scores = sorted(max(one) for one in right if one)
    return Shown(
        lost=sum(not hits for hits in answers) / len(answers),
        found=len(scores) / len(answers),
        silent=sum(not hits for hits in others) / len(others),
        score=scores[len(scores) // 2] if scores else 0.0,
        results=sum(map(len, answers)) / len(answers),
    )


@contextmanager
def prepared(name: str) -> Iterator[tuple[NoiseVault, Workspace]]:
    """The vault, synced, in a home of its own."""
    with tempfile.TemporaryDirectory() as folder:
        vault = VAULTS[name](Path(folder) / "vault")
        with memoro.open(Path(folder) / "home", vault.folder) as m:
            m.sync()
            yield vault, m


def sample(folder: Path) -> NoiseVault:
    folder.parent.mkdir(parents=True, exist_ok=True)
    return NoiseVault("sample", Path(copy_vault(str(folder.parent))), _halves(_table("noise-sample")))


def eight(folder: Path) -> NoiseVault:
    table = _table("noise-eight")
    _write(folder, table["notes"])
    return NoiseVault("8 notes", folder, _halves(table))


def large(folder: Path) -> NoiseVault:
    table = _table("noise-large")
    planted = [*table["dev"], *table["check"]]
    _write(folder, {one["path"]: one["note"] for one in planted})
    _write(folder, dict(_others(NOTES - len(planted), table["work"], table["home"])))
    halves: dict[Half, Questions] = {
        half: Questions(
            tuple(Answerable(query, one["path"]) for one in table[half] for query in one["questions"]),
            tuple(table["others"][half]),
        )
        for half in HALVES
    }
    return NoiseVault("2,000 notes", folder, halves)


VAULTS = {"sample": sample, "8 notes": eight, "2,000 notes": large}


def _table(name: str) -> dict[str, Any]:
    return tomllib.loads((DATA / f"{name}.toml").read_text(encoding="utf-8"))


def _halves(table: dict[str, Any]) -> dict[Half, Questions]:
    return {
        half: Questions(
            tuple(Answerable(query, path) for query, path in table[half]["answered"]), tuple(table[half]["other"])
        )
        for half in HALVES
    }


def _write(folder: Path, notes: dict[str, str]) -> None:
    for path, text in notes.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text.strip() + "\n", encoding="utf-8")


def _others(count: int, work: Sequence[str], home: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Daily notes and meeting notes of some years, the same on every machine."""
    rng = random.Random(7)
    sentences = prose.sentences()
    for number in range(count):
        day = f"{2020 + number // 360}-{1 + number // 30 % 12:02}-{1 + number % 28:02}"
        if number % 3 == 0:
            lines = [_filled(one, rng) for one in rng.sample(work, rng.randint(3, 6))]
            text = f"# {rng.choice(_PARTS).capitalize()}, {day}\n\n" + "\n".join(f"- {line}" for line in lines)
            yield f"meetings/{day}-{number:04}.md", text
        else:
            chosen = [*rng.sample(sentences, rng.randint(2, 4)), *rng.sample(home, rng.randint(1, 3))]
            rng.shuffle(chosen)
            text = f"# {day}\n\n" + "\n".join(f"- {_filled(one, rng)}" for one in chosen)
            yield f"journal/{day}-{number:04}.md", text


def _filled(sentence: str, rng: random.Random) -> str:
    while "{part}" in sentence:
        sentence = sentence.replace("{part}", rng.choice(_PARTS), 1)
    return prose.filled(sentence.replace("{number}", str(rng.randint(2, 90))), rng)
