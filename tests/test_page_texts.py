"""Every text of the page stands in `page/texts/`: templates and views have no words of their own."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator, Mapping
from html.parser import HTMLParser
from pathlib import Path

import pytest

import memoro
from memoro.page import views
from memoro.page.texts import texts

PAGE = Path(memoro.__file__).parent / "page"
TEMPLATES = sorted(PAGE.glob("templates/*.html"))
MODULES = sorted(PAGE.rglob("*.py"))
READ_ALOUD = ("aria-label", "placeholder", "title", "alt", "label", "aria-description")


def _leaves(table: Mapping[str, object], prefix: str) -> Iterator[str]:
    for key, value in table.items():
        if isinstance(value, Mapping) and set(value) != {"one", "other"}:
            yield from _leaves(value, f"{prefix}.{key}")
        else:
            yield f"{prefix}.{key}"


def _all_texts() -> set[str]:
    files = sorted(PAGE.glob("texts/en/*.toml"))
    return {name for file in files for name in _leaves(tomllib.loads(file.read_text("utf-8")), file.stem)}


def _source(file: Path) -> str:
    """Without the comments of a template."""
    return re.sub(r"\{#.*?#\}", "", file.read_text("utf-8"), flags=re.DOTALL)


def _strings(file: Path) -> set[str]:
    """The strings of a template or a module, also those that only begin a name."""
    if file.suffix == ".html":
        inside = re.findall(r"\{[{%](.*?)[%}]\}", _source(file), re.DOTALL)
        return {found for code in inside for pair in re.findall(r"\"([^\"]*)\"|'([^']*)'", code) for found in pair}
    nodes = ast.walk(ast.parse(file.read_text("utf-8")))
    return {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}


def _called(file: Path) -> set[str]:
    """The names of texts that a template or a module asks for by a call with a whole name."""
    return set(re.findall(r"\bt(?:exts\(\w*\))?\(\s*\"([a-z_0-9.]+)\"\s*[,)]", _source(file)))


def test_every_text_that_is_asked_for_exists() -> None:
    known = _all_texts()
    missing = {f"{file.name}: {name}" for file in (*TEMPLATES, *MODULES) for name in _called(file) - known}
    assert missing == set()


def test_every_text_is_used() -> None:
    strings = set().union(*(_strings(file) for file in (*TEMPLATES, *MODULES)))
    beginnings = tuple(found for found in strings if re.fullmatch(r"[a-z_]+\.[a-z_.]*", found))
    assert {name for name in _all_texts() if not name.startswith(beginnings)} == set()


def test_the_letters_that_go_to_views_differ() -> None:
    letters = [texts()(f"menu_keys.{item.name}") for item in views.menu()]
    assert len(set(letters)) == len(letters)


class _Words(HTMLParser):
    """Collects words that stand in a template itself."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._open.append(tag)
        self.found += [f"{name}={value}" for name, value in attrs if name in READ_ALOUD and _is_word(value or "")]

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        own = re.sub(r"\s[a-z-]+=\"[^\"]*\"", "", data).replace("Memoro", "")  # a macro may return attributes
        if not {"kbd", "code"} & set(self._open) and _is_word(own):  # keys and commands are the same in any language
            self.found.append(data.strip())


def _is_word(text: str) -> bool:
    return re.search(r"[^\W\d_]{2}", text) is not None


@pytest.mark.parametrize("file", TEMPLATES, ids=lambda file: file.name)
def test_a_template_has_no_words_of_its_own(file: Path) -> None:
    source = re.sub(r"\{#.*?#\}|\{\{.*?\}\}|\{%.*?%\}", "", file.read_text("utf-8"), flags=re.DOTALL)
    words = _Words()
    words.feed(source)
    assert words.found == []


# Words that the search reads, a command, and reasons that the store writes: values, which no reader sees as they are.
NOT_SHOWN = (
    *("this week", "last week", "last month", "memoro config set "),
    *("asked for", "before a restore", "before a new format"),
)


def test_no_view_has_a_sentence_of_its_own() -> None:
    found = []
    for file in sorted(PAGE.glob("views/*.py")):
        tree = ast.parse(file.read_text("utf-8"))
        documented = (ast.Module, ast.FunctionDef, ast.ClassDef)
        docstrings = {ast.get_docstring(node, clean=False) for node in ast.walk(tree) if isinstance(node, documented)}
        for node in ast.walk(tree):
            text = node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
            if text not in docstrings and text not in NOT_SHOWN and re.search(r"[A-Za-z]{2,} [A-Za-z]{2,}", text):
                found.append(f"{file.name}:{getattr(node, 'lineno', 0)}: {text}")
    assert found == []


def test_a_text_names_the_same_values_in_each_of_its_forms() -> None:
    for file in sorted(PAGE.glob("texts/en/*.toml")):
        for key, value in tomllib.loads(file.read_text("utf-8")).items():
            if isinstance(value, Mapping) and set(value) == {"one", "other"}:
                one, other = (set(re.findall(r"\{(\w+)", str(value[form]))) for form in ("one", "other"))
                assert one | {"count"} == other | {"count"}, f"{file.stem}.{key}"
