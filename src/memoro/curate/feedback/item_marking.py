"""The effect of feedback on what was given for the question: scores, outcomes, and mutes of what a note corrects."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from memoro.curate.feedback.corrected_items import corrects
from memoro.errors import NotFound, OutOfScope
from memoro.ledger.access import LedgerAccess
from memoro.memories.lifecycle import Memories
from memoro.model.feedback import SOURCE, FeedbackEntry
from memoro.model.notes import EXPERIENCE
from memoro.model.ratings import rated_passages
from memoro.model.recall import RecalledItem
from memoro.model.sessions import DEMOTED, REINFORCED, RecordedRecall
from memoro.model.targets import ExperienceId, MemoryId, PassageId, parse_target
from memoro.model.vocabulary import LEDGER_KINDS, PERSON, Feedback, FeedbackKind
from memoro.sessions.rating import GivenPlace, GivenRatings

if TYPE_CHECKING:
    from memoro.experiences.lifecycle import Experiences

MUTED, NOTED, BEFORE = "muted", "noted", "marked before in this conversation"
_WORDS: dict[FeedbackKind, Feedback] = {"wrong": DEMOTED, "good": REINFORCED}
_OUTCOMES: dict[FeedbackKind, float] = {"wrong": 0.0, "good": 1.0}  # of an experience that was given


class MarkedItem(NamedTuple):
    """Something that was given for the question, and what the feedback did to it."""

    id: str
    change: str  # "demoted", "muted", "muted and demoted", "reinforced", "noted", or why nothing was done
    place: str = ""  # PATH:LINE of a note or a message, and of a muted passage all its lines; else the id


class ItemMarks(NamedTuple):
    """Feedback with all that its conversation was given, and of it what answered the question."""

    entry: FeedbackEntry
    recalls: Sequence[RecordedRecall]
    given: Sequence[RecordedRecall]


class _Given(NamedTuple):
    item: RecalledItem
    recall: RecordedRecall


class ItemMarking(NamedTuple):
    """Marks what was given, each item once in a conversation, whatever marked it before."""

    access: LedgerAccess
    memories: Memories
    experiences: Callable[[], Experiences]
    ratings: GivenRatings
    passage_lines: Callable[[PassageId], tuple[int, int] | None]  # first and last; None: it is gone since

    def mark(self, marks: ItemMarks) -> Iterator[MarkedItem]:
        """Demote or reinforce what was given, and mute what the owner's note corrects."""
        word = _WORDS[marks.entry.kind]
        marked = {one.item.id for recall in marks.recalls for one in recall.given if word in one.feedback}
        by_item = {one.item.id: _Given(one.item, recall) for recall in marks.given for one in recall.given}
        for id, given in by_item.items():
            is_told = id.startswith(EXPERIENCE) and self._is_told(id, marks.recalls[0].at)
            is_done = is_told if id.startswith(EXPERIENCE) else id in marked
            change = BEFORE if is_done else self._mark_item(given, marks.entry.kind)
            if is_corrected(marks.entry, given.item) and self._mute(given):
                change = f"{MUTED} and {change}" if change == DEMOTED else MUTED
                yield MarkedItem(id, change, self._muted_place(given.item))
            else:
                yield MarkedItem(id, change, _place(given.item))

    def _muted_place(self, item: RecalledItem) -> str:
        """Return the place of an item that was muted. In an ordinary note the mute covers more than was given."""
        if item.kind != "note" or not rated_passages(item):
            return _place(item)
        ids = [parse_target(one) for one in (item.id, *item.passages)]
        passages = [one for one in ids if isinstance(one, PassageId) and one.path == item.path]
        found = sorted({span for one in passages if (span := self.passage_lines(one))})
        lines = ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in found)
        return f"{item.path}:{lines}, the whole passage" if lines else _place(item)

    def _mark_item(self, given: _Given, kind: FeedbackKind) -> str:
        """Change the score of one item; return what was done, or why nothing was."""
        item, session, word = given.item.id, given.recall.session, _WORDS[kind]
        try:
            match parse_target(item):
                case MemoryId(number=number):
                    change = self.memories.demote if kind == "wrong" else self.memories.reinforce
                    change(number, session=session, source=SOURCE)
                case ExperienceId(number=number):
                    self.experiences().mark_used(number, _OUTCOMES[kind], session=session, source=SOURCE)
                case _:
                    with self.access.ledger.writing() as tx:
                        tx.sessions.note(item, word, session)
                    return NOTED
        except NotFound:
            return "gone since"
        except OutOfScope as error:
            return str(error)
        return word

    def _mute(self, given: _Given) -> bool:
        """Mute an item as `memoro given wrong` does; return whether it was not muted before."""
        try:
            return self.ratings.wrong(given.item.id, GivenPlace(given.recall.session, given.recall.number)).new
        except (NotFound, OutOfScope):  # the score says so already
            return False

    def _is_told(self, item: str, since: str) -> bool:
        """Return whether feedback has told of the outcome of an experience since then, and was not undone."""
        number = int(item.removeprefix(EXPERIENCE))
        with self.access.ledger.reading() as tx:
            entries = tx.journal.history("experience", number)
        return any(one.actor == SOURCE and one.at >= since and one.undone_by is None for one in entries)


def is_corrected(entry: FeedbackEntry, item: RecalledItem) -> bool:
    """Return whether the owner's own note says otherwise than an item. What an agent says mutes nothing."""
    is_owners = entry.kind == "wrong" and entry.by == PERSON
    return is_owners and item.kind != "experience" and corrects(entry.note, entry.question, item.text)


def _place(item: RecalledItem) -> str:
    return item.id if item.kind in LEDGER_KINDS else f"{item.path}:{item.start_line}"
