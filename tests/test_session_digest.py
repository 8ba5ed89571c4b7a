"""What a session was about, from its log and without a model."""

from __future__ import annotations

import pytest
from benchmarks.sessions import Found, labelled_sessions, parts
from hypothesis import given
from hypothesis import strategies as st

from memoro.conversation.digest import SessionFacts, digest
from memoro.model.sentence_ends import split_sentences
from memoro.model.session_digest import SessionDigest, session_line
from memoro.transcripts.ports import Turn
from memoro.transcripts.tool_effects import ToolEffect


def turns(*said: str) -> list[Turn]:
    """Turns of the user and the assistant, who take turns."""
    return [Turn("Assistant" if n % 2 else "User", text, n + 1) for n, text in enumerate(said)]


def of(*said: str, title: str = "") -> SessionDigest:
    return digest(turns(*said), (), SessionFacts(title=title, folder="/w"))


def test_an_agreement_becomes_the_proposal_with_its_reason() -> None:
    found = of(
        "Users upload huge photos, what can we do?",
        "I'd resize them in the browser before the upload. Resizing on the server would cost a second machine.",
        "yes, do that",
        "Done.",
    )
    assert found.decisions == (
        "Resize them in the browser before the upload (resizing on the server would cost a second machine)",
    )


@pytest.mark.parametrize(
    "said", ["/wrong", "/memoro:wrong We use `make test`.", "wrong: We use `make test`.", "/good"]
)
def test_feedback_on_an_answer_is_neither_a_decision_nor_a_title(said: str) -> None:
    found = of("Which target should run the tests?", "I'd use `make check`.", said, "Understood.")
    assert found.decisions == () and found.title == "Which target should run the tests?"


@pytest.mark.parametrize(
    "pasted",
    [
        "Forbidden (403)\nCSRF verification failed. Request aborted.\nReason: Origin checking failed - "
        "https://buchung.praxis.example does not match any trusted origins.",
        "I get this:\nForbidden (403)\nCSRF verification failed. Request aborted.",
        "HTTP 405 Method Not Allowed\nOnly POST is allowed here.",
        "Service Unavailable: 503\nNo more than 10 connections.",
        "WARN  deprecated: use url instead of uri from now on",
        "INFO [pool] the pool keeps at most 5 connections",
    ],
)
def test_a_pasted_error_or_log_decides_nothing(pasted: str) -> None:
    assert of(pasted, "The domain is missing in CSRF_TRUSTED_ORIGINS; added.").decisions == ()
    assert of("The form is broken.", "Which page?", pasted, "Added.").decisions == ()


def test_what_a_person_decides_about_a_status_or_below_a_pasted_error_is_kept() -> None:
    below = "Forbidden (403)\nCSRF verification failed.\n\nFrom now on we only allow the booking domain."
    assert of(below, "Set.").decisions == ("From now on we only allow the booking domain.",)
    found = of("Unknown ids fail.", "How?", "Unknown ids always get a 404, never a 500.", "Done.")
    assert found.decisions == ("Unknown ids always get a 404, never a 500.",)


def test_an_order_that_names_no_choice_is_no_decision() -> None:
    for order in ("Move the import cron job to a better time", "Move the import cron job to 03:10"):
        found = of("Tidy the crontab", "It has nine jobs.", order, "It runs at 03:10 now.")
        assert bool(found.decisions) is ("03:10" in order)


@pytest.mark.parametrize(
    "said",
    [
        'go test ./... fails with "dial tcp 127.0.0.1:5433: connect: connection refused"',
        "go vet ./... passes now",
        "docker build . fails at the second step",
        "make test fails",
        "make lint is red again",
        "make check doesn't finish",
        "set up fails on my machine",
        "merge queue is stuck",
        "make test schlägt fehl",
    ],
)
def test_what_a_command_does_is_no_decision(said: str) -> None:
    found = of(
        "Look at the upload", "It runs.", said, "The database was not running. I started it.", "thanks", "Fine."
    )
    assert found.decisions == () and found.title == "Look at the upload"


def test_a_command_that_fails_is_a_title_as_a_whole() -> None:
    found = of('go test ./... fails with "connection refused"', "It was not running. I started it.")
    assert found.title == 'Go test ./... fails with "connection refused"'


