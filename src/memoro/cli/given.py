"""The views of `memoro given …`: rate one thing that an agent was given."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memoro.cli.command import command
from memoro.cli.lines import say
from memoro.cli.show import printable
from memoro.model.feedback import shortened
from memoro.model.local_time import local
from memoro.model.notes import counted
from memoro.operations import given as operations

if TYPE_CHECKING:
    from memoro.model.sessions import RecordedRecall
    from memoro.sessions.history import DayPage
    from memoro.sessions.rating import RatedItem

_TEXT_CHARACTERS = 160
_DONE = {
    "muted": "No agent is given this unasked any more",
    "good": "Counted as good",
    "allowed": "May be given unasked again",
}


def _show_rated(rated: RatedItem, _request: object) -> None:
    before = "" if rated.new else " (it was so already)"
    say(printable(f"{_DONE[rated.word]}: {rated.item}{before}"))
    if rated.change:
        say(f"`memoro undo {rated.change}` reverts it.")


def _show_day(found: DayPage, _request: object) -> None:
    total = found.totals
    prompts, items = counted(total.prompts, "prompt"), counted(total.items, "item")
    counts = f"{prompts} ({total.silent} silent), {items}, {total.tokens:,} tokens"
    if not total.prompts:
        say(f"{found.day}: no prompts. `memoro timeline` lists the days on which something happened.")
        return
    say(f"{found.day}: {counts}")
    for one in found.sessions:
        scope = one.listed.session.scope
        say()
        say(printable(f"{scope.agent or 'no agent'} · {scope.project or 'no project'} · {one.listed.about}"), hang=3)
        for recall in one.recalls:
            _show_recall(recall)
    left = found.recalls - found.skip - sum(len(one.recalls) for one in found.sessions)
    if left > 0:
        say(f"{left} more: `memoro given day {found.day} --skip {found.recalls - left}` continues.")


def _show_recall(recall: RecordedRecall) -> None:
    message = " ".join(recall.recalled.message.split()) or "(forgotten)"
    what = "the session began" if recall.unasked else shortened(message, _TEXT_CHARACTERS)
    say(printable(f"   {local(recall.at)[11:]}  {what}"), hang=10)
    if recall.recalled.decision:
        say(printable(f"      {recall.recalled.decision}"), hang=9)
    for one in recall.given:
        why = f", {one.item.why}" if one.item.why else ""
        say(printable(f"      {one.item.id}  ({one.item.tokens} tokens{why})"), hang=9)


def _show_muted(found: operations.MutedItems, _request: object) -> None:
    if not found.results:
        say("No item is muted. `memoro given wrong ID` mutes one that an agent was given.")
    for one in found.results:
        state = "  (it says something else now, so it may be given)" if one.lapsed else ""
        say(printable(f"{local(one.since)}  {one.item}{state}"), hang=18)
        text = shortened(" ".join(one.text.split()), _TEXT_CHARACTERS) or "(forgotten)"
        say(printable(f"   {text}"), hang=3)
    if found.results:
        say("`memoro given allow ID` unmutes one.")


VIEWS = {
    "given wrong": command(operations.WRONG, _show_rated),
    "given good": command(operations.GOOD, _show_rated),
    "given allow": command(operations.ALLOW, _show_rated),
    "given day": command(operations.DAY, _show_day),
    "given muted": command(operations.MUTED, _show_muted),
}
