"""A round of curation: planners look at what is curated, and what they suggest passes the gate."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from memoro.curate.gating.gate import Offered, ProposalGate
from memoro.curate.rounds.planning import PlannedRound, RoundPlanning, looked_at_in_words
from memoro.ledger.access import LedgerAccess
from memoro.model.memories import moment, stamp
from memoro.model.notes import counted
from memoro.model.remembered import forget_readings
from memoro.model.vocabulary import WithheldFor

if TYPE_CHECKING:
    from memoro.ledger.ports import Transaction

_NO_TIME = datetime(1970, 1, 1, tzinfo=UTC)
BY = "memoro"  # who makes the proposals of a round
_LOOKED_AT = "curation_at"  # in the ledger: when the last scheduled round was due or done
_SEEN = "curation_seen"  # and the digest of what it looked at
_WITHHELD_IN_WORDS: dict[WithheldFor, str] = {
    "rejected": "rejected before",
    "accepted": "accepted before",
    "waits": "waiting already",  # not said: what waits is listed
    "forgotten": "forgotten on purpose",
    "untrusted": "from untrusted sources",
    "project": "of another project",
    "whole_file": "about a whole file",
    "loss": "that would thin out a file",
    "budget": "beyond a file's budget",
    "too_many": "beyond this week's limit",
}


class RoundReport(NamedTuple):
    """The result of a round: what it read and what it found."""

    plan: PlannedRound
    offered: Offered

    @property
    def new(self) -> int:
        return sum(one.new for one in self.offered.queued)

    @property
    def sentence(self) -> str:
        """One line for people: what was looked at, who helped, and what was found."""
        looked = looked_at_in_words(self.plan.looked_at, self.plan.model)
        # Not "nothing": what extraction and agents proposed before waits too, and is shown below this line.
        found = counted(self.new, "new proposal") if self.new else "no further proposals"
        return f"Looked at {looked}: {found}{self._withheld()}."

    def _withheld(self) -> str:
        counts = Counter(one.reason for one in self.offered.withheld if one.reason != "waits")
        if not counts:
            return ""
        why = ", ".join(f"{count} {_WITHHELD_IN_WORDS[reason]}" for reason, count in counts.most_common())
        return f"; withheld: {why}"


class CurationRounds(NamedTuple):
    """`m.curation`."""

    access: LedgerAccess
    gate: ProposalGate
    planning: RoundPlanning

    def run(self) -> RoundReport:
        """Make a round. Nothing changes but the list of what waits."""
        try:
            plan = self.planning.plan("review")
            report = RoundReport(plan, self.gate.offer(plan.suggestions, by=BY))
        finally:
            forget_readings()  # a round reads all that is known, and the next one comes after a day
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
        reader = self.planning.reader
        read = reader._replace(sources=reader.sources._replace(embed=None)).read().state
        year, week, _ = self.access.now().isocalendar()
        return hashlib.sha256(f"{year}-{week}\n{_ordered(read._replace(now=_NO_TIME))!r}".encode()).hexdigest()

    def _note(self, name: str, value: str) -> None:
        def put(tx: Transaction) -> None:
            tx.meta.put(name, value)

        self.access.write(put)


def _ordered(value: object) -> object:
    """The value with every set in an order: the same in every process."""
    if isinstance(value, frozenset | set):
        return sorted(map(repr, value))
    if isinstance(value, tuple | list):
        return [_ordered(one) for one in value]
    return value
