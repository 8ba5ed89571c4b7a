"""The embedders of OpenAI, compatible servers, Voyage and Gemini: what goes over the wire, and what comes back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import get_args

import numpy
import pytest

from memoro.errors import (
    AddressRefused,
    CapReached,
    KeyRefused,
    NothingThere,
    PartialResponse,
    ProviderError,
    ProviderRejected,
    ProviderUnavailable,
    QuotaExhausted,
    RequestTooLarge,
    ServerFailed,
    WrongWidth,
)
from memoro.model.vocabulary import EmbeddingProvider, Role
from memoro.providers.gemini import GEMINI
from memoro.providers.http_client import HttpClient, KeyHeader, client_for, endpoint
from memoro.providers.http_embedder import HttpEmbedder, learn_width
from memoro.providers.making import make
from memoro.providers.models import DEFAULT_MODELS, OWN_URLS, ModelDescription, describe
from memoro.providers.openai import OPENAI, compatible_embedder, openai_embedder
from memoro.providers.ports import FREE, Prices
from memoro.providers.prefixes import prefixes_of
from memoro.providers.records import ServerFacts
from memoro.providers.registry import EmbedderSettings, ProviderContext
from memoro.store.plain.provider_records import PlainProviderRecords
from tests.http_embedders import MAKERS, REMOTE, ROOMY, SECRET, remote_embedder
from tests.scripted_server import Answer, Received, ScriptedServer, document, scripted_server
from tests.standin import ALL_FAULTS, Fault, Faults, Limits, Options, standin

Script = Callable[[Received], Answer]


class Counted:
    """A meter that keeps what it is told, and admits requests of up to so many tokens."""

    def __init__(self, cap: int = 1_000_000) -> None:
        self.cap = cap
        self.counted: list[tuple[Role, int, int]] = []

    def admit(self, tokens: int) -> None:
        if tokens > self.cap:
            raise CapReached("too much for today")

    def count(self, role: Role, texts: int, tokens: int) -> None:
        self.counted.append((role, texts, tokens))


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with scripted_server() as running:
        yield running


@pytest.fixture
def meter() -> Counted:
    return Counted()


def vector(width: int, place: int) -> list[float]:
    return [1.0 if n in (0, place + 1) else 0.0 for n in range(width)]


def vectors(width: int, *, tokens: int = 7) -> Script:
    """Answers in OpenAI's shape, the last text first."""

    def answer(received: Received) -> Answer:
        count = len(received.document["input"])
        data = [{"object": "embedding", "index": n, "embedding": vector(width, n)} for n in range(count)]
        return document(
            {"data": data[::-1], "model": "m", "usage": {"prompt_tokens": tokens, "total_tokens": tokens}}
        )

    return answer


def made(
    server: ScriptedServer,
    provider: EmbeddingProvider,
    meter: Counted,
    model: ModelDescription | None = None,
    dimensions: int | None = None,
) -> HttpEmbedder:
    base = server.url if provider == "gemini" else f"{server.url}/v1"
    where = endpoint(base, SECRET, "x-goog-api-key" if provider == "gemini" else "authorization")
    return MAKERS[provider](where, model or describe(provider, DEFAULT_MODELS[provider]), dimensions, meter)


@pytest.fixture(autouse=True)
def closed(server: ScriptedServer) -> Iterator[None]:
    yield
    for base in (server.url, f"{server.url}/v1"):
        for header in get_args(KeyHeader):
            client_for(endpoint(base, SECRET, header)).close()
        client_for(endpoint(base, None)).close()


# --- OpenAI ---------------------------------------------------------------------------------------------


def test_openai_is_asked_for_plain_numbers_and_its_vectors_are_put_in_order(
    server: ScriptedServer, meter: Counted
) -> None:
    server.answer = vectors(1536)
    rows = made(server, "openai", meter).embed(["a", "b", "c"], "document")
    assert server.received[0].path == "/v1/embeddings"
    assert server.received[0].document == {
        "model": "text-embedding-3-small",
        "input": ["a", "b", "c"],
        "encoding_format": "float",
    }
    assert rows.argsort(axis=1)[:, -2:].tolist() in ([[0, 1], [0, 2], [0, 3]], [[1, 0], [2, 0], [3, 0]])
    assert numpy.linalg.norm(rows, axis=1) == pytest.approx([1, 1, 1])
    assert meter.counted == [("document", 3, 7)]


