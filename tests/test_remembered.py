"""What was read in texts is remembered, and can be forgotten: a server would keep it for ever."""

from __future__ import annotations

from memoro.model.remembered import forget_readings, remembered
from memoro.model.sentences import topic_words

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
