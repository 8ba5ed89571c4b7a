"""Find what a message is about in what is known, and choose the little that is worth giving."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from memoro.curate.feedback.contradicted_answers import contradicts, may_contradict
from memoro.curate.feedback.corrected_items import corrects as says_otherwise
from memoro.model.extracted_lines import MARK
from memoro.model.feedback import corrections_in, feedback_in, is_correction, told_text
from memoro.model.function_words import FUNCTION_WORDS
from memoro.model.message_kinds import MessageReading, points_here
from memoro.model.output_filter import OutputFilter
from memoro.model.projects import short_name
from memoro.model.ratings import BY_LINE, WHY_MUTED, MutedWords
from memoro.model.reasons import asks_for_reason, gives_reason
from memoro.model.recall import LeftOut, Provenance
from memoro.model.sentences import topic_words
from memoro.model.statements import only_asks, tells_beyond
from memoro.search.answer_kind import holds_what_is_asked
from memoro.search.rank import Ranked
from memoro.search.retrieve import identifier
from memoro.search.sources import has_ended
from memoro.unasked.admission import Admission
from memoro.unasked.exchanges import Exchange, exchanges_of
from memoro.unasked.finding import UnaskedRequest
from memoro.unasked.held import FreshParts, is_held
from memoro.unasked.item_writer import ItemWriter, corrects, pastes_error, tells
from memoro.unasked.judged import ENOUGH, Finding, Judged
from memoro.unasked.later import LaterStatements
from memoro.unasked.other_people import OtherPeople, other_people
from memoro.unasked.replies import Replies
from memoro.unasked.shortening import WantedSentences, pieces
from memoro.unasked.weighing import Unit, WeighedUnit, evidence_of, sure_by_score, sure_of, units_of
from memoro.vault.daily_lines import project_of_line
from memoro.vault.marked_answers import DatedCorrection, MarkedAnswers

if TYPE_CHECKING:
    from memoro.model.answers import Evidence, Passage
    from memoro.search.retrieve import Ranking
    from memoro.store.ports import Index

WIDE = 60  # passages that are looked at: a search that looks at fewer ranks worse
MOST = 3  # units that are given for one message
# A unit is given if it is sure enough, and at least this share of the surest.
SHARE, OLDER_SHARE = 0.75, 0.82

WEAK = "not sure enough"
LESS = "much less sure than the best"
GIVEN = "already given in this conversation"
_REPEATED = 0.8  # the share of its words that were given
_TIMED = re.compile(r"[-*] \d\d:\d\d ")  # how a line that was added to a day begins
_STAMP = re.compile(r"\d{4}-\d\d-\d\d|\d\d:\d\d|project/.*")
OLDER = "older than something else about the same thing"
QUARANTINED = "in quarantine"
ASKS = "only asks"
OTHER_PERSON = "about another person"
ECHOES = "says only what the message says"
WRONG = "its owner marked this answer as wrong"
ONLY_MARKS = "says only how an answer was marked"
CORRECTED = "the correction of the day says it"
CONTRADICTED = "its owner said otherwise since"
_COMPARED = 100  # characters of a note: a long one is cut in the line of the day


def judge(request: UnaskedRequest, reading: MessageReading, admission: Admission | None = None) -> Judged:
    """Search for the message, weigh what was found in units, and choose."""
    admission = admission or Admission(request.rules)
    ranking = request.sources.search.search(reading.about, request.where, WIDE, admission)
    notices = tuple(dict.fromkeys([*request.sources.search.notices, *ranking.notices]))
    return request.sources.search.read(
        lambda index: _judged(index, _Asked(request=request, reading=reading, ranking=ranking, admission=admission))
    )._replace(notices=notices)


class _Asked(NamedTuple):
    """A message with what a search found for it, and how its candidates were judged."""

    request: UnaskedRequest
    reading: MessageReading
    ranking: Ranking
    admission: Admission


def _judged(index: Index, asked: _Asked) -> Judged:
    request, reading, ranking, admission = asked
    ranking = ranking._replace(information=_topics(index, reading.about, ranking.information))
    query = _Query(
        reading=reading,
        ranking=ranking,
        shared=frozenset(one.match.chunk for one in ranking.ranked if admission.is_shared(one.match.passage)),
        stems=index.stems,
        project=short_name(request.scope.project).casefold() if request.scope.project else "",
    )
    runtime = request.sources.runtime
    clean = OutputFilter(runtime.secrets()).text
    wanted = WantedSentences(ranking.information, index.stems, query.answers)
    parts = FreshParts(request, wanted, clean)
    held, fresh = _split_held(ranking.ranked, parts)
    whole = [one for one in held if one.match.chunk not in {other.match.chunk for other in fresh}]
    provenances = request.sources.items.provenances([one.match.passage.path for one in fresh])
    replies = Replies(
        index=index,
        information=ranking.information,
        admission=admission,
        is_held=lambda passage: is_held(passage, request),
    )
    units, replied = replies.gone_on(_units(index, fresh, parts.of))
    marked = request.wrong() if any(unit.exchange for unit in units) else MarkedAnswers()
    units, over = _parted(units, _over(index, units, request))
    units, again = _parted(units, _repeated(units, _given_before(held, request)))
    muted = request.muted() if units else MutedWords()
    others = other_people(index, reading, (one.match.passage for one in fresh), request.scope.project)
    corrections = _corrections(one.match.passage for one in ranking.ranked)
    refuses = _Refusals(
        message=request.message,
        about=reading.about,
        others=others,
        provenances=provenances,
        marked=marked,
        muted=muted,
        corrections=corrections,
    )
    weighed = sorted(map(query.weighed, units), key=lambda one: -one.sure)
    able, refused = _able(weighed, refuses)
    given = [query.weighed(unit) for unit in _units(index, _given_before(held, request))]
    enough = frozenset(one.match.chunk for one in whole)
    later = LaterStatements(index, request, ranking.information, runtime.today(), refuses.is_of_owner)
    floor = request.min_score
    chosen, left = _chosen(able, given, later, floor)
    writer = ItemWriter(wanted, provenances, clean)
    out = [LeftOut(identifier(one.match.passage), GIVEN) for one in whole]
    out += [LeftOut(identifier(unit.found[0].match.passage), GIVEN) for unit in (*again, *replied)]
    out += [LeftOut(identifier(unit.found[0].match.passage), OLDER) for unit in over]
    surest = max((one.sure for one in chosen), default=0.0)
    return Judged(
        _newest_first(writer.finding(one, is_surest=one.sure == surest) for one in chosen),
        (*out, *refused, *left, *admission.refused),
        looked_at=len(ranking.ranked),
        is_held=any(one.sure >= floor and not enough.isdisjoint(one.unit.key) for one in given),
        is_muted=not chosen and _is_silenced(weighed, refused, lambda units: _chosen(units, given, later, floor)[0]),
    )


def _is_silenced(
    weighed: Sequence[WeighedUnit],
    refused: Sequence[LeftOut],
    chosen_of: Callable[[Sequence[WeighedUnit]], Sequence[WeighedUnit]],
) -> bool:
    """Return whether something would be given that is muted: else the mute is no reason for the silence."""
    muted = {one.id for one in refused if one.why == WHY_MUTED}
    others = {one.id for one in refused} - muted
    return bool(muted) and any(one.id in muted for one in chosen_of([one for one in weighed if one.id not in others]))


def _corrections(passages: Iterable[Passage]) -> list[DatedCorrection]:
    days = [(one.date or "", told_text(one.text)) for one in passages if corrects(one)]
    return [DatedCorrection(day, said) for day, text in days for said in corrections_in(text)]


class _Refusals(NamedTuple):
    """What keeps units from being given, whatever they say about the message."""

    message: str
    about: str  # the part of the message that was searched for
    others: OtherPeople
    provenances: Mapping[str, Provenance]
    marked: MarkedAnswers
    muted: MutedWords
    corrections: Sequence[DatedCorrection]  # that were found for the message

    def why(self, one: WeighedUnit) -> str | None:
        if why := self._why_of_owner(one.unit) or _refusal(one, self.provenances, self.about):
            return why
        is_note = one.unit.exchange is None
        return OTHER_PERSON if is_note and self.others.has(one.unit.found[0].match.passage) else None

    def is_of_owner(self, unit: Unit) -> bool:
        """Return whether the owner's words keep a unit from being given."""
        return self._why_of_owner(unit) is not None

    def _why_of_owner(self, unit: Unit) -> str | None:
        if _is_marked(unit, self.marked.places):
            return WRONG
        if self._is_told_as_correction(unit):
            return CORRECTED
        if self._is_contradicted(unit):
            return CONTRADICTED
        return WHY_MUTED if self._is_muted(unit) else None

    def _is_told_as_correction(self, unit: Unit) -> bool:
        """Return whether a message such as "wrong: the port is 8443" stands in a correction, too."""
        said = unit.exchange.said if unit.exchange and self.corrections else None
        given = feedback_in(said.text) if said is not None else None
        return given is not None and any(given.note[:_COMPARED] in one.said.note for one in self.corrections)

    def _is_contradicted(self, unit: Unit) -> bool:
        """Return whether the owner said otherwise on a later day. What was given then is muted; this was not."""
        turns = unit.exchange.turns if unit.exchange else ()
        texts = [turn.text for turn in turns if tells(turn)] or [unit.found[0].match.passage.text]
        text = "\n".join(texts)
        later = [one.said for one in self.corrections if unit.date < one.day]
        if any(says_otherwise(one.note, one.question, text) for one in later):
            return True
        # A passage of a note says other things too; an exchange is about one.
        known = [one.said.note for one in self.marked.corrections if unit.exchange and unit.date < one.day]
        # An answer such as "60 seconds." names its thing in the question alone.
        whole = "\n".join([*(turn.text for turn in turns), text])
        return any(contradicts(note, text) for note in known) or self._is_corrected_now(whole)

    def _is_corrected_now(self, text: str) -> bool:
        """Return whether the message itself says that something else is right: "wrong: the port is 8443"."""
        given = feedback_in(self.message)
        return given is not None and given.kind == "wrong" and may_contradict(given.note, text)

    def _is_muted(self, unit: Unit) -> bool:
        """Return whether a passage that was found is muted, or all that it says."""
        passages = [one.match.passage for one in unit.found]
        if unit.exchange and unit.exchange.asked:  # the question that led to it is not what it says
            passages = [passage for turn in unit.exchange.turns for passage in turn.passages]
        is_by_line = passages[0].tier in BY_LINE
        if not is_by_line and self.muted.covers(map(identifier, passages)):
            return True
        return unit.exchange is None and not self.muted.text_without(passages[0].text)


