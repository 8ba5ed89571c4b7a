"""The views of `memoro context …`: what they read and what a person sees."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

from memoro.cli.command import command
from memoro.cli.show import printable
from memoro.errors import ConfigError, ConversationUnreadable
from memoro.model.notes import counted
from memoro.operations.contexts import COMPACT, STATS, CompactContext, ContextUse, MeasureContext

if TYPE_CHECKING:
    from memoro.conversation.context import Compaction


def _read_messages(_argument: None) -> object:
    if sys.stdin.isatty():
        raise ConfigError("Give the messages on standard input: add `< messages.json`.")
    try:
        return json.loads(sys.stdin.buffer.read().decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise ConversationUnreadable(
            f"Standard input is not JSON: {error}. Give the list of messages: add `< messages.json`."
        ) from error


def _show_stats(use: ContextUse, _request: MeasureContext) -> None:
    found, at = use
    share = f"{found.tokens:,} of {found.window:,} tokens ({found.used:.0%})"
    print(f"{counted(found.messages, 'message')}, {share}; shape: {found.shape}")
    for name, count in (*found.by_role.items(), *(pair for pair in found.by_kind.items() if pair[0] != "text")):
        print(f"   {name:10} {count:,}")
    is_due = f"Compaction is due: {at:.0%} is reached."
    print(is_due if found.needs_compaction else f"No compaction is due before {at:.0%}.")


def _show_compaction(done: Compaction, request: CompactContext) -> None:
    if request.dry_run:
        lines = done.summary.text().split("\n") if done.summary else ["No summary is needed."]
        print("\n".join(map(printable, lines)))
    else:
        print(json.dumps(done.messages, ensure_ascii=False, indent=2))


def _report_compaction(done: Compaction, request: CompactContext) -> int:
    """Say on standard error what was done, also beside a JSON document."""
    count = len(request.messages) if isinstance(request.messages, list) else 0
    for line in _sentences(done, count, dry_run=request.dry_run):
        print(f"memoro: {line}", file=sys.stderr)
    return 0


def _sentences(done: Compaction, count: int, *, dry_run: bool) -> list[str]:
    lines = []
    if done.changed:
        what = f"{counted(count, 'message')} {'would become' if dry_run else 'became'} {len(done.messages)}"
        cut = f", {counted(done.cut, 'tool result')} {'would be ' if dry_run else ''}cut" if done.cut else ""
        lines.append(f"{done.before:,} → {done.after:,} tokens; {what}{cut}.")
    if done.why:
        lines.append(done.why if done.changed else f"Nothing {'would be' if dry_run else 'was'} changed. {done.why}")
    if done.note:
        lines.append(f"Dropped messages are saved in {printable(done.note)}.")
    return [*lines, *map(printable, done.degraded)]


_READERS = {"messages": _read_messages}
VIEWS = {
    "context stats": command(STATS, _show_stats, readers=_READERS),
    "context compact": command(COMPACT, _show_compaction, _report_compaction, _READERS),
}
