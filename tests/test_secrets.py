"""Secrets are taken out by their shape, whole and wherever they stand; clean notes stay as they are."""

from __future__ import annotations

import hashlib
import random
import re
import subprocess
import sys
import time
from collections.abc import Callable
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoro.model.secrets import known_values, redact
from tests.conftest import times

LOWER = "abcdefghijklmnopqrstuvwxyz"
DIGITS = "0123456789"
HEX = DIGITS + "abcdef"
ALNUM = LOWER + LOWER.upper() + DIGITS
URLSAFE = ALNUM + "_-"
BASE64 = ALNUM + "+/"

dice = random.Random(46)


def some(alphabet: str, length: int) -> str:
    """Random and never like a word; a letter or digit at both ends, so that it is clear where it ends."""
    inner = [dice.choice(alphabet) for _ in range(length)]
    plain = [c for c in alphabet if c.isalnum()]
    inner[0], inner[-1] = dice.choice(plain), dice.choice(plain)
    return "".join(inner)


def password() -> str:
    return f"{some(LOWER, 3)}7{some(LOWER.upper(), 3)}!{some(ALNUM, 4)}9q"


def uuid() -> str:
    return "-".join(some(HEX, n) for n in (8, 4, 4, 4, 12))


def jwt() -> str:
    return ".".join(["ey" + "J" + some(URLSAFE, 30), "ey" + "J" + some(URLSAFE, 60), some(URLSAFE, 43)])


def block(label: str, lines: int = 5) -> str:
    body = "\n".join(some(BASE64, 64) for _ in range(lines))
    return f"-----BEGIN {label}-----\n{body}\n{some(BASE64, 21)}=\n-----END {label}-----"


class Sample(NamedTuple):
    """A secret, with what must stand before and after it for its kind to be told."""

    kind: str
    secret: str
    before: str = ""
    after: str = ""


def token(kind: str, begin: str, alphabet: str, length: int) -> Sample:
    return Sample(kind, begin + some(alphabet, length))


