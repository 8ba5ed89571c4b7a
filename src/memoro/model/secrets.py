"""Redact secrets that their shape gives away: keys, tokens, private keys, passwords.

Evidence comes in three kinds, from the surest to the weakest: how a vendor's token begins (`TOKENS`,
`SHAPES`), what surrounds a secret (`CONTEXTS`), and the name that a value is assigned to (`ASSIGNED`). A
random look alone is never enough: commit hashes, identifiers and pictures look random too.

One pass looks for separators that a long word follows, which clean prose hardly has, and one for each of a
few hints.
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
    KEY_LINE_WIDTH,
    KEY_LINES,
    KEYS,
    LONG_WORD,
    NAME_HINTS,
    NETRC,
    PLACEHOLDER,
    PUBLIC_HEADER,
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
    """The kinds of the removed secrets, in order of appearance."""


class SecretSpan(NamedTuple):
    """Where a secret stands in a text."""

    start: int
    end: int
    kind: str


_SHORTEST = 8  # a shorter value, even in quotes after "password =", is as often a word or a number
_SHORTEST_KNOWN = 12  # a value that is removed everywhere must not be a common word
_PASSES = 4  # removing one secret can uncover the edge of another; text that needs more passes was crafted


def redact(text: str, known: Sequence[str] = (), *, keep_lines: bool = False) -> Redacted:
    """Return the text without recognisable secrets and without the `known` ones. Idempotent.

    A placeholder holds the kind and the start of the SHA-256 of the secret: `[redacted:jwt:1f2e3d4c]`. The
    same secret is recognisable, and none is readable. Names, schemes, users and hosts around it stay.
    With `keep_lines` the line ends of a secret stay, so that every other line keeps its number.
    """
    kinds: list[str] = []
    for _ in range(_PASSES):
        spans = spans_of(text, known)
        if not spans:
            break
        text = _without(text, spans, keep_lines=keep_lines)
        kinds += [span.kind for span in spans]
    return Redacted(text, tuple(kinds))


def spans_of(text: str, known: Sequence[str] = ()) -> list[SecretSpan]:
    """Return where secrets stand in the text, in order and without overlaps."""
    return _joined(_found(text, known), text)


def originals(text: str, known: Sequence[str] = ()) -> dict[str, str]:
    """Return the secrets of a text by the placeholders that `redact` puts in their place."""
    found: dict[str, str] = {}
    for _ in range(_PASSES):
        spans = spans_of(text, known)
        if not spans:
            break
        found |= {placeholder(text[start:end], kind): text[start:end] for start, end, kind in spans}
        text = _without(text, spans)
    return found


def placeholder(secret: str, kind: str) -> str:
    from hashlib import sha256  # only a text with a secret pays for it

    return f"[redacted:{kind}:{sha256(secret.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}]"


def known_values(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Return the values of environment variables with secret names, if they differ from ordinary words.

    Paths, numbers, plain words and references to a secret elsewhere are excluded.
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


def _without(text: str, spans: Sequence[SecretSpan], *, keep_lines: bool = False) -> str:
    parts = []
    done = 0
    for start, end, kind in spans:
        parts += [text[done:start], placeholder(text[start:end], kind)]
        if keep_lines:
            parts.append("\n" * text.count("\n", start, end))
        done = end
    return "".join([*parts, text[done:]])


def _joined(found: Iterator[SecretSpan], text: str) -> list[SecretSpan]:
    """Return the spans sorted and merged: an overlap becomes one span, named after the longest or surest.

    Spans inside a placeholder are dropped: `url-password:1f2e3d4c` would look like a secret.
    """
    spans = sorted(found, key=lambda span: span.start)  # stable: the surest stays first
    if spans and "[redacted:" in text:
        spans = _outside(spans, [m.span() for m in re.finditer(PLACEHOLDER, text)])
    joined: list[SecretSpan] = []
    for span in spans:
        if joined and span.start < joined[-1].end:
            last = joined.pop()
            kind = max(last, span, key=lambda one: one.end - one.start).kind
            span = SecretSpan(last.start, max(last.end, span.end), kind)
        joined.append(span)
    return joined


def _outside(spans: list[SecretSpan], placeholders: list[tuple[int, int]]) -> list[SecretSpan]:
    kept = []
    ahead = iter([*placeholders, (10**18, 10**18)])
    start, end = next(ahead)
    for span in spans:
        while end <= span.start:
            start, end = next(ahead)
        if span.start < start:
            kept.append(span)
    return kept


def _found(text: str, known: Sequence[str]) -> Iterator[SecretSpan]:
    """Yield every secret, the surest kinds first. Spans may overlap."""
    lower = text.replace("\u0130", "i").lower()  # this letter alone would become two, and offsets would shift
    yield from _tokens(text)
    for kind, hint, pattern in SHAPES:
        if hint in text:
            yield from _shaped(kind, pattern, text)
    for kind, hint, pattern in CONTEXTS:
        if hint in lower:
            yield from _shaped(kind, pattern, text)
    yield from _key_lines(text)
    yield from _in_headers(text, lower)
    yield from _in_addresses(text, lower)
    for hint in NAME_HINTS:
        if hint in lower:
            yield from _assigned(hint, text, lower)
    for value in known:
        yield from _known(value, text)


def _tokens(text: str) -> Iterator[SecretSpan]:
    done = 0
    for found in re.finditer(LONG_WORD, text, re.ASCII):
        at = found.start()
        if at < done:
            continue
        span = _token_with_beginning(text, at + 1) if found[0] in "-_." else _token_with_capital(text, at)
        if span:
            yield span
            done = span.end


def _token_with_beginning(text: str, end: int) -> SecretSpan | None:
    for length in BEGIN_LENGTHS:
        start = end - length
        rows = BY_BEGINNING.get(text[start:end]) if start >= 0 else None
        if not rows or (start and text[start - 1].isascii() and text[start - 1].isalnum()):
            continue
        for kind, goes_on in rows:
            if found := re.compile(goes_on, re.ASCII).match(text, end):
                return SecretSpan(start, found.end(), kind)
    return None


def _token_with_capital(text: str, start: int) -> SecretSpan | None:
    for kind, pattern in CAPITALS["[MNO]" if text[start] in "MNO" else text[start]][1]:
        if found := re.compile(pattern, re.ASCII).match(text, start):
            return SecretSpan(start, found.end(), kind)
    return None


def _shaped(kind: str, pattern: str, text: str) -> Iterator[SecretSpan]:
    for found in re.finditer(pattern, text, re.ASCII):
        yield SecretSpan(*found.span(found.lastindex or 0), kind)


def _key_lines(text: str) -> Iterator[SecretSpan]:
    """Yield lines of a private key whose beginning is elsewhere, as in a passage of a note that was cut.

    The lines of a certificate, a public key or a message look alike; the line before them tells.
    """
    if len(text) < 2 * KEY_LINE_WIDTH:
        return
    for found in re.finditer(KEY_LINES, text, re.ASCII):
        before = text[max(0, found.start() - 200) : found.start()]
        if PUBLIC_HEADER not in before and re.search(r"[0-9]", found[1]) and re.search(r"[a-z][A-Z]", found[1]):
            yield SecretSpan(found.start(), found.end(), "key-lines")


def _in_headers(text: str, lower: str) -> Iterator[SecretSpan]:
    for kind, hint, pattern in (("authorization", "authorization", AUTHORIZATION), ("bearer", "bearer", BEARER)):
        if hint in lower:
            for found in re.finditer(pattern, text, re.ASCII):
                value = found[1].rstrip(".:")
                if _mixes(value) and not re.fullmatch(WORDS, value, re.ASCII):
                    yield SecretSpan(found.start(1), found.start(1) + len(value), kind)
    if "cookie" in lower:
        for header in re.finditer(COOKIES, text, re.ASCII):
            for found in re.compile(COOKIE, re.ASCII).finditer(text, *header.span(1)):
                if found[1].lower() not in COOKIE_ATTRIBUTES and _mixes(found[2]):
                    yield SecretSpan(*found.span(2), "cookie")


def _in_addresses(text: str, lower: str) -> Iterator[SecretSpan]:
    for kind, hint, pattern in (
        ("url-password", "://", URL_PASSWORD),
        ("curl-password", "curl", CURL_USER),
        ("netrc-password", "machine", NETRC),
    ):
        if hint in lower:
            for found in re.finditer(pattern, text, re.ASCII):
                if not re.match(STAND_IN, found[1]):
                    yield SecretSpan(*found.span(1), kind)


def _assigned(hint: str, text: str, lower: str) -> Iterator[SecretSpan]:
    assigned = re.compile(ASSIGNED, re.ASCII)
    at = lower.find(hint)
    while at >= 0:
        found = assigned.match(text, at)
        if found and _names_a_secret(found, lower):
            start, value, sure = _value(found)
            kind = hint if hint in ("secret", "token", "key") else "password"
            if _is_password(value, sure=sure) if kind == "password" else _is_key(value):
                yield SecretSpan(start, start + len(value), kind)
        at = lower.find(hint, found.end() if found else at + len(hint))


def _names_a_secret(found: re.Match[str], lower: str) -> bool:
    before = lower[max(0, found.start() - 32) : found.start()]
    if found["space"] and not re.search(r"--[\w-]*\Z", before):
        return False
    return not found["key"] or before.rstrip(" _-").endswith(KEYS)


def _value(found: re.Match[str]) -> tuple[int, str, bool]:
    """Return the start, the value, and whether it surely is a value: in quotes, or after an equals sign."""
    group = next(group for group in ("double", "single", "code", "bare") if found[group])
    start, value = found.start(group), found[group]
    if group != "bare":
        return start, value.removesuffix("\\"), True
    value = _trimmed(value)
    return start, "" if re.match(CODE, value, re.ASCII) else value, (found["sign"] or "").endswith("=")


def _trimmed(value: str) -> str:
    """Strip punctuation and markup of the surrounding sentence."""
    value = value.rstrip(".:*\\")
    for opening, closing in ("()", "[]", "{}"):
        if opening not in value:
            value = value.rstrip(closing)
    return value.rstrip(".:*\\")


def _is_password(value: str, *, sure: bool) -> bool:
    """Return whether the value is a password. Hyphenated words count as prose unless `sure`."""
    if re.search(r"\w[!@#$%^&]+\w", value) and not re.fullmatch(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+", value):
        return len(value) >= _SHORTEST and not re.match(STAND_IN, value) and "://" not in value
    one_word = re.fullmatch(r"\w+", value.replace("_", "-"))
    return _mixes(value) and bool(sure or one_word or not re.fullmatch(WORDS, value, re.ASCII))


def _is_key(value: str) -> bool:
    return _mixes(value) and not re.fullmatch(WORDS, value, re.ASCII)


def _mixes(value: str) -> bool:
    """Return whether the value mixes letters and digits beyond names of algorithms, and is no placeholder."""
    if len(value) < _SHORTEST or "://" in value or re.match(STAND_IN, value):
        return False
    rest = re.sub(TECHNICAL, "", value)
    return bool(re.search(r"[0-9]", rest) and re.search(r"[^\W\d_]", rest)) and not rest.startswith(("/", "./", "~/"))


def _known(value: str, text: str) -> Iterator[SecretSpan]:
    if len(value) < _SHORTEST:
        return  # removed everywhere, it would leave holes in words
    escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    for form in {value, escaped}:
        at = text.find(form)
        while at >= 0:
            yield SecretSpan(at, at + len(form), "known")
            at = text.find(form, at + len(form))
