"""Paths of the page that a form names: where the browser goes when the form was answered."""

from __future__ import annotations


def page_path(text: str, default: str) -> str:
    """The path if it leads to this page, else the default. Browsers read `//` and a backslash as another server."""
    is_ours = text.startswith("/") and not text.startswith("//") and "\\" not in text and text.isprintable()
    return text if is_ours else default
