"""Changing one setting: which table of the file holds it, whether the value fits, and what it was before."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, get_origin

from memoro.config import edit
from memoro.config.keys import SettingKey, checked, keys
from memoro.config.reading import SHORT, parse_file, settle
from memoro.errors import ConfigError

_TRUTHS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}


class SettingScope(NamedTuple):
    """For whom a setting holds: for everybody, for one agent, or for one project."""

    agent: str | None = None
    project: str | None = None

    @property
    def table(self) -> edit.KeyPath:
        """The table of the settings file that holds its keys."""
        if self.agent and self.project:
            raise ConfigError("Name an agent or a project: a setting cannot be for both.")
        return ("agents", self.agent) if self.agent else ("projects", self.project) if self.project else ()


FOR_ALL = SettingScope()


class SettingChange(NamedTuple):
    """A setting before and after a change of the settings file; None: the file says nothing of it."""

    key: str
    before: object
    after: object
    file: str
    scope: SettingScope = FOR_ALL
    next: tuple[str, ...] = ()  # what follows from it, in sentences


def known_name(name: str) -> str:
    """Return the full name of a key; raise ConfigError with the one that was meant."""
    known, full = keys(), SHORT.get(name, name)
    if full in known:
        return full
    ends = [one for one in known if one.rpartition(".")[2] == full]
    from memoro.model.suggestion import did_you_mean

    hint = f" Did you mean {ends[0]!r}?" if ends else did_you_mean(full, known)
    raise ConfigError(f"There is no setting {full!r}.{hint or ' `memoro config show` lists them all.'}")


def check_value(name: str, value: object) -> object:
    """Return the value in the type of its key, a text as it is typed; raise ConfigError where it does not fit."""
    full = known_name(name)
    key = keys()[full]
    return checked(full, key, parsed(key, value) if isinstance(value, str) else value, "")


def set_value(file: str, name: str, value: object, scope: SettingScope = FOR_ALL) -> SettingChange:
    """Set a key in a settings file, after the whole file was checked with it. A text is read as the key's type."""
    name, fitting = known_name(name), check_value(name, value)
    text = edit.read(file)
    path = _path_in(text, name, scope, file)
    changed = edit.with_value(text, path, fitting, file)
    settle(parse_file(changed, file, agent=scope.agent, project=scope.project))
    before = edit.value_at(text, path, file)
    edit.replace_file(file, changed)
    return SettingChange(key=name, before=before, after=fitting, file=file, scope=scope)


def set_values(file: str, values: Mapping[str, object]) -> None:
    """Set several keys in one write: a reader of the file sees all of them or none. None takes a key out."""
    text = edit.read(file)
    for name, value in values.items():
        path = _path_in(text, known_name(name), FOR_ALL, file)
        if value is not None:
            text = edit.with_value(text, path, check_value(name, value), file)
        elif edit.value_at(text, path, file) is not None:
            text = edit.without_value(text, path, file)
    settle(parse_file(text, file))
    edit.replace_file(file, text)


def unset_value(file: str, name: str, scope: SettingScope = FOR_ALL) -> SettingChange:
    """Remove a key from a settings file, so that its default applies."""
    name = known_name(name)
    text = edit.read(file)
    path = _path_in(text, name, scope, file)
    before = edit.value_at(text, path, file)
    if before is not None:
        changed = edit.without_value(text, path, file)
        settle(parse_file(changed, file, agent=scope.agent, project=scope.project))
        edit.replace_file(file, changed)
    return SettingChange(key=name, before=before, after=None, file=file, scope=scope)


def _path_in(text: str, name: str, scope: SettingScope, file: str) -> edit.KeyPath:
    """Where the file has this key, or should have it: some may stand at the top under a short name."""
    short = next((one for one, full in SHORT.items() if full == name), None)
    if short and edit.value_at(text, (*scope.table, short), file) is not None:
        return (*scope.table, short)
    return (*scope.table, *name.split("."))


def parsed(key: SettingKey, text: str) -> object:
    """A value as it is typed on a command line, in the type of its key; what does not fit stays a text."""
    if get_origin(key.type) is tuple:
        return _parsed_list(text)
    if key.type is bool:
        return _TRUTHS.get(text.strip().lower(), text)
    if key.type in (str, str | None) or (key.choices and all(isinstance(one, str) for one in key.choices)):
        return text
    for read in (int, float):
        try:
            return read(text)
        except ValueError:
            continue
    return text


def _parsed_list(text: str) -> object:
    """A list in TOML's notation, or values with commas between them."""
    if text.lstrip().startswith("["):
        from memoro.config.reading import load_toml

        return load_toml(f"value = {text}", "config set")["value"]
    return tuple(part.strip() for part in text.split(",") if part.strip())
