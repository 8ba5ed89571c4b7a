"""Facts of a conversation by rules: what is kept, as it was said, and what is not."""

from __future__ import annotations

import pytest
from benchmarks import extraction
from hypothesis import given
from hypothesis import strategies as st

from memoro.model.fact_clauses import clauses_of, plain
from memoro.model.fact_rules import candidate_sentences, facts_of, said_in_passing
from memoro.model.fact_statements import LEAST_SCORE, plain_statement, says_something, statements_of
from memoro.model.facts import ConversationTurn, Fact


def said(*texts: str) -> list[ConversationTurn]:
    """Turns of the owner, one after the other."""
    return [ConversationTurn("User", text, n, "2026-03-02", True) for n, text in enumerate(texts, 1)]


def facts(*texts: str) -> list[Fact]:
    return facts_of(said(*texts), most=20, longest=200)


def texts_of(*texts: str) -> list[str]:
    return [one.text for one in facts(*texts)]


@pytest.mark.parametrize(
    ("text", "kind", "kept"),
    [
        ("by the way, my sister Anna lives in Porto", "person", "my sister Anna lives in Porto"),
        ("I'm allergic to peanuts, so please suggest something else", "preference", "I'm allergic to peanuts"),
        ("Hi! I moved to Leipzig, can you update my address?", "person", "I moved to Leipzig"),
        ("Please always use uv instead of pip.", "rule", "Please always use uv instead of pip."),
        ("From now on, answer in German.", "rule", "From now on, answer in German."),
        ("We decided to use Postgres for the queue.", "decision", "We decided to use Postgres for the queue."),
        ("My dentist appointment is on 3 May at 9:30.", "date", "My dentist appointment is on 3 May at 9:30."),
        ("The API listens on 8443.", "fact", "The API listens on 8443."),
        ("Remember that the spare key is under the pot.", "fact", "the spare key is under the pot."),
        ("Ich bin Vegetarierin.", "person", "Ich bin Vegetarierin."),
        ("Übrigens, meine Tochter heißt Mia.", "person", "meine Tochter heißt Mia."),
        ("Ich mag keinen Koriander.", "preference", "Ich mag keinen Koriander."),
        ("Bitte antworte immer auf Deutsch.", "rule", "Bitte antworte immer auf Deutsch."),
        ("Wir haben uns für Hetzner entschieden.", "decision", "Wir haben uns für Hetzner entschieden."),
        ("Unser Server läuft auf Port 8080.", "fact", "Unser Server läuft auf Port 8080."),
        ("我叫李明，住在上海。", "person", "我叫李明，住在上海。"),
        ("我对花生过敏。", "preference", "我对花生过敏。"),
        ("以后请用中文回答。", "rule", "以后请用中文回答。"),
        ("我们决定用PostgreSQL。", "decision", "我们决定用PostgreSQL。"),
        ("我妈妈的生日是5月3日。", "date", "我妈妈的生日是5月3日。"),
    ],
)
def test_a_stated_fact_is_kept_in_the_words_of_its_speaker(text: str, kind: str, kept: str) -> None:
    assert [(one.kind, one.text) for one in facts(text)] == [(kind, kept)]


@pytest.mark.parametrize(
    "text",
    [
        "Where do I live?",
        "If I moved to Oslo, I live in Norway.",
        "I might get a dog.",
        "I'm thinking of becoming a nurse.",
        "My boss said I am too slow.",
        'He wrote: "I live in Oslo. I have two dogs."',
        "Translate to German: I am allergic to nuts and I live in Rome.",
        "Here is her mail:\nI live in Oslo and I have two dogs.",
        "```\nmy name is Tom\n```",
        "> I live in Oslo",
        "fix the failing test please",
        "I'm tired.",
        "I love it!",
        "The build is failing again.",
        "My test is red.",
        "it always fails on CI",
        "Sure, I'm the queen of England, haha",
        "the server runs on port 3000 but I want 4000",
        "I have two tables, users and orders, and need to join them",
        "I like the idea of a petting zoo",
        "I prefer option B",
        "let's use the existing helper",
        "You should always check for null here",
        "Every time I save the file the server restarts",
        "Whenever I run the tests, three of them fail",
        "Remember, you can do it!",
        "Taylor Swift was born in 1989.",
        "Wenn ich in Bonn wohne, brauche ich ein Auto.",
        "Ich überlege, nach Köln zu ziehen.",
        "Ich bin müde.",
        "Ist mein Server erreichbar?",
        "如果我搬到北京，我住在哪里？",
        "我可能会养一只猫。",
        "他说我是医生。",
        "今天好累",
        "J'habite à Lyon.",
    ],
)
def test_questions_plans_quotes_tasks_and_chatter_bring_no_fact(text: str) -> None:
    assert texts_of(text) == []


