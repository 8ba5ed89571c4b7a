"""Words as the index stores them: Porter stems, from FTS5's own tokenizer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import apsw

from memoro.model.answers import Term
from memoro.model.vocabulary import MirroredKind
from memoro.model.words import is_unspaced

# Marks are part of a word: without them, Devanagari and related scripts break at every vowel sign.
TOKENIZER = ("porter", "unicode61", "remove_diacritics", "2", "categories", "L* N* Co Mn Mc")


def tokenizer(connection: apsw.Connection) -> apsw.FTS5Tokenizer:
    return connection.fts5_tokenizer(TOKENIZER[0], list(TOKENIZER[1:]))


def stems(text: str, tokenize: apsw.FTS5Tokenizer) -> set[str]:
    """Return the distinct stems of a text, without positions: faster than `terms`."""
    data = text.encode("utf-8", "replace")
    found = tokenize(data, apsw.FTS5_TOKENIZE_DOCUMENT, None, include_offsets=False, include_colocated=False)
    return set(cast("list[str]", found))


def terms(text: str, tokenize: apsw.FTS5Tokenizer) -> list[Term]:
    """Return the words of a text that went through `model.words`, in order."""
    data = text.encode("utf-8", "replace")
    found = cast(
        "list[tuple[int, int, str]]",
        tokenize(data, apsw.FTS5_TOKENIZE_DOCUMENT, None, include_colocated=False),
    )
    result = []
    for start, end, stem in found:
        word = data[start:end].decode()
        result.append(Term(word, stem, prefix=len(word) == 1 and is_unspaced(word)))
    return result


def match_any(terms: Sequence[Term], column: MirroredKind | None = None) -> str:
    """Build a MATCH expression: quoted words, joined by OR; in one column or in any. No other place builds one."""
    words = " OR ".join('"' + term.word.replace('"', '""') + '"' + ("*" if term.prefix else "") for term in terms)
    return f"{{{column}}} : ({words})" if column and words else words
