"""Standing rules and preferences that a task touches, from notes, memories and conversations alike."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, NamedTuple

from memoro.model.code_languages import languages_in
from memoro.model.current_rules import DatedRule, current
from memoro.model.memories import UNTRUSTED
from memoro.model.notes import kind_of
from memoro.model.output_filter import OutputFilter
from memoro.model.recall import Provenance, RecalledItem
from memoro.model.rule_lines import RuleLine, RulePlace, is_of_rules, rule_lines, settled_lines
from memoro.model.rule_matching import TouchedRule, languages_of, needs_languages, touched
from memoro.model.vocabulary import LEDGER_KINDS
from memoro.recall import fence
from memoro.search.retrieve import identifier, usable
from memoro.search.sources import has_ended
from memoro.unasked.admission import Admission
from memoro.unasked.judged import Finding

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memoro.model.answers import Match, Passage, Where
    from memoro.model.sessions import HeldContext
    from memoro.store.ports import Index
    from memoro.unasked.finding import UnaskedRequest

MOST = 3  # rules for one task
_MOST_PASSAGES = 400  # that are read: the newest of a project with more rules
_RECENT = 80  # passages of conversations that tell the languages of a project


class _Rule(NamedTuple):
    """A rule with the passage that states it."""

    line: RuleLine
    passage: Passage
    provenance: Provenance | None = None

    @property
    def day(self) -> str:
        return self.passage.date or self.passage.written or ""


def rules_for(request: UnaskedRequest) -> list[Finding]:
    """The rules that hold for a task of this project, the surest first; none for a task that touches none."""
    where = request.where._replace(rules=True, shared=True)
    admits = Admission(request.rules)
    search = request.sources.search

    def standing(index: Index) -> list[Match]:
        found = usable(index, _rule_passages(index, where), admits)
        dated = search.with_ends(index, [one.passage for one in found])
        return [one for one, passage in zip(found, dated, strict=True) if not has_ended(passage)]

    matches = search.read(standing)
    rules = _believed(request, [one for one in matches if _may_rule(one.passage, admits)])
    lines = [rule.line for rule in rules]
    languages = _project_languages(request, rules) if needs_languages(request.message, lines) else frozenset()
    found = touched(request.message, lines, languages)
    dated = [DatedRule(rule.line, rule.day, rule.passage.speaker is not None) for rule in rules]
    holding = set(current(dated, [one.number for one in found]))
    fresh = [one for one in found if one.number in holding and not _is_held(rules[one.number], request.held)]
    clean = OutputFilter(request.sources.runtime.secrets())
    return [_finding(rules[one.number], one, clean) for one in fresh[:MOST]]


def _project_languages(request: UnaskedRequest, rules: Sequence[_Rule]) -> frozenset[str]:
    """The languages of a project, by the rules that were said in it and by what its conversations name."""
    where = request.where._replace(kinds=("transcript",))
    said = languages_of(rule.line for rule in rules if rule.passage.speaker is not None)
    return said | request.sources.search.read(lambda index: _languages(index, where))


def _may_rule(passage: Passage, admits: Admission) -> bool:
    """Return whether a passage may rule here. A note of no project may if it is there to rule, no stray line else.

    The note of a session and the line of a day repeat a rule that the conversation itself states better.
    """
    if passage.tier in ("episodic", "daily"):
        return False
    return kind_of(passage.path) != "note" or not admits.is_shared(passage) or is_of_rules(_place(passage))


def _rule_passages(index: Index, where: Where) -> list[Match]:
    chunks = index.admitted(where) or []
    return index.look_up(chunks[-_MOST_PASSAGES:], [])


def _languages(index: Index, where: Where) -> frozenset[str]:
    chunks = index.admitted(where) or []
    return languages_in(match.passage.text for match in index.look_up(chunks[-_RECENT:], []))


def _believed(request: UnaskedRequest, matches: Sequence[Match]) -> list[_Rule]:
    """The rules of these passages but for superseded ones, and those that came from a tool or the web."""
    passages = [match.passage for match in matches if match.passage.superseded_by is None]
    kept = [passage.path for passage in passages if kind_of(passage.path) in LEDGER_KINDS]
    provenances = request.sources.items.provenances(kept) if kept else {}
    return [
        _Rule(line, passage, provenance)
        for passage in passages
        for provenance in [provenances.get(passage.path)]
        if provenance is None or provenance.trust not in UNTRUSTED
        for line in _lines(passage)
    ]


def _place(passage: Passage) -> RulePlace:
    return RulePlace(
        path=passage.path,
        tier=passage.tier,
        title=passage.title,
        headings=passage.headings,
        speaker=passage.speaker,
    )


def _lines(passage: Passage) -> tuple[RuleLine, ...]:
    found = rule_lines(passage.text, _place(passage))
    return found or (settled_lines(passage.text, passage.speaker) if passage.speaker else ())


def _is_held(rule: _Rule, held: HeldContext) -> bool:
    """Return whether the conversation has the rule already: its passage, or its line of a note."""
    path, id = rule.passage.path, identifier(rule.passage)
    if path in held.passages or (id in held.passages and id not in held.parts):
        return True
    return any(
        rule.line.text in " ".join(text.split()) for text in (*held.loaded.get(path, ()), *held.parts.get(id, ()))
    )


def _finding(rule: _Rule, touch: TouchedRule, clean: OutputFilter) -> Finding:
    passage, provenance = rule.passage, rule.provenance
    caution = f"{provenance.caution} " if provenance and provenance.caution else ""
    kind = kind_of(passage.path)
    line = passage.start_line + rule.line.offset
    # A line of a note is known by its place: the other rules of its passage are not given with it.
    id = f"{passage.path}:{line}" if kind == "note" else identifier(passage)
    item = RecalledItem(
        id=id,
        kind=kind,
        tier=passage.tier,
        path=passage.path,
        start_line=line,
        end_line=line,
        heading=tuple(map(clean.text, passage.headings)),
        date=passage.date,
        trust=provenance.trust if provenance else None,
        score=touch.score,
        tokens=0,
        text=clean.text(f"{caution}{rule.line.text}"),
        speaker=passage.speaker,
        passages=() if kind == "note" else (id,),
        since=passage.valid_from,
        until=passage.valid_to,
    )
    [weighed] = fence.weighed([item])
    return Finding(weighed, touch.score, _why(rule, touch))


def _why(rule: _Rule, touch: TouchedRule) -> str:
    """Say which rule it is, in a few words: "a rule for tests", "a preference of 29 October"."""
    if rule.passage.speaker is not None and rule.day:
        day = date.fromisoformat(rule.day)
        return f"a rule of {day.day} {day:%B}, about {touch.why}"
    return f"a rule about {touch.why}"