def _able(weighed: Sequence[WeighedUnit], refusals: _Refusals) -> tuple[list[WeighedUnit], list[LeftOut]]:
    """Split the units into those that may be given, and the others with a reason each."""
    reasons = [refusals.why(one) for one in weighed]
    able = [one for one, reason in zip(weighed, reasons, strict=True) if reason is None]
    return able, [LeftOut(one.id, reason) for one, reason in zip(weighed, reasons, strict=True) if reason]


def _chosen(
    able: Sequence[WeighedUnit], given: Sequence[WeighedUnit], later: LaterStatements, floor: float
) -> tuple[list[WeighedUnit], list[LeftOut]]:
    """What is given, with what was said later about it; and the others with a reason each."""
    outdated = [one for one in choose(able, floor) if later.is_outdated(one, given)]
    current = [one for one in able if one not in outdated]
    # What is much less sure than an answer whose successor the conversation holds is beside the point.
    floor = max([floor, *(SHARE * one.sure for one in outdated)])
    surest = choose(current, floor)
    chosen = later.added(surest, current) or later.of_given(given, current)
    kept = {one.unit.key for one in chosen}
    out = [LeftOut(one.id, OLDER) for one in (*outdated, *surest) if one.unit.key not in kept]
    others = [one for one in current if one not in surest and one.unit.key not in kept]
    out += [LeftOut(one.id, _less(one, current[0], floor)) for one in others]
    return chosen, out


