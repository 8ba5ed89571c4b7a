"""Planning rounds of curation in one home: where curated things are read, and which model may choose."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from memoro.curate.rounds.planning import RoundPlanning
from memoro.curate.snapshot.reader import CurationSources, SnapshotReader
from memoro.home_context import HomeContext
from memoro.ledger.services import LedgerServices

if TYPE_CHECKING:
    from memoro.providers.language.ports import LanguageModel
    from memoro.providers.ports import Vectors


def planning_of(
    home: HomeContext, services: LedgerServices, model: Callable[[], LanguageModel | None]
) -> RoundPlanning:
    """Return the planning of a home. Without a vault, memories and experiences are all that is looked at."""
    has_vault = home.settings.vault.path is not None and not home.in_memory
    sources = CurationSources(
        access=services.access,
        owner=services.owner,
        vault=home.vault if has_vault else None,
        daily_place=home.daily_place,
        embed=_embed if home.settings.embedding.enabled else None,
        private=home.settings.privacy.private,
    )
    return RoundPlanning(
        reader=SnapshotReader(sources),
        settings=home.settings.curate,
        model=model,
        sends_private=home.settings.privacy.providers,
    )


def _embed(texts: Sequence[str]) -> Vectors:
    """The vectors of the built-in model, so that nothing leaves this machine."""
    from memoro.providers.builtin.model import builtin

    return builtin().embed(texts)
