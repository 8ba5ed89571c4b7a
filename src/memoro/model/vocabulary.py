"""The closed vocabularies: every value that a mode, kind, tier, trust or state can have."""

from __future__ import annotations

from typing import Literal, get_args

Mode = Literal["hybrid", "words", "vectors"]
MODES: tuple[Mode, ...] = get_args(Mode)

# How search results are grouped: the best passage of each conversation.
Group = Literal["conversation"]
GROUPS: tuple[Group, ...] = get_args(Group)

# What a search result is.
Kind = Literal["note", "transcript", "memory", "experience"]
KINDS: tuple[Kind, ...] = get_args(Kind)

# What a note is for. Conversation logs, memories and experiences have their kind as their tier.
NoteTier = Literal["semantic", "procedural", "pinned", "daily", "episodic", "skill", "note"]
NOTE_TIERS: tuple[NoteTier, ...] = get_args(NoteTier)
# The tiers that are loaded into every prompt, and change only with a person's approval.
LoadedTier = Literal["semantic", "procedural", "pinned"]
LOADED_TIERS: tuple[LoadedTier, ...] = get_args(LoadedTier)
# A container holds several conversations, each with a path of its own; an unknown file stands among logs and is none.
Tier = Literal[NoteTier, "transcript", "memory", "experience", "container", "unknown"]

# From the least to the most. A derived item has the trust of its least trusted parent; only a person raises it.
Trust = Literal["quarantined", "tool_or_web", "agent_inferred", "user_said", "user_confirmed"]
TRUSTS: tuple[Trust, ...] = get_args(Trust)

ExperienceType = Literal["tool_chain", "task_solution", "error_recovery", "user_preference"]
EXPERIENCE_TYPES: tuple[ExperienceType, ...] = get_args(ExperienceType)

# What a sync covers.
SyncPart = Literal["vault", "transcripts", "both"]
SYNC_PARTS: tuple[SyncPart, ...] = get_args(SyncPart)

# "failed": not indexed; "partly": indexed in part; "skipped": left out on purpose.
Severity = Literal["failed", "partly", "skipped"]

# "full" on request, "proactive" unasked; "prompt" with the always-loaded notes.
RecallForm = Literal["full", "proactive", "prompt"]

# How an item that was given to a session turned out. No feedback means that it was not used, which costs nothing.
Feedback = Literal["reinforced", "demoted", "corrected"]
FEEDBACK: tuple[Feedback, ...] = get_args(Feedback)

ProposalState = Literal["open", "accepted", "rejected", "expired"]

# What the line numbers of a hit count: lines of a file, or the messages of a log that has no lines.
Locator = Literal["line", "message"]

# Whether a text is asked about or searched through: some embedding models prepare the two differently.
Role = Literal["query", "document"]

# The tools that an MCP server offers: those that only read, the usual ones, or all of them.
ToolProfile = Literal["recall", "default", "full"]
TOOL_PROFILES: tuple[ToolProfile, ...] = get_args(ToolProfile)
