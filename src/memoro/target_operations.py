"""Changing what an id names: an entry, a memory, an experience, or a message of a conversation."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from memoro.errors import NeedsConsent, Refused
from memoro.model.targets import ExperienceId, MemoryId, PassageId, parse_given_target
from memoro.notes.entry_files import Remembered

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memoro.model.answers import Text
    from memoro.wiring import Collaborators


class ForgetResult(NamedTuple):
    """The result of forgetting, or of a dry run."""

    id: str
    done: bool  # False: only looked at
    text: str  # empty once it is done
    backups: tuple[str, ...] = ()  # those that still hold it
    path: str | None = None  # of the note or the log that it stands in


class TargetOperations(NamedTuple):
    home: Collaborators

    def edit(self, target: str, text: str, by: str, key: str | None) -> Remembered:
        match parse_given_target(target):
            case MemoryId(number):
                memory = self.home.ledger.services.memories.update(number, text, source=by, key=key)
                return _as_remembered(target, memory.content)
            case ExperienceId():
                raise Refused("An experience says what happened, and is not edited. Record a better one instead.")
            case _:
                return self.home.notes.services.entries.edit(target, text, by=by, key=key)

    def remove(self, target: str, by: str, key: str | None) -> Remembered:
        match parse_given_target(target):
            case MemoryId(number):
                memory = self.home.ledger.services.memories.remove(number, source=by, key=key)
                return _as_remembered(target, memory.content)
            case ExperienceId(number):
                shown = self.home.ledger.experiences.remove(number, source=by, key=key)
                return _as_remembered(target, shown.experience.intent)
            case _:
                return self.home.notes.services.entries.remove(target, by=by, key=key)

    def forget(self, target: str, *, yes: bool, dry_run: bool) -> ForgetResult:
        match parse_given_target(target):
            case MemoryId(number):
                memories = self.home.ledger.services.memories.forget(number, yes=yes, dry_run=dry_run)
                text = memories.memories[0].content
                return _result(ForgetResult(id=target, done=memories.done, text=text, backups=memories.backups))
            case ExperienceId(number):
                learned = self.home.ledger.experiences.forget(number, yes=yes, dry_run=dry_run)
                text = learned.experiences[0].intent
                return _result(ForgetResult(id=target, done=learned.done, text=text, backups=learned.backups))
            case PassageId(kind="transcript"):
                return self._forget_message(target, yes=yes, dry_run=dry_run)
            case _ if target.startswith("transcript:"):
                return self._forget_message(target, yes=yes, dry_run=dry_run)
            case _:
                entry = self.home.notes.services.forgetting.forget(target, yes=yes, dry_run=dry_run)
                return _result(
                    ForgetResult(
                        id=target,
                        done=entry.done,
                        text=entry.entry.text,
                        backups=entry.backups,
                        path=entry.entry.path,
                    )
                )

    def _forget_message(self, target: str, *, yes: bool, dry_run: bool) -> ForgetResult:
        """Hide a message of a conversation for good; its log is not changed."""
        found, digests = self.home.finder.passages_at(target)
        services = self.home.ledger.services
        backups = tuple(services.backups.holding_bytes(found.text.encode()))
        done = not dry_run
        if done and not yes:
            raise NeedsConsent("Hiding a message for good cannot be undone. Add --yes (yes=True) to do it.")
        if done:
            self._hide(found, digests)
            self.home.indexing.read_log_again(found.path)
            services.forgetting.finish()
        return _result(ForgetResult(id=target, done=done, text=found.text, backups=backups, path=found.path))

    def _hide(self, found: Text, digests: Sequence[str]) -> None:
        from memoro.ledger.erasure import erase_repetitions, forgetting, items_at
        from memoro.ledger.forget import begin
        from memoro.model.memories import stamp

        access = self.home.ledger.services.access
        at = stamp(access.now())
        with access.ledger.writing() as tx:
            tx.forgotten.add(access.digest(tx, found.text), at)
            tx.journal.add(forgetting("transcript", found.path, at))
            items = items_at(tx, found.path, found.start_line, found.end_line)
            erase_repetitions(tx, [found.text], items)
            begin(tx, [], list(digests))


def _result(found: ForgetResult) -> ForgetResult:
    return found._replace(text="") if found.done else found


def _as_remembered(target: str, content: str) -> Remembered:
    return Remembered(id=target, path=target, line=None, text=content)
