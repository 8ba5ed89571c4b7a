"""What every index store must do. A third store joins by one line in STORES."""

from __future__ import annotations

import string
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoro.index.read import read_note
from memoro.model.answers import Held, Statistics, Term, Where
from memoro.model.ledger import ItemFit
from memoro.model.notes import (
    CONTAINER,
    Chunk,
    FileEntry,
    Indexed,
    LoggedMessage,
    Note,
    Problem,
    Rules,
    Stamp,
    Validity,
    kind_of,
)
from memoro.model.projects import belongs, name_patterns
from memoro.model.vocabulary import MirroredKind, Tier
from memoro.model.words import searchable_query
from memoro.search import retrieve
from memoro.search.item_words import ItemWords, best_fits
from memoro.search.retrieve import IndexQuery
from memoro.store.changes import Assign, Change, Drop, Emptied, Extend, Hide, Move, Purge, Touch, Write
from memoro.store.plain.index import PlainIndex
from memoro.store.ports import Counts, Index, IndexedConversation, MessageLocation, Neighbour, WrittenBetween
from memoro.store.sqlite.engine import engine
from memoro.store.sqlite.home import SqliteIndexHome

RULES = Rules(tokens=100, overlap=20, daily_folder="daily")


def sqlite_store(folder: Path) -> Index:
    folder.mkdir(parents=True, exist_ok=True)
    return SqliteIndexHome(str(folder), engine(str(folder))).first()


STORES: dict[str, Callable[[Path], Index]] = {
    "memory": lambda _folder: PlainIndex(),
    "sqlite": sqlite_store,
}


@pytest.fixture(params=STORES)
def index(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Index]:
    made = STORES[request.param](tmp_path / "store")
    yield made
    made.close()


def note(path: str, text: str, *, tier: Tier = "note", written_on: str = "2026-01-01") -> Indexed:
    entry = FileEntry(path, tier, digest=f"digest of {text}", stamp=Stamp(len(text), 1, 2, 3))
    return read_note(entry, text.encode(), written_on=written_on, rules=RULES)[0]


def terms(index: Index, query: str) -> list[Term]:
    return index.terms(searchable_query(query))


def paths(index: Index, query: str, where: Where | None = None, limit: int = 50) -> set[str]:
    return {match.passage.path for match in index.match(terms(index, query), where or Where(), limit)}


def best(index: Index, asked: list[Term], limit: int, leading: list[Term]) -> dict[tuple[str, int], float]:
    """What `best` gives, by path and line: stores number their chunks alike, but need not."""
    scores = dict(index.best(asked, Where(), limit, leading=leading))
    found = index.look_up(list(scores), asked)
    return {(m.passage.path, m.passage.start_line): round(scores[m.chunk], 4) for m in found}


def test_what_was_written_is_found(index: Index) -> None:
    index.apply([Write(note("a.md", "green tea")), Write(note("b.md", "black coffee"))])
    assert paths(index, "tea") == {"a.md"}
    assert index.counts() == Counts(2, 2, hidden=0, transcripts=0)


def test_what_states_a_rule_is_found_as_such(index: Index) -> None:
    said = Chunk("User: never on Fridays", 1, 1, (), "d" * 64, speaker="User", rules=True)
    heard = Chunk("Assistant: fine", 2, 2, (), "e" * 64, speaker="Assistant")
    talk = Indexed(
        entry=FileEntry("@logs/a.jsonl", "transcript", digest="log:1:x", stamp=None),
        note=Note("a", project="api"),
        day="2026-01-01",
        chunks=(said, heard),
    )
    index.apply([Write(note("Style.md", "# Style\n\n- tea first")), Write(note("b.md", "tea")), Write(talk)])

    def found(where: Where) -> set[str]:
        return {match.passage.path for match in index.look_up(index.admitted(where) or [], [])}

    assert found(Where(rules=True)) == {"Style.md", "@logs/a.jsonl"}
    assert found(Where(rules=True, kinds=("note",))) == {"Style.md"}
    assert found(Where(rules=True, bound_projects=name_patterns("web"))) == {"Style.md"}
    assert paths(index, "tea", Where(rules=True)) == {"Style.md"}
    later = said._replace(text="User: or so", start_line=3, end_line=3, digest="f" * 64, rules=False)
    index.apply([Extend(talk._replace(chunks=(later,)), 0)])
    assert found(Where(rules=True)) == {"Style.md"}


def test_words_are_found_by_their_stems(index: Index) -> None:
    index.apply([Write(note("a.md", "She was running and deployed two services"))])
    assert paths(index, "runs") == paths(index, "deploying service") == {"a.md"}


def test_accents_and_case_do_not_matter(index: Index) -> None:
    index.apply([Write(note("a.md", "Crème BRÛLÉE"))])
    assert paths(index, "creme brulee") == {"a.md"}


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("我们决定使用东京的服务器", "东京"),
        ("黒猫が好きです", "猫"),
        ("ฉันชอบกินข้าวผัด", "ข้าวผัด"),
        ("데이터베이스를 사용한다", "데이터베이스"),
        ("नमस्ते दुनिया", "दुनिया"),
        ("call getUserName() first", "user name"),
        ("call getUserName() first", "getUserName"),
        ("set max_retry_count to 3", "retry"),
        ("set max_retry_count to 3", "maxRetryCount"),
        ("see src/memoro/index.py", "memoro index"),
    ],
)
def test_scripts_without_spaces_and_identifiers_are_found(index: Index, text: str, query: str) -> None:
    index.apply([Write(note("a.md", text)), Write(note("b.md", "something else"))])
    assert paths(index, query) == {"a.md"}


