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
    "search": ("finding", "Find passages in notes, conversations and memories."),
    "recall": ("recalling", "Show what an agent is given for a message."),
    "prompt": ("recalling", "Show all that a prompt should hold for a message."),
    "get": ("finding", "Print the exact text behind an id or a path."),
    "transcripts": ("transcripts", "Search the conversation logs of agents too."),
    "memory": ("memories", "A single fact that agents look up when it is relevant."),
    "experience": ("experiences", "A problem, what was done about it, and how well that went."),
    "narrative": ("narratives", "What is going on now, one sentence at a time."),
    "session": ("sessions", "See what each conversation with an agent was given."),
    "remember": ("notes", "A fact or rule that every session begins with (MEMORY.md)."),
    "pin": ("notes", "Something that must never be missed (PINNED.md)."),
    "entries": ("notes", "List every line of the always-loaded files, with its id."),
    "edit": ("notes", "Reword an entry or a memory, by its id."),
    "remove": ("notes", "Take out an entry, a memory or an experience, by its id."),
    "forget": ("notes", "Erase one of these for good; that cannot be undone."),
    "daily": ("notes", "Something that happened: a line in today's note."),
    "note": ("notes", "A whole note of its own: new, edit, move, delete, restore."),
    "context": ("contexts", "Measure how full a conversation is, and shorten it."),
    "review": ("reviewing", "Decide what Memoro and agents propose, one by one."),
    "extract": ("extraction", "Keep facts that you told an agent, in the notes of their days."),
    "proposals": ("proposals", "List what agents want to write; you `accept` or `reject`."),
    "accept": ("proposals", "Write what was proposed."),
    "reject": ("proposals", "Drop a proposal."),
    "wrong": ("feedback", "The last answer was wrong: say so, and what is right."),
    "good": ("feedback", "The last answer was good: say so."),
    "given": ("given", "Rate one thing that an agent was given, and stop it from being given."),
    "tidy": ("tidying", "Propose changes to doubled, outdated and misplaced entries."),
    "timeline": ("timeline", "See what happened day by day: conversations, notes, changes."),
    "log": ("journal", "List the changes, newest first; `log show N` shows one whole."),
    "undo": ("journal", "Undo the last change, one by its number, a proposal, or a source."),
    "export": ("exchange", "Write all that is stored to a file, to keep or to move."),
    "import": ("exchange", "Import memories from an export or from another program."),
    "move-ledger": ("moving", "Move all that is stored to a server that machines share, or back."),
    "backup": ("backups", "Copies of all that is stored: create, list, verify, restore."),
    "outbox": ("outbox", "What waits for the server of a shared ledger: list, send, drop."),
    "sync": ("upkeep", "Bring the index up to date; a search does so by itself."),
    "status": ("upkeep", "See what is stored, and whether the index is up to date."),
    "doctor": ("upkeep", "Check everything Memoro depends on, and say what to do."),
    "numbers": ("numbers", "See by week what is stored, given, marked and paid for."),
    "usage": ("usage", "See what models were used for, and what they cost."),
    "space": ("spaces", "The models whose vectors are kept: list, drop."),
    "provider": ("providers", "Test a model that is set or might be; see its batch jobs."),
    "admin": ("admin", "Shared ledgers on Postgres: install, tenants, users, tokens, dumps."),
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
