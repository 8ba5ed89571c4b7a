"""A person's rating of one item that an agent was given: good, or wrong (muted)."""

from __future__ import annotations

import hmac
import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from memoro.errors import Refused, SessionNotFound, StoreError
from memoro.ledger.access import LedgerAccess, Once, Owner
from memoro.ledger.apply import ChangeWriter
from memoro.model.changes import ItemSnapshot
from memoro.model.experiences import identity
from memoro.model.items import Item, Namespace
from memoro.model.journal import Authorship
from memoro.model.memories import stamp
from memoro.model.ratings import (
    GOOD,
    MUTED,
    STORE,
    MutedWords,
    Rating,
    entry_at,
    passage_key,
    rated_passages,
    rating_of,
    statements_in,
    to_value,
)
from memoro.model.recall import RecalledItem
from memoro.model.recalls import StoredRecall
from memoro.model.results import RatingResult
from memoro.model.sessions import DEMOTED, REINFORCED
from memoro.model.targets import ExperienceId, FilePath, MemoryId, parse_given_target, parse_target
from memoro.sessions.encoding import decode_recall

if TYPE_CHECKING:
    from memoro.experiences.lifecycle import Experiences
    from memoro.ledger.ports import Transaction
    from memoro.memories.lifecycle import Memories

SOURCE = "feedback"  # of the changes that ratings make
_KEY_CHARACTERS = 300  # of an item's id, in the key that the journal shows
_LINE_DIGITS = 9  # no file has more lines, and longer numbers take long to read
_GONE = "What was given there was forgotten, so nothing is left to rate."


class GivenPlace(NamedTuple):
    """Which of the recalls that gave an item is meant; by default the last."""

    session: str | None = None
    recall: int | None = None


LAST_TIME = GivenPlace()


class RatedItem(NamedTuple):
    """An item that was rated."""

    item: str
    word: str  # muted, good, or allowed: a mute was lifted
    session: str
    recall: int
    change: int  # of the journal; `undo` reverts it
    new: bool = True  # False: it was so already


class MutedItem(NamedTuple):
    """An item that is not given unasked."""

    item: str
    kind: str
    path: str
    session: str
    recall: int
    since: str
    text: str  # as it was given; empty where it was forgotten
    change: int  # by which it was muted
    lapsed: bool = False  # its memory says something else now, so it may be given


