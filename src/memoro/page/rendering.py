"""Templates: Jinja2 with escaping on, unknown names refused, and the texts and filters that every template has."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import jinja2

from memoro.page.texts import texts


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
    made.globals["t"] = texts()
    return made


def render(template: str, values: Mapping[str, object], part: str = "") -> str:
    """The whole page; or one block of it."""
    found = environment().get_template(template)
    if not part:
        return str(found.render(values))
    return "".join(found.blocks[part](found.new_context(dict(values))))
