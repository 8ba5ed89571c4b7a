"""The ledger with all that a write to it needs: a clock, a key for retries, and eyes for secrets."""

from __future__ import annotations

import hashlib
import hmac
import json
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from memoro.errors import KeyReused, MemoryRefused, Refused, StorageFull
from memoro.model import secrets
from memoro.model.experiences import canonical
from memoro.model.ledger import KeptResult
from memoro.model.memories import MAX_BYTES, MAX_NAME, stamp
from memoro.model.notes import Hidden

if TYPE_CHECKING:
    from memoro.ledger.ports import Archive, Ledger, Transaction

Tags = str | Sequence[str]
T = TypeVar("T")


class Clean(NamedTuple):
    """Text that may be kept, and the kinds of secrets that were taken out of it."""

    text: str
    redacted: tuple[str, ...]


class LedgerAccess:
    """One home's ledger and archive, as the operations on them see it."""

    def __init__(self, ledger: Ledger, archive: Archive, clock: Callable[[], datetime], known: Sequence[str]) -> None:
        self.ledger = ledger
        self.archive = archive
        self._clock = clock
        self._known = known  # values of this process's environment that are secrets
        self.after_write: Callable[[], None] = lambda: None
        self.make_room: Callable[[StorageFull], None] = _cannot

    def now(self) -> datetime:
        return self._clock().astimezone(UTC)

    def once(
        self, key: str | None, request: Iterable[Any], work: Callable[[Transaction], dict[str, Any]]
    ) -> dict[str, Any]:
        """Do a write. With a key it is done once, however often it is asked for, and the first result stands."""
        result = self._once(key, request, work)
        self.after_write()
        return result

    def _once(
        self, key: str | None, request: Iterable[Any], work: Callable[[Transaction], dict[str, Any]]
    ) -> dict[str, Any]:
        with self.ledger.writing() as tx:
            if key is None:
                return work(tx)
            asked = tuple(request)
            if kept := _kept(tx, key, asked):
                return kept
            result = work(tx)
            tx.keys.add(KeptResult(_hash(key), _hash(repr(asked)), result, stamp(self.now())))
            return result

    def done(self, key: str, request: Iterable[Any] | None = None) -> dict[str, Any] | None:
        """What a write with this key gave, where it was done already; `request` must then be the same."""
        with self.ledger.reading() as tx:
            return _kept(tx, key, None if request is None else tuple(request))

    def with_room(self, work: Callable[[], T]) -> T:
        """Do what frees space even where there is none: deleting, too, needs a little."""
        try:
            return work()
        except StorageFull as error:
            self.make_room(error)
            return work()

    def clean(self, text: str) -> Clean:
        """Before anything is kept: no secrets, and nothing that a database cannot hold."""
        storable = text.encode("utf-8", "replace").decode().replace("\x00", "\ufffd")
        return Clean(*secrets.redact(storable, self._known))

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
        cleaned = " ".join(self.clean(text).text.split())
        if not cleaned:
            raise Refused(f"The {what} is empty.")
        if len(cleaned) > MAX_NAME:
            raise Refused(f"The {what} has {len(cleaned)} characters; up to {MAX_NAME} are kept.")
        return cleaned

    def content(self, text: str, what: str = "memory") -> Clean:
        cleaned = self.clean(text)
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
        listed = given.split(",") if isinstance(given, str) else given
        named = (self.name(tag.strip().lstrip("#"), "tag") for tag in listed if tag.strip().lstrip("#").strip())
        return tuple(dict.fromkeys(tag for tag in named if tag))

    def digest(self, tx: Transaction, content: str) -> bytes:
        """Tells whether two contents are the same. With the ledger's own salt, so that it tells nobody else."""
        salt = bytes.fromhex(tx.meta.get("salt") or "")
        return hmac.digest(salt, content.encode(), "sha256")[:16]

    def hidden(self) -> Hidden:
        """What was forgotten, to be told again in conversations."""
        with self.ledger.reading() as tx:
            count = len(tx.journal.of("transcript", "forget"))
            digests, salt = tx.forgotten.digests(), bytes.fromhex(tx.meta.get("salt") or "")
        return Hidden(count, lambda said: hmac.digest(salt, said.encode(), "sha256")[:16] in digests)

    def refuse_forgotten(self, tx: Transaction, content: str, what: str = "memory") -> bytes:
        """The digest of a content that may be kept."""
        digest = self.digest(tx, content)
        if at := tx.forgotten.at(digest):
            raise _refusal(what)(f"Exactly this was forgotten on {at[:10]}, and is kept from coming back.")
        return digest

    def close(self) -> None:
        self.ledger.close()
        self.archive.close()


def _kept(tx: Transaction, key: str, request: tuple[Any, ...] | None) -> dict[str, Any] | None:
    kept = tx.keys.find(_hash(key))
    if kept and request is not None and kept.request != _hash(repr(request)):
        raise KeyReused(key)
    return dict(kept.result) if kept else None


def _refusal(what: str) -> type[Refused]:
    return MemoryRefused if what == "memory" else Refused


def _json_again(text: str) -> str:
    """What is left of JSON after a secret was cut out of it; as one text, if the cut went through its form."""
    try:
        return canonical(json.loads(text))
    except ValueError:
        return canonical(text)


def _cannot(error: StorageFull) -> None:
    raise error


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:32]
