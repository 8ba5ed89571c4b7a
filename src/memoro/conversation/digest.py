"""The digest of a session's log: by rules, or by a model that chooses among the lines they find."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from memoro.conversation.chosen_lines import ChoosableLine, LineChooser, PrivateMessages
from memoro.conversation.decided import Decision, decisions
from memoro.conversation.failed_calls import solved_calls
from memoro.conversation.left_open import open_items
from memoro.conversation.sentences import alike, words
from memoro.conversation.session_title import session_title
from memoro.conversation.solved_errors import solved_errors
from memoro.conversation.spoken import Said, spoken
from memoro.conversation.work_done import commands_that_mattered, files_changed
from memoro.model.session_digest import SessionDigest
from memoro.transcripts.ports import Turn
from memoro.transcripts.tool_effects import ToolEffect
from memoro.vault.entries import plain

_MOST_DECISIONS = 14


class SessionFacts(NamedTuple):
    """The facts of a session besides its turns, from its log."""

    title: str = ""  # that the host gave the conversation
    folder: str = ""  # in which the agent worked


def digest(
    turns: Sequence[Turn],
    calls: Sequence[ToolEffect] = (),
    facts: SessionFacts | None = None,
    choose: LineChooser | None = None,
) -> SessionDigest:
    """Return what was decided, changed, run, solved and left open; an empty digest where nothing was.

    `choose` says which decisions and open items matter; where it raises, so does this.
    """
    facts = facts or SessionFacts()
    talk = spoken(turns)
    decided, left = _chosen(talk, choose)
    made = SessionDigest(
        decisions=_lines(one.line for one in decided if not _is_left(one, left)),
        files=files_changed(calls, facts.folder),
        commands=commands_that_mattered(calls),
        errors=_lines(solved_errors(talk, solved_calls(turns, calls))),
        open=_lines(left),
    )
    commits = [call.command for call in calls if "commit" in call.command and not call.failed]
    return made._replace(title=plain(session_title(facts.title, talk, made, commits)))


def _chosen(talk: Sequence[Said], choose: LineChooser | None) -> tuple[list[Decision], list[str]]:
    """Return the decisions and the open items that a note has, in their order."""
    found, left = decisions(talk), open_items(talk)
    if choose is None:
        return _best(found), list(left)
    private = PrivateMessages(said.text for said in talk)
    lines = [("decision", one.line) for one in found] + [("open", line) for line in left]
    chosen = choose([ChoosableLine(kind, line, private.holds(line)) for kind, line in lines])
    if chosen is None:
        return _best(found), list(left)
    places = [place for place in chosen.best if place < len(found)][:_MOST_DECISIONS]
    unseen = _best([one for place, one in enumerate(found) if place in chosen.unseen])
    decided = [one for place, one in enumerate(found) if place in places or one in unseen]
    kept = {*chosen.best, *chosen.unseen}
    return decided, [line for place, line in enumerate(left, start=len(found)) if place in kept]


def _lines(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text for text in map(plain, texts) if text))


def _best(found: Sequence[Decision]) -> list[Decision]:
    """Return the surest decisions in their order. In a long session each part keeps its share."""
    if len(found) <= _MOST_DECISIONS:
        return list(found)
    size = -(-len(found) // _MOST_DECISIONS)
    groups = [found[start : start + size] for start in range(0, len(found), size)]
    return [max(group, key=lambda one: one.sure) for group in groups]


def _is_left(one: Decision, left: Sequence[str]) -> bool:
    """Return whether a line is told as an open item already."""
    return any(alike(one.about, words(item)) >= 0.8 for item in left)
