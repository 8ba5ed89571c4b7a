"""Read a response that is no success: which error it is, in words for a person, and when to ask again."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from email.utils import parsedate_to_datetime
from typing import NamedTuple

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
from memoro.providers.keys import Key, SettingsSection

_LONGEST_SENTENCE = 200
_LONGEST_WAIT = 86_400.0  # a server that asks for more than a day has a wrong clock
_MOST_TEXTS = 10_000  # a larger number in an error is one of tokens or bytes

_NO_QUOTA = {"insufficient_quota", "billing_hard_limit_reached", "billing_not_active", "insufficient_balance"}
_BAD_KEY = {"invalid_api_key", "api_key_invalid", "authentication_error", "permission_denied", "unauthenticated"}
_TOO_LARGE = {"context_length_exceeded", "request_too_large", "string_above_max_length", "array_above_max_length"}
_ABOUT_SETTINGS = {
    "model_not_found",
    "model_not_available",
    "failed_precondition",
    "unsupported_country_region_territory",
}
_TOO_LARGE_WORDS = re.compile(
    r"context.?(length|size|window)|too (many|large|long)|exceed\w*|(larger|longer|greater|more|less) than"
    r"|at most|batch size|\bmax(imum)?\b|token limit|limit(ed)? (is|to|of)|shorter",
    re.IGNORECASE,
)
_COUNTED = re.compile(
    r"batch|inputs?\b|texts?\b|items?\b|array|requests?\b|list|elements?\b|documents?\b|contents?\b", re.I
)
_CAPS = [
    re.compile(words + r"\D{0,20}?(\d+)", re.IGNORECASE)
    for words in (
        r"at most",
        r"up to",
        r"less than or equal to",
        r"(?:larger|greater|longer|more|bigger) than",
        r"max(?:imum)?(?: allowed)?(?: client)?(?: batch)?(?: size| length| number)?",
        r"limit(?:ed)?(?: is| to| of)?",
        r"<=",
    )
]


class FailedResponse(NamedTuple):
    """A response whose status is not 2xx."""

    status: int
    headers: Mapping[str, str]  # by their names in lower case
    body: bytes  # its beginning


class Asked(NamedTuple):
    """What a request asked for, as an error names it."""

    host: str
    url: str
    model: str | None = None
    key: Key | None = None
    section: SettingsSection = "embedding"  # of the settings that name the server


class ErrorDetails(NamedTuple):
    """What a server says about its error."""

    sentence: str = ""  # for a person; without control characters, cut
    codes: frozenset[str] = frozenset()  # in lower case
    retry_delay: float | None = None  # seconds


def error_of(response: FailedResponse, asked: Asked, now: float) -> ProviderError:
    """Return the error that a response is. `now` is in seconds since 1970."""
    details = read_details(response.body, asked.key)
    status, codes = response.status, details.codes
    if 300 <= status < 400:
        return _redirect(response, asked)
    if codes & _NO_QUOTA or status == 402 or "credit balance is too low" in details.sentence:
        return QuotaExhausted(_said(f"The account at {asked.host} has no credit or requests left.", details))
    if status in (401, 403) or codes & _BAD_KEY:
        return _key_error(asked, details)
    if _is_too_large(status, details):
        most = most_texts_in(details.sentence)
        return RequestTooLarge(_said(f"{asked.host} does not take so much at once.", details), most_texts=most)
    if status in (404, 405, 410, 501) or "model_not_found" in codes or _is_about_model(details, asked):
        return NothingThere(_said(_not_found(asked), details))
    if status in (408, 409, 425, 429) or status >= 500:
        return _unavailable(response, details, asked, now)
    if status in (400, 422) and not codes & _ABOUT_SETTINGS:
        return TextRejected(_said(f"{asked.host} refused the request (HTTP {status}).", details))
    return ProviderRejected(_said(f"{asked.host} refused the request (HTTP {status}).", details))


def _redirect(response: FailedResponse, asked: Asked) -> ProviderError:
    target = plain_sentence(response.headers.get("location", "").partition("?")[0], asked.key)
    where = f" to {target}" if target else ""
    return AddressRefused(
        f"{asked.url} redirects{where}. Memoro follows no redirects: set `{asked.section}.url` to the right URL."
    )


def _key_error(asked: Asked, details: ErrorDetails) -> ProviderError:
    if asked.key is None:
        return KeyRefused(_said(f"{asked.host} wants a key, and `{asked.section}.key` names none.", details))
    return KeyRefused(_said(f"{asked.host} does not accept the key.", details))


def _is_too_large(status: int, details: ErrorDetails) -> bool:
    if status == 413 or details.codes & _TOO_LARGE:
        return True
    # llama.cpp answers 500 where a text is longer than its physical batch.
    is_about_size = status in (400, 422) or (status == 500 and "too large to process" in details.sentence)
    return is_about_size and bool(_TOO_LARGE_WORDS.search(details.sentence))


def _is_about_model(details: ErrorDetails, asked: Asked) -> bool:
    """Voyage answers 400 where it has no such model."""
    is_missing = re.search(r"not (supported|found|available)|does not exist|unknown|invalid model", details.sentence)
    return bool(asked.model and asked.model in details.sentence and is_missing)


def _not_found(asked: Asked) -> str:
    if asked.model is None:
        return f"There is nothing at {asked.url}. Is `{asked.section}.url` right?"
    what = "embeddings" if asked.section == "embedding" else "language models"
    return (
        f"{asked.host} has no model {asked.model}, or no {what} at {asked.url}. "
        f"Check `{asked.section}.model` and `{asked.section}.url`."
    )


def _unavailable(response: FailedResponse, details: ErrorDetails, asked: Asked, now: float) -> ProviderError:
    if response.status == 500 and "unsupported value: nan" in details.sentence.lower():
        # Ollama answers so to a whole request if the vector of one of its texts has no number.
        return TextRejected(_said(f"{asked.host} computed a vector that is not a number.", details))
    wait = retry_after(response.headers, details, now)
    if response.status == 429:
        if any("perday" in code for code in details.codes):
            return QuotaExhausted(_said(f"The account at {asked.host} has no requests left for today.", details))
        return ProviderUnavailable(_said(f"{asked.host} has had too many requests.", details), retry_after=wait)
    if response.status == 500:
        return ServerFailed(_said(f"{asked.host} failed (HTTP 500).", details), retry_after=wait)
    what = "is overloaded" if response.status in (503, 529) else "failed"
    return ProviderUnavailable(_said(f"{asked.host} {what} (HTTP {response.status}).", details), retry_after=wait)


def _said(sentence: str, details: ErrorDetails) -> str:
    return f'{sentence} It says: "{details.sentence}"' if details.sentence else sentence


# --- what the body says ---------------------------------------------------------------------------------


def read_details(body: bytes, key: Key | None = None) -> ErrorDetails:
    """Return what the body of an error says, in any of the providers' forms. A web page says nothing."""
    text = body.decode("utf-8", "replace")
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        is_page = text.lstrip()[:1] == "<"
        return ErrorDetails() if is_page else ErrorDetails(plain_sentence(text, key))
    try:
        return _read_document(document, key)
    except RecursionError:
        return ErrorDetails()


