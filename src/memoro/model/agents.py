"""The names of agents, and which of them share what they keep."""

# The names under which the programs that `memoro connect` sets up have written, now and in earlier versions: their
# own, those of their logs, and those that their MCP clients give. All of them are one person's hands, so they
# share what they keep. Any other name is an agent of its own.
HOST_NAMES = frozenset(
    (
        "claude", "claude-code", "claude-ai", "claude-desktop", "codex", "codex-mcp-client", "cursor",
        "cursor-vscode", "gemini", "gemini-cli", "gemini-cli-mcp-client", "openclaw", "opencode", "vscode",
        "visual-studio-code",
    )
)  # fmt: skip

_NAMES_OF_LOGS = {
    "claude": "claude-code"
}  # under which hooks write, with the name of the program, where it is another

AGENT_ACTORS = ("agent", *sorted(HOST_NAMES))  # the sources under which agents and their hooks write


def acting_agent(actor: str, agent: str | None) -> str | None:
    """Return the agent that did something; None where a person or a part of Memoro did, if in an agent's home.

    What a hook left and a command of the person wrote later has no agent beside its actor.
    """
    return (agent or _NAMES_OF_LOGS.get(actor)) if actor in AGENT_ACTORS else None


def log_name_of(agent: str) -> str | None:
    """Return the name under which hooks write for an agent, where it is not the agent's own."""
    return next((name for name, own in _NAMES_OF_LOGS.items() if own == agent), None)


def allies_of(agent: str | None) -> tuple[str, ...]:
    """Return the other agents that an agent shares with."""
    return tuple(sorted(HOST_NAMES - {agent})) if agent in HOST_NAMES else ()
