"""How the weights of the hybrid search were chosen. `python -m benchmarks.weights` chooses them again, in minutes.

They are chosen on five sets. None of them is locomo-dev, whose licence forbids shipping what is made from it:

- longmemeval-dev as it is: long turns;
- the same cut into sentences, each standing for its turn: short turns;
- short chats of two people, made from a seed (`chats.py`);
- the paraphrases (`paraphrase.py`), at half the say;
- the questions that the sample vault answers (`abstention.py`).

From the weights of a recipe that was published before, each weight in turn goes to the round number that is best for
it, until the mean over the sets of recall@10 and nDCG@10 grows no more. The same is done with one half of the
questions, to see what such a choice is worth for the other half. Weights of `time`, `linked` and `fresh` are not
chosen: no set here tells about them.
"""

from __future__ import annotations

import re
import tempfile
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy

import memoro
from benchmarks import abstention, chats, labelled, measure, paraphrase, prose
from memoro.demo import copy_vault
from memoro.evaluate import metrics
from memoro.evaluate.conversations import path_of, prepare
from memoro.evaluate.questions import LabelledCollection, LabelledTurn, Question
from memoro.model.answers import Statistics, Term
from memoro.providers.calibration import OF_BUILTIN
from memoro.search import candidate_signals, candidates, hybrid
from memoro.search import weights as shipped
from memoro.search.candidate_signals import CandidateSignals, MeasuredSignals
from memoro.workspace import Workspace

Weights = dict[str, tuple[float, float]]

START: Weights = {  # the recipe: half words and half meaning, then five signals at a half and a quarter of that
    "words": (0.5, 0.5),
    "meaning": (0.5, 0.5),
    "around": (0.5, 0.5),
    "word by word": (0.5, 0.5),
    "cue": (0.5, 0.5),
    "answer": (0.5, 0.5),
    "speaker": (0.25, 0.25),
    "side": (0.5, 0.5),
}
ALIKE = ("cue", "answer", "speaker", "side")  # one weight for short and long
ROUND = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0, 1.2)  # each keeps a say, and none outweighs all others
SAY = {"paraphrases": 0.5}  # where words cannot help by construction, they must not be judged as elsewhere
LEAST_GAIN = 0.02
LIMIT = 10
_SENTENCE = re.compile(r"(?<=[.!?])\s+")


class Asked(NamedTuple):
    """A question with all candidates and their signals."""

    set: str
    relevant: frozenset[str]
    ids: list[str]
    values: dict[str, numpy.ndarray[Any, Any]]
    length: float  # characters of the middle candidate
    telling: frozenset[str]  # the signals that are not the same for all candidates


def main() -> None:
    asked = list(gather())
    chosen = choose(asked)
    even, odd = asked[::2], asked[1::2]
    rows = [
        ["recipe", *worth(asked, START)],
        ["chosen", *worth(asked, chosen)],
        ["shipped", *worth(asked, shipped.weights_in(OF_BUILTIN))],
        ["recipe, odd half", *worth(odd, START)],
        ["chosen on the even half, odd half", *worth(odd, choose(even))],
        ["chosen on all, odd half", *worth(odd, chosen)],
    ]
    sets = list(dict.fromkeys(one.set for one in asked))
    measure.table(["weights", *(f"{name}: R@10, nDCG@10" for name in sets)], rows)
    print()
    measure.table(["signal", "short", "long"], [[name, *pair] for name, pair in chosen.items()])


def choose(asked: Sequence[Asked]) -> Weights:
    """From the recipe, each weight in turn goes to the round number that is best for it, until none gains."""
    weights = START
    best = objective(asked, weights)
    moved = True
    while moved:
        moved = False
        for name, long in _places():
            tried = [_changed(weights, name, value, long=long) for value in ROUND]
            reached, one = max(
                ((objective(asked, other), n) for n, other in enumerate(tried)), key=lambda pair: pair[0]
            )
            if reached >= best + LEAST_GAIN:
                weights, best, moved = tried[one], reached, True
    return weights


def _places() -> Iterator[tuple[str, bool]]:
    for name in START:
        yield name, False
        if name not in ALIKE:
            yield name, True


def _changed(weights: Weights, name: str, value: float, *, long: bool) -> Weights:
    pair = (value, value) if name in ALIKE else (weights[name][0], value) if long else (value, weights[name][1])
    return {**weights, name: pair}


def objective(asked: Sequence[Asked], weights: Mapping[str, tuple[float, float]]) -> float:
    figures = _figures(asked, weights)
    says = [SAY.get(name, 1.0) for name in figures]
    return float(numpy.average([numpy.mean(one) for one in figures.values()], weights=says)) * 100


def worth(asked: Sequence[Asked], weights: Mapping[str, tuple[float, float]]) -> list[str]:
    return ["{:.1f}, {:.1f}".format(*100 * numpy.mean(one, axis=0)) for one in _figures(asked, weights).values()]


def _figures(
    asked: Sequence[Asked], weights: Mapping[str, tuple[float, float]]
) -> dict[str, list[tuple[float, float]]]:
    found: dict[str, list[tuple[float, float]]] = {}
    for one in asked:
        found.setdefault(one.set, []).append(_figure(one, weights))
    return found


_known: dict[tuple[object, ...], tuple[float, float]] = {}  # a question is asked again only if a weight matters to it