def test_writing_a_file_again_replaces_what_was_said_about_it(index: Index) -> None:
    index.apply([Write(note("a.md", "green tea"))])
    index.apply([Write(note("a.md", "black coffee"))])
    assert paths(index, "tea") == set()
    assert paths(index, "coffee") == {"a.md"}
    assert index.counts() == Counts(1, 1, hidden=0, transcripts=0)


def log(path: str, *lines: int, cursor: str | None = None, tier: Tier = "transcript") -> Indexed:
    """A log in which each of these lines says `word` and its number, under the name of that number."""
    chunks = tuple(
        Chunk(f"User: word {n}", n, n, (), f"{n % 3:064x}", speaker="User", date=f"2026-01-{n:02}") for n in lines
    )
    entry = FileEntry(path, tier, "log:1:2", None, cursor=cursor)
    note = Note("Talk", date="2026-01-01", agent="claude", project="app")
    return Indexed(entry, note, "2026-01-01", chunks, tuple(LoggedMessage(n, n) for n in lines))


def lines_of(index: Index, path: str) -> list[int]:
    found = index.match(terms(index, "word"), Where(paths=(path,)), 50)
    return sorted(match.passage.start_line for match in found)


def test_a_log_that_is_extended_keeps_what_stands_before(index: Index) -> None:
    index.apply([Write(log("@l/a.jsonl", 1, 2, 3))])
    kept = [text.chunk for text in index.texts_after(0, 50)][:2]
    gone = index.apply([Extend(log("@l/a.jsonl", 3, 4, 6, cursor="here"), 2)])
    assert len(gone) == 1
    assert lines_of(index, "@l/a.jsonl") == [1, 2, 3, 4, 6]
    assert [text.chunk for text in index.texts_after(0, 50)][:2] == kept
    assert index.files()["@l/a.jsonl"].cursor == "here"
    assert index.message_ids("@l/a.jsonl") == [1, 2, 3, 4, 6]
    # Texts that are alike are told apart by their order, across what was there and what came.
    numbers = [index.passage("@l/a.jsonl", f"{0:064x}", number) for number in (1, 2)]
    assert [passage.start_line for passage in numbers if passage] == [3, 6]
    chunks = [text.chunk for text in index.texts_after(0, 50)]
    near = index.neighbours(chunks)
    assert [before.chunk if before else None for before, _ in near.values()] == [None, *chunks[:-1]]
    assert [after.chunk if after else None for _, after in near.values()] == [*chunks[1:], None]


def test_what_stands_beside_a_passage_says_who_spoke_and_whether_it_asks(index: Index) -> None:
    said = ["User: tea or coffee?", "Ann: tea", "Bob: coffee"]
    chunks = tuple(
        Chunk(text, n, n, (), f"{n:064x}", speaker=text.partition(":")[0], date="2026-01-01")
        for n, text in enumerate(said, 1)
    )
    index.apply([Write(log("@l/a.jsonl")._replace(chunks=chunks)), Write(note("b.md", "alone?"))])
    first, second, third, alone = (text.chunk for text in index.texts_after(0, 50))
    assert index.neighbours([second, alone, first]) == {
        second: (Neighbour(first, "User", asks=True), Neighbour(third, "Bob", asks=False)),
        alone: (None, None),
        first: (None, Neighbour(second, "Ann", asks=False)),
    }


def test_texts_say_where_they_are_and_whether_they_are_private(index: Index) -> None:
    lines = tuple(Chunk(f"line {n}", n, n, (), f"{n:064x}", private=n == 2) for n in (1, 2))
    some = note("a.md", "x")._replace(chunks=lines, note=Note("A", tags=("work", "pay/2026")))
    whole = note("b.md", "tea")
    index.apply([Write(some), Write(whole._replace(note=whole.note._replace(privacy="private")))])
    index.apply([Write(note("c.md", "open"))])
    assert [(text.path, text.tags, text.is_private, text.text) for text in index.texts_after(0, 50)] == [
        ("a.md", ("work", "pay/2026"), False, "line 1"),
        ("a.md", ("work", "pay/2026"), True, "line 2"),
        ("b.md", (), True, "tea"),
        ("c.md", (), False, "open"),
    ]


def test_where_a_message_stands_is_known_as_long_as_its_log_is_visible(index: Index) -> None:
    index.apply([Write(log("@l/a.jsonl", 1, 2)), Write(log("@l/b.jsonl", 2, 3))])
    assert index.messages([2, 3, 9]) == [
        MessageLocation(2, "@l/a.jsonl", 2),
        MessageLocation(2, "@l/b.jsonl", 2),
        MessageLocation(3, "@l/b.jsonl", 3),
    ]
    index.apply([Hide("@l/b.jsonl", "2026-01-01T00:00:00")])
    assert index.messages([2, 3]) == [MessageLocation(2, "@l/a.jsonl", 2)]
    index.apply([Write(log("@l/a.jsonl", 5))])
    assert index.message_ids("@l/a.jsonl") == [5]
    assert index.message_ids("@l/none.jsonl") == []
    assert index.messages([]) == []


def test_conversations_are_listed_and_files_that_only_hold_them_are_not(index: Index) -> None:
    container = log("@l/x.json", tier=CONTAINER)
    index.apply(
        [Write(log("@l/a.jsonl", 1, 2)), Write(container), Write(log("@l/x.json//c", 4)), Write(log("@m/b", 1))]
    )
    note = Note("Talk", date="2026-01-01", agent="claude", project="app")
    assert index.conversations("@l/") == [
        IndexedConversation("@l/a.jsonl", note, 2, "2026-01-02"),
        IndexedConversation("@l/x.json//c", note, 1, "2026-01-04"),
    ]
    assert index.counts() == Counts(3, 4, hidden=0, transcripts=3)
    assert paths(index, "word", Where(paths=("@l/x.json",))) == {"@l/x.json//c"}