def test_a_width_is_asked_for_only_where_it_is_not_the_models_own(server: ScriptedServer, meter: Counted) -> None:
    server.answer = vectors(256)
    embedder = made(server, "openai", meter, dimensions=256)
    assert embedder.embed(["a"], "query").shape == (1, 256)
    assert server.received[0].document["dimensions"] == 256
    assert embedder.space.dimensions == 256
    made(server, "openai", meter, dimensions=1536)
    with pytest.raises(ProviderRejected, match="only of 1 to 1536"):
        made(server, "openai", meter, dimensions=4096)
    with pytest.raises(ProviderRejected, match="only of 1536"):
        made(server, "openai", meter, describe("openai", "text-embedding-ada-002"), 256)


def test_the_space_of_a_providers_own_host_is_the_same_everywhere(server: ScriptedServer, meter: Counted) -> None:
    own = openai_embedder(
        endpoint(OWN_URLS["openai"], SECRET), describe("openai", "text-embedding-3-small"), None, meter
    )
    assert str(own.space) == "openai/text-embedding-3-small/1536/text"
    assert (own.info.host, own.info.is_home) == ("api.openai.com", False)
    assert own.info.prices == Prices(0.02, 0.01)
    assert (own.info.most_texts, own.info.longest_text, own.info.request_seconds) == (128, 8192, 60)
    elsewhere = made(server, "openai", meter)
    assert elsewhere.space != own.space
    assert elsewhere.space.preparation.startswith("text-")


def test_models_of_one_name_on_two_servers_have_two_spaces(meter: Counted) -> None:
    model = describe("compatible", "nomic-embed-text")._replace(dimensions=768)
    one, other, slash = (
        compatible_embedder(endpoint(f"http://localhost:{rest}", None), model, None, meter).space
        for rest in ("11434/v1", "8080/v1", "11434/v1/")
    )
    assert one == slash != other
    assert one.model == other.model
    assert one.preparation.startswith("nomic-") and len(one.preparation) == len("nomic-") + 8


def test_a_server_at_home_costs_nothing_has_time_and_needs_no_key(server: ScriptedServer, meter: Counted) -> None:
    server.answer = vectors(768)
    model = describe("compatible", "nomic-embed-text")._replace(dimensions=768)
    embedder = compatible_embedder(endpoint(f"{server.url}/v1", None), model, None, meter)
    assert embedder.info.prices == FREE
    assert embedder.info.is_home
    assert embedder.info.request_seconds == 300
    embedder.embed(["tea"], "query")
    embedder.embed(["tea"], "document")
    assert [one.document["input"] for one in server.received] == [["search_query: tea"], ["search_document: tea"]]
    assert "authorization" not in server.received[0].headers


def test_a_server_that_refuses_a_wish_for_a_width_is_asked_without_it_and_that_is_remembered(
    server: ScriptedServer, meter: Counted
) -> None:
    def vllm(received: Received) -> Answer:
        if "dimensions" in received.document:
            message = 'Model "m" does not support matryoshka representation, changing output dimensions will fail.'
            return document({"object": "error", "message": message, "type": "BadRequestError", "code": 400}, 400)
        return vectors(64)(received)

    server.answer = vllm
    embedder = made(server, "compatible", meter, ModelDescription("m", widths=None), 64)
    learnt: list[ServerFacts] = []
    embedder.learn = learnt.append
    assert embedder.embed(["a"], "document").shape == (1, 64)
    assert embedder.embed(["a"], "document").shape == (1, 64)
    assert ["dimensions" in one.document for one in server.received] == [True, False, False]
    assert learnt == [ServerFacts(takes_dimensions=False)]
    other = made(server, "compatible", meter, ModelDescription("m", widths=None), 32)
    with pytest.raises(WrongWidth, match=r"64 numbers, where the model has 32\..*set it to 64"):
        other.embed(["a"], "document")


