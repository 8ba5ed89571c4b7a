"""The spaces in which a home keeps vectors: listing them, and dropping one that is no longer wanted."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from memoro.errors import AddressRefused, ConfigError, NeedsConsent, NotFound, ProviderError, StoreUnavailable
from memoro.index.consent import count_all
from memoro.index.embedding_plan import EmbeddingPlan, MissingTexts, estimate_in_words
from memoro.index.homes import of_this_version
from memoro.index.outgoing import outgoing
from memoro.index.space_vectors import SpaceVectors
from memoro.providers.addresses import Address, read_address
from memoro.providers.calibration import decode
from memoro.providers.circuit_breaker import end_rests
from memoro.providers.local_models import LOCAL_PROVIDERS
from memoro.providers.models import DEFAULT_MODELS
from memoro.providers.ports import BUILTIN, IN_PROCESS, EmbedderInfo, Space, info_of
from memoro.providers.prices import prices_of
from memoro.search.spaces import SpaceSearch, SpaceState

if TYPE_CHECKING:
    from memoro.home_context import HomeContext
    from memoro.providers.ports import Embedder
    from memoro.store.ports import Index, IndexHome
    from memoro.wiring import Collaborators

_WAIT_SECONDS = 5.0  # for another process that is filling the space


class KeptSpace(NamedTuple):
    """One space, in the index and in the cache of exact vectors."""

    state: SpaceState
    cached: int  # exact vectors, which stay when the index is built anew
    suspicion: str | None = None  # why it is not searched, though it is complete
    calibrated: int = 0  # by so many lines of the owner's it was measured how its cosines are read; 0: not yet


class DroppedSpace(NamedTuple):
    """A space that was dropped."""

    name: str
    vectors: int  # in the index
    cached: int
    bytes: int  # that became free
    refill: EmbeddingPlan  # what it would take to fill it again


def kept_spaces(parts: Collaborators) -> tuple[KeptSpace, ...]:
    """Return all spaces, the one that is searched first; those that only the cache knows come last."""
    indexes = parts.indexing.indexes_if_any()
    if indexes is None:
        return ()
    index = of_this_version(indexes)
    states = _states(parts.home, indexes, index) if index else []
    counts = indexes.cache().count()
    left = [name for name in counts if name not in [state.name for state in states] and counts[name]]
    states += [SpaceState(name=name, vectors=0, filled=0.0, use="left over") for name in left]
    return tuple(
        KeptSpace(
            state=state,
            cached=counts.get(state.name, 0),
            suspicion=None if _is_builtin(state.name) else indexes.records().suspicion(state.name),
            calibrated=0 if _is_builtin(state.name) else _calibrated(indexes, state.name),
        )
        for state in states
    )


def _calibrated(indexes: IndexHome, name: str) -> int:
    found = decode(indexes.records().calibration(name))
    return found.queries if found else 0


def drop_space(parts: Collaborators, name: str, *, yes: bool) -> DroppedSpace:
    """Drop all vectors of a space, those of the cache too. It needs `yes`: they cost money to make again."""
    found = _named(kept_spaces(parts), name)
    full, indexes = found.state.name, parts.indexing.indexes
    if _is_builtin(full):
        raise ConfigError(
            f"{full} is the built-in space: it answers when nothing else does, and is never dropped. "
            "`memoro config set embedding.enabled false` switches meaning off."
        )
    index = indexes.current()
    wanted = _wanted(parts.home, indexes)
    refill = _refill(parts.home, full, wanted, index)
    if not yes:
        again = f" To make them again takes {estimate_in_words(refill)}." if refill.missing.texts else ""
        raise NeedsConsent(
            f"This deletes {found.state.vectors:,} vectors of {full}, and {found.cached:,} exact ones in the cache."
            f"{again} Add --yes (yes=True) to do it."
        )
    before = _bytes(parts.home)
    with indexes.filling(full).tried(_WAIT_SECONDS) as free:
        if not free:
            raise StoreUnavailable(f"Another process is filling {full}. Stop it, or wait until it is done.")
        if index is not None and full in indexes.spaces(index):
            SpaceVectors(indexes, index, Space.parse(full)).drop()
        indexes.cache().drop_space(full)
        indexes.records().drop_space(full)
        if wanted is not None and str(wanted.space) == full:
            _forget_server(indexes, info_of(wanted))
    return DroppedSpace(
        name=full,
        vectors=found.state.vectors,
        cached=found.cached,
        bytes=max(0, before - _bytes(parts.home)),
        refill=refill,
    )


def _forget_server(indexes: IndexHome, info: EmbedderInfo) -> None:
    """Let the next sync measure the model anew, and ask at once: another one may answer under its name by now."""
    if info.server is not None:
        indexes.records().forget_facts(info.server)
    if info.host is not None:
        end_rests(indexes.records(), info.host)


def _states(home: HomeContext, indexes: IndexHome, index: Index) -> list[SpaceState]:
    try:
        return SpaceSearch(indexes, home.embedders(indexes.records)).states(index)
    except ProviderError:  # not even the built-in model can be loaded
        return [SpaceState(name=name, vectors=0, filled=0.0, use="left over") for name in indexes.spaces(index)]


def _named(spaces: tuple[KeptSpace, ...], name: str) -> KeptSpace:
    """Return the space of this name, or the only one whose name begins so."""
    names = [one.state.name for one in spaces]
    begins = [one for one in spaces if one.state.name == name] or [
        one for one in spaces if one.state.name.startswith(f"{name.rstrip('/')}/")
    ]
    if len(begins) == 1:
        return begins[0]
    if begins:
        raise ConfigError(f"{name} may be {' or '.join(one.state.name for one in begins)}. Give the whole name.")
    raise NotFound(f"There is no space {name}. `memoro space list` shows them: {', '.join(names) or 'none'}.")


def _wanted(home: HomeContext, indexes: IndexHome) -> Embedder | None:
    try:
        return home.embedders(indexes.records).wanted
    except ProviderError:
        return None


def _refill(home: HomeContext, name: str, wanted: Embedder | None, index: Index | None) -> EmbeddingPlan:
    """Return what filling a space from nothing would send and cost."""
    is_wanted = wanted is not None and str(wanted.space) == name
    info = info_of(wanted) if wanted is not None and is_wanted else _info_by_settings(home, Space.parse(name))
    missing = count_all(index, outgoing(home, info)) if index else MissingTexts()
    return EmbeddingPlan(space=name, host=info.host, missing=missing, prices=info.prices)


def _info_by_settings(home: HomeContext, space: Space) -> EmbedderInfo:
    """Return what is known about a model that is not used now: its server is that of the settings, if they name it.

    No host: it runs in this process, or only its owner knows the server.
    """
    if space.provider in LOCAL_PROVIDERS:
        return IN_PROCESS
    chosen, usual = home.settings.embedding, {str(name): model for name, model in DEFAULT_MODELS.items()}
    is_named = (chosen.model or usual.get(space.provider)) == space.model
    address = _address(chosen.url) if chosen.url and is_named else None
    is_home = address is not None and address.is_this_machine
    own = chosen.price if is_named else None
    prices = prices_of(space.provider, space.model, is_home=is_home, own=own)
    host = None if space.provider == "compatible" else space.provider
    return EmbedderInfo(host=address.shown_host if address else host, is_home=is_home, prices=prices)


def _address(url: str) -> Address | None:
    try:
        return read_address(url)
    except AddressRefused:
        return None


def _is_builtin(name: str) -> bool:
    return Space.parse(name).provider == BUILTIN


def _bytes(home: HomeContext) -> int:
    """Return how much the files of the home take."""
    if home.in_memory:
        return 0
    with os.scandir(home.folder) as files:
        return sum(file.stat(follow_symlinks=False).st_size for file in files if file.is_file(follow_symlinks=False))
