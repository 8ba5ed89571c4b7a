"""Statements about the same thing: which leads, and what is marked as older."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memoro.model.sentences import past_words, read_sentence, topic_words
from memoro.model.vocabulary import TRUSTS, Trust
from memoro.search.compared_statements import Moment, Statement, is_newer
from memoro.search.same_thing import Arrangement, AskedFor, Older, StatementPair, arrange, best_of, lifted

ANYTHING = AskedFor()


def said(text: str, day: str | None = None, **others) -> Statement:
    """A statement of its own file, without the words of its subject."""
    fields = {"words": topic_words(text), "attributes": frozenset(), "total": 0.0, **others}
    return Statement(text=text, said=Moment(day, fields.pop("path", text), fields.pop("line", 1)), **fields)


def pairs(count: int, near: float = 0.9) -> list[StatementPair]:
    return [StatementPair(one, other, near) for one in range(count) for other in range(one)]


def arranged(*statements: Statement, near: float = 0.9, asked: AskedFor = ANYTHING) -> Arrangement:
    return arrange(statements, pairs(len(statements), near), asked)


def older(found: Arrangement) -> dict[int, int]:
    return {place: one.by for place, one in found.older.items()}


def test_the_newest_leads_and_the_older_names_it() -> None:
    found = arranged(said("lives in Lisbon", "2025-01-01"), said("moved to Porto", "2025-06-01"))

    assert found.order == (1, 0)
    assert older(found) == {0: 1}
    assert found.older[0].text == "moved to Porto"


def test_a_repetition_of_the_same_value_is_not_older() -> None:
    found = arranged(said("it runs on Postgres 15", "2025-01-01"), said("it runs on Postgres 15 now", "2025-06-01"))

    assert found.order == (0, 1)
    assert not found.older


def test_a_detail_more_replaces_nothing() -> None:
    told = [said("works at Helios", "2025-01-01"), said("works at Helios in the new lab", "2025-06-01")]

    assert not arranged(*told).older


@pytest.mark.parametrize(
    "text",
    ["should we move to Porto?", "we should switch to Porto", "maybe Porto now", "we're thinking of Porto now"],
)
def test_a_question_or_a_plan_displaces_nothing(text: str) -> None:
    found = arranged(said("lives in Lisbon", "2025-01-01"), said(text, "2025-06-01"))

    assert (found.order, found.older) == ((0, 1), {})


@pytest.mark.parametrize(
    ("first", "second"),
    [("I went to Rome", "I went to Oslo"), ("had lunch with Priya", "had lunch with Jonas"), ("met Ana", "met Bo")],
)
def test_what_happened_once_is_not_replaced_by_what_happened_later(first: str, second: str) -> None:
    found = arranged(said(first, "2025-01-01"), said(second, "2025-06-01"))

    assert (found.order, found.older) == ((0, 1), {})


def test_things_of_which_several_can_be_true_are_not_marked() -> None:
    assert not arranged(said("I like tea", "2025-01-01"), said("I like jazz", "2025-06-01")).older
    assert not arranged(said("has a son", "2025-01-01"), said("has a daughter", "2025-06-01")).older


@pytest.mark.parametrize(
    "text",
    [
        "we dropped Jenkins",
        "Jenkins is gone",
        "no longer Jenkins",
        "it is GitLab, not Jenkins",
        "GitLab replaces Jenkins",
    ],
)
def test_a_retraction_counts_as_newest_though_it_shares_nothing_else(text: str) -> None:
    found = arranged(said("builds run on Jenkins", "2025-01-01"), said(text, "2025-06-01"), near=0.1)

    assert found.order == (1, 0)
    assert older(found) == {0: 1}


def test_what_was_said_after_the_day_that_is_asked_about_does_not_lead() -> None:
    told = (
        said("lives in Lisbon", "2025-01-01"),
        said("moved to Porto", "2025-06-01"),
        said("moved to Rome", "2025-09-01"),
    )

    assert arranged(*told, asked=AskedFor(as_of="2025-07-01")).order == (1, 0, 2)
    assert arranged(*told, asked=AskedFor(as_of="2025-02-01")).order == (0, 1, 2)


def test_what_is_trusted_less_displaces_nothing() -> None:
    home = said("lives in Lisbon", "2025-01-01", trust="user_said")

    assert arranged(home, said("moved to Porto", "2025-06-01", trust="tool_or_web")).order == (0, 1)
    assert arranged(home, said("moved to Porto", "2025-06-01", trust="user_said")).order == (1, 0)
    assert arranged(
        said("lives in Lisbon", "2025-01-01"), said("moved to Porto", "2025-06-01", trust="tool_or_web")
    ).order == (0, 1)


def test_what_its_note_calls_superseded_is_older_than_anything_about_the_same_thing() -> None:
    found = arranged(
        said("deploy with rsync", "2025-06-01", outdated=True), said("deploy with the pipeline", "2025-01-01")
    )

    assert found.order == (1, 0)
    assert found.older[0].why == "marked"


def test_lower_in_the_same_note_is_later_and_a_dated_heading_decides() -> None:
    above, below = said("lives in Lisbon", path="a.md", line=3), said("lives in Porto", path="a.md", line=9)

    assert is_newer(below, above)
    assert not is_newer(above, below)
    guide = below._replace(said=below.said._replace(section=("Moving",)))
    assert not is_newer(guide, above)  # sections of a guide say different things
    newest = said("lives in Rome", "2025-09-01", path="a.md", line=1)
    assert is_newer(newest, said("lives in Porto", "2025-01-01", path="a.md", line=9))


def test_a_lower_section_of_a_note_is_newer_only_if_it_speaks_of_a_change() -> None:
    def under(heading: str, line: int, text: str) -> Statement:
        return said(text)._replace(said=Moment(None, "a.md", line, section=("Release", heading)))

    above, below = under("Checklist", 3, "migrations run on staging"), under("Commands", 9, "just rollout --all")
    changed = under("Changes", 9, "migrations run in production now")

    assert not is_newer(below, above)
    assert not is_newer(above, below)
    assert is_newer(changed, above)
    assert not is_newer(above, changed)


def test_change_logs_begin_with_the_newest_version() -> None:
    newest = said("the limit is 30")._replace(said=Moment(None, "a.md", 3, (2, 10)))
    oldest = said("the limit is 20")._replace(said=Moment(None, "a.md", 9, (2, 9)))

    assert is_newer(newest, oldest)
    assert not is_newer(oldest, newest)


def test_a_dated_change_is_newer_than_an_undated_line_that_knows_of_none() -> None:
    line, daily = said("Anna has Mondays free"), said("Anna has Fridays free now", "2025-05-16")

    assert is_newer(daily, line)
    assert not is_newer(said("Anna has Fridays free", "2025-05-16"), line)


def test_attributes_join_what_shares_no_word_where_they_are_asked_for() -> None:
    home = frozenset({"home"})
    told = (said("Lisbon", "2025-01-01", attributes=home), said("the lease in Porto", "2025-06-01", attributes=home))

    assert arranged(*told, near=0.0, asked=AskedFor(home)).order == (1, 0)
    assert arranged(*told, near=0.0).order == (0, 1)


def test_what_tells_other_attributes_is_something_else() -> None:
    told = (
        said("the port is 80", "2025-01-01", attributes=frozenset({"port"})),
        said("the timeout is 80 now", "2025-06-01", attributes=frozenset({"timeout"})),
    )

    assert arranged(*told, near=0.6).order == (0, 1)


def test_what_tells_nothing_of_the_attribute_that_is_asked_for_leads_only_if_it_names_what_ended() -> None:
    home = frozenset({"home"})
    lisbon = said("lives in Lisbon", "2025-01-01", attributes=home)

    def order(newer: str) -> tuple[int, ...]:
        return arranged(lisbon, said(newer, "2025-06-01"), near=0.55, asked=AskedFor(home)).order

    assert order("moved to Porto") == (0, 1)
    assert order("left Lisbon for Ghent") == (1, 0)


def test_the_first_statement_leads_where_that_is_asked_for() -> None:
    told = (
        said("lives in Porto", "2025-06-01"),
        said("lives in Lisbon", "2025-02-01"),
        said("should we live in Rome?", "2025-01-01"),
    )

    assert arranged(*told, asked=AskedFor(which="first")).order == (1, 0, 2)


def test_the_last_one_that_was_replaced_leads_where_that_is_asked_for() -> None:
    told = (
        said("lives in Rome", "2025-09-01"),
        said("lives in Lisbon", "2025-02-01"),
        said("lives in Porto", "2025-06-01"),
    )

    assert arranged(*told, asked=AskedFor(which="replaced")).order == (2, 0, 1)
    assert arranged(*told, asked=AskedFor(which="best")).order == (0, 1, 2)


def test_a_leader_far_behind_the_best_stays_where_it_is() -> None:
    told = (said("lives in Lisbon", "2025-01-01", total=20.0), said("moved to Porto", "2025-06-01", total=1.0))

    assert not arranged(*told, near=0.5).raised


TEXTS = (
    "lives in Lisbon",
    "lives in Porto",
    "moved to Porto",
    "left Lisbon for Ghent",
    "not Porto, Ghent",
    "Ghent is history, it is Lisbon now",
    "~~lives in Rome~~",
    "where does she live?",
    "we should move to Rome",
    "she went to Rome",
    "",
)
days = st.none() | st.sampled_from([f"2025-{month:02}-01" for month in range(1, 7)])
statements = st.lists(
    st.builds(
        lambda text, day, line, path, trust, outdated, total: said(
            text, day, line=line, path=path, trust=trust, outdated=outdated, total=total
        ),
        st.sampled_from(TEXTS),
        days,
        st.integers(1, 9),
        st.sampled_from(["a.md", "b.md", "memory:1", "memory:2"]),
        st.none() | st.sampled_from(TRUSTS),
        st.booleans(),
        st.floats(-5, 5),
    ),
    max_size=7,
)
Compared = tuple[list[Statement], list[StatementPair]]
nearness = st.floats(-0.2, 1.2)


@st.composite
def compared(draw: st.DrawFn) -> Compared:
    told = sorted(draw(statements), key=lambda one: -one.total)
    every = [(one, other) for one in range(len(told)) for other in range(one)]
    return told, [StatementPair(one, other, draw(nearness)) for one, other in every if draw(st.booleans())]


def permuted(told: Sequence[Statement], near: Sequence[StatementPair], found: Arrangement) -> Compared:
    """The statements in their new order, and the same pairs."""
    place = {old: new for new, old in enumerate(found.order)}
    return [told[old] for old in found.order], [
        StatementPair(place[one], place[other], value) for one, other, value in near
    ]


@given(compared())
def test_nothing_is_lost_and_what_replaced_stands_before_what_it_replaced(given: Compared) -> None:
    told, near = given
    found = arrange(told, near, ANYTHING)

    assert sorted(found.order) == list(range(len(told)))
    places = {one: place for place, one in enumerate(found.order)}
    assert all(places[by.by] < places[one] for one, by in found.older.items())
    assert all(places[one] < places[over] for one, over in found.raised.items())


@given(compared())
def test_what_says_the_same_is_never_marked(given: Compared) -> None:
    told, near = given

    for one, by in arrange(told, near, ANYTHING).older.items():
        assert told[one].outdated or told[one].words != told[by.by].words


@given(compared())
def test_the_order_decides_the_totals(given: Compared) -> None:
    told, near = given
    found = arrange(told, near, ANYTHING)
    totals = lifted(found, [one.total for one in told])
    in_order = [totals[one] for one in found.order]

    assert in_order == sorted(in_order, reverse=True)
    sure = [0.1 * place for place in range(len(told))]
    assert all(sure[best] >= sure[one] for one, best in enumerate(best_of(found, sure)))


@given(compared())
def test_a_low_trust_never_displaces_a_persons_word(given: Compared) -> None:
    told, near = given
    trusts: tuple[Trust, Trust] = ("user_said", "tool_or_web")
    low = [one._replace(trust=trusts[place % 2], outdated=False) for place, one in enumerate(told)]
    found = arrange(low, near, ANYTHING)

    assert not any(by.by % 2 and not one % 2 for one, by in found.older.items())
    assert not any(one % 2 and not over % 2 for one, over in found.raised.items())


_FOUR_CHANGES = (
    [
        *(said("lives in Lisbon", path="a.md") for _ in range(4)),
        said("left Lisbon for Ghent", path="a.md"),
        said("Ghent is history, it is Lisbon now", path="a.md"),
        said("lives in Lisbon", path="a.md", total=-1.0),
    ],
    [StatementPair(2, 0, 1.0), StatementPair(4, 2, 0.0), StatementPair(5, 4, 0.0), StatementPair(6, 5, 1.0)],
)


@given(compared())
@example(_FOUR_CHANGES)
def test_arranging_again_soon_changes_nothing(given: Compared) -> None:
    """Where dates alone decide. By words, three can each call another past; trust lets some not displace others.

    The newest is followed through three changes, so that a longer chain takes another time.
    """
    told, near = given
    days = sorted((f"2025-{len(one.text) % 9 + 1:02}-{n + 10}" for n, one in enumerate(told)))
    dated = [
        one._replace(said=Moment(day, day, 1), trust=None, outdated=False)
        for one, day in zip(told, days, strict=True)
    ]
    for _ in range(1 + len(told) // 3):
        dated, near = permuted(dated, near, arrange(dated, near, ANYTHING))

    assert arrange(dated, near, ANYTHING).order == tuple(range(len(told)))


@pytest.mark.parametrize(
    ("text", "past"),
    [
        ("The port went from 9090 to 8443.", {"9090"}),
        ("Finance corrected it: 40,000 euros, not 65,000 euros.", {"65,000", "euro"}),
        ("We are on CockroachDB instead of Postgres 15.", {"postgr", "15"}),
        ("Dr. Molina retired; my teeth are with Dr. Sievers.", {"dr", "molina"}),
        ("She isn't a product manager any more but a teacher.", {"product", "manager"}),
        ("Goodbye npm: we install through bun.", {"npm"}),
        ("I sold the Volvo, bought a Zoe.", {"volvo"}),
        ("Wir nutzen nicht mehr Jenkins, sondern GitLab.", {"jenkin"}),
        ("~~Tuesdays~~ Thursdays", {"tuesday"}),
        ("We renamed master of harbor to main.", {"master"}),
        ("The API listens on 8443.", set()),
    ],
)
def test_a_sentence_names_the_value_that_it_calls_past(text: str, past: set[str]) -> None:
    assert past <= past_words(text)
    assert past or not past_words(text)


@pytest.mark.parametrize(
    ("text", "past"),
    [
        ("Stand-up is at 9:30 now instead of 9:15.", {"9:15"}),
        ("Stand-up is at 9:30 rather than 9:15", {"9:15"}),
        ("Stand-up is no longer at 9:15: too early.", {"9:15"}),
        ("We run 3.12 instead of 3.11.", {"3.11"}),
        ("We run 3.12, not 3.11.", {"3.11"}),
        ("It costs 65,000 instead of 60,000.", {"60,000"}),
        ("I see Dr. Huber instead of Dr. Molina, since May.", {"dr", "molina"}),
        ("Das Stand-up ist um 9:30 statt 9:15.", {"9:15"}),
        ("Das Stand-up ist um 9:30 anstelle von 9:15.", {"9:15"}),
        ("We use uv instead of pip: it is faster.", {"pip"}),
    ],
)
def test_a_sign_within_a_value_that_is_called_past_does_not_end_it(text: str, past: set[str]) -> None:
    assert past_words(text) == past


def test_a_rule_or_a_permission_states_something() -> None:
    assert read_sentence("Use pnpm in this repository.").states
    assert read_sentence("We may spend 30,000 euros on it.").states
    assert not read_sentence("Could you use pnpm?").states


@given(st.text(max_size=200))
def test_any_text_can_be_read(text: str) -> None:
    read_sentence(text)


HOME, JOB = frozenset({"home"}), frozenset({"job"})


@pytest.mark.parametrize(
    ("near", "leads", "is_marked"), [(0.49, False, False), (0.5, True, False), (0.59, True, False), (0.6, True, True)]
)
def test_to_lead_takes_less_likeness_than_to_be_marked(near: float, leads: bool, is_marked: bool) -> None:
    found = arranged(said("lives in Lisbon", "2025-01-01"), said("moved to Porto", "2025-06-01"), near=near)

    assert (found.order == (1, 0)) == leads
    assert bool(found.older) == is_marked


@pytest.mark.parametrize(("near", "is_marked"), [(0.0, False), (0.49, False), (0.5, True)])
def test_what_tells_the_attribute_that_is_asked_for_leads_and_marks_only_what_is_alike(
    near: float, is_marked: bool
) -> None:
    told = (
        said("lives in Lisbon", "2025-01-01", attributes=HOME),
        said("moved to Porto", "2025-06-01", attributes=HOME),
    )
    found = arranged(*told, near=near, asked=AskedFor(attributes=HOME))

    assert found.order == (1, 0)
    assert bool(found.older) == is_marked


@pytest.mark.parametrize(("near", "leads"), [(0.69, False), (0.7, True)])
def test_two_that_tell_different_attributes_must_say_nearly_the_same(near: float, leads: bool) -> None:
    told = (
        said("lives in Lisbon", "2025-01-01", attributes=HOME),
        said("moved to Porto", "2025-06-01", attributes=JOB),
    )

    assert (arranged(*told, near=near).order == (1, 0)) == leads


@pytest.mark.parametrize(("behind", "leads"), [(8.0, True), (8.1, False)])
def test_the_newest_leads_unless_it_fits_far_worse_than_the_best(behind: float, leads: bool) -> None:
    told = said("lives in Lisbon", "2025-01-01", total=9.0), said("moved to Porto", "2025-06-01", total=9.0 - behind)

    assert (arranged(*told, near=0.55).order == (1, 0)) == leads


def test_where_two_call_each_other_older_each_keeps_its_place_and_one_mark_is_dropped() -> None:
    told = said("lives in Lisbon", "2025-01-01"), said("moved to Porto", "2025-06-01")
    found = arrange(told, pairs(2), ANYTHING, {1: Older(0, "ledger")})

    assert sorted(found.order) == [0, 1]
    assert len(found.older) == 1


@pytest.mark.parametrize(
    ("newest", "leads"),
    [("the newsletter has a new sender", False), ("the newsletter has a new sender and rosin", True)],
)
def test_what_is_near_to_something_near_leads_only_with_a_word_of_the_question(newest: str, leads: bool) -> None:
    told = [
        said("best rosin line of the newsletter", "2025-01-01"),
        said("the rosin newsletter", "2025-02-01"),
        said(newest, "2025-06-01"),
    ]
    chained = [StatementPair(1, 0, 0.55), StatementPair(2, 1, 0.55)]
    found = arrange(told, chained, AskedFor(words=topic_words("rosin")))

    assert (found.order[0] == 2) == leads


@pytest.mark.parametrize(("name", "leads"), [("orchid", True), ("billing", False)])
def test_something_like_the_best_leads_without_another_word_of_the_question_if_it_names_the_subject(
    name: str, leads: bool
) -> None:
    told = [
        said("the gateway drops an orchid call after 45 seconds", "2025-01-01"),
        said(f"{name} waits 15 seconds for an answer", "2025-06-01"),
    ]
    asked = AskedFor(words=topic_words("abort a call"), names=topic_words("orchid"))
    found = arrange(told, [StatementPair(1, 0, 0.55)], asked)

    assert (found.order[0] == 1) == leads