# No sample is written out: a scanner that reads this file must find nothing.
SAMPLES = [
    Sample("aws-key", "AK" + "IA" + some(LOWER.upper() + DIGITS, 16)),
    Sample("aws-key", "AS" + "IA" + some(LOWER.upper() + DIGITS, 16)),
    Sample("aws-secret", some(BASE64, 38) + "a1", before="aws_secret_access_key = "),
    token("aws-bedrock-key", "AB" + "SK", BASE64, 128),
    *(token("github-token", f"gh{letter}" + "_", ALNUM, 36) for letter in "pousr"),
    Sample("github-pat", "github" + "_pat_" + some(ALNUM, 22) + "_" + some(ALNUM, 59)),
    *(token("gitlab-token", f"gl{name}" + "-", URLSAFE, 20) for name in ("pat", "dt", "rt", "ft", "ptt", "soat")),
    token("gitlab-token", "GR" + "1348941", URLSAFE, 20),
    Sample("slack-token", "xox" + f"b-{some(DIGITS, 12)}-{some(DIGITS, 12)}-{some(ALNUM, 24)}"),
    Sample("slack-token", "xox" + f"p-{some(DIGITS, 12)}-{some(DIGITS, 12)}-{some(DIGITS, 12)}-{some(HEX, 32)}"),
    Sample("slack-token", "xa" + f"pp-1-A{some(ALNUM, 10)}-{some(DIGITS, 13)}-{some(HEX, 64)}"),
    Sample(
        "slack-webhook", f"T{some(ALNUM, 9)}/B{some(ALNUM, 9)}/{some(ALNUM, 24)}", "https://hooks.slack.com/services/"
    ),
    Sample("openai-key", "sk" + f"-{some(ALNUM, 20)}T3Blbk" + f"FJ{some(ALNUM, 20)}"),
    token("openai-key", "sk" + "-proj-", URLSAFE, 100),
    token("openai-key", "sk" + "-or-v1-", HEX, 64),
    Sample("anthropic-key", "sk" + f"-ant-api03-{some(URLSAFE, 93)}AA"),
    token("groq-key", "gs" + "k_", ALNUM, 52),
    token("xai-key", "xa" + "i-", ALNUM, 80),
    token("perplexity-key", "pp" + "lx-", ALNUM, 48),
    token("replicate-token", "r" + "8_", ALNUM, 37),
    token("pinecone-key", "pc" + "sk_", ALNUM, 60),
    Sample("langsmith-key", "ls" + f"v2_pt_{some(HEX, 32)}_{some(HEX, 10)}"),
    token("tavily-key", "tv" + "ly-", ALNUM, 32),
    token("huggingface-token", "h" + "f_", ALNUM, 34),
    token("huggingface-token", "api" + "_org_", ALNUM, 34),
    token("google-key", "AI" + "za", URLSAFE, 35),
    token("google-auth-key", "AQ" + ".Ab", URLSAFE, 48),
    token("google-oauth-token", "ya" + "29.", URLSAFE, 80),
    token("google-oauth-secret", "GOC" + "SPX-", URLSAFE, 28),
    token("google-refresh-token", "1/" + "/0", URLSAFE, 60),
    token("stripe-key", "sk" + "_live_", ALNUM, 24),
    token("stripe-key", "rk" + "_live_", ALNUM, 24),
    token("webhook-secret", "wh" + "sec_", ALNUM, 32),
    Sample("twilio-key", "S" + "K" + some(HEX, 32), before="twilio: "),
    Sample("twilio-key", "A" + "C" + some(HEX, 32), before="Twilio "),
    Sample("sendgrid-key", "S" + f"G.{some(URLSAFE, 22)}.{some(URLSAFE, 43)}"),
    token("mailgun-key", "ke" + "y-", HEX, 32),
    Sample("mailgun-key", f"{some(HEX, 32)}-{some(HEX, 8)}-{some(HEX, 8)}", before="mailgun "),
    Sample("mailchimp-key", some(HEX, 32) + "-u" + "s14"),
    Sample("brevo-key", "xkey" + f"sib-{some(HEX, 64)}-{some(ALNUM, 16)}"),
    token("npm-token", "np" + "m_", ALNUM, 36),
    token("pypi-token", "py" + "pi-AgEIcHlwaS5vcmc", URLSAFE, 150),
    token("rubygems-key", "ruby" + "gems_", HEX, 48),
    token("docker-token", "dckr" + "_pat_", URLSAFE, 27),
    token("vault-token", "hv" + "s.", URLSAFE, 90),
    Sample("vault-token", "s" + "." + some(ALNUM, 24), before="vault login "),
    Sample("terraform-token", f"{some(ALNUM, 14)}.atlas" + f"v1.{some(URLSAFE, 64)}"),
    token("digitalocean-token", "do" + "p_v1_", HEX, 64),
    Sample("heroku-key", uuid(), before="heroku auth "),
    token("heroku-key", "HR" + "KU-AA", URLSAFE, 58),
    *(token("shopify-token", f"shp{name}" + "_", HEX, 32) for name in ("at", "ca", "pa", "ss")),
    token("square-token", "sq" + "0atp-", URLSAFE, 22),
    token("square-token", "sq" + "0csp-", URLSAFE, 43),
    token("square-token", "EA" + "AA", URLSAFE, 60),
    Sample("telegram-token", f"{some('123456789', 10)}:A" + f"A{some(URLSAFE, 33)}"),
    Sample("discord-token", f"M{some(ALNUM, 25)}.{some(ALNUM, 6)}.{some(URLSAFE, 38)}"),
    Sample("discord-webhook", some(URLSAFE, 68), before=f"https://discord.com/api/webhooks/{some('12345', 18)}/"),
    token("databricks-token", "da" + "pi", HEX, 32),
    token("linear-key", "li" + "n_api_", ALNUM, 40),
    token("notion-token", "nt" + "n_", ALNUM, 46),
    token("notion-token", "sec" + "ret_", ALNUM, 43),
    token("figma-token", "fi" + "gd_", URLSAFE, 40),
    token("sentry-token", "snt" + "ryu_", HEX, 64),
    token("newrelic-key", "NR" + "AK-", LOWER.upper() + DIGITS, 27),
    Sample("grafana-token", "gl" + f"sa_{some(ALNUM, 32)}_{some(HEX, 8)}"),
    token("grafana-token", "gl" + "c_", BASE64, 80),
    token("fly-token", "fo" + "1_", URLSAFE, 43),
    token("fly-token", "fm" + "2_", BASE64, 100),
    token("supabase-key", "sb" + "p_", HEX, 40),
    token("supabase-key", "sb" + "_secret_", URLSAFE, 31),
    token("planetscale-token", "psc" + "ale_tkn_", URLSAFE, 43),
    token("planetscale-token", "psc" + "ale_pw_", URLSAFE, 43),
    Sample("postman-key", "PM" + f"AK-{some(HEX, 24)}-{some(HEX, 34)}"),
    token("doppler-token", "dp" + ".pt.", ALNUM, 43),
    token("age-key", "AGE-SEC" + "RET-KEY-1", "023456789ACDEFGHJKLMN" + "PQRSTUVWXYZ", 58),
    Sample("cloudflare-key", "v1" + f".0-{some(HEX, 24)}-{some(HEX, 146)}"),
    token("buildkite-token", "bk" + "ua_", HEX, 40),
    Sample("circleci-token", "CCI" + f"PAT_{some(ALNUM, 22)}_{some(HEX, 40)}"),
    token("pulumi-token", "pu" + "l-", HEX, 40),
    token("tailscale-key", "ts" + "key-auth-", ALNUM, 30),
    token("netlify-token", "nf" + "p_", ALNUM, 36),
    token("sourcegraph-token", "sg" + "p_", HEX, 40),
    token("contentful-token", "CF" + "PAT-", URLSAFE, 43),
    token("1password-token", "op" + "s_eyJ", ALNUM, 300),
    token("adobe-secret", "p8" + "e-", ALNUM, 32),
    token("atlassian-token", "AT" + "ATT3", URLSAFE, 186),
    token("atlassian-token", "AT" + "BB", ALNUM, 32),
    token("artifactory-key", "AK" + "Cp", ALNUM, 69),
    token("facebook-token", "EA" + "A", ALNUM, 150),
    token("alibaba-key", "LT" + "AI", ALNUM, 20),
    Sample("azure-secret", f"{some(ALNUM, 3)}8" + f"Q~{some(ALNUM, 34)}"),
    Sample("azure-key", some(BASE64, 86) + "==", before="Protocol=https;AccountKey=", after=";Suffix=x"),
    Sample("azure-sas", some(ALNUM, 43) + "%3D", before="https://a.example.net/c?sv=2024&sig=", after="&se=1"),
    Sample("signed-url", some(HEX, 64), before="https://b.s3.amazonaws.com/k?X-Amz-Signature=", after="&x=y"),
    Sample("teams-webhook", f"{uuid()}@{uuid()}/x/{some(HEX, 32)}", "https://a.webhook.office.com/webhookb2/"),
    Sample("jwt", jwt()),
    Sample("private-key", block("RSA PRIVATE " + "KEY")),
    Sample("private-key", block("PRIVATE " + "KEY")),
    Sample("private-key", block("EC PRIVATE " + "KEY", 2)),
    Sample("ssh-key", block("OPENSSH PRIVATE " + "KEY", 20)),
    Sample("pgp-key", block("PGP PRIVATE " + "KEY BLOCK", 30)),
    Sample("authorization", some(ALNUM, 40), before="Authorization: Bearer "),
    Sample("authorization", some(ALNUM, 22) + "1a==", before="authorization: Basic "),
    Sample("bearer", some(ALNUM, 40), before="sent it as Bearer "),
    Sample("cookie", some(ALNUM, 32), before="Cookie: theme=dark; sessionid=", after="; lang=en"),
    Sample("cookie", some(HEX, 32), before="Set-Cookie: sid=", after="; Path=/; HttpOnly"),
    Sample("url-password", password(), before="postgres://user:", after="@db.example.org:5432/app"),
    Sample("url-password", password(), before="redis://:", after="@cache"),
    Sample("curl-password", password(), before="curl -u alice:", after=" example.org"),
    Sample("netrc-password", password(), before="machine example.org login alice password "),
    Sample("password", password(), before="password = '", after="'"),
    Sample("password", password(), before="DB_PASSWORD="),
    Sample("password", password(), before="the wifi password is "),
    Sample("password", password(), before="**Password:** "),
    Sample("password", password(), before="Passwort: "),
    Sample("password", password(), before="密码："),
    Sample("password", password(), before="<password>", after="</password>"),
    Sample("password", password(), before="mysql --password "),
    Sample("secret", some(ALNUM, 20) + "4f", before="client_secret="),
    Sample("token", some(ALNUM, 20) + "4f", before="https://example.org/?access_token=", after="&user=bob"),
    Sample("token", uuid(), before="//registry.example.org/:_authToken="),
    Sample("key", some(ALNUM, 20) + "4f", before="API key: "),
    Sample("key", some(HEX, 30) + "4f", before="x-api-key: "),
]  # fmt: skip
KINDS = {sample.kind for sample in SAMPLES}

