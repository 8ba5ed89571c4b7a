"""Secrets that can be told by their shape: keys, tokens, private keys, passwords. What is kept never holds one.

Three kinds of knowledge, from the surest to the weakest: how a vendor's token begins (`TOKENS`, `SHAPES`), what
stands around a secret (`CONTEXTS`), and a name that something is assigned to (`ASSIGNED`). That a string looks
random is never enough: commit hashes, identifiers and pictures look random too.

A text is read once for separators that a long word follows, which clean prose hardly has, and once for each of a
few hints. Patterns are compiled by `re` when their hint is first met. Every pattern takes linear time: a run that
has no bound either cannot begin again inside itself or is followed by nothing that could fail.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from memoro.model.secret_patterns import (
    ASSIGNED,
    AUTHORIZATION,
    BEARER,
    BEGIN_LENGTHS,
    BY_BEGINNING,
    CAPITALS,
    CODE,
    CONTEXTS,
    COOKIE,
    COOKIE_ATTRIBUTES,
    COOKIES,
    CURL_USER,
    KEYS,
    LONG_WORD,
    NAME_HINTS,
    NETRC,
    PLACEHOLDER,
    SECRET_VARIABLE,
    SHAPES,
    STAND_IN,
    TECHNICAL,
    URL_PASSWORD,
    WORDS,
)


class Redacted(NamedTuple):
    text: str
    kinds: tuple[str, ...]
    """What was taken out, in order of appearance."""


class _Span(NamedTuple):
    start: int
    end: int
    kind: str


_SHORTEST = 8  # a shorter value, even in quotes after "password =", is as often a word or a number
_SHORTEST_KNOWN = 12  # a value that is taken out wherever it stands must not be a word of the language
_PASSES = 4  # taking out one secret can uncover the edge of another; what needs more passes was made to


def redact(text: str, known: Sequence[str] = ()) -> Redacted:
    """The text without the secrets that can be told by their shape, nor the `known` ones; idempotent.

    In a secret's place stands its kind and the beginning of its SHA-256, so that the same secret can be recognised
    and none can be read: `[redacted:jwt:1f2e3d4c]`. All around it stays: names, schemes, users, hosts.
    """
    kinds: list[str] = []
    for _ in range(_PASSES):
        spans = _joined(_found(text, known), text)
        if not spans:
            break
        text = _without(text, spans)
        kinds += [span.kind for span in spans]
    return Redacted(text, tuple(kinds))


def known_values(environment: Mapping[str, str]) -> tuple[str, ...]:
    """The values of variables whose names say that they are secret, where they can be told from words.

    Paths, numbers, plain words and references to a secret kept elsewhere are none.
    """
    values = (value.strip() for name, value in environment.items() if re.search(SECRET_VARIABLE, name, re.ASCII))
    return tuple(dict.fromkeys(value for value in values if _can_be_known(value)))


def _can_be_known(value: str) -> bool:
    return (
        len(value) >= _SHORTEST_KNOWN
        and not re.match(STAND_IN, value)
        and not re.fullmatch(r"[0-9.,:+ -]+|(?:[/~.]|[A-Za-z]:\\)[\w ./\\:@+-]*|[a-z+]+://[^@]*", value, re.ASCII)
        and not re.fullmatch(WORDS, value.replace(" ", "-"), re.ASCII)
    )


def _without(text: str, spans: Sequence[_Span]) -> str:
    from hashlib import sha256  # only a text that has a secret pays for it

    parts = []
    done = 0
    for start, end, kind in spans:
        digest = sha256(text[start:end].encode("utf-8", "surrogatepass")).hexdigest()
        parts += [text[done:start], f"[redacted:{kind}:{digest[:8]}]"]
        done = end
    return "".join([*parts, text[done:]])


def _joined(found: Iterator[_Span], text: str) -> list[_Span]:
    """In order and apart: of spans that overlap, all is taken out, under the name of the longest or surest.

    What lies in a placeholder is not a secret: `url-password:1f2e3d4c` would be taken for one.
    """
    spans = sorted(found, key=lambda span: span.start)  # stable: the surest stays first
    if spans and "[redacted:" in text:
        spans = _outside(spans, [m.span() for m in re.finditer(PLACEHOLDER, text)])
    joined: list[_Span] = []
    for span in spans:
        if joined and span.start < joined[-1].end:
            last = joined.pop()
            kind = max(last, span, key=lambda one: one.end - one.start).kind
            span = _Span(last.start, max(last.end, span.end), kind)
        joined.append(span)
    return joined


def _outside(spans: list[_Span], placeholders: list[tuple[int, int]]) -> list[_Span]:
    kept = []
    ahead = iter([*placeholders, (10**18, 10**18)])
    start, end = next(ahead)
    for span in spans:
        while end <= span.start:
            start, end = next(ahead)
        if span.start < start:
            kept.append(span)
    return kept


def _found(text: str, known: Sequence[str]) -> Iterator[_Span]:
    """Every secret, the surest kinds first; spans may overlap."""
    lower = text.replace("\u0130", "i").lower()  # this letter alone would become two, and places would shift
    yield from _tokens(text)
    for kind, hint, pattern in SHAPES:
        if hint in text:
            yield from _shaped(kind, pattern, text)
    for kind, hint, pattern in CONTEXTS:
        if hint in lower:
            yield from _shaped(kind, pattern, text)
    yield from _in_headers(text, lower)
    yield from _in_addresses(text, lower)
    for hint in NAME_HINTS:
        if hint in lower:
            yield from _assigned(hint, text, lower)
    for value in known:
        yield from _known(value, text)


def _tokens(text: str) -> Iterator[_Span]:
    done = 0
    for found in re.finditer(LONG_WORD, text, re.ASCII):
        at = found.start()
        if at < done:
            continue
        span = _token_with_beginning(text, at + 1) if found[0] in "-_." else _token_with_capital(text, at)
        if span:
            yield span
            done = span.end


def _token_with_beginning(text: str, end: int) -> _Span | None:
    for length in BEGIN_LENGTHS:
        start = end - length
        rows = BY_BEGINNING.get(text[start:end]) if start >= 0 else None
        if not rows or (start and text[start - 1].isascii() and text[start - 1].isalnum()):
            continue
        for kind, goes_on in rows:
            if found := re.compile(goes_on, re.ASCII).match(text, end):
                return _Span(start, found.end(), kind)
    return None


def _token_with_capital(text: str, start: int) -> _Span | None:
    for kind, pattern in CAPITALS["[MNO]" if text[start] in "MNO" else text[start]][1]:
        if found := re.compile(pattern, re.ASCII).match(text, start):
            return _Span(start, found.end(), kind)
    return None


def _shaped(kind: str, pattern: str, text: str) -> Iterator[_Span]:
    for found in re.finditer(pattern, text, re.ASCII):
        yield _Span(*found.span(found.lastindex or 0), kind)


def _in_headers(text: str, lower: str) -> Iterator[_Span]:
    for kind, hint, pattern in (("authorization", "authorization", AUTHORIZATION), ("bearer", "bearer", BEARER)):
        if hint in lower:
            for found in re.finditer(pattern, text, re.ASCII):
                value = found[1].rstrip(".:")
                if _mixes(value) and not re.fullmatch(WORDS, value, re.ASCII):
                    yield _Span(found.start(1), found.start(1) + len(value), kind)
    if "cookie" in lower:
        for header in re.finditer(COOKIES, text, re.ASCII):
            for found in re.compile(COOKIE, re.ASCII).finditer(text, *header.span(1)):
                if found[1].lower() not in COOKIE_ATTRIBUTES and _mixes(found[2]):
                    yield _Span(*found.span(2), "cookie")


def _in_addresses(text: str, lower: str) -> Iterator[_Span]:
    for kind, hint, pattern in (
        ("url-password", "://", URL_PASSWORD),
        ("curl-password", "curl", CURL_USER),
        ("netrc-password", "machine", NETRC),
    ):
        if hint in lower:
            for found in re.finditer(pattern, text, re.ASCII):
                if not re.match(STAND_IN, found[1]):
                    yield _Span(*found.span(1), kind)


def _assigned(hint: str, text: str, lower: str) -> Iterator[_Span]:
    assigned = re.compile(ASSIGNED, re.ASCII)
    at = lower.find(hint)
    while at >= 0:
        found = assigned.match(text, at)
        if found and _names_a_secret(found, lower):
            start, value, sure = _value(found)
            kind = hint if hint in ("secret", "token", "key") else "password"
            if _is_password(value, sure=sure) if kind == "password" else _is_key(value):
                yield _Span(start, start + len(value), kind)
        at = lower.find(hint, found.end() if found else at + len(hint))


def _names_a_secret(found: re.Match[str], lower: str) -> bool:
    before = lower[max(0, found.start() - 32) : found.start()]
    if found["space"] and not re.search(r"--[\w-]*\Z", before):
        return False
    return not found["key"] or before.rstrip(" _-").endswith(KEYS)


def _value(found: re.Match[str]) -> tuple[int, str, bool]:
    """Where it begins, the value, and whether it is surely one: in quotes, or after an equals sign."""
    group = next(group for group in ("double", "single", "code", "bare") if found[group])
    start, value = found.start(group), found[group]
    if group != "bare":
        return start, value.removesuffix("\\"), True
    value = _trimmed(value)
    return start, "" if re.match(CODE, value, re.ASCII) else value, (found["sign"] or "").endswith("=")


def _trimmed(value: str) -> str:
    """Without what belongs to the sentence or the markup around it."""
    value = value.rstrip(".:*\\")
    for opening, closing in ("()", "[]", "{}"):
        if opening not in value:
            value = value.rstrip(closing)
    return value.rstrip(".:*\\")


def _is_password(value: str, *, sure: bool) -> bool:
    """Words joined by hyphens may be a password; where it is not `sure` that this is a value, they are prose."""
    if re.search(r"\w[!@#$%^&]+\w", value) and not re.fullmatch(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+", value):
        return len(value) >= _SHORTEST and not re.match(STAND_IN, value) and "://" not in value
    one_word = re.fullmatch(r"\w+", value.replace("_", "-"))
    return _mixes(value) and bool(sure or one_word or not re.fullmatch(WORDS, value, re.ASCII))


def _is_key(value: str) -> bool:
    return _mixes(value) and not re.fullmatch(WORDS, value, re.ASCII)


def _mixes(value: str) -> bool:
    """It has letters and digits beyond the names of algorithms, and is no stand-in for a secret."""
    if len(value) < _SHORTEST or "://" in value or re.match(STAND_IN, value):
        return False
    rest = re.sub(TECHNICAL, "", value)
    return bool(re.search(r"[0-9]", rest) and re.search(r"[^\W\d_]", rest)) and not rest.startswith(("/", "./", "~/"))


def _known(value: str, text: str) -> Iterator[_Span]:
    if len(value) < _SHORTEST:
        return  # taken out everywhere, it would leave holes in words
    escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    for form in {value, escaped}:
        at = text.find(form)
        while at >= 0:
            yield _Span(at, at + len(form), "known")
            at = text.find(form, at + len(form))