def _read_document(document: object, key: Key | None) -> ErrorDetails:
    if isinstance(document, list) and document:
        document = document[0]
    error = document.get("error", document) if isinstance(document, dict) else document
    if isinstance(error, str):
        # llama.cpp and TEI put the kind beside the sentence: {"error": "…", "error_type": "…"}
        return ErrorDetails(plain_sentence(error, key), frozenset(_codes(document)))
    if not isinstance(error, dict):
        return ErrorDetails()
    sentence = next((s for s in (error.get(name) for name in ("message", "detail", "msg")) if s), "")
    return ErrorDetails(plain_sentence(_text_of(sentence), key), frozenset(_codes(error)), _retry_delay(error))


def _text_of(sentence: object) -> str:
    if isinstance(sentence, str):
        return sentence
    if isinstance(sentence, list) and sentence and isinstance(sentence[0], dict):  # FastAPI: [{"msg": …}]
        return _text_of(sentence[0].get("msg", ""))
    return ""


def _codes(error: object) -> Iterator[str]:
    if not isinstance(error, dict):
        return
    for name in ("code", "type", "status", "error_type", "reason"):
        if isinstance(error.get(name), str):
            yield error[name].lower()
    for detail in _list_of_dicts(error.get("details")):
        if isinstance(detail.get("reason"), str):
            yield str(detail["reason"]).lower()
        for violation in _list_of_dicts(detail.get("violations")):
            yield str(violation.get("quotaId", "")).lower()


