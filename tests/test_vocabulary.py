"""One word for one thing: what people and models read uses the words of docs/concepts.md, and no others for them."""

from __future__ import annotations

import ast
import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest

import memoro
from memoro import config, operations
from memoro.cli.command_table import COMMANDS
from memoro.cli.groups import GROUPS, SYNONYMS, overview
from memoro.cli.parser import parsers_of_actions
from memoro.cli.run import parser_of
from memoro.mcp.instructions import INSTRUCTIONS, PROMPTS, prompt_text
from tests.conftest import Memoro

CONCEPTS = Path(__file__).parents[1] / "docs" / "concepts.md"
SOURCE = Path(memoro.__file__).parent
PAGE_TEXTS = sorted((SOURCE / "page" / "texts" / "en").glob("*.toml"))
COLUMN = 64  # characters of a one-line description: with the name before it, a line of 80
TABLE = operations.table()

# The first words of the one-line descriptions: verbs, in the imperative.
VERBS = frozenset({
    "Accept", "Add", "Administer", "Answer", "Archive", "Cancel", "Check", "Choose", "Connect", "Correct", "Count",
    "Create", "Delete", "Dump", "Erase", "Find", "Hide", "Import", "List", "Look", "Mark", "Measure", "Move", "Mute",
    "Open", "Print", "Propose", "Rank", "Record", "Reject", "Remove", "Replace", "Restore", "Retry", "Revoke",
    "Reword", "Rewrite", "Run", "Save", "Search", "Send", "Serve", "Set", "Shorten", "Show", "Start", "Stop", "Store",
    "Test", "Try", "Undo", "Unmute", "Update", "Write",
})  # fmt: skip
# Words of the column "not" that a text needs all the same, by word and place, each with the reason.
ALLOWED = {
    ("chunk", "store/matrix.py"): "an error of the code, which no person causes",
    ("thread", "store/plain/ledger.py"): "a thread of the process, in a store for tests",
}


