"""The document that a host loads for a view: one file, which asks no server for anything."""

from __future__ import annotations

import html as html_text
import json
from functools import cache
from importlib.resources import files

import memoro
from memoro.mcp.apps.names import ViewName
from memoro.page.texts import texts

# Words that only the app needs; the page has all others.
_OWN_WORDS = {
    "loading": "Reading your memory…",
    "refresh": "Look again",
    "working": "One moment…",
    "no_tools": "This host cannot show more. Run `memoro ui` to see it in a browser.",
    "failed": "Memoro did not answer. Look again, or run `memoro ui`.",
    "skipped": "Put off. It waits below.",
}
_PAGE_WORDS = {
    "accept": "review.accept",
    "reject": "review.reject",
    "later": "review.later",
    "later_title": "review.later_title",
    "later_sentence": "review.later_sentence",
    "undo": "review.undo",
    "same_text": "review.same_text",
    "no_text": "review.no_text",
    "health": "today.health",
    "proposals": "today.waiting_title",
    "given": "today.given",
    "figures": "today.summary",
    "show_all": "today.show_all",
    "removed": "components.removed_line",
    "added": "components.added_line",
}


def title(view: ViewName) -> str:
    return texts()(f"{view}.title")


@cache
def html(view: ViewName) -> str:
    """The whole document of a view. It holds no word of the owner: what it shows, it asks for through the host."""
    words = {**_OWN_WORDS, **{name: texts()(key) for name, key in _PAGE_WORDS.items()}}
    known = {"view": view, "title": title(view), "version": memoro.__version__, "words": words}
    parts = {
        "@TITLE@": html_text.escape(title(view)),
        "@STYLE@": _file("view.css"),
        "@KNOWN@": json.dumps(known, ensure_ascii=False).replace("<", "\\u003c"),
        "@SCRIPT@": _file("view.js"),
    }
    made = _file("view.html")
    for name, part in parts.items():
        made = made.replace(name, part)
    return made


def _file(name: str) -> str:
    return (files(__package__) / name).read_text("utf-8").strip()
