"""Every setting: its type, default, meaning and limits in one place."""

# No `from __future__ import annotations` here: the annotations drive parsing.
from typing import TYPE_CHECKING, Annotated, NamedTuple

from memoro.config.forms import (
    DAY_PATTERN,
    DEFAULT_PATTERN,
    FOLDER,
    KEY_REFERENCE,
    POSTGRES_ADDRESS,
    SCHEDULE,
    SHORT_NAME,
    SIZE,
    WEB_ADDRESS,
    Between,
    Form,
    size_in_bytes,
)
from memoro.hosts import LOG_AGENTS
from memoro.model.notes import Rules
from memoro.model.vocabulary import (
    DIMENSIONS,
    KIND_OF_SOURCE,
    LANGUAGE_PURPOSES,
    AgentWrites,
    Dimensions,
    EmbeddingProvider,
    ExtractTo,
    Fallback,
    Fusion,
    Kind,
    LanguageProvider,
    LanguagePurpose,
    MemoryAgent,
    Mode,
    SearchSource,
    Visibility,
)

if TYPE_CHECKING:
    from memoro.vault.log_sources import LogSource


class Doc(NamedTuple):
    """The effect of a setting, for `config show` and docs/configuration.md, and the values it may have."""

    text: str
    limit: Between | Form | None = None

    def __str__(self) -> str:
        return f"{self.text} ({self.limit})" if isinstance(self.limit, Between) else self.text


class VaultSettings(NamedTuple):
    path: Annotated[str | None, Doc("the folder of Markdown notes")] = None
    extra: Annotated[tuple[str, ...], Doc("more folders to search; their notes appear as @folder/…")] = ()
    memories: Annotated[
        tuple[MemoryAgent, ...],
        Doc("hosts whose own memory files to search (claude, codex); they appear as @claude-memory/…"),
    ] = ()
    ignore: Annotated[
        tuple[str, ...],
        Doc("names, patterns or paths to leave out; folders with a leading dot are always left out"),
    ] = (".git", ".obsidian", "node_modules", ".venv", "dist")


class ChunkingSettings(NamedTuple):
    tokens: Annotated[int, Doc("how long a passage may be, in tokens of about four letters", Between(50, 4000))] = 400
    overlap: Annotated[
        int,
        Doc("how much of a passage the next one repeats; at most half of chunking.tokens", Between(0, 2000)),
    ] = 80


class DeltaSettings(NamedTuple):
    """The growth of a conversation that triggers a sync of its own."""

    delta_bytes: Annotated[
        int, Doc("how many bytes a log must grow before they sync logs", Between(1, 1_000_000_000))
    ] = 100_000
    delta_messages: Annotated[int, Doc("or how many messages, counted as lines", Between(1, 1_000_000))] = 50
    debounce_ms: Annotated[int, Doc("how long logs must be quiet before they check that", Between(50, 600_000))] = (
        5000
    )


class SyncSettings(NamedTuple):
    on_session_start: Annotated[bool, Doc("compare the vault with the index when an agent's session starts")] = True
    on_search: Annotated[bool, Doc("compare the vault with the index before every search")] = True
    watch: Annotated[
        bool, Doc("let `memoro serve` and `memoro watch` use file events; false: check every few seconds")
    ] = True
    watch_debounce_ms: Annotated[
        int, Doc("how long the vault must be quiet before they sync notes", Between(50, 60_000))
    ] = 1500
    interval_minutes: Annotated[int, Doc("how often they sync even without file events", Between(1, 1440))] = 5
    transcripts: DeltaSettings = DeltaSettings()


class BatchSettings(NamedTuple):
    """Batch jobs: half the price, for an answer within hours instead of seconds."""

    enabled: Annotated[
        bool, Doc("embed large indexes by batch jobs, where the provider has them (openai, gemini)")
    ] = True
    concurrency: Annotated[int, Doc("how many jobs may run at once", Between(1, 10))] = 2
    poll_seconds: Annotated[int, Doc("how often to ask whether a job is done", Between(1, 3600))] = 60
    timeout_minutes: Annotated[
        int, Doc("after how long a job is cancelled and the rest sent as plain requests", Between(1, 1440))
    ] = 60
    wait: Annotated[bool, Doc("let `memoro sync` wait for its jobs; false: a later sync takes their results")] = False