def test_a_person_who_says_go_agrees_and_one_who_names_a_go_command_does_not() -> None:
    offered = "I'd keep the raw readings for 90 days."
    assert of("How long do we keep them?", offered, "go", "Set.").decisions == ("Keep the raw readings for 90 days",)
    assert of("How long do we keep them?", offered, "go test", "All pass.").decisions == ()


@pytest.mark.parametrize(
    "said",
    [
        "make sure CI passes before a merge",
        "use whatever works, but never a fork",
        "make test fails, let's use nextest instead",
        "skip the step that fails",
        "make the build fail on warnings",
        "keep the cache because the build takes long",
    ],
)
def test_an_order_about_what_fails_or_works_is_a_decision(said: str) -> None:
    assert of("Look at the upload", "It runs.", said, "Understood.").decisions != ()


def test_the_dots_of_a_path_end_no_sentence() -> None:
    assert split_sentences("Run go vet ./... before a push. See src/... there.") == [
        "Run go vet ./... before a push.",
        "See src/... there.",
    ]
    assert split_sentences("I ran go vet ./... Then it stopped... or so.") == [
        "I ran go vet ./...",
        "Then it stopped...",
        "or so.",
    ]


@pytest.mark.parametrize(
    "said",
    [
        "the timeout of inkwell is too short, set it to 60 seconds",
        "The form is slow; use pagination",
        "The request timeout should be 30 seconds",
        "the budget is at most 500 Euro",
    ],
)
def test_a_setting_is_a_decision_and_no_error(said: str) -> None:
    answer = "It is set now, in config/inkwell.yaml."
    for found in (of(said, answer, "thanks", "Fine."), of("How long does it take?", "45 s.", said, answer)):
        assert found.errors == ()
    assert [line.partition(" → ")[0].lower() for line in found.decisions] == [said.lower()]


@pytest.mark.parametrize(
    "shown", ["read tcp 10.0.0.1: i/o timeout", "Timeout waiting for the lock", "504 Gateway Timeout", "timed out"]
)
def test_a_timeout_that_was_met_is_an_error(shown: str) -> None:
    assert of(f"The upload says {shown}", "The proxy was down. I fixed it.").errors != ()


def test_no_as_an_answer_is_a_sentence_and_no_five_is_none() -> None:
    assert split_sentences("No. The port is 8443. See No. 5 there.") == [
        "No.",
        "The port is 8443.",
        "See No. 5 there.",
    ]


def test_a_brief_choice_keeps_the_question_that_it_answers() -> None:
    found = of("Set up the newsletter", "Weekly or monthly?", "monthly, nobody reads more", "Fine.")
    assert found.decisions == ("Weekly or monthly? → Monthly, nobody reads more",)


def test_of_alternatives_the_chosen_one_is_named() -> None:
    found = of("How do we store it?", "Options:\n1. SQLite\n2. Postgres\n3. files", "the second one", "OK.")
    assert found.decisions == ("Postgres — The second one",)


@pytest.mark.parametrize(
    "offered",
    [
        "Three choices: 1. maroto, plain tables only; 2. gotenberg, headless Chrome; 3. typst, good typography.",
        "Three possibilities: (1) maroto, plain tables only; (2) gotenberg, headless Chrome; (3) typst, templates.",
    ],
)
def test_of_a_list_within_a_sentence_only_what_was_chosen_is_noted(offered: str) -> None:
    asked = "What could we use to render the weekly PDF?"
    assert of(asked, offered, "typst. I don't want a chrome on tang-02", "Then typst.").decisions == (
        f"{asked} → typst.",
        f"{asked} → I don't want a chrome on tang-02",
    )
    (second,) = of("Render the PDF", offered, "the second one", "Then gotenberg.").decisions
    assert second == "gotenberg, headless Chrome — The second one"


def test_what_it_is_about_stays_before_a_pronoun() -> None:
    (line,) = of(
        "Look at B03", "It runs.", "also the broker: it moves to tang-03, tang-01 is too full", "OK."
    ).decisions
    assert line == "Also the broker: it moves to tang-03, tang-01 is too full"