PLACES: dict[str, Callable[[str], str]] = {
    "alone": lambda it: it,
    "in a sentence": lambda it: f"Yesterday we wrote {it} and went home.",
    "at a sentence's end": lambda it: f"It is this one: {it}.",
    "in code": lambda it: f"Use `{it}` here.",
    "in a fence": lambda it: f"```sh\n{it}\n```\n",
    "in bold": lambda it: f"Use **{it}** here.",
    "in brackets": lambda it: f"(see {it}) and so on",
    "in JSON": lambda it: '{"note": "' + it.replace("\n", "\\n") + '", "n": 1}',
    "at the start": lambda it: f"{it}\nthen the rest.",
    "at the end": lambda it: f"The rest, then\n{it}",
    "between other scripts": lambda it: f"令牌 {it} 结束 — naïve 🙂",
    "touching other scripts": lambda it: f"令牌是{it}，好",
    "in a list": lambda it: f"- one\n- {it}\n- three",
    "in a quotation": lambda it: "> " + it.replace("\n", "\n> ") + "\n\nAnd so on.",
}


def tail(secret: str) -> str:
    """A part of the secret that would still be worth something."""
    return secret.strip("-")[-24:][:12]


def placeholder(kind: str, secret: str) -> str:
    return f"[redacted:{kind}:{hashlib.sha256(secret.encode()).hexdigest()[:8]}]"


