"""The views of `memoro proposals`, `accept` and `reject`: what a person sees."""

from __future__ import annotations

from memoro.cli.command import command
from memoro.cli.notes import show_written
from memoro.cli.show import printable
from memoro.model.memories import moment
from memoro.model.proposals import (
    AddDailyLine,
    EditEntry,
    ErasedProposal,
    Proposal,
    ProposedChange,
    PutBackLines,
    RememberEntry,
    RemoveEntry,
    RemoveMemory,
    StoreMemory,
    SupersedeMemory,
    WriteNote,
)
from memoro.operations.proposals import ACCEPT, LIST, REJECT, ProposalList


def _show_list(found: ProposalList, _request: object) -> None:
    for one in found.proposals:
        _show(one)
    if not found.proposals:
        print("No proposals wait for your word.")


def _show(one: Proposal) -> None:
    print(printable(_line(one)))
    if isinstance(one.change, PutBackLines) and len(one.change.lines) > 1:
        for line in one.change.lines:
            print(f"   {printable(line)}")


def _line(one: Proposal) -> str:
    state = "" if one.state == "open" else f"  {one.state}"
    if isinstance(one.change, PutBackLines):
        until = f"; waits until {_day(one.expires_at)}" if one.state == "open" and one.expires_at else ""
        what = "it" if len(one.change.lines) == 1 else "them"
        why = f"a save of an older version may have dropped {what}{until}"
        return f"{one.id}. put back in {one.change.path}? ({why}): {_about(one.change)}{state}"
    return f"{one.id}. {one.operation} in {_place(one.change)}, by {one.actor}: {_about(one.change)}{state}"


def _day(at: str) -> str:
    return moment(at).astimezone().date().isoformat()


def _place(change: ProposedChange) -> str:
    match change:
        case RememberEntry(path=path) | EditEntry(path=path) | RemoveEntry(path=path) | WriteNote(path=path):
            return path
        case PutBackLines(path=path):
            return path
        case AddDailyLine(at=at):
            return f"the daily note of {at[:10]}"
        case StoreMemory(supersedes=old):
            return "the ledger" if old is None else f"the ledger, in place of memory:{old}"
        case SupersedeMemory() | RemoveMemory():
            return "the ledger"
        case ErasedProposal():
            return "nothing"


def _about(change: ProposedChange) -> str:
    match change:
        case RememberEntry(text=text) | EditEntry(text=text) | AddDailyLine(text=text):
            return text
        case RemoveEntry(id=own):
            return f"^{own}"
        case PutBackLines(lines=lines):
            return lines[0] if len(lines) == 1 else f"{len(lines)} lines"
        case WriteNote(text=text):
            return f"{len(text.splitlines())} lines"
        case StoreMemory(content=content):
            return content
        case SupersedeMemory(old=old, new=new):
            return f"memory:{new} in place of memory:{old}"
        case RemoveMemory(number=number):
            return f"memory:{number}"
        case ErasedProposal():
            return "what it said was forgotten"


VIEWS = {
    "proposals": command(LIST, _show_list),
    "accept": command(ACCEPT, lambda made, _: show_written(made, "accepted; `memoro undo` takes it back")),
    "reject": command(REJECT, lambda proposal, _: _show(proposal)),
}