def test_a_bad_request_that_has_nothing_to_do_with_the_width_is_not_sent_again(
    server: ScriptedServer, meter: Counted
) -> None:
    server.answer = lambda _: document({"error": {"message": "'$.input' is invalid."}}, 400)
    with pytest.raises(ProviderRejected, match="is invalid"):
        made(server, "compatible", meter, ModelDescription("m", widths=None), 64).embed(["a"], "document")
    assert len(server.received) == 1


def test_the_width_of_an_unknown_model_is_learnt_from_one_short_text(server: ScriptedServer) -> None:
    server.answer = vectors(384)
    client = client_for(endpoint(f"{server.url}/v1", SECRET))
    assert learn_width(client, OPENAI, ModelDescription("m", widths=None)) == 384
    assert "dimensions" not in server.received[0].document
    for embedding in ("AACAPwAAAAA=", [], None, [float("nan")] * 8, [0.0] * 8):
        answer = document({"data": [{"index": 0, "embedding": embedding}]})
        server.answer = answer.again
        with pytest.raises((ProviderRejected, ProviderUnavailable)):
            learn_width(client, OPENAI, ModelDescription("m", widths=None))


def test_an_unknown_width_says_what_to_do(server: ScriptedServer, meter: Counted) -> None:
    with pytest.raises(ProviderRejected, match="memoro provider test"):
        made(server, "compatible", meter, describe("compatible", "my-own-model"))


def test_an_error_with_status_200_is_an_error(server: ScriptedServer, meter: Counted) -> None:
    server.answer = lambda _: document({"error": "Unexpected endpoint or method."})
    with pytest.raises(ProviderUnavailable, match="It says: Unexpected endpoint"):
        made(server, "openai", meter).embed(["a"], "document")
    assert meter.counted == []


def test_what_was_answered_is_counted_though_it_cannot_be_used(server: ScriptedServer, meter: Counted) -> None:
    server.answer = lambda _: document({"data": [{"index": 0, "embedding": vector(1536, 0)}]})
    with pytest.raises(PartialResponse):
        made(server, "openai", meter).embed(["tea", "train"], "document")
    ((role, texts, tokens),) = meter.counted
    assert (role, texts) == ("document", 2)
    assert tokens > 0, "the server did not say, so it is an estimate"


def test_nothing_is_sent_beyond_the_cap(server: ScriptedServer) -> None:
    with pytest.raises(CapReached):
        made(server, "openai", Counted(cap=3)).embed(["a long text about the price of tea in China"], "document")
    assert server.received == []


def test_no_text_needs_no_request(server: ScriptedServer, meter: Counted) -> None:
    assert made(server, "openai", meter).embed([], "document").shape == (0, 1536)
    assert server.received == []


@pytest.mark.parametrize(("status", "kind"), [(401, KeyRefused), (404, NothingThere), (413, RequestTooLarge)])
def test_errors_of_a_server_pass_through(
    server: ScriptedServer, meter: Counted, status: int, kind: type[Exception]
) -> None:
    server.answer = lambda _: document({"error": {"message": f"about {SECRET}"}}, status)
    with pytest.raises(kind) as raised:
        made(server, "openai", meter).embed(["a"], "query")
    assert SECRET not in str(raised.value)
    assert meter.counted == []


def test_a_batch_job_gets_the_request_of_one_document(server: ScriptedServer, meter: Counted) -> None:
    assert made(server, "openai", meter, dimensions=256).request_for("tea") == {
        "model": "text-embedding-3-small",
        "input": "tea",
        "encoding_format": "float",
        "dimensions": 256,
    }
    assert made(server, "gemini", meter, dimensions=768).request_for("tea") == {
        "model": "models/gemini-embedding-2",
        "content": {"parts": [{"text": "title: none | text: tea"}]},
        "outputDimensionality": 768,
    }


# --- Voyage ---------------------------------------------------------------------------------------------


