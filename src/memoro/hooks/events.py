"""The events of hosts as values, and the answers in the form that hosts read. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from memoro.hosts import HOOK_AGENTS, of_agent

if TYPE_CHECKING:
    from memoro.hosts.host import Hooks, SpooledKind
    from memoro.transcripts.tool_runs import ToolTarget

# Sources of prompts that no person typed: the program woke itself up.
_MACHINE_SOURCES = ("system", "loop_wakeup", "schedule_wakeup", "poll_event")
_ID_CHARACTERS = 200  # no host has longer ids
_PATH_CHARACTERS = 4096


class SessionStarted(NamedTuple):
    event: str  # the host's own name of it
    session: str | None
    emptied: bool = False  # the context was compacted or cleared, so the model lost its earlier context
    folder: str = ""  # in which the agent works
    source: str = ""  # why it started, as the host says: "startup", "resume", "clear", "compact"
    log: str = ""  # the file in which the host keeps this conversation


class PromptSubmitted(NamedTuple):
    event: str
    session: str | None
    text: str
    log: str = ""  # the file in which the host keeps this conversation
    folder: str = ""  # in which the agent works


class ActionAnnounced(NamedTuple):
    """A tool is about to act."""

    event: str
    session: str | None
    target: ToolTarget
    log: str = ""
    folder: str = ""


class Capture(NamedTuple):
    """A turn, a context or a session has ended, or a prompt gave feedback. Another process writes it down later."""

    host: str  # the agent's name
    kind: SpooledKind
    session: str
    log: str = ""  # the file in which the host keeps this conversation
    folder: str = ""  # in which the agent worked
    base: str = ""  # the host's folder, if its variable was set: the process that writes may lack that variable
    agent: str = (
        ""  # as the host was set up, and the project of the session; the process that writes may know neither
    )
    project: str = ""
    prompt: str = ""  # that gave feedback
    size: int = 0  # of the log at that moment, in bytes: what follows is not the exchange that it is about


HookEvent = SessionStarted | PromptSubmitted | ActionAnnounced | Capture


def hooks_of(agent: str) -> Hooks:
    """Return how the agent's host calls hooks. Raises KeyError for a host without hooks."""
    hooks = of_agent(agent).hooks
    if hooks is None:
        raise KeyError(agent)
    return hooks


def base_variable(agent: str) -> str:
    """Return the variable that moves the folder of the agent's host."""
    logs = of_agent(agent).logs
    return logs.variables[0] if logs else ""


def read_event(agent: str, document: Mapping[str, object], environment: Mapping[str, str]) -> HookEvent | None:
    """Return what the host asks of us; None for an unknown event, and for one that no person caused."""
    name = document.get("hook_event_name")
    if agent not in HOOK_AGENTS or not isinstance(name, str) or document.get("agent_id"):
        return None
    event = hooks_of(agent).event(name)
    if event is None:
        return None
    session = _text(document, "session_id", _ID_CHARACTERS) or None
    log = _text(document, "transcript_path", _PATH_CHARACTERS)
    folder = _text(document, "cwd", _PATH_CHARACTERS)
    if event.moment == "start":
        source = _text(document, "source", _ID_CHARACTERS)
        emptied = source in ("compact", "clear")
        return SessionStarted(event=name, session=session, emptied=emptied, folder=folder, source=source, log=log)
    if event.moment == "prompt":
        prompt = document.get("prompt")
        if not isinstance(prompt, str) or document.get("source") in _MACHINE_SOURCES:
            return None
        return PromptSubmitted(event=name, session=session, text=prompt, log=log, folder=folder)
    if event.moment == "action":
        from memoro.transcripts.tool_runs import target_of

        target = target_of(str(document.get("tool_name")), document.get("tool_input"))
        return ActionAnnounced(event=name, session=session, target=target, log=log, folder=folder)
    if session is None:
        return None
    return Capture(
        host=agent,
        kind=event.moment,
        session=session,
        log=log,
        folder=folder,
        base=environment.get(base_variable(agent), ""),
    )


def _text(document: Mapping[str, object], key: str, longest: int) -> str:
    value = document.get(key)
    if not isinstance(value, str) or len(value) > longest:
        return ""
    return "".join(character for character in value if character.isprintable()).strip()


def context_answer(event: str, block: str) -> dict[str, object]:
    """Return the answer that puts the block into the model's context."""
    return {"hookSpecificOutput": {"hookEventName": event, "additionalContext": block}}
