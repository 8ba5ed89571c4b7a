"""The views of `memoro wrong` and `memoro good`."""

from __future__ import annotations

from collections import Counter

from memoro.cli.command import command
from memoro.cli.lines import say
from memoro.cli.show import printable
from memoro.curate.feedback.current_conversation import ConversationChoice
from memoro.curate.feedback.marking import MarkedAnswer
from memoro.model.feedback import shortened
from memoro.model.projects import short_name
from memoro.operations.feedback import GOOD, WRONG

_QUESTION_CHARACTERS = 80
_CHOICES: dict[ConversationChoice, str] = {
    "named": "",
    "host": ", in which this command runs",
    "newest": ", the newest",
}
_LISTED = 6  # items


def _show(marked: MarkedAnswer, _request: object) -> None:
    entry = marked.entry
    question = shortened(entry.question, _QUESTION_CHARACTERS)
    about = f"the answer to “{question}”" if question else "the last answer"
    if marked.new:
        say(printable(f"Marked as {entry.kind}: {about}"))
    else:
        say(printable(f"Already marked as {entry.kind}: {about}. Nothing was added."))
    say(printable(f"  in {_conversation(marked)}"))
    if marked.new:
        say(printable(f"  kept in {entry.path}:{entry.line} as ^{entry.id}"))
    for line in _changes(marked):
        say(printable(f"  {line}"))
    for notice in marked.notices:
        say(printable(f"  {notice}"))
    if marked.new:
        say(f"`memoro undo --by feedback --since {marked.since}` reverts all of it.")


def _conversation(marked: MarkedAnswer) -> str:
    host = f"{marked.entry.host} " if marked.entry.host else ""
    project = f" of project {short_name(marked.entry.project)}" if marked.entry.project else ""
    return f"{host}conversation {marked.session}{project}{_CHOICES[marked.choice]}"


def _changes(marked: MarkedAnswer) -> list[str]:
    """Return one line for each thing that was done to what had been given."""
    counts = Counter(one.change for one in marked.items)
    lines = []
    for change, count in counts.items():
        named = [one.id for one in marked.items if one.change == change]
        more = f" and {count - _LISTED} more" if count > _LISTED else ""
        lines.append(f"{change}: {', '.join(named[:_LISTED])}{more}")
    return lines


VIEWS = {"wrong": command(WRONG, _show), "good": command(GOOD, _show)}