class GivenRatings:
    """`m.ratings`."""

    def __init__(
        self,
        access: LedgerAccess,
        owner: Owner,
        memories: Memories,
        experiences: Callable[[], Experiences],
        after_muting: Callable[[], object],
    ) -> None:
        """`after_muting` lets the index know that something is muted: a damaged ledger could no longer tell."""
        self._access = access
        self._owner = owner
        self._memories = memories
        self._experiences = experiences
        self._after_muting = after_muting

    def wrong(self, item: str, place: GivenPlace = LAST_TIME, *, key: str | None = None) -> RatedItem:
        """Mute an item: no agent is given its words unasked again. Searches and asked recalls still find them."""

        def work(tx: Transaction) -> RatingResult:
            found = self._find(tx, item, place)
            rating = self._rating(tx, found)
            return self._keep(tx, MUTED, found, rating)

        done = self._access.once(Once(key, ("wrong", item, *place), RatingResult), work)
        with suppress(StoreError):  # it is muted all the same, and the next sync follows
            self._after_muting()
        return RatedItem(
            item=done.item, word="muted", session=done.session, recall=done.recall, change=done.change, new=done.new
        )

    def good(self, item: str, place: GivenPlace = LAST_TIME, *, key: str | None = None) -> RatedItem:
        """An item helped: it counts for it, and a memory or an experience is reinforced."""
        with self._access.ledger.reading() as tx:
            found = self._find(tx, item, place)
        if found.item.kind in ("memory", "experience"):
            return self._reinforced(found, key)

        def work(tx: Transaction) -> RatingResult:
            self._refuse_muted(tx, found)
            rating = self._rating(tx, found)._replace(word=REINFORCED, passages=(), content="", said=())
            return self._keep(tx, GOOD, found, rating)

        done = self._access.once(Once(key, ("good", item, *place), RatingResult), work)
        return RatedItem(
            item=done.item, word="good", session=done.session, recall=done.recall, change=done.change, new=done.new
        )

    def allow(self, item: str, place: GivenPlace = LAST_TIME, *, key: str | None = None) -> RatedItem:
        """Lift the mute of an item: it may be given unasked again.

        Of a recall that is named, an item that only says what another one was muted for is allowed too.
        """

        def work(tx: Transaction) -> RatingResult:
            every = _ratings(tx, MUTED)
            kept = [(row, one) for row, one in every if one.item == item]
            if not kept:
                shown = self._id_of(tx, item, place)
                kept = [(row, one) for row, one in every if one.item == shown]
            if not kept and place.recall is not None:
                meant = self._rating(tx, self._find(tx, item, place))
                kept = [(row, one) for row, one in every if one.overlaps(meant)]
            if not kept:
                raise SessionNotFound(f"{item[:200]!r} is not muted. `memoro given muted` lists what is.")
            for row, rating in kept:
                tx.sessions.take_back(rating.recall, rating.item, rating.word)
                self._writer(tx).remove_item(ItemSnapshot(row, None), "delete")
            rating = kept[0][1]
            change = tx.journal.last()
            return RatingResult(
                item=rating.item, session=rating.session, recall=rating.recall, change=change, new=True
            )

        parse_given_target(item)
        with self._access.one_command():  # several mutes may hold one item back
            done = self._access.once(Once(key, ("allow", item, *place), RatingResult), work)
        return RatedItem(item=done.item, word="allowed", session=done.session, recall=done.recall, change=done.change)

    def muted(self, limit: int = -1) -> list[MutedItem]:
        """Return what is muted, the last first."""
        with self._access.ledger.reading() as tx:
            kept = [one for one in _ratings(tx, MUTED) if self._may_see(tx, one[1])]
            return [self._told(tx, row, one) for row, one in (kept if limit < 0 else kept[:limit])]

    def count(self) -> int:
        """Return how much is muted."""
        with self._access.ledger.reading() as tx:
            return sum(1 for _ in tx.items.below(STORE, MUTED, ""))

    def _find(self, tx: Transaction, item: str, place: GivenPlace) -> _Found:
        """Return an item as a session was given it, by its id or its place.

        A line of a note that was loaded whole counts as an item.
        """
        parse_given_target(item)
        row = self._recall_of(tx, item, place)
        if row is not None:
            recall = decode_recall(tx, row)
            session = tx.sessions.find(row.session)
            if session is not None:
                self._owner.check_change(f"the session {session.id!r}", session.scope.agent, session.scope.project)
            for one in recall.given:
                if one.item.id == item:
                    if one.forgotten:
                        raise SessionNotFound(_GONE)
                    return _Found(one.item, row, is_whole=True)
            for one in recall.given:
                if line := _line_within(item, one.item):
                    return _Found(line, row, is_whole=False)
            if shown := _at_place(item, [one.item for one in recall.given if not one.forgotten]):
                return _Found(shown, row, is_whole=True)
            for one in recall.given:
                if _is_within(item, one.item):
                    raise SessionNotFound(
                        f"{item[:200]} was given as a part of lines {one.item.start_line}-{one.item.end_line}. "
                        f"Name them all by their id: {one.item.id}"
                    )
        raise SessionNotFound(f"No session was given {item[:200]!r}. `memoro given day` lists what was given today.")

    def _id_of(self, tx: Transaction, item: str, place: GivenPlace) -> str:
        """Return the id of what was given at a place; the text itself where nothing was."""
        try:
            return self._find(tx, item, place).item.id
        except SessionNotFound:
            return item

    def _recall_of(self, tx: Transaction, item: str, place: GivenPlace) -> StoredRecall | None:
        session, number = self._access.name(place.session, "session"), place.recall
        if number is not None:
            found = tx.sessions.numbered(number)
            return found if found is not None and session in (None, found.session) else None
        if found := tx.sessions.last_with(item, session):
            return found
        if not isinstance(parse_target(item), FilePath):
            return None
        lines = _parse_lines(item)
        recalls = tx.sessions.all_recalls() if session is None else tx.sessions.recalls(session)
        return max((one for one in recalls if _gave(one, lines)), key=lambda one: one.number, default=None)

    def _rating(self, tx: Transaction, found: _Found) -> Rating:
        item = found.item
        digest = _keyed(tx)
        return Rating(
            item=item.id,
            kind=item.kind,
            path=item.path,
            session=found.row.session,
            recall=found.row.number,
            word=DEMOTED,
            passages=rated_passages(item) if found.is_whole else (),
            content=_content_digest(tx, item.id, digest),
            said=tuple(map(digest, statements_in(item.text))) if item.kind != "experience" else (),
        )

    def _keep(self, tx: Transaction, namespace: Namespace, found: _Found, rating: Rating) -> RatingResult:
        """Keep a rating as an item of the ledger, which journal, undo, export and backups know."""
        told = self._access.clean_replacing(rating.item).text[:_KEY_CHARACTERS]
        about = (*rating.said, *rating.passages, rating.content) if namespace == MUTED else (str(rating.recall),)
        mark = _keyed(tx)("\n".join(about))[:8]
        at, name = stamp(self._access.now()), f"{told} ({mark})"
        old = tx.items.named(STORE, namespace, name)
        if old is not None:
            return RatingResult(
                item=rating.item,
                session=rating.session,
                recall=rating.recall,
                change=_change_of(tx, old.id),
                new=False,
            )
        number = tx.numbers.highest("memories") + 1
        tx.numbers.reserve("memories", number)
        row = Item(
            id=number,
            store=STORE,
            namespace=namespace,
            key=name,
            value=json.dumps(to_value(rating), ensure_ascii=False),
            created_at=at,
            updated_at=at,
            session=rating.session,
        )
        self._writer(tx).put_item(row, None, "put")
        if found.is_whole:
            tx.sessions.note_again(rating.recall, rating.item, rating.word)
        return RatingResult(
            item=rating.item, session=rating.session, recall=rating.recall, change=tx.journal.last(), new=True
        )

    def _reinforced(self, found: _Found, key: str | None) -> RatedItem:
        session = found.row.session
        with self._access.ledger.reading() as tx:
            self._refuse_muted(tx, found)
        match parse_target(found.item.id):
            case MemoryId(number=number):
                self._memories.reinforce(number, session=session, source=SOURCE, key=key)
            case ExperienceId(number=number):
                self._experiences().mark_used(number, 1.0, session=session, source=SOURCE, key=key)
            case _:
                raise Refused(f"{found.item.id!r} is neither a memory nor an experience.")
        with self._access.ledger.reading() as tx:
            kind = "memory" if found.item.kind == "memory" else "experience"
            change = tx.journal.history(kind, number)[-1].id
        return RatedItem(item=found.item.id, word="good", session=session, recall=found.row.number, change=change)

    def _refuse_muted(self, tx: Transaction, found: _Found) -> None:
        words = muted_words(tx)
        if words and words.item_without(found.item) != found.item:
            raise Refused(
                f"{found.item.id!r} is muted. Unmute it first: `memoro given allow`, with the id as "
                "`memoro given muted` lists it."
            )

    def _told(self, tx: Transaction, row: Item, rating: Rating) -> MutedItem:
        found = tx.sessions.numbered(rating.recall)
        given = decode_recall(tx, found).given if found is not None else ()
        texts = [one.item.text for one in given if one.item.id == rating.item]
        texts = texts or [line.text for one in given if (line := _line_within(rating.item, one.item))]
        return MutedItem(
            item=rating.item,
            kind=rating.kind,
            path=rating.path,
            session=rating.session,
            recall=rating.recall,
            since=row.created_at,
            text=texts[0] if texts else "",
            change=_change_of(tx, row.id),
            lapsed=_has_lapsed(tx, rating, _keyed(tx)),
        )

    def _may_see(self, tx: Transaction, rating: Rating) -> bool:
        session = tx.sessions.find(rating.session)
        return session is None or self._owner.scope.owns(session.scope.agent, session.scope.project)

    def _writer(self, tx: Transaction) -> ChangeWriter:
        return ChangeWriter(self._access, tx, Authorship(stamp(self._access.now()), SOURCE, self._owner.agent))