def test_a_secret_becomes_its_kind_and_its_digest_and_what_is_around_it_stays() -> None:
    for kind, secret, before, after in SAMPLES:
        done = redact(f"{before}{secret}{after}")
        assert done == (f"{before}{placeholder(kind, secret)}{after}", (kind,))


@pytest.mark.parametrize("place", PLACES)
def test_a_secret_is_found_wherever_it_stands(place: str) -> None:
    for kind, secret, before, after in SAMPLES:
        text = PLACES[place](f"{before}{secret}{after}")
        written = secret.replace("\n", "\\n") if place == "in JSON" else secret
        written = written.replace("\n", "\n> ") if place == "in a quotation" else written
        assert redact(text) == (text.replace(written, placeholder(kind, written)), (kind,))


def test_the_same_secret_twice_is_recognisably_the_same() -> None:
    for kind, secret, before, after in SAMPLES:
        done = redact(f"{before}{secret}{after}\n\nand again\n\n{before}{secret}{after}\n")
        assert done.kinds == (kind, kind), before + secret
        assert done.text.count(placeholder(kind, secret)) == 2
        assert tail(secret) not in done.text


def test_a_redacted_text_has_no_secret_any_more() -> None:
    for sample in SAMPLES:
        once = redact(f"{sample.before}{sample.secret}{sample.after}")
        assert redact(once.text) == (once.text, ()), sample


def test_all_secrets_of_a_text_are_told_in_their_order() -> None:
    text = "\n".join(f"{sample.before}{sample.secret}{sample.after}" for sample in SAMPLES)
    done = redact(text)
    assert done.kinds == tuple(sample.kind for sample in SAMPLES)
    assert not [sample.kind for sample in SAMPLES if tail(sample.secret) in done.text]


@pytest.mark.parametrize("label", ["RSA PRIVATE " + "KEY", "OPENSSH PRIVATE " + "KEY", "PGP PRIVATE " + "KEY BLOCK"])
@pytest.mark.parametrize("cut", [3, 30, 90, 150])
@pytest.mark.parametrize("newline", ["\n", "\\n", "\r\n", "\n    "])
def test_a_private_key_that_is_cut_off_is_taken_out_as_far_as_it_goes(label: str, cut: int, newline: str) -> None:
    whole = block(label)
    lines = whole[: whole.index("-----END") - cut].split("\n")
    done = redact("See " + newline.join(lines))
    assert re.fullmatch(r"See \[redacted:[a-z]+-key:[0-9a-f]{8}\]", done.text)


def test_prose_after_a_key_that_is_cut_off_stays() -> None:
    whole = block("PRIVATE " + "KEY")
    done = redact(f"{whole[:200]}\n\nThen we went home, and nobody\nsaid a word.")
    assert done.text.endswith("]\n\nThen we went home, and nobody\nsaid a word.")


def test_an_encrypted_key_goes_with_its_headers() -> None:
    head, _, body = block("RSA PRIVATE " + "KEY").partition("\n")
    done = redact(f"{head}\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,{some(HEX, 32)}\n\n{body}")
    assert re.fullmatch(r"\[redacted:private-key:[0-9a-f]{8}\]", done.text)


def test_putty_keys_lose_their_private_lines_only() -> None:
    secret = f"\n{some(BASE64, 64)}\n{some(BASE64, 40)}"
    done = redact(f"Public-Lines: 1\nAAAA\nPrivate-Lines: 2{secret}\nPrivate-MAC: 00")
    assert done.text == f"Public-Lines: 1\nAAAA\nPrivate-Lines: 2{placeholder('putty-key', secret)}\nPrivate-MAC: 00"


