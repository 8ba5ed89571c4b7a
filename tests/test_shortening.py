"""A long text is cut to the sentences that matter for a message, in their order."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memoro.model.given_text import CUT
from memoro.model.tokens import quarters
from memoro.unasked.shortening import WantedSentences, pieces, shortened, shortened_together, to_the_point


def wanted(*words: str, answer: str = "") -> WantedSentences:
    """Words of a message, each as much worth as another."""
    return WantedSentences(
        dict.fromkeys(words, 1.0),
        lambda text: {word.strip(".,;!?`").lower() for word in text.split()},
        lambda text: bool(answer) and answer in text,
    )


STORY = (
    "The heron cluster moved in May. It was a quiet week for everybody in the team. "
    "The reason was the cheaper power in Rotterdam. Nobody noticed anything on that day. "
    "Lunch was late, as it is every Tuesday in spring. The old racks were sold to a school nearby."
)


def test_a_text_that_fits_stays_as_it_is() -> None:
    assert shortened(f"  {STORY}\n", 200, wanted("power")) == STORY


def test_the_sentences_that_hold_words_of_the_message_stay_in_their_order() -> None:
    cut = shortened(STORY, 30, wanted("racks", "power"))
    assert "cheaper power" in cut and "old racks" in cut
    assert cut.index("power") < cut.index("racks")
    assert "Lunch" not in cut


def test_what_was_left_out_is_marked() -> None:
    cut = shortened(STORY, 14, wanted("power"))
    assert cut == f"{CUT} The reason was the cheaper power in Rotterdam. {CUT}"


def test_a_sentence_with_the_kind_of_thing_that_is_asked_for_stays() -> None:
    assert "school" in shortened(STORY, 24, wanted("heron", answer="school"))


def test_long_code_is_left_out_and_a_short_line_of_it_stays() -> None:
    code = "```sh\n" + "\n".join(f"echo {n} heron" for n in range(9)) + "\n```"
    assert "echo" not in shortened(f"Run this for heron.\n{code}\nThen wait.", 60, wanted("heron"))
    assert "make heron" in shortened("Run this.\n```sh\nmake heron\n```", 60, wanted("heron"))


def test_where_there_is_nothing_but_code_its_first_lines_stay() -> None:
    code = "```sh\n" + "\n".join(f"pg_dump tides > t{n}.sql" for n in range(9)) + "\n```"
    assert shortened(code, 20, wanted("heron")).startswith("pg_dump tides > t0.sql\npg_dump tides > t1.sql")


def test_lines_of_a_list_are_pieces_of_their_own() -> None:
    text = "Ports:\n- heron 8443\n- tea 9000\n1. first\n2. second"
    assert [one.text for one in pieces(text)] == text.split("\n")


def test_an_abbreviation_ends_no_sentence() -> None:
    assert [one.text for one in pieces("Use e.g. port 1. Then stop! 好的。再见")] == [
        "Use e.g. port 1.", "Then stop! 好的。", "再见",
    ]  # fmt: skip


def test_of_several_texts_one_that_says_nothing_for_the_message_may_be_dropped() -> None:
    asked, answered = shortened_together(["Well now. " * 30, STORY], 20, wanted("racks"))
    assert "racks" in answered
    assert quarters(asked) + quarters(answered) <= 8 * 20


sentences = st.lists(
    st.sampled_from(
        [
            "The heron moved.", "Why is that so?", "- a line", "1. an item", "```", "x = 1", "Ändere das!",
            "中文。好", "word " * 30, "y" * 400, "", "Power costs 3.5 cents; It was cheap.", "e.g. this one",
        ]
    ),
    max_size=25,
)  # fmt: skip


@given(st.lists(st.tuples(sentences, st.sampled_from([" ", "\n"])), min_size=1, max_size=3), st.integers(10, 120))
def test_what_is_left_is_from_the_text_in_its_order_and_at_most_twice_as_long_as_wanted(
    written: list[tuple[list[str], str]], limit: int
) -> None:
    texts = [joint.join(parts) for parts, joint in written]
    cut = shortened_together(texts, limit, wanted("heron", "power", answer="3.5"))
    assert len(cut) == len(texts)
    marks = 6 * sum(map(len, map(pieces, texts)))  # the marks of what was left out
    assert sum(map(quarters, cut)) <= 8 * limit + marks
    for text, left in zip(texts, cut, strict=True):
        at = 0
        for part in left.replace(CUT, "\n").split("\n"):  # what stands between two marks is whole
            shown = "".join(part.split())
            found = "".join(text.split()).find(shown, at)
            assert found >= at
            at = found + len(shown)


@given(st.text(max_size=600), st.integers(5, 60))
def test_any_text_can_be_cut(text: str, limit: int) -> None:
    assert isinstance(shortened(text, limit, wanted("a", "the")), str)


BUCKETS = "Kept in Oslo.\n\n- Invoices are in the bucket i-eu.\n  Nobody may delete them.\n- The API listens on 8080."


def test_points_that_share_nothing_with_the_message_are_left_out_where_another_answers_it() -> None:
    found = to_the_point(BUCKETS, ("Facts",), wanted("bucket", "invoices"))
    assert found == "Kept in Oslo.\n\n- Invoices are in the bucket i-eu.\n  Nobody may delete them. …"


def test_all_points_stay_below_a_heading_of_the_message_and_where_none_answers_it() -> None:
    assert to_the_point(BUCKETS, ("The bucket",), wanted("bucket", "invoices")) == BUCKETS
    assert to_the_point(BUCKETS, ("Facts",), wanted("bucket", "colour", "price")) == BUCKETS
    assert to_the_point(BUCKETS, ("Facts",), wanted("bucket")) == BUCKETS  # "which buckets are there?"


def test_a_point_with_the_kind_of_thing_that_is_asked_for_stays() -> None:
    assert to_the_point(BUCKETS, (), wanted("bucket", "invoices", answer="8080")) == BUCKETS
