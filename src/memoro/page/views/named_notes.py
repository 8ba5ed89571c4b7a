"""A note by its name, as a link in another note has it: `[[Name]]`, `folder/name.md`."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import urlencode

from memoro.model.notes import kind_of
from memoro.page.markdown_rules import NAMED_NOTE
from memoro.page.view import Done, PageRequest, View
from memoro.store.ports import Index


def open_named(request: PageRequest) -> Done:
    """Go to the note of that name; where there is none, search for the name."""
    name = request.query.get("name")
    if not name:
        return Done("", "/search")
    path = request.m.indexing.read(lambda index: find_note(index, name))
    return Done("", f"/search?{urlencode({'q': name})}" if path is None else f"/read?{urlencode({'id': path})}")


def find_note(index: Index, name: str) -> str | None:
    """The path of the note with that path, title or file name; of several, the shortest path."""
    wanted = name.strip().removeprefix("./").lstrip("/")
    paths = (wanted, f"{wanted}.md")
    return (
        _shortest(index.notes(paths))
        or _shortest(index.titled((wanted,)))
        or _shortest(path for path in index.files() if kind_of(path) == "note" and _ends(path, paths))
    )


def _ends(path: str, wanted: tuple[str, ...]) -> bool:
    folded = f"/{path.casefold()}"
    return any(folded.endswith(f"/{one.casefold()}") for one in wanted)


def _shortest(paths: Iterable[str]) -> str | None:
    return min(paths, key=lambda path: (len(path), path), default=None)


VIEWS = (View(NAMED_NOTE, open_named),)