def test_a_day_has_its_notes_and_conversations_and_what_was_written_then(index: Index) -> None:
    index.apply(
        [
            Write(note("tea.md", "# Tea\n", written_on="2026-01-01")),
            Write(note("plan.md", "---\ndate: 2025-12-01\nproject: app\n---\n# Plan\n")),
            Write(note("daily/2026-01-01.md", "- tea\n", tier="daily")),
            Write(note("gone.md", "# Gone\n", written_on="2026-01-01")),
            Hide("gone.md", "2026-01-02T00:00:00"),
            Write(log("@l/a.jsonl", 1)),
            Write(log("@l/x.json", tier=CONTAINER)),
            Touch("plan.md", Stamp(9, 500, 7, 6), "2026-01-03"),
        ]
    )

    def found(day: str, first: int = 0, end: int = 0, limit: int = 9) -> tuple[list[str], int]:
        shown = index.files_of_day(day, WrittenBetween(first, end), limit)
        return [one.path for one in shown.files], shown.total

    assert found("2026-01-01") == (["daily/2026-01-01.md", "@l/a.jsonl", "tea.md"], 3)
    assert found("2026-01-01", 400, 501, limit=2) == (["daily/2026-01-01.md", "@l/a.jsonl"], 4)
    assert found("2025-11-30", 500, 501) == (["plan.md"], 1)
    assert found("2025-11-30", 501, 900) == ([], 0)
    [plan] = index.files_of_day("2025-12-01", WrittenBetween(0, 0), 9).files
    assert (plan.title, plan.day, plan.project, plan.is_private) == ("Plan", "2025-12-01", "app", False)
    assert [index.last_day_before(day) for day in ("2026-05-05", "2026-01-01", "2025-12-01")] == [
        "2026-01-01", "2025-12-01", None,
    ]  # fmt: skip


def test_the_sessions_of_a_project_are_listed_and_the_latest_comes_first(index: Index) -> None:
    episode = "---\nproject: app\nagent: claude\n---\n# Talk\n"
    other = episode.replace("app", "garden")
    index.apply(
        [
            Write(log("@l/a.jsonl", 1, 2)),
            Write(log("@l/x.json", tier=CONTAINER)),
            Write(log("@l/old.jsonl", 9)),
            Hide("@l/old.jsonl", "2026-05-01T00:00:00"),
            Write(note("sessions/2026-01-03.md", episode, tier="episodic")),
            Write(note("sessions/2026-01-04.md", other, tier="episodic")),
            Write(note("sessions/2026-01-05.md", "# Nobody's\n", tier="episodic")),
            Write(note("app.md", episode)),
        ]
    )

    def found(where: Where, limit: int = 9) -> list[tuple[str, str, str]]:
        return [(one.path, one.first, one.last) for one in index.sessions(where, limit)]

    app = Where(bound_projects=name_patterns("app"))
    talk, note_of_it = (
        ("@l/a.jsonl", "2026-01-01", "2026-01-02"),
        ("sessions/2026-01-03.md", "2026-01-03", "2026-01-03"),
    )
    assert found(app) == [note_of_it, talk]
    assert found(app, 1) == [note_of_it]
    assert found(app._replace(since="2026-01-03")) == [note_of_it]
    assert found(app._replace(until="2026-01-02")) == [talk]
    assert found(app._replace(bound_agents=("codex",))) == []
    assert found(app._replace(bound_agents=("claude",))) == [note_of_it, talk]
    assert found(Where()) == [("sessions/2026-01-05.md", "2026-01-05", "2026-01-05")]


def test_a_moved_file_is_found_at_its_new_path_only(index: Index) -> None:
    index.apply([Write(note("old.md", "green tea"))])
    index.apply([Move("old.md", note("new.md", "green tea"))])
    assert paths(index, "tea") == {"new.md"}
    assert set(index.files()) == {"new.md"}


def test_a_file_may_move_onto_a_path_that_is_known(index: Index) -> None:
    index.apply([Write(note("a.md", "green tea")), Write(note("b.md", "black coffee"))])
    index.apply([Move("a.md", note("b.md", "green tea"))])
    assert paths(index, "tea") == {"b.md"}
    assert paths(index, "coffee") == set()


def test_a_hidden_file_is_not_found_and_not_forgotten(index: Index) -> None:
    index.apply([Write(note("a.md", "green tea")), Hide("a.md", "2026-05-01T00:00:00")])
    assert paths(index, "tea") == set()
    assert index.notes(["a.md"]) == {}
    assert index.files()["a.md"].gone_at == "2026-05-01T00:00:00"
    assert index.counts() == Counts(0, 0, hidden=1, transcripts=0)
    assert index.statistics(terms(index, "tea")).frequencies["tea"] == 0


def test_statistics_follow_what_is_written(index: Index) -> None:
    index.apply([Write(note("a.md", "green tea"))])
    before = index.statistics(terms(index, "tea"))
    index.apply([Write(note("b.md", "black tea with a little milk"))])
    after = index.statistics(terms(index, "tea"))
    assert (before.chunks, after.chunks) == (1, 2)
    assert after.average_length > before.average_length


def test_words_are_counted_by_their_beginning(index: Index) -> None:
    index.apply([Write(note("a.md", "kanazawa and kanazawa")), Write(note("b.md", "kanazawa, kana"))])

    assert index.count_beginning("kana", 100) == 3  # one for each passage and word
    assert index.count_beginning("kanaz", 100) == 2
    assert index.count_beginning("zzz", 100) == 0
    assert index.count_beginning("kana", 0) > 0


