"""Settings that come with a vault: its own settings file and Obsidian's. Both may be somebody else's."""

from __future__ import annotations

from collections.abc import Iterable

from memoro.config.forms import is_inside_vault
from memoro.config.reading import Source, parse_file
from memoro.errors import ConfigError

VAULT_FILE_NAME = ".memoro.toml"
OBSIDIAN_FILE_NAME = ".obsidian/daily-notes.json"
# A vault may come from someone else, so it may say only how its own notes are laid out.
VAULT_MAY_SET = frozenset({"vault.ignore", "daily.folder"})
MAX_CHARACTERS = 8192  # enough for those keys; longer TOML can take minutes to parse


def parse_vault_file(text: str, origin: str) -> list[Source]:
    """Read a vault's own settings file as if an attacker had written it."""
    if len(text) > MAX_CHARACTERS:
        raise ConfigError(f"{origin} is longer than {MAX_CHARACTERS:,} characters; a vault has little to set.")
    return restricted(parse_file(text, origin))


def restricted(sources: Iterable[Source]) -> list[Source]:
    """Return the sources of a vault; raise ConfigError for a key that a vault may not set."""
    checked = list(sources)
    for source in checked:
        for key in source.values:
            if key not in VAULT_MAY_SET:
                allowed = " and ".join(sorted(VAULT_MAY_SET))
                raise ConfigError(f"{source.origin} may not set {key!r}; a vault may set only {allowed}.")
    return checked


def parse_obsidian(text: str, origin: str) -> list[Source]:
    """Read the folder and the name pattern of Obsidian's daily notes; leave out values that Memoro cannot use."""
    import json

    from memoro.vault.days import can_be_used

    try:
        table = json.loads(text) if len(text) <= MAX_CHARACTERS else None
    except (ValueError, RecursionError):
        return []
    if not isinstance(table, dict):
        return []
    folder, pattern = table.get("folder") or ".", table.get("format")
    values: dict[str, object] = {}
    if isinstance(folder, str) and is_inside_vault(folder.strip("/") or "."):
        values["daily.folder"] = folder.strip("/") or "."
    if isinstance(pattern, str) and can_be_used(pattern):
        values["daily.pattern"] = pattern
    return [Source(origin, values)]