def test_voyage_is_told_the_role_and_never_cuts(server: ScriptedServer, meter: Counted) -> None:
    server.answer = vectors(512)
    embedder = made(server, "voyage", meter, dimensions=512)
    embedder.embed(["a"], "query")
    embedder.embed(["b"], "document")
    assert [one.document for one in server.received] == [
        {"model": "voyage-3.5", "input": ["a"], "input_type": "query", "truncation": False, "output_dimension": 512},
        {
            "model": "voyage-3.5",
            "input": ["b"],
            "input_type": "document",
            "truncation": False,
            "output_dimension": 512,
        },
    ]
    with pytest.raises(ProviderRejected, match="only of 256, 512, 1024, 2048"):
        made(server, "voyage", meter, dimensions=300)


# --- Gemini ---------------------------------------------------------------------------------------------


def gemini_vectors(width: int, length: float = 1.0) -> Script:
    def answer(received: Received) -> Answer:
        count = len(received.document["requests"])
        return document({"embeddings": [{"values": [length * x for x in vector(width, n)]} for n in range(count)]})

    return answer


def test_gemini_2_gets_prefixes_and_one_content_a_text(server: ScriptedServer, meter: Counted) -> None:
    server.answer = gemini_vectors(3072)
    embedder = made(server, "gemini", meter)
    assert embedder.embed(["a", "b"], "document").shape == (2, 3072)
    embedder.embed(["c"], "query")
    first, second = server.received
    assert first.path == "/v1beta/models/gemini-embedding-2:batchEmbedContents"
    assert first.headers["x-goog-api-key"] == SECRET
    assert first.document == {
        "requests": [
            {"model": "models/gemini-embedding-2", "content": {"parts": [{"text": f"title: none | text: {text}"}]}}
            for text in "ab"
        ]
    }
    assert second.document["requests"][0]["content"] == {"parts": [{"text": "task: search result | query: c"}]}
    assert embedder.space.preparation.startswith("task-")


def test_gemini_001_gets_task_types_and_short_vectors_are_made_one_long(
    server: ScriptedServer, meter: Counted
) -> None:
    server.answer = gemini_vectors(768, length=0.3)
    embedder = made(server, "gemini", meter, describe("gemini", "models/gemini-embedding-001"), 768)
    rows = embedder.embed(["a"], "query")
    assert numpy.linalg.norm(rows, axis=1) == pytest.approx([1])
    (asked,) = server.received[0].document["requests"]
    assert asked == {
        "model": "models/gemini-embedding-001",
        "content": {"parts": [{"text": "a"}]},
        "taskType": "RETRIEVAL_QUERY",
        "outputDimensionality": 768,
    }
    assert embedder.space != made(server, "gemini", meter, dimensions=768).space


def test_one_vector_for_many_texts_is_never_taken(server: ScriptedServer, meter: Counted) -> None:
    server.answer = lambda _: document({"embeddings": [{"values": vector(3072, 0)}]})
    with pytest.raises(RequestTooLarge, match="1 vectors for 3 texts"):
        made(server, "gemini", meter).embed(["a", "b", "c"], "document")


def test_gemini_knows_its_width_by_asking_too(server: ScriptedServer) -> None:
    server.answer = gemini_vectors(1024)
    client: HttpClient = client_for(endpoint(server.url, SECRET, "x-goog-api-key"))
    assert learn_width(client, GEMINI, describe("gemini", "gemini-embedding-9")) == 1024


