"""The views of `memoro wrong` and `memoro good`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from memoro.cli.command import command
from memoro.cli.lines import say
from memoro.cli.show import printable
from memoro.curate.feedback.current_conversation import ConversationChoice
from memoro.curate.feedback.item_marking import MUTED, NOTED, MarkedItem
from memoro.curate.feedback.marking import MarkedAnswer
from memoro.model.feedback import shortened
from memoro.model.projects import short_name
from memoro.model.vocabulary import PERSON
from memoro.operations.feedback import GOOD, WRONG

_QUESTION_CHARACTERS = 80
_CHOICES: dict[ConversationChoice, str] = {
    "named": "",
    "host": ", in which this command runs",
    "newest": ", the newest",
    "about": ", the newest that says otherwise",
    "none": "",
}
_LISTED = 6  # items


def _show(marked: MarkedAnswer, _request: object) -> None:
    entry = marked.entry
    say(printable(_first_line(marked)))
    if marked.session is not None:
        say(printable(f"  in {_conversation(marked)}"))
    if marked.new:
        say(printable(f"  kept in {entry.path}:{entry.line} as ^{entry.id}"))
    for line in _changes(marked):
        say(printable(f"  {line}"))
    for notice in marked.notices:
        say(printable(f"  {notice}"))
    if marked.new:
        say(
            "`memoro undo` reverts all of it while it is the last change; later, "
            f"`memoro undo --by feedback --since {marked.since}` reverts it and all feedback after it."
        )


def _first_line(marked: MarkedAnswer) -> str:
    entry, is_new = marked.entry, marked.new
    if marked.session is None:
        note = shortened(entry.note, _QUESTION_CHARACTERS)
        return f"Correction: “{note}”" if is_new else f"Already kept: “{note}”. Nothing was added."
    question = shortened(entry.question, _QUESTION_CHARACTERS)
    about = f"the answer to “{question}”" if question else "the last answer"
    if is_new:
        return f"Marked as {entry.kind}: {about}"
    return f"Already marked as {entry.kind}: {about}. Nothing was added."


def _conversation(marked: MarkedAnswer) -> str:
    host = f"{marked.entry.host} " if marked.entry.host else ""
    project = f" of project {short_name(marked.entry.project)}" if marked.entry.project else ""
    return f"{host}conversation {marked.session}{project}{_CHOICES[marked.choice]}"


def _changes(marked: MarkedAnswer) -> list[str]:
    """Return one line for each thing that was done to what had been given, and what its owner can do."""
    if marked.entry.kind == "wrong" and marked.entry.by == PERSON:
        told = [(one, _told(one)) for one in marked.items]
        return [line for _, line in told if line] + _counted([one for one, line in told if not line])
    return _counted(marked.items)


def _told(item: MarkedItem) -> str:
    """Return what was done to one item, and where to correct it; nothing where its id says all."""
    is_message = item.id.startswith("transcript:")  # a newer statement leads, and nobody edits an agent's log
    if item.change.startswith(MUTED):
        correct = "" if item.place == item.id or is_message else " Correct it there, too."
        return f"{item.change}: {item.place}. Your note says otherwise: no agent is given it unasked again.{correct}"
    if item.change == NOTED:
        act = "To mute it, run" if is_message else "Correct it there, or run"
        return f"given from {item.place}. {act} `memoro given wrong {item.id}`."
    return ""


def _counted(items: Sequence[MarkedItem]) -> list[str]:
    """Return one line for each change, with the ids of its items."""
    lines = []
    for change, count in Counter(one.change for one in items).items():
        named = [one.id for one in items if one.change == change]
        more = f" and {count - _LISTED} more" if count > _LISTED else ""
        lines.append(f"{change}: {', '.join(named[:_LISTED])}{more}")
    return lines


VIEWS = {"wrong": command(WRONG, _show), "good": command(GOOD, _show)}
