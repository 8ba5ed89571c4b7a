"""The patterns of secrets: vendors' tokens, shapes, contexts, and names that a secret is assigned to.

Every pattern takes linear time: an unbounded run either cannot begin again inside itself, or nothing that
could fail follows it. `re` compiles a pattern when its hint is first met.
"""

from __future__ import annotations

END = "(?![A-Za-z0-9])"
UUID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"

# Kind; prefixes, each ending with one of `-_.`; the pattern of the rest. A letter or digit before a prefix makes it
# another word. Where two rows share a prefix, the first pattern that matches wins. The lengths are those that vendors
# issue today, most without an upper limit: a longer token must not slip through.
TOKENS = (
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
    ("mailgun-key", "key-", rf"[0-9a-f]{{32}}{END}"),
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
    ("notion-token", "secret_", rf"[A-Za-z0-9]{{43}}{END}"),
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
    ("pulumi-token", "pul-", rf"[0-9a-f]{{40}}{END}"),
    ("tailscale-key", "tskey-", r"(?:api|auth|client|scim|webhook)-[A-Za-z0-9-]{16,}"),
    ("netlify-token", "nfp_ nfc_ nfo_", r"[A-Za-z0-9]{36,}"),
    ("sourcegraph-token", "sgp_", r"(?:(?:[0-9a-f]{16}|local)_)?[0-9a-f]{40}"),
    ("contentful-token", "CFPAT-", r"[\w-]{43,}"),
    ("1password-token", "ops_", r"eyJ[A-Za-z0-9+/]{200,}={0,3}"),
    ("adobe-secret", "p8e-", r"[A-Za-z0-9_-]{32,}"),
)

# Tokens without a separator: a capital letter, and what must follow it before the patterns are tried.
CAPITALS = {
    "A": (
        "[KSBCI3T]",
        (
            ("aws-key", rf"A(?:KIA|SIA|BIA|CCA|3T[A-Z0-9])[A-Z0-9]{{16}}{END}"),
            ("aws-bedrock-key", r"ABSK[A-Za-z0-9+/]{100,}={0,2}"),
            ("google-key", r"AIza[\w-]{35,}"),
            ("atlassian-token", r"AT(?:ATT|CTT)3[\w=-]{60,}"),
            ("atlassian-token", rf"ATBB[A-Za-z0-9]{{32}}{END}"),
            ("artifactory-key", r"AKC[A-Za-z0-9]{50,}"),
        ),
    ),
    "E": ("AA", (("square-token", rf"EAAA[\w-]{{60}}{END}"), ("facebook-token", r"EAA[A-Za-z0-9]{80,}"))),
    "G": ("R1348941", (("gitlab-token", r"GR1348941[\w-]{20,}"),)),
    "L": ("TAI", (("alibaba-key", rf"LTAI[A-Za-z0-9]{{12,26}}{END}"),)),
    "[MNO]": (
        r"[\w-]{23,27}\.",
        (("discord-token", r"[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,}"),),
    ),
}

PRIVATE = "PRIVATE KEY"
BASE64_LINE = r"(?:[\s>+|\"',]|\\[nr])*[A-Za-z0-9+/=]{16,}"
# Up to its own end; if it is cut off, as far as long lines of base64 go, with the rest of the last one.
PEM_BODY = (
    r"(?:[^-]*+(?:-(?!----)[^-]*+)*+-----END [A-Z0-9 ]{3,40}-----"
    r"|(?:(?:\s|\\[nr])*[A-Z][A-Za-z-]{2,20}: [^\n\\]*)*+"
    rf"(?:{BASE64_LINE})++(?:(?:\s|\\[nr])+[A-Za-z0-9+/=]+\s*\Z)?)"
)

# Two full lines of base64, as wide as tools write them, and what is left of a last one.
KEY_LINE_WIDTH = 64
PUBLIC_HEADER = "-----BEGIN "  # a private key with its own beginning was found by that
KEY_LINES = (
    rf"(?:(?<=\n)|\A)([A-Za-z0-9+/]{{{KEY_LINE_WIDTH}}}|[A-Za-z0-9+/]{{70}}|[A-Za-z0-9+/]{{76}})"
    r"(?:\n[A-Za-z0-9+/]{64,76}(?![A-Za-z0-9+/]))++={0,2}(?:\n(?:[A-Za-z0-9+/]{1,75}=|[A-Za-z0-9+/]{20,75})={0,2}(?=\s|\Z))?"
)

