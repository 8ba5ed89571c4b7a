"""`memoro context stats|compact`: a conversation as a JSON list of messages, from standard input."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from memoro.cli.options import add_json, number, opened
from memoro.cli.show import printable
from memoro.conversation.context import Compaction
from memoro.conversation.window import WINDOW
from memoro.errors import ConfigError, ConversationUnreadable


def configure_context(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(title="what to do", metavar="ACTION", required=True)
    for name, summary in (
        ("stats", "Count the tokens of the messages on standard input."),
        ("compact", "Make the messages on standard input shorter, and print them as JSON."),
    ):
        one = actions.add_parser(name, help=summary, description=summary)
        one.add_argument(
            "--window", type=number, default=WINDOW, metavar="N", help=f"How many tokens the model takes ({WINDOW})."
        )
        if name == "compact":
            one.add_argument("--session", metavar="NAME", help="The name of the conversation, for its episode.")
            one.add_argument("--dry-run", action="store_true", help="Only say what would be done.")
            one.add_argument(
                "--no-flush", action="store_true", help="Do not write what is dropped into the notes first."
            )
            one.add_argument(
                "--go-on", action="store_true", help="Drop it even where the notes cannot be written, and say so."
            )
        add_json(one)
        one.set_defaults(run=_stats if name == "stats" else _compact)


def _stats(chosen: argparse.Namespace) -> int:
    messages = _messages()
    with opened(chosen) as m:
        found = m.context.stats(messages, chosen.window)
        at = m.settings.context.compact_at
    if chosen.json:
        from memoro import documents

        print(documents.dumps(found._asdict()))
        return 0
    share = f"{found.tokens:,} of {found.window:,} tokens ({found.used:.0%})"
    print(f"{found.messages} messages, {share}; shape: {found.shape}")
    for name, count in (*found.by_role.items(), *(pair for pair in found.by_kind.items() if pair[0] != "text")):
        print(f"   {name:10} {count:,}")
    full = (
        f"Compaction is due: {at:.0%} is reached."
        if found.needs_compaction
        else f"No compaction is due before {at:.0%}."
    )
    print(full)
    return 0


def _compact(chosen: argparse.Namespace) -> int:
    messages = _messages()
    with opened(chosen) as m:
        done = m.context.compact(
            messages, chosen.window, session=chosen.session, flush=not chosen.no_flush, go_on=chosen.go_on,
            dry_run=chosen.dry_run,
        )  # fmt: skip
    if chosen.json:
        from memoro import documents

        print(documents.dumps(documents.compaction(done)))
    elif chosen.dry_run:
        lines = done.summary.text().split("\n") if done.summary else ["No summary is needed."]
        print("\n".join(map(printable, lines)))
    else:
        print(json.dumps(done.messages, ensure_ascii=False, indent=2))
    for line in _told(done, len(messages), dry_run=chosen.dry_run):
        print(f"memoro: {line}", file=sys.stderr)
    return 0


def _told(done: Compaction, count: int, *, dry_run: bool) -> list[str]:
    lines = []
    if done.changed:
        what = f"{count} messages {'would become' if dry_run else 'became'} {len(done.messages)}"
        cut = f", {done.cut} tool results {'would be ' if dry_run else ''}cut" if done.cut else ""
        lines.append(f"{done.before:,} → {done.after:,} tokens; {what}{cut}.")
    if done.why:
        lines.append(done.why if done.changed else f"Nothing {'would be' if dry_run else 'was'} changed. {done.why}")
    if done.note:
        lines.append(f"What was dropped is kept in {printable(done.note)}.")
    return [*lines, *map(printable, done.degraded)]


def _messages() -> list[dict[str, Any]]:
    if sys.stdin.isatty():
        raise ConfigError("Send the messages to standard input: memoro context stats < messages.json")
    try:
        found = json.loads(sys.stdin.buffer.read().decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise ConversationUnreadable(f"What came from standard input is not JSON: {error}.") from error
    if not isinstance(found, list):
        raise ConversationUnreadable(
            "What came from standard input is not a list of messages. Give the list itself, as `jq .messages` takes "
            "it out of a request."
        )
    return found
