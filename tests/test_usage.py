"""`memoro usage`: what models were used for, and what they cost."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memoro as library
from memoro.providers.ports import FREE, EmbedderInfo
from memoro.providers.prices import in_dollars
from memoro.providers.records import UsageRow
from memoro.providers.usage import USAGE_GROUPS, UsageGroup, UsageSum, summed, total
from memoro.store.sqlite.engine import engine
from memoro.store.sqlite.provider_records import FILE, SqliteProviderRecords
from memoro.testing import HashEmbedder
from tests.conftest import Memoro
from tests.raw_sqlite import set_format

SMALL = "text-embedding-3-small"
TODAY = ""  # `put` fills it in
INDEX = UsageRow(TODAY, "openai", SMALL, "index", requests=2, texts=40, tokens_in=12_000, dollars=0.24, cached=7)
BATCH = INDEX._replace(is_batch=True, requests=1, texts=5_000, tokens_in=2_000_000, dollars=0.5, cached=0)
SEARCH = UsageRow(TODAY, "openai", SMALL, "search", requests=3, texts=3, tokens_in=30, dollars=0.0000006)
OLD = UsageRow("2026-01-05", "compatible", "nomic", "index", requests=1, texts=1, tokens_in=9, unpriced=9)


def put(home: Path, *rows: UsageRow) -> None:
    home.mkdir(mode=0o700, exist_ok=True)
    records = SqliteProviderRecords(str(home), engine(str(home)))
    for row in rows:
        records.count(row._replace(day=row.day or today()))
    records.close()


def today() -> str:
    return date.today().isoformat()


def test_a_home_that_used_no_model_says_so_in_words_and_makes_no_file(memoro: Memoro, home: Path):
    done = memoro("usage")

    assert done.out == "Memoro has used no other model than the built-in one, which costs nothing.\n"
    assert not (home / FILE).exists()


def test_usage_is_shown_by_model_and_purpose_with_what_is_left_of_the_cap(memoro: Memoro, home: Path):
    put(home, INDEX, BATCH, SEARCH, OLD)
    memoro("config", "set", "usage.daily_cap", "1")

    assert memoro("usage").out == (
        "                requests  texts     tokens       cost  from cache\n"
        "compatible nomic\n"
        "  index                1      1          9    unknown           0\n"
        f"openai {SMALL}\n"
        "  index                2     40     12,000      $0.24           7\n"
        "  index, batch         1  5,000  2,000,000      $0.50           0\n"
        "  search               3      3         30   <$0.0001           0\n"
        "all                    7  5,044  2,012,039  $0.74 + ?           7\n"
        "Nobody knows the price of 9 tokens. Set `embedding.price`, or `llm.price_in` and `llm.price_out`, to what "
        "a million of them cost in US dollars, and later ones are counted.\n"
        "Prices are as of 2026-11-16, or as `embedding.price`, `llm.price_in` and `llm.price_out` say.\n"
        "Today: $0.74 of $1.00 (usage.daily_cap); $0.26 is left.\n"
    )


def test_usage_since_a_day_by_day_as_json(memoro: Memoro, home: Path):
    put(home, INDEX, SEARCH, OLD)

    found = memoro("usage", "--since", "2026-01-06", "--group", "day", "--json").json

    assert (found["since"], found["group"], found["daily_cap"], found["left"]) == ("2026-01-06", "day", None, None)
    assert [(one["day"], one["requests"], one["tokens_in"]) for one in found["sums"]] == [(today(), 5, 12_030)]
    assert (found["total"]["requests"], round(found["today"], 6)) == (5, 0.240001)


@pytest.mark.parametrize(
    ("group", "labels"),
    [
        ("day", ["2026-01-05", "20"]),
        ("provider", ["compatible nomic", f"openai {SMALL}"]),
        ("purpose", ["index", "search"]),
    ],
)
def test_each_grouping_has_its_lines(memoro: Memoro, home: Path, group: str, labels: list[str]):
    put(home, INDEX, SEARCH, OLD)

    _, *lines = memoro("usage", "--group", group).out.splitlines()

    for line, label in zip(lines, [*labels, "all"], strict=False):
        assert line.startswith(label)


def test_a_day_that_nobody_knows_is_refused_with_examples(memoro: Memoro):
    done = memoro("usage", "--since", "whenever")

    assert done.code == 2 and "yesterday" in done.err


def test_a_cap_that_is_used_up_leaves_nothing(memoro: Memoro, home: Path):
    put(home, INDEX)
    memoro("config", "set", "usage.daily_cap", "0.1")

    assert memoro("usage").out.splitlines()[-1] == "Today: $0.24 of $0.10 (usage.daily_cap); $0.00 is left."


def test_records_that_were_lost_are_told_of(memoro: Memoro, home: Path):
    put(home, INDEX)
    (home / FILE).write_bytes(b"no database" * 1000)

    first, second = memoro("usage"), memoro("usage")

    assert second.out.startswith("The records of earlier use were damaged; these begin on ")
    assert first.out == second.out
    assert "! provider records: they were damaged, and begin anew on " in memoro("doctor").out
    (home / "providers.damaged").unlink()
    assert "provider records" not in memoro("doctor").out


def test_doctor_names_records_of_a_later_version(memoro: Memoro, home: Path):
    put(home, INDEX)
    set_format(home / FILE, 99)

    assert "✗ provider records: " in memoro("doctor").out
    assert "Update Memoro" in memoro("usage").err


def test_records_that_cannot_be_read_end_no_search_and_no_sync(memoro: Memoro, home: Path, vault: Path):
    pytest.importorskip("httpx")
    (vault / "a.md").write_text("# Lamp\n\nThe lamp is green.\n")
    put(home, INDEX)
    set_format(home / FILE, 99)
    settings = {"provider": "compatible", "url": "http://127.0.0.1:9/v1", "model": "m", "dimensions": "8"}
    for name, value in settings.items():
        memoro("config", "set", f"embedding.{name}", value)

    assert memoro("sync").code == 0
    assert memoro("search", "green lamp", "--json").json["results"][0]["path"] == "a.md"


def test_the_library_tells_the_same_for_its_own_clock(home: Path):
    put(home, INDEX._replace(day="2026-03-05"))
    with library.open(home, clock=lambda: datetime(2026, 3, 5, 12, tzinfo=UTC)) as m:
        found = m.usage(group="purpose")

    assert (found.today, found.left) == (0.24, None)
    assert found.sums == (UsageSum(purpose="index", requests=2, texts=40, tokens_in=12_000, dollars=0.24, cached=7),)


class ServedEmbedder(HashEmbedder):
    """As the settings would make it: at a server whose requests are counted."""

    info = EmbedderInfo(host="127.0.0.1:1", server="http://127.0.0.1:1 hash-1", prices=FREE)


def test_texts_that_the_cache_knew_are_counted(home: Path, vault: Path):
    (vault / "a.md").write_text("# Lamp\n\nThe lamp is green.\n")
    with library.open(home, vault, embedder=ServedEmbedder()) as m:
        m.sync()
        assert m.usage().sums == ()
        (vault / "b.md").write_text("# Lamp\n\nThe lamp is green.\n")
        m.sync()
        (one,) = m.usage().sums

    assert (one.provider, one.model, one.purpose, one.cached, one.requests) == ("testing", "hash-1", "index", 1, 0)


few = st.integers(0, 3)
row = st.builds(
    UsageRow, st.sampled_from(("2026-01-05", "2026-01-06")), st.sampled_from("ab"), st.sampled_from("mn"),
    st.sampled_from(("index", "search")), st.booleans(), few, few, few, few, few.map(float), few, few,
)  # fmt: skip


@given(st.lists(row), st.sampled_from((None, *USAGE_GROUPS)))
def test_sums_add_up_to_the_total_and_no_two_are_about_the_same(counted: list[UsageRow], group: UsageGroup | None):
    sums = summed(counted, group)

    assert [sum(column) for column in zip(*(one[5:] for one in sums), strict=True)] == (
        list(total(counted)[5:]) if counted else []
    )
    assert len({one[:5] for one in sums}) == len(sums)


def test_small_amounts_keep_their_digits():
    shown = [in_dollars(amount) for amount in (0, 0.00001, 0.0001, 0.05, 0.1, 1234.5)]
    assert shown == ["$0.00", "<$0.0001", "$0.0001", "$0.0500", "$0.10", "$1,234.50"]
