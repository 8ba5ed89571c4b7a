"""Settings: their names, defaults and limits, and where each value came from."""

# No `from __future__ import annotations` here: the annotations drive parsing.
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from memoro.errors import ConfigError, NoVault
from memoro.hosts import LOG_AGENTS
from memoro.model.notes import Rules
from memoro.model.vocabulary import (
    AGENT_WRITES,
    BUILTIN_DIMENSIONS,
    FUSIONS,
    KIND_OF_SOURCE,
    MODES,
    AgentWrites,
    Fusion,
    Kind,
    Mode,
    SearchSource,
)
from memoro.vault.files import VaultFiles
from memoro.vault.log_sources import LogSource

FILE_NAME = "memoro.toml"
VAULT_FILE_NAME = ".memoro.toml"
# A vault may come from someone else: it may say how its own notes are laid out, and nothing more.
VAULT_MAY_SET = frozenset({"vault.ignore", "daily.folder"})
OBSIDIAN_FILE_NAME = ".obsidian/daily-notes.json"
# Keys that may also stand at the top of a settings file, outside of any table.
SHORT = {"agent_writes": "writing.agent_writes", "sources": "query.sources"}
# What a search may cover, and the kind of results that each gives.
SOURCES = KIND_OF_SOURCE
VAULT_FILE_CHARACTERS = 8192  # enough for those; what TOML can do with more takes minutes to read


Table = TypeVar("Table", bound=NamedTuple)


class Vault(NamedTuple):
    path: str | None = None
    extra: tuple[str, ...] = ()
    ignore: tuple[str, ...] = (".git", ".obsidian", "node_modules", ".venv", "dist")


class Chunking(NamedTuple):
    tokens: int = 400
    overlap: int = 80


class Deltas(NamedTuple):
    """How much a conversation must have grown before it is worth a sync of its own."""

    delta_bytes: int = 100_000
    delta_messages: int = 50
    debounce_ms: int = 5000


class Sync(NamedTuple):
    on_session_start: bool = True
    on_search: bool = True
    watch: bool = True
    watch_debounce_ms: int = 1500
    interval_minutes: int = 5
    transcripts: Deltas = Deltas()


class Embedding(NamedTuple):
    enabled: bool = True
    dimensions: int = 256


class Cache(NamedTuple):
    max_entries: int | None = None


class Query(NamedTuple):
    max_results: int = 6
    mode: Mode = "hybrid"
    candidate_multiplier: int = 4
    half_life_days: int = 30
    fusion: Fusion = "standard"
    vector_weight: float = 0.7
    text_weight: float = 0.3
    min_score: float = 0.35
    sources: tuple[SearchSource, ...] = tuple(SOURCES)

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """The kinds of results that a search gives if nobody says; none: all of them."""
        return () if set(self.sources) == set(SOURCES) else tuple(SOURCES[source] for source in self.sources)


class Transcripts(NamedTuple):
    folders: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ("subagents", "tool-results")

    @property
    def entries(self) -> tuple[LogSource, ...]:
        return tuple(map(LogSource.parse, self.folders))


class Daily(NamedTuple):
    folder: str = "daily"
    pattern: str = "YYYY-MM-DD"
    obsidian: bool = True
    keep_days: int | None = None
    prompt_lines: int = 50


class Writing(NamedTuple):
    agent_writes: AgentWrites = "propose"


class Memory(NamedTuple):
    reinforce_weight: int = 3
    demote_weight: int = 1
    max_size: str = "100MB"
    prune_schedule: str = "0 4 * * *"
    prune_percent: float = 1.0

    @property
    def max_bytes(self) -> int:
        return size_in_bytes(self.max_size) or 0


class Proactive(NamedTuple):
    max_items: int = 5
    max_tokens: int = 500
    min_score: float = 0.3


class Recall(NamedTuple):
    budget: int = 3000
    candidates: int = 20
    window: int = 1
    proactive: Proactive = Proactive()


class Experience(NamedTuple):
    half_life_days: int = 30
    prune_below: float = 0.05


