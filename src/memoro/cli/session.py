"""`memoro session`: what was given to whom."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from memoro.cli.options import actions, number, opened
from memoro.model.recall import RecalledItem
from memoro.model.sessions import RecordedRecall, Session
from memoro.model.vocabulary import NOTE_TIERS
from memoro.sessions.compare import Difference, Pair
from memoro.sessions.history import Replay

NOT_IDENTICAL = 1


def configure_session(parser: argparse.ArgumentParser) -> None:
    action = actions(parser)
    start = action("start", "Begin the record of a conversation, and say what it may see.", _start)
    start.add_argument("id", nargs="?", metavar="ID", help="Its name, such as the host gives it (one is made up).")
    start.add_argument("--title", metavar="TEXT", help="What it is about.")
    start.add_argument("--project", metavar="NAME", help="It sees what belongs to this project or to none.")
    start.add_argument("--agent", metavar="NAME", help="It sees what belongs to this agent or to none.")
    start.add_argument("--path", action="append", default=[], metavar="PATH",
                       help="It sees this note, folder or pattern alone; repeat for several.")  # fmt: skip
    start.add_argument(
        "--tier", action="append", default=[], choices=NOTE_TIERS, help="It sees this tier alone; repeat."
    )
    start.add_argument("--tag", action="append", default=[], metavar="TAG", help="It sees this tag alone; repeat.")
    listed = action("list", "The sessions, the last used first.", _list)
    listed.add_argument("-n", "--limit", type=number, default=20, metavar="N", help="How many (20).")
    listed.add_argument("--archived", action="store_true", help="Archived ones too.")
    _add_id(action("show", "All that a session was given, and what became of it.", _show))
    replay = action("replay", "The very block that was given; or what would be now, and the difference.", _replay)
    _add_id(replay)
    replay.add_argument("recall", type=number, nargs="?", metavar="RECALL", help="Its number (the last).")
    replay.add_argument("--now", action="store_true", help="Ask again today, and say how the answer differs.")
    for name, summary, run in (
        ("archive", "Put a session out of the way; all of it stays.", _archive),
        ("unarchive", "List a session again.", _unarchive),
    ):
        _add_id(action(name, summary, run))


def _add_id(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", metavar="ID", help="The name of the session.")


def _start(chosen: argparse.Namespace) -> int:
    with opened(chosen) as m:
        session = m.sessions.start(
            chosen.id, title=chosen.title, project=chosen.project, agent=chosen.agent,
            paths=chosen.path, tiers=chosen.tier, tags=chosen.tag,
        )  # fmt: skip
    return _print(chosen, session)


def _archive(chosen: argparse.Namespace) -> int:
    with opened(chosen) as m:
        return _print(chosen, m.sessions.archive(chosen.id))


def _unarchive(chosen: argparse.Namespace) -> int:
    with opened(chosen) as m:
        return _print(chosen, m.sessions.unarchive(chosen.id))


def _print(chosen: argparse.Namespace, session: Session) -> int:
    if chosen.json:
        from memoro import documents

        print(documents.dumps(documents.session(session)))
    else:
        print(_line(session))
    return 0


def _list(chosen: argparse.Namespace) -> int:
    with opened(chosen) as m:
        found = m.sessions.all(archived=chosen.archived, limit=max(0, chosen.limit))
    if chosen.json:
        from memoro import documents

        print(documents.dumps({"results": [documents.session(one) for one in found]}))
    else:
        print("\n".join(map(_line, found)) or "No sessions yet: `memoro session start`.")
    return 0


def _show(chosen: argparse.Namespace) -> int:
    with opened(chosen) as m:
        shown = m.sessions.show(chosen.id)
    if chosen.json:
        from memoro import documents

        print(documents.dumps(documents.shown_session(shown)))
        return 0
    print(_line(shown.session))
    for recall in shown.recalls:
        _show_recall(recall)
    return 0


def _show_recall(recall: RecordedRecall) -> None:
    from memoro.cli.show import became, printable

    message = recall.recalled.message.replace("\n", " ") or "(forgotten)"
    told = "what the session began with" if recall.unasked else f"for: {message}"
    print(
        printable(
            f"recall {recall.number}  {recall.at[:19]}  {recall.recalled.form}, {recall.recalled.tokens} tokens"
        )
    )
    print(printable(f"   {told}"))
    for one in recall.given:
        fate = "forgotten" if one.forgotten else became(one.feedback)
        print(f"   {_place(one.item)}  {one.item.score:.2f}  {fate}")
    if not recall.given:
        print("   nothing was given")


def _replay(chosen: argparse.Namespace) -> int:
    with opened(chosen) as m:
        found = m.sessions.replay(chosen.id, chosen.recall, now=chosen.now)
    if chosen.json:
        from memoro import documents

        print(documents.dumps(documents.replay(found)))
    elif found.difference is not None:
        _show_difference(found.difference)
    else:
        sys.stdout.write(found.then.recalled.block)
    return _said_of(found)


def _said_of(found: Replay) -> int:
    """What the record has lost is said where it is not taken for a part of the block."""
    for sentence in found.then.altered:
        print(f"memoro: not as it was given: {sentence}", file=sys.stderr)
    for notice in found.now.degraded if found.now else ():
        print(f"memoro: {notice}", file=sys.stderr)
    return 0 if found.then.identical else NOT_IDENTICAL


def _show_difference(found: Difference) -> None:
    if found.is_none:
        print(f"The same {len(found.same)} items would be given now.")
        return
    _show_items("gone", found.gone)
    _show_items("new", found.new)
    _show_pairs("moved", found.moved)
    _show_pairs("changed", found.changed)
    _show_items("same", [pair.now for pair in found.same])


def _show_items(what: str, items: Sequence[RecalledItem]) -> None:
    for one in items:
        print(f"{what:8} {_place(one)}  {_first(one)}")


def _show_pairs(what: str, pairs: Sequence[Pair]) -> None:
    for then, now in pairs:
        where = _place(now) if _place(then) == _place(now) else f"{_place(then)} → {_place(now)}"
        print(f"{what:8} {where}  {_first(now)}")


def _place(item: RecalledItem) -> str:
    from memoro.cli.show import printable

    if item.kind in ("memory", "experience"):
        return printable(f"[{item.id}]")
    return printable(f"{item.path}:{item.start_line}-{item.end_line}")


def _first(item: RecalledItem) -> str:
    from memoro.cli.show import printable

    return printable(next((line for line in item.text.split("\n") if line.strip()), "")[:80])


def _line(session: Session) -> str:
    from memoro.cli.show import printable

    scope = session.scope
    sees = [f"{name} {value}" for name, value in (("project", scope.project), ("agent", scope.agent)) if value]
    sees += [*scope.paths, *scope.tiers, *(f"#{tag}" for tag in scope.tags)]
    about = [session.title or "", f"sees {', '.join(sees)}" if sees else "", f"{session.recalls} recalls"]
    about += [f"{session.items} items", "archived" if session.archived_at else ""]
    started = session.started_at[:16].replace("T", " ")
    return printable("  ".join([session.id, started, *(part for part in about if part)]))