class EmbeddingSettings(NamedTuple):
    enabled: Annotated[bool, Doc("search by meaning too; false: words only")] = True
    provider: Annotated[
        EmbeddingProvider,
        Doc(
            "the provider of vectors: builtin (offline), openai, gemini, voyage, compatible (the server at "
            "embedding.url), fastembed or model2vec (on this machine), auto (the first that has a model or a key)"
        ),
    ] = "builtin"
    model: Annotated[str | None, Doc("the name of its model (none: the provider's usual one)")] = None
    url: Annotated[
        str | None,
        Doc("the address of its server, such as http://127.0.0.1:11434/v1 (none: the provider's)", WEB_ADDRESS),
    ] = None
    key: Annotated[
        str | None,
        Doc(
            "the place of its API key: env:NAME, file:PATH or keyring:SERVICE/NAME (none: the provider's usual "
            "variable)",
            KEY_REFERENCE,
        ),
    ] = None
    dimensions: Annotated[
        int | None,
        Doc("how many dimensions a vector has (none: all of the model's; built-in: 256, 128 or 64)"),
    ] = None
    fallback: Annotated[
        Fallback, Doc("the model to search with while the wanted one does not answer: builtin, or none (words alone)")
    ] = "builtin"
    price: Annotated[
        float | None, Doc("the price of a million tokens, in US dollars (none: the price that Memoro knows)")
    ] = None
    requests_per_minute: Annotated[
        int | None, Doc("how many requests a minute an index may send (none: the provider's usual limit)")
    ] = None
    batch: BatchSettings = BatchSettings()

    @property
    def builtin_dimensions(self) -> Dimensions:
        """The width of the built-in model's vectors, which are kept whatever else is wanted."""
        chosen = self.dimensions if self.provider == "builtin" else None
        return next((one for one in DIMENSIONS if one == chosen), DIMENSIONS[0])


class UsageSettings(NamedTuple):
    daily_cap: Annotated[
        float | None, Doc("how many US dollars models may cost in a day; then requests wait (none: no cap)")
    ] = None
    ask_above: Annotated[
        float,
        Doc(
            "the price, in US dollars, from which new passages wait until you agree in `memoro sync`",
            Between(0, 1000),
        ),
    ] = 0.1


class ProvidersSettings(NamedTuple):
    private_hosts: Annotated[
        tuple[str, ...], Doc("names of servers that may be in a private network, such as nas.lan")
    ] = ()


class LanguageModelSettings(NamedTuple):
    provider: Annotated[
        LanguageProvider,
        Doc(
            "the provider of the language model: none, openai, anthropic, gemini, or compatible (the server at "
            "llm.url)"
        ),
    ] = "none"
    model: Annotated[str | None, Doc("the name of its model; there is no usual one")] = None
    url: Annotated[
        str | None,
        Doc("the address of its server, such as http://127.0.0.1:11434/v1 (none: the provider's)", WEB_ADDRESS),
    ] = None
    key: Annotated[
        str | None,
        Doc(
            "the place of its API key: env:NAME, file:PATH or keyring:SERVICE/NAME (none: the provider's usual "
            "variable)",
            KEY_REFERENCE,
        ),
    ] = None
    purposes: Annotated[
        tuple[LanguagePurpose, ...],
        Doc("the purposes that it may be used for: extract, judge, review, summary"),
    ] = LANGUAGE_PURPOSES
    price_in: Annotated[
        float | None, Doc("the price of a million tokens sent, in US dollars (none: the price that Memoro knows)")
    ] = None
    price_out: Annotated[
        float | None, Doc("the price of a million tokens received, in US dollars (none: the price that Memoro knows)")
    ] = None


class ExtractSettings(NamedTuple):
    enabled: Annotated[bool, Doc("extract facts from conversations when they end or are compacted")] = True
    min_user_messages: Annotated[
        int, Doc("conversations with fewer messages of yours bring no facts", Between(1, 1000))
    ] = 3
    max_facts: Annotated[int, Doc("how many facts one conversation brings, at most", Between(1, 100))] = 5
    max_chars: Annotated[int, Doc("how many characters one fact has, at most", Between(40, 1000))] = 200
    to: Annotated[
        ExtractTo,
        Doc(
            "the place of extracted facts: daily (the daily note, marked [extracted]) or memories (the daily "
            "note and the ledger)"
        ),
    ] = "daily"


class CurateSettings(NamedTuple):
    memory_tokens: Annotated[
        int,
        Doc(
            "how many tokens the file of facts may take; beyond, `tidy` proposes what to retire",
            Between(100, 100_000),
        ),
    ] = 2000
    rules_tokens: Annotated[int, Doc("the same for the file of rules", Between(100, 100_000))] = 1000
    proposals_per_round: Annotated[
        int, Doc("how many proposals a round makes at most, and a week", Between(1, 100))
    ] = 10
    schedule: Annotated[
        str,
        Doc(
            "when `memoro serve` looks for proposals, in cron's notation: minute, hour, day, month, weekday", SCHEDULE
        ),
    ] = "30 3 * * *"


class CacheSettings(NamedTuple):
    enabled: Annotated[
        bool, Doc("keep exact vectors in embeddings.db, so that no text is embedded twice; false: keep none there")
    ] = True
    max_entries: Annotated[int | None, Doc("how many vectors embeddings.db may keep for later (none: all)")] = None


