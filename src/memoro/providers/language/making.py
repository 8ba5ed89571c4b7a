"""Making the language model that the settings name, with everything that stands between it and its callers."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from memoro.errors import KeyRefused, ProviderError, ProviderRejected, StoreError
from memoro.model.vocabulary import LANGUAGE_PURPOSES, LanguageProvider, LanguagePurpose
from memoro.providers.addresses import check_unresolved
from memoro.providers.http_client import Endpoint, KeyHeader, client_for, endpoint, require_remote_packages
from memoro.providers.keys import default_key, read_key, variables
from memoro.providers.language.anthropic_messages import ANTHROPIC_MESSAGES, VERSION, VERSION_ELSEWHERE
from memoro.providers.language.chat import ChatFormat, Manner
from memoro.providers.language.chat_server import ChatServer, LanguageBreaker, manner_of
from memoro.providers.language.checked_model import CheckedModel
from memoro.providers.language.gemini_generate import GEMINI_GENERATE
from memoro.providers.language.http_model import CallConditions, HttpLanguageModel
from memoro.providers.language.metering import LanguageMeter, PricedModel
from memoro.providers.language.openai_chat import OPENAI_CHAT
from memoro.providers.language.ports import LanguageModel, LanguageModelInfo, ModelAnswer, Prompt
from memoro.providers.language.prices import language_prices
from memoro.providers.language.remembered import RememberingModel
from memoro.providers.records import ServerFacts, server_name

if TYPE_CHECKING:
    from memoro.providers.registry import ProviderContext


_HOME_SECONDS = 300.0  # a server on this machine may have to load its model first
_LARGE_WINDOW = 100_000  # tokens; the models of the large providers take more
_SMALL_WINDOW = 8000  # what servers on small machines are set up with


class _Provider(NamedTuple):
    """One kind of server."""

    wire: ChatFormat
    example: str  # of a model
    url: str | None = None  # the provider's own
    key_header: KeyHeader = "authorization"
    version: str = ""  # that the path of each call begins with, and that an owner may have put into the URL too
    headers: tuple[tuple[str, str], ...] = ()  # at its own host
    headers_elsewhere: tuple[tuple[str, str], ...] = ()
    window: int = _LARGE_WINDOW


# A new provider is added here.
_PROVIDERS: dict[LanguageProvider, _Provider] = {
    "openai": _Provider(wire=OPENAI_CHAT, example="gpt-5-mini", url="https://api.openai.com/v1"),
    "anthropic": _Provider(
        wire=ANTHROPIC_MESSAGES,
        example="claude-haiku-4-5",
        url="https://api.anthropic.com",
        key_header="x-api-key",
        version="/v1",
        headers=VERSION,
        headers_elsewhere=VERSION_ELSEWHERE,
    ),
    "gemini": _Provider(
        wire=GEMINI_GENERATE,
        example="gemini-2.5-flash",
        url="https://generativelanguage.googleapis.com",
        key_header="x-goog-api-key",
        version="/v1beta",
    ),
    "compatible": _Provider(wire=OPENAI_CHAT, example="qwen3:8b", window=_SMALL_WINDOW),
}


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


def _made(settings: LanguageSettings, context: ProviderContext) -> LanguageModel:
    server, info = bare_server(settings, context)
    model = HttpLanguageModel(
        server, info, CallConditions(LanguageBreaker(info.host or "", context.records), check=context.check)
    )
    meter = _meter(settings, context, info)
    checked = CheckedModel(model, context.secrets)
    return RememberingModel(checked, lambda prompt: meter.count_cached(prompt.purpose))


def tested_model(settings: LanguageSettings, context: ProviderContext) -> tuple[LanguageModel, ChatServer]:
    """Return the model that the settings name, for a test: asked at once, and as a server that nobody knows yet.

    Raises a `ProviderError` where it cannot be made.
    """
    server, info = bare_server(settings, context)
    server.manner = _usual_manner(settings)
    model = HttpLanguageModel(server, info, CallConditions(None, check=context.check), "test")
    return CheckedModel(model, context.secrets), server


def bare_server(settings: LanguageSettings, context: ProviderContext) -> tuple[ChatServer, LanguageModelInfo]:
    """Return the server that the settings name, as it wants to be asked. Raises a `ProviderError`."""
    kind, at = _PROVIDERS[settings.provider], usable_connection(settings, context)
    assert settings.model is not None
    info = LanguageModelInfo(
        provider=settings.provider,
        model=settings.model,
        host=at.address.shown_host,
        is_home=at.address.is_this_machine,
        window=kind.window,
    )
    name = server_name(str(at.address), settings.model)
    manner = manner_of(context.records().facts(name), kind.wire, _usual_manner(settings))
    server = ChatServer(client_for(at), kind.wire, _meter(settings, context, info), manner)
    server.tells_schema = not _is_own(settings)
    server.learn = lambda facts: _learn(context, name, facts)
    return server, info


def usable_connection(settings: LanguageSettings, context: ProviderContext) -> Endpoint:
    """Return where the model is, if it has a name. Raises a `ProviderError`."""
    if settings.provider == "compatible" and not settings.url:
        missing = "llm.url and llm.model are" if not settings.model else "llm.url is"
        raise ProviderRejected(
            f"{missing} not set. Set the address of the server, for example "
            "`memoro config set llm.url http://127.0.0.1:11434/v1`."
        )
    if not settings.model:
        raise ProviderRejected(
            "llm.model is not set. Set it to the name of a language model that the server has, "
            f"for example `memoro config set llm.model {_PROVIDERS[settings.provider].example}`."
        )
    return connection(settings, context)


def connection(settings: LanguageSettings, context: ProviderContext) -> Endpoint:
    """Return where the model is, with its key. Raises `KeyRefused` and `AddressRefused`."""
    kind = _PROVIDERS[settings.provider]
    url = settings.url or kind.url or ""
    require_remote_packages()  # before the key: who has neither hears first what to install
    bare = url.rstrip("/").removesuffix(kind.version) if kind.version else url
    found = endpoint(bare, _secret(settings, context), kind.key_header)
    check_unresolved(found.address, settings.private_hosts)
    return found._replace(
        private_hosts=settings.private_hosts,
        seconds=_HOME_SECONDS if found.address.is_this_machine else found.seconds,
        headers=kind.headers if _is_own(settings) else kind.headers_elsewhere,
        section="llm",
    )


def _is_own(settings: LanguageSettings) -> bool:
    """Return whether the settings mean the provider's own host. Its usual variable holds a key for that one alone."""
    own = _PROVIDERS[settings.provider].url
    return own is not None and settings.url in (None, own)


