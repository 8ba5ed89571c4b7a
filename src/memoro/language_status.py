"""The language model that the owner has set: where text goes, whether it can be asked, and what is wrong with it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from datetime import datetime
from importlib.util import find_spec
from typing import TYPE_CHECKING, NamedTuple

from memoro.errors import ProviderError, StoreError
from memoro.home_checks import Check

if TYPE_CHECKING:
    from memoro.home_context import HomeContext
    from memoro.model.vocabulary import LanguagePurpose
    from memoro.providers.records import ProviderRecords

_RULES = "Commands do their part by rules meanwhile."


class LanguageStatus(NamedTuple):
    """The state of the language model."""

    provider: str
    model: str | None
    host: str | None  # None: nobody knows yet, or it is an application's own
    is_home: bool  # its host is this machine
    purposes: tuple[LanguagePurpose, ...]
    with_private: bool  # private passages are sent too
    problem: str | None = None  # why it cannot be asked
    left_alone_until: str | None = None  # after failures, as YYYY-MM-DDTHH:MM:SS of the local time
    failure: str | None = None  # the last one, while it is left alone

    @property
    def leaves(self) -> bool:
        """Return whether text leaves this machine."""
        return self.problem is None and not self.is_home and bool(self.purposes)


def language_status(home: HomeContext, records: Callable[[], ProviderRecords]) -> LanguageStatus | None:
    """Return the state of the language model; None where the owner has set none. Sends nothing."""
    chosen, own = home.settings.llm, home.runtime.language_model
    found = LanguageStatus(
        provider=chosen.provider,
        model=chosen.model,
        host=None,
        is_home=False,
        purposes=chosen.purposes,
        with_private=home.settings.privacy.providers,
    )
    if own is not None:
        info = own.info
        return found._replace(provider=info.provider, model=info.model, host=info.host, is_home=info.is_home)
    if chosen.provider == "none":
        return None
    try:
        at = home.language_connection(records)
    except ProviderError as error:
        return found._replace(problem=str(error))
    host = at.address.shown_host
    until, why = _rest(records, host)
    return found._replace(host=host, is_home=at.address.is_this_machine, left_alone_until=until, failure=why)


def _rest(records: Callable[[], ProviderRecords], host: str) -> tuple[str | None, str | None]:
    """Return until when a server is left alone, and why."""
    try:
        state = records().breaker(f"{host} language")
    except StoreError:
        return None, None
    if state.open_until <= time.time():
        return None, None
    return datetime.fromtimestamp(state.open_until).isoformat(timespec="seconds"), state.why


def language_steps(home: HomeContext) -> list[str]:
    """Say what follows from settings that were just changed: whether the model can be asked, and where text goes."""
    from memoro.store.plain.provider_records import PlainProviderRecords

    found = language_status(home, PlainProviderRecords)
    if found is None:
        return ["No language model is asked; every command does its part by rules."]
    if found.problem:
        return [f"{found.problem} Until then every command does its part by rules."]
    asked = ", ".join(found.purposes) or "nothing (llm.purposes is empty)"
    next_step = "Next: `memoro provider test` asks it a question of its own."
    if not found.leaves:
        return [f"{found.model} at {found.host} may be asked for: {asked}. Nothing leaves this machine.", next_step]
    private = "private notes too" if found.with_private else "private notes stay here"
    return [
        f"{found.model} at {found.host} may be asked for: {asked}.",
        f"Parts of conversations and notes go there then, without secrets; {private}.",
        next_step,
    ]


def check_language(home: HomeContext, records: Callable[[], ProviderRecords]) -> Iterator[Check]:
    """Check what the settings name: libraries, address and key, and whether it failed last. Sends nothing."""
    found = language_status(home, records)
    if found is None:
        return
    missing = [name for name in ("httpx", "stamina") if find_spec(name) is None]
    if missing and home.runtime.language_model is None:
        remedy = f'Run `pip install "memoro[remote]"`. {_RULES}'
        needs = f"{found.provider} needs {' and '.join(missing)}, which cannot be found"
        yield Check(name="language model", state="failed", found=needs, remedy=remedy)
    elif found.problem:
        yield Check(name="language model", state="failed", found=found.problem.rstrip("."), remedy=_RULES)
    elif found.left_alone_until:
        said = f"{found.model} failed: {(found.failure or '').rstrip('.')}"
        at = found.left_alone_until.partition("T")[2]
        yield Check(
            name="language model", state="warning", found=said, remedy=f"It is asked again from {at} on. {_RULES}"
        )
    else:
        where = found.host or "this process"
        yield Check("language model", "ok", f"{found.model} at {where} may be asked; `memoro provider test` asks it")