def test_a_later_correction_replaces_the_statement() -> None:
    assert [(one.kind, one.text) for one in facts("I live in Berlin.", "No, sorry, I live in Bern.")] == [
        ("correction", "I live in Bern.")
    ]


def test_a_brief_correction_drops_what_it_corrects() -> None:
    assert texts_of("I live in Berlin.", "no, Leipzig") == []


def test_a_correction_of_one_thing_leaves_others_of_the_same_form() -> None:
    said_first = "I play the cello."
    assert texts_of(said_first, "Actually, I live in Bern.") == [said_first, "I live in Bern."]


def test_what_is_taken_back_is_no_fact() -> None:
    assert texts_of("My name is Tom. Just kidding.") == []


def test_a_statement_that_is_repeated_is_kept_once_with_its_last_place() -> None:
    (fact,) = facts("I live in Bern.", "I live in Bern!")
    assert fact.evidence.line == 2


def test_only_the_owner_brings_facts() -> None:
    turns = [ConversationTurn("Assistant", "I live in Bern.", 1, None, False), *said("My cat is called Ada.")]
    assert [one.text for one in facts_of(turns, most=5, longest=200)] == ["My cat is called Ada."]


def test_a_fact_tells_where_it_was_said() -> None:
    (fact,) = facts("ok", "Well, I live in Bern. Thanks!")
    assert fact.evidence == ("Well, I live in Bern.", None, 2, "2026-03-02", "User")


def test_candidates_hold_statements_that_no_rule_takes_for_facts() -> None:
    found = candidate_sentences(said("The stairs creak at night. Why? I live in Bern."))
    assert [(one.text, one.score > 0) for one in found] == [
        ("The stairs creak at night.", False),
        ("I live in Bern.", True),
    ]


@pytest.mark.parametrize("half", ["dev", "check"])
def test_on_labelled_conversations_the_rules_are_precise_and_find_most(half: str) -> None:
    counts = extraction.measure_own(half)
    assert counts.right >= 0.9 * counts.lines
    assert counts.found >= 0.4 * counts.facts


_PHRASES = (
    "I live in Bern. ", "my sister Anna ", "no, ", "actually ", "always use uv", "? ", "! ", "\n", "“", '"', "```",
    "> ", "ich bin ", "Vegetarierin", "我叫李明", "，", "。", "if ", "remember that ", "My name is Tom", "- ", ": ",
    "just kidding", "we decided to ", "on 3 May ", "and ", "because ", "<x>", "the API listens on 8443", "’", "(",
    ")", "…", "\t",
)  # fmt: skip
_TEXTS = st.one_of(st.text(max_size=200), st.lists(st.sampled_from(_PHRASES), max_size=14).map("".join))
_TURNS = st.lists(
    st.builds(ConversationTurn, st.just("User"), _TEXTS, st.integers(1, 99), st.none(), st.booleans()), max_size=6
)


@given(_TURNS, st.integers(0, 8), st.integers(1, 200))
def test_whatever_was_said_facts_are_the_owners_words_within_the_limits(
    turns: list[ConversationTurn], most: int, longest: int
) -> None:
    found = facts_of(turns, most=most, longest=longest)
    own = [" ".join(turn.text.split()) for turn in turns if turn.is_owner]
    assert found == facts_of(turns, most=most, longest=longest)
    assert len(found) <= most
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)
    for one in found:
        assert 0 < len(one.text) <= longest
        assert not one.text.endswith(("?", "？"))
        assert LEAST_SCORE <= one.score <= 1
        assert any(" ".join(one.text.split()) in text for text in own)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("FYI: tidewater is on Postgres 15 now.", ["tidewater is on Postgres 15 now."]),
        ("Before I forget: requests time out after 30 seconds.", ["requests time out after 30 seconds."]),
        ("Nora leads tidewater now. Thanks!", ["Nora leads tidewater now."]),
        ("Now quill ships with poetry.", ["Now quill ships with poetry."]),
        ("No, quill ships with poetry.", ["quill ships with poetry."]),
        ("We put harbor on port 5005 instead of 7070.", ["We put harbor on port 5005 instead of 7070."]),
        ("Maybe tidewater runs on Postgres now.", []),
        ("If tidewater moves to Postgres, tell me.", []),
        ("We should move tidewater to Postgres.", []),
        ("Is tidewater on Postgres now?", []),
        ("Move tidewater to Postgres now.", []),
        ("Anna thinks tidewater is on Postgres now.", []),
    ],
)
def test_what_is_stated_in_passing_is_told_from_doubts_questions_and_orders(text: str, found: list[str]) -> None:
    turn = ConversationTurn("User", text, 1, None, True)
    assert [one.text for one in said_in_passing([turn], 200)] == found
    assert said_in_passing([turn._replace(is_owner=False)], 200) == []


