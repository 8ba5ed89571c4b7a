"""The command line: parse, call one operation, show its result. A command is loaded only when it is called."""

from __future__ import annotations

import gc
import os
import sys

from memoro import operations

# Commands that are no operations: processes, and those that set up the machine. Each has a module here.
PROCESSES = {
    "init": ("setup", "Choose the folder of your notes, and index it."),
    "demo": ("setup", "Try Memoro on sample notes, in a folder of its own."),
    "connect": ("connect", "Give your agents this memory: Claude Code, Codex, Gemini CLI, …"),
    "disconnect": ("connect", "Take it out of such a program again, byte for byte."),
    "hook": ("hook", "Answer an event of such a program; it calls this itself."),
    "mcp": ("mcp", "Serve agents over MCP, on standard input and output."),
    "watch": ("watch", "Sync whenever a note changes, until Ctrl-C."),
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


def main(arguments: list[str] | None = None) -> int:
    """Run one command; the exit code (docs/cli.md lists them)."""
    # Most commands end before a collection could pay for itself.
    gc.set_threshold(50_000)
    # A pool of threads takes time to start, and one query has no work for it.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    given = sys.argv[1:] if arguments is None else arguments
    try:
        if "hook" in given:
            from memoro.cli import hook

            if hook.is_call(given):
                hook.run(given)
        from memoro.cli.run import run

        return run(given)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # The reader has seen enough, as `head` has. Python would complain again while it shuts down.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    finally:
        if arguments is None:  # the process ends now; Python would look through all objects for garbage once more
            gc.freeze()
