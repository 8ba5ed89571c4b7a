"""What is new, for a page that asks every two seconds: answered from a few file stamps, without the vault.

The page sends the marker that it knows. Nothing new: 204. Otherwise it gets the new marker, all marks, and the line
that tells of a sync. Such a question does not count as a request: `memoro serve --idle-exit` ends in spite of an open
page, which then says how to open it again.
"""

from __future__ import annotations

import hashlib
from typing import NamedTuple

from memoro.errors import MemoroError
from memoro.page.texts import Texts
from memoro.workspace import Workspace

QUICK_SECONDS = 1.0  # a sync that takes no longer is not worth a line


class ActivityLine(NamedTuple):
    """What goes on, in a sentence; `done` of `total`, where that is known."""

    sentence: str
    done: int = 0
    total: int = 0


class LiveState(NamedTuple):
    """What a page compares: a mark for each thing that views depend on, and what goes on."""

    changes: int
    recalls: int
    proposals: int
    synced: str  # differs after each sync
    activity: ActivityLine | None = None
    trouble: str = ""  # why the home cannot be read now; the marks are not known then

    @property
    def marker(self) -> str:
        """Differs whenever anything does."""
        return hashlib.sha256(repr(tuple(self)).encode()).hexdigest()[:16]

    def document(self) -> dict[str, object]:
        marks = {"changes": self.changes, "recalls": self.recalls, "proposals": self.proposals, "index": self.synced}
        activity = None if self.activity is None else self.activity._asdict()
        known = {} if self.trouble else marks
        return {"marker": self.marker, "marks": known, "activity": activity, "trouble": self.trouble}


def live_state(m: Workspace, t: Texts) -> LiveState:
    """Return the state. It raises no MemoroError: the frame of every page needs it, and says what the trouble is."""
    try:
        return _state(m, t)
    except MemoroError as error:
        return LiveState(changes=0, recalls=0, proposals=0, synced="", trouble=str(error))


def _state(m: Workspace, t: Texts) -> LiveState:
    marks, indexes = m.ledger_marks(), m.indexes()
    receipt = indexes.syncing.left() if indexes is not None else ""
    return LiveState(
        changes=marks.changes,
        recalls=marks.recalls,
        proposals=marks.proposals,
        synced=hashlib.sha256(receipt.encode()).hexdigest()[:8],
        activity=_activity(m, t),
    )


def _activity(m: Workspace, t: Texts) -> ActivityLine | None:
    step = m.indexing.running.now()
    if step is not None:
        if step.seconds < QUICK_SECONDS:
            return None
        sentence = t(f"live.{step.part}", done=f"{step.done:,}", total=f"{step.total:,}")
        return ActivityLine(sentence, step.done, step.total)
    indexes = m.indexes()
    if indexes is not None and indexes.syncing.is_held():
        return ActivityLine(t("live.elsewhere"))
    return None
