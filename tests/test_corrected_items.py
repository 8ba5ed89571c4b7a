"""Which items a note corrects: those that tell otherwise what it tells."""

import pytest

from memoro.curate.feedback.corrected_items import corrects, place_meant, says_all

PORT, OFTEN, OWNER = (
    "Which port does the panel of grafana use?",
    "How often does the collector run?",
    "Who owns billing?",
)
PANEL = "The Tidewatch panel of grafana answers on port 8080"


@pytest.mark.parametrize(
    ("note", "question", "given"),
    [
        ("The panel of grafana answers on port 9443.", PORT, PANEL),
        ("The port is 9443.", PORT, PANEL),
        ("It is 9443.", PORT, PANEL),
        ("9443", PORT, PANEL),
        ("9443, not 8080", PORT, PANEL),
        ("The port is 9443.", PORT, f"# Ports\n\n{PANEL}. It runs in mon-2.\n"),
        ("Every 15 minutes.", OFTEN, "The collector of tidewatch runs every 5 minutes and writes to the archive."),
        ("Marek owns billing now.", OWNER, "Eva owns billing."),
        ("Marek does.", OWNER, "Eva owns billing."),
        ("Use ruff, not flake8.", "Which linter do we use?", "We use flake8 as the linter."),
        ("Port 9443.", "Auf welchem Port läuft das Panel?", "Das Panel läuft auf Port 8080."),
    ],
)
def test_what_tells_otherwise_what_a_note_tells_is_corrected(note: str, question: str, given: str) -> None:
    assert corrects(note, question, given)


@pytest.mark.parametrize(
    ("note", "question", "given"),
    [
        ("", PORT, PANEL),
        ("No.", PORT, PANEL),
        ("That is wrong.", PORT, PANEL),
        ("Always answer in German.", PORT, PANEL),
        ("Answer briefly.", PORT, PANEL),
        ("Is it 9443?", PORT, PANEL),
        ("The panel of grafana answers on port 9443.", PORT, "The panel of grafana runs in the container mon-2."),
        ("The panel of grafana answers on port 9443.", PORT, "The server of prometheus answers on port 9090."),
        ("The port is 8443.", "Which port has heron in staging?", "heron answers on port 80 in production"),
        ("Every 15 minutes.", OFTEN, "The collector of tidewatch is written in Go."),
        ("The nightly backup runs at 04:00, not 02:30.", PORT, PANEL),
        ("The backup starts at 05:00.", PORT, PANEL),
        ("You should have read the file first.", "Why does the test fail?", "The test fails: the clock is off."),
    ],
)
def test_what_a_note_does_not_speak_of_is_not_corrected(note: str, question: str, given: str) -> None:
    assert not corrects(note, question, given)


@pytest.mark.parametrize(
    "given", ["The panel of grafana moved from port 8080 to 9443.", f"{PANEL}. Or on port 9443?"]
)
def test_an_item_that_holds_what_is_right_is_not_corrected(given: str) -> None:
    assert not corrects("The port is 9443.", PORT, given)


BACKUP = "When does the nightly backup run?\nEvery night at 02:30."


@pytest.mark.parametrize(
    ("note", "place"),
    [
        ("The nightly backup runs at 04:00, not 02:30.", 1),
        ("the backup runs at 05:00", 1),
        ("The panel of grafana answers on port 9443.", 2),
        ("It is 9443.", 2),
        ("", 2),
        ("You should have run the backup first.", 2),  # how to answer, not what is true
        ("Always run the nightly backup first.", 2),
        ("The dentist moved to Main Street.", 2),  # of which nobody spoke
    ],
)
def test_a_note_is_about_the_last_answer_unless_it_speaks_of_an_earlier_one(note: str, place: int) -> None:
    assert place_meant(note, ["When does the nightly backup run?\nAt one.", BACKUP, f"{PORT}\n{PANEL}"]) == place


@pytest.mark.parametrize(("shared", "is_about"), [(6, False), (7, True), (10, True)])
def test_a_statement_is_about_a_question_if_it_has_seven_in_ten_of_its_words(shared: int, is_about: bool) -> None:
    trees = ("alder", "birch", "cedar", "dogwood", "elm", "fir", "gorse", "hazel", "ivy")
    question = f"Which port do {', '.join(trees)} use?"
    given = f"{', '.join(trees[: shared - 1])} use port 8080."
    assert corrects("The port is 9443.", question, given) is is_about


def test_an_item_that_is_nothing_but_the_right_value_keeps_the_rest_from_being_muted() -> None:
    assert not corrects("It is 9443.", PORT, f"{PANEL}.\n9443")
    assert corrects("It is 9443.", PORT, f"{PANEL}.\n9444")


@pytest.mark.parametrize(
    ("note", "says_it"),
    [
        ("The alert limit is 170,000 somatic cells per ml since 18 November.", True),
        ("Die Grenze liegt seit November bei 170.000 Zellen.", True),
        ("The nightly backup runs on Mondays.", True),
        ("Postgres 16 since Monday.", False),
        ("Mirjam Vogel, since May.", False),
        ("the summary was too long and had no averages", False),  # how to answer
        ("wrong, shorter please", False),
        ("No.", False),
    ],
)
def test_a_note_that_names_a_thing_and_its_value_is_understood_without_a_question(note: str, says_it: bool) -> None:
    assert says_all(note) is says_it
