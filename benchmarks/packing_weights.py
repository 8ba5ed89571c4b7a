"""How the constants of packing were chosen. `python -m benchmarks.packing_weights` chooses them again, in minutes.

They are chosen on four sets. None of them is locomo-dev, whose licence forbids shipping what is made from it:

- longmemeval-dev as it is: long turns;
- the same cut into sentences, any of which stands for its turn: short turns;
- short chats of two people, made from a seed (`chats.py`);
- the paraphrases (`paraphrase.py`) and the questions that the sample vault answers (`abstention.py`): notes. Any part
  of the right one will do, and together they have the say of one set.

From a plain start each constant in turn goes to the round number that is best for the mean over the sets and the
budgets, until none gains.
"""

from __future__ import annotations

import tempfile
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import ModuleType
from typing import NamedTuple, TypeVar

import memoro
from benchmarks import abstention, chats, labelled, measure, paraphrase, prose
from benchmarks.serve import without_sync
from benchmarks.weights import cut
from memoro.demo import copy_vault
from memoro.evaluate.conversations import path_of, prepare
from memoro.evaluate.packing import BUDGETS, RelevantPassage, ranking_of, share, top_k
from memoro.evaluate.questions import LabelledCollection, Question
from memoro.model.answers import Passage, Where
from memoro.model.recall import RecalledItem
from memoro.recall import answer, pack
from memoro.recall.answer import MAX_CANDIDATES, Wanted
from memoro.recall.ports import RecallSources, SyncedSearch
from memoro.search.filters import filters
from memoro.search.retrieve import Admits, Ranking
from memoro.store.ports import Index
from memoro.workspace import Workspace

Constants = dict[str, float]
T = TypeVar("T")


class Place(NamedTuple):
    """Where a constant stands, what is plain, and what it may be."""

    module: ModuleType
    start: float
    tried: tuple[float, ...]


PLACES = {
    "_FALL": Place(pack, 1, (1, 2, 3, 4)),
    "WIDE": Place(answer, 50, (50, 100, 200)),
    "_PER_CANDIDATE": Place(answer, 50, (50, 25, 15)),
    "_BASE": Place(pack, 0, (0, 25, 50, 100)),
    "_BESIDE": Place(pack, 0.02, (0, 0.02, 0.05, 0.1)),  # not 0: what it is good for is not in these figures
}
STEP = {"long turns": 3, "sentences": 4, "chats": 6, "notes": 6}  # every so many questions are asked
LEAST_GAIN = 0.05  # points


class Asked(NamedTuple):
    set: str
    text: str
    where: Where
    sources: RecallSources
    needed: list[list[RelevantPassage]]  # each is there if one of its parts is, or by the share of its only one


def main() -> None:
    with ExitStack() as homes:
        asked = list(gather(homes))
        chosen = choose(asked)
        rows = [
            ["top-k, same records", *in_order(asked, bare=False)],
            ["top-k, bare text", *in_order(asked, bare=True)],
            ["start", *worth(asked, {name: place.start for name, place in PLACES.items()})],
            ["chosen", *worth(asked, chosen)],
            ["shipped", *worth(asked, shipped())],
        ]
    sets = list(dict.fromkeys(one.set for one in asked))
    measure.table(["constants", *(f"{name}: {', '.join(map(str, BUDGETS))}" for name in sets)], rows)
    print()
    measure.table(["constant", "chosen", "shipped"], [[n, f"{v:g}", f"{shipped()[n]:g}"] for n, v in chosen.items()])


def shipped() -> Constants:
    return {name: getattr(place.module, name) for name, place in PLACES.items()}


def choose(asked: Sequence[Asked]) -> Constants:
    """From the start, each constant in turn goes to the round number that is best for it, until none gains."""
    constants = {name: place.start for name, place in PLACES.items()}
    best = objective(asked, constants)
    known: dict[tuple[float, ...], float] = {}
    moved = True
    while moved:
        moved = False
        for name, place in PLACES.items():
            for value in place.tried:
                tried = {**constants, name: value}
                key = tuple(tried.values())
                if key not in known:
                    known[key] = objective(asked, tried)
                if known[key] >= best + LEAST_GAIN:
                    constants, best, moved = tried, known[key], True
    return constants


def objective(asked: Sequence[Asked], constants: Constants) -> float:
    means = [value for figures in _figures(asked, _packed(constants)).values() for value in figures]
    return sum(means) / len(means)


def worth(asked: Sequence[Asked], constants: Constants) -> list[str]:
    return _shown(_figures(asked, _packed(constants)))


def in_order(asked: Sequence[Asked], *, bare: bool) -> list[str]:
    """What is there if the passages are appended as they were found."""

    def taken(one: Asked, budget: int) -> Sequence[RecalledItem]:
        return top_k(ranking_of(one.sources.search.search(one.text, one.where, MAX_CANDIDATES)), budget, bare=bare)[0]

    return _shown(_figures(asked, taken))


def _shown(figures: Mapping[str, Sequence[float]]) -> list[str]:
    return [", ".join(f"{value:.1f}" for value in values) for values in figures.values()]


