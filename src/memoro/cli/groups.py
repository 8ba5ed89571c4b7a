"""The commands by what a person wants to do: the text of `memoro --help` and `memoro help all`."""

from typing import NamedTuple


class CommandGroup(NamedTuple):
    """A purpose, its commands, and those that only `memoro help all` lists."""

    title: str
    everyday: tuple[str, ...]
    seldom: tuple[str, ...] = ()

    @property
    def commands(self) -> tuple[str, ...]:
        return (*self.everyday, *self.seldom)


GROUPS = (
    CommandGroup("Find", ("search", "get", "recall"), ("prompt",)),
    CommandGroup("Keep", ("remember", "pin", "daily", "note", "memory", "experience"), ("narrative", "extract")),
    CommandGroup(
        "Correct",
        ("entries", "edit", "remove", "forget", "wrong", "good", "given", "review", "tidy"),
        ("proposals", "accept", "reject"),
    ),
    CommandGroup("Look back", ("ui", "log", "undo", "session"), ("timeline",)),
    CommandGroup(
        "Connect", ("init", "connect", "transcripts"), ("demo", "disconnect", "uninstall", "import", "export")
    ),
    CommandGroup(
        "Look after",
        ("status", "doctor", "config", "backup", "serve"),
        ("sync", "space", "provider", "usage", "numbers", "outbox", "move-ledger", "admin", "watch", "eval"),
    ),
    CommandGroup("For programs", (), ("mcp", "hook", "context", "completion")),
)
# Words that people try, and the command that does it.
SYNONYMS = {
    "add": "remember", "ask": "search", "bad": "wrong", "cat": "get", "correct": "wrong", "cost": "usage",
    "delete": "remove", "erase": "forget", "fact": "memory", "feedback": "wrong", "find": "search",
    "history": "log", "install": "connect", "journal": "log", "keep": "remember", "list": "entries",
    "logs": "transcripts", "ls": "entries", "mute": "given", "query": "search", "restore": "backup", "revert": "undo",
    "reward": "good", "rm": "remove", "save": "remember", "sessions": "session", "set": "config",
    "settings": "config", "setup": "init", "show": "get", "start": "init", "stats": "numbers", "store": "memory",
    "today": "daily", "update": "edit", "view": "get",
}  # fmt: skip


def overview(summaries: dict[str, str], *, everything: bool = False) -> str:
    """The help of `memoro` itself: the everyday commands, or all of them, by purpose."""
    width = max(map(len, summaries))
    parts = []
    for group in GROUPS:
        chosen = group.commands if everything else group.everyday
        if chosen:
            parts.append("\n".join([group.title, *(f"  {name:{width}}  {summaries[name]}" for name in chosen)]))
    more = "" if everything else "`memoro help all` lists the other commands too. "
    return "\n".join(
        [
            "memoro: a memory for AI agents that its owner can read.\n",
            "Usage: memoro [--home DIR] [--vault DIR] COMMAND [OPTIONS]\n",
            *parts,
            "\nOptions",
            "  --home DIR   Memoro's own folder; else MEMORO_HOME, else ~/.memoro",
            "  --vault DIR  the folder of notes; else MEMORO_VAULT, else as `init` set it",
            "  --version    print the version\n",
            "`memoro help COMMAND` explains one, with examples.",
            f"{more}New here? Try `memoro demo`.",
        ]
    )
