"""Hostile answers: what malformed, hostile, truncated and contradictory answers of a language model can change.

1,000 answers from a seed: half of them judge new facts, a third chooses sentences of a conversation, a sixth chooses
among what review and tidy suggest. Nothing may change but proposals, and the lines and memories that extraction
makes; of these only what an answer in order asks for. Any other answer must leave exactly what the rules alone make.
"""

from __future__ import annotations

import random
import shutil
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks import measure
from benchmarks.answers import extraction, review
from benchmarks.answers.home import SAID, HostileCase, cases, make_home, open_home
from benchmarks.answers.hostile import HostileAnswer, Question, hostile_answer
from benchmarks.answers.oracle import ExpectedProposal, KnownFact, allowed_proposals
from memoro.curate.judging.judge import JudgedFacts, judge_facts
from memoro.errors import ProviderError
from memoro.model.proposals import ChangeMemory, EditEntry, Proposal, RetireEntry, StoreMemory
from memoro.providers.language.checked_model import CheckedModel
from memoro.providers.language.ports import LanguageModelInfo, ModelAnswer, Prompt
from memoro.providers.language.structured import read_answer
from memoro.testing import records_of
from memoro.workspace import Workspace

ANSWERS = 1000


class HostileModel:
    """A language model that answers by a seed. A value goes out as it is, whatever the schema says."""

    def __init__(self, seed: int) -> None:
        self.info = LanguageModelInfo(provider="testing", model="hostile-1")
        self._seed = seed
        self.given: list[tuple[list[dict[str, Any]], HostileAnswer]] = []

    def answer(self, prompt: Prompt) -> ModelAnswer:
        records = records_of(prompt)
        asked = _QUESTIONS[prompt.purpose](records, self._seed)
        if self.given:  # what follows is answered in order
            return ModelAnswer(value=asked.example, model="hostile-1")
        made = hostile_answer(asked, self._seed)
        if isinstance(made.answer, str):
            try:
                made = made._replace(answer=read_answer(made.answer, prompt.schema))
            except ProviderError:
                self.given.append((records, made._replace(answer=None)))
                raise
        self.given.append((records, made))
        if isinstance(made.answer, Exception):
            raise made.answer
        return ModelAnswer(value=made.answer, model="hostile-1")


class HostileRun(NamedTuple):
    """What one answer led to. `wrong` says what should not have happened."""

    kind: str
    is_used: bool
    proposals: int
    wrong: tuple[str, ...]


def run() -> None:
    """Print how many answers there were, how many were used, and every wrong change."""
    runs = campaign(ANSWERS)
    kinds = sorted({one.kind for one in runs})
    rows = [
        [
            kind,
            str(len(own := [one for one in runs if one.kind == kind])),
            str(sum(one.is_used for one in own)),
            str(sum(one.proposals for one in own)),
            str(sum(bool(one.wrong) for one in own)),
        ]
        for kind in kinds
    ]
    measure.table(["answer", "n", "used", "proposals", "wrong changes"], rows)
    wrong = Counter(sentence for one in runs for sentence in one.wrong)
    print(f"\n{len(runs)} answers, {sum(one.is_used for one in runs)} used, {sum(wrong.values())} wrong changes")
    for sentence, times in wrong.most_common(20):
        print(f"  {times} × {sentence}")


def campaign(count: int, first: int = 0) -> list[HostileRun]:
    """Give so many hostile answers, each to a home of its own."""
    with tempfile.TemporaryDirectory() as folder:
        template = Path(folder) / "template"
        template.mkdir()
        known = make_home(template)
        extraction.write_conversation(template / "logs")
        made = cases()
        by_rules = [_propose_by_rules(template, Path(folder) / f"rules{n}", case) for n, case in enumerate(made)]
        extracted = _extract_by_rules(template, Path(folder) / "extracted")
        runs = []
        for seed in range(first, first + count):
            place = Path(folder) / "run"
            shutil.copytree(template, place)
            if seed % 3 == 2:
                runs.append(_run_extraction(place, seed, extracted))
            elif seed % 6 == 4:
                runs.append(_run_review(seed))
            else:
                number = seed % len(made)
                runs.append(_run_judge(place, seed, made[number], known, by_rules[number]))
            shutil.rmtree(place)
        return runs


def _extract_by_rules(template: Path, place: Path) -> set[str]:
    shutil.copytree(template, place)
    with open_home(place) as m:
        extraction.extract(m)
    return extraction.extracted_texts(place / "vault")


def _run_extraction(place: Path, seed: int, by_rules: set[str]) -> HostileRun:
    model = HostileModel(seed)
    with open_home(place, language_model=model) as m:
        files, memories = _files(place), m.memories.all()
        notices = extraction.extract(m)
        records, answer = model.given[0]
        allowed = extraction.chosen_texts(answer.answer, records)
        found = extraction.extracted_texts(place / "vault")
        new = {path: data for path, data in _files(place).items() if SAID not in path}
        wrong = _changes(files, new)
        wrong += extraction.wrong_after(memories, m.memories.all(), m.proposals.all(None), found)
        if found != (by_rules if allowed is None else allowed):
            wrong.append(f"other facts than were chosen: {sorted(found)}")
        if allowed is None and not notices:
            wrong.append("a wrong answer was not reported")
        return HostileRun(f"{answer.kind}, extraction", allowed is not None, len(m.proposals.all()), tuple(wrong))


