"""Unit files, so that a system starts `memoro serve` for its owner: text, and nothing is installed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

LABEL = "memoro.serve"
KINDS = ("systemd", "launchd")
# What decides where logs are and whose settings hold; a service does not have its owner's environment.
VARIABLES = (
    "MEMORO_AGENT",
    "MEMORO_PROJECT",
    "CLAUDE_CONFIG_DIR",
    "CODEX_HOME",
    "GEMINI_CLI_HOME",
    "OPENCLAW_STATE_DIR",
    "OPENCODE_DB",
    "XDG_DATA_HOME",
)
# Wrong settings, and a home that is served already: starting again would not help.
_FINAL = "2 6"


def unit(kind: str, command: Sequence[str], environment: Mapping[str, str]) -> str:
    """The file for `systemd` or `launchd` that runs this command, with a line on how to install it."""
    kept = {name: environment[name] for name in VARIABLES if environment.get(name)}
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
    """A word as systemd reads it: percent signs and, in commands, dollars mean something there."""
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
