"""The part of `status` about another model than the built-in one: where text goes, what is missing, what is wrong."""

from __future__ import annotations

import time
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from memoro.errors import ProviderError
from memoro.index.consent import SpaceToFill, consent_of, make_plan
from memoro.index.embedding_plan import EmbeddingPlan, is_agreed
from memoro.index.outgoing import outgoing
from memoro.providers.circuit_breaker import last_failure
from memoro.providers.ports import info_of, is_builtin
from memoro.providers.records import lacks_agreement
from memoro.store import space_progress

if TYPE_CHECKING:
    from memoro.home_context import HomeContext
    from memoro.providers.ports import Embedder
    from memoro.providers.records import ProviderRecords
    from memoro.store.ports import Index, IndexHome


class EmbeddingStatus(NamedTuple):
    """The state of the wanted model and its space."""

    space: str
    host: str | None  # None: it runs in this process
    is_home: bool  # its host is this machine
    is_agreed: bool  # nothing is sent before the owner agrees to the price
    with_private: bool  # private passages are sent too
    filled: float  # the share of the passages, 0–1, that are settled in its space
    missing: EmbeddingPlan | None = None  # what filling it takes
    left_alone_until: str | None = None  # after failures, as YYYY-MM-DDTHH:MM:SS of the local time
    failure: str | None = None  # the last one, while it is left alone or keeps the space from being completed
    suspicion: str | None = None  # why its vectors are not used
    rejected: int = 0  # texts that it cannot embed
    jobs: int = 0  # batch jobs that are open
    job_texts: int = 0

    @property
    def leaves(self) -> bool:
        """Return whether text leaves this machine."""
        return not self.is_home and self.is_agreed


def embedding_status(home: HomeContext, indexes: IndexHome, index: Index, wanted: Embedder) -> EmbeddingStatus | None:
    """Return the state of the wanted model; None where that is the built-in one."""
    if is_builtin(wanted):
        return None
    info, space, records = info_of(wanted), str(wanted.space), indexes.records()
    rules, consent = outgoing(home, info), consent_of(home, indexes.records)
    filled = space_progress.filled(index, space)
    plan = None
    if filled < 1:
        plan = make_plan(consent, SpaceToFill(home=indexes, into=index, embedder=wanted, outgoing=rules))
    agreed = not lacks_agreement(records, info, space)
    if agreed and info.costs_money and plan is not None:
        agreed = is_agreed(plan, records.agreement(space), consent.ask_above)
    until, why = _rest(records, info.host)
    if why is None and plan is not None:
        why = last_failure(records, info.host)
    jobs = [job for job in records.jobs(space) if job.state in ("submitting", "open")]
    return EmbeddingStatus(
        space=space,
        host=info.host,
        is_home=info.is_home,
        is_agreed=agreed,
        with_private=rules.sends_all,
        filled=filled,
        missing=plan,
        left_alone_until=until,
        failure=why,
        suspicion=records.suspicion(space),
        rejected=records.rejected_count(space),
        jobs=len(jobs),
        job_texts=sum(job.texts for job in jobs),
    )


def _rest(records: ProviderRecords, host: str | None) -> tuple[str | None, str | None]:
    """Return until when a server is left alone, and why."""
    now = time.time()
    states = [records.breaker(f"{host} {role}") for role in ("query", "document")] if host else []
    resting = [state for state in states if state.open_until > now]
    if not resting:
        return None, None
    last = max(resting, key=lambda state: state.open_until)
    return datetime.fromtimestamp(last.open_until).isoformat(timespec="seconds"), last.why


def next_steps(home: HomeContext) -> list[str]:
    """Say what follows from settings that were just changed: where text will go, and what is asked before."""
    from memoro.store.plain.provider_records import PlainProviderRecords

    chosen = home.settings.embedding
    if not chosen.enabled:
        return ["Searches go by words alone (embedding.enabled = false)."]
    try:
        embedders = home.embedders(PlainProviderRecords)
    except ProviderError as error:
        return [str(error)]
    if embedders.problem:
        return [embedders.problem, "Until then searches use the built-in model, and nothing leaves this machine."]
    if is_builtin(embedders.wanted):
        return ["Searches use the built-in model; nothing leaves this machine."]
    info = info_of(embedders.wanted)
    meanwhile = "Until its space is complete, searches use the built-in model."
    if info.is_home and not info.costs_money:
        where = f"sends passages to {info.host}, on this machine" if info.host else "makes its vectors"
        return [f"Next: `memoro sync` {where}; nothing leaves it.", meanwhile]
    if info.is_home:
        private = "nothing leaves this machine"
    else:
        private = "private notes too" if home.settings.privacy.providers else "private notes stay here"
    shows = "shows the price and asks" if info.costs_money else "begins"
    return [
        f"Next: `memoro sync` {shows}. Then passages and queries go to {info.host}; {private}.",
        meanwhile,
    ]
