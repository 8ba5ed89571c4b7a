"""The records of an export and their JSON form, which is read as if an enemy had written it."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from functools import cache
from types import UnionType
from typing import Any, Literal, NamedTuple, Protocol, Union, get_args, get_origin, get_type_hints

from memoro.errors import ConfigError
from memoro.model.change_codec import ChangeColumns, decode, encode
from memoro.model.changes import UnknownChange
from memoro.model.experiences import Experience, canonical
from memoro.model.items import Item
from memoro.model.journal import JournalEntry
from memoro.model.ledger import ForgottenDigest, GivenMemory, KeptResult
from memoro.model.memories import MAX_BYTES, Link, Memory, Narrative, moment, stamp
from memoro.model.vocabulary import EXPERIENCE_TYPES, TRUSTS

FORMAT = 1
_HEXADECIMAL = {"salt", "key", "request", "digest"}
_STAMPS = {"at", "created_at", "hit_at", "used_at", "archived_at", "superseded_at", "valid_from", "valid_to"}
_STAMPS |= {"updated_at", "expires_at"}
_SALT_BYTES = 16


# What the fields of a change are put into, to see whether it is an experience still.
_ANY_EXPERIENCE = Experience(
    id=1,
    type=EXPERIENCE_TYPES[0],
    intent="any",
    solution_json="0",
    success=1.0,
    source="agent",
    trust=TRUSTS[0],
    created_at="2026-01-01T00:00:00.000Z",
)


class Header(NamedTuple):
    """Values of the whole ledger. Its identity is not among them: a new home has its own."""

    format: int
    salt: str  # the digests of what was forgotten are keyed with it, and mean nothing without it
    sequences: Mapping[str, Any]  # the highest numbers ever given, so that none is given again


class ExportedMemory(NamedTuple):
    """A memory, in the ledger or in the archive."""

    memory: Memory
    archived: bool


class End(NamedTuple):
    """The last record: an export without it was cut off."""

    records: int


class ImportProblem(NamedTuple):
    """Something about a file that its owner should know, and where it is."""

    place: str
    sentence: str


class ChangeRecord(NamedTuple):
    """An entry of the journal as an export has it."""

    id: int
    at: str
    operation: str
    actor: str
    kind: str
    item: int | str
    before: Mapping[str, Any] | None
    after: Mapping[str, Any] | None
    undoes: int | None
    undone_by: int | None
    agent: str | None


Record = (
    Header
    | ExportedMemory
    | Experience
    | Item
    | Narrative
    | Link
    | GivenMemory
    | KeptResult
    | ForgottenDigest
    | JournalEntry
    | End
)
_NAMES: dict[str, type[tuple[Any, ...]]] = {
    "memory": Memory,
    "experience": Experience,
    "item": Item,
    "narrative": Narrative,
    "link": Link,
    "given": GivenMemory,
    "key": KeptResult,
    "forgotten": ForgottenDigest,
    "change": ChangeRecord,
    "end": End,
}


def to_document(record: Record) -> dict[str, Any]:
    """A record as JSON. What is not said is not written."""
    if isinstance(record, Header):
        return {"memoro": "ledger", **record._asdict()}
    if isinstance(record, ExportedMemory):
        return {"record": "memory", **({"archived": True} if record.archived else {}), **_said(record.memory)}
    if isinstance(record, JournalEntry):
        return {"record": "change", **_said(_to_change_record(record))}
    name = next(name for name, kind in _NAMES.items() if kind is type(record))
    return {"record": name, **_said(record)}


class _Fields(Protocol):
    """A NamedTuple of any kind."""

    def _asdict(self) -> dict[str, Any]: ...


def _said(record: _Fields) -> dict[str, Any]:
    fields = record._asdict()
    fields.pop("next", None)  # the other end of a narrative's `previous`
    return {name: value for name, value in fields.items() if value is not None and value != ()}


def from_document(document: object) -> Record:
    """The record that JSON tells of; ValueError with a few words where it tells of none."""
    if not isinstance(document, dict):
        raise ValueError("not a record of an export")
    fields = dict(document)
    if fields.pop("memoro", None) == "ledger":
        return _header(fields)
    kind = _NAMES.get(str(fields.pop("record", None)))
    if kind is None:
        raise ValueError("not a record that this version knows")
    if kind is Memory:
        archived = fields.pop("archived", False)
        return held(fields, archived=archived is True)
    if kind is Experience:
        return lived(fields)
    record: Any = build(kind, fields)
    if isinstance(record, ChangeRecord):
        return _to_entry(record)
    if isinstance(record, Item):
        _check_value(record)
    if isinstance(record, Link) and not (record.low < record.high and record.strength > 0):
        raise ValueError("not a link between two memories")
    return record  # type: ignore[no-any-return]


def held(fields: Mapping[str, Any], *, archived: bool) -> ExportedMemory:
    memory = build(Memory, fields)
    assert isinstance(memory, Memory)
    if len(memory.content.encode()) > 2 * MAX_BYTES:  # what was put in the place of secrets may have lengthened it
        raise ValueError("its content is too long")
    if not memory.content.strip():
        raise ValueError("its content is empty")
    if any(not tag or "\n" in tag for tag in memory.tags):
        raise ValueError("a tag is empty or has several lines")
    return ExportedMemory(memory, archived)


def lived(fields: Mapping[str, Any]) -> Experience:
    experience = build(Experience, fields)
    assert isinstance(experience, Experience)
    if not 0 <= experience.success <= 1 or experience.uses < 0 or experience.outcomes < 0:
        raise ValueError("its success or its counts are not as they should be")
    if max(len(experience.intent.encode()), len(experience.solution_json.encode())) > 2 * MAX_BYTES:
        raise ValueError("it is too long")
    if not experience.intent.strip() or any(not tag or "\n" in tag for tag in experience.tags):
        raise ValueError("its intent or a tag is empty")
    if canonical(json.loads(experience.solution_json)) != experience.solution_json:
        raise ValueError("its solution is not as it should be")
    return experience._replace(success=float(experience.success))


def build(kind: type[tuple[Any, ...]], fields: Mapping[str, Any]) -> Any:
    """A value of this kind; ValueError where a field is unknown, missing or of the wrong type."""
    hints = hints_of(kind)
    if unknown := fields.keys() - hints.keys():
        raise ValueError(f"unknown field {min(map(str, unknown))!r}")
    made = {name: _checked(_meaning(kind, name), value, hints[name]) for name, value in fields.items()}
    whole = {**_defaults(kind), **made}
    if missing := [name for name in hints if name not in whole]:
        raise ValueError(f"{missing[0]} is missing")
    if empty := [name for name, value in made.items() if value == ""]:
        raise ValueError(f"{empty[0]} is empty")
    if made.get("id", 1) < 1:
        raise ValueError("id is not above 0")
    return kind(**whole)


def _meaning(kind: type[tuple[Any, ...]], name: str) -> str:
    return "name" if kind is Item and name == "key" else name  # the key of a write is a digest


@cache
def hints_of(kind: type[tuple[Any, ...]]) -> dict[str, Any]:
    return get_type_hints(kind)


@cache
def _defaults(kind: type[tuple[Any, ...]]) -> dict[str, Any]:
    found: dict[str, Any] = getattr(kind, "_field_defaults", {})
    # A field that may be nothing is left out of a record where it is nothing.
    return found | {name: None for name, hint in hints_of(kind).items() if type(None) in get_args(hint)}


def _header(fields: dict[str, Any]) -> Header:
    if isinstance(fields.get("format"), int) and fields["format"] > FORMAT:
        raise ConfigError(
            f"The export has format {fields['format']}, this version knows {FORMAT}. Update Memoro; "
            "nothing was changed."
        )
    header = build(Header, fields)
    assert isinstance(header, Header)
    if len(bytes.fromhex(header.salt)) < _SALT_BYTES:
        raise ValueError("its salt is too short")
    for number in header.sequences.values():
        _checked("sequences", number, int)
    return header


def _checked(name: str, value: Any, hint: Any) -> Any:
    if get_origin(hint) in (Union, UnionType):
        if value is None and type(None) in get_args(hint):
            return None
        options = [one for one in get_args(hint) if one is not type(None)]
        return _checked(name, value, next((one for one in options if _fits(value, one)), options[0]))
    if get_origin(hint) is tuple and isinstance(value, (list, tuple)):
        return tuple(_checked(name, one, get_args(hint)[0]) for one in value)
    if get_origin(hint) is Literal:
        if value not in get_args(hint):
            raise ValueError(f"no such {name}: {value!r}")
        return value
    if not _fits(value, hint):
        raise ValueError(f"{name} is not as it should be")
    if name in _HEXADECIMAL:
        bytes.fromhex(value)
    if name in _STAMPS and not _is_stamp(value):
        raise ValueError(f"{name} is not a time such as 2026-03-05T14:02:11.123Z")
    return value


def _fits(value: Any, hint: Any) -> bool:
    if hint is bool or isinstance(value, bool):
        return hint is bool and isinstance(value, bool)
    if hint is int:
        return isinstance(value, int) and -(2**63) <= value < 2**63
    if hint is float:
        return isinstance(value, (int, float)) and math.isfinite(value)
    if hint is str:
        return isinstance(value, str) and is_text(value)
    return get_origin(hint) is Mapping and isinstance(value, dict)


def is_text(value: str) -> bool:
    """True if a database can hold it, byte for byte."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return "\x00" not in value