# --- what is known of models ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "scheme", "query", "passage"),
    [
        ("nomic-embed-text:latest", "nomic", "search_query: ", "search_document: "),
        ("text-embedding-nomic-embed-text-v1.5", "nomic", "search_query: ", "search_document: "),
        ("intfloat/multilingual-e5-large", "e5", "query: ", "passage: "),
        ("intfloat/e5-base-v2", "e5", "query: ", "passage: "),
        ("BAAI/bge-small-en-v1.5", "bge", "Represent this sentence for searching relevant passages: ", ""),
        ("mxbai-embed-large", "bge", "Represent this sentence for searching relevant passages: ", ""),
        ("embeddinggemma:300m", "task", "task: search result | query: ", "title: none | text: "),
        ("google/embeddinggemma-300m", "task", "task: search result | query: ", "title: none | text: "),
        ("snowflake-arctic-embed2", "arctic2", "query: ", ""),
        ("Snowflake/snowflake-arctic-embed-l-v2.0", "arctic2", "query: ", ""),
        ("snowflake-arctic-embed:335m", "arctic", "Represent this sentence for searching relevant passages: ", ""),
        ("bge-m3", "text", "", ""),
        ("all-minilm", "text", "", ""),
        ("text-embedding-3-small", "text", "", ""),
        ("granite-embedding:278m", "text", "", ""),
    ],
)
def test_prefixes_are_known_by_the_name_of_a_model(model: str, scheme: str, query: str, passage: str) -> None:
    assert prefixes_of(model) == (scheme, query, passage)


def test_instructions_stand_before_queries_alone() -> None:
    for model in ("Qwen3-Embedding-0.6B-Q8_0.gguf", "qwen3-embedding:8b", "intfloat/multilingual-e5-large-instruct"):
        found = prefixes_of(model)
        assert found.query.startswith("Instruct: Given a web search query") and "\nQuery:" in found.query
        assert found.document == ""


def test_an_unlisted_model_has_the_limits_of_its_provider_and_no_known_width() -> None:
    found = describe("voyage", "voyage-9")
    assert (found.name, found.dimensions, found.widths, found.most_texts) == ("voyage-9", None, None, 128)
    assert found.width(512) == 512
    assert found.width(None) is None
    assert describe("gemini", "gemini-embedding-2-preview").prefixes.name == "task"
    local = describe("compatible", "my-own-model")
    assert (local.dimensions, local.prefixes.name, local.most_texts) == (None, "text", 16)
    assert describe("compatible", "mxbai-embed-large:latest").longest_text == 512
    assert describe("compatible", "mxbai-embed-large:latest").dimensions is None, "its server is asked"


# --- against a stand-in that misbehaves -----------------------------------------------------------------

TEXTS = [f"text {n} about {'tea' if n % 2 else 'trains'}" for n in range(12)]
QUICK_FAULTS = [fault for fault in ALL_FAULTS if fault not in ("hang", "slow", "huge", "gzip bomb")]
SHORT = {  # narrow vectors: there are many calls
    "openai": REMOTE["openai 256"],
    "ollama": REMOTE["ollama"],
    "voyage": REMOTE["voyage"]._replace(dimensions=256),
    "gemini": REMOTE["gemini 2"]._replace(dimensions=256),
}


@pytest.mark.parametrize("name", SHORT)
def test_whatever_a_server_does_no_wrong_vector_is_taken_and_every_failure_is_named(name: str) -> None:
    with remote_embedder(SHORT[name]) as (server, embedder):
        right = embedder.embed(TEXTS, "document")
        for fault in QUICK_FAULTS:
            server.set_faults(fault)
            for count in (len(TEXTS), 1):
                for place, row in usable_rows(embedder, TEXTS[:count]).items():
                    assert numpy.allclose(numpy.asarray(row), right[place], atol=1e-5), fault
            server.set_faults()
            assert numpy.allclose(embedder.embed(TEXTS, "document"), right, atol=1e-5), (
                f"not well again after {fault}"
            )
        assert server.strays == [], "a redirect was followed"


