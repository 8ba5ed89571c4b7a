"""What a round looks at, and what the planners suggest about it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from memoro.config.settings import CurateSettings
from memoro.curate.rounds import RoundPlan, RoundPlanner
from memoro.curate.snapshot import CuratedState
from memoro.curate.snapshot_reader import CurationSources, SnapshotReader
from memoro.model.notes import counted
from memoro.model.proposals import Suggestion

Planner = Callable[[CuratedState, CurateSettings], Sequence[Suggestion]]
_NO_TIME = datetime(1970, 1, 1, tzinfo=UTC)


class PlannedRounds(NamedTuple):
    """Reads the state once for each round, and asks every planner about it."""

    sources: CurationSources
    settings: CurateSettings
    planners: tuple[Planner, ...] = ()

    def as_planner(self) -> RoundPlanner:
        return RoundPlanner(self._fingerprint, self._plan)

    def _plan(self) -> RoundPlan:
        state, notices = SnapshotReader(self.sources).read()
        found = [one for plan in self.planners for one in plan(state, self.settings)]
        return RoundPlan(suggestions=tuple(found), looked_at=looked_at(state), notices=notices)

    def _fingerprint(self) -> str:
        state = SnapshotReader(self.sources._replace(embed=None)).read().state
        return repr(state._replace(now=_NO_TIME))


def looked_at(state: CuratedState) -> str:
    """Return what a state holds, for people: "41 entries, 120 memories and 3 experiences"."""
    parts = [
        f"{len(state.entries)} {'entry' if len(state.entries) == 1 else 'entries'}" if state.entries else "",
        f"{len(state.memories)} {'memory' if len(state.memories) == 1 else 'memories'}" if state.memories else "",
        counted(len(state.extracted), "extracted line") if state.extracted else "",
        f"{counted(len(state.feedback), 'piece')} of feedback" if state.feedback else "",
        counted(len(state.experiences), "experience") if state.experiences else "",
        f"{counted(len(state.notes), 'note')} of agents" if state.notes else "",
    ]
    told = [part for part in parts if part]
    return " and ".join([", ".join(told[:-1]), told[-1]]) if len(told) > 1 else "".join(told)
