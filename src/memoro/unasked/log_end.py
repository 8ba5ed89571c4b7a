"""What a conversation was about by the end of its log: a person waits for the answer, and logs can be long."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from memoro.conversation.sentences import sentences, shortened
from memoro.errors import MemoroError
from memoro.model.notes import WITHIN
from memoro.model.secrets import redact
from memoro.transcripts import readers
from memoro.transcripts.ports import LogFacts, Rewind, Turn
from memoro.transcripts.tool_effects import tool_effects
from memoro.vault import logs

if TYPE_CHECKING:
    from memoro.model.notes import Hidden
    from memoro.model.session_digest import SessionDigest
    from memoro.transcripts.ports import LineReader
    from memoro.vault.contents import Log
    from memoro.vault.files import VaultFiles

# Some 20 ms of work: bytes at the end of a log, and characters of the messages among them.
_BYTES, _CHARACTERS = 160_000, 10_000
_LAST_TURNS, _ANSWERS, _ANSWER_CHARACTERS = 8, 3, 160
_TELLING = 3  # words of an answer that says something


def digest_of_end(vault: VaultFiles, path: str, hidden: Hidden | None = None) -> SessionDigest | None:
    """Return the digest of the last part of a log of lines; None for a log of another form, and one that is gone."""
    from memoro.conversation.log_digest import digest_of_session

    found = _read_end(vault, path)
    return digest_of_session(found, hidden) if found and found.turns else None


def _read_end(vault: VaultFiles, path: str) -> logs.LoggedSession | None:
    if WITHIN in path:  # one of many in a file that would have to be read whole
        return None
    try:
        with vault.log(path) as log:
            if logs.is_database(log) or logs.is_packed(log):
                return None
            reader = readers.recognise_lines(logs.head(log))
            return _end_of(log, reader) if reader else None
    except (MemoroError, OSError):
        return None


def last_answers(vault: VaultFiles, path: str, hidden: Hidden | None = None) -> tuple[str, ...]:
    """Return what the agent answered last, a sentence of each answer."""
    found = _read_end(vault, path)
    if found is None:
        return ()
    kept = [turn for turn in found.turns[-_LAST_TURNS:] if turn.speaker != "User" and not _is_hidden(turn, hidden)]
    said = [one.text for turn in kept for one in sentences(turn.text)[:1]]
    return tuple(shortened(one, _ANSWER_CHARACTERS) for one in said if len(one.split()) >= _TELLING)[-_ANSWERS:]


def _is_hidden(turn: Turn, hidden: Hidden | None) -> bool:
    """Return whether its owner has forgotten a message."""
    return hidden is not None and hidden.holds(f"{turn.speaker}: {redact(turn.text).text}")


def _end_of(log: Log, reader: LineReader) -> logs.LoggedSession:
    about, start = LogFacts(), max(0, log.size - _BYTES)
    if start:
        for _ in reader.turns(logs.Lines([logs.head(log)]), about):  # the folder stands at its beginning
            pass
    turns: list[Turn] = []
    for turn in reader.turns(logs.Lines(log.blocks(start)), about):
        if isinstance(turn, Rewind):
            logs.rewind(turns, turn)
        else:
            turns.append(turn)
    effects = tool_effects(logs.Lines(chain(log.blocks(start), [b"\n"])))
    title = about.title(*(key for key in reader.titles if key not in ("first", "last"))) or ""
    return logs.LoggedSession(turns=_last(turns), effects=effects, title=title, folder=about.known.get("folder", ""))


def _last(turns: list[Turn]) -> list[Turn]:
    room, kept = _CHARACTERS, 0
    for turn in reversed(turns):
        room -= len(turn.text)
        if room < 0 and kept:
            break
        kept += 1
    return turns[len(turns) - kept :]
