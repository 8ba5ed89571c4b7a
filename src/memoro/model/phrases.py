"""Patterns of many phrases, of which only those are compiled that a text can match.

Compiling all patterns of a search would take a quarter of the time of a first answer.
"""

import re
from functools import lru_cache


@lru_cache(maxsize=1024)
def compiled(pattern: str, flags: int = re.IGNORECASE) -> re.Pattern[str]:
    """Return the pattern, compiled when it is first needed."""
    return re.compile(pattern, flags)


class Phrases:
    """The alternatives of a pattern, each with words (with `|` between them) of which its matches hold one.

    It matches exactly what the pattern of all alternatives does. A word may be a part of one, or several.
    """

    def __init__(self, *alternatives: tuple[str, str], flags: int = re.IGNORECASE) -> None:
        self._alternatives = tuple((tuple(words.split("|")), pattern) for words, pattern in alternatives)
        self._flags = flags

    def are_in(self, text: str) -> bool:
        """Return whether a text holds one of the phrases."""
        return any(compiled(pattern, self._flags).search(text) for pattern in self._possible(text))

    def search(self, text: str) -> re.Match[str] | None:
        """Return the first match in a text; of two at one place, that of the earlier alternative."""
        found = (compiled(pattern, self._flags).search(text) for pattern in self._possible(text))
        return min(filter(None, found), key=re.Match.start, default=None)

    def begin(self, text: str) -> bool:
        """Return whether a text begins with one of the phrases."""
        return any(compiled(pattern, self._flags).match(text) for pattern in self._possible(text))

    def sub(self, by: str, text: str) -> str:
        """Return the text with each phrase replaced."""
        match self._possible(text):
            case []:
                return text
            case [pattern]:
                return compiled(pattern, self._flags).sub(by, text)
        return self.whole().sub(by, text)  # of so many combinations, each would be compiled

    def whole(self) -> re.Pattern[str]:
        """Return the pattern of all alternatives."""
        return compiled("|".join(pattern for _, pattern in self._alternatives), self._flags)

    def _possible(self, text: str) -> list[str]:
        lower = text.lower()
        return [pattern for words, pattern in self._alternatives if any(word in lower for word in words)]
