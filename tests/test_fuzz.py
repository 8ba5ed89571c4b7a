"""Whatever is in a note, a query or a settings file: a result or one of our errors, within a second."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from pathlib import Path

import pytest

import memoro
from memoro.config import parse_file, parse_vault_file, settle
from memoro.errors import ConfigError, MemoroError, NoteNotFound, NoteUnreadable, QueryError
from memoro.index.read import read_note
from memoro.model.answers import Where
from memoro.model.notes import FileEntry, Rules
from memoro.model.time_phrases import span
from memoro.search.retrieve import IndexQuery, by_words
from memoro.store.columns import columns
from memoro.vault import frontmatter
from memoro.vault.lines import parse_id, parse_target
from memoro.vault.markdown import parse, split_lines
from tests.conftest import times, write_vault

SEED = 20260305
SECONDS = 1.0  # of this process's own time, so that a busy machine is no failure
RULES = Rules(tokens=60, overlap=12, daily_folder="daily")

YAML = (
    *("tags: [tea, green]", "tags:\n  - tea\n  - green", "tags: tea, green", "title: 'Tea'"),
    *("date: 2026-02-31", "? a\n: b", "a: &a [x]\nb: *a", "a: &a [*a]", "<<: *a", "a: |\n  text\n  more"),
    *("a: >-\n  folded", "!!python/name:os.system", "%YAML 1.1", "[" * 9_000, "{" * 9_000, "a: " + "[" * 9_000),
    *("- " * 6_000, "? " * 6_000, "{a: " * 3_000, '["]",' * 3_000, "# " + "]" * 8_000 + "\na: " + "[" * 8_000),
    *("a: " + "9" * 9_000, "a" * 16_000, "a: b\n" * 3_000, "- a\n" * 4_000, "a: '" + "''" * 5_000),
    *('a: "' + "\\u0041" * 2_000 + '"', "a: !" + "x" * 9_000, "&" + "a" * 9_000, "\t\t\t", "\ufeff", ""),
    *("a: 0x_", "a: 1e999", "a: .inf", "a: 1:60:60", "~: ~", "true: yes", "a: 2026-13-45 99:99", "--- \n---"),
    *("...", "a: \x07"),
)  # fmt: skip
MARKDOWN = (
    *("# Tea\n\nGreen tea.\n", "Tea\n===\n\nCups\n---\n", "```sh\n# brew\n```\n", "````\n```\n````", "~~~\n"),
    *("1. ```\n   x\n   ```", "---\ntags: tea\n---\n# Tea", "---\n", "---\n---\n", "| a | b |\n|---|---|\n"),
    *("> quote\n> ```\n", "- [ ] task ^m3k9f2\n", "# a" + " " * 50_000 + "b", "#" * 50_000),
    *("# " + "#" * 50_000, "=" * 50_000, "a\n" + "-" * 50_000, "`" * 50_001, "\n" * 50_000, "x" * 100_000),
    *("A " + "a" * 100_000, "_" + "a" * 50_000, "aA" * 50_000, "茶" * 50_000, "é" * 50_000),
    *("- " * 25_000 + "```", "> " * 25_000 + "~~~", "#tag " * 10_000, "# H\n" * 5_000, "# " + "x " * 50_000),
    *("a\u2028b\u2029c\x85d\x0be", "\r" * 9_000, "\r\n" * 9_000, "\x00" * 9_000, "a\n\n" * 9_000),
    *("e\u0301" * 9_000, "\u200d" * 9_000, "\ufdfa" * 3_000, "\ud800", "\U0010ffff"),
    *("&#0;<script>", "\\" * 9_000),
)  # fmt: skip
LINKS = (
    *("[[Tea]]", "[[Tea|green]]", "[[Tea#Cups]]", "[[Tea#^m3k9f2|x]]", "![[pot.png]]", "[a](tea.md)"),
    *("[a](<tea leaf.md>)", "[[]]", "[[" * 25_000, "]]" * 25_000, "[[a" * 15_000, "[[a]]" * 10_000),
    *("](" * 25_000, "](" + "a" * 50_000, "](a" * 15_000, "[" * 50_000 + "]" * 50_000, "[[a|" * 12_000),
    *("#" * 50_000, "#a" * 25_000, " #" * 25_000, "(#a,#b;#c)" * 5_000, "`[[a]]`" * 7_000),
    *("[[../../etc/passwd]]", "[[\x00]]", "[[a\nb]]", "[[\u202e]]", "](" + "a.md" * 9_000),
    *("](.md)" * 9_000, "[[" + "a" * 300 + "]]"),
)  # fmt: skip
QUERIES = (
    *("user's", "foo-bar", "what is this?", "NOT", '"', "'", "tea AND", "NEAR(tea cup, 2)", "text:tea", "tea*"),
    *("^tea", "{tea}:cup", '"tea', '""""', "(((((", ")", "tea OR OR cup", "https://x.org/?q=1", "www.", "://"),
    *("a", "the", "🙂", "❤️", "´", "茶", "ﷺ", "", " ", "tea " * 30_000, "x" * 100_000, "a." * 50_000),
    *("\u33c2" * 5_000, "\ufdfa" * 5_000, '"' * 50_000, "(" * 50_000, "e\u0301" * 9_000, "\x00", "tea\x00cup"),
    *("\ud800", "\u202etea", "a\u0300" * 300, "'; DROP TABLE words; --", "note:a.md#00000000.1", "a.md:1-3"),
    *("last week", "2026-02-31", "3 days ago", "may 2026", "9999 years ago"),
    *("note:" + "a" * 9_000 + "#0", "a.md:" + "9" * 400),
)  # fmt: skip
CONFIGS = (
    *('[vault]\npath = "x"', "[vault]\nignore = ['a']", "[query]\nmax_results = 5"),
    *("[agents.a.query]\nmax_results = 5", "[vault", "a = 1", "vault.path = 'x'", "vault = {path = 'x'}"),
    *("[[vault]]", "[vault]\n[vault]", "a.b.c = 1", "'' = 1", "x = 1979-05-27T07:32:00Z", "x = " + "[" * 9_000),
    *("x = " + "{a=" * 3_000, "x = " + "9" * 9_000, "a." * 3_000 + "b = 1", "[" + "a." * 3_000 + "b]"),
    *("x = '''" * 99, "x = 99999-01-01", "x = 0x" + "f" * 9_000, "x = 1e9999", 'x = "\\ud800"'),
    *('x = "\\U00110000"', "\x00", "\ufeff", "# " + "x" * 9_000, "[chunking]\ntokens = 50\noverlap = 40"),
    *("[daily]\nfolder = '../x'", "[daily]\nfolder = ''", "[sync]\nwatch = 1", "[zzz]\nq = 1"),
)  # fmt: skip
PIECES = (
    *("\n", "\n\n", "\r\n", " ", "  ", "\t", "---\n", "...", "# ", "## ", "===", "```", "~~~", "````", "- "),
    *("> ", "1. ", "| ", "`", "*", "[[", "]]", "](", ".md)", "[", "]", "{", "}", "(", ")", ":", ": ", "? "),
    *("! ", "&a ", "*a", "!!", "%", "@", '"', "'", '"""', "'''", "#", "#tag", "tea", "Green", "getUserName"),
    *("max_retry", "2026-03-05", "2026-02-31", "last week", "ago", "3 days", "AND", "NOT", "茶", "緑茶", "ชา"),
    *("é", "e\u0301", "ﬁ", "🙂", "❤️", "\u200d", "\u2028", "\x85", "\x0b", "\x00", "\x1b", "\ud800", "\ufeff"),
    *("\U0010ffff", "=", " = ", "[vault]\n", "path", "tags", "title", "date", "true", "0", "1", "999", "-"),
    *("--", "+", ".", ",", "^", "\\", "/", "://"),
)  # fmt: skip


def inputs(corpus: Sequence[str], count: int) -> Iterator[str]:
    """The corpus, then texts made from it and from its like: the same ones at every run."""
    chance = random.Random(SEED)
    yield from corpus
    for _ in range(count - len(corpus)):
        match chance.randrange(20):
            case 0 | 1:
                yield "".join(chr(_character(chance)) for _ in range(chance.randrange(80)))
            case 2:
                yield chance.choice(PIECES) * chance.choice([10, 100, 1000])
            case 3 | 4 | 5 | 6 | 7 | 8:
                yield "".join(chance.choices(PIECES, k=chance.randrange(1, 30)))
            case _:
                yield _changed(chance, corpus)


def _character(chance: random.Random) -> int:
    return chance.choice([chance.randrange(128), chance.randrange(0x3000), chance.randrange(0x110000)])


def _changed(chance: random.Random, corpus: Sequence[str]) -> str:
    whole = chance.choice(corpus)
    start = chance.randrange(max(1, len(whole) - 200))
    text = whole[start : start + chance.randrange(200)] if start else whole[:300]
    for _ in range(chance.randrange(1, 5)):
        first = chance.randrange(len(text) + 1)
        last = min(len(text), first + chance.randrange(12))
        between = chance.choice(
            [
                "",
                text[first:last] * 3,
                text[first:last][::-1],
                chance.choice(PIECES),
                chr(_character(chance)),
                chance.choice(corpus)[:40],
            ]
        )
        text = text[:first] + between + text[last:]
    return text


def survive(corpus: Sequence[str], run: Callable[[str], None]) -> None:
    for number, text in enumerate(inputs(corpus, times(2_000, 1_000_000))):
        started = time.process_time()
        try:
            run(text)
        except Exception as error:
            raise AssertionError(f"input {number}, {text[:500]!r}: {error!r}") from error
        took = time.process_time() - started
        assert took < SECONDS, f"input {number}, {text[:500]!r}: {took:.1f} s"


@pytest.mark.campaign
def test_any_frontmatter_is_fields_or_text() -> None:
    def run(text: str) -> None:
        lines = split_lines(f"---\n{text}\n---\nbody")
        front = frontmatter.read(lines)
        assert 0 <= front.lines <= len(lines)
        assert front.lines or not front.fields
        assert all(isinstance(key, str) for key in front.fields)

    survive(YAML, run)


@pytest.mark.campaign
def test_any_bytes_are_a_note_with_true_lines_or_unreadable() -> None:
    chance = random.Random(SEED)
    entry = FileEntry("a.md", "note", "", None)

    def run(text: str) -> None:
        data = bytearray(text.encode(chance.choice(["utf-8", "utf-8", "utf-8", "utf-16", "latin-1"]), "replace"))
        for _ in range(chance.choice([0, 0, 0, 1, 5]) if data else 0):
            data[chance.randrange(len(data))] = chance.randrange(256)
        try:
            file, _ = read_note(entry, bytes(data), written_on="2026-03-05", rules=RULES)
        except NoteUnreadable:
            return
        end = 0
        for chunk in file.chunks:
            assert 1 <= chunk.start_line <= chunk.end_line
            assert chunk.end_line >= end
            assert chunk.partial or chunk.text.count("\n") == chunk.end_line - chunk.start_line
            end = chunk.end_line
        indexed = [column for chunk in file.chunks for column in columns(file, chunk)]
        assert not any("\x00" in column for column in indexed)

    survive((*MARKDOWN, *LINKS, *(f"---\n{text}\n---\n# Tea" for text in YAML)), run)


@pytest.mark.campaign
def test_any_text_has_links_and_tags_that_are_names() -> None:
    def run(text: str) -> None:
        note = parse(text, "a.md").note
        assert all(0 < len(link) <= 203 and "\n" not in link for link in note.links)
        assert all(0 < len(tag.split()) == 1 for tag in note.tags)

    survive(LINKS, run)


@pytest.mark.campaign
def test_any_string_is_a_query_and_any_other_argument_is_read_or_refused(home: Path, vault: Path) -> None:
    write_vault(vault, {"a.md": "# Tea\n\nGreen tea, 緑茶 and a cup.", "b.md": "foo bar user NOT max_retry 🙂"})

    def run(text: str) -> None:
        found = by_words(index, IndexQuery(text, Where(), 6, "words"), multiplier=4)
        assert all(0 < hit.score <= 1 for hit in found.ranked)
        for read, refusal in (
            (lambda: span(text, today=date(2026, 3, 5)), QueryError),
            (lambda: parse_id(text), NoteNotFound),
            (lambda: parse_target(text, lambda _: False), NoteNotFound),
        ):
            try:
                read()
            except MemoroError as error:
                assert isinstance(error, refusal)

    with memoro.open(home, vault) as m:
        m.sync()
        indexes = m.indexes()
        assert indexes is not None
        index = indexes.first()
        survive(QUERIES, run)


@pytest.mark.campaign
def test_any_text_is_settings_or_a_config_error() -> None:
    def run(text: str) -> None:
        for read in (lambda: settle(parse_file(text, "x", agent="a")), lambda: settle(parse_vault_file(text, "x"))):
            try:
                read()
            except ConfigError:
                continue

    survive(CONFIGS, run)
