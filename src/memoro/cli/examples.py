"""Examples for the help of every command. A test runs each of them on a sample home."""

from __future__ import annotations

from collections.abc import Sequence

MOST = 4  # examples that the help of a group of actions borrows from them

# By command, or by command and action. Each is a line to type; a test fails when a command has none.
EXAMPLES: dict[str, tuple[str, ...]] = {
    "search": (
        "memoro search who is allergic to cashews",
        'memoro search "why SQLite" --since 2026-03 --tier episodic -n 3',
        "memoro search rate cache --kind note --explain",
    ),
    "get": (
        "memoro get people/pia.md",
        "memoro get people/pia.md:9-12",
        "memoro get memory:3",
        "memoro get c4shw0",
    ),
    "recall": (
        'memoro recall "what should I cook for Pia"',
        'memoro recall "which carriers do we use" --why --budget 500',
    ),
    "prompt": ('memoro prompt "plan the week" --budget 2000',),
    "remember": (
        "memoro remember Bins go out on Tuesday evening",
        'memoro remember "Run the tests before every commit" --tier procedural',
        'memoro remember "Prices are in cents" --section "Patterns and conventions"',
    ),
    "pin": ("memoro pin Never deploy on a Friday",),
    "daily": ("memoro daily Called the plumber; he comes on Thursday",),
    "note new": (
        "memoro note new ideas/bird-box.md '# A bird box'",
        "memoro note new ideas/garden.md < draft.md",
    ),
    "note edit": (
        "memoro note edit people/pia.md --old Tuesdays Mondays",
        "memoro note edit ideas/plan.md '# A new plan'",
    ),
    "note move": ("memoro note move ideas/plan.md projects/plan.md",),
    "note delete": ("memoro note delete ideas/plan.md",),
    "note restore": ("memoro note restore ideas/plan.md --at 2026-03-05",),
    "memory store": (
        'memoro memory store "The staging server is called heron"',
        'memoro memory store "Mira is on leave" --valid-to 2026-12-01 --tags team',
        'memoro memory store "The staging server is called egret" --supersedes 1',
    ),
    "memory query": ("memoro memory query staging server", "memoro memory query staging --explain --links"),
    "memory show": ("memoro memory show 3", "memoro memory show 3 --used"),
    "memory list": (
        "memoro memory list -n 5",
        "memoro memory list --source user",
        "memoro memory list --sort score --words deploy",
        "memoro memory list --state superseded",
    ),
    "memory reinforce": ("memoro memory reinforce 3",),
    "memory demote": ("memoro memory demote 3",),
    "memory update": ('memoro memory update 3 "The staging server is called egret"',),
    "memory supersede": ("memoro memory supersede 3 4",),
    "memory trust": ("memoro memory trust 3 user_confirmed",),
    "memory visibility": ("memoro memory visibility 3", "memoro memory visibility 3 private"),
    "memory history": ("memoro memory history 3",),
    "memory links": ("memoro memory links 3 --depth 2",),
    "memory stats": ("memoro memory stats",),
    "memory archive": ("memoro memory archive 3",),
    "memory unarchive": ("memoro memory unarchive 5",),
    "memory prune": ("memoro memory prune --dry-run",),
    "memory remove": ("memoro memory remove 3",),
    "memory forget": ("memoro memory forget 3 --dry-run", "memoro memory forget --query staging --yes"),
    "experience record": (
        'memoro experience record error_recovery "replica lags" "restart the sender"',
        'memoro experience record error_recovery "disk full" "delete logs" --success 0',
    ),
    "experience find": ('memoro experience find "the replica is behind"',),
    "experience use": ("memoro experience use 1 --success 1",),
    "experience prefer": (
        "memoro experience prefer editor helix",
        "memoro experience prefer",
    ),
    "experience trust": ("memoro experience trust 1 user_confirmed",),
    "experience visibility": ("memoro experience visibility 1 shared",),
    "experience show": ("memoro experience show 1",),
    "experience history": ("memoro experience history 1",),
    "experience list": ("memoro experience list -n 5", "memoro experience list --outcome failed --sort uses"),
    "experience stats": ("memoro experience stats",),
    "experience prune": ("memoro experience prune --dry-run",),
    "experience remove": ("memoro experience remove 1",),
    "narrative update": ('memoro narrative update "The move to the new server began"',),
    "narrative search": ("memoro narrative search", "memoro narrative search server"),
    "narrative show": ("memoro narrative show 1",),
    "entries": ("memoro entries", "memoro entries --tier procedural"),
    "edit": (
        'memoro edit c4shw0 "Vegetarian at home; no cashews for Pia"',
        'memoro edit memory:3 "The staging server is called egret"',
    ),
    "remove": ("memoro remove c4shw0", "memoro remove memory:3"),
    "forget": ("memoro forget memory:3 --dry-run", "memoro forget c4shw0 --yes"),
    "extract": ("memoro extract --dry-run", "memoro extract --since yesterday"),
    "review": (
        "memoro review",
        "memoro review --json",
        "memoro review --accept 1",
        'memoro review --edit 1 --text "Indent with tabs"',
    ),
    "proposals": ("memoro proposals", "memoro proposals --all"),
    "accept": ("memoro accept 1",),
    "reject": ("memoro reject 1",),
    "wrong": ('memoro wrong "The port is 8443"', "memoro wrong --session s1"),
    "good": ("memoro good", 'memoro good "Short, with the command first"'),
    "tidy": ("memoro tidy", "memoro tidy --dry-run", "memoro tidy --json"),
    "timeline": ("memoro timeline", "memoro timeline --since yesterday", "memoro timeline --project pier-board"),
    "log": ("memoro log -n 5", "memoro log --by Claude --since yesterday", "memoro log --kind note --before 120"),
    "log show": ("memoro log show 3",),
    "undo": (
        "memoro undo",
        "memoro undo 3",
        "memoro undo --by Claude --since yesterday --dry-run",
        "memoro undo --by extraction",
    ),
    "given wrong": ("memoro given wrong memory:3", "memoro given wrong MEMORY.md:7 --session s1"),
    "given good": ("memoro given good memory:3",),
    "given allow": ("memoro given allow memory:3",),
    "given day": ("memoro given day", "memoro given day yesterday"),
    "given muted": ("memoro given muted",),
    "session start": ('memoro session start s2 --title "Server move" --project infra',),
    "session list": ("memoro session list", "memoro session list --archived"),
    "session last": ("memoro session last",),
    "session show": ("memoro session show s1", "memoro session show --today"),
    "session replay": ("memoro session replay s1", "memoro session replay s1 --now"),
    "session archive": ("memoro session archive s1",),
    "session unarchive": ("memoro session unarchive old",),
    "context stats": ("memoro context stats < messages.json",),
    "context compact": ("memoro context compact --window 8000 < messages.json",),
    "init": ("memoro init ~/notes", "memoro init ~/notes --no-memory"),
    "demo": ("memoro demo", "memoro demo ~/memoro-demo"),
    "connect": (
        "memoro connect claude-code",
        "memoro connect codex --yes --add-logs",
        "memoro connect cursor --print",
    ),
    "disconnect": ("memoro disconnect claude-code",),
    "transcripts add": ("memoro transcripts add claude", "memoro transcripts add ~/logs --since 2026-01-01"),
    "transcripts list": ("memoro transcripts list",),
    "transcripts remove": ("memoro transcripts remove claude",),
    "export": ("memoro export --output memoro.jsonl",),
    "import": ("memoro import memories.jsonl --dry-run", "memoro import memories.jsonl"),
    "status": ("memoro status", "memoro status --json"),
    "doctor": ("memoro doctor", "memoro doctor --deep"),
    "provider jobs": ("memoro provider jobs", "memoro provider jobs --all"),
    "provider cancel": ("memoro provider cancel memoro-5e1b",),
    "provider resume": ("memoro provider resume",),
    "numbers": ("memoro numbers", "memoro numbers --part given --weeks 4"),
    "usage": ("memoro usage", "memoro usage --since 2026-11-01 --by day"),
    "config show": ("memoro config show", "memoro config show --agent claude-code"),
    "config get": ("memoro config get query.max_results",),
    "config set": (
        "memoro config set query.max_results 10",
        "memoro config set recall.budget 1500 --project parcelwise",
        "memoro config set vault.ignore .git,drafts",
    ),
    "config unset": ("memoro config unset query.max_results",),
    "backup create": ("memoro backup create",),
    "backup list": ("memoro backup list",),
    "backup verify": ("memoro backup verify",),
    "backup restore": ("memoro backup restore 20260305T040000Z",),
    "backup adopt": ("memoro backup adopt ledger --yes",),
    "sync": ("memoro sync", "memoro sync --force"),
    "provider test": (
        "memoro provider test",
        "memoro provider test --url http://127.0.0.1:11434/v1 --model nomic-embed-text",
    ),
    "space list": ("memoro space list",),
    "space drop": ("memoro space drop openai/text-embedding-3-small --yes",),
    "ui": ("memoro ui", "memoro ui --print"),
    "serve": ("memoro serve", "memoro serve --http", "memoro serve --print-unit systemd"),
    "watch": ("memoro watch",),
    "mcp": ("memoro mcp --profile recall", "memoro mcp --tools"),
    "hook": ("memoro hook claude-code < event.json",),
    "eval": ("memoro eval questions.toml", "memoro eval questions.toml --mode words --mode hybrid"),
    "completion": ('eval "$(memoro completion bash)"', "memoro completion fish"),
}

