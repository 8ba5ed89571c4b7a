"""Errors of providers: each form that a server gives them becomes the right error, in words for a person."""

from __future__ import annotations

import json
from collections.abc import Mapping
from email.utils import formatdate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoro.errors import (
    AddressRefused,
    KeyRefused,
    NothingThere,
    ProviderError,
    ProviderRejected,
    ProviderUnavailable,
    QuotaExhausted,
    RequestTooLarge,
    ServerFailed,
    TextRejected,
)
from memoro.providers.http_failures import Asked, FailedResponse, duration, error_of, most_texts_in, read_details
from memoro.providers.keys import Key

SECRET = "sk-proj-9f8e7d6c5b4a39281706"
NOW = 1_800_000_000.0
ASKED = Asked(
    host="api.openai.com",
    url="https://api.openai.com/v1/embeddings",
    model="text-embedding-3-small",
    key=Key(SECRET, "api.openai.com"),
)


def error(status: int, body: object = None, **headers: str) -> ProviderError:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return error_of(FailedResponse(status, named, content), ASKED, NOW)


def openai(message: str, code: str | None = None, kind: str = "invalid_request_error") -> dict[str, object]:
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}


def google(code: int, message: str, status: str, *details: Mapping[str, object]) -> dict[str, object]:
    return {"error": {"code": code, "message": message, "status": status, "details": list(details)}}


QUOTA: dict[str, object] = {"@type": "type.googleapis.com/google.rpc.QuotaFailure"}
RETRY = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "12.5s"}
BAD_KEY = {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}
PER_DAY = QUOTA | {"violations": [{"quotaId": "EmbedContentRequestsPerDayPerProjectPerModel-FreeTier"}]}
PER_MINUTE = QUOTA | {"violations": [{"quotaId": "EmbedContentRequestsPerMinutePerProjectPerModel"}]}


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (301, b"", AddressRefused),
        (401, openai("Incorrect API key provided: sk-proj-*****1706.", "invalid_api_key"), KeyRefused),
        (403, openai("Country not supported", "unsupported_country_region_territory"), KeyRefused),
        (400, google(400, "API key not valid.", "INVALID_ARGUMENT", BAD_KEY), KeyRefused),
        (403, google(403, "Permission denied.", "PERMISSION_DENIED"), KeyRefused),
        (401, {"detail": "Provided API key is invalid."}, KeyRefused),
        (
            401,
            {"type": "error", "error": {"type": "authentication_error", "message": "invalid x-api-key"}},
            KeyRefused,
        ),
        (402, b"Payment Required", QuotaExhausted),
        (429, openai("You exceeded your current quota", "insufficient_quota", "insufficient_quota"), QuotaExhausted),
        (429, google(429, "You exceeded your current quota.", "RESOURCE_EXHAUSTED", PER_DAY, RETRY), QuotaExhausted),
        (
            400,
            {"error": {"type": "invalid_request_error", "message": "Your credit balance is too low"}},
            QuotaExhausted,
        ),
        (429, google(429, "You exceeded your quota.", "RESOURCE_EXHAUSTED", PER_MINUTE, RETRY), ProviderUnavailable),
        (429, openai("Rate limit reached", "rate_limit_exceeded", "requests"), ProviderUnavailable),
        (500, openai("The server had an error", None, "server_error"), ServerFailed),
        (503, {"error": {"code": 503, "message": "Loading model", "type": "unavailable_error"}}, ProviderUnavailable),
        (503, google(503, "The model is overloaded.", "UNAVAILABLE"), ProviderUnavailable),
        (529, {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}, ProviderUnavailable),
        (408, b"", ProviderUnavailable),
        (404, openai("The model `x` does not exist", "model_not_found"), NothingThere),
        (404, {"error": 'model "x" not found, try pulling it first'}, NothingThere),
        (400, {"detail": "Model text-embedding-3-small is not supported. Supported models are ..."}, NothingThere),
        (405, b"", NothingThere),
        (501, {"error": {"code": 501, "message": "This server does not support embeddings."}}, NothingThere),
        (400, google(400, "User location is not supported.", "FAILED_PRECONDITION"), ProviderRejected),
        (418, b"I am a teapot", ProviderRejected),
        (413, b"<html>Request Entity Too Large</html>", RequestTooLarge),
        (
            413,
            {"error": "batch size 33 > maximum allowed batch size 32", "error_type": "Validation"},
            RequestTooLarge,
        ),
        (
            422,
            {"error": "batch size 33 > maximum allowed batch size 32", "error_type": "Validation"},
            RequestTooLarge,
        ),
        (
            400,
            openai("This model's maximum context length is 8192 tokens, however you requested 9000"),
            RequestTooLarge,
        ),
        (400, openai("Invalid 'input': maximum context length is 8192", "context_length_exceeded"), RequestTooLarge),
        (400, openai("Requested 350000 tokens, max 300000 tokens per request", "max_tokens"), RequestTooLarge),
        (400, {"detail": "The max allowed tokens per submitted batch is 120000."}, RequestTooLarge),
        (400, google(400, "at most 100 requests can be in one batch", "INVALID_ARGUMENT"), RequestTooLarge),
        (
            500,
            {"error": {"message": "input is too large to process. increase the physical batch size"}},
            RequestTooLarge,
        ),
        (400, {"error": {"message": "the input length exceeds the context length"}}, RequestTooLarge),
        (500, {"error": {"message": "failed to encode response: json: unsupported value: NaN"}}, TextRejected),
        (400, openai("'$.input' is invalid."), TextRejected),
        (422, {"detail": [{"loc": ["body", "input"], "msg": "Input should be a valid string"}]}, TextRejected),
    ],
)
def test_every_providers_form_of_an_error_is_understood(status: int, body: object, kind: type[ProviderError]) -> None:
    found = error(status, body)
    assert type(found) is kind
    assert "api.openai.com" in str(found)


