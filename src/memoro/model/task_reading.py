"""What a task wants: whether it makes something, what that is, and what it is for or from. English and German."""

from functools import lru_cache
from typing import NamedTuple

from memoro.model.phrases import compiled
from memoro.model.task_topics import broad_topics, broader_than, topics_of

_POLITE = r"(?i)^\W*(?:(?:please|now|then|can you|could you|let's|bitte|jetzt)\W+)*"
_DEED = rf"{_POLITE}(?:[^\W_][\w'-]*\W+){{0,3}}[^\W_][\w'-]*"
# What does something with what there is, or wants to know something.
_ACTS = (
    rf"{_POLITE}(?:(?:commit|push|deploy|roll out|ship|release|merge|open|close|run|restart|start|stop|search|look"
    r"|compare|find(?! (?:me|us|a|an|some)\b)|explain|summari[sz]e|list|count|show me|tell me|give me the|back up"
    r"|download|read|is|are|do|does|delete|remove|suche?|finde|erklär\w*|vergleich\w*|zeig\w*|was|wer|wo|wann|warum"
    r"|wie)\b"
    r"|(?:which|what|who|where|when|why|how)\b(?! (?:can|could|should|shall) (?:i|we)\b)(?! do (?:i|we) get\b)"
    r"[^,.]*$)"
)
# What changes a program, where there is one.
_BUILDS = (
    rf"{_POLITE}(?:(?:also|und|and) )?(?:implement|build|add|create|refactor|port|extend|support|fix|handle|let|make"
    r"|change|rename|store|save|show|hide|split|introduce|expose|validate|parse|write (?!me the\b)|bau\w*|füge?"
    r"|änder\w*|leg|lege|erweiter\w*|schreibe? (?:eine?|einen|das|die|den)|implementier\w*)\b"
)
_CLAUSE = r"(?<=[.!?,;])\s+| (?=and |und )"
# The end of a clause, which says what its result is for or from.
_END = (
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
    builds: bool  # it changes a program, if it is about one

    @property
    def broader(self) -> frozenset[str]:
        return broader_than(self.topics)

    @property
    def made(self) -> frozenset[str]:
        """The families of what it makes: code, prose, …"""
        if not self.makes:
            return frozenset()
        families = (self.head | broader_than(self.head)) & (broad_topics() | {"message"})
        return families | {"code"} if "ui" in families else families


@lru_cache(maxsize=64)
def read_task(text: str) -> TaskReading:
    """Read a task by its words alone."""
    deed = compiled(_DEED, 0).match(text)
    return TaskReading(
        text=text,
        topics=topics_of(text),
        head=topics_of(compiled(_END, 0).sub("", text)) or topics_of(text),
        deed=topics_of(deed[0]) if deed else frozenset(),
        makes=not compiled(_ACTS, 0).search(text),
        builds=any(compiled(_BUILDS, 0).match(part) for part in compiled(_CLAUSE, 0).split(text)),
    )
