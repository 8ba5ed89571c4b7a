"""Notes as HTML: what Markdown says is shown, and nothing that a note says becomes a part of the page."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memoro
from memoro.page.markdown import CLASSES, ELEMENTS, RENDERED, SHOWN, render_line, render_markdown
from memoro.page.rendering import environment
from memoro.page.views.named_notes import find_note
from tests.conftest import write_vault


class Seen(HTMLParser):
    """The elements of a document with their attributes, and its text."""

    def __init__(self, document: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.other: list[str] = []
        self.text = ""
        self.feed(document)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_comment(self, data: str) -> None:
        self.other.append(data)

    def handle_decl(self, decl: str) -> None:
        self.other.append(decl)

    handle_pi = unknown_decl = handle_comment

    def all(self, tag: str) -> list[dict[str, str]]:
        return [attributes for name, attributes in self.elements if name == tag]


def check_allowed(document: str) -> None:
    seen = Seen(document)
    assert not seen.other
    for tag, attributes in seen.elements:
        assert tag in ELEMENTS, (tag, document)
        assert set(attributes) <= ELEMENTS[tag] | {"rel", "class"}, (tag, attributes)
        assert set(attributes.get("class", "").split()) <= CLASSES.get(tag, frozenset()), attributes
        if "href" in attributes:
            scheme = attributes["href"].partition(":")[0].lower()
            is_path = attributes["href"].startswith("/") and attributes["href"][1:2] not in ("/", "\\")
            assert scheme in ("http", "https", "mailto") or is_path, attributes
            assert attributes["rel"] == "noopener noreferrer nofollow"


# Pieces that mean something to Markdown, to HTML or to a browser, joined in any order.
PIECES = st.sampled_from(
    r"""
    <script>|</script>|<img src=x onerror=alert(1)>|<svg/onload=x>|<a href="javascript:x">|<!--|-->|<![CDATA[|]]>
    <style>|<math>|<mtext>|<table>|<noscript>|<template>|<base href=//x>|<meta>|&lt;|&#x3c;|&amp;lt;|&colon;
    "|'|`|=|/|>|[|]|(|)|![|](|[[|]]|[a](javascript:alert(1))|[a](data:text/html,x)|[a](//x)|[a](/\x)|![i](http://x/y)
    <http://x>|<javascript:x>|[r]:|#tag|^id|*|**|_|~~|-|1.|#|```|~~~|---|-:|{{7*7}}|hx-get="/"|data-x=1|id=x|name=csrf
    http://x.y/(|javascript:|vbscript:|data:|style="x"|&NewLine;|é|水|\u202e|\u200b|\x00
    """.strip()
    .replace("\n", "|")
    .replace("\\u202e", "\u202e")
    .replace("\\u200b", "\u200b")
    .split("|")
)
SPACES = st.sampled_from(["", "", " ", "\n", "\n\n", "\t", "\n> ", "\n- ", "\n    "])
texts = st.one_of(
    st.text(max_size=200),
    st.lists(st.tuples(PIECES, SPACES), max_size=30).map(lambda parts: "".join(f"{a}{b}" for a, b in parts)),
)


@given(texts)
def test_whatever_a_note_says_only_listed_elements_and_attributes_come_out(text: str) -> None:
    check_allowed(str(render_markdown(text)))
    check_allowed(str(render_line(text)))


@given(st.text(alphabet=st.characters(categories=["L", "N"], exclude_characters="#^"), min_size=1, max_size=80))
def test_plain_words_are_shown_as_they_are(text: str) -> None:
    assert Seen(str(render_markdown(text))).text.strip() == text.strip()
    assert Seen(str(render_line(text))).text == text


def test_a_note_is_shown_as_its_author_meant_it() -> None:
    note = """---
title: Plan
---
# Plan for the *pier*

