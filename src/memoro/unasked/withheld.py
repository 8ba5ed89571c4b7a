"""Find what would answer a message, and may not be given: for the record that the owner reads, never for an agent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from memoro.model.recall import LeftOut
from memoro.unasked.admission import Admission
from memoro.unasked.judging import judge

if TYPE_CHECKING:
    from memoro.model.answers import Passage
    from memoro.model.message_kinds import MessageReading
    from memoro.store.ports import Index
    from memoro.unasked.finding import UnaskedRequest
    from memoro.unasked.judged import Judged


def with_withheld(judged: Judged, request: UnaskedRequest, reading: MessageReading) -> Judged:
    """Return a judgement that gives nothing, with what would have been given if every project's items might be.

    This searches a second time, because a search leaves out what its session does not see before it ranks.
    """
    everything = _Unrestricted(request.rules)
    where = request.where._replace(bound_projects=(), private=True, hidden=())
    found = judge(request._replace(where=where), reading, everything)
    reasons = {one.id: one.why for one in everything.refused}
    ids = [one.item.id for one in sorted(found.findings, key=lambda one: -one.sure)]
    withheld = tuple(LeftOut(id, reasons[id]) for id in ids if id in reasons)
    others = tuple(one for one in judged.left_out if one not in withheld)
    return judged._replace(withheld=withheld, left_out=(*withheld, *others))


class _Unrestricted(Admission):
    """Lets every candidate pass, and keeps how it would have been judged."""

    def __call__(self, index: Index, passages: Sequence[Passage]) -> list[Passage | None]:
        super().__call__(index, passages)
        return list(passages)
