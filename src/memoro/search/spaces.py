"""Which space a search by meaning uses: the wanted one where it is complete and answers, else the built-in one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

from memoro.errors import ProviderError, ProviderUnavailable, StoreError, VectorsDamaged
from memoro.providers.ports import BUILTIN, Space, info_of, is_builtin
from memoro.providers.records import lacks_agreement
from memoro.search.retrieve import Admits, Ranking
from memoro.store import space_progress
from memoro.store.ports import Index, IndexHome, VectorCache, VectorIndex

if TYPE_CHECKING:
    from datetime import date

    from memoro.config.settings import QuerySettings
    from memoro.model.answers import Where
    from memoro.model.vocabulary import Mode
    from memoro.providers.ports import Embedder
    from memoro.providers.records import ProviderRecords
    from memoro.providers.registry import Embedders
    from memoro.search.hybrid_query import Meaning
    from memoro.search.newest import Trusts
    from memoro.search.standing import Standing

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
    seconds: float | None = None  # for the vector of the query; None: as long as its embedder may take
    asks: bool = True  # False: a statement, whose times ask for nothing
    is_private: bool = False  # it stays on this machine, whatever its text says
    certain: tuple[str, ...] = ()  # files that are candidates whatever their words and their meaning
    admits: Admits | None = None  # what of each candidate may be used
    sends_private: bool = False  # a private question may go to another machine too
    unfinished: bool = False  # its last word may be the beginning of one


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
        why_not = self._why_not_wanted(index) or self._why_private(question) or self._why_too_late(question)
        if why_not is None:
            try:
                return self._find_in(wanted, index, question, []), wanted.space
            except ProviderError as error:
                if is_builtin(wanted):
                    raise
                why_not = str(error).rstrip(".")
        instead = self._instead(index, why_not)
        if instead.space == wanted.space and self._embedders.problem is None:  # the built-in model, not complete yet
            notices = _incomplete(index, instead)
        else:
            used = instead.space if is_builtin(wanted) and self._embedders.problem is None else "the built-in model"
            searched = " Searched" if why_not.endswith("?") else "; searched"
            notices = [f"vectors: {why_not}{searched} with {used} instead", *_incomplete(index, instead)]
        return self._find_in(instead, index, question, notices), instead.space

    def _why_not_wanted(self, index: Index) -> str | None:
        """Return why the wanted space cannot be searched, as half a sentence; None where it can."""
        if self._embedders.problem:
            return self._embedders.problem.rstrip(".")
        wanted = self._embedders.wanted.space
        suspicion = None if is_builtin(self._embedders.wanted) else self._home.records().suspicion(str(wanted))
        if suspicion is not None:  # before the rest: a sync would not mend it
            return suspicion.rstrip(".")
        if not space_progress.is_complete(index, str(wanted)):
            share = int(100 * space_progress.filled(index, str(wanted)))
            return (
                f"the space {wanted} is {share} % filled, and {waits_for(self._home.records, self._embedders.wanted)}"
            )
        if is_builtin(self._embedders.wanted):
            return None
        info, records = info_of(self._embedders.wanted), self._home.records()
        if lacks_agreement(records, info, str(wanted)):
            return f"queries to {info.host} cost money and wait for your yes: `memoro sync` asks"
        return None

    def _why_private(self, question: MeaningQuestion) -> str | None:
        """Return why a question is not sent to another machine, as half a sentence."""
        info = info_of(self._embedders.wanted)
        if info.is_home or question.sends_private:
            return None
        from memoro.model.privacy import message_is_private

        if question.is_private or message_is_private(question.text):
            return f"the question is private, and is not sent to {info.host}"
        return None

    def _why_too_late(self, question: MeaningQuestion) -> str | None:
        """Return why a question with a deadline cannot wait for the wanted model, as half a sentence.

        A model of this machine is loaded by a search that somebody asked for, by a sync, and by `memoro serve`.
        """
        wanted = self._embedders.wanted
        if question.seconds is None or question.seconds >= info_of(wanted).load_seconds:
            return None
        return f"{wanted.space} is not loaded, and a recall does not wait for that: `memoro serve` keeps it loaded"

    def _instead(self, index: Index, why_not: str) -> Embedder:
        """Return the built-in model that stands in; raise where the owner wants words alone then."""
        wanted = self._embedders.wanted
        if self._embedders.fallback == "none" and not (is_builtin(wanted) and self._embedders.problem is None):
            raise ProviderUnavailable(f"{why_not}; searched by words alone, as embedding.fallback says.")
        return space_progress.fullest(index, self._embedders.builtins)

    def states(self, index: Index) -> list[SpaceState]:
        """Return the spaces of an index, the one that is searched first."""
        uses: dict[str, SpaceUse] = {str(one.space): "kept" for one in self._embedders.kept}
        builtin = space_progress.fullest(index, self._embedders.builtins)
        chosen = self._embedders.wanted if self._why_not_wanted(index) is None else builtin
        used, wanted = str(chosen.space), str(self._embedders.wanted.space)
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
            unfinished=question.unfinished,
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

    def _cache_if_any(self) -> tuple[VectorCache | None, list[str]]:
        try:
            return self._home.cache(), []
        except StoreError as error:
            return None, [f"vectors: compared as rounded to 8 bits, because the exact ones cannot be read: {error}"]


def waits_for(records: Callable[[], ProviderRecords], wanted: Embedder) -> str:
    """Return what an incomplete space waits for, as half a sentence."""
    from memoro.providers.circuit_breaker import last_failure

    sync = "`memoro sync` completes it"
    if is_builtin(wanted):
        return sync
    out = sum(job.is_out for job in records().jobs(str(wanted.space)))
    why = last_failure(records(), info_of(wanted).host)
    if why is not None:
        return f"the rest waits: {why}"
    return f"waits for {out} batch job{'s' if out != 1 else ''}" if out else sync


def _count(vectors: VectorIndex) -> int:
    try:
        return vectors.count
    except VectorsDamaged:
        return 0  # `doctor` says why, and the next sync writes them anew


def _incomplete(index: Index, used: Embedder) -> list[str]:
    if space_progress.is_complete(index, str(used.space)):
        return []
    return ["vectors: some passages have none yet and are found by words alone until `memoro sync` completes them"]


def _meaning(home: IndexHome, index: Index, embedder: Embedder, question: MeaningQuestion) -> Meaning:
    from memoro.providers.builtin.model import builtin
    from memoro.providers.calibration import calibration
    from memoro.providers.deadline import WithDeadline
    from memoro.search.hybrid_query import Meaning, WeightedSum

    space, query = embedder.space, question.settings
    seconds = info_of(embedder).query_seconds if question.seconds is None else question.seconds
    weights = WeightedSum(query.vector_weight, query.text_weight, query.min_score)
    return Meaning(
        embedder=embedder if is_builtin(embedder) else WithDeadline(embedder, seconds),
        calibration=calibration(space, _stored(home, space)),
        word_model=builtin(),
        vectors=home.vectors(index, str(space), space.dimensions),
        cache=None,
        today=question.today,
        half_life_days=query.half_life_days,
        weighted=weights if query.fusion == "weighted" else None,
        standing=question.standing,
        trusts=question.trusts,
    )


def _stored(home: IndexHome, space: Space) -> str | None:
    """Return what was measured in a space; nothing where it cannot be read: search goes on as if nobody had."""
    if space.provider == BUILTIN:
        return None
    try:
        return home.records().calibration(str(space))
    except StoreError:
        return None
