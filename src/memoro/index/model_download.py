"""The download that a sync makes before it embeds: of the model that the settings name, with its owner's yes."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from memoro.errors import ProviderError, StorageFull
from memoro.home_context import HomeContext

if TYPE_CHECKING:
    from memoro.index.report import Progress
    from memoro.providers.downloads import Download


class ModelDownload(NamedTuple):
    """The download that a sync made or asks for. Both None: the model is here, or none is needed."""

    waits: Download | None = None  # for its owner's yes
    done: str | None = None  # the name of the model that has arrived
    problem: str | None = None  # why it could not be downloaded

    def better_said(self, notices: tuple[str, ...]) -> tuple[str, ...]:
        """Return the notices of a sync with what is known here in place of: run a sync."""
        from memoro.providers.local_models import ABSENT

        if self.waits is None and self.problem is None:
            return notices
        problem = (f"vectors: {self.problem}",) if self.problem else ()
        return (*problem, *(said for said in notices if not said.endswith(ABSENT) and said not in problem))


def fetch_model(home: HomeContext, progress: Progress | None, *, agrees: bool) -> ModelDownload:
    """Download the model of the settings, if it is not on this machine and its owner agrees. Never under a lock."""
    if not home.settings.embedding.enabled or home.settings.embedding.provider not in ("fastembed", "model2vec"):
        return ModelDownload()
    from memoro.providers.downloads import download

    try:
        wanted = home.pending_download()
        if wanted is None or not agrees:
            return ModelDownload(waits=wanted)
        download(wanted, progress)
    except (ProviderError, StorageFull) as error:
        return ModelDownload(problem=str(error))
    return ModelDownload(done=str(wanted.name))
