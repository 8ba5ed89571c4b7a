"""Making the embedder that the settings name, with everything that stands between it and the index."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple

from memoro.errors import KeyRefused, ProviderRejected, ProviderUnavailable, StoreError
from memoro.model.vocabulary import EmbeddingProvider
from memoro.providers.addresses import check_unresolved
from memoro.providers.auto import Choice, choose_here
from memoro.providers.batch.gemini_batch import GeminiBatches
from memoro.providers.batch.openai_batch import OpenAIBatches
from memoro.providers.batch.ports import Batches, BatchProvider
from memoro.providers.checked import Checked
from memoro.providers.circuit_breaker import CircuitBreaker
from memoro.providers.gemini import GEMINI, VERSION, gemini_embedder
from memoro.providers.http_client import Endpoint, KeyHeader, client_for, endpoint, require_remote_packages
from memoro.providers.http_embedder import HttpEmbedder, WireFormat, learn_width, space_of
from memoro.providers.keys import default_key, read_key, variables
from memoro.providers.local_embedder import make_local
from memoro.providers.local_models import LOCAL_PROVIDERS
from memoro.providers.metering import Meter, MeteredModel
from memoro.providers.models import DEFAULT_MODELS, OWN_URLS, ModelDescription, describe
from memoro.providers.openai import OPENAI, compatible_embedder, openai_embedder
from memoro.providers.ports import CallMeter, Embedder
from memoro.providers.prices import prices_of
from memoro.providers.probe_target import HttpTarget, InProcessTarget, ProbeTarget
from memoro.providers.rate_limited import RateLimited, shared_bucket
from memoro.providers.records import ServerFacts, server_name
from memoro.providers.registry import EmbedderSettings, ProviderContext, builtin_model
from memoro.providers.retrying import Retrying
from memoro.providers.voyage import VOYAGE, voyage_embedder
from memoro.providers.without_secrets import WithoutSecrets

_HOME_SECONDS = 300.0  # a server on this machine may have to load its model first


class _Provider(NamedTuple):
    """One kind of server."""

    wire: WireFormat
    make: Callable[[Endpoint, ModelDescription, int | None, CallMeter], HttpEmbedder]
    key_header: KeyHeader = "authorization"
    requests_per_minute: int | None = None  # that an account may send which pays little
    batches: Callable[[HttpEmbedder], BatchProvider] | None = None


class MadeEmbedder(NamedTuple):
    """An embedder that the settings name, and the batch jobs of its provider, where it has them."""

    embedder: Embedder
    batches: Batches | None = None


def make(settings: EmbedderSettings, context: ProviderContext) -> MadeEmbedder | None:
    """Return the embedder; None where `auto` finds no other than the built-in model.

    Raises a `ProviderError` where it cannot be made now: no key, no extra, an address that is refused, a width that
    nobody has asked for yet.
    """
    provider = chosen(settings, context).provider
    if provider == "builtin":
        return None
    for local in LOCAL_PROVIDERS:
        if provider == local:
            return MadeEmbedder(Checked(make_local(local, settings, context)))
    client, meter = _client(provider, settings, context)
    jobs = _PROVIDERS[provider].batches
    return MadeEmbedder(
        _behind_http(provider, client, settings, context), Batches(jobs(client), meter) if jobs else None
    )


def chosen(settings: EmbedderSettings, context: ProviderContext) -> Choice:
    """Return the provider that the settings mean, and why where they leave the choice to `auto`."""
    if settings.provider != "auto":
        return Choice(settings.provider, "embedding.provider names it")
    return choose_here(settings, context.environment, context.folder)


def _behind_http(
    provider: EmbeddingProvider, client: HttpEmbedder, settings: EmbedderSettings, context: ProviderContext
) -> Embedder:
    """Return a client with its answers checked, failures remembered, and requests limited and repeated."""
    made: Embedder = CircuitBreaker(Checked(client), context.records, insists=context.may_ask)
    limit = settings.requests_per_minute or _PROVIDERS[provider].requests_per_minute
    if limit and client.info.host and not client.info.is_home:
        made = RateLimited(made, shared_bucket(client.info.host, limit))
    made = Retrying(made, check=context.check)
    return made if client.info.is_home else WithoutSecrets(made, context.secrets)


def _openai_batches(client: HttpEmbedder) -> BatchProvider:
    return OpenAIBatches(client.client, client.space, client.request_for)


def _gemini_batches(client: HttpEmbedder) -> BatchProvider:
    return GeminiBatches(client.client, VERSION, client.space, client.request_for)


def _client(
    provider: EmbeddingProvider, settings: EmbedderSettings, context: ProviderContext
) -> tuple[HttpEmbedder, Meter]:
    kind, at = _PROVIDERS[provider], connection(provider, settings, context)
    model = _described(provider, settings, at)
    server = server_name(str(at.address), model.name)
    facts = context.records().facts(server)
    width = model.width(settings.dimensions) or facts.dimensions
    if width is None:
        width = _learned_width(kind.wire, model, at, context)
        _learn(context, server, ServerFacts(dimensions=width))
    metered = MeteredModel(
        provider=provider,
        model=model.name,
        prices=model.prices,
        daily_cap=settings.daily_cap,
        space=str(space_of(provider, at, model, width)),
    )
    meter = Meter(context, metered)
    # A width that the owner wants is asked for, unless it is known to be the model's own.
    own = model.dimensions or facts.dimensions or (None if settings.dimensions else width)
    client = kind.make(at, model._replace(dimensions=own), width, meter)
    client.learn = lambda facts: _learn(context, server, facts)
    client.is_width_learnt = model.width(settings.dimensions) is None
    client.asks_width = client.asks_width and facts.takes_dimensions is not False
    return client, meter


def probe_target(settings: EmbedderSettings, context: ProviderContext) -> ProbeTarget:
    """Return the model that the settings name, bare, for a probe. Raises a `ProviderError` as `make` does."""
    provider = chosen(settings, context).provider
    if provider == "builtin":
        return InProcessTarget(builtin_model(settings.builtin_dimensions))
    for local in LOCAL_PROVIDERS:
        if provider == local:
            return InProcessTarget(Checked(make_local(local, settings, context)))
    kind, at = _PROVIDERS[provider], connection(provider, settings, context)
    model = _described(provider, settings, at)
    model.width(settings.dimensions)
    metered = MeteredModel(provider=provider, model=model.name, prices=model.prices, daily_cap=settings.daily_cap)
    meter, width = Meter(context, metered), model.dimensions or 1  # the probe will learn it
    client = kind.make(at, model._replace(dimensions=width), width, meter)
    return HttpTarget(client.client, kind.wire, model, client.info, meter)


def _learn(context: ProviderContext, server: str, facts: ServerFacts) -> None:
    """Keep what a server taught; a home that cannot be written asks again."""
    with suppress(StoreError):
        context.records().learn(server, facts)


def _described(provider: EmbeddingProvider, settings: EmbedderSettings, at: Endpoint) -> ModelDescription:
    name = settings.model or DEFAULT_MODELS.get(provider)
    if name is None:
        raise ProviderRejected("embedding.model is not set. Set it to the name of a model that the server has.")
    prices = prices_of(provider, name, is_home=at.address.is_this_machine, own=settings.price)
    return describe(provider, name)._replace(prices=prices)


def _learned_width(wire: WireFormat, model: ModelDescription, at: Endpoint, context: ProviderContext) -> int:
    """Ask the server how wide its vectors are; only where somebody can wait for that."""
    if not context.may_ask:
        raise ProviderUnavailable(f"{model.name} at {at.address.shown_host} has not answered yet: run `memoro sync`.")
    return learn_width(client_for(at), wire, model)


def connection(provider: EmbeddingProvider, settings: EmbedderSettings, context: ProviderContext) -> Endpoint:
    """Return where a provider is, with its key. Raises `KeyRefused` and `AddressRefused`."""
    url = settings.url or OWN_URLS.get(provider)
    if url is None:
        raise ProviderRejected("embedding.url is not set. Set it to the address of the server.")
    require_remote_packages()  # before the key: who has neither hears first what to install
    found = endpoint(url, _secret(provider, settings, context), _PROVIDERS[provider].key_header)
    check_unresolved(found.address, settings.private_hosts)
    seconds = _HOME_SECONDS if found.address.is_this_machine else found.seconds
    return found._replace(private_hosts=settings.private_hosts, seconds=seconds)


def _secret(provider: EmbeddingProvider, settings: EmbedderSettings, context: ProviderContext) -> str | None:
    """Return the key that the settings name, else that of the provider's usual variable, for its own host alone."""
    if settings.key:
        return read_key(settings.key, context.environment)
    own = OWN_URLS.get(provider)
    if own is None or settings.url not in (None, own):
        return None
    found = default_key(provider, context.environment)
    if found is None:
        names = " or ".join(variables(provider))
        raise KeyRefused(f"There is no key for {provider}. Set {names}, or say where it is with `embedding.key`.")
    return found


# A new provider is added here.
_PROVIDERS: dict[EmbeddingProvider, _Provider] = {
    "openai": _Provider(wire=OPENAI, make=openai_embedder, requests_per_minute=3000, batches=_openai_batches),
    "gemini": _Provider(
        wire=GEMINI,
        make=gemini_embedder,
        key_header="x-goog-api-key",
        requests_per_minute=100,
        batches=_gemini_batches,
    ),
    "voyage": _Provider(VOYAGE, voyage_embedder, requests_per_minute=300),
    "compatible": _Provider(OPENAI, compatible_embedder),
}
