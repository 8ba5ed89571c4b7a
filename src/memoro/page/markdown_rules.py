"""The rules of Markdown as notes are written: CommonMark, tables, strikethrough, tasks, wiki links, tags, block ids.

Every rule takes time in proportion to the length of the text: a paragraph may be a megabyte long, and hostile.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, TypeAlias
from urllib.parse import quote, unquote, urlsplit

from markdown_it import MarkdownIt
from markdown_it.token import Token

from memoro.page.texts import texts

if TYPE_CHECKING:
    from markdown_it.rules_core import StateCore
    from markdown_it.rules_inline import StateInline

Attributes: TypeAlias = dict[str, str | int | float]
IMAGE = "image"  # the class of what stands for an image
NAMED_NOTE = "/note"  # the path that finds a note by its name
_TAGGED = "/search"
_LONG_PARAGRAPH = 16_000  # characters; the marks of emphasis in one take time with its square
_MOST_DEPTH = 20  # lists and quotations in each other
_LONG_NAME = 300
_TASK = re.compile(r"\[([ xX])\][ \t]+")
_PLAIN = re.compile(
    r"(?P<url>https?://[^\s<>\"'`]{1,2000})"
    r"|(?:(?<=[\s(,;])|^)#(?P<tag>[^\W\d_][\w/-]{0,99})"
    r"|(?:(?<=\s)|^)\^(?P<block>[A-Za-z0-9-]{1,200})(?=\s*$)"
)


@cache
def note_renderer() -> MarkdownIt:
    """Renders notes. It passes no HTML through."""
    made = MarkdownIt("commonmark", {"html": False, "maxNesting": _MOST_DEPTH}).enable(["table", "strikethrough"])
    made.inline.ruler.before("link", "wiki", _wiki_link)
    made.core.ruler.before("inline", "long_paragraphs", _leave_long_paragraphs)
    made.core.ruler.push("notes", _note_tokens)
    return made


@cache
def inline_renderer() -> MarkdownIt:
    """Renders the text of one line."""
    made = MarkdownIt("commonmark", {"html": False, "maxNesting": _MOST_DEPTH}).enable(["strikethrough"])
    made.inline.ruler.before("link", "wiki", _wiki_link)
    made.core.ruler.push("notes", _note_tokens)
    return made


def named_note(name: str) -> str:
    """The address that opens a note by its name, as `[[name]]` has it."""
    return f"{NAMED_NOTE}?name={quote(name, safe='')}"


def _wiki_link(state: StateInline, silent: bool) -> bool:
    """`[[name]]`, `[[name#heading]]` and `[[name|shown]]`, on one line."""
    if not state.src.startswith("[[", state.pos):
        return False
    end = state.src.find("]]", state.pos + 2, state.pos + 2 + _LONG_NAME)
    inside = state.src[state.pos + 2 : end] if end > 0 else ""
    name, _, shown = inside.partition("|")
    name = name.partition("#")[0].strip()
    if not name or "\n" in inside or "[" in inside:
        return False
    if not silent:
        state.push("link_open", "a", 1).attrs = {"href": named_note(name), "class": "wiki"}
        state.push("text", "", 0).content = shown.strip() or inside.strip()
        state.push("link_close", "a", -1)
    state.pos = end + 2
    return True


def _leave_long_paragraphs(state: StateCore) -> None:
    """Show a very long paragraph as it is written."""
    for token in state.tokens:
        if token.type == "inline" and len(token.content) > _LONG_PARAGRAPH:
            token.type, token.children = "text", None


def _note_tokens(state: StateCore) -> None:
    """Turn the tokens into those of the page: lower headings, our links, tags, block ids, tasks, no images."""
    for number, token in enumerate(state.tokens):
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(int(token.tag[1]) + 1, 6)}"
        elif token.type in ("th_open", "td_open"):
            align = str(token.attrs.pop("style", "")).removeprefix("text-align:")
            token.attrs |= {"class": align} if align in ("right", "center") else {}
        elif token.type == "inline":
            starts_item = number > 1 and state.tokens[number - 2].type == "list_item_open"
            token.children = [*_task(token.children or [], starts_item), *_inline(token.children or [])]


def _task(children: list[Token], starts_item: bool) -> Iterator[Token]:
    """The box of a task, taken off the text behind it."""
    first = children[0] if starts_item and children else None
    if first is not None and first.type == "text" and (box := _TASK.match(first.content)):
        first.content = first.content[box.end() :]
        yield from _element("span", "☐ " if box[1] == " " else "☑ ", {"class": "task"})


def _inline(children: Sequence[Token]) -> Iterator[Token]:
    depth = 0  # of links: there is none inside another
    for number, token in enumerate(children):
        match token.type:
            case "text" if not depth:
                ends_line = number + 1 == len(children) or children[number + 1].type in ("softbreak", "hardbreak")
                yield from _text(token.content, ends_line)
            case "image":
                yield from _image(token, is_linked=depth > 0)
            case "link_open":
                depth += 1
                token.attrs = _link_attributes(token)
                yield token
            case "link_close":
                depth -= 1
                yield token
            case _:
                yield token


def _text(text: str, ends_line: bool) -> Iterator[Token]:
    """Text with its bare addresses, tags, and a block id at its end."""
    at = 0
    for found in _PLAIN.finditer(text):
        if found["block"] and not ends_line:
            continue
        url = _without_end(found["url"]) if found["url"] else ""
        end = found.start() + len(url) if url else found.end()
        yield _plain(text[at : found.start()])
        if url:
            yield from _element("a", url, _attributes_of(url))
        elif found["tag"]:
            address = f"{_TAGGED}?tag={quote(found['tag'], safe='')}"
            yield from _element("a", f"#{found['tag']}", {"href": address, "class": "tag"})
        else:
            yield from _element("span", found[0], {"class": "block-id"})
        at = end
    yield _plain(text[at:])


def _without_end(url: str) -> str:
    """An address without the signs that end the sentence around it."""
    shorter = url.rstrip(".,;:!?*_~")
    while shorter.endswith(")") and shorter.count(")") > shorter.count("("):
        shorter = shorter[:-1].rstrip(".,;:!?*_~")
    return shorter


def _image(token: Token, is_linked: bool) -> Iterator[Token]:
    """No image is loaded: its words stand for it, and lead to it where another server has it."""
    source, words = str(token.attrs.get("src", "")), token.content.strip()
    name = words or unquote(source.rpartition("/")[2])[:_LONG_NAME]
    shown = texts()("markdown.image", name=name) if name else texts()("markdown.unnamed_image")
    if not is_linked and _scheme(source) in ("http", "https"):
        yield from _element("a", shown, {**_attributes_of(source), "class": IMAGE})
    else:
        yield from _element("span", shown, {"class": IMAGE})


def _link_attributes(token: Token) -> Attributes:
    address = str(token.attrs.get("href", ""))
    return {"href": address, "class": "wiki"} if token.attrs.get("class") == "wiki" else _attributes_of(address)


def _attributes_of(address: str) -> Attributes:
    """The attributes of a link: to another server, to a path of the page, or to another note; none for the rest."""
    scheme = _scheme(address)
    if scheme in ("http", "https", "mailto"):
        return {"href": address, "target": "_blank"}
    if scheme or address.startswith(("#", "//", "/\\", "\\")) or not address:
        return {}
    if address.startswith("/"):
        return {"href": address}
    return {"href": named_note(unquote(address.partition("#")[0])), "class": "wiki"}


def _scheme(address: str) -> str:
    """The scheme of an address, in lower case; a text that is none has the scheme "?"."""
    try:
        return urlsplit(address.strip()).scheme.lower()
    except ValueError:
        return "?"


def _plain(text: str) -> Token:
    made = Token("text", "", 0)
    made.content = text
    return made


def _element(tag: str, text: str, attributes: Attributes) -> tuple[Token, Token, Token]:
    return Token(f"{tag}_open", tag, 1, attrs=attributes), _plain(text), Token(f"{tag}_close", tag, -1)
