"""Names in a text: whom a question asks about, and whom a passage tells about."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memoro.model.names import (
    NO_SOURCE,
    OWNER,
    KnownNames,
    Subject,
    Subjects,
    TextSource,
    agreement,
    described_by,
    is_known,
    known_names,
    project_subject,
    same_subject,
    shared_parts,
    speaker_agreement,
    subjects_asked,
    subjects_of,
    without_subjects,
)

HARBOR, ADMIN = Subject("harbor"), Subject("harbor-admin")
BERG, KELLER = Subject("anna berg"), Subject("anna keller")
KNOWN = KnownNames().with_names([HARBOR, ADMIN, BERG, KELLER])


def about(asked: Subject, text: str, source: TextSource = NO_SOURCE, known: KnownNames = KNOWN) -> float:
    return agreement(asked, subjects_of(text, source, known), shared_parts(asked, known))


@pytest.mark.parametrize(
    ("query", "asked"),
    [
        ("Which database does harbor use?", {HARBOR}),
        ("which port is harbor-admin on", {ADMIN}),
        ("which port is harbor_admin on", {ADMIN}),
        ("harbor admin port", {ADMIN}),
        ("What is harbor's port?", {HARBOR}),
        ("Where does Anna Berg live?", {BERG}),
        ("where does anna berg live", {BERG}),
        ("Wo wohnt Anna Berg?", {BERG}),
        ("Welche Datenbank nutzt harbor?", {HARBOR}),
        ("Wie heißt Annas Hund?", {Subject("anna")}),
        ("Where does Anna live?", {Subject("anna")}),
        ("Where does Berg live?", {Subject("berg")}),
        ("Does Anna B. like tea?", {Subject("anna b")}),
        ("what did I tell Anna Berg about harbor", {BERG, HARBOR}),
        ("Where does Marek live?", {Subject("marek")}),
        ("is app.config read by acme/web", {Subject("app.config"), Subject("acme/web")}),
        ("What is my address?", {OWNER}),
        ("Wo wohne ich?", {OWNER}),
        ("where do i live", {OWNER}),
        ("which editor do we use", {OWNER}),
        ("How many art-related events were there?", set()),
        ("which city is in the US", set()),
        ("When is the next release on Monday?", set()),
        ("dove sono i vini", set()),
        ("", set()),
    ],
)
def test_whom_a_question_asks_about(query: str, asked: set[Subject]) -> None:
    assert set(subjects_asked(query, KNOWN)) == asked


@pytest.mark.parametrize(
    "query",
    ["which database are we using?", "what does this project run on", "what port do we use here", "dieses Repo"],
)
def test_in_a_project_we_and_here_mean_it(query: str) -> None:
    assert subjects_asked(query, KNOWN, "github.com/acme/harbor") == (HARBOR,)


def test_a_question_in_a_project_that_names_another_is_about_that_one() -> None:
    assert subjects_asked("do we use harbor-admin here", KNOWN, "harbor") == (ADMIN,)


def test_a_name_is_not_found_within_a_longer_one() -> None:
    assert about(HARBOR, "harbor-admin runs on 8080.") == -1
    assert about(HARBOR, "harbor.admin and myharbor and harbor_admin") == -1
    assert about(HARBOR, "The harbor admin is down.") == -1
    assert about(ADMIN, "harbor runs on 8080.") == -1
    assert about(HARBOR, "harbor-admin calls harbor.") == 1
    assert about(HARBOR, "Harbor's port is 8080.") == 1


def test_two_people_with_one_first_name_are_told_apart() -> None:
    assert about(BERG, "Anna Keller lives in Porto.") == -1
    assert about(BERG, "I met Anna Berg.") == 1
    assert about(BERG, "Anna lives in Porto.") == 0.5
    assert about(BERG, "Anna B. lives in Porto.") == 1
    assert about(BERG, "Frau Berg wohnt in Porto.") == 1  # no other is called so
    assert about(Subject("anna"), "Anna Keller lives in Porto.") == 1
    assert about(BERG, "I had lunch with Anna Lind.") == -1


def test_a_text_that_names_nobody_tells_nothing() -> None:
    assert about(HARBOR, "The port is 8080.") == 0
    assert about(OWNER, "The port is 8080.") == 0


def test_a_text_without_a_name_belongs_to_its_project() -> None:
    source = TextSource(project="github.com/acme/harbor")
    assert about(HARBOR, "We keep our data in MySQL here.", source) == 1
    assert about(HARBOR, "harbor-admin is on 8080.", source) == -1
    assert about(HARBOR, "Anna Berg moved to Porto.", source) == 0


@pytest.mark.parametrize(
    ("text", "speaker", "value"),
    [
        ("I live in Porto.", None, 1.0),
        ("Mein Auto ist blau.", None, 1.0),
        ("User: I live in Porto.", "User", 1.0),
        ("Assistant: You live in Porto.", "Assistant", 1.0),
        ("Assistant: I am a model.", "Assistant", 0.0),
        ("Caroline: I live in Porto.", "Caroline", -1.0),
        ("Anna Berg lives in Porto.", None, -1.0),
        ("I told Anna Berg.", None, 0.5),
        ("The cluster is in us-east-2.", None, 0.0),
    ],
)
def test_i_is_the_one_who_speaks(text: str, speaker: str | None, value: float) -> None:
    assert about(OWNER, text, TextSource(speaker=speaker)) == value


def test_people_tell_about_themselves() -> None:
    ann, bob = Subject("ann lee"), Subject("bob")
    people = frozenset({ann, bob})
    known = KnownNames().with_names(people)
    told = subjects_of("Ann Lee: I moved to Bergen.", TextSource(speaker="Ann Lee"), known)
    assert speaker_agreement(ann, told, ann, people) == 1
    assert speaker_agreement(bob, told, ann, people) == -1
    greeting = subjects_of("Ann Lee: Hi Bob!", TextSource(speaker="Ann Lee"), known)
    assert speaker_agreement(bob, greeting, ann, people) == -0.5
    assert speaker_agreement(ann, greeting, ann, people) == 0.5
    assert speaker_agreement(Subject("rex"), greeting, ann, people) == 0


def test_a_note_describes_the_person_it_is_named_after() -> None:
    described = described_by("people/Anna Berg.md", ["Anna Berg", "AB"])
    known = known_names([("lives in Rome", TextSource(described=described))])
    assert subjects_asked("where does AB live", known) == (BERG,)
    assert about(BERG, "lives in Rome", TextSource(described=described), known) == 1
    assert described_by("ideas/Anna Berg.md", ["Anna Berg"]) == ()
    assert described_by("ideas/Anna Berg.md", ["Anna Berg"], ["person"]) == ("Anna Berg",)
    assert about(OWNER, "lives in Rome", TextSource(described=described_by("me.md", ["me"]))) == 1
    assert about(HARBOR, "Our database is MySQL.", TextSource(described=("tidewater",))) == -1


def test_names_are_known_by_metadata_and_by_sentences_that_begin_with_them() -> None:
    known = known_names(
        [
            ("- 09:15 Priya Nair moved.", NO_SOURCE),
            ("She lives in Alte Gasse now.", NO_SOURCE),
            ("x", TextSource(project="~/src/tide_water", speaker="Ann Lee")),
        ]
    )
    assert {one for _, one in known.spellings} == {Subject("priya nair"), Subject("tide-water"), Subject("ann lee")}


def test_a_capitalised_word_is_a_name_where_a_sentence_tells_about_it() -> None:
    marek = Subject("marek")
    assert is_known(marek, KNOWN, ["Soon Marek leads.", "Marek leads harbor."])
    assert not is_known(marek, KNOWN, ["Soon Marek leads.", "marek leads"])
    assert is_known(HARBOR, KNOWN, [])


def test_the_same_subject_is_named_in_any_way() -> None:
    def of(text: str, source: TextSource = NO_SOURCE) -> Subjects:
        return subjects_of(text, source, KNOWN)

    assert same_subject(of("Anna Berg moved."), of("Berg left."))
    assert not same_subject(of("Anna Berg moved."), of("Anna Keller left."))
    assert not same_subject(of("harbor is on 80."), of("harbor-admin is on 80."))
    assert same_subject(of("harbor is on 80."), of("We are on 90.", TextSource(project="harbor")))
    assert same_subject(of("User: I moved.", TextSource(speaker="User")), of("You left.", TextSource("Assistant")))
    assert not same_subject(of("I moved."), of("Anna Berg moved."))
    assert same_subject(of("The port is 80."), of("The port is 90."))


def test_what_is_left_without_subjects_is_what_is_said() -> None:
    assert without_subjects("Anna Berg's flat is in Rome.", KNOWN) == "flat is in rome."
    assert without_subjects("User: I moved harbor-admin to Bergen", KNOWN, TextSource("User")) == "moved to bergen"


TEXTS = st.text(alphabet="AaBbIi ns-._/'’\n.!?éÉß東1", max_size=60)
NAMES = st.lists(st.sampled_from([HARBOR, ADMIN, BERG, KELLER, OWNER, Subject("b"), Subject("東")]), max_size=4)


@given(text=TEXTS, names=NAMES, speaker=st.sampled_from([None, "User", "Assistant", "Ab Sn"]), project=TEXTS)
@example(text="i.", names=[], speaker="Assistant", project="--")  # took for ever
def test_any_text_has_subjects(text: str, names: list[Subject], speaker: str | None, project: str) -> None:
    source = TextSource(speaker=speaker, project=project or None)
    known = known_names([(text, source)]).with_names(names)
    found = subjects_of(text, source, known)
    assert same_subject(found, found)
    for asked in subjects_asked(text, known):
        assert -1 <= agreement(asked, found, frozenset()) <= 1
    assert len(without_subjects(text, known, source)) <= len(text.lower())


@given(first=st.sampled_from(["harbor", "anna berg"]), before=TEXTS, after=TEXTS)
def test_a_name_between_spaces_is_found_in_any_text(first: str, before: str, after: str) -> None:
    assert about(Subject(first), f"{before} , {first} , {after}") == 1


@given(one=TEXTS, other=TEXTS)
def test_being_the_same_subject_does_not_depend_on_the_order(one: str, other: str) -> None:
    first, second = (subjects_of(text, NO_SOURCE, KNOWN) for text in (one, other))
    assert same_subject(first, second) == same_subject(second, first)


@given(name=st.text(max_size=20))
def test_any_project_has_a_subject(name: str) -> None:
    assert project_subject(name).name == project_subject(name).name.lower()
