"""Find the folder of a home."""

from __future__ import annotations

import os
from collections.abc import Mapping

from memoro.errors import ConfigError

IN_MEMORY = ":memory:"


def home_folder(named: str | None, environment: Mapping[str, str], agent: str | None) -> str:
    """Return the named folder, else `MEMORO_HOME`, else `~/.memoro`; `{agent}` in it becomes the agent's name."""
    folder = named if named is not None else environment.get("MEMORO_HOME") or "~/.memoro"
    if folder == IN_MEMORY:
        return IN_MEMORY
    if "{agent}" in folder:
        if not agent:
            raise ConfigError(f"The home {folder} is one for each agent: say which in MEMORO_AGENT, or agent=….")
        if "/" in agent or agent.startswith("."):
            raise ConfigError(f"{agent!r} cannot be part of a folder's name.")
        folder = folder.replace("{agent}", agent)
    return os.path.abspath(os.path.expanduser(folder))
