"""Test a model as `memoro provider test` does: probe it, keep what was learnt, and say what the index would cost."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from memoro.errors import ConfigError, ProviderError, StoreError
from memoro.index.consent import count_all
from memoro.index.outgoing import outgoing
from memoro.model.vocabulary import EmbeddingProvider
from memoro.providers.circuit_breaker import end_rests
from memoro.providers.local_models import LOCAL_PROVIDERS
from memoro.providers.ports import EmbedderInfo, Prices
from memoro.providers.prices import price_of_tokens
from memoro.providers.probe import Finding, Measured, Probe, probe

if TYPE_CHECKING:
    from memoro.providers.language.probe import LanguageProbe
    from memoro.providers.registry import EmbedderSettings
    from memoro.wiring import Collaborators

_IN_PROCESS: tuple[EmbeddingProvider, ...] = ("builtin", *LOCAL_PROVIDERS)


class ProbedModel(NamedTuple):
    """The model to test, where it is not that of the settings. None: as the settings say."""

    provider: EmbeddingProvider | None = None
    url: str | None = None
    model: str | None = None
    key: str | None = None  # a reference, as in `embedding.key`
    dimensions: int | None = None

    def of(self, settings: EmbedderSettings) -> EmbedderSettings:
        """Return the settings of the test. Another server gets neither the key nor the width of the settings."""
        if self.provider is None and self.url and settings.provider in _IN_PROCESS:
            settings = settings._replace(provider="compatible")  # the settings of a server that is not used yet
        if self.provider in (None, settings.provider) and self.url in (None, settings.url):
            changes = {name: value for name, value in self._asdict().items() if value is not None}
            return settings._replace(**changes)
        provider = self.provider or ("compatible" if self.url else settings.provider)
        return settings._replace(
            provider=provider, url=self.url, model=self.model, key=self.key, dimensions=self.dimensions, price=None
        )


class IndexCost(NamedTuple):
    """The texts, tokens, time and price of embedding the whole index with a model."""

    passages: int
    private: int  # of the passages: they stay at home
    tokens: int  # as estimated
    dollars: float | None  # None: nobody knows the price
    batch_dollars: float | None
    seconds: float | None  # at the speed that was measured; None: nothing was


class ProbeReport(NamedTuple):
    """The findings of a test of a model."""

    provider: str
    model: str
    host: str | None  # where texts go; None: they stay in this process
    is_home: bool  # they do not leave this machine
    is_usable: bool
    findings: tuple[Finding, ...]
    measured: Measured
    prices: Prices | None
    whole_index: IndexCost | None  # None: there is no index yet
    requests: int  # that the test sent
    tokens: int
    dollars: float | None
    language: LanguageProbe | None = None  # of the language model, where one is set and no other model is tested


def probe_models(parts: Collaborators, tested: ProbedModel) -> ProbeReport:
    """Probe a model with texts of our own; where no other is named, the language model of the settings too.

    What was learnt about their servers is kept, and a rest of them ends.
    """
    found = probe_model(parts, tested)
    has_other = tested != ProbedModel() or parts.home.settings.llm.provider == "none"
    return found if has_other else found._replace(language=_probe_language(parts))


def _probe_language(parts: Collaborators) -> LanguageProbe:
    from memoro.providers.language.chat_server import facts_of
    from memoro.providers.language.probe import LanguageProbe, probe_language

    chosen, records = parts.home.settings.llm, parts.indexing.records
    try:
        model, server = parts.home.tested_language_model(records)
    except ProviderError as error:
        return LanguageProbe(
            provider=chosen.provider, model=chosen.model or "", host=None, is_home=False, problem=str(error)
        )
    found = probe_language(model, server)
    if found.is_usable and found.host:
        server.learn(facts_of(server.manner))
        end_rests(records(), found.host, ("language",))
    return found


def probe_model(parts: Collaborators, tested: ProbedModel) -> ProbeReport:
    """Probe a model with texts of our own. What was learnt about its server is kept, and a rest of it ends."""
    settings = parts.home.embedder_settings()
    if settings.provider == "builtin" and tested.model and tested.provider is None and tested.url is None:
        raise ConfigError("Say whose model it is, with --provider or --url.")
    chosen = tested.of(settings)
    try:
        target = parts.home.probe_target(parts.indexing.records, chosen)
    except ProviderError as error:
        failed = Finding(topic="connection", verdict="failed", found=str(error))
        found, info = Probe(findings=(failed,), measured=Measured(), requests=0, tokens=0), EmbedderInfo()
        return _report(parts, chosen.model or "", chosen.provider, info, found)
    found = probe(target, chosen.dimensions)
    if target.info.server:
        parts.indexing.records().learn(target.info.server, found.facts)
    if target.info.host and found.is_usable:
        end_rests(parts.indexing.records(), target.info.host)
    return _report(parts, target.model, chosen.provider, target.info, found)


def _report(parts: Collaborators, model: str, provider: str, info: EmbedderInfo, found: Probe) -> ProbeReport:
    has_answered = found.measured.dimensions is not None
    return ProbeReport(
        provider=provider,
        model=model,
        host=info.host,
        is_home=info.is_home,
        is_usable=found.is_usable,
        findings=found.findings,
        measured=found.measured,
        prices=info.prices,
        whole_index=_index_cost(parts, info, found.measured.texts_per_second) if has_answered else None,
        requests=found.requests,
        tokens=found.tokens,
        dollars=price_of_tokens(info.prices, found.tokens),
    )


def _index_cost(parts: Collaborators, info: EmbedderInfo, texts_per_second: float | None) -> IndexCost | None:
    """Return what all passages of the index would cost; None where there is none to read."""
    try:
        indexes = parts.indexing.indexes_if_any()
        index = indexes.current() if indexes else None
        if index is None:
            return None
        counted = count_all(index, outgoing(parts.home, info))
    except StoreError:
        return None
    return IndexCost(
        passages=counted.passages,
        private=counted.private,
        tokens=counted.tokens,
        dollars=price_of_tokens(info.prices, counted.tokens),
        batch_dollars=price_of_tokens(info.prices, counted.tokens, is_batch=True),
        seconds=counted.texts / texts_per_second if texts_per_second else None,
    )