def test_a_later_decision_about_the_same_thing_replaces_the_earlier() -> None:
    found = of(
        "Backups for the wiki", "How often?", "let's keep the wiki backups for 30 days", "Set.",
        "actually keep the wiki backups for 90 days", "Changed.",
    )  # fmt: skip
    assert [line for line in found.decisions if "days" in line] == ["Keep the wiki backups for 90 days"]


@pytest.mark.parametrize(
    ("first", "answer", "change"),
    [
        (
            "Keep raw readings for 120 days, people ask",
            "I can change it from 90 to 120 days.",
            "No wait, leave it at 90",
        ),
        (
            "The report should go out Thursdays at 07:00",
            "It goes out every Thursday at 07:00.",
            "Make it Friday 06:30",
        ),
        ("Addresses must go after 3 hard bounces", "Removed after 3 hard bounces now.", "Make that 2, it is grumpy"),
        ("We use Postgres for the queue", "The queue is in Postgres.", "Hm, no wait, we use SQLite instead"),
        ("Der Bericht soll immer donnerstags raus", "Er geht jeden Donnerstag raus.", "Mach es Freitag statt dessen"),
    ],
)
def test_what_is_taken_back_at_once_does_not_stand_beside_its_change(first: str, answer: str, change: str) -> None:
    (line,) = of("Look at it", "It runs.", first, answer, change, "Done.").decisions
    said = change.removeprefix("Hm, ")
    assert line.startswith(said[:1].upper() + said[1:]) and "(instead of: " in line and first[1:20] in line


@pytest.mark.parametrize(
    ("answer", "next_said"),
    [
        ("It retries 3 times now. The timeout is 30 s.", "Make it 60"),  # the timeout
        ("It retries 3 times now.", "Set the alarm to 14 degrees instead"),
        ("It retries 3 times now.", "Make it a service, at most 3 classes"),
        ("It retries 3 times now. I'd use Fly for it.", "We use Hetzner instead"),
    ],
)
def test_a_decision_about_something_else_takes_nothing_back(answer: str, next_said: str) -> None:
    found = of("Look at it", "It runs.", "Always retry 3 times", answer, next_said, "Done.").decisions
    assert len(found) == 2 and found[0] == "Always retry 3 times"


@pytest.mark.parametrize(
    "said",
    ["ok", "thanks!", "continue", "commit it", "run the tests again", "👍", "Danke dir", "push it and open a PR",
     "weiter", "what does that mean?", "merci", "show me the file", "looks good", "谢谢", "ok thanks, bye"],
)  # fmt: skip
def test_courtesy_steps_and_questions_decide_nothing(said: str) -> None:
    assert of("Tidy the garage plan", "The plan is in plan.md.", said, "All right.").decisions == ()


@pytest.mark.parametrize(
    "said",
    [
        "please no new dependencies without asking me, I saw you wanted to add tenacity",
        "write a justfile, from now on we deploy with `just deploy nils`",
        "one more thing for all SQL from here on: column names carry the unit",
        "harvest planning is over, so set the temperature alarm to 14 degrees as agreed",
        "ask me before you push",
        "we moved the standup with Sunniva to Tuesdays 09:15",
        "schreib ein justfile, ab sofort deployen wir mit `just deploy nils`",
        "Bitte keine neuen Pakete ohne Rückfrage",
    ],
)
def test_a_standing_rule_or_a_set_value_is_a_decision_wherever_it_stands(said: str) -> None:
    (line,) = of("Look at the worker", "It runs.", f"great. {said}", "Understood.").decisions
    assert line.lower().startswith(said.lower())


@pytest.mark.parametrize(
    "said",
    [
        "no, the certs are fine. look at its clock",
        "the certificates are valid",
        "great, B03 is back",
        "Ylva moved to Umeå in October, by the way",
        "nein, die Zertifikate sind in Ordnung",
    ],
)
def test_news_and_a_refused_diagnosis_decide_nothing(said: str) -> None:
    diagnosis = "The broker of B03 refuses it: the certificates expired, so I'd renew those on B03."
    assert of("Look at B03.", "OK.", "B03 does not connect", diagnosis, said, "I'll look.").decisions == ()


