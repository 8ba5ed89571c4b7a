"""The views of `memoro session …`: what a person sees."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from memoro.cli.command import PROBLEM, command
from memoro.cli.show import feedback_said, printable
from memoro.operations import sessions as operations

if TYPE_CHECKING:
    from memoro.model.recall import RecalledItem
    from memoro.model.sessions import RecordedRecall, Session
    from memoro.sessions.compare import Difference, Pair
    from memoro.sessions.history import Replay, ShownSession


def _show_session(session: Session, _request: object) -> None:
    print(_line(session))


def _show_list(found: operations.SessionList, _request: operations.ListSessions) -> None:
    print("\n".join(map(_line, found.results)) or "No sessions yet: `memoro session start`.")


def _show_recalls(shown: ShownSession, _request: operations.OneSession) -> None:
    print(_line(shown.session))
    for recall in shown.recalls:
        _show_recall(recall)


def _show_recall(recall: RecordedRecall) -> None:
    message = recall.recalled.message.replace("\n", " ") or "(forgotten)"
    purpose = "what the session began with" if recall.unasked else f"for: {message}"
    print(
        printable(
            f"recall {recall.number}  {recall.at[:19]}  {recall.recalled.form}, {recall.recalled.tokens} tokens"
        )
    )
    print(printable(f"   {purpose}"))
    for one in recall.given:
        fate = "forgotten" if one.forgotten else feedback_said(one.feedback)
        print(f"   {_place(one.item)}  {one.item.score:.2f}  {fate}")
    if not recall.given:
        print("   nothing was given")


def _show_replay(found: Replay, _request: operations.ReplayRecall) -> None:
    if found.difference is not None:
        _show_difference(found.difference)
    else:
        sys.stdout.write(found.then.recalled.block)


def _replay_code(found: Replay, _request: operations.ReplayRecall) -> int:
    """Say on standard error what the record has lost: in the output it would seem a part of the block."""
    for sentence in found.then.altered:
        print(f"memoro: not as it was given: {sentence}", file=sys.stderr)
    for notice in found.now.degraded if found.now else ():
        print(f"memoro: {notice}", file=sys.stderr)
    return 0 if found.then.identical else PROBLEM


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
    if item.kind in ("memory", "experience"):
        return printable(f"[{item.id}]")
    return printable(f"{item.path}:{item.start_line}-{item.end_line}")


def _first(item: RecalledItem) -> str:
    return printable(next((line for line in item.text.split("\n") if line.strip()), "")[:80])


def _line(session: Session) -> str:
    bound = session.bound
    sees = [f"{name} {value}" for name, value in (("project", bound.project), ("agent", bound.agent)) if value]
    sees += [*bound.paths, *bound.tiers, *(f"#{tag}" for tag in bound.tags)]
    about = [session.title or "", f"sees {', '.join(sees)}" if sees else "", f"{session.recalls} recalls"]
    about += [f"{session.items} items", "archived" if session.archived_at else ""]
    started = session.started_at[:16].replace("T", " ")
    return printable("  ".join([session.id, started, *(part for part in about if part)]))


VIEWS = {
    "session start": command(operations.START, _show_session),
    "session list": command(operations.LIST, _show_list),
    "session show": command(operations.SHOW, _show_recalls),
    "session replay": command(operations.REPLAY, _show_replay, _replay_code),
    "session archive": command(operations.ARCHIVE, _show_session),
    "session unarchive": command(operations.UNARCHIVE, _show_session),
}
