"""Notes as HTML: Markdown rendered, then everything taken out that is not on a short list.

A note is hostile text. Three walls stand between it and the page: the renderer passes no HTML through, nh3 keeps only
the elements and attributes of the lists below, and the content security policy runs no script of a note.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

import nh3
from markupsafe import Markup

from memoro.model.visible import visible
from memoro.page.markdown_rules import IMAGE, inline_renderer, note_renderer
from memoro.page.texts import texts

RENDERED = 200_000  # characters of a note that are rendered; what follows is shown as plain text
SHOWN = 2 * 1024 * 1024  # characters of a note that are shown at all
LINE = 4_000  # characters of one line, such as a memory

ELEMENTS: Mapping[str, frozenset[str]] = {
    **dict.fromkeys(
        ("p", "br", "hr", "em", "strong", "s", "blockquote", "ul", "code", "pre", "table", "thead", "tbody", "tr"),
        frozenset[str](),
    ),
    **dict.fromkeys(("h2", "h3", "h4", "h5", "h6", "li", "summary", "details", "div"), frozenset[str]()),
    "ol": frozenset({"start"}),
    "a": frozenset({"href", "target", "class"}),
    "span": frozenset({"class"}),
    "th": frozenset({"class"}),
    "td": frozenset({"class"}),
}
CLASSES: Mapping[str, frozenset[str]] = {
    "a": frozenset({"tag", "wiki", IMAGE}),
    "span": frozenset({"block-id", "task", IMAGE}),
    "th": frozenset({"right", "center"}),
    "td": frozenset({"right", "center"}),
    "details": frozenset({"frontmatter"}),
    "p": frozenset({"cut"}),
}
REL = "noopener noreferrer nofollow"
# Another server, or a path of the page; never `//server`, which is another server too.
_ADDRESS = re.compile(r"(?:https?://|mailto:)[^\s\x00-\x1f]+|/(?![/\\])[^\s\\\x00-\x1f]*", re.IGNORECASE)
_FRONTMATTER = re.compile(r"\A---[ \t]*\n(.{0,20000}?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)


def render_markdown(text: str) -> Markup:
    """A note, or a part of one, as HTML that may be put into the page."""
    text = visible(text)
    front = _FRONTMATTER.match(text)
    body = text[front.end() :] if front else text
    until = _end(body)
    made = note_renderer().render(body[:until])
    return (_properties(front[1]) if front else Markup()) + Markup(_cleaner().clean(made)) + _rest(body[until:])


def render_line(text: str) -> Markup:
    """A single line, such as a memory, as HTML: emphasis, code and links, and no blocks."""
    line = " ".join(visible(text[: LINE + 1]).split())
    cut = "…" if len(text) > LINE else ""
    return Markup(_cleaner().clean(inline_renderer().renderInline(line[:LINE] + cut)))


def _end(body: str) -> int:
    """Where the rendered part ends: at the last empty line, or line, before the limit."""
    if len(body) <= RENDERED:
        return len(body)
    paragraph = body.rfind("\n\n", RENDERED // 2, RENDERED)
    return paragraph if paragraph > 0 else max(body.rfind("\n", 0, RENDERED), 0) or RENDERED


def _properties(lines: str) -> Markup:
    """The properties at the top of a note, folded in."""
    shown = Markup('<details class="frontmatter"><summary>{}</summary><pre>{}</pre></details>')
    return shown.format(texts()("markdown.properties"), lines)


def _rest(rest: str) -> Markup:
    """What was not rendered, as plain text, with a sentence that says so."""
    if not rest:
        return Markup()
    made = Markup('<p class="cut">{}</p><pre>{}</pre>').format(texts()("markdown.plain"), rest[:SHOWN].strip("\n"))
    if len(rest) > SHOWN:
        made += Markup('<p class="cut">{}</p>').format(texts()("markdown.cut", count=f"{len(rest) - SHOWN:,}"))
    return made


@cache
def _cleaner() -> nh3.Cleaner:
    return nh3.Cleaner(
        tags=set(ELEMENTS),
        attributes={tag: set(names - {"class"}) for tag, names in ELEMENTS.items()},
        allowed_classes={tag: set(names) for tag, names in CLASSES.items()},
        clean_content_tags={"script", "style"},
        attribute_filter=_attribute,
        link_rel=REL,
        url_schemes={"http", "https", "mailto"},
        strip_comments=True,
    )


def _attribute(tag: str, name: str, value: str) -> str | None:
    """The value of an attribute as it may stay; None: without it."""
    if name == "href":
        return value if _ADDRESS.fullmatch(value) else None
    if name == "target":
        return "_blank"
    if name == "start":
        return value if value.isascii() and value.isdigit() else None
    return value if tag in CLASSES else None
