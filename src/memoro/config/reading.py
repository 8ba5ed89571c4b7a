"""Read settings files, and settle one value for each key from all sources."""

import os
from collections.abc import Iterable, Mapping
from typing import NamedTuple, TypeVar

from memoro.config.keys import checked, keys
from memoro.config.settings import EmbeddingSettings, Settings
from memoro.errors import ConfigError
from memoro.model.vocabulary import DIMENSIONS

FILE_NAME = "memoro.toml"
# Keys that may also stand at the top of a settings file, outside any table.
SHORT = {"agent_writes": "writing.agent_writes", "sources": "query.sources"}

# No command works while the file cannot be read, not even `init`, so the message has to name a way out.
_CORRECT_FILE = (
    " Correct it in an editor; or move the file away and run `memoro init FOLDER`: the other settings are then "
    "the defaults, and your memories stay. To search your conversations again, add them with "
    "`memoro transcripts add`."
)

PATHS = "paths"  # of a project: the folders that belong to it

Group = TypeVar("Group", bound=NamedTuple)


class Source(NamedTuple):
    """Values from one place, by key. Later sources win."""

    origin: str
    values: Mapping[str, object]


class Setting(NamedTuple):
    """One key as `config show` prints it."""

    key: str
    value: object
    origin: str
    meaning: str

    @property
    def default(self) -> object:
        return keys()[self.key].default

    @property
    def is_safe(self) -> bool:
        """Return whether the page and programs may change it; the command line may change every setting."""
        from memoro.config.change_risks import safe_to_change  # few callers ask, and each start would read the table

        return safe_to_change(self.key)


def settle(sources: Iterable[Source]) -> tuple[Settings, tuple[Setting, ...]]:
    """Apply the sources over the defaults, later over earlier; return the settings and the origin of each value."""
    known = keys()
    values: dict[str, object] = {name: key.default for name, key in known.items()}
    origins = dict.fromkeys(known, "default")
    for source in sources:
        for name, value in source.values.items():
            if name not in known:
                raise ConfigError(f"{source.origin}: there is no setting {name!r}.{_suggestion(name, known)}")
            values[name] = checked(name, known[name], value, source.origin)
            origins[name] = source.origin
    settings = _filled("", Settings(), values)
    if settings.chunking.overlap * 2 > settings.chunking.tokens:
        raise ConfigError("chunking.overlap must be at most half of chunking.tokens.")
    _check_embedding(settings.embedding)
    shown = tuple(
        Setting(key=name, value=values[name], origin=origins[name], meaning=str(key.meaning))
        for name, key in known.items()
    )
    return settings, shown


def _check_embedding(embedding: EmbeddingSettings) -> None:
    width = embedding.dimensions
    if embedding.provider == "builtin" and width is not None and width not in DIMENSIONS:
        sizes = ", ".join(map(str, DIMENSIONS))
        raise ConfigError(f"embedding.dimensions must be one of {sizes}, not {width}, for the built-in model.")
    examples = {"url": "http://127.0.0.1:11434/v1", "model": "nomic-embed-text"}
    missing = [name for name in examples if not getattr(embedding, name)]
    if embedding.provider == "compatible" and missing:
        named, first = " and ".join(f"embedding.{name}" for name in missing), missing[0]
        raise ConfigError(
            f'embedding.provider = "compatible" needs {named}, which {"is" if len(missing) == 1 else "are"} not set. '
            f"Set that first, for example `memoro config set embedding.{first} {examples[first]}`."
        )


def read_file(file: str, *, agent: str | None = None, project: str | None = None) -> list[Source]:
    """Return the sources in a settings file: the common one first, then those of the agent and the project."""
    text = read_text(file)
    return [] if text is None else parse_file(text, file, agent=agent, project=project)


def read_text(file: str) -> str | None:
    """Return the text of a settings file, with its line ends; None where there is none."""
    try:
        with open(file, "rb") as handle:
            data = handle.read()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise ConfigError(f"{file} cannot be read: {error}.") from error
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line, byte = data.count(b"\n", 0, error.start) + 1, data[error.start]
        why = f"line {line} holds the byte 0x{byte:02x}, which is not text in UTF-8"
        raise ConfigError(f"{file} cannot be read: {why}.{_way_out(file)}") from error


def _way_out(file: str) -> str:
    return _CORRECT_FILE if os.path.basename(file) == FILE_NAME else ""


