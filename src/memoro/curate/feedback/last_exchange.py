"""The last question of a conversation and its answer, as its log on disk has them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from memoro.curate.feedback.corrected_items import place_meant
from memoro.model.feedback import GivenFeedback, feedback_in
from memoro.model.notes import file_of
from memoro.transcripts import readers
from memoro.transcripts.ports import LogFacts, NumberedLine, Rewind, Turn
from memoro.vault import logs
from memoro.vault.files import VaultFiles

_USER = "User"
_LOOKED_BACK = 10  # messages: whoever means an earlier one names its conversation
# Claude Code logs its slash commands, and commands typed after `!`, in records that its reader leaves out.
_COMMAND = re.compile(
    rb"<command-name>/?(?:memoro:)?(?:wrong|good)</command-name>|<bash-input>\s*memoro (?:wrong|good)\b"
)
_BY_USER = re.compile(rb'"type":\s*"user"')


class LoggedTurns(NamedTuple):
    """The messages of a conversation, and the lines at which commands gave feedback."""

    turns: Sequence[Turn]
    commands: Sequence[int] = ()
    folder: str = ""  # in which the agent worked


class LoggedExchange(NamedTuple):
    question: str
    answer: str
    line: int  # of the question in the log

    @property
    def text(self) -> str:
        return f"{self.question}\n{self.answer}"


class ExchangeBounds(NamedTuple):
    """What is known about the moment of the feedback."""

    given: GivenFeedback | None = None  # by a prompt, which the log may hold already
    size: int | None = None  # of the log then, in bytes
    in_progress: bool = False  # an agent gives it, in its answer to a message that asks for that


ANY_TIME = ExchangeBounds()


def read_turns(vault: VaultFiles, path: str, size: int | None = None) -> LoggedTurns:
    """Return the messages of a log; with a size, those of its first bytes alone. Raises VaultError."""
    with vault.log(file_of(path)) as log:
        reader = None if logs.is_database(log) else readers.recognise_lines(logs.head(log))
        if reader is None:
            return LoggedTurns(list(logs.turns(vault, path)))
        limit = None if logs.is_packed(log) else size
        commands: list[int] = []
        about, turns = LogFacts(), list[Turn]()
        for turn in reader.turns(_watched(logs.Lines(_first(logs.blocks(log), limit)), commands), about):
            if isinstance(turn, Rewind):
                logs.rewind(turns, turn)
            else:
                turns.append(turn)
    return LoggedTurns(turns, commands, about.known.get("folder", ""))


def _watched(lines: Iterable[NumberedLine], commands: list[int]) -> Iterator[NumberedLine]:
    for number, line in lines:
        if _COMMAND.search(line) and _BY_USER.search(line):
            commands.append(number)
        yield number, line


def _first(blocks: Iterable[bytes], size: int | None) -> Iterator[bytes]:
    for block in blocks:
        if size is None:
            yield block
            continue
        yield block[:size]
        size -= len(block)
        if size <= 0:
            return


def last_exchange(
    logged: LoggedTurns,
    bounds: ExchangeBounds = ANY_TIME,
    hides: Callable[[Turn], bool] = lambda _turn: False,
    note: str = "",
) -> LoggedExchange | None:
    """Return the last of the exchanges; with a note, the one that it is about. None where nothing was said."""
    found = last_exchanges(logged, bounds, hides)
    return found[place_meant(note, [one.text for one in found])] if found else None


def last_exchanges(
    logged: LoggedTurns, bounds: ExchangeBounds = ANY_TIME, hides: Callable[[Turn], bool] = lambda _turn: False
) -> list[LoggedExchange]:
    """Return the last messages of the owner that are no feedback, each with the answer up to the next message.

    The words of a message that `hides` are left out: they were forgotten.
    """
    turns = _before(logged, bounds)
    asked = [place for place, turn in enumerate(turns) if turn.speaker == _USER]
    messages = [place for place in asked if feedback_in(turns[place].text) is None][-_LOOKED_BACK:]
    ends = [next((other for other in asked if other > place), len(turns)) for place in messages]
    return [_exchange(turns[place:end], hides) for place, end in zip(messages, ends, strict=True)]


def _exchange(turns: Sequence[Turn], hides: Callable[[Turn], bool]) -> LoggedExchange:
    """Return a message with all that answers it."""
    answers = [turn.text for turn in turns[1:] if turn.speaker != _USER and not hides(turn)]
    return LoggedExchange("" if hides(turns[0]) else turns[0].text, "\n".join(answers), turns[0].line)


def _before(logged: LoggedTurns, bounds: ExchangeBounds) -> Sequence[Turn]:
    """Return the messages before the feedback."""
    turns = logged.turns
    if bounds.given is not None:
        said = [n for n, one in enumerate(turns) if one.speaker == _USER and feedback_in(one.text) == bounds.given]
        if said:
            turns = turns[: said[-1]]
    asked = [n for n, turn in enumerate(turns) if turn.speaker == _USER]
    if not asked:
        return turns
    command = next((line for line in logged.commands if line > turns[asked[-1]].line), None)
    if command is not None:  # what is said since answers the command
        return [turn for turn in turns if turn.line < command]
    is_asking = bounds.in_progress and feedback_in(turns[asked[-1]].text) is None
    return turns[: asked[-1]] if is_asking and len(asked) > 1 else turns