def _is_stamp(value: str) -> bool:
    try:
        return stamp(moment(value)) == value
    except (ValueError, OverflowError):
        return False


def _to_change_record(entry: JournalEntry) -> ChangeRecord:
    columns = encode(entry.change)
    return ChangeRecord(
        id=entry.id,
        at=entry.at,
        operation=columns.operation,
        actor=entry.actor,
        kind=columns.kind,
        item=columns.item,
        before=None if columns.before is None else json.loads(columns.before),
        after=None if columns.after is None else json.loads(columns.after),
        undoes=entry.undoes,
        undone_by=entry.undone_by,
        agent=entry.agent,
    )


def _to_entry(record: ChangeRecord) -> JournalEntry:
    """Returns the entry of the journal, which must not only be read but also be taken back; else ValueError."""
    _check_entry(record)
    sides = [None if side is None else json.dumps(side, ensure_ascii=False) for side in (record.before, record.after)]
    change = decode(
        ChangeColumns(operation=record.operation, kind=record.kind, item=record.item, before=sides[0], after=sides[1])
    )
    if isinstance(change, UnknownChange):
        raise ValueError("a change that this version does not understand")
    return JournalEntry(
        id=record.id,
        at=record.at,
        actor=record.actor,
        change=change,
        agent=record.agent,
        undoes=record.undoes,
        undone_by=record.undone_by,
    )


