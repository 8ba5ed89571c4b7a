"""Secrets that people say in sentences are taken out, in seven languages; sentences about secrets stay."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

import pytest

from memoro.model.secrets import redact, redact_as_0_1_0
from tests.spoken_phrasings import HARMLESS, HELD_OUT, HELD_OUT_HARMLESS, PHRASINGS, Phrasing

LOWER, DIGITS, HEX = "abcdefghijkmnopqrstuvwxyz", "23456789", "0123456789abcdef"
BASE64 = LOWER + LOWER.upper() + DIGITS + "+/"
dice = random.Random(14)


def some(alphabet: str, length: int) -> str:
    return "".join(dice.choice(alphabet) for _ in range(length))


# Values that nobody would take for words, and some that only a sentence gives away.
RANDOM: dict[str, list[Callable[[], str]]] = {
    "password": [
        lambda: f"{some(LOWER, 3)}7{some(LOWER.upper(), 3)}!{some(LOWER + DIGITS, 4)}9q",
        lambda: (
            f"{some(LOWER.upper(), 1)}{some(DIGITS, 1)}{some(LOWER, 2)}{some(DIGITS, 2)}{some(LOWER.upper(), 3)}7k"
        ),
    ],
    "key": [
        lambda: f"trk_live_9f{some(LOWER, 1)}{some(DIGITS, 2)}{some(LOWER + DIGITS, 14)}7x",
        lambda: f"{some(LOWER, 2)}{some(DIGITS, 2)}{some(LOWER + LOWER.upper() + DIGITS, 26)}9Z",
        lambda: f"4f{some(HEX, 30)}",
    ],
}
WEAK: list[Callable[[], str]] = [
    lambda: f"hunter{some(DIGITS, 1)}",
    lambda: f"tiger-lily-{some(DIGITS, 2)}",
    lambda: f"S3cret{some(DIGITS, 2)}",
]


def filled(phrasing: Phrasing, makers: list[Callable[[], str]]) -> Iterator[tuple[str, str]]:
    for make in makers:
        value = make()
        yield phrasing.text.format(value), value


def caught(phrasings: list[Phrasing]) -> tuple[int, int]:
    """How many of the sentences lose their secret, with values of every kind, and how many there are."""
    told = [
        value not in redact(text).text
        for phrasing in phrasings
        for text, value in filled(phrasing, [*RANDOM[phrasing.kind], *(WEAK if phrasing.kind == "password" else [])])
    ]
    return sum(told), len(told)


@pytest.mark.parametrize("phrasing", PHRASINGS, ids=lambda phrasing: phrasing.text)
def test_a_secret_that_is_said_is_taken_out_and_the_sentence_stays(phrasing: Phrasing) -> None:
    for text, value in filled(phrasing, RANDOM[phrasing.kind]):
        done = redact(text)
        assert value not in done.text, text
        before, after = phrasing.text.split("{}")
        assert done.text.startswith(before) and done.text.endswith(after), done.text
        assert redact(done.text) == (done.text, ())


def test_weak_passwords_are_told_by_their_sentence() -> None:
    done, total = caught(PHRASINGS)
    assert done >= 0.95 * total, f"{done} of {total}"


@pytest.mark.parametrize("text", HARMLESS)
def test_a_sentence_about_a_secret_stays(text: str) -> None:
    assert redact(text) == (text, ())


def test_sentences_that_no_rule_was_tuned_on_fare_as_well() -> None:
    done, total = caught(HELD_OUT)
    assert done >= 0.9 * total, f"{done} of {total}"
    assert [text for text in HELD_OUT_HARMLESS if redact(text).kinds] == []


@pytest.mark.parametrize("between", [" and ", "\nsecret ", " / ", " with the matching ", "\n\nThe other one:\n\n"])
def test_a_bare_secret_of_AWS_goes_with_its_key(between: str) -> None:
    key, secret = "AK" + "IA" + some(LOWER.upper() + DIGITS, 16), some(BASE64, 36) + "a1B2"
    for text in (f"{key}{between}{secret}", redact(key).text + f"{between}{secret}", f"{secret}{between}{key}"):
        assert secret not in redact(text).text, text


def test_hashes_near_a_key_of_AWS_stay() -> None:
    key, commit = "AK" + "IA" + some(LOWER.upper() + DIGITS, 16), some(HEX, 40)
    assert commit in redact(f"{key} was removed in {commit}").text


def test_lines_of_a_private_key_without_its_beginning_go_and_those_of_a_certificate_stay() -> None:
    lines = "\n".join(some(BASE64, 60) + "a1Bc" for _ in range(4))
    assert redact(f"{lines}\n-----END RSA PRIVATE " + "KEY-----").kinds == ("key-lines",)
    certificate = f"-----BEGIN CERTIFICATE-----\n{lines}\n-----END CERTIFICATE-----"
    assert redact(certificate) == (certificate, ())


def test_messages_that_0_1_0_forgot_are_known_by_the_text_that_it_made() -> None:
    token = "gh" + "p_" + "a1B2" * 9
    assert redact_as_0_1_0("the password for the db is Kx7pQ2mZ9v") == "the password for the db is Kx7pQ2mZ9v"
    assert redact_as_0_1_0(f"use {token}") == redact(f"use {token}").text