def test_what_a_person_says_is_fine_where_nothing_is_wrong_is_a_decision() -> None:
    asked = "Readings are kept for 30 days; shall I keep them for 90?"
    (line,) = of("Tidy the storage", asked, "no, 30 days is fine", "OK.").decisions
    assert line == f"{asked} → No, 30 days is fine"
    assert of("Plan", "Ok.", "the standup moved to Tuesday 9:15", "Set.").decisions != ()


def test_news_is_not_told_as_the_reason_of_a_decision() -> None:
    said = "great, B03 is back. Keep raw readings for 90 days, the disk is small"
    assert of("B03 does not connect", "Its clock is at 1970. I set it.", said, "Set.").decisions == (
        "Keep raw readings for 90 days, the disk is small",
    )


@pytest.mark.parametrize(
    "said",
    [
        "Sunniva said maybe we should switch to protobuf, I'm not sure",
        "Maybe we should move to Postgres 17",
        "we could perhaps keep the 30 days, I don't know yet",
        "Vielleicht sollten wir auf Postgres 17 wechseln",
        "Not sure whether we keep the 30 days",
    ],
)
def test_what_a_person_only_considers_decides_nothing(said: str) -> None:
    assert of("Tidy the storage", "The storage is tidy.", said, "We could measure first.").decisions == ()
    decided = f"{said.partition(',')[0]}, but use Postgres 16 for now"
    assert of("Tidy the storage", "The storage is tidy.", decided, "OK.").decisions == (
        decided[:1].upper() + decided[1:],
    )


@pytest.mark.parametrize(
    ("answer", "items"),
    [
        (
            "Open: Marta has to sign the contract, the stairs aren't measured, and the paint waits for Friday.",
            ("Marta has to sign the contract", "The stairs aren't measured", "The paint waits for Friday"),
        ),
        ("Still to do:\n- order screws\n- [x] measure\n- call Ida", ("Order screws", "Call Ida")),
        (
            "Offen: Herr Kurz muss zusagen, der Plan ist noch nicht gezeichnet.",
            ("Herr Kurz muss zusagen", "Der Plan ist noch nicht gezeichnet"),
        ),
        ("Reste à faire : les plans, et la facture d'octobre", ("Les plans", "La facture d'octobre")),
        ("Pendiente: llamar a Rosa por la mesa, comprar tornillos largos", None),
        ("还需要：等王芳确认，写说明文档", ("等王芳确认", "写说明文档")),
        ("Nothing is open, all done.", ()),
    ],
)
def test_what_is_left_is_split_into_single_items(answer: str, items: tuple[str, ...] | None) -> None:
    found = of("Build the shelf plan", "Drawn.", "what's left?", answer, "ok bye", "Bye.").open
    assert found == items if items is not None else len(found) == 2


@pytest.mark.parametrize(
    ("said", "items"),
    [
        ("still to do: calibrate the scale, it reads 2 g too low", ("Calibrate the scale, it reads 2 g too low",)),
        (
            "next time we should look at the reader, it blocks when the card is gone",
            ("Next time we should look at the reader, it blocks when the card is gone",),
        ),
        ("tomorrow: the export, and Ida wants the logo replaced", ("The export", "Ida wants the logo replaced")),
        ("Beim nächsten Mal: den Zugang für Frau Kern anlegen", ("Den Zugang für Frau Kern anlegen",)),
        ("the old window was still open. Close it before uploading", ()),
    ],
)
def test_what_a_person_leaves_for_another_time_is_open(said: str, items: tuple[str, ...]) -> None:
    found = of("The import is slow", "I batch it now.", said, "OK.")
    assert found.open == items
    assert not any(item.lower() in line.lower() for item in items for line in found.decisions)


def test_what_was_done_later_is_not_open() -> None:
    found = of(
        "Plan the launch", "The press kit isn't written yet, and the banner needs a new date.",
        "write the press kit now", "The press kit is written and sent.", "good", "Anything else is up to you.",
    )  # fmt: skip
    assert found.open == ("The banner needs a new date",)


@pytest.mark.parametrize(
    "told",
    [
        "The broker refuses B03: x509: certificate has expired or is not yet valid.",
        "Its clock says 1970, so the certificate of B03 is not yet valid for it.",
        "The log of B03 says `Error: the session is still pending`.",
        "B03 still doesn't connect, and it needs to be restarted.",
    ],
)
def test_trouble_that_was_solved_is_not_open(told: str) -> None:
    said = ["Look", "OK.", "B03 is away since the night", told, "look at its clock", "I set the clock."]
    assert of(*said, "great, B03 is back", "Good.").open == ()