def _figure(one: Asked, weights: Mapping[str, tuple[float, float]]) -> tuple[float, float]:
    mixed = _mixed(weights, one.length)
    key = (id(one), *(mixed[name] for name in START if name in one.telling))
    if key not in _known:
        ranking = list(dict.fromkeys(order(one, mixed)))
        _known[key] = metrics.recall(ranking, one.relevant, LIMIT), metrics.ndcg(ranking, one.relevant)
    return _known[key]


def order(one: Asked, mixed: dict[str, float]) -> list[str]:
    """About what the search would answer with these weights.

    Links, dates and repeats are left out, and the promising candidates are kept by their true share of words, which
    the search does not know yet where it keeps them.
    """
    if not one.ids:
        return []
    mixed = dict(mixed)
    mixed["words"] *= min(1.0, float(one.values["words"].max()) / shipped.COVERED) ** 2
    near = sum(mixed[name] * _standard(one.values[name]) for name in ("words", "meaning", "around"))
    kept = numpy.argsort(-near, kind="stable")[: candidates.LOOKED_AT]
    total = numpy.zeros(len(kept))
    for name, weight in mixed.items():
        value = one.values[name][kept]
        total += weight * (_standard(value) if name in candidate_signals.STANDARDISED else value)
    return [one.ids[i] for i in kept[numpy.argsort(-total, kind="stable")]]


def _mixed(weights: Mapping[str, tuple[float, float]], characters: float) -> dict[str, float]:
    long = min(1.0, max(0.0, (characters - shipped.SHORT) / (shipped.LONG - shipped.SHORT)))
    return {name: (1 - long) * weights[name][0] + long * weights[name][1] for name in START}


def _standard(values: numpy.ndarray[Any, Any]) -> numpy.ndarray[Any, Any]:
    deviation = values.std()
    return (values - values.mean()) / deviation if deviation > 1e-9 else numpy.zeros(len(values))


def gather() -> Iterator[Asked]:
    file = labelled.data_folder() / "longmemeval-dev.jsonl.gz"
    for collection in labelled.load(file):
        yield from _conversations("long turns", collection)
        yield from _conversations("sentences", cut(collection))
    for collection in chats.collections():
        yield from _conversations("chats", collection)
    yield from _paraphrases()
    yield from _notes()


def cut(collection: LabelledCollection) -> LabelledCollection:
    """Each sentence of the user a turn, and the first two of the assistant: ids tell the turn they come from."""
    turns = [
        LabelledTurn(turn.id, turn.session, turn.date, turn.speaker, sentence)
        for turn in collection.turns
        for sentence in _SENTENCE.split(turn.text.strip())[: None if turn.speaker == "user" else 2]
    ]
    said = {turn.id for turn in collection.turns if turn.speaker == "user"}
    questions = [one for one in collection.questions if said.issuperset(one.relevant)]
    return LabelledCollection(tuple(turns), tuple(questions))


def _conversations(name: str, collection: LabelledCollection) -> Iterator[Asked]:
    with tempfile.TemporaryDirectory() as folder:
        place = prepare(Path(folder), collection.turns)
        labelled.configure(place)
        with memoro.open(place.home) as m:
            m.sync()
            for question in collection.questions:
                yield _ask(m, name, question, place.ids)


def _paraphrases() -> Iterator[Asked]:
    pairs = tomllib.loads(paraphrase.DATA.read_text(encoding="utf-8"))["pair"]
    with tempfile.TemporaryDirectory() as folder:
        vault = Path(folder) / "vault"
        prose.write_notes(vault, paraphrase.OTHERS)
        for number, pair in enumerate(pairs):
            (vault / f"pair{number:03}.md").write_text(pair["note"] + "\n", encoding="utf-8")
        with memoro.open(Path(folder) / "home", vault) as m:
            m.sync()
            for number, pair in enumerate(pairs):
                yield _ask(m, "paraphrases", Question(pair["query"], (f"pair{number:03}.md",)), {})


def _notes() -> Iterator[Asked]:
    present = tomllib.loads(abstention.DATA.read_text(encoding="utf-8"))["present"]
    with tempfile.TemporaryDirectory() as folder, memoro.open(Path(folder) / "home", copy_vault(folder)) as m:
        m.sync()
        for one in present:
            yield _ask(m, "notes", Question(one["query"], (one["expect"],)), {})


def _ask(m: Workspace, name: str, question: Question, ids: Mapping[tuple[str, int], str]) -> Asked:
    seen = Asked(name, frozenset(question.relevant), [], {}, 0.0, frozenset())

    class Recorder(CandidateSignals):
        def measure(self, terms: Sequence[Term], statistics: Statistics) -> MeasuredSignals:
            nonlocal seen
            measured = super().measure(terms, statistics)
            passages = [one.match.passage for one in self._found]
            values = {name: numpy.asarray(values) for name, values in measured.values.items()}
            places = [ids.get((p.path, p.start_line), p.path) for p in passages]
            telling = frozenset(name for name, column in values.items() if column.any())
            length = float(numpy.median([len(p.text) for p in passages]))
            seen = Asked(name, seen.relevant, places, values, length, telling)
            return measured

    usual = CandidateSignals, candidates.LOOKED_AT
    hybrid.CandidateSignals, candidates.LOOKED_AT = Recorder, 10**6  # type: ignore[attr-defined]
    try:
        m.search(question.text, limit=LIMIT, path=[path_of(session) for session in question.haystack])
    finally:
        hybrid.CandidateSignals, candidates.LOOKED_AT = usual  # type: ignore[attr-defined]
    return seen


if __name__ == "__main__":
    main()
