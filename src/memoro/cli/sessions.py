"""The views of `memoro session …`: what a person sees."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from memoro.cli.command import PROBLEM, command
from memoro.cli.lines import say
from memoro.cli.show import feedback_said, printable, project_by
from memoro.model.local_time import local
from memoro.operations import sessions as operations

_ABOUT = 100  # letters of what a session was about
_OF_DAY = 70  # letters of a message in the list of a day
_NEAREST = 5  # of what was left out

if TYPE_CHECKING:
    from memoro.model.recall import LeftOut, RecalledItem
    from memoro.model.sessions import RecordedRecall, Session
    from memoro.sessions.compare import Difference, Pair
    from memoro.sessions.history import GivenOnDay, GivenTotals, Replay, ShownSession


def _show_session(session: Session, _request: object) -> None:
    _show_head(session, session.title or "")


def _show_list(found: operations.SessionList, request: operations.ListSessions) -> None:
    for one in found.results:
        _show_head(one.session, one.about, one.tokens)
    hidden = 0 if request.archived else found.archived
    if not found.results and not hidden:
        say("No sessions yet. A connected agent begins one by itself, and `memoro session start` does.")
    elif hidden:
        count = f"{hidden} session{' is' if hidden == 1 else 's are'} archived"
        lists = f"`memoro session list --archived` lists {'it' if hidden == 1 else 'them'}"
        say(f"{count}; {lists}.")


def _show_head(session: Session, about: str, tokens: int | None = None) -> None:
    """Two lines: when it was used and what it was about; then whose it was, how much it was given, and its id."""
    bound = session.bound
    used = local(session.last_at or session.started_at)
    # Without its recalls at hand, a session that was given something is shown by its id alone.
    what = _shortened(about) or ("" if session.recalls else "(no message yet)")
    say(printable(f"{used}  {what}".rstrip()), hang=18)
    given = f", {tokens:,} tokens" if tokens is not None else ""
    parts = [f"project {bound.project}" if bound.project else "", bound.agent or ""]
    sees = [*bound.paths, *bound.tiers, *(f"#{tag}" for tag in bound.tags)]
    parts += [f"sees {', '.join(sees)}" if sees else "", f"{_count(session.recalls, 'recall')}, "]
    parts[-1] += f"{_count(session.items, 'item')}{given}"
    parts += ["archived" if session.archived_at else "", f"id {session.id}"]
    say(printable(f"   {' · '.join(part for part in parts if part)}"))


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"


def _shortened(text: str, most: int = _ABOUT) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _show(found: operations.SessionsShown, request: operations.ShowSession) -> None:
    if found.today is not None:
        _show_day(found.today)
    elif found.session is not None:
        _show_recalls(found.session, None if request.all else _NEAREST)


def _show_recalls(shown: ShownSession, most: int | None) -> None:
    from memoro.sessions.history import first_message

    said = [(" ".join(one.recalled.message.split()), bool(one.given)) for one in shown.recalls if not one.unasked]
    about = shown.session.title or first_message(said) or ("" if said else "(no message yet)")
    _show_head(shown.session, about, sum(one.recalled.tokens for one in shown.recalls))
    if shown.session.scope.project:
        say(f"   taken for this project because of {project_by(shown.project_by)}")
    for recall in shown.recalls:
        _show_recall(recall, most)


def _show_recall(recall: RecordedRecall, most: int | None) -> None:
    """Print how a message was read, the items that were given for it and why, and those left out."""
    message = recall.recalled.message.replace("\n", " ") or "(forgotten)"
    purpose = "what the session began with" if recall.unasked else f"for: {message}"
    size = f"{recall.recalled.form}, {recall.recalled.tokens} tokens"
    say(printable(f"recall {recall.number}  {local(recall.at)}  {size}"))
    say(printable(f"   {purpose}"), hang=8)
    if recall.recalled.decision:
        say(printable(f"   {recall.recalled.decision}"), hang=6)
    for one in recall.given:
        fate = "forgotten" if one.forgotten else feedback_said(one.feedback)
        why = f"{printable(one.item.why)}; " if one.item.why else ""
        say(f"   {_place(one.item)}  {one.item.score:.2f}  {why}{fate}", hang=6)
        if first := _first(one.item):
            say(f"      {first}", hang=6)
    if not recall.given:
        say("   nothing was given")
    _show_left_out(recall.recalled.left_out, most)


def _show_left_out(left_out: Sequence[LeftOut], most: int | None) -> None:
    """Print the items that were near and not given, the nearest first, each with its reason."""
    lines = [f"{one.id}  {one.why}" for one in left_out] if most is None else _by_file(left_out)
    for line in lines[:most]:
        say(printable(f"   left out: {line}"), hang=6)
    if most is not None and len(lines) > most:
        say(f"   left out: {len(lines) - most} more, which --all names")


def _by_file(left_out: Sequence[LeftOut]) -> list[str]:
    """One line for the passages of a file that were left out for the same reason."""
    counts: dict[tuple[str, str], int] = {}
    for one in left_out:
        file = one.id.rpartition("#")[0].partition(":")[2] or one.id
        counts[file, one.why] = counts.get((file, one.why), 0) + 1
    return [f"{file}{f' ({count} passages)' if count > 1 else ''}  {why}" for (file, why), count in counts.items()]


def _show_day(found: GivenOnDay) -> None:
    """Each session of the day with a line for every message, and what all of it came to."""
    say(f"{found.day}: {_totals(found.totals)}")
    if not found.sessions:
        say("Nothing was asked today. A connected agent's prompts are listed here, silent ones too.")
    for one in found.sessions:
        _show_session_of_day(one)
    if len(found.by_agent) > 1:
        say()
        for agent, totals in found.by_agent.items():
            say(f"{printable(agent or 'no agent')}: {_totals(totals)}")


def _totals(totals: GivenTotals) -> str:
    prompts = f"{_count(totals.prompts, 'prompt')} ({totals.silent} silent)"
    return (
        f"{_count(totals.sessions, 'session')}, {prompts}, {_count(totals.items, 'item')}, {totals.tokens:,} tokens"
    )


def _show_session_of_day(shown: ShownSession) -> None:
    scope = shown.session.scope
    project = f"project {scope.project} (by {project_by(shown.project_by)})" if scope.project else "no project"
    say()
    say(printable(" · ".join([scope.agent or "no agent", project, f"id {shown.session.id}"])), hang=3)
    for recall in shown.recalls:
        message = " ".join(recall.recalled.message.split()) or "(forgotten)"
        what = "(the session began)" if recall.unasked else message
        size = f"{recall.recalled.tokens:,} tokens, {_count(len(recall.given), 'item')}" if recall.given else "silent"
        say(printable(f"   {local(recall.at)[11:]}  {size:20}  {_shortened(what, _OF_DAY)}"), hang=32)


def _show_replay(found: Replay, _request: operations.ReplayRecall) -> None:
    if found.difference is not None:
        _show_difference(found.difference)
    else:
        sys.stdout.write(found.then.recalled.block)


def _replay_code(found: Replay, _request: operations.ReplayRecall) -> int:
    """Say on standard error what the record has lost: in the output it would seem a part of the block."""
    for sentence in found.then.altered:
        say(f"memoro: not as it was given: {sentence}", file=sys.stderr)
    for notice in found.now.degraded if found.now else ():
        say(f"memoro: {notice}", file=sys.stderr)
    return 0 if found.then.identical else PROBLEM


def _show_difference(found: Difference) -> None:
    if found.is_none:
        say(f"The same {_count(len(found.same), 'item')} would be given now.")
        return
    _show_items("gone", found.gone)
    _show_items("new", found.new)
    _show_pairs("moved", found.moved)
    _show_pairs("changed", found.changed)
    _show_items("same", [pair.now for pair in found.same])


def _show_items(what: str, items: Sequence[RecalledItem]) -> None:
    for one in items:
        say(f"{what:8} {_place(one)}  {_first(one)}")


def _show_pairs(what: str, pairs: Sequence[Pair]) -> None:
    for then, now in pairs:
        where = _place(now) if _place(then) == _place(now) else f"{_place(then)} → {_place(now)}"
        say(f"{what:8} {where}  {_first(now)}")


def _place(item: RecalledItem) -> str:
    if item.kind in ("memory", "experience"):
        return printable(f"[{item.id}]")
    last = f"-{item.end_line}" if item.end_line > item.start_line else ""
    return printable(f"{item.path}:{item.start_line}{last}")


def _first(item: RecalledItem) -> str:
    """The first line that says something; a heading only where nothing stands below it."""
    lines = [line.strip() for line in item.text.split("\n") if line.strip()]
    said = [line for line in lines if not line.startswith("#")]
    return printable(_shortened(next(iter([*said, *lines]), "")))


def _show_last(found: operations.ProjectEnds, _request: object) -> None:
    if not found.results:
        say("No sessions yet. A connected agent begins one by itself.")
    for one in found.results:
        say(
            printable(f"{local(one.at)}  {one.project or 'no project'}: {_shortened(one.title) or '(no message)'}"),
            hang=18,
        )
        for text in one.open:
            say(printable(f"   open: {_shortened(text)}"), hang=6)
        for text in one.decisions:
            say(printable(f"   decided: {_shortened(text)}"), hang=6)
        if one.path:
            say(printable(f"   {one.path}"))


VIEWS = {
    "session start": command(operations.START, _show_session),
    "session list": command(operations.LIST, _show_list),
    "session last": command(operations.LAST, _show_last),
    "session show": command(operations.SHOW, _show),
    "session replay": command(operations.REPLAY, _show_replay, _replay_code),
    "session archive": command(operations.ARCHIVE, _show_session),
    "session unarchive": command(operations.UNARCHIVE, _show_session),
}