def _packed(constants: Constants) -> Callable[[Asked, int], Sequence[RecalledItem]]:
    def taken(one: Asked, budget: int) -> Sequence[RecalledItem]:
        with _set(constants):
            return answer.recall(one.sources, one.text, Wanted(budget, 20, 1, one.where, abstain=False)).items

    return taken


def _figures(asked: Sequence[Asked], taken: Callable[[Asked, int], Sequence[RecalledItem]]) -> dict[str, list[float]]:
    """By set, the share of the evidence that is in the block under each budget, in per cent."""
    found: dict[str, list[list[float]]] = {}
    for one in asked:
        shares = [_held(taken(one, budget), one.needed) for budget in BUDGETS]
        found.setdefault(one.set, []).append(shares)
    return {
        name: [100 * sum(column) / len(column) for column in zip(*rows, strict=True)] for name, rows in found.items()
    }


def _held(items: Sequence[RecalledItem], needed: Sequence[Sequence[RelevantPassage]]) -> float:
    return sum(max(share(items, [part])[0] for part in parts) for parts in needed) / len(needed)


@contextmanager
def _set(constants: Constants) -> Iterator[None]:
    before = shipped()
    _assign(constants)
    try:
        yield
    finally:
        _assign(before)


def _assign(constants: Constants) -> None:
    for name, value in constants.items():
        setattr(PLACES[name].module, name, value)


def gather(homes: ExitStack) -> Iterator[Asked]:
    for collection in labelled.load(labelled.data_folder() / "longmemeval-dev.jsonl.gz"):
        yield from _conversations(homes, "long turns", collection)
        yield from _conversations(homes, "sentences", cut(collection))
    for collection in chats.collections():
        yield from _conversations(homes, "chats", collection)
    yield from _paraphrases(homes)
    yield from _sample(homes)


def _conversations(homes: ExitStack, name: str, collection: LabelledCollection) -> Iterator[Asked]:
    place = prepare(Path(homes.enter_context(tempfile.TemporaryDirectory())), collection.turns)
    labelled.configure(place)
    lines: Counter[str] = Counter()
    stands: dict[str, list[RelevantPassage]] = {}
    for turn in collection.turns:
        path = path_of(turn.session)
        lines[path] += 1
        stands.setdefault(turn.id, []).append(RelevantPassage(path, lines[path], turn.text))
    m = homes.enter_context(memoro.open(place.home))
    m.sync()
    for question in collection.questions[:: STEP[name]]:
        yield _asked(m, name, question, [stands[turn] for turn in dict.fromkeys(question.relevant)])


def _paraphrases(homes: ExitStack) -> Iterator[Asked]:
    pairs = tomllib.loads(paraphrase.DATA.read_text(encoding="utf-8"))["pair"]
    folder = Path(homes.enter_context(tempfile.TemporaryDirectory()))
    prose.write_notes(folder / "vault", paraphrase.OTHERS)
    for number, pair in enumerate(pairs):
        (folder / "vault" / f"pair{number:03}.md").write_text(pair["note"] + "\n", encoding="utf-8")
    questions = [Question(pair["query"], (f"pair{number:03}.md",)) for number, pair in enumerate(pairs)]
    yield from _notes(homes, folder, folder / "vault", questions)


def _sample(homes: ExitStack) -> Iterator[Asked]:
    present = tomllib.loads(abstention.DATA.read_text(encoding="utf-8"))["present"]
    folder = Path(homes.enter_context(tempfile.TemporaryDirectory()))
    questions = [Question(one["query"], (one["expect"],)) for one in present]
    yield from _notes(homes, folder, Path(copy_vault(str(folder))), questions)


def _notes(homes: ExitStack, folder: Path, vault: Path, questions: Sequence[Question]) -> Iterator[Asked]:
    m = homes.enter_context(memoro.open(folder / "home", vault))
    m.sync()
    for question in questions[:: STEP["notes"]]:
        yield _asked(m, "notes", question, [[RelevantPassage(path)] for path in question.relevant])


def _asked(m: Workspace, name: str, question: Question, needed: list[list[RelevantPassage]]) -> Asked:
    where = filters(path=[path_of(session) for session in question.haystack], today=m.today)
    sources = without_sync(m).recaller.sources()
    return Asked(name, question.text, where, sources._replace(search=Remembering(sources.search)), needed)


class Remembering:
    """A search that answers once for each limit."""

    def __init__(self, inner: SyncedSearch) -> None:
        self._inner = inner
        self._known: dict[int, Ranking] = {}
        self.notices = inner.notices

    def search(self, query: str, where: Where, limit: int, admits: Admits | None = None) -> Ranking:
        if limit not in self._known:
            self._known[limit] = self._inner.search(query, where, limit, admits)
        return self._known[limit]

    def with_ends(self, index: Index, passages: Sequence[Passage]) -> Sequence[Passage]:
        return self._inner.with_ends(index, passages)

    def read(self, work: Callable[[Index], T]) -> T:
        return self._inner.read(work)


if __name__ == "__main__":
    main()
