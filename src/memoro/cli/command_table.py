"""The names of all commands, with what each does."""

from __future__ import annotations

from memoro import operations

# Commands that are no operations: processes, and those that set up the machine. Each has a module here.
PROCESSES = {
    "init": ("setup", "Choose your folder of notes, and index it."),
    "demo": ("demo", "Try Memoro on sample notes, in a folder of its own."),
    "connect": ("connect", "Connect Claude Code, Codex, Gemini CLI, … to this memory."),
    "disconnect": ("connect", "Remove Memoro from the settings of a connected program."),
    "uninstall": ("uninstall", "Remove Memoro from this machine; your notes stay."),
    "hook": ("hook", "Answer one event of a connected program, which runs this."),
    "mcp": ("mcp", "Serve one agent over MCP, on standard input and output."),
    "watch": ("watch", "Update the index at every change of a note, until Ctrl-C."),
    "ui": ("ui", "Open the page in your browser: search, review, correct."),
    "serve": ("serve", "Run in the background: sync, schedules, hooks, HTTP."),
    "eval": ("eval", "Measure how well searches answer your own questions."),
    "completion": ("completion", "Print a completion script for your shell."),
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
