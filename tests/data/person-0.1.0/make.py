"""Makes the files beside this one. It was run once, with the code of version 0.1.0, and is kept for whoever reads it.

    python make.py      (a Python in which Memoro 0.1.0 is installed, with the extra `mcp`)

`before.json` has the settings files of a person's hosts, by path, and `after.json` the same files after `memoro
connect` of 0.1.0 for every host, in every scope, with its own record of it. `@ME@` stands for the person's home,
`@PROJECT@` for the folder of a project, and `@MEMORO@` for the program. `memoro.toml` sets every key that 0.1.0 knew,
each one away from its default; `settings.json` is what 0.1.0 read from it. `tests/test_upgrade.py` uses them.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from memoro import config  # isort: skip
from memoro.connect.hosts import HOSTS

HERE = Path(__file__).parent
MEMORO = Path(sys.executable).parent / "memoro"
# As people have them: other indents, comments, line ends, no line end at the end, hooks of others, and empty.
BEFORE = {
    "me/.claude/settings.json": """{
  "model": "opus",
  "hooks": {
    "Stop": [
      {
        "hooks": [{"type": "command", "command": "say done"}]
      }
    ]
  }
}
""",
    "me/.codex/config.toml": 'model = "o4"  # as it was\n\n[mcp_servers.other]\ncommand = "other"\nargs = []',
    "me/.gemini/settings.json": '{\r\n\t// mine\r\n\t"theme": "dark",\r\n'
    '\t"mcpServers": {"other": {"command": "x"}},\r\n}\r\n',
    "me/.config/Claude/claude_desktop_config.json": "{}",
    "me/.cursor/mcp.json": '{\n  // mine\n  "mcpServers": {\n    "other": {"command": "x"}, // and why\n  },\n}\n',
    "me/.config/opencode/opencode.json": '{"$schema": "https://opencode.ai/config.json"}\n',
    "project/.mcp.json": '{\n    "mcpServers": {\n        "other": {"command": "x"}\n    }\n}\n',
    "project/.gemini/settings.json": "",
}
# Claude Code's own command, as far as Memoro uses it: it keeps its servers in ~/.claude.json.
CLAUDE = """#!/usr/bin/env python3
import json, os, sys
file = os.path.expanduser("~/.claude.json")
known = json.load(open(file)) if os.path.exists(file) else {"mcpServers": {}}
servers, words = known["mcpServers"], sys.argv[1:]
if words[:2] == ["mcp", "get"]:
    if words[2] not in servers:
        sys.exit("no such server")
    print("Command:", servers[words[2]]["command"], "Args:", *servers[words[2]]["args"])
elif words[:2] == ["mcp", "remove"]:
    if servers.pop(words[4], None) is None:
        sys.exit("no such server")
elif words[:2] == ["mcp", "add"]:
    servers[words[4]] = {"type": "stdio", "command": words[6], "args": words[7:]}
json.dump(known, open(file, "w"), indent=2)
"""
SETTINGS = {
    "vault.path": "@ME@/notes",
    "vault.extra": ["@ME@/papers"],
    "vault.ignore": [".git", "drafts"],
    "chunking.tokens": 300,
    "chunking.overlap": 60,
    "sync.on_session_start": False,
    "sync.on_search": False,
    "sync.watch": False,
    "sync.watch_debounce_ms": 2000,
    "sync.interval_minutes": 10,
    "sync.transcripts.delta_bytes": 50_000,
    "sync.transcripts.delta_messages": 20,
    "sync.transcripts.debounce_ms": 4000,
    "embedding.enabled": False,
    "embedding.dimensions": 128,
    "cache.max_entries": 5000,
    "query.max_results": 8,
    "query.mode": "words",
    "query.candidate_multiplier": 6,
    "query.half_life_days": 60,
    "query.fusion": "weighted",
    "query.vector_weight": 0.6,
    "query.text_weight": 0.4,
    "query.min_score": 0.5,
    "query.sources": ["notes", "memories"],
    "daily.folder": "journal",
    "daily.pattern": "YYYY/MM/DD",
    "daily.obsidian": False,
    "daily.keep_days": 90,
    "daily.prompt_lines": 30,
    "transcripts.folders": ["claude since 2026-01-01", "@ME@/chats"],
    "transcripts.ignore": ["subagents"],
    "memory.reinforce_weight": 4,
    "memory.demote_weight": 2,
    "memory.max_size": "50MB",
    "memory.prune_schedule": "30 5 * * 1",
    "memory.prune_percent": 2.0,
    "writing.agent_writes": "direct",
    "recall.budget": 2000,
    "recall.candidates": 30,
    "recall.window": 2,
    "recall.proactive.max_items": 3,
    "recall.proactive.max_tokens": 400,
    "recall.proactive.min_score": 0.4,
    "experience.half_life_days": 45,
    "experience.prune_below": 0.1,
    "context.compact_at": 0.8,
    "context.target": 0.4,
    "context.recency_buffer": 12,
    "context.min_messages": 20,
    "context.tool_result_tokens": 1500,
}
SCOPED = """
[agents.work.query]
max_results = 3

[agents.codex.writing]
agent_writes = "propose"

[projects.garden.recall]
budget = 1000
"""


def texts(folder: Path) -> dict[str, str]:
    """Every settings file below the folder, by its path, with names in place of this machine's."""
    skipped = {"bin", "notes"}
    found = {}
    for file in sorted(folder.rglob("*")):
        parts = file.relative_to(folder).parts
        if not file.is_file() or parts[1] in skipped:
            continue
        if parts[1] == ".memoro" and file.name != "connections.json":
            continue
        found["/".join(parts)] = named(file.read_bytes().decode(), folder)
    return found


def named(text: str, folder: Path) -> str:
    for path, name in ((folder / "me", "@ME@"), (folder / "project", "@PROJECT@"), (MEMORO, "@MEMORO@")):
        text = text.replace(str(path), name)
    return text


def connect(folder: Path) -> None:
    claude = folder / "me" / "bin" / "claude"
    claude.parent.mkdir()
    claude.write_text(CLAUDE)
    claude.chmod(0o755)
    environment = {"HOME": str(folder / "me"), "PATH": f"{claude.parent}:/usr/bin:/bin"}
    for host, about in HOSTS.items():
        for scope in about.scopes:
            subprocess.run(
                [MEMORO, "connect", host, "--scope", scope, "--yes"],
                env=environment, cwd=folder / "project", check=True, stdout=subprocess.DEVNULL,
            )  # fmt: skip


def write(name: str, value: object) -> None:
    (HERE / name).write_text(json.dumps(value, indent=1, ensure_ascii=False) + "\n")


def settings() -> str:
    tables: dict[str, list[str]] = {}
    for key, value in SETTINGS.items():
        table, _, name = key.rpartition(".")
        tables.setdefault(table, []).append(f"{name} = {json.dumps(value)}")
    return "\n".join("\n".join([f"[{table}]", *lines, ""]) for table, lines in tables.items()) + SCOPED


def main() -> None:
    assert set(SETTINGS) == set(config.keys()), set(SETTINGS) ^ set(config.keys())
    with tempfile.TemporaryDirectory() as made:
        folder = Path(os.path.realpath(made))
        for name, text in BEFORE.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(text.encode())
        write("before.json", texts(folder))
        connect(folder)
        write("after.json", texts(folder))
    (HERE / "memoro.toml").write_text(settings())
    found = config.read_file(str(HERE / "memoro.toml"), agent="work", project="garden")
    write("settings.json", {one.key: one.value for one in config.settle(found)[1]})


if __name__ == "__main__":
    main()