@given(_TURNS, st.integers(1, 200))
def test_whatever_was_said_in_passing_is_in_the_owners_words(turns: list[ConversationTurn], longest: int) -> None:
    own = [" ".join(turn.text.split()) for turn in turns if turn.is_owner]
    for one in said_in_passing(turns, longest):
        assert 0 < len(one.text) <= longest
        assert any(" ".join(one.text.split()) in text for text in own)


@given(_TURNS)
def test_whatever_was_said_candidates_are_the_owners_words(turns: list[ConversationTurn]) -> None:
    own = [" ".join(turn.text.split()) for turn in turns if turn.is_owner]
    for one in candidate_sentences(turns):
        assert any(" ".join(one.text.split()) in text for text in own)
        assert 0 <= one.score <= 1


def test_a_long_statement_weighs_a_little_less() -> None:
    [short] = statements_of("We decided to use Postgres for the orders.")
    [long] = statements_of(f"We decided to use Postgres for the orders {'of the northern warehouse ' * 6}.")
    assert long.score == pytest.approx(short.score - 0.1)


@pytest.mark.parametrize(
    "sentence",
    [
        "Well —\tI live in Kiel and my cat is called Miso",
        "Hi,  and I moved to Leipzig —   so please note it",
        "By the way, my dentist is Dr. Pohl;   but call me first",
    ],
)
def test_a_clause_begins_with_a_word(sentence: str) -> None:
    for clause in clauses_of(sentence).clauses:
        assert sentence[clause.start].strip() and sentence[clause.start :].startswith(clause.whole[:5])


def owners_facts(*said: str) -> list[tuple[str, str]]:
    turns = [ConversationTurn("User", text, line, "2026-11-02", True) for line, text in enumerate(said, 1)]
    return [(one.text, one.kind) for one in facts_of(turns, most=9, longest=200)]


@pytest.mark.parametrize(
    ("before", "after", "left"),
    [
        ("Our database is MySQL.", "Our database is Postgres, not MySQL.", ["Our database is Postgres, not MySQL."]),
        ("My sister is Ida.", "Actually, my sister is Eva.", ["my sister is Eva."]),
        ("I live in Bonn.", "Sorry, I live in Kiel.", ["I live in Kiel."]),
        ("My cat is called Mia.", "Actually, I live in Kiel.", ["My cat is called Mia.", "I live in Kiel."]),
    ],
)
def test_a_correction_replaces_what_it_is_about_and_nothing_else(before: str, after: str, left: list[str]) -> None:
    assert [text for text, _ in owners_facts(before, after)] == left


@pytest.mark.parametrize("said", ["Our database is broken.", "Our API crashes on port 80."])
def test_trouble_of_the_moment_is_no_fact(said: str) -> None:
    assert owners_facts(said) == []


# Limits and edges


@pytest.mark.parametrize(("most", "count"), [(3, 2), (2, 2), (1, 1), (0, 0), (-1, 0)])
def test_at_most_so_many_facts_are_returned(most: int, count: int) -> None:
    turns = said("I live in Bern. My cat is called Ada.")
    assert len(facts_of(turns, most=most, longest=200)) == count


@pytest.mark.parametrize(("longest", "count"), [(15, 1), (14, 0)])
def test_a_fact_has_at_most_so_many_characters(longest: int, count: int) -> None:
    assert len(facts_of(said("I live in Bern."), most=9, longest=longest)) == count
    assert len(said_in_passing(said("Bern has a mill"), longest)) == count