class Context(NamedTuple):
    compact_at: float = 0.7
    target: float = 0.5
    recency_buffer: int = 10
    min_messages: int = 10
    tool_result_tokens: int = 2000


class Settings(NamedTuple):
    vault: Vault = Vault()
    chunking: Chunking = Chunking()
    sync: Sync = Sync()
    embedding: Embedding = Embedding()
    cache: Cache = Cache()
    query: Query = Query()
    daily: Daily = Daily()
    transcripts: Transcripts = Transcripts()
    memory: Memory = Memory()
    writing: Writing = Writing()
    recall: Recall = Recall()
    experience: Experience = Experience()
    context: Context = Context()

    @property
    def rules(self) -> Rules:
        return Rules(self.chunking.tokens, self.chunking.overlap, self.daily.folder, self.daily.pattern)


class Setting(NamedTuple):
    """One key as `config show` prints it."""

    key: str
    value: object
    origin: str
    meaning: str


class Source(NamedTuple):
    """Values from one place, by key. Later sources win."""

    origin: str
    values: Mapping[str, object]


MEANINGS = {
    "vault.path": "the folder of Markdown notes",
    "vault.extra": "more folders to search; their notes appear as @folder/…",
    "vault.ignore": "names, patterns or paths to leave out; folders with a leading dot always are",
    "chunking.tokens": "how long a passage may be, in tokens of about four letters (50–4000)",
    "chunking.overlap": "how much of a passage the next one repeats (at most half of chunking.tokens)",
    "sync.on_session_start": "compare the vault with the index when an agent's session starts",
    "sync.on_search": "compare the vault with the index before every search",
    "sync.watch": "let `memoro serve` and `memoro watch` use file events; false: look every few seconds",
    "sync.watch_debounce_ms": "how long the vault must be quiet before they sync notes (50–60000)",
    "sync.interval_minutes": "how often they sync even when nothing told them to (1–1440)",
    "sync.transcripts.delta_bytes": "by how many bytes a log must have grown before they sync logs (1–1000000000)",
    "sync.transcripts.delta_messages": "or by how many messages, counted as lines (1–1000000)",
    "sync.transcripts.debounce_ms": "how long logs must have been quiet before that is looked at (50–600000)",
    "embedding.enabled": "search by meaning too; false: words only",
    "embedding.dimensions": "how many numbers a vector has: 256; 128 or 64 for less memory, and a little less recall",
    "cache.max_entries": "how many vectors embeddings.db may keep for another time (none: all)",
    "query.max_results": "how many results a search gives (1–200)",
    "query.mode": "how to search: hybrid (words and meaning), words or vectors",
    "query.fusion": "how words and meaning are put together: standard, or weighted (the three keys below)",
    "query.vector_weight": "weighted fusion: what the cosine counts (0–1)",
    "query.text_weight": "weighted fusion: what the words count (0–1)",
    "query.min_score": "weighted fusion: below this, what was found by meaning alone is left out (0–1)",
    "query.half_life_days": "after how many days a dated passage counts half as fresh (1–36500)",
    "query.sources": "what a search covers if nobody says: notes, transcripts, memories, experiences; "
    "`sources` at the top of the file is the same",
    "query.candidate_multiplier": "how many candidates are ranked for each result wanted (1–50)",
    "daily.folder": "the folder of daily notes in the vault; a dot stands for its top",
    "daily.pattern": "how a day's note is named, as Obsidian writes it (YYYY-MM-DD, YYYY/MM/DD, …)",
    "daily.obsidian": "use the folder and pattern that Obsidian's own daily notes have, where they are set",
    "daily.keep_days": "after how many days a daily note moves to `archive/YYYY` in its folder (none: never)",
    "daily.prompt_lines": "how many of the last lines of today's note a prompt holds (0–1000)",
    "writing.agent_writes": "what agents do to always-loaded files: propose a change, or write it (direct); "
    "`agent_writes` at the top of the file is the same",
    "transcripts.folders": (
        f"folders of conversation logs, or the agents whose logs to find ({', '.join(LOG_AGENTS)}); "
        "` since YYYY-MM-DD` after one leaves out older logs"
    ),
    "transcripts.ignore": "names, patterns or paths of logs to leave out",
    "memory.reinforce_weight": "how much one reinforcement adds to a memory's feedback (1–100)",
    "memory.demote_weight": "how much one demotion takes from it (1–100)",
    "memory.max_size": "how large the memories may grow, with words and vectors, before the weakest are archived",
    "memory.prune_schedule": "when to look whether they have, as cron writes it: minute, hour, day, month, weekday",
    "memory.prune_percent": "what share of the memories to archive at a time, until the rest fits (0.1–20)",
    "recall.budget": "how many tokens of context a message may bring (50–100000)",
    "recall.candidates": "how many passages are looked at at least, and may bring their neighbours (1–200)",
    "recall.window": "how many passages on each side of a hit may come with it (0–10)",
    "recall.proactive.max_items": "unasked, before an agent's turn: how many items at most (0–50)",
    "recall.proactive.max_tokens": "how many tokens at most (0–100000)",
    "recall.proactive.min_score": "how sure a search must be of an item (0–1)",
    "experience.half_life_days": "after how many days unused an experience counts half (1–36500)",
    "experience.prune_below": "below which weight an experience is archived (0–1)",
    "context.compact_at": "how full a conversation's window may get before it is compacted (0.1–1)",
    "context.target": "how full it may be after that (0.05–0.95)",
    "context.recency_buffer": "how many of the last messages stay whole (0–1000)",
    "context.min_messages": "conversations with fewer messages are left alone (1–10000)",
    "context.tool_result_tokens": "tool results longer than this are cut first (10–1000000)",
}
DIMENSIONS = BUILTIN_DIMENSIONS
_CHOICES: dict[str, tuple[object, ...]] = {
    "query.mode": MODES,
    "query.fusion": FUSIONS,
    "embedding.dimensions": DIMENSIONS,
    "writing.agent_writes": AGENT_WRITES,
}
_RANGES = {
    "chunking.tokens": (50, 4000),
    "chunking.overlap": (0, 2000),
    "sync.watch_debounce_ms": (50, 60_000),
    "sync.interval_minutes": (1, 1440),
    "query.max_results": (1, 200),
    "query.candidate_multiplier": (1, 50),
    "query.half_life_days": (1, 36_500),
    "query.vector_weight": (0, 1),
    "query.text_weight": (0, 1),
    "query.min_score": (0, 1),
    "memory.reinforce_weight": (1, 100),
    "memory.demote_weight": (1, 100),
    "memory.prune_percent": (0.1, 20),
    "sync.transcripts.delta_bytes": (1, 1_000_000_000),
    "sync.transcripts.delta_messages": (1, 1_000_000),
    "sync.transcripts.debounce_ms": (50, 600_000),
    "daily.prompt_lines": (0, 1000),
    "recall.budget": (50, 100_000),
    "recall.candidates": (1, 200),
    "recall.window": (0, 10),
    "recall.proactive.max_items": (0, 50),
    "recall.proactive.max_tokens": (0, 100_000),
    "recall.proactive.min_score": (0, 1),
    "experience.half_life_days": (1, 36_500),
    "experience.prune_below": (0, 1),
    "context.compact_at": (0.1, 1),
    "context.target": (0.05, 0.95),
    "context.recency_buffer": (0, 1000),
    "context.min_messages": (1, 10_000),
    "context.tool_result_tokens": (10, 1_000_000),
}


