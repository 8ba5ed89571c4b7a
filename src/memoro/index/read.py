"""Turn the bytes of a file into what the index stores about it."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from memoro.index.chunk import chunk, cut, split_by_origin, split_by_privacy, split_by_project
from memoro.model.dates import date_in_headings
from memoro.model.extracted_lines import without_extracted
from memoro.model.notes import Chunk, FileEntry, Indexed, Note, Rules
from memoro.model.privacy import private_lines, tagged_lines
from memoro.model.rule_lines import RulePlace, is_settled, states_rules
from memoro.model.secrets import redact
from memoro.model.vocabulary import LOADED_TIERS, Tier
from memoro.transcripts.ports import Turn
from memoro.vault.encoding import decode
from memoro.vault.layout import is_retired
from memoro.vault.markdown import Parsed, parse, with_project

# Neighbours help to find a short turn and drown a long one; a long neighbour drowns any turn.
SHORT_TURN = 600  # characters
NEIGHBOUR_WORDS = 40


def read_note(entry: FileEntry, data: bytes, *, written_on: str, rules: Rules) -> tuple[Indexed, tuple[str, ...]]:
    text, notice = decode(data)
    parsed = parse(text, entry.path)
    chunks = chunk(parsed.lines, parsed.outline, body=parsed.body, limit=rules.tokens, overlap=rules.overlap)
    if private := _private_lines(parsed, entry.tier):
        chunks = tuple(part for one in chunks for part in split_by_privacy(one, parsed.lines, private))
    warnings = (notice, *parsed.warnings) if notice else parsed.warnings
    note = parsed.note
    if entry.tier == "daily":
        parted = (part for one in chunks for part in split_by_project(one, parsed.lines))
        chunks = tuple(part for one in parted for part in split_by_origin(one, parsed.lines))
    elif entry.tier not in LOADED_TIERS:  # a line of these is about a project, never the whole note
        note = with_project(note, entry.path)
    dated = chunks if _has_own_day(entry.tier, note) else tuple(map(_dated, chunks))
    marked = tuple(_marked(one, entry, note.title) for one in dated)
    made = Indexed(entry=entry, note=note, day=note.date or written_on, chunks=marked)
    return made._replace(listed=not is_retired(entry.path)), warnings


def _has_own_day(tier: Tier, note: Note) -> bool:
    """Return whether a note tells of one day or session: a date in its headings is then one that it speaks of."""
    return tier in ("daily", "episodic") and note.date is not None


def _dated(one: Chunk) -> Chunk:
    return one._replace(date=date_in_headings(one.headings))


def _marked(one: Chunk, entry: FileEntry, title: str) -> Chunk:
    place = RulePlace(path=entry.path, tier=entry.tier, title=title, headings=one.headings)
    # Nobody has approved what was extracted: it rules nothing. The conversation that it comes from may.
    return one._replace(rules=True) if states_rules(without_extracted(one.text), place) else one


def _private_lines(parsed: Parsed, tier: str) -> frozenset[int]:
    """The private lines of a note. Files for agents are full of rules about sharing, so there only tags count."""
    code = (line for first, last in parsed.outline.fences for line in range(first, last + 1))
    skip = (*range(1, parsed.body), *code)
    if tier in LOADED_TIERS or tier == "skill":
        return tagged_lines(parsed.lines, skip)
    return private_lines(
        parsed.lines, parsed.outline.headings, skip, whole_sections=tier not in ("daily", "episodic")
    )


def turn_chunks(turns: Sequence[Turn], number: int, rules: Rules, *, private: bool) -> list[Chunk]:
    """Return one chunk for a turn, several for a long one. Secrets are redacted first."""
    turn = turns[number]
    if not turn.text:  # forgotten
        return []
    text = redact(f"{turn.speaker}: {turn.text}").text
    context = _context(turns, number) if len(turn.text) < SHORT_TURN else ""
    parts = [part.strip() for part in cut(text, rules.tokens) if part.strip()]
    return [
        Chunk(
            text=part,
            start_line=turn.line,
            end_line=turn.line,
            headings=(),
            digest=hashlib.sha256(part.encode()).hexdigest(),
            partial=len(parts) > 1,
            speaker=turn.speaker,
            date=turn.date,
            context=context,
            private=private,
            rules=_rules(part, turns, number),
        )
        for part in parts
    ]


def _rules(part: str, turns: Sequence[Turn], number: int) -> bool:
    """Return whether a part of a turn states a rule, by itself or because of the reply."""
    speaker = turns[number].speaker
    if states_rules(part, RulePlace(path="", tier="transcript", speaker=speaker)):
        return True
    reply = turns[number + 1] if number + 1 < len(turns) else None
    return reply is not None and reply.speaker != speaker and is_settled(part, speaker, reply.text)


def _context(turns: Sequence[Turn], number: int) -> str:
    near = [turns[i] for i in (number - 1, number + 1) if 0 <= i < len(turns) and turns[i].text]
    return "\n".join(f"{turn.speaker}: {' '.join(redact(turn.text).text.split()[:NEIGHBOUR_WORDS])}" for turn in near)
