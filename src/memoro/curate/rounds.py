"""A round of curation: planners look at what is curated, and what they suggest passes the gate."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from memoro.curate.gate import Offered, ProposalGate
from memoro.ledger.access import LedgerAccess
from memoro.model.memories import moment, stamp
from memoro.model.notes import counted
from memoro.model.proposals import Suggestion
from memoro.model.vocabulary import WithheldFor

if TYPE_CHECKING:
    from memoro.ledger.ports import Transaction

BY = "memoro"  # who makes the proposals of a round
_LOOKED_AT = "curation_at"  # in the ledger: when the last scheduled round was due or done
_SEEN = "curation_seen"  # and the digest of what it looked at
_WITHHELD_IN_WORDS: dict[WithheldFor, str] = {
    "rejected": "rejected before",
    "accepted": "accepted before",
    "waits": "waiting already",
    "forgotten": "forgotten on purpose",
    "untrusted": "from untrusted sources",
    "project": "of another project",
    "whole_file": "about a whole file",
    "loss": "that would thin out a file",
    "budget": "beyond a file's budget",
    "too_many": "beyond this week's number",
}


class RoundPlan(NamedTuple):
    """What planners suggest, and what they looked at."""

    suggestions: tuple[Suggestion, ...] = ()
    looked_at: str = ""  # for people: "41 entries and 120 memories"
    model: str | None = None  # the language model that helped; None: rules alone
    notices: tuple[str, ...] = ()  # what could not be read, or is for the person to decide


class RoundPlanner(NamedTuple):
    """What a round asks: first what it would look at, then what should change."""

    fingerprint: Callable[[], str]  # the same as long as nothing that planners read has changed
    plan: Callable[[], RoundPlan]


class RoundReport(NamedTuple):
    """What a round looked at and found."""

    plan: RoundPlan
    offered: Offered

    @property
    def notices(self) -> tuple[str, ...]:
        return self.plan.notices

    @property
    def sentence(self) -> str:
        """One line for people: what was looked at, who helped, and what was found."""
        looked = f"Looked at {self.plan.looked_at}" if self.plan.looked_at else "Looked at nothing yet"
        helped = f"with {self.plan.model}" if self.plan.model else "by rules, without a language model"
        new = sum(one.new for one in self.offered.queued)
        found = counted(new, "new proposal") if new else "nothing new"
        return f"{looked}, {helped}: {found}{self._withheld()}."

    def _withheld(self) -> str:
        counts = Counter(one.reason for one in self.offered.withheld)
        if not counts:
            return ""
        why = ", ".join(f"{count} {_WITHHELD_IN_WORDS[reason]}" for reason, count in counts.most_common())
        return f"; withheld: {why}"


class CurationRounds(NamedTuple):
    """`m.curation`."""

    access: LedgerAccess
    gate: ProposalGate
    planner: RoundPlanner

    def run(self) -> RoundReport:
        """Make a round. Nothing changes but the list of what waits."""
        plan = self.planner.plan()
        report = RoundReport(plan, self.gate.offer(plan.suggestions, by=BY))
        self._note(_SEEN, self._fingerprint())
        return report

    def run_if_due(self, is_due: Callable[[datetime, datetime], bool]) -> RoundReport | None:
        """Make a round where its time has come and something has changed since the last one.

        `is_due` tells whether a time of the schedule lies between two moments. The first time is waited for; so is
        the next one where the last round was noted by a clock that has been set back since.
        """
        now = self.access.now()
        with self.access.ledger.reading() as tx:
            last, seen = tx.meta.get(_LOOKED_AT), tx.meta.get(_SEEN)
        is_known = last is not None and moment(last) <= now
        if is_known and not is_due(moment(last or ""), now):
            return None
        self._note(_LOOKED_AT, stamp(now))
        if not is_known or self._fingerprint() == seen:
            return None
        return self.run()

    def _fingerprint(self) -> str:
        """What planners read, and the week: some of them judge by age."""
        year, week, _ = self.access.now().isocalendar()
        return hashlib.sha256(f"{year}-{week}\n{self.planner.fingerprint()}".encode()).hexdigest()

    def _note(self, name: str, value: str) -> None:
        def put(tx: Transaction) -> None:
            tx.meta.put(name, value)

        self.access.write(put)