def vault_files(settings: Settings, environment: Mapping[str, str]) -> VaultFiles:
    """The files that the settings name: vault, extra folders and transcripts.

    Where agents keep their logs is told by variables of the environment.
    """
    if settings.vault.path is None:
        raise NoVault
    return VaultFiles(
        settings.vault.path,
        extra=settings.vault.extra,
        transcripts=[e.folder(environment, settings.transcripts.ignore) for e in settings.transcripts.entries],
        ignore=settings.vault.ignore,
    )


def keys() -> dict[str, tuple[Any, object]]:
    """Every key with its type and default."""
    return dict(_keys("", Settings()))


def _keys(group: str, default: NamedTuple) -> Iterator[tuple[str, tuple[Any, object]]]:
    for field, kind in type(default).__annotations__.items():
        value = getattr(default, field)
        if hasattr(value, "_fields"):  # a table of its own
            yield from _keys(f"{group}{field}.", value)
        else:
            yield f"{group}{field}", (kind, value)


def settle(sources: Iterable[Source]) -> tuple[Settings, tuple[Setting, ...]]:
    """Put the sources over the defaults, the later over the earlier, and tell where each value is from."""
    known = keys()
    values: dict[str, object] = {key: default for key, (_, default) in known.items()}
    origins = dict.fromkeys(known, "default")
    for source in sources:
        for key, value in source.values.items():
            if key not in known:
                raise ConfigError(f"{source.origin}: there is no setting {key!r}.{_similar(key, known)}")
            values[key] = _read(key, value, known[key][0], source.origin)
            origins[key] = source.origin
    settings = _build(values)
    if settings.chunking.overlap * 2 > settings.chunking.tokens:
        raise ConfigError("chunking.overlap must be at most half of chunking.tokens.")
    return settings, tuple(Setting(key, values[key], origins[key], MEANINGS[key]) for key in known)


