"""The effects of connecting a host, in sentences that a person reads before saying yes."""

from __future__ import annotations

import os
from typing import Literal, NamedTuple, get_args

from memoro.config import Settings
from memoro.hosts.host import Environment, Host, LogLocation, Moment, home_of
from memoro.hosts.settings import Registration

Verb = Literal["reads", "gives", "writes", "offers", "sends"]
_VERBS: tuple[Verb, ...] = get_args(Verb)  # in the order in which they are told


class Effect(NamedTuple):
    """One thing that happens once a host is connected."""

    verb: Verb
    sentence: str


class Places(NamedTuple):
    """Where a host keeps its files, and Memoro its own."""

    home: str
    logs: str = ""  # a folder, or patterns of files in one; empty: Memoro reads no logs of this host
    memory: str = ""  # files of its own memory; empty: there are none


def places(host: Host, environment: Environment, home: str) -> Places:
    """Return the places as a person reads them."""
    return Places(
        home=_short(home, environment),
        logs=_short(_files(host.logs.locate(environment)), environment) if host.logs else "",
        memory=_memory(host, environment),
    )


def _files(location: LogLocation) -> str:
    return os.path.join(location.folder, location.patterns[0]) if location.patterns else location.folder


def _memory(host: Host, environment: Environment) -> str:
    return (
        f"{host.memory.about} in {_short(host.memory.locate(environment).folder, environment)}" if host.memory else ""
    )


def _short(path: str, environment: Environment) -> str:
    own = home_of(environment)
    return f"~{path[len(own) :]}" if path.startswith(f"{own}/") else path


def effects(
    host: Host, registration: Registration, settings: Settings, tools: int, where: Places
) -> tuple[Effect, ...]:
    """Return what Memoro reads, puts before the model and writes, where the host calls its hooks and its server."""
    found: list[Effect] = []
    if registration.hooks and host.hooks:
        moments = {event.moment for event in host.hooks.events if event.seconds is not None}
        found += _read(host, moments, where)
        found += _given(host.hooks.tokens, moments, settings)
        found += _warned(registration, moments)
        found += _written(moments, settings, where)
    found += _asked_for(host, settings, where)
    if registration.mcp:
        found.append(Effect("offers", _offered(tools, registration.profile)))
        if registration.profile != "recall":
            found.append(
                Effect("writes", "the memories and experiences that the model stores; `memoro log` lists them.")
            )
            found.append(Effect("writes", _always_loaded(settings)))
    found.append(
        Effect("sends", f"{_sent(settings)} What it gives becomes part of what {host.title} sends to its own model.")
    )
    return tuple(sorted(found, key=lambda one: _VERBS.index(one.verb)))


def _read(host: Host, moments: set[Moment], where: Places) -> list[Effect]:
    found = [Effect("reads", "each prompt that you send, to find what is relevant.")] if "prompt" in moments else []
    if moments & {"turn", "compaction", "end"}:
        log = f"the log that {host.title} keeps of the conversation ({where.logs}), when it ends."
        found.append(Effect("reads", log))
    return found


def _asked_for(host: Host, settings: Settings, where: Places) -> list[Effect]:
    """Return the sources that a host's connection reads only with a further yes, or after an earlier one."""
    found = []
    if where.logs:
        known = any(one.source == host.agent for one in settings.transcripts.entries)
        when = "as you have said" if known else "only if you say so (--add-logs)"
        found.append(Effect("reads", f"your earlier conversations with it, {where.logs}, {when}."))
    if where.memory:
        known = host.agent in settings.vault.memories
        when = "as you have said" if known else "only if you say so (--add-memories)"
        found.append(Effect("reads", f"its own memory, {where.memory}, {when}; it is never changed."))
    return found


def _given(tokens: int, moments: set[Moment], settings: Settings) -> list[Effect]:
    most = settings.recall.proactive
    found = []
    if "start" in moments:
        at_start = (
            "as a session begins, MEMORY.md, PROCEDURAL.md, PINNED.md, today's lines, and where you left off in the "
            f"project (about 300 tokens); at most {tokens:,} tokens in all."
        )
        found.append(Effect("gives", at_start))
    if "prompt" in moments:
        size = f"at most {most.max_items} items and {min(tokens, most.max_tokens):,} tokens"
        at_prompt = (
            f"at a prompt, {size}, usually none to 200; nothing for a word of thanks, nothing private, nothing of "
            "other projects."
        )
        found.append(Effect("gives", at_prompt))
    return found


def _warned(registration: Registration, moments: set[Moment]) -> list[Effect]:
    if "action" not in moments or not registration.warnings:
        return []
    sentence = (
        "one line of warning before a command whose last run failed, or an edit of a file that you stated a rule "
        "for, while `memoro serve` runs (recall.warnings)."
    )
    return [Effect("reads", "each command and edit before it happens, and blocks none."), Effect("gives", sentence)]


def _written(moments: set[Moment], settings: Settings, where: Places) -> list[Effect]:
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
        note = "the daily note" if daily in (".", "") else f"the daily note in `{daily.strip('/')}/`"
        found.append(
            Effect("writes", f"a line in {note} when such a note is saved: what was done, and how much is open.")
        )
        if settings.extract.enabled:
            found.append(Effect("writes", _extracted(settings, note)))
    record = f"what it gave and why, in {where.home}; `memoro session show --today` shows it."
    found.append(Effect("writes", record))
    return found


def _extracted(settings: Settings, note: str) -> str:
    """Return where facts go that are taken out of conversations."""
    also = ", and each as a memory (extract.to = memories)" if settings.extract.to == "memories" else ""
    return f"facts that you state in a conversation, in your words, as lines `[extracted]` of {note}{also}."


def _sent(settings: Settings) -> str:
    if settings.llm.provider == "none" and settings.embedding.provider == "builtin":
        return "nothing."
    return "to the models that your settings name, what `memoro status` says under `sends`."


def _offered(tools: int, profile: str) -> str:
    return f"{tools} tools over MCP (profile {profile}); the model decides when to call them."


def _always_loaded(settings: Settings) -> str:
    if settings.writing.agent_writes == "direct":
        return "lines of MEMORY.md, PROCEDURAL.md and PINNED.md without asking (writing.agent_writes = direct)."
    return "nothing into MEMORY.md, PROCEDURAL.md and PINNED.md without your consent: `memoro review`."