def _secret(settings: LanguageSettings, context: ProviderContext) -> str | None:
    """Return the key that the settings name, else that of the provider's usual variable, for its own host alone."""
    if settings.key:
        return read_key(settings.key, context.environment, "llm")
    if not _is_own(settings):
        return None
    found = default_key(settings.provider, context.environment)
    if found is None:
        names = " or ".join(variables(settings.provider))
        raise KeyRefused(f"There is no key for {settings.provider}. Set {names}, or say where it is with `llm.key`.")
    return found


def _meter(settings: LanguageSettings, context: ProviderContext, info: LanguageModelInfo) -> LanguageMeter:
    prices = language_prices(
        info.provider, info.model, is_home=info.is_home, own=(settings.price_in, settings.price_out)
    )
    priced = PricedModel(provider=info.provider, model=info.model, prices=prices, daily_cap=settings.daily_cap)
    return LanguageMeter(context, priced)


def _usual_manner(settings: LanguageSettings) -> Manner:
    return Manner(tokens_field="max_completion_tokens" if settings.provider == "openai" else "max_tokens")


def _learn(context: ProviderContext, server: str, facts: ServerFacts) -> None:
    with suppress(StoreError):  # a home that cannot be written asks again
        context.records().learn(server, facts)


def _unknown(settings: LanguageSettings) -> LanguageModelInfo:
    return LanguageModelInfo(provider=settings.provider, model=settings.model or "no model", is_home=False)