def test_a_hidden_file_that_returns_is_found_again(index: Index) -> None:
    index.apply([Write(note("a.md", "green tea")), Hide("a.md", "2026-05-01T00:00:00")])
    index.apply([Write(note("a.md", "green tea"))])
    assert paths(index, "tea") == {"a.md"}


def test_purging_drops_only_what_was_hidden_before_then(index: Index) -> None:
    index.apply([Write(note(p, "tea")) for p in ("a.md", "b.md", "c.md")])
    index.apply([Hide("a.md", "2026-01-01T00:00:00"), Hide("b.md", "2026-03-01T00:00:00")])
    index.apply([Purge("2026-02-01T00:00:00")])
    assert set(index.files()) == {"b.md", "c.md"}


def test_touching_changes_the_stamp_and_nothing_else(index: Index) -> None:
    index.apply([Write(note("a.md", "green tea"))])
    index.apply([Touch("a.md", Stamp(9, 8, 7, 6), "2026-09-09")])
    assert index.files()["a.md"].stamp == Stamp(9, 8, 7, 6)
    assert paths(index, "tea", Where(since="2026-09-09")) == {"a.md"}
    assert paths(index, "tea", Where(until="2026-09-08")) == set()


SECTIONS = (
    "# Readings\n\ntea first\n\n## 2026-05-04 Tea\n\ntea\n\n### Pot\n\ntea pot\n\n## 2026-09-21 Tea again\n\ntea\n"
)


@pytest.mark.parametrize(
    ("where", "lines"),
    [
        (Where(), {1, 5, 9, 13}),
        (Where(since="2026-09-22"), {1}),  # written on 3 October, and that section has no date
        (Where(since="2026-09-21"), {1, 13}),
        (Where(since="2026-11-01"), set()),
        (Where(until="2026-06-01"), {5, 9}),
        (Where(since="2026-05-04", until="2026-05-04"), {5, 9}),
        (Where(held=Held("2026-06-01", "2026-06-01", only=True)), {1, 5, 9}),
        (Where(held=Held("2026-01-01", "2026-01-01", only=True)), {1}),
    ],
)
def test_a_section_below_a_dated_heading_is_of_that_day(index: Index, where: Where, lines: set[int]) -> None:
    index.apply([Write(note("a.md", SECTIONS, written_on="2026-10-03"))])
    index.apply([Touch("a.md", Stamp(9, 8, 7, 6), "2026-10-04")])

    found = index.match(terms(index, "tea"), where, 50)
    assert {match.passage.start_line for match in found} == lines
    admitted = index.admitted(where)
    assert admitted is None or len(admitted) == len(lines)


def test_a_passage_tells_the_date_of_its_heading_else_that_of_its_note(index: Index) -> None:
    index.apply([Write(note("a.md", f"---\ndate: 2026-02-02\n---\n{SECTIONS}"))])

    found = [match.passage.date for match in index.match(terms(index, "tea"), Where(), 50)]
    assert sorted(str(day) for day in found) == ["2026-02-02", "2026-05-04", "2026-05-04", "2026-09-21"]


@pytest.mark.parametrize(("path", "tier"), [("daily/2026-03-03.md", "daily"), ("sessions/2026-03-03.md", "episodic")])
def test_the_note_of_a_day_keeps_its_day_below_a_heading_with_another(index: Index, path: str, tier: Tier) -> None:
    index.apply([Write(note(path, SECTIONS, tier=tier))])

    assert {match.passage.date for match in index.match(terms(index, "tea"), Where(), 50)} == {"2026-03-03"}


def test_a_dated_heading_is_not_the_end_of_a_session(index: Index) -> None:
    index.apply([Write(note("sessions/talk.md", SECTIONS, tier="episodic", written_on="2026-10-03"))])

    assert [(one.first, one.last) for one in index.sessions(Where(), 9)] == [("2026-10-03", "2026-10-03")]


def test_an_emptied_file_keeps_its_text_and_loses_its_stamp(index: Index) -> None:
    index.apply([Write(note("a.md", "green tea"))])
    index.apply([Emptied("a.md")])
    assert index.files()["a.md"].emptied
    assert index.files()["a.md"].stamp is None
    assert paths(index, "tea") == {"a.md"}
    index.apply([Touch("a.md", Stamp(1, 1, 1, 1), "2026-01-01")])
    assert not index.files()["a.md"].emptied


