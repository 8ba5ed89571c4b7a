"""Which space meaning is searched in and which is filled: the wanted one, or what stands in for it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, NamedTuple

from memoro import config
from memoro.errors import ProviderUnavailable, StoreError, VectorsDamaged
from memoro.model.answers import Where
from memoro.model.vocabulary import KINDS
from memoro.store.ports import Index, IndexHome, VectorCache

if TYPE_CHECKING:
    from datetime import date

    from memoro.index.embed import Embedding, Upkeep
    from memoro.providers.ports import Embedder
    from memoro.search.hybrid import Meaning
    from memoro.search.standing import Standing


BUILTIN = "builtin"


class SpaceState(NamedTuple):
    """One space in which an index has vectors, or is to have them."""

    name: str
    vectors: int
    filled: float  # the share of the passages, 0–1, that it has been completed for
    use: str  # "searched", "wanted" (searched once it is complete) or "left over"


def embedders(settings: config.EmbeddingSettings) -> list[Embedder]:
    """Everyone whose vectors could be searched: the wanted one first, then those that can stand in for it.

    A provider is added here.
    """
    with _loading():
        from memoro.providers.builtin.model import shortened

        others = (size for size in config.DIMENSIONS if size != settings.dimensions)
        return [shortened(size) for size in (settings.dimensions, *others)]


def searched(index: Index, able: list[Embedder]) -> Embedder:
    """Whose vectors to search: the wanted ones, unless those of another tell of more passages."""
    from memoro.index.embed import is_complete, looked_at

    if is_complete(index, str(able[0].space)):
        return able[0]
    return max(able, key=lambda one: looked_at(index, str(one.space)))  # the first of equals


class Choice(NamedTuple):
    """What a search by meaning needs, and what its answer should say about it."""

    meaning: Meaning
    notices: list[str]
    drops: int  # of spaces in this index, before it was chosen


def choose(
    index: Index, indexes: IndexHome, settings: config.Settings, today: date, standing: Standing | None = None
) -> Choice:
    with _loading():
        from memoro.index.embed import drops
        from memoro.providers.builtin.model import builtin
        from memoro.search.hybrid import Fusion, Meaning

        words = builtin()
    before = drops(index)
    able = embedders(settings.embedding)
    embedder = searched(index, able)
    cache, notices = _cache_if_any(indexes)
    query = settings.query
    weighted = Fusion(query.vector_weight, query.text_weight, query.min_score) if query.fusion == "weighted" else None
    meaning = Meaning(
        embedder=embedder,
        model=words,
        vectors=indexes.vectors(index, str(embedder.space), embedder.space.dimensions),
        cache=cache,
        today=today,
        half_life_days=query.half_life_days,
        weighted=weighted,
        standing=standing,
    )
    return Choice(meaning, [*_unfinished(index, able[0], embedder), *notices], before)


def is_quick(settings: config.EmbeddingSettings) -> bool:
    """Whether the wanted model computes here and now, and cannot keep anyone waiting."""
    return embedders(settings)[0].space.provider == BUILTIN


def hurried(choice: Choice, seconds: float) -> Choice:
    """The same, with nobody waiting longer than that for a vector."""
    embedder = choice.meaning.embedder
    if embedder.space.provider == BUILTIN:
        return choice
    from memoro.providers.deadline import WithDeadline

    return choice._replace(meaning=choice.meaning._replace(embedder=WithDeadline(embedder, seconds)))


def check_still_there(index: Index, choice: Choice) -> None:
    """Raises where a space was dropped during a search: it may have been this one, as another became complete."""
    from memoro.index.embed import drops

    if drops(index) != choice.drops:
        raise VectorsDamaged("some were dropped during the search", space=str(choice.meaning.embedder.space))


def _unfinished(index: Index, wanted: Embedder, used: Embedder) -> Iterator[str]:
    from memoro.index.embed import filled, is_complete

    if used is not wanted:
        share = int(100 * filled(index, str(wanted.space)))
        yield (
            f"vectors: the space {wanted.space} is {share} % filled; searching with {used.space} until it is "
            "complete; `memoro sync` completes it"
        )
    if not is_complete(index, str(used.space)):
        yield "vectors: some passages have none yet and are found by words alone; `memoro sync` completes them"


def _cache_if_any(indexes: IndexHome) -> tuple[VectorCache | None, list[str]]:
    try:
        return indexes.cache(), []
    except StoreError as error:
        return None, [f"vectors: compared as rounded to 8 bits, because the exact ones cannot be read: {error}"]


def upkeep(index: Index, indexes: IndexHome, settings: config.EmbeddingSettings, *, whole: bool) -> Upkeep:
    """What keeps the vectors of an index complete; with `whole`, however much there is to do."""
    able = embedders(settings)
    with _loading():
        from memoro.index.embed import Embedding, Upkeep, forget
        from memoro.providers.ports import Space

    def in_space(one: Embedder) -> Embedding:
        return Embedding(index, indexes.vectors(index, str(one.space), one.space.dimensions), indexes.cache(), one)

    def drop_others() -> None:
        for name in indexes.spaces(index):
            if name != str(able[0].space):
                forget(index, indexes.vectors(index, name, Space.parse(name).dimensions), name)

    return Upkeep(in_space(searched(index, able)), in_space(able[0]), drop_others, whole=whole)


def scrub(index: Index, indexes: IndexHome) -> None:
    """Leave no trace in any space of passages that are gone, whatever broke off before. Needs no model.

    For the holder of the sync lock. Vectors that are damaged all go, and are filled anew by the next sync.
    """
    from memoro.index.embed import forget
    from memoro.providers.ports import Space

    there = index.admitted(Where(kinds=KINDS)) or []
    for name in indexes.spaces(index):
        vectors = indexes.vectors(index, name, Space.parse(name).dimensions)
        try:
            vectors.keep(there)
            vectors.scrub()
        except VectorsDamaged:
            forget(index, vectors, name)
    indexes.sweep(index)


def prune(indexes: IndexHome, settings: config.Settings) -> None:
    """Keep no more vectors for another time than the owner allows, those of the wanted space before others."""
    if settings.cache.max_entries is not None:
        with suppress(ProviderUnavailable):
            indexes.cache().prune(settings.cache.max_entries, str(embedders(settings.embedding)[0].space))


def states(index: Index, indexes: IndexHome, settings: config.EmbeddingSettings) -> list[SpaceState]:
    """The spaces of an index, the one that is searched first."""
    from memoro.index.embed import filled
    from memoro.providers.ports import Space

    able = embedders(settings)
    used, wanted = str(searched(index, able).space), str(able[0].space)
    uses = {wanted: "wanted", used: "searched"}
    return [
        SpaceState(
            name,
            indexes.vectors(index, name, Space.parse(name).dimensions).length,
            filled(index, name),
            uses.get(name, "left over"),
        )
        for name in dict.fromkeys([used, wanted, *indexes.spaces(index)])
    ]


@contextmanager
def _loading() -> Iterator[None]:
    """Loading the model brings libraries and files, any of which may be missing or may not be opened."""
    try:
        yield
    except (ImportError, OSError) as error:
        raise ProviderUnavailable(f"The built-in model cannot be loaded: {error}.") from error
