"""Find what a message is about in what is known, and choose the little that is worth giving."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from memoro.model.answers import Explanation, Match
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
from memoro.unasked.admission import Admission, admit
from memoro.unasked.exchanges import Exchange, TurnText, exchanges_of
from memoro.unasked.finding import UnaskedRequest
from memoro.unasked.follow_ups import FollowUp, corrections, follow_ups
from memoro.unasked.judged import ENOUGH, Finding, Judged
from memoro.unasked.shortening import Wanted, pieces, shortened, shortened_together
from memoro.unasked.weighing import Unit, Weighed, evidence_of, sure_by_score, sure_of, units_of

if TYPE_CHECKING:
    from memoro.model.answers import Passage
    from memoro.search.retrieve import Ranking
    from memoro.store.ports import Index

WIDE = 100  # passages that are looked at: a search that looks at fewer ranks worse
MOST = 3  # units that are given for one message
# A unit is given if it is sure enough, and at least this share of the surest.
SHARE = 0.75
# A newer unit is given with less, before the older one: it may be a change. It needs least if it says so.
NEWER_SHARE, NEWER_PLAIN = 0.35, 0.5
_LEAST_SURE = 0.5  # of the floor: for one that says a change of what is asked for
_LIKELY = 0.6  # of the surest of several newer ones: among those the newest is given
_RARE = 0.9  # of what the rarest word of the best says: one that says as much names what is asked for
_FOLLOWED = 1  # answers whose later fate is looked up
_FIRST_TOKENS, _OTHER_TOKENS = 120, 80  # of the text of a unit
_QUESTION_TOKENS = 24  # of the question that an answer is given with
_LONG_SAID = 70  # tokens: who says more pastes something, and the answer matters

WEAK = "not sure enough"
LESS = "much less sure than the best"
GIVEN = "already given in this conversation"
OLDER = "older than something else about the same thing"
QUARANTINED = "in quarantine"
ASKS = "only asks"
BECAME = "says what became of it"


NOT_EXPLAINED = Explanation((), (), 0)  # of what no search ranked


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
    later = _Later(index, request, ranking.information)
    chosen = later.added(choose(able, request.min_score), able)
    out += [LeftOut(one.id, _less(one, able[0], request.min_score)) for one in able if one not in chosen]
    clean = OutputFilter(request.sources.runtime.secrets()).text
    shown = _Showing(Wanted(ranking.information, index.stems, query.answers), provenances, clean)
    findings = [shown.finding(one, is_first=number == 0) for number, one in enumerate(chosen)]
    findings.sort(key=lambda one: one.item.date or "", reverse=True)
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
    """The surest, and others nearly as sure."""
    sure = [one for one in able if one.sure >= floor]
    return [one for one in sure if one.sure >= SHARE * sure[0].sure][:MOST]


class _Later:
    """Finds what was said later about the best answer: it may have changed."""

    def __init__(self, index: Index, request: UnaskedRequest, information: Mapping[str, float]) -> None:
        self._index, self._information = index, information
        self._request, self._floor = request, request.min_score

    def added(self, chosen: Sequence[Weighed], able: Sequence[Weighed]) -> list[Weighed]:
        """The chosen ones, with a later one before them. One whose values a later one calls past is dropped."""
        if not chosen:
            return []
        known = {one.unit.key for one in chosen}
        newer = [one for one in self._newer(chosen[0], able) if one.unit.key not in known]
        if newer:
            return [newer[0], *chosen]
        for one in chosen[:_FOLLOWED]:
            for later in self._fate(one):
                kept = [other for other in chosen if not (later.replaces and other is one)]
                if later.exchange.chunks in known:
                    return kept
                return [self._as_sure(later.exchange, one, able), *kept]
        return list(chosen)

    def _newer(self, best: Weighed, able: Sequence[Weighed]) -> list[Weighed]:
        """Newer units that are less sure than the best, the newest first; one that says a change may be less sure."""
        found = [
            one._replace(why=BECAME) for one in able if one.unit.is_after(best.unit) and self._may_change(one, best)
        ]
        surest = max((one.sure for one in found), default=0.0)
        likely = [one for one in found if one.sure >= _LIKELY * surest]
        return sorted(likely, key=lambda one: one.unit.moment, reverse=True)

    def _may_change(self, one: Weighed, best: Weighed) -> bool:
        """Return whether a newer unit is sure enough; one that says a change of what is asked for needs least."""
        share = one.sure / best.sure
        if one.sure >= self._floor and share >= NEWER_PLAIN:
            return True
        if one.sure >= self._floor and share >= NEWER_SHARE:
            return self._says_change(one.unit, 0.0)
        return one.sure >= _LEAST_SURE * self._floor and self._says_change(one.unit, _RARE * best.evidence.rarest)

    def _fate(self, one: Weighed) -> list[FollowUp]:
        """What was said later about what an answer says: right after it, or wherever its names occur again."""
        exchange = one.unit.exchange
        if exchange is None:
            return []
        corrected = self._given(corrections(self._index, exchange, self._request.message, self._information))
        return corrected or self._given(follow_ups(self._index, exchange, self._request.where, self._information))

    def _given(self, found: Sequence[FollowUp]) -> list[FollowUp]:
        """The first, if it may be given in this session and the model does not hold it already."""
        for one in found[:1]:
            passages = [passage for turn in one.exchange.turns for passage in turn.passages]
            admitted = admit(passages, self._request.rules, self._index)
            if all(one.passage for one in admitted) and not any(_is_held(p, self._request) for p in passages):
                return [one]
        return []

    def _says_change(self, unit: Unit, least: float) -> bool:
        """Return whether a sentence of it says a change and holds a word of the message that says enough."""
        texts = [turn.text for turn in unit.exchange.turns] if unit.exchange else [unit.found[0].match.passage.text]
        sentences = (piece.text for text in texts for piece in pieces(text) if not piece.code)
        return any(
            says_change(text) and any(self._information.get(stem, -1.0) >= least for stem in self._index.stems(text))
            for text in sentences
        )

    def _as_sure(self, exchange: Exchange, best: Weighed, weighed: Sequence[Weighed]) -> Weighed:
        known = next((one for one in weighed if one.unit.key == exchange.chunks), None)
        if known is None:
            turn = exchange.said or exchange.answers[0]
            match = Match(passage=turn.passages[0], counts=(), length=0.0, chunk=turn.chunks[0])
            known = Weighed(Unit((Ranked(match, best.sure, NOT_EXPLAINED),), exchange), best.evidence, best.sure)
        return known._replace(sure=max(known.sure, best.sure), why=BECAME)


def _split_held(ranked: Sequence[Ranked], request: UnaskedRequest) -> tuple[list[Ranked], list[Ranked]]:
    held: list[Ranked] = []
    fresh: list[Ranked] = []
    for one in ranked:
        (held if _is_held(one.match.passage, request) else fresh).append(one)
    return held, fresh


def _is_held(passage: Passage, request: UnaskedRequest) -> bool:
    """Return whether the model holds the passage, its whole file or its lines already."""
    known = request.held.passages
    return identifier(passage) in known or passage.path in known or _is_loaded(passage, request)


def _is_loaded(passage: Passage, request: UnaskedRequest) -> bool:
    """Return whether every line was loaded already, compared by text: the note may have been edited since."""
    if passage.path not in request.held.loaded:
        return False
    there = {line.strip() for text in request.held.loaded[passage.path] for line in text.split("\n")}
    return all(line.strip() in there for line in passage.text.split("\n") if line.strip())


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


class _Showing:
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
