"""Settings: each with its value, its default, where the value comes from, and what it means."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple, get_origin
from urllib.parse import quote, urlencode

from memoro.config import FILE_NAME, Setting, SettingKey, keys
from memoro.config.change_risks import change_risks, check_safe
from memoro.config.changing import SettingChange, known_name
from memoro.config.edit import toml_value
from memoro.config.forms import Between
from memoro.config.reading import read_scoped
from memoro.errors import ConfigError
from memoro.opening import open_with
from memoro.operations.operation import NoArguments
from memoro.operations.settings import SET, SHOW, UNSET, SetSetting, SettingList, UnsetSetting
from memoro.page.texts import texts
from memoro.page.view import Answer, Done, Fields, PageRequest, Shown, View

# The groups, in the order of what people look for: first what can be changed here, then what takes a command.
_ORDER = (
    *("general", "recall", "query", "extract", "curate", "memory", "experience", "context", "sync", "daily"),
    *("vault", "transcripts", "privacy", "writing", "embedding", "llm", "usage", "providers", "cache", "chunking"),
)
InputKind = Literal["switch", "number", "choice", "choices", "text"]


class Control(NamedTuple):
    """How a form asks for a value."""

    kind: InputKind
    typed: tuple[str, ...]  # what it holds: one text, or the values that are chosen
    choices: tuple[str, ...] = ()
    least: str = ""
    most: str = ""
    step: str = ""


class ScopedValue(NamedTuple):
    """Another value, for one agent or project."""

    name: str  # agents.claude
    value: str


class SettingRow(NamedTuple):
    """One setting as the page shows it."""

    key: str
    value: str
    default: str
    origin: str
    is_set: bool  # by a file, a variable or an argument
    is_default: bool  # its value is that of the default
    meaning: str
    control: Control | None  # None: only a command changes it
    risk: str = ""  # why
    command: str = ""
    scoped: tuple[ScopedValue, ...] = ()
    error: str = ""
    back_to: tuple[str, ...] | None = None  # it was just changed: what it was before; empty: its default

    @property
    def group(self) -> str:
        return self.key.partition(".")[0] if "." in self.key else "general"


class SettingGroup(NamedTuple):
    name: str
    title: str
    rows: tuple[SettingRow, ...]


class Attempt(NamedTuple):
    """A change that was refused: what was typed, and why."""

    key: str
    typed: tuple[str, ...]
    error: str


def settings(request: PageRequest) -> Shown:
    return _shown(request, request.query)


def change(request: PageRequest) -> Answer:
    """Set a setting that is safe to change, or take it out of the file."""
    key = known_name(request.path["key"])
    check_safe(key)
    typed = request.form.all("value")
    try:
        if request.form.has("reset") or (not typed and keys()[key].type in (int | None, float | None)):
            done: SettingChange = request.call(UNSET, UnsetSetting(key))
        else:
            done = request.call(SET, SetSetting(key, _joined(keys()[key], typed)))
    except ConfigError as error:
        return _shown(request, request.form, Attempt(key, typed, str(error)))._replace(status=400)
    return Done(_sentence(done), _address(done, request.form.get("q")))


def _joined(key: SettingKey, typed: Sequence[str]) -> str:
    """Several chosen values as one text; of a switch, the last: its box comes after the field that stands for off."""
    return ",".join(typed) if get_origin(key.type) is tuple else typed[-1] if typed else ""


def _sentence(done: SettingChange) -> str:
    t = texts()
    if done.before == done.after:
        return t("settings.same", key=done.key)
    if done.after is None:
        return t("settings.was_reset", key=done.key, value=_text(keys()[done.key].default))
    return t("settings.was_set", key=done.key, value=_text(done.after))


def _address(done: SettingChange, search: str) -> str:
    """Back to the list, at the setting, with what it was before."""
    before = [("before", one) for one in _typed(done.before)] if done.before is not None else []
    query = [*([("q", search)] if search else []), ("changed", done.key), *before]
    is_same = done.before == done.after
    return f"/settings?{urlencode(query[:1] if is_same and search else [] if is_same else query)}#{quote(done.key)}"


def _shown(request: PageRequest, fields: Fields, attempt: Attempt | None = None) -> Shown:
    search, file = fields.get("q"), os.path.join(request.m.home, FILE_NAME)
    found = [_row(one, fields, attempt) for one in _current(request)]
    scoped = _scoped(file)
    rows = [row._replace(scoped=tuple(scoped.get(row.key, ()))) for row in found]
    if attempt is None or search:
        rows = [row for row in rows if _matches(row, search.lower())]
    values = {"groups": _grouped(rows), "q": search, "file": file, "count": len(rows)}
    address = f"/settings?{urlencode({'q': search})}" if search else "/settings"
    return Shown("settings.html", values, part="results", address=address)


def _current(request: PageRequest) -> tuple[Setting, ...]:
    """The settings as the files have them now: this process takes a change over a moment later."""
    m = request.m
    vault = next((str(one.value) for one in m.origins if one.origin == "argument"), None)
    with open_with(m.environment, m.home, vault) as now:
        found: SettingList = request._replace(m=now).call(SHOW, NoArguments())
        return found.settings


def _scoped(file: str) -> dict[str, list[ScopedValue]]:
    found: dict[str, list[ScopedValue]] = {}
    for source in read_scoped(file):
        for key, value in source.values.items():
            found.setdefault(key, []).append(ScopedValue(source.origin, _text(value)))
    return found


def _row(one: Setting, fields: Fields, attempt: Attempt | None) -> SettingRow:
    key, risk = keys()[one.key], change_risks().get(one.key, "unknown")
    refused = attempt if attempt and attempt.key == one.key else None
    typed = refused.typed if refused else _typed(one.value)
    is_changed = fields.get("changed") == one.key and not refused
    return SettingRow(
        key=one.key,
        value=_text(one.value),
        default=_text(key.default),
        origin=_origin(one.origin),
        is_set=one.origin != "default",
        is_default=one.value == key.default,
        meaning=key.meaning.text,
        control=_control(key, typed) if risk is None else None,
        risk=texts()(f"settings.risk.{risk}") if risk else "",
        command=f"memoro config set {one.key} {_example(one.value)}" if risk else "",
        error=refused.error if refused else "",
        back_to=fields.all("before") if is_changed else None,
    )


def _control(key: SettingKey, typed: tuple[str, ...]) -> Control:
    choices = tuple(map(str, key.choices))
    if key.type is bool:
        return Control("switch", typed)
    if choices:
        return Control("choices" if get_origin(key.type) is tuple else "choice", typed, choices)
    if key.type not in (int, float, int | None, float | None):
        return Control("text", typed)
    limit = key.meaning.limit
    least, most = (f"{limit.low:g}", str(limit.high)) if isinstance(limit, Between) else ("0", "")
    step = "1" if key.type in (int, int | None) else "any"
    return Control(kind="number", typed=typed, least=least, most=most, step=step)


def _matches(row: SettingRow, search: str) -> bool:
    title = texts()(f"settings.group.{row.group}")
    return all(word in f"{row.key} {row.meaning} {title}".lower() for word in search.split())


def _grouped(rows: Iterable[SettingRow]) -> tuple[SettingGroup, ...]:
    groups: dict[str, list[SettingRow]] = {}
    for row in rows:
        groups.setdefault(row.group, []).append(row)
    ordered = sorted(groups, key=lambda name: _ORDER.index(name) if name in _ORDER else len(_ORDER))
    return tuple(SettingGroup(name, texts()(f"settings.group.{name}"), tuple(groups[name])) for name in ordered)


def _origin(origin: str) -> str:
    """Where a value comes from, in the page's own words; a file by its name."""
    if origin == "default":
        return texts()("settings.from_default")
    if origin == "argument":
        return texts()("settings.from_argument")
    return os.path.basename(origin) if os.path.isabs(origin) else origin


def _text(value: object) -> str:
    """A value as the settings file has it; a list without its brackets."""
    if value is None or value == ():
        return texts()("settings.nothing")
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else _plain(value)


def _typed(value: object) -> tuple[str, ...]:
    """A value as a form holds it."""
    if value is None:
        return ()
    return tuple(map(str, value)) if isinstance(value, list | tuple) else (_plain(value),)


def _plain(value: object) -> str:
    return value if isinstance(value, str) else toml_value(value)


def _example(value: object) -> str:
    import shlex

    return "VALUE" if value in (None, ()) else shlex.quote(",".join(_typed(value)))


VIEWS = (View("/settings", settings, menu="settings"), View("/settings/{key}", change, method="POST"))
