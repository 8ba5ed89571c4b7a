"""Judging new facts in one home: where current facts are looked for, and where proposals go."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from memoro.curate.judging.judge import Judging
from memoro.curate.judging.nearest_facts import Embed, NearestFacts
from memoro.curate.judging.project_names import KnownProjects
from memoro.home_context import HomeContext
from memoro.ledger.services import LedgerServices
from memoro.model.belonging import known_project
from memoro.notes.loaded_entries import LoadedEntry, loaded_entries

if TYPE_CHECKING:
    from memoro.curate.gating.gate import ProposalGate
    from memoro.providers.language.ports import LanguageModel
    from memoro.providers.ports import Vectors

EXTRACTION = "extraction"  # who proposes


def judging_of(
    home: HomeContext, services: LedgerServices, gate: ProposalGate, model: LanguageModel | None = None
) -> Judging:
    """Return what judging needs. A home without a vault has memories alone to compare with."""
    embed = _embed(home)
    return Judging(
        nearest=NearestFacts(
            memories=services.nearest, entries=_entries(home), embed=embed, private=home.settings.privacy.private
        ),
        offer=lambda suggestions: gate.offer(suggestions, by=EXTRACTION),
        now=services.access.now,
        model=model,
        embed=embed,
        sends_private=home.settings.privacy.providers,
        projects=lambda: _projects(home, services),
    )


def _projects(home: HomeContext, services: LedgerServices) -> KnownProjects:
    """The projects that the settings name, and those that memories and sessions belong to."""
    with services.access.ledger.reading() as tx:
        of_memories = [one.project for one in tx.memories.all()]
        of_sessions = [one.scope.project for one in tx.sessions.all(archived=True)]
    names = dict.fromkeys((*home.named_projects(), *of_memories, *of_sessions))
    return [known_project(name) for name in names if name]


def _entries(home: HomeContext) -> Callable[[], Sequence[LoadedEntry]]:
    has_vault = home.settings.vault.path is not None and not home.in_memory
    return lambda: loaded_entries(home.vault()) if has_vault else ()


def _embed(home: HomeContext) -> Embed | None:
    if not home.settings.embedding.enabled:
        return None

    def embed(texts: Sequence[str]) -> Vectors:
        from memoro.providers.builtin.model import builtin

        return builtin().embed(texts)

    return embed
