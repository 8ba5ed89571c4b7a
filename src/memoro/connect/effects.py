"""The effects of connecting a host, in sentences that a person reads before saying yes."""

from __future__ import annotations

from typing import NamedTuple

from memoro.config import Settings
from memoro.hosts.host import Host, Moment
from memoro.hosts.settings import Registration


class Effect(NamedTuple):
    """One thing that happens once a host is connected."""

    verb: str  # reads, gives, writes, offers
    sentence: str


def effects(host: Host, registration: Registration, settings: Settings, tools: int) -> tuple[Effect, ...]:
    """Return what Memoro reads, puts before the model and writes, where the host calls its hooks and its server."""
    found: list[Effect] = []
    if registration.hooks and host.hooks:
        moments = {event.moment for event in host.hooks.events if event.seconds is not None}
        found += _read(host, moments)
        found += _given(host.hooks.tokens, moments, settings)
        found += _warned(registration, moments)
        found += _written(moments, settings)
    if registration.mcp:
        found.append(Effect("offers", _offered(tools, registration.profile)))
        if registration.profile != "recall":
            found.append(
                Effect("writes", "the memories and experiences that the model stores; `memoro log` lists them.")
            )
            found.append(Effect("writes", _always_loaded(settings)))
    return tuple(found)


def _read(host: Host, moments: set[Moment]) -> list[Effect]:
    found = [Effect("reads", "each prompt that you send, to find what is relevant.")] if "prompt" in moments else []
    if moments & {"turn", "compaction", "end"}:
        found.append(Effect("reads", f"the log that {host.title} keeps of the conversation, when it ends."))
    return found


def _given(tokens: int, moments: set[Moment], settings: Settings) -> list[Effect]:
    later = settings.recall.proactive
    found = []
    if "start" in moments:
        at_start = (
            f"MEMORY.md, PROCEDURAL.md, PINNED.md and today's note, at most {tokens:,} tokens, as a session begins."
        )
        found.append(Effect("gives", at_start))
    if "prompt" in moments:
        first = f"what is relevant to a prompt: at most {min(tokens, settings.recall.budget):,} tokens for the first"
        found.append(
            Effect("gives", f"{first}, {later.max_tokens:,} for each later one; nothing where nothing is relevant.")
        )
    return found


def _warned(registration: Registration, moments: set[Moment]) -> list[Effect]:
    if "action" not in moments or not registration.warnings:
        return []
    sentence = (
        "one line of warning before a command whose last run failed, or an edit of a file that you stated a rule "
        "for, while `memoro serve` runs (recall.warnings)."
    )
    return [Effect("reads", "each command and edit before it happens, and blocks none."), Effect("gives", sentence)]


def _written(moments: set[Moment], settings: Settings) -> list[Effect]:
    found = []
    if moments & {"compaction", "end"}:
        found.append(
            Effect(
                "writes",
                "a note about each conversation in which something was done, in `sessions/` of your vault: its "
                "decisions, errors, files, commands and open items, without secrets.",
            )
        )
        daily = settings.daily.folder
        where = "the daily note" if daily in (".", "") else f"the daily note in `{daily.strip('/')}/`"
        found.append(
            Effect("writes", f"a line in {where} when such a note is saved: what was done, and how much is open.")
        )
    return found


def _offered(tools: int, profile: str) -> str:
    return f"{tools} tools over MCP (profile {profile}); the model decides when to call them."


def _always_loaded(settings: Settings) -> str:
    if settings.writing.agent_writes == "direct":
        return "lines of MEMORY.md, PROCEDURAL.md and PINNED.md without asking (writing.agent_writes = direct)."
    return "nothing into MEMORY.md, PROCEDURAL.md and PINNED.md without your word: `memoro proposals`."
