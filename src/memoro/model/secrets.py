"""Secrets that can be told by their shape: keys, tokens, private keys, passwords. What is kept never holds one.

Three kinds of knowledge, from the surest to the weakest: how a vendor's token begins (`_TOKENS`, `_SHAPES`), what
stands around a secret (`_CONTEXTS`), and a name that something is assigned to (`_ASSIGNED`). That a string looks
random is never enough: commit hashes, identifiers and pictures look random too.

A text is read once for separators that a long word follows, which clean prose hardly has, and once for each of a
few hints. Patterns are compiled by `re` when their hint is first met. Every pattern takes linear time: a run that
has no bound either cannot begin again inside itself or is followed by nothing that could fail.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple


class Redacted(NamedTuple):
    text: str
    kinds: tuple[str, ...]
    """What was taken out, in order of appearance."""


class _Span(NamedTuple):
    start: int
    end: int
    kind: str


_END = "(?![A-Za-z0-9])"
_UUID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"

# Kind; ways to begin, each ending with one of `-_.`, where a letter or digit before it makes it another word; how it
# goes on. Where two rows share a beginning the first that goes on as the text does is taken. Lengths are what vendors
# issue today, most of them open at the end: a token that grows must not slip through.
_TOKENS = (
    ("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", r"[A-Za-z0-9_]{36,}"),
    ("github-pat", "github_pat_", r"\w{36,}"),
    (
        "gitlab-token",
        "glpat- gldt- glft- glsoat- glrt- glrtr- glcbt- glimt- glptt- glagent- gloas- glffct- glwt-",
        r"[\w-]{20,}(?:\.[\w-]{2,20})*",
    ),
    ("slack-token", "xoxa- xoxb- xoxc- xoxd- xoxe- xoxo- xoxp- xoxr- xoxs- xoxe. xapp-", r"[\w%+/=-]{18,}"),
    ("anthropic-key", "sk-", r"ant-[\w-]{20,}"),
    ("openai-key", "sk-", r"(?:or-v1-|lf-)?[0-9a-f-]{32,}"),
    ("openai-key", "sk-", r"(?=[A-Za-z_-]{0,60}[0-9])(?=[a-z0-9_-]{0,60}[A-Z])[\w-]{20,}"),
    ("groq-key", "gsk_", r"[A-Za-z0-9]{40,}"),
    ("xai-key", "xai-", r"[A-Za-z0-9]{60,}"),
    ("perplexity-key", "pplx-", r"[A-Za-z0-9]{40,}"),
    ("replicate-token", "r8_", r"[A-Za-z0-9]{37,}"),
    ("pinecone-key", "pcsk_", r"\w{40,}"),
    ("langsmith-key", "lsv2_pt_ lsv2_sk_", r"[0-9a-f]{32}_[0-9a-f]{10}"),
    ("tavily-key", "tvly-", r"(?:dev-|prod-)?[A-Za-z0-9-]{20,}"),
    ("huggingface-token", "hf_", r"[A-Za-z0-9]{30,}"),
    ("huggingface-token", "api_org_", r"[A-Za-z0-9]{34,}"),
    ("google-oauth-token", "ya29.", r"[\w-]{20,}(?:\.[\w-]+)*"),
    ("google-oauth-secret", "GOCSPX-", r"[\w-]{20,}"),
    ("google-auth-key", "AQ.", r"Ab[\w-]{30,}"),
    ("stripe-key", "sk_live_ sk_test_ rk_live_ rk_test_", r"[A-Za-z0-9_]{16,}"),
    ("webhook-secret", "whsec_", r"[A-Za-z0-9+/_-]{24,}={0,2}"),
    ("sendgrid-key", "SG.", r"[\w-]{16,32}\.[\w-]{16,}"),
    ("mailgun-key", "key-", rf"[0-9a-f]{{32}}{_END}"),
    ("brevo-key", "xkeysib- xsmtpsib-", r"[0-9a-f]{64}-[A-Za-z0-9]{16}"),
    ("npm-token", "npm_", r"[A-Za-z0-9]{36,}"),
    ("pypi-token", "pypi-", r"Ag[\w-]{50,}"),
    ("rubygems-key", "rubygems_", r"[0-9a-f]{48}"),
    ("docker-token", "dckr_pat_ dckr_oat_", r"[\w-]{20,}"),
    ("vault-token", "hvs. hvb. hvr.", r"[\w-]{20,}"),
    ("digitalocean-token", "dop_v1_ doo_v1_ dor_v1_", r"[0-9a-f]{64}"),
    ("heroku-key", "HRKU-", r"[\w-]{36,}"),
    ("shopify-token", "shpat_ shpca_ shppa_ shpss_ shptka_", r"[0-9a-fA-F]{32,}"),
    ("square-token", "sq0atp- sq0csp-", r"[\w-]{22,}"),
    ("linear-key", "lin_api_ lin_oauth_", r"[A-Za-z0-9]{32,}"),
    ("notion-token", "ntn_", r"[A-Za-z0-9]{40,}"),
    ("notion-token", "secret_", rf"[A-Za-z0-9]{{43}}{_END}"),
    ("figma-token", "figd_ figu_ figo_", r"[\w-]{36,}"),
    ("sentry-token", "sntrys_ sntryu_", r"[A-Za-z0-9+/=_-]{40,}"),
    ("newrelic-key", "NRAK- NRJS- NRII- NRAA-", r"[A-Za-z0-9-]{19,}"),
    ("grafana-token", "glsa_", r"[A-Za-z0-9]{32}_[0-9a-fA-F]{8}"),
    ("grafana-token", "glc_", r"[A-Za-z0-9+/]{32,}={0,2}"),
    ("fly-token", "fo1_", r"[\w-]{43,}"),
    ("fly-token", "fm1a_ fm1r_ fm2_", r"[A-Za-z0-9+/]{60,}={0,3}(?:,fm2_[A-Za-z0-9+/]{60,}={0,3})*"),
    ("supabase-key", "sbp_", r"(?:v0_)?[0-9a-f]{40,}"),
    ("supabase-key", "sb_secret_", r"[\w-]{24,}"),
    ("planetscale-token", "pscale_tkn_ pscale_pw_ pscale_oauth_", r"[\w=-]{32,}(?:\.[\w=-]+)*"),
    ("postman-key", "PMAK-", r"[0-9a-f]{24}-[0-9a-f]{34}"),
    ("doppler-token", "dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.", r"(?:[\w-]{1,35}\.)?[A-Za-z0-9]{40,}"),
    ("age-key", "AGE-SECRET-KEY-", r"1[0-9A-Z]{58}"),
    ("cloudflare-key", "v1.0-", r"[0-9a-f]{24}-[0-9a-f]{146}"),
    ("buildkite-token", "bkua_", r"[0-9a-f]{40}"),
    ("circleci-token", "CCIPAT_ CCIPRJ_", r"[A-Za-z0-9]{16,}_[0-9a-f]{40}"),
    ("pulumi-token", "pul-", rf"[0-9a-f]{{40}}{_END}"),
    ("tailscale-key", "tskey-", r"(?:api|auth|client|scim|webhook)-[A-Za-z0-9-]{16,}"),
    ("netlify-token", "nfp_ nfc_ nfo_", r"[A-Za-z0-9]{36,}"),
    ("sourcegraph-token", "sgp_", r"(?:(?:[0-9a-f]{16}|local)_)?[0-9a-f]{40}"),
    ("contentful-token", "CFPAT-", r"[\w-]{43,}"),
    ("1password-token", "ops_", r"eyJ[A-Za-z0-9+/]{200,}={0,3}"),
    ("adobe-secret", "p8e-", r"[A-Za-z0-9_-]{32,}"),
)

# No separator to be found by: a capital letter, and what must follow it for the patterns to be tried.
_CAPITALS = {
    "A": (
        "[KSBCI3T]",
        (
            ("aws-key", rf"A(?:KIA|SIA|BIA|CCA|3T[A-Z0-9])[A-Z0-9]{{16}}{_END}"),
            ("aws-bedrock-key", r"ABSK[A-Za-z0-9+/]{100,}={0,2}"),
            ("google-key", r"AIza[\w-]{35,}"),
            ("atlassian-token", r"AT(?:ATT|CTT)3[\w=-]{60,}"),
            ("atlassian-token", rf"ATBB[A-Za-z0-9]{{32}}{_END}"),
            ("artifactory-key", r"AKC[A-Za-z0-9]{50,}"),
        ),
    ),
    "E": ("AA", (("square-token", rf"EAAA[\w-]{{60}}{_END}"), ("facebook-token", r"EAA[A-Za-z0-9]{80,}"))),
    "G": ("R1348941", (("gitlab-token", r"GR1348941[\w-]{20,}"),)),
    "L": ("TAI", (("alibaba-key", rf"LTAI[A-Za-z0-9]{{12,26}}{_END}"),)),
    "[MNO]": (
        r"[\w-]{23,27}\.",
        (("discord-token", r"[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,}"),),
    ),
}

_PRIVATE = "PRIVATE KEY"
_BASE64_LINE = r"(?:[\s>+|\"',]|\\[nr])*[A-Za-z0-9+/=]{16,}"
# Up to its own end; else, being cut off, as far as there are long lines of base64, and what is left of the last one.
_PEM_BODY = (
    r"(?:[^-]*+(?:-(?!----)[^-]*+)*+-----END [A-Z0-9 ]{3,40}-----"
    r"|(?:(?:\s|\\[nr])*[A-Z][A-Za-z-]{2,20}: [^\n\\]*)*+"
    rf"(?:{_BASE64_LINE})++(?:(?:\s|\\[nr])+[A-Za-z0-9+/=]+\s*\Z)?)"
)

# Kind; a hint without which the pattern is not tried; the pattern, whose group 1 or else the whole is the secret.
_SHAPES = (
    ("ssh-key", _PRIVATE, rf"-----BEGIN OPENSSH {_PRIVATE}-----{_PEM_BODY}"),
    ("pgp-key", _PRIVATE, rf"-----BEGIN PGP {_PRIVATE} BLOCK-----{_PEM_BODY}"),
    (
        "private-key",
        _PRIVATE,
        rf"-----BEGIN (?!OPENSSH)(?:[A-Z0-9]{{2,12}} ){{0,3}}{_PRIVATE}-----{_PEM_BODY}",
    ),
    ("putty-key", "Private-Lines: ", r"Private-Lines: \d+((?:\r?\n[A-Za-z0-9+/=]+(?=\r?\n|\Z))+)"),
    # The lookbehinds let a mark of emphasis stand before it, and no other part of a word: see the module's docstring.
    ("jwt", "eyJ", r"eyJ(?<![\w-]{2}eyJ)(?<![A-Za-z0-9-]eyJ)[\w-]{8,}\.eyJ[\w-]{8,}(?:\.[\w-]+){0,3}"),
    ("telegram-token", ":AA", rf"(?<![0-9])[0-9]{{8,10}}:AA[\w-]{{33}}{_END}"),
    ("mailchimp-key", "-us", rf"(?<![A-Za-z0-9])[0-9a-f]{{32}}-us[0-9]{{1,2}}{_END}"),
    ("terraform-token", ".atlasv1.", r"(?<![A-Za-z0-9])[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{50,}"),
    ("azure-secret", "Q~", r"(?<![\w~.-])[\w~.-]{3}[0-9]Q~[\w~.-]{31,34}(?![\w~-])"),
    ("google-refresh-token", "1//0", r"(?<![A-Za-z0-9])1//0[\w-]{30,}"),
    ("databricks-token", "dapi", rf"dapi(?<![A-Za-z0-9]dapi)[0-9a-f]{{32}}(?:-[0-9])?{_END}"),
    ("slack-webhook", "hooks.slack.com/", r"hooks\.slack\.com/(?:services|workflows|triggers)/([\w/+-]{20,})"),
    ("discord-webhook", "/api/webhooks/", r"/api/webhooks/[0-9]{10,20}/([\w-]{40,})"),
    ("teams-webhook", ".webhook.office.com/", r"\.webhook\.office\.com/webhookb2/([\w@/-]{40,})"),
)

# The same, but the hint is looked for in the text in lower case.
_CONTEXTS = (
    (
        "aws-secret",
        "secret",
        r"(?i:secret[_ -]?(?:access[_ -]?)?key)[^\w/+]{1,8}([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])",
    ),
    ("aws-secret", "akia", r"AKIA[A-Z0-9]{16}[^\w/+]{1,8}([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])"),
    ("twilio-key", "twilio", rf"(?<![A-Za-z0-9])(?:SK|AC)[0-9a-f]{{32}}{_END}"),
    ("heroku-key", "heroku", rf"(?i:heroku[^\n]{{0,20}}?(?:key|token|auth|api))[^\w\n]{{1,6}}({_UUID}){_END}"),
    ("vault-token", "vault", rf"(?<![\w.])s\.[A-Za-z0-9]{{24}}{_END}"),
    ("mailgun-key", "mailgun", rf"(?<![A-Za-z0-9-])[0-9a-f]{{32}}-[0-9a-f]{{8}}-[0-9a-f]{{8}}{_END}"),
    ("azure-key", "key=", r"(?i:account|sharedaccess)(?i:key)=([A-Za-z0-9+/]{40,}={0,2})"),
    ("azure-sas", "sig=", r"[?&;]sig=([A-Za-z0-9%+/_=-]{20,})"),
    ("signed-url", "signature=", r"(?i:x-(?:amz|goog)-signature=)([0-9a-fA-F]{40,})"),
)

_QUOTE = r"\\?[\"'`]"
_VALUE = r"[\w.~+/=%:-]"
_AUTHORIZATION = (
    rf"(?i:authorization){_QUOTE}?[ \t]*[:=][ \t]*{_QUOTE}?"
    rf"(?:(?i:bearer|basic|token|digest|apikey|bot)[ \t]+)?({_VALUE}{{8,}})"
)
_BEARER = rf"(?:Bearer|BEARER)[ \t]+({_VALUE}{{16,}})"
_COOKIES = rf"(?i:cookie){_QUOTE}?[ \t]*[:=]([^\r\n]+)"
_COOKIE = r"(?<![\w.-])([\w.-]++)=([^;\s\"',]{8,})"
_COOKIE_ATTRIBUTES = frozenset(["expires", "path", "domain", "max-age", "samesite", "priority"])
# The user may be missing (redis://:…@host). A password may hold an @ of its own: the last one before the path counts.
_URL_PASSWORD = r"://[^\s:/@?#\"'<>\[\]]{0,100}:([^\s/?#\"'<>]{1,200})@(?=[^\s@])"
_CURL_USER = rf"\s(?:-u|--user)[ =]?{_QUOTE}?[^\s:\"']{{1,64}}:([^\s\"'`]{{4,}})"
_NETRC = (
    r"(?i:machine)\s{1,20}\S{1,100}\s{1,20}(?i:login)\s{1,20}\S{1,100}\s{1,20}(?i:password)\s{1,20}"
    r"([^\s\"'`,，。]{4,}(?<![.)*]))"
)

# What a name ends with that is given a secret, and what stands before "key" in one.
_NAME_HINTS = (
    "pass", "secret", "token", "key", "pwd", "credential", "kennwort", "contrase", "senha",
    "пароль", "密码", "密碼", "パスワード", "비밀번호",
)  # fmt: skip
_KEYS = (
    "api", "app", "access", "account", "admin", "auth", "client", "consumer", "deploy", "encryption", "license",
    "master", "private", "secret", "service", "session", "shared", "signing", "ssh", "storage",
    "subscription", "webhook",
)  # fmt: skip
_NAME = (
    r"(?i:pass(?:(?:word|wd|phrase|code|wort)s?|e)|(?<=[_-])pass|pwd|kennwort|contrase[ñn]a|senha|(?P<key>key)"
    r"|secret|credentials?|token)|[Пп]ароль|ПАРОЛЬ|密码|密碼|パスワード|비밀번호"
)
_BARE = r"[^\s\"'`<>,;|&，。；、）」]"
# Between a name and its value: a sign, or a verb, or, for a flag of a command, a space.
_ASSIGNED = (
    rf"(?:{_NAME})(?i:[_-]?(?:base|key|value|prod|dev|test|staging|live|[0-9]{{1,3}}))?"
    r"(?:\\?[\"'`*\]_]{0,3}[ \t]{0,8}(?P<sign>:=|=>|!?={1,3}|[:：|]|>(?=[^<>\s]+</))"
    r"[ \t]{0,8}(?:[*_]{1,2}[ \t]{0,8})?"
    r"|[ \t]{1,8}(?:is|was|to)(?: now)?:?[ \t]{1,8}|(?P<space>[ \t]{1,8}))"
    r"(?:\\?(?:\"(?P<double>[^\"\s]{8,})\"|'(?P<single>[^'\s]{8,})'|`(?P<code>[^`\s]{8,})`)"
    rf"|(?P<bare>{_BARE}{{8,}}(?:&(?![\w.-]{{1,40}}=){_BARE}*)*))"
)

# What people write where a secret would stand, and where code fetches it from.
_STAND_IN = (
    r"(?i:<|\[redacted|\{\{|\{\w*\}|\$[{(]|%\(?\w+\)?[%s]|x{3,}|\*{3,}|\.{3}|…|-+\Z|_+\Z"
    r"|your|change[_-]?(?:me|it|this)|replace|insert|example|sample|placeholder|dummy|fake|redacted|todo"
    r"|test[_-]?(?:password|token|key|secret)"
    r"|(?:none|null|nil|true|false|undefined|pass(?:word|wd)?|pwd|pw|secret|token)\Z"
    r"|(?:env|vault|keyring|file|ref|op|ssm|arn|sha256|data):"
    r"|(?:os|process|import|env|secrets?|vars?|config|settings|self|this|args|local)\."
    r"|getenv|env\[)|\$[A-Z_][A-Z0-9_]*\Z|\$[a-z_.]+\Z"
)
_CODE = r"[A-Za-z_][\w.]*[(\[]|[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+\Z"
# Names of algorithms and the like, and times: letters and digits that say nothing secret.
_TECHNICAL = (
    r"(?i:sha-?[0-9]{1,3}|md5|base(?:16|32|58|62|64)(?:url)?|oauth2?|utf-?(?:8|16|32)|ed25519|argon2(?:id?|d)?|pbkdf2"
    r"|[hrep]s(?:256|384|512)|aes-?[0-9]{3}|x509|pkcs#?[0-9]{1,2}|x25519|p-?256|curve25519|rfc-?[0-9]{3,4}"
    r"|http/?[0-9.]*)"
    r"|[0-9]{4}-[0-9]{2}-[0-9]{2}(?:T[0-9:.]+Z?)?"
)
# Words and numbers joined as in identifiers, paths, versions and hyphenated prose. Possessive throughout: given
# back, a row of separators could be divided in more ways than there is time for.
_WORDS = r"[./~_:@-]*+(?:(?:[A-Za-z]++[0-9]{0,3}+|[0-9]{1,6}+[A-Za-z]{0,3}+)?+(?:[./_:@-]++|\Z))++"

_SECRET_VARIABLE = (
    r"(?i)(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|PASS|(?<=[A-Z_])PWD|CREDENTIALS?|AUTH|COOKIE|DSN|PAT"
    r"|CONNECTION_?STRING)S?(?:_[A-Z0-9]+)?\Z(?<!OLDPWD)"
)

_PLACEHOLDER = r"\[redacted:[a-z0-9-]{1,40}:[0-9a-f]{8}\]"
_BY_BEGINNING: dict[str, list[tuple[str, str]]] = {}
for _kind, _begins, _goes_on in _TOKENS:
    for _begin in _begins.split():
        _BY_BEGINNING.setdefault(_begin, []).append((_kind, _goes_on))
_BEGIN_LENGTHS = sorted({len(begin) for begin in _BY_BEGINNING}, reverse=True)
_LONG_WORD = (
    r"[-_.AEGLMNO](?:(?<=[A-Za-z0-9][-_.])(?=[\w.+/=%-]{16})|(?<![A-Za-z0-9].)(?:"
    + "|".join(f"(?<={capital})(?={follows})" for capital, (follows, _) in _CAPITALS.items())
    + "))"
)

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
    values = (value.strip() for name, value in environment.items() if re.search(_SECRET_VARIABLE, name, re.ASCII))
    return tuple(dict.fromkeys(value for value in values if _can_be_known(value)))


def _can_be_known(value: str) -> bool:
    return (
        len(value) >= _SHORTEST_KNOWN
        and not re.match(_STAND_IN, value)
        and not re.fullmatch(r"[0-9.,:+ -]+|(?:[/~.]|[A-Za-z]:\\)[\w ./\\:@+-]*|[a-z+]+://[^@]*", value, re.ASCII)
        and not re.fullmatch(_WORDS, value.replace(" ", "-"), re.ASCII)
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
        spans = _outside(spans, [m.span() for m in re.finditer(_PLACEHOLDER, text)])
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
    for kind, hint, pattern in _SHAPES:
        if hint in text:
            yield from _shaped(kind, pattern, text)
    for kind, hint, pattern in _CONTEXTS:
        if hint in lower:
            yield from _shaped(kind, pattern, text)
    yield from _in_headers(text, lower)
    yield from _in_addresses(text, lower)
    for hint in _NAME_HINTS:
        if hint in lower:
            yield from _assigned(hint, text, lower)
    for value in known:
        yield from _known(value, text)


def _tokens(text: str) -> Iterator[_Span]:
    done = 0
    for found in re.finditer(_LONG_WORD, text, re.ASCII):
        at = found.start()
        if at < done:
            continue
        span = _token_with_beginning(text, at + 1) if found[0] in "-_." else _token_with_capital(text, at)
        if span:
            yield span
            done = span.end


def _token_with_beginning(text: str, end: int) -> _Span | None:
    for length in _BEGIN_LENGTHS:
        start = end - length
        rows = _BY_BEGINNING.get(text[start:end]) if start >= 0 else None
        if not rows or (start and text[start - 1].isascii() and text[start - 1].isalnum()):
            continue
        for kind, goes_on in rows:
            if found := re.compile(goes_on, re.ASCII).match(text, end):
                return _Span(start, found.end(), kind)
    return None


def _token_with_capital(text: str, start: int) -> _Span | None:
    for kind, pattern in _CAPITALS["[MNO]" if text[start] in "MNO" else text[start]][1]:
        if found := re.compile(pattern, re.ASCII).match(text, start):
            return _Span(start, found.end(), kind)
    return None


def _shaped(kind: str, pattern: str, text: str) -> Iterator[_Span]:
    for found in re.finditer(pattern, text, re.ASCII):
        yield _Span(*found.span(found.lastindex or 0), kind)


def _in_headers(text: str, lower: str) -> Iterator[_Span]:
    for kind, hint, pattern in (("authorization", "authorization", _AUTHORIZATION), ("bearer", "bearer", _BEARER)):
        if hint in lower:
            for found in re.finditer(pattern, text, re.ASCII):
                value = found[1].rstrip(".:")
                if _mixes(value) and not re.fullmatch(_WORDS, value, re.ASCII):
                    yield _Span(found.start(1), found.start(1) + len(value), kind)
    if "cookie" in lower:
        for header in re.finditer(_COOKIES, text, re.ASCII):
            for found in re.compile(_COOKIE, re.ASCII).finditer(text, *header.span(1)):
                if found[1].lower() not in _COOKIE_ATTRIBUTES and _mixes(found[2]):
                    yield _Span(*found.span(2), "cookie")


def _in_addresses(text: str, lower: str) -> Iterator[_Span]:
    for kind, hint, pattern in (
        ("url-password", "://", _URL_PASSWORD),
        ("curl-password", "curl", _CURL_USER),
        ("netrc-password", "machine", _NETRC),
    ):
        if hint in lower:
            for found in re.finditer(pattern, text, re.ASCII):
                if not re.match(_STAND_IN, found[1]):
                    yield _Span(*found.span(1), kind)


def _assigned(hint: str, text: str, lower: str) -> Iterator[_Span]:
    assigned = re.compile(_ASSIGNED, re.ASCII)
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
    return not found["key"] or before.rstrip(" _-").endswith(_KEYS)


def _value(found: re.Match[str]) -> tuple[int, str, bool]:
    """Where it begins, the value, and whether it is surely one: in quotes, or after an equals sign."""
    group = next(group for group in ("double", "single", "code", "bare") if found[group])
    start, value = found.start(group), found[group]
    if group != "bare":
        return start, value.removesuffix("\\"), True
    value = _trimmed(value)
    return start, "" if re.match(_CODE, value, re.ASCII) else value, (found["sign"] or "").endswith("=")


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
        return len(value) >= _SHORTEST and not re.match(_STAND_IN, value) and "://" not in value
    one_word = re.fullmatch(r"\w+", value.replace("_", "-"))
    return _mixes(value) and bool(sure or one_word or not re.fullmatch(_WORDS, value, re.ASCII))


def _is_key(value: str) -> bool:
    return _mixes(value) and not re.fullmatch(_WORDS, value, re.ASCII)


def _mixes(value: str) -> bool:
    """It has letters and digits beyond the names of algorithms, and is no stand-in for a secret."""
    if len(value) < _SHORTEST or "://" in value or re.match(_STAND_IN, value):
        return False
    rest = re.sub(_TECHNICAL, "", value)
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