def parse_file(text: str, origin: str, *, agent: str | None = None, project: str | None = None) -> list[Source]:
    table = load_toml(text, origin)
    scoped = {"agents": agent, "projects": project}
    sources = [Source(origin, _flat({k: v for k, v in table.items() if k not in scoped}, origin))]
    for group, name in scoped.items():
        tables = _scoped_tables(group, table.get(group, {}), origin)
        if name and name in tables:
            chosen = {key: value for key, value in tables[name].items() if (group, key) != ("projects", PATHS)}
            sources.append(Source(f"{origin} [{group}.{name}]", _flat(chosen, origin)))
    return sources


def read_project_paths(file: str) -> dict[str, tuple[str, ...]]:
    """Return the folders that a settings file gives to projects, by name: `[projects.NAME] paths`."""
    try:
        with open(file, "rb") as handle:
            text = handle.read().decode("utf-8")
    except (OSError, UnicodeDecodeError):  # `read_file` reports it
        return {}
    if "projects" not in text:
        return {}
    tables = _scoped_tables("projects", load_toml(text, file).get("projects", {}), file)
    return {name: _paths(name, table[PATHS], file) for name, table in tables.items() if PATHS in table}


def read_scoped(file: str) -> list[Source]:
    """Return what a settings file sets for single agents and projects, from `agents.NAME` and `projects.NAME`."""
    try:
        with open(file, "rb") as handle:
            table = load_toml(handle.read().decode("utf-8"), file)
    except (OSError, UnicodeDecodeError):  # `read_file` reports it
        return []
    found = []
    for group in ("agents", "projects"):
        for name, fields in _scoped_tables(group, table.get(group, {}), file).items():
            chosen = {key: value for key, value in fields.items() if (group, key) != ("projects", PATHS)}
            found.append(Source(f"{group}.{name}", _flat(chosen, file)))
    return found


def _paths(name: str, found: object, origin: str) -> tuple[str, ...]:
    several = found if isinstance(found, list) else [found]
    if not all(isinstance(one, str) and one.startswith(("/", "~")) for one in several):
        raise ConfigError(f'{origin}: projects.{name}.{PATHS} must be a list of folders such as ["~/src/{name}"].')
    return tuple(several)


def _scoped_tables(group: str, found: object, origin: str) -> dict[str, dict[str, object]]:
    """Return the tables of `agents` or `projects` by name; raise ConfigError for any other shape.

    Without the check, settings in another shape would apply to nobody, and nobody would notice.
    """
    if not isinstance(found, dict):
        raise ConfigError(f"{origin}: {group!r} must be a table of tables such as [{group}.NAME.query].")
    for name, table in found.items():
        if not isinstance(table, dict):
            raise ConfigError(f"{origin}: {group}.{name} must be a table of settings such as [{group}.{name}.query].")
    return found


def load_toml(text: str, origin: str) -> dict[str, object]:
    import tomllib

    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
        raise ConfigError(f"{origin} is not valid TOML: {error}.{_way_out(origin)}") from error


def _flat(table: Mapping[str, object], origin: str) -> dict[str, object]:
    flat: dict[str, object] = {}
    groups = {name.rpartition(".")[0] for name in keys()}
    for group, fields in table.items():
        if group in SHORT or (group in keys() and "." not in group):
            flat[SHORT.get(group, group)] = fields
            continue
        if not isinstance(fields, dict):
            raise ConfigError(f"{origin}: {group!r} must be a table of settings such as [vault].")
        flat |= _flat_below(group, fields, groups)
    return flat


def _flat_below(group: str, fields: Mapping[str, object], groups: set[str]) -> dict[str, object]:
    flat: dict[str, object] = {}
    for name, value in fields.items():
        key = f"{group}.{name}"
        flat |= _flat_below(key, value, groups) if isinstance(value, dict) and key in groups else {key: value}
    return flat


def _filled(group: str, default: Group, values: Mapping[str, object]) -> Group:
    fields = {
        field: _filled(f"{group}{field}.", value, values) if hasattr(value, "_fields") else values[f"{group}{field}"]
        for field, value in default._asdict().items()
    }
    return default._replace(**fields)


def _suggestion(key: str, known: Iterable[str]) -> str:
    from memoro.model.suggestion import did_you_mean

    later = " Take it out of the file, or update Memoro if a later version wrote it."
    return did_you_mean(key, known) or later
