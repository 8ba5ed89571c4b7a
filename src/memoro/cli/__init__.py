"""The command line: parse, call one operation, render. A command is loaded only when it is called."""

from __future__ import annotations

import gc
import os
import sys

# Command -> (module below memoro.cli, what it does). `--help` needs no more than this.
COMMANDS = {
    "init": ("setup", "Say where your notes are, and index them."),
    "demo": ("setup", "Show Memoro on sample notes."),
    "search": ("search", "Find passages in your notes."),
    "recall": ("recall", "Put what is relevant to a message into a block for a prompt."),
    "prompt": ("recall", "Put together all that a prompt should hold for a message."),
    "get": ("get", "Print exact lines of a note."),
    "transcripts": ("transcripts", "Search conversation logs too: add, list or remove their folders."),
    "memory": ("memory", "Keep, find and weigh single memories: store, query, reinforce, demote, …"),
    "experience": ("experience", "Keep what worked, and find it for the next attempt: record, find, use, …"),
    "narrative": ("narrative", "Say what is going on, sentence by sentence."),
    "session": ("session", "What was given to whom: start, list, show, replay, archive."),
    "remember": ("notes", "Keep a fact or a rule in an always-loaded file."),
    "pin": ("notes", "Keep what must not be missed."),
    "edit": ("notes", "Say an entry or a memory in other words."),
    "remove": ("notes", "Take out an entry, a memory or an experience; `undo` brings it back."),
    "forget": ("notes", "Scrub an entry, a memory or an experience for good."),
    "daily": ("notes", "Add a line to today's note."),
    "note": ("notes", "Make, edit, move, delete or restore a note."),
    "context": ("context", "How full a conversation is, and making it shorter: stats, compact."),
    "proposals": ("notes", "What agents propose to write, waiting for your word."),
    "accept": ("notes", "Write what was proposed."),
    "reject": ("notes", "Do not write what was proposed."),
    "log": ("journal", "List what was changed, by whom."),
    "undo": ("journal", "Take back a change, or all that a source did."),
    "export": ("exchange", "Write the whole ledger to a file, to keep or to move."),
    "import": ("exchange", "Bring in memories: an export, or what another store holds."),
    "backup": ("backup", "Copies of the ledger: create, list, verify, restore."),
    "connect": ("connect", "Give Memoro to a program that runs agents: Claude Code, Codex, Gemini CLI, …"),
    "disconnect": ("connect", "Take Memoro out of such a program again."),
    "hook": ("hook", "Answer an event of such a program; it calls this itself."),
    "mcp": ("mcp", "Serve agents over the Model Context Protocol, on standard input and output."),
    "sync": ("sync", "Bring the index to what the vault says."),
    "watch": ("sync", "Sync whenever a note changes, until Ctrl-C."),
    "serve": ("serve", "Keep everything fresh in the background: watch, sync, backups, pruning."),
    "status": ("health", "Compare the disk with the index."),
    "doctor": ("health", "Look at everything Memoro stands on, and say what to do."),
    "eval": ("eval", "Measure how well search finds, by questions with known answers."),
    "config": ("config", "Show every setting and where its value came from."),
    "completion": ("completion", "Print a completion script for a shell."),
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
