"""Notes with natural word frequencies, made from a seed: the same on every machine."""

from __future__ import annotations

import itertools
import random
from pathlib import Path

from memoro.model.words import STOP_WORDS

_CONSONANTS = (
    "b",
    "br",
    "c",
    "ch",
    "d",
    "dr",
    "f",
    "g",
    "gr",
    "h",
    "k",
    "l",
    "m",
    "n",
    "p",
    "r",
    "s",
    "st",
    "t",
    "tr",
)
_SYLLABLES = [c + v for c in _CONSONANTS for v in "aeiou"]
_ENDINGS = ["", "", "", "n", "r", "s", "ing", "ed", "ly", "tion", "ment", "er"]
_VOCABULARY = 30_000
# The shape of English: the few function words first, then a long tail (Zipf and Mandelbrot).
_EXPONENT, _SHIFT = 1.05, 2.7


class Language:
    """An invented language whose frequent words are the real function words of English."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        words = dict.fromkeys(sorted(word for word in STOP_WORDS if len(word) > 1))
        while len(words) < _VOCABULARY:
            stem = "".join(self._random.choices(_SYLLABLES, k=self._random.randint(1, 3)))
            words[stem + self._random.choice(_ENDINGS)] = None
        self._words = list(words)
        weights = (1 / (rank + _SHIFT) ** _EXPONENT for rank in range(len(self._words)))
        self._cumulative = list(itertools.accumulate(weights))

    def words(self, count: int) -> list[str]:
        return self._random.choices(self._words, cum_weights=self._cumulative, k=count)

    def sentence(self) -> str:
        return " ".join(self.words(self._random.randint(6, 18))).capitalize() + "."

    def paragraph(self, sentences: int) -> str:
        return " ".join(self.sentence() for _ in range(sentences))

    def note(self) -> str:
        parts = [f"# {' '.join(self.words(4)).title()}", ""]
        for _ in range(self._random.randint(2, 6)):
            parts += [f"## {' '.join(self.words(3)).title()}", ""]
            for _ in range(self._random.randint(1, 3)):
                parts += [self.paragraph(self._random.randint(3, 9)), ""]
        return "\n".join(parts)


def write_notes(folder: Path, count: int, *, seed: int = 1) -> None:
    language = Language(seed)
    for number in range(count):
        file = folder / f"area{number % 40:02}" / f"note{number:05}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(language.note(), encoding="utf-8")
