"""Editing and removing what an id names: an entry, a memory or an experience."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from memoro.errors import ChangeProposed, NoteNotFound, Refused
from memoro.model.targets import ExperienceId, MemoryId, parse_given_target
from memoro.notes.entry_files import Remembered

if TYPE_CHECKING:
    from memoro.model.answers import Text
    from memoro.model.output_filter import OutputFilter
    from memoro.model.vocabulary import Reach
    from memoro.notes.entries import RewordOptions
    from memoro.wiring import Collaborators


class TargetOperations(NamedTuple):
    home: Collaborators

    def get(self, target: str, around: int = 0, filter: OutputFilter | None = None, scope: Reach = "session") -> Text:
        """The exact text behind an id or a path: a memory, an experience, an entry, or lines of a note or a log."""
        try:
            return self.home.finder.get(target, around, filter, scope)
        except NoteNotFound:
            from memoro.notes.loaded_entries import place_of

            place = place_of(self.home.home.vault(), target, self.home.finder.notes_holding)
            if place is None:
                raise
        return self.home.finder.get(place, filter=filter, scope=scope)

    def edit(self, target: str, text: str, by: str, options: RewordOptions) -> Remembered:
        match parse_given_target(target):
            case MemoryId(number):
                try:
                    memory = self.home.ledger.services.memories.update(number, text, source=by, **options)
                except ChangeProposed as waiting:
                    return _as_remembered(target, text)._replace(proposal=waiting.proposal)
                return _as_remembered(target, memory.content)
            case ExperienceId():
                raise Refused("An experience says what happened, and is not edited. Record a better one instead.")
            case _:
                return self.home.notes.services.entries.edit(target, text, by=by, **options)

    def remove(self, target: str, by: str, key: str | None) -> Remembered:
        match parse_given_target(target):
            case MemoryId(number):
                try:
                    memory = self.home.ledger.services.memories.remove(number, source=by, key=key)
                except ChangeProposed as waiting:
                    text = self.home.ledger.services.memories.get(number).content
                    return _as_remembered(target, text)._replace(proposal=waiting.proposal)
                return _as_remembered(target, memory.content)
            case ExperienceId(number):
                shown = self.home.ledger.experiences.remove(number, source=by, key=key)
                return _as_remembered(target, shown.experience.intent)
            case _:
                return self.home.notes.services.entries.remove(target, by=by, key=key)


def _as_remembered(target: str, content: str) -> Remembered:
    return Remembered(id=target, path=target, line=None, text=content)