@pytest.mark.parametrize(
    ("sentence", "most"),
    [
        ("batch size 33 > maximum allowed batch size 32", 32),
        ("maximum batch size 32", 32),
        ("batch size is invalid, it should not be larger than 10.: input.contents", 10),
        ("Value error, batch size is invalid, it should be at most 10", 10),
        ("* BatchEmbedContentsRequest.requests: at most 100 requests can be in one batch", 100),
        ("The length of the input list must be less than or equal to 20", 20),
        ("Invalid 'input': array too long. Expected an array with maximum length 2048, but got 2049 instead.", 2048),
        ("The batch size limit is 1000. Your batch size is 1001.", 1000),
        ("invalid request: total number of texts must be at most 96 - received 97", 96),
        ("too many inputs: the maximum number of inputs is 64", 64),
        ("This model's maximum context length is 8192 tokens, however you requested 9000 tokens", None),
        ("Requested 350000 tokens, max 300000 tokens per request", None),
        ("The max allowed tokens per submitted batch is 120000. Your batch has 130000 tokens.", None),
        ("input is too large to process. increase the physical batch size", None),
        ("at most 0 inputs", None),
        ("the list has at most 99999999999999999999 items", None),
        ("", None),
    ],
)
def test_the_cap_on_texts_is_learnt_from_the_servers_own_sentence(sentence: str, most: int | None) -> None:
    assert most_texts_in(sentence) == most


def test_a_request_that_is_too_large_carries_the_cap() -> None:
    found = error(413, {"error": "batch size 33 > maximum allowed batch size 32"})
    assert isinstance(found, RequestTooLarge)
    assert found.most_texts == 32


def test_a_missing_model_is_named_with_its_url() -> None:
    assert str(error(404, openai("The model does not exist", "model_not_found"))) == (
        "api.openai.com has no model text-embedding-3-small, or no embeddings at "
        "https://api.openai.com/v1/embeddings. Check `embedding.model` and `embedding.url`. "
        "It says: The model does not exist"
    )


