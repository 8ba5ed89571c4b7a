"""The views of `memoro proposals`, `accept` and `reject`: what a person sees."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memoro.cli.command import command
from memoro.cli.notes import show_entry
from memoro.cli.show import printable
from memoro.operations.proposals import ACCEPT, LIST, REJECT, ProposalList

if TYPE_CHECKING:
    from memoro.model.proposals import Proposal


def _show_list(found: ProposalList, _request: object) -> None:
    for one in found.proposals:
        print(printable(_line(one)))
    if not found.proposals:
        print("No proposals wait for your word.")


def _line(one: Proposal) -> str:
    about = one.detail.get("text") or f"^{one.detail.get('id')}"
    state = "" if one.state == "open" else f"  {one.state}"
    return f"{one.id}. {one.operation} in {one.detail.get('path')}, by {one.actor}: {about}{state}"


VIEWS = {
    "proposals": command(LIST, _show_list),
    "accept": command(ACCEPT, lambda made, _: show_entry(made, "accepted; `memoro undo` takes it back")),
    "reject": command(REJECT, lambda proposal, _: print(printable(_line(proposal)))),
}
