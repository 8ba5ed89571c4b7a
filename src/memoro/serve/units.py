"""Unit files with which the system starts `memoro serve`. This only makes their text and installs nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, get_args

from memoro import hosts

UnitKind = Literal["systemd", "launchd"]
UNIT_KINDS: tuple[UnitKind, ...] = get_args(UnitKind)
LABEL = "memoro.serve"
# Exit codes for wrong settings and for a home that is already served: a restart would not help.
_FINAL = "2 6"


def variables() -> tuple[str, ...]:
    """Return the variables that a service needs from its owner's environment: settings, and where logs are."""
    found = [logs.variables for agent in hosts.LOG_AGENTS if (logs := hosts.of_agent(agent).logs)]
    return ("MEMORO_AGENT", "MEMORO_PROJECT", *(name for names in found for name in names))


def unit(kind: UnitKind, command: Sequence[str], environment: Mapping[str, str]) -> str:
    """Return the unit file that runs this command, with a line on how to install it."""
    kept = {name: environment[name] for name in variables() if environment.get(name)}
    return systemd(command, kept) if kind == "systemd" else launchd(command, kept)


def systemd(command: Sequence[str], environment: Mapping[str, str]) -> str:
    lines = [
        "# Save as ~/.config/systemd/user/memoro.service, then run: systemctl --user enable --now memoro",
        "[Unit]",
        "Description=Memoro keeps the memory of agents fresh",
        "",
        "[Service]",
        f"ExecStart={' '.join(_quoted(word, dollars=True) for word in command)}",
        *(f"Environment={_quoted(f'{name}={value}')}" for name, value in environment.items()),
        "Restart=on-failure",
        "RestartSec=30",
        f"RestartPreventExitStatus={_FINAL}",
        "Nice=10",
        "",
        "[Install]",
        "WantedBy=default.target",
    ]
    return "\n".join(lines) + "\n"


def _quoted(word: str, *, dollars: bool = False) -> str:
    """Quote a word for systemd, which expands percent signs and, in commands, dollars."""
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("%", "%%")
    if dollars:
        escaped = escaped.replace("$", "$$")
    plain = escaped == word and word and not any(c.isspace() or c in "'\";#" for c in word)
    return word if plain else f'"{escaped}"'


def launchd(command: Sequence[str], environment: Mapping[str, str]) -> str:
    import plistlib

    described = {
        "Label": LABEL,
        "ProgramArguments": list(command),
        "EnvironmentVariables": dict(environment),
        "RunAtLoad": True,
        "KeepAlive": {"SuccessfulExit": False},
        "ThrottleInterval": 30,
        "ProcessType": "Background",
    }
    text = plistlib.dumps(described, sort_keys=False).decode()
    place = f"~/Library/LaunchAgents/{LABEL}.plist"
    note = f"<!-- Save as {place}, then run: launchctl bootstrap gui/$UID {place} -->\n"
    head, end, rest = text.partition("?>\n")
    return head + end + note + rest