def _propose_by_rules(template: Path, place: Path, case: HostileCase) -> set[ExpectedProposal]:
    shutil.copytree(template, place)
    with open_home(place, case.project) as m:
        judge_facts(case.facts, m.parts.judging._replace(model=None))
        return {_as_expected(one) for one in m.proposals.all()}


def _run_review(seed: int) -> HostileRun:
    model = HostileModel(seed)
    chosen = review.choose_among(CheckedModel(model))
    answer = model.given[0][1]
    wrong = review.wrong_choice(chosen, answer.answer)
    return HostileRun(f"{answer.kind}, review", chosen.by_model, len(chosen.suggestions), tuple(wrong))


def _run_judge(
    place: Path, seed: int, case: HostileCase, known: dict[str, KnownFact], by_rules: set[ExpectedProposal]
) -> HostileRun:
    with open_home(place, case.project) as m:
        before = _everything_kept(m, place)
        model = HostileModel(seed)
        # Half of the answers pass the check of the schema first, as those of every provider do.
        asked = CheckedModel(model) if seed % 4 < 2 else model
        judged = judge_facts(case.facts, m.parts.judging._replace(model=asked))
        records, answer = model.given[0]
        allowed = allowed_proposals(answer.answer, records, known, case.project)
        proposals = m.proposals.all(None)
        wrong = [
            *_changes(before, _everything_kept(m, place)),
            *_wrong_proposals(proposals, judged, allowed, by_rules),
        ]
        return HostileRun(answer.kind, judged.by_model, len(proposals), tuple(wrong))


def _everything_kept(m: Workspace, place: Path) -> dict[str, object]:
    """The bytes of the vault, every memory with its history, and the journal."""
    lines: list[str] = []
    m.export(lines.append)
    return {"ledger": "".join(lines), "journal": [one.id for one in m.journal.log(10_000)], **_files(place)}


def _files(place: Path) -> dict[str, bytes]:
    """Every file of the vault."""
    return {path.name: path.read_bytes() for path in sorted((place / "vault").rglob("*")) if path.is_file()}


def _changes(before: Mapping[str, object], after: Mapping[str, object]) -> list[str]:
    names = sorted(before.keys() | after.keys())
    return [f"{name} changed without a person's word" for name in names if before.get(name) != after.get(name)]


def _wrong_proposals(
    proposals: Sequence[Proposal],
    judged: JudgedFacts,
    allowed: set[ExpectedProposal] | None,
    by_rules: set[ExpectedProposal],
) -> list[str]:
    found = {_as_expected(one) for one in proposals}
    wrong = [f"proposal is {one.state}" for one in proposals if one.state != "open"]
    wrong += [f"proposal comes from {one.origin}" for one in proposals if one.origin != "extraction"]
    if allowed is None:
        if judged.by_model:
            wrong.append("a wrong answer was used")
        if not any(notice.startswith("The rules judged") for notice in judged.notices):
            wrong.append("a wrong answer was not reported")
        if found != by_rules:
            wrong.append("a wrong answer led to other proposals than the rules make")
    else:
        if not judged.by_model:
            wrong.append(f"an answer in order was not used: {judged.notices}")
        if not found <= allowed:
            wrong.append(f"proposals that nobody asked for: {sorted(found - allowed)}")
        if len(judged.queued) + len(judged.withheld) != len(allowed):
            wrong.append("an answer in order was not carried out whole")
    return wrong


def _as_expected(proposal: Proposal) -> ExpectedProposal:
    text = proposal.evidence[0].quote
    match proposal.change:
        case StoreMemory(content=content, supersedes=number):
            return ExpectedProposal("supersede", f"memory:{number}", content)
        case EditEntry(id=own, text=content):
            return ExpectedProposal("supersede", own, content)
        case ChangeMemory(number=number):
            return ExpectedProposal("retire", f"memory:{number}", text)
        case RetireEntry(id=own):
            return ExpectedProposal("retire", own, text)
        case other:
            return ExpectedProposal(type(other).__name__, str(other), text)


def _question(records: list[dict[str, Any]], seed: int) -> Question:
    """An answer that is in order, to begin with."""
    rng = random.Random(f"in order {seed}")
    decisions = []
    taken: set[int] = set()
    for record in records:
        if "candidate" not in record:
            continue
        free = [number for number in record["nearest"] if number not in taken]
        step = rng.choice(("add", "keep", "supersede", "supersede", "retire", "merge")) if free else "add"
        count = {"merge": 1, "supersede": rng.randrange(1, 3), "retire": 1}.get(step, 0)
        targets = rng.sample(free, min(count, len(free)))
        taken.update(targets)
        decisions.append({"reason": "So it is.", "candidate": record["candidate"], "step": step, "targets": targets})
    numbers = [int(record["candidate"] if "candidate" in record else record["fact"]) for record in records]
    return Question("decisions", {"reason": "As asked.", "decisions": decisions}, tuple(numbers))


_QUESTIONS = {"extract": extraction.question, "judge": _question, "review": review.question}