def _retry_delay(error: Mapping[str, object]) -> float | None:
    for detail in _list_of_dicts(error.get("details")):
        found = duration(str(detail.get("retryDelay", "")))
        if found is not None:
            return found
    return None


def _list_of_dicts(value: object) -> list[dict[str, object]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def plain_sentence(text: str, key: Key | None = None) -> str:
    """Return a server's words on one line, without control characters or the key, cut to 200 characters."""
    visible = "".join(c if c.isprintable() else " " for c in text[: 10 * _LONGEST_SENTENCE])
    line = " ".join(visible.split())
    masked = key.mask(line) if key else line
    return masked if len(masked) <= _LONGEST_SENTENCE else masked[: _LONGEST_SENTENCE - 1] + "…"


def most_texts_in(sentence: str) -> int | None:
    """Return how many texts a server says that it takes at once; None where it does not, or means tokens."""
    if not _COUNTED.search(sentence) or "token" in sentence.lower():
        return None
    for pattern in _CAPS:
        for found in pattern.finditer(sentence):
            if 0 < int(found[1]) <= _MOST_TEXTS and "context" not in found[0].lower():
                return int(found[1])
    return None


# --- when to ask again ----------------------------------------------------------------------------------


def retry_after(headers: Mapping[str, str], details: ErrorDetails, now: float) -> float | None:
    """Return after how many seconds the server wants to be asked again; None where it does not say."""
    stated = headers.get("retry-after", "")
    milliseconds = _number(headers.get("retry-after-ms", ""))
    waits = [
        milliseconds / 1000 if milliseconds is not None else None,
        _number(stated),
        _until(stated, now),
        details.retry_delay,
        _longest_reset(headers),
    ]
    wait = next((seconds for seconds in waits if seconds is not None), None)
    return None if wait is None else min(max(wait, 0.0), _LONGEST_WAIT)


def _longest_reset(headers: Mapping[str, str]) -> float | None:
    resets = (duration(value) for name, value in headers.items() if name.startswith("x-ratelimit-reset"))
    return max((one for one in resets if one is not None and one <= _LONGEST_WAIT), default=None)


def _number(text: str) -> float | None:
    return float(text) if re.fullmatch(r"\s*[0-9]{1,12}(\.[0-9]{1,12})?\s*", text, re.ASCII) else None


def _until(date: str, now: float) -> float | None:
    try:
        return parsedate_to_datetime(date).timestamp() - now
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


_UNITS = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001}
_DURATION = re.compile(r"(?:[0-9]{1,9}(?:\.[0-9]{1,9})?(?:ms|h|m|s))+", re.ASCII)


def duration(text: str) -> float | None:
    """Return the seconds of a text such as 12s, 1.5s, 6m0s, 20ms or 3; None for any other."""
    text = text.strip()
    if not _DURATION.fullmatch(text):
        return _number(text)
    return sum(float(n) * _UNITS[unit] for n, unit in re.findall(r"([0-9.]+)(ms|h|m|s)", text))
