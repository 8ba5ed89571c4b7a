"""What hosts tell, and in which form they want to be answered. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

# Prompts that nobody typed: a program woke itself up.
_MACHINES = ("system", "loop_wakeup", "schedule_wakeup", "poll_event")
_NAME_CHARACTERS = 200  # of an id; no host's is longer
_PATH_CHARACTERS = 4096
TURN, COMPACTION, END = "turn", "compaction", "end"


class Host(NamedTuple):
    """One host's names of the moments, and how much it takes whole."""

    start: str
    prompt: str
    captures: Mapping[str, str]
    variable: str  # of the environment, that says where it keeps its logs
    tokens: int  # of context that is never too long, in our count, which takes four characters for one
    background: tuple[str, ...] = ()  # events after which it does not wait for us, as `connect` sets them up


class Start(NamedTuple):
    event: str
    session: str | None
    anew: bool = False  # what was given before is not in the context any more


class Prompt(NamedTuple):
    event: str
    session: str | None
    text: str
    log: str = ""  # where the host says that the conversation is


class Capture(NamedTuple):
    """Something has ended, and is to be written down by whoever has the time."""

    host: str
    kind: str  # TURN, COMPACTION or END
    session: str
    log: str = ""  # where the host says that the conversation is
    folder: str = ""  # that was worked in
    base: str = ""  # what the host's variable said: whoever writes this down may have another environment


Told = Start | Prompt | Capture

# Claude Code shows 10,000 characters whole. Codex shows 2,500 of its tokens, of which code makes more than our count.
HOSTS: Mapping[str, Host] = {
    "claude": Host(
        "SessionStart",
        "UserPromptSubmit",
        {"Stop": TURN, "PreCompact": COMPACTION, "PostCompact": TURN, "SessionEnd": END},
        "CLAUDE_CONFIG_DIR",
        2_400,
        ("Stop",),
    ),
    "codex": Host(
        "SessionStart",
        "UserPromptSubmit",
        {"Stop": TURN, "PreCompact": COMPACTION, "PostCompact": TURN, "SessionEnd": END},
        "CODEX_HOME",
        1_800,
        ("Stop",),
    ),
    "gemini": Host(
        "SessionStart",
        "BeforeAgent",
        {"AfterAgent": TURN, "PreCompress": COMPACTION, "SessionEnd": END},
        "GEMINI_CLI_HOME",
        2_400,
    ),
}


def understand(host: str, event: Mapping[str, object], environment: Mapping[str, str]) -> Told | None:
    """What an event asks of us; None for one that is unknown, or of a machine talking to itself."""
    known, name = HOSTS.get(host), event.get("hook_event_name")
    if known is None or not isinstance(name, str) or event.get("agent_id"):
        return None
    session = _text(event, "session_id", _NAME_CHARACTERS) or None
    if name == known.start:
        return Start(name, session, event.get("source") in ("compact", "clear"))
    if name == known.prompt:
        prompt = event.get("prompt")
        if not isinstance(prompt, str) or event.get("source") in _MACHINES:
            return None
        return Prompt(name, session, prompt, _text(event, "transcript_path", _PATH_CHARACTERS))
    kind = known.captures.get(name)
    if kind is None or session is None:
        return None
    log, folder = _text(event, "transcript_path", _PATH_CHARACTERS), _text(event, "cwd", _PATH_CHARACTERS)
    return Capture(host, kind, session, log, folder, environment.get(known.variable, ""))


def _text(event: Mapping[str, object], key: str, longest: int) -> str:
    value = event.get(key)
    if not isinstance(value, str) or len(value) > longest:
        return ""
    return "".join(character for character in value if character.isprintable()).strip()


def as_output(event: str, block: str) -> dict[str, object]:
    return {"hookSpecificOutput": {"hookEventName": event, "additionalContext": block}}
