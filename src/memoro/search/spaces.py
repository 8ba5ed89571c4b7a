"""Which space a search by meaning uses: the wanted one where it is complete and answers, else the built-in one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

from memoro.errors import ProviderError, StoreError, VectorsDamaged
from memoro.providers.ports import Space, is_builtin
from memoro.search.retrieve import Admits, Ranking
from memoro.store import space_progress
from memoro.store.ports import Index, IndexHome, VectorCache, VectorIndex

if TYPE_CHECKING:
    from datetime import date

    from memoro.config.settings import QuerySettings
    from memoro.model.answers import Where
    from memoro.model.vocabulary import Mode
    from memoro.providers.ports import Embedder
    from memoro.providers.registry import Embedders
    from memoro.search.hybrid_query import Meaning
    from memoro.search.newest import Trusts
    from memoro.search.standing import Standing

QUERY_SECONDS = 0.4  # how long a search waits for the vector of its query, where the built-in model can stand in

# "searched"; "wanted": searched once it is complete; "kept": complete, should the searched one fail; "left over".
SpaceUse = Literal["searched", "wanted", "kept", "left over"]


class SpaceState(NamedTuple):
    """One space in which an index has vectors, or is to have them."""

    name: str
    vectors: int
    filled: float  # the share of the passages, 0–1, that it has been completed for
    use: SpaceUse


class MeaningQuestion(NamedTuple):
    """A question to be answered by meaning, with all that the answer depends on."""

    text: str
    where: Where
    limit: int
    mode: Mode
    today: date
    settings: QuerySettings
    standing: Standing | None = None
    trusts: Trusts | None = None
    seconds: float = QUERY_SECONDS  # for the vector of the query
    asks: bool = True  # False: a statement, whose times ask for nothing
    certain: tuple[str, ...] = ()  # files that are candidates whatever their words and their meaning
    admits: Admits | None = None  # what of each candidate may be used


class SpaceSearch:
    """Searches by meaning in the best space that can answer."""

    def __init__(self, home: IndexHome, embedders: Embedders) -> None:
        self._home, self._embedders = home, embedders

    def find(self, index: Index, question: MeaningQuestion) -> Ranking:
        """Return the best passages. Where not the wanted space was searched, `notices` says so.

        Raises a `ProviderError` where no embedder answers, and `VectorsDamaged` where vectors cannot be used.
        """
        drops = space_progress.drops(index)
        found, used = self._find(index, question)
        if space_progress.drops(index) != drops:  # perhaps of this one, as another became complete
            raise VectorsDamaged("some were dropped during the search", space=str(used))
        return found

    def _find(self, index: Index, question: MeaningQuestion) -> tuple[Ranking, Space]:
        wanted = self._embedders.wanted
        is_complete = space_progress.is_complete(index, str(wanted.space))
        chosen = wanted if is_complete else space_progress.fullest(index, self._embedders.builtins)
        notices = [] if is_complete else self._unfinished(index, chosen)
        try:
            return self._find_in(chosen, index, question, notices), chosen.space
        except ProviderError as error:
            if is_builtin(chosen):
                raise
            failed = str(error).rstrip(".")
        instead = space_progress.fullest(index, self._embedders.builtins)
        notices = [f"vectors: {failed}; searched with {instead.space} instead", *_incomplete(index, instead)]
        return self._find_in(instead, index, question, notices), instead.space

    def states(self, index: Index) -> list[SpaceState]:
        """Return the spaces of an index, the one that is searched first."""
        uses: dict[str, SpaceUse] = {str(one.space): "kept" for one in self._embedders.kept}
        used, wanted = str(searched(index, self._embedders).space), str(self._embedders.wanted.space)
        uses |= {wanted: "wanted"}
        uses |= {used: "searched"}
        return [
            SpaceState(
                name=name,
                vectors=_count(self._home.vectors(index, name, Space.parse(name).dimensions)),
                filled=space_progress.filled(index, name),
                use=uses.get(name, "left over"),
            )
            for name in dict.fromkeys([used, wanted, *uses, *self._home.spaces(index)])
        ]

    def _find_in(
        self, embedder: Embedder, index: Index, question: MeaningQuestion, notices: Sequence[str]
    ) -> Ranking:
        from memoro.search.hybrid import search  # brings numpy: a search by words does not wait for it
        from memoro.search.hybrid_query import HybridQuery
        from memoro.search.past import understood, with_time

        cache, unread = self._cache_if_any()
        meaning = _meaning(self._home, index, embedder, question)._replace(cache=cache)
        asked = HybridQuery(
            text=question.text,
            where=question.where,
            limit=question.limit,
            words=question.mode == "hybrid",
            certain=question.certain,
            asks=question.asks,
            admits=question.admits,
        )
        if question.asks:
            asked = with_time(index, asked, meaning)
        found = search(index, asked, meaning)
        return Ranking(
            ranked=tuple(found.ranked),
            notices=(*notices, *unread, *found.notices),
            mode=question.mode,
            calibration=meaning.calibration,
            time=understood(asked.when),
            information=found.information,
        )

    def _unfinished(self, index: Index, used: Embedder) -> list[str]:
        wanted, notices = self._embedders.wanted, []
        if used.space != wanted.space:
            share = int(100 * space_progress.filled(index, str(wanted.space)))
            notices.append(
                f"vectors: the space {wanted.space} is {share} % filled; searching with {used.space} until it is "
                "complete; `memoro sync` completes it"
            )
        return [*notices, *_incomplete(index, used)]

    def _cache_if_any(self) -> tuple[VectorCache | None, list[str]]:
        try:
            return self._home.cache(), []
        except StoreError as error:
            return None, [f"vectors: compared as rounded to 8 bits, because the exact ones cannot be read: {error}"]


def _count(vectors: VectorIndex) -> int:
    try:
        return vectors.count
    except VectorsDamaged:
        return 0  # `doctor` says why, and the next sync writes them anew


def searched(index: Index, embedders: Embedders) -> Embedder:
    """Return the embedder whose space is searched: the wanted one where it is complete, else the built-in model."""
    if space_progress.is_complete(index, str(embedders.wanted.space)):
        return embedders.wanted
    return space_progress.fullest(index, embedders.builtins)


def _incomplete(index: Index, used: Embedder) -> list[str]:
    if space_progress.is_complete(index, str(used.space)):
        return []
    return ["vectors: some passages have none yet and are found by words alone; `memoro sync` completes them"]


def _meaning(home: IndexHome, index: Index, embedder: Embedder, question: MeaningQuestion) -> Meaning:
    from memoro.providers.builtin.model import builtin
    from memoro.providers.calibration import calibration
    from memoro.providers.deadline import WithDeadline
    from memoro.search.hybrid_query import Meaning, WeightedSum

    space, query = embedder.space, question.settings
    weights = WeightedSum(query.vector_weight, query.text_weight, query.min_score)
    return Meaning(
        embedder=embedder if is_builtin(embedder) else WithDeadline(embedder, question.seconds),
        calibration=calibration(space),
        word_model=builtin(),
        vectors=home.vectors(index, str(space), space.dimensions),
        cache=None,
        today=question.today,
        half_life_days=query.half_life_days,
        weighted=weights if query.fusion == "weighted" else None,
        standing=question.standing,
        trusts=question.trusts,
    )
