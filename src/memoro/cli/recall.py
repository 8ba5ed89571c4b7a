"""`memoro recall`."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from memoro.cli.options import add_json, number, opened

if TYPE_CHECKING:
    from memoro.model.recall import Recalled

NOTHING_RELEVANT = 1
_SHOWN = 5  # of those that were left out for one reason; `--json` has them all


def configure_recall(parser: argparse.ArgumentParser) -> None:
    _add_message(parser)
    parser.add_argument("--budget", type=number, metavar="TOKENS", help="How many tokens the block may take (3000).")
    parser.add_argument(
        "--proactive", action="store_true", help="As before an agent's turn: few items, and only what is sure."
    )
    _add_scope(parser)
    parser.add_argument("--why", action="store_true", help="Show what was taken and what was left out, and why.")
    add_json(parser)
    parser.set_defaults(run=_recall)


def _add_message(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("message", nargs="+", help="What is being said: any words at all, quoted or not.")


def _add_scope(parser: argparse.ArgumentParser) -> None:
    for name, of in (("agent", "agents"), ("project", "projects")):
        parser.add_argument(
            f"--{name}", action="append", default=[], metavar="NAME", help=f"Leave out what belongs to other {of}."
        )


def _recall(chosen: argparse.Namespace) -> int:
    with opened(chosen) as m:
        found = m.recall(
            " ".join(chosen.message), budget=chosen.budget, proactive=chosen.proactive,
            agent=chosen.agent, project=chosen.project,
        )  # fmt: skip
    return _print(found, chosen)


def _print(found: Recalled, chosen: argparse.Namespace) -> int:
    if chosen.json:
        from memoro import wire

        print(wire.dumps(wire.recalled(found)))
        return 0 if found.items else NOTHING_RELEVANT
    from memoro.cli.show import printable

    for notice in found.degraded:
        print(f"memoro: {printable(notice)}", file=sys.stderr)
    if not found.items:
        print("Nothing relevant is known.", file=sys.stderr)
    if chosen.why:
        _explain(found)
    else:
        print(found.block, end="")
    return 0 if found.items else NOTHING_RELEVANT


def _explain(found: Recalled) -> None:
    """What was taken, by source, and what was left out, by reason."""
    from memoro.cli.show import printable

    print(f"{len(found.items)} taken, {found.tokens} tokens with the fence")
    for item in found.items:
        lines = f":{item.start_line}-{item.end_line}" if item.kind in ("note", "transcript") else ""
        believed = f"  trust {item.trust}" if item.trust else ""
        print(f"  {item.score:.2f}  {item.tokens:>5} tokens  {printable(item.path)}{lines}{believed}")
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