def test_where_no_key_was_sent_the_error_asks_for_one() -> None:
    found = error_of(FailedResponse(401, {}, b""), ASKED._replace(key=None), NOW)
    assert str(found) == "api.openai.com wants a key, and `embedding.key` names none."


def wait(found: ProviderError) -> float | None:
    assert isinstance(found, ProviderUnavailable)
    return found.retry_after


def test_the_time_to_wait_is_read_in_every_form() -> None:
    assert wait(error(429, retry_after="17")) == 17
    assert wait(error(503, retry_after="1.5")) == 1.5
    assert wait(error(429, retry_after=formatdate(NOW + 90, usegmt=True))) == 90
    assert wait(error(429, retry_after=formatdate(NOW - 90, usegmt=True))) == 0
    assert wait(error(429, retry_after_ms="250", retry_after="1")) == 0.25
    assert wait(error(429, x_ratelimit_reset_requests="1s", x_ratelimit_reset_tokens="6m0s")) == 360
    assert wait(error(429, x_ratelimit_reset_tokens="20ms")) == pytest.approx(0.02)
    assert wait(error(429, google(429, "Slow down", "RESOURCE_EXHAUSTED", RETRY))) == 12.5
    assert wait(error(529, retry_after="30")) == 30
    assert wait(error(429)) is None
    assert wait(error(429, retry_after="soon")) is None
    assert wait(error(429, retry_after="999999999")) == 86_400


@given(st.floats(0, 80_000).map(lambda seconds: round(seconds, 3)))
def test_a_duration_is_read_in_each_unit(seconds: float) -> None:
    assert duration(f"{seconds:.3f}s") == pytest.approx(seconds)
    assert duration(f"{seconds:.3f}") == pytest.approx(seconds)
    assert duration(f"{int(seconds) // 60}m{int(seconds) % 60}s") == int(seconds)
    assert duration(f"{int(seconds * 1000)}ms") == pytest.approx(seconds, abs=0.0011)


json_values = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=30),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["error", "message", "detail", "details", "code", "type", "violations", "retryDelay", "x"]
            ),
            inner,
            max_size=4,
        )
    ),
)


@given(
    st.integers(300, 599),
    st.binary(max_size=60) | json_values.map(lambda value: json.dumps(value).encode()),
    st.dictionaries(st.sampled_from(["retry-after", "location", "x-ratelimit-reset-a"]), st.text(max_size=40)),
)
def test_any_answer_is_an_error_with_a_short_sentence(status: int, body: bytes, headers: dict[str, str]) -> None:
    found = error_of(FailedResponse(status, headers, body), ASKED, NOW)
    assert len(str(found)) < 500
    assert str(found).isprintable()
    if isinstance(found, ProviderUnavailable) and found.retry_after is not None:
        assert 0 <= found.retry_after <= 86_400


def test_deep_nesting_says_nothing() -> None:
    assert read_details(b"[" * 50_000) == read_details(b"[1" + b"," * 10)._replace(sentence="[" * 199 + "…")


@given(st.sampled_from([400, 401, 403, 404, 429, 500]), st.text(max_size=20), st.text(max_size=20))
def test_a_key_that_a_server_repeats_is_in_no_error(status: int, before: str, after: str) -> None:
    for sentence in (f"{before}{SECRET}{after}", f"wrong key: {SECRET[:10]}…{SECRET[-8:]}"):
        for body in (openai(sentence), {"error": sentence}, sentence.encode("utf-8", "replace")):
            found = str(error(status, body))
            assert SECRET[:8] not in found and SECRET[-8:] not in found


def test_a_long_sentence_is_cut_and_has_no_control_characters() -> None:
    found = str(error(400, openai("bad\x1b[31m\r\n\x00 text " + "x " * 5000)))
    assert "It says: bad [31m text x x" in found
    assert len(found) < 300
    assert found.endswith("…")