class _Lines(NamedTuple):
    """A place as `session show` prints it: `PATH:LINE` or `PATH:FROM-TO`; a bare `PATH` has no lines."""

    path: str
    first: int = 0
    last: int = 0


class _Found(NamedTuple):
    item: RecalledItem  # with the text that was given
    row: StoredRecall
    is_whole: bool  # False: a line of an item


def muted_words(tx: Transaction) -> MutedWords:
    """Return all that is muted. A memory that says something else by now is not."""
    kept = [one for _, one in _ratings(tx, MUTED)]
    if not kept:
        return MutedWords()
    digest = _keyed(tx)
    in_force = [one for one in kept if not _has_lapsed(tx, one, digest)]
    return MutedWords(
        frozenset(key for one in in_force for key in one.passages),
        frozenset(said for one in in_force for said in one.said),
        digest,
    )


def _ratings(tx: Transaction, namespace: Namespace) -> list[tuple[Item, Rating]]:
    rows = tx.items.below(STORE, namespace, "")
    return [(row, one) for row in rows if row.namespace == namespace and (one := rating_of(row))]


def _has_lapsed(tx: Transaction, rating: Rating, digest: Callable[[str], str]) -> bool:
    """Return whether the memory or experience that was muted says something else by now."""
    if not rating.content:
        return False
    return _content_digest(tx, rating.item, digest) not in ("", rating.content)


