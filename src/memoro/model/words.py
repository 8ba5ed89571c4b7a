"""How text becomes words that can be found: scripts without spaces, identifiers, stop words."""

from __future__ import annotations

import re
import unicodedata

# Chinese, Japanese, Korean, Thai, Lao, Burmese, Khmer: no spaces between words, or words that
# carry their particles with them. Overlapping pairs of characters find them all.
UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf"
    "\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
# Patterns stand as text and are compiled by `re` when first used: a command that never meets an
# identifier or a Chinese word should not wait for them.
_UNSPACED_RUN = f"[{UNSPACED}]+"
# Tried only where a word begins: tried at each of its letters, a long word would take quadratic time.
_IDENTIFIER = r"(?<![^\W_])(?:[A-Za-z0-9]*[a-z0-9][A-Z][A-Za-z0-9]*|[A-Za-z0-9]+(?:_[A-Za-z0-9]+)+)"
_PART = r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+[0-9]*|[A-Z]+[0-9]*|[0-9]+"
_URL = r"\b[a-zA-Z][a-zA-Z0-9+.-]*://\S*|\bwww\.\S+"
_UNSTORABLE = "[\x00\ud800-\udfff]"
# Marks on no letter, as after an emoji: to the tokenizer they would be words, and all hearts one word.
_LONE_MARKS = "[\ufe00-\ufe0f]|(?<![^\\W_])[\u0300-\u036f]+"

# Words that say how a sentence is built and not what it is about. Left out of queries only: the
# index keeps them, so that a query of nothing else is still answered.
STOP_WORDS = frozenset(
    [
        "a",
        "about",
        "after",
        "again",
        "all",
        "also",
        "am",
        "an",
        "and",
        "any",
        "are",
        "as",
        "at",
        "be",
        "because",
        "been",
        "before",
        "being",
        "both",
        "but",
        "by",
        "can",
        "could",
        "did",
        "do",
        "does",
        "doing",
        "don",
        "during",
        "each",
        "else",
        "ever",
        "few",
        "for",
        "from",
        "further",
        "get",
        "got",
        "had",
        "has",
        "have",
        "having",
        "he",
        "her",
        "here",
        "hers",
        "him",
        "his",
        "how",
        "i",
        "if",
        "in",
        "into",
        "is",
        "it",
        "its",
        "itself",
        "just",
        "let",
        "ll",
        "may",
        "me",
        "might",
        "mine",
        "more",
        "most",
        "much",
        "my",
        "myself",
        "no",
        "nor",
        "not",
        "now",
        "of",
        "off",
        "on",
        "once",
        "only",
        "or",
        "other",
        "our",
        "ours",
        "out",
        "over",
        "own",
        "re",
        "s",
        "same",
        "shall",
        "she",
        "should",
        "so",
        "some",
        "such",
        "t",
        "than",
        "that",
        "the",
        "their",
        "theirs",
        "them",
        "themselves",
        "then",
        "there",
        "these",
        "they",
        "this",
        "those",
        "through",
        "to",
        "too",
        "under",
        "until",
        "up",
        "upon",
        "us",
        "ve",
        "very",
        "was",
        "we",
        "were",
        "what",
        "when",
        "where",
        "which",
        "while",
        "who",
        "whom",
        "whose",
        "why",
        "will",
        "with",
        "would",
        "you",
        "your",
        "yours",
        "yourself",
    ]
)


def clean(text: str) -> str:
    """The text in one normal form, without the characters that no store can keep."""
    if text.isascii() and "\x00" not in text:
        return text
    return unicodedata.normalize("NFKC", re.sub(_UNSTORABLE, " ", text))


def searchable(text: str) -> str:
    """The text as the word index reads it: identifiers also by their parts, unspaced scripts in pairs."""
    return _spread(clean(text), ends=True)


def searchable_query(query: str) -> str:
    """The same for a query: without addresses, and without the lone characters that only an index needs."""
    text = clean(query)
    if "://" in text or "www." in text:
        text = re.sub(_URL, " ", text)
    return _spread(text, ends=False)


def _spread(text: str, *, ends: bool) -> str:
    if not text.isascii():
        text = re.sub(_UNSPACED_RUN, lambda run: f" {' '.join(pairs(run[0], ends=ends))} ", text)
        text = re.sub(_LONE_MARKS, "", text)
    if "_" in text or not (text.islower() or text.isupper()):
        text = re.sub(_IDENTIFIER, _with_parts, text)
    return text


def _with_parts(found: re.Match[str]) -> str:
    if found.string[found.end() : found.end() + 1].isalnum():
        return found[0]  # it goes on with a letter that is not ASCII: taken apart, the whole word would be lost
    parts = re.findall(_PART, found[0])
    return f"{''.join(parts)} {' '.join(parts)}" if len(parts) > 1 else found[0]


def pairs(run: str, *, ends: bool) -> list[str]:
    """Overlapping pairs of a run's characters; with `ends`, its last character alone as well.

    In the index every character then begins some word, so that a single one is found by prefix.
    """
    two = [run[i : i + 2] for i in range(len(run) - 1)]
    return [*two, run[-1]] if ends or not two else two


def is_unspaced(word: str) -> bool:
    return not word.isascii() and bool(re.fullmatch(_UNSPACED_RUN, word))