def test_trouble_that_was_not_solved_stays_open() -> None:
    told = "B03 still doesn't connect, and its modem needs to be replaced."
    assert of("Look", "OK.", "B03 is away", told, "tea now. the kettle works again", "Good.").open != ()


def test_a_question_about_anything_else_does_not_ask_what_is_left() -> None:
    said = ["The sensors report every 10 minutes now.", "Noted.", "Does anything else depend on it?"]
    assert of(*said, "Only config/gaps.toml, which is at 10 minutes already.", "ok", "Fine.").open == ()
    assert of(*said[:2], "Anything else?", "Only the dashboard for Ida.", "ok", "Fine.").open == (
        "The dashboard for Ida",
    )


@pytest.mark.parametrize(
    ("answer", "items"),
    [
        (
            "The contrast of the speed labels: 2.9:1, it needs 4.5:1.",
            ("The contrast of the speed labels: 2.9:1, it needs 4.5:1",),
        ),
        (
            "Open: contrast of the speed labels, now 2.9:1, needs 4.5:1.",
            ("Contrast of the speed labels, now 2.9:1, needs 4.5:1",),
        ),
        ("The pump: a new seal, two bolts.", ("The pump: a new seal, two bolts",)),
        ("Der Zaun: drei Pfosten, zwei Bretter.", ("Der Zaun: drei Pfosten, zwei Bretter",)),
        ("The pump has no seal. It needs two bolts.", ("The pump has no seal. It needs two bolts",)),
        ("Two things: the imprint, the new logo.", ("The imprint", "The new logo")),
        ("There are still 3 points open: the imprint, the new logo.", ("The imprint", "The new logo")),
        ("Noch zwei Sachen: das Impressum, die Farben des Logos.", ("Das Impressum", "Die Farben des Logos")),
        ("TODO: the imprint, the new logo.", ("The imprint", "The new logo")),
        ("Offen: das Impressum, die Farben des Logos.", ("Das Impressum", "Die Farben des Logos")),
    ],
)
def test_an_open_item_keeps_its_subject_before_a_colon_and_loses_a_label(answer: str, items: tuple[str, ...]) -> None:
    assert of("Check the map", "It runs.", "what's still open here?", answer).open == items


def test_what_is_put_off_is_told_once_and_without_the_reason_of_a_person() -> None:
    put_off = "Leave the contrast for tomorrow, I have to catch the bus."
    said = ["Check the map.", "The labels of speed have a contrast of only 2.9 to 1.", put_off]
    assert of(*said, "All right.").open == ("Leave the contrast for tomorrow",)
    full = "Contrast of the speed labels, now 2.9:1"
    assert of(*said, f"Open: {full}.").open == (full,)
    assert of(said[0], f"Open: {full}.", put_off, "All right.").open == (full,)


LEFT = ["Check the map.", "It runs. Open: contrast of the speed labels, now 2.9:1, needs 4.5:1."]


@pytest.mark.parametrize(
    "said",
    [
        ("fix the contrast of the speed labels: white with a dark outline", "The contrast is 5.1:1 now."),
        ("please fix the contrast of the speed labels", "Done. Shall I commit it?"),
        ("now raise the contrast of the labels of speed to 4.5:1", "The labels are white now. It is 5.1:1."),
        ("can you fix the contrast of the speed labels?", "Fixed in src/tokens.css."),
        ("Behebe contrast speed labels", "Die Werte sind jetzt in src/tokens.css."),
        ("how is it?", "The contrast of the speed labels is fixed."),
        ("I fixed the contrast of the speed labels", "Good."),
    ],
)
def test_an_item_whose_work_was_ordered_and_reported_is_done(said: tuple[str, str]) -> None:
    assert of(*LEFT, *said).open == ()