@pytest.mark.parametrize("name", ["password", '"apiKey"', "clientSecret", "auth_token", "DB_PASS", "secret_key_base"])
def test_an_assigned_value_is_a_secret_if_it_mixes_letters_and_digits(name: str) -> None:
    for quoted in ('"{}"', "'{}'", '\\"{}\\"', "`{}`"):
        for sign in (" = ", ": ", ":", "=", " := ", " => ", " == "):
            secret = password()
            done = redact(f"x {name}{sign}{quoted.format(secret)}; y")
            assert len(done.kinds) == 1, f"{name}{sign}{quoted}"
            assert done.text == f"x {name}{sign}{quoted.format(placeholder(done.kinds[0], secret))}; y"


@pytest.mark.parametrize(
    "text",
    [
        "the password is required",
        "The password is base64url-encoded, the token is sha256-hashed.",
        "token: the unit of text",
        "Token: 128k-context models count 4 characters as one",
        "Password: 12-character minimum, with a digit",
        "password = <your-password-123>",
        "password: changeme123",
        "password=xxxxxxxx1",
        "api_key = $OPENAI_API_KEY2",
        "api_key = ${OPENAI_API_KEY2}",
        "api_key: {{ vault.api_key_2 }}",
        'token = os.environ["GITHUB_TOKEN_2"]',
        "token = process.env.GITHUB_TOKEN_2",
        "token = get_token_v2(user1)",
        "password = user1.password2",
        "password = None",
        "secret = true",
        "secret: my-app-secret-v1",
        "secret: /run/secrets/db1/password",
        "secret = env:MEMORO_KEY_2",
        "token_url = https://example.org/oauth2/token",
        "tokens: 12345 in, 678k out",
        "max_tokens = 4096",
        "the key: 2026-03-05T10:30:00Z",
        "api key: expires 2026-03-05",
        "password: ********",
        "Authorization: Bearer <token>",
        "Authorization: Bearer authentication is required",
        "Authorization: Bearer $TOKEN",
        "Basic Authorization: see section4",
        "Cookie: theme=dark; lang=en",
        "Cookie: name=chocolate, with nuts",
        "postgres://user:" + "password@localhost/db",
        "https://user:${PASSWORD}@example.org",
        "http://localhost:8080/@someone",
        "ssh git@github.com:someone/something.git",
        "commit 3fa85f64a1b2c3d4e5f60718293a4b5c6d7e8f90",
        "id 550e8400-e29b-41d4-a716-446655440000",
        "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk",
        "sk-learn-like-things-are-called-this-way-2",
        "task-" + "sk-circle-fade-dot-12-container",
        "Asia and EAAA and AKIA are four letters each",
        "A block begins with -----BEGIN PRIVATE " + "KEY----- and ends with five dashes.",
        "-----BEGIN PUBLIC KEY-----\nMFwwDQYJKoZIhvcNAQEBBQADSwAwSAJBAK\n-----END PUBLIC KEY-----",
        "-----BEGIN CERTIFICATE-----\nMFwwDQYJKoZIhvcNAQEBBQADSwAwSAJBAK\n-----END CERTIFICATE-----",
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl a@b",
        "the heroku app 'tea' and its id, no. 12",
        "keyboard: qwerty12345",
        "monkey = banana12345",
        "passed: 12of13tests",
        "author: someone1234abc",
    ],
)
def test_what_only_looks_like_a_secret_stays(text: str) -> None:
    assert redact(text) == (text, ())


VOCABULARY = [
    "the", "a", "of", "to", "and", "in", "we", "they", "it", "tea", "garden", "Berlin", "server", "token",
    "tokens", "password", "passwords", "secret", "key", "keys", "api", "API", "login", "cookie", "bearer",
    "authorization", "vault", "heroku", "twilio", "memory", "agent", "search", "index", "note", "Monday",
    "release", "meeting", "naïve", "绿茶", "prefers", "decided", "because", "required", "optional", "expires",
    "rotates", "stored", "hashed", "should", "never", "be", "is", "was", "are", "with", "about", "from",
]  # fmt: skip


