"""Words as the index keeps them: Porter stems, by the very tokenizer that FTS5 uses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import apsw

from memoro.model.answers import Term
from memoro.model.words import is_unspaced

# Marks are part of a word: without them, Devanagari and its kin fall apart at every vowel sign.
TOKENIZER = ("porter", "unicode61", "remove_diacritics", "2", "categories", "L* N* Co Mn Mc")


def tokenizer(connection: apsw.Connection) -> apsw.FTS5Tokenizer:
    return connection.fts5_tokenizer(TOKENIZER[0], list(TOKENIZER[1:]))


def stems(text: str, tokenize: apsw.FTS5Tokenizer) -> set[str]:
    """The different words of such a text, without where they stand: quicker to have than `terms`."""
    data = text.encode("utf-8", "replace")
    found = tokenize(data, apsw.FTS5_TOKENIZE_DOCUMENT, None, include_offsets=False, include_colocated=False)
    return set(cast("list[str]", found))


def terms(text: str, tokenize: apsw.FTS5Tokenizer) -> list[Term]:
    """The words of a text that went through `model.words`, in their order."""
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


def match_any(terms: Sequence[Term]) -> str:
    """The only place where a MATCH expression is made: quoted words, joined by OR."""
    return " OR ".join('"' + term.word.replace('"', '""') + '"' + ("*" if term.prefix else "") for term in terms)
