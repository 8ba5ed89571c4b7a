"""The forms that some settings must have: sizes, schedules, folders and names of days."""

import re
from collections.abc import Callable
from typing import NamedTuple

DEFAULT_PATTERN = "YYYY-MM-DD"  # of the names of daily notes


class Between(NamedTuple):
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.low}–{self.high}"


class Form(NamedTuple):
    """A text of a certain form: `wanted` names the form in an error, after "must be"."""

    wanted: str
    accepts: Callable[[str], bool]


def is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value) and "\x00" not in value


def size_in_bytes(text: str) -> int | None:
    """Parse a size as people write it, such as 100MB or 2 GB; None if the text is no size."""
    written = text.strip().upper().removesuffix("B").strip()
    factor = {"K": 10**3, "M": 10**6, "G": 10**9}.get(written[-1:], 1)
    digits = written.rstrip("KMG").strip()
    if not digits.isascii() or not digits.replace(".", "", 1).isdigit() or len(digits) > 15:
        return None
    return int(float(digits) * factor)


def is_inside_vault(folder: str) -> bool:
    return ".." not in folder.split("/") and not folder.startswith("/") and is_text(folder)


def _is_size(text: str) -> bool:
    return size_in_bytes(text) is not None


def _names_days(pattern: str) -> bool:
    if pattern == DEFAULT_PATTERN:
        return True
    from memoro.vault.days import can_be_used  # imported only for a pattern that somebody has set

    return can_be_used(pattern)


def _is_schedule(text: str) -> bool:
    from datetime import datetime

    from cronsim import CronSim, CronSimError  # imported only for a schedule that somebody has set

    try:
        CronSim(text, datetime.now())
    except CronSimError:
        return False
    return True


def _is_key_reference(text: str) -> bool:
    kind, _, name = text.partition(":")
    return kind in ("env", "file", "keyring") and bool(name.strip())


def _is_web_address(text: str) -> bool:
    scheme, _, rest = text.partition("://")
    return scheme in ("http", "https") and bool(rest.split("/")[0]) and "@" not in rest.split("/")[0]


def _is_postgres_address(text: str) -> bool:
    scheme, _, rest = text.partition("://")
    has_password = ":" in rest.rpartition("@")[0] or "password=" in rest.partition("?")[2]
    return scheme in ("postgresql", "postgres") and bool(rest) and not has_password


def without_password(text: str) -> str:
    """An address as it may be shown: whoever pasted a password with it does not see it again."""
    scheme, separator, rest = _PASSWORD_PARAMETER.sub(r"\1…", text).partition("://")
    login, at, place = rest.rpartition("@")
    role, colon, _password = login.partition(":")
    return f"{scheme}{separator}{role}{':…' if colon else ''}{at}{place}"


def _is_short_name(text: str) -> bool:
    return 0 < len(text) <= 63 and text[0].isalnum() and all(c in _NAME_CHARACTERS for c in text)


_PASSWORD_PARAMETER = re.compile(r"(password=)[^&]*", re.IGNORECASE)
_NAME_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789._-")
# The value itself is never repeated in an error that is about a key: somebody may have pasted the key.
KEY_REFERENCE = Form(
    "a reference such as env:OPENAI_API_KEY, file:/path/of/a/0600/file or keyring:service/name, never the key itself",
    _is_key_reference,
)
WEB_ADDRESS = Form("an address such as http://127.0.0.1:11434/v1, without a name or password in it", _is_web_address)
SIZE = Form("a size such as 500KB, 100MB or 2GB", _is_size)
SCHEDULE = Form("a schedule in cron's notation (0 4 * * *)", _is_schedule)
FOLDER = Form("a folder inside the vault", is_inside_vault)
DAY_PATTERN = Form(
    "made of YYYY, YY, MMMM, MMM, MM, M, DD, D, Do, dddd, ddd, GGGG, WW, [words in brackets] and punctuation",
    _names_days,
)
POSTGRES_ADDRESS = Form(
    "an address such as postgresql://memoro_app@db.example.org/memoro, without a password in it (ledger.password "
    "says where that is)",
    _is_postgres_address,
)
SHORT_NAME = Form("a name of small letters, digits, dots, dashes and underscores, 63 at most", _is_short_name)
