"""Feedback as text and as files: prompts that give it, entries that are parsed back, and files that nothing finds."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memoro
from memoro.errors import OutOfScope
from memoro.model import feedback
from memoro.model.feedback import FeedbackEntry, feedback_in
from memoro.model.feedback_places import is_feedback_file
from memoro.vault.entries import plain

words = st.text(max_size=60).map(plain)
names = st.from_regex(r"[a-z0-9./@:-]{1,20}", fullmatch=True)
entries = st.builds(
    FeedbackEntry,
    id=st.from_regex(r"[a-z][a-z0-9]{5}", fullmatch=True),
    kind=st.sampled_from(["wrong", "good"]),
    at=st.datetimes().map(lambda one: one.strftime("%Y-%m-%dT%H:%M").zfill(16)),
    note=words,
    question=words,
    answer=words,
    project=st.none() | names,
    session=st.none() | names,
    host=st.none() | names,
    log=st.none() | names,
    by=st.just("user") | names,
    path=st.just(""),
    line=st.just(0),
    last=st.just(0),
)


def bare(entry: FeedbackEntry) -> FeedbackEntry:
    return entry._replace(path="", line=0, last=0)


@given(st.lists(entries, max_size=4, unique_by=lambda one: one.id), st.sampled_from(["\n", "\r\n"]))
def test_every_entry_is_parsed_back_as_it_was_written(wanted: list[FeedbackEntry], end: str) -> None:
    text = feedback.header("feedback/corrections.md").replace("\n", end)
    for one in wanted:
        text = feedback.with_entry(text, one)

    assert [bare(one) for one in feedback.parse(text)] == wanted
    assert text.count("\r\n") == (text.count("\n") if end == "\r\n" else 0)


@given(st.text(), st.lists(entries, min_size=1, max_size=3, unique_by=lambda one: one.id))
def test_taking_out_what_was_added_leaves_every_other_line(text: str, added: list[FeedbackEntry]) -> None:
    known = {one.id for one in feedback.parse(text)}
    added = [one for one in added if one.id not in known]
    longer = text
    for one in added:
        longer = feedback.with_entry(longer, one)

    assert longer.startswith(text)
    left = feedback.without_entries(longer, {one.id for one in added})
    assert left.split() == text.split()


@given(st.text())
def test_any_text_is_parsed_and_every_line_of_it_belongs_to_one_entry_at_most(text: str) -> None:
    found = feedback.parse(text)

    lines = [n for one in found for n in range(one.line, one.last + 1)]
    assert len(lines) == len(set(lines))
    assert len({one.id for one in found}) == len(found) or any(f"^{one.id}" in text for one in found)


def test_an_entry_that_a_person_has_changed_is_still_read() -> None:
    text = (
        "# Mine\n\n- 2026-11-16 14:30 [wrong] The port is 8443. ^w3k9f2\n"
        "    - question: Which port?\n      and more of it\n- an own bullet\n- 2026-11-17 09:00 [good]\n"
    )

    first, second = feedback.parse(text, "feedback/corrections.md")
    assert (first.id, first.note, first.question, first.line, first.last) == (
        "w3k9f2", "The port is 8443.", "Which port?", 3, 5,
    )  # fmt: skip
    assert (second.kind, second.note, second.line) == ("good", "", 7)


@pytest.mark.parametrize(
    ("prompt", "wanted"),
    [
        ("/wrong", ("wrong", "")),
        ("  /wrong  the port\nis 8443 ", ("wrong", "the port is 8443")),
        ("/good", ("good", "")),
        ("/memoro:good exactly so", ("good", "exactly so")),
        ("memoro good", ("good", "")),
        ("memoro wrong the port is 8443", ("wrong", "the port is 8443")),
        ("Wrong: the port is 8443", ("wrong", "the port is 8443")),
        ("ok. wrong: it is 90", ("wrong", "it is 90")),
        ("no, wrong: it is 90", ("wrong", "it is 90")),
        ("Hm, wrong: it is 90", ("wrong", "it is 90")),
        ("Thanks! No - wrong: it is 90", ("wrong", "it is 90")),
        ("<memoro-context a>x</memoro-context>/wrong no", ("wrong", "no")),
    ],
)
def test_a_prompt_gives_feedback(prompt: str, wanted: tuple[str, str]) -> None:
    found = feedback_in(prompt)

    assert found and (found.kind, found.note) == wanted


@pytest.mark.parametrize(
    "prompt",
    [
        "wrong file, open x", "wrong", "That is wrong", "good", "good: now add tests", "Good, go on", "/wrongly",
        "/goods", "/good-first-issue", "wrong:", "wrong:x.py",
        "wrong: 1\n2", "what is wrong: the port?", "/etc/wrong",
        "ok. wrong: 1\n2", "ok. wrong:", "ok wrong: it is 90", "no wrong: answers please",
        "hm, what is wrong: a or b?",
        "ok. that is wrong: it is 90", "the log says, wrong: 3", "no, not wrong: leave it", "ok. good: now add tests",
        "memoro wrongly",
        "memoro is wrong",
        "memoro wrong\nsee below",
        "wrongly: said", "the /wrong command", "/memoro:recall wrong", "", "/", "/WRONG",
    ],
)  # fmt: skip
def test_an_ordinary_prompt_gives_none(prompt: str) -> None:
    assert feedback_in(prompt) is None


@given(st.text())
def test_no_prompt_breaks_the_reading_of_feedback(prompt: str) -> None:
    found = feedback_in(prompt)

    assert found is None or "\n" not in found.note


@pytest.mark.parametrize(
    "path",
    ["feedback/corrections.md", "feedback/rewards.md", "Feedback/Corrections.MD", "feedback/archive/2026.md",
     "@other/feedback/rewards.md"],
)  # fmt: skip
def test_the_files_of_feedback_are_known_by_their_path(path: str) -> None:
    assert is_feedback_file(path)


@pytest.mark.parametrize(
    "path",
    ["feedback/customers.md", "feedback/archive/2026-05.md", "feedback/archive/notes.md", "feedback.md",
     "notes/feedback/rewards.md", "feedback/corrections.md/x.md", "corrections.md", "feedbacks/rewards.md"],
)  # fmt: skip
def test_other_notes_of_that_folder_are_notes(path: str) -> None:
    assert not is_feedback_file(path)


ENTRY = FeedbackEntry(
    id="w3k9f2", kind="wrong", at="2026-11-16T14:30", note="The port is 8443.", question="Which quokka port?"
)


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    folder = tmp_path / "vault"
    folder.mkdir()
    (folder / "a.md").write_text("Something else\n")
    return folder


def test_feedback_is_never_indexed_nor_found_nor_recalled(vault: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "memoro.toml").write_text(f'[vault]\nextra = ["{vault}/feedback", "{vault}"]\n')
    with memoro.open(home, vault) as m:
        m.sync()
        m.note_services.feedback.add(ENTRY)
        m.note_services.feedback.archive(["w3k9f2"])
        m.note_services.feedback.add(ENTRY._replace(id="a23456"))
        (vault / "feedback" / "customers.md").write_text("A customer saw a quokka.\n")
        m.sync()

        assert {hit.path for hit in m.search("quokka").results} == {"feedback/customers.md"}
        assert "Which quokka" not in m.recall("Which quokka port?").block
        assert sorted(m.vault().list().files) == ["a.md", "feedback/customers.md"]
        assert "Which quokka port?" in m.get("feedback/corrections.md").text  # who asks for the file gets it


def test_an_agent_cannot_read_the_files_of_feedback(vault: Path, tmp_path: Path) -> None:
    with memoro.open(tmp_path / "home", vault) as m:
        m.note_services.feedback.add(ENTRY)
    with memoro.open(tmp_path / "home", vault, agent="claude-code") as m, pytest.raises(OutOfScope):
        m.get("feedback/corrections.md")


def test_archiving_moves_entries_by_their_year_and_can_be_undone(vault: Path, tmp_path: Path) -> None:
    with memoro.open(tmp_path / "home", vault) as m:
        files = m.note_services.feedback
        files.add(ENTRY)
        files.add(ENTRY._replace(id="b23456", at="2025-01-02T08:00", kind="good"))
        files.add(ENTRY._replace(id="c23456"))
        before = {path.name: path.read_bytes() for path in (vault / "feedback").glob("*.md")}

        done = files.archive(["w3k9f2", "b23456", "gone00"])
        assert [one.id for one in files.all()] == ["c23456"]
        assert [one.id for one in files.archived("2026")] == ["w3k9f2"]
        assert [one.id for one in files.archived("2025")] == ["b23456"]
        assert files.archive(["w3k9f2"]).changes == ()

        for change in reversed(done.changes):
            m.journal.undo(change)
        assert {path.name: path.read_bytes() for path in (vault / "feedback").glob("*.md")} == before
        assert files.archived("2026") == []


def test_an_entry_that_a_crash_left_in_both_files_is_moved_to_the_end(vault: Path, tmp_path: Path) -> None:
    with memoro.open(tmp_path / "home", vault) as m:
        files = m.note_services.feedback
        files.add(ENTRY)
        standing = (vault / "feedback" / "corrections.md").read_bytes()
        files.archive(["w3k9f2"])
        (vault / "feedback" / "corrections.md").write_bytes(standing)

        files.archive(["w3k9f2"])
        assert files.all() == []
        assert [one.id for one in files.archived("2026")] == ["w3k9f2"]


def test_the_same_id_is_added_once(vault: Path, tmp_path: Path) -> None:
    with memoro.open(tmp_path / "home", vault) as m:
        first = m.note_services.feedback.add(ENTRY)
        again = m.note_services.feedback.add(ENTRY)

        assert first.change and not again.change
        assert [one.line for one in m.note_services.feedback.all()] == [first.entry.line]
