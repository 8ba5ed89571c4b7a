"""The view of `memoro tidy`: what a person sees."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from memoro.cli.command import command
from memoro.cli.lines import say
from memoro.cli.proposal_words import wish_in_words
from memoro.cli.show import printable
from memoro.model.notes import counted
from memoro.operations.tidying import TIDY, Tidy

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memoro.curate.planners.contradictions import Contradiction
    from memoro.curate.rounds.tidying import TidyRound
    from memoro.model.proposals import Evidence, ProposedChange

_SHOWN = 10  # withheld suggestions and contradictions; `--json` has them all
_QUOTE = 160  # characters


def _show(done: TidyRound, _request: Tidy) -> None:
    from memoro.curate.rounds.planning import looked_at_in_words

    say(printable(f"Looked at {looked_at_in_words(done.looked_at, done.model)}."))
    for notice in done.notices:
        say(f"note: {printable(notice)}")
    for proposal in done.proposed:
        _show_one(f"{proposal.id}.", proposal.change, proposal.reason, proposal.evidence)
    for one in done.planned:
        _show_one("-", one.change, one.reason, one.evidence)
    show_contradictions(done.contradictions)
    _show_withheld(done)
    say(_end(done))


def _show_one(mark: str, change: ProposedChange, reason: str, evidence: Sequence[Evidence]) -> None:
    wish = wish_in_words(change)
    say(printable(f"{mark} {wish[:1].upper()}{wish[1:]}"), hang=3)
    say(printable(f"   {reason}"), hang=3)
    for quote in evidence:
        say(printable(f"   “{_cut(quote.quote)}”{_place(quote)}"), hang=3)


def show_contradictions(found: Sequence[Contradiction]) -> None:
    """List statements of which perhaps only one holds, and say how to change one."""
    if found:
        what = "pair of statements" if len(found) == 1 else "pairs of statements"
        say(f"{len(found)} {what} may contradict each other. Which one holds, only you know:")
    for one in found[:_SHOWN]:
        for quote in (one.one, one.other):
            say(printable(f"   “{_cut(quote.quote)}”{_place(quote)}"), hang=3)
        say(printable(f"      {one.why}"), hang=6)
    if len(found) > _SHOWN:
        say(f"   … and {len(found) - _SHOWN} more (--json has them all)")
    if found:
        say("   `memoro edit` and `memoro remove` change one; `memoro memory supersede OLD NEW` retires a memory.")


def _show_withheld(done: TidyRound) -> None:
    others = [one.sentence for one in done.withheld if one.reason != "waits"]
    if waiting := len(done.withheld) - len(others):
        verb = "waits" if waiting == 1 else "wait"
        say(f"{counted(waiting, 'proposal')} of this kind {verb} already: `memoro review`.")
    if others:
        say(f"Withheld: {len(others)}.")
    for sentence, number in Counter(others).most_common(_SHOWN):
        say(printable(f"   {f'{number} × ' if number > 1 else ''}{sentence}"), hang=3)


def _end(done: TidyRound) -> str:
    if done.is_dry_run:
        what = counted(len(done.planned), "proposal")
        return (
            f"{what} would wait for your decision. Nothing was proposed."
            if done.planned
            else "Nothing would be proposed."
        )
    if not done.proposed:
        return "Nothing new to propose."
    waits = "1 proposal waits" if len(done.proposed) == 1 else f"{len(done.proposed)} proposals wait"
    return f"{waits} for your decision: `memoro review`. Nothing has changed yet."


def _cut(text: str) -> str:
    said = " ".join(text.split())
    return said if len(said) <= _QUOTE else f"{said[:_QUOTE]}…"


def _place(quote: Evidence) -> str:
    place = f"{quote.path}:{quote.line}" if quote.path and quote.line else quote.path
    said = ", ".join(part for part in (place, quote.date) if part)
    return f" ({said})" if said else ""


VIEWS = {"tidy": command(TIDY, _show)}
