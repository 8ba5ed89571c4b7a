"""Which passages may be given unasked: by the session's project, and by what is private."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memoro
from memoro.index.read import read_note
from memoro.model.answers import Passage, Where
from memoro.model.belonging import belonging_of, known_project, names_project, projects_of_home, words_of
from memoro.model.notes import Chunk, FileEntry, Indexed, Note, Rules
from memoro.model.scope import Scope
from memoro.model.vocabulary import Tier
from memoro.store.changes import Write
from memoro.store.plain.index import PlainIndex
from memoro.store.ports import Index
from memoro.store.sqlite.engine import engine
from memoro.store.sqlite.home import SqliteIndexHome
from memoro.unasked.admission import AdmissionRules, Admitted, admit, rules_of, with_lines
from memoro.vault.daily_lines import lines_that
from tests.conftest import write_vault

RULES = Rules(tokens=400, overlap=80, daily_folder="daily")
HARBOR = AdmissionRules(Scope(project="github.com/acme/harbor", known_as=("~/src/harbor",)))
PROJECTS = projects_of_home("github.com/acme/harbor", ("~/src/harbor",), ["~/src/lantern", "~/src/blog", "~/work"])


def note(path: str, text: str, tier: Tier = "note") -> Indexed:
    return read_note(
        FileEntry(path, tier, digest=text, stamp=None), text.encode(), written_on="2026-01-01", rules=RULES
    )[0]


def log(path: str, project: str | None) -> Indexed:
    chunk = Chunk(f"User: said in {path}", 1, 1, (), path, speaker="User", date="2026-01-01")
    about = Note("Talk", date="2026-01-01", agent="claude", project=project)
    entry = FileEntry(path, "transcript", digest=path, stamp=None)
    return Indexed(entry=entry, note=about, day="2026-01-01", chunks=(chunk,))


@pytest.fixture(params=["plain", "sqlite"])
def index(request: pytest.FixtureRequest, tmp_path: Path) -> Index:
    made = PlainIndex() if request.param == "plain" else SqliteIndexHome(str(tmp_path), engine(str(tmp_path))).first()
    logs = [log("@claude/h.jsonl", "github.com/acme/harbor"), log("@claude/l.jsonl", "~/src/lantern")]
    made.apply([Write(one) for one in [*logs, log("@claude/none.jsonl", None)]])
    return made


def judged(index: Index, *files: Indexed, rules: AdmissionRules = HARBOR) -> dict[str, Admitted]:
    """How each passage of these files is judged, by its path and first line."""
    index.apply([Write(file) for file in files])
    found = [
        match.passage
        for match in index.look_up(index.admitted(Where(unlisted=True, shared=True)) or all_of(index), [])
    ]
    return {f"{p.path}:{p.start_line}": one for p, one in zip(found, admit(found, rules, index), strict=True)}


def all_of(index: Index) -> list[int]:
    return [one.chunk for one in index.texts_after(0, 1000)]


def test_conversations_of_this_project_are_its_own_and_no_others_are_given(index: Index) -> None:
    found = judged(index)

    assert found["@claude/h.jsonl:1"].belonging == "own"
    assert found["@claude/l.jsonl:1"] == Admitted("other", None, "another project's: lantern")
    assert found["@claude/none.jsonl:1"].passage is None


@pytest.mark.parametrize(
    ("path", "text", "belonging"),
    [
        ("Work/harbor.md", "# harbor\nPorts.", "own"),
        ("Work/Harbor runbook.md", "Steps.", "own"),
        ("harbor/Deploy.md", "Steps.", "own"),
        ("Work/Deploy.md", "---\nproject: harbor\n---\nSteps.", "own"),
        ("Work/Deploy.md", "Steps. #work/harbor", "own"),
        ("Work/Deploy.md", "See [[harbor]].", "own"),
        ("Home/Boat.md", "For [[harbor]].", "own"),
        ("Work/lantern.md", "# lantern\nPorts.", "other"),
        ("Work/Lantern runbook.md", "Steps.", "other"),
        ("Lantern/Deploy.md", "Steps.", "other"),
        ("Work/Deploy.md", "Steps. #lantern", "other"),
        ("Work/Deploy.md", "See [[lantern]].", "other"),
        ("projects/unknown/Deploy.md", "Steps.", "other"),
        ("Work/Both.md", "[[lantern]] and [[harbor]].", "shared"),
        ("Work/Velero.md", "How to restore.", "shared"),
        ("People/Beatriz.md", "Security. Works on [[lantern]].", "shared"),
        ("Recipes/Feijoada.md", "Beans.", "personal"),
        ("Reading.md", "## Health\nBlood pressure.", "personal"),
        ("Work/Offer.md", "---\nprivate: true\n---\nNumbers.", "private"),
        ("harbor/Pay.md", "Keep this between us. 70.", "private"),
        ("skills/deploy.md", "Steps.", "own"),
    ],
)
def test_a_note_belongs_to_the_project_that_it_names(index: Index, path: str, text: str, belonging: str) -> None:
    tier: Tier = "skill" if path.startswith("skills") else "note"
    found = judged(index, note(path, text, tier))
    [one] = [value for key, value in found.items() if key.startswith(f"{path}:")]

    assert one.belonging == belonging
    assert (one.passage is not None) == (belonging in ("own", "shared"))
    assert bool(one.why) == (one.passage is None)


def test_a_note_belongs_to_the_project_whose_own_note_links_to_it(index: Index) -> None:
    hubs = [note("harbor.md", "# harbor\n[[Cranes]]"), note("lantern.md", "# Lantern\n[[Wicks]], [[Rui]]")]
    found = judged(
        index, *hubs, note("Cranes.md", "Tall."), note("Wicks.md", "Short."), note("People/Rui.md", "Of the team.")
    )

    assert found["Cranes.md:1"].belonging == "own"
    assert found["Wicks.md:1"] == Admitted("other", None, "another project's: lantern")
    assert found["People/Rui.md:1"].belonging == "shared"


DAY = """\
- called the clinic, result on Friday
- 10:51 session saved — ports moved #project/acme/harbor
- 11:00 session saved — wicks cut #project/lantern
- Harbor: crane two is back
- Sérgio: layoffs, keep quiet about harbor #private
## harbor
- masts counted
## Evening
- soup
"""


def test_the_note_of_a_person_whom_memory_calls_family_is_personal(index: Index) -> None:
    family = note("MEMORY.md", "# Memory\n\n- My partner is Emil, our daughter is Juno.\n", "semantic")
    told = "# {}\n\nShoe size 31 since September.\n"
    found = judged(index, family, *(note(f"People/{who}.md", told.format(who)) for who in ("Juno", "Ravi")))
    assert (found["People/Juno.md:1"].belonging, found["People/Ravi.md:1"].belonging) == ("personal", "shared")


def test_of_a_day_only_the_lines_of_the_project_are_given(index: Index) -> None:
    found = judged(index, note("daily/2026-10-08.md", DAY, "daily"))
    given = "\n".join(one.passage.text for key, one in found.items() if key.startswith("daily") and one.passage)

    assert given.splitlines() == [
        "- 10:51 session saved — ports moved #project/acme/harbor",
        "- Harbor: crane two is back",
        "## harbor",
        "- masts counted",
    ]
    assert {one.why for one in found.values() if not one.passage} >= {"a line of the diary", "private"}


def test_days_in_a_folder_of_the_projects_name_are_its_log_and_no_diary(index: Index) -> None:
    text = "- crane two is back\n- wicks cut #project/lantern\n"
    folders = ("harbor", "lantern", "log")
    found = judged(index, *(note(f"{folder}/2026-10-08.md", text, "daily") for folder in folders))
    given = {key: one.passage.text for key, one in found.items() if one.passage and "2026" in key}

    assert given == {"harbor/2026-10-08.md:1": "- crane two is back"}


def test_a_diary_is_no_log_of_a_project_that_is_called_so(index: Index) -> None:
    scope = Scope(project="~/src/journal")
    found = judged(index, note("Journal/2026-10-08.md", "- saw the clinic", "daily"), rules=AdmissionRules(scope))

    assert found["Journal/2026-10-08.md:1"] == Admitted("personal", None, "a line of the diary")


def test_without_a_project_a_day_is_given_but_for_its_private_lines(index: Index) -> None:
    found = judged(index, note("daily/2026-10-08.md", DAY, "daily"), rules=AdmissionRules(Scope()))
    given = "\n".join(one.passage.text for key, one in found.items() if key.startswith("daily") and one.passage)

    assert "clinic" in given and "soup" in given
    assert "layoffs" not in given


def test_a_session_in_the_folder_of_the_vault_sees_all_notes_that_are_not_private(index: Index) -> None:
    rules = AdmissionRules(Scope(project="~/notes"), is_vault=True)
    found = judged(index, note("Recipes/Soup.md", "Leek."), note("Plan.md", "Tell nobody: soup."), rules=rules)

    assert found["Recipes/Soup.md:1"].belonging == "own"
    assert found["Plan.md:1"].belonging == "private"


def test_what_the_owner_calls_private_is_given_in_no_session(index: Index) -> None:
    for scope in (HARBOR.scope, Scope()):
        found = judged(
            index,
            note("Plans/Sale.md", "Price."),
            note("Ideas.md", "One. #startup/name"),
            rules=AdmissionRules(scope, hidden=("Plans", "#startup")),
        )
        assert {found[key].belonging for key in ("Plans/Sale.md:1", "Ideas.md:1")} == {"private"}


@pytest.mark.parametrize("line", ["- blog: new theme", "- theme done #blog", "- see [[blog]]", "# Blog"])
def test_a_common_word_names_a_project_as_a_mark(line: str) -> None:
    assert names_project(line, known_project("~/src/blog"))


@pytest.mark.parametrize("line", ["- read her blog in the evening", "- the blogger called", "- blogs: none"])
def test_a_common_word_in_passing_names_no_project(line: str) -> None:
    assert not names_project(line, known_project("~/src/blog"))


def test_the_folder_of_all_work_names_no_project() -> None:
    assert belonging_of("Work/Velero.md", Note("Velero"), PROJECTS).kind == "shared"
    assert belonging_of("Blog/Draft.md", Note("Draft"), PROJECTS).kind == "other"
    assert belonging_of("Work/Blog ideas.md", Note("Blog ideas"), PROJECTS).kind == "shared"


names = st.text(st.characters(categories=["L", "N"]), min_size=4, max_size=12).filter(words_of)


@given(name=names, other=names, folder=st.sampled_from(["", "Work/", "Areas/Any/"]))
def test_a_note_that_names_the_project_is_never_anothers(name: str, other: str, folder: str) -> None:
    projects = projects_of_home(f"~/src/{name}", (), [f"~/src/{other}"])
    found = belonging_of(f"{folder}{name}.md", Note(name, links=(other,)), projects)

    assert found.kind in ("own", "shared")


passages = st.lists(st.sampled_from(["# h", "- a", "- b", "", "text"]), min_size=1, max_size=12)


@given(lines=passages, wanted=st.sets(st.sampled_from(["- a", "- b", "text"])))
def test_lines_that_do_not_pass_are_never_given(lines: list[str], wanted: set[str]) -> None:
    whole = Passage("d.md", "daily", "d", None, 5, 4 + len(lines), (), "\n".join(lines), "x", 1)
    found = with_lines(whole, lines_that(lines, lambda line, _heading: line in wanted))

    if found is None:
        assert not wanted & set(lines)
    else:
        given = [line for line in found.text.split("\n") if line and not line.startswith("#")]
        assert given == [line for line in lines if line in wanted]
        assert whole.start_line <= found.start_line <= found.end_line <= whole.end_line


def test_a_logbook_is_a_diary_in_a_project_and_an_answer_about_last_week(tmp_path: Path) -> None:
    day = "# 2026-11-09\n\n- long call with mamma, new shunt on the 17th\n- kelpworks: the pump is back\n"
    vault = write_vault(tmp_path / "vault", {"logbook/2026-11-09.md": day, "pump.md": "The pump is a Grundfos."})
    now = datetime(2026, 11, 19, 9, tzinfo=UTC)
    with memoro.open(tmp_path / "home", vault, project="kelpworks", clock=lambda: now) as m:
        shunt, pump = (m.recall(f"when is the new {what}?", proactive=True).block for what in ("shunt", "pump back"))
        assert "shunt" not in shunt + pump
        assert "the pump is back" in pump
    with memoro.open(tmp_path / "home", vault, clock=lambda: now) as m:
        assert m.search("what happened last week").results[0].path == "logbook/2026-11-09.md"


def test_the_settings_name_other_projects_and_what_is_private(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    (home / "memoro.toml").write_text(
        '[projects.lantern]\npaths = ["~/src/lantern"]\n[privacy]\nprivate = ["Plans"]\n'
    )
    with memoro.open(home, write_vault(tmp_path / "vault", {})) as m:
        assert rules_of(m.home_context, HARBOR.scope) == AdmissionRules(HARBOR.scope, ("Plans",), ("lantern",))
        assert rules_of(m.home_context, Scope()) == AdmissionRules(Scope(), ("Plans",))
