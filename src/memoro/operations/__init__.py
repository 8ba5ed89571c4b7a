"""The table of operations: everything that can be asked of Memoro, for every surface.

The modules here hold the operations by topic: each has the requests, the functions that answer them, and the rows
of the table (`OPERATIONS`). The tools for agents, the command line with its `--json`, and the reference pages are
made from these rows. To add an operation, write its request, its function and its row in the module of its topic,
and its tests; a new command also needs a line in `COMMANDS`.

Commands that are processes, or that set up the machine, are no operations and stay in `cli/`: init, demo, connect,
disconnect, hook, mcp, watch, serve, eval and completion.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memoro.operations.operation import AnyOperation


# Command -> (the module here that has its operations, what it does). A command is one operation, or the group of
# those whose names begin with it. `memoro --help` needs no more than this; the order is that of the reference pages.
COMMANDS = {
    "search": ("finding", "Find passages in your notes."),
    "recall": ("recalling", "Pack what is relevant to a message into a block for a prompt."),
    "prompt": ("recalling", "Assemble everything that a prompt should hold for a message."),
    "get": ("finding", "Print exact lines of a note."),
    "transcripts": ("transcripts", "Search conversation logs too: add, list or remove their folders."),
    "memory": ("memories", "Keep, find and rate single memories: store, query, reinforce, demote, …"),
    "experience": ("experiences", "Keep what worked, and find it for the next attempt: record, find, use, …"),
    "narrative": ("narratives", "Say what is going on, sentence by sentence."),
    "session": ("sessions", "The record of each conversation: start, list, show, replay, archive."),
    "remember": ("notes", "Add a fact or a rule to an always-loaded file."),
    "pin": ("notes", "Add something that must not be missed to an always-loaded file."),
    "edit": ("notes", "Reword an entry or a memory."),
    "remove": ("notes", "Remove an entry, a memory or an experience; `undo` brings it back."),
    "forget": ("notes", "Erase an entry, a memory or an experience for good."),
    "daily": ("notes", "Add a line to today's note."),
    "note": ("notes", "Create, edit, move, delete or restore a note."),
    "context": ("contexts", "Measure how full a conversation is, and shorten it: stats, compact."),
    "proposals": ("proposals", "List what agents propose to write, for you to decide."),
    "accept": ("proposals", "Write what was proposed."),
    "reject": ("proposals", "Drop a proposal."),
    "log": ("journal", "List the changes and who made them."),
    "undo": ("journal", "Undo a change, or everything that a source did."),
    "export": ("exchange", "Write the whole ledger to a file, to keep or to move."),
    "import": ("exchange", "Import memories from an export or from another program."),
    "backup": ("backups", "Copies of the ledger: create, list, verify, restore."),
    "sync": ("upkeep", "Update the index to match the vault."),
    "status": ("upkeep", "Compare the disk with the index."),
    "doctor": ("upkeep", "Check everything Memoro depends on, and say what to do."),
    "config": ("upkeep", "Show every setting and where its value came from."),
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
