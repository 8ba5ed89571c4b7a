"""Two wordings of one statement, and statements that differ in what counts, however alike their words are."""

from __future__ import annotations

import pytest

from memoro.model.rewording import is_rewording, statement_words


def alike(one: str, other: str, cosine: float = 1.0) -> bool:
    found = is_rewording(one, other, lambda _one, _other: cosine)
    assert is_rewording(other, one, lambda _one, _other: cosine) == found, "which one comes first decides nothing"
    return found


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Invoices sleep two weeks", "Each invoice sleeps 2 weeks"),
        ("I'm allergic to nuts", "I have an allergy to nuts"),
        ("Always name the file", "please name the file"),
        ("Mara's desk stands upstairs", "the desk of Mara stands upstairs"),
        ("On Friday Ada cooks", "Ada cooks on Friday"),
        ("We prefer tea over coffee", "Prefer tea rather than coffee"),
        ("The meeting is at four", "Das meeting ist um 4"),
        ("Errors are logged", "log errors"),
        ("Die Rechnung liegt im Ordner", "Rechnungen liegen im Ordner"),
        ("会议在三点", "会议是在三点的"),
        ("now", "really"),
        ("  Call   Mara ", "call mara"),
    ],
)
def test_other_words_for_the_same_are_recognised(one: str, other: str) -> None:
    assert alike(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Call Mara before lunch", "Call Mara after lunch"),
        ("The limit lies above the line", "The limit lies below the line"),
        ("The lamp of the pier is on", "The lamp of the pier is off"),
        ("Berichte vor dem Essen lesen", "Berichte nach dem Essen lesen"),
        ("灯在桌子上", "灯在桌子下"),
        ("Tea is at four", "Tea is at five"),
        ("Tests run on heron", "Tests never run on heron"),
        ("Tests do not run on heron", "Tests run on heron"),
        ("We prefer tea over coffee", "We prefer tea over milk"),
        ("Ada reports to Bert", "Bert reports to Ada"),
        ("Lena leads the harbor team", "Noor leads the harbor team"),
        ("now", "Mara"),
    ],
)
def test_what_differs_in_a_value_a_negation_or_a_side_is_another_statement(one: str, other: str) -> None:
    assert not alike(one, other)


def test_a_side_counts_only_where_the_other_text_has_the_opposite() -> None:
    assert alike("Call Mara before lunch", "Call Mara at lunch")
    assert alike("Call Mara before and after lunch", "Call Mara after lunch")


@pytest.mark.parametrize(
    ("one", "other", "is_one"),
    [
        ("crane pump", "crane pump valve gear", True),  # half of the words
        ("crane pump", "crane pump valve gear rope", False),
        ("crane pump valve", "crane pump", True),
        ("crane", "crane pump valve", False),
    ],
)
def test_two_wordings_share_half_of_the_words_of_the_longer_one(one: str, other: str, is_one: bool) -> None:
    assert alike(one, other) == is_one


@pytest.mark.parametrize(("cosine", "is_one"), [(0.49, False), (0.5, True)])
def test_texts_whose_vectors_are_far_apart_are_about_different_things(cosine: float, is_one: bool) -> None:
    assert alike("Mara feeds the cat", "The cat, Mara feeds", cosine) == is_one


@pytest.mark.parametrize(
    ("one", "other", "cosine", "is_one"),
    [
        ("pump the crane before spring", "in spring, before all, mend the crane", 0.8, True),
        ("pump the crane before spring", "in spring, before all, mend the crane", 0.79, False),
        ("pump the crane in spring", "mend the crane in spring", 1.0, False),  # built alike: the word is the value
        ("the crane gets 5 drops in spring", "in spring the crane gets 6 drops", 1.0, False),
        ("grease the crane for Mara", "for the crane it is Noor who greases", 1.0, False),
    ],
)
def test_a_word_may_differ_where_the_sentence_is_built_differently(
    one: str, other: str, cosine: float, is_one: bool
) -> None:
    assert alike(one, other, cosine) == is_one


def test_two_words_on_one_side_are_too_many_to_differ() -> None:
    assert not alike("pump the crane and rope before spring", "in spring, before all, mend the rusty crane")


@pytest.mark.parametrize(
    ("one", "other", "is_one"),
    [
        ("crane allergic", "crane allergy", True),
        ("crane logged", "crane log", True),  # the consonant is doubled
        ("crane rotate", "crane rotation", True),  # five letters in common
        ("crane nation", "crane native", False),  # four
        ("crane produce", "crane production", True),  # four letters more
        ("crane organise", "crane organisation", False),  # five
        ("crane v1.2", "crane v1.3", False),
    ],
)
def test_forms_of_one_word_are_one_word(one: str, other: str, is_one: bool) -> None:
    assert alike(one, other) == is_one


def test_a_statement_is_read_with_what_must_agree() -> None:
    found = statement_words("We never use Ada's three cranes instead of the pump, not for 5:30")
    assert found.numbers == {"3", "5:30"}
    assert found.names == {"ada"}
    assert not found.negated  # denied twice
    assert found.rejected == "pump"
    assert found.words == ("ada", "3", "cranes", "pump", "5:30")
    assert statement_words("Stop it").negated and not statement_words("Crane").rejected
