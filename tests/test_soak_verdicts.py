"""The verdicts of a soak: what grows is found, what is lost or doubled is told, and noise is neither."""

from __future__ import annotations

import math
import random

import pytest
from benchmarks.soak import sample_verdicts
from benchmarks.soak_oracle import (
    Acknowledged,
    AcknowledgedMemory,
    FoundMemory,
    Oracle,
    byte_faults,
    line_faults,
    memory_faults,
    note_faults,
)
from benchmarks.soak_sampling import Sample, files_of, kind_of
from benchmarks.soak_verdicts import Series, bounded, empty, flat, lowest, quarters, slope
from hypothesis import given
from hypothesis import strategies as st

MEGABYTE = 1 << 20
HOURS = [n / 60 for n in range(121)]  # a sample a minute, for two hours


def series(values: list[float]) -> Series:
    return [(3600 * hour, value) for hour, value in zip(HOURS, values, strict=False)]


def sample(at: float, **changed: object) -> Sample:
    usual = Sample(
        at=at,
        clock="2026-10-01T00:00:00+00:00",
        rss=200 * MEGABYTE,
        pss=180 * MEGABYTE,
        anonymous=150 * MEGABYTE,
        descriptors=50,
        threads=15,
        cpu=1.0,
        search=40.0,
        health=10.0,
        hook=80.0,
        loop=10.0,
        files={"indexes": 1, "backups": 7, "locks": 20},
        bytes={"index logs": 4 * MEGABYTE, "spool": 1000},
        browser_heap=2 * MEGABYTE,
        browser_nodes=2000,
        statuses={"200": 100, "404": 1},
    )
    return usual._replace(**changed)  # type: ignore[arg-type]


def bad(samples: list[Sample]) -> list[str]:
    return [one.name for one in sample_verdicts(samples) if not one.is_good]


@given(st.floats(-50, 50), st.floats(-1000, 1000))
def test_the_slope_of_a_straight_line_is_its_own_and_certain(hourly: float, start: float) -> None:
    found = slope(series([start + hourly * hour for hour in HOURS]))

    assert math.isclose(found.hourly, hourly, abs_tol=1e-6)
    assert found.uncertainty < 1e-6


@given(st.integers(0, 10_000), st.floats(-20, 20))
def test_the_uncertainty_covers_the_true_slope_of_noisy_samples(seed: int, hourly: float) -> None:
    rng = random.Random(seed)
    found = slope(series([hourly * hour + rng.gauss(0, 3) for hour in HOURS]))

    assert abs(found.hourly - hourly) < 3 * found.uncertainty  # six standard errors


def test_two_samples_say_nothing_about_a_slope() -> None:
    assert slope([(0.0, 1.0), (60.0, 2.0)]).uncertainty == math.inf
    assert slope([(60.0, 1.0)] * 5).uncertainty == math.inf


@given(st.lists(st.floats(100, 109), min_size=121, max_size=121))
def test_noise_within_a_tenth_is_flat(values: list[float]) -> None:
    assert flat("memory", series(values), share=0.1, least=0).is_good


@given(st.floats(15, 500), st.integers(0, 1000))
def test_a_leak_of_more_than_a_tenth_is_found_in_noise(hourly: float, seed: int) -> None:
    rng = random.Random(seed)
    values = [100 + hourly * hour + rng.uniform(-1, 1) for hour in HOURS]

    assert not flat("memory", series(values), share=0.1, least=10).is_good


def test_what_fills_in_the_first_quarter_is_no_growth() -> None:
    assert flat("memory", series([min(200.0, 50 + 400 * hour) for hour in HOURS]), share=0.1, least=0).is_good


@given(st.lists(st.integers(0, 100_000), min_size=121, max_size=121))
def test_garbage_that_comes_and_goes_hides_neither_a_leak_nor_its_absence(garbage: list[int]) -> None:
    often_collected = [0 if n % 4 == 0 else extra for n, extra in enumerate(garbage)]
    still = series([2000.0 + extra for extra in often_collected])
    leaking = series([2000.0 + 100 * n + extra for n, extra in enumerate(often_collected)])

    assert flat("nodes", lowest(still, of=8), share=0.2, least=0).is_good
    assert not flat("nodes", lowest(leaking, of=8), share=0.2, least=0).is_good


def test_a_fall_is_no_growth() -> None:
    assert flat("memory", series([300 - 100 * hour for hour in HOURS]), share=0.1, least=0).is_good


@pytest.mark.parametrize("samples", [[], [(0.0, 1.0)], [(0.0, 1.0), (1.0, 1.0)]])
def test_too_few_samples_are_not_good(samples: Series) -> None:
    assert quarters(samples) is None
    assert not flat("memory", samples, share=1, least=100).is_good


