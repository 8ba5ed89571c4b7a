"""Extracted lines beside what they were extracted from: one of the two is enough."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from memoro.model.answers import Passage
from memoro.model.extracted_lines import MARK, ExtractedLine, agent_name, conversation_name, parse_line
from memoro.model.notes import indexed_kind
from memoro.search.rank import Ranked


def without_copies(ranked: Sequence[Ranked]) -> tuple[Ranked, ...]:
    """Return the passages without lines of a day whose message, or whose memory, is among them too."""
    if not any(one.match.passage.tier == "daily" and MARK in one.match.passage.text for one in ranked):
        return tuple(ranked)
    said, stored = _messages(ranked), _memories(ranked)
    kept: list[Ranked] = []
    for one in ranked:
        line = extracted_line(one.match.passage)
        if line is None or not (_message(line) in said or line.text in stored):
            kept.append(one)
    return tuple(kept)


def extracted_line(passage: Passage) -> ExtractedLine | None:
    """Return what a passage says that is an extracted line alone."""
    if passage.tier != "daily" or MARK not in passage.text:
        return None
    lines = [line for line in passage.text.split("\n") if line.strip() and not line.startswith("# ")]
    return parse_line(lines[0]) if len(lines) == 1 else None


def _messages(ranked: Iterable[Ranked]) -> set[tuple[str, str, int]]:
    passages = (one.match.passage for one in ranked)
    return {
        (agent_name(one.path), conversation_name(one.path), one.start_line)
        for one in passages
        if indexed_kind(one.path) == "transcript"
    }


def _memories(ranked: Iterable[Ranked]) -> set[str]:
    return {one.match.passage.text for one in ranked if one.match.passage.tier == "memory"}


def _message(line: ExtractedLine) -> tuple[str, str, int]:
    return line.agent, line.conversation, line.line
