"""Build the context for a message that nobody asked to be answered from memory: little, true now, or nothing."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from memoro.model.asked_message import asked, ends
from memoro.model.message_kinds import SILENT_KINDS, MessageKind, MessageReading
from memoro.model.output_filter import OutputFilter
from memoro.model.ratings import WHY_MUTED
from memoro.model.recall import LeftOut, Recalled, RecalledItem
from memoro.model.tokens import tokens
from memoro.model.withheld import UNSURE, reason_for_silence
from memoro.recall import fence
from memoro.unasked.judged import ENOUGH, Judged, without_marks, without_muted
from memoro.unasked.reading import read_message

if TYPE_CHECKING:
    from memoro.home_context import HomeContext
    from memoro.model.scope import Scope
    from memoro.recall.block_request import BlockRequest
    from memoro.recall.ports import RecallSources
    from memoro.recall.recaller import BlockSource
    from memoro.unasked.judged import Finding
    from memoro.vault.marked_answers import MarkedAnswers


# Kinds of messages that a person would call otherwise; these names say why, too.
_KINDS: dict[MessageKind, str] = {
    "continuity": "about earlier work",
    "time": "about a time",
    "error": "an error",
}


class UnaskedBuilder:
    """Builds blocks: for a message that asks memory as `asked` does, for any other what is worth saying unasked."""

    def __init__(self, home: HomeContext, asked: Callable[[], BlockSource]) -> None:
        self._home = home
        self._settings = home.settings.recall.proactive
        self._asked = asked

    def build(self, request: BlockRequest) -> Recalled:
        if request.options.prompt or not request.options.proactive:
            return self._asked().build(request)
        started = time.perf_counter()
        reading = read_message(ends(asked(request.message)), self._home.runtime.today())
        judged, known = self._judged(request, reading)
        done = self._recalled(request, reading, judged, OutputFilter(known))
        return done._replace(took_ms=(time.perf_counter() - started) * 1000)

    def sources(self, message: str = "") -> RecallSources:
        return self._asked().sources(message)

    def note_given(self, experiences: Sequence[str]) -> list[str]:
        return self._asked().note_given(experiences)

    def _judged(self, request: BlockRequest, reading: MessageReading) -> tuple[Judged, Sequence[str]]:
        """What may be given, and the secrets that must not be."""
        if reading.kind in SILENT_KINDS:
            return Judged(), ()
        from memoro.unasked.admission import rules_of  # these bring the search, which an acknowledgement does without
        from memoro.unasked.answering import findings_for
        from memoro.unasked.finding import UnaskedRequest

        sources = self._asked().sources(request.message)
        wanted = UnaskedRequest(
            message=reading.about,
            sources=sources,
            where=request.where._replace(shared=True),
            scope=request.options.scope,
            held=request.held,
            min_score=self._settings.min_score,
            rules=rules_of(self._home, request.options.scope),
            wrong=lambda: self._marked_answers(request.options.scope),
            muted=sources.muted,
        )
        judged = without_marks(findings_for(wanted, reading))
        if judged.findings and (muted := sources.muted()):
            judged = without_muted(judged, muted)
        return judged, sources.runtime.secrets()

    def _marked_answers(self, scope: Scope) -> MarkedAnswers:
        from memoro.model.projects import belongs
        from memoro.vault.marked_answers import MarkedAnswers, marked_answers

        if self._home.settings.vault.path is None:
            return MarkedAnswers()
        return marked_answers(self._home.vault(), lambda project: belongs(project, scope.projects))

    def _recalled(
        self, request: BlockRequest, reading: MessageReading, judged: Judged, filter: OutputFilter
    ) -> Recalled:
        budget = request.options.budget
        limit = self._settings.max_tokens if budget is None else budget
        items, out = self._packed(judged.findings, limit, filter)
        boundary = fence.fresh_boundary(fence.body(items), fence.draw) if items else ""
        block = fence.block(items, boundary)
        return Recalled(
            message=request.message,
            form="proactive",
            block=block,
            boundary=boundary,
            tokens=tokens(block),
            items=tuple(items),
            left_out=(*out, *judged.left_out),
            degraded=judged.notices,
            took_ms=0.0,
            decision=_decision(reading, judged, len(items)),
        )

    def _packed(
        self, findings: Sequence[Finding], limit: int, filter: OutputFilter
    ) -> tuple[list[RecalledItem], list[LeftOut]]:
        """The surest items that fit, in the order of the findings."""
        taken: set[str] = set()
        out: list[LeftOut] = []

        def shown() -> list[RecalledItem]:
            chosen = [one for one in findings if one.item.id in taken]
            return fence.weighed([_shown(one, filter) for one in chosen])

        for one in sorted(findings, key=lambda one: -one.sure):
            taken.add(one.item.id)
            items = shown()
            size = tokens(fence.block(items, fence.EMPTY_BOUNDARY))
            if len(items) > self._settings.max_items or size > limit:
                taken.discard(one.item.id)
                out.append(LeftOut(one.item.id, ENOUGH))
        return shown(), out


def _shown(finding: Finding, filter: OutputFilter) -> RecalledItem:
    """The item as a model may read it: without secrets and invisible characters."""
    item = finding.item
    headings = tuple(map(filter.text, item.heading))
    return item._replace(text=filter.text(item.text), heading=headings, why=finding.why)


def _decision(reading: MessageReading, judged: Judged, given: int) -> str:
    if reading.kind in SILENT_KINDS:
        return f"silent: {reading.why}"
    kind = _KINDS.get(reading.kind, f"a {reading.kind}")
    if given:
        return kind if reading.kind in _KINDS else f"{kind}: {reading.why}"
    if judged.is_muted:
        return f"silent: {kind}, and {WHY_MUTED}"
    if judged.is_held:
        return f"silent: {kind}, and what answers it was already given in this conversation"
    if judged.withheld:
        return f"silent: {kind}, and {reason_for_silence(judged.withheld[0])}"
    if not judged.looked_at:
        return f"silent: {kind}, and nothing stored shares a word or the meaning with it"
    return f"silent: {kind}, and {UNSURE}"