def clean_note(chance: random.Random) -> str:
    """Prose with all that looks random in honest notes."""

    def of(alphabet: str, length: int) -> str:
        return "".join(chance.choice(alphabet) for _ in range(length))

    things = [
        lambda: of(HEX, 40),
        lambda: f"commit {of(HEX, 7)}",
        lambda: "-".join(of(HEX, n) for n in (8, 4, 4, 4, 12)),
        lambda: f"sha256:{of(HEX, 64)}",
        lambda: f"![x](data:image/png;base64,{of(BASE64, 120)})",
        lambda: f"https://example.org/{of(LOWER, 6)}/{of(ALNUM, 11)}?page={of(DIGITS, 2)}&ref={of(LOWER, 5)}",
        lambda: (
            f"https://github.com/{of(LOWER, 6)}/{of(LOWER, 8)}/pull/{of(DIGITS, 3)}#issuecomment-{of(DIGITS, 10)}"
        ),
        lambda: f"src/{of(LOWER, 6)}/{of(LOWER, 8)}_{of(LOWER, 5)}.py:{of(DIGITS, 3)}",
        lambda: f"v{of(DIGITS, 1)}.{of(DIGITS, 2)}.{of(DIGITS, 1)}-rc{of(DIGITS, 1)}",
        lambda: f"2026-0{of('123456789', 1)}-1{of(DIGITS, 1)}T10:30:00Z",
        lambda: f"`{of(LOWER, 5)}_{of(LOWER, 7)}({of(LOWER, 4)}=None)`",
        lambda: f'`password = get_password("{of(LOWER, 6)}")`',
        lambda: f'`token = os.environ["{of(LOWER, 6).upper()}_TOKEN"]`',
        lambda: f"`api_key: str | None = settings.{of(LOWER, 6)}_key`",
        lambda: "token: the unit of text",
        lambda: "password: required",
        lambda: f"max_tokens={of('123456789', 4)}",
        lambda: f"secret: {of(LOWER, 5)}-{of(LOWER, 6)}-v{of(DIGITS, 1)}",
        lambda: "Authorization: Bearer <token>",
        lambda: f"export {of(LOWER, 5).upper()}_API_KEY=${{{of(LOWER, 5).upper()}_KEY}}",
        lambda: f"ssh {of(LOWER, 5)}@{of(LOWER, 6)}.example.org:2222",
        lambda: (
            f"the {chance.choice(['password', 'token', 'secret', 'API key'])} {chance.choice(['is', 'was'])} "
            + chance.choice(["rotated yesterday", "required", "kept in 1Password", "base64-encoded", "12345"])
        ),
        lambda: f"+49 30 {of(DIGITS, 8)}",
        lambda: f"| token | {of(DIGITS, 3)}k | {of(LOWER, 9)} |",
        lambda: f"ISBN 978-3-{of(DIGITS, 2)}-{of(DIGITS, 6)}-{of(DIGITS, 1)}",
    ]
    words: list[str] = []
    for _ in range(chance.randint(5, 40)):
        words.append(chance.choice(things)() if chance.random() < 0.2 else chance.choice(VOCABULARY))
    return re.sub(r" (?=[,.\n])", "", " ".join(w + chance.choice(["", "", "", "", ",", ".", "\n"]) for w in words))


def test_clean_notes_stay_as_they_are() -> None:
    chance = random.Random(2026)
    notes = [clean_note(chance) for _ in range(times(10_000, 10_000, quick=1_000))]
    touched = [note for note in notes if redact(note) != (note, ())]
    # By chance a few say that a hash is the secret ("secret is 3fa8…"): a reader would believe them too.
    assert len(touched) <= 4, touched[:5]


texts = st.text(st.characters(), max_size=60) | st.text("ab1:= \n\"'[]-_./@&;", max_size=60)
samples = st.sampled_from(SAMPLES).map(lambda sample: f"{sample.before}{sample.secret}{sample.after}")
bits = st.sampled_from(SAMPLES).flatmap(
    lambda sample: st.integers(1, len(sample.secret)).map(lambda n: f"{sample.before}{sample.secret[:n]}")
)


@given(parts=st.lists(texts | samples | bits | st.just("[redacted:jwt:0a1b2c3d]"), max_size=8))
def test_redacting_twice_is_redacting_once(parts: list[str]) -> None:
    once = redact("".join(parts))
    assert redact(once.text) == (once.text, ())


@given(before=texts, sample=st.sampled_from(SAMPLES), after=texts)
def test_a_secret_in_any_text_is_taken_out(before: str, sample: Sample, after: str) -> None:
    done = redact(f"{before} \n{sample.before}{sample.secret}{sample.after} \n{after}")
    assert tail(sample.secret) not in done.text


