"""What became of an answer: the later statement about what was asked for, not about another thing of the answer."""

from __future__ import annotations

import memoro
from memoro.model.recall import RecalledItem
from memoro.unasked.judged import ENOUGH
from memoro.unasked.judging import OLDER
from tests.conftest import write_vault
from tests.test_unasked import NOW, Person, Said
from tests.test_unasked import person as person  # the fixture

TRIMMING: list[Said] = [
    (
        "trim at quality 20, drop everything shorter than 50",
        "Trimming cuts at quality 20 and traces below 50 samples are dropped.",
    )
]


def given(person: Person, message: str) -> list[RecalledItem]:
    person.says(message)
    [recalled] = person.recorded()
    return list(recalled.items)


def test_the_value_that_was_asked_for_leads_to_its_change_and_not_the_other_one(person: Person) -> None:
    person.log("s1", TRIMMING, days_ago=20)
    person.log("s2", [("And 20 lets too much junk through, look at the tails. 25", "Done.")], days_ago=12)
    person.log("s3", [("50 is silly with the new recorder. 75", "Set, a few less.")], days_ago=6)
    assert "20 lets too much junk" in given(person, "at which quality does the trimming cut?")[0].text


def test_a_value_that_is_common_elsewhere_leads_to_its_change_where_it_is_what_was_asked_for(person: Person) -> None:
    person.log(
        "s1", [("Can I write the results for the archive?", "The archive gets its results as CSV.")], days_ago=20
    )
    lists = [(f"list {n}", f"Buoy {n} writes CSV.") for n in range(6)]
    person.log("s2", [*lists, *((f"the winch {n} squeaks", f"Grease {n} is on it.") for n in range(60))], days_ago=15)
    person.log("s3", [("The CSV has become huge. Scratch that, parquet", "Written.")], days_ago=6)
    assert "parquet" in given(person, "which file do we give the archive with the results?")[0].text


def test_what_takes_up_the_old_value_beside_the_rare_word_comes_first_though_it_says_no_change(
    person: Person,
) -> None:
    elsewhere = [(f"publish the tool {n}", f"The tool {n} is published.") for n in range(8)]
    person.log("s0", elsewhere, days_ago=30, project="other")
    licence = "which licence do we put on it, we want to publish it one day"
    person.log("s1", [(licence, "As a tool for others GPL keeps changes open. It's in `LICENSE` now.")], days_ago=20)
    rash = "about the licence, they get a rash from GPL"
    person.log("s2", [(rash, "MIT would remove that problem, and the two parts are MIT already.")], days_ago=5)
    items = given(person, "under which licence do we publish our tool for others one day?")
    assert "MIT would" in items[0].text


def test_a_number_that_the_reply_calls_a_change_follows_the_answer(person: Person) -> None:
    person.log(
        "s1",
        [
            ("the float needs some slack", "The slack of the float is 100 cm."),
            ("sent it. still a bit mean at the weir, 130", "Changed in the drawing, and the test passes."),
        ],
    )
    assert "130" in given(person, "how many centimetres of slack does the float have?")[0].text


def test_what_became_of_an_answer_that_the_conversation_holds_is_given_alone(person: Person) -> None:
    person.log("s1", TRIMMING, days_ago=20)
    person.log("s2", [("50 is silly with the new recorder. 75", "Set, a few less.")], days_ago=6)
    person.log("s3", [("And 20 lets too much junk through, look at the tails. 25", "Done.")], days_ago=5)
    person.says("at which quality does the trimming cut?")
    block = person.says("traces shorter than what length are dropped?")
    assert "50 is silly" in block and "Trimming cuts" not in block


def test_an_answer_that_a_later_one_replaced_is_recorded_as_older(person: Person) -> None:
    person.log("s1", [("which port does the tide gauge use?", "The tide gauge uses port 7621.")], days_ago=20)
    person.log("s2", [("move the tide gauge from port 7621 to 7733", "Done, it uses 7733 now.")], days_ago=5)
    person.log("s3", [("paint the hut", "The hut is painted green.")], days_ago=4)
    person.says("remind me: which port does the tide gauge use?")
    [recalled] = person.recorded()
    assert [one.text for one in recalled.items if "7733" in one.text] and "7621." not in recalled.items[0].text
    assert OLDER in [one.why for one in recalled.left_out]
    assert ENOUGH not in [one.why for one in recalled.left_out]


def test_a_note_of_no_project_is_no_change_of_an_answer_because_it_names_a_day(person: Person) -> None:
    write_vault(person.vault, {"Shoes.md": "---\ndate: 2026-11-14\n---\n# Shoes\n\nSize 31 since September 2026.\n"})
    person.log("s1", [("which size has the pool now?", "The size of the pool of connections is 40.")], days_ago=20)
    assert "Size 31" not in "\n".join(one.text for one in given(person, "what is the size of the pool now?"))


