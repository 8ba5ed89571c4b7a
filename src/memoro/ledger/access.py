"""Access to the ledger for its services: with a clock, idempotency keys, and without secrets."""

from __future__ import annotations

import hashlib
import hmac
import json
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from memoro.errors import KeyReused, MemoryRefused, OutOfScope, Refused, StorageFull
from memoro.model import secrets
from memoro.model.experiences import canonical
from memoro.model.ledger import KeptResult
from memoro.model.local_time import local_day
from memoro.model.memories import MAX_BYTES, MAX_NAME, stamp
from memoro.model.notes import Hidden
from memoro.model.results import NumbersResult, R, decode_result, encode_result
from memoro.model.scope import EVERYTHING, Scope
from memoro.model.values import require_storable, require_text, require_texts
from memoro.model.visibility import seen_as
from memoro.model.vocabulary import VISIBILITIES, Reach, Visibility, parse_choice

if TYPE_CHECKING:
    from memoro.ledger.ports import Archive, Ledger, Transaction

Tags = str | Sequence[str]
T = TypeVar("T")

# The proposal that this thread carries out. Every layer between an accepted proposal and the journal would have to
# hand it on, so it is kept here.
_CARRIED_OUT: ContextVar[int | None] = ContextVar("carried_out", default=None)
# The changes of the command that this thread runs, for the same reason; None: each change is a command of its own.
_COMMAND: ContextVar[list[int] | None] = ContextVar("command", default=None)


class Clean(NamedTuple):
    """Text that may be kept, and the kinds of secrets that were taken out of it."""

    text: str
    redacted: tuple[str, ...]


class Once(NamedTuple, Generic[R]):
    """A write that a key lets happen once: what is asked, and the kind of its result."""

    key: str | None
    request: tuple[object, ...]  # the key stands for this request; its `repr` must stay the same between versions
    result: type[R]
    earlier: tuple[object, ...] | None = None  # the request as earlier versions named it, with the client in it


class Owner(NamedTuple):
    """The agent and the project that a home was opened for."""

    agent: str | None
    project: str | None
    scope: Scope = EVERYTHING  # what they see

    def sees(self, reach: Reach = "session") -> Scope:
        """Return the scope of a reading call."""
        return self.scope if reach == "session" else EVERYTHING

    def check_change(self, what: str, agent: str | None, project: str | None) -> None:
        """Raise OutOfScope where an item to change is not visible."""
        if refusal := self.scope.refusal(what, agent, project, change=True):
            raise OutOfScope(refusal)

    def check_read(self, what: str, agent: str | None, project: str | None) -> None:
        """Raise OutOfScope where an item to read is not visible."""
        if refusal := self.scope.refusal(what, agent, project):
            raise OutOfScope(refusal)