@given(text=texts, known=st.lists(texts, max_size=3))
def test_any_text_can_be_redacted(text: str, known: list[str]) -> None:
    done = redact(text, known)
    assert bool(done.kinds) == (done.text != text)


def test_lower_case_keeps_every_place() -> None:
    longer = [chr(code) for code in range(sys.maxunicode + 1) if len(chr(code).lower()) != 1]
    assert longer == ["\u0130"]
    secret = password()
    assert secret not in redact("\u0130" * 50 + f" password={secret}").text


def test_a_placeholder_that_was_there_is_left_alone() -> None:
    text = "postgres://u:[redacted:url-password:12ab34cd]@h and password: [redacted:password:12ab34cd]"
    assert redact(text) == (text, ())


def test_secrets_that_overlap_leave_nothing_of_either() -> None:
    inner = "gh" + "p_" + some(ALNUM, 36)
    assert redact(f"postgres://user:{inner}!x@host").text.startswith("postgres://user:[redacted:url-password:")
    assert redact(f"password={inner}").kinds == ("github-token",)
    assert inner not in redact(f"password={inner}zz!,{inner}").text


def test_of_values_that_reach_into_each_other_nothing_stays() -> None:
    assert redact("<abcdefghijkl>", ["abcdefgh", "efghijkl"]).text == f"<{placeholder('known', 'abcdefghijkl')}>"
    assert redact("<abcdefghijkl>", ["cdefghij", "abcdefghijkl"]).text == f"<{placeholder('known', 'abcdefghijkl')}>"


def test_an_AWS_secret_is_told_by_the_key_before_it() -> None:
    key, secret = "AK" + "IA" + some(LOWER.upper() + DIGITS, 16), some(BASE64, 38) + "a1"
    assert redact(f"{key},{secret}\n").text == f"{placeholder('aws-key', key)},{placeholder('aws-secret', secret)}\n"


def test_known_values_are_taken_out_whatever_they_look_like() -> None:
    assert redact("say open-sesame-please twice: open-sesame-please", ["open-sesame-please"]).kinds == ("known",) * 2
    assert redact("it is short", ["short", "", "s"]) == ("it is short", ())


def test_a_known_value_is_found_as_JSON_writes_it() -> None:
    assert "sesame" not in redact(r'{"x": "open\n\"sesame\" please"}', ['open\n"sesame" please']).text


def test_known_values_are_those_of_secret_names_that_can_be_told_from_words() -> None:
    secret = some(ALNUM, 16) + "9z"
    named = [
        "OPENAI_API_KEY",
        "GITHUB_TOKEN",
        "DB_PASSWORD",
        "client_secret",
        "PGPASS",
        "SENTRY_AUTH_TOKEN",
        "MY_KEY_2",
    ]
    for name in named:
        assert known_values({name: secret}) == (secret,)
    for name in ["HOME", "EDITOR", "KEYBOARD", "TOKENIZERS_PARALLELISM", "PATH", "AUTHOR"]:
        assert known_values({name: secret}) == ()
    for value in [
        "short1", "", "correct-horse-battery", "several plain words", "/run/secrets/key1/file2", "~/.ssh/id_ed25519",
        "123456789012345", "https://example.org/auth/v1", "env:OTHER_TOKEN_1", "${OTHER_TOKEN_1}", "C:\\key1.pem",
    ]:  # fmt: skip
        assert known_values({"A_TOKEN": value}) == ()
    assert known_values({"A_TOKEN": secret, "B_KEY": f" {secret}\n"}) == (secret,)
    assert known_values({"OLDPWD": secret, "PWD": secret}) == ()