def test_thanks_and_another_matter_after_an_answer_are_not_given_before_it(person: Person) -> None:
    waits = ("why does the gate page stall?", "The gate page waits 12 seconds for the tide service.")
    other = ("Good. From now on we deploy with make ship. Still to do: ask Ines for a faster tide service.", "Noted.")
    person.log("s1", [waits, other])
    [only] = given(person, "how long does the gate page wait for the tide service?")
    assert "12 seconds" in only.text


REMINDER = "how many hours before the tour do we send the reminder?"


def test_a_value_that_a_newer_answer_calls_past_is_not_given_beside_it(person: Person) -> None:
    asked = ("How long before a tour do we send the reminder?", "The reminder is sent 48 hours before the tour.")
    change = (
        "From now on we remind 36 hours before the tour, not 48.",
        "The reminder goes out 36 hours before it now.",
    )
    person.log("s1", [asked, ("paint the hut", "It is green."), change], days_ago=5)
    text = "\n".join(one.text for one in given(person, REMINDER))
    assert "36 hours" in text and "48 hours" not in text


def test_of_two_sure_answers_the_one_before_a_change_is_not_given(person: Person) -> None:
    person.log("s1", [("when is the launch of the lamp?", "The launch of the lamp is on 1 December.")], days_ago=20)
    person.log("s2", [("the launch of the lamp moves to the 7th", "The launch is on 7 December now.")], days_ago=5)
    text = "\n".join(one.text for one in given(person, "when is the launch of the lamp?"))
    assert "7 December" in text and "1 December" not in text


def test_the_older_answer_is_given_where_the_past_is_asked_for(person: Person) -> None:
    person.log("s1", [("when is the launch of the lamp?", "The launch of the lamp is on 1 December.")], days_ago=20)
    person.log("s2", [("the launch of the lamp moves to the 7th", "The launch is on 7 December now.")], days_ago=5)
    text = "\n".join(one.text for one in given(person, "when was the launch of the lamp planned originally?"))
    assert "1 December" in text


def test_a_word_of_the_message_that_something_else_denies_makes_no_answer_past(person: Person) -> None:
    slack = [("the buoy needs slack at the weir", "The slack of the buoy at the weir is 100 cm.")]
    person.log("s1", slack, days_ago=20)
    beep = [("beep at three minutes, and not at the weir", "The buoy beeps after 3 minutes now.")]
    person.log("s2", beep, days_ago=5)
    text = "\n".join(one.text for one in given(person, "how much slack does the buoy have at the weir?"))
    assert "100 cm" in text


def test_what_corrects_a_repetition_of_the_value_follows_the_answer(person: Person) -> None:
    bath = [("dye temperature 37, and three rinses", "Noted: the dye bath is kept at 37 degrees.")]
    person.log("s1", bath, days_ago=20)
    person.log(
        "s2",
        [
            ("the edges come out pale", "They dry out in 40 minutes at 37 degrees. Cover the tray."),
            ("cover it. And 30 degrees instead, the silk shrinks", "Changed in the recipe."),
        ],
        days_ago=5,
    )
    assert "30 degrees instead" in given(person, "at which temperature is the dye bath kept?")[0].text


def test_the_same_statement_with_another_value_is_not_given_beside_the_newer_one(person: Person) -> None:
    person.log("s1", [("cap the queue", "The queue gives up after 500 tries and tells the buoy.")], days_ago=20)
    person.log("s2", [("much more for the weekend", "The queue gives up after 2000 tries.")], days_ago=5)
    text = "\n".join(one.text for one in given(person, "after how many tries does the queue give up?"))
    assert "2000 tries" in text and "500 tries" not in text


def test_an_answer_whose_value_is_named_beside_its_successor_is_not_given_with_it(person: Person) -> None:
    person.log("s1", [("window of the sonar?", "The window of the sonar is 24 hours.")], days_ago=20)
    person.log("s2", [("sonar window 24 → 72", "Set, 72 hours.")], days_ago=5)
    text = "\n".join(one.text for one in given(person, "what is the window of the sonar?"))
    assert "24 → 72" in text and "is 24 hours" not in text


def test_the_value_of_something_else_of_the_same_unit_makes_no_answer_past(person: Person) -> None:
    person.log("s1", [("restarts?", "The buoy server restarts after 12 hours.")], days_ago=20)
    person.log("s2", [("and the winch", "The winch server restarts after 36 hours.")], days_ago=5)
    text = "\n".join(one.text for one in given(person, "after how many hours does the buoy server restart?"))
    assert "after 12 hours" in text


PILOT = "---\ndate: 2026-10-01\n---\n# gauge\n\nThe pilot runs in harbour 3 and harbour 7.\n"


