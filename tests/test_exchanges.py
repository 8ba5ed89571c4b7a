"""What a person said and the answers to it are one unit, whatever of it was found."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from memoro.model.answers import Passage
from memoro.store.plain.index import PlainIndex
from memoro.unasked.exchanges import Exchange, exchanges_of, following, turns_of
from tests.talks import PATH, SaidChunk, index_of, talk


def log(said: Sequence[SaidChunk], *, private: Sequence[int] = ()) -> PlainIndex:
    return index_of(talk(said, private=private))


def exchange_with(index: PlainIndex, text: str) -> Exchange:
    """The exchange of the chunk that holds the text."""
    [found] = [
        (one.chunk, one.passage) for one in index.look_up(index.chunks_of([PATH]), []) if text in one.passage.text
    ]
    return exchanges_of(index, dict([found]))[found[0]]


def texts(exchange: Exchange) -> list[str]:
    return [f"{turn.speaker}: {turn.text}" for turn in exchange.turns]


TALK: list[SaidChunk] = [
    (1, "Assistant", "I read the notes."),
    (2, "User", "Which port does heron use?"),
    (3, "Assistant", "Port 8443,"),
    (3, "Assistant", "because 443 is taken."),
    (4, "Assistant", "I wrote it down."),
    (5, "User", "And the timeout?"),
    (6, "Assistant", "Thirty seconds."),
]


TOLD = [
    "User: Which port does heron use?",
    "Assistant: Port 8443,\nbecause 443 is taken.",
    "Assistant: I wrote it down.",
]


def test_an_exchange_is_what_a_person_said_with_every_answer_until_they_speak_again() -> None:
    index = log(TALK)
    for part in ("Which port", "Port 8443", "443 is taken", "wrote it down"):
        assert texts(exchange_with(index, part)) == TOLD
    assert texts(exchange_with(index, "timeout")) == ["User: And the timeout?", "Assistant: Thirty seconds."]


def test_a_conversation_may_begin_with_an_answer_and_end_with_a_question() -> None:
    index = log([(1, "Assistant", "Welcome back."), (2, "User", "Is it done?")])
    begins = exchange_with(index, "Welcome")
    assert begins.said is None and texts(begins) == ["Assistant: Welcome back."]
    assert texts(exchange_with(index, "done")) == ["User: Is it done?"]


def test_between_several_people_each_turn_stands_by_itself() -> None:
    index = log([(1, "Ana", "The hall is booked."), (2, "Bo", "Which one?"), (3, "Ana", "The red one.")])
    assert texts(exchange_with(index, "Which one")) == ["Bo: Which one?"]
    assert texts(exchange_with(index, "red one")) == ["Ana: The red one."]


def test_a_private_turn_is_no_part_of_an_exchange() -> None:
    index = log([(1, "User", "Where is the key?"), (2, "Assistant", "Under the mat.")], private=[2])
    assert texts(exchange_with(index, "key")) == ["User: Where is the key?"]


def test_of_a_private_question_the_answer_is_not_shown_either() -> None:
    said: list[SaidChunk] = [
        (1, "User", "Which port?"), (2, "Assistant", "8443."),
        (3, "User", "Between us: my wage?"), (4, "Assistant", "It is 70."),
    ]  # fmt: skip
    index = log(said, private=[3])
    assert texts(exchange_with(index, "Which port")) == ["User: Which port?", "Assistant: 8443."]
    [answer] = [one for one in index.look_up(index.chunks_of([PATH]), []) if "70" in one.passage.text]
    assert exchanges_of(index, {answer.chunk: answer.passage}) == {}


def test_what_the_model_holds_is_no_part_of_an_exchange() -> None:
    index = log(TALK)
    [answer] = [one for one in index.look_up(index.chunks_of([PATH]), []) if "8443" in one.passage.text]
    found = exchanges_of(index, {answer.chunk: answer.passage}, lambda one: None if "Which port" in one.text else one)
    assert texts(found[answer.chunk]) == TOLD[1:]


def test_the_next_exchanges_of_a_conversation_come_in_their_order() -> None:
    said: list[SaidChunk] = [
        (2 * n + who, side, f"{side} {n}") for n in range(4) for who, side in enumerate(["User", "Assistant"])
    ]
    index = log(said)
    after = following(index, exchange_with(index, "User 1"), 5)
    assert [texts(one)[0] for one in after] == ["User: User 2", "User: User 3"]
    assert following(index, after[-1], 5) == []
    assert [texts(one)[0] for one in following(index, exchange_with(index, "User 0"), 1)] == ["User: User 1"]


turns = st.lists(st.tuples(st.sampled_from(["User", "Assistant", "Ana"]), st.integers(1, 3)), min_size=1, max_size=25)


@given(turns, st.integers(0, 99))
def test_each_chunk_is_in_exactly_one_exchange_which_holds_it_in_order(
    spoken: list[tuple[str, int]], which: int
) -> None:
    index = log([(n, who, f"part {p}") for n, (who, parts) in enumerate(spoken, 1) for p in range(parts)])
    chunks = index.chunks_of([PATH])
    passages: dict[int, Passage] = {one.chunk: one.passage for one in index.look_up(chunks, [])}
    together = exchanges_of(index, passages)
    assert sorted(together) == chunks
    for one in {exchange.chunks for exchange in together.values()}:
        assert list(one) == sorted(one)
    chosen = chunks[which % len(chunks)]
    alone = exchanges_of(index, {chosen: passages[chosen]})[chosen]
    assert chosen in alone.chunks
    assert sum(turn.speaker == "User" for turn in alone.turns) <= 1


def test_a_chunk_that_is_gone_has_no_exchange() -> None:
    index = log(TALK)
    [passage] = [one.passage for one in index.look_up(index.chunks_of([PATH])[:1], [])]
    assert exchanges_of(index, {999: passage}) == {}


def test_what_nobody_said_is_no_turn() -> None:
    index = log([(1, "User", "Is it done?"), (2, "Assistant", "Yes.")])
    found = index.look_up(index.chunks_of([PATH]), [])
    silent = found[0]._replace(passage=found[0].passage._replace(speaker=None))
    assert [turn.speaker for turn in turns_of([silent, found[1]])] == ["Assistant"]
