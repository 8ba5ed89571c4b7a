"""Forgetting what an id names, with the copies that hooks and agents made of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, NamedTuple

from memoro.errors import NeedsConsent, StoreError, VaultError
from memoro.ledger.forget import ForgetChoice
from memoro.ledger.narrative_forgetting import narratives_repeating
from memoro.model.derivation import DerivedCopy, copy_of_line, made_from, statement_of
from memoro.model.notes import EXPERIENCE, MEMORY, NARRATIVE
from memoro.model.targets import ExperienceId, MemoryId, PassageId, parse_given_target

if TYPE_CHECKING:
    from memoro.model.answers import Text
    from memoro.model.derivation import DerivedLine
    from memoro.model.memories import Narrative
    from memoro.repetitions import Repetition
    from memoro.wiring import Collaborators

_NO_ITEMS_LOOKED_FOR = "Memories and experiences could not be read, so those that repeat it are not named."
_NOT_LOOKED_FOR = "Notes and conversations could not be searched, so those that repeat it are not named."


class ForgetResult(NamedTuple):
    """The result of forgetting, or of a dry run."""

    id: str
    done: bool  # False: only looked at
    text: str  # empty once it is done
    backups: tuple[str, ...] = ()  # those that still hold it
    path: str | None = None  # of the note or the log that it stands in
    derived: tuple[DerivedCopy, ...] = ()  # what was made from it, and is forgotten with it
    elsewhere: tuple[str, ...] = ()  # sentences about what this program cannot reach, and may still hold it
    repetitions: tuple[Repetition, ...] = ()  # other places that say the same, and stay


class _Derived(NamedTuple):
    lines: tuple[DerivedLine, ...] = ()
    memories: tuple[int, ...] = ()
    experiences: tuple[int, ...] = ()
    narratives: tuple[Narrative, ...] = ()
    copies: tuple[DerivedCopy, ...] = ()


class TargetForgetting(NamedTuple):
    home: Collaborators

    def forget(self, target: str, choice: ForgetChoice) -> ForgetResult:
        """Forget what the target names and, unless `only`, what was made from it. A dry run returns both.

        Other notes, conversations, memories and experiences that say the same stay, and are named.
        """
        backups = self.home.ledger.services.backups
        with backups.paused() if choice.does else nullcontext():
            looked_at = self._forget_target(target, choice._replace(dry_run=True))
            if isinstance(parse_given_target(target), MemoryId):  # which knows itself what was made from it
                found = self._forget_target(target, choice)
            else:
                found = self._forget_with_copies(target, looked_at, choice)
        for looked_for, sentence in (
            (self._items_repeating, _NO_ITEMS_LOOKED_FOR),
            (self._repetitions, _NOT_LOOKED_FOR),
        ):
            try:
                named = looked_for(target, looked_at.text, found)
            except (StoreError, VaultError):  # it is forgotten all the same
                found = found._replace(elsewhere=(*found.elsewhere, sentence))
            else:
                found = found._replace(repetitions=(*found.repetitions, *named))
        if not found.done:
            return found
        return found._replace(repetitions=tuple(one._replace(text="") for one in found.repetitions))

    def _forget_with_copies(self, target: str, looked_at: ForgetResult, choice: ForgetChoice) -> ForgetResult:
        derived = _Derived() if choice.only else self._derived(target, looked_at)
        backups = self._backups(looked_at, derived)
        if choice.does:  # copies first: broken off in between, the target is still there to be forgotten again
            self._forget_derived(derived)
        found = self._forget_target(target, choice)
        copies = tuple(copy._replace(text="") if found.done else copy for copy in derived.copies)
        text = "" if found.done else found.text
        elsewhere = tuple(self.home.ledger.opened().out_of_reach()) if found.done else ()
        return found._replace(text=text, derived=copies, backups=backups, elsewhere=elsewhere)

    def _forget_target(self, target: str, choice: ForgetChoice) -> ForgetResult:
        yes, dry_run = choice.yes, choice.dry_run
        match parse_given_target(target):
            case MemoryId(number):
                memories = self.home.ledger.services.memories.forget(
                    number, yes=yes, dry_run=dry_run, only=choice.only
                )
                text = "" if memories.done else memories.memories[0].content
                return ForgetResult(
                    id=target,
                    done=memories.done,
                    text=text,
                    backups=memories.backups,
                    derived=memories.derived,
                    elsewhere=memories.elsewhere,
                )
            case ExperienceId(number):
                learned = self.home.ledger.experiences.forget(number, yes=yes, dry_run=dry_run)
                text = learned.experiences[0].intent
                return ForgetResult(id=target, done=learned.done, text=text, backups=learned.backups)
            case PassageId(kind="transcript"):
                return self._forget_message(target, choice)
            case _ if target.startswith("transcript:"):
                return self._forget_message(target, choice)
            case _:
                entry = self.home.notes.services.forgetting.forget(target, yes=yes, dry_run=dry_run)
                return ForgetResult(
                    id=target,
                    done=entry.done,
                    text=entry.entry.text,
                    backups=entry.backups,
                    path=entry.entry.path,
                )

    def _forget_message(self, target: str, choice: ForgetChoice) -> ForgetResult:
        """Hide a message of a conversation for good; its log is not changed."""
        found, digests = self.home.finder.passages_at(target)
        services = self.home.ledger.services
        backups = tuple(services.backups.holding_bytes(found.text.encode()))
        if not choice.yes and not choice.dry_run:
            raise NeedsConsent("Hiding a message for good cannot be undone. Add --yes (yes=True) to do it.")
        if choice.does:
            paths = self._logs_holding(found)
            self._hide(found, digests)
            self.home.indexing.read_logs_again(paths)
            services.forgetting.finish()
        return ForgetResult(id=target, done=choice.does, text=found.text, backups=backups, path=found.path)

    def _logs_holding(self, found: Text) -> set[str]:
        """Return the logs with this message: somebody may have said the same in several conversations."""
        from memoro.search.repeating_passages import passages_repeating

        every = self.home.indexing.read(lambda index: passages_repeating(index, [found.text]))
        return {found.path, *(one.path for one in every if one.tier == "transcript" and one.text in found.text)}

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
            erase_repetitions(tx, [found.text, *_messages(found.text)], items)
            begin(tx, [], list(digests))

    def _derived(self, target: str, found: ForgetResult) -> _Derived:
        """Find the narratives and lines of notes that repeat a text; of a message also memories and experiences."""
        is_message = target.startswith("transcript:")
        sources = _messages(found.text) if is_message else [found.text]
        own = found.text if found.path is not None and not is_message else None  # an entry is no copy of itself
        lines = tuple(one for one in self.home.notes.copies_of(sources) if own is None or own not in one.text)
        is_made = made_from(sources)
        memories = self._memories(is_made) if is_message else {}
        experiences = self._experiences(is_made) if is_message else {}
        with self.home.ledger.services.access.ledger.reading() as tx:
            narratives = tuple(narratives_repeating(tx, sources))
        return _Derived(
            lines=lines,
            memories=tuple(memories),
            experiences=tuple(experiences),
            narratives=narratives,
            copies=(
                *(DerivedCopy(f"{MEMORY}{number}", text) for number, text in memories.items()),
                *(DerivedCopy(f"{EXPERIENCE}{number}", text) for number, text in experiences.items()),
                *(DerivedCopy(f"{NARRATIVE}{one.id}", one.summary) for one in narratives),
                *map(copy_of_line, lines),
            ),
        )

    def _memories(self, is_made: Callable[[str], bool]) -> dict[int, str]:
        access = self.home.ledger.services.access
        with access.ledger.reading() as tx:  # not at once: damage of one would be taken for damage of the other
            kept = list(tx.memories.all())
        with access.archive.reading() as archive:
            archived = list(archive.memories.all())
        return {memory.id: memory.content for memory in (*archived, *kept) if is_made(memory.content)}

    def _experiences(self, is_made: Callable[[str], bool]) -> dict[int, str]:
        with self.home.ledger.services.access.ledger.reading() as tx:
            every = list(tx.experiences.all())
        return {one.id: one.intent for one in every if is_made(one.intent) or is_made(str(one.solution))}

    def _repetitions(self, target: str, text: str, found: ForgetResult) -> tuple[Repetition, ...]:
        """Return the other places that repeat the text of a target."""
        home = self.home.home
        if home.settings.vault.path is None or home.in_memory or not self.home.indexing.is_ready():
            return ()  # without an index, nobody was given anything from notes or conversations
        from memoro.notes.loaded_entries import place_of
        from memoro.repetitions import repetitions

        is_message = target.startswith("transcript:")
        said = _messages(text) if is_message else [text]
        self.home.indexing.refresh(embed=False)  # the newest log may say it; words are compared, not meaning
        every = self.home.indexing.read(lambda index: repetitions(index, home.vault(), said))
        own = None if found.done else place_of(home.vault(), target, self.home.finder.notes_holding)
        gone = {own and own.rpartition("-")[0], *(copy.id for copy in found.derived)}
        return tuple(
            one
            for one in every
            if f"{one.path}:{one.line}" not in gone and not (is_message and _is_hidden_with(one, found, text))
        )

    def _items_repeating(self, target: str, text: str, found: ForgetResult) -> tuple[Repetition, ...]:
        """Return memories and experiences that repeat the text of a target. A message takes them along."""
        from memoro.repetitions import Repetition

        if target.startswith("transcript:"):
            return ()
        is_made = made_from([text])
        every = {f"{MEMORY}{number}": said for number, said in self._memories(is_made).items()}
        every |= {f"{EXPERIENCE}{number}": said for number, said in self._experiences(is_made).items()}
        gone = {str(parse_given_target(target)), *(copy.id for copy in found.derived)}
        return tuple(Repetition(id=id, path=id, line=0, text=said) for id, said in every.items() if id not in gone)

    def _backups(self, found: ForgetResult, derived: _Derived) -> tuple[str, ...]:
        """Name the backups that hold the target or one of its copies."""
        services = self.home.ledger.services
        named = list(found.backups)
        for copy in derived.copies:
            named += services.backups.holding_bytes(statement_of(copy.text).encode())
        if derived.memories:
            named += services.memories.forget(list(derived.memories), dry_run=True, only=True).backups
        for number in derived.experiences:
            named += self.home.ledger.experiences.forget(number, dry_run=True).backups
        return tuple(dict.fromkeys(named))

    def _forget_derived(self, derived: _Derived) -> None:
        if derived.memories:
            self.home.ledger.services.memories.forget(list(derived.memories), yes=True, only=True)
        for number in derived.experiences:
            self.home.ledger.experiences.forget(number, yes=True)
        if derived.narratives:
            self.home.ledger.services.forgetting.forget_narratives(derived.narratives)
        if derived.lines:
            self.home.notes.forget_copies(derived.lines)


def _is_hidden_with(one: Repetition, found: ForgetResult, text: str) -> bool:
    """Return whether a place is the message that a dry run looked at, a part of it, or the same in another log."""
    return not found.done and (one.text == text or (one.path == found.path and one.text in text))


def _messages(shown: str) -> list[str]:
    """Return the words of a message, which is shown as `SPEAKER: TEXT`."""
    return [shown.partition(": ")[2] or shown]