def test_of_facts_that_are_as_sure_the_first_comes_first() -> None:
    texts = ("I live in Bern.", "Please always use uv.", "I live near a mill in Bern.")
    found = facts(*texts)
    assert [one.score for one in found] == [0.9, 0.8, 0.8]
    assert [one.text for one in found] == [texts[1], texts[0], texts[2]]


@pytest.mark.parametrize(
    ("after", "is_taken_back"),
    [
        (("no, Leipzig in the east now",), True),  # six words
        (("no, Leipzig in the far east now",), False),  # seven
        (("Hm.", "no, Leipzig"), True),  # two turns later
        (("Hm.", "Well.", "no, Leipzig"), False),  # three
        (("Just kidding.",), True),
        (("Hm.", "Just kidding."), True),
        (("Hm.", "Well.", "Just kidding."), False),
        (("Leipzig is nice.",), False),
    ],
)
def test_a_statement_is_taken_back_briefly_and_soon(after: tuple[str, ...], is_taken_back: bool) -> None:
    assert ("I live in Berlin." in texts_of("I live in Berlin.", *after)) is not is_taken_back


def test_in_one_message_only_words_that_take_back_do_so() -> None:
    assert texts_of("I live in Berlin. no, Leipzig") == ["I live in Berlin."]
    assert texts_of("I live in Berlin. Just kidding.") == []
    assert texts_of("Just kidding.", "I live in Berlin.") == ["I live in Berlin."]


def test_only_the_last_statement_is_taken_back() -> None:
    assert texts_of("My cat is called Ada.", "I live in Berlin.", "Just kidding.") == ["My cat is called Ada."]


@pytest.mark.parametrize(
    ("before", "after", "kind"),
    [
        ("My dentist is Dr. Pohl.", "No, my dentist is Dr. Berg.", "correction"),
        ("I prefer tea.", "Actually, I prefer coffee.", "preference"),
        ("We decided to use MySQL.", "Sorry, we decided to use Postgres.", "decision"),
        ("Please always use uv.", "No, please always use pip.", "rule"),
    ],
)
def test_what_corrects_a_fact_is_a_correction_and_other_kinds_stay_what_they_are(
    before: str, after: str, kind: str
) -> None:
    [one] = facts(before, after)
    assert (one.kind, one.evidence.line) == (kind, 2)
    [alone] = facts(after)
    assert alone.kind != "correction" or kind != "correction"


@pytest.mark.parametrize(("between", "left"), [(39, 0), (40, 1)])
def test_a_correction_looks_back_at_forty_statements(between: int, left: int) -> None:
    beside = [f"My neighbour number {number} is called Ida." for number in range(between)]
    turns = said("Our database is MySQL.", *beside, "Our database is Postgres, not MySQL.")
    found = [one.text for one in facts_of(turns, most=99, longest=200)]
    assert found.count("Our database is MySQL.") == left


@pytest.mark.parametrize(("length", "count"), [(300, 1), (301, 0)])
def test_a_model_chooses_among_sentences_of_at_most_300_characters(length: int, count: int) -> None:
    assert len(candidate_sentences(said("The stairs creak ".ljust(length, "x")))) == count


@pytest.mark.parametrize("text", ["Do the stairs creak?", "Thanks!", "ok", "the", "> The stairs creak at night"])
def test_questions_thanks_and_quotations_are_no_candidates(text: str) -> None:
    assert candidate_sentences(said(text)) == []


@pytest.mark.parametrize(("length", "count"), [(600, 1), (601, 0)])
def test_a_sentence_has_at_most_600_characters(length: int, count: int) -> None:
    assert len(statements_of("I live in Bern, ".ljust(length, "x"))) == count


@pytest.mark.parametrize(("length", "score"), [(160, 0.9), (161, 0.8)])
def test_a_statement_of_more_than_160_characters_weighs_less(length: int, score: float) -> None:
    [one] = statements_of("We decided to use Postgres for the orders ".ljust(length, "a"))
    assert one.score == score


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("tea time", True),
        ("tea", False),
        ("is it", False),
        ("", False),
        ("我叫李明", True),
        ("我叫李", False),
        ("我叫李 tea time", True),
    ],
)
def test_a_text_says_something_from_two_words_or_four_signs(text: str, says: bool) -> None:
    assert says_something(text) is says