def read_file(file: str, *, agent: str | None = None, project: str | None = None) -> list[Source]:
    """The sources in a settings file, those for one agent or project after the common ones."""
    try:
        with open(file, "rb") as handle:
            text = handle.read().decode("utf-8")
    except (FileNotFoundError, NotADirectoryError):
        return []
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{file} cannot be read: {error}.") from error
    return parse_file(text, file, agent=agent, project=project)


def parse_file(text: str, origin: str, *, agent: str | None = None, project: str | None = None) -> list[Source]:
    table = _load(text, origin)
    scoped = {"agents": agent, "projects": project}
    sources = [Source(origin, _flat({k: v for k, v in table.items() if k not in scoped}, origin))]
    for group, name in scoped.items():
        named = table.get(group, {})
        _check_scoped(group, named, origin)
        if name and name in named:
            sources.append(Source(f"{origin} [{group}.{name}]", _flat(named[name], origin)))
    return sources


def _check_scoped(group: str, named: object, origin: str) -> None:
    """Refuse what looks like settings for someone and would be for nobody."""
    if not isinstance(named, dict):
        raise ConfigError(f"{origin}: {group!r} must be a table of tables such as [{group}.NAME.query].")
    for name, table in named.items():
        if not isinstance(table, dict):
            raise ConfigError(f"{origin}: {group}.{name} must be a table of settings such as [{group}.{name}.query].")


def parse_vault_file(text: str, origin: str) -> list[Source]:
    """A vault's own settings, read as if an enemy had written them."""
    if len(text) > VAULT_FILE_CHARACTERS:
        raise ConfigError(f"{origin} is longer than {VAULT_FILE_CHARACTERS:,} characters; a vault has little to set.")
    return restricted(parse_file(text, origin))


def parse_obsidian(text: str, origin: str) -> list[Source]:
    """Folder and name pattern of daily notes as they are set in Obsidian; what cannot be used is left out."""
    import json

    from memoro.vault.days import can_be_used

    try:
        said = json.loads(text) if len(text) <= VAULT_FILE_CHARACTERS else None
    except (ValueError, RecursionError):
        return []
    if not isinstance(said, dict):
        return []
    folder, pattern = said.get("folder") or ".", said.get("format")
    values: dict[str, object] = {}
    if isinstance(folder, str) and _is_inside(folder.strip("/") or "."):
        values["daily.folder"] = folder.strip("/") or "."
    if isinstance(pattern, str) and can_be_used(pattern):
        values["daily.pattern"] = pattern
    return [Source(origin, values)]


def restricted(sources: Iterable[Source]) -> list[Source]:
    """A vault's own settings: a key that it may not set is an error, not a surprise."""
    checked = list(sources)
    for source in checked:
        for key in source.values:
            if key not in VAULT_MAY_SET:
                allowed = " and ".join(sorted(VAULT_MAY_SET))
                raise ConfigError(f"{source.origin} may not set {key!r}; a vault may set only {allowed}.")
    return checked


