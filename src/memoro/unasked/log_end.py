"""What a conversation was about by the end of its log: a person waits for the answer, and logs can be long."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from memoro.conversation.sentences import sentences, shortened
from memoro.errors import MemoroError
from memoro.model.notes import WITHIN
from memoro.model.statements import knows_nothing
from memoro.transcripts import readers
from memoro.transcripts.ports import LogFacts, Rewind, Turn
from memoro.transcripts.private_turns import private_turns
from memoro.transcripts.tool_effects import tool_effects
from memoro.vault import logs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memoro.model.notes import Hidden
    from memoro.model.session_digest import SessionDigest
    from memoro.transcripts.ports import LineReader
    from memoro.vault.contents import Log
    from memoro.vault.files import VaultFiles

# Some 20 ms of work: bytes at the end of a log, and characters of the messages among them.
_BYTES, _CHARACTERS = 160_000, 10_000
_FURTHER = (1, 4, 16)  # times as many bytes are read, until they hold the message that the first answer answers
_LAST_TURNS, _ANSWERS, _ANSWER_CHARACTERS = 8, 3, 160
_TELLING = 3  # words of an answer that says something


def digest_of_end(
    vault: VaultFiles, path: str, hidden: Hidden | None = None, *, private: bool = False
) -> SessionDigest | None:
    """Return the digest of the last part of a log of lines; None for a log of another form, and one that is gone.

    Without `private`, nothing of private messages and of the answers to them.
    """
    from memoro.conversation.log_digest import digest_of_session

    found = _read_end(vault, path, private=private)
    return digest_of_session(found, hidden) if found and found.turns else None


def last_answers(
    vault: VaultFiles, path: str, hidden: Hidden | None = None, *, private: bool = False
) -> tuple[str, ...]:
    """Return what the agent answered last, a sentence of each answer; without `private`, no private ones."""
    found = _read_end(vault, path, private=private)
    if found is None:
        return ()
    kept = [turn for turn in found.turns[-_LAST_TURNS:] if turn.speaker != "User" and not _is_hidden(turn, hidden)]
    said = [one.text for turn in kept for one in sentences(turn.text)[:1]]
    telling = [one for one in said if len(one.split()) >= _TELLING and not knows_nothing(one)]
    return tuple(shortened(one, _ANSWER_CHARACTERS) for one in telling[-_ANSWERS:])


def _is_hidden(turn: Turn, hidden: Hidden | None) -> bool:
    """Return whether its owner has forgotten a message."""
    return hidden is not None and hidden.covers(turn.speaker, turn.text)


def _read_end(vault: VaultFiles, path: str, *, private: bool) -> logs.LoggedSession | None:
    if WITHIN in path:  # one of many in a file that would have to be read whole
        return None
    try:
        with vault.log(path) as log:
            if logs.is_database(log) or logs.is_packed(log):
                return None
            reader = readers.recognise_lines(logs.head(log))
            return _end_of(log, reader, private=private) if reader else None
    except (MemoroError, OSError):
        return None


def _end_of(log: Log, reader: LineReader, *, private: bool) -> logs.LoggedSession:
    from memoro.conversation.log_digest import without_private

    about, start = LogFacts(), max(0, log.size - _BYTES)
    # The folder stands at the beginning of a log, and what a title is made of.
    opening = _turns(reader, logs.Lines([logs.head(log)]), about) if start else []
    began, turns = _turns_with_question(log, reader, about, start)
    before = log.read(began, start - began).count(b"\n")  # lines count from where the turns begin
    effects = tool_effects(logs.Lines(chain(log.blocks(start), [b"\n"]), number=before))
    title = about.title(*(key for key in reader.titles if key not in ("first", "last"))) or ""
    found = logs.LoggedSession(turns=turns, effects=effects, title=title, folder=about.known.get("folder", ""))
    if not private:
        found = without_private(found if not private_turns(opening) else found._replace(title=""))
        if began:
            found = _without_unasked(found)
    return found._replace(turns=found.turns[_first_of_last(turns) :])


def _turns_with_question(log: Log, reader: LineReader, about: LogFacts, start: int) -> tuple[int, list[Turn]]:
    """Return the last turns and where reading began: before the message that the first of the last ones answers.

    Whether an answer is private is known by that message alone.
    """
    for times in _FURTHER:
        began = max(0, min(start, log.size - times * _BYTES))
        turns = _turns(reader, logs.Lines(log.blocks(began)), about)
        if not began or any(turn.speaker == "User" for turn in turns[: _first_of_last(turns) + 1]):
            break
    return began, turns


def _without_unasked(found: logs.LoggedSession) -> logs.LoggedSession:
    """Return a part of a conversation without its first answers: the message that they answer may be private."""
    asked = next((place for place, turn in enumerate(found.turns) if turn.speaker == "User"), len(found.turns))
    blank = [turn._replace(text="") if turn.speaker == "Assistant" else turn for turn in found.turns[:asked]]
    return found._replace(turns=[*blank, *found.turns[asked:]])


def _turns(reader: LineReader, lines: logs.Lines, about: LogFacts) -> list[Turn]:
    turns: list[Turn] = []
    for turn in reader.turns(lines, about):
        if isinstance(turn, Rewind):
            logs.rewind(turns, turn)
        else:
            turns.append(turn)
    return turns


def _first_of_last(turns: Sequence[Turn]) -> int:
    """Return the place of the first of the last turns that are read."""
    room, kept = _CHARACTERS, 0
    for turn in reversed(turns):
        room -= len(turn.text)
        if room < 0 and kept:
            break
        kept += 1
    return len(turns) - kept