@pytest.mark.parametrize(
    "said",
    [
        ("fix the contrast of the speed labels", "Which colour do you want?"),
        ("fix the contrast of the speed labels", "I added an outline. The contrast of the labels is still 3:1."),
        ("fix the contrast of the speed labels tomorrow", "Done, it is in your list."),
        ("is the contrast of the speed labels fixed now?", "No."),
        ("check the contrast of the speed labels", "The contrast is now 2.9:1."),
        ("fix the colour of the fuel chart", "Fixed in src/fuel.css."),
        ("I will fix the contrast of the speed labels", "Good."),
        ("we should fix the contrast of the speed labels", "I would do it in the tokens."),
        ("document the contrast of the speed labels", "I would do that once it holds."),
        ("commit it", "Committed as 4c1d09e."),
    ],
)
def test_a_plan_a_question_and_other_work_close_no_item(said: tuple[str, str]) -> None:
    assert any("ontrast of the speed labels" in one for one in of(*LEFT, *said).open)


def test_an_item_with_a_day_is_done_whatever_the_day() -> None:
    left = "Open: release notes for the launch with SEB on 8 December."
    said = ["Raise the limit.", left, "Write the release notes for the launch."]
    assert of(*said, "The release notes are in RELEASE.md: 60 MB uploads.").open == ()
    told = 'Committed as "Add release notes for the launch".'
    assert of(*said[:2], "looks good, commit it", told).open == ()
    other = "Open: document the port of the API."
    assert of(said[0], other, "set the port of the API to 9090", "The port of the API is 9090 now.").open != ()


def test_a_question_that_nobody_answered_is_open() -> None:
    assert of("Rename the app", "Done. Should the icon change as well?").open == ("Should the icon change as well?",)


def test_an_item_that_names_nothing_says_what_it_is_about() -> None:
    (item,) = of("Clean up", "The old load balancer gets no traffic. I'd remove it next week.", "ok", "Good.").open
    assert "load balancer" in item


def test_an_error_comes_with_what_solved_it() -> None:
    trace = "Traceback (most recent call last):\n  File \"a.py\", line 3, in <module>\nKeyError: 'colour'"
    found = of(
        f"it breaks\n{trace}", "The old files have no colour. I set a default for it in `load`.", "thanks", "OK."
    )
    assert found.errors == ("`KeyError: 'colour'`: The old files have no colour. I set a default for it in `load`.",)


def test_an_error_comes_with_its_cure_in_german() -> None:
    found = of(
        "Der Build bricht ab:\nError: Cannot find module 'sass'",
        "Das Paket fehlt in den devDependencies. `npm i -D sass` behebt es.",
        "danke",
        "Gern.",
    )
    assert found.errors == (
        "`Error: Cannot find module 'sass'`: Das Paket fehlt in den devDependencies. `npm i -D sass` behebt es.",
    )


def test_an_error_comes_with_the_attempt_that_helped() -> None:
    said = [
        "sqlite3.OperationalError: database is locked",
        "Two processes write: the nightly import and the tablet.",
        "Try a longer timeout first.",
        "I set busy_timeout to 30 s. The lock still appears.",
    ]
    solved = of(*said, "Then we move to Postgres 16.", "herdbook now runs on Postgres 16.").errors

    assert solved == ("`sqlite3.OperationalError: database is locked`: herdbook now runs on Postgres 16.",)
    assert of(*said, "Leave it. Write the report.", "The report is in out/.").errors == ()


def test_an_error_comes_with_the_answer_after_a_refused_diagnosis() -> None:
    diagnosis = "The certificate ends in March, so I'd renew it on the buoy."
    found = of(
        "Morning", "Morning.", "B03 does not connect since the night", diagnosis,
        "no, the certs are fine. look at its clock",
        "Its clock says 1970 because of a brownout. `buoyctl B03 timesync` set it, now it connects.", "great", "OK.",
    )  # fmt: skip
    assert found.errors == (
        "B03 does not connect since the night: Its clock says 1970 because of a brownout. "
        "`buoyctl B03 timesync` set it, now it connects.",
    )


def with_calls(*steps: str) -> SessionDigest:
    """The digest of steps of a log: `U: …`, `A: …`, and `T: command => result`; a result with `!` failed."""
    said: list[Turn] = []
    calls: list[ToolEffect] = []
    for line, (mark, text) in enumerate(((one[0], one[3:]) for one in steps), start=1):
        if mark == "T":
            command, _, result = text.partition(" => ")
            failed = result.startswith("!")
            calls.append(ToolEffect(line=line, command=command, result=result.removeprefix("!"), failed=failed))
        else:
            said.append(Turn("User" if mark == "U" else "Assistant", text, line))
    return digest(said, calls)


