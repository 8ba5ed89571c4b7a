"""Forgetting follows what hooks and agents made from a text, and text that a person deletes leaves the index."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memoro
from memoro.hooks.capture import write_captures
from memoro.model.derivation import made_from, statement_of
from tests.conftest import run_memoro, write_vault
from tests.test_forget_bytes import files_with
from tests.test_hooks import Host, day_of, ended
from tests.test_hooks import host as host

# Words that nothing else holds.
RARE = ("pelargonium", "quintessenz", "marzipanrinde")
SECRET = f"From now on the {RARE[0]} vault opens with {RARE[1]} and the {RARE[2]} below the stair"
OTHERS = ("We keep the dates of the parser in UTC", "Which tests fail on a Sunday", "Write the release notes for May")


def conversation(host: Host, *prompts: str) -> Path:
    file = host.me / ".claude" / "projects" / "-w" / "s1.jsonl"
    file.parent.mkdir(parents=True, exist_ok=True)
    about = {"sessionId": "s1", "cwd": "/w/parcels"}
    lines = [
        {
            "type": "user",
            "uuid": f"u{number}",
            "timestamp": f"2026-11-01T10:0{number}:00.000Z",
            **about,
            "message": {"role": "user", "content": said},
        }
        for number, said in enumerate(prompts)
    ]
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return file


@pytest.fixture
def told(host: Host) -> Iterator[memoro.Workspace]:
    """A home in which hooks and an agent have written down what a message said; its log is indexed."""
    conversation(host, SECRET, *OTHERS)
    host.home.mkdir(0o700, exist_ok=True)
    (host.home / "memoro.toml").write_text('[transcripts]\nfolders = ["claude"]\n')
    ended(host, "PreCompact")
    ended(host)
    with host.opened() as m:
        write_captures(m)
        m.memories.store(f"The {RARE[0]} vault opens with {RARE[1]} and the {RARE[2]}", source="agent")
        m.memories.store("The parser of dates is in the file dates.py", source="agent")
        m.experiences.record("task_solution", f"the {RARE[0]} vault opens with {RARE[1]}", {"do": "look"})
        m.daily.add(f"I wrote about {RARE[0]} myself", by="user")
        m.sync()
        yield m


def message(m: memoro.Workspace) -> str:
    found = m.search(f"{RARE[0]} {RARE[1]} stair", kind="transcript", mode="words").results
    return found[0].id


def in_vault(host: Host, *words: str) -> list[str]:
    return [
        line
        for file in sorted(host.vault.rglob("*.md"))
        for line in file.read_text().splitlines()
        if any(word in line for word in words)
    ]


def test_what_was_made_from_a_message_is_shown_and_then_goes_with_it(host: Host, told: memoro.Workspace):
    target = message(told)
    backup = told.backups.create().name
    before = in_vault(host, *RARE)
    assert {line.partition(" ")[0] for line in before} == {"#", "-"}, "the title and decisions of the session's note"
    assert RARE[0] in day_of(host)
    shown = told.forget(target, dry_run=True)
    kinds = {copy.id.partition(":")[0] for copy in shown.derived}
    assert kinds >= {"memory", "experience"}
    assert sum(RARE[0] in copy.text for copy in shown.derived) == len(shown.derived) >= 5
    assert "I wrote about" not in " ".join(copy.text for copy in shown.derived), "a person's line stays"
    assert in_vault(host, *RARE) == before
    done = told.forget(target, yes=True)
    assert done.done
    assert backup in done.backups
    assert len(done.derived) == len(shown.derived)
    assert not any(copy.text for copy in done.derived)
    assert [line.partition("I wrote")[2] for line in in_vault(host, *RARE)] == [f" about {RARE[0]} myself"]
    told.sync()
    assert files_with(host.home, RARE[1], RARE[2]) == []
    assert told.search("parser of dates", mode="words").results, "all else stays"
    (note,) = (host.vault / "sessions").glob("*.md")
    assert "# Session\n" in note.read_text()
    assert f"- {OTHERS[0]}" in note.read_text()
    told.close()
    assert files_with(host.home, RARE[1], RARE[2]) == []


def test_a_capture_after_that_brings_nothing_back(host: Host, told: memoro.Workspace):
    told.forget(message(told), yes=True)
    conversation(host, SECRET, *OTHERS, "We keep the lamps of the harbour green")
    ended(host)
    write_captures(told)
    assert "lamps of the harbour" in "".join(file.read_text() for file in (host.vault / "sessions").glob("*.md"))
    assert [line for line in in_vault(host, *RARE) if "I wrote" not in line] == []


def test_only_leaves_the_copies(host: Host, told: memoro.Workspace):
    before = in_vault(host, *RARE)
    done = told.forget(message(told), yes=True, only=True)
    assert done.done
    assert done.derived == ()
    assert in_vault(host, *RARE) == before
    assert told.memories.get(1).content.startswith("The pelargonium")


def test_the_command_lists_the_copies_and_asks(host: Host, told: memoro.Workspace):
    target = message(told)
    told.close()
    places = ("--home", str(host.home), "--vault", str(host.vault))
    listed = run_memoro(*places, "forget", target)
    assert listed.code == 5
    assert "With it, as made from it (--only leaves it):" in listed.out
    assert "daily/" in listed.out
    assert "memory:1" in listed.out
    done = run_memoro(*places, "forget", target, "--yes")
    assert done.code == 0
    assert "Forgotten with it, as made from it:" in done.out
    assert not any(word in done.out for word in RARE)
    assert not any(word in run_memoro(*places, "log").out for word in RARE[1:])


def test_a_line_that_a_person_deleted_already_goes_from_history(host: Host, told: memoro.Workspace):
    for file in (*(host.vault / "sessions").glob("*.md"), *(host.vault / "daily").glob("*.md")):
        kept = [line for line in file.read_text().splitlines() if RARE[0] not in line]
        file.write_text("\n".join(kept) + "\n")
    told.forget(message(told), yes=True)
    assert files_with(host.home, RARE[1], RARE[2]) == []


# Copies of memories


COPY = f"{RARE[0]} vault opens with {RARE[1]} and the {RARE[2]}"


@pytest.fixture
def kept(tmp_path: Path) -> Iterator[memoro.Workspace]:
    """A home with a memory that an agent also wrote into the daily note, and told in a narrative."""
    vault = write_vault(tmp_path / "vault", {"a.md": "# Lamps\n\nA lamp on the stair.\n"})
    with memoro.open(tmp_path / "home", vault) as m:
        m.memories.store(f"The {COPY}", source="agent")
        m.memories.store("The lamp on the stair is broken", source="agent")
        m.daily.add(f"noted: the {COPY}", by="agent")
        m.daily.add(f"I wrote about {RARE[0]} myself", by="user")
        m.narratives.update(f"We found that the {COPY} below", memories=[1])
        m.narratives.update("We asked who owns the stair", memories=[1])
        m.sync()
        assert m.narratives.search(RARE[1])
        yield m


@pytest.mark.parametrize("by", ["number", "query", "source", "target"])
def test_forgetting_a_memory_forgets_what_was_made_from_it(by: str, tmp_path: Path, kept: memoro.Workspace):
    backup = kept.backups.create().name
    if by == "target":
        shown, done = kept.forget("memory:1", dry_run=True), kept.forget("memory:1", yes=True)
        copies, left, backups = shown.derived, done.derived, done.backups
    else:
        numbers, query = [1] if by == "number" else [], RARE[1] if by == "query" else None
        source = "agent" if by == "source" else None
        looked_at = kept.memories.forget(numbers, dry_run=True, query=query, source=source)
        gone = kept.memories.forget(numbers, yes=True, query=query, source=source)
        copies, left, backups = looked_at.derived, gone.derived, gone.backups
        assert gone.narratives == (2,), "one that says something else is listed, and stays"
    assert [copy.id.partition(":")[0] for copy in copies] == ["narrative", kept.daily.add("tea", by="user").path]
    assert all(RARE[1] in copy.text for copy in copies)
    assert len(left) == len(copies) and not any(copy.text for copy in left)
    assert backup in backups
    lines = [line for file in (tmp_path / "vault").rglob("*.md") for line in file.read_text().splitlines()]
    assert [line.partition("I wrote")[2] for line in lines if RARE[0] in line] == [f" about {RARE[0]} myself"]
    assert [one.narrative.id for one in kept.narratives.search()] == [2]
    assert kept.narratives.chain(2)[0].previous is None
    with pytest.raises(memoro.errors.Refused, match="forgotten"):
        kept.narratives.update(f"We found that the {COPY} below")
    kept.sync()
    places = [file for file in files_with(tmp_path / "home", RARE[1], RARE[2]) if backup not in str(file)]
    assert places == []
    kept.backups.restore(backup)
    assert [one.narrative.id for one in kept.narratives.search()] == [2]


def test_only_leaves_the_copies_of_a_memory(kept: memoro.Workspace):
    done = kept.memories.forget(1, yes=True, only=True)
    assert done.derived == ()
    assert set(done.narratives) == {1, 2}
    assert RARE[1] in kept.narratives.get(1).summary


def test_the_command_for_memories_lists_their_copies(tmp_path: Path, kept: memoro.Workspace):
    kept.close()
    places = ("--home", str(tmp_path / "home"), "--vault", str(tmp_path / "vault"))
    listed = run_memoro(*places, "memory", "forget", "1")
    assert listed.code == 5
    assert "With it, as made from it (--only leaves it):" in listed.out
    assert "narrative:1" in listed.out
    done = run_memoro(*places, "memory", "forget", "1", "--yes")
    assert done.code == 0
    assert "Forgotten with it, as made from it:" in done.out
    assert not any(word in done.out for word in RARE)


def test_a_narrative_made_from_a_message_goes_with_it(told: memoro.Workspace):
    told.narratives.update(f"The user said that the {COPY} below the stair")
    told.narratives.update("The parser of dates is next")
    done = told.forget(message(told), yes=True)
    assert "narrative:1" in {copy.id for copy in done.derived}
    assert [one.narrative.id for one in told.narratives.search()] == [2]


# Which texts were made from another


words = st.lists(st.text("abcdefgh", min_size=3, max_size=8), min_size=6, max_size=40, unique=True)


@given(words, st.integers(0, 30), st.integers(5, 12))
def test_any_long_enough_part_of_a_text_was_made_from_it(said: list[str], start: int, length: int):
    start = min(start, len(said) - 5)
    part = " ".join(said[start : start + length])
    for line in (part, f"- 09:31 session saved — {part}…", f"- {part} ^k3x9ab", f"# {part}"):
        assert made_from([" ".join(said)])(line)


@given(words, words)
def test_other_words_were_not_made_from_it(said: list[str], others: list[str]):
    other = " ".join(word.upper() + "x" for word in others)
    assert not made_from([" ".join(said)])(f"- 09:31 {other}")


@pytest.mark.parametrize(
    ("line", "statement"),
    [
        ("- 09:31 session saved — Mend the parser…", "session saved — Mend the parser"),
        ("- [ ] Buy tea ^k3x9ab", "Buy tea"),
        ("## Decisions", "Decisions"),
        ("plain words", "plain words"),
    ],
)
def test_a_statement_is_a_line_without_its_marks(line: str, statement: str):
    assert statement_of(line) == statement


def test_short_and_common_words_are_no_copy():
    is_made = made_from(["yes please go on"])
    assert not is_made("- 09:31 yes")
    assert is_made("- 09:31 yes please go on")
    assert made_from(["我们的保险箱密码在楼梯下面"])("- 09:31 保险箱密码在楼梯")


# Text that a person deletes from a note


@pytest.mark.parametrize("by", ["sync", "search"])
def test_what_a_person_deletes_from_a_note_is_in_no_file_of_the_home(by: str, tmp_path: Path):
    vault = write_vault(
        tmp_path / "vault", {f"{n}.md": f"# Note {n}\n\nAbout lamps and stairs.\n" for n in range(40)}
    )
    (vault / "7.md").write_text(f"# Seven\n\n{SECRET}.\n\nAnd a lamp.\n")
    (vault / "8.md").write_text(f"# Eight\n\nAlso {RARE[2]}.\n")
    with memoro.open(tmp_path / "home", vault) as m:
        m.sync()
        assert files_with(tmp_path / "home", *RARE)
        (vault / "7.md").write_text("# Seven\n\nAnd a lamp.\n")
        (vault / "8.md").unlink()
        if by == "sync":
            m.sync()
        else:
            assert m.search("lamp", mode="words").results
        assert files_with(tmp_path / "home", *RARE) == []
    assert files_with(tmp_path / "home", *RARE) == []


def test_forgetting_a_message_says_that_the_log_keeps_it(host: Host, told: memoro.Workspace):
    target = message(told)
    told.close()
    for words in (["forget", target, "--dry-run"], ["forget", target, "--yes"]):
        done = run_memoro("--home", str(host.home), "--vault", str(host.vault), *words)
        assert "The log itself stays as it is" in done.out


CODE = "The garage code is 7741-Q."


def test_forgetting_names_the_places_that_still_say_it_and_how_to_forget_each(host: Host):
    conversation(host, CODE, "is the garage code is 7741-q still right?", "what is the garage code?")
    write_vault(
        host.vault,
        {"bo.md": f"# Bo\n\nBo says: {CODE}\n\n- Garage code is 7741-Q, as Bo says\n- The garage code: ask Bo\n"},
    )
    host.home.mkdir(0o700, exist_ok=True)
    (host.home / "memoro.toml").write_text('[transcripts]\nfolders = ["claude"]\n')
    with host.opened() as m:
        entry = m.remember(CODE)
        m.sync()
        shown = m.forget(f"{entry.path}:{entry.line}", dry_run=True)
        assert all("7741" in one.text for one in shown.repetitions)
        places = {(one.path.rpartition("/")[2], one.line): one.id for one in shown.repetitions}
        assert places.keys() == {("bo.md", 3), ("bo.md", 5), ("s1.jsonl", 1), ("s1.jsonl", 2)}
        assert (places["bo.md", 3], places["bo.md", 5]) == ("", "bo.md:5"), "a paragraph has no id"
        done = m.forget(str(entry.id), yes=True)
        assert {one.id for one in done.repetitions} == set(places.values())
        assert not any(one.text for one in done.repetitions), "nothing of what was forgotten is shown"
        for id in filter(None, places.values()):
            m.forget(id, yes=True)
        kept = m.memories.store(CODE.removesuffix(".") + ", I think", source="user").memory
        assert [one.path for one in m.forget(f"memory:{kept.id}", yes=True).repetitions] == ["bo.md"]


def test_forgetting_an_entry_names_the_memories_and_experiences_that_say_the_same(host: Host):
    write_vault(host.vault, {"boat.md": f"- {CODE}\n- {CODE.replace('garage', 'cellar')}\n"})
    places = ("--home", str(host.home), "--vault", str(host.vault))
    with host.opened() as m:
        m.sync()
        same = m.memories.store(CODE, source="user").memory.id
        m.memories.store("The boat needs paint", source="user")
        done = m.experiences.record("task_solution", f"find out that {CODE}", {"do": "ask Bo"}).experience.id
        named = [(f"memory:{same}", CODE), (f"experience:{done}", f"find out that {CODE}")]
        shown = m.forget("boat.md:1", dry_run=True).repetitions
        assert [(one.id, one.text) for one in shown if not one.line] == named
    said = run_memoro(*places, "forget", "boat.md:1", "--yes").out
    assert f"   memory:{same}  memoro forget memory:{same}\n" in said and "7741" not in said
    with host.opened() as m:
        assert [one.id for one in m.forget(f"memory:{same}", yes=True).repetitions if not one.line] == [named[1][0]]
        assert not [one for one in m.forget(named[1][0], yes=True).repetitions if not one.line]


def test_a_preview_says_that_it_could_not_look_for_memories_where_the_archive_is_damaged(host: Host):
    write_vault(host.vault, {"boat.md": f"- {CODE}\n- {CODE.replace('garage', 'cellar')}\n"})
    with host.opened() as m:
        m.sync()
        m.memories.archive(m.memories.store("The boat needs paint", source="user").memory.id)
    archive = host.home / "archive.db"
    archive.write_bytes(b"x" * archive.stat().st_size)
    with host.opened() as m:
        shown = m.forget("boat.md:1", dry_run=True)
        assert any("Memories and experiences could not be read" in one for one in shown.elsewhere)


def test_a_forgotten_message_is_no_repetition_of_itself(host: Host, told: memoro.Workspace):
    write_vault(host.vault, {"bo.md": f"Bo wrote: {SECRET}.\n"})
    target = message(told)
    for choice in ({"dry_run": True}, {"yes": True}):
        assert [one.path for one in told.forget(target, **choice).repetitions] == ["bo.md"]


def test_the_command_lists_a_few_places_that_say_the_same(host: Host):
    write_vault(host.vault, {"bo.md": "".join(f"- {CODE} ({number})\n" for number in range(8))})
    places = ("--home", str(host.home), "--vault", str(host.vault))
    entry = run_memoro(*places, "remember", CODE, "--json").json
    shown = run_memoro(*places, "forget", entry["id"], "--dry-run").out
    assert "   bo.md:1  memoro forget bo.md:1\n      The garage code is 7741-Q. (0)\n" in shown
    assert "   and 3 more; --dry-run --json lists all\n" in shown
    done = run_memoro(*places, "forget", entry["id"], "--yes").out
    assert "   bo.md:1  memoro forget bo.md:1\n   bo.md:2" in done
    assert "7741" not in done
    assert "`memoro search WORDS`" in done


def test_a_message_that_stands_in_several_logs_is_hidden_in_all_of_them(host: Host):
    first = conversation(host, CODE)
    first.with_name("s2.jsonl").write_text(first.read_text().replace("u0", "v0").replace("s1", "s2"))
    first.with_name("s3.jsonl").write_text(
        first.read_text().replace("u0", "w0").replace("s1", "s3").replace("-Q.", "-Q")
    )
    host.home.mkdir(0o700, exist_ok=True)
    (host.home / "memoro.toml").write_text('[transcripts]\nfolders = ["claude"]\n')
    with host.opened() as m:
        m.sync()
        hits = m.search("garage code", mode="words").results
        target = next(hit.id for hit in hits if "s3" not in hit.path)
        for choice in ({"dry_run": True}, {"yes": True}):
            assert [one.path[-8:] for one in m.forget(target, **choice).repetitions] == ["s3.jsonl"]
        assert [hit.path[-8:] for hit in m.search("garage code", mode="words").results] == ["s3.jsonl"]