def _rows() -> Iterator[tuple[str, str, str]]:
    for line in CONCEPTS.read_text("utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        if line.startswith("| ") and len(cells) == 3 and cells[0] != "word":
            yield cells[0], cells[1], cells[2].strip("| ")


def _unused_words() -> list[str]:
    return [word.strip() for _, _, unused in _rows() for word in unused.split(",") if word.strip()]


def _leaves(value: object) -> Iterator[str]:
    if isinstance(value, Mapping):
        for one in value.values():
            yield from _leaves(one)
    else:
        yield str(value)


def _texts() -> Iterator[tuple[str, str]]:
    """Every text that people and models read before they have asked anything, with its place."""
    yield "memoro help all", overview(COMMANDS, everything=True)
    for name in COMMANDS:
        parser = parser_of(name)
        for one in (parser, *parsers_of_actions(parser)):
            yield f"{one.prog} --help", " ".join(one.format_help().split())
    for operation in TABLE:
        if operation.tool is not None:
            told = [operation.tool.title, operation.tool.about, *(one.about for one in operation.tool.takes)]
            yield f"the tool {operation.tool_name}", " · ".join(told)
    for profile, text in INSTRUCTIONS.items():
        yield f"the instructions of the profile {profile}", text
        for prompt in PROMPTS:
            yield f"the prompt {prompt.name}", f"{prompt.title} {prompt.about} {prompt_text(prompt, '', profile)}"
    for name, key in config.keys().items():
        yield f"the setting {name}", str(key.meaning)
    for file in PAGE_TEXTS:
        for text in _leaves(tomllib.loads(file.read_text("utf-8"))):
            yield f"the page, {file.stem}", text
    for module in sorted(SOURCE.rglob("*.py")):
        place = module.relative_to(SOURCE).as_posix()
        for line, text in _sentences(ast.parse(module.read_text("utf-8"))):
            yield f"{place}:{line}", text


def _sentences(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """The texts of errors that are raised, and of lines that are printed."""
    for node in ast.walk(tree):
        said = node.exc if isinstance(node, ast.Raise) else node
        if not isinstance(said, ast.Call):
            continue
        is_printed = isinstance(said.func, ast.Name) and said.func.id in ("say", "print")
        if is_printed or isinstance(node, ast.Raise):
            inner = (one for argument in said.args for one in ast.walk(argument))
            found = [one.value for one in inner if isinstance(one, ast.Constant) and isinstance(one.value, str)]
            yield said.lineno, " ".join(found)


@cache
def _all_texts() -> tuple[tuple[str, str], ...]:
    return tuple(_texts())


def test_the_glossary_names_words_that_are_not_used() -> None:
    words = _unused_words()
    assert len(words) > 50
    assert [word for word, times in Counter(words).items() if times > 1] == []
    defined = {name for names, _, _ in _rows() for name in names.split(", ")}
    assert sorted(set(words) & defined) == []


@pytest.mark.parametrize("word", _unused_words())
def test_a_word_that_the_glossary_rules_out_is_read_nowhere(word: str) -> None:
    pattern = re.compile(rf"\b{re.escape(word)}(?:s|es)?\b(?![.]\w)", re.IGNORECASE)  # `llm.url` is a key
    found = [place for place, text in _all_texts() if pattern.search(re.sub(r"\{\w+\}", "", text))]
    assert [place for place in found if (word, place.partition(":")[0]) not in ALLOWED] == []


def test_every_surface_is_read() -> None:
    places = Counter(place.split(" ")[0] for place, _ in _all_texts())
    assert places["memoro"] > 140 and places["the"] > 400 and len(_all_texts()) > 1_000


def test_every_one_line_description_is_different() -> None:
    lines = [*COMMANDS.values(), *(one.summary for one in TABLE if one.name not in COMMANDS)]
    assert [line for line, times in Counter(lines).items() if times > 1] == []


@pytest.mark.parametrize("name", COMMANDS)
def test_the_description_of_a_command_fits_its_column(name: str) -> None:
    assert len(COMMANDS[name]) <= COLUMN
    assert max(map(len, overview(COMMANDS, everything=True).splitlines())) <= 80


@pytest.mark.parametrize(
    ("name", "summary"), [*COMMANDS.items(), *((one.name, one.summary) for one in TABLE if " " in one.name)]
)
def test_a_one_line_description_begins_with_a_verb(name: str, summary: str) -> None:
    assert summary.split()[0].rstrip(",") in VERBS, f"{name}: {summary}"


def test_every_command_is_in_one_group_and_no_synonym_is_a_command() -> None:
    grouped = [name for group in GROUPS for name in group.commands]
    assert sorted(grouped) == sorted(COMMANDS)
    assert set(SYNONYMS) & set(COMMANDS) == set()
    assert set(SYNONYMS.values()) <= set(COMMANDS)


def test_one_option_has_one_placeholder() -> None:
    """An option of the same name takes the same kind of value in every command."""
    found: dict[str, set[str]] = {}
    for operation in TABLE:
        for option in operation.options:
            found.setdefault(option.flag, set()).add(option.metavar)
    assert {flag: sorted(metavars) for flag, metavars in found.items() if len(metavars) > 1} == {}


@pytest.mark.parametrize(
    "name", [one.name for one in TABLE if any(option.name == "source" for option in one.options)]
)
def test_the_source_of_a_write_has_both_spellings_everywhere(name: str) -> None:
    parser = parser_of(name.partition(" ")[0])
    [own] = [one for one in (parser, *parsers_of_actions(parser)) if one.prog == f"memoro {name}"]
    assert "--by" in own.format_help() and "--source" in own.format_help()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("admin", "person"), "`memoro admin person` needs an action: add, list or remove."),
        (("completion",), "`memoro completion` needs SHELL: bash, zsh or fish."),
        (("search",), "`memoro search` needs QUERY. `memoro search --help` shows how to use it."),
        (("edit",), "`memoro edit` needs ID and TEXT."),
        (("undo", "one"), "CHANGE: 'one' is not a whole number."),
        (("memory", "list", "-n", "0"), "-n/--limit: '0' is not a whole number from 1 on."),
        (("memory", "forget"), "Name what to forget: numbers, --query, --source or --session."),
        (("memory", "history", "7"), "`memoro memory list`"),
        (("experience", "history", "7"), "`memoro experience list`"),
        (("get", "zzqqx"), "A path is relative to the vault, ends in .md, and is not ignored"),
        (("memory", "query", "zzqqx"), "`memoro memory list`"),
        (("experience", "find", "zzqqx"), "`memoro experience list`"),
        (("search", "zzqqx"), "`memoro status` shows what is indexed."),
        (("recall", "zzqqx"), "`--why` shows what was left out."),
    ],
)
def test_a_command_that_finds_or_gets_nothing_names_the_next_step(
    memoro: Memoro, arguments: tuple[str, ...], said: str
) -> None:
    done = memoro(*arguments)
    assert done.code in (1, 2) and said in done.err
