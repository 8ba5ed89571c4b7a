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
from memoro.model.rule_lines import RuleLine, RulePlace, rule_lines, settled_lines
from memoro.model.rule_matching import TouchedRule, languages_of, needs_languages, touched
from memoro.model.vocabulary import LEDGER_KINDS
from memoro.recall import fence
from memoro.search.retrieve import identifier, usable
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
    passages = request.sources.search.read(lambda index: usable(index, _rule_passages(index, where), admits))
    rules = _believed(request, passages)
    lines = [rule.line for rule in rules]
    languages: frozenset[str] = frozenset()
    if needs_languages(request.message, lines):
        where = request.where._replace(kinds=("transcript",))
        said = languages_of(rule.line for rule in rules if rule.passage.speaker is not None)
        languages = said | request.sources.search.read(lambda index: _languages(index, where))
    found = touched(request.message, lines, languages)
    dated = [DatedRule(rule.line, rule.day, rule.passage.speaker is not None) for rule in rules]
    held = set(current(dated, [one.number for one in found]))
    clean = OutputFilter(request.sources.runtime.secrets())
    given = [one for one in found if one.number in held and not _is_held(rules[one.number], request.held)]
    return [_finding(rules[one.number], one, clean) for one in given[:MOST]]


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


def _lines(passage: Passage) -> tuple[RuleLine, ...]:
    place = RulePlace(
        path=passage.path,
        tier=passage.tier,
        title=passage.title,
        headings=passage.headings,
        speaker=passage.speaker,
    )
    found = rule_lines(passage.text, place)
    return found or (settled_lines(passage.text, passage.speaker) if passage.speaker else ())


def _is_held(rule: _Rule, held: HeldContext) -> bool:
    """Return whether the conversation has the rule already: its passage, or its line of a note."""
    path = rule.passage.path
    if path in held.passages or identifier(rule.passage) in held.passages:
        return True
    return any(rule.line.text in " ".join(text.split()) for text in held.loaded.get(path, ()))


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