def _check_entry(entry: ChangeRecord) -> None:
    before, after = entry.before, entry.after
    if isinstance(entry.item, str) and entry.kind != "transcript":  # a note, which has a path, is in no export
        raise ValueError("item is not as it should be")
    if entry.kind in ("narrative", "transcript"):
        if before is not None:
            build(Narrative, before)
    elif entry.kind == "experience" and before is not None and after is None:
        lived(before)
    elif entry.kind == "experience":
        _check_fields(hints_of(Experience), before or {}, after or {})
        for fields in (before or {}, after or {}):
            lived({**_ANY_EXPERIENCE._asdict(), **fields})
    elif entry.kind == "item":
        _check_item(before, after)
    elif entry.kind != "memory":
        raise ValueError(f"a change of a kind that this version does not know: {entry.kind!r}")
    elif before is not None and after is None:  # it went: what is left of it must be whole
        held(before, archived=False)
    else:
        _check_change(entry.operation, before or {}, after or {})


def _check_item(before: Mapping[str, Any] | None, after: Mapping[str, Any] | None) -> None:
    if before is not None:
        fields = dict(before)
        _check_value(build(Item, fields.pop("item", {})))
        if fields:  # of the memory it was found as
            held(fields, archived=False)
    if after is not None:
        _checked("version", after.get("version"), int)


def _check_value(item: Item) -> None:
    json.loads(item.value)  # or ValueError


def _check_change(operation: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> None:
    fields = hints_of(Memory)
    if operation in ("archive", "unarchive", "undo"):
        fields = fields | {"archived": bool}
    _check_fields(fields, before, after)


def _check_fields(fields: Mapping[str, Any], before: Mapping[str, Any], after: Mapping[str, Any]) -> None:
    if not before.keys() <= after.keys() & fields.keys():
        raise ValueError("what was changed does not match what it was changed to")
    for name, hint in {**fields, "links": tuple[int, ...]}.items():
        for told in (before, after):
            if name in told:
                _checked(name, told[name], hint)
