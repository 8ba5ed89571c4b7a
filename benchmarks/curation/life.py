"""A year under curation: sessions are logged and extracted, questions asked, and a round made every week.

The person writes entries by hand too, as people do: half of the facts about themselves, a fourth of the others, and
half of the rules; some into the wrong file, some twice. A changed fact is corrected by hand only now and then.
"""

from __future__ import annotations

import json
import random
from collections import Counter, defaultdict
from contextlib import suppress
from datetime import date, timedelta
from pathlib import Path
from typing import NamedTuple

from benchmarks.curation.owner import IdealOwner, short
from benchmarks.curation.truth import Truth
from benchmarks.year.life import DAYS, FIRST, Fact, Turn, called, fill, phrases_of
from benchmarks.year.probes import Year
from benchmarks.year.ways import Clock, moment
from benchmarks.year.words import Words
from memoro.curate.extraction.runs import ExtractionRequest
from memoro.errors import MemoroError
from memoro.model.proposals import EditEntry, Proposal
from memoro.workspace import Workspace

WEEK = 7
_HOME = Path.home()
_OWN_ENTRY = 0.5  # facts about the person, and rules, that they write down themselves
_OTHER_ENTRY = 0.25  # facts about projects and other people
_WRONG_FILE = 0.2  # rules that land in the file of facts
_TWICE = 0.1  # repetitions that they write down, though they have
_CORRECTED = 0.3  # changed facts that they correct by hand
_QUESTIONS = 14  # a week
_HOT = 12  # facts that are asked for again and again; half of the questions are about these
_SAID_AS_FEEDBACK = 0.5  # rules that the person gives as feedback, twice


class DecidedProposal(NamedTuple):
    """A proposal, and what the owner made of it."""

    week: int
    proposal: Proposal
    is_accepted: bool
    refused: str = ""  # why accepting it failed


class WeekEnd(NamedTuple):
    """The always-loaded files at the end of a week, after the owner's decisions."""

    week: int
    lines: int
    junk: tuple[str, ...]  # lines that state nothing that lasts
    outdated: int  # lines of which something newer is known
    tokens: int  # of the file of facts
    made: int  # proposals of the week