REFUSED = "ConnectionError: [Errno 111] Connection refused: redis://host:6379/0"


def test_an_error_that_a_command_met_comes_with_what_helped() -> None:
    found = with_calls(
        "U: run the worker", f"T: docker compose up worker => !{REFUSED}",
        "A: The worker cannot reach redis. I'll restart redis.",
        f"T: sudo systemctl restart redis && docker compose up worker => !{REFUSED}",
        "A: Restarting redis did not help. Redis binds to 127.0.0.1 only.",
        "T: sudo sed -i s/bind/x/ redis.conf && docker compose up worker => worker ready",
        "A: I made redis bind to 172.17.0.1 as well, the docker bridge.", "U: great", "A: Good.",
    )  # fmt: skip
    assert found.errors == (f"`{REFUSED}`: I made redis bind to 172.17.0.1 as well, the docker bridge.",)


def test_an_answer_about_something_else_after_the_run_that_succeeded_is_no_cure() -> None:
    found = with_calls(
        "U: the importer fails", "T: rails import => !KeyError: key not found: `berth_code`",
        "A: The new file calls it `berth`. I changed `rows.rb` to map both.", "T: rails import => 412 rows",
        "T: rspec => !12 examples, 2 failures", "A: Two specs expect the old header.", "U: ok", "A: Good.",
    )  # fmt: skip
    assert found.errors == (
        "`KeyError: key not found: 'berth_code'`: The new file calls it `berth`. I changed `rows.rb` to map both.",
    )


@pytest.mark.parametrize(
    ("result", "answer"),
    [
        (f"!{REFUSED}", "The worker cannot reach redis."),  # not solved
        (f"!{REFUSED}", "I set a longer timeout. The same error still appears."),
        ("!E   AssertionError: 3 != 4\nFAILED tests/test_a.py\n1 failed, 3 passed", "Fixed: it works now."),
        ("!no matches", "Fixed: it works now."),
        ("worker ready", "Fixed: it works now."),
    ],
)
def test_an_unsolved_command_and_a_failed_test_are_no_solved_errors(result: str, answer: str) -> None:
    assert with_calls("U: run it", f"T: make run => {result}", f"A: {answer}", "U: ok", "A: Good.").errors == ()


def test_an_error_that_a_person_and_a_command_met_is_told_once() -> None:
    found = with_calls(
        "U: the worker doesn't start since Monday", f"T: make run => !{REFUSED}",
        "A: Redis binds to 127.0.0.1 only. I made it bind to the bridge, and the worker runs again.",
        "U: thanks", "A: Good.",
    )  # fmt: skip
    assert len(found.errors) == 1 and found.errors[0].startswith(f"`{REFUSED}`: Redis binds")


@pytest.mark.parametrize(
    "said", ["Thursday doesn't work because of the choir", "By the way Fridays are bad, the gate is broken"]
)
def test_a_day_that_does_not_suit_is_no_error(said: str) -> None:
    assert of("Plan it", "Planned.", said, "I changed it to Wednesday now.", "good", "Fine.").errors == ()


def test_files_are_told_relative_to_the_projects_folder_and_none_outside_of_it() -> None:
    calls = [
        ToolEffect(line=1, files=("/w/src/a.py",)),
        ToolEffect(line=2, files=("/w/src/a.py", "docs/b.md")),
        ToolEffect(line=3, files=("/other/project/c.py", "/tmp/scratch.py", "../d.py")),
        ToolEffect(line=4, files=("/w/e.py",), failed=True),
    ]
    found = digest(turns("Change it", "Done."), calls, SessionFacts(folder="/w"))
    assert found.files == ("src/a.py", "docs/b.md")


