"""What a task wants: whether it makes something, what that is, and what it is for or from. English and German."""

import re
from functools import lru_cache
from typing import NamedTuple

from memoro.model.task_topics import broad_topics, broader_than, topics_of

_POLITE = r"(?i)^\W*(?:(?:please|now|then|can you|could you|let's|bitte|jetzt)\W+)*"
_DEED = re.compile(rf"{_POLITE}(?:[^\W_][\w'-]*\W+){{0,3}}[^\W_][\w'-]*")
# What does something with what there is, or wants to know something.
_ACTS = re.compile(
    rf"{_POLITE}(?:commit|push|deploy|roll out|ship|release|merge|open|close|run|restart|start|stop|search|look"
    r"|compare|find(?! (?:me|us|a|an|some)\b)|explain|summari[sz]e|list|count|check|show me|tell me|back up|download"
    r"|read|review|is|are|do|does|delete|remove|suche?|finde|erklär\w*|vergleich\w*|zeig\w*|was|wer|wo|wann|warum|wie"
    r"|(?:which|what|who|where|when|why|how)(?! (?:can|could|should|shall|do) (?:i|we)\b)[^,.]*$)\b"
)
# The end of a clause, which says what its result is for or from.
_END = re.compile(
    r"(?i)(?<=\w) (?:of|for|from|with|about|that|which|when|where|beside|because|so that|für|von|vom|über|mit|aus|zum"
    r"|zur|wegen|dass|damit|para|sobre|del?|pour|sur)\b.*?(?=[,.;:] | and | und | then | dann |$)"
)


class TaskReading(NamedTuple):
    """The topics of a task, by the part of it that tells them."""

    text: str
    topics: frozenset[str]
    head: frozenset[str]  # of its beginning, before what its result is for or from
    deed: frozenset[str]  # of its first words
    makes: bool  # False: it asks, looks, or does something with what there is

    @property
    def broader(self) -> frozenset[str]:
        return broader_than(self.topics)

    @property
    def made(self) -> frozenset[str]:
        """The families of what it makes: code, prose, …"""
        if not self.makes:
            return frozenset()
        families = (self.head | broader_than(self.head)) & broad_topics()
        return families | {"code"} if "ui" in families else families


@lru_cache(maxsize=64)
def read_task(text: str) -> TaskReading:
    """Read a task by its words alone."""
    deed = _DEED.match(text)
    return TaskReading(
        text=text,
        topics=topics_of(text),
        head=topics_of(_END.sub("", text)),
        deed=topics_of(deed[0]) if deed else frozenset(),
        makes=not _ACTS.search(text),
    )
