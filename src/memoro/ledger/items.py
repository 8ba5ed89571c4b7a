"""Items: what frameworks keep by namespace and key. What one says is found as a memory with the item's number."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

from memoro.errors import Refused
from memoro.ledger.access import LedgerAccess, Once, Owner
from memoro.ledger.apply import ChangeWriter
from memoro.model.changes import ItemExpired, ItemSnapshot
from memoro.model.items import Item, ItemPut, Namespace
from memoro.model.journal import Authorship
from memoro.model.memories import MAX_BYTES, MAX_NAME, Memory, stamp
from memoro.model.results import NumbersResult

if TYPE_CHECKING:
    from memoro.ledger.ports import Transaction

MAX_VALUE_BYTES = 4 * 1024 * 1024  # of JSON: what is larger is a file
_SWEPT = 100  # expired items that one write takes out at most: nobody waits long for others' leftovers
_DIGITS = 12  # of the keys that `append` gives, so that they sort as numbers do


class Kept(NamedTuple):
    """An item that was put, and the kinds of secrets that were taken out of it."""

    item: Item
    redacted: tuple[str, ...]


class Items:
    """`m.items`. Values are JSON and come back exactly as they were given, but for secrets."""

    def __init__(self, access: LedgerAccess, owner: Owner) -> None:
        self._access = access
        self._owner = owner

    def put(self, store: str, puts: Sequence[ItemPut], *, key: str | None = None) -> list[Kept | None]:
        """Keep values, or delete where there is none: all of them or, if one is refused, none."""
        ready = [self._prepared(store, put) for put in puts]

        def work(tx: Transaction) -> NumbersResult:
            self._sweep(tx)
            return NumbersResult(tuple(self._write(tx, one) for one in ready))

        request = ("put", store, *((p.namespace, p.key, repr(p.value), p.ttl) for p in puts))
        done = self._access.once(Once(key, request, NumbersResult), work)
        return self._kept(done.ids, ready)

    def append(self, store: str, puts: Sequence[ItemPut], *, key: str | None = None) -> list[Kept | None]:
        """Keep values behind all others of their namespace, under keys that sort in the order of coming."""
        ready = [self._prepared(store, put._replace(key="-")) for put in puts]

        def work(tx: Transaction) -> NumbersResult:
            self._sweep(tx)
            numbers = []
            for one in ready:
                last = tx.items.last_key(store, one.item.namespace) or "0"
                following = f"{int(last[:_DIGITS]) + 1:0{_DIGITS}}"
                numbers.append(self._write(tx, one._replace(item=one.item._replace(key=following))))
            return NumbersResult(tuple(numbers))

        request = ("append", store, *((p.namespace, repr(p.value)) for p in puts))
        done = self._access.once(Once(key, request, NumbersResult), work)
        return self._kept(done.ids, ready)

    def get(self, store: str, namespace: Namespace, key: str) -> Item | None:
        if not _can_be_names(*namespace, key):
            return None
        with self._access.ledger.reading() as tx:
            found = tx.items.named(store, namespace, key)
        return found if found and not _is_over(found, self._now()) else None

    def below(self, store: str, prefix: Namespace = (), *, by_key: bool = False) -> list[Item]:
        """The items whose namespace begins so, the last changed first."""
        if not _can_be_names(*prefix):
            return []
        with self._access.ledger.reading() as tx:
            return list(tx.items.below(store, prefix, self._now(), by_key=by_key))

    def namespaces(self, store: str) -> list[Namespace]:
        with self._access.ledger.reading() as tx:
            return sorted(tx.items.namespaces(store, self._now()))

    def pop(self, store: str, namespace: Namespace, *, source: str | None = None) -> Item | None:
        """Take out the item with the last key."""

        def work(tx: Transaction) -> Item | None:
            last = tx.items.last_key(store, namespace)
            found = tx.items.named(store, namespace, last) if last else None
            if found:
                self._remove(tx, found, source or store)
            return found

        return self._access.write(work)

    def clear(self, store: str, namespace: Namespace, *, source: str | None = None) -> int:
        """Take out all items of a namespace; `undo` brings each back."""

        def work(tx: Transaction) -> int:
            there = [
                item for item in tx.items.below(store, namespace, "", by_key=True) if item.namespace == namespace
            ]
            for item in there:
                self._remove(tx, item, source or store)
            return len(there)

        return self._access.write(work)

    def refresh(self, items: Sequence[Item]) -> None:
        """They were used: those that expire do so as long from now as they did when they were put."""
        timed = [item for item in items if item.ttl is not None]
        if timed:
            ends = [self._end(item.ttl) or "" for item in timed]
            with self._access.ledger.writing() as tx:
                tx.items.keep_until([item.id for item in timed], ends)

    def was_forgotten(self, text: str) -> bool:
        """True if exactly this text was forgotten."""
        with self._access.ledger.reading() as tx:
            return tx.forgotten.at(self._access.digest(tx, content(text) or "")) is not None

    def _now(self) -> str:
        return stamp(self._access.now())

    def _end(self, ttl: float | None) -> str | None:
        return None if ttl is None else stamp(self._access.now() + timedelta(minutes=ttl))

    def _prepared(self, store: str, put: ItemPut) -> _Ready:
        for name in (*put.namespace, put.key):
            self._check_name(name)
        now = self._now()
        kinds: list[str] = []
        value = redacted(put.value, self._access.clean_replacing, kinds)
        says = content(put.says(value) or "") if put.value is not None else None
        text = "" if put.value is None else _json(value)
        if len(text) > MAX_VALUE_BYTES:
            raise Refused(f"The value of {put.key!r} has {len(text):,} bytes; up to {MAX_VALUE_BYTES:,} are kept.")
        try:
            ends = self._end(put.ttl)
        except (OverflowError, ValueError) as error:
            raise Refused(f"{put.ttl!r} is no number of minutes to keep something for.") from error
        session = self._access.name(put.session, "session")
        item = Item(
            id=0,
            store=store,
            namespace=put.namespace,
            key=put.key,
            value=text,
            created_at=now,
            updated_at=now,
            version=1,
            ttl=put.ttl,
            expires_at=ends,
            session=session,
        )
        memory = Memory(
            id=0, content=says or "-", source=store, trust="agent_inferred", created_at=now,
            tags=put.tags, agent=self._owner.agent, project=self._owner.project,
            session=session, valid_to=ends,
        )  # fmt: skip
        return _Ready(item=item, memory=memory if says else None, delete=put.value is None, redacted=tuple(kinds))

    def _check_name(self, name: str) -> None:
        cleaned = self._access.clean_replacing(name)
        if cleaned.redacted:
            raise Refused(
                f"A name holds a secret ({cleaned.redacted[0]}). Names are kept as they are: choose another."
            )
        if cleaned.text != name or len(name) > 5 * MAX_NAME:
            raise Refused(f"{name[:40]!r} cannot be the name of an item: it is too long, or no text.")

    def _write(self, tx: Transaction, ready: _Ready) -> int | None:
        item = ready.item
        old = tx.items.named(item.store, item.namespace, item.key)
        if ready.delete:
            if old:
                self._remove(tx, old, item.store)
            return None
        found = self._found_as(tx, old.id) if old else None
        number = old.id if old else self._next_number(tx)
        born = old.created_at if old and not _is_over(old, item.updated_at) else item.created_at
        new = item._replace(id=number, created_at=born, version=old.version + 1 if old else 1)
        self._say(tx, number, found, ready.memory)
        self._writer(tx, item.store).put_item(new, ItemSnapshot(old, found) if old else None, "put")
        return number

    def _say(self, tx: Transaction, number: int, old: Memory | None, new: Memory | None) -> None:
        """Make the memory of an item say what the item says; what use has made of it stays."""
        here = tx.memories.find(number)
        if new is None:
            if here:
                tx.memories.delete(number)
        else:
            digest = self._access.refuse_forgotten(tx, new.content, "item")
            said = new._replace(id=number) if old is None else old._replace(
                content=new.content, tags=new.tags, session=new.session, valid_to=new.valid_to,
                hit_at=new.created_at, superseded_by=None, superseded_at=None,
            )  # fmt: skip
            if here:
                tx.memories.replace(here, said, digest)
            else:
                tx.memories.insert(said, digest)
        if old and not here:
            with self._access.archive.writing() as archive:
                archive.memories.delete(number)

    def _found_as(self, tx: Transaction, number: int) -> Memory | None:
        """The memory of an item, which may be in the archive."""
        if found := tx.memories.find(number):
            return found
        with self._access.archive.reading() as archive:
            return archive.memories.find(number)

    def _next_number(self, tx: Transaction) -> int:
        number = tx.numbers.highest("memories") + 1
        tx.numbers.reserve("memories", number)
        return number

    def _remove(self, tx: Transaction, item: Item, source: str) -> None:
        found = self._found_as(tx, item.id)
        self._say(tx, item.id, found, None)
        self._writer(tx, source).remove_item(ItemSnapshot(item, found), "delete")

    def _sweep(self, tx: Transaction) -> None:
        """Take out what has expired. Its owner said how long to keep it, so that nothing is left to undo."""
        for number in tx.items.expired(self._now(), _SWEPT):
            tx.items.delete(number)
            tx.memories.delete(number)
            self._writer(tx, "ttl").record(ItemExpired(number))

    def _writer(self, tx: Transaction, actor: str) -> ChangeWriter:
        return ChangeWriter(self._access, tx, Authorship(self._now(), actor, self._owner.agent))

    def _kept(self, numbers: Sequence[int | None], ready: Sequence[_Ready]) -> list[Kept | None]:
        with self._access.ledger.reading() as tx:
            found = [tx.items.find(number or 0) for number in numbers]
        return [Kept(item, one.redacted) if item else None for item, one in zip(found, ready, strict=True)]


class _Ready(NamedTuple):
    item: Item
    memory: Memory | None
    delete: bool
    redacted: tuple[str, ...]


def content(text: str) -> str | None:
    """The part of a text that a memory can hold."""
    storable = text.encode("utf-8", "replace").decode().replace("\x00", "\ufffd").replace("\r\n", "\n")
    kept = unicodedata.normalize("NFC", storable).strip()
    if len(kept.encode()) > MAX_BYTES:
        kept = kept.encode()[:MAX_BYTES].decode(errors="ignore").strip()
    return kept or None


def redacted(value: Any, clean: Callable[[str], Any], kinds: list[str], name: str = "") -> Any:
    """The value without secrets, told by their shape or by the name they stand under; else just as it was."""
    if isinstance(value, str):
        return _without_secrets(value, clean, kinds, name)
    if isinstance(value, dict):
        return {
            _without_secrets(key, clean, kinds) if isinstance(key, str) else key: redacted(
                inner, clean, kinds, key if isinstance(key, str) else ""
            )
            for key, inner in value.items()
        }
    if isinstance(value, (list, tuple)):
        return [redacted(inner, clean, kinds, name) for inner in value]
    return value


def _without_secrets(text: str, clean: Callable[[str], Any], kinds: list[str], name: str = "") -> str:
    cleaned = clean(text)
    if not cleaned.redacted and name and text:
        cleaned, start = clean(f"{name}={text}"), f"{name}="
        if not cleaned.text.startswith(start):
            return text
        cleaned = cleaned._replace(text=cleaned.text.removeprefix(start))
    kinds += cleaned.redacted
    return str(cleaned.text) if cleaned.redacted else text  # a text without secrets stays as it is, byte for byte


def _json(value: Any) -> str:
    try:
        text = json.dumps(value, ensure_ascii=False)
        text.encode()
    except UnicodeEncodeError:  # halves of characters: only escapes can hold them
        return json.dumps(value)
    except (TypeError, ValueError, RecursionError) as error:
        raise Refused(f"A value must be JSON: {error}.") from error
    return text


def _can_be_names(*names: str) -> bool:
    """True if a database can hold them: halves of characters are not UTF-8."""
    return all(name.encode("utf-8", "replace").decode() == name for name in names)


def _is_over(item: Item, now: str) -> bool:
    return item.expires_at is not None and item.expires_at <= now