def usable_rows(embedder: HttpEmbedder, texts: list[str]) -> dict[int, object]:
    """The vectors that come back, by the places of their texts; whatever else happens must be told in a sentence."""
    try:
        rows = embedder.embed(texts, "document")
    except PartialResponse as error:
        return dict(error.rows)
    except ProviderError as error:
        assert str(error).isprintable() and SECRET not in str(error)
        assert len(str(error)) < 500
        return {}
    assert len(rows) == len(texts)
    return dict(enumerate(rows))


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        ("429 seconds", ProviderUnavailable),
        ("429 date", ProviderUnavailable),
        ("quota", QuotaExhausted),
        ("key refused", KeyRefused),
        ("500", ServerFailed),
        ("html", ProviderUnavailable),
        ("redirect 307", AddressRefused),
        ("gzip bomb", ProviderUnavailable),
        ("dropped", ProviderUnavailable),
        ("cut off", ProviderUnavailable),
        ("short", PartialResponse),
        ("nan", PartialResponse),
        ("null", PartialResponse),
        ("zeros", PartialResponse),
        ("narrow", WrongWidth),
        ("quarter", WrongWidth),
        ("one for many", RequestTooLarge),
        ("cap 10", RequestTooLarge),
        ("silent cap 10", RequestTooLarge),
    ],
)
def test_each_fault_is_the_error_that_wrappers_act_on(fault: Fault, kind: type[ProviderError]) -> None:
    with remote_embedder(REMOTE["openai"], Faults(kinds=(fault,), retry_after=3)) as (_, embedder):
        with pytest.raises(kind) as raised:
            embedder.embed(TEXTS, "document")
        assert type(raised.value) is kind
        if isinstance(raised.value, ProviderUnavailable) and fault.startswith("429"):
            assert raised.value.retry_after == pytest.approx(3, abs=1.1)
        if isinstance(raised.value, RequestTooLarge):
            assert raised.value.most_texts == (10 if fault == "cap 10" else None)


@pytest.mark.parametrize("name", ["openai", "ollama", "llamacpp", "vllm", "tei", "voyage"])
def test_a_text_that_is_too_long_or_too_many_texts_are_too_large_a_request(name: str) -> None:
    options = Options(limits=Limits(most_texts=8, most_tokens=10_000, longest_text=100), dimensions=96)
    with remote_embedder(REMOTE[name], options=options) as (_, embedder):
        with pytest.raises(RequestTooLarge) as raised:
            embedder.embed(TEXTS, "document")
        assert raised.value.most_texts == 8
        if name != "ollama":  # which cuts, and says nothing
            with pytest.raises(RequestTooLarge) as raised:
                embedder.embed(["long " * 500], "document")
            assert raised.value.most_texts is None


@pytest.mark.parametrize("name", ["openai", "ollama", "voyage", "gemini 2", "vllm"])
def test_a_wrong_key_and_a_missing_model_are_named(name: str) -> None:
    with remote_embedder(REMOTE[name]) as (server, embedder):
        server.options = server.options._replace(key="another")
        with pytest.raises(KeyRefused, match="does not accept the key"):
            embedder.embed(["a"], "query")
    missing = REMOTE[name]._replace(model="missing-model", dimensions=96)
    with remote_embedder(missing) as (_, embedder), pytest.raises(ProviderRejected, match="missing-model"):
        embedder.embed(["a"], "query")


def test_a_role_changes_the_vector_where_the_model_knows_roles() -> None:
    for name in ("voyage", "gemini 2", "gemini 001"):
        with remote_embedder(REMOTE[name]) as (_, embedder):
            (query,), (passage,) = embedder.embed(["tea"], "query"), embedder.embed(["tea"], "document")
            assert query @ passage < 0.9999


# --- as the settings make them --------------------------------------------------------------------------


def test_a_width_that_the_owner_wants_is_asked_for_where_nobody_knows_the_models_own() -> None:
    with standin("ollama", options=ROOMY) as server:
        records = PlainProviderRecords()
        context = ProviderContext(environment={}, records=lambda: records, may_ask=True)
        settings = EmbedderSettings(provider="compatible", model="some-model", url=server.url, dimensions=64)
        wished = make(settings, context)
        own = make(settings._replace(dimensions=None), context)
        again = make(settings._replace(dimensions=96), context)
        assert wished is not None and own is not None and again is not None
        assert wished.embedder.embed(["tea"], "document").shape == (1, 64)
        assert (
            own.embedder.embed(["tea"], "document").shape
            == again.embedder.embed(["tea"], "document").shape
            == (1, 96)
        )
        client_for(endpoint(server.url, None)._replace(seconds=300.0)).close()
        asked = [one.json.get("dimensions") for one in server.requests]
    assert asked == [None, 64, None, None]