def test_changes_are_carried_out_together_or_not_at_all(index: Index) -> None:
    index.apply([Write(note("a.md", "green tea"))])
    broken = note("b.md", "black coffee")._replace(note=None)  # type: ignore[arg-type]
    with pytest.raises(AttributeError):
        index.apply([Write(note("a.md", "white milk")), Write(broken)])
    assert paths(index, "tea") == {"a.md"}
    assert paths(index, "milk coffee") == set()


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        (Where(), {"a.md", "work/b.md", "work/deep/c.md", "daily/2026-03-03.md"}),
        (Where(kinds=("note",)), {"a.md", "work/b.md", "work/deep/c.md", "daily/2026-03-03.md"}),
        (Where(tiers=("daily",)), {"daily/2026-03-03.md"}),
        (Where(tiers=("daily", "skill")), {"daily/2026-03-03.md"}),
        (Where(paths=("work",)), {"work/b.md", "work/deep/c.md"}),
        (Where(paths=("work/",)), {"work/b.md", "work/deep/c.md"}),
        (Where(paths=("wor",)), set()),
        (Where(paths=("a.md", "work/deep")), {"a.md", "work/deep/c.md"}),
        (Where(paths=("work/*.md",)), {"work/b.md", "work/deep/c.md"}),
        (Where(paths=("?.md",)), {"a.md"}),
        (Where(paths=("[!ab].md",)), set()),
        (Where(tags=("drink",)), {"a.md", "work/b.md"}),
        (Where(tags=("drink/hot",)), {"work/b.md"}),
        (Where(tags=("drin",)), set()),
        (Where(projects=("apollo",)), {"work/b.md"}),
        (Where(agents=("claude", "codex")), {"work/deep/c.md"}),
        (Where(projects=("apollo",), shared=True), {"a.md", "work/b.md", "work/deep/c.md", "daily/2026-03-03.md"}),
        (Where(projects=("gemini",), shared=True), {"a.md", "work/deep/c.md", "daily/2026-03-03.md"}),
        (Where(agents=("codex",), shared=True), {"a.md", "work/b.md", "daily/2026-03-03.md"}),
        (Where(agents=("codex",), projects=("gemini",), shared=True), {"a.md", "daily/2026-03-03.md"}),
        (Where(agents=("claude",), projects=("gemini",), shared=True, tags=("drink",)), {"a.md"}),
        (Where(shared=True), {"a.md", "work/b.md", "work/deep/c.md", "daily/2026-03-03.md"}),
        (Where(since="2026-03-03"), {"daily/2026-03-03.md"}),
        (Where(until="2026-01-01"), {"a.md", "work/b.md", "work/deep/c.md"}),
        (Where(tiers=("note",), tags=("drink",), paths=("work",)), {"work/b.md"}),
    ],
)
def test_filters_choose_before_ranking(index: Index, where: Where, expected: set[str]) -> None:
    index.apply(
        [
            Write(note("a.md", "---\ntags: [drink]\n---\ntea")),
            Write(note("work/b.md", "---\ntags: drink/hot\nproject: apollo\n---\ntea")),
            Write(note("work/deep/c.md", "---\nagent: claude\n---\ntea")),
            Write(note("daily/2026-03-03.md", "tea", tier="daily")),
        ]
    )
    assert paths(index, "tea", where) == expected
    admitted = index.admitted(where)
    every = [text.chunk for text in index.texts_after(0, 50)]
    assert {m.passage.path for m in index.look_up(every if admitted is None else admitted, [])} == expected
    assert (admitted is None) == (where._replace(shared=False) == Where())


_OWNERS = (
    None,
    "apollo",
    "Apollo",
    "github.com/acme/apollo",
    "acme/apollo",
    "~/src/apollo",
    "apollo-2",
    "zeta/apollo",
)
_BINDING = ("apollo", "github.com/acme/apollo", "~/src/apollo", "github.com/acme/web", "Ärger")


@pytest.mark.parametrize("project", _BINDING)
def test_what_binds_a_session_leaves_out_what_belongs_to_others(index: Index, project: str) -> None:
    """Every store compares names as `model.projects` does."""
    fields = [f"---\nproject: {one}\n---\ntea" if one else "tea" for one in _OWNERS]
    index.apply([Write(note(f"{number}.md", text)) for number, text in enumerate(fields)])
    index.apply([Write(note("daily/d.md", "- tea\n- tea one #project/apollo\n- tea two #project/web", tier="daily"))])
    patterns = name_patterns(project)
    expected = {f"{number}.md" for number, one in enumerate(_OWNERS) if belongs(one, patterns)}
    assert paths(index, "tea", Where(bound_projects=patterns)) == expected | {"daily/d.md"}
    named = {f"{number}.md" for number, one in enumerate(_OWNERS) if one and belongs(one, patterns)}
    assert paths(index, "tea", Where(projects=(project,), kinds=("note",), tiers=("note",))) == named
    found = index.match(terms(index, "tea"), Where(bound_projects=patterns, tiers=("daily",)), 50)
    lines = {one.passage.project for one in found}
    assert lines == {one for one in (None, "apollo", "web") if belongs(one, patterns)}


def test_what_binds_a_session_by_agent_leaves_out_those_of_others(index: Index) -> None:
    index.apply([Write(note(f"{one}.md", f"---\nagent: {one}\n---\ntea")) for one in ("alice", "bob")])
    index.apply([Write(note("nobody.md", "tea"))])
    assert paths(index, "tea", Where(bound_agents=("bob", "codex"))) == {"bob.md", "nobody.md"}


def test_a_filter_is_applied_before_the_best_are_cut(index: Index) -> None:
    index.apply([Write(note(f"n{i:02}.md", "tea tea tea")) for i in range(30)])
    index.apply([Write(note("weak.md", "a long note in which tea is named once and then other things follow"))])
    assert paths(index, "tea", Where(paths=("weak.md",)), limit=1) == {"weak.md"}


def test_who_ties_with_the_last_is_not_cut_off(index: Index) -> None:
    index.apply([Write(note(f"n{i:02}.md", "tea")) for i in range(30)])
    assert len(index.match(terms(index, "tea"), Where(), 5)) == 30


def test_one_frequent_word_alone_brings_a_passage_in_only_where_others_are_too_few(index: Index) -> None:
    written = ["tea", "cup pot", "cup", "pot tea", "pot"]
    index.apply([Write(note(f"{text}.md", text)) for text in written])
    asked = terms(index, "tea cup pot")
    tea = [term for term in asked if term.word == "tea"]

    def found(limit: int, where: Where | None = None) -> set[str]:
        return {m.passage.text for m in index.match(asked, where or Where(), limit, leading=tea)}

    assert found(3) == {"tea", "cup pot", "pot tea"}
    assert found(4) > found(3)
    assert found(9) == set(written)
    assert found(1, Where(paths=("cup.md", "pot.md")))
    assert {m.passage.text for m in index.match(asked, Where(), 1, leading=[])} <= {"cup pot", "pot tea"}


