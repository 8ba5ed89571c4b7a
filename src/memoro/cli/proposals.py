"""The views of `memoro proposals`, `accept` and `reject`: what a person sees."""

from __future__ import annotations

from collections.abc import Sequence

from memoro.cli.command import command
from memoro.cli.diff import difference
from memoro.cli.lines import say
from memoro.cli.notes import show_written
from memoro.cli.proposal_words import author, evidence_lines, wish_in_words
from memoro.cli.show import printable
from memoro.curate.reviewing.preview import ProposalPreview
from memoro.model.local_time import local, local_day
from memoro.model.projects import short_name
from memoro.model.proposals import Proposal, PutBackLines
from memoro.operations.proposals import ACCEPT, LIST, REJECT, ProposalList

_LINES = 20  # of one proposal; `--json` has them all


def _show_list(found: ProposalList, _request: object) -> None:
    show_previews(found.proposals)
    if any(one.proposal.state == "open" for one in found.proposals):
        say("`memoro accept N` carries out a proposal, `memoro reject N` drops it, `memoro review` asks about each.")


def show_previews(found: Sequence[ProposalPreview]) -> None:
    """List proposals, each with its texts, its reason and its evidence."""
    for one in found:
        say(printable(_line(one.proposal, _state(one))))
        _show_text(one)
    if not found:
        say("No proposals wait. `memoro review` looks for new ones.")


def _show_text(one: ProposalPreview) -> None:
    lines = list(difference(one.before, one.after))
    if not lines and one.after:  # it moves, and says the same
        say(f"     {printable(one.after)}", hang=5)
    for line in lines[:_LINES]:
        say(f"   {line}".rstrip(), hang=5)
    if len(lines) > _LINES:
        say(f"   … and {len(lines) - _LINES} more lines (--json has them all)")
    if one.proposal.reason:
        say(f"   why: {printable(one.proposal.reason)}")
    for line in evidence_lines(one.proposal):
        say(f"   {printable(line)}")
    if one.outdated:
        say(f"   outdated: {printable(one.outdated)}")


def _state(one: ProposalPreview) -> str:
    """Return what became of a proposal, as the page says it."""
    reworded = " in your own words" if one.reworded else ""
    return f"{one.proposal.state}{reworded}{', then undone' if one.undone else ''}"


def _line(one: Proposal, became: str) -> str:
    state = "" if one.state == "open" else f"  {became}"
    if isinstance(one.change, PutBackLines):
        until = f"; waits until {local_day(one.expires_at)}" if one.state == "open" and one.expires_at else ""
        what = "it" if len(one.change.lines) == 1 else "them"
        why = f"a save of an older version may have dropped {what}{until}"
        return f"{one.id}. put back in {one.change.path}? ({why}){state}"
    project = f" in project {short_name(one.project)}" if one.project else ""
    return f"{one.id}. {wish_in_words(one.change)}, by {author(one)}{project} on {local(one.at)}{state}"


VIEWS = {
    "proposals": command(LIST, _show_list),
    "accept": command(ACCEPT, lambda made, _: show_written(made, "accepted; `memoro undo` reverts it")),
    "reject": command(REJECT, lambda proposal, _: say(printable(_line(proposal, proposal.state)))),
}
