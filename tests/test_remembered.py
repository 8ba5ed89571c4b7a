"""What was read in texts is remembered, and can be forgotten: a server would keep it for ever."""

from __future__ import annotations

import tracemalloc

import numpy

from memoro.model.remembered import forget_readings, remembered
from memoro.model.sentences import topic_words
from memoro.providers.builtin.model import builtin

calls: list[str] = []


@remembered(2)
def shouted(text: str) -> str:
    calls.append(text)
    return text.upper()


def test_an_answer_is_remembered_until_there_are_too_many_or_all_are_forgotten() -> None:
    calls.clear()
    assert [shouted(text) for text in ("tea", "tea", "cup", "pot", "tea")] == ["TEA", "TEA", "CUP", "POT", "TEA"]
    assert calls == ["tea", "cup", "pot", "tea"]
    forget_readings()
    assert shouted("tea") == "TEA"
    assert calls == ["tea", "cup", "pot", "tea", "tea"]


def test_readings_of_sentences_are_forgotten_too() -> None:
    topic_words("The kettle stands on the stove")
    assert topic_words.cache_info().currsize > 0
    forget_readings()
    assert topic_words.cache_info().currsize == 0


def test_what_the_builtin_model_remembers_of_words_is_freed_and_its_answers_stay() -> None:
    words, others = ["kettle", "harbour"], [f"teapot{number}" for number in range(5000)]
    sizes = numpy.asarray([3, 8])
    forget_readings()
    tracemalloc.start()
    try:
        near, by_chance = builtin().near(words, others), builtin().near_by_chance(words, sizes)
        full, _ = tracemalloc.get_traced_memory()
        forget_readings()
        freed = full - tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert freed > len(others) * 256  # a row of so many bytes for each word
    assert numpy.array_equal(builtin().near(words, others), near)
    assert numpy.array_equal(builtin().near_by_chance(words, sizes), by_chance)
