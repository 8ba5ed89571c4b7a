"""A plan, carried out, makes the index match the vault; what cannot be seen is not taken for gone."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoro.index.plan import SyncPlan, brakes, moves, plan
from memoro.model.notes import FileEntry, Stamp

NOW = "2026-03-05T10:00:00"
PATHS = ("a.md", "b.md", "d/a.md", "d/e/c.md", "dd.md", "e/b.md", "@x/a.md")

paths = st.sampled_from(PATHS)
stamps = st.builds(Stamp, st.integers(0, 2), st.integers(0, 1), st.just(1), st.just(1))
entries = st.builds(
    FileEntry,
    path=st.just(""),
    tier=st.just("note"),
    digest=st.sampled_from("xyz"),
    stamp=st.none() | stamps,
    gone_at=st.none() | st.just("2026-01-01T00:00:00"),
)
vaults = st.dictionaries(paths, stamps)
indexes = st.dictionaries(paths, entries)
folders = st.lists(st.sampled_from(["d/", "d/e/", "@x/", "e/", ""]), max_size=2)


def stamp(size: int = 1) -> Stamp:
    return Stamp(size, 1, 1, 1)


def entry(path: str, digest: str = "x", gone_at: str | None = None) -> FileEntry:
    return FileEntry(path, "note", digest, stamp(), gone_at)


def carry_out(todo: SyncPlan, found: dict[str, Stamp], known: dict[str, FileEntry]) -> dict[str, FileEntry]:
    hidden = {path: known[path]._replace(gone_at=NOW) for path in todo.gone}
    return {**known, **hidden, **{path: FileEntry(path, "note", "x", found[path]) for path in todo.read}}


def visible(index: dict[str, FileEntry]) -> dict[str, Stamp | None]:
    return {path: known.stamp for path, known in index.items() if not known.gone_at}


@given(found=vaults, known=indexes)
def test_carrying_out_the_plan_makes_the_index_match_the_vault(
    found: dict[str, Stamp], known: dict[str, FileEntry]
) -> None:
    after = carry_out(plan(found, known), found, known)
    assert visible(after) == found
    assert plan(found, after).is_empty


@given(found=vaults, known=indexes, unlisted=folders)
def test_folders_that_could_not_be_listed_lose_nothing(
    found: dict[str, Stamp], known: dict[str, FileEntry], unlisted: list[str]
) -> None:
    found = {path: one for path, one in found.items() if not path.startswith(tuple(unlisted))}
    after = carry_out(plan(found, known, unlisted=unlisted), found, known)
    kept = {path: one for path, one in visible(known).items() if path.startswith(tuple(unlisted))}
    assert visible(after) == {**found, **kept}


@given(found=vaults, known=indexes, retiered=st.sets(paths))
def test_every_file_is_read_or_unchanged_and_none_is_both_there_and_gone(
    found: dict[str, Stamp], known: dict[str, FileEntry], retiered: set[str]
) -> None:
    todo = plan(found, known, retiered=retiered)
    assert len(todo.read) == len(set(todo.read)) == len(found) - todo.unchanged
    assert set(todo.read) <= set(found)
    assert not set(todo.gone) & set(found)
    assert retiered & set(found) <= set(todo.read)


def test_an_unchanged_file_costs_nothing() -> None:
    assert plan({"a.md": stamp()}, {"a.md": entry("a.md")}) == SyncPlan((), (), 1)


@pytest.mark.parametrize(
    "known", [entry("a.md")._replace(stamp=None), entry("a.md")._replace(stamp=stamp(2)), entry("a.md", gone_at=NOW)]
)
def test_a_file_that_is_not_surely_the_same_is_read(known: FileEntry) -> None:
    assert plan({"a.md": stamp()}, {"a.md": known}) == SyncPlan(("a.md",), (), 0)


@pytest.mark.parametrize("field", Stamp._fields)
def test_any_part_of_a_stamp_can_tell_a_change(field: str) -> None:
    changed = stamp()._replace(**{field: 7})
    assert plan({"a.md": changed}, {"a.md": entry("a.md")}).read == ("a.md",)


def test_a_file_that_is_hidden_already_is_not_gone_again() -> None:
    assert plan({}, {"a.md": entry("a.md", gone_at=NOW)}).is_empty


def test_an_unlisted_folder_is_not_its_namesake() -> None:
    assert plan({}, {"d/a.md": entry("d/a.md"), "dd.md": entry("dd.md")}, unlisted=["d/"]).gone == ("dd.md",)


def test_a_renamed_file_is_moved_not_written() -> None:
    known = {"2026-01-01.md": entry("2026-01-01.md", "x")}
    todo = plan({"daily/2026-01-01.md": stamp()}, known)
    assert (todo.gone, todo.read) == (("2026-01-01.md",), ("daily/2026-01-01.md",))
    gone = {path: known[path].digest for path in todo.gone}
    assert moves(gone, {"daily/2026-01-01.md": "x"}) == {"2026-01-01.md": "daily/2026-01-01.md"}


def test_a_file_with_other_bytes_is_not_a_move() -> None:
    assert moves({"old.md": "x"}, {"new.md": "y"}) == {}


def test_files_with_the_same_bytes_are_paired_by_their_names() -> None:
    assert moves({"b.md": "x", "a.md": "x"}, {"d.md": "x", "c.md": "x"}) == {"a.md": "c.md", "b.md": "d.md"}
    assert moves({"a.md": "x"}, {"d.md": "x", "c.md": "x"}) == {"a.md": "c.md"}


digests = st.dictionaries(st.text("abc", min_size=1, max_size=2), st.sampled_from("xyz"))


@given(gone=digests, new=digests)
def test_as_many_files_move_as_have_the_same_bytes_and_each_once(gone: dict[str, str], new: dict[str, str]) -> None:
    moved = moves(gone, new)
    assert len(set(moved.values())) == len(moved)
    assert all(gone[old] == new[path] for old, path in moved.items())
    assert Counter(gone[old] for old in moved) == Counter(gone.values()) & Counter(new.values())


@pytest.mark.parametrize(
    ("gone", "known", "stops"),
    [
        (20, 20, False),
        (21, 21, True),
        (20, 50, False),
        (21, 104, True),
        (21, 105, False),
        (200, 1000, False),
        (201, 1000, True),
        (0, 0, False),
        (1, 1, False),
    ],
)
def test_more_than_twenty_and_more_than_a_fifth_gone_stops(gone: int, known: int, stops: bool) -> None:
    assert brakes(gone, known) is stops


@given(known=st.integers(0, 1000), data=st.data())
def test_the_brake_holds_for_any_more_than_it_holds_for(known: int, data: st.DataObject) -> None:
    gone = data.draw(st.integers(0, known))
    assert brakes(gone, known) == (gone > 20 and 5 * gone > known)
