"""Which embedders a home uses: the one that its owner wants, and the built-in model beside it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from memoro.errors import ConfigError, ProviderError, ProviderUnavailable, StoreError
from memoro.model.vocabulary import DIMENSIONS, Dimensions, EmbeddingProvider, Fallback
from memoro.providers.pausing import go_on
from memoro.providers.ports import BUILTIN, Embedder, Space

if TYPE_CHECKING:
    from memoro.providers.batch.ports import Batches
    from memoro.providers.records import ProviderRecords, Purpose


def _now() -> datetime:
    return datetime.now(UTC)


class EmbedderSettings(NamedTuple):
    """The settings that name an embedder."""

    provider: EmbeddingProvider = "builtin"
    model: str | None = None
    url: str | None = None
    key: str | None = None  # a reference, never the key itself
    dimensions: int | None = None
    builtin_dimensions: Dimensions = DIMENSIONS[0]  # of the built-in model, which is kept whatever else is wanted
    fallback: Fallback = "builtin"
    price: float | None = None  # for a million tokens, in dollars
    requests_per_minute: int | None = None
    daily_cap: float | None = None  # dollars
    private_hosts: tuple[str, ...] = ()


class ProviderContext(NamedTuple):
    """What providers of one home share: the variables of the process, and what the home keeps about them."""

    environment: Mapping[str, str]
    records: Callable[[], ProviderRecords]
    folder: str = ""  # names the home: what one process knows about a provider is shared within it
    now: Callable[[], datetime] = _now
    purpose: Purpose | None = None  # None: documents are for "index", queries for "search"
    secrets: Sequence[str] = ()  # values that are taken out of every text that leaves the machine
    check: Callable[[], None] = go_on  # called between two requests: what it raises ends the work
    may_ask: bool = False  # a server whose width is unknown may be asked for it


class Embedders(NamedTuple):
    """The embedders of a home."""

    wanted: Embedder
    builtin: Embedder  # its space is kept complete too, so that an outage costs quality and not answers
    other_widths: tuple[Embedder, ...]  # the built-in model again: searched while a new width is being filled
    fallback: Fallback = "builtin"
    problem: str | None = None  # why `wanted` is the built-in model, though the settings name another
    batches: Batches | None = None  # the batch jobs of `wanted`, where its provider has them

    @property
    def kept(self) -> tuple[Embedder, ...]:
        """The embedders whose spaces are kept complete; the built-in model first, for it is quick."""
        return (self.builtin,) if self.wanted.space == self.builtin.space else (self.builtin, self.wanted)

    @property
    def builtins(self) -> tuple[Embedder, ...]:
        return (self.builtin, *self.other_widths)


def embedders(settings: EmbedderSettings, context: ProviderContext, supplied: Embedder | None = None) -> Embedders:
    """Return the embedders that the settings name, or the supplied one and the built-in model.

    An embedder that cannot be made now (a key is missing, its width is not known yet) is replaced by the built-in
    model; `problem` says why. Raises `ProviderUnavailable` where the built-in model cannot be loaded.
    """
    width = settings.builtin_dimensions
    builtin, *others = (builtin_model(size) for size in (width, *(n for n in DIMENSIONS if n != width)))
    found = Embedders(
        wanted=supplied or builtin, builtin=builtin, other_widths=tuple(others), fallback=settings.fallback
    )
    if supplied is not None or settings.provider == BUILTIN:
        return found
    from memoro.providers.making import make

    try:
        made = make(settings, context)
    except (ProviderError, StoreError) as error:
        return found._replace(problem=str(error))
    return found._replace(wanted=made.embedder, batches=made.batches) if made else found


def supplied(embedder: Embedder) -> Embedder:
    """Return an application's own embedder with its responses checked.

    Raises `ConfigError` where its space cannot be named: the name is stored beside the vectors, and must tell all
    of the space. The provider "builtin" is taken.
    """
    from memoro.providers.checked import Checked

    space = embedder.space
    try:
        is_named = Space.parse(str(space)) == space and bool(space.provider and space.model and space.preparation)
    except ValueError:
        is_named = False
    if not is_named or space.provider == BUILTIN or space.dimensions < 1:
        raise ConfigError(
            f"The space {str(space)!r} of the embedder cannot be used. It needs a provider other than {BUILTIN!r} "
            "and without a slash, a model, at least one dimension, and a preparation without a slash."
        )
    return Checked(embedder)


def builtin_model(dimensions: int) -> Embedder:
    """Loading the built-in model reads files and brings libraries, any of which may be missing."""
    try:
        from memoro.providers.builtin.model import shortened

        return shortened(dimensions)
    except (ImportError, OSError) as error:
        raise ProviderUnavailable(f"The built-in model cannot be loaded: {error}.") from error