See [[Harbour office|the office]], [the feed](https://feed.example/x?a=1&b=2) and ~~60~~ 5 minutes. #pier

- [x] dim the board ^a1b2
- [ ] ask Ines

| what | value |
|:--|--:|
| row | 1 |

![a ferry](https://img.example/f.png)
"""
    seen = Seen(made := str(render_markdown(note)))
    check_allowed(made)
    assert [tag for tag, _ in seen.elements if tag[0] == "h"] == ["h2"]
    assert seen.all("img") == []
    links = [one["href"] for one in seen.all("a")]
    assert links == [
        "/note?name=Harbour%20office",
        "https://feed.example/x?a=1&b=2",
        "/search?tag=pier",
        "https://img.example/f.png",
    ]
    assert '<span class="task">☑ </span>dim the board <span class="block-id">^a1b2</span>' in made
    assert '<td class="right">1</td>' in made and "<s>60</s>" in made
    assert made.startswith(
        '<details class="frontmatter"><summary>Properties</summary><pre>title: Plan</pre></details>'
    )
    assert "[Image: a ferry]" in seen.text


def test_html_in_a_note_is_shown_as_text() -> None:
    made = str(render_markdown("<b onclick=alert(1)>bold</b> <script>alert(1)</script>"))
    assert "<b" not in made and "<script" not in made
    assert Seen(made).text.strip() == "<b onclick=alert(1)>bold</b> <script>alert(1)</script>"


@pytest.mark.parametrize(
    "address",
    ["javascript:alert(1)", "JaVaScRiPt:x", "data:text/html,x", "//other.example", "#x"],
)
def test_a_link_to_anything_but_a_server_a_path_or_a_note_leads_nowhere(address: str) -> None:
    note = f"[word]({address}) [word](<{address}>)\n\n[r]: {address}\n\n[r]"
    for link in Seen(str(render_markdown(note))).all("a"):
        assert "href" not in link


def test_what_nobody_sees_is_not_shown() -> None:
    assert "pay\u202e" not in str(render_markdown("pay\u202eeem \u200bx"))
    assert render_line("a\u200bb\x00c") == "abc"


def test_a_line_stays_a_line() -> None:
    assert render_line("# no heading\n\n- no list `code`") == "# no heading - no list <code>code</code>"
    assert str(render_line("word " * 2_000)).endswith("…")


def test_the_end_of_a_very_long_note_is_shown_as_plain_text_and_then_cut_with_a_sentence() -> None:
    paragraph = "A line with *emphasis*.\n\n"
    long = paragraph * (RENDERED // len(paragraph) + 5)
    made = str(render_markdown(long))
    assert "From here on it is shown as it is written." in made and made.count("emphasis") == long.count("emphasis")
    assert "5 more characters" in str(render_markdown("x" * (RENDERED + SHOWN + 5)))


HOSTILE = {
    "brackets": "[" * 60_000,
    "images": "![" * 30_000,
    "emphasis": "*a_ " * 15_000,
    "quotations": ">" * 60_000,
    "lists": "- " * 30_000,
    "deep lists": "".join(" " * (2 * n) + "- a\n" for n in range(200)),
    "wide table": "|a" * 500 + "|\n" + "|-" * 500 + "|\n" + "|\n" * 800,
    "links": "[a](" * 15_000,
    "wiki links": "[[a" * 20_000,
    "addresses": "http://a" * 8_000,
    "tags": "#a " * 20_000,
    "backticks": "".join("`" * n + " " for n in range(300)),
    "references": "[a]: b\n" * 8_000,
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", HOSTILE)
def test_text_made_to_take_long_is_shown(kind: str) -> None:
    """A rule that takes time with the square of the length would take minutes here."""
    check_allowed(str(render_markdown(HOSTILE[kind])))


def test_templates_have_both_filters() -> None:
    made = environment().from_string("{{ text|markdown }}{{ text|inline_markdown }}{{ text }}").render(text="*a* <b>")
    assert made == "<p><em>a</em> &lt;b&gt;</p>\n<em>a</em> &lt;b&gt;*a* &lt;b&gt;"


def test_a_link_between_notes_finds_the_note_by_path_title_or_file_name(home: Path, vault: Path) -> None:
    write_vault(
        vault, {"a/plan.md": "# The Plan\n\nx\n", "b/c/plan.md": "# Other\n\nx\n", "b/Ferry board.md": "no title\n"}
    )
    with memoro.open(home, vault) as m:
        m.sync()

        def found(name: str) -> str | None:
            return m.indexing.read(lambda index: find_note(index, name))

        assert found("a/plan.md") == found("a/plan") == found("the plan") == found("plan") == "a/plan.md"
        assert found("c/plan") == "b/c/plan.md"
        assert found("ferry BOARD") == "b/Ferry board.md"
        assert found("nothing") is None
