"""The dialogue of `memoro review`: one proposal at a time, one key for each decision."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Literal, NamedTuple

from memoro.cli.diff import difference
from memoro.cli.editor import edited
from memoro.cli.keys import END, Keys, uninterrupted
from memoro.cli.lines import columns, say, wrapped
from memoro.cli.proposal_words import evidence_lines, heading, origin_line, uses_line, wish_in_words
from memoro.cli.show import printable, terminal
from memoro.curate.reviewing.amending import amended, editable_text
from memoro.curate.reviewing.preview import ProposalPreview
from memoro.errors import MemoroError
from memoro.model.notes import counted

if TYPE_CHECKING:
    from memoro.curate.reviewing.reviewed import ReviewedProposal
    from memoro.model.proposals import Proposal
    from memoro.notes.entry_files import Remembered

Outcome = Literal["accepted", "edited", "rejected", "skipped", "failed", "gone"]
_LINES = 40  # of a difference; the whole is in `memoro proposals --json`
_PROMPT = "[a]ccept  [e]dit  [s]kip  [r]eject for ever  [A]ll of this kind  [q]uit  [?] "
_HELP = (
    "a  accept: the change is made now; `memoro undo` reverts it",
    "e  edit: change the words first; what you write is what is accepted",
    "s  skip: it waits until the next review",
    "r  reject for ever: neither this nor the same in other words is proposed again",
    "A  accept all that wait of this kind; they are listed first, and you are asked",
    "q  quit: what you decided stays, the rest waits",
)


class ReviewActions(NamedTuple):
    """The actions of the dialogue on proposals."""

    look: Callable[[int], ReviewedProposal]  # Refused where it was settled meanwhile
    accept: Callable[[int, str | None], Remembered]  # with a person's own words, or as it is
    reject: Callable[[int], Proposal]


class ReviewTally(NamedTuple):
    """The decisions of a person so far."""

    outcomes: tuple[tuple[int, Outcome], ...] = ()
    is_ended: bool = False  # the person left before the end

    def count(self, outcome: Outcome) -> int:
        return sum(found == outcome for _, found in self.outcomes)


class _Leave(Exception):
    """The person leaves."""


class ReviewDialogue:
    def __init__(self, actions: ReviewActions, keys: Keys, environment: Mapping[str, str]) -> None:
        self._actions = actions
        self._keys = keys
        self._environment = environment
        self._outcomes: dict[int, Outcome] = {}

    def run(self, proposals: Sequence[Proposal]) -> ReviewTally:
        """Ask about each proposal. Ctrl-C and the end of the input leave as `q` does: nothing is half done."""
        is_ended = False
        try:
            for place, one in enumerate(proposals, 1):
                if one.id not in self._outcomes:
                    self._ask(one, f"{place} of {len(proposals)}", proposals)
        except (_Leave, KeyboardInterrupt, EOFError):
            is_ended = True
            say()
        return ReviewTally(tuple(self._outcomes.items()), is_ended)

    def _ask(self, proposal: Proposal, place: str, proposals: Sequence[Proposal]) -> None:
        shown = self._look(proposal.id)
        if shown is None:
            return
        show_proposal(shown, place)
        while proposal.id not in self._outcomes:
            key = self._keys.read(_PROMPT)
            match key:
                case "a":
                    self._decide(proposal.id, "accepted", lambda: self._actions.accept(proposal.id, None))
                case "e":
                    self._edit(shown.preview)
                case "s":
                    self._outcomes[proposal.id] = "skipped"
                case "r":
                    self._decide(proposal.id, "rejected", lambda: self._actions.reject(proposal.id))
                case "A":
                    self._accept_kind(proposal, proposals)
                case "q":
                    raise _Leave
                case _ if key == END:
                    raise _Leave
                case _:
                    for line in _HELP:
                        say(f"   {line}", hang=6)

    def _look(self, number: int) -> ReviewedProposal | None:
        try:
            return self._actions.look(number)
        except MemoroError as error:  # decided elsewhere, or expired, since the list was made
            say(f"\n{number}. {printable(str(error))} It is left as it is.")
            self._outcomes[number] = "gone"
            return None

    def _waits(self, number: int) -> bool:
        try:
            self._actions.look(number)
        except MemoroError:
            return False
        return True

    def _edit(self, shown: ProposalPreview) -> None:
        change = shown.proposal.change
        text = editable_text(change)
        if text is None:
            say("   This proposal writes no text of its own, so there is nothing to edit.")
            return
        try:
            said = edited(text, self._keys, self._environment)
            if said is None:
                say("   The text is as it was.")
                return
            amended(change, said)
        except MemoroError as error:
            say(f"   {printable(str(error))}")
            return
        _show_difference(text, said)
        if self._keys.read("   Accept it in these words? [y/N] ").lower() == "y":
            number = shown.proposal.id
            self._decide(number, "edited", lambda: self._actions.accept(number, said))

    def _accept_kind(self, proposal: Proposal, proposals: Sequence[Proposal]) -> None:
        alike = [
            one
            for one in proposals
            if one.operation == proposal.operation
            and (one.id == proposal.id or self._outcomes.get(one.id, "skipped") == "skipped")
        ]
        for one in alike:
            say(f"   {printable(heading(one))}", hang=6)
            with suppress(MemoroError):  # decided in another window: accepting it says so
                shown = self._actions.look(one.id).preview
                _show_difference(shown.before, shown.after)
        if self._keys.read(f"   Accept {counted(len(alike), 'proposal')}? [y/N] ").lower() != "y":
            return
        for one in alike:
            self._decide(one.id, "accepted", lambda number=one.id: self._actions.accept(number, None))  # type: ignore[misc]

    def _decide(self, number: int, outcome: Outcome, act: Callable[[], object]) -> None:
        """Make one decision whole, and say what became of it."""
        try:
            with uninterrupted():
                done = act()
                self._outcomes[number] = outcome
        except MemoroError as error:
            say(f"   Not done: {printable(str(error))}", hang=3)
            self._outcomes[number] = "failed" if self._waits(number) else "gone"
        else:
            say(f"   {_said(number, outcome, done)}")


def _said(number: int, outcome: Outcome, done: object) -> str:
    if outcome == "rejected":
        return f"{number} is rejected for ever."
    change = getattr(done, "change", None)
    undo = f"`memoro undo {change}`" if change else f"`memoro undo --proposal {number}`"
    words = " in your words" if outcome == "edited" else ""
    return f"{number} is accepted{words}; {undo} reverts it."


def show_proposal(one: ReviewedProposal, place: str) -> None:
    """Show one proposal: what would happen and where, the difference, the reason, the evidence, and its use."""
    proposal = one.preview.proposal
    say()
    wish = wish_in_words(proposal.change)
    _paint(f"{place}: {wish} (proposal {proposal.id})", "bold")
    _show_difference(one.preview.before, one.preview.after)
    if proposal.reason:
        say(f"   why: {printable(proposal.reason)}", hang=8)
    for line in evidence_lines(proposal):
        say(f"   {printable(line)}", hang=8)
    if one.preview.outdated:
        say(f"   outdated: {printable(one.preview.outdated)}", hang=13)
    say(f"   from: {printable(origin_line(proposal))}", hang=9)
    if one.uses is not None:
        say(f"   used: {uses_line(one.uses)}", hang=9)


def _show_difference(before: str | None, after: str | None) -> None:
    lines = list(difference(before, after))
    for line in lines[:_LINES]:
        _paint(f"   {line}".rstrip(), {"-": "red", "+": "green"}.get(line[:1]), hang=5)
    if len(lines) > _LINES:
        say(f"   … and {len(lines) - _LINES} more lines (`memoro proposals --json` has them all)")


def _paint(line: str, style: str | None, hang: int = 3) -> None:
    """Print a line, in colour at a terminal alone."""
    console = terminal()
    if console is None or style is None:
        say(line, hang=hang)
        return
    shown = wrapped(printable(line), columns(sys.stdout) or console.width, hang)
    console.print(shown, style=style, markup=False, soft_wrap=True)


def summary(tally: ReviewTally, waiting: int) -> list[str]:
    """Return the last lines of a review: what was decided, what waits, and how to take it back."""
    counts = Counter(outcome for _, outcome in tally.outcomes)
    accepted = counts["accepted"] + counts["edited"]
    parts = [
        f"{accepted} accepted" + (f" ({counts['edited']} edited)" if counts["edited"] else ""),
        f"{counts['rejected']} rejected",
        f"{counts['skipped']} skipped",
    ]
    parts += [f"{counts['gone']} decided or changed elsewhere"] if counts["gone"] else []
    parts += [f"{counts['failed']} could not be done"] if counts["failed"] else []
    lines = [f"{', '.join(parts)}; {waiting} {'waits' if waiting == 1 else 'wait'}."]
    if accepted:
        lines.append("`memoro undo` takes back the last, `memoro log` lists all with their numbers.")
    return lines
