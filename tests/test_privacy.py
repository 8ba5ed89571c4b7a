"""Which notes and lines are private, and what of a passage may be given."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoro.model.personal_names import names_of_family
from memoro.model.privacy import (
    any_private_tag,
    fields_say_private,
    is_hidden,
    line_is_private,
    message_is_private,
    note_privacy,
    private_lines,
    tagged_lines,
)

PRIVATE_LINES = [
    "Brother. Rehab since September, visits on Saturdays. Family only.",
    "- layoffs in Q1, keep quiet",
    "We tell nobody at work before Christmas.",
    "Keep this between us.",
    "This is strictly confidential.",
    "Confidential: Marta gets the lead role in May",
    "- offer from Globex (confidential)",
    "- [private] call the clinic",
    "Do not share this with anyone.",
    "not to be shared",
    "Off the record: the budget is cut",
    "for my eyes only",
    "- told me in confidence.",
    "Don't tell my wife about the ring",
    "Nobody else must know about this.",
    "Streng vertraulich!",
    "Bitte niemandem erzählen.",
    "Nur für mich: Gewicht 84 kg",
    "Das bleibt unter uns.",
    "- Kündigung geplant, nicht weitersagen",
    "Vertraulich: Gehaltsrunde",
    "Behalte das für dich",
    "Cela reste entre nous.",
    "N'en parler à personne",
    "Confidentiel.",
    "No se lo digas a nadie",
    "Que quede entre nosotros.",
    "Não contar a ninguém no trabalho",
    "Isto fica entre nós.",
    "Non dirlo a nessuno",
    "Resti tra noi.",
    "这件事请保密",
    "不要告诉别人",
    "Wim wants to sell. Fleur must not hear it from me.",
    "Sister. Not a word to anyone.",
    "We don't speak of August.",
    "Im Büro weiß es keiner.",
    "Kein Wort zu Sabine!",
    "salary talk #private",
    "Gespräch mit Dr. Weiß #privat/gesundheit",
]
OPEN_LINES = [
    "The method is private; call the factory.",
    "private: true in package.json stops publishing",
    "Use a confidential OAuth client with PKCE.",
    "The connection is not to be shared across threads.",
    "Never share one session between workers.",
    "Nobody knows why this test fails on Mondays.",
    "Add a private repository to the registry.",
    "The contract between us and Acme ends in May.",
    "Keep the log quiet in tests.",
    "We only use it for internal services.",
    "I can't tell people apart on the call.",
    "Do not show them before the data is loaded.",
    "Die Klasse ist privat, der Konstruktor auch nicht öffentlich.",
    "Header nicht weiterleiten, wenn der Host wechselt.",
    "Le champ est privé dans la classe.",
    "O método é privado e não muda.",
    "签署了保密协议",
    "The family of fonts is Inter.",
    "Private keys live in the vault.",
    "`#private` marks a field in JavaScript",
    "Only for the record: 42 rows.",
    "Tell no-op commands apart by their exit code.",
    "See issue #privateer",
    "Niemand weiß, warum der Test am Montag rot ist.",
    "Callers must not know the internal id.",
    "The worker must not see a half-written row.",
]


@pytest.mark.parametrize("line", PRIVATE_LINES)
def test_a_line_that_says_it_is_private_is_private(line: str) -> None:
    assert line_is_private(line)


@pytest.mark.parametrize("line", OPEN_LINES)
def test_a_line_that_only_speaks_of_private_things_is_open(line: str) -> None:
    assert not line_is_private(line)


@pytest.mark.parametrize(
    "fields",
    [
        {"private": "true"},
        {"Private": "yes"},
        {"confidential": "True"},
        {"visibility": "private"},
        {"access": "me"},
        {"sichtbarkeit": "privat"},
        {"tags": ["work", "confidential"]},
        {"tags": "health, #private"},
        {"tag": "private/money"},
        {"share": "false"},
    ],
)
def test_frontmatter_marks_a_note_as_private(fields: dict[str, object]) -> None:
    assert fields_say_private({key.lower(): value for key, value in fields.items()})
    assert (
        note_privacy("Work/Plan.md", {key.lower(): value for key, value in fields.items()}, "Plan", ()) == "private"
    )


@pytest.mark.parametrize(
    "fields", [{}, {"private": "false"}, {"visibility": "team"}, {"tags": ["privacy"]}, {"publish": "false"}]
)
def test_other_frontmatter_marks_nothing(fields: dict[str, object]) -> None:
    assert not fields_say_private(fields)


@pytest.mark.parametrize(
    ("path", "privacy"),
    [
        ("Health/Blood donation.md", "personal"),
        ("03 Gesundheit/Blut.md", "personal"),
        ("Areas/🏠 Home & Family/Boiler.md", "personal"),
        ("Receitas/Caldo verde.md", "personal"),
        ("Santé/Dentiste.md", "personal"),
        ("Privat/Auto.md", "personal"),
        ("Confidential/Offer.md", "private"),
        ("Work/Travel/Berlin office.md", "open"),
        ("Work/Health checks/Probes.md", "open"),
        ("Work/infra.md", "open"),
        ("Arbeit/Gehalt.md", "personal"),
        ("Work/Salary service.md", "open"),
        ("Howto Velero.md", "open"),
    ],
)
def test_folders_that_people_keep_their_own_lives_in_are_personal(path: str, privacy: str) -> None:
    assert note_privacy(path, {}, path.rpartition("/")[2][:-3], ("Some text.",)) == privacy


@pytest.mark.parametrize(
    ("title", "text", "privacy"),
    [
        ("Avó", "88 anos. Farmácia às terças.", "personal"),
        ("Marco", "Brother. Visits on Saturdays.", "personal"),
        ("Lena", "Meine Schwester, wohnt in Köln.", "personal"),
        ("Joana", "- Partner, due date in March", "personal"),
        ("Markus", "Ex-Mann in spe. Anwältin: Frau Dr. Reuter.", "personal"),
        ("Dr Lennox", "Liver values every three months.", "personal"),
        ("Tom", "Father of two, backend team.", "open"),
        ("Inês", "Platform team, joined in September. Vegetarian.", "open"),
        ("Ruth", "Partner at Deloitte, signs the audit", "open"),
        ("Filipa", "Finance controller.", "open"),
        ("Prof. Weiss", "Klinik für Wiederkäuer, Wien. weiss@klinik.example", "open"),
        ("Ana", "Runs the animal hospital, https://hospital.example/ana", "open"),
        ("Prof. Weiss", "Klinik für Wiederkäuer, Wien. Seit Montag selbst in der Klinik.", "personal"),
        ("Rui", "Vet, in hospital since Monday.", "personal"),
        ("Dr. Huber", "Klinik für Kardiologie, Graz. huber@klinik.example", "personal"),
        ("Dr. Huber", "Graz. Termin am 12. März. huber@klinik.example", "personal"),
    ],
)
def test_of_people_family_is_personal_and_colleagues_are_not(title: str, text: str, privacy: str) -> None:
    assert note_privacy(f"People/{title}.md", {}, title, (f"# {title}", text)) == privacy


NOTE = """\
# Team
Daily at 9:15.
## Salaries (confidential)
Anna 70
### Bonus
Ben 5
## Tools
- one
- two, tell nobody
  and its second line
