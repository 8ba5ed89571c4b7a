"""Numbers for words: of a list of words, or of all content words of many texts at once."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import repeat
from typing import TYPE_CHECKING, NamedTuple

import numpy

from memoro.model.content_words import content_words
from memoro.model.words import STOP_WORDS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[numpy.int64]
    Keys = NDArray[numpy.uint64]

_SPACE = ord(" ")
# Letters and digits in lower case, and a space for everything else.
_PLAIN = bytes(ord(chr(code).lower()) if code < 128 and chr(code).isalnum() else _SPACE for code in range(256))
_FIRST_BYTES = numpy.asarray([256**length - 1 for length in range(9)], numpy.uint64)  # masks for so many bytes
# Odd numbers: multiplied by one of these, no two words of up to eight letters get the same key.
_FIRST, _SECOND, _MIXED = map(numpy.uint64, (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0xD1342543DE82EF95))
_HALF = numpy.uint64(32)
_FEWEST_SLOTS = 2**13
_TEXT = 32  # bits; above them stands the number of a text, below them the row of a word
_ROW = 2**_TEXT - 1


class TextRows(NamedTuple):
    """The rows of the different content words of each text, text after text."""

    rows: Numbers
    sizes: Numbers  # how many each text has


class WordRows:
    """Gives each word a row number, in the order of the first meeting.

    In ASCII texts, words are found by keys of 64 bits in a table with linear probing, all at once: to make a string
    of each word and look it up takes three times as long.
    """

    def __init__(self) -> None:
        self._rows: dict[str, int] = {}
        self._keys: Keys = numpy.zeros(_FEWEST_SLOTS, numpy.uint64)  # by row
        self._slots: Numbers = numpy.full(_FEWEST_SLOTS, -1, numpy.int64)  # rows, by the first bits of their keys
        self._new: list[str] = []
        stop_words = sorted(STOP_WORDS)
        self._add(stop_words)
        self._first = len(stop_words)  # the rows before are of stop words

    def __len__(self) -> int:
        return len(self._rows)

    def take_new(self) -> list[str]:
        """Return the words that have got a row since the last call."""
        new, self._new = self._new, []
        return new

    def of_words(self, words: Sequence[str]) -> Numbers:
        """Return the rows of these words."""
        rows = self._known(words)
        unknown = [words[i] for i in numpy.flatnonzero(rows < 0).tolist()]
        if unknown:
            self._add(list(dict.fromkeys(unknown)))
            rows = self._known(words)
        return rows

    def in_texts(self, texts: Sequence[str]) -> TextRows:
        """Return the rows of what `content_words` finds in each text."""
        plain = [number for number, text in enumerate(texts) if text.isascii()]
        pairs = [self._in_plain([texts[number] for number in plain], numpy.asarray(plain, numpy.int64))]
        pairs += [
            self.of_words(list(content_words(text))) + (number << _TEXT)
            for number, text in enumerate(texts)
            if not text.isascii()
        ]
        every = numpy.sort(numpy.concatenate(pairs))
        different = numpy.ones(len(every), bool)
        numpy.not_equal(every[1:], every[:-1], out=different[1:])
        every = every[different]
        return TextRows(every & _ROW, numpy.bincount(every >> _TEXT, minlength=len(texts)))

    def _in_plain(self, texts: Sequence[str], numbers: Numbers) -> Numbers:
        """Return the row of each word in these ASCII texts, with the number of its text; words may repeat."""
        data = f" {' '.join(texts)}{' ' * 16}".encode("ascii").translate(_PLAIN)
        is_letter = numpy.frombuffer(data, numpy.uint8) != _SPACE
        edges = numpy.flatnonzero(is_letter[1:] != is_letter[:-1]) + 1
        starts, lengths = edges[0::2], edges[1::2] - edges[0::2]
        is_word = lengths > 1
        starts, lengths = starts[is_word], lengths[is_word]
        rows = self._found_or_added(data, starts, lengths)
        ends = numpy.cumsum([len(text) + 1 for text in texts])
        counts = numpy.diff(numpy.searchsorted(starts, ends), prepend=0)
        pairs = numpy.repeat(numbers << _TEXT, counts) + rows
        return pairs[rows >= self._first]

    def _found_or_added(self, data: bytes, starts: Numbers, lengths: Numbers) -> Numbers:
        keys = _keys(data, starts, lengths)
        rows = self._find(keys)
        unknown = numpy.flatnonzero(rows < 0)
        if len(unknown):
            bounds = zip(starts[unknown].tolist(), lengths[unknown].tolist(), strict=True)
            words = [data[start : start + length].decode() for start, length in bounds]
            self._add(list(dict.fromkeys(words)))
            rows[unknown] = self._known(words)
        return rows

    def _known(self, words: Sequence[str]) -> Numbers:
        """Return the rows of these words, -1 for those that have none."""
        return numpy.fromiter(map(self._rows.get, words, repeat(-1)), numpy.int64, len(words))

    def _find(self, keys: Keys) -> Numbers:
        """Return the rows of these keys, -1 for those that have none."""
        places = self._places(keys)
        rows = self._slots[places]
        others = numpy.flatnonzero((rows >= 0) & (self._keys[rows] != keys))
        while len(others):
            places[others] = (places[others] + 1) % len(self._slots)
            found = self._slots[places[others]]
            rows[others] = found
            others = others[(found >= 0) & (self._keys[found] != keys[others])]
        return rows

    def _add(self, words: Sequence[str]) -> None:
        """Give rows to different words that have none."""
        start, end = len(self._rows), len(self._rows) + len(words)
        self._rows.update(zip(words, range(start, end), strict=True))
        self._new += words
        encoded = [word.encode("utf-8", "surrogatepass") for word in words]
        lengths = numpy.asarray([len(word) for word in encoded], numpy.int64)
        starts = numpy.cumsum(lengths + 1) - lengths - 1
        keys = _keys(b" ".join(encoded) + b" " * 16, starts, lengths)
        while end > len(self._keys):
            self._keys = numpy.concatenate([self._keys, numpy.zeros_like(self._keys)])
        self._keys[start:end] = keys
        if 2 * end > len(self._slots):
            self._slots = numpy.full(4 * len(self._slots), -1, numpy.int64)
            start, keys = 0, self._keys[:end]
        self._insert(numpy.arange(start, end), keys)

    def _insert(self, rows: Numbers, keys: Keys) -> None:
        places = self._places(keys)
        while len(rows):
            is_free = self._slots[places] < 0
            self._slots[places[is_free]] = rows[is_free]
            left = self._slots[places] != rows  # taken before, or by another of these
            rows, places = rows[left], (places[left] + 1) % len(self._slots)

    def _places(self, keys: Keys) -> Numbers:
        bits = numpy.uint64(65 - len(self._slots).bit_length())
        return (keys >> bits).astype(numpy.int64)


def _keys(data: bytes, starts: Numbers, lengths: Numbers) -> Keys:
    """Return a key for each of these words. The data goes on for 16 bytes after the start of each."""
    eights: Keys = numpy.ndarray((max(0, len(data) - 7),), "<u8", data, 0, (1,))  # from every byte, the next eight
    keys = (eights[starts] & _FIRST_BYTES[numpy.minimum(lengths, 8)]) * _FIRST
    long = numpy.flatnonzero(lengths > 8)
    if len(long):
        rest = numpy.minimum(lengths[long], 16) - 8
        keys[long] += (eights[starts[long] + 8] & _FIRST_BYTES[rest]) * _SECOND
    for i in numpy.flatnonzero(lengths > 16).tolist():
        keys[i] = hash(data[starts[i] : starts[i] + lengths[i]]) % 2**64
    keys ^= keys >> _HALF
    keys *= _MIXED
    return keys
