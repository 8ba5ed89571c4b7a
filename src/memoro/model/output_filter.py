"""The one filter for text that leaves for an agent: no secrets, no invisible and no control characters.

Every surface applies it where its answers leave: MCP, hooks, HTTP, the adapters, and the command line when an agent
calls it. Notes keep their bytes, and their owner sees them whole.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

T = TypeVar("T")

# Fields that an agent sends back to name something. Their invisible characters are spelled out, not removed.
NAMES = frozenset(["id", "path", "paths", "passages", "conversation", "more", "new_path", "uri"])


class OutputFilter(NamedTuple):
    """Filters what agents read. `known` are values that must never be shown, whatever they look like."""

    known: Sequence[str] = ()

    def text(self, text: str) -> str:
        """Return the text as an agent may read it, with as many lines as it had. Idempotent."""
        from memoro.model.secrets import redact
        from memoro.model.visible import visible

        return redact(visible(text), self.known, keep_lines=True).text

    def name(self, name: str) -> str:
        """Return a path or an id as an agent may read it; `find` recognises it again. Idempotent."""
        from memoro.model.secrets import redact
        from memoro.model.visible import escaped, visible

        spelled = escaped(name)
        if spelled != name and (seen := redact(visible(name), self.known)).kinds:
            return seen.text  # invisible characters would split a secret that a reader puts together
        return redact(spelled, self.known).text

    def find(self, shown: str, names: Sequence[str]) -> str | None:
        """Return the one name that was shown like this; None if none or several were."""
        if not is_respelled(shown):
            return None
        found = [name for name in names if self.name(name) == shown]
        return found[0] if len(found) == 1 else None

    def value(self, value: T, field: str = "") -> T:
        """Return a result or a JSON value with every text in it filtered, the keys of objects too."""
        made: Any = self._filtered(value, field)
        return made  # type: ignore[no-any-return]

    def _filtered(self, value: Any, field: str) -> Any:
        if isinstance(value, str):
            return self.name(value) if field in NAMES else self.text(value)
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            named = zip(value._fields, value, strict=True)
            return type(value)(*(self._filtered(one, name) for name, one in named))
        if isinstance(value, (list, tuple)):
            return type(value)(self._filtered(one, field) for one in value)
        if isinstance(value, Mapping):
            return {self._filtered(key, "path"): self._filtered(one, str(key)) for key, one in value.items()}
        return value


def is_respelled(name: str) -> bool:
    """Return whether a name may be one that the filter has spelled in another way."""
    return "\\" in name or "[redacted:" in name
