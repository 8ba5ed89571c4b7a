"""The rules for texts on their way to an embedder: private passages stay at home, and secrets never leave it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from memoro.providers.ports import Embedder, EmbedderInfo
from memoro.store.ports import ChunkText
from memoro.store.space_progress import EVERYTHING

if TYPE_CHECKING:
    from memoro.home_context import HomeContext
    from memoro.providers.ports import Vectors


class Outgoing(NamedTuple):
    """The rules for texts that one embedder gets. The defaults are those of one on this machine: it gets all."""

    leaves: bool = False  # texts go to another machine
    with_private: bool = True
    patterns: tuple[str, ...] = ()  # `privacy.private`: what the owner calls private besides
    known: tuple[str, ...] = ()  # values that must never be sent, whatever they look like

    @property
    def rules(self) -> str:
        """Name what stays at home. A space that was filled by other rules is filled anew."""
        if self.sends_all:
            return EVERYTHING
        return "\n".join(["without private passages", *sorted(set(self.patterns))])

    @property
    def sends_all(self) -> bool:
        return self.with_private or not self.leaves

    def stays(self, item: ChunkText) -> bool:
        """Return whether a passage stays at home. It has no vector then, and is found by its words."""
        if self.sends_all or item.is_private:
            return not self.sends_all
        from memoro.model.privacy import is_hidden  # loaded only where text leaves this machine

        return is_hidden(item.path, item.tags, self.patterns)

    def text_for(self, item: ChunkText) -> str | None:
        """Return what is sent for a passage; None: it stays at home."""
        return None if self.stays(item) else self.sent(item.text)

    def sent(self, text: str) -> str:
        """Return a text as it is sent: to another machine without secrets and invisible characters."""
        if not self.leaves:
            return text
        from memoro.providers.without_secrets import without_secrets

        return without_secrets(text, self.known)

    def embed(self, items: Sequence[ChunkText], embedder: Embedder) -> Vectors:
        """Return a row for each passage; zeros for those that stay at home.

        The embedder gets the passages as they are, so that a cache knows them; below the cache their secrets are
        taken out.
        """
        import numpy

        rows = numpy.zeros((len(items), embedder.space.dimensions), numpy.float32)
        places = [n for n, item in enumerate(items) if not self.stays(item)]
        if places:
            rows[places] = embedder.embed([items[n].text for n in places], "document")
        return rows


def outgoing(home: HomeContext, info: EmbedderInfo) -> Outgoing:
    """Return the rules of a home for an embedder."""
    if info.is_home:
        return Outgoing()
    privacy = home.settings.privacy
    return Outgoing(
        leaves=True,
        with_private=privacy.providers,
        patterns=privacy.private,
        known=tuple(home.runtime.secrets()),
    )