# Kind; a hint that the text must contain; the pattern, whose group 1 or else whole match is the secret.
SHAPES = (
    ("ssh-key", PRIVATE, rf"-----BEGIN OPENSSH {PRIVATE}-----{PEM_BODY}"),
    ("pgp-key", PRIVATE, rf"-----BEGIN PGP {PRIVATE} BLOCK-----{PEM_BODY}"),
    (
        "private-key",
        PRIVATE,
        rf"-----BEGIN (?!OPENSSH)(?:[A-Z0-9]{{2,12}} ){{0,3}}{PRIVATE}-----{PEM_BODY}",
    ),
    ("putty-key", "Private-Lines: ", r"Private-Lines: \d+((?:\r?\n[A-Za-z0-9+/=]+(?=\r?\n|\Z))+)"),
    # The lookbehinds allow a mark of emphasis before it, and no other part of a word.
    ("jwt", "eyJ", r"eyJ(?<![\w-]{2}eyJ)(?<![A-Za-z0-9-]eyJ)[\w-]{8,}\.eyJ[\w-]{8,}(?:\.[\w-]+){0,3}"),
    ("telegram-token", ":AA", rf"(?<![0-9])[0-9]{{8,10}}:AA[\w-]{{33}}{END}"),
    ("mailchimp-key", "-us", rf"(?<![A-Za-z0-9])[0-9a-f]{{32}}-us[0-9]{{1,2}}{END}"),
    ("terraform-token", ".atlasv1.", r"(?<![A-Za-z0-9])[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{50,}"),
    ("azure-secret", "Q~", r"(?<![\w~.-])[\w~.-]{3}[0-9]Q~[\w~.-]{31,34}(?![\w~-])"),
    ("google-refresh-token", "1//0", r"(?<![A-Za-z0-9])1//0[\w-]{30,}"),
    ("databricks-token", "dapi", rf"dapi(?<![A-Za-z0-9]dapi)[0-9a-f]{{32}}(?:-[0-9])?{END}"),
    ("slack-webhook", "hooks.slack.com/", r"hooks\.slack\.com/(?:services|workflows|triggers)/([\w/+-]{20,})"),
    ("discord-webhook", "/api/webhooks/", r"/api/webhooks/[0-9]{10,20}/([\w-]{40,})"),
    ("teams-webhook", ".webhook.office.com/", r"\.webhook\.office\.com/webhookb2/([\w@/-]{40,})"),
)

# The same, but the hint is searched in the lowercase text.
CONTEXTS = (
    (
        "aws-secret",
        "secret",
        r"(?i:secret[_ -]?(?:access[_ -]?)?key)[^\w/+]{1,8}([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])",
    ),
    ("aws-secret", "akia", r"AKIA[A-Z0-9]{16}[^\w/+]{1,8}([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])"),
    ("twilio-key", "twilio", rf"(?<![A-Za-z0-9])(?:SK|AC)[0-9a-f]{{32}}{END}"),
    ("heroku-key", "heroku", rf"(?i:heroku[^\n]{{0,20}}?(?:key|token|auth|api))[^\w\n]{{1,6}}({UUID}){END}"),
    ("vault-token", "vault", rf"(?<![\w.])s\.[A-Za-z0-9]{{24}}{END}"),
    ("mailgun-key", "mailgun", rf"(?<![A-Za-z0-9-])[0-9a-f]{{32}}-[0-9a-f]{{8}}-[0-9a-f]{{8}}{END}"),
    ("azure-key", "key=", r"(?i:account|sharedaccess)(?i:key)=([A-Za-z0-9+/]{40,}={0,2})"),
    ("azure-sas", "sig=", r"[?&;]sig=([A-Za-z0-9%+/_=-]{20,})"),
    ("signed-url", "signature=", r"(?i:x-(?:amz|goog)-signature=)([0-9a-fA-F]{40,})"),
)

QUOTE = r"\\?[\"'`]"
VALUE = r"[\w.~+/=%:-]"
AUTHORIZATION = (
    rf"(?i:authorization){QUOTE}?[ \t]*[:=][ \t]*{QUOTE}?"
    rf"(?:(?i:bearer|basic|token|digest|apikey|bot)[ \t]+)?({VALUE}{{8,}})"
)
BEARER = rf"(?:Bearer|BEARER)[ \t]+({VALUE}{{16,}})"
COOKIES = rf"(?i:cookie){QUOTE}?[ \t]*[:=]([^\r\n]+)"
COOKIE = r"(?<![\w.-])([\w.-]++)=([^;\s\"',]{8,})"
COOKIE_ATTRIBUTES = frozenset(["expires", "path", "domain", "max-age", "samesite", "priority"])
# The user may be missing (redis://:…@host). A password may contain an @: the last one before the path counts.
URL_PASSWORD = r"://[^\s:/@?#\"'<>\[\]]{0,100}:([^\s/?#\"'<>]{1,200})@(?=[^\s@])"
CURL_USER = rf"\s(?:-u|--user)[ =]?{QUOTE}?[^\s:\"']{{1,64}}:([^\s\"'`]{{4,}})"
NETRC = (
    r"(?i:machine)\s{1,20}\S{1,100}\s{1,20}(?i:login)\s{1,20}\S{1,100}\s{1,20}(?i:password)\s{1,20}"
    r"([^\s\"'`,，。]{4,}(?<![.)*]))"
)