class LedgerAccess:
    """One home's ledger and archive, as the operations on them see it."""

    def __init__(self, ledger: Ledger, archive: Archive, clock: Callable[[], datetime], known: Sequence[str]) -> None:
        self.ledger = ledger
        self.archive = archive
        self._clock = clock
        self.known = known  # values of this process's environment that are secrets
        self.after_write: Callable[[], None] = lambda: None
        self.make_room: Callable[[StorageFull], None] = _cannot

    def now(self) -> datetime:
        return self._clock().astimezone(UTC)

    def check_shared(self) -> None:
        """Raise Refused where nobody shares the ledger: nothing in it is private or shared then."""
        if self.ledger.person is None:
            raise Refused(
                "This home keeps its own ledger, so nobody else can see it, and nothing in it is private or shared. "
                "`memoro config set ledger.url URL` shares a ledger."
            )

    @contextmanager
    def seen_as(self, visibility: Visibility | None) -> Iterator[None]:
        """What the block adds is private or shared; None: as the settings say."""
        if visibility is not None:
            parse_choice(visibility, VISIBILITIES, "visibility")
            self.check_shared()
        with seen_as(visibility):
            yield

    @contextmanager
    def carrying_out(self, proposal: int | None) -> Iterator[None]:
        """The journal says of each change in the block that it carries out this proposal; None: none."""
        token = _CARRIED_OUT.set(proposal)
        try:
            yield
        finally:
            _CARRIED_OUT.reset(token)

    @contextmanager
    def one_command(self) -> Iterator[None]:
        """An undo of the last of the block's changes takes back all of them, if it names none."""
        made: list[int] = []
        token = _COMMAND.set(made)
        try:
            yield
        finally:
            _COMMAND.reset(token)
        if len(made) > 1:
            with self.ledger.writing() as tx:
                self._keep_command(tx, made)

    @contextmanager
    def other_commands(self) -> Iterator[None]:
        """The changes in the block are not of the command that runs, nor of one proposal: they were due anyway."""
        token = _COMMAND.set(None)
        try:
            with self.carrying_out(None):
                yield
        finally:
            _COMMAND.reset(token)

    def note_change(self, entry: int) -> None:
        """Count a new entry of the journal among the changes of the command that runs."""
        made = _COMMAND.get()
        if made is not None:
            made.append(entry)

    def _keep_command(self, tx: Transaction, made: Sequence[int]) -> None:
        kept = tuple(one for one in dict.fromkeys(made) if tx.journal.made_at(one) is not None)
        if len(kept) > 1:
            self.keep(tx, _command_ended_by(kept[-1]), NumbersResult(kept))

    def changes_of_command(self, tx: Transaction, last: int) -> list[int]:
        """Return the changes of the command whose last change this is, in order; a change alone is its own."""
        kept = self.kept(tx, _command_ended_by(last))
        return [one for one in kept.ids if one is not None] if kept else [last]

    @property
    def proposal(self) -> int | None:
        """The proposal that is being carried out."""
        return _CARRIED_OUT.get()

    def write(self, work: Callable[[Transaction], T]) -> T:
        """Does a write in one transaction, and the upkeep that is due after it."""
        with self.ledger.writing() as tx:
            result = work(tx)
        self.after_write()
        return result

    def once(self, once: Once[R], work: Callable[[Transaction], R]) -> R:
        """Does a write. With a key it is done once, however often it is asked for, and the first result stands."""
        return self.write(lambda tx: self._once(tx, once, work))

    def _once(self, tx: Transaction, once: Once[R], work: Callable[[Transaction], R]) -> R:
        if once.key is None:
            return work(tx)
        if done := _kept(tx, once):
            return done
        result = work(tx)
        self.keep(tx, once, result)
        return result

    def keep(self, tx: Transaction, once: Once[R], result: R) -> None:
        """Keeps the result of a write under its key, if it has one; a result that was kept before is replaced."""
        if once.key is None:
            return
        kept = KeptResult(
            key=_hash(once.key),
            request=_hash(repr(once.request)),
            result=encode_result(result),
            at=stamp(self.now()),
        )
        tx.keys.put(kept)

    def done(self, once: Once[R]) -> R | None:
        """Returns the result of a write with this key, where it was done already; the request must be the same."""
        with self.ledger.reading() as tx:
            return self.kept(tx, once)

    def kept(self, tx: Transaction, once: Once[R]) -> R | None:
        """As `done`, within a transaction."""
        return _kept(tx, once) if once.key is not None else None

    def change_of(self, key: str) -> int | None:
        """Returns the journal's entry of the write to a note with this key; 0: it made none; None: no such write."""
        with self.ledger.reading() as tx:
            kept = tx.keys.find(_hash(key))
        change = kept.result.get("change") if kept else None
        return change if isinstance(change, int) else None

    def with_room(self, work: Callable[[], T]) -> T:
        """Do work that frees space. Where there is none, the spare room is freed first: deleting needs a little."""
        try:
            return work()
        except StorageFull as error:
            self.make_room(error)
            return work()

    def clean(self, text: str, what: str = "text") -> Clean:
        """The text without secrets and NUL. Lone surrogates are refused: whoever writes can correct them."""
        storable = require_storable(text, what).replace("\x00", "\ufffd")
        return Clean(*secrets.redact(storable, self.known))

    def clean_replacing(self, text: str) -> Clean:
        """The same for text that nobody can correct, such as a message of a log: a lone surrogate becomes `?`."""
        return self.clean(require_text(text, "text").encode("utf-8", "replace").decode())

    def authored(self, text: str, *, by_agent: bool) -> Clean:
        """A text for a note: of an agent without secrets, of a person as it is. Lone surrogates are refused."""
        return self.clean(text) if by_agent else Clean(require_storable(text, "text"), ())

    def json(self, value: Any) -> Clean:
        """The text of a JSON value, without the secrets of each text in it, nor those that its keys give away."""
        redacted: list[str] = []
        text = canonical(self._each_clean(value, redacted))
        whole = self.clean(text)
        return Clean(_json_again(whole.text) if whole.redacted else text, (*redacted, *whole.redacted))

    def _each_clean(self, value: Any, redacted: list[str]) -> Any:
        if isinstance(value, str):
            cleaned = self.clean(value)
            redacted += cleaned.redacted
            return cleaned.text
        if isinstance(value, list):
            return [self._each_clean(one, redacted) for one in value]
        if isinstance(value, dict):
            return {self._each_clean(k, redacted): self._each_clean(v, redacted) for k, v in value.items()}
        return value

    def name(self, text: str | None, what: str) -> str | None:
        """A source, session or other name: one line, without secrets."""
        if text is None:
            return None
        cleaned = " ".join(self.clean(text, what).text.split())
        if not cleaned:
            raise Refused(f"The {what} is empty.")
        if len(cleaned) > MAX_NAME:
            raise Refused(f"The {what} has {len(cleaned)} characters; up to {MAX_NAME} are kept.")
        return cleaned

    def content(self, text: str, what: str = "memory") -> Clean:
        cleaned = self.clean(text, what)
        kept = unicodedata.normalize("NFC", cleaned.text.replace("\r\n", "\n")).strip()
        if not kept:
            raise _refusal(what)(f"An empty {what} says nothing. Give it a sentence.")
        if len(kept.encode()) > MAX_BYTES:
            raise _refusal(what)(
                f"This {what} has {len(kept.encode()):,} bytes; up to {MAX_BYTES:,} are kept. Store the facts one "
                "by one, and keep the text as a note."
            )
        return Clean(kept, cleaned.redacted)

    def tags(self, given: Tags) -> tuple[str, ...]:
        listed = require_texts(given, "tags")
        named = (self.name(tag.strip().lstrip("#"), "tag") for tag in listed if tag.strip().lstrip("#").strip())
        return tuple(dict.fromkeys(tag for tag in named if tag))

    def digest(self, tx: Transaction, content: str) -> bytes:
        """A digest of a content, keyed with the ledger's own salt, so that nobody else can compare it."""
        salt = bytes.fromhex(tx.meta.get("salt") or "")
        return hmac.digest(salt, content.encode(), "sha256")[:16]

    def hidden(self) -> Hidden:
        """A test for messages of conversations that were forgotten."""
        with self.ledger.reading() as tx:
            count = len(tx.journal.of("transcript", "forget"))
            digests, salt = tx.forgotten.digests(), bytes.fromhex(tx.meta.get("salt") or "")
        return Hidden(count, lambda said: hmac.digest(salt, said.encode(), "sha256")[:16] in digests)

    def refuse_forgotten(self, tx: Transaction, content: str, what: str = "memory") -> bytes:
        """The digest of a content that may be kept."""
        digest = self.digest(tx, content)
        if at := tx.forgotten.at(digest):
            raise _refusal(what)(f"Exactly this was forgotten on {local_day(at)}, and is kept from coming back.")
        return digest

    def close(self) -> None:
        self.ledger.close()
        self.archive.close()


def _command_ended_by(entry: int) -> Once[NumbersResult]:
    return Once(f"memoro:command:{entry}", ("command", entry), NumbersResult)


def _kept(tx: Transaction, once: Once[R]) -> R | None:
    kept = tx.keys.find(_hash(require_text(once.key or "", "key")))
    if kept is None:
        return None
    known = (once.request, once.earlier) if once.earlier is not None else (once.request,)
    if kept.request not in [_hash(repr(request)) for request in known]:
        raise KeyReused(once.key or "")
    try:
        return decode_result(once.result, kept.result)
    except ValueError:  # another kind of write kept it, or a foreign export did
        raise KeyReused(once.key or "") from None


def _refusal(what: str) -> type[Refused]:
    return MemoryRefused if what == "memory" else Refused


def _json_again(text: str) -> str:
    """Parse JSON that a secret was cut out of; where the cut broke its form, it becomes one text."""
    try:
        return canonical(json.loads(text))
    except ValueError:
        return canonical(text)


def _cannot(error: StorageFull) -> None:
    raise error


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:32]
