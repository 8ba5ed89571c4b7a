"""The page that a refused browser shows: a title and a sentence, without a style sheet, a script or a template."""

from __future__ import annotations


def refusal_page(status: int, sentence: str, title: str = "") -> str:
    """The page for a status. Of 401, which every stranger sees, the sentence says how to get in."""
    from html import escape

    from memoro.page.texts import texts

    t = texts()
    if status == 401:
        title, sentence = t("refused.title"), t("refused.sentence")
    title = title or t("refused.other")
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)} · Memoro</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark"></head>'
        f"<body><main><h1>{escape(title)}</h1><p>{escape(sentence)}</p></main></body></html>\n"
    )