def test_a_bound_holds_for_every_value_and_needs_one() -> None:
    assert bounded("backups", [1, 7], 7).is_good
    assert not bounded("backups", [1, 8, 1], 7).is_good
    assert not bounded("backups", [], 7).is_good


def test_faults_are_counted_and_the_first_are_told() -> None:
    found = empty("notes", ["a is gone", "b is gone", "c", "d"], "all there")

    assert (found.is_good, found.detail) == (False, "4: a is gone; b is gone; c")
    assert empty("notes", [], "all there").detail == "all there"


def test_a_quiet_soak_is_good() -> None:
    assert bad([sample(60 * n) for n in range(120)]) == []


@pytest.mark.parametrize(
    ("grown", "name"),
    [
        ({"rss": lambda n: (200 + n) * MEGABYTE}, "memory: RSS"),
        ({"pss": lambda n: (180 + n) * MEGABYTE}, "memory: PSS"),
        ({"anonymous": lambda n: (150 + n) * MEGABYTE}, "memory: its own"),
        ({"descriptors": lambda n: 50 + n // 5}, "descriptors"),
        ({"threads": lambda n: 15 + n // 10}, "threads"),
        ({"search": lambda n: 40.0 + n}, "search ÷ loop"),
        ({"hook": lambda n: 80.0 + n}, "hook ÷ loop"),
        ({"health": lambda n: 10.0 + n}, "health ÷ loop"),
        ({"files": lambda n: {"other": 20 + n}}, "files but locks"),
        ({"files": lambda n: {"locks": n}}, "locks"),
        ({"files": lambda n: {"indexes": 1 + n // 40}}, "indexes at once"),
        ({"files": lambda n: {"backups": 1 + n // 10}}, "backups"),
        ({"bytes": lambda n: {"index logs": n * MEGABYTE}}, "logs of SQLite"),
        ({"bytes": lambda n: {"spool": n * MEGABYTE // 10}}, "spool"),
        ({"browser_heap": lambda n: (2 + n // 10) * MEGABYTE}, "browser: heap"),
        ({"browser_nodes": lambda n: 2000 + 100 * n}, "browser: nodes"),
        ({"statuses": lambda n: {"200": n, "500": n // 119}}, "answers of HTTP"),
        ({"statuses": lambda n: {"200": n, "503": 1}}, "answers of HTTP"),
        ({"statuses": lambda n: {"200": n, "ConnectionResetError": 1}}, "answers of HTTP"),
    ],
)
def test_each_growth_is_told_by_its_name(grown, name) -> None:
    samples = [sample(60 * n, **{field: value(n) for field, value in grown.items()}) for n in range(121)]

    assert name in bad(samples)


def test_a_busy_machine_slows_both_the_search_and_the_loop() -> None:
    samples = [
        sample(60 * n, search=40.0 + 4 * n, hook=80.0 + 8 * n, health=10.0 + n, loop=10.0 + n) for n in range(120)
    ]

    assert bad(samples) == []


KEPT = AcknowledgedMemory(number=7, content="The kettle is blue, mark1", token="mark1", feedback=3)
FOUND = FoundMemory(number=7, content="The kettle is blue, mark1", feedback=3)


def test_a_memory_that_is_there_once_as_acknowledged_is_no_fault() -> None:
    assert memory_faults(Acknowledged(memories=(KEPT,)), [FOUND]) == []


@pytest.mark.parametrize(
    "found",
    [[], [FOUND, FOUND], [FOUND, FOUND._replace(number=8)], [FOUND._replace(feedback=6)], [FOUND._replace(number=8)]],
    ids=["lost", "doubled", "stored twice", "feedback counted twice", "another number"],
)
def test_a_memory_that_is_lost_doubled_or_changed_is_a_fault(found: list[FoundMemory]) -> None:
    assert len(memory_faults(Acknowledged(memories=(KEPT,)), found)) == 1


@pytest.mark.parametrize(("times", "faults"), [(0, 0), (1, 0), (2, 1)])
def test_a_memory_whose_end_was_not_answered_may_be_there_once_or_gone(times: int, faults: int) -> None:
    known = Acknowledged(memories=(KEPT._replace(state="uncertain"),))
    found = [FoundMemory(number=n, content=KEPT.content, feedback=0) for n in range(times)]

    assert len(memory_faults(known, found)) == faults


@pytest.mark.parametrize("state", ["undone", "forgotten"])
def test_a_memory_that_was_undone_or_forgotten_must_be_gone(state) -> None:
    gone = Acknowledged(memories=(KEPT._replace(state=state),))

    assert memory_faults(gone, []) == []
    assert memory_faults(gone, [FOUND]) != []


def test_a_write_without_an_answer_may_be_there_once() -> None:
    unanswered = Acknowledged(uncertain=(FOUND.content,))

    assert memory_faults(unanswered, []) == memory_faults(unanswered, [FOUND]) == []
    assert memory_faults(unanswered, [FOUND, FOUND._replace(number=8)]) != []


def test_a_line_must_be_there_once() -> None:
    written = Acknowledged(lines=("Line 1",))

    assert line_faults(written, "- 10:00 Line 1\n") == []
    assert line_faults(written, "") != []
    assert line_faults(written, "- Line 1\n- Line 1\n") != []


def test_a_note_must_be_what_was_saved_last_and_a_deleted_one_gone() -> None:
    saved = Acknowledged(notes={"a.md": "new"}, deleted=frozenset({"b.md"}))

    assert note_faults(saved, {"a.md": "new", "daily/today.md": "x"}) == []
    assert note_faults(saved, {"a.md": "old"}) == ["a.md is not as it was saved"]
    assert note_faults(saved, {}) == ["a.md is not as it was saved"]
    assert note_faults(saved, {"a.md": "new", "b.md": "old"}) == ["b.md came back"]


def test_a_forgotten_word_may_stand_in_no_file() -> None:
    gone = Acknowledged(memories=(KEPT._replace(state="forgotten"),))

    assert byte_faults(gone, [("ledger.db", b"mark2 ...")]) == []
    assert byte_faults(gone, [("ledger.db-wal", b"\0mark1\0")]) == ["ledger.db-wal holds mark1"]
    assert byte_faults(Acknowledged(memories=(KEPT,)), [("ledger.db", b"mark1")]) == []


def test_a_forgotten_word_may_stand_in_the_backups_that_forgetting_named() -> None:
    oracle = Oracle()
    oracle.stored(7, KEPT.content, KEPT.token)
    oracle.ended(7, "forgotten", ["20261009T055300Z"])
    files = [(f"home/backups/{name}/ledger.db", b"mark1") for name in ("20261009T055300Z", "20261010T055300Z")]

    assert byte_faults(oracle.acknowledged(), files) == ["home/backups/20261010T055300Z/ledger.db holds mark1"]


def test_the_oracle_tells_the_last_state_of_all_that_it_was_told() -> None:
    oracle = Oracle()
    oracle.stored(7, KEPT.content, KEPT.token)
    oracle.rated(7, 3)
    oracle.rated(7, -1)
    oracle.stored(8, "x mark2", "mark2")
    oracle.ended(8, "forgotten")
    oracle.saved("a.md", "1")
    oracle.saved("b.md", "1")
    oracle.deleted("a.md")
    oracle.deleted("b.md")
    oracle.saved("b.md", "2")
    oracle.written("Line 1")
    oracle.unanswered("y")

    assert oracle.acknowledged() == Acknowledged(
        memories=(
            KEPT._replace(feedback=2),
            AcknowledgedMemory(number=8, content="x mark2", token="mark2", state="forgotten"),
        ),
        lines=("Line 1",),
        notes={"b.md": "2"},
        deleted=frozenset({"a.md"}),
        uncertain=("y",),
    )


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("backups/20261009T055300Z/ledger.db", "backups"),
        ("backups/ledger.record.json", "other"),
        ("index.12.db", "indexes"),
        ("index.13.building.db", "indexes"),
        ("index.12.db-wal", "index logs"),
        ("index.12.vectors-a970e124.rows", "index vectors"),
        ("index.12.lock", "index locks"),
        ("ledger.db-wal", "ledger logs"),
        ("embeddings.db-wal", "embeddings logs"),
        ("hooks.spool", "spool"),
        ("locks/note.03.lock", "locks"),
        ("memoro.toml", "other"),
    ],
)
def test_each_file_of_the_home_has_a_kind(name: str, kind: str) -> None:
    assert kind_of(name) == kind


def test_backups_are_counted_as_folders_and_their_files_by_size(tmp_path) -> None:
    for day in ("20261009T055300Z", "20261010T055300Z"):
        folder = tmp_path / "backups" / day
        folder.mkdir(parents=True)
        (folder / "ledger.db").write_bytes(b"1234")
        (folder / "archive.db").write_bytes(b"12")
    (tmp_path / "ledger.db").write_bytes(b"123")

    assert files_of(tmp_path) == ({"ledger": 1, "backups": 2}, {"ledger": 3, "backups": 12})