# Endings of names that hold a secret, and words before "key" in such a name.
NAME_HINTS = (
    "pass", "secret", "token", "key", "pwd", "credential", "kennwort", "contrase", "senha",
    "пароль", "密码", "密碼", "パスワード", "비밀번호",
)  # fmt: skip
KEYS = (
    "api", "app", "access", "account", "admin", "auth", "client", "consumer", "deploy", "encryption", "license",
    "master", "private", "secret", "service", "session", "shared", "signing", "ssh", "storage",
    "subscription", "webhook",
)  # fmt: skip
NAME = (
    r"(?i:pass(?:(?:word|wd|phrase|code|wort)s?|e)|(?<=[_-])pass|pwd|kennwort|contrase[ñn]a|senha|(?P<key>key)"
    r"|secret|credentials?|token)|[Пп]ароль|ПАРОЛЬ|密码|密碼|パスワード|비밀번호"
)
BARE = r"[^\s\"'`<>,;|&，。；、）」]"
# Between a name and its value: a sign, a verb, or, after a command-line flag, a space.
ASSIGNED = (
    rf"(?:{NAME})(?i:[_-]?(?:base|key|value|prod|dev|test|staging|live|[0-9]{{1,3}}))?"
    r"(?:\\?[\"'`*\]_]{0,3}[ \t]{0,8}(?P<sign>:=|=>|!?={1,3}|[:：|]|>(?=[^<>\s]+</))"
    r"[ \t]{0,8}(?:[*_]{1,2}[ \t]{0,8})?"
    r"|[ \t]{1,8}(?:is|was|to)(?: now)?:?[ \t]{1,8}|(?P<space>[ \t]{1,8}))"
    r"(?:\\?(?:\"(?P<double>[^\"\s]{8,})\"|'(?P<single>[^'\s]{8,})'|`(?P<code>[^`\s]{8,})`)"
    rf"|(?P<bare>{BARE}{{8,}}(?:&(?![\w.-]{{1,40}}=){BARE}*)*))"
)

# Placeholders that people write instead of a secret, and code that fetches one.
STAND_IN = (
    r"(?i:<|\[redacted|\{\{|\{\w*\}|\$[{(]|%\(?\w+\)?[%s]|x{3,}|\*{3,}|\.{3}|…|-+\Z|_+\Z"
    r"|your|change[_-]?(?:me|it|this)|replace|insert|example|sample|placeholder|dummy|fake|redacted|todo"
    r"|test[_-]?(?:password|token|key|secret)"
    r"|(?:none|null|nil|true|false|undefined|pass(?:word|wd)?|pwd|pw|secret|token)\Z"
    r"|(?:env|vault|keyring|file|ref|op|ssm|arn|sha256|data):"
    r"|(?:os|process|import|env|secrets?|vars?|config|settings|self|this|args|local)\."
    r"|getenv|env\[)|\$[A-Z_][A-Z0-9_]*\Z|\$[a-z_.]+\Z"
)
CODE = r"[A-Za-z_][\w.]*[(\[]|[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+\Z"
# Names of algorithms and the like, and times: letters and digits that are not secret.
TECHNICAL = (
    r"(?i:sha-?[0-9]{1,3}|md5|base(?:16|32|58|62|64)(?:url)?|oauth2?|utf-?(?:8|16|32)|ed25519|argon2(?:id?|d)?|pbkdf2"
    r"|[hrep]s(?:256|384|512)|aes-?[0-9]{3}|x509|pkcs#?[0-9]{1,2}|x25519|p-?256|curve25519|rfc-?[0-9]{3,4}"
    r"|http/?[0-9.]*)"
    r"|[0-9]{4}-[0-9]{2}-[0-9]{2}(?:T[0-9:.]+Z?)?"
)
# Words and numbers joined as in identifiers, paths, versions and hyphenated prose. Possessive throughout:
# backtracking, a row of separators could be split in exponentially many ways.
WORDS = r"[./~_:@-]*+(?:(?:[A-Za-z]++[0-9]{0,3}+|[0-9]{1,6}+[A-Za-z]{0,3}+)?+(?:[./_:@-]++|\Z))++"

SECRET_VARIABLE = (
    r"(?i)(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|PASS|(?<=[A-Z_])PWD|CREDENTIALS?|AUTH|COOKIE|DSN|PAT"
    r"|CONNECTION_?STRING)S?(?:_[A-Z0-9]+)?\Z(?<!OLDPWD)"
)

PLACEHOLDER = r"\[redacted:[a-z0-9-]{1,40}:[0-9a-f]{8}\]"
BY_BEGINNING: dict[str, list[tuple[str, str]]] = {}
for _kind, _begins, _goes_on in TOKENS:
    for _begin in _begins.split():
        BY_BEGINNING.setdefault(_begin, []).append((_kind, _goes_on))
BEGIN_LENGTHS = sorted({len(begin) for begin in BY_BEGINNING}, reverse=True)
LONG_WORD = (
    r"[-_.AEGLMNO](?:(?<=[A-Za-z0-9][-_.])(?=[\w.+/=%-]{16})|(?<![A-Za-z0-9].)(?:"
    + "|".join(f"(?<={capital})(?={follows})" for capital, (follows, _) in CAPITALS.items())
    + "))"
)
