"""The index is a shadow: whatever its history, it says what one built from nothing says."""

from __future__ import annotations

import os
import random
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import memoro
from memoro.model.answers import Hit
from memoro.store.sqlite.engine import engine
from memoro.store.sqlite.home import SqliteIndexHome
from memoro.workspace import Workspace
from tests.conftest import times, write_vault
from tests.indexes import Said, complaints, fresh, said

# Few words, so that many passages hold the same ones, and ties are common.
WORDS = [
    "alpha", "beta", "gamma", "delta", "release", "releases", "released", "deploy", "database", "index", "the", "and",
    "of", "to", "be", "or", "not", "snake_case", "readFileSync", "HTTPServer", "2026-03-05", "march", "café", "naïve",
    "Grüße", "東京", "東京都", "データベース", "한국어", "ภาษาไทย", "नमस्ते", "Привет", "x", "42", "don't",
]  # fmt: skip
words = st.lists(st.sampled_from(WORDS), min_size=1, max_size=12).map(" ".join)
blocks = st.one_of(
    words,
    words.map(lambda text: f"## {text}"),
    words.map(lambda text: f"```\n{text}\n```"),
    words.map(lambda text: f"- {text}\n- {text} #tag/{text.split()[0]}"),
    st.sampled_from(["#tag", "[[alpha|beta]]", "", "long " * 600]),
)
frontmatter = st.sampled_from(
    ["", "", "---\ntags: [alpha, beta/gamma]\ndate: 2026-03-05\nagent: ann\n---\n", "---\n[\n---\n"]
)
texts = st.builds(lambda top, parts: top + "\n\n".join(parts), frontmatter, st.lists(blocks, max_size=8))
paths = st.sampled_from(
    [
        f"{folder}{name}.md"
        for folder in ("", "daily/", "a/b/", "sessions/")
        for name in ("2026-03-05", "one", "two", "ü 3")
    ]
    + ["MEMORY.md", "memory.md", "PINNED.md", "skills/x.md"]
    # Whether the notes in this folder are daily notes depends on the others.
    + ["kladde/2026-03-05.md", "kladde/2026-03-06.md", "kladde/2026-03/2026-03-07.md", "kladde/a.md", "kladde/b.md"]
)
vaults = st.dictionaries(paths, texts, min_size=1, max_size=14)


@contextmanager
def folders() -> Iterator[tuple[Path, Path, Path]]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        yield folder / "vault", folder / "home", folder / "fresh"


def queries(seed: int, count: int = 50) -> list[str]:
    rng = random.Random(seed)
    return [" ".join(rng.choices(WORDS, k=rng.randint(1, 5))) for _ in range(count)]


def ask(m: Workspace, asked: list[str]) -> list[tuple[Hit, ...]]:
    return [m.search(query, limit=5, mode="words").results for query in asked]


def ask_by_meaning(m: Workspace, asked: list[str]) -> list[list[tuple[str, float]]]:
    """By words and meaning: the ids in their order; how sums of many numbers are rounded is not compared."""
    answers = [m.search(query, limit=5, mode="hybrid").results for query in asked]
    return [[(hit.id, round(hit.score, 3)) for hit in answer] for answer in answers]


@pytest.mark.campaign
@settings(max_examples=times(10, 100))
@given(notes=vaults, seed=st.integers(0, 2**32))
def test_an_index_that_is_deleted_and_rebuilt_gives_the_same_answers(notes: dict[str, str], seed: int):
    rng = random.Random(seed)
    asked = queries(seed)
    with folders() as (vault, home, _):
        vault.mkdir()
        with memoro.open(home, vault) as m:
            for path in rng.sample(sorted(notes), len(notes)):  # not in the order of a rebuild
                write_vault(vault, {path: notes[path]})
                m.sync()
            m.sync()
            before, answered, meant = said(home), ask(m, asked), ask_by_meaning(m, asked)
        shutil.rmtree(home)
        with memoro.open(home, vault) as m:
            assert ask(m, asked) == answered
            assert ask_by_meaning(m, asked) == meant
            assert said(home) == before
            m.sync(force=True)
            assert ask(m, asked) == answered
            assert said(home) == before


changes = st.one_of(
    st.tuples(st.just("write"), paths, texts),
    st.tuples(st.just("delete"), paths, st.just("")),
    st.tuples(st.just("rename"), paths, paths),
    st.tuples(st.just("hide and return"), paths, st.just("")),
    st.tuples(st.just("touch"), paths, st.just("")),
    st.tuples(st.just("sync"), st.just(""), st.just("")),
    st.tuples(st.just("force"), st.just(""), st.just("")),
)