def test_counts_say_where_each_word_stands(index: Index) -> None:
    text = "---\ntags: [tea]\ndate: 2026-05-12\n---\n# Tea at home\n\ntea and tea in May\n"
    index.apply([Write(note("a.md", text))])
    (match,) = index.match(terms(index, "teas may"), Where(), 5)
    assert set(match.counts) == {
        ("tea", "text", 3),
        ("tea", "heading", 1),
        ("tea", "tags", 1),
        ("mai", "text", 1),
        ("mai", "date", 1),
    }


def test_a_passage_is_named_by_its_content_and_its_turn(index: Index) -> None:
    index.apply([Write(note("a.md", "# One\n\nsame\n\n# One\n\nsame\n\n# Two\n\nother\n"))])
    first, second, other = sorted(
        (m.passage for m in index.match(terms(index, "same other"), Where(), 9)), key=lambda p: p.start_line
    )
    assert (first.number, second.number, other.number) == (1, 2, 1)
    assert index.passage("a.md", first.digest[:8], 2) == second
    assert index.passage("a.md", first.digest[:8], 3) is None
    assert index.passage("b.md", first.digest[:8], 1) is None


def test_what_a_note_says_about_itself_is_kept(index: Index) -> None:
    text = "---\naliases: [Brew]\ntags: [b, a]\nproject: x\nagent: y\ndate: 2026-02-03\n---\n# Tea\n[[Cup]] #hot\n"
    written = note("a.md", text)
    index.apply([Write(written)])
    kept = index.notes(["a.md", "b.md"])
    assert list(kept) == ["a.md"]
    assert kept["a.md"].note == written.note
    assert kept["a.md"].note.links == ("Cup",)
    assert index.notes([]) == {}


def test_how_private_a_passage_is_is_kept(index: Index) -> None:
    index.apply(
        [
            Write(note("Health/a.md", "blood")),
            Write(note("b.md", "---\nprivate: true\n---\nblood")),
            Write(note("c.md", "blood\n\n- blood #private\n- blood")),
        ]
    )
    found = {
        (m.passage.path, m.passage.start_line): m.passage.privacy
        for m in index.match(terms(index, "blood"), Where(), 9)
    }

    assert found == {
        ("Health/a.md", 1): "personal",
        ("b.md", 4): "private",
        ("c.md", 1): "open",
        ("c.md", 3): "private",
        ("c.md", 4): "open",
    }
    assert index.notes(["b.md"])["b.md"].note.privacy == "private"


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        (Where(), {"Health/a.md", "b.md", "c.md", "d.md", "memory:1"}),
        (Where(private=False), {"Health/a.md", "c.md", "d.md", "memory:1"}),
        (Where(private=False, hidden=("health",)), {"c.md", "d.md", "memory:1"}),
        (Where(private=False, hidden=("HEALTH/*", "#Money")), {"c.md", "memory:1"}),
        (Where(hidden=("c.md", "d.md/", "Heal")), {"Health/a.md", "b.md", "memory:1"}),
    ],
)
def test_what_is_private_can_be_left_out(index: Index, where: Where, expected: set[str]) -> None:
    index.apply(
        [
            Write(note("Health/a.md", "blood")),
            Write(note("b.md", "---\nprivate: true\n---\nblood")),
            Write(note("c.md", "blood\n\n- blood #private\n- blood")),
            Write(note("d.md", "blood #money/tax")),
            Write(item("memory", 1, "blood")),
        ]
    )
    found = index.match(terms(index, "blood"), where, 50)

    assert {match.passage.path for match in found} == expected
    assert where.private or all(match.passage.privacy != "private" for match in found)
    admitted = index.admitted(where)
    assert admitted is None or set(admitted) == {match.chunk for match in found}


def test_notes_are_found_by_their_titles_and_projects_are_listed(index: Index) -> None:
    index.apply([Write(note("Work/x.md", "# Harbor\n[[Crane]]")), Write(note("y.md", "z #project/other"))])
    index.apply([Write(note("sessions/s.md", "---\nproject: lamp\n---\nx", tier="episodic"))])
    index.apply([Write(note("daily/2026-01-01.md", "- a #project/wick", tier="daily")), Write(log("@c/a.jsonl", 1))])

    assert {path: entry.note.links for path, entry in index.titled(["harbor", "none"]).items()} == {
        "Work/x.md": ("Crane",)
    }
    assert index.titled([]) == {}
    assert index.projects() == ["app", "lamp", "wick"]


def test_a_project_is_assigned_to_what_has_none(index: Index) -> None:
    episode = note("sessions/s.md", "---\nsession: abc\n---\nword", tier="episodic")
    index.apply([Write(episode), Write(note("n.md", "---\nsession: abc\n---\nword")), Write(log("@c/abc.jsonl", 1))])
    assert index.without_project() == {"sessions/s.md": "abc"}
    assert index.projects_of_logs() == {"@c/abc.jsonl": "app"}

    index.apply([Assign("sessions/s.md", "app"), Assign("gone.md", "app")])
    assert index.without_project() == {}
    bound = Where(bound_projects=name_patterns("other"))
    assert paths(index, "word", bound) == {"n.md"}
    assert index.notes(["sessions/s.md"])["sessions/s.md"].note.project == "app"


def test_stems_are_those_of_the_terms(index: Index) -> None:
    text = "Running runs, 東京 and the teas"
    assert index.stems(text) == {term.stem for term in index.terms(text)}
    assert index.stems("") == set()