@pytest.mark.parametrize(
    ("sentence", "found"),
    [
        ("Our API listens on 8443.", ["Our API listens on 8443."]),
        ("Our API listens on 8443 today.", []),  # it holds for the moment
        ("Our API is slow.", []),  # it tells of trouble
        ("Remember that the server is broken today.", ["the server is broken today."]),  # the speaker asks to
        ("I live in Kiel, but maybe not for long.", ["I live in Kiel"]),
        ("I live in Kiel, and it is nice.", ["I live in Kiel"]),  # an opinion adds nothing
        ("I live in Kiel, and my cat is called Ada.", ["I live in Kiel, and my cat is called Ada."]),
        ("If it rains, I live in Kiel.", []),  # the condition holds for the rest
        ("My boss says I live in Kiel.", []),
        ("the server runs on port 3000, but I want 4000", []),
        ("It listens on port 80.", []),  # nobody knows what
        ("I live there.", []),
        ("I'm tired, and I live in Kiel.", ["I live in Kiel."]),
    ],
)
def test_clauses_that_doubt_wish_or_lean_are_cut_off(sentence: str, found: list[str]) -> None:
    assert [one.text for one in statements_of(sentence)] == found


@pytest.mark.parametrize(
    ("sentence", "text"),
    [
        ("By the way, tidewater runs on Postgres.", "tidewater runs on Postgres."),
        ("Well, so: tidewater runs on Postgres", "tidewater runs on Postgres"),
        ("tidewater runs on Postgres?", ""),
        ("tidewater runs on Postgres, right?", ""),
        ("tidewater runs on Postgres lol", ""),
        ("We moved tidewater to Postgres.", "We moved tidewater to Postgres."),
        ("Move tidewater to Postgres.", ""),
        ("tidewater runs on Postgres, but maybe not for long.", ""),
        ("They said that tidewater runs on Postgres.", ""),
        ("", ""),
    ],
)
def test_a_plain_statement_asks_orders_doubts_and_quotes_nothing(sentence: str, text: str) -> None:
    assert plain_statement(sentence) == text


@pytest.mark.parametrize(
    ("sentence", "clauses", "asks"),
    [
        ("I live in Bern, and my cat is Ada.", [("i live in bern", False), ("my cat is ada.", False)], False),
        ("I live in Bern; can you note it?", [("i live in bern", False), ("can you note it?", True)], False),
        ("I live in Bern, right?", [("i live in bern", False), ("right?", True)], False),
        ("Is it Bern?", [("is it bern?", True)], True),
        ("Can you help me, I live in Bern", [("can you help me", True), ("i live in bern", False)], False),
        ("Hi, I live in Bern", [("i live in bern", False)], False),
    ],
)
def test_a_sentence_is_cut_into_clauses_of_which_some_ask(
    sentence: str, clauses: list[tuple[str, bool]], asks: bool
) -> None:
    found = clauses_of(sentence)
    assert [(one.lower, one.asks) for one in found.clauses] == clauses
    assert found.asks is asks
    for one in found.clauses:
        assert plain(sentence[one.start : one.end].strip()) == one.lower
        assert sentence[one.start :].strip() == one.whole


@pytest.mark.parametrize(
    ("sentence", "corrects", "remembers"),
    [
        ("I live in Bern", False, False),
        ("No, I live in Bern", True, False),
        ("Oh sorry, I meant: I live in Bern", True, False),
        ("Remember that I live in Bern", False, True),
        ("Actually, please remember: I live in Bern", True, True),
        ("I live in Bern, no, in Kiel", False, False),
    ],
)
def test_a_sentence_says_that_it_corrects_or_is_to_be_kept_in_mind(
    sentence: str, corrects: bool, remembers: bool
) -> None:
    found = clauses_of(sentence)
    assert (found.corrects, found.remembers) == (corrects, remembers)
    assert found.clauses[0].lower.startswith("i live in bern")


@pytest.mark.parametrize(
    ("sentence", "binds"),
    [
        ("Maybe I move, I live in Bern", [True, True]),
        ("Maybe I move, but I live in Bern", [False, True]),
        ("I live in Bern, and I swim; however I do not dive", [True, False, True]),
    ],
)
def test_a_doubt_binds_what_follows_unless_a_contrast_does(sentence: str, binds: list[bool]) -> None:
    assert [one.binds for one in clauses_of(sentence).clauses] == binds