def carry_out(change: tuple[str, str, str], vault: Path, m: Workspace) -> None:
    what, path, other = change
    file = vault / path
    match what:
        case "sync":
            m.sync()
        case "force":
            m.sync(force=True)
        case "write":
            write_vault(vault, {path: other})
        case "delete":
            file.unlink(missing_ok=True)
        case "rename" if file.exists():
            (vault / other).parent.mkdir(parents=True, exist_ok=True)
            file.replace(vault / other)
        case "hide and return" if file.exists():
            content = file.read_bytes()
            file.unlink()
            m.sync()
            write_vault(vault, {path: content})
        case "touch" if file.exists():
            file.touch()


@pytest.mark.campaign
@settings(max_examples=times(20, 1_000))
@given(notes=vaults, history=st.lists(changes, min_size=1, max_size=15), seed=st.integers(0, 2**32))
def test_any_history_of_changes_ends_as_if_it_had_not_been(
    notes: dict[str, str], history: list[tuple[str, str, str]], seed: int
):
    asked = queries(seed, 10)
    with folders() as (vault, home, scratch):
        write_vault(vault, notes)
        with memoro.open(home, vault) as m:
            m.sync()
            for change in history:
                carry_out(change, vault, m)
            m.sync()
            m.sync()  # believes what the one before found to be empty
            answered, meant = ask(m, asked), ask_by_meaning(m, asked)
        expected = fresh(vault, scratch)
        with memoro.open(scratch, vault) as m:
            assert ask(m, asked) == answered
            assert ask_by_meaning(m, asked) == meant
        assert_same(said(home), expected)
        assert complaints(home) == []


def test_a_deleted_passage_counts_for_nothing_where_no_word_is_found(tmp_path: Path) -> None:
    vault, asked = tmp_path / "vault", "holidays abroad"  # no note holds a word of it
    write_vault(vault, {"one.md": "A journey to Lisbon.", "two.md": "Soup for eight.", "three.md": "The roof leaks."})
    with memoro.open(tmp_path / "home", vault) as m:
        m.sync()
        (vault / "two.md").unlink()
        (vault / "three.md").unlink()
        m.sync()
        [found] = m.search(asked, min_score=0.0).results
    with memoro.open(tmp_path / "fresh", vault) as m:
        m.sync()
        assert [hit.score for hit in m.search(asked, min_score=0.0).results] == [found.score]


def test_notes_become_daily_notes_and_cease_to_be_as_others_come_and_go(tmp_path: Path) -> None:
    vault, home, days = tmp_path / "vault", tmp_path / "home", ["kladde/2026-03-05.md", "kladde/2026-03-06.md"]

    def tiers(m: Workspace) -> set[str]:
        m.sync()
        scratch = tmp_path / f"fresh {len(list(tmp_path.iterdir()))}"
        assert_same(said(home), fresh(vault, scratch))
        return {hit.tier for hit in m.search("cinnamon", min_score=0.0).results if hit.path in days}

    with memoro.open(home, vault) as m:
        write_vault(vault, {days[0]: "- bought cinnamon\n"})
        assert tiers(m) == {"note"}
        write_vault(vault, {days[1]: "- cinnamon buns\n"})
        assert tiers(m) == {"daily"}
        write_vault(vault, {"kladde/shed.md": "timber", "kladde/tea.md": "sencha"})
        assert tiers(m) == {"note"}
        (vault / "kladde/tea.md").rename(vault / "tea.md")
        assert tiers(m) == {"daily"}
        (vault / days[1]).unlink()
        assert tiers(m) == {"note"}


def assert_same(one: Said, other: Said) -> None:
    for part, expected in other._asdict().items():
        assert getattr(one, part) == expected, part


def test_an_index_that_nobody_uses_any_more_is_closed_though_a_query_was_left_unread(tmp_path: Path) -> None:
    indexes = SqliteIndexHome(str(tmp_path), engine(str(tmp_path)))
    index = indexes.first()
    index.put_meta({"a": "1", "b": "2"})
    file = index.file
    [db] = [one for one in apsw.connections() if one.filename == file]
    left = db.execute("SELECT key FROM meta")
    next(left)
    with indexes.next():
        pass
    assert indexes.current() is not index
    del index
    assert not [one for one in opened_files() if one.startswith(file)], "the old index is still open"


def opened_files() -> list[str]:
    files = []
    for one in os.listdir("/proc/self/fd"):
        with suppress(OSError):
            files.append(os.readlink(f"/proc/self/fd/{one}"))
    return files