HOSTILE = {
    "letters": "a",
    "dashes": "-",
    "bars": "_",
    "dots": "a.",
    "bars and letters": "p_",
    "capitals": "-A-E-M",
    "digits": "1",
    "github": "gh" + "p_",
    "openai": "sk" + "-",
    "openai inside words": "ask-",
    "slack": "xox" + "b-",
    "jwt": "ey" + "J",
    "jwt with dashes": "-ey" + "J",
    "jwt with bars": "__ey" + "Ja.ey" + "J",
    "jwt parts": "ey" + "Jaaaaaaaaaa.",
    "blocks": "-----BEGIN PRIVATE " + "KEY-----",
    "blocks and lines": "-----BEGIN PRIVATE " + "KEY-----\n" + "a" * 64 + "\n",
    "headers in blocks": "-----BEGIN PRIVATE " + "KEY-----\nAaa: a\n",
    "ends": "-----END PRIVATE " + "KEY-----",
    "putty": "Private-Lines: 1\naaaa",
    "passwords": "password",
    "assignments": "password=",
    "assigned variables": "token=$",
    "assigned quotes": "password=\"password='",
    "assigned query": "token=aaaaaaaa&",
    "assigned with spaces": "secret         ",
    "keys": "api_key: ",
    "flags": "--token ",
    "urls": "://",
    "url users": "://a:",
    "url ats": "://a:@@@@@@",
    "cookies": "cookie: a=",
    "one cookie": "cookie:a",
    "bearer": "Bearer ",
    "bearer and a word": "Bearer aaaaaaaaaaaaaaaaaaaa ",
    "authorization": "authorization: basic ",
    "curl": "curl -u a:",
    "login": "machine a login a password ",
    "login spaces": "machine  login  ",
    "heroku": "heroku ",
    "telegram": "12345678:AA",
    "discord": "-M" + "a" * 24 + ".",
    "azure": "Q~",
    "sig": "&sig=",
    "placeholders": "[redacted:jwt:01234567]",
    "half placeholders": "[redacted:",
    "braces": "{",
    "spaces": " ",
    "new lines": "\n",
    "accents": "é",
    "chinese": "密码：",
    "secrets": "gh" + "p_" + "a1" * 18 + " ",
    "said": "password is a1 ",
    "described": "password for a a a a a is ",
    "said before": "a1 is the password ",
    "names without a value": "the password for the token of the api key 1 ",
    "keys of AWS": "AK" + "IA" + "A1" * 8 + " ",
    "placeholders of keys": "[redacted:aws-key:01234567] ",
    "lines of keys": "a1B/" * 16 + "\n",
    "lines of half keys": "a1B/" * 16 + "\n-\n",
    "one line of a key": "a1B/",
}

# One value without an end: what stands before it, what it is made of, and why it is none after all.
ENDLESS = {
    "separators": ("token: ", "-", "1a!"),
    "separators in words": ("token: a1", "-", "1a!"),
    "joined words": ("token: ", "a1-", "!"),
    "words of a password": ("password: ", "a.", "1!"),
    "code": ("password = ", "a.", "!"),
    "signs": ("password = ", "!", ""),
    "address": ("password: ", "a@", "."),
    "braces": ("password: {", "a", ""),
    "percent": ("password: %", "a", ""),
    "quotation": ('password: "', "a", ""),
    "query": ("token=aaaaaaaa", "&", ""),
    "cookie name": ("cookie: ", "a.", ""),
    "space in a header": ("authorization", " ", ""),
    "basic": ("authorization: basic ", "a-", "!"),
    "space in a block": ("-----BEGIN PRIVATE " + "KEY-----", "\n", ""),
    "dashes in a block": ("-----BEGIN PRIVATE " + "KEY-----", "- ", ""),
    "signs in a block": ("-----BEGIN PRIVATE " + "KEY-----", "+", "-"),
    "short lines in a block": ("-----BEGIN PRIVATE " + "KEY-----", "\n" + "a" * 15, "-"),
    "jwt": ("ey" + "J", "a", ".ey"),
    "putty": ("Private-Lines: 1", "\na", "-"),
    "netrc": ("machine a login b password ", ".", ""),
}
HOSTILE_TEXTS = {name: ("", unit, "") for name, unit in HOSTILE.items()} | {
    f"endless {name}": parts for name, parts in ENDLESS.items()
}


def cost(text: str) -> float:
    started = time.process_time()
    redact(text)
    return time.process_time() - started


@pytest.mark.parametrize("name", HOSTILE_TEXTS)
@pytest.mark.slow
def test_a_hostile_text_takes_time_by_its_length_and_no_more(name: str) -> None:
    """A quadratic pattern would take sixteen times as long for four times the text, and minutes for a megabyte."""
    size = times(250_000, 1_000_000)
    before, unit, after = HOSTILE_TEXTS[name]
    small, large = (f"{before}{unit * (length // len(unit))}{after}" for length in (size // 4, size))
    cost(small)
    assert cost(large) < 10 * max(cost(small), cost(small), 0.02)


@pytest.mark.slow
def test_a_long_clean_text_is_read_at_once() -> None:
    chance = random.Random(7)
    text = "\n".join(clean_note(chance) for _ in range(3000))
    assert cost(text) < 2


@pytest.mark.process
def test_a_clean_text_does_not_load_what_only_a_secret_needs() -> None:
    code = (
        "import sys; from memoro.model.secrets import redact; redact('green tea, the token is a unit');"
        "sys.exit('hashlib' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
