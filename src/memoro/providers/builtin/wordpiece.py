"""Splitting text into word pieces as BERT's uncased vocabulary wants them, without the `tokenizers` package."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

UNKNOWN = 100
_REMOVED = ("Cc", "Cf", "Co", "Cs")
_LONGEST_WORD = 100  # characters; a longer word is unknown, as in the original
_CACHED_WORDS = 50_000  # 10 MB; then it begins anew, and has the frequent ones again after a few texts
# Words, and every punctuation mark by itself. Signs such as $ + < = > ^ ` | ~ count as punctuation.
_ascii_words = re.compile(r"[a-z0-9]+|[!-/:-@\[-`{-~]")


class WordPieces:
    """Ids of the pieces of a text. Words met before are looked up, not split again."""

    def __init__(self, vocabulary: list[str]) -> None:
        self._vocabulary = vocabulary
        self._ids = {piece: number for number, piece in enumerate(vocabulary)}
        self._inner = {piece[2:]: number for piece, number in self._ids.items() if piece.startswith("##")}
        self._known: dict[str, tuple[int, ...]] = {}

    def __call__(self, text: str) -> list[int]:
        ids: list[int] = []
        known = self._known
        for word in _words(text):
            pieces = known.get(word)
            ids += self._learned(word) if pieces is None else pieces
        return ids

    def of_word(self, word: str) -> Sequence[int]:
        """The same of a single word. Most are plain, and need not be looked for in a text."""
        if not word.isascii() or not word.isalnum():
            return self(word)
        word = word.lower()
        pieces = self._known.get(word)
        return self._learned(word) if pieces is None else pieces

    def _learned(self, word: str) -> tuple[int, ...]:
        pieces = self._split(word)
        if len(self._known) >= _CACHED_WORDS:
            self._known = {}
        self._known[word] = pieces
        return pieces

    def forget_words(self) -> None:
        self._known = {}

    def is_whole(self, word: str) -> bool:
        return _plain(word) in self._ids

    def id_of(self, word: str) -> int | None:
        """The id of a whole word; None where the vocabulary has only parts of it."""
        return self._ids.get(_plain(word))

    def piece(self, number: int) -> str:
        return self._vocabulary[number]

    def _split(self, word: str) -> tuple[int, ...]:
        """The longest known piece first, then the longest that goes on from there."""
        if len(word) > _LONGEST_WORD:
            return (UNKNOWN,)
        pieces = []
        start, ids = 0, self._ids
        while start < len(word):
            for end in range(len(word), start, -1):
                number = ids.get(word[start:end])
                if number is not None:
                    break
            else:
                return (UNKNOWN,)
            pieces.append(number)
            start, ids = end, self._inner
        return tuple(pieces)


def _words(text: str) -> list[str]:
    if text.isascii():
        return _ascii_words.findall(_without_control(text).lower())
    return _unicode_words(text)


def _without_control(text: str) -> str:
    return text if text.isprintable() else re.sub(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]", "", text)


def _unicode_words(text: str) -> list[str]:
    """Character by character: spaces part words; punctuation and Chinese characters are words by themselves."""
    words: list[str] = []
    current: list[str] = []
    for character in _plain(text):
        alone = _is_punctuation(character) or _is_chinese(character)
        if alone or character.isspace():
            if current:
                words.append("".join(current))
                current = []
            if alone:
                words.append(character)
        else:
            current.append(character)
    if current:
        words.append("".join(current))
    return words


def _plain(text: str) -> str:
    """Without control characters and accents, in lower case."""
    kept = "".join(c for c in text if c in "\t\n\r" or (unicodedata.category(c) not in _REMOVED and c != "\ufffd"))
    decomposed = unicodedata.normalize("NFD", kept)
    # Each character by itself: a sigma that ends a word is one like any other to the vocabulary.
    return "".join(c.lower() for c in decomposed if unicodedata.category(c) != "Mn")


def _is_punctuation(character: str) -> bool:
    if character.isascii():
        return not character.isalnum() and not character.isspace()
    return unicodedata.category(character)[0] == "P"


def _is_chinese(character: str) -> bool:
    code = ord(character)
    return (
        0x4E00 <= code <= 0x9FFF
        or 0x3400 <= code <= 0x4DBF
        or 0xF900 <= code <= 0xFAFF
        or 0x20000 <= code <= 0x2CEAF
        or 0x2F800 <= code <= 0x2FA1F
    )