class QuerySettings(NamedTuple):
    max_results: Annotated[int, Doc("how many results a search returns", Between(1, 200))] = 6
    mode: Annotated[Mode, Doc("how to search: hybrid (words and meaning), words or vectors")] = "hybrid"
    candidate_multiplier: Annotated[
        int, Doc("how many candidates are ranked for each result wanted", Between(1, 50))
    ] = 4
    half_life_days: Annotated[
        int, Doc("after how many days a dated passage counts half as fresh", Between(1, 36_500))
    ] = 30
    fusion: Annotated[
        Fusion, Doc("how words and meaning are combined: standard, or weighted (the three keys below)")
    ] = "standard"
    vector_weight: Annotated[float, Doc("weighted fusion: the weight of the cosine", Between(0, 1))] = 0.7
    text_weight: Annotated[float, Doc("weighted fusion: the weight of the words", Between(0, 1))] = 0.3
    min_score: Annotated[
        float,
        Doc("weighted fusion: passages found by meaning alone need at least this score", Between(0, 1)),
    ] = 0.35
    sources: Annotated[
        tuple[SearchSource, ...],
        Doc(
            "the kinds that a search covers by default: notes, transcripts, memories, experiences; `sources` at "
            "the top of the file is the same"
        ),
    ] = tuple(KIND_OF_SOURCE)

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """The kinds of results that a search returns by default; empty: all of them."""
        everything = set(self.sources) == set(KIND_OF_SOURCE)
        return () if everything else tuple(KIND_OF_SOURCE[source] for source in self.sources)


class DailySettings(NamedTuple):
    folder: Annotated[str, Doc("the folder of daily notes in the vault; a dot stands for its top", FOLDER)] = "daily"
    pattern: Annotated[
        str, Doc("how a daily note is named, in Obsidian's notation (YYYY-MM-DD, YYYY/MM/DD, …)", DAY_PATTERN)
    ] = DEFAULT_PATTERN
    obsidian: Annotated[bool, Doc("use the folder and pattern of Obsidian's own daily notes, where they are set")] = (
        True
    )
    keep_days: Annotated[
        int | None,
        Doc("after how many days a daily note moves to `archive/YYYY` in its folder (none: never)"),
    ] = None
    tool_calls: Annotated[
        bool, Doc("add a line for every tool call of a conversation whose host calls Memoro's hooks")
    ] = False
    prompt_lines: Annotated[
        int, Doc("how many of the last lines of today's note a prompt holds", Between(0, 1000))
    ] = 50


class TranscriptSettings(NamedTuple):
    folders: Annotated[
        tuple[str, ...],
        Doc(
            f"folders of conversation logs, or the hosts whose logs to find ({', '.join(LOG_AGENTS)}); "
            "` since YYYY-MM-DD` after one leaves out older logs"
        ),
    ] = ()
    ignore: Annotated[tuple[str, ...], Doc("names, patterns or paths of logs to leave out")] = (
        "subagents",
        "tool-results",
    )

    @property
    def entries(self) -> "tuple[LogSource, ...]":
        if not self.folders:
            return ()
        from memoro.vault.log_sources import LogSource

        return tuple(map(LogSource.parse, self.folders))


class MemorySettings(NamedTuple):
    reinforce_weight: Annotated[
        int, Doc("how much one reinforcement adds to a memory's feedback", Between(1, 100))
    ] = 3
    demote_weight: Annotated[
        int, Doc("how much one demotion subtracts from a memory's feedback", Between(1, 100))
    ] = 1
    max_size: Annotated[
        str,
        Doc("how large the memories may grow, with words and vectors, before the weakest are archived", SIZE),
    ] = "100MB"
    prune_schedule: Annotated[
        str,
        Doc("when to check their size, in cron's notation: minute, hour, day, month, weekday", SCHEDULE),
    ] = "0 4 * * *"
    prune_percent: Annotated[
        float,
        Doc("the percentage of memories to archive at a time, until the rest fits", Between(0.1, 20)),
    ] = 1.0

    @property
    def max_bytes(self) -> int:
        return size_in_bytes(self.max_size) or 0


class WritingSettings(NamedTuple):
    agent_writes: Annotated[
        AgentWrites,
        Doc(
            "how agents change always-loaded files: propose a change, or write it (direct); "
            "`agent_writes` at the top of the file is the same"
        ),
    ] = "propose"


class ProactiveSettings(NamedTuple):
    """Limits of context that is added before an agent's turn without a request."""

    max_items: Annotated[
        int, Doc("how many items Memoro adds unasked before an agent's turn, at most", Between(0, 50))
    ] = 5
    max_tokens: Annotated[int, Doc("how many tokens they take, at most", Between(0, 100_000))] = 500
    min_score: Annotated[float, Doc("how high an item must score to be added unasked", Between(0, 1))] = 0.3


