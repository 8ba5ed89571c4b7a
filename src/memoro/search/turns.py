"""Signals of what is said: whether it only asks, and what the turns around it hold."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy

from memoro.model.answers import Passage
from memoro.model.sentences import count_topics, topic_words
from memoro.model.standing_rules import is_for_questions, states_rule
from memoro.model.statements import only_asks
from memoro.search.answer_kind import asks_for_fact
from memoro.search.phrasing import is_task, questions_count
from memoro.search.signals import content_words

if TYPE_CHECKING:
    from memoro.providers.ports import Vectors

NEARBY = 4  # passages before or after a turn that still belong to its topic
_REPEATED = 0.6  # of the words of a query, what a turn has that only repeats it
_LONG_RULE = 600  # characters
_MOST_BEFORE = 3  # better turns of one conversation that count against the next


def asks(query: str, passages: Sequence[Passage]) -> list[float]:
    """Return -1 for each passage that only asks. A turn that repeats the query and says nothing more asks as well."""
    is_other = not questions_count(query)
    return [-1.0 if _repeats(query, p) or (is_other and only_asks(_said(p))) else 0.0 for p in passages]


def rules(query: str, passages: Sequence[Passage]) -> list[float]:
    """Return 1 for each passage that states a standing rule or a preference, where the query is a task.

    Assistants advise more than they rule, and in a long passage one sentence of that kind says little about the rest.
    Where the query asks for a fact, a rule for questions counts only if it shares a word with it: "when I ask for
    flights, …" says nothing about batteries.
    """
    wanted = is_task(query)
    topics = topic_words(query) if not wanted and asks_for_fact(query) else None
    return [1.0 if _is_short(p) and _bears_on(_said(p), topics, is_task=wanted) else 0.0 for p in passages]


def _is_short(passage: Passage) -> bool:
    return passage.speaker != "Assistant" and len(passage.text) <= _LONG_RULE


def _bears_on(text: str, topics: frozenset[str] | None, *, is_task: bool) -> bool:
    if not (is_task or is_for_questions(text)) or not states_rule(text):
        return False
    return topics is None or count_topics(topics, text) > 0


def _said(passage: Passage) -> str:
    """The text of a turn without the name of who said it."""
    return passage.text.removeprefix(f"{passage.speaker}: ") if passage.speaker else passage.text


def _repeats(query: str, passage: Passage) -> bool:
    """Return whether a turn has most words of content that the query has, and no other."""
    if passage.speaker is None or len(said := _said(passage)) > 2 * len(query):
        return False
    own, asked = content_words(said), content_words(query)
    return bool(own) and own <= asked and len(own) >= _REPEATED * len(asked)


def nearby(chunks: Sequence[int], passages: Sequence[Passage], sums: Vectors) -> list[float]:
    """Return for each turn by how many deviations the best other turn near it exceeds the mean of all candidates.

    Chunk numbers tell how near two turns of a conversation are: its turns are numbered one after the other.
    """
    deviation = float(sums.std())
    above = (sums - sums.mean()) / deviation if deviation > 1e-9 else numpy.zeros(len(sums))
    best = [0.0] * len(passages)
    for places in _by_conversation(passages).values():
        places.sort(key=chunks.__getitem__)
        for n, i in enumerate(places):
            for j in places[n + 1 : n + 1 + NEARBY]:
                if chunks[j] - chunks[i] > NEARBY:
                    break
                if passages[i].start_line != passages[j].start_line:
                    best[i], best[j] = max(best[i], float(above[j])), max(best[j], float(above[i]))
    return best


def before(passages: Sequence[Passage], sums: Vectors) -> list[float]:
    """Return for each turn, below 0, how many better turns of its conversation there are, up to a few."""
    better: Counter[str] = Counter()
    seen: dict[tuple[str, int], float] = {}
    values = [0.0] * len(passages)
    for i in numpy.argsort(-sums, kind="stable"):
        passage = passages[i]
        if passage.speaker is None:
            continue
        turn = passage.path, passage.start_line
        if turn not in seen:
            seen[turn] = -float(min(better[passage.path], _MOST_BEFORE))
            better[passage.path] += 1
        values[i] = seen[turn]
    return values


def _by_conversation(passages: Sequence[Passage]) -> dict[str, list[int]]:
    places: dict[str, list[int]] = defaultdict(list)
    for place, passage in enumerate(passages):
        if passage.speaker is not None:
            places[passage.path].append(place)
    return places
