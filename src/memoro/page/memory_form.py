"""The form that edits a memory: what it was opened on, what was typed into it, and what that changes."""

from __future__ import annotations

from typing import NamedTuple

from memoro.index.mirror import validity
from memoro.model.digests import digest_of
from memoro.model.memories import Memory
from memoro.page.view import Fields

_OPENED = "opened_"


class EditFields(NamedTuple):
    """What the form of an edit holds."""

    content: str
    tags: str
    valid_from: str
    valid_to: str


class MemoryEdit(NamedTuple):
    """What a form asks for, beside what the memory is now."""

    now: EditFields
    wanted: EditFields  # what was typed; of a field in which nothing was typed, what it is now
    is_outdated: bool  # a field in which something was typed has got another value meanwhile


def fields_of(memory: Memory) -> EditFields:
    return EditFields(
        content="\n".join(memory.content.strip().splitlines()),
        tags=", ".join(memory.tags),
        valid_from=validity(memory).first if memory.valid_from else "",
        valid_to=validity(memory).last or "" if memory.valid_to else "",
    )


def opened_on(fields: EditFields) -> dict[str, str]:
    """The hidden fields by which a form says what it was opened on: a digest of each value."""
    return {f"{_OPENED}{name}": digest_of(value) for name, value in fields._asdict().items()}


def edit_of(form: Fields, memory: Memory) -> MemoryEdit:
    """What a form changes. A form that does not say what it was opened on was opened on what the memory is now."""
    now, wanted, is_outdated = fields_of(memory), [], False
    for name, value in now._asdict().items():
        typed, opened = _typed(form, name), form.get(f"{_OPENED}{name}") or digest_of(value)
        is_typed = digest_of(typed) != opened
        is_outdated |= is_typed and typed != value and digest_of(value) != opened
        wanted.append(typed if is_typed else value)
    return MemoryEdit(now, EditFields(*wanted), is_outdated)


def listed(tags: str) -> tuple[str, ...]:
    """The tags of a field, in which commas separate them."""
    return tuple(one.strip().lstrip("#") for one in tags.split(",") if one.strip().lstrip("#"))


def _typed(form: Fields, name: str) -> str:
    text = form.get(name)
    return ", ".join(listed(text)) if name == "tags" else "\n".join(text.splitlines())