def test_commands_that_mattered_are_told_with_their_last_result() -> None:
    def ran(command: str, result: str = "", *, failed: bool = False) -> ToolEffect:
        return ToolEffect(line=1, command=command, result=result, failed=failed)

    calls = [
        ran("ls -la", "total 3"), ran("cat a.py | grep x"), ran("pytest -q", "1 failed, 3 passed", failed=True),
        ran("cd app && FOO=1 pytest -q", "4 passed in 0.1s"), ran("git status", "clean"),
        ran('git commit -am "Mend it"', "[main 1a2b3c4] Mend it"), ran("kubectl get pods", "none"),
        ran("uv run alembic upgrade head", "Running upgrade"), ran("npm run build", "error: boom", failed=True),
    ]  # fmt: skip
    assert digest(turns("Do it", "Done."), calls).commands == (
        "`pytest -q` → 4 passed in 0.1s",
        '`git commit -am "Mend it"` → [main 1a2b3c4] Mend it',
        "`uv run alembic upgrade head` → Running upgrade",
        "`npm run build` → failed: error: boom",
    )


@pytest.mark.parametrize(
    ("title", "first", "expected"),
    [
        ("Month-end close", "hello", "Month-end close"),
        ("New session", "Hi! I need a price list for the bakery.", "A price list for the bakery"),
        ("Untitled", "Hallo, wir müssen die Heizung neu rechnen.", "Die Heizung neu rechnen"),
        ("Which queue?", "Kafka or NATS?", "Which queue"),
        ("", "Hey there! Could you fix the login?", "Fix the login"),
    ],
)
def test_the_title_says_what_it_was_about_and_never_greets(title: str, first: str, expected: str) -> None:
    assert of(first, "Sure.", title=title).title.rstrip("?") == expected


@pytest.mark.parametrize(
    ("first", "answer", "expected"),
    [
        (
            "quick one, mamma gets her shunt today. B03 is away since the night",
            "Its clock?",
            "B03 is away since the night",
        ),
        ("My daughter has a fever. Fix the login please", "Fixed.", "Fix the login please"),
        ("My sister marries in June and I bake the cake", "Lemon?", "My sister marries in June and I bake the cake"),
    ],
)
def test_a_line_about_the_family_is_no_title_of_other_work(first: str, answer: str, expected: str) -> None:
    assert of(first, answer, "ok", "Good.").title == expected


def test_a_session_of_courtesies_is_empty() -> None:
    assert not of("hi", "Hello! How can I help?", "nothing, thanks", "Bye.")


def test_the_line_of_the_day_says_what_was_done_and_how_much_is_open() -> None:
    made = SessionDigest(
        title="Close", decisions=("A trigger refuses closed periods.",), files=("a.sql",),
        commands=("`task test` → ok", "`git push` → !88"), open=("x", "y", "z"),
    )  # fmt: skip
    assert session_line(made) == "Close — A trigger refuses closed periods; !88 (3 open items)"
    assert session_line(SessionDigest(title="Close", files=("a.sql",))) == "Close — changed a.sql"


def test_a_long_session_is_not_told_by_its_end_alone() -> None:
    said: list[str] = []
    for number in range(60):
        said += [f"let's use oak{number} for shelf{number}", "Painted."]
    places = [int(line.split("shelf")[1].rstrip(".")) for line in of(*said).decisions]
    assert places == sorted(places) and places[0] < 10 and places[-1] > 50 and len(places) <= 15


@given(said=st.lists(st.text(max_size=80), max_size=8))
def test_any_words_make_single_lines(said: list[str]) -> None:
    found = of(*said)
    lines = (found.title, *found.decisions, *found.errors, *found.open, session_line(found))
    assert not [line for line in lines if "\n" in line]
    assert all(line.strip() for line in (*found.decisions, *found.errors, *found.open))
    assert len(found.title) <= 80


@pytest.mark.parametrize("half", ["dev", "check"])
def test_notes_keep_what_was_decided_and_is_open(half: str) -> None:
    """The floor is below what is measured, so that a change of a few words does not fail."""
    total = dict.fromkeys("DOEF", Found(labels=0, met=0, lines=0, right=0))
    for session in labelled_sessions(half):
        for mark, found in parts(session, session.digest()).items():
            total[mark] = total[mark].plus(found)
    for mark, floor in (("D", 0.85), ("O", 0.8), ("E", 1.0), ("F", 1.0)):
        assert total[mark].met >= floor * total[mark].labels, mark
        assert total[mark].right >= 0.85 * total[mark].lines, mark
