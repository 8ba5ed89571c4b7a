"""Turn text into findable words: scripts without spaces, identifiers, stop words."""

from __future__ import annotations

import re
import unicodedata

# Chinese, Japanese, Korean, Thai, Lao, Burmese, Khmer: scripts without spaces between words, or with particles
# attached to words. Overlapping pairs of characters make all of them findable.
UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf"
    "\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
# Patterns are kept as text; `re` compiles each on first use. A command without identifiers or Chinese words does not
# wait for them.
_UNSPACED_RUN = f"[{UNSPACED}]+"
# Matched only where a word begins: matched at every letter, a long word would take quadratic time.
_IDENTIFIER = r"(?<![^\W_])(?:[A-Za-z0-9]*[a-z0-9][A-Z][A-Za-z0-9]*|[A-Za-z0-9]+(?:_[A-Za-z0-9]+)+)"
_HUMP = "[a-z0-9][A-Z]"  # what an identifier without an underscore holds
_PART = r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+[0-9]*|[A-Z]+[0-9]*|[0-9]+"
_URL = r"\b[a-zA-Z][a-zA-Z0-9+.-]*://\S*|\bwww\.\S+"
_UNSTORABLE = "[\x00\ud800-\udfff]"
# Marks without a letter, as after an emoji: the tokenizer would take them for words, and all hearts for one word.
_LONE_MARKS = "[\ufe00-\ufe0f]|(?<![^\\W_])[\u0300-\u036f]+"

# Words that build sentences and carry no topic. Only queries drop them: the index keeps them, so that a query of stop
# words alone still finds something.
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
    """Return the text in one normal form, without the characters that no store can keep."""
    if text.isascii() and "\x00" not in text:
        return text
    return unicodedata.normalize("NFKC", re.sub(_UNSTORABLE, " ", text))


def searchable(text: str) -> str:
    """Return the text as the word index reads it: identifiers also by their parts, unspaced scripts in pairs."""
    return _spread(clean(text), ends=True)


def searchable_query(query: str) -> str:
    """Return the same for a query: without URLs, and without the single characters that only an index needs."""
    text = clean(query)
    if "://" in text or "www." in text:
        text = re.sub(_URL, " ", text)
    return _spread(text, ends=False)


def _spread(text: str, *, ends: bool) -> str:
    if not text.isascii():
        text = re.sub(_UNSPACED_RUN, lambda run: f" {' '.join(pairs(run[0], ends=ends))} ", text)
        text = re.sub(_LONE_MARKS, "", text)
    # Most texts have no identifier: to look for what each must hold takes a sixth of the time.
    if "_" in text or (not (text.islower() or text.isupper()) and re.search(_HUMP, text)):
        text = re.sub(_IDENTIFIER, _with_parts, text)
    return text


def _with_parts(found: re.Match[str]) -> str:
    if found.string[found.end() : found.end() + 1].isalnum():
        return found[0]  # a non-ASCII letter follows: split here, the whole word would be lost
    parts = re.findall(_PART, found[0])
    return f"{''.join(parts)} {' '.join(parts)}" if len(parts) > 1 else found[0]


def pairs(run: str, *, ends: bool) -> list[str]:
    """Return overlapping pairs of a run's characters; with `ends`, also its last character alone.

    In the index every character then begins some word, so a prefix search finds a single character.
    """
    two = [run[i : i + 2] for i in range(len(run) - 1)]
    return [*two, run[-1]] if ends or not two else two


def is_unspaced(word: str) -> bool:
    return not word.isascii() and bool(re.fullmatch(_UNSPACED_RUN, word))