- three
"""
NOTE_LINES = NOTE.splitlines()
NOTE_HEADINGS = [(1, 1, "Team"), (3, 2, "Salaries (confidential)"), (5, 3, "Bonus"), (7, 2, "Tools")]


def test_a_private_heading_covers_its_section_and_an_item_what_is_nested_below_it() -> None:
    assert private_lines(NOTE_LINES, NOTE_HEADINGS, (), whole_sections=True) == {3, 4, 5, 6, 9, 10}


def test_a_sentence_covers_its_section_in_a_note_and_itself_in_a_diary() -> None:
    lines = ["# Marco", "Rehab since September.", "Family only."]

    assert private_lines(lines, [(1, 1, "Marco")], (), whole_sections=True) == {1, 2, 3}
    assert private_lines(lines, [(1, 1, "Marco")], (), whole_sections=False) == {3}


def test_in_files_for_agents_rules_about_sharing_are_no_marks_and_tags_are() -> None:
    lines = ["- Keep customer names confidential: tell nobody.", "- My birthday is in May #private"]

    assert tagged_lines(lines, ()) == {2}


def test_in_a_message_a_sentence_is_a_mark_and_code_is_none() -> None:
    assert message_is_private("User: layoffs in May, keep this between us.")
    assert not message_is_private("User: make it\nprivate:\n  int count; // #private")
    assert not message_is_private("Assistant:\n```\nprint('tell nobody')\n```\nDone.")


def test_code_is_never_a_mark() -> None:
    lines = ["```", "private:", "# Confidential", "```", "text"]

    assert private_lines(lines, [], range(1, 5), whole_sections=True) == frozenset()


lines_of_a_note = st.lists(
    st.sampled_from(
        ["# A", "## B", "### C", "text", "- item", "  - inner", "", "Keep this between us.", "- x #private", "> q"]
    ),
    max_size=20,
)


def headings_of(lines: list[str]) -> list[tuple[int, int, str]]:
    return [(n, len(line) - 2, line[-1]) for n, line in enumerate(lines, 1) if line.startswith("#")]


@given(lines=lines_of_a_note, whole=st.booleans())
def test_every_marked_line_is_private_and_nothing_is_without_a_mark(lines: list[str], whole: bool) -> None:
    found = private_lines(lines, headings_of(lines), (), whole_sections=whole)
    marked = {n for n, line in enumerate(lines, 1) if line_is_private(line)}

    assert marked <= found <= set(range(1, len(lines) + 1))
    assert marked or not found


@given(lines=lines_of_a_note)
def test_a_diary_hides_no_more_than_a_note_does(lines: list[str]) -> None:
    headings = headings_of(lines)

    assert private_lines(lines, headings, (), whole_sections=False) <= private_lines(
        lines, headings, (), whole_sections=True
    )


@given(text=st.text(max_size=80))
def test_any_text_is_judged(text: str) -> None:
    assert line_is_private(f"{text} #private")
    assert line_is_private(text) in (True, False)
    assert any_private_tag([text]) in (True, False)


def test_the_owner_names_what_is_private_by_path_folder_pattern_or_tag() -> None:
    patterns = ("Health", "People/Family/*", "Plan.md", "#money")

    assert is_hidden("Health/Blood.md", (), patterns)
    assert is_hidden("People/Family/Marco.md", (), patterns)
    assert is_hidden("Plan.md", (), patterns)
    assert is_hidden("Any.md", ("money/tax",), patterns)
    assert not is_hidden("Healthy.md", ("moneyless",), patterns)


@pytest.mark.parametrize(
    ("fields", "privacy"),
    [
        ({"tags": "people"}, "open"),
        ({"tags": "people", "relation": "brother"}, "personal"),
        ({"tags": "work/people", "relationship": "my aunt"}, "personal"),
        ({"tags": ["people"], "beziehung": "Tante"}, "personal"),
        ({"tags": "people", "relation": "manager"}, "open"),
        ({"relation": "brother"}, "open"),
        ({"tags": "area/health"}, "personal"),
        ({"tags": "healthcheck"}, "open"),
        ({"personal": "yes"}, "personal"),
        ({"personal": "no"}, "open"),
    ],
)
def test_fields_tell_who_somebody_is_and_what_is_personal(fields: dict[str, object], privacy: str) -> None:
    assert note_privacy("Work/Ruth.md", fields, "Ruth", ("Signs the audit.",)) == privacy


def test_a_tab_indents_as_four_spaces_do() -> None:
    def hidden_of(*lines: str) -> set[int]:
        return set(private_lines(lines, [], (), whole_sections=True))

    assert hidden_of("\t- ring #private", "     size 54", "    - other") == {1, 2}
    assert hidden_of("   - ring #private", "\tsize\t54", "   - other") == {1, 2}
    assert hidden_of("    - ring #private", "\t- other") == {1}


def test_between_blocks_of_code_a_sentence_is_a_mark() -> None:
    assert message_is_private("```\na\n```\nTell nobody.\n```\nb\n```")
    assert not message_is_private("one ```tell nobody``` two ```tell nobody``` three")


@pytest.mark.parametrize("lines", [0, 1, 6, 40])
def test_a_relation_in_the_frontmatter_counts_however_long_the_note_is(lines: int) -> None:
    body = [f"He plays chess on day {number}." for number in range(lines)]
    assert note_privacy("People/Jon.md", {"relation": "brother"}, "Jon", body) == "personal"
    assert note_privacy("People/Jon.md", {"relation": "colleague"}, "Jon", body) == "open"


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("- My partner is Emil, our daughter is Juno (born 2019).", {"emil", "juno"}),
        ("- Wife: Ana María, kids: Max and Zoë", {"ana", "max", "zoe"}),
        ("Juno (my daughter) is 7", {"juno"}),
        ("Meine Tochter heißt Klara.", {"klara"}),
        ("My mother-in-law is Rosa", {"rosa"}),
        ("The parent process is Postgres", set()),
        ("My friend wants Docker", set()),
        ("- Kids like Lego", set()),
    ],
)
def test_names_of_family_are_read_from_what_their_relative_says(text: str, names: set[str]) -> None:
    assert names_of_family(text) == names