def test_what_the_ledger_keeps_is_found_and_is_no_file(index: Index) -> None:
    kept = [note(path, "green tea", tier=kind_of(path)) for path in ("memory:2", "experience:1", "memory:10")]
    index.apply([Write(note("a.md", "green tea")), *(Write(one) for one in kept)])
    assert index.ledger_paths() == ["experience:1", "memory:10", "memory:2"]
    assert set(index.files()) == {"a.md"} and index.counts().files == 1
    assert paths(index, "tea", Where(kinds=("experience",))) == {"experience:1"}
    assert paths(index, "tea", Where(kinds=("memory", "note"))) == {"memory:2", "memory:10", "a.md"}
    index.apply([Drop("experience:1")])
    assert index.ledger_paths() == ["memory:10", "memory:2"] and "experience:1" not in paths(index, "tea")


def test_meta_and_problems_are_kept(index: Index) -> None:
    problems = (Problem("b.md", "failed", "x"), Problem("a.md", "partly", "y"))
    index.put_meta({"k": "v"})
    index.put_meta({"k": "w", "l": "x"})
    index.put_problems(problems)
    assert (index.get_meta("k"), index.get_meta("l"), index.get_meta("m")) == ("w", "x", None)
    assert index.problems() == tuple(sorted(problems))


def item(kind: MirroredKind, number: int, text: str, *, tags: tuple[str, ...] = (), listed: bool = True) -> Indexed:
    """One item of the ledger, as the mirror writes it."""
    chunk = Chunk(text=text, start_line=1, end_line=1, headings=(), digest=f"digest of {text}")
    about = Note(title="", tags=tags, date="2026-03-03")
    entry = FileEntry(path=f"{kind}:{number}", tier=kind, digest=chunk.digest, stamp=None)
    return Indexed(entry=entry, note=about, day="2026-03-03", chunks=(chunk,), listed=listed)


def test_items_of_each_kind_have_statistics_of_their_own(index: Index) -> None:
    index.apply(
        [
            Write(note("a.md", "green tea and black tea")),
            Write(item("memory", 1, "green tea", tags=("drinks",))),
            Write(item("memory", 2, "black coffee")),
            Write(item("experience", 1, "make tea")),
            Write(item("narrative", 1, "tea everywhere", listed=False)),
        ]
    )
    asked = terms(index, "tea coffee drinks")
    assert index.item_statistics("memory", asked) == Statistics(2, 2.5, {"tea": 1, "coffe": 1, "drink": 1})
    assert index.item_statistics("experience", asked).frequencies == {"tea": 1, "coffe": 0, "drink": 0}
    assert index.statistics(asked).frequencies["tea"] == 4
    with index.item_matches("memory", asked, {"tea": 0.4, "coffe": 0.4, "drink": 0.2}) as matches:
        found = {one.number: (one.counts, one.length) for one in matches}
    assert found == {1: ((("tea", 1), ("drink", 1)), 3.0), 2: ((("coffe", 1),), 2.0)}


def test_the_words_of_an_item_are_its_text(index: Index) -> None:
    index.apply([Write(item("memory", 1, "green tea", tags=("drinks",)))])
    [match] = index.match(terms(index, "tea drinks"), Where(), 5)
    assert match.counts == (("tea", "text", 1), ("drink", "text", 1))


def test_a_search_in_the_past_returns_memories_that_held_then(index: Index) -> None:
    def held(number: int, first: str, last: str | None, by: str | None = None) -> Write:
        told = item("memory", number, "tea time", listed=last is None)
        return Write(
            told._replace(validity=Validity(first, last, by), note=told.note._replace(date=first), day=first)
        )

    index.apply(
        [
            held(1, "2026-01-05", "2026-03-09", "memory:2"),
            held(2, "2026-03-09", None),
            Write(item("experience", 1, "tea pot", listed=False)),
            Write(note("a.md", "green tea")),
            Write(note("b.md", "---\ndate: 2026-02-02\n---\ntea")),
            Write(note("c.md", "---\ndate: 2026-04-02\n---\ntea")),
        ]
    )
    now = {"memory:2", "a.md", "b.md", "c.md"}
    assert paths(index, "tea") == now
    assert paths(index, "tea", Where(held=Held("2026-02-01", "2026-02-28"))) == {*now, "memory:1"}
    assert paths(index, "tea", Where(held=Held("2026-03-10", "2026-03-31"))) == now
    assert paths(index, "tea", Where(held=Held("2025-12-01", "2025-12-31"))) == now
    assert paths(index, "tea", Where(kinds=("memory",), held=Held("2026-02-01", "2026-02-28"))) == {
        "memory:1",
        "memory:2",
    }
    then = Held("2026-02-28", "2026-02-28", only=True)
    assert paths(index, "tea", Where(held=then)) == {"memory:1", "a.md", "b.md"}
    assert paths(index, "tea", Where(held=then, kinds=("note",))) == {"a.md", "b.md"}
    assert len(index.unlisted(Held("2026-02-01", "2026-02-28"))) == 1
    admitted = index.admitted(Where(held=then)) or []
    assert {match.passage.path for match in index.look_up(admitted, [])} == {"memory:1", "a.md", "b.md"}
    [old] = index.match(terms(index, "tea"), Where(kinds=("memory",), held=then), 5)
    passage = old.passage
    assert (passage.valid_from, passage.valid_to, passage.superseded_by) == ("2026-01-05", "2026-03-09", "memory:2")