def test_so_many_of_something_are_no_other_value_for_one_of_them(person: Person) -> None:
    write_vault(person.vault, {"Work/gauge.md": PILOT})
    person.log("s1", [("cable for the pilot, we have only two harbours there", "The cable is ordered.")], days_ago=3)
    text = "\n".join(one.text for one in given(person, "which harbours are in the pilot?"))
    assert "harbour 3" in text


def test_the_number_of_a_point_in_a_list_is_no_value(person: Person) -> None:
    write_vault(person.vault, {"Work/gauge.md": PILOT})
    feedback = "The two pilot harbours say: 1) it is quick. 2) too bright at night. 3) they love the big dial"
    person.log("s1", [(feedback, "A night mode would help.")], days_ago=3)
    text = "\n".join(one.text for one in given(person, "which harbours are in the pilot?"))
    assert "harbour 3" in text


def test_an_old_value_stays_where_the_new_one_does_not_say_what_it_is_about(person: Person) -> None:
    rate = ("what sampling rate does the wave rider use?", "The wave rider samples at 0.25 hertz.")
    person.log("s1", [rate, ("0.25 is ridiculous, I have to sign that. 0.1", "Set to 0.1 hertz.")])
    text = "\n".join(one.text for one in given(person, "what sampling rate does the wave rider use?"))
    assert "0.1 hertz" in text and "wave rider" in text


def test_an_old_value_is_not_given_after_its_successor_was(person: Person) -> None:
    deep = ("how deep is the bay at the pier?", "The bay is 12 metres deep at the pier.")
    person.log("s1", [deep, ("the bay is 14 metres deep at the pier, says Ines", "Noted.")])
    question = "how deep is the bay at the pier?"
    assert "14 metres" in person.says(question)
    assert "12 metres" not in person.says(question)


def test_a_note_that_was_only_touched_later_makes_no_dated_value_past(person: Person) -> None:
    person.log("s1", [("the winch server restarts when?", "The winch server restarts after 36 hours.")], days_ago=20)
    write_vault(person.vault, {"Work/gauge.md": "# gauge\n\nThe winch server restarts after 12 hours.\n"})
    text = "\n".join(one.text for one in given(person, "after how many hours does the winch server restart?"))
    assert "36 hours" in text


def test_a_number_in_a_few_words_right_after_an_answer_follows_it(person: Person) -> None:
    buoy = [
        ("photos of the buoys on the page. how big", "1600 px on the long side, about 250 kB each."),
        ("1200", "1200 px then."),
    ]
    person.log("s1", buoy)
    assert "1200 px then" in given(person, "width of the photos")[0].text


def test_a_few_words_that_the_assistant_carries_out_as_a_change_follow_the_answer(person: Person) -> None:
    order = "The logger acknowledges before it writes. A crash loses the reading and the buoy never hears of it."
    person.log(
        "s1", [("ack order?", order), ("after the write then", "Changed to acknowledge after each written reading.")]
    )
    assert "after each written" in given(person, "what is the ack order of the logger")[0].text


def test_another_number_beside_the_answer_makes_it_not_past(person: Person) -> None:
    runner = ("which test runner?", "The test runner of the gauge is Vitest, the suite has 212 tests.")
    person.log("s1", [runner], days_ago=20)
    person.log("s2", [("where are we", "The suite of the gauge has 240 tests, the runner is happy.")], days_ago=5)
    text = "\n".join(one.text for one in given(person, "which test runner does the suite of the gauge use?"))
    assert "Vitest" in text


def test_an_answer_that_was_marked_as_wrong_is_not_given_as_what_became_of_another(person: Person) -> None:
    kept = ("keep raw readings for 120 days, the station asks for longer", "The retention policy is at 120 days now.")
    person.log("s1", [kept], days_ago=6)
    person.log("s2", [("how long do we keep raw readings?", "120 days, as decided.")], days_ago=3)
    person.log("s3", [(f"paint the buoy {n}", f"Buoy {n} is painted.") for n in range(60)], days_ago=2)
    with memoro.open(person.home, person.vault, clock=lambda: NOW) as m:
        m.feedback.wrong("No.", session="s2")
    items = given(person, "what's the retention policy for raw data?")
    assert "retention policy is at 120" in items[-1].text
    assert not any("as decided" in one.text for one in items)


def test_a_change_of_another_matter_further_on_does_not_stand_before_the_change_right_behind_an_answer(
    person: Person,
) -> None:
    said = [
        (
            "keep raw readings for 120 days, the station asks for longer",
            "I can change the policy from 90 to 120 days.",
        ),
        ("hm no wait, disk. leave it at 90.", "The retention stays at 90 days."),
        ("set the temperature alarm to 14 degrees as agreed", "The temperature alarm is at 14 °C now."),
    ]
    person.log("s1", said)
    items = given(person, "how long do we keep raw readings?")
    assert "leave it at 90" in items[0].text
    assert not any("alarm" in one.text for one in items)
