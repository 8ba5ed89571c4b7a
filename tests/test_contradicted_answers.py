"""Which answer a note contradicts: the newest that gives another value of the same thing."""

import pytest

from memoro.curate.feedback.contradicted_answers import (
    contradicts,
    newest_contradicted,
    place_contradicted,
    says_already,
)

BUCKET = "Which bucket holds the invoices?\ntallyho-invoices-eu"
RENAMED = (
    "Actually the bucket was renamed: it is tallyho-docs-eu since last week.\nNoted; I changed config/storage.yaml."
)
REPLICA = "Remind me to ask Stina whether the prod database has a replica.\nOpen: ask Stina about the prod database."
THANKS = "thanks\nYou are welcome."
PORT = "Which port does the panel of grafana use?\nThe panel of grafana answers on port 8080."


@pytest.mark.parametrize(
    ("note", "exchanges", "place"),
    [
        ("The bucket is tallyho-docs-eu.", [BUCKET, RENAMED], 0),
        ("The bucket is tallyho-docs-eu.", [BUCKET, RENAMED, THANKS], 0),
        ("The bucket is tallyho-docs-eu.", [RENAMED], None),
        ("The bucket is tallyho-docs-eu.", [PORT], None),
        ("Deploys to prod only before 14:00.", [REPLICA], None),
        ("Deploys to prod only before 14:00.", ["When may we deploy to prod?\nBefore 16:00.", REPLICA], 0),
        ("Deploys to prod only before 14:00.", [PORT, THANKS], None),
        ("Marek owns billing.", ["Who owns billing?\nEva owns billing.", "Marek owns billing.\nNoted."], 0),
        ("The panel of grafana uses port 8080.", [PORT], None),
        ("Grafana answers on port 9443, not 8080.", [PORT], 0),
        ("The port of grafana is 8443.", ["Which port?\nGrafana uses 8080, prometheus 8443."], 0),
        ("The port of grafana is 8443.", ["Is the port of grafana 8443?\nNo, grafana uses 8080."], 0),
        ("Logging goes to stderr.", ["Add logging to the export.\nDone, with slog."], 0),
        ("Mirjam Vogel, since May.", ["Who leads the herd?\nJonas."], 0),
        ("Die Frist für den Antrag endet am 15.06.", ["Wann endet die Frist?\nAm 12.05.", RENAMED], 0),
        ("Die Frist für den Antrag endet am 15.06.", ["Wann endet die Frist?\nDie Frist endet am 15.06."], None),
        ("Every 15 minutes.", [PORT, THANKS], 1),
        ("It is 8080.", [PORT], 0),
        ("No.", [PORT, THANKS], 1),
    ],
)
def test_a_note_is_about_the_newest_answer_that_says_otherwise(
    note: str, exchanges: list[str], place: int | None
) -> None:
    assert place_contradicted(note, exchanges) == place


def test_of_an_older_conversation_no_answer_is_meant_that_merely_shares_a_word() -> None:
    assert newest_contradicted("Deploys to prod only before 14:00.", [REPLICA]) is None
    assert newest_contradicted("The bucket is tallyho-docs-eu.", [BUCKET, RENAMED]) == 0


def test_a_question_and_another_value_of_the_same_thing_are_not_what_a_note_says() -> None:
    assert says_already("The port of grafana is 8080.", PORT)
    assert not says_already("The port of grafana is 8080.", "Is the port of grafana 8080?\nLet me look.")
    assert not says_already("The port of grafana is 8080.", "It listens on 8080 in prod, and grafana uses 9090.")


UPLOADS = "the upload limit is 80 MB"


@pytest.mark.parametrize(
    ("note", "text", "is_contradicted"),
    [
        (UPLOADS, "Raise it to 60 MB, SEB sends bigger files.\nThe upload limit is now 60 MB.", True),
        (UPLOADS, "Yes, the upload limit is 40 MB, in config/limits.yaml.", True),
        ("The timeout of inkwell is 90 seconds.", "The timeout of inkwell is now 60 seconds instead of 45.", True),
        (UPLOADS, "The upload limit was raised from 60 MB to 80 MB.", False),
        (UPLOADS, "The upload limit for guests is 10 MB.", False),
        (UPLOADS, "The upload limit is 3 files.", False),
        (UPLOADS, "Is the upload limit 60 MB?", False),
        ("The port is 8443.", "The port is 8080.", False),  # of what, only its question tells
        ("No.", "The upload limit is now 60 MB.", False),
    ],
)
def test_a_statement_about_the_very_thing_with_another_value_is_contradicted(
    note: str, text: str, is_contradicted: bool
) -> None:
    assert contradicts(note, text) is is_contradicted