def test_only_a_search_for_them_returns_items_that_are_not_listed(index: Index) -> None:
    index.apply(
        [
            Write(note("a.md", "green tea")),
            Write(item("memory", 1, "tea at four", listed=False)),
            Write(item("memory", 2, "tea at five")),
            Write(item("narrative", 1, "tea is late", listed=False)),
        ]
    )
    assert paths(index, "tea") == {"a.md", "memory:2"}
    assert paths(index, "tea", Where(kinds=("memory",))) == {"memory:2"}
    assert paths(index, "tea", Where(kinds=("memory",), unlisted=True)) == {"memory:1", "memory:2"}
    assert paths(index, "tea", Where(unlisted=True)) == {"a.md", "memory:1", "memory:2", "narrative:1"}
    assert index.files().keys() == {"a.md"}
    assert index.ledger_paths() == ["memory:1", "memory:2", "narrative:1"]
    hidden = {match.passage.path for match in index.look_up(index.unlisted(), [])}
    assert hidden == {"memory:1", "narrative:1"}
    index.apply([Write(item("memory", 1, "tea at four"))])
    assert paths(index, "tea") == {"a.md", "memory:1", "memory:2"}


texts = st.lists(
    st.sampled_from(
        ["tea", "green", "running", "getUserName", "東京都", "May", "the", "of", "\n\n# Head\n\n", "#tag", "x1"]
    ),
    min_size=1,
    max_size=30,
).map(" ".join)
names = st.text(string.ascii_lowercase, min_size=1, max_size=2).map(lambda name: f"{name}.md")
changes = st.one_of(
    st.builds(lambda path, text: Write(note(path, text)), names, texts),
    st.builds(lambda old, new, text: Move(old, note(new, text)), names, names, texts),
    st.builds(lambda path: Hide(path, "2026-01-01T00:00:00"), names),
    st.builds(lambda path: Touch(path, None, "2026-02-02"), names),
    st.just(Purge("2027-01-01")),
)


def possible(index: Index, change: Change) -> bool:
    """A hint about a file that is not there, or is hidden, is never given."""
    match change:
        case Hide(path, _) | Touch(path, _, _):
            return path in index.files() and index.files()[path].gone_at is None
        case Move(old, _):
            return old in index.files()
    return True


@given(steps=st.lists(changes, max_size=12), queries=st.lists(texts, min_size=1, max_size=4))
def test_every_store_answers_as_the_plain_one(
    tmp_path_factory: pytest.TempPathFactory, steps: list[Change], queries: list[str]
) -> None:
    oracle = PlainIndex()
    others = [make(tmp_path_factory.mktemp(name)) for name, make in STORES.items() if name != "memory"]
    try:
        for step in steps:
            if possible(oracle, step):
                for index in (oracle, *others):
                    index.apply([step])
        for index in others:
            assert index.files() == oracle.files()
            assert index.counts() == oracle.counts()
            for query in queries:
                expected, found = (
                    retrieve.by_words(one, IndexQuery(query, Where(), 50, "words"), multiplier=4)
                    for one in (oracle, index)
                )
                assert found.notices == expected.notices
                assert retrieve.hits(index, found.ranked) == retrieve.hits(oracle, expected.ranked)
                asked = list({term.stem: term for term in terms(index, query)}.values())
                assert best(index, asked, 3, leading=asked[::2]) == best(oracle, asked, 3, leading=asked[::2])
                for beginning in {term.stem[:2] for term in asked}:
                    assert index.count_beginning(beginning, 10**6) == oracle.count_beginning(beginning, 10**6)
    finally:
        for index in others:
            index.close()


kinds: st.SearchStrategy[MirroredKind] = st.sampled_from(["memory", "experience", "narrative"])
items = st.builds(
    lambda kind, number, text, tags: Write(item(kind, number, text, tags=tags)),
    kinds,
    st.integers(1, 15),
    texts,
    st.lists(st.sampled_from(["tea", "green", "x1"]), max_size=2, unique=True).map(tuple),
)
item_steps = st.one_of(
    items, changes, st.builds(lambda kind, number: Drop(f"{kind}:{number}"), kinds, st.integers(1, 15))
)


@given(
    steps=st.lists(item_steps, max_size=40),
    query=texts,
    kind=kinds,
    limit=st.integers(1, 4),
)
def test_no_item_fits_better_than_the_walk_has_said(
    tmp_path_factory: pytest.TempPathFactory, steps: list[Change], query: str, kind: MirroredKind, limit: int
) -> None:
    """Stopping where no later match can enter gives what a full ranking gives."""
    oracle = PlainIndex()
    others = [make(tmp_path_factory.mktemp(name)) for name, make in STORES.items() if name != "memory"]
    try:
        for step in steps:
            if possible(oracle, step):
                for index in (oracle, *others):
                    index.apply([step])
        every = fits(oracle, kind, query)
        for index in others:
            walked = fits(index, kind, query)
            assert sorted((one.number, one.fit) for one in walked) == sorted((one.number, one.fit) for one in every)
            for before, one in pairwise(walked):
                assert one.most <= before.most
            for place, one in enumerate(walked):
                assert all(later.fit <= one.most for later in walked[place:])
            found, expected = (best_fits(one, limit) for one in (walked, every))
            assert [(one.number, one.fit) for one in found] == [(one.number, one.fit) for one in expected]
    finally:
        for index in others:
            index.close()


def fits(index: Index, kind: MirroredKind, query: str) -> list[ItemFit]:
    words = ItemWords(index, kind, {})
    with words.fits(words.terms(query)) as found:
        return list(found)


def test_the_inventory_counts_what_is_visible_by_kind_tier_project_and_day(index: Index) -> None:
    index.apply([Write(note("a.md", "tea")), Write(note("b.md", "tea")), Write(note("gone.md", "tea"))])
    index.apply([Write(note("c.md", "tea", written_on="2026-02-03")), Hide("gone.md", "2026-03-01")])
    index.apply([Write(note("s.md", "tea", tier="episodic")), Assign("s.md", "pier-board")])
    assert [tuple(one) for one in index.inventory()] == [
        ("note", "episodic", "pier-board", "2026-01-01", 1),
        ("note", "note", None, "2026-01-01", 2),
        ("note", "note", None, "2026-02-03", 1),
    ]