def _newest_first(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """The findings that say something: a reader of little patience takes the first for what is true now.

    Of one day, what the owner said is right leads.
    """
    told = [one for one in findings if any(map(str.isalnum, one.item.text))]
    told.sort(
        key=lambda one: (one.item.date or "", _tells_correction(one), one.item.path, one.item.start_line),
        reverse=True,
    )
    return tuple(told)


def _tells_correction(one: Finding) -> bool:
    return one.item.tier == "daily" and any(map(is_correction, one.item.text.split("\n")))


def _topics(index: Index, about: str, information: Mapping[str, float]) -> dict[str, float]:
    """Return how much each stem says, without words that carry no topic; all, where the message has no other."""
    empty = {term.stem for term in index.terms(about) if term.word.lower() in FUNCTION_WORDS}
    return {stem: said for stem, said in information.items() if stem not in empty} or dict(information)


def _less(one: WeighedUnit, best: WeighedUnit, floor: float) -> str:
    if one.sure < floor:
        return WEAK
    return LESS if one.sure < _least(one, best) else ENOUGH


class _Query(NamedTuple):
    """A message with what a search found for it."""

    reading: MessageReading
    ranking: Ranking
    shared: frozenset[int]  # chunks of no project
    stems: Callable[[str], Collection[str]]
    project: str = ""  # its short name, in small letters

    def weighed(self, unit: Unit) -> WeighedUnit:
        best = max((one.explanation.total or 0.0 for one in self.ranking.ranked), default=0.0)
        evidence = evidence_of(unit, self.ranking.information, best)
        evidence = evidence._replace(
            answers=1.0 if self._answers(unit) else 0.0,
            shared=1.0 if unit.found[0].match.chunk in self.shared else 0.0,
            general=1.0 if self.reading.is_general else 0.0,
            project=1.0 if self._is_about_project(unit) else 0.0,
        )
        sure = sure_of(evidence) if unit.is_measured else sure_by_score(unit, evidence)
        return WeighedUnit(unit, evidence, sure)

    def _is_about_project(self, unit: Unit) -> bool:
        """Return whether a message says "this" and the unit is of the note about the project: that is meant."""
        passage = unit.found[0].match.passage
        is_asked = self.reading.kind == "question" and points_here(self.reading.about)
        return is_asked and self.project != "" and passage.title.casefold() == self.project

    def _answers(self, unit: Unit) -> bool:
        """Return whether it holds the kind of thing that is asked for: a number, a time, a person, a reason."""
        if unit.exchange is None:
            return self.answers(unit.found[0].match.passage.text)
        return any(self.answers(turn.text) for turn in unit.exchange.turns if not pastes_error(turn))

    def answers(self, text: str) -> bool:
        about = self.reading.about
        if asks_for_reason(about):
            return any(gives_reason(one.text) and self._is_about(one.text) for one in pieces(text))
        return holds_what_is_asked(text, about)

    def _is_about(self, text: str) -> bool:
        own = self.stems(text)
        return any(stem in own for stem in self.ranking.information)


def choose(able: Sequence[WeighedUnit], floor: float) -> list[WeighedUnit]:
    """The surest, and others nearly as sure."""
    sure = [one for one in able if one.sure >= floor]
    return [one for one in sure if one.sure >= _least(one, sure[0])][:MOST]


def _least(one: WeighedUnit, best: WeighedUnit) -> float:
    """How sure one must be beside the surest; what is older must be nearer to it."""
    return (OLDER_SHARE if best.unit.is_after(one.unit) else SHARE) * best.sure


def _split_held(ranked: Sequence[Ranked], parts: FreshParts) -> tuple[list[Ranked], list[Ranked]]:
    """What the conversation holds, and what it does not. A passage that was given in part may be among both."""
    held: list[Ranked] = []
    fresh: list[Ranked] = []
    for one in ranked:
        left = parts.of(one.match.passage)
        if left is None or left is not one.match.passage:
            held.append(one)
        if left is not None:
            fresh.append(_only(one, left, parts.wanted))
    return held, fresh


def _only(one: Ranked, left: Passage, wanted: WantedSentences) -> Ranked:
    """What was found, with this part of its passage alone: only its words count, and their share of the evidence."""
    passage, explanation = one.match.passage, one.explanation
    if left is passage:
        return one
    own = wanted.stems(left.text)
    counts = tuple(count for count in one.match.counts if count[0] in own or count[1] == "context")
    share = min(1.0, wanted.held(left.text) / (wanted.held(passage.text) or 1.0))

    def scaled(found: Evidence | None) -> Evidence | None:
        return found and found._replace(coverage=share * found.coverage, words=share * found.words)

    return one._replace(
        match=one.match._replace(passage=left, counts=counts),
        score=share * one.score,
        explanation=explanation._replace(own=scaled(explanation.own), evidence=scaled(explanation.evidence)),
    )


def _given_before(held: Sequence[Ranked], request: UnaskedRequest) -> list[Ranked]:
    """What the conversation was given, without what was said in it."""
    return [one for one in held if one.match.passage.path not in request.held.passages]


def _units(
    index: Index, found: Sequence[Ranked], fresh: Callable[[Passage], Passage | None] = lambda one: one
) -> list[Unit]:
    talk = {one.match.chunk: one.match.passage for one in found if one.match.passage.speaker is not None}
    exchanges = exchanges_of(index, talk, fresh) if talk else {}
    units = units_of(
        [one for one in found if one.match.passage.speaker is None or one.match.chunk in exchanges], exchanges
    )
    logged = [_topics_of(unit.exchange) for unit in units if unit.exchange]
    # The note of a session and the line of its day repeat what its log says better.
    return [unit for unit in units if not (logged and _repeats_log(unit) and not _tells_more(unit, logged))]


def _topics_of(exchange: Exchange) -> frozenset[str]:
    return topic_words("\n".join(turn.text for turn in exchange.turns))


def _repeats_log(unit: Unit) -> bool:
    """Return whether a unit is what Memoro or a person writes after a conversation. A correction is not."""
    passage = unit.found[0].match.passage
    return passage.tier in ("episodic", "daily") and not corrects(passage)


def _tells_more(unit: Unit, logged: Sequence[frozenset[str]]) -> bool:
    """Return whether a person's own line of a day has more than words that were said in one exchange."""
    passage = unit.found[0].match.passage
    if passage.tier != "daily" or any(map(_is_of_session, passage.text.split("\n"))):
        return False
    words = _said_words(unit)
    return not any(len(words & one) >= _REPEATED * len(words) for one in logged)


def _is_of_session(line: str) -> bool:
    """Return whether a line is as agents and Memoro write it: with a time, a mark, or the tag of a project."""
    return bool(_TIMED.match(line)) or MARK in line or project_of_line(line) is not None


def _repeated(units: Sequence[Unit], given: Sequence[Ranked]) -> frozenset[tuple[int, ...]]:
    """The notes of sessions and the lines of days that say in other places what the conversation was given."""
    told = [topic_words(one.match.passage.text) for one in given]
    said = [(unit, _said_words(unit)) for unit in units if told and _repeats_log(unit)]
    return frozenset(
        unit.key for unit, words in said if words and any(len(words & one) >= _REPEATED * len(words) for one in told)
    )


def _said_words(unit: Unit) -> frozenset[str]:
    """The words of a unit without dates, times and the tag of its project."""
    words = topic_words(unit.found[0].match.passage.text)
    return frozenset(word for word in words if not _STAMP.fullmatch(word))


def _over(index: Index, units: Sequence[Unit], request: UnaskedRequest) -> frozenset[tuple[int, ...]]:
    """The exchanges that begin with a statement which holds no longer, though the answer to it was found."""
    said = [(unit.key, unit.exchange.said.passages) for unit in units if unit.exchange and unit.exchange.said]
    dated = request.sources.search.with_ends(index, [passages[0] for _, passages in said])
    return frozenset(
        key for (key, passages), one in zip(said, dated, strict=True) if len(passages) == 1 and has_ended(one)
    )


def _parted(units: Sequence[Unit], over: Collection[tuple[int, ...]]) -> tuple[list[Unit], list[Unit]]:
    return [one for one in units if one.key not in over], [one for one in units if one.key in over]


def _is_marked(unit: Unit, wrong: Collection[str]) -> bool:
    """Return whether an exchange is one of those whose answers were wrong."""
    said = unit.exchange.said if unit.exchange else None
    return said is not None and f"{said.passages[0].path}:{said.line}" in wrong


def _refusal(one: WeighedUnit, provenances: Mapping[str, Provenance], message: str) -> str | None:
    if one.unit.is_older:
        return OLDER
    provenance = provenances.get(one.unit.found[0].match.passage.path)
    if provenance is not None and provenance.trust == "quarantined":
        return QUARANTINED
    passage = one.unit.found[0].match.passage
    if passage.tier == "daily" and not told_text(passage.text):
        return ONLY_MARKS
    if _only_asks(one.unit):
        return ASKS
    return ECHOES if _only_echoes(one.unit, message) else None


def _only_asks(unit: Unit) -> bool:
    """Return whether a unit tells nothing: a question without an answer, or a mere acknowledgement."""
    if unit.exchange is None:
        passage = unit.found[0].match.passage
        return only_asks(passage.text) or not _tells_more_than_heading(passage)
    return not any(tells(turn) for turn in unit.exchange.turns)


def _only_echoes(unit: Unit, message: str) -> bool:
    """Return whether an exchange tells only what the message tells itself, as where it was sent before."""
    turns = unit.exchange.turns if unit.exchange else ()
    return bool(turns) and not any(tells(turn) and tells_beyond(turn.text, message) for turn in turns)


def _tells_more_than_heading(passage: Passage) -> bool:
    return any(line.strip() and not line.startswith("#") for line in passage.text.split("\n"))