class CuratedYear:
    def __init__(self, folder: Path, m: Workspace, clock: Clock, year: Year, words: Words) -> None:
        self._logs, self._m, self._clock, self._year, self._words = folder, m, clock, year, words
        self._rng = random.Random("curated")
        self.truth = Truth(year)
        settings = m.settings.curate
        budgets = {"semantic": settings.memory_tokens, "procedural": settings.rules_tokens}
        self.owner = IdealOwner(m, self.truth, budgets)  # type: ignore[arg-type]
        self._hot = self._rng.sample(year.facts, _HOT)
        self._written: dict[int, str] = {}  # fact → the entry that the person wrote
        self.decided: list[DecidedProposal] = []
        self.weeks: list[WeekEnd] = []
        self.extracted = 0
        self.withheld: Counter[str] = Counter()

    def live(self) -> None:
        for week in range(DAYS // WEEK):
            first = FIRST + timedelta(days=week * WEEK)
            for number in range(WEEK):
                self._day(first + timedelta(days=number))
            self._ask(first + timedelta(days=WEEK - 1), week)
            self._round(first + timedelta(days=WEEK - 1), week)

    def _day(self, day: date) -> None:
        self._clock.now = moment(day)
        turns = [turn for turn in self._year.turns if turn.day == day]
        for turn in turns:
            self._write_by_hand(turn)
        sessions: dict[str | None, list[Turn]] = defaultdict(list)
        for turn in turns:
            sessions[turn.project].append(turn)
        for project, said in sessions.items():
            self._session(day, project, said)

    def _session(self, day: date, project: str | None, said: list[Turn]) -> None:
        name = f"{day.isoformat()}-{project or 'life'}"
        path = self._logs / f"{name}.jsonl"
        path.write_text("".join(json.dumps(_record(turn, name, n)) + "\n" for n, turn in enumerate(said, 1)))
        run = self._m.extraction.run(ExtractionRequest(logs=(str(path),)))
        for conversation in run.conversations:
            for kept in conversation.kept:
                self.extracted += 1
                line = kept.fact.evidence.line or 1
                self.truth.learn(kept.fact.text, said[line - 1])
            for proposal in self._m.proposals.all() if conversation.proposals else ():
                if proposal.id in conversation.proposals:
                    self._learn_proposed(proposal, said)

    def _learn_proposed(self, proposal: Proposal, said: list[Turn]) -> None:
        """Note what an entry would say: it may be a sentence that was not kept as a fact."""
        for evidence in proposal.evidence:
            if isinstance(proposal.change, EditEntry) and evidence.line:
                turn = said[evidence.line - 1]
                self.truth.learn(proposal.change.text.removeprefix(f"{turn.project}: "), turn)

    def _write_by_hand(self, turn: Turn) -> None:
        rng, text = self._rng, turn.fact_text or turn.text
        if turn.way == "rule":
            if rng.random() < _SAID_AS_FEEDBACK:
                self._give_feedback(turn)
            elif rng.random() < _OWN_ENTRY:
                self._remember(text, turn, is_rule=rng.random() >= _WRONG_FILE)
        elif turn.fact is not None and turn.period is not None:
            self._write_fact(turn, text)

    def _write_fact(self, turn: Turn, text: str) -> None:
        rng, fact = self._rng, turn.fact or 0
        share = _OWN_ENTRY if self._year.facts[fact].subject == "I" else _OTHER_ENTRY
        match turn.way:
            case "said" if rng.random() < share:
                self._remember(text, turn, is_rule=False)
            case "repeated" if fact in self._written and rng.random() < _TWICE:
                self._remember(text, turn, is_rule=False)
            case "changed" if fact in self._written and rng.random() < _CORRECTED:
                with suppress(MemoroError):  # a proposal that they accepted has replaced it
                    self._m.entries.edit(self._written[fact], text)
                    self.truth.learn(text, turn)

    def _remember(self, text: str, turn: Turn, *, is_rule: bool) -> None:
        made = self._m.remember(text, tier="procedural" if is_rule else "semantic")
        self.truth.learn(made.text, turn)
        if turn.fact is not None and made.id:
            self._written[turn.fact] = made.id

    def _give_feedback(self, turn: Turn) -> None:
        """The person says twice, after answers, what an agent shall do."""
        for number in range(2):
            session = f"feedback {turn.day} {number}"
            self._m.recall("Please do it as usual.", session=session)
            with suppress(MemoroError):
                self._m.feedback.wrong(turn.text, session=session)
        self.truth.learn(turn.text, turn)

    def _ask(self, day: date, week: int) -> None:
        """Ask about facts; what answers rightly is reinforced in its session, what answers wrongly demoted."""
        known = [fact for fact in self._year.facts if fact.period_at(day) is not None]
        hot = [fact for fact in self._hot if fact in known]
        for number in range(_QUESTIONS):
            fact = self._rng.choice(hot if hot and number % 2 else known)
            period = fact.period_at(day)
            if period is not None and fact.values[period][1] is not None and not fact.deleted:
                self._ask_about(fact, period, f"week {week} question {number}")

    def _ask_about(self, fact: Fact, period: int, session: str) -> None:
        question = fill(
            self._rng.choice(phrases_of(fact, self._rng).ask), fact, period, called(fact, self._words, self._rng)
        )
        given = self._m.recall(question, session=session)
        for item in given.items:
            if item.kind != "memory":
                continue
            number = int(item.path.removeprefix("memory:"))
            memory = self._m.memories.get(number, scope="all")
            stated = self.truth.of(memory.content, short(memory.project))
            if (stated.fact, stated.period) == (fact.number, period):
                self._m.memories.reinforce(number, session=session)
            elif stated.fact == fact.number:
                self._m.memories.demote(number, session=session)

    def _round(self, day: date, week: int) -> None:
        report = self._m.curation.run()
        self.withheld.update(one.reason for one in report.offered.withheld)
        waiting = self._m.proposals.all()
        for proposal in waiting:
            self.decided.append(self._decide(proposal, day, week))
        lines = self.owner.lines()
        facts = [line for line in lines if line.stated.fact is not None]
        self.weeks.append(
            WeekEnd(
                week=week,
                lines=len(lines),
                junk=tuple(line.text for line in lines if line.stated.is_junk),
                outdated=sum(not self.truth.holds(line.stated, day) for line in facts),
                tokens=self.owner.size("semantic"),
                made=len(waiting),
            )
        )

    def _decide(self, proposal: Proposal, day: date, week: int) -> DecidedProposal:
        decided = DecidedProposal(week=week, proposal=proposal, is_accepted=self.owner.accepts(proposal, day))
        if not decided.is_accepted:
            self._m.proposals.reject(proposal.id)
            return decided
        try:
            self._m.proposals.accept(proposal.id)
        except MemoroError as error:
            return decided._replace(refused=str(error))
        return decided


def _record(turn: Turn, name: str, number: int) -> dict[str, object]:
    return {
        "type": turn.speaker,
        "uuid": f"{name}-{number}",
        "sessionId": name,
        "timestamp": f"{turn.day.isoformat()}T{9 + number // 60:02}:{number % 60:02}:00.000Z",
        "cwd": str(_HOME / "src" / turn.project if turn.project else _HOME),  # nobody's home is a project
        "message": {"role": turn.speaker, "content": turn.text},
    }
