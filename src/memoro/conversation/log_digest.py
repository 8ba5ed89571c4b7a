"""The digest of a session from its log on disk."""

from __future__ import annotations

from collections.abc import Callable

from memoro.config.projects import root_of
from memoro.conversation.chosen_lines import LineChooser
from memoro.conversation.digest import SessionFacts, digest
from memoro.errors import VaultError
from memoro.model.notes import Hidden
from memoro.model.session_digest import SessionDigest
from memoro.transcripts.ports import Turn
from memoro.transcripts.private_turns import effects_without, private_turns
from memoro.vault import logs
from memoro.vault.files import VaultFiles


def digest_of_log(
    vault: VaultFiles, path: str, hidden: Hidden | None = None, choose: LineChooser | None = None
) -> SessionDigest | None:
    """Return what a session was about, by its log as the disk has it now; None where there is no such conversation.

    `path` is the one by which a search names the log, such as `@claude/-w/s1.jsonl`. What `hidden` holds was
    forgotten by its owner, and is left out. So are private messages with their answers: agents read the digest.
    """
    try:
        found = logs.session(vault, path)
    except VaultError:
        return None
    return digest_of_session(without_private(found), hidden, choose) if found and found.turns else None


def digest_of_session(
    found: logs.LoggedSession, hidden: Hidden | None = None, choose: LineChooser | None = None
) -> SessionDigest:
    """Return the digest of a conversation that was read, without what its owner has forgotten.

    `choose` asks a language model which lines matter; where it raises, so does this.
    """
    is_kept = _kept_by(hidden)
    turns = [turn for turn in found.turns if is_kept(turn)]
    title = found.title if len(turns) == len(found.turns) else ""  # the host's may tell what was forgotten
    return digest(turns, found.effects, SessionFacts(title=title, folder=root_of(found.folder)), choose)


def without_private(found: logs.LoggedSession) -> logs.LoggedSession:
    """Return a conversation in which private messages, their answers and what was done for them are blank.

    A blank message keeps its place: "yes, do that" after it must not agree to what was proposed before it.
    """
    private = private_turns(found.turns)
    if not private:
        return found
    turns = [turn._replace(text="") if place in private else turn for place, turn in enumerate(found.turns)]
    effects = effects_without(found.effects, found.turns, private)
    return found._replace(turns=turns, effects=effects, title="")  # the host's title may tell what was private


def _kept_by(hidden: Hidden | None) -> Callable[[Turn], bool]:
    if hidden is None or not hidden.total:
        return lambda _turn: True
    return lambda turn: not hidden.covers(turn.speaker, turn.text)
