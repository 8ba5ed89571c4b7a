"""Keys of providers: where they are read from, and a value that neither prints a key nor sends it elsewhere."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Mapping
from typing import Literal, NoReturn

from memoro.errors import KeyRefused
from memoro.model.system_errors import reason

# Which settings name a server: those of the embedder, those of the language model, or of the ledger. Errors say so.
SettingsSection = Literal["embedding", "llm", "ledger"]

_LONGEST = 4096  # characters; keys have 20 to 200
_FORMS = "`env:NAME`, `file:PATH` or `keyring:SERVICE/NAME`"
_VARIABLES = {
    "openai": ("OPENAI_API_KEY",),
    "anthropic": ("ANTHROPIC_API_KEY",),
    "gemini": ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    "voyage": ("VOYAGE_API_KEY",),
}
# What an HTTP header can carry. Any other character would make the HTTP library print the key in its error.
_HEADER_TEXT = re.compile(r"[!-~]+")
_PIECE = 6  # so many characters of a key in a row give too much of it away


class Key:
    """A key and the only host that it may be sent to. It is never printed, pickled or compared by eye."""

    __slots__ = ("_secret", "host")

    def __init__(self, secret: str, host: str) -> None:
        self._secret = secret
        self.host = host

    def for_host(self, host: str) -> str:
        """Return the key itself. Raises `KeyRefused` for any host but its own."""
        if host != self.host:
            raise KeyRefused(
                f"The key for {self.host} is not sent to {host}. Give that host a key of its own in the settings."
            )
        return self._secret

    def mask(self, text: str) -> str:
        """Return the text without any word that shows a part of the key."""
        pieces = {self._secret[i : i + _PIECE] for i in range(max(1, len(self._secret) - _PIECE + 1))}
        return re.sub(r"\S+", lambda word: "***" if any(one in word[0] for one in pieces) else word[0], text)

    def __repr__(self) -> str:
        return f"Key('***', host={self.host!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Key) and (self._secret, self.host) == (other._secret, other.host)

    def __hash__(self) -> int:
        return hash((self._secret, self.host))

    def __reduce__(self) -> NoReturn:
        raise TypeError("a key is not pickled")


def read_key(reference: str, environment: Mapping[str, str], section: SettingsSection = "embedding") -> str:
    """Return the key that a reference names. Raises `KeyRefused`, whose message never holds the key."""
    kind, colon, name = reference.partition(":")
    if colon and name and kind == "env":
        return _usable(_from_environment(name, environment, section), f"the variable {name}")
    if colon and name and kind == "file":
        return _usable(_from_file(_expanded(name, environment, section)), f"the file {name}")
    if colon and kind == "keyring" and all(name.partition("/")):
        return _usable(_from_keyring(*name.split("/", 1)), f"the keyring's entry {name}")
    # Somebody may have put the key itself there: it is not repeated.
    setting = "ledger.password" if section == "ledger" else f"{section}.key"
    raise KeyRefused(f"`{setting}` must say where the key is: {_FORMS}. It never holds the key itself.")


def default_key(provider: str, environment: Mapping[str, str]) -> str | None:
    """Return the key in the provider's usual variable; None where none is set. For the provider's own host only."""
    for name in _VARIABLES.get(provider, ()):
        if environment.get(name, "").strip():
            return _usable(environment[name], f"the variable {name}")
    return None


def variables(provider: str) -> tuple[str, ...]:
    """Return the variables that `default_key` reads for a provider."""
    return _VARIABLES.get(provider, ())


def _from_environment(name: str, environment: Mapping[str, str], section: SettingsSection) -> str:
    if name not in environment:
        # `name` may be a key that somebody took for a variable.
        shown = f" {name}" if re.fullmatch(r"[A-Z][A-Z0-9_]{0,63}", name) else ""
        raise KeyRefused(f"The variable{shown} that `{section}.key` names is not set. Set it, or name another.")
    return environment[name]


def _expanded(path: str, environment: Mapping[str, str], section: SettingsSection) -> str:
    home = environment.get("HOME", "")
    full = os.path.join(home, path[2:]) if path.startswith("~/") and home else path
    if not os.path.isabs(full):
        raise KeyRefused(f"`{section}.key` must name its file by a full path, such as `file:~/.config/openai.key`.")
    return full


def _from_file(path: str) -> str:
    try:
        # Without O_NONBLOCK, opening a named pipe would wait for somebody to write into it.
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        if os.path.islink(path):
            raise KeyRefused(f"The key file {path} is a link. Name the file itself.") from None
        raise KeyRefused(f"The key file {path} cannot be read: {reason(error)}.") from None
    except ValueError:
        raise KeyRefused("The path of the key file has a character that no path can have.") from None
    try:
        _check_file(path, os.fstat(descriptor))
        return os.read(descriptor, _LONGEST + 1).decode("utf-8", "replace")
    except OSError as error:
        raise KeyRefused(f"The key file {path} cannot be read: {reason(error)}.") from None
    finally:
        os.close(descriptor)


def _check_file(path: str, found: os.stat_result) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise KeyRefused(f"The key file {path} is not a regular file.")
    if found.st_uid != os.geteuid():
        raise KeyRefused(f"The key file {path} belongs to somebody else.")
    if stat.S_IMODE(found.st_mode) not in (0o600, 0o400):
        raise KeyRefused(f"The key file {path} must be for its owner alone. Run `chmod 600 {path}`.")
    if found.st_size > _LONGEST:
        raise KeyRefused(f"The key file {path} is too large: it may hold {_LONGEST} bytes, the key and nothing else.")


def _from_keyring(service: str, name: str) -> str:
    try:
        import keyring
    except ImportError as error:
        raise KeyRefused('Keys of the keyring need `pip install "memoro[keyring]"`.') from error
    try:
        found = keyring.get_password(service, name)
    except Exception as error:  # each backend raises its own, and its text may hold anything
        raise KeyRefused(f"The keyring cannot be read ({type(error).__name__}). Is it unlocked?") from None
    if found is None:
        raise KeyRefused(f"The keyring has no entry {service}/{name}. Run `keyring set {service} {name}`.")
    return found


def _usable(text: str, where: str) -> str:
    key = text.strip()
    if not key:
        raise KeyRefused(f"The key in {where} is empty.")
    if len(key) > _LONGEST or not _HEADER_TEXT.fullmatch(key):
        raise KeyRefused(f"The key in {where} is no key: it has blanks, line breaks or other characters within.")
    return key
