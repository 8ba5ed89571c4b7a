"""An error that was met before: what solved it then, or what did not help."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from memoro.model import remedies
from memoro.model.answers import Passage
from memoro.model.error_agreement import SAME, best_agreement, quoted_in
from memoro.model.error_codes import searched
from memoro.model.error_signatures import ErrorSignature, errors_in, errors_named
from memoro.model.notes import kind_of
from memoro.model.output_filter import OutputFilter
from memoro.model.recall import Provenance, RecalledItem
from memoro.model.sentences import topic_words
from memoro.model.vocabulary import Kind
from memoro.model.words import STOP_WORDS
from memoro.recall.fence import weighed
from memoro.search.retrieve import IndexQuery, by_words, identifier
from memoro.store.ports import Index
from memoro.unasked.admission import Admission
from memoro.unasked.conversations import SpokenTurn, said, turns_after, turns_from
from memoro.unasked.finding import UnaskedRequest
from memoro.unasked.followed_errors import FollowedError, follow
from memoro.unasked.judged import Finding
from memoro.unasked.logged_errors import LoggedError, logged_errors, newest_logs

MOST = 2  # findings
_CANDIDATES = 40
_OF_LEDGER = 10
_LEDGER: tuple[Kind, ...] = ("memory", "experience")
_NEAR = 0.15  # an agreement that is this much lower than the best is another error
_TOKENS = 110  # of a finding's text, of the 150 that it may cost
_FEW = 8  # words
_REPEATED = 0.8  # the share of its words that were given
_ERROR_LETTERS = 90  # of the line that is shown with a cure


class _Cure(NamedTuple):
    """What a conversation, a note, a memory or an experience says about an error."""

    passage: Passage  # that says it
    text: str
    agreement: float
    is_warning: bool = False  # it did not help
    others: tuple[Passage, ...] = ()  # the other passages that it was made of


def same_error(request: UnaskedRequest) -> list[Finding]:
    """Return what solved the error that the message shows, newest first; failing that, what did not help."""
    errors = errors_in(request.message)
    if not errors:
        return []
    query = IndexQuery(
        text=_query(errors), where=request.where, limit=_CANDIDATES, mode="words", admits=Admission(request.rules)
    )
    found = request.sources.search.read(lambda index: _cures(index, query, errors))
    found += _of_ledger(request, query.text, errors)
    if not any(cure.text for cure in found):
        found = _of_tools(request, errors)
    known = request.sources.items.provenances([cure.passage.path for cure in found])
    found = [_believed(cure, known.get(cure.passage.path)) for cure in found]
    return _findings(request, [cure for cure in found if cure.text and not _is_held(request, cure)], known)


def _query(errors: Sequence[ErrorSignature]) -> str:
    """Return the words by which a search finds these errors."""
    words: dict[str, None] = {}
    for error in errors[:4]:
        words.update(dict.fromkeys([*searched(error.codes), *sorted(error.types), *sorted(error.conditions)]))
        words.update(dict.fromkeys(word for word in error.message[:24] if word not in STOP_WORDS))
        words.update(dict.fromkeys(sorted(error.names)[:6]))
    return " ".join(list(words)[:48])


def _cures(index: Index, query: IndexQuery, errors: Sequence[ErrorSignature]) -> list[_Cure]:
    """Return what the passages that show the same error, or follow one that does, say about it."""
    agreeing = [
        (match, agreement)
        for match in (one.match for one in by_words(index, query, 1).ranked)
        if (agreement := _agreement(errors, match.passage)) >= SAME
    ]
    # The note of a session names an error among other things; its log tells what was done about it.
    notes = [
        one for one in agreeing if one[0].passage.speaker is None and one[0].passage.tier not in ("episodic", "daily")
    ]
    found = [_of_note(match.passage, sure, errors) for match, sure in notes]
    spoken = [one for one in agreeing if one[0].passage.speaker is not None]
    shown = {match.passage.path for match, _ in spoken if match.passage.speaker == "User"}
    done: set[tuple[str, int]] = set()
    # A turn of the user shows the error. Only in a conversation without one does an answer tell what it is about.
    for match, sure in sorted(spoken, key=lambda one: one[0].chunk):
        passage = match.passage
        if (passage.path, passage.start_line) in done or (passage.speaker != "User" and passage.path in shown):
            continue
        followed = follow(turns_from(index, match.passage.path, match.chunk), errors)
        done.update((passage.path, line) for line in followed.lines)
        if cure := _told_cure(followed, sure):
            found.append(cure)
    return found


def _of_ledger(request: UnaskedRequest, query: str, errors: Sequence[ErrorSignature]) -> list[_Cure]:
    """Return the memories and experiences about these errors. Only a whole search knows which of them hold now."""
    wanted = tuple(kind for kind in _LEDGER if not request.where.kinds or kind in request.where.kinds)
    if not wanted:
        return []
    ranked = request.sources.search.search(query, request.where._replace(kinds=wanted), _OF_LEDGER).ranked
    passages = [(one.match.passage, _agreement(errors, one.match.passage)) for one in ranked if not one.replaced_by]
    return [_of_note(passage, agreement, errors) for passage, agreement in passages if agreement >= SAME]


def _agreement(errors: Sequence[ErrorSignature], passage: Passage) -> float:
    text = said(passage)
    agreed = best_agreement(errors, errors_named(text))
    return agreed if agreed >= SAME else max(agreed, *(quoted_in(error, text) for error in errors))


def _of_tools(request: UnaskedRequest, errors: Sequence[ErrorSignature]) -> list[_Cure]:
    """Return what was said after a tool had shown the same error."""
    if request.sources.vault is None:
        return []
    search = request.sources.search
    shown = logged_errors(request.sources.vault(), search.read(newest_logs(request.where)), errors)
    return search.read(lambda index: [cure for one in shown if (cure := _after_tool(index, one, errors))])


def _after_tool(index: Index, shown: LoggedError, errors: Sequence[ErrorSignature]) -> _Cure | None:
    turns = turns_after(index, shown.path, shown.line + 1)
    if not turns or turns[0].speaker == "User":  # nothing was said about it
        return None
    met = SpokenTurn("User", errors[0].line, ())  # as if the user had shown it
    return _told_cure(follow([met, *turns], errors), shown.agreement)


def _told_cure(followed: FollowedError, agreement: float) -> _Cure | None:
    told, failed = followed.told, followed.failed
    topic = frozenset(followed.shown.message) | followed.shown.names
    not_helped = "; ".join(filter(None, (remedies.remedy(turn.text, topic, 30) for turn in failed[-2:])))
    room = _TOKENS - 28 - (34 if not_helped else 0)  # beside the error, and what did not help
    helped = remedies.remedy(told.text, topic, room) if told else ""
    helped = "" if remedies.restates(helped, followed.shown.line) else helped
    source = told if told and helped else failed[-1] if failed and not_helped else None
    if source is None:
        return None
    others = tuple(part for turn in failed if turn is not source for part in turn.passages)
    return _Cure(
        passage=source.passages[0],
        text=_text(followed, helped, not_helped),
        agreement=agreement,
        is_warning=not helped,
        others=(*source.passages[1:], *others),
    )


def _text(followed: FollowedError, helped: str, not_helped: str) -> str:
    """The error, what was answered, and what did not help."""
    lines = [remedies.shortened(followed.shown.line, _ERROR_LETTERS // 4)] if followed.by_user else []
    if helped:
        lines.append(f"The answer then: {helped}" if lines else helped)
    if not_helped:
        lines.append(f"This did not help: {remedies.shortened(not_helped, 60 if not helped else 30)}")
    return "\n".join(lines)


def _of_note(passage: Passage, agreement: float, errors: Sequence[ErrorSignature]) -> _Cure:
    """A note that quotes the error: whole where it is short, else the sentences of cause and cure."""
    topic = frozenset(word for error in errors for word in (*error.message, *error.names))
    text = passage.text.strip()
    kept = remedies.remedy(text, topic, _TOKENS) if len(text) > 4 * _TOKENS else text
    return _Cure(passage=passage, text=kept, agreement=agreement)


def _believed(cure: _Cure, provenance: Provenance | None) -> _Cure:
    """A memory or an experience with its whole text; one that failed, with the words of caution."""
    if provenance is None or provenance.text is None:
        return cure
    text = remedies.shortened(provenance.text, _TOKENS - 20)
    if not provenance.caution:
        return cure._replace(text=text)
    return cure._replace(text=f"{provenance.caution}\n{text}", is_warning=True)


def _is_held(request: UnaskedRequest, cure: _Cure) -> bool:
    """Return whether the conversation has it already: its passage, with most of the words of the cure."""
    held, id = request.held, identifier(cure.passage)
    if cure.passage.path in held.passages or id not in held.parts:
        return cure.passage.path in held.passages or id in held.passages
    words = topic_words(cure.text) - topic_words(request.message)
    given = topic_words("\n".join(held.parts[id]))
    return len(words & given) >= _REPEATED * len(words)


def _findings(request: UnaskedRequest, cures: Sequence[_Cure], known: Mapping[str, Provenance]) -> list[Finding]:
    """Return the best: those that agree about as well as the best, newest first, each said once."""
    trusted = [cure for cure in cures if _trust(known, cure) != "quarantined"]
    best = max((cure.agreement for cure in trusted), default=0.0)
    near = [cure for cure in trusted if cure.agreement >= best - _NEAR]
    if spoken := [cure.passage for cure in near if cure.passage.speaker]:
        near = [cure for cure in near if cure.passage.speaker or _adds(cure, spoken)]
    near.sort(key=lambda cure: (cure.passage.date or "", cure.passage.start_line, cure.agreement), reverse=True)
    near.sort(key=lambda cure: cure.is_warning)
    filter = OutputFilter(request.sources.runtime.secrets())
    found: list[Finding] = []
    for cure in near:
        text = filter.text(cure.text)
        if len(found) < MOST and not any(_says_the_same(text, other.item.text) for other in found):
            found.append(_finding(cure, text, known.get(cure.passage.path)))
    return found


def _adds(cure: _Cure, spoken: Sequence[Passage]) -> bool:
    """Return whether a note adds to the answers: a few words do not, nor does the note of a session that day."""
    repeats = cure.passage.tier in ("episodic", "daily") and cure.passage.date in {one.date for one in spoken}
    return not repeats and len(cure.text.split()) >= _FEW


def _trust(known: Mapping[str, Provenance], cure: _Cure) -> str | None:
    provenance = known.get(cure.passage.path)
    return provenance.trust if provenance else None


def _says_the_same(one: str, other: str) -> bool:
    first, second = ({word for word in text.lower().split() if len(word) > 3} for text in (one, other))
    return len(first & second) >= 0.7 * min(len(first), len(second), 1_000)


def _finding(cure: _Cure, text: str, provenance: Provenance | None) -> Finding:
    passage = cure.passage
    item = RecalledItem(
        id=identifier(passage),
        kind=kind_of(passage.path),
        tier=passage.tier,
        path=passage.path,
        start_line=passage.start_line,
        end_line=passage.end_line,
        heading=passage.headings,
        date=passage.date,
        trust=provenance.trust if provenance else None,
        score=cure.agreement,
        tokens=0,
        text=text,
        speaker=passage.speaker,
        passages=(identifier(passage), *map(identifier, cure.others)),
        since=passage.valid_from,
        until=passage.valid_to,
    )
    what = "this did not help against the same error" if cure.is_warning else "the same error"
    return Finding(weighed([item])[0], sure=cure.agreement, why=f"{what}, {passage.date}" if passage.date else what)
