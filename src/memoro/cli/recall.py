"""`memoro recall` and `memoro prompt`."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from memoro.cli.options import add_json, number, opened

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memoro.model.recall import Recalled
    from memoro.model.sessions import Uses

NOTHING_RELEVANT = 1
_SHOWN = 5  # of those that were left out for one reason; `--json` has them all


def configure_recall(parser: argparse.ArgumentParser) -> None:
    _add_message(parser)
    parser.add_argument("--budget", type=number, metavar="TOKENS", help="How many tokens the block may take (3000).")
    parser.add_argument(
        "--proactive",
        action="store_true",
        default=None,
        help="As before an agent's turn: few items, and only what is sure.",
    )
    _add_scope(parser)
    _add_session(parser)
    parser.add_argument("--why", action="store_true", help="Show what was taken and what was left out, and why.")
    add_json(parser)
    parser.set_defaults(run=_recall)


def configure_prompt(parser: argparse.ArgumentParser) -> None:
    _add_message(parser)
    parser.add_argument("--budget", type=number, metavar="TOKENS", help="How many tokens all of it may take (6250).")
    _add_scope(parser)
    _add_session(parser)
    parser.add_argument("--why", action="store_true", help="Show each block with its cap, and what was left out.")
    add_json(parser)
    parser.set_defaults(run=_prompt)


def _add_message(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("message", nargs="+", help="What is being said: any words, quoted or not; -: from stdin.")


def _add_scope(parser: argparse.ArgumentParser) -> None:
    for name, of in (("agent", "agents"), ("project", "projects")):
        parser.add_argument(
            f"--{name}", action="append", default=[], metavar="NAME", help=f"Leave out what belongs to other {of}."
        )


def _add_session(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--session", metavar="ID", help="The conversation: it gets all at first, what is new later, and a record."
    )
    parser.add_argument("--key", metavar="K", help="With --session: repeated with the same key, the same answer.")


def _message(chosen: argparse.Namespace) -> str:
    if chosen.message == ["-"]:
        return sys.stdin.buffer.read().decode("utf-8", "replace")
    return " ".join(chosen.message)


def _recall(chosen: argparse.Namespace) -> int:
    with opened(chosen) as m:
        found = m.recall(
            _message(chosen), budget=chosen.budget, proactive=chosen.proactive,
            agent=chosen.agent, project=chosen.project, session=chosen.session, key=chosen.key,
        )  # fmt: skip
        uses = m.sessions.uses([item.id for item in found.items]) if chosen.why else {}
    return _print(found, chosen, uses)


def _prompt(chosen: argparse.Namespace) -> int:
    with opened(chosen) as m:
        found = m.prompt(
            _message(chosen), budget=chosen.budget, agent=chosen.agent, project=chosen.project,
            session=chosen.session, key=chosen.key,
        )  # fmt: skip
        uses = m.sessions.uses([item.id for item in found.items]) if chosen.why else {}
    return _print(found, chosen, uses)


def _print(found: Recalled, chosen: argparse.Namespace, uses: Mapping[str, Uses]) -> int:
    if chosen.json:
        from memoro import documents

        told = {"uses": {id: one._asdict() for id, one in uses.items()}} if chosen.why else {}
        print(documents.dumps({**documents.recalled(found), **told}))
        return 0 if found.items else NOTHING_RELEVANT
    from memoro.cli.show import printable
    from memoro.recall.answer import TOO_SMALL

    for notice in found.degraded:
        print(f"memoro: {printable(notice)}", file=sys.stderr)
    if not found.items and TOO_SMALL not in found.degraded:
        print("Nothing relevant is known.", file=sys.stderr)
    if chosen.why:
        _explain(found, uses)
    else:
        print(found.block, end="")
    return 0 if found.items else NOTHING_RELEVANT


def _explain(found: Recalled, uses: Mapping[str, Uses]) -> None:
    """What was taken, by source, and what was left out, by reason."""
    from memoro.cli.show import printable

    print(f"{len(found.items)} taken, {found.tokens} tokens with the fence")
    for section in found.sections:
        print(f"  {section.name}: {section.tokens} of {section.cap} tokens")
    for item in found.items:
        lines = f":{item.start_line}-{item.end_line}" if item.kind in ("note", "transcript") else ""
        told = [f"trust {item.trust}" if item.trust else "", _became(uses[item.id])]
        about = "".join(f"  {one}" for one in told if one)
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


def _became(uses: Uses) -> str:
    """How often sessions were given it, and what became of that."""
    if not uses.recalled:
        return ""
    counts = [f"{count} {word}" for word, count in uses._asdict().items() if count and word != "recalled"]
    return f"given {uses.recalled} times ({', '.join(counts)})"
