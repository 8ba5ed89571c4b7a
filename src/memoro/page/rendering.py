"""Templates: Jinja2 with escaping on, unknown names refused, and the texts and filters that every template has."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from datetime import datetime
from functools import cache

import jinja2
from markupsafe import Markup, escape

from memoro.model.digests import digest_of
from memoro.page import plots
from memoro.page.differences import diff_lines
from memoro.page.markdown import render_line, render_markdown
from memoro.page.moments import Instant, TimeWords, clock_words, time_words
from memoro.page.refusal_page import with_code as code_in_html
from memoro.page.texts import texts

LANGUAGE = "en"


@cache
def environment() -> jinja2.Environment:
    made = jinja2.Environment(
        loader=jinja2.PackageLoader("memoro.page", "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    made.globals |= {
        "t": texts(LANGUAGE),
        "language": LANGUAGE,
        "new_key": _new_key,
        "time_words": _time_words,
        "clock": clock_words,
        "diff_lines": diff_lines,
        "score_parts": plots.score_parts,
        "layout_bars": plots.plot_bars,
        "layout_line": plots.plot_line,
        "layout_moments": plots.moments,
    }
    made.filters |= {
        "markdown": render_markdown,
        "inline_markdown": render_line,
        "with_code": with_code,
        "digest": digest_of,
    }
    return made


def render(template: str, values: Mapping[str, object], part: str = "") -> str:
    """The whole page; or one block of it."""
    found = environment().get_template(template)
    if not part:
        return str(found.render(values))
    context = found.new_context(dict(values))
    # The imports of a template are carried out when it begins, before the first words of the layout.
    next(found.root_render_func(context), None)
    return "".join(found.blocks[part](context))


def with_code(sentence: str) -> Markup:
    """A sentence, escaped, with its `commands` as code."""
    return Markup(code_in_html(str(escape(sentence))))


def _new_key() -> str:
    """A key for one form: sent twice, it is carried out once."""
    return secrets.token_urlsafe(12)


def _time_words(instant: Instant, now: datetime | None = None) -> TimeWords:
    return time_words(instant, now or datetime.now().astimezone(), texts(LANGUAGE))
