"""Extraction: the facts that the owner stated in a conversation, as lines of the day on which they said it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import date, datetime, time, timedelta
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from memoro.config.settings import ExtractSettings
from memoro.curate.extraction.by_model import choose_facts
from memoro.curate.extraction.spoken_turns import count_of_owner, spoken_turns
from memoro.curate.judging.facts import NewFact
from memoro.curate.judging.judge import JudgedFact, Judging, judge_facts, judge_in_passing
from memoro.errors import KeyReused, MemoryRefused, ProviderError
from memoro.ledger.access import LedgerAccess, Once
from memoro.ledger.ended_facts import said_again
from memoro.memories.lifecycle import Memories
from memoro.model.derivation import made_from
from memoro.model.extracted_lines import ExtractedLine, agent_name, conversation_name, line_text
from memoro.model.fact_rules import candidate_sentences, facts_of, said_in_passing
from memoro.model.facts import ConversationTurn, Fact
from memoro.model.memories import EXTRACTION
from memoro.model.notes import Hidden
from memoro.model.origins import origin_of, short_origin
from memoro.model.privacy import message_is_private
from memoro.model.results import ExtractedResult, RepetitionResult
from memoro.model.sessions import RecordedRecall
from memoro.model.targets import MemoryId
from memoro.notes.daily import Daily
from memoro.search.sources import states_only
from memoro.sessions.encoding import decode_recall
from memoro.transcripts.ports import Turn
from memoro.vault.entries import plain
from memoro.vault.markdown import split_lines

if TYPE_CHECKING:
    from memoro.providers.language.ports import LanguageModel

RULES = "rules"
_JUST_SAID = 2  # days: what was said earlier may have been corrected in a file since
_MOST_CANDIDATES = 100  # facts of one conversation that are looked at, before the best are kept

REPEATED = "it repeats what the agent had been given"
FORGOTTEN = "you had Memoro forget it"
SECRET = "it holds a secret"
PRIVATE = "it is private"
SWITCHED_OFF = "`extract.enabled` is off"
SUBAGENT = "one agent wrote it to another"
ANOTHER = "it belongs to another project or agent"
EMPTY = "it holds no message that can be read"


class Conversation(NamedTuple):
    """A conversation from which facts are taken, and whose it is."""

    path: str  # by which a search names its log, or its own name where it has none
    turns: Sequence[Turn]
    agent: str | None = None
    project: str | None = None
    session: str | None = None
    times: Callable[[Sequence[int]], dict[int, datetime]] = lambda _lines: {}  # when lines of its log were written


class OmittedFact(NamedTuple):
    """A statement that looked like a fact, and why it is not kept."""

    text: str
    why: str


class ExtractionPlan(NamedTuple):
    """The facts of a conversation, before anything is written."""

    conversation: Conversation
    facts: tuple[Fact, ...] = ()
    known: tuple[Fact, ...] = ()  # that were extracted before; those that the owner deleted stay deleted
    omitted: tuple[OmittedFact, ...] = ()
    in_passing: tuple[Fact, ...] = ()  # what was said without being a fact to keep; an entry may have to say it
    why: str = ""  # why it brings nothing
    by: str = RULES  # or the name of the model that chose
    notices: tuple[str, ...] = ()

    @property
    def last_line(self) -> int:
        return max((turn.line for turn in self.conversation.turns), default=0)


class KeptFact(NamedTuple):
    """A fact, and where it stands now."""

    fact: Fact
    note: str  # the daily note
    line: str
    memory: int | None = None


class KeptFacts(NamedTuple):
    """The facts of a plan that were written, and what they may replace."""

    facts: tuple[KeptFact, ...] = ()
    proposals: tuple[int, ...] = ()  # that wait for the owner's word: what a fact may replace
    notices: tuple[str, ...] = ()


class ExtractionServices(NamedTuple):
    """The collaborators of extraction."""

    settings: ExtractSettings
    access: LedgerAccess
    daily: Daily
    memories: Memories
    bytes_of: Callable[[str], bytes | None]  # of a note
    model: Callable[[], LanguageModel | None]
    judging: Callable[[], Judging]  # compares facts with what is known


class FactExtraction:
    """Plans what a conversation brings, and carries it out. Done twice, it has the effect of once."""

    def __init__(self, services: ExtractionServices) -> None:
        self._services = services
        self._settings = services.settings
        self._access = services.access

    def plan(self, conversation: Conversation, *, after: int = 0) -> ExtractionPlan:
        """Return what a conversation brings, by the model where there is one, else by rules.

        `after` is the line up to which it was extracted before.
        """
        plan = ExtractionPlan(conversation)
        messages = count_of_owner(conversation.turns)
        if "subagents" in conversation.path.split("/"):
            return plan._replace(why=SUBAGENT)
        if not conversation.turns:
            return plan._replace(why=EMPTY)
        if messages < self._settings.min_user_messages:
            said = f"{messages} message{'s' if messages != 1 else ''} of yours"
            return plan._replace(
                why=f"it has {said}; `extract.min_user_messages` is {self._settings.min_user_messages}"
            )
        hidden = self._access.hidden()
        turns = spoken_turns(conversation.turns, hidden)
        new = [one for one in turns if one.line > after]
        filtering = _FactFilter(hidden=hidden, repeats=_repeating(self._given(conversation)), access=self._access)
        chosen, by, notices = self._chosen(turns, new, filtering)
        kept, omitted = filtering.parted(chosen)
        kept = _best(kept, self._settings.max_facts)
        facts = [one for one in kept if not self._is_known(conversation, one)]
        return plan._replace(
            facts=tuple(facts),
            known=tuple(one for one in kept if one not in facts),
            omitted=tuple(omitted),
            in_passing=tuple(self._in_passing(new, filtering)) if by == RULES else (),
            by=by,
            notices=notices,
        )

    def _in_passing(self, turns: Sequence[ConversationTurn], filtering: _FactFilter) -> list[Fact]:
        """What the owner said in these days, the last first; older statements may have been overtaken since."""
        found = said_in_passing(turns, self._settings.max_chars)
        recent = [one for one in reversed(found) if self._is_just_said(one)]
        return [one for one in recent if filtering.refusal(one.text) is None][:_MOST_CANDIDATES]

    def _is_just_said(self, fact: Fact) -> bool:
        since = (self._access.now() - timedelta(days=_JUST_SAID)).astimezone().date().isoformat()
        return (fact.evidence.date or "")[:10] >= since

    def carry_out(self, plan: ExtractionPlan) -> KeptFacts:
        """Write the facts of a plan: a line each in the note of the day, and with `extract.to` a memory.

        What a fact may replace is proposed. Facts that are known are done again, because a process may have died on
        the way; that adds nothing else.
        """
        facts = [*plan.facts, *plan.known]
        times = plan.conversation.times([fact.evidence.line or 0 for fact in facts]) if facts else {}
        lines = [self._add_line(plan.conversation, fact, times.get(fact.evidence.line or 0)) for fact in facts]
        written = [one for one in lines if one is not None and self._stands(one)]  # else its owner has deleted it
        made = self._judged(plan.conversation, written)
        passing = self._judged_in_passing(plan)
        if not plan.why:
            self._note_progress(plan)
        return made._replace(
            facts=tuple(one for one in made.facts if one.fact in plan.facts), proposals=(*made.proposals, *passing)
        )

    def _judged_in_passing(self, plan: ExtractionPlan) -> tuple[int, ...]:
        """Propose what entries should say by what was said in passing; return the numbers of the proposals."""
        said = [one for one in plan.in_passing if not self._access.done(_judged_once(plan.conversation, one))]
        if not said:
            return ()
        new = {one: self._new(plan.conversation, one)._replace(in_passing=True) for one in said}
        offered = judge_in_passing(list(new.values()), self._services.judging())
        told = {evidence for one in offered.queued for evidence in one.proposal.evidence}
        told |= {evidence for one in offered.withheld for evidence in one.suggestion.evidence}
        for one in said:
            if new[one].fact.evidence in told:
                self._access.once(_judged_once(plan.conversation, one), lambda _tx: ExtractedResult(0))
        return tuple(one.proposal.id for one in offered.queued if one.new)

    def _new(self, conversation: Conversation, fact: Fact) -> NewFact:
        return NewFact(
            fact=_placed(fact, conversation.path),
            agent=conversation.agent,
            project=conversation.project,
            session=conversation.session,
            is_just_said=self._is_just_said(fact),
        )

    def _judged(self, conversation: Conversation, written: Sequence[KeptFact]) -> KeptFacts:
        """Compare facts with what is known, store those that are to be memories, and propose what they replace."""
        memories: dict[Fact, int | None] = {}

        def keep(new: NewFact) -> int | None:
            is_stored = self._settings.to == "memories"
            memories[new.fact] = self._store(conversation, new.fact) if is_stored else None
            return memories[new.fact]

        waiting = [one for one in written if not self._access.done(_judged_once(conversation, one.fact))]
        if not waiting:
            return KeptFacts(tuple(written))
        new = [self._new(conversation, one.fact) for one in waiting]
        judged = judge_facts(new, self._services.judging(), keep)
        for one in waiting:
            self._access.once(_judged_once(conversation, one.fact), lambda _tx: ExtractedResult(0))
        self._note_repetitions(conversation, judged.repeated)
        placed = {_placed(one.fact, conversation.path): one for one in waiting}
        stored = {placed[fact].fact: number for fact, number in memories.items()}
        return KeptFacts(
            facts=tuple(one._replace(memory=stored.get(one.fact)) for one in written),
            proposals=tuple(one.proposal.id for one in judged.queued if one.new),
            notices=judged.notices,
        )

    def _note_repetitions(self, conversation: Conversation, repeated: Sequence[JudgedFact]) -> None:
        """Keep of which memory a message says again what it holds, if it states nothing else: both end together."""
        texts = {turn.line: turn.text for turn in conversation.turns}
        for one in repeated:
            line, place = one.new.fact.evidence.line or 0, one.targets[0].place
            if isinstance(place, MemoryId) and states_only(texts.get(line, ""), [one.new.fact.text]):
                same = RepetitionResult(place.number)
                for origin in {origin_of(conversation.path, line), short_origin(conversation.path, line)}:
                    self._access.write(partial(self._access.keep, once=said_again(origin), result=same))

    def has_model(self) -> bool:
        return self._services.model() is not None

    def reached(self, path: str) -> int | None:
        """Return the line up to which a conversation was extracted; None: it never was."""
        done = self._access.done(_progress(path))
        return done.line if done else None

    def _chosen(
        self, turns: Sequence[ConversationTurn], new: Sequence[ConversationTurn], filtering: _FactFilter
    ) -> tuple[list[Fact], str, tuple[str, ...]]:
        """Return the facts of the new turns, who chose them, and what went wrong."""
        notices: tuple[str, ...] = ()
        lines = {one.line for one in new if one.is_owner}
        longest = self._settings.max_chars
        model = self._services.model() if lines else None
        if model is not None:
            sentences = [one for one in candidate_sentences(turns) if one.evidence.line in lines]
            sentences = [one for one in sentences if len(one.text) <= longest]
            sentences = [one for one in sentences if filtering.refusal(one.text) is None]
            if not sentences:
                model = None  # there is nothing to ask, and the rules say why
        if model is not None:
            try:
                return choose_facts(model, sentences, self._settings.max_facts), model.info.model, ()
            except ProviderError as error:
                notices = (f"The rules chose, because {model.info.model} could not: {error}",)
        found = facts_of(turns, most=_MOST_CANDIDATES, longest=longest)
        return [one for one in found if one.evidence.line in lines], RULES, notices

    def _given(self, conversation: Conversation) -> list[_GivenTexts]:
        """Return what a conversation was given by Memoro, in order: it may come back without its marks."""
        with self._access.ledger.reading() as tx:
            records = [one.id for one in tx.sessions.all(archived=True) if _is_of(one.id, conversation)]
            recalls = [decode_recall(tx, row) for id in records for row in tx.sessions.recalls(id)]
        return [_given_texts(one, conversation) for one in sorted(recalls, key=lambda one: one.number)]

    def _is_known(self, conversation: Conversation, fact: Fact) -> bool:
        return self._access.change_of(_key(conversation, fact)) is not None

    def _add_line(self, conversation: Conversation, fact: Fact, at: datetime | None) -> KeptFact | None:
        said = ExtractedLine(
            text=plain(fact.text),
            kind=fact.kind,
            agent=agent_name(conversation.path),
            conversation=conversation_name(conversation.path),
            line=fact.evidence.line or 0,
        )
        try:
            added = self._services.daily.add(
                line_text(said),
                by=EXTRACTION,
                at=at or _noon(fact.evidence.date),
                key=_key(conversation, fact),
                project=conversation.project,
            )
        except KeyReused:  # it was written before, from another copy of the log
            return None
        return KeptFact(fact=fact, note=added.path, line=added.line)

    def _stands(self, one: KeptFact) -> bool:
        text = (self._services.bytes_of(one.note) or b"").decode("utf-8", "replace")
        return one.line in split_lines(text)

    def _store(self, conversation: Conversation, fact: Fact) -> int | None:
        with suppress(MemoryRefused, KeyReused):
            stored = self._services.memories.store(
                fact.text,
                source=EXTRACTION,
                session=conversation.session,
                agent=conversation.agent,
                project=conversation.project,
                valid_from=fact.evidence.date,
                origin=origin_of(conversation.path, fact.evidence.line or 0),
                key=f"{_key(conversation, fact)}:memory",
            )
            return stored.memory.id
        return None

    def _note_progress(self, plan: ExtractionPlan) -> None:
        once = _progress(plan.conversation.path)
        self._access.write(lambda tx: self._access.keep(tx, once, ExtractedResult(plan.last_line)))


class _GivenTexts(NamedTuple):
    """What was given at once."""

    message: str  # that it answered; empty: the session began with it
    texts: tuple[str, ...]


def _given_texts(recall: RecordedRecall, conversation: Conversation) -> _GivenTexts:
    texts = tuple(one.item.text for one in recall.given if one.item.text and one.item.path != conversation.path)
    return _GivenTexts("" if recall.unasked else " ".join(_words(recall.recalled.message)), texts)


def _repeating(given: Sequence[_GivenTexts]) -> Callable[[str], bool]:
    """Return a test whether a statement repeats what had been given before it was typed.

    What was given for the very message, or later, cannot have been its source: who says the same on several days is
    given their own words each time, and says it again all the same.
    """
    is_given = made_from([text for one in given for text in one.texts])

    def repeats(text: str) -> bool:
        if not is_given(text):
            return False
        said = " ".join(_words(text))
        typed = next((place for place, one in enumerate(given) if said in one.message), None)
        return typed is None or made_from([text for one in given[:typed] for text in one.texts])(text)

    return repeats


class _FactFilter(NamedTuple):
    """The rules for facts that may not be kept, whoever chose them."""

    hidden: Hidden
    repeats: Callable[[str], bool]
    access: LedgerAccess

    def refusal(self, text: str) -> str | None:
        """Return why a text is not kept; None where it may be."""
        if message_is_private(text):
            return PRIVATE
        if self.access.clean_replacing(text).redacted or "[redacted:" in text:
            return SECRET
        if self.hidden.holds(text) or self.hidden.holds(plain(text)):
            return FORGOTTEN
        return REPEATED if self.repeats(text) else None

    def parted(self, facts: Sequence[Fact]) -> tuple[list[Fact], list[OmittedFact]]:
        """Return the facts that may be kept, each once, and the others."""
        kept: dict[tuple[str, ...], Fact] = {}
        omitted: list[OmittedFact] = []
        for fact in facts:
            why = self.refusal(fact.text)
            if why is None:
                kept.setdefault(_words(fact.text), fact)
            else:  # the text of a secret or of something private is not shown either
                omitted.append(OmittedFact("" if why in (SECRET, PRIVATE, FORGOTTEN) else fact.text, why))
        return list(kept.values()), omitted


def _best(facts: Sequence[Fact], most: int) -> list[Fact]:
    """Return the surest facts, in the order in which they were said."""
    best = sorted(range(len(facts)), key=lambda at: (-facts[at].score, at))[:most]
    return sorted((facts[at] for at in best), key=lambda fact: fact.evidence.line or 0)


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.casefold().split())


def _is_of(record: str, conversation: Conversation) -> bool:
    """Return whether a record of what was given is of this conversation: each compaction begins another."""
    id = record.rpartition(" (")[0] if record.endswith(")") and " (" in record else record
    return id == conversation.session or (len(id) >= 8 and id in conversation.path)


def _key(conversation: Conversation, fact: Fact) -> str:
    """Return a key for the statement: the same in every copy of its message, and however often the log is read."""
    turn = next((one for one in conversation.turns if one.line == fact.evidence.line), None)
    name = (turn.id if turn else None) or f"{agent_name(conversation.path)}:{conversation_name(conversation.path)}"
    said = hashlib.sha256(" ".join(_words(fact.text)).encode("utf-8", "replace")).hexdigest()[:16]
    return f"memoro:extracted:{name}:{said}"


def _judged_once(conversation: Conversation, fact: Fact) -> Once[ExtractedResult]:
    """Return what tells that a fact was compared with what is known: that is done once."""
    return Once(f"{_key(conversation, fact)}:judged", ("judged",), ExtractedResult)


def _placed(fact: Fact, path: str) -> Fact:
    """Return the fact with the log in its evidence."""
    return fact._replace(evidence=fact.evidence._replace(path=path))


def _progress(path: str) -> Once[ExtractedResult]:
    return Once(f"memoro:extraction:{path}", ("extraction",), ExtractedResult)


def _noon(day: str | None) -> datetime | None:
    return datetime.combine(date.fromisoformat(day), time(12)).astimezone() if day else None
