"""Making the language model that the settings name, with everything that stands between it and its callers."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from memoro.errors import ProviderError, ProviderRejected, StoreError
from memoro.model.vocabulary import LANGUAGE_PURPOSES, LanguageProvider, LanguagePurpose
from memoro.providers.language.checked_model import CheckedModel
from memoro.providers.language.ports import LanguageModel, LanguageModelInfo, ModelAnswer, Prompt

if TYPE_CHECKING:
    from memoro.providers.registry import ProviderContext


class LanguageSettings(NamedTuple):
    """The settings that name a language model."""

    provider: LanguageProvider = "none"
    model: str | None = None
    url: str | None = None
    key: str | None = None  # a reference, never the key itself
    purposes: tuple[LanguagePurpose, ...] = LANGUAGE_PURPOSES
    price_in: float | None = None  # for a million tokens, in dollars
    price_out: float | None = None
    daily_cap: float | None = None  # dollars
    private_hosts: tuple[str, ...] = ()


class UnusableModel:
    """Stands for a model that cannot be made now: every question raises the reason."""

    def __init__(self, info: LanguageModelInfo, why: ProviderError) -> None:
        self.info = info
        self.why = why

    def answer(self, prompt: Prompt) -> ModelAnswer:  # noqa: ARG002
        raise self.why


def language_model(
    settings: LanguageSettings, context: ProviderContext, supplied: LanguageModel | None = None
) -> LanguageModel | None:
    """Return the model that the owner has set, or the supplied one; None where nobody may be asked.

    A model that cannot be made now (no key, no extra, an address that is refused) raises the reason when it is asked.
    """
    if supplied is not None:
        return CheckedModel(supplied, context.secrets)
    if settings.provider == "none":
        return None
    try:
        return _made(settings, context)
    except ProviderError as error:
        return UnusableModel(_unknown(settings), error)
    except StoreError as error:
        return UnusableModel(_unknown(settings), ProviderRejected(str(error)))


def _made(settings: LanguageSettings, context: ProviderContext) -> LanguageModel:  # noqa: ARG001
    raise ProviderRejected(f"Memoro cannot ask {settings.provider} yet.")


def _unknown(settings: LanguageSettings) -> LanguageModelInfo:
    return LanguageModelInfo(provider=settings.provider, model=settings.model or "no model", is_home=False)
