"""The names of all commands, with what each does."""

from __future__ import annotations

from memoro import operations

# Commands that are no operations: processes, and those that set up the machine. Each has a module here.
PROCESSES = {
    "init": ("setup", "Choose the folder of your notes, and index it."),
    "demo": ("demo", "Try Memoro on sample notes and a sample project, in a folder of its own."),
    "connect": ("connect", "Give your agents this memory: Claude Code, Codex, Gemini CLI, …"),
    "disconnect": ("connect", "Take it out of such a program again, byte for byte."),
    "hook": ("hook", "Answer an event of such a program; it calls this itself."),
    "mcp": ("mcp", "Serve agents over MCP, on standard input and output."),
    "watch": ("watch", "Sync whenever a note changes, until Ctrl-C."),
    "ui": ("ui", "See, search and correct what is remembered, in your browser."),
    "serve": ("serve", "Keep everything up to date in the background, if you like."),
    "eval": ("eval", "Measure search on your own questions with known answers."),
    "completion": ("completion", "Print a completion script for a shell."),
}
# Every command with what it does. `--help` needs no more than this.
COMMANDS = {
    name: summary
    for name, (_, summary) in {
        **{name: PROCESSES[name] for name in ("init", "demo")},
        **operations.COMMANDS,
        **PROCESSES,
    }.items()
}
