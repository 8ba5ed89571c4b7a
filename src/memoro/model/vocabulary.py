"""The closed vocabularies: every value that a mode, kind, tier, trust or state can have."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeVar, get_args

from memoro.errors import QueryError

Mode = Literal["hybrid", "words", "vectors"]
MODES: tuple[Mode, ...] = get_args(Mode)
# Memories and experiences are found by words or by words and vectors, never by vectors alone.
LedgerMode = Literal["words", "hybrid"]

# How search results are grouped: the best passage of each conversation.
Group = Literal["conversation"]
GROUPS: tuple[Group, ...] = get_args(Group)

# The kinds of search results.
Kind = Literal["note", "transcript", "memory", "experience"]
KINDS: tuple[Kind, ...] = get_args(Kind)
# Files have the first two kinds; the ledger keeps the other two.
FileKind = Literal["note", "transcript"]
LedgerKind = Literal["memory", "experience"]
LEDGER_KINDS: tuple[LedgerKind, ...] = get_args(LedgerKind)
# The items of the ledger that the index mirrors. Only a search for narratives returns narratives.
MirroredKind = Literal["memory", "experience", "narrative"]
MIRRORED_KINDS: tuple[MirroredKind, ...] = get_args(MirroredKind)
IndexedKind = Literal[Kind, "narrative"]

# The values of `query.sources`, and the kind of results that each returns.
SearchSource = Literal["notes", "transcripts", "memories", "experiences"]
KIND_OF_SOURCE: dict[SearchSource, Kind] = {
    "notes": "note",
    "transcripts": "transcript",
    "memories": "memory",
    "experiences": "experience",
}

# The purpose of a note. Conversation logs, memories and experiences have their kind as their tier.
NoteTier = Literal["semantic", "procedural", "pinned", "daily", "episodic", "skill", "note"]
NOTE_TIERS: tuple[NoteTier, ...] = get_args(NoteTier)
# How private a note or a passage is: personal ones are given unasked only where they belong to the session's project.
Privacy = Literal["open", "personal", "private"]
# How a passage stands to a session's project, for what is given unasked.
Belonging = Literal["own", "shared", "personal", "other", "private"]
# What says which project a session has: its set-up, `[projects.NAME] paths`, git, or the folder itself.
ProjectOrigin = Literal["set-up", "settings", "git remote", "git root", "folder"]
# Notes of these tiers are loaded into every prompt, and change only with a person's approval.
LoadedTier = Literal["semantic", "procedural", "pinned"]
LOADED_TIERS: tuple[LoadedTier, ...] = get_args(LoadedTier)
# A container holds several conversations, each with a path of its own; an unknown file lies among logs and is none.
Tier = Literal[NoteTier, "transcript", "memory", "experience", "narrative", "container", "unknown"]

# From the least to the most. A derived item has the trust of its least trusted parent; only a person raises it.
Trust = Literal["quarantined", "tool_or_web", "agent_inferred", "user_said", "user_confirmed"]
TRUSTS: tuple[Trust, ...] = get_args(Trust)
PERSON = "user"  # the source of what the owner does; every other source is an agent or a tool

# How an experience went: see `outcome_of`.
ExperienceOutcome = Literal["worked", "partly", "failed"]
ExperienceType = Literal["tool_chain", "task_solution", "error_recovery", "user_preference"]
EXPERIENCE_TYPES: tuple[ExperienceType, ...] = get_args(ExperienceType)

# What a sync covers: the notes, the conversation logs, or both.
SyncPart = Literal["vault", "transcripts", "both"]
SYNC_PARTS: tuple[SyncPart, ...] = get_args(SyncPart)
# Each half of the disk is listed and watched by itself.
Half = Literal["vault", "transcripts"]
VAULT: Literal["vault"] = "vault"
LOGS: Literal["transcripts"] = "transcripts"
BOTH: Literal["both"] = "both"

# "failed": not indexed; "partly": indexed in part; "skipped": left out on purpose.
Severity = Literal["failed", "partly", "skipped"]

# "full" on request, "proactive" unasked; "prompt" with the always-loaded notes.
RecallForm = Literal["full", "proactive", "prompt"]

# How an item that a session was given turned out. No feedback means it was not used, which costs nothing.
Feedback = Literal["reinforced", "demoted", "corrected"]
FEEDBACK: tuple[Feedback, ...] = get_args(Feedback)

# How the owner judged an answer of an agent.
FeedbackKind = Literal["wrong", "good"]
FEEDBACK_KINDS: tuple[FeedbackKind, ...] = get_args(FeedbackKind)

# The result of one check of `memoro doctor`.
CheckState = Literal["ok", "warning", "failed"]

# The two files that exist nowhere else, and how one may differ from the home's record of it.
StorePart = Literal["ledger", "archive"]
STORE_PARTS: tuple[StorePart, ...] = get_args(StorePart)
UnrecognisedState = Literal["missing", "older", "foreign"]

# Who sees what is written into a shared ledger: everybody who shares it, or its writer alone.
Visibility = Literal["shared", "private"]
VISIBILITIES: tuple[Visibility, ...] = get_args(Visibility)

# How an agent may change an always-loaded note: propose the change, or write it.
AgentWrites = Literal["propose", "direct"]
AGENT_WRITES: tuple[AgentWrites, ...] = get_args(AgentWrites)

# How scores of words and vectors are combined.
Fusion = Literal["standard", "weighted"]
FUSIONS: tuple[Fusion, ...] = get_args(Fusion)

ProposalState = Literal["open", "accepted", "rejected", "expired"]

# The unit of a hit's line numbers: lines of a file, or messages of a log that has no lines.
Locator = Literal["line", "message"]

# The role of a text in a search: some embedding models prepare queries and documents differently.
Role = Literal["query", "document"]

# Where a proposal comes from: an agent's own call, or one of the ways of curating.
ProposalOrigin = Literal["agent", "extraction", "review", "tidy", "feedback"]
PROPOSAL_ORIGINS: tuple[ProposalOrigin, ...] = get_args(ProposalOrigin)
# What a proposal would do, by and large: for counting them.
ProposalKind = Literal["add", "reword", "replace", "move", "retire"]
PROPOSAL_KINDS: tuple[ProposalKind, ...] = get_args(ProposalKind)
# Why the gate keeps an automatic suggestion from becoming a proposal.
WithheldFor = Literal[
    "rejected", "accepted", "waits", "forgotten", "untrusted", "project", "whole_file", "loss", "budget", "too_many"
]
CURATION_ORIGINS: tuple[ProposalOrigin, ...] = PROPOSAL_ORIGINS[1:]

# Who computes vectors. "auto": the first of those that the owner has a model or a key for; else the built-in model.
EmbeddingProvider = Literal["builtin", "openai", "gemini", "voyage", "compatible", "fastembed", "model2vec", "auto"]
EMBEDDING_PROVIDERS: tuple[EmbeddingProvider, ...] = get_args(EmbeddingProvider)
# What is searched where the wanted model cannot answer: the built-in space, or words alone.
Fallback = Literal["builtin", "none"]

# Who answers where a language model is asked. "none": nobody, and every command does its part by rules.
LanguageProvider = Literal["none", "openai", "anthropic", "gemini", "compatible"]
# What a language model may be asked for.
LanguagePurpose = Literal["extract", "judge", "review", "summary"]
LANGUAGE_PURPOSES: tuple[LanguagePurpose, ...] = get_args(LanguagePurpose)

# What a fact that somebody stated is about.
FactKind = Literal["preference", "rule", "decision", "correction", "person", "date", "fact"]
FACT_KINDS: tuple[FactKind, ...] = get_args(FactKind)
# Where extracted facts go: to the daily note alone, or also to the ledger.
ExtractTo = Literal["daily", "memories"]
# What is to be done about a candidate: a model, or a rule, chooses one of these for each.
CurationStep = Literal["add", "merge", "supersede", "retire", "keep"]
CURATION_STEPS: tuple[CurationStep, ...] = get_args(CurationStep)

# How many numbers a vector of the built-in model may have. The first is the whole vector.
Dimensions = Literal[256, 128, 64]
DIMENSIONS: tuple[Dimensions, ...] = get_args(Dimensions)

# Which tools the MCP server offers: "recall" only reads, "full" has them all.
ToolProfile = Literal["default", "recall", "full"]
TOOL_PROFILES: tuple[ToolProfile, ...] = get_args(ToolProfile)

# Agents whose own memory files Memoro can read.
MemoryAgent = Literal["claude", "codex"]
MEMORY_AGENTS: tuple[MemoryAgent, ...] = get_args(MemoryAgent)

# What a reading call sees: what its session is bound to, or everything.
Reach = Literal["session", "all"]
REACHES: tuple[Reach, ...] = get_args(Reach)

Choice = TypeVar("Choice", bound=str)


def parse_choice(text: str, choices: Sequence[Choice], name: str) -> Choice:
    """Return the choice that the text spells; raise QueryError with all choices if there is none.

    Text becomes a vocabulary here and in decoders, nowhere else.
    """
    for choice in choices:
        if choice == text:
            return choice
    raise QueryError(f"There is no {name} {text!r}; choose from {', '.join(choices)}.")
