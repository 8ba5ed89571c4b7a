"""Parse the YAML block at the top of a note as if an attacker had written it."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

MAX_CHARACTERS = 16_384
MAX_NESTING = 32  # the pure-Python loader recurses; the C loader crashes on deep nesting, and is never used


class Frontmatter(NamedTuple):
    fields: dict[str, object]
    lines: int  # lines that it takes, with its fences; 0: there is none
    warning: str | None = None


NONE = Frontmatter({}, 0)


def read(lines: list[str]) -> Frontmatter:
    """Return the fields at the top of a note. An unreadable block stays part of the text, with a warning."""
    if not lines or lines[0].rstrip() != "---":
        return NONE
    end = next((i for i, line in enumerate(lines[1:], 1) if line.rstrip() in ("---", "...")), None)
    if end is None:
        return NONE
    block = "\n".join(lines[1:end])
    if len(block) > MAX_CHARACTERS:
        return Frontmatter({}, 0, f"Its frontmatter is longer than {MAX_CHARACTERS} characters and was not read.")
    import yaml  # only a note with such a block pays for it

    try:
        loaded = yaml.load(block, _strings())  # builds strings, lists and dicts only
    except Exception as error:  # PyYAML leaks ValueError, RecursionError and more on hostile text
        return Frontmatter({}, 0, f"Its frontmatter cannot be read ({_first_line(error)}).")
    if loaded is None or loaded == "":
        return Frontmatter({}, end + 1)
    if not isinstance(loaded, dict):
        return Frontmatter({}, 0, "Its frontmatter is not a list of `key: value` lines and was not read.")
    return Frontmatter({str(key).lower(): value for key, value in loaded.items()}, end + 1)


def strings(value: object) -> list[str]:
    """Return a field as a list of texts: it may be one text, a list, or a text with commas."""
    if isinstance(value, str):
        return [part.strip() for part in value.split(",") if part.strip()]
    if isinstance(value, list):
        return [text for item in value for text in ([item.strip()] if isinstance(item, str) else []) if text]
    return []


def _first_line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).split("\n")[0][:120]


@cache
def _strings() -> Any:
    import yaml

    class Strings(yaml.BaseLoader):
        """Loads every scalar as a string: no dates, numbers or objects to go wrong. Refuses aliases and depth."""

        _depth = 0

        def compose_node(self, parent: Any, index: Any) -> Any:
            if self.check_event(yaml.events.AliasEvent):
                raise yaml.YAMLError("aliases are not read")
            if self._depth > MAX_NESTING:
                raise yaml.YAMLError("it is nested too deeply")
            self._depth += 1
            node = super().compose_node(parent, index)
            self._depth -= 1
            return node

        def construct_scalar(self, node: Any) -> str:
            return _whole_characters(str(super().construct_scalar(node)))

    return Strings


def _whole_characters(text: str) -> str:
    r"""Join halves of characters that `"\ud83d\ude00"` spells; a half alone, which no store takes, becomes `�`."""
    if text.isascii() or not any("\ud800" <= sign <= "\udfff" for sign in text):
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
