"""What else could be given: the three best exchanges of the project's logs by BM25, or nothing."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Sequence
from datetime import date
from typing import NamedTuple

from benchmarks.days.life import GroupAnswers
from benchmarks.days.people import Person

_TOP = 3
_K1, _B = 1.2, 0.75
_STOP_WORDS = """
    a an and any are as at be been but by can could did do does for from had has have he her here hey hi his how i if
    in is it its just me my no not now of on or our out please she should so than that the their them then there these
    they this to up us was we were what when where which who why will with would yes you your
    aber als am an auch auf aus bei bitte da das dem den der des die doch du ein eine einen er es für hat ich ihr im
    in ist ja kann mal man mir mit nein nicht noch nun oder sich sie sind so um und uns vom von war warum was welche
    welcher wenn wer wie wieder wir wird wo zu zum zur
"""
_stop_words = frozenset(_STOP_WORDS.split())


class Exchange(NamedTuple):
    day: date
    said: str
    answer: str

    def as_record(self) -> str:
        record = {"log": self.day.isoformat(), "1": f"User: {self.said}", "2": f"Assistant: {self.answer}"}
        return json.dumps(record, ensure_ascii=False)


def words(text: str) -> list[str]:
    found = [word for word in re.findall(r"\w+", text.lower()) if len(word) > 1 and word not in _stop_words]
    for run in re.findall(r"[\u4e00-\u9fff]{2,}", text):
        found += [run[place : place + 2] for place in range(len(run) - 1)]
    return found


def nothing(person: Person) -> list[GroupAnswers]:
    return [GroupAnswers("", ("",) * len(group.prompts)) for group in person.groups]


def bm25(person: Person) -> list[GroupAnswers]:
    """For each prompt the three best exchanges, the newest first; at the start the last exchange of the project."""
    answers = []
    for group in person.groups:
        known = _exchanges(person, group.project)
        ranked = _Ranked(known)
        given = tuple("\n".join(one.as_record() for one in ranked.best(prompt.text)) for prompt in group.prompts)
        answers.append(GroupAnswers(known[-1].as_record() if known else "", given))
    return answers


def _exchanges(person: Person, project: str) -> list[Exchange]:
    return [
        Exchange(session.start.date(), said, answer)
        for session in person.sessions
        if session.project == project
        for said, answer in session.exchanges()
    ]


class _Ranked:
    def __init__(self, known: Sequence[Exchange]) -> None:
        self._known = known
        self._bags = [Counter(words(f"{one.said} {one.answer}")) for one in known]
        self._holders = Counter(word for bag in self._bags for word in bag)
        self._mean = sum(bag.total() for bag in self._bags) / max(1, len(self._bags))

    def best(self, query: str) -> list[Exchange]:
        scores = [self._score(set(words(query)), bag) for bag in self._bags]
        best = sorted((place for place, score in enumerate(scores) if score > 0), key=lambda place: -scores[place])
        return [self._known[place] for place in sorted(best[:_TOP], reverse=True)]

    def _score(self, query: set[str], bag: Counter[str]) -> float:
        length = _K1 * (1 - _B + _B * bag.total() / self._mean)
        return sum(self._rarity(word) * bag[word] * (_K1 + 1) / (bag[word] + length) for word in query if bag[word])

    def _rarity(self, word: str) -> float:
        return math.log(1 + (len(self._bags) - self._holders[word] + 0.5) / (self._holders[word] + 0.5))
