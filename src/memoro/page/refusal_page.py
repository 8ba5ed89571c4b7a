"""The page that a refused browser shows: a title and a sentence, without a script or a template.

The style sheet needs the cookie, as every path does, so the page brings a style of its own. The content security
policy names it by its digest.
"""

from __future__ import annotations

STYLE = (
    "body{margin:0;display:grid;min-height:100vh;place-items:center;background:light-dark(#fafaf8,#131517);"
    "color:light-dark(#1c1f21,#e7e9eb);font:16px/1.55 system-ui,sans-serif}main{max-width:32rem;padding:2rem 1.5rem}"
    "h1{margin:0 0 .75rem;font-size:1.5625rem;line-height:1.25}p{margin:0;color:light-dark(#5a6066,#a0a8af)}"
    "code{padding:.1em .35em;border-radius:.3em;background:light-dark(#f1f1ee,#22262a);font-size:.9em;"
    "white-space:nowrap}"
)


def refusal_page(status: int, sentence: str, title: str = "") -> str:
    """The page for a status. Of 401, which every stranger sees, the sentence says how to get in."""
    from html import escape

    from memoro.page.texts import texts

    t = texts()
    if status == 401:
        title, sentence = t("refused.title"), t("refused.sentence")
    title = title or t("refused.other")
    plain = title.replace("`", "")
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(plain)} · Memoro</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f"<style>{STYLE}</style></head>"
        f"<body><main><h1>{with_code(escape(title))}</h1><p>{with_code(escape(sentence))}</p></main></body></html>\n"
    )


def with_code(escaped: str) -> str:
    """Escaped text with its `commands` as code."""
    import re

    return re.sub("`([^`]*)`", r"<code>\1</code>", escaped)
