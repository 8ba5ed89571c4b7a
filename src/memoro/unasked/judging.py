"""Find what a message is about in what is known, and choose the little that is worth giving."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from memoro.model.function_words import FUNCTION_WORDS
from memoro.model.message_kinds import MessageReading, needs_no_memory, points_here
from memoro.model.notes import kind_of
from memoro.model.output_filter import OutputFilter
from memoro.model.projects import short_name
from memoro.model.reasons import asks_for_reason, gives_reason
from memoro.model.recall import LeftOut, Provenance, RecalledItem
from memoro.model.said_changes import says_change
from memoro.model.statements import only_asks
from memoro.model.tokens import quarters
from memoro.search.answer_kind import holds_what_is_asked
from memoro.search.rank import Ranked
from memoro.search.retrieve import identifier
from memoro.unasked.admission import Admission
from memoro.unasked.exchanges import Exchange, TurnText, exchanges_of
from memoro.unasked.finding import UnaskedRequest
from memoro.unasked.held import is_held
from memoro.unasked.judged import ENOUGH, Finding, Judged
from memoro.unasked.later import BECAME, LaterStatements
from memoro.unasked.shortening import Wanted, pieces, shortened, shortened_together
from memoro.unasked.weighing import Unit, Weighed, evidence_of, sure_by_score, sure_of, units_of

if TYPE_CHECKING:
    from memoro.model.answers import Passage
    from memoro.search.retrieve import Ranking
    from memoro.store.ports import Index

WIDE = 60  # passages that are looked at: a search that looks at fewer ranks worse
MOST = 3  # units that are given for one message
# A unit is given if it is sure enough, and at least this share of the surest.
SHARE, OLDER_SHARE = 0.75, 0.82
_FIRST_TOKENS, _OTHER_TOKENS = 120, 80  # of the text of a unit
_QUESTION_TOKENS = 24  # of the question that an answer is given with
_LONG_SAID = 70  # tokens: who says more pastes something, and the answer matters

WEAK = "not sure enough"
LESS = "much less sure than the best"
GIVEN = "already given in this conversation"
OLDER = "older than something else about the same thing"
QUARANTINED = "in quarantine"
ASKS = "only asks"


def judge(request: UnaskedRequest, reading: MessageReading) -> Judged:
    """Search for the message, weigh what was found in units, and choose."""
    admission = Admission(request.rules)
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
    held, fresh = _split_held(ranking.ranked, request)
    provenances = request.sources.items.provenances([one.match.passage.path for one in fresh])
    shared = frozenset(one.match.chunk for one in fresh if admission.is_shared(one.match.passage))
    units = _units(index, fresh)
    project = short_name(request.scope.project).casefold() if request.scope.project else ""
    query = _Query(reading=reading, ranking=ranking, shared=shared, stems=index.stems, project=project)
    weighed = sorted((query.weighed(unit) for unit in units), key=lambda one: -one.sure)
    out = [LeftOut(identifier(one.match.passage), GIVEN) for one in held]
    able: list[Weighed] = []
    for one in weighed:
        reason = _refusal(one, provenances)
        if reason:
            out.append(LeftOut(one.id, reason))
        else:
            able.append(one)
    later = LaterStatements(index, request, ranking.information)
    given = [query.weighed(unit) for unit in _units(index, _given_before(held, request))]
    current = [one for one in choose(able, request.min_score) if not later.is_outdated(one, given)]
    chosen = later.added(current, able)
    kept = {one.unit.key for one in chosen}
    out += [LeftOut(one.id, _less(one, able[0], request.min_score)) for one in able if one.unit.key not in kept]
    clean = OutputFilter(request.sources.runtime.secrets()).text
    writer = _ItemWriter(Wanted(ranking.information, index.stems, query.answers), provenances, clean)
    findings = [writer.finding(one, is_first=number == 0) for number, one in enumerate(chosen)]
    findings.sort(key=lambda one: (one.item.date or "", one.item.path, one.item.start_line), reverse=True)
    return Judged(tuple(findings), (*out, *admission.refused), looked_at=len(ranking.ranked))


def _topics(index: Index, about: str, information: Mapping[str, float]) -> dict[str, float]:
    """How much each stem says, without words that carry no topic; all, where the message has no other."""
    empty = {term.stem for term in index.terms(about) if term.word.lower() in FUNCTION_WORDS}
    return {stem: said for stem, said in information.items() if stem not in empty} or dict(information)


def _less(one: Weighed, best: Weighed, floor: float) -> str:
    if one.sure < floor:
        return WEAK
    return LESS if one.sure < SHARE * best.sure else ENOUGH


class _Query(NamedTuple):
    """A message with what a search found for it."""

    reading: MessageReading
    ranking: Ranking
    shared: frozenset[int]  # chunks of no project
    stems: Callable[[str], Collection[str]]
    project: str = ""  # its short name, in small letters

    def weighed(self, unit: Unit) -> Weighed:
        best = max((one.explanation.total or 0.0 for one in self.ranking.ranked), default=0.0)
        evidence = evidence_of(unit, self.ranking.information, best)
        evidence = evidence._replace(
            answers=1.0 if self._answers(unit) else 0.0,
            shared=1.0 if unit.found[0].match.chunk in self.shared else 0.0,
            general=1.0 if self.reading.is_general else 0.0,
            project=1.0 if self._is_about_project(unit) else 0.0,
        )
        sure = sure_of(evidence) if unit.is_measured else sure_by_score(unit, evidence)
        return Weighed(unit, evidence, sure)

    def _is_about_project(self, unit: Unit) -> bool:
        """Return whether a message says "this" and the unit is of the note about the project: that is meant."""
        passage = unit.found[0].match.passage
        is_asked = self.reading.kind == "question" and points_here(self.reading.about)
        return is_asked and self.project != "" and passage.title.casefold() == self.project

    def _answers(self, unit: Unit) -> bool:
        """Return whether it holds the kind of thing that is asked for: a number, a time, a person, a reason."""
        texts = [turn.text for turn in unit.exchange.turns] if unit.exchange else [unit.found[0].match.passage.text]
        return any(self.answers(text) for text in texts)

    def answers(self, text: str) -> bool:
        about = self.reading.about
        if asks_for_reason(about):
            return any(gives_reason(one.text) and self._is_about(one.text) for one in pieces(text))
        return holds_what_is_asked(text, about)

    def _is_about(self, text: str) -> bool:
        own = self.stems(text)
        return any(stem in own for stem in self.ranking.information)


def choose(able: Sequence[Weighed], floor: float) -> list[Weighed]:
    """The surest, and others nearly as sure; what is older than the surest must be nearer to it."""
    sure = [one for one in able if one.sure >= floor]
    if not sure:
        return []
    best = sure[0]

    def is_near(one: Weighed) -> bool:
        return one.sure >= (OLDER_SHARE if best.unit.is_after(one.unit) else SHARE) * best.sure

    return [one for one in sure if is_near(one)][:MOST]


def _split_held(ranked: Sequence[Ranked], request: UnaskedRequest) -> tuple[list[Ranked], list[Ranked]]:
    held: list[Ranked] = []
    fresh: list[Ranked] = []
    for one in ranked:
        (held if is_held(one.match.passage, request) else fresh).append(one)
    return held, fresh


def _given_before(held: Sequence[Ranked], request: UnaskedRequest) -> list[Ranked]:
    """What the conversation was given, without what was said in it."""
    return [one for one in held if one.match.passage.path not in request.held.passages]


def _units(index: Index, found: Sequence[Ranked]) -> list[Unit]:
    talk = {one.match.chunk: one.match.passage for one in found if one.match.passage.speaker is not None}
    exchanges = exchanges_of(index, talk) if talk else {}
    units = units_of(found, exchanges)
    is_logged = any(unit.exchange for unit in units)
    # The note of a session and the line of its day repeat what its log says better.
    return [unit for unit in units if not (is_logged and _repeats_log(unit))]


def _repeats_log(unit: Unit) -> bool:
    return unit.found[0].match.passage.tier in ("episodic", "daily")


def _refusal(one: Weighed, provenances: Mapping[str, Provenance]) -> str | None:
    if one.unit.is_older:
        return OLDER
    provenance = provenances.get(one.unit.found[0].match.passage.path)
    if provenance is not None and provenance.trust == "quarantined":
        return QUARANTINED
    return ASKS if _only_asks(one.unit) else None


def _only_asks(unit: Unit) -> bool:
    """Return whether a unit tells nothing: a question without an answer, or a mere acknowledgement."""
    if unit.exchange is None:
        passage = unit.found[0].match.passage
        return only_asks(passage.text) or not _tells_more_than_heading(passage)
    return not any(_tells(turn) for turn in unit.exchange.turns)


def _tells_more_than_heading(passage: Passage) -> bool:
    return any(line.strip() and not line.startswith("#") for line in passage.text.split("\n"))


def _tells(turn: TurnText) -> bool:
    return not only_asks(turn.text) and needs_no_memory(turn.text) is None


class _ItemWriter:
    """Makes items of units: the text of each is cut to what matters."""

    def __init__(self, wanted: Wanted, provenances: Mapping[str, Provenance], clean: Callable[[str], str]) -> None:
        self._clean = clean  # before a text is cut: a secret is known by its surroundings
        self._wanted = wanted
        self._provenances = provenances

    def finding(self, one: Weighed, *, is_first: bool) -> Finding:
        limit = _FIRST_TOKENS if is_first else _OTHER_TOKENS
        exchange = one.unit.exchange
        item = self._exchange(one, exchange, limit) if exchange else self._passage(one, limit)
        return Finding(item, one.sure, _why(one))

    def _exchange(self, one: Weighed, exchange: Exchange, limit: int) -> RecalledItem:
        lines = self._lines(exchange, limit, one.why)
        passages = [passage for turn in exchange.turns for passage in turn.passages]
        text = "\n".join(f"{turn.speaker}: {said}" for turn, said in lines)
        shown = [turn for turn, _ in lines]
        item = _item(one.unit.found[0], text)
        return item._replace(
            start_line=shown[0].line,
            end_line=max(turn.passages[-1].end_line for turn in shown),
            passages=tuple(map(identifier, passages)),
            score=one.sure,
        )

    def _lines(self, exchange: Exchange, limit: int, why: str) -> list[tuple[TurnText, str]]:
        """The turns that say something, each cut; before an answer stands the question that it answers."""
        telling = [turn for turn in exchange.turns if _tells(turn)]
        if len(telling) > 1 and telling[0] is exchange.said and quarters(telling[0].text) > 4 * _LONG_SAID:
            paste = (telling[0], self._cut(telling[0].text, _QUESTION_TOKENS))
            return [paste, *self._cut_together(telling[1:], limit - _QUESTION_TOKENS)]
        said = exchange.said
        if said is not None and said in telling and (self._wanted.answers(said.text) or _changes(said, why)):
            # An answer that goes on with other things adds nothing to a statement that holds what is asked for.
            telling = [turn for turn in telling if turn is said or self._wanted.share(turn.text) > 0]
        found = self._cut_together(telling, limit)
        if said is not None and found and found[0][0] is not said and needs_no_memory(said.text) is None:
            found.insert(0, (said, self._cut(said.text, _QUESTION_TOKENS)))
        return found

    def _cut_together(self, turns: Sequence[TurnText], limit: int) -> list[tuple[TurnText, str]]:
        cut = shortened_together([self._clean(turn.text) for turn in turns], limit, self._wanted)
        return [(turn, text) for turn, text in zip(turns, cut, strict=True) if text]

    def _passage(self, one: Weighed, limit: int) -> RecalledItem:
        ranked = one.unit.found[0]
        passage = ranked.match.passage
        provenance = self._provenances.get(passage.path)
        text = provenance.text if provenance is not None and provenance.text is not None else passage.text
        text = self._cut(text, limit)
        if provenance is not None and provenance.caution:
            text = f"{provenance.caution}\n{text.removeprefix(provenance.caution).lstrip()}"
        item = _item(ranked, text)
        return item._replace(trust=provenance.trust if provenance else None, score=one.sure)

    def _cut(self, text: str, limit: int) -> str:
        return shortened(self._clean(text), limit, self._wanted)


def _changes(said: TurnText, why: str) -> bool:
    """Return whether a person says a change, which an exchange was chosen for."""
    return why == BECAME and any(says_change(piece.text) for piece in pieces(said.text) if not piece.code)


def _item(ranked: Ranked, text: str) -> RecalledItem:
    passage = ranked.match.passage
    own = identifier(passage)
    return RecalledItem(
        id=own,
        kind=kind_of(passage.path),
        tier=passage.tier,
        path=passage.path,
        start_line=passage.start_line,
        end_line=passage.end_line,
        heading=passage.headings,
        date=passage.date,
        trust=None,
        score=ranked.score,
        tokens=0,
        text=text,
        passages=(own,),
        since=passage.valid_from,
        until=passage.valid_to,
    )


def _why(one: Weighed) -> str:
    evidence = one.evidence
    if one.why:
        return one.why
    if evidence.asked >= 0.6:
        return "answers nearly the same question"
    return "holds its rarest word" if evidence.held >= 0.3 else "near in meaning"
