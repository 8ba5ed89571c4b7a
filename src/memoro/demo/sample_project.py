"""A sample project with conversation logs, and prompts that are played through the real hook."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from memoro import config
from memoro.config import edit

PROJECT = "pier-board"
_HERE = os.path.dirname(__file__)
_MINUTE = timedelta(minutes=1)
_COMMANDS = {"Bash": "command"}  # the input of other tools is a file
_SECONDS = 60  # a slow machine gets an answer too


class SamplePrompt(NamedTuple):
    text: str
    shows: str


TRACE = """It crashed again after midnight:
  File "src/arrivals.py", line 31, in arrivals_today
ValueError: Invalid isoformat string: '25:05'"""
PROMPTS = (
    SamplePrompt("How often do we fetch the timetable feed?", "a fact that changed"),
    SamplePrompt(TRACE, "an error solved before"),
    SamplePrompt("Where did we leave off?", "the last work"),
    SamplePrompt("thanks!", "silence"),
)


class SampleProject(NamedTuple):
    """The folders of a demo: the project, the logs of its agent, and the home."""

    folder: str
    logs: str  # as CLAUDE_CONFIG_DIR names it
    home: str

    @property
    def environment(self) -> dict[str, str]:
        """The variables with which the agent runs its hooks."""
        clean = {name: value for name, value in os.environ.items() if not name.startswith("MEMORO_")}
        return {**clean, "CLAUDE_CONFIG_DIR": self.logs, "MEMORO_HOOK_SECONDS": str(_SECONDS)}


def make_project(folder: str) -> SampleProject:
    """Write the sample project and its logs into a folder, and tell the home of both."""
    made = SampleProject(*(os.path.join(folder, name) for name in (PROJECT, "claude", "home")))
    place = os.path.join(made.logs, "projects", PROJECT)
    repository = os.path.join(made.folder, ".git")  # its own, or its files would be told by their place in ours
    for one in (repository, place, made.home):
        os.makedirs(one, exist_ok=True)
    with open(os.path.join(repository, "HEAD"), "w", encoding="utf-8") as file:
        file.write("ref: refs/heads/main\n")
    for conversation in _conversations():
        log = os.path.join(place, f"{conversation['session']}.jsonl")
        with open(log, "w", encoding="utf-8") as file:
            file.writelines(json.dumps(one) + "\n" for one in _records(conversation, made.folder))
    settings = os.path.join(made.home, config.FILE_NAME)
    edit.write(settings, ("projects", PROJECT, "paths"), [made.folder])
    edit.write(settings, "transcripts.folders", [made.logs])
    return made


def ask(project: SampleProject, session: str, prompt: str) -> str:
    """Send a prompt as the agent does; returns the block that the hook puts before the model, or nothing."""
    log = os.path.join(project.logs, "projects", PROJECT, f"{session}.jsonl")
    event = {"hook_event_name": "UserPromptSubmit", "session_id": session, "transcript_path": log, "prompt": prompt}
    answer = _hook(project, {**event, "cwd": project.folder})
    return str(json.loads(answer)["hookSpecificOutput"]["additionalContext"]) if answer.strip() else ""


def _hook(project: SampleProject, event: Mapping[str, str]) -> str:
    """Run `memoro hook claude` with an event on its standard input."""
    command = [sys.executable, "-P", "-m", "memoro", "--home", project.home, "hook", "claude"]
    done = subprocess.run(
        command,
        input=json.dumps(event),
        capture_output=True,
        text=True,
        encoding="utf-8",
        env=project.environment,
        cwd=project.folder,
        check=False,
    )
    return done.stdout


def _conversations() -> list[dict[str, Any]]:
    with open(os.path.join(_HERE, "conversations.toml"), "rb") as file:
        found: list[dict[str, Any]] = tomllib.load(file)["conversation"]
        return found


def _records(conversation: Mapping[str, Any], folder: str) -> Iterator[dict[str, object]]:
    """The records of a conversation as Claude Code writes them, a minute after each other."""
    session, started = conversation["session"], conversation["started"]
    before: str | None = None
    for number, (kind, *said) in enumerate(conversation["turns"]):
        for part, (side, content) in enumerate(_messages(kind, said, number, folder)):
            own = f"{session[:8]}-{number:04}-{part}"
            yield {
                "type": side,
                "uuid": own,
                "parentUuid": before,
                "sessionId": session,
                "timestamp": _stamp(started + number * _MINUTE),
                "cwd": folder,
                "version": "2.1.300",
                "isSidechain": False,
                "userType": "external",
                "message": {"role": side, "content": content},
            }
            before = own


def _messages(kind: str, said: list[str], number: int, folder: str) -> list[tuple[str, object]]:
    """One message for a person's words; two for a call of a tool and its result."""
    if kind == "user":
        return [("user", said[0])]
    if kind == "assistant":
        return [("assistant", [{"type": "text", "text": said[0]}])]
    call, (given, result) = f"toolu_{number:04}", said
    name = _COMMANDS.get(kind, "file_path")
    value = given if name == "command" else os.path.join(folder, given)
    return [
        ("assistant", [{"type": "tool_use", "id": call, "name": kind, "input": {name: value}}]),
        ("user", [{"type": "tool_result", "tool_use_id": call, "content": result, "is_error": False}]),
    ]


def _stamp(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
