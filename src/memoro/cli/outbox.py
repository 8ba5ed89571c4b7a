"""The views of `memoro outbox …`: what a person sees."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memoro.cli.command import PROBLEM, command
from memoro.cli.lines import say
from memoro.cli.show import printable
from memoro.model.local_time import local
from memoro.operations.outbox import DROP, LIST, SEND, OutboxContent

if TYPE_CHECKING:
    from memoro.model.outbox import WaitingWrite
    from memoro.operations.waiting import Sent

_ABOUT = ("content", "intent", "summary", "text")  # what a request says, before a type or another choice


def _show(found: OutboxContent, _request: object) -> None:
    if not found.writes:
        say("Nothing waits in the outbox.")
    for one in found.writes:
        say(waiting_line(one))


def waiting_line(one: WaitingWrite) -> str:
    """Return a write that waits as one line: its number, what it is about, and who would see it."""
    request = one.document["request"]
    kind = one.operation.partition(" ")[0]
    ids = [f"{kind}:{request[name]}" for name in ("id", "old", "new") if isinstance(request.get(name), int)]
    text = next((request[name] for name in _ABOUT if isinstance(request.get(name), str)), "")
    text = text or next((value for value in request.values() if isinstance(value, str)), "")
    state = f"refused: {one.refused}" if one.refused else "waits"
    parts = [str(one.number), local(one.at), one.operation, *ids, text, "private" if request.get("private") else ""]
    return printable("  ".join([part for part in parts if part] + [state]))


def _show_sent(done: Sent, _request: object) -> None:
    if not (done.applied or done.refused or done.waiting or done.why):
        say("Nothing waits in the outbox.")
        return
    say(f"{done.applied} applied, {done.refused} refused, {done.waiting} still waiting.")
    if done.why:
        say(done.why)


def _sent_code(done: Sent, _request: object) -> int:
    return PROBLEM if done.refused or done.waiting else 0


VIEWS = {
    "outbox list": command(LIST, _show),
    "outbox send": command(SEND, _show_sent, _sent_code),
    "outbox drop": command(DROP, _show),
}
