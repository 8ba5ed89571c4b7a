"""Which embedders a home uses: the one that its owner wants, and the built-in model beside it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal, NamedTuple, get_args

from memoro.errors import ConfigError, ProviderUnavailable
from memoro.model.vocabulary import DIMENSIONS, Dimensions
from memoro.providers.ports import BUILTIN, Embedder, Space

ProviderName = Literal["builtin"]
PROVIDERS: tuple[ProviderName, ...] = get_args(ProviderName)


class EmbedderSettings(NamedTuple):
    """The settings that name an embedder."""

    provider: ProviderName = "builtin"
    dimensions: Dimensions = DIMENSIONS[0]  # of the built-in model, which is kept whatever else is wanted


class Embedders(NamedTuple):
    """The embedders of a home."""

    wanted: Embedder
    builtin: Embedder  # its space is kept complete too, so that an outage costs quality and not answers
    other_widths: tuple[Embedder, ...]  # the built-in model again: searched while a new width is being filled

    @property
    def kept(self) -> tuple[Embedder, ...]:
        """The embedders whose spaces are kept complete; the built-in model first, for it is quick."""
        return (self.builtin,) if self.wanted.space == self.builtin.space else (self.builtin, self.wanted)

    @property
    def builtins(self) -> tuple[Embedder, ...]:
        return (self.builtin, *self.other_widths)


def embedders(settings: EmbedderSettings, supplied: Embedder | None = None) -> Embedders:
    """Return the embedders that the settings name, or the supplied one and the built-in model.

    Raises `ProviderUnavailable` where the built-in model cannot be loaded.
    """
    width = settings.dimensions
    builtin, *others = (_builtin(size) for size in (width, *(n for n in DIMENSIONS if n != width)))
    named = _MAKERS[settings.provider](settings)
    return Embedders(wanted=supplied or named, builtin=builtin, other_widths=tuple(others))


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


def _builtin(dimensions: int) -> Embedder:
    """Loading the built-in model reads files and brings libraries, any of which may be missing."""
    try:
        from memoro.providers.builtin.model import shortened

        return shortened(dimensions)
    except (ImportError, OSError) as error:
        raise ProviderUnavailable(f"The built-in model cannot be loaded: {error}.") from error


# A new provider is added here.
_MAKERS: Mapping[ProviderName, Callable[[EmbedderSettings], Embedder]] = {
    "builtin": lambda settings: _builtin(settings.dimensions),
}
