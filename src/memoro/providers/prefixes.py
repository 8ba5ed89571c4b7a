"""The prefixes of queries and documents, for models that were trained with them.

A server does not add it. The name of a scheme is part of a space's name: vectors with another prefix are others.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from memoro.model.vocabulary import Role


class Prefixes(NamedTuple):
    """`name` is stored with vectors and never changes."""

    name: str
    query: str = ""
    document: str = ""

    def before(self, role: Role) -> str:
        return self.query if role == "query" else self.document


_SEARCH = "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:"
_PASSAGES = "Represent this sentence for searching relevant passages: "

NO_PREFIXES = Prefixes("text")
TASK_AND_TITLE = Prefixes("task", "task: search result | query: ", "title: none | text: ")

# The first pattern that a model's name has decides. Servers name one model in many ways:
# nomic-embed-text:latest, text-embedding-nomic-embed-text-v1.5, nomic-ai/nomic-embed-text-v1.5-GGUF.
_BY_NAME: tuple[tuple[str, Prefixes], ...] = (
    (r"e5-.*instruct|gte-qwen2", Prefixes("instruct", _SEARCH + " ")),
    (r"\be5-(small|base|large)|multilingual-e5", Prefixes("e5", "query: ", "passage: ")),
    (r"nomic-embed-text", Prefixes("nomic", "search_query: ", "search_document: ")),
    (r"qwen3-embedding", Prefixes("qwen3", _SEARCH)),
    (r"embedding-?gemma", TASK_AND_TITLE),
    (r"bge-(small|base|large)-zh", Prefixes("bge-zh", "为这个句子生成表示以用于检索相关文章：")),
    (r"bge-(small|base|large)|mxbai-embed-(large|2d|xsmall)", Prefixes("bge", _PASSAGES)),
    (r"snowflake-arctic-embed(2|-[lm]-v2)", Prefixes("arctic2", "query: ")),
    (r"snowflake-arctic-embed", Prefixes("arctic", _PASSAGES)),
)


def prefixes_of(model: str) -> Prefixes:
    """Return the prefixes that a model wants, by its name; none where the name is not known."""
    name = model.lower().replace("_", "-")
    return next((scheme for pattern, scheme in _BY_NAME if re.search(pattern, name)), NO_PREFIXES)
