"""The operations that a team's server offers to the tokens of people and agents, each in the seat of its person.

A seat has the ledger of a tenant, as its person may see it. It has no notes, no conversation logs and no settings of
its own, and what concerns the server's home is for whoever runs it. An operation without a row is not offered.
"""

from __future__ import annotations

from collections.abc import Mapping

from memoro.errors import NotInSeat

NOTES = (
    "Notes stay in a folder on a person's own machine, and a team's server keeps none. Use `memory store` instead."
)
_SERVER = "It is about the home of the server; whoever runs the server uses the command there."
_FILES = "It reads conversation logs of one machine."
_BACKUPS = "Whoever runs the database backs it up, for all tenants."

OFFERED = frozenset({
    "search", "recall", "prompt", "get", "edit", "remove", "forget",
    "memory store", "memory reinforce", "memory demote", "memory update", "memory supersede", "memory trust",
    "memory query", "memory show", "memory history", "memory links", "memory list", "memory stats", "memory archive",
    "memory unarchive", "memory prune", "memory remove", "memory forget", "memory visibility",
    "experience record", "experience use", "experience prefer", "experience trust", "experience find",
    "experience show", "experience history", "experience list", "experience stats", "experience prune",
    "experience remove", "experience visibility",
    "narrative update", "narrative search", "narrative show",
    "session start", "session list", "session last", "session show", "session replay", "session archive",
    "session unarchive",
    "context stats", "proposals", "accept", "reject",
    "given wrong", "given good", "given allow", "given day", "given muted",
    "log", "log show", "undo",
})  # fmt: skip

NOT_OFFERED: Mapping[str, str] = {
    **dict.fromkeys(
        ("remember", "pin", "entries", "daily", "note new", "note edit", "note move", "note delete", "note restore",
         "review", "tidy", "wrong", "good", "timeline", "context compact"), NOTES,
    ),
    **dict.fromkeys(("transcripts list", "extract"), _FILES),
    **dict.fromkeys(("backup create", "backup list", "backup verify", "backup restore", "backup adopt"), _BACKUPS),
    **dict.fromkeys(
        ("sync", "status", "doctor", "numbers", "usage", "space list", "space drop", "provider jobs",
         "provider cancel", "provider resume", "outbox list", "outbox send", "outbox drop",
         "config show", "config get", "config set", "config unset"), _SERVER,
    ),
}  # fmt: skip


def check_offered(operation: str) -> None:
    """Raise NotInSeat for an operation that seats do not have."""
    if operation not in OFFERED:
        raise NotInSeat(operation, NOT_OFFERED.get(operation, _SERVER))
