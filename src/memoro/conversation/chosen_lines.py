"""Which lines of a conversation are worth keeping, as a language model sees it. It chooses among lines of the rules.

It returns numbers and never words: a summary holds nothing that was not said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from memoro.conversation.sentences import words
from memoro.errors import AnswerUnusable
from memoro.index.chunk import tokens
from memoro.model.privacy import line_is_private, message_is_private
from memoro.model.prompt_material import record_line
from memoro.providers.language.ports import LanguageModel, Prompt
from memoro.providers.language.structured import closed

_INSTRUCTIONS = """\
The records are lines of a conversation between a user and an agent, in their order. Choose the lines that somebody \
needs who goes on with this work later and has not read the conversation: what was decided and why, what holds now, \
what is left to do or to decide. Leave out small talk, repetitions, steps that led nowhere, and lines that a later \
line makes untrue.
Answer with a reason of one sentence, and with the numbers of the lines, the most important first."""
_SCHEMA = closed(
    {"reason": {"type": "string"}, "numbers": {"type": "array", "items": {"type": "integer"}, "minItems": 1}}
)
_FEWEST = 4  # among fewer lines there is nothing to choose
_MOST = 150
_FROM_PRIVATE = 0.5  # of a line's words
_LONGEST = 240  # characters of a line
_ANSWER_TOKENS = 1500
_SPARE_TOKENS = 800  # for the instructions and what is around them
_MOST_SECONDS = 20.0  # that a compaction waits; then rules choose


class ChoosableLine(NamedTuple):
    """A line that may be chosen."""

    kind: str
    text: str
    is_private: bool = False  # it is from a message that calls itself private


class PrivateMessages:
    """The words of messages that call themselves private: lines that are made of them are private too."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._words = [words(text) for text in texts if message_is_private(text)]

    def holds(self, line: str) -> bool:
        own = words(line)
        return any(len(own & said) >= _FROM_PRIVATE * len(own) for said in self._words)


class ChosenLines(NamedTuple):
    """The answer of a model: places in the list of lines that it was shown."""

    best: tuple[int, ...]  # the most important first
    unseen: frozenset[int] = frozenset()  # lines that it was not shown: rules decide about them


# Chooses among lines; None: there is nothing to choose. Raises a `ProviderError` where no model can say.
LineChooser = Callable[[Sequence[ChoosableLine]], ChosenLines | None]


def line_chooser(model: LanguageModel, *, with_private: bool = False) -> LineChooser:
    """Return what asks a model which lines matter. Private lines stay here unless the owner lets them go."""
    sends_all = with_private or model.info.is_home

    def choose(lines: Sequence[ChoosableLine]) -> ChosenLines | None:
        shown = _shown(lines, model.info.window, sends_all)
        if len(shown) < _FEWEST:
            return None
        return read_choice(model.answer(choice_prompt(lines, shown)).value, shown, len(lines))

    return choose


def choice_prompt(lines: Sequence[ChoosableLine], shown: Sequence[int]) -> Prompt:
    """Return the question about the lines at these places; their numbers count from 1."""
    return Prompt(
        purpose="summary",
        instructions=_INSTRUCTIONS,
        material="".join(_record(number, lines[place]) + "\n" for number, place in enumerate(shown, start=1)),
        schema=_SCHEMA,
        most_tokens=_ANSWER_TOKENS,
        most_seconds=_MOST_SECONDS,
    )


def read_choice(value: Mapping[str, object], shown: Sequence[int], count: int) -> ChosenLines:
    """Return the places that an answer means. Raises `AnswerUnusable` for a number that is unknown or there twice."""
    numbers = value["numbers"]
    assert isinstance(numbers, list)
    if not all(1 <= number <= len(shown) for number in numbers):
        raise AnswerUnusable("The language model chose a line that it was not shown.")
    if len(set(numbers)) != len(numbers) or not numbers:
        raise AnswerUnusable("The language model chose a line twice, or none.")
    return ChosenLines(
        best=tuple(shown[number - 1] for number in numbers),
        unseen=frozenset(range(count)) - frozenset(shown),
    )


def _shown(lines: Sequence[ChoosableLine], window: int, sends_all: bool) -> list[int]:
    """Return the places of the lines that a model gets: the last ones that fit, without private ones."""
    room = window - _ANSWER_TOKENS - _SPARE_TOKENS
    found: list[int] = []
    for place in range(len(lines) - 1, -1, -1):
        if not sends_all and (lines[place].is_private or line_is_private(lines[place].text)):
            continue
        room -= tokens(_record(place, lines[place])) + 1
        if room < 0 or len(found) == _MOST:
            break
        found.append(place)
    return found[::-1]


def _record(number: int, line: ChoosableLine) -> str:
    return record_line({"n": number, "kind": line.kind, "text": line.text[:_LONGEST]})
