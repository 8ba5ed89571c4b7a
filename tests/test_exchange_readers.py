"""Other stores are recognised by what they say, read as they mean it, and never crash a reader."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoro.errors import ConfigError
from memoro.ledger.exchange import files, jsonl, markdown
from memoro.ledger.exchange.candidates import File, ImportCandidate, when
from memoro.ledger.exchange.readers import READERS, named, recognise
from memoro.ledger.exchange.records import ImportProblem
from memoro.ledger.exchange.whole import survey
from tests.test_fuzz import LINKS, MARKDOWN, SECONDS, YAML

DATA = Path(__file__).parent / "data" / "exchange"


def read(format: str, *paths: str) -> list[ImportCandidate | ImportProblem]:
    reader = named(format)
    assert reader
    return list(reader.read([File(path, (DATA / format / path).read_text()) for path in paths]))


def test_the_mcp_server_gives_a_memory_for_each_observation_and_relation() -> None:
    place = "memory.jsonl line"
    assert read("mcp-memory", "memory.jsonl") == [
        ImportCandidate(f"{place} 1", "Speaks fluent Spanish", ("John_Smith", "person"), about="John_Smith"),
        ImportCandidate(f"{place} 1", "Prefers morning meetings", ("John_Smith", "person"), about="John_Smith"),
        ImportCandidate(f"{place} 3", "Prefers morning meetings", ("Mary_Jones", "person"), about="Mary_Jones"),
        ImportProblem(f"{place} 4", "not JSON"),
        ImportCandidate(f"{place} 5", "John_Smith works_at Anthropic", ("John_Smith", "Anthropic")),
    ]


def test_mem0_gives_its_memories_with_their_ids_and_times() -> None:
    assert read("mem0", "get_all.json", "older.json") == [
        ImportCandidate(
            "get_all.json item 1",
            "Is planning to watch a movie tonight",
            created_at="2026-02-28T00:33:20.557Z",
            origin="mem0:892db2ae-06d9-49e5-8b3e-585ef9b85b8e",
        ),
        ImportCandidate(
            "get_all.json item 2",
            "Likes sci-fi movies but not thrillers",
            ("entertainment", "preferences"),
            "2026-02-27T16:33:21.000Z",
            origin="mem0:475bde34-21e6-42ab-8bef-0ab84474f156",
        ),
        ImportProblem("get_all.json item 3", "without the text of a memory"),
        ImportCandidate(
            "older.json item 1", "Allergic to peanuts", created_at="2025-07-26T17:29:36.630Z", origin="mem0:m-1"
        ),
    ]


def test_basic_memory_gives_its_observations() -> None:
    path, title = "coffee-brewing-methods.md", "Coffee Brewing Methods"
    own, day = (title, "coffee", "brewing"), "2026-01-15T12:00:00.000Z"
    tip = "Water at 96 °C works well with #light roasts (personal experience)"
    assert read("basic-memory", path) == [
        ImportCandidate(
            f"{path} line 16",
            "Pour over gives more clarity than French press",
            ("method", "taste", *own),
            day,
            about=title,
        ),
        ImportCandidate(f"{path} line 17", tip, ("tip", "light", "temperature", "roast", *own), day, about=title),
        ImportCandidate(
            f"{path} line 18", "Ethiopian beans (washed) work best", ("preference", *own), day, about=title
        ),
    ]


def test_tars_gives_its_bullets_and_what_was_corrected_or_praised() -> None:
    paths = sorted(str(f.relative_to(DATA / "tars")) for f in (DATA / "tars").rglob("*.md"))
    found = {item.place: item for item in read("tars", *paths) if isinstance(item, ImportCandidate)}
    assert list(found.values()) == [
        ImportCandidate("Memory.md line 5", "Drinks green tea in the morning", ("Memory", "Preferences")),
        ImportCandidate("Memory.md line 6", "Writes Python, never Java\n- but reads it", ("Memory", "Preferences")),
        ImportCandidate("Memory.md line 8", "Lives in Utrecht", ("Memory", "Preferences")),
        ImportCandidate("Pinned.md line 1", "Passport number is in the safe", ("pinned",)),
        ImportCandidate("Procedural.md line 1", "Ask before deleting files", ("procedural",)),
        ImportCandidate("Procedural.md line 2", "Answer in the language of the question", ("procedural",)),
        ImportCandidate(
            "corrections.md line 1",
            "Correction: It is Canberra.\nAsked: What is the capital of Australia?\nAnswered: Sydney",
            ("correction",),
            "2026-03-05T14:02:11.000Z",
        ),
        ImportCandidate(
            "corrections.md line 6",
            "Asked: Shorten this:\ntwo lines\nof text\nAnswered: (a longer text)",
            ("correction",),
            "2026-03-06T08:30:00.000Z",
        ),
        ImportCandidate(
            "rewards.md line 1",
            "Reward: exactly the right length\nAsked: Plan my week\nAnswered: Five bullets, one for each day",
            ("reward",),
            "2026-03-07T08:00:00.000Z",
        ),
    ]


def test_openclaw_gives_bullets_and_paragraphs_below_their_headings() -> None:
    paths = ("AGENTS.md", "MEMORY.md", "memory/2026-03-05.md", "memory/projects/tea-shop.md")
    below = ("MEMORY.md", "Preferences")
    assert read("openclaw", *paths) == [
        ImportCandidate("MEMORY.md line 3", "The owner is called Ada and works at night.", ("MEMORY.md",)),
        ImportCandidate("MEMORY.md line 7", "Tea over coffee", below),
        ImportCandidate("MEMORY.md line 8", "Answers without preamble:\n- no greeting\n- no summary", below),
        ImportCandidate("MEMORY.md line 11", "Metric units", below),
        ImportCandidate("MEMORY.md line 14", "Charles is a colleague", (*below, "People")),
        ImportCandidate("MEMORY.md line 16", "First of all, be kind", (*below, "People")),
        ImportCandidate("MEMORY.md line 20", "A paragraph\nof two lines.", below),
        ImportCandidate("MEMORY.md line 23", "```sh\n# not a heading\nmake tea\n```", below),
        ImportCandidate(
            "memory/2026-03-05.md line 3",
            "Deployed version 2 of the tea shop",
            ("2026-03-05",),
            "2026-03-05T12:00:00.000Z",
        ),
        ImportCandidate(
            "memory/projects/tea-shop.md line 7", "Runs on a Raspberry Pi in the kitchen.", ("Tea shop",)
        ),
    ]


def test_plain_json_lines_are_read_leniently() -> None:
    place = "notes.jsonl line"
    assert read("jsonl", "notes.jsonl") == [
        ImportCandidate(f"{place} 1", "The cat is called Turing", ("pets", "names"), "2026-01-02T03:04:05.000Z"),
        ImportCandidate(f"{place} 2", "Rent is due on the first", ("money", "home"), "2026-01-02T03:04:05.000Z"),
        ImportCandidate(
            f"{place} 3",
            "A web page said the earth is flat",
            source="web",
            origin="jsonl:w1",
            trust="user_confirmed",
        ),
        ImportProblem(f"{place} 4", "not JSON"),
        ImportProblem(f"{place} 5", "without content, text or memory"),
        ImportProblem(f"{place} 6", "not a JSON object"),
        ImportCandidate(f"{place} 8", "Told by the owner", (), "2026-02-03T12:00:00.000Z", source="user"),
    ]


@pytest.mark.parametrize("format", [reader.name for reader in READERS])
def test_every_format_is_recognised_by_what_it_says_and_not_by_its_names(format: str) -> None:
    folder = DATA / format
    whole = files.load(str(folder)).files
    found = recognise(whole)
    assert found and found.name == format
    for number, file in enumerate(whole):
        alone = recognise([File(f"x{number}", file.text)])
        assert alone is not None
        if format in ("mcp-memory", "mem0", "jsonl", "basic-memory"):
            assert alone.name == format


@pytest.mark.parametrize(
    ("value", "read_as"),
    [
        ("2026-03-05", "2026-03-05T12:00:00.000Z"),
        ("2026-03-05T14:02:11", "2026-03-05T14:02:11.000Z"),
        ("2026-03-05T14:02:11+02:00", "2026-03-05T12:02:11.000Z"),
        (1772719331, "2026-03-05T14:02:11.000Z"),
        (1772719331000, "2026-03-05T14:02:11.000Z"),
        *((nothing, None) for nothing in ("soon", "", None, True, 10**400, float("nan"), "0001-01-01T00:00+23:00")),
    ],
)
def test_times_are_read_as_other_stores_write_them(value: object, read_as: str | None) -> None:
    assert when(value) == read_as


WORDS = """type name entityType observations from to relationType results id memory created_at categories content
    text tags timestamp source trust entities relations record memoro format"""
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(WORDS.split()) | st.text(max_size=3),
            inner | st.sampled_from(["entity", "relation", "ledger", "memory", "2026-03-05"]),
            max_size=5,
        )
    ),
    max_leaves=12,
)
LINES = st.sampled_from((
    *("---", "permalink: x", "tags: [a, b]", "# H", "## 2026-03-05T14:02:11Z", "- input: a", "- got:", "- note: x"),
    *("- [tip] text #tag (context)", "- a ^m3k9f2", "  - b", "```", "", "1. x", "A:", "<!-- x -->", "===", "> q"),
    *("memoro: ledger", "## [id:3]", "## Narrative 2", "- created at: 2026-03-05T14:02:11.123Z", "```jsonl"),
    *("- relates_to [[X]]", "- tags: [", "- parents: 1, x", "\ud800", "- [" + "x" * 200 + "] y", "\t- tab"),
))  # fmt: skip
TEXTS = (
    st.lists(LINES | st.text(max_size=8), max_size=14).map("\n".join)
    | st.lists(JSON.map(json.dumps), max_size=4).map("\n".join)
    | st.binary(max_size=60).map(lambda data: data.decode("utf-8", "replace").replace("\x00", "\ufffd"))
)
PATHS = st.sampled_from(["MEMORY.md", "memory/2026-03-05.md", "corrections.md", "x", "Pinned.md", "sessions/a.md"])


@given(st.lists(st.builds(File, PATHS, TEXTS), max_size=3))
def test_no_text_crashes_a_reader(given_files: list[File]) -> None:
    recognise(given_files)
    for reader in READERS:
        for item in reader.read(given_files):
            assert isinstance(item, ImportCandidate | ImportProblem)


@given(TEXTS)
def test_no_text_crashes_the_reading_of_an_export(text: str) -> None:
    for read_lines in (jsonl.read, markdown.read):
        try:
            survey(lambda read_lines=read_lines: read_lines(text.split("\n")))  # type: ignore[misc]
        except ConfigError as error:
            assert "format" in str(error)


@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.name)
@pytest.mark.slow
def test_no_text_takes_long(reader: Any) -> None:
    bullets = [f"- [tip] {text}" for text in ("#tag " * 10_000, " " * 50_000 + "x", "(" * 50_000, "( " * 25_000)]
    blanks = ["x" + " " * 50_000 + "^", "## 2026-03-05T1" + " " * 50_000 + "x", "- input:" + " " * 50_000]
    for text in (*MARKDOWN, *LINKS, *YAML, *bullets, *blanks, "- a\n" * 20_000, "  - a\n" * 20_000):
        before = time.process_time()
        reader.looks_right([File("x.md", text)])
        list(reader.read([File("x.md", text)]))
        assert time.process_time() - before < 3 * SECONDS, text[:40]
