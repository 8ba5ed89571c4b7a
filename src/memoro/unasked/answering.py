"""Find what may be given for a message, by those who know its kind."""

from __future__ import annotations

from memoro.model.message_kinds import MessageReading
from memoro.unasked.finding import UnaskedRequest
from memoro.unasked.judged import Judged

_SURER = 0.2  # what is found for a task must be surer by this


def findings_for(request: UnaskedRequest, reading: MessageReading) -> Judged:
    """Ask those who know this kind of message; where they know nothing, look for what it is about."""
    match reading.kind:
        case "continuity":
            from memoro.unasked.continuity import where_we_left_off  # each kind loads what it needs

            known = where_we_left_off(request)
        case "time":
            from memoro.unasked.continuity import of_time

            known = of_time(request)
            request = _within_time(request)
        case "error":
            from memoro.unasked.errors import same_error

            known = same_error(request)
        case "task":
            return _with_rules(request, reading)
        case _:
            known = []
    if known:
        return Judged(tuple(known))
    return _judged(request, reading)


def _judged(request: UnaskedRequest, reading: MessageReading) -> Judged:
    """What is worth giving; where that is nothing, with what was withheld, so that the owner learns the reason."""
    from memoro.unasked.judging import judge

    judged = judge(request, reading)
    if judged.findings:
        return judged
    from memoro.unasked.withheld import with_withheld

    return with_withheld(judged, request, reading)


def _within_time(request: UnaskedRequest) -> UnaskedRequest:
    """Return the request, bound to the days that its message names: what is of another time is no answer."""
    from memoro.model.continuity_phrases import happened_when

    when = happened_when(request.message, request.sources.runtime.today())
    if when is None or when.event:
        return request
    first, last = when.span.first.isoformat(), when.span.last.isoformat()
    return request._replace(where=request.where._replace(since=first, until=last))


def _with_rules(request: UnaskedRequest, reading: MessageReading) -> Judged:
    """The rules that a task touches, and what is known about it; a task needs that less than a question."""
    from memoro.unasked.rules import rules_for

    rules = [] if reading.is_general else rules_for(request)
    surer = min(1.0, request.min_score + _SURER)
    judged = _judged(request._replace(min_score=surer), reading)
    others = [one for one in judged.findings if not any(rule.item.text in one.item.text for rule in rules)]
    return judged._replace(findings=(*rules, *others))
