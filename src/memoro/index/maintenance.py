"""Which upkeep of vectors a sync gets: none, one that embeds, or one that says why no model can be loaded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memoro.errors import ProviderError
from memoro.home_context import HomeContext
from memoro.index.report import Options
from memoro.store.ports import IndexHome

if TYPE_CHECKING:
    from memoro.index.vector_upkeep import VectorMaintenance

# How long an answer waits for a provider to embed what was just written; what arrives later is kept. With the sync
# before it and the search after it, the answer is there within half a second even where the provider hangs.
REMOTE_SECONDS = 0.25


def vector_maintenance(
    home: HomeContext, indexes: IndexHome, options: Options, remote_seconds: float | None
) -> VectorMaintenance | None:
    """Return the upkeep for one sync; None where no vectors are wanted.

    Embedders other than the built-in one get `remote_seconds`; None: as long as they answer.
    """
    if not options.embed or not home.settings.embedding.enabled:
        return None
    try:
        embedders = home.embedders(indexes.records, may_ask=options.whole and remote_seconds is None)
        from memoro.index.batch_plan import batch_rules
        from memoro.index.consent import consent_of
        from memoro.index.outgoing import outgoing
        from memoro.index.space_filling import Effort
        from memoro.index.vector_upkeep import VectorUpkeep
    except ProviderError as error:
        from memoro.index.no_vectors import WithoutModel

        return WithoutModel(str(error))
    effort = Effort(
        whole=options.whole,
        remote_seconds=remote_seconds,
        loads=options.loads,
        check=options.check,
        cache_limit=home.settings.cache.max_entries if home.settings.cache.enabled else 0,
        consent=consent_of(home, indexes.records)._replace(agrees=options.agrees),
        outgoing=lambda info: outgoing(home, info),
        filling=options.filling,
        batch=batch_rules(home.settings.embedding.batch, may_wait=options.waits),
        calibrating=lambda: home.embedders(indexes.records, "calibration", may_ask=True),
    )
    return VectorUpkeep(indexes, embedders, effort)