def write(file: str, key: str, value: str | Sequence[str]) -> None:
    """Set one key in a settings file, made if it is missing.

    Everything else in the file stays as it is; one where that cannot be done is left alone.
    """
    group, _, name = key.partition(".")
    line = f"{name} = {_toml(value)}"
    if any("\ud800" <= character <= "\udfff" for character in line):
        raise ConfigError(f"The name of {value!r} is not valid UTF-8, and {file} cannot hold it; rename the folder.")
    try:
        with open(file, encoding="utf-8", newline="") as handle:
            text = handle.read()
    except FileNotFoundError:
        text = f"# Settings of Memoro; `memoro config show` lists every key, its value and its origin.\n\n[{group}]\n"
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{file} cannot be read: {error}.") from error
    changed = _with_line(text, group, name, line)
    wanted = value if isinstance(value, str) else list(value)
    if not _differs_by_key_alone(_load(text, file), changed, (group, name), wanted):
        raise ConfigError(f"{file} is written in a way that Memoro cannot change. Put this under [{group}]: {line}")
    _replace_file(file, changed)


def _with_line(text: str, group: str, name: str, line: str) -> str:
    lines = text.removesuffix("\n").split("\n")
    bare = [old.partition("#")[0].replace(" ", "").strip() for old in lines]
    if f"[{group}]" not in bare:
        return "\n".join([*lines, "", f"[{group}]", line]) + "\n"
    table = bare.index(f"[{group}]")
    ends = next((i for i in range(table + 1, len(lines)) if bare[i].startswith("[")), len(lines))
    inside = next((i for i in range(table + 1, ends) if bare[i].startswith(f"{name}=")), None)
    if inside is None:
        lines.insert(table + 1, line)
    else:
        lines[inside] = line
    return "\n".join(lines) + "\n"


def _differs_by_key_alone(before: dict[str, Any], changed: str, key: tuple[str, str], value: object) -> bool:
    try:
        after = _load(changed, "")
    except ConfigError:
        return False
    group, name = key
    old = before.get(group, {})
    return isinstance(old, dict) and after == {**before, group: {**old, name: value}}


def _load(text: str, origin: str) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
        raise ConfigError(f"{origin} is not valid TOML: {error}.") from error


def _replace_file(file: str, text: str) -> None:
    temporary = f"{file}.{os.getpid()}.tmp"
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with open(descriptor, "w", encoding="utf-8") as handle:
        handle.write(text)
        handle.flush()
        os.fsync(handle.fileno())
    os.replace(temporary, file)


def _flat(table: Mapping[str, Any], origin: str) -> dict[str, object]:
    flat: dict[str, object] = {}
    for group, fields in table.items():
        if group in SHORT:
            flat[SHORT[group]] = fields
            continue
        if not isinstance(fields, dict):
            raise ConfigError(f"{origin}: {group!r} must be a table of settings such as [vault].")
        flat |= _flat_below(group, fields)
    return flat


def _flat_below(group: str, fields: Mapping[str, Any]) -> dict[str, object]:
    flat: dict[str, object] = {}
    for name, value in fields.items():
        key = f"{group}.{name}"
        is_table = isinstance(value, dict) and any(known.startswith(f"{key}.") for known in MEANINGS)
        flat |= _flat_below(key, value) if is_table else {key: value}
    return flat