def _content_digest(tx: Transaction, item: str, digest: Callable[[str], str]) -> str:
    match parse_target(item):
        case MemoryId(number=number):
            memory = tx.memories.find(number)
            return digest(memory.content) if memory else ""
        case ExperienceId(number=number):
            learned = tx.experiences.find(number)
            return digest(identity(learned)) if learned else ""
        case _:
            return ""


def _keyed(tx: Transaction) -> Callable[[str], str]:
    """A digest that is keyed with the ledger's own salt, as all its digests are."""
    salt = bytes.fromhex(tx.meta.get("salt") or "")
    return lambda text: hmac.digest(salt, text.encode("utf-8", "replace"), "sha256")[:12].hex()


def _change_of(tx: Transaction, number: int) -> int:
    """Return the change that put an item where it is."""
    return next((one.id for one in reversed(tx.journal.history("item", number)) if one.undone_by is None), 0)


def _line_within(id: str, item: RecalledItem) -> RecalledItem | None:
    """Return one entry of a note that was loaded, as an item of its own."""
    path, _, line = id.rpartition(":")
    if path != item.path or not line.isdigit() or passage_key(item.id) or len(line) > _LINE_DIGITS:
        return None
    text = entry_at(item.text, item.start_line, int(line))
    return item._replace(id=id, start_line=int(line), end_line=int(line), text=text, passages=()) if text else None


def _is_within(id: str, item: RecalledItem) -> bool:
    path, _, line = id.rpartition(":")
    return path == item.path and line.isdigit() and item.start_line <= int(line[:_LINE_DIGITS]) <= item.end_line


def _parse_lines(text: str) -> _Lines:
    path, _, lines = text.rpartition(":")
    first, dash, last = lines.partition("-")
    if not path or not _is_line(first) or (dash and not _is_line(last)):
        return _Lines(text)
    return _Lines(path, int(first), int(last or first))


def _is_line(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= _LINE_DIGITS and int(text) > 0


def _gave(row: StoredRecall, lines: _Lines) -> bool:
    """Return whether a recall gave these lines as one item, or this line within one."""
    given = [(one["start_line"], one["end_line"]) for one in row.detail["items"] if one["path"] == lines.path]
    if lines.first == lines.last != 0:
        return any(first <= lines.first <= last for first, last in given)
    return bool(given) if not lines.first else lines[1:] in given


def _at_place(text: str, items: Sequence[RecalledItem]) -> RecalledItem | None:
    """Return the one item with exactly these lines, or of this file. Raises where the file has several."""
    lines = _parse_lines(text)
    found = {
        one.id: one
        for one in items
        if one.path == lines.path and (not lines.first or (one.start_line, one.end_line) == lines[1:])
    }
    if len(found) > 1:
        raise SessionNotFound(f"{len(found)} items of {text[:200]} were given. Name one: {', '.join(found)}")
    return next(iter(found.values()), None)
