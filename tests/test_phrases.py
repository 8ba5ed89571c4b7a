import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoro.model import corrections, sentences, statements
from memoro.model.name_forms import full_names, runs
from memoro.model.phrases import Phrases
from memoro.search import answer_kind, phrasing

_TEXTS = 400  # for each pattern
_TWO = Phrases(("tea|coffee", r"\b(?:green )?tea\b|\bcoffee\b"), ("gre", r"\bgreen\b|\bgrey \w+"))
_NAMED = [
    pytest.param(found, id=f"{module.__name__.rpartition('.')[2]}{name}")
    for module in (phrasing, sentences, statements, corrections)
    for name, found in vars(module).items()
    if isinstance(found, Phrases)
]


@given(st.lists(st.sampled_from(["green", "Tea", "COFFEE", "grey", "greens", "a", "."]), max_size=8).map(" ".join))
def test_phrases_match_what_the_pattern_of_all_of_them_does(text):
    whole = _TWO.whole()
    first, expected = _TWO.search(text), whole.search(text)

    assert _TWO.are_in(text) == (expected is not None)
    assert (first and first.span()) == (expected and expected.span())
    assert _TWO.begin(text) == (whole.match(text) is not None)
    assert _TWO.sub("-", text) == whole.sub("-", text)


@pytest.mark.parametrize("phrases", _NAMED)
def test_the_words_of_a_phrase_are_in_all_that_it_matches(phrases):
    whole = phrases.whole()
    # Pieces of the pattern's own text: most of its phrases, whole and in parts.
    pieces = [one for one in re.split(r"[^\w' -]+", re.sub(r"\\[bwWd]", "(", whole.pattern)) if one.strip()]
    chance = random.Random(1)
    for _ in range(_TEXTS):
        text = " ".join(chance.choice(pieces).strip() for _ in range(chance.randint(1, 6))) + chance.choice(".? ")
        assert phrases.are_in(text) == (whole.search(text) is not None), text
        assert phrases.begin(text) == (whole.match(text) is not None), text


def test_the_first_question_word_decides_which_kind_is_asked_for():
    assert answer_kind.kind_asked("What is the date when we meet?") is None
    assert answer_kind.kind_asked("Which day does what happen?") == "time"
    assert answer_kind.kind_asked("And who knows where it is?") == "person"
    assert answer_kind.kind_asked("Wie viele Leute, und wo?") == "number"


def test_names_with_letters_outside_ascii_are_found():
    assert [run[0] for run in runs("Özil met Émile van der Ærø – and Anna")] == ["Özil", "Émile van der Ærø", "Anna"]
    assert list(full_names("Łucja Żak moved. Anna Berg – it’s said – stayed.")) == ["łucja żak"]


@pytest.mark.parametrize(
    "task", ["Please write a test", "can you roll out v2", "We need to set up CI", "Schreib das"]
)
def test_a_deed_that_is_wanted_is_a_task(task):
    assert phrasing.is_task(task)


@pytest.mark.parametrize("question", ["What did I write?", "rollout plans", "Do we need to deploy?", "Setup in May"])
def test_a_question_about_a_deed_is_no_task(question):
    assert not phrasing.is_task(question)
