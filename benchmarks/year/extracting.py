"""Conversation logs with extraction: facts become memories, and an ideal owner accepts the proposals that are right.

`extracted` does it by rules alone. `judged` has an ideal model, which knows the truth of the year and chooses only
among the sentences and the facts that it is shown. `extract.to` is "memories", and short conversations count.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from contextlib import suppress
from datetime import date
from pathlib import Path
from typing import NamedTuple

from benchmarks.year.life import Turn
from benchmarks.year.ways import Clock, Logs, Origin, moment
from memoro.curate.extraction.runs import ExtractionRequest
from memoro.errors import MemoryNotFound
from memoro.model.extracted_lines import ExtractedLine, conversation_name, parse_line
from memoro.model.proposals import Proposal, SupersedeMemory
from memoro.providers.language.ports import Prompt
from memoro.testing import ScriptedModel, records_of
from memoro.workspace import Workspace

SETTINGS = '[extract]\nto = "memories"\nmin_user_messages = 1\n'
_STATED = ("said", "changed", "retracted", "repeated")
_MOST = 5  # facts of a conversation, as `extract.max_facts` is by default
_Record = dict[str, object]


class ExtractionCounts(NamedTuple):
    """What extraction and judging did in a year."""

    stated: int = 0  # statements of the person about the facts of the year
    extracted: int = 0
    right: int = 0  # of those extracted, the ones that state such a fact
    stored: int = 0  # the others were known already
    changes: int = 0  # stored facts that replace one which a memory holds
    named: int = 0  # of these changes, those for which the older statement was rightly named
    proposed: int = 0
    accepted: int = 0


class TrueModel:
    """A language model that knows what everybody said, and what was meant."""

    def __init__(self) -> None:
        self._said: dict[str, list[Turn]] = defaultdict(list)  # by day
        self.model = ScriptedModel(self._answer)

    def learn(self, turns: Sequence[Turn]) -> None:
        for turn in turns:
            self._said[turn.day.isoformat()].append(turn)

    def meant(self, text: object, day: object) -> Origin:
        """What a sentence of that day states."""
        found = [turn for turn in self._said[str(day)] if turn.speaker == "user" and str(text) in turn.text]
        return _origin(found[0]) if found else Origin()

    def _answer(self, prompt: Prompt) -> _Record:
        records = records_of(prompt)
        return self._chosen(records) if prompt.purpose == "extract" else self._judged(records)

    def _chosen(self, records: Sequence[_Record]) -> _Record:
        """Of each message that states a fact, the longest sentence."""
        best: dict[str, _Record] = {}
        for record in records:
            said = str(record["said"])
            turn = next((one for one in self._said[str(record["day"])] if said in one.text), None)
            if turn and turn.way in _STATED and len(said) > len(str(best.get(turn.text, {}).get("said", ""))):
                best[turn.text] = record
        facts = [{"number": record["number"], "kind": "fact"} for record in best.values()]
        return {"reason": "the truth of the year", "facts": facts[:_MOST]}

    def _judged(self, records: Sequence[_Record]) -> _Record:
        known = {one["fact"]: self.meant(one["text"], one.get("said")) for one in records if "fact" in one}
        decisions = [self._decision(one, known) for one in records if "candidate" in one]
        return {"reason": "the truth of the year", "decisions": decisions}

    def _decision(self, record: _Record, known: dict[object, Origin]) -> _Record:
        own, nearest = self.meant(record["text"], record.get("said")), record["nearest"]
        assert isinstance(nearest, list)
        older = [number for number in nearest if _is_older(known[number], own)]
        same = [number for number in nearest if own.period is not None and known[number] == own]
        step, targets = ("supersede", older[:3]) if older else ("merge", same[:1]) if same else ("add", [])
        return {"reason": "So it is.", "candidate": record["candidate"], "step": step, "targets": targets}


class ExtractedLogs(Logs):
    """Logs, the facts in them as memories of low trust, and proposals that an ideal owner decides every evening."""

    def __init__(self, place: Path, m: Workspace, clock: Clock, truth: TrueModel) -> None:
        super().__init__(place / "logs", m)
        self._vault, self._clock, self._truth = place / "vault", clock, truth
        self._paths: dict[str, str] = {}  # of logs, by the name that an extracted line has for each
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
            self._truth.learn(said)
            self._extract(said, f"@logs/{day.isoformat()}-{project or 'life'}.jsonl")
            for proposal in self._m.proposals.all():
                self._decide(proposal)
        return texts

    def _extract(self, said: Sequence[Turn], path: str) -> None:
        self._paths[conversation_name(path)] = path
        run = self._m.extraction.run(ExtractionRequest(logs=(path,)))
        if not run.conversations:  # the person said nothing in it
            return
        (found,) = run.conversations
        about = {one.fact: _origin(said[(one.fact.evidence.line or 1) - 1]) for one in found.kept}
        new = {one.memory: about[one.fact] for one in found.kept if one.memory is not None}
        now = self.counts
        self.counts = now._replace(
            stated=now.stated + sum(turn.way in _STATED for turn in said),
            extracted=now.extracted + len(about),
            right=now.right + sum(one.period is not None for one in about.values()),
            stored=now.stored + len(new),
            changes=now.changes + sum(map(self._replaces_any, new.values())),
            proposed=now.proposed + len(found.proposals),
        )
        self._memories |= new
        right = [one.change for one in self._m.proposals.all() if self._is_right(one)]
        named = {change.new for change in right if isinstance(change, SupersedeMemory)}
        self.counts = self.counts._replace(named=self.counts.named + len(named))

    def _replaces_any(self, origin: Origin) -> bool:
        return any(_is_older(one, origin) for n, one in self._memories.items() if n not in self._superseded)

    def _is_right(self, proposal: Proposal) -> bool:
        match proposal.change:
            case SupersedeMemory(old=old, new=new):
                return _is_older(self._memories[old], self._memories[new])
            case _:
                return False

    def _decide(self, proposal: Proposal) -> None:
        """Accept what says that a later statement of a fact replaces an earlier one; reject the rest."""
        if not self._is_right(proposal):
            self._m.proposals.reject(proposal.id)
            return
        assert isinstance(proposal.change, SupersedeMemory)
        self._m.proposals.accept(proposal.id)
        self._superseded.add(proposal.change.old)
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
        if path.startswith("@logs/"):
            return super().origins(path, first, last)
        lines = (self._vault / path).read_text(encoding="utf-8").split("\n")[first - 1 : last]
        return tuple(origin for line in map(parse_line, lines) if line for origin in self._stated_at(line))

    def _stated_at(self, line: ExtractedLine) -> tuple[Origin, ...]:
        return super().origins(self._paths[line.conversation], line.line, line.line)


def _origin(turn: Turn) -> Origin:
    asks = turn.way == "asked"
    return Origin(turn.fact, None if asks else turn.period, asks)


def _is_older(one: Origin, other: Origin) -> bool:
    if one.fact is None or one.fact != other.fact or one.period is None or other.period is None:
        return False
    return one.period < other.period
