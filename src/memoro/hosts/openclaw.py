"""OpenClaw, and Gimli, which keeps the same logs."""

from __future__ import annotations

import os

from memoro.hosts.host import Environment, Host, LogLocation, Logs, folder_of

_VARIABLE = "OPENCLAW_STATE_DIR"


def _logs(environment: Environment) -> LogLocation:
    agents = os.path.join(folder_of(environment, _VARIABLE, ".openclaw"), "agents")
    return LogLocation(agents, ("*/sessions/*", "*/agent/openclaw-agent.sqlite"))


HOST = Host(
    name="openclaw",
    title="OpenClaw",
    agent="openclaw",
    logs=Logs(format="openclaw", variables=(_VARIABLE,), locate=_logs),
)