def _read(key: str, value: object, kind: Any, origin: str) -> object:
    read = _READERS[kind](value)
    low, high = _RANGES.get(key, (0, 0))
    in_range = key not in _RANGES or (isinstance(read, int | float) and low <= read <= high)
    if read is None or not in_range:
        wanted = f"{_KINDS[kind]} from {low} to {high}" if key in _RANGES else _KINDS[kind]
        raise ConfigError(f"{origin}: {key} must be {wanted}, not {value!r}.")
    if key in _CHOICES and read not in _CHOICES[key]:
        raise ConfigError(f"{origin}: {key} must be one of {', '.join(map(str, _CHOICES[key]))}, not {value!r}.")
    if key == "memory.max_size" and size_in_bytes(str(read)) is None:
        raise ConfigError(f"{origin}: {key} must be a size such as 500KB, 100MB or 2GB, not {value!r}.")
    if key == "memory.prune_schedule" and not _is_schedule(str(read)):
        raise ConfigError(f"{origin}: {key} must be a schedule as cron writes it (0 4 * * *), not {value!r}.")
    if key == "query.sources" and not (isinstance(read, tuple) and read and set(read) <= set(SOURCES)):
        raise ConfigError(f"{origin}: {key} must be some of {', '.join(SOURCES)}, not {value!r}.")
    if key == "daily.folder" and not _is_inside(str(read)):
        raise ConfigError(f"{origin}: daily.folder must be a folder inside the vault, not {value!r}.")
    if key == "daily.pattern" and not _names_days(str(read)):
        raise ConfigError(
            f"{origin}: daily.pattern must be made of YYYY, YY, MMMM, MMM, MM, M, DD, D, Do, dddd, ddd, GGGG, WW, "
            f"of [words in brackets] and of signs, not {value!r}."
        )
    return read


def _is_inside(folder: str) -> bool:
    return ".." not in folder.split("/") and not folder.startswith("/") and bool(_text(folder))


def _names_days(pattern: str) -> bool:
    if pattern == Daily().pattern:
        return True
    from memoro.vault.days import can_be_used  # only where somebody has set one

    return can_be_used(pattern)


def size_in_bytes(text: str) -> int | None:
    """A size as people write it; None if it is none."""
    written = text.strip().upper().removesuffix("B").strip()
    factor = {"K": 10**3, "M": 10**6, "G": 10**9}.get(written[-1:], 1)
    digits = written.rstrip("KMG").strip()
    if not digits.isascii() or not digits.replace(".", "", 1).isdigit() or len(digits) > 15:
        return None
    return int(float(digits) * factor)


def _is_schedule(text: str) -> bool:
    from datetime import datetime

    from cronsim import CronSim, CronSimError  # only where somebody has set one

    try:
        CronSim(text, datetime.now())
    except CronSimError:
        return False
    return True


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value and "\x00" not in value else None


def _texts(value: object) -> tuple[str, ...] | None:
    if isinstance(value, list | tuple) and all(_text(item) for item in value):
        return tuple(value)
    return None


_READERS: dict[Any, Callable[[object], object]] = {
    bool: lambda value: value if isinstance(value, bool) else None,
    int: lambda value: value if isinstance(value, int) and not isinstance(value, bool) else None,
    int | None: lambda value: (
        value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
    ),
    float: lambda value: (
        float(value)
        if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e300
        else None
    ),
    str: _text,
    str | None: _text,
    tuple[str, ...]: _texts,
    tuple[SearchSource, ...]: _texts,
    Mode: _text,
    Fusion: _text,
    AgentWrites: _text,
}
_KINDS: dict[Any, str] = {
    bool: "true or false",
    int: "a whole number",
    int | None: "a whole number, 0 or more",
    float: "a number",
    str: "a text",
    str | None: "a text",
    tuple[str, ...]: "a list of texts",
    tuple[SearchSource, ...]: "a list of texts",
    Mode: "a text",
    Fusion: "a text",
    AgentWrites: "a text",
}


def _build(values: Mapping[str, Any]) -> Settings:
    return _filled("", Settings(), values)


def _filled(group: str, default: Table, values: Mapping[str, Any]) -> Table:
    fields = {
        field: _filled(f"{group}{field}.", value, values) if hasattr(value, "_fields") else values[f"{group}{field}"]
        for field, value in default._asdict().items()
    }
    return default._replace(**fields)


def _similar(key: str, known: Iterable[str]) -> str:
    import difflib

    close = difflib.get_close_matches(key, list(known), n=1)
    return f" Did you mean {close[0]!r}?" if close else " `memoro config show` lists them all."


def _toml(value: str | Sequence[str]) -> str:
    import json

    written = json.dumps(value if isinstance(value, str) else list(value), ensure_ascii=False)
    return written.replace("\x7f", "\\u007f")  # JSON may hold it as it is, TOML may not
