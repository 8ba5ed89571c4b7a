"""The table of keys, read from the annotations of the settings, and the check of a value against its key."""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Literal, NamedTuple, get_args, get_origin

from memoro.config.forms import Between, Form, is_text, without_password
from memoro.config.settings import Doc, Settings
from memoro.errors import ConfigError

# How each type is named in an error, after "must be".
_TYPE_NAMES: dict[object, str] = {
    bool: "true or false",
    int: "a whole number",
    int | None: "a whole number, 0 or more",
    float: "a number",
    float | None: "a number, 0 or more",
    str: "a text",
    str | None: "a text",
    tuple[str, ...]: "a list of texts",
}


class SettingKey(NamedTuple):
    """One setting: the type of its value without the metadata, its default and its meaning."""

    type: object
    default: object
    meaning: Doc

    @property
    def choices(self) -> tuple[object, ...]:
        """The values of a closed vocabulary; empty where there is none."""
        inner = get_args(self.type)[0] if get_origin(self.type) is tuple else self.type
        return get_args(inner) if get_origin(inner) is Literal else ()


@cache
def keys() -> Mapping[str, SettingKey]:
    """Return every key by its name, such as `query.mode`, in the order of the settings."""
    return dict(_keys("", Settings()))


def _keys(group: str, default: NamedTuple) -> Iterator[tuple[str, SettingKey]]:
    for field, annotation in type(default).__annotations__.items():
        value = getattr(default, field)
        if hasattr(value, "_fields"):  # a group of its own
            yield from _keys(f"{group}{field}.", value)
        else:
            kind, meaning = get_args(annotation)
            yield f"{group}{field}", SettingKey(kind, value, meaning)


def checked(name: str, key: SettingKey, value: object, origin: str) -> object:
    """Return the value in the type of its key; raise ConfigError where it does not fit."""
    if (choices := key.choices) and get_origin(key.type) is tuple:
        may_be_empty = not key.default
        if isinstance(value, list | tuple) and (value or may_be_empty) and all(one in choices for one in value):
            return tuple(value)
        raise _unfit(name, f"some of {_listed(choices)}", value, origin, choices)
    if choices:
        if any(type(one) is type(value) and one == value for one in choices):
            return value
        raise _unfit(name, f"one of {_listed(choices)}", value, origin, choices)
    read = _converted(key.type, value)
    if read is None:
        raise _unfit(name, _wanted(key), value, origin)
    match key.meaning.limit:
        case Between(low, high) if not (isinstance(read, int | float) and low <= read <= high):
            raise _unfit(name, _wanted(key), value, origin)
        case Form(wanted, accepts) if not accepts(str(read)):
            raise _unfit(name, wanted, value, origin)
    return read


def _converted(kind: object, value: object) -> object:
    """Return the value as this type has it, or None where it is of another type."""
    if kind is bool:
        return value if isinstance(value, bool) else None
    if kind in (str, str | None):
        return value if is_text(value) else None
    if kind == tuple[str, ...]:
        return tuple(value) if isinstance(value, list | tuple) and all(map(is_text, value)) else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if kind is float:
        return float(value) if abs(value) < 1e300 else None
    if kind == float | None:
        return float(value) if 0 <= value < 1e300 else None
    is_optional = kind == int | None
    return value if isinstance(value, int) and (not is_optional or value >= 0) else None


def _wanted(key: SettingKey) -> str:
    name, limit = _TYPE_NAMES[key.type], key.meaning.limit
    return f"{name} from {limit.low} to {limit.high}" if isinstance(limit, Between) else name


def _unfit(name: str, wanted: str, value: object, origin: str, choices: tuple[object, ...] = ()) -> ConfigError:
    from memoro.model.suggestion import did_you_mean

    if name.endswith((".key", ".password")):  # it may be the secret itself, which must not appear in any output
        return ConfigError(f"{origin and f'{origin}: '}{name} must be {wanted}.")
    given = value if isinstance(value, list | tuple) else (value,)
    wrong = next((one for one in given if isinstance(one, str) and one not in choices), "")
    shown = list(value) if isinstance(value, tuple) else value
    if name == "ledger.url" and isinstance(shown, str):
        shown = without_password(shown)
    hint = did_you_mean(wrong, map(str, choices)) if wrong and choices else ""
    return ConfigError(f"{origin and f'{origin}: '}{name} must be {wanted}, not {shown!r}.{hint}")


def _listed(choices: tuple[object, ...]) -> str:
    return ", ".join(map(str, choices))