class RecallSettings(NamedTuple):
    budget: Annotated[int, Doc("how many tokens of context a message may bring", Between(50, 100_000))] = 3000
    candidates: Annotated[
        int, Doc("how many passages to consider at least, each with its neighbours", Between(1, 200))
    ] = 20
    window: Annotated[int, Doc("how many passages on each side of a hit may come with it", Between(0, 10))] = 1
    warnings: Annotated[
        bool,
        Doc(
            "while `memoro serve` runs, warn an agent in one line before a command whose last run failed, and before "
            "an edit of a file that somebody stated a rule for; `memoro connect` registers the event"
        ),
    ] = True
    proactive: ProactiveSettings = ProactiveSettings()


class PrivacySettings(NamedTuple):
    private: Annotated[
        tuple[str, ...],
        Doc(
            "notes, folders, patterns and #tags to treat as private, besides notes that say so themselves; "
            "agents are given nothing of them"
        ),
    ] = ()
    agents: Annotated[bool, Doc("let agents that ask (search, get, recall) see private text")] = False
    providers: Annotated[bool, Doc("also send private text to models on other servers")] = False


class ExperienceSettings(NamedTuple):
    half_life_days: Annotated[
        int, Doc("after how many days without use an experience counts half", Between(1, 36_500))
    ] = 30
    prune_below: Annotated[float, Doc("below which weight an experience is archived", Between(0, 1))] = 0.05


class LedgerSettings(NamedTuple):
    """Where memories are kept that several machines or people share."""

    url: Annotated[
        str | None,
        Doc(
            "the Postgres database that keeps the ledger, such as postgresql://memoro_app@db.example.org/memoro "
            "(none: a file in this home)",
            POSTGRES_ADDRESS,
        ),
    ] = None
    password: Annotated[
        str | None,
        Doc(
            "the place of its password: env:NAME, file:PATH or keyring:SERVICE/NAME (none: libpq's own rules, "
            "such as ~/.pgpass)",
            KEY_REFERENCE,
        ),
    ] = None
    tenant: Annotated[str, Doc("the tenant whose ledger this home uses in that database", SHORT_NAME)] = "default"
    person: Annotated[str, Doc("the person as whom this machine writes there", SHORT_NAME)] = "owner"
    visibility: Annotated[
        Visibility, Doc("the visibility of new memories: shared (everybody of the tenant) or private (you alone)")
    ] = "shared"
    outbox: Annotated[
        bool,
        Doc("keep writes in the outbox of this home while the database does not answer, and send them later"),
    ] = False


class ContextSettings(NamedTuple):
    compact_at: Annotated[
        float, Doc("how full a conversation's window may get before it is compacted", Between(0.1, 1))
    ] = 0.7
    target: Annotated[float, Doc("how full it may be after that", Between(0.05, 0.95))] = 0.5
    recency_buffer: Annotated[int, Doc("how many of the last messages stay whole", Between(0, 1000))] = 10
    min_messages: Annotated[int, Doc("conversations with fewer messages are not compacted", Between(1, 10_000))] = 10
    tool_result_tokens: Annotated[int, Doc("tool results longer than this are cut first", Between(10, 1_000_000))] = (
        2000
    )


class Settings(NamedTuple):
    vault: VaultSettings = VaultSettings()
    chunking: ChunkingSettings = ChunkingSettings()
    sync: SyncSettings = SyncSettings()
    embedding: EmbeddingSettings = EmbeddingSettings()
    llm: LanguageModelSettings = LanguageModelSettings()
    usage: UsageSettings = UsageSettings()
    providers: ProvidersSettings = ProvidersSettings()
    cache: CacheSettings = CacheSettings()
    query: QuerySettings = QuerySettings()
    daily: DailySettings = DailySettings()
    transcripts: TranscriptSettings = TranscriptSettings()
    memory: MemorySettings = MemorySettings()
    writing: WritingSettings = WritingSettings()
    recall: RecallSettings = RecallSettings()
    privacy: PrivacySettings = PrivacySettings()
    experience: ExperienceSettings = ExperienceSettings()
    context: ContextSettings = ContextSettings()
    ledger: LedgerSettings = LedgerSettings()
    extract: ExtractSettings = ExtractSettings()
    curate: CurateSettings = CurateSettings()
    enabled: Annotated[
        bool,
        Doc(
            "false switches Memoro off for agents: hooks answer nothing and record nothing, tools say that it is off"
        ),
    ] = True

    @property
    def rules(self) -> Rules:
        return Rules(
            tokens=self.chunking.tokens,
            overlap=self.chunking.overlap,
            daily_folder=self.daily.folder,
            daily_pattern=self.daily.pattern,
        )