# When to use a command rather than its neighbours; the help shows it below what the command does.
WHEN: dict[str, str] = {
    "remember": "Use it for what matters nearly always: every session with an agent begins with these lines. For "
    "what matters now and then, use `memory store`; for what happened today, `daily`.",
    "pin": "Use it for the few things that must be seen whatever a conversation is about.",
    "daily": "Use it for what was done, decided or seen; the time is put before it.",
    "note": "Use it for a text of its own, with headings and paragraphs. Your editor does the same: Memoro finds "
    "what you write there.",
    "memory": "Use it for facts, decisions and context that should come up only where they are relevant. They are "
    "kept in Memoro's ledger and not in your notes, and they rank higher the more they help.",
    "experience": "Use it for how something was done and whether it worked, so that the next attempt begins there.",
    "narrative": "Use it to say where a project stands; each sentence follows the one before.",
    "recall": "It prints the very block that a hook or a tool gives to an agent. To look something up yourself, use "
    "`search`.",
    "remove": "`undo` brings it back. To leave no trace of it, use `forget`.",
    "forget": "It goes from notes, ledger, index and history, and cannot be stored again. `remove` can be undone.",
    "wrong": "It is about the last question and answer of the conversation that runs it, else of the newest one "
    "of the project whose folder you are in. In a session with hooks, type it as a prompt.",
    "good": "As `wrong`, for an answer that helped. In a session with hooks, type it as a prompt.",
    "edit": "For a whole note, use `note edit` or your editor.",
}


def examples_of(name: str, actions: Sequence[str] = ()) -> tuple[str, ...]:
    """The examples of a command; of a group of actions, its own and the first of each of the first few."""
    own = EXAMPLES.get(name, ())
    borrowed = [EXAMPLES[full][0] for action in actions if (full := f"{name} {action}") in EXAMPLES]
    return (*own, *borrowed[: max(0, MOST - len(own))])
