"""Conversation logs with extraction: facts become memories, and an ideal owner accepts the proposals that are right.

`extracted` does it by rules alone. `judged` has an ideal model: it knows the truth of the year, and chooses only
among the sentences and the facts that it is shown.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from contextlib import suppress
from datetime import date
from pathlib import Path
from typing import Literal, NamedTuple

from benchmarks.year.life import Turn
from benchmarks.year.ways import Clock, Logs, Origin, moment
from memoro.curate.judge import JudgedFacts, judge_facts
from memoro.curate.judged_facts import CurrentFact, NewFact
from memoro.errors import MemoryNotFound
from memoro.model.fact_rules import candidate_sentences, facts_of
from memoro.model.facts import Fact, SpokenTurn
from memoro.model.proposals import Proposal, SupersedeMemory
from memoro.model.targets import MemoryId
from memoro.providers.language.ports import Prompt
from memoro.testing import ScriptedModel, records_of
from memoro.workspace import Workspace

Chooser = Literal["rules", "model"]
_MOST, _LONGEST = 5, 200  # as `extract.max_facts` and `extract.max_chars` are by default
_STATED = ("said", "changed", "retracted", "repeated")


class ExtractionCounts(NamedTuple):
    """What extraction and judging did in a year."""

    stated: int = 0  # statements of the person about the facts of the year
    extracted: int = 0
    right: int = 0  # of those extracted, the ones that state such a fact
    merged: int = 0
    changes: int = 0  # extracted facts that replace one which a memory holds
    named: int = 0  # of these changes, those for which the judge named the older statement
    proposed: int = 0
    accepted: int = 0


class TrueJudge:
    """A language model that knows what every text of a year states."""

    def __init__(self) -> None:
        self._origins: dict[tuple[str, str], Origin] = {}  # by the text and its day
        self.model = ScriptedModel(self._answer)

    def learn(self, text: str, day: str, origin: Origin) -> None:
        self._origins[text, day] = origin

    def _answer(self, prompt: Prompt) -> dict[str, object]:
        records = records_of(prompt)
        known = {one["fact"]: self._origin(one) for one in records if "fact" in one}
        decisions = [self._decision(one, known) for one in records if "candidate" in one]
        return {"reason": "the truth of the year", "decisions": decisions}

    def _origin(self, record: dict[str, object]) -> Origin:
        return self._origins.get((str(record["text"]), str(record.get("said"))), Origin())

    def _decision(self, record: dict[str, object], known: dict[object, Origin]) -> dict[str, object]:
        own = self._origin(record)
        nearest = record["nearest"]
        assert isinstance(nearest, list)
        same = [number for number in nearest if _is_same(known[number], own)]
        older = [number for number in nearest if _is_older(known[number], own)]
        step, targets = ("add", [])
        if older:
            step, targets = "supersede", older[:3]
        elif same:
            step, targets = "merge", same[:1]
        return {"reason": "so it is", "candidate": record["candidate"], "step": step, "targets": targets}


class ExtractedLogs(Logs):
    """Logs, the facts in them as memories of low trust, and proposals that an ideal owner decides every evening."""

    def __init__(self, folder: Path, m: Workspace, clock: Clock, chooser: Chooser) -> None:
        super().__init__(folder, m)
        self._clock, self._chooser = clock, chooser
        self._judge = TrueJudge()
        self._memories: dict[int, Origin] = {}
        self._superseded: set[int] = set()
        self.counts = ExtractionCounts()

    def feed(self, turns: Sequence[Turn]) -> int:
        texts = super().feed(turns)
        sessions: dict[tuple[date, str | None], list[Turn]] = defaultdict(list)
        for turn in turns:
            if turn.way != "hearsay":
                sessions[turn.day, turn.project].append(turn)
        for (day, project), said in sessions.items():
            self._clock.now = moment(day)
            self._extract(said, day, project)
        return texts

    def _extract(self, said: Sequence[Turn], day: date, project: str | None) -> None:
        spoken = [
            SpokenTurn(
                speaker="User" if turn.speaker == "user" else "Assistant",
                text=turn.text,
                line=line,
                date=day.isoformat(),
                is_owner=turn.speaker == "user",
            )
            for line, turn in enumerate(said, 1)
        ]
        facts = self._facts(said, spoken)
        new = [NewFact(self._located(fact, day, project), project=project) for fact in facts]
        for one in new:
            self._judge.learn(one.fact.text, day.isoformat(), _origin(said[(one.fact.evidence.line or 1) - 1]))
        judging = self._m.parts.judging
        if self._chooser == "model":
            judging = judging._replace(model=self._judge.model)
        judged = judge_facts(new, judging, lambda one: self._keep(one, said))
        self._count(said, judged)
        for proposal in self._m.proposals.all():
            self._decide(proposal)

    def _facts(self, said: Sequence[Turn], spoken: Sequence[SpokenTurn]) -> list[Fact]:
        if self._chooser == "rules":
            return facts_of(spoken, most=_MOST, longest=_LONGEST)
        best: dict[int, Fact] = {}  # of each message the sentence that says most
        for one in candidate_sentences(spoken):
            line = one.evidence.line or 1
            states = said[line - 1].way in _STATED and said[line - 1].fact is not None
            if states and len(one.text) <= _LONGEST and len(one.text) > len(best[line].text if line in best else ""):
                best[line] = Fact(one.text, one.kind, one.evidence, max(one.score, 0.5))
        return list(best.values())[:_MOST]

    def _located(self, fact: Fact, day: date, project: str | None) -> Fact:
        path = f"@logs/{day.isoformat()}-{project or 'life'}.jsonl"
        return fact._replace(evidence=fact.evidence._replace(path=path))

    def _keep(self, new: NewFact, said: Sequence[Turn]) -> int:
        stored = self._m.memories.store(
            new.fact.text, source="extraction", project=new.project, valid_from=new.day, created_at=new.day
        )
        self._memories[stored.memory.id] = _origin(said[(new.fact.evidence.line or 1) - 1])
        return stored.memory.id

    def _count(self, said: Sequence[Turn], judged: JudgedFacts) -> None:
        origins = [_origin(said[(one.new.fact.evidence.line or 1) - 1]) for one in judged.facts]
        now = self.counts
        self.counts = now._replace(
            stated=now.stated + sum(turn.way in _STATED for turn in said),
            extracted=now.extracted + len(origins),
            right=now.right + sum(one.period is not None for one in origins),
            merged=now.merged + len(judged.repeated),
            changes=now.changes + sum(map(self._replaces_any, origins)),
            named=now.named
            + sum(
                any(_is_older(self._memory_origin(target), origin) for target in one.targets)
                for one, origin in zip(judged.facts, origins, strict=True)
            ),
            proposed=now.proposed + len(judged.queued),
        )

    def _replaces_any(self, origin: Origin) -> bool:
        return any(_is_older(one, origin) for n, one in self._memories.items() if n not in self._superseded)

    def _memory_origin(self, one: CurrentFact) -> Origin:
        return self._memories[one.place.number] if isinstance(one.place, MemoryId) else Origin()

    def _decide(self, proposal: Proposal) -> None:
        """Accept what says that a later statement of a fact replaces an earlier one; reject the rest."""
        match proposal.change:
            case SupersedeMemory(old=old, new=new) if _is_older(self._memories[old], self._memories[new]):
                self._superseded.add(old)
            case _:
                self._m.proposals.reject(proposal.id)
                return
        self._m.proposals.accept(proposal.id)
        self.counts = self.counts._replace(accepted=self.counts.accepted + 1)

    def delete(self, fact: int) -> None:
        super().delete(fact)
        for number in [number for number, origin in self._memories.items() if origin.fact == fact]:
            with suppress(MemoryNotFound):  # it was forgotten with its message
                self._m.memories.remove(number, source="user")
            del self._memories[number]

    def origins(self, path: str, first: int, last: int) -> tuple[Origin, ...]:
        if path.startswith("memory:"):
            return (self._memories[int(path.removeprefix("memory:"))],)
        return super().origins(path, first, last)


def _origin(turn: Turn) -> Origin:
    asks = turn.way == "asked"
    return Origin(turn.fact, None if asks else turn.period, asks)


def _is_same(one: Origin, other: Origin) -> bool:
    return one.fact is not None and one.period is not None and one == other


def _is_older(one: Origin, other: Origin) -> bool:
    if one.fact is None or one.fact != other.fact or one.period is None or other.period is None:
        return False
    return one.period < other.period
