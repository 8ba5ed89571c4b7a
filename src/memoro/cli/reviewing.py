"""`memoro review`: a dialogue at a terminal; elsewhere the list of what waits, or decisions by number."""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING

from memoro import opening
from memoro.cli.command import command
from memoro.cli.lines import say
from memoro.cli.proposals import show_previews
from memoro.cli.show import printable
from memoro.cli.tidying import show_contradictions
from memoro.model.notes import counted
from memoro.operations.reviewing import REVIEW, Review, ReviewResult

if TYPE_CHECKING:
    from memoro.cli.review_dialogue import ReviewActions
    from memoro.curate.rounds.running import RoundReport
    from memoro.workspace import Workspace

UNDECIDED = 5  # a decision could not be carried out, and the person must look at it


def _review(chosen: argparse.Namespace) -> int:
    asks = sys.stdin.isatty() and sys.stdout.isatty() and not os.environ.get("MEMORO_AGENT")
    is_decided = chosen.accept or chosen.reject or chosen.reopen or chosen.edit is not None or chosen.text is not None
    if chosen.json or is_decided or not asks:
        return command(REVIEW, _show, _code)(chosen)
    with opening.open(chosen.home, chosen.vault) as m:
        return _dialogue(m, with_round=chosen.round)


def _dialogue(m: Workspace, *, with_round: bool) -> int:
    from memoro.cli.keys import keys
    from memoro.cli.review_dialogue import ReviewDialogue, summary

    m.propose_dropped_lines()
    if with_round:
        try:
            show_round(m.curation.run())
        except KeyboardInterrupt:
            say("\nStopped looking. What waits already:")
    waiting = m.proposals.all()
    if not waiting:
        say("No proposals wait.")
        return 0
    say(f"{counted(len(waiting), 'proposal')} to decide; nothing changes before you accept.")
    with keys() as read:
        tally = ReviewDialogue(_actions(m), read, m.environment).run(waiting)
    say()
    for line in summary(tally, len(m.proposals.all())):
        say(line)
    return UNDECIDED if tally.count("failed") else 0


def _actions(m: Workspace) -> ReviewActions:
    from memoro.cli.review_dialogue import ReviewActions
    from memoro.operations.reviewing import reviewed

    return ReviewActions(
        look=lambda number: reviewed(m, m.proposals.preview(number)),
        accept=lambda number, text: m.proposals.accept(number, text=text),
        reject=m.proposals.reject,
    )


def show_round(report: RoundReport) -> None:
    """Say in one line what was looked at, who helped, and what was found; then what a person should know besides."""
    say(printable(report.sentence), hang=0)
    for notice in report.plan.notices:
        say(f"   note: {printable(notice)}")
    show_contradictions(report.plan.contradictions)


def _show(result: ReviewResult, _request: Review) -> None:
    for one in result.decided:
        say(f"{one.proposal}. {printable(one.sentence)}", hang=3)
    if result.decided:
        return
    if result.round is not None:
        show_round(result.round)
    if not result.proposals and result.round is not None:
        say("No proposals wait.")
        return
    show_previews([one.preview for one in result.proposals])
    if result.proposals:
        say("Decide one by one with `memoro review` at a terminal, or with `memoro review --accept N`, `--reject N`.")


def _code(result: ReviewResult, _request: Review) -> int:
    return UNDECIDED if any(not one.is_done for one in result.decided) else 0


VIEWS = {"review": _review}
