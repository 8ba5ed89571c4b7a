"""The views of `memoro recall` and `memoro prompt`: what a person sees."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from memoro.cli.command import NOTHING_FOUND, command
from memoro.operations.recalling import PROMPT, RECALL, PromptRequest, RecallContext, RecallResult

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memoro.model.recall import Recalled
    from memoro.model.sessions import Uses

_SHOWN = 5  # of those that were left out for one reason; `--json` has them all


def _read_message(words: Sequence[str]) -> str:
    if list(words) == ["-"]:
        return sys.stdin.buffer.read().decode("utf-8", "replace")
    return " ".join(words)


def _show(result: RecallResult, _request: RecallContext | PromptRequest) -> None:
    from memoro.cli.show import printable
    from memoro.model.projects import short_name
    from memoro.recall.answer import TOO_SMALL

    found = result.recalled
    if result.project is not None:
        name = printable(short_name(result.project))
        print(f"memoro: as a hook would answer in project {name}; --project NAME names another.", file=sys.stderr)
    for notice in found.degraded:
        print(f"memoro: {printable(notice)}", file=sys.stderr)
    if not found.items and TOO_SMALL not in found.degraded:
        more = "" if result.uses is not None else " `--why` shows what was left out."
        print(f"Nothing relevant found.{more}", file=sys.stderr)
    if result.uses is not None:
        _explain(found, result.uses)
    else:
        print(found.block, end="")


def _exit_code(result: RecallResult, _request: RecallContext | PromptRequest) -> int:
    return 0 if result.recalled.items else NOTHING_FOUND


def _explain(found: Recalled, uses: Mapping[str, Uses]) -> None:
    """Print the items that were taken, then those left out, by reason."""
    from memoro.cli.show import printable

    print(f"{len(found.items)} taken, {found.tokens} tokens with the fence")
    if found.decision:
        print(f"  {printable(found.decision)}")
    for section in found.sections:
        print(f"  {section.name}: {section.tokens} of {section.cap} tokens")
    for item in found.items:
        last = f"-{item.end_line}" if item.end_line > item.start_line else ""
        lines = f":{item.start_line}{last}" if item.kind in ("note", "transcript") else ""
        details = [printable(item.why), f"trust {item.trust}" if item.trust else "", _use_counts(uses[item.id])]
        about = "".join(f"  {one}" for one in details if one)
        print(f"  {item.score:.2f}  {item.tokens:>5} tokens  {printable(item.path)}{lines}{about}")
    if found.left_out:
        print(f"{len(found.left_out)} left out")
    for why, ids in _by_reason(found).items():
        print(f"  {why}")
        for one in ids[:_SHOWN]:
            print(f"    {printable(one)}")
        if len(ids) > _SHOWN:
            print(f"    and {len(ids) - _SHOWN} more")


def _by_reason(found: Recalled) -> dict[str, list[str]]:
    reasons: dict[str, list[str]] = {}
    for one in found.left_out:
        reasons.setdefault(one.why, []).append(one.id)
    return reasons


def _use_counts(uses: Uses) -> str:
    """Count the sessions that were given the item, and their feedback."""
    from memoro.model.notes import counted

    if not uses.recalled:
        return ""
    counts = [f"{count} {word}" for word, count in uses._asdict().items() if count and word != "recalled"]
    return f"given {counted(uses.recalled, 'time')} ({', '.join(counts)})"


_READERS = {"message": _read_message}
VIEWS = {
    "recall": command(RECALL, _show, _exit_code, _READERS),
    "prompt": command(PROMPT, _show, _exit_code, _READERS),
}
