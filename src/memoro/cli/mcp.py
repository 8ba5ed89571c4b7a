"""`memoro mcp`: the server that an agent's host starts."""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING

from memoro.errors import ConfigError
from memoro.hosts import session_of
from memoro.model.vocabulary import TOOL_PROFILES

if TYPE_CHECKING:
    from memoro.mcp.clients import Homes
    from memoro.workspace import Workspace

MISSING = "The MCP server needs a package that is not installed: `pip install 'memoro[mcp]'`, then try again."


def configure_mcp(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--profile",
        choices=TOOL_PROFILES,
        default="default",
        help="The tools to offer: recall only reads, full has all (default).",
    )
    parser.add_argument(
        "--agent",
        metavar="NAME",
        help="The name of the agent; it selects settings and rights, and marks what is written (MEMORO_AGENT, "
        "else none).",
    )
    parser.add_argument(
        "--project",
        metavar="NAME",
        help="The project; it limits what is seen, and marks what is written (MEMORO_PROJECT, else that of the "
        "working folder).",
    )
    parser.add_argument("--tools", action="store_true", help="Only print the tools, with their cost in tokens.")
    parser.add_argument("--json", action="store_true", help="With --tools: print one JSON document.")
    parser.set_defaults(run=_mcp)


def _mcp(chosen: argparse.Namespace) -> int:
    if chosen.tools:
        return _tools(chosen)
    from memoro.mcp import stdio

    if sys.stdin.isatty():
        print("memoro: waiting for an MCP client. Hosts start this themselves; Ctrl-D ends it.", file=sys.stderr)
    wire = stdio.Wire()  # before anything else is loaded, or even looked for
    need_sdk()
    agent = chosen.agent or os.environ.get("MEMORO_AGENT")
    session = session_of(os.environ) or f"mcp-{os.urandom(6).hex()}"
    return stdio.serve(wire, lambda: _homes(chosen), chosen.profile, agent, session)


def need_sdk() -> None:
    from importlib.util import find_spec

    if find_spec("mcp") is None or find_spec("mcp_types") is None:
        raise ConfigError(MISSING)


def _homes(chosen: argparse.Namespace) -> Homes:
    from memoro.mcp.clients import Homes

    def opened(client: str | None) -> Workspace:
        from memoro import opening

        return opening.open(
            chosen.home,
            chosen.vault,
            agent=chosen.agent,
            project=chosen.project,
            folder=_folder(),
            client=client or "",
        )

    return Homes(opened)


def _folder() -> str | None:
    """The folder in which the host runs; desktop programs start servers in none of a person's."""
    try:
        return os.getcwd()
    except OSError:  # it was deleted
        return None


def _tools(chosen: argparse.Namespace) -> int:
    from memoro import documents
    from memoro.mcp import tools

    listed = tools.chosen(chosen.profile)
    if chosen.json:
        document = [
            {"name": one.name, "title": one.tool.title, "description": one.tool.about, "inputSchema": one.schema(),
             "annotations": one.hints(), "tokens": tools.tokens([one])}
            for one in listed
        ]  # fmt: skip
        print(documents.dumps({"profile": chosen.profile, "tokens": tools.tokens(listed), "tools": document}))
        return 0
    for one in listed:
        print(f"{one.name:18} {tools.tokens([one]):4}  {one.tool.about}")
    print(f"{len(listed)} tools, about {tools.tokens(listed):,} tokens in a model's context")
    return 0
