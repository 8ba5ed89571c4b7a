"""The table of operations: everything that can be asked of Memoro, for every surface.

The modules here hold the operations by topic: each has the requests, the functions that answer them, and the rows
of the table (`OPERATIONS`). The tools for agents, the command line with its `--json`, and the reference pages are
made from these rows. To add an operation, write its request, its function and its row in the module of its topic,
and its tests; a new command also needs a line in `COMMANDS`.

Commands that are processes, or that set up the machine, are no operations and stay in `cli/`: init, demo, connect,
disconnect, uninstall, hook, mcp, watch, serve, eval and completion.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memoro.operations.operation import AnyOperation


# Command -> (the module here that has its operations, what it does). A command is one operation, or the group of
# those whose names begin with it. `memoro --help` needs no more than this; the order is that of the reference pages.
COMMANDS = {
    "search": ("finding", "Search notes, conversations, memories and experiences."),
    "recall": ("recalling", "Print the context block that an agent gets for a message."),
    "prompt": ("recalling", "Print a whole prompt: always-loaded files, context block, hints."),
    "get": ("finding", "Print the exact text of a note, passage, entry or memory."),
    "transcripts": ("transcripts", "Choose the conversation logs that searches cover."),
    "memory": ("memories", "Store and find single facts, which agents look up when needed."),
    "experience": ("experiences", "Record and find what was done about a task, and how it went."),
    "narrative": ("narratives", "Record what is being worked on now, one sentence at a time."),
    "session": ("sessions", "List sessions, and show exactly what each one was given."),
    "remember": ("notes", "Add a fact or rule that every session starts with (MEMORY.md)."),
    "pin": ("notes", "Add a line that agents must never miss (PINNED.md)."),
    "entries": ("notes", "List the lines of the always-loaded files, with their ids."),
    "edit": ("notes", "Reword an entry or a memory, by its id."),
    "remove": ("notes", "Remove an entry, memory or experience; `undo` restores it."),
    "forget": ("notes", "Erase an entry, memory, experience or message for good: no undo."),
    "daily": ("notes", "Add a line to today's note about something that happened."),
    "note": ("notes", "Write whole notes: new, edit, move, delete, restore."),
    "context": ("contexts", "Measure and shorten a conversation, read as JSON."),
    "review": ("reviewing", "Look for new proposals, then accept or reject one by one."),
    "extract": ("extraction", "Save facts from your conversations in the daily notes."),
    "proposals": ("proposals", "List the proposals that wait, without deciding."),
    "accept": ("proposals", "Accept one proposal by its number."),
    "reject": ("proposals", "Reject one proposal by its number."),
    "wrong": ("feedback", "Mark an agent's last answer as wrong, and say what is right."),
    "good": ("feedback", "Mark an agent's last answer as good."),
    "given": ("given", "List, rate and mute single items that agents were given."),
    "tidy": ("tidying", "Propose fixes for repeated, outdated and misplaced entries."),
    "timeline": ("timeline", "Show each day in brief: its conversations, notes and changes."),
    "log": ("journal", "List every single change, newest first."),
    "undo": ("journal", "Undo the last change, one by number, or all by one source."),
    "export": ("exchange", "Write all memories and history to one file, to read or move."),
    "import": ("exchange", "Import memories from an export or from another program."),
    "move-ledger": ("moving", "Move the ledger to a shared Postgres server, or back."),
    "backup": ("backups", "Create, verify and restore copies of memories and history."),
    "outbox": ("outbox", "List, send and drop writes that wait for a shared ledger."),
    "sync": ("upkeep", "Update the index once; every search does so too."),
    "status": ("upkeep", "Show what is stored, and whether the index is up to date."),
    "doctor": ("upkeep", "Check every part for problems, and say how to fix each."),
    "numbers": ("numbers", "Show weekly figures: stored, given, rated, paid for."),
    "usage": ("usage", "Show what models were used for, and what they cost."),
    "space": ("spaces", "List and drop the vectors that each model made."),
    "provider": ("providers", "Test a model on another server; manage its batch jobs."),
    "admin": ("admin", "Administer shared ledgers: tenants, people, tokens, dumps."),
    "config": ("settings", "Show and change settings: show, get, set, unset."),
}


def of_command(command: str) -> tuple[AnyOperation, ...]:
    """The operations behind a command: one of its own name, or several that begin with it."""
    topic, summary = COMMANDS[command]
    rows = import_module(f"memoro.operations.{topic}").OPERATIONS
    found = [one for one in rows if one.name.partition(" ")[0] == command]
    return tuple(one if one.summary else one._replace(summary=summary) for one in found)


def table() -> tuple[AnyOperation, ...]:
    """Every operation, in the order of the commands."""
    return tuple(operation for command in COMMANDS for operation in of_command(command))
